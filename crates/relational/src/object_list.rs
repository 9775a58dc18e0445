//! Keys of objects that exist or are created, resolved from the rows of earlier levels.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ir::{Operand, Otherwise, WhichObjects};
use response::LevelId;
use rustc_hash::FxHashMap;
use source::operand::{Variables, resolve};
use source::{SourceError, SourceErrorKind};

use super::level::{message, told};

/// Rows of earlier levels, by which keys are resolved.
pub trait KeyResults {
    /// The number of rows that a level returned.
    fn rows(&self, level: LevelId) -> usize;

    /// An integer of a row; `None` for null.
    fn integer(&self, level: LevelId, row: usize, column: u16) -> Option<i64>;
}

/// A list of keys of objects; see [`ir::ObjectKeys`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectList {
    pub table: Arc<[ObjectSource]>,
    pub only_if: Option<LevelId>,
    pub which: WhichObjects,
    pub each: Vec<Option<u32>>,
}

/// Origins of an object's key; see [`ir::ObjectKey`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectSource {
    pub found: Vec<ObjectPlace>,
    pub new: Option<NewKey>,
    pub identity: Option<(u32, Operand)>,
    pub further: Vec<(u32, Operand)>,
    pub description: Option<Vec<(u32, Operand)>>,
    pub has_key: bool,
    pub held: Vec<(u32, u32)>,
    pub is_outermost: bool,
    pub unless: Vec<ObjectPlace>,
    pub missing: Option<Box<Otherwise>>,
    pub existing: Vec<Otherwise>,
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

/// The groups of each table of objects: all lists of a change have one.
#[derive(Debug, Default)]
pub struct TableCreators(Vec<(Arc<[ObjectSource]>, Creators)>);

/// The objects of a table by their identities.
pub type Creators = Arc<IdentityGroups>;

/// Groups of objects with the same identity: one of them is created for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdentityGroups {
    /// The group of each object.
    groups: Vec<u32>,
    /// The objects of each group that can be created, in the order in which they are considered.
    creators: Vec<Vec<u32>>,
    /// The values in the errors of objects that must not exist, by the object and the look-up that
    /// finds it.
    existing: FxHashMap<(u32, usize), Vec<Box<str>>>,
}

/// The column of the key in rows of look-ups and of new keys.
const KEY: u16 = 0;

/// The column of the ordinal in rows of look-ups.
const ORDINAL: u16 = 1;

/// Objects of one identity.
#[derive(Clone, Copy, Debug)]
struct SameIdentity {
    /// Its number.
    group: u32,
    /// The first one with a description.
    described: Option<u32>,
    is_outermost: bool,
}

/// An identifying value, with the number of its field.
type Identity<'v> = (u32, Cow<'v, str>);

/// Keys that look-ups have found, by level and place.
struct FoundKeys<'r, R> {
    results: &'r R,
    levels: FxHashMap<LevelId, FxHashMap<i64, i64>>,
}

/// Lists of one change have the same table, which may be long: only its length is hashed.
impl Hash for ObjectList {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { table, only_if, which, each } = self;
        (table.len(), only_if, which, each).hash(state);
    }
}

impl TableCreators {
    /// The groups of a list's objects, or the error of them.
    pub fn of(
        &mut self,
        list: &ObjectList,
        variables: Variables<'_>,
    ) -> Result<Creators, SourceError> {
        let known = self.0.iter().find(|(table, _)| Arc::ptr_eq(table, &list.table));
        if let Some((_, creators)) = known {
            return Ok(Arc::clone(creators));
        }
        let creators = list.creators(variables)?;
        self.0.push((Arc::clone(&list.table), Arc::clone(&creators)));
        Ok(creators)
    }
}

impl ObjectList {
    /// The groups of the objects by the values of a request; or the error of an identity that two objects
    /// describe differently.
    fn creators(&self, variables: Variables<'_>) -> Result<Creators, SourceError> {
        let mut known: FxHashMap<Identity<'_>, SameIdentity> = FxHashMap::default();
        let mut identities = Vec::with_capacity(self.table.len());
        for object in self.table.iter() {
            let identity = object.identity.as_ref();
            identities.push(identity.map(|one| value_of(one, variables)).transpose()?.flatten());
        }
        self.unite(&mut identities, variables)?;
        let mut groups = IdentityGroups::default();
        for (object, place) in self.table.iter().zip(0_u32..) {
            for (number, otherwise) in object.existing.iter().enumerate() {
                // A message without gaps is that of the object.
                if !otherwise.gaps.is_empty() {
                    let values = otherwise.gaps.iter().map(|gap| told(gap, variables).into());
                    groups.existing.insert((place, number), values.collect());
                }
            }
        }
        for (identity, place) in identities.iter().zip(0_u32..) {
            let Some(identity) = identity else {
                groups.add_alone(place);
                continue;
            };
            let same = known.entry(identity.clone()).or_insert_with(|| SameIdentity {
                group: groups.add_group(),
                described: None,
                is_outermost: false,
            });
            if !self.add(place, same, variables)? {
                return Err(several_objects(&identity.1));
            }
            groups.groups.push(same.group);
        }
        self.require_one_holder(&identities, &groups)?;
        for is_described in [true, false] {
            for (object, place) in self.table.iter().zip(0_u32..) {
                if object.new.is_some()
                    && object.identity.is_some()
                    && object.description.is_some() == is_described
                {
                    groups.add_creator(place);
                }
            }
        }
        Ok(Arc::new(groups))
    }

