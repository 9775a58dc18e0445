//! Operations with metrics of their own. Clients choose the names, and each costs memory here and in
//! the monitoring system, so their number is limited.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Longer names have no metrics of their own.
const MOST_NAME_BYTES: usize = 100;

/// Labels that no operation can have as its name.
const FIXED: [&str; 3] = ["(other)", "(unnamed)", "(invalid)"];

/// The index of an operation in each shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(pub(super) u16);

/// The known names, in the order of their first use.
#[derive(Debug)]
pub(super) struct Operations {
    most: u16,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    places: HashMap<Box<str>, Place>,
    names: Vec<Box<str>>,
}

impl Place {
    /// A name beyond the limit, or of an operation that never ran without an error.
    pub(super) const OTHER: Self = Self(0);
    pub(super) const UNNAMED: Self = Self(1);
    /// No operation: the document is invalid or missing.
    pub(super) const INVALID: Self = Self(2);

    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl Operations {
    pub(super) fn new(most: u16) -> Self {
        Self { most, known: Mutex::default() }
    }

    /// The number of indexes.
    pub(super) fn places(&self) -> usize {
        FIXED.len() + usize::from(self.most)
    }

    /// The index of an operation that ran; a new name gets one if the limit allows.
    pub(super) fn place(&self, name: Option<&str>) -> Place {
        let Some(name) = name else { return Place::UNNAMED };
        if name.len() > MOST_NAME_BYTES {
            return Place::OTHER;
        }
        let mut known = self.lock();
        if let Some(place) = known.places.get(name) {
            return *place;
        }
        if known.names.len() >= usize::from(self.most) {
            return Place::OTHER;
        }
        let place = Place((FIXED.len() + known.names.len()) as u16);
        known.names.push(name.into());
        known.places.insert(name.into(), place);
        place
    }

    /// The names by index.
    pub(super) fn names(&self) -> Vec<Box<str>> {
        let fixed = FIXED.iter().map(|name| Box::from(*name));
        fixed.chain(self.lock().names.iter().cloned()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // A panic cannot leave a half-added name.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_names_have_places_of_their_own() {
        let operations = Operations::new(2);
        let (first, second) = (operations.place(Some("a")), operations.place(Some("b")));
        assert_eq!((first, second), (Place(3), Place(4)));
        assert_eq!(operations.place(Some("c")), Place::OTHER);
        assert_eq!(operations.place(Some("a")), first);
        assert_eq!(operations.place(None), Place::UNNAMED);
        let names: Vec<_> = operations.names().iter().map(ToString::to_string).collect();
        assert_eq!(names, ["(other)", "(unnamed)", "(invalid)", "a", "b"]);
        assert_eq!(operations.places(), 5);
        assert_eq!(Operations::new(9).place(Some(&"x".repeat(101))), Place::OTHER);
    }
}
