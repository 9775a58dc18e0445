//! Progress of a run, and an estimate of the rest.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::plan::Item;

/// So many seconds must be behind before they say as much as the estimate does.
const TRUST: f64 = 60.0;

/// The lines of the plan that are behind and before.
#[derive(Debug)]
pub(super) struct Progress {
    started: Instant,
    total: usize,
    done: usize,
    /// Seconds that lines were expected to take; those that are left.
    left: BTreeMap<Item, f64>,
    /// Seconds of the rest: setting up, and what comes after the plan.
    beside: f64,
    /// Seconds that were expected for what is behind.
    behind: f64,
}

impl Progress {
    /// Begins with the lines that are left, how long each is expected to take, and how long what is
    /// no line is; so many others were done before.
    pub(super) fn new(left: BTreeMap<Item, f64>, beside: f64, done: usize) -> Self {
        let total = done + left.len();
        Self { started: Instant::now(), total, done, left, beside, behind: 0.0 }
    }

    /// One more is done.
    pub(super) fn step(&mut self, item: &Item) {
        self.done += 1;
        self.behind += self.left.remove(item).unwrap_or_default();
    }

    /// One will never be done.
    pub(super) fn skip(&mut self, item: &Item) {
        self.total = self.total.saturating_sub(1);
        self.left.remove(item);
    }

    /// So many seconds were expected for what is no line.
    pub(super) fn pass(&mut self, seconds: f64) {
        self.beside = (self.beside - seconds).max(0.0);
        self.behind += seconds;
    }

    /// `380 measurements, about 44 min`, before anything is done.
    pub(super) fn forecast(&self) -> String {
        let left = words(self.rest(Duration::ZERO));
        format!("{} of {} lines of the plan to measure, about {left}", self.left.len(), self.total)
    }

    /// `[ 12/340, 31 min left]`
    pub(super) fn mark(&self) -> String {
        self.mark_after(self.started.elapsed())
    }

    fn mark_after(&self, elapsed: Duration) -> String {
        let width = digits(self.total);
        format!("[{:>width$}/{}, {} left]", self.done, self.total, words(self.rest(elapsed)))
    }

    /// The estimate, by as much longer as what is behind has taken longer than was expected.
    fn rest(&self, elapsed: Duration) -> Duration {
        let slowness = (elapsed.as_secs_f64() + TRUST) / (self.behind + TRUST);
        let left = self.left.values().sum::<f64>() + self.beside;
        Duration::from_secs_f64(left * slowness)
    }
}

/// Minutes where there are two, else seconds.
pub(super) fn words(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds >= 120 { format!("{} min", (seconds + 30) / 60) } else { format!("{seconds} s") }
}

fn digits(number: usize) -> usize {
    number.to_string().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::plan::Load;

    fn item(round: u32, load: Load) -> Item {
        let word = || "a".to_owned();
        Item { suite: word(), round, query: word(), contestant: word(), load }
    }

    #[test]
    fn the_rest_is_estimated_by_what_each_line_takes_and_by_how_long_others_took() {
        let (short, long) = (Load::Closed { connections: 1 }, Load::Users);
        let short_ones = (0..100).map(|round| (item(round, short), 3.0));
        let long_ones = (0..10).map(|round| (item(round, long), 27.0));
        let mut progress = Progress::new(short_ones.chain(long_ones).collect(), 30.0, 20);
        let told = "110 of 130 lines of the plan to measure, about 10 min";
        assert_eq!(progress.forecast(), told);
        assert_eq!(progress.mark_after(Duration::ZERO), "[ 20/130, 10 min left]");
        progress.pass(30.0);
        (0..10).for_each(|round| progress.step(&item(round, long)));
        // As long as was expected: 270 of the 570 seconds, and the 30.
        assert_eq!(progress.mark_after(Duration::from_secs(300)), "[ 30/130, 5 min left]");
        // It took twice as long: the rest will take nearly so.
        assert_eq!(progress.mark_after(Duration::from_secs(600)), "[ 30/130, 9 min left]");
        (0..90).for_each(|round| progress.skip(&item(round, short)));
        assert_eq!(progress.mark_after(Duration::from_secs(300)), "[30/40, 30 s left]");
    }
}
