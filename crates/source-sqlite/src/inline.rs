//! Statements on the thread that serves the request: for a short while, and without waiting.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::limits::Limit;
use source::{SourceError, SourceErrorKind};

use super::connection::{Cache, OpenFile};
use super::execute::meter::Clock;
use super::is_busy;
use super::planning::Planning;
use crate::error::map_error;

/// Time limit of a request on the thread that serves it.
pub(super) const INLINE: Duration = Duration::from_micros(200);

/// Additional processor time: most late runs are late because their thread waited for its
/// processor, and are soon done.
const GRACE: Duration = Duration::from_micros(100);

/// The longest pattern that SQLite's own LIKE and GLOB match on the thread that serves the request,
/// in bytes: they cannot be interrupted.
const LONGEST_PATTERN: i32 = 256;

/// SQLite's error text of a longer pattern, which has no code.
const PATTERN_TOO_LONG: &str = "LIKE or GLOB pattern too complex";

/// Interval of checks that the file is still at its path.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The connection of one thread.
#[derive(Debug)]
pub(super) struct Inline {
    file: OpenFile,
    /// Nanoseconds since `start` after which the run is late.
    deadline: Arc<AtomicU64>,
    start: Instant,
    /// Nanoseconds since `start`.
    next_check: u64,
}

impl Inline {
    /// The file at the path, opened if it is another than before.
    pub(super) fn at<'i>(
        inline: &'i mut Option<Box<Self>>,
        path: &Path,
        planning: Planning,
    ) -> Result<&'i mut Self, SourceError> {
        if inline.as_mut().is_some_and(|inline| !inline.is_at(path)) {
            tracing::info!(path = %path.display(), "the file that was read is not there any more");
            *inline = None;
        }
        match inline {
            Some(inline) => Ok(inline),
            None => Ok(inline.insert(Box::new(Self::open(path, planning)?))),
        }
    }

    fn open(path: &Path, planning: Planning) -> Result<Self, SourceError> {
        // Statements that meet a writer are offloaded, and wait on the other thread.
        let mut file = OpenFile::open(path, Duration::ZERO, Cache::Default).map_err(map_error)?;
        // Views of the file may match long patterns with SQLite's own functions.
        let limit = Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH;
        file.connection.set_limit(limit, LONGEST_PATTERN).map_err(map_error)?;
        file.plan(planning).map_err(map_error)?;
        let deadline = Arc::new(AtomicU64::new(u64::MAX));
        let start = Instant::now();
        let watched = Arc::clone(&deadline);
        // The run that was found to be late, by its deadline.
        let mut late: Option<(u64, Clock)> = None;
        let is_over = move || {
            let deadline = watched.load(Ordering::Relaxed);
            if nanoseconds(start.elapsed()) <= deadline {
                return false;
            }
            match late {
                Some((run, clock)) if run == deadline => clock.elapsed() > GRACE,
                Some(_) | None => {
                    late = Some((deadline, Clock::start()));
                    false
                }
            }
        };
        file.interrupt.when(is_over);
        Ok(Self { file, deadline, start, next_check: 0 })
    }

    fn is_at(&mut self, path: &Path) -> bool {
        let now = nanoseconds(self.start.elapsed());
        if now < self.next_check {
            return true;
        }
        self.next_check = now.saturating_add(nanoseconds(CHECK_INTERVAL));
        self.file.is_at(path)
    }

    /// The connection, with a deadline of its statements that begins now.
    pub(super) fn limited(&self, now: Instant) -> &OpenFile {
        let now = nanoseconds(now.saturating_duration_since(self.start));
        self.deadline.store(now.saturating_add(nanoseconds(INLINE)), Ordering::Relaxed);
        &self.file
    }
}

/// Returns true if the statement has to run on another thread because of an error.
pub(super) fn belongs_elsewhere(error: &SourceError) -> bool {
    error.kind == SourceErrorKind::Timeout
        || is_busy(error)
        || error.message.starts_with(PATTERN_TOO_LONG)
}

/// Returns true if an error ends the run: the statement has to run on another thread, or the budget
/// has no room for its rows.
pub(super) fn ends_run(error: &SourceError) -> bool {
    belongs_elsewhere(error) || error.kind == SourceErrorKind::BudgetExceeded
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use response::Value;

    use super::*;
    use crate::statement::Statement;

    #[test]
    fn a_call_that_is_long_by_itself_belongs_elsewhere() {
        let path = std::env::temp_dir().join(format!("thalweg-inline-{}", std::process::id()));
        let connection = rusqlite::Connection::open(&path).unwrap();
        let rows = "CREATE TABLE t (body TEXT);
            INSERT INTO t VALUES (replace(hex(zeroblob(1 << 21)), '00', 'ab'));";
        connection.execute_batch(rows).unwrap();
        let mut inline = Inline::open(&path, Planning::Once).unwrap();
        let pattern = ["%", &"a_".repeat(2_000), "c%"].concat();
        let mut ask = |text: &str| {
            let inline = &mut inline;
            let file = inline.limited(Instant::now());
            let mut statement = Statement::of(file, text).unwrap();
            statement.bind(1, Value::Text(pattern.as_bytes())).unwrap();
            statement.run().step().map_err(map_error)
        };
        for text in [
            "SELECT 1 FROM t WHERE thalweg_like(body, ?1)",
            "SELECT 1 FROM t WHERE thalweg_like_ignoring_case(body, ?1)",
            // A pattern as views of the file may contain it.
            "SELECT 1 FROM t WHERE body LIKE ?1",
            "SELECT 1 FROM t WHERE body GLOB ?1",
        ] {
            let error = ask(text).unwrap_err();
            assert!(belongs_elsewhere(&error), "{text}: {error}");
        }
        assert!(!ask("SELECT 1 WHERE ?1 IS NULL").unwrap());
        drop(std::fs::remove_file(&path));
    }
}
