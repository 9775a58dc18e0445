//! What is done of how much, and how long the rest will take.

use std::time::{Duration, Instant};

/// The lines of the plan that are behind and before.
#[derive(Debug)]
pub(super) struct Progress {
    started: Instant,
    total: usize,
    done: usize,
    /// Of those that are done now, not by the run before.
    here: u32,
}

impl Progress {
    pub(super) fn new(total: usize, done: usize) -> Self {
        Self { started: Instant::now(), total, done, here: 0 }
    }

    /// One more is done.
    pub(super) fn step(&mut self) {
        self.done += 1;
        self.here += 1;
    }

    /// One will never be done.
    pub(super) fn skip(&mut self) {
        self.total = self.total.saturating_sub(1);
    }

    /// `[ 12/340, 31 min left]`
    pub(super) fn mark(&self) -> String {
        self.mark_after(self.started.elapsed())
    }

    fn mark_after(&self, elapsed: Duration) -> String {
        let remaining = self.total.saturating_sub(self.done);
        let count = format!("{:>width$}/{}", self.done, self.total, width = digits(self.total));
        if self.here == 0 {
            return format!("[{count}]");
        }
        let each = elapsed / self.here;
        let left = each.saturating_mul(u32::try_from(remaining).unwrap_or(u32::MAX));
        format!("[{count}, {} left]", words(left))
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

    #[test]
    fn the_rest_is_estimated_by_what_was_done_here() {
        let mut progress = Progress::new(120, 20);
        assert_eq!(progress.mark_after(Duration::ZERO), "[ 20/120]");
        for _ in 0..10 {
            progress.step();
        }
        assert_eq!(progress.mark_after(Duration::from_secs(40)), "[ 30/120, 6 min left]");
        for _ in 0..80 {
            progress.skip();
        }
        assert_eq!(progress.mark_after(Duration::from_secs(40)), "[30/40, 40 s left]");
    }
}
