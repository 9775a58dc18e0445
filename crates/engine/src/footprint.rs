//! How many bytes plans keep on the heap, for the cache that is bounded by bytes.
//!
//! What a plan is made of belongs to crates that know no cache, so it is counted here: `request` counts
//! requests of the IR, `answer` shapes of answers, `program` what sources compile. Structs are taken
//! apart by their fields and enums by their variants, so that a new one is not forgotten. A test compares
//! the sums with an allocator's.

mod answer;
mod program;
mod request;

use std::sync::Arc;

/// A value whose bytes on the heap can be counted.
pub(crate) trait Footprint {
    /// The bytes on the heap, without those of the value itself and of what the API keeps as well.
    fn footprint(&self) -> usize;
}

/// The bytes of all parts.
macro_rules! sum {
    ($($part:expr),+ $(,)?) => { 0 $(+ $crate::footprint::Footprint::footprint($part))+ };
}

/// Says of types that they have no bytes on the heap, or none of their own.
macro_rules! plain {
    ($($name:ty),+ $(,)?) => {$(
        impl $crate::footprint::Footprint for $name {
            fn footprint(&self) -> usize {
                0
            }
        }
    )+};
}

use {plain, sum};

/// What each [`Arc`] has beside its value.
pub(crate) const COUNTERS: usize = 2 * size_of::<usize>();

plain!(str, u8, u16, u32, u64, usize, bool, catalog::FieldId);

impl<T: Footprint + ?Sized> Footprint for Box<T> {
    fn footprint(&self) -> usize {
        size_of_val(&**self) + (**self).footprint()
    }
}

impl<T: Footprint> Footprint for [T] {
    fn footprint(&self) -> usize {
        self.iter().map(Footprint::footprint).sum()
    }
}

impl<T: Footprint> Footprint for Vec<T> {
    fn footprint(&self) -> usize {
        self.capacity() * size_of::<T>() + self.as_slice().footprint()
    }
}

impl<T: Footprint> Footprint for Option<T> {
    fn footprint(&self) -> usize {
        self.as_ref().map_or(0, Footprint::footprint)
    }
}

impl<A: Footprint, B: Footprint> Footprint for (A, B) {
    fn footprint(&self) -> usize {
        self.0.footprint() + self.1.footprint()
    }
}

/// The bytes of something that is kept by several: each has its part.
pub(crate) fn of_shared<T: Footprint>(value: &Arc<T>) -> usize {
    let bytes = COUNTERS + size_of::<T>() + (**value).footprint();
    bytes / Arc::strong_count(value).max(1)
}
