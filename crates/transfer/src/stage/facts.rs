//! Values with their subjects, sorted by the subjects.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::report::{Counts, Origin, Rejections};
use super::{Ids, Settings, StageError};
use crate::mapping::{Lookup, Mapping, TypeName, is_internal};
use crate::read::Name;
use crate::spill::{Names, Sorted, Sorter};
use crate::value::{Raw, Value};

/// The name of the runs of facts.
pub(super) const NAME: &str = "facts";

/// Marks ids of objects that get a new one. They are beyond all ids of files.
pub(super) const NEW: u64 = 1 << 62;

/// Marks ids that are new and have a number in their space: `7` in a table. They come after those of
/// names, by the space and by the number.
const NUMBERED: u64 = 1 << 61;

/// Bits of such a number. Larger ones are names.
const NUMBER_BITS: u32 = 40;

/// Marks keys of values, which come after the types of their subject.
const VALUE: u64 = 1 << 63;

/// The spaces of names: those of the whole import, ids of Dgraph, then one for the ids and one for
/// the unique values of each type.
const BLANK: u32 = 0;
const UIDS: u32 = 1;
const FIRST_TYPE: u32 = 2;

/// Reasons for which values are skipped.
pub(super) const INTERNAL: &str = "of Dgraph's own types and predicates";
pub(super) const FACETS: &str = "facets";
pub(super) const NAMESPACE: &str = "of other namespaces";

/// Where the values of files go.
pub(super) struct Facts<'m> {
    pub(super) mapping: &'m Mapping,
    pub(super) lookup: Lookup,
    pub(super) settings: &'m Settings,
    pub(super) spaces: Vec<(usize, usize)>,
    pub(super) names: Names,
    pub(super) sorter: Sorter,
    pub(super) words: Words,
    pub(super) counts: Counts,
    pub(super) rejections: Rejections,
    pub(super) next: u64,
    /// New objects without a name.
    pub(super) nameless: u64,
    pub(super) largest: u64,
    /// The largest number of each space.
    pub(super) numbered: BTreeMap<u64, u64>,
    file: u64,
    record: u64,
}

/// Numbers of types and predicates.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) texts: Vec<Box<str>>,
    numbers: FxHashMap<Box<str>, u32>,
}

/// All facts of the files.
pub(super) struct Read {
    pub(super) lookup: Lookup,
    pub(super) spaces: Vec<(usize, usize)>,
    pub(super) facts: Sorted,
    pub(super) words: Vec<Box<str>>,
    pub(super) counts: Counts,
    pub(super) rejections: std::cell::RefCell<Rejections>,
    /// The largest id of the files.
    pub(super) largest: u64,
    pub(super) new_ids: NewIds,
}

/// Ids of new objects, dense but for numbers that the files leave out.
#[derive(Clone, Debug, Default)]
pub(super) struct NewIds {
    /// The number of names.
    names: u64,
    /// Of each space with numbers: what is added to a number.
    spaces: BTreeMap<u64, u64>,
    /// The number of all ids.
    pub(super) count: u64,
}

