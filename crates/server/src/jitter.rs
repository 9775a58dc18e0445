//! Random parts of a duration, so that what began together does not continue together.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// A random part of a duration.
pub(crate) fn random_part(longest: Duration) -> Duration {
    // The hasher has a random seed.
    let random = RandomState::new().hash_one(()) as u32;
    longest.mul_f64(f64::from(random) / f64::from(u32::MAX))
}
