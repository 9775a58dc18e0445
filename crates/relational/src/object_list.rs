//! Keys of objects that exist or are created, resolved from the rows of earlier levels.

use std::borrow::Cow;
use std::sync::Arc;

use ir::{Operand, Otherwise, WhichObjects};
use response::LevelId;
use rustc_hash::FxHashMap;
use source::operand::{Variables, resolve};
use source::{SourceError, SourceErrorKind};

/// Rows of earlier levels, by which keys are resolved.
pub trait KeyResults {
    /// The number of rows that a level returned.
    fn rows(&self, level: LevelId) -> usize;

    /// An integer of a row; `None` for null.
    fn integer(&self, level: LevelId, row: usize, column: u16) -> Option<i64>;
}

/// A list of keys of objects; see [`ir::ObjectKeys`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectList {
    pub table: Arc<[ObjectSource]>,
    pub only_if: Option<LevelId>,
    pub which: WhichObjects,
    pub each: Vec<Option<u32>>,
}

/// Origins of an object's key; see [`ir::ObjectKey`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectSource {
    pub found: Vec<ObjectPlace>,
    pub new: Option<NewKey>,
    pub identity: Option<(u32, Operand)>,
    pub description: Option<Vec<(u32, Operand)>>,
    pub is_outermost: bool,
    pub unless: Vec<ObjectPlace>,
    pub missing: Option<Box<Otherwise>>,
    pub existing: Option<Box<Otherwise>>,
}

/// A place in the rows of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ObjectPlace {
    pub level: LevelId,
    /// From 0: the ordinal of a look-up less 1, or the row of new keys.
    pub place: u32,
}

/// A key of the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NewKey {
    pub level: LevelId,
    /// From 0.
    pub place: u32,
    /// The number of keys that are taken together.
    pub count: u32,
}

/// For each object of a table, the one that is created for it: itself, unless several have the same
/// identity.
pub type Creators = Arc<[u32]>;

/// The column of the key in rows of look-ups and of new keys.
const KEY: u16 = 0;

/// The column of the ordinal in rows of look-ups.
const ORDINAL: u16 = 1;

/// Objects of one identity.
#[derive(Clone, Copy, Debug, Default)]
struct SameIdentity {
    creator: Option<u32>,
    described: Option<u32>,
    is_outermost: bool,
}

/// Keys that look-ups have found, by level and place.
struct FoundKeys<'r, R> {
    results: &'r R,
    levels: FxHashMap<LevelId, FxHashMap<i64, i64>>,
}

