//! Scheduler of long runs: one queue per runtime class.
//!
//! SQLite computes in the process: more concurrent runs than processors end no sooner, and each has
//! a thread, a connection and an answer in memory. So few runs of each [`RuntimeClass`] are
//! concurrent, and runs of a similar length are queued in their order. Short runs do not wait for
//! much longer ones: a run that exceeds the time limit of its class no longer occupies a place in
//! it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use super::execute::meter::Meter;
use super::runtime_estimate::{RuntimeClass, RuntimeEstimate};

/// Multiple of the class's time limit up to which a run occupies its place if its processor time is
/// lower: on a busy machine it waits for a processor, which more concurrent runs would only make
/// worse.
const SLOW: u32 = 4;

/// Runs, and those that wait to run, which are `J`.
#[derive(Debug)]
pub(super) struct Scheduler<J> {
    queues: [Queue<J>; 3],
    running: Vec<Running>,
    /// Concurrent runs of a class that are within its time limit.
    places: usize,
    /// Most concurrent runs of all classes together.
    most: usize,
}

#[derive(Debug)]
struct Queue<J> {
    waiting: VecDeque<Waiting<J>>,
    /// Number of runs.
    held: usize,
    /// Grows while no run ends, so that many long runs of unknown length are not found out one
    /// after the other.
    places: usize,
    grown: Option<Instant>,
}

#[derive(Debug)]
struct Waiting<J> {
    run: Run,
    job: J,
}

/// A queued or running request.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) number: u64,
    pub(super) estimate: Arc<RuntimeEstimate>,
    pub(super) meter: Arc<Meter>,
}

#[derive(Debug)]
struct Running {
    run: Run,
    class: RuntimeClass,
    since: Instant,
}

impl<J> Scheduler<J> {
    /// A scheduler with this number of places in each class.
    pub(super) fn new(places: usize) -> Self {
        let queue = || Queue { waiting: VecDeque::new(), held: 0, places, grown: None };
        Self { queues: RuntimeClass::ALL.map(|_| queue()), running: Vec::new(), places, most: 0 }
    }

    /// Raises the number of concurrent runs.
    pub(super) fn add(&mut self, most: usize) {
        self.most = self.most.saturating_add(most);
    }

    /// Lowers the number of concurrent runs; running ones go on.
    pub(super) fn remove(&mut self, most: usize) {
        self.most = self.most.saturating_sub(most);
    }

    /// Queues a job, in this class at least.
    pub(super) fn push(&mut self, run: Run, class: RuntimeClass, job: J) {
        let class = class.max(run.estimate.class());
        self.queue(class).waiting.push_back(Waiting { run, job });
    }

    /// Removes the job from the queue; none if it is not queued.
    pub(super) fn leave(&mut self, number: u64) -> Option<J> {
        self.queues.iter_mut().find_map(|queue| {
            let place = queue.waiting.iter().position(|waiting| waiting.run.number == number)?;
            queue.waiting.remove(place).map(|waiting| waiting.job)
        })
    }

    /// The next job that may run now. It runs until [`Self::end`].
    pub(super) fn pick(&mut self, now: Instant) -> Option<(u64, J)> {
        RuntimeClass::ALL.into_iter().find_map(|class| self.pick_of(class, now))
    }

    fn pick_of(&mut self, class: RuntimeClass, now: Instant) -> Option<(u64, J)> {
        loop {
            let queue = &self.queues[class as usize];
            if class != RuntimeClass::Long && queue.held >= queue.places {
                return None;
            }
            // Some became known while they waited.
            let goes = |waiting: &Waiting<J>| {
                waiting.run.estimate.class() > class
                    || self.has_connection(class, &waiting.run.estimate)
            };
            let place = queue.waiting.iter().position(goes)?;
            let waiting = self.queue(class).waiting.remove(place)?;
            let known = waiting.run.estimate.class();
            if known > class {
                self.queue(known).waiting.push_back(waiting);
                continue;
            }
            let Waiting { run, job } = waiting;
            let number = run.number;
            self.queue(class).held += 1;
            self.running.push(Running { run, class, since: now });
            return Some((number, job));
        }
    }

    /// A run has ended.
    pub(super) fn end(&mut self, number: u64) {
        let Some(place) = self.running.iter().position(|running| running.run.number == number)
        else {
            return;
        };
        let class = self.running.swap_remove(place).class;
        let places = self.places;
        let queue = self.queue(class);
        queue.held -= 1;
        (queue.places, queue.grown) = (places, None);
    }

