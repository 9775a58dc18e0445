//! Unique values: each belongs to one object, and references may name objects by them.

use std::collections::hash_map::Entry;
use std::io;
use std::path::Path;
use std::rc::Rc;

use ahash::RandomState;
use rustc_hash::{FxHashMap, FxHashSet};
use storage::tables::Side;

use super::assemble::{Link, broken, key_of};
use super::facts::Read;
use super::lookups::StoredKeys;
use super::report::Origin;
use super::{Existing, StageError};
use crate::mapping::{Mapping, ObjectType};
use crate::spill::Sorter;
use crate::value::{Row, Value, ValueRef, text};

/// The values of all unique columns, and references by them.
pub(super) struct Keys {
    sorter: Sorter,
    hasher: RandomState,
    /// Of each object, the spaces of its unique columns.
    columns: Vec<Vec<(usize, usize)>>,
    tables: Vec<usize>,
}

/// An object with unique values.
pub(super) struct Definition {
    pub(super) id: u64,
    pub(super) object: usize,
    /// True if it may be one that another definition or the database has.
    pub(super) is_weak: bool,
    /// True if it lacks required values.
    pub(super) is_incomplete: bool,
    pub(super) origin: Origin,
}

/// A question for the row with a value in a unique column.
#[derive(Clone, Copy, Debug)]
pub struct KeyQuery<'q> {
    /// The indexes of the table and the column.
    pub table: usize,
    pub column: usize,
    pub value: ValueRef<'q>,
}

/// Results of the look-ups.
pub(super) struct KeyMatches<'f> {
    pub(super) links: &'f mut Sorter,
    pub(super) rejected: &'f mut FxHashMap<u64, Rc<str>>,
    /// Weak objects of which there is another definition.
    pub(super) merged: &'f mut FxHashSet<u64>,
}

/// The objects that the look-ups reject, each with one reason. Values come in the order of their
/// hashes, which differs between imports; of several reasons the one that is first by its
/// [`ReasonRank`] stays.
#[derive(Default)]
struct Failures(FxHashMap<u64, (ReasonRank, Rc<str>)>);

/// Order of the reasons to reject an object: unique values before references, each in the order of
/// the definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ReasonRank {
    /// The space.
    Value(usize),
    /// The relation, and true for its far end.
    Reference(usize, bool),
}

/// An entry for a value.
struct Owner {
    space: usize,
    value: Vec<u8>,
    id: u64,
    is_weak: bool,
    is_incomplete: bool,
    origin: Origin,
}

/// The object that has a value.
struct Settled {
    space: usize,
    value: Vec<u8>,
    id: Option<u64>,
}

impl Keys {
    pub(super) fn new(
        mapping: &Mapping,
        spaces: &[(usize, usize)],
        folder: &Path,
        memory: usize,
    ) -> Self {
        let objects = 0..mapping.objects.len();
        Self {
            sorter: Sorter::new(folder, "keys").limit(memory),
            hasher: RandomState::new(),
            columns: objects.map(|object| mapping.keys_of(object, spaces)).collect(),
            tables: mapping.objects.iter().map(|object| object.table).collect(),
        }
    }

