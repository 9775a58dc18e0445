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
use super::runtime_estimate::{Lane, RuntimeEstimate};

/// Multiple of the class's time limit up to which a run occupies its place if its processor time is
/// lower: on a busy machine it waits for a processor, which more concurrent runs would only make
/// worse.
const SLOW: u32 = 4;

/// Runs, and those that wait to run, which are `J`.
#[derive(Debug)]
pub(super) struct Lanes<J> {
    lanes: [Queue<J>; 3],
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

/// Something that waits or runs.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) number: u64,
    pub(super) estimate: Arc<RuntimeEstimate>,
    pub(super) meter: Arc<Meter>,
}

#[derive(Debug)]
struct Running {
    run: Run,
    lane: Lane,
    since: Instant,
}

impl<J> Lanes<J> {
    /// A scheduler with this number of places in each class.
    pub(super) fn new(places: usize) -> Self {
        let queue = || Queue { waiting: VecDeque::new(), held: 0, places, grown: None };
        Self { lanes: Lane::ALL.map(|_| queue()), running: Vec::new(), places, most: 0 }
    }

    /// Raises the number of concurrent runs.
    pub(super) fn add(&mut self, most: usize) {
        self.most = self.most.saturating_add(most);
    }

    /// Lowers the number of concurrent runs; running ones go on.
    pub(super) fn remove(&mut self, most: usize) {
        self.most = self.most.saturating_sub(most);
    }

    /// Has a job wait, in this lane at least.
    pub(super) fn push(&mut self, run: Run, lane: Lane, job: J) {
        let lane = lane.max(run.estimate.lane());
        self.lane(lane).waiting.push_back(Waiting { run, job });
    }

    /// The job leaves the queue; none if it does not wait.
    pub(super) fn leave(&mut self, number: u64) -> Option<J> {
        self.lanes.iter_mut().find_map(|queue| {
            let place = queue.waiting.iter().position(|waiting| waiting.run.number == number)?;
            queue.waiting.remove(place).map(|waiting| waiting.job)
        })
    }

    /// The next job that may run now. It runs until [`Self::end`].
    pub(super) fn pick(&mut self, now: Instant) -> Option<(u64, J)> {
        Lane::ALL.into_iter().find_map(|lane| self.pick_of(lane, now))
    }

    fn pick_of(&mut self, lane: Lane, now: Instant) -> Option<(u64, J)> {
        loop {
            let queue = &self.lanes[lane as usize];
            if lane != Lane::Long && queue.held >= queue.places {
                return None;
            }
            // Some became known while they waited.
            let goes = |waiting: &Waiting<J>| {
                waiting.run.estimate.lane() > lane
                    || self.has_connection(lane, &waiting.run.estimate)
            };
            let place = queue.waiting.iter().position(goes)?;
            let waiting = self.lane(lane).waiting.remove(place)?;
            let known = waiting.run.estimate.lane();
            if known > lane {
                self.lane(known).waiting.push_back(waiting);
                continue;
            }
            let Waiting { run, job } = waiting;
            let number = run.number;
            self.lane(lane).held += 1;
            self.running.push(Running { run, lane, since: now });
            return Some((number, job));
        }
    }

    /// A run has ended.
    pub(super) fn end(&mut self, number: u64) {
        let Some(place) = self.running.iter().position(|running| running.run.number == number)
        else {
            return;
        };
        let lane = self.running.swap_remove(place).lane;
        let places = self.places;
        let queue = self.lane(lane);
        queue.held -= 1;
        (queue.places, queue.grown) = (places, None);
    }

    /// A run waits for others from now on, as for a reader: it holds no place of the short.
    pub(super) fn let_be_long(&mut self, number: u64) {
        if let Some(place) = self.running.iter().position(|running| running.run.number == number) {
            self.move_to(place, Lane::Long);
        }
    }

