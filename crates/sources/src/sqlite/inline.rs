//! Statements on the thread that serves the request: for a short while, and without waiting.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::connection::{Cache, OpenFile};
use super::execute::meter::Clock;
use super::planning::Planning;
use super::{STEPS, is_busy};
use crate::error::{SourceError, SourceErrorKind};

/// How long a request may run on the thread that serves it.
pub(super) const INLINE: Duration = Duration::from_micros(200);

/// How long it may compute beyond that: most that are late are so because their thread had to wait
/// for its processor, and are soon done.
const GRACE: Duration = Duration::from_micros(100);

/// How often a look is taken whether the file is still in its place.
const LOOK: Duration = Duration::from_millis(100);

/// The connection of one thread.
#[derive(Debug)]
pub(super) struct Inline {
    file: OpenFile,
    /// Nanoseconds since `start` after which the run is late.
    deadline: Arc<AtomicU64>,
    start: Instant,
    /// Nanoseconds since `start`.
    next_look: u64,
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
        // Who waits for a writer goes elsewhere to do so.
        let mut file = OpenFile::open(path, Duration::ZERO, Cache::Usual)?;
        file.plan(planning)?;
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
        file.connection.progress_handler(STEPS, Some(is_over))?;
        Ok(Self { file, deadline, start, next_look: 0 })
    }

    fn is_at(&mut self, path: &Path) -> bool {
        let now = nanoseconds(self.start.elapsed());
        if now < self.next_look {
            return true;
        }
        self.next_look = now.saturating_add(nanoseconds(LOOK));
        self.file.is_at(path)
    }

    /// The connection, whose statements are interrupted when the time is up that begins now.
    pub(super) fn limited(&self, now: Instant) -> &OpenFile {
        let now = nanoseconds(now.saturating_duration_since(self.start));
        self.deadline.store(now.saturating_add(nanoseconds(INLINE)), Ordering::Relaxed);
        &self.file
    }
}

/// Whether an error says no more than that this is not the thread to run on.
pub(super) fn belongs_elsewhere(error: &SourceError) -> bool {
    error.kind == SourceErrorKind::Timeout || is_busy(error)
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