    /// Adds the unique values of a row.
    pub(super) fn define(
        &mut self,
        definition: &Definition,
        r#type: &ObjectType,
        values: &[Value],
    ) -> io::Result<()> {
        debug_assert_eq!(self.tables[definition.object], r#type.table);
        let Definition { id, is_weak, is_incomplete, origin, .. } = definition;
        for (space, column) in self.columns[definition.object].clone() {
            let Some(value) = key_of(values, column) else { continue };
            let space = u32::try_from(space).unwrap_or(u32::MAX);
            let mut payload = vec![0, u8::from(*is_weak) | u8::from(*is_incomplete) << 1];
            payload.extend_from_slice(&space.to_le_bytes());
            payload.extend_from_slice(&id.to_le_bytes());
            payload.extend_from_slice(&origin.number().to_le_bytes());
            payload.extend_from_slice(&value);
            let hash = self.hasher.hash_one((space, &*value));
            self.sorter.push((hash, 0), &payload)?;
        }
        Ok(())
    }

    /// Adds a reference by a unique value.
    pub(super) fn refer(&mut self, space: u32, value: &[u8], link: &Link) -> io::Result<()> {
        let mut payload = vec![1];
        payload.extend_from_slice(&space.to_le_bytes());
        payload.extend_from_slice(&link.written());
        payload.extend_from_slice(value);
        let hash = self.hasher.hash_one((space, value));
        self.sorter.push((hash, 1), &payload)
    }

    /// Rejects objects with a value that another one has, and finds the objects of references.
    pub(super) fn resolve(
        self,
        mapping: &Mapping,
        read: &Read,
        existing: &mut dyn Existing,
        found: &mut KeyMatches<'_>,
    ) -> Result<(), StageError> {
        let sorted = self.sorter.finish()?;
        let mut entries = sorted.entries()?;
        let mut stored = StoredKeys::new(&sorted, read.spaces.len())?;
        let mut hash = None;
        let mut owners: Vec<Owner> = Vec::new();
        let mut settled: Vec<Settled> = Vec::new();
        let mut failures = Failures::default();
        while let Some((key, payload)) = entries.next_entry()? {
            if hash != Some(key.0) {
                settle(mapping, read, &mut owners, &stored, (found, &mut failures));
                settled.clear();
                stored.cover(key.0, &read.spaces, existing)?;
                hash = Some(key.0);
            }
            if key.1 == 0 {
                owners.push(Owner::read(payload).ok_or_else(broken)?);
                continue;
            }
            let further = settle(mapping, read, &mut owners, &stored, (found, &mut failures));
            settled.extend(further);
            let (space, link, value) = read_reference(payload).ok_or_else(broken)?;
            let position = settled.iter().position(|one| one.space == space && one.value == value);
            let id = match position {
                Some(position) => settled[position].id,
                None => {
                    let id = stored.find(space, value);
                    settled.push(Settled { space, value: value.into(), id });
                    id
                }
            };
            match id {
                Some(id) => found.links.push((id, link.from), &link.written())?,
                None => {
                    let reason = format!("no object has {}", shown(mapping, read, space, value));
                    if link.is_strict {
                        let is_far = link.side == Side::Far;
                        let rank = ReasonRank::Reference(link.relation, is_far);
                        failures.add(link.from, rank, reason.as_str().into());
                    }
                    read.rejections.borrow_mut().reject(link.origin, &reason, 1)?;
                }
            }
        }
        settle(mapping, read, &mut owners, &stored, (found, &mut failures));
        for (id, (_, reason)) in failures.0 {
            found.rejected.entry(id).or_insert(reason);
        }
        Ok(())
    }
}

impl Failures {
    fn add(&mut self, id: u64, rank: ReasonRank, reason: Rc<str>) {
        match self.0.entry(id) {
            Entry::Vacant(entry) => {
                entry.insert((rank, reason));
            }
            Entry::Occupied(mut entry) => {
                let known = entry.get_mut();
                if (rank, &reason) < (known.0, &known.1) {
                    *known = (rank, reason);
                }
            }
        }
    }
}

/// Decides which object has each value.
fn settle(
    mapping: &Mapping,
    read: &Read,
    owners: &mut Vec<Owner>,
    stored: &StoredKeys<'_>,
    (found, failures): (&mut KeyMatches<'_>, &mut Failures),
) -> Vec<Settled> {
    let mut settled = Vec::new();
    owners.sort_by_key(|owner| (owner.is_weak, owner.origin, owner.id));
    while !owners.is_empty() {
        let first = owners.remove(0);
        let has_same = |owner: &Owner| owner.space == first.space && owner.value == first.value;
        let others: Vec<Owner> = owners.extract_if(.., |owner| has_same(owner)).collect();
        let stored = stored.find(first.space, &first.value);
        let name = || shown(mapping, read, first.space, &first.value);
        let rank = ReasonRank::Value(first.space);
        let mut reject = |id: u64, reason: String| failures.add(id, rank, reason.into());
        let id = match (stored, first.is_weak, first.is_incomplete) {
            (Some(stored), true, _) => {
                found.merged.insert(first.id);
                Some(stored)
            }
            (Some(stored), false, _) => {
                reject(first.id, format!("an object of the database has {}", name()));
                Some(stored)
            }
            (None, true, true) => {
                reject(first.id, format!("no object has {}, and it lacks required values", name()));
                None
            }
            (None, _, _) => Some(first.id),
        };
        for other in others {
            match other.is_weak {
                true => {
                    found.merged.insert(other.id);
                }
                false if other.id == first.id => {}
                false => reject(other.id, format!("another object has {}", name())),
            }
        }
        settled.push(Settled { space: first.space, value: first.value, id });
    }
    settled
}

/// `name "Ann"`
fn shown(mapping: &Mapping, read: &Read, space: usize, value: &[u8]) -> String {
    let (table, column) = read.spaces[space];
    let mut bytes = Vec::new();
    if let Some(value) = Row::new(value).next() {
        text::write_json(value, &mut bytes);
    }
    let name = &mapping.tables.tables[table].columns[column].name;
    format!("the {name} {}", String::from_utf8_lossy(&bytes))
}

/// The space and the value of an entry, by the second number of its key.
pub(super) fn read_key(kind: u64, payload: &[u8]) -> Option<(usize, &[u8])> {
    if kind != 0 {
        return read_reference(payload).map(|(space, _, value)| (space, value));
    }
    let (space, rest) = payload.get(2..)?.split_first_chunk()?;
    Some((usize::try_from(u32::from_le_bytes(*space)).ok()?, rest.get(16..)?))
}

fn read_reference(payload: &[u8]) -> Option<(usize, Link, &[u8])> {
    let (space, rest) = payload.get(1..)?.split_first_chunk()?;
    let (link, value) = rest.split_at_checked(21)?;
    Some((usize::try_from(u32::from_le_bytes(*space)).ok()?, Link::read(link)?, value))
}

impl Owner {
    fn read(payload: &[u8]) -> Option<Self> {
        let marks = payload.get(1)?;
        let (space, value) = read_key(0, payload)?;
        let (id, rest) = payload.get(6..)?.split_first_chunk()?;
        let origin = rest.first_chunk()?;
        Some(Self {
            space,
            value: value.into(),
            id: u64::from_le_bytes(*id),
            is_weak: marks & 1 != 0,
            is_incomplete: marks & 2 != 0,
            origin: Origin::from_number(u64::from_le_bytes(*origin)),
        })
    }
}