    /// Checks which runs have exceeded the time limit of their classes.
    pub(super) fn look(&mut self, now: Instant) {
        for place in 0..self.running.len() {
            let Running { run, lane, since } = &self.running[place];
            let Some(patience) = lane.patience() else { continue };
            let elapsed = now.saturating_duration_since(*since);
            if elapsed < patience {
                continue;
            }
            let is_long = run.meter.computed(elapsed) >= patience;
            if is_long {
                run.estimate.takes_more_than(patience);
            } else if elapsed < SLOW * patience {
                continue;
            }
            let lane = *lane;
            self.move_to(place, lane.next());
            let queue = self.lane(lane);
            let has_grown = |grown| now.saturating_duration_since(grown) < patience;
            if is_long && !queue.grown.is_some_and(has_grown) {
                queue.places = queue.places.saturating_mul(2);
                queue.grown = Some(now);
            }
        }
    }

    /// The time of the next useful check: a queued run may then have waited long enough.
    pub(super) fn next_look(&self) -> Option<Instant> {
        if self.running.len() >= self.most {
            return None;
        }
        let looks = self.running.iter().filter_map(|running| {
            let queue = &self.lanes[running.lane as usize];
            let patience = running.lane.patience()?;
            (!queue.waiting.is_empty()).then(|| running.since + patience)
        });
        looks.min()
    }

    /// Whether there is a connection: the last ones are reserved for runs known to be short, and
    /// some before them for runs not known to be long.
    fn has_connection(&self, lane: Lane, estimate: &RuntimeEstimate) -> bool {
        let most = match lane {
            Lane::Short if estimate.is_known() => self.most,
            Lane::Short | Lane::Middle => self.most - self.most / 8,
            Lane::Long => self.most - self.most / 4,
        };
        self.running.len() < most
    }

    fn move_to(&mut self, place: usize, lane: Lane) {
        let before = std::mem::replace(&mut self.running[place].lane, lane);
        self.lane(before).held -= 1;
        self.lane(lane).held += 1;
    }

