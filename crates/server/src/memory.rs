//! Memory that nobody uses any more.
//!
//! The allocator keeps what was freed for whoever asks next, and what a start or a very large
//! answer needed may be many times what anybody asks for afterwards.

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

/// Has the allocator give memory back soon after it was freed. To be called before there are threads.
#[expect(unsafe_code, reason = "the allocator's functions are C's")]
pub(crate) fn give_back_soon() {
    let delay = PURGE_DELAY.as_millis().try_into().unwrap_or(0);
    // SAFETY: the option is one that there is, and a number; nobody reads it at the same time. What
    // the environment says of it counts more.
    unsafe { libmimalloc_sys::mi_option_set_default(PURGE_DELAY_OPTION, delay) }
}

/// Gives unused memory back to the system; it takes some milliseconds.
#[expect(unsafe_code, reason = "the allocator's functions are C's")]
pub(crate) fn give_back() {
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
    use super::*;

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
