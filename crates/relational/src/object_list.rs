//! Keys of objects that exist or are created, resolved from the rows of earlier levels.

use ir::{Otherwise, WhichObjects};
use response::LevelId;
use rustc_hash::FxHashMap;
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
    pub which: WhichObjects,
    pub each: Vec<Option<ObjectSource>>,
}

/// Origins of an object's key; see [`ir::ObjectKey`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectSource {
    pub found: Vec<ObjectPlace>,
    pub new: Option<ObjectPlace>,
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

/// The column of the key in rows of look-ups and of new keys.
const KEY: u16 = 0;

/// The column of the ordinal in rows of look-ups.
const ORDINAL: u16 = 1;

/// Keys that look-ups have found, by level and place.
struct Found<'r, R> {
    results: &'r R,
    levels: FxHashMap<LevelId, FxHashMap<i64, i64>>,
}

impl ObjectList {
    /// The keys, null for objects that are left out; or the error of an object that must exist, or
    /// must not.
    pub fn keys(&self, results: &impl KeyResults) -> Result<Vec<Option<i64>>, SourceError> {
        let mut found = Found { results, levels: FxHashMap::default() };
        let mut keys = Vec::with_capacity(self.each.len());
        for source in &self.each {
            let key = match source {
                None => None,
                Some(source) => self.key(source, &mut found)?,
            };
            keys.push(key);
        }
        Ok(keys)
    }

    fn key(
        &self,
        source: &ObjectSource,
        found: &mut Found<'_, impl KeyResults>,
    ) -> Result<Option<i64>, SourceError> {
        if source.unless.iter().any(|place| found.find(*place).is_some()) {
            return Ok(None);
        }
        let existing = source.found.iter().find_map(|place| found.find(*place));
        if let (Some(_), Some(otherwise)) = (existing, &source.existing) {
            return Err(refusal(otherwise));
        }
        let new =
            source.new.and_then(|new| found.results.integer(new.level, new.place as usize, KEY));
        if let (None, None, Some(otherwise)) = (existing, new, &source.missing) {
            return Err(refusal(otherwise));
        }
        Ok(match self.which {
            WhichObjects::All => existing.or(new),
            WhichObjects::New if existing.is_some() => None,
            WhichObjects::New => new,
            WhichObjects::Found => existing,
        })
    }
}

impl<R: KeyResults> Found<'_, R> {
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

fn refusal(otherwise: &Otherwise) -> SourceError {
    SourceError::new(SourceErrorKind::from(otherwise.kind), otherwise.message.clone())
}