impl ObjectList {
    /// The creators of the objects by the values of a request; or the error of an identity that two
    /// objects describe differently.
    pub fn creators(&self, variables: Variables<'_>) -> Result<Creators, SourceError> {
        let mut known: FxHashMap<(u32, Cow<'_, str>), SameIdentity> = FxHashMap::default();
        let mut identities = Vec::with_capacity(self.table.len());
        for (object, place) in self.table.iter().zip(0_u32..) {
            let identity = match &object.identity {
                None => None,
                Some((number, operand)) => {
                    let value = resolve(operand, variables)?;
                    value.text().map(|text| (*number, Cow::Owned(text.into_owned())))
                }
            };
            if let Some(identity) = &identity {
                let same = known.entry(identity.clone()).or_default();
                if !self.add(place, same, variables)? {
                    let message = format!("duplicate XID found: {}", identity.1);
                    return Err(SourceError::new(SourceErrorKind::Input, message));
                }
            }
            identities.push(identity);
        }
        let creator = |(identity, place): (&Option<(u32, Cow<'_, str>)>, u32)| {
            let same = identity.as_ref().and_then(|identity| known.get(identity));
            same.and_then(|same| same.creator).unwrap_or(place)
        };
        Ok(identities.iter().zip(0_u32..).map(creator).collect())
    }

    /// Adds an object to those with its identity; false if it cannot be the same as these.
    fn add(
        &self,
        place: u32,
        same: &mut SameIdentity,
        variables: Variables<'_>,
    ) -> Result<bool, SourceError> {
        let Some(object) = self.table.get(place as usize) else { return Ok(true) };
        if object.is_outermost && same.is_outermost {
            return Ok(false);
        }
        same.is_outermost |= object.is_outermost;
        match (&object.description, same.described) {
            (Some(own), Some(other)) => {
                let other = self.table.get(other as usize);
                let other = other.and_then(|other| other.description.as_ref());
                other.map_or(Ok(true), |other| are_equal(own, other, variables))
            }
            (Some(_), None) => {
                same.described = Some(place);
                if object.new.is_some() {
                    same.creator = Some(place);
                }
                Ok(true)
            }
            (None, _) => {
                if object.new.is_some() {
                    same.creator.get_or_insert(place);
                }
                Ok(true)
            }
        }
    }

    /// The keys, null for objects that are left out; or the error of an object that must exist, or
    /// must not.
    pub fn keys(
        &self,
        creators: &[u32],
        results: &impl KeyResults,
    ) -> Result<Vec<Option<i64>>, SourceError> {
        if self.only_if.is_some_and(|level| results.rows(level) == 0) {
            return Ok(vec![None; self.each.len()]);
        }
        let mut found = FoundKeys { results, levels: FxHashMap::default() };
        let mut keys = Vec::with_capacity(self.each.len());
        for place in &self.each {
            keys.push(match place {
                None => None,
                Some(place) => self.key(*place, creators, &mut found)?,
            });
        }
        Ok(keys)
    }

    fn key(
        &self,
        place: u32,
        creators: &[u32],
        found: &mut FoundKeys<'_, impl KeyResults>,
    ) -> Result<Option<i64>, SourceError> {
        let Some(object) = self.table.get(place as usize) else { return Ok(None) };
        if object.unless.iter().any(|place| found.find(*place).is_some()) {
            return Ok(None);
        }
        let existing = object.found.iter().find_map(|place| found.find(*place));
        if let (Some(_), Some(otherwise)) = (existing, &object.existing) {
            return Err(refusal(otherwise));
        }
        let creator = creators.get(place as usize).copied().unwrap_or(place);
        let new = self.table.get(creator as usize).and_then(|creator| creator.new);
        let new = new.and_then(|new| new.key(found.results));
        if let (None, None, Some(otherwise)) = (existing, new, &object.missing) {
            return Err(refusal(otherwise));
        }
        Ok(match self.which {
            WhichObjects::All => existing.or(new),
            WhichObjects::New if existing.is_some() || creator != place => None,
            WhichObjects::New => new,
            WhichObjects::Found => existing,
            WhichObjects::Elsewhere if creator == place => existing,
            WhichObjects::Elsewhere => existing.or(new),
        })
    }
}

impl NewKey {
    /// The key: of a row of its own, or, where the only row has the last key, by the distance from it.
    fn key(self, results: &impl KeyResults) -> Option<i64> {
        match results.rows(self.level) {
            1 => {
                let last = results.integer(self.level, 0, KEY)?;
                Some(last - i64::from(self.count) + 1 + i64::from(self.place))
            }
            _ => results.integer(self.level, self.place as usize, KEY),
        }
    }
}

impl<R: KeyResults> FoundKeys<'_, R> {
    /// The key that a look-up has found at a place.
    fn find(&mut self, place: ObjectPlace) -> Option<i64> {
        let Self { results, levels } = self;
        let keys = levels.entry(place.level).or_insert_with(|| {
            let row = |row| {
                let ordinal = results.integer(place.level, row, ORDINAL)?;
                Some((ordinal, results.integer(place.level, row, KEY)?))
            };
            (0..results.rows(place.level)).filter_map(row).collect()
        });
        keys.get(&(i64::from(place.place) + 1)).copied()
    }
}

/// Whether two descriptions have the same values for the same fields.
fn are_equal(
    own: &[(u32, Operand)],
    other: &[(u32, Operand)],
    variables: Variables<'_>,
) -> Result<bool, SourceError> {
    if own.len() != other.len() {
        return Ok(false);
    }
    for ((number, operand), (other_number, other_operand)) in own.iter().zip(other) {
        let is_same = number == other_number
            && resolve(operand, variables)?.text() == resolve(other_operand, variables)?.text();
        if !is_same {
            return Ok(false);
        }
    }
    Ok(true)
}

fn refusal(otherwise: &Otherwise) -> SourceError {
    SourceError::new(SourceErrorKind::from(otherwise.kind), otherwise.message.clone())
}
