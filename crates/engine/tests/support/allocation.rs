//! How much memory a request takes: what its thread holds more than before, and how often it asks
//! for some.

#![expect(unsafe_code, reason = "an allocator cannot be written without")]
// Each test binary uses its own part of this.
#![allow(dead_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
    static MADE: Cell<usize> = const { Cell::new(0) };
}

#[global_allocator]
static COUNTING: Counting = Counting;

struct Counting;

/// Begins to measure on this thread.
pub(crate) fn reset() {
    let held = HELD.with(Cell::get);
    MOST.with(|most| most.set(held));
}

/// The bytes held at the worst moment since `reset`, beyond those held then.
pub(crate) fn most_since(held: isize) -> isize {
    MOST.with(Cell::get) - held
}

/// What this thread holds now.
pub(crate) fn held() -> isize {
    HELD.with(Cell::get)
}

/// How many times this thread has asked for memory.
pub(crate) fn made() -> usize {
    MADE.with(Cell::get)
}

fn count(bytes: isize) {
    // A thread that ends has no counters any more.
    let held = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        held.get()
    });
    if let Ok(held) = held {
        let _ = MOST.try_with(|most| most.set(most.get().max(held)));
    }
}

// SAFETY: every call is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    // SAFETY: as for the system's allocator.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        let _ = MADE.try_with(|made| made.set(made.get() + 1));
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
