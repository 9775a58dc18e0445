//! Deduplication of equal JSON objects within a subgraph response: they are parsed once.
//!
//! A list of reviews with their authors repeats an author in each review. If the bytes of an object
//! equal those of an object that was read before, for the same field of the plan, the cell refers
//! to that object: only the bytes are compared, and nothing is parsed again.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::arena::ObjectId;
use crate::plan::Read;

/// Response bytes per slot of the hash table.
const BYTES_PER_SLOT: usize = 64;

/// Maximum and minimum number of slots.
const MAX_SLOTS: usize = 256;
const MIN_SLOTS: usize = 8;

/// Number of bytes in which the first member of most objects ends.
const PREFIX_LENGTH: usize = 32;

/// Number of look-ups after which the hit rate is checked.
const HIT_RATE_SAMPLE: u32 = 256;

/// Deduplication is disabled if fewer than one in this many look-ups is a hit.
const MIN_HIT_RATE: u32 = 16;

/// Objects of one response by their bytes.
#[derive(Debug)]
pub(super) struct Duplicates {
    /// Hash table by the first member: the last such object.
    known: Vec<Option<Known>>,
    tried: u32,
    found: u32,
}

/// An object that was read.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Address of the plan node it was read by; plans do not move while they are executed.
    read: usize,
    start: u32,
    end: u32,
    object: ObjectId,
}

/// Where an object will be stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    slot: usize,
    start: usize,
}

/// Result of a look-up.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lookup {
    /// A duplicate of this object, whose text has this length.
    Duplicate(ObjectId, usize),
    First(Candidate),
}

fn address(read: &Read) -> usize {
    std::ptr::from_ref(read).addr()
}

impl Duplicates {
    /// Creates the table for a response of this length.
    pub(super) fn new(length: usize) -> Self {
        let room = (length / BYTES_PER_SLOT).clamp(MIN_SLOTS, MAX_SLOTS).next_power_of_two();
        Self { known: vec![None; room], tried: 0, found: 0 }
    }

    /// Whether any duplicate was found.
    pub(super) fn has_found(&self) -> bool {
        self.found > 0
    }

    /// Looks up the object that begins at `start` and is read by `read`; `None` if deduplication is
    /// disabled.
    #[inline]
    pub(super) fn look_up(&mut self, read: &Read, bytes: &[u8], start: usize) -> Option<Lookup> {
        if self.tried >= HIT_RATE_SAMPLE && self.found < self.tried / MIN_HIT_RATE {
            return None;
        }
        self.tried += 1;
        let rest = bytes.get(start..)?;
        let slot = self.slot(read, rest);
        let known = self.known.get(slot).copied().flatten();
        let known = known.filter(|known| known.read == address(read));
        let known = known.filter(|known| {
            let text = bytes.get(known.start as usize..known.end as usize);
            text.is_some_and(|text| rest.starts_with(text))
        });
        Some(match known {
            Some(Known { object, start, end, .. }) => {
                self.found += 1;
                Lookup::Duplicate(object, (end - start) as usize)
            }
            None => Lookup::First(Candidate { slot, start }),
        })
    }

    /// Stores an object, which ends at `end`.
    pub(super) fn insert(
        &mut self,
        read: &Read,
        candidate: Candidate,
        end: usize,
        object: ObjectId,
    ) {
        let (Ok(start), Ok(end)) = (u32::try_from(candidate.start), u32::try_from(end)) else {
            return;
        };
        self.known[candidate.slot] = Some(Known { read: address(read), start, end, object });
    }

    /// Returns the slot of an object: objects with an equal first member, usually the key, share
    /// one.
    #[inline]
    fn slot(&self, read: &Read, rest: &[u8]) -> usize {
        let candidate = &rest[..rest.len().min(PREFIX_LENGTH)];
        let mut ends = candidate.iter().enumerate().filter(|(_, byte)| matches!(byte, b',' | b'}'));
        let end = ends.next().map_or(candidate.len(), |(end, _)| end);
        let mut hasher = FxHasher::default();
        hasher.write(&candidate[..end]);
        hasher.write_usize(address(read));
        // There are fewer slots than hash values.
        usize::try_from(hasher.finish()).unwrap_or_default() & (self.known.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::ItemId;
    use crate::plan::{Prefix, Scalar, Value};

    fn read() -> Read {
        let (prefix, item) = (Prefix::new(Box::default()), ItemId::new(0));
        Read {
            prefix,
            item,
            slot: 0,
            lists: 0,
            value: Value::Leaf(Scalar::Any),
            also: Box::default(),
        }
    }

    /// Looks up the objects of a text one after the other; returns the first of the equal ones.
    fn first_equal(
        duplicates: &mut Duplicates,
        read: &Read,
        objects: &[&str],
    ) -> Vec<Option<usize>> {
        let bytes = objects.concat().into_bytes();
        let (mut start, mut first_equal) = (0, Vec::new());
        for (place, object) in objects.iter().enumerate() {
            match duplicates.look_up(read, &bytes, start) {
                Some(Lookup::Duplicate(first, length)) => {
                    assert_eq!(length, object.len());
                    first_equal.push(Some(first.index()));
                }
                Some(Lookup::First(candidate)) => {
                    duplicates.insert(read, candidate, start + object.len(), ObjectId::new(place));
                    first_equal.push(None);
                }
                None => first_equal.push(None),
            }
            start += object.len();
        }
        first_equal
    }

    #[test]
    fn equal_texts_that_are_read_as_one_thing_are_one_object() {
        let (one, other) = (read(), read());
        let mut duplicates = Duplicates::new(1000);
        let objects = [r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":1,"b":[]}"#, r#"{"a":1}"#, "{}", "{}"];
        // A slot keeps the last object.
        assert_eq!(
            first_equal(&mut duplicates, &one, &objects),
            [None, None, None, None, None, Some(4)]
        );
        assert!(duplicates.has_found());
        let mut duplicates = Duplicates::new(1000);
        assert_eq!(first_equal(&mut duplicates, &one, &["{}", r#"{"a":1}"#]), [None, None]);
        let again = [r#"{"a":1}"#, r#"{"a":1}"#];
        assert_eq!(first_equal(&mut duplicates, &other, &again), [None, Some(0)]);
        assert_eq!(duplicates.found, 1);
    }

    #[test]
    fn nothing_is_looked_for_where_nothing_is_found() {
        let read = read();
        let tries = HIT_RATE_SAMPLE as usize;
        let objects: Vec<_> = (0..tries).map(|id| format!(r#"{{"id":{id},"a":1}}"#)).collect();
        let objects: Vec<_> = objects.iter().map(String::as_str).collect();
        let mut duplicates = Duplicates::new(1 << 20);
        assert_eq!(first_equal(&mut duplicates, &read, &objects), vec![None; tries]);
        assert_eq!(first_equal(&mut duplicates, &read, &["{}", "{}"]), [None, None]);
        assert_eq!(duplicates.tried, HIT_RATE_SAMPLE);
        // With hits, deduplication stays enabled.
        let mut duplicates = Duplicates::new(1 << 20);
        let some = ["{}"; HIT_RATE_SAMPLE as usize];
        assert_eq!(first_equal(&mut duplicates, &read, &some)[1..], vec![Some(0); tries - 1]);
        assert_eq!(first_equal(&mut duplicates, &read, &["{}"]), [Some(0)]);
    }
}