    /// A run waits for others from now on, as for a reader: it holds no place of the short.
    pub(super) fn mark_long(&mut self, number: u64) {
        if let Some(place) = self.running.iter().position(|running| running.run.number == number) {
            self.move_to(place, RuntimeClass::Long);
        }
    }

    /// Checks which runs have exceeded the time limit of their classes.
    pub(super) fn check(&mut self, now: Instant) {
        for place in 0..self.running.len() {
            let Running { run, class, since } = &self.running[place];
            let Some(limit) = class.limit() else { continue };
            let elapsed = now.saturating_duration_since(*since);
            if elapsed < limit {
                continue;
            }
            let is_long = run.meter.computed(elapsed) >= limit;
            if is_long {
                run.estimate.takes_more_than(limit);
            } else if elapsed < SLOW * limit {
                continue;
            }
            let class = *class;
            self.move_to(place, class.next());
            let queue = self.queue(class);
            let has_grown = |grown| now.saturating_duration_since(grown) < limit;
            if is_long && !queue.grown.is_some_and(has_grown) {
                queue.places = queue.places.saturating_mul(2);
                queue.grown = Some(now);
            }
        }
    }

    /// The time of the next useful check: a queued run may then have waited long enough.
    pub(super) fn next_check(&self) -> Option<Instant> {
        if self.running.len() >= self.most {
            return None;
        }
        let checks = self.running.iter().filter_map(|running| {
            let queue = &self.queues[running.class as usize];
            let limit = running.class.limit()?;
            (!queue.waiting.is_empty()).then(|| running.since + limit)
        });
        checks.min()
    }

    /// Whether there is a connection: the last ones are reserved for runs known to be short, and
    /// some before them for runs not known to be long.
    fn has_connection(&self, class: RuntimeClass, estimate: &RuntimeEstimate) -> bool {
        let most = match class {
            RuntimeClass::Short if estimate.is_known() => self.most,
            RuntimeClass::Short | RuntimeClass::Middle => self.most - self.most / 8,
            RuntimeClass::Long => self.most - self.most / 4,
        };
        self.running.len() < most
    }

    fn move_to(&mut self, place: usize, class: RuntimeClass) {
        let before = std::mem::replace(&mut self.running[place].class, class);
        self.queue(before).held -= 1;
        self.queue(class).held += 1;
    }

