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
pub(in super::super) const MOST: u32 = 8;

/// The longest pause before the first repetition; it doubles with each.
const PAUSE: Duration = Duration::from_millis(2);

/// The repetitions of a unit.
#[derive(Debug, Default)]
pub(in super::super) struct Conflicts {
    count: u32,
    last: Option<SourceError>,
}

impl Conflicts {
    /// Returns true if another attempt may succeed. A deadlock is a conflict, too: two transactions
    /// insert the same two objects in opposite orders.
    ///
    /// After the same violation the unit has looked for the object once more, and cannot find it: it
    /// is hidden from the session.
    pub(super) fn may_pass(&self, error: &SourceError) -> bool {
        let is_conflict = match error.kind {
            SourceErrorKind::UniqueViolation => {
                let names_values = error.details.as_ref().is_some_and(|own| own.detail.is_some());
                !names_values || self.last.as_ref() != Some(error)
            }
            SourceErrorKind::Conflict => true,
            _ => false,
        };
        is_conflict && self.count < MOST
    }

    /// Whether the unit may be repeated once more.
    pub(super) fn has_attempts(&self) -> bool {
        self.count < MOST
    }

    /// The pause before the next attempt after an error.
    pub(super) fn next_pause(&mut self, error: SourceError) -> Duration {
        self.last = Some(error);
        self.pause()
    }

    /// The pause before the next attempt: random, so that transactions that met once do not meet
    /// again.
    pub(in super::super) fn pause(&mut self) -> Duration {
        let longest = longest(self.count);
        self.count += 1;
        let chance = RandomState::new().hash_one(self.count) % 1_024;
        longest.mul_f64(chance as f64 / 1_024.0)
    }
}

/// The longest pause after so many repetitions.
fn longest(count: u32) -> Duration {
    PAUSE * 2_u32.saturating_pow(count)
}

#[cfg(test)]
mod tests {
    use source::Details;

    use super::*;

    fn error(kind: SourceErrorKind) -> SourceError {
        SourceError::new(kind, "no".to_owned())
    }

    #[test]
    fn repetitions_are_limited_and_soon() {
        let mut conflicts = Conflicts::default();
        assert!(!conflicts.may_pass(&error(SourceErrorKind::Missing)));
        let mut pauses = Duration::ZERO;
        for _ in 0..MOST {
            assert!(conflicts.may_pass(&error(SourceErrorKind::UniqueViolation)));
            assert!(conflicts.may_pass(&error(SourceErrorKind::Conflict)));
            pauses += conflicts.next_pause(error(SourceErrorKind::Conflict));
        }
        assert!(!conflicts.may_pass(&error(SourceErrorKind::UniqueViolation)));
        assert!(pauses < Duration::from_secs(1), "{pauses:?}");
        let milliseconds = [longest(0), longest(7)].map(|pause| pause.as_millis());
        assert_eq!(milliseconds, [2, 256]);
    }

    #[test]
    fn a_violation_by_an_object_that_is_not_found_again_does_not_pass() {
        let of = |key: &str| {
            let detail = Some(format!("Key (name)=({key}) already exists.").into());
            let details = Some(Box::new(Details { detail, ..Details::default() }));
            SourceError { details, ..error(SourceErrorKind::UniqueViolation) }
        };
        let mut conflicts = Conflicts::default();
        assert!(conflicts.may_pass(&of("a")));
        conflicts.next_pause(of("a"));
        assert!(!conflicts.may_pass(&of("a")));
        assert!(conflicts.may_pass(&of("b")));
    }
}