    /// Gives objects that share a further identifying value one identity; or the error of a value that
    /// identifies two objects.
    fn unite(
        &self,
        identities: &mut [Option<Identity<'_>>],
        variables: Variables<'_>,
    ) -> Result<(), SourceError> {
        let mut united: FxHashMap<Identity<'_>, Identity<'_>> = FxHashMap::default();
        for (object, identity) in self.table.iter().zip(identities.iter()) {
            let Some(identity) = identity else { continue };
            for further in &object.further {
                let Some(further) = value_of(further, variables)? else { continue };
                let value = further.1.clone();
                let other = united.entry(further).or_insert_with(|| identity.clone());
                if other != identity {
                    return Err(several_objects(&value));
                }
            }
        }
        for identity in identities.iter_mut().flatten() {
            if let Some(other) = united.get(identity) {
                *identity = other.clone();
            }
        }
        Ok(())
    }

    /// The error of an object that would hold the keys of two others in one field: of these, one would lose
    /// it.
    fn require_one_holder(
        &self,
        identities: &[Option<Identity<'_>>],
        groups: &IdentityGroups,
    ) -> Result<(), SourceError> {
        let mut held: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for ((object, identity), place) in self.table.iter().zip(identities).zip(0_u32..) {
            let (Some(identity), Some(holder)) = (identity, groups.group(place)) else { continue };
            for (field, target) in &object.held {
                let Some(target) = groups.group(*target) else { continue };
                if *held.entry((holder, *field)).or_insert(target) != target {
                    return Err(match object.has_key {
                        true => several_holders(&identity.1),
                        false => several_objects(&identity.1),
                    });
                }
            }
        }
        Ok(())
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
                Ok(true)
            }
            (None, _) => Ok(true),
        }
    }

    /// The keys, null for objects that are left out; or the error of an object that must exist, or
    /// must not.
    pub fn keys(
        &self,
        creators: &IdentityGroups,
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
        creators: &IdentityGroups,
        found: &mut FoundKeys<'_, impl KeyResults>,
    ) -> Result<Option<i64>, SourceError> {
        let Some(object) = self.table.get(place as usize) else { return Ok(None) };
        if is_left_out(object, found) {
            return Ok(None);
        }
        let mut existing = None;
        for (number, look_up) in object.found.iter().enumerate() {
            let Some(key) = found.find(*look_up) else { continue };
            if existing.is_some_and(|known| known != key) {
                let message = "The identifiers of an object are those of several objects.";
                return Err(SourceError::new(SourceErrorKind::Input, message));
            }
            if let Some(otherwise) = object.existing.get(number) {
                let values = creators.existing.get(&(place, number));
                let values = values.map_or(&[][..], Vec::as_slice);
                let message = message(otherwise, values, |text, value| text.push_str(value));
                return Err(SourceError::new(otherwise.kind.into(), message));
            }
            existing = Some(key);
        }
        // One within an object that exists is not part of the change.
        let creator = creators.of(place).iter().copied().find(|creator| {
            let creator = self.table.get(*creator as usize);
            creator.is_some_and(|creator| !is_left_out(creator, found))
        });
        let creator = creator.unwrap_or(place);
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

impl IdentityGroups {
    /// The objects that can be created for an object.
    fn of(&self, place: u32) -> &[u32] {
        let creators = self.group(place).and_then(|group| self.creators.get(group as usize));
        creators.map_or(&[], Vec::as_slice)
    }

    fn group(&self, place: u32) -> Option<u32> {
        self.groups.get(place as usize).copied()
    }

    fn add_group(&mut self) -> u32 {
        self.creators.push(Vec::new());
        u32::try_from(self.creators.len() - 1).unwrap_or(u32::MAX)
    }

    /// Adds an object without an identity.
    fn add_alone(&mut self, place: u32) {
        let group = self.add_group();
        self.groups.push(group);
        self.add_creator(place);
    }

    fn add_creator(&mut self, place: u32) {
        let group = self.groups.get(place as usize);
        if let Some(group) = group.and_then(|group| self.creators.get_mut(*group as usize)) {
            group.push(place);
        }
    }
}

/// Returns true if an object is within one that exists.
fn is_left_out(object: &ObjectSource, found: &mut FoundKeys<'_, impl KeyResults>) -> bool {
    object.unless.iter().any(|place| found.find(*place).is_some())
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

/// An identifying value as a text; `None` for null.
fn value_of<'v>(
    (number, operand): &(u32, Operand),
    variables: Variables<'_>,
) -> Result<Option<Identity<'v>>, SourceError> {
    let value = resolve(operand, variables)?;
    Ok(value.text().map(|text| (*number, Cow::Owned(text.into_owned()))))
}

fn several_objects(value: &str) -> SourceError {
    let message = format!("duplicate XID found: {value}");
    SourceError::new(SourceErrorKind::Input, message)
}

fn several_holders(key: &str) -> SourceError {
    let id = key.parse().map_or_else(|_| key.to_owned(), |key: i64| format!("{key:#x}"));
    let message = format!("The object {id} can be related to one of these objects only.");
    SourceError::new(SourceErrorKind::Input, message)
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
