//! An allocator that counts, for tests of how much memory something takes: by thread, and over all
//! threads of the process.
//!
//! A program of tests that measures makes [`Counting`] its global allocator. Counts of a thread are
//! right whatever other tests do meanwhile; those of the process need a test that runs
//! [alone](crate::alone::alone).

#![expect(unsafe_code, reason = "an allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// Whether allocations are measured: an atomic counter for each slows down other tests.
static IS_MEASURED: AtomicBool = AtomicBool::new(false);
static LIVE: AtomicIsize = AtomicIsize::new(0);
static PROCESS_PEAK: AtomicIsize = AtomicIsize::new(0);

/// The system's allocator with counters.
#[derive(Debug)]
pub struct Counting;

/// Begins to measure the peak of this thread.
pub fn reset() {
    let held = HELD.with(Cell::get);
    PEAK.with(|peak| peak.set(held));
}

/// The peak of this thread since `reset`, in bytes beyond those held then.
pub fn most_since(held: isize) -> isize {
    PEAK.with(Cell::get) - held
}

/// The bytes that this thread holds now: those it allocated less those it freed.
pub fn held() -> isize {
    HELD.with(Cell::get)
}

/// The number of allocations of this thread.
pub fn made() -> usize {
    COUNT.with(Cell::get)
}

/// Begins to measure the process; returns the bytes that are live now, beyond those at the first call.
pub fn begin() -> isize {
    IS_MEASURED.store(true, Ordering::SeqCst);
    let live = LIVE.load(Ordering::SeqCst);
    PROCESS_PEAK.store(live, Ordering::SeqCst);
    live
}

/// The peak of the process since `begin`, in bytes beyond those that were live then.
pub fn peak_since(live: isize) -> isize {
    PROCESS_PEAK.load(Ordering::SeqCst) - live
}

fn count(bytes: isize) {
    // A thread that ends has no counters any more.
    let held = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        held.get()
    });
    if let Ok(held) = held {
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(held)));
    }
    if IS_MEASURED.load(Ordering::Relaxed) {
        let live = LIVE.fetch_add(bytes, Ordering::SeqCst) + bytes;
        PROCESS_PEAK.fetch_max(live, Ordering::SeqCst);
    }
}

// SAFETY: every call is handed on to the system's allocator as it came. `realloc` stays the default one,
// which holds both buffers while it copies, as allocators do that find no room behind the old one.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: as for the system's allocator.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
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