    fn queue(&mut self, class: RuntimeClass) -> &mut Queue<J> {
        &mut self.queues[class as usize]
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A scheduler of two places, for twenty runs.
    struct Simulation {
        scheduler: Scheduler<()>,
        now: Instant,
        next: u64,
    }

    impl Simulation {
        fn new() -> Self {
            let mut scheduler = Scheduler::new(2);
            scheduler.add(20);
            Self { scheduler, now: Instant::now(), next: 0 }
        }

        fn push(&mut self, estimate: &Arc<RuntimeEstimate>) -> u64 {
            self.next += 1;
            let (estimate, meter) = (Arc::clone(estimate), Arc::new(Meter::by_the_clock()));
            self.scheduler.push(
                Run { number: self.next, estimate, meter },
                RuntimeClass::Short,
                (),
            );
            self.next
        }

        /// The numbers of runs that start after this number of milliseconds.
        fn start_after(&mut self, milliseconds: u64) -> Vec<u64> {
            self.now += Duration::from_millis(milliseconds);
            self.scheduler.check(self.now);
            std::iter::from_fn(|| self.scheduler.pick(self.now))
                .map(|(number, ())| number)
                .collect()
        }
    }

    fn estimate_of(milliseconds: u64) -> Arc<RuntimeEstimate> {
        let estimate = RuntimeEstimate::default();
        estimate.took(Duration::from_millis(milliseconds));
        Arc::new(estimate)
    }

    #[test]
    fn those_that_are_short_run_few_at_once_in_their_order() {
        let mut simulation = Simulation::new();
        let short = estimate_of(1);
        for _ in 0..64 {
            simulation.push(&short);
        }
        assert_eq!(simulation.start_after(0), [1, 2]);
        assert_eq!(simulation.start_after(4), [0_u64; 0]);
        simulation.scheduler.end(2);
        assert_eq!(simulation.start_after(0), [3]);
        assert_eq!(simulation.scheduler.leave(4), Some(()));
        assert_eq!(simulation.scheduler.leave(4), None);
        // One that runs does not wait.
        assert_eq!(simulation.scheduler.leave(3), None);
        simulation.scheduler.end(1);
        assert_eq!(simulation.start_after(0), [5]);
    }

    #[test]
    fn nobody_waits_for_what_is_known_to_be_longer() {
        let mut simulation = Simulation::new();
        let (long, middle, short) = (estimate_of(2_000), estimate_of(50), estimate_of(1));
        for _ in 0..60 {
            simulation.push(&long);
            simulation.push(&middle);
        }
        // Two of fifty milliseconds, and as many of the long ones as leave some connections.
        assert_eq!(simulation.start_after(0).len(), 15);
        let number = simulation.push(&short);
        assert_eq!(simulation.start_after(0), [number]);
    }

    #[test]
    fn the_last_connections_are_for_those_that_are_known_to_be_short() {
        let mut simulation = Simulation::new();
        let short = estimate_of(1);
        for _ in 0..60 {
            simulation.push(&estimate_of(0));
        }
        let started: usize = (0..20).map(|_| simulation.start_after(5).len()).sum();
        assert_eq!(started, 18);
        let number = simulation.push(&short);
        assert_eq!(simulation.start_after(0), [number]);
    }

    #[test]
    fn what_proves_long_makes_room_and_takes_those_like_it_out_of_the_way() {
        let mut simulation = Simulation::new();
        let (unknown, short) = (estimate_of(0), estimate_of(1));
        for _ in 0..60 {
            simulation.push(&unknown);
        }
        assert_eq!(simulation.start_after(0), [1, 2]);
        let number = simulation.push(&short);
        assert_eq!(simulation.start_after(4), [0_u64; 0]);
        assert_eq!(
            simulation.scheduler.next_check(),
            Some(simulation.now + Duration::from_millis(1))
        );
        // The others of the unknown program are known by now.
        assert_eq!(simulation.start_after(1), [number]);
        assert_eq!(unknown.class(), RuntimeClass::Middle);
    }

    #[test]
    fn many_that_nobody_knew_for_long_are_found_out_soon() {
        let mut simulation = Simulation::new();
        simulation.scheduler.add(100);
        for _ in 0..60 {
            simulation.push(&estimate_of(0));
        }
        let number = simulation.push(&estimate_of(1));
        let started = [0, 5, 5, 5, 5].map(|after| simulation.start_after(after));
        assert_eq!(started.each_ref().map(Vec::len), [2, 4, 8, 16, 31]);
        assert_eq!(started[4].last(), Some(&number));
        // As soon as one ends there are as few places as before.
        simulation.scheduler.end(number);
        let more: Vec<_> = (0..9).map(|_| simulation.push(&estimate_of(1))).collect();
        assert_eq!(simulation.start_after(0), [0_u64; 0]);
        assert_eq!(simulation.start_after(5), more[..4]);
    }

    #[test]
    fn who_waits_for_a_processor_holds_its_place_longer_and_is_not_long() {
        let mut simulation = Simulation::new();
        let starved = estimate_of(1);
        for number in [101, 102] {
            let (estimate, meter) = (Arc::clone(&starved), Arc::default());
            simulation.scheduler.push(Run { number, estimate, meter }, RuntimeClass::Short, ());
        }
        let next = [(); 9].map(|()| simulation.push(&starved));
        assert_eq!(simulation.start_after(0), [101, 102]);
        assert_eq!(simulation.start_after(19), [0_u64; 0]);
        assert_eq!(simulation.start_after(1), next[..2]);
        assert_eq!(starved.class(), RuntimeClass::Short);
    }

    #[test]
    fn who_waits_for_a_reader_holds_no_place() {
        let mut simulation = Simulation::new();
        let short = estimate_of(1);
        let numbers = [(); 4].map(|()| simulation.push(&short));
        assert_eq!(simulation.start_after(0), numbers[..2]);
        simulation.scheduler.mark_long(numbers[0]);
        simulation.scheduler.mark_long(numbers[1]);
        assert_eq!(simulation.start_after(0), numbers[2..]);
        assert_eq!(short.class(), RuntimeClass::Short);
        for number in numbers {
            simulation.scheduler.end(number);
        }
        assert_eq!(simulation.scheduler.queues.each_ref().map(|queue| queue.held), [0, 0, 0]);
    }

    #[test]
    fn all_together_are_no_more_than_they_may_be() {
        let mut simulation = Simulation::new();
        simulation.scheduler.remove(17);
        for _ in 0..9 {
            simulation.push(&estimate_of(0));
        }
        assert_eq!(simulation.start_after(0).len(), 2);
        assert_eq!(simulation.start_after(5).len(), 1);
        // There is nothing to look for.
        assert_eq!(
            (simulation.start_after(50).len(), simulation.scheduler.next_check()),
            (0, None)
        );
        simulation.scheduler.end(1);
        assert_eq!(simulation.start_after(0).len(), 1);
    }
}
