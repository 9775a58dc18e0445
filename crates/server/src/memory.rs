//! Memory that nobody uses any more.
//!
//! The allocator keeps what was freed for whoever asks next, and what a start or a very large
//! answer needed may be many times what anybody asks for afterwards.

use std::sync::LazyLock;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use engine::Held;

/// From this size on the memory of an answer is given back when it was sent.
const LARGE: usize = 8 << 20;

/// Has the system take memory in small pages.
///
/// Each thread takes a little of many sizes, and a huge page is two megabytes for the first byte
/// in it: with them the server holds twice the memory under load, and 8 MB more at its start. They
/// save 0 to 7 % of the time of a request.
pub(crate) fn use_small_pages() {
    // Where the system knows no huge pages, there is nothing to be done.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// How long memory that was freed is kept for whoever asks next. The allocator's own delay is a
/// second, in which large answers free many times what they may take together.
const PURGE_DELAY: Duration = Duration::from_millis(10);

/// The place of that delay among the allocator's options, for which its bindings have no name.
const PURGE_DELAY_OPTION: libmimalloc_sys::mi_option_t = 15;

/// How many times that delay passes before large blocks go back, which stand alone in an arena; the
/// allocator's own factor is ten. Without a delay large answers together took half as much memory, and
/// an answer of 300 kB had 74 page faults, which were a sixth of its time.
const ARENA_PURGE_FACTOR: i64 = 1;

/// The place of that factor among the allocator's options.
const ARENA_PURGE_FACTOR_OPTION: libmimalloc_sys::mi_option_t = 24;

/// Has the allocator give memory back soon after it was freed. To be called before there are threads.
#[expect(unsafe_code, reason = "the allocator's functions are C's")]
pub(crate) fn give_back_soon() {
    let delay = PURGE_DELAY.as_millis().try_into().unwrap_or(0);
    // SAFETY: both options are ones that there are, and numbers; nobody reads them at the same time.
    // What the environment says of them counts more.
    unsafe {
        libmimalloc_sys::mi_option_set_default(PURGE_DELAY_OPTION, delay);
        libmimalloc_sys::mi_option_set_default(ARENA_PURGE_FACTOR_OPTION, ARENA_PURGE_FACTOR);
    }
}

/// Wakes the thread that gives memory back; none where it cannot be begun.
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

/// Has unused memory given back to the system, by a thread of its own: of hundreds of megabytes the
/// system takes as many milliseconds, in which a serving thread would answer nobody.
pub(crate) fn give_back() {
    match &*GIVER {
        Some(wake) => {
            // Whoever is to be woken already gives this back, too.
            let _ = wake.try_send(());
        }
        None => collect(),
    }
}

#[expect(unsafe_code, reason = "the allocator's functions are C's")]
fn collect() {
    #[cfg(test)]
    tests::collects();
    // SAFETY: the function may be called at any time on any thread; it moves nothing that is used.
    unsafe { libmimalloc_sys::mi_collect(true) }
}

/// Gives back what was freed some time ago: the allocator does that by itself only where somebody asks
/// it for memory.
#[expect(unsafe_code, reason = "the allocator's functions are C's")]
pub(crate) fn give_back_freed() {
    // SAFETY: as for `give_back`.
    unsafe { libmimalloc_sys::mi_collect(false) }
}

/// An answer's bytes, which hold their memory until they are sent.
pub(crate) fn answer(body: Vec<u8>, held: Held) -> Bytes {
    if body.len() < LARGE && held.bytes() == 0 {
        return body.into();
    }
    Bytes::from_owner(Large { body, _held: held })
}

/// An answer that gives its memory back.
struct Large {
    body: Vec<u8>,
    _held: Held,
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

    /// On which threads memory was given back.
    static COLLECTED_BY: Mutex<Vec<Option<String>>> = Mutex::new(Vec::new());

    pub(super) fn collects() {
        COLLECTED_BY.lock().unwrap().push(thread::current().name().map(str::to_owned));
    }

    #[test]
    fn the_thread_that_ends_a_large_answer_gives_nothing_back_itself() {
        let answers = || answer(vec![0; LARGE], Held::default());
        (0..20).map(|_| answers()).for_each(drop);
        let collected = || COLLECTED_BY.lock().unwrap().clone();
        while collected().is_empty() {
            thread::yield_now();
        }
        assert!(collected().iter().all(|thread| thread.as_deref() == Some("memory")));
    }

    /// The places of options are those of a C header, which may change with the allocator: each has the
    /// value that its header says is its own before anybody says another.
    #[test]
    #[expect(unsafe_code, reason = "the allocator's functions are C's")]
    fn options_of_the_allocator_stand_where_they_are_looked_for() {
        // SAFETY: reading an option has no condition but that there is one.
        let option = |place| unsafe { libmimalloc_sys::mi_option_get(place) };
        if std::env::vars().all(|(name, _)| !name.starts_with("MIMALLOC_")) {
            // SecondServer them those that no other has: a reservation in KiB, and a number of warnings.
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
            let bytes = answer(body.clone(), Held::default());
            let part = bytes.slice(size / 2..);
            assert!(bytes == body);
            drop(bytes);
            assert!(part == body[size / 2..]);
        }
    }
}
