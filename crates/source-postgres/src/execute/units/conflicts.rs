//! Conflicts of units that look for objects by their identifiers, and insert those that they do not
//! find.
//!
//! At READ COMMITTED two transactions may both find nothing. The second INSERT waits for the end of
//! the first transaction and then violates the unique constraint. When the unit runs again, it finds
//! the object, so each attempt gets further by one object at least.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use source::{SourceError, SourceErrorKind};

/// The most repetitions of a unit.
const MOST: u32 = 8;

/// The longest pause before the first repetition; it doubles with each.
const PAUSE: Duration = Duration::from_millis(2);

/// The repetitions of a unit.
#[derive(Debug, Default)]
pub(super) struct Conflicts(u32);

impl Conflicts {
    /// Returns true if another attempt may succeed. A deadlock is a conflict, too: two transactions
    /// insert the same two objects in opposite orders.
    pub(super) fn may_pass(&self, error: &SourceError) -> bool {
        let is_conflict =
            matches!(error.kind, SourceErrorKind::UniqueViolation | SourceErrorKind::Conflict);
        is_conflict && self.0 < MOST
    }

    /// The pause before the next attempt: random, so that transactions that met once do not meet
    /// again.
    pub(super) fn next_pause(&mut self) -> Duration {
        let longest = PAUSE * 2_u32.saturating_pow(self.0);
        self.0 += 1;
        let chance = RandomState::new().hash_one(self.0) % 1_024;
        longest.mul_f64(chance as f64 / 1_024.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_are_limited_and_soon() {
        let error = |kind| SourceError::new(kind, "no".to_owned());
        let mut conflicts = Conflicts::default();
        assert!(!conflicts.may_pass(&error(SourceErrorKind::Missing)));
        let mut pauses = Duration::ZERO;
        for _ in 0..MOST {
            assert!(conflicts.may_pass(&error(SourceErrorKind::UniqueViolation)));
            assert!(conflicts.may_pass(&error(SourceErrorKind::Conflict)));
            pauses += conflicts.next_pause();
        }
        assert!(!conflicts.may_pass(&error(SourceErrorKind::UniqueViolation)));
        assert!(pauses < Duration::from_secs(1), "{pauses:?}");
    }
}