/// A fact about a subject.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact<'f> {
    pub(super) word: u32,
    pub(super) origin: Origin,
    /// True if the record is a whole object, which is rejected with the value.
    pub(super) is_strict: bool,
    /// True if the object only refers to another one, which may be there.
    pub(super) is_weak: bool,
    /// As of [`Marks::needs_references`].
    pub(super) needs_references: bool,
    pub(super) content: Content<'f>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Content<'f> {
    /// The word is the type.
    Type,
    Value(Raw<'f>),
    /// An object by its id.
    Object(u64),
    /// An object by a unique value: the space, and the value as [`Value::write`] has it.
    Key(u32, &'f [u8]),
}

/// Marks of a fact.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    pub(super) is_strict: bool,
    pub(super) is_weak: bool,
    /// True if an object without a required reference is a mistake. In exports it is one whose other
    /// object was deleted.
    pub(super) needs_references: bool,
}

const STRICT: u8 = 0x10;
const WEAK: u8 = 0x20;
const NEEDS_REFERENCES: u8 = 0x40;

impl<'m> Facts<'m> {
    /// Begins in an empty folder.
    pub(super) fn begin(
        mapping: &'m Mapping,
        settings: &'m Settings,
        folder: &Path,
    ) -> io::Result<Self> {
        let sorter = Sorter::resumable(folder, NAME, &[], settings.memory);
        Ok(Self::new(mapping, settings, Names::new(folder)?, sorter))
    }

    pub(super) fn new(
        mapping: &'m Mapping,
        settings: &'m Settings,
        names: Names,
        sorter: Sorter,
    ) -> Self {
        Self {
            mapping,
            lookup: Lookup::new(mapping),
            settings,
            spaces: mapping.key_spaces(),
            names,
            sorter,
            words: Words::default(),
            counts: Counts::default(),
            rejections: Rejections::new(settings.most_rejected),
            next: 0,
            nameless: 0,
            largest: 0,
            numbered: BTreeMap::new(),
            file: 0,
            record: 0,
        }
    }

    pub(super) fn begin_file(&mut self, index: usize) -> Result<(), StageError> {
        let too_many = |_| StageError::Refused("more than 65,535 files".into());
        self.file = u64::from(u16::try_from(index).map_err(too_many)?);
        Ok(())
    }

    pub(super) fn begin_record(&mut self, number: u64) {
        self.record = number;
    }

    fn origin(&self) -> Origin {
        Origin::new(self.file, self.record)
    }

    /// Rejects a value that was read.
    pub(super) fn reject(&mut self, reason: &str) -> Result<(), StageError> {
        self.counts.read += 1;
        self.rejections.reject(self.origin(), reason, 1)
    }

    /// Rejects a record of which no value was read.
    pub(super) fn reject_record(&mut self, reason: &str) -> Result<(), StageError> {
        self.reject(reason)
    }

    pub(super) fn skip(&mut self, reason: &'static str, values: u64) {
        self.counts.read += values;
        if values > 0 {
            *self.counts.skipped.entry(reason).or_default() += values;
        }
    }

    /// The id of an object by its name. Ids of files are those of objects, or names of new ones.
    pub(super) fn subject(&mut self, name: Name<'_>) -> io::Result<Option<u64>> {
        match (name, self.settings.ids) {
            (Name::Uid(0 | NEW..), _) => Ok(None),
            (Name::Uid(uid), Ids::Keep) => {
                self.largest = self.largest.max(uid);
                Ok(Some(uid))
            }
            (Name::Uid(uid), Ids::New) => self.numbered(UIDS, uid).map(Some),
            (Name::Blank(text), _) => self.new_id(BLANK, text.as_bytes()).map(Some),
        }
    }

    /// The id of an object of a type by an id that no other object of its type has.
    pub(super) fn subject_of(&mut self, object: usize, id: &str) -> io::Result<Option<u64>> {
        let is_global = id.starts_with("_:") || id.starts_with("0x");
        match Name::new(id) {
            Name::Uid(number) if self.settings.ids == Ids::New && !is_global => {
                self.numbered(space_of_ids(object), number).map(Some)
            }
            Name::Blank(text) if !is_global => {
                self.new_id(space_of_ids(object), text.as_bytes()).map(Some)
            }
            name => self.subject(name),
        }
    }

    /// The id of a new object by its unique value.
    pub(super) fn subject_by_key(&mut self, space: u32, value: &[u8]) -> io::Result<u64> {
        let types = u32::try_from(self.mapping.objects.len()).unwrap_or_default();
        self.new_id(FIRST_TYPE + types + space, value)
    }

    /// The id of a new object without a name.
    pub(super) fn nameless(&mut self) -> io::Result<u64> {
        self.nameless += 1;
        self.new_id(u32::MAX, &self.nameless.to_le_bytes())
    }

    /// The id of a new object by a number in a space.
    fn numbered(&mut self, space: u32, number: u64) -> io::Result<u64> {
        let is_small = number >> NUMBER_BITS == 0 && u64::from(space) >> (61 - NUMBER_BITS) == 0;
        if !is_small {
            return self.new_id(space, &number.to_le_bytes());
        }
        let space = u64::from(space);
        let largest = self.numbered.entry(space).or_default();
        *largest = number.max(*largest);
        Ok(NEW | NUMBERED | space << NUMBER_BITS | number)
    }

    fn new_id(&mut self, space: u32, name: &[u8]) -> io::Result<u64> {
        Ok(NEW | self.names.number(space, name)?)
    }

    /// Adds the type of an object.
    pub(super) fn add_type(&mut self, subject: u64, name: &str, marks: Marks) -> io::Result<()> {
        match self.lookup.r#type(name) {
            TypeName::Internal => {
                self.skip(INTERNAL, 1);
                Ok(())
            }
            TypeName::Object(_) | TypeName::Group | TypeName::Unknown => {
                let word = self.words.number(name);
                self.push(subject, (word, marks), Content::Type)
            }
        }
    }

    /// Adds a value of a predicate that some type has.
    pub(super) fn add(
        &mut self,
        subject: u64,
        predicate: &str,
        content: Content<'_>,
        marks: Marks,
    ) -> io::Result<()> {
        let word = self.words.number(predicate);
        self.push(subject, (word, marks), content)
    }

    /// Skips or rejects a predicate that no type has.
    pub(super) fn unknown(&mut self, predicate: &str) -> Result<(), StageError> {
        match is_internal(predicate) {
            true => self.skip(INTERNAL, 1),
            false => self.reject(&format!("no field has the predicate `{predicate}`"))?,
        }
        Ok(())
    }

    fn push(
        &mut self,
        subject: u64,
        (word, marks): (u32, Marks),
        content: Content<'_>,
    ) -> io::Result<()> {
        self.counts.read += 1;
        self.next += 1;
        let mut payload = Vec::with_capacity(64);
        let (kind, data): (u8, &[u8]) = match &content {
            Content::Type => (0, &[]),
            Content::Value(Raw::Text(text)) => (1, text.as_bytes()),
            Content::Value(Raw::Number(text)) => (2, text.as_bytes()),
            Content::Value(Raw::Boolean(true)) => (3, &[]),
            Content::Value(Raw::Boolean(false)) => (4, &[]),
            Content::Value(Raw::Json(text)) => (5, text.as_bytes()),
            Content::Value(Raw::EmptyList) => (6, &[]),
            Content::Object(id) => (7, &id.to_le_bytes()),
            Content::Key(_, value) => (8, value),
        };
        let strict = if marks.is_strict { STRICT } else { 0 };
        let weak = if marks.is_weak { WEAK } else { 0 };
        let needs_references = if marks.needs_references { NEEDS_REFERENCES } else { 0 };
        payload.push(kind | strict | weak | needs_references);
        payload.extend_from_slice(&word.to_le_bytes());
        payload.extend_from_slice(&self.origin().number().to_le_bytes());
        if let Content::Key(space, _) = content {
            payload.extend_from_slice(&space.to_le_bytes());
        }
        payload.extend_from_slice(data);
        let after_types = if kind == 0 { 0 } else { VALUE };
        self.sorter.push((subject, after_types | self.next), &payload)
    }

    /// Sorts the facts.
    pub(super) fn finish(self) -> io::Result<Read> {
        let Self { lookup, spaces, names, sorter, words, counts, rejections, largest, .. } = self;
        let mut new_ids = NewIds { names: names.count(), ..NewIds::default() };
        new_ids.count = new_ids.names;
        for (space, largest) in self.numbered {
            new_ids.spaces.insert(space, new_ids.count);
            new_ids.count += largest + 1;
        }
        Ok(Read {
            lookup,
            spaces,
            facts: sorter.finish()?,
            words: words.texts,
            counts,
            rejections: std::cell::RefCell::new(rejections),
            largest,
            new_ids,
        })
    }
}