    fn lane(&mut self, lane: Lane) -> &mut Queue<J> {
        &mut self.lanes[lane as usize]
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Lanes of two places, for twenty runs.
    struct Road {
        lanes: Lanes<()>,
        now: Instant,
        next: u64,
    }

    impl Road {
        fn new() -> Self {
            let mut lanes = Lanes::new(2);
            lanes.add(20);
            Self { lanes, now: Instant::now(), next: 0 }
        }

        fn push(&mut self, estimate: &Arc<RuntimeEstimate>) -> u64 {
            self.next += 1;
            let (estimate, meter) = (Arc::clone(estimate), Arc::new(Meter::by_the_clock()));
            self.lanes.push(Run { number: self.next, estimate, meter }, Lane::Short, ());
            self.next
        }

        /// The numbers of runs that start after this number of milliseconds.
        fn start_after(&mut self, milliseconds: u64) -> Vec<u64> {
            self.now += Duration::from_millis(milliseconds);
            self.lanes.look(self.now);
            std::iter::from_fn(|| self.lanes.pick(self.now)).map(|(number, ())| number).collect()
        }
    }

    fn pace(milliseconds: u64) -> Arc<RuntimeEstimate> {
        let estimate = RuntimeEstimate::default();
        estimate.took(Duration::from_millis(milliseconds));
        Arc::new(estimate)
    }

    #[test]
    fn those_that_are_short_run_few_at_once_in_their_order() {
        let mut road = Road::new();
        let short = pace(1);
        for _ in 0..64 {
            road.push(&short);
        }
        assert_eq!(road.start_after(0), [1, 2]);
        assert_eq!(road.start_after(4), [0_u64; 0]);
        road.lanes.end(2);
        assert_eq!(road.start_after(0), [3]);
        assert_eq!(road.lanes.leave(4), Some(()));
        assert_eq!(road.lanes.leave(4), None);
        // One that runs does not wait.
        assert_eq!(road.lanes.leave(3), None);
        road.lanes.end(1);
        assert_eq!(road.start_after(0), [5]);
    }

    #[test]
    fn nobody_waits_for_what_is_known_to_be_longer() {
        let mut road = Road::new();
        let (long, middle, short) = (pace(2_000), pace(50), pace(1));
        for _ in 0..60 {
            road.push(&long);
            road.push(&middle);
        }
        // Two of fifty milliseconds, and as many of the long ones as leave some connections.
        assert_eq!(road.start_after(0).len(), 15);
        let number = road.push(&short);
        assert_eq!(road.start_after(0), [number]);
    }

    #[test]
    fn the_last_connections_are_for_those_that_are_known_to_be_short() {
        let mut road = Road::new();
        let short = pace(1);
        for _ in 0..60 {
            road.push(&pace(0));
        }
        let started: usize = (0..20).map(|_| road.start_after(5).len()).sum();
        assert_eq!(started, 18);
        let number = road.push(&short);
        assert_eq!(road.start_after(0), [number]);
    }

    #[test]
    fn what_proves_long_makes_room_and_takes_those_like_it_out_of_the_way() {
        let mut road = Road::new();
        let (unknown, short) = (pace(0), pace(1));
        for _ in 0..60 {
            road.push(&unknown);
        }
        assert_eq!(road.start_after(0), [1, 2]);
        let number = road.push(&short);
        assert_eq!(road.start_after(4), [0_u64; 0]);
        assert_eq!(road.lanes.next_look(), Some(road.now + Duration::from_millis(1)));
        // The others of the unknown program are known by now.
        assert_eq!(road.start_after(1), [number]);
        assert_eq!(unknown.lane(), Lane::Middle);
    }

    #[test]
    fn many_that_nobody_knew_for_long_are_found_out_soon() {
        let mut road = Road::new();
        road.lanes.add(100);
        for _ in 0..60 {
            road.push(&pace(0));
        }
        let number = road.push(&pace(1));
        let started = [0, 5, 5, 5, 5].map(|after| road.start_after(after));
        assert_eq!(started.each_ref().map(Vec::len), [2, 4, 8, 16, 31]);
        assert_eq!(started[4].last(), Some(&number));
        // As soon as one ends there are as few places as before.
        road.lanes.end(number);
        let more: Vec<_> = (0..9).map(|_| road.push(&pace(1))).collect();
        assert_eq!(road.start_after(0), [0_u64; 0]);
        assert_eq!(road.start_after(5), more[..4]);
    }

    #[test]
    fn who_waits_for_a_processor_holds_its_place_longer_and_is_not_long() {
        let mut road = Road::new();
        let starved = pace(1);
        for number in [101, 102] {
            let (estimate, meter) = (Arc::clone(&starved), Arc::default());
            road.lanes.push(Run { number, estimate, meter }, Lane::Short, ());
        }
        let next = [(); 9].map(|()| road.push(&starved));
        assert_eq!(road.start_after(0), [101, 102]);
        assert_eq!(road.start_after(19), [0_u64; 0]);
        assert_eq!(road.start_after(1), next[..2]);
        assert_eq!(starved.lane(), Lane::Short);
    }

    #[test]
    fn who_waits_for_a_reader_holds_no_place() {
        let mut road = Road::new();
        let short = pace(1);
        let numbers = [(); 4].map(|()| road.push(&short));
        assert_eq!(road.start_after(0), numbers[..2]);
        road.lanes.let_be_long(numbers[0]);
        road.lanes.let_be_long(numbers[1]);
        assert_eq!(road.start_after(0), numbers[2..]);
        assert_eq!(short.lane(), Lane::Short);
        for number in numbers {
            road.lanes.end(number);
        }
        assert_eq!(road.lanes.lanes.each_ref().map(|queue| queue.held), [0, 0, 0]);
    }

    #[test]
    fn all_together_are_no_more_than_they_may_be() {
        let mut road = Road::new();
        road.lanes.remove(17);
        for _ in 0..9 {
            road.push(&pace(0));
        }
        assert_eq!(road.start_after(0).len(), 2);
        assert_eq!(road.start_after(5).len(), 1);
        // There is nothing to look for.
        assert_eq!((road.start_after(50).len(), road.lanes.next_look()), (0, None));
        road.lanes.end(1);
        assert_eq!(road.start_after(0).len(), 1);
    }
}
