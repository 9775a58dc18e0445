//! Returning unused memory to the system.
//!
//! The allocator caches freed memory. A start or a very large response may need many times the memory
//! of the requests after it.

use std::sync::LazyLock;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use engine::MemoryReservation;

/// Responses from this size on return their memory to the system when they were sent.
const LARGE: usize = 8 << 20;

/// Disables huge pages.
///
/// Each thread uses a little memory of many sizes, and a huge page takes two megabytes for its first
/// byte: with huge pages the server uses twice the memory under load, and 8 MB more at its start. They
/// save 0 to 7 % of the time of a request.
pub(crate) fn use_small_pages() {
    // Fails where the system has no huge pages.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// Time after which freed memory returns to the system. The allocator's default is a second, in which
/// large responses free many times their memory budget.
const PURGE_DELAY: Duration = Duration::from_millis(10);

/// The index of that option, for which the bindings have no name.
const PURGE_DELAY_OPTION: libmimalloc_sys::mi_option_t = 15;

/// Factor of that delay for large blocks, which have an arena of their own; the allocator's default is
/// ten. Without a delay large responses together took half as much memory, but a response of 300 kB had
/// 74 page faults, a sixth of its time.
const ARENA_PURGE_FACTOR: i64 = 1;

/// The index of that option.
const ARENA_PURGE_FACTOR_OPTION: libmimalloc_sys::mi_option_t = 24;

/// Configures the allocator to return memory soon after it is freed. Call before threads start.
#[expect(unsafe_code, reason = "the allocator's functions are C's")]
pub(crate) fn give_back_soon() {
    let delay = PURGE_DELAY.as_millis().try_into().unwrap_or(0);
    // SAFETY: both options exist and are numbers; no other thread reads them at the same time.
    // Environment variables take precedence.
    unsafe {
        libmimalloc_sys::mi_option_set_default(PURGE_DELAY_OPTION, delay);
        libmimalloc_sys::mi_option_set_default(ARENA_PURGE_FACTOR_OPTION, ARENA_PURGE_FACTOR);
    }
}

/// Wakes the thread that returns memory; none if it could not be started.
static GIVER: LazyLock<Option<SyncSender<()>>> = LazyLock::new(|| {
    let (wake, woken) = sync_channel(1);
    let thread = thread::Builder::new().name("memory".to_owned());
    let begun = thread.spawn(move || {
        while woken.recv().is_ok() {
            collect();
        }
    });
    begun.ok().map(|_| wake)
});

/// Returns unused memory to the system, on a thread of its own: for hundreds of megabytes the system
/// needs as many milliseconds, in which a serving thread would be blocked.
pub(crate) fn give_back() {
    match &*GIVER {
        Some(wake) => {
            // A pending wake-up covers this one, too.
            let _ = wake.try_send(());
        }
        None => collect(),
    }
}

#[expect(unsafe_code, reason = "the allocator's functions are C's")]
fn collect() {
    #[cfg(test)]
    tests::collects();
    // SAFETY: the function may be called at any time on any thread; it moves no used memory.
    unsafe { libmimalloc_sys::mi_collect(true) }
    sources::give_back_memory_of_sqlite();
}

/// Returns memory that was freed some time ago: the allocator does so by itself only during
/// allocations.
#[expect(unsafe_code, reason = "the allocator's functions are C's")]
pub(crate) fn give_back_freed() {
    // SAFETY: as for `give_back`.
    unsafe { libmimalloc_sys::mi_collect(false) }
}

/// The bytes of a response, with their memory reservation until they are sent.
pub(crate) fn answer(body: Vec<u8>, held: MemoryReservation) -> Bytes {
    if body.len() < LARGE && held.bytes() == 0 {
        return body.into();
    }
    Bytes::from_owner(Large { body, _held: held })
}

/// A response that returns its memory to the system.
struct Large {
    body: Vec<u8>,
    _held: MemoryReservation,
}

impl AsRef<[u8]> for Large {
    fn as_ref(&self) -> &[u8] {
        &self.body
    }
}

impl Drop for Large {
    fn drop(&mut self) {
        let is_large = self.body.len() >= LARGE;
        self.body = Vec::new();
        if is_large {
            give_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Names of the threads that returned memory.
    static COLLECTED_BY: Mutex<Vec<Option<String>>> = Mutex::new(Vec::new());

    pub(super) fn collects() {
        COLLECTED_BY.lock().unwrap().push(thread::current().name().map(str::to_owned));
    }

    #[test]
    fn the_thread_that_ends_a_large_answer_gives_nothing_back_itself() {
        let answers = || answer(vec![0; LARGE], MemoryReservation::default());
        (0..20).map(|_| answers()).for_each(drop);
        let collected = || COLLECTED_BY.lock().unwrap().clone();
        while collected().is_empty() {
            thread::yield_now();
        }
        assert!(collected().iter().all(|thread| thread.as_deref() == Some("memory")));
    }

    /// The indexes of options come from a C header, which may change with the allocator: this checks each
    /// option's default in that header.
    #[test]
    #[expect(unsafe_code, reason = "the allocator's functions are C's")]
    fn options_of_the_allocator_stand_where_they_are_looked_for() {
        // SAFETY: an option can be read at any time if it exists.
        let option = |place| unsafe { libmimalloc_sys::mi_option_get(place) };
        if std::env::vars().all(|(name, _)| !name.starts_with("MIMALLOC_")) {
            // An option next to it with a unique default: a reservation in KiB.
            assert_eq!(option(ARENA_PURGE_FACTOR_OPTION - 1), 1 << 20);
            give_back_soon();
            assert_eq!(option(PURGE_DELAY_OPTION), 10);
            assert_eq!(option(ARENA_PURGE_FACTOR_OPTION), ARENA_PURGE_FACTOR);
        }
    }

    #[test]
    fn answers_of_any_size_are_as_they_were() {
        for size in [0, 5, LARGE - 1, LARGE, LARGE + 5] {
            let body: Vec<u8> = (0..size).map(|index| (index % 251) as u8).collect();
            let bytes = answer(body.clone(), MemoryReservation::default());
            let part = bytes.slice(size / 2..);
            assert!(bytes == body);
            drop(bytes);
            assert!(part == body[size / 2..]);
        }
    }
}
