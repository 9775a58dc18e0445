//! How much memory the process holds, over all of its threads, and at its worst moment.

#![expect(unsafe_code, reason = "an allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering};

static LIVE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

#[global_allocator]
static COUNTING: Counting = Counting;

struct Counting;

/// Begins to measure: the bytes that are live now.
pub(crate) fn begin() -> isize {
    let live = LIVE.load(Ordering::SeqCst);
    PEAK.store(live, Ordering::SeqCst);
    live
}

/// The bytes at the worst moment since `begin`, beyond those that were live then.
pub(crate) fn peak_since(live: isize) -> isize {
    PEAK.load(Ordering::SeqCst) - live
}

fn count(bytes: isize) {
    let live = LIVE.fetch_add(bytes, Ordering::SeqCst) + bytes;
    PEAK.fetch_max(live, Ordering::SeqCst);
}

// SAFETY: every call is handed on to the system's allocator as it came. `realloc` stays the default one,
// which holds both buffers while it copies, as allocators do that find no room behind the old one.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: as for the system's allocator.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.alloc(layout) }
    }

    // SAFETY: as for the system's allocator.
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(-layout.size().cast_signed());
        // SAFETY: the caller's promises are the system allocator's.
        unsafe { System.dealloc(place, layout) }
    }
}
