//! Memory size of plans on the heap, for the plan cache, which is bounded by bytes.
//!
//! The types of a plan belong to crates that know no cache, so their memory is counted here:
//! `request` counts requests of the IR, `answer` shapes of answers, `program` the programs of
//! sources. Structs are destructured by all fields and enums matched by all variants, so that a new
//! one is not forgotten. A test compares the sums with an allocator's.

mod answer;
mod program;
mod request;

use std::sync::Arc;

/// A value whose memory size on the heap can be counted.
pub(crate) trait MemorySize {
    /// Returns the bytes on the heap, without those of the value itself and of parts that the API
    /// keeps as well.
    fn memory_size(&self) -> usize;
}

/// The bytes of all parts.
macro_rules! sum {
    ($($part:expr),+ $(,)?) => { 0 $(+ $crate::memory_size::MemorySize::memory_size($part))+ };
}

/// Implements the trait for types without bytes of their own on the heap.
macro_rules! plain {
    ($($name:ty),+ $(,)?) => {$(
        impl $crate::memory_size::MemorySize for $name {
            fn memory_size(&self) -> usize {
                0
            }
        }
    )+};
}

use {plain, sum};

/// The reference counters of an [`Arc`].
pub(crate) const COUNTERS: usize = 2 * size_of::<usize>();

plain!(str, u8, u16, u32, u64, usize, bool, catalog::FieldId);

impl<T: MemorySize + ?Sized> MemorySize for Box<T> {
    fn memory_size(&self) -> usize {
        size_of_val(&**self) + (**self).memory_size()
    }
}

impl<T: MemorySize> MemorySize for [T] {
    fn memory_size(&self) -> usize {
        self.iter().map(MemorySize::memory_size).sum()
    }
}

impl<T: MemorySize> MemorySize for Vec<T> {
    fn memory_size(&self) -> usize {
        self.capacity() * size_of::<T>() + self.as_slice().memory_size()
    }
}

impl<T: MemorySize> MemorySize for Option<T> {
    fn memory_size(&self) -> usize {
        self.as_ref().map_or(0, MemorySize::memory_size)
    }
}

impl<A: MemorySize, B: MemorySize> MemorySize for (A, B) {
    fn memory_size(&self) -> usize {
        self.0.memory_size() + self.1.memory_size()
    }
}

/// The bytes of something that is kept by several: each has its part.
pub(crate) fn of_shared<T: MemorySize + ?Sized>(value: &Arc<T>) -> usize {
    let bytes = COUNTERS + size_of_val(&**value) + (**value).memory_size();
    bytes / Arc::strong_count(value).max(1)
}
