//! The id of a request, in its response and in its log lines.

use std::cell::Cell;
use std::collections::hash_map::RandomState;
use std::fmt::{self, Write};
use std::hash::BuildHasher;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::task::futures::TaskLocalFuture;

/// The maximum length of an id from a client.
const MOST_BYTES: usize = 64;

/// Stored inline, so that copies need no allocation.
#[derive(Clone, Copy)]
pub(crate) struct RequestId {
    bytes: [u8; MOST_BYTES],
    length: u8,
}

/// The request that a task works for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestScope {
    pub(crate) id: RequestId,
    /// Known if the log is exported.
    pub(crate) trace: Option<RequestTrace>,
}

/// The span of a request, for its log records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequestTrace {
    pub(crate) id: u128,
    pub(crate) span: u64,
    pub(crate) is_sampled: bool,
}

tokio::task_local! {
    /// The request of the current task.
    static CURRENT: Cell<RequestScope>;
}

impl RequestId {
    /// The id from a client or a proxy, if it can be logged as it is, or else a new one.
    pub(crate) fn given_or_new(given: Option<&[u8]>) -> Self {
        given.and_then(Self::given).unwrap_or_else(Self::new)
    }

    fn given(id: &[u8]) -> Option<Self> {
        let is_sane = !id.is_empty() && id.len() <= MOST_BYTES && id.iter().all(is_allowed);
        is_sane.then(|| {
            let mut bytes = [0; MOST_BYTES];
            bytes[..id.len()].copy_from_slice(id);
            Self { bytes, length: id.len() as u8 }
        })
    }

    /// Unique within the process by a counter, and among processes by a hash of the start time.
    fn new() -> Self {
        static PROCESS: OnceLock<u64> = OnceLock::new();
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let process = PROCESS.get_or_init(|| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos());
            // The hasher has a random seed of the operating system.
            RandomState::new().hash_one(now) >> 16
        });
        let mut id = Self { bytes: [0; MOST_BYTES], length: 0 };
        // 12 digits, a dash and at most 16 digits fit.
        let _ = write!(id, "{process:012x}-{:x}", NEXT.fetch_add(1, Ordering::Relaxed));
        id
    }

    pub(crate) fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.length)).unwrap_or_default();
        str::from_utf8(bytes).unwrap_or_default()
    }

    /// Runs a future with this id as [`RequestId::current`].
    pub(crate) fn scope<F: Future>(self, work: F) -> ScopedRequest<F> {
        RequestScope { id: self, trace: None }.scope(work)
    }

    /// Runs a function with this id as [`RequestId::current`].
    pub(crate) fn run<T>(self, work: impl FnOnce() -> T) -> T {
        RequestScope { id: self, trace: None }.run(work)
    }

    /// The id of the current request, if there is one.
    pub(crate) fn current() -> Option<Self> {
        RequestScope::current().map(|scope| scope.id)
    }
}

/// A future that runs for a request.
pub(crate) type ScopedRequest<F> = TaskLocalFuture<Cell<RequestScope>, F>;

impl RequestScope {
    pub(crate) fn current() -> Option<Self> {
        CURRENT.try_with(Cell::get).ok()
    }

    /// Sets the trace of the current request, when its headers have been read.
    pub(crate) fn set_trace(trace: RequestTrace) {
        // Without a request there are no records of it.
        let _ = CURRENT.try_with(|current| {
            current.set(Self { trace: Some(trace), ..current.get() });
        });
    }

    /// Runs a future for this request.
    pub(crate) fn scope<F: Future>(self, work: F) -> ScopedRequest<F> {
        CURRENT.scope(Cell::new(self), work)
    }

    /// Runs a function for this request.
    pub(crate) fn run<T>(self, work: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(Cell::new(self), work)
    }
}

/// Characters that need no quotes in text or JSON.
fn is_allowed(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.:/+=@".contains(byte)
}

impl Write for RequestId {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let begin = usize::from(self.length);
        let end = begin + text.len();
        self.bytes.get_mut(begin..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length = end as u8;
        Ok(())
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sane_id_is_taken_and_another_is_replaced() {
        let longest = "x".repeat(MOST_BYTES);
        for id in ["a", "6f1c-7", "Root=1-67891233-abcdef012345678912345678", &longest] {
            assert_eq!(RequestId::given_or_new(Some(id.as_bytes())).as_str(), id);
        }
        let too_long = "x".repeat(MOST_BYTES + 1);
        for id in ["", " ", "a b", "a\"b", "a\nb", "é", "{}", &too_long] {
            let made = RequestId::given_or_new(Some(id.as_bytes()));
            assert_eq!(made.as_str().as_bytes()[12], b'-', "{id:?} became {made:?}");
        }
    }

    #[test]
    fn new_ids_differ_and_would_be_taken() {
        let (first, second) = (RequestId::new(), RequestId::new());
        assert_ne!(first.as_str(), second.as_str());
        let again = RequestId::given(first.as_str().as_bytes()).unwrap();
        assert_eq!(again.as_str(), first.as_str());
    }
}