impl NewIds {
    /// The number of a new object among all, from 0.
    pub(super) fn number(&self, id: u64) -> u64 {
        let id = id & !NEW;
        if id & NUMBERED == 0 {
            return id;
        }
        let (space, number) = ((id & !NUMBERED) >> NUMBER_BITS, id & ((1 << NUMBER_BITS) - 1));
        self.spaces.get(&space).copied().unwrap_or_default() + number
    }
}

impl<'f> Fact<'f> {
    /// Reads what was written. Only bytes of the import's own files are read.
    pub(super) fn read(payload: &'f [u8]) -> Option<Self> {
        let (head, rest) = payload.split_first()?;
        let (word, rest) = rest.split_first_chunk()?;
        let (origin, rest) = rest.split_first_chunk()?;
        let text = || std::str::from_utf8(rest).ok();
        let content = match head & 0x0f {
            0 => Content::Type,
            1 => Content::Value(Raw::Text(text()?)),
            2 => Content::Value(Raw::Number(text()?)),
            3 => Content::Value(Raw::Boolean(true)),
            4 => Content::Value(Raw::Boolean(false)),
            5 => Content::Value(Raw::Json(text()?)),
            6 => Content::Value(Raw::EmptyList),
            7 => Content::Object(u64::from_le_bytes(*rest.first_chunk()?)),
            8 => {
                let (space, value) = rest.split_first_chunk()?;
                Content::Key(u32::from_le_bytes(*space), value)
            }
            _ => return None,
        };
        Some(Self {
            word: u32::from_le_bytes(*word),
            origin: Origin::from_number(u64::from_le_bytes(*origin)),
            is_strict: head & STRICT != 0,
            is_weak: head & WEAK != 0,
            needs_references: head & NEEDS_REFERENCES != 0,
            content,
        })
    }
}

impl Words {
    pub(super) fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.texts.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }
}

/// The value of a key as its references have it.
pub(super) fn written(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.write(&mut bytes);
    bytes
}

fn space_of_ids(object: usize) -> u32 {
    FIRST_TYPE + u32::try_from(object).unwrap_or_default()
}
