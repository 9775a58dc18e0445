//! Rate-limited logging: in an outage every request fails in the same way, and a line for each
//! would add nothing to the first ones.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use graphql::ErrorCode;

/// Most lines of one cause in each window of this length.
const LINES: u64 = 10;
const WINDOW: Duration = Duration::from_secs(10);

/// Most causes that are counted; lines of others are always written.
const MOST_CAUSES: usize = 1_000;

/// The cause that lines have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cause {
    pub(crate) code: ErrorCode,
    /// The code of the source, a constraint, or a subgraph.
    pub(crate) detail: Box<str>,
}

/// A rate limit of log lines for each cause.
#[derive(Debug, Default)]
pub(crate) struct LogThrottle {
    causes: Mutex<HashMap<Cause, Window>>,
}

#[derive(Debug)]
struct Window {
    since: Instant,
    lines: u64,
    /// Number of lines that were not written.
    suppressed: u64,
    /// The id of the last line that was written.
    id: Arc<str>,
}

/// The result of judging a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Logged {
    /// The line is written with this id. `suppressed` lines of the cause were not written since the
    /// one before.
    Written { id: Arc<str>, suppressed: u64 },
    /// The line is suppressed; this is the id of a line of the same cause.
    Counted { id: Arc<str> },
}

/// The throttle of the process.
pub(crate) static LOG_THROTTLE: LazyLock<LogThrottle> = LazyLock::new(LogThrottle::default);

impl LogThrottle {
    /// Judges a line at a time; `new_id` is called if it is written.
    pub(crate) fn judge(
        &self,
        cause: Cause,
        now: Instant,
        new_id: impl FnOnce() -> String,
    ) -> Logged {
        let mut causes = self.all();
        if causes.len() >= MOST_CAUSES && !causes.contains_key(&cause) {
            causes.retain(|_, window| !window.is_over(now) || window.suppressed > 0);
            if causes.len() >= MOST_CAUSES {
                return Logged::Written { id: new_id().into(), suppressed: 0 };
            }
        }
        let window = causes.entry(cause).or_insert_with(|| Window {
            since: now,
            lines: 0,
            suppressed: 0,
            id: Arc::from(""),
        });
        let mut suppressed = 0;
        if window.is_over(now) {
            (window.since, window.lines) = (now, 0);
            suppressed = std::mem::take(&mut window.suppressed);
        }
        if window.lines < LINES {
            window.lines += 1;
            window.id = new_id().into();
            return Logged::Written { id: Arc::clone(&window.id), suppressed };
        }
        window.suppressed += 1;
        Logged::Counted { id: Arc::clone(&window.id) }
    }

    /// Takes the numbers of suppressed lines whose window is over, by cause.
    pub(crate) fn take_suppressed(&self, now: Instant) -> Vec<(Cause, u64)> {
        let mut causes = self.all();
        let mut suppressed = Vec::new();
        causes.retain(|cause, window| {
            let is_over = window.is_over(now);
            if is_over && window.suppressed > 0 {
                suppressed.push((cause.clone(), window.suppressed));
            }
            !is_over
        });
        suppressed
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Cause, Window>> {
        // Nothing panics while it holds the lock; the counts are right in any case.
        self.causes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Window {
    fn is_over(&self, now: Instant) -> bool {
        now.duration_since(self.since) >= WINDOW
    }
}

/// Logs of how many failures no line was written; to be called now and then.
pub fn log_suppressed() {
    for (Cause { code, detail }, more) in LOG_THROTTLE.take_suppressed(Instant::now()) {
        tracing::warn!(
            code = code.as_str(),
            cause = &*detail,
            "{more} more in the last {} s",
            WINDOW.as_secs()
        );
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn cause(detail: &str) -> Cause {
        Cause { code: ErrorCode::Unavailable, detail: detail.into() }
    }

    #[test]
    fn an_outage_has_a_few_lines_and_a_sum() {
        let throttle = LogThrottle::default();
        let begin = Instant::now();
        let ids = Cell::new(0);
        let new_id = || {
            ids.set(ids.get() + 1);
            ids.get().to_string()
        };
        let mut written = 0;
        for number in 0..33_327 {
            let now = begin + Duration::from_micros(100) * number;
            match throttle.judge(cause("db"), now, new_id) {
                Logged::Written { suppressed, .. } => {
                    assert_eq!(suppressed, 0);
                    written += 1;
                }
                // The client receives the id of a line that was written.
                Logged::Counted { id } => assert_eq!(&*id, "10"),
            }
        }
        assert_eq!((written, ids.get()), (LINES, 10));
        // Another cause has lines of its own.
        let other = throttle.judge(cause("other"), begin, new_id);
        assert_eq!(other, Logged::Written { id: "11".into(), suppressed: 0 });
        let later = begin + WINDOW;
        assert_eq!(throttle.take_suppressed(begin + WINDOW / 2), []);
        assert_eq!(throttle.take_suppressed(later), [(cause("db"), 33_317)]);
        assert_eq!(throttle.take_suppressed(later), []);
        let again = throttle.judge(cause("db"), later, new_id);
        assert_eq!(again, Logged::Written { id: "12".into(), suppressed: 0 });
    }

    #[test]
    fn the_next_line_says_how_many_were_not_written() {
        let throttle = LogThrottle::default();
        let begin = Instant::now();
        for _ in 0..LINES + 7 {
            throttle.judge(cause("db"), begin, || "1".into());
        }
        let next = throttle.judge(cause("db"), begin + WINDOW, || "2".into());
        assert_eq!(next, Logged::Written { id: "2".into(), suppressed: 7 });
    }

    #[test]
    fn many_causes_take_no_more_memory() {
        let throttle = LogThrottle::default();
        let begin = Instant::now();
        for number in 0..2 * MOST_CAUSES {
            let logged = throttle.judge(cause(&number.to_string()), begin, String::new);
            assert!(matches!(logged, Logged::Written { suppressed: 0, .. }));
        }
        assert_eq!(throttle.all().len(), MOST_CAUSES);
    }
}
