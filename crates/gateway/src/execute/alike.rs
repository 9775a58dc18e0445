//! Objects of an answer whose texts are equal: they are read once.
//!
//! Who reads reviews with their authors is sent each author with each review. Where an object stands
//! whose text has been read before, at the same place of what is asked, it is that object: the bytes
//! are compared, and nothing of them is gone over again.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::arena::ObjectId;
use crate::plan::Read;

/// An answer of so many bytes has one place more to remember an object at.
const APART: usize = 64;

/// How many objects are remembered at most, and at least.
const MOST: usize = 256;
const LEAST: usize = 8;

/// The first member of most objects ends within so many bytes.
const BEGIN: usize = 32;

/// After so many objects it is looked at whether some are found, ...
const TRIES: u32 = 256;

/// ... which has to be one of so many.
const WORTH: u32 = 16;

/// The objects of one answer, by their texts.
#[derive(Debug)]
pub(super) struct Alike {
    /// By what objects begin with: the last of them.
    known: Vec<Option<Known>>,
    tried: u32,
    found: u32,
}

/// An object that was read.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// What it was read as, by its address: plans stay where they are while they are run.
    read: usize,
    start: u32,
    end: u32,
    object: ObjectId,
}

/// Where an object is to be remembered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begin {
    slot: usize,
    start: usize,
}

/// Whether an object is met again.
#[derive(Clone, Copy, Debug)]
pub(super) enum Met {
    /// It is this one, and its text has so many bytes.
    Before(ObjectId, usize),
    First(Begin),
}

fn address(read: &Read) -> usize {
    std::ptr::from_ref(read).addr()
}

impl Alike {
    /// For an answer of so many bytes.
    pub(super) fn new(length: usize) -> Self {
        let room = (length / APART).clamp(LEAST, MOST).next_power_of_two();
        Self { known: vec![None; room], tried: 0, found: 0 }
    }

    /// Whether some object was read before.
    pub(super) fn has_found(&self) -> bool {
        self.found > 0
    }

    /// The object that begins at a place of a text and is read as `read`; nothing if it is not worth
    /// to be looked for.
    #[inline]
    pub(super) fn meet(&mut self, read: &Read, bytes: &[u8], start: usize) -> Option<Met> {
        if self.tried >= TRIES && self.found < self.tried / WORTH {
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
                Met::Before(object, (end - start) as usize)
            }
            None => Met::First(Begin { slot, start }),
        })
    }

    /// Remembers an object, which ends here.
    pub(super) fn remember(&mut self, read: &Read, begin: Begin, end: usize, object: ObjectId) {
        let (Ok(start), Ok(end)) = (u32::try_from(begin.start), u32::try_from(end)) else { return };
        self.known[begin.slot] = Some(Known { read: address(read), start, end, object });
    }

    /// Objects that begin with equal members, most often their keys, have one slot.
    #[inline]
    fn slot(&self, read: &Read, rest: &[u8]) -> usize {
        let begin = &rest[..rest.len().min(BEGIN)];
        let mut ends = begin.iter().enumerate().filter(|(_, byte)| matches!(byte, b',' | b'}'));
        let end = ends.next().map_or(begin.len(), |(end, _)| end);
        let mut hasher = FxHasher::default();
        hasher.write(&begin[..end]);
        hasher.write_usize(address(read));
        // There are no more slots than a hash has values.
        usize::try_from(hasher.finish()).unwrap_or_default() & (self.known.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::ItemId;
    use crate::plan::{Lead, Scalar, Value};

    fn read() -> Read {
        let (lead, item) = (Lead::new(Box::default()), ItemId::new(0));
        Read {
            lead,
            item,
            slot: 0,
            lists: 0,
            value: Value::Leaf(Scalar::Any),
            also: Box::default(),
        }
    }

    /// Meets the objects of a text, one after the other: the first of those that are equal.
    fn firsts(alike: &mut Alike, read: &Read, objects: &[&str]) -> Vec<Option<usize>> {
        let bytes = objects.concat().into_bytes();
        let (mut start, mut firsts) = (0, Vec::new());
        for (place, object) in objects.iter().enumerate() {
            match alike.meet(read, &bytes, start) {
                Some(Met::Before(first, length)) => {
                    assert_eq!(length, object.len());
                    firsts.push(Some(first.index()));
                }
                Some(Met::First(begin)) => {
                    alike.remember(read, begin, start + object.len(), ObjectId::new(place));
                    firsts.push(None);
                }
                None => firsts.push(None),
            }
            start += object.len();
        }
        firsts
    }

    #[test]
    fn equal_texts_that_are_read_as_one_thing_are_one_object() {
        let (one, other) = (read(), read());
        let mut alike = Alike::new(1000);
        let objects = [r#"{"a":1}"#, r#"{"a":2}"#, r#"{"a":1,"b":[]}"#, r#"{"a":1}"#, "{}", "{}"];
        // The last that begins so is remembered.
        assert_eq!(firsts(&mut alike, &one, &objects), [None, None, None, None, None, Some(4)]);
        assert!(alike.has_found());
        let mut alike = Alike::new(1000);
        assert_eq!(firsts(&mut alike, &one, &["{}", r#"{"a":1}"#]), [None, None]);
        let again = [r#"{"a":1}"#, r#"{"a":1}"#];
        assert_eq!(firsts(&mut alike, &other, &again), [None, Some(0)]);
        assert_eq!(alike.found, 1);
    }

    #[test]
    fn nothing_is_looked_for_where_nothing_is_found() {
        let read = read();
        let tries = TRIES as usize;
        let objects: Vec<_> = (0..tries).map(|id| format!(r#"{{"id":{id},"a":1}}"#)).collect();
        let objects: Vec<_> = objects.iter().map(String::as_str).collect();
        let mut alike = Alike::new(1 << 20);
        assert_eq!(firsts(&mut alike, &read, &objects), vec![None; tries]);
        assert_eq!(firsts(&mut alike, &read, &["{}", "{}"]), [None, None]);
        assert_eq!(alike.tried, TRIES);
        // Where some are found it is gone on.
        let mut alike = Alike::new(1 << 20);
        let some = ["{}"; TRIES as usize];
        assert_eq!(firsts(&mut alike, &read, &some)[1..], vec![Some(0); tries - 1]);
        assert_eq!(firsts(&mut alike, &read, &["{}"]), [Some(0)]);
    }
}
