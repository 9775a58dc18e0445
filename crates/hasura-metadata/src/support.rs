//! What of metadata is served: a status for each key of each object.

mod rows;

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::sync::LazyLock;

use crate::location::Location;
pub use rows::ROWS;

/// Whether a key, or a value of a closed set, is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    Served,
    /// It has no effect yet.
    NotYet,
    /// It has no effect, for the reason.
    NotServed(&'static str),
}

impl Support {
    #[must_use]
    pub fn is_served(self) -> bool {
        match self {
            Self::Served => true,
            Self::NotYet | Self::NotServed(_) => false,
        }
    }
}

impl fmt::Display for Support {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Served => f.write_str("served"),
            Self::NotYet => f.write_str("not served yet"),
            Self::NotServed(reason) => write!(f, "not served: {reason}"),
        }
    }
}

/// Keys of an object, or values of a closed set, with the same status.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name of the object's type in this crate.
    pub object: &'static str,
    pub keys: &'static [&'static str],
    pub support: Support,
}

/// A key in use that is not served.
#[derive(Clone, Debug)]
pub struct Unserved {
    pub place: Location,
    pub object: &'static str,
    pub key: &'static str,
    pub support: Support,
}

/// All places of one key that is not served.
#[derive(Clone, Debug)]
pub struct UnservedKey<'u> {
    pub object: &'static str,
    pub key: &'static str,
    pub support: Support,
    pub places: Vec<&'u Location>,
}

/// The status of a key. The types are walked by a test, so that each has one.
pub(crate) fn of(object: &'static str, key: &'static str) -> Support {
    static TABLE: LazyLock<HashMap<(&str, &str), Support>> = LazyLock::new(|| {
        let keys = ROWS.iter().flat_map(|row| row.keys.iter().map(move |key| (row, *key)));
        keys.map(|(row, key)| ((row.object, key), row.support)).collect()
    });
    TABLE.get(&(object, key)).copied().unwrap_or(Support::NotYet)
}

/// Groups the places of each key, in the order of their first ones.
#[must_use]
pub fn by_key(unserved: &[Unserved]) -> Vec<UnservedKey<'_>> {
    let mut keys: Vec<UnservedKey<'_>> = Vec::new();
    let mut indexes: HashMap<(&str, &str), usize> = HashMap::new();
    for Unserved { place, object, key, support } in unserved {
        let index = *indexes.entry((*object, *key)).or_insert_with(|| {
            keys.push(UnservedKey { object, key, support: *support, places: Vec::new() });
            keys.len() - 1
        });
        keys[index].places.push(place);
    }
    keys
}

/// A line for each key in use that is not served: the key, its status, and its places, at most
/// `most_places` of them.
#[must_use]
pub fn lines(unserved: &[Unserved], most_places: usize) -> Vec<String> {
    let lines = by_key(unserved).into_iter().map(|key| {
        let shown: Vec<String> =
            key.places.iter().take(most_places).map(|place| place.to_string()).collect();
        let more = match key.places.len().saturating_sub(shown.len()) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let UnservedKey { object, key, support, .. } = key;
        format!("{object}.{key}: {support} ({}{more})", shown.join(", "))
    });
    lines.collect()
}

/// The table of the manual.
#[must_use]
pub fn markdown() -> String {
    let mut text = String::from("| object | keys | status |\n|---|---|---|\n");
    for row in ROWS {
        let keys: Vec<String> = row.keys.iter().map(|key| format!("`{key}`")).collect();
        // Writing to a text cannot fail.
        let _ = writeln!(text, "| `{}` | {} | {} |", row.object, keys.join(", "), row.support);
    }
    text
}

#[cfg(test)]
mod tests;
