//! The facts of each subject → the values of a row, and links to other objects.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustc_hash::FxHashMap;
use storage::tables::{Column, ColumnType, Side};

use super::StageError;
use super::facts::{Content, Fact, Read, written};
use super::keys::{Definition, Keys};
use super::report::Origin;
use crate::mapping::{Holds, Mapping, ObjectType, TypeName};
use crate::spill::Sorter;
use crate::value::{Value, convert};

/// Rows without their links.
pub(super) struct Assembled {
    pub(super) nodes: PathBuf,
    pub(super) rows: PathBuf,
    pub(super) links: Sorter,
    pub(super) keys: Keys,
    /// Objects that are rejected, with the reason. Their links are rejected by the next stage.
    pub(super) rejected: FxHashMap<u64, Rc<str>>,
}

/// A row without its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) id: u64,
    pub(super) object: usize,
    /// The values of the files that it has.
    pub(super) values: u32,
    /// Whether it is rejected without a required reference.
    pub(super) needs_references: bool,
}

/// Bytes of a node in its file.
pub(super) const NODE: usize = 15;

/// A reference of an object to another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) relation: usize,
    /// The end at which the referring object is.
    pub(super) side: Side,
    pub(super) is_strict: bool,
    pub(super) from: u64,
    pub(super) origin: Origin,
}

struct Assembler<'a> {
    mapping: &'a Mapping,
    read: &'a Read,
    /// The member of each word, by the object.
    members: Vec<Vec<Option<usize>>>,
    types: Vec<TypeName>,
    nodes: BufWriter<File>,
    rows: BufWriter<File>,
    links: Sorter,
    keys: Keys,
    rejected: FxHashMap<u64, Rc<str>>,
    group: Group,
    buffer: Vec<u8>,
}

/// The facts of one subject, without its references.
#[derive(Default)]
struct Group {
    subject: u64,
    object: Option<usize>,
    /// The reason why the object is rejected.
    failure: Option<Rc<str>>,
    /// The reason if no type is known.
    untyped: Option<Rc<str>>,
    is_weak: bool,
    /// True if a record is the whole object.
    is_strict: bool,
    needs_references: bool,
    first: Option<Origin>,
    values: Vec<Value>,
    /// Of values that are counted.
    origins: Vec<Origin>,
}

/// Makes rows of the facts.
pub(super) fn assemble(
    mapping: &Mapping,
    read: &Read,
    folder: &Path,
    memory: usize,
) -> Result<Assembled, StageError> {
    let (nodes, rows) = (folder.join("nodes"), folder.join("values"));
    let create =
        |path: &Path| File::create(path).map(|file| BufWriter::with_capacity(1 << 20, file));
    let member = |object: usize| {
        let words = read.words.iter();
        words.map(|word| read.lookup.predicate(object, word)).collect()
    };
    let mut assembler = Assembler {
        mapping,
        read,
        members: (0..mapping.objects.len()).map(member).collect(),
        types: read.words.iter().map(|word| read.lookup.r#type(word)).collect(),
        nodes: create(&nodes)?,
        rows: create(&rows)?,
        links: Sorter::new(folder, "links").limit(memory),
        keys: Keys::new(mapping, &read.spaces, folder, memory),
        rejected: FxHashMap::default(),
        group: Group::default(),
        buffer: Vec::new(),
    };
    let mut entries = read.facts.entries()?;
    let mut is_first = true;
    while let Some(((subject, _), payload)) = entries.next_entry()? {
        let Some(fact) = Fact::read(payload) else { return Err(broken()) };
        if is_first || subject != assembler.group.subject {
            if !is_first {
                assembler.finish()?;
            }
            is_first = false;
            assembler.group = Group { subject, is_weak: true, ..Group::default() };
        }
        assembler.add(&fact)?;
    }
    if !is_first {
        assembler.finish()?;
    }
    assembler.nodes.flush()?;
    assembler.rows.flush()?;
    let Assembler { links, keys, rejected, .. } = assembler;
    Ok(Assembled { nodes, rows, links, keys, rejected })
}

/// A file of the import is not as it was written.
pub(super) fn broken() -> StageError {
    StageError::Changed
}

impl Assembler<'_> {
    fn add(&mut self, fact: &Fact<'_>) -> Result<(), StageError> {
        self.group.is_weak &= fact.is_weak;
        self.group.is_strict |= fact.is_strict;
        self.group.needs_references |= fact.needs_references;
        self.group.first.get_or_insert(fact.origin);
        if matches!(fact.content, Content::Type) {
            return self.add_type(fact);
        }
        let Some(object) = self.group.object.filter(|_| !self.group.is_ambiguous()) else {
            let reason = self.group.reason();
            self.group.failure = Some(reason.clone());
            return self.reject(fact.origin, &reason);
        };
        let word = usize::try_from(fact.word).unwrap_or(usize::MAX);
        let member = self.members[object].get(word).copied().flatten();
        let Some(member) = member else {
            let name = &self.mapping.objects[object].name;
            let reason =
                format!("{name} has no field with the predicate `{}`", self.read.words[word]);
            return self.reject(fact.origin, &reason);
        };
        let member = &self.mapping.objects[object].members[member];
        match (fact.content, member.holds) {
            (Content::Object(to), Holds::Objects { relation, side, .. }) => {
                let (is_strict, from) = (fact.is_strict, self.group.subject);
                let link = Link { relation, side, is_strict, from, origin: fact.origin };
                Ok(self.links.push((to, from), &link.written())?)
            }
            (Content::Key(space, value), Holds::Objects { relation, side, .. }) => {
                let (is_strict, from) = (fact.is_strict, self.group.subject);
                let link = Link { relation, side, is_strict, from, origin: fact.origin };
                Ok(self.keys.refer(space, value, &link)?)
            }
            (Content::Value(raw), Holds::Column(index)) => {
                let table = &self.mapping.tables.tables[self.mapping.objects[object].table];
                let column = &table.columns[index];
                let added = match raw {
                    crate::value::Raw::EmptyList if column.is_list => Ok(Value::List(Vec::new())),
                    raw => convert(raw, &column.r#type).map_err(|refused| refused.to_string()),
                };
                match added.and_then(|value| self.group.set(index, value, column)) {
                    Ok(()) => {
                        self.group.origins.push(fact.origin);
                        Ok(())
                    }
                    Err(reason) => {
                        let reason = format!("{}: {reason}", member.field);
                        if fact.is_strict {
                            self.group.failure.get_or_insert_with(|| reason.as_str().into());
                        }
                        self.reject(fact.origin, &reason)
                    }
                }
            }
            _ => self.reject(fact.origin, &format!("`{}` has another kind of value", member.field)),
        }
    }

    fn add_type(&mut self, fact: &Fact<'_>) -> Result<(), StageError> {
        let word = usize::try_from(fact.word).unwrap_or(usize::MAX);
        match self.types[word] {
            TypeName::Group | TypeName::Internal => {}
            TypeName::Object(object) => match self.group.object {
                Some(known) if known != object => {
                    let (one, other) =
                        (&self.mapping.objects[known].name, &self.mapping.objects[object].name);
                    let reason = format!("the object is of two types, {one} and {other}");
                    self.group.failure = Some(reason.into());
                }
                Some(_) => {}
                None => {
                    self.group.object = Some(object);
                    let columns = self.mapping.tables.tables[self.mapping.objects[object].table]
                        .columns
                        .len();
                    self.group.values = vec![Value::Null; columns];
                }
            },
            TypeName::Unknown => {
                let reason = format!("there is no type `{}`", self.read.words[word]);
                self.group.untyped = Some(reason.as_str().into());
                return self.reject(fact.origin, &reason);
            }
        }
        self.group.origins.push(fact.origin);
        Ok(())
    }

    fn reject(&self, origin: Origin, reason: &str) -> Result<(), StageError> {
        self.read.rejections.borrow_mut().reject(origin, reason, 1)
    }

    /// Ends a subject: its row is written, or its values are rejected.
    fn finish(&mut self) -> Result<(), StageError> {
        let mut group = std::mem::take(&mut self.group);
        let object = group.object;
        if let (Some(object), false) = (object, group.is_strict) {
            self.add_empty_lists(&self.mapping.objects[object], &mut group);
        }
        let mut failure = group.failure.clone();
        if object.is_none() && failure.is_none() {
            failure = Some(group.reason());
        }
        let missing = object.and_then(|object| self.missing(&self.mapping.objects[object], &group));
        let is_incomplete = missing.is_some();
        if failure.is_none() && !group.is_weak {
            failure = missing;
        }
        let (Some(object), None) = (object, &failure) else {
            let reason = failure.unwrap_or_else(|| group.reason());
            for origin in &group.origins {
                self.reject(*origin, &reason)?;
            }
            self.rejected.insert(group.subject, reason);
            return Ok(());
        };
        let r#type = &self.mapping.objects[object];
        let origin = group.first.unwrap_or(Origin::from_number(0));
        let definition =
            Definition { id: group.subject, object, is_weak: group.is_weak, is_incomplete, origin };
        self.keys.define(&definition, r#type, &group.values)?;
        let values = u32::try_from(group.origins.len()).unwrap_or(u32::MAX);
        let needs_references = group.needs_references;
        let node = Node { id: group.subject, object, values, needs_references };
        self.nodes.write_all(&node.written())?;
        self.buffer.clear();
        for value in &group.values {
            value.write(&mut self.buffer);
        }
        self.rows.write_all(&u32::try_from(self.buffer.len()).unwrap_or(u32::MAX).to_le_bytes())?;
        self.rows.write_all(&self.buffer)?;
        Ok(())
    }

    /// Adds required lists without elements, for which there are no triples.
    fn add_empty_lists(&self, r#type: &ObjectType, group: &mut Group) {
        let columns = &self.mapping.tables.tables[r#type.table].columns;
        for member in &r#type.members {
            if let Holds::Column(index) = member.holds
                && columns[index].is_required
                && member.is_list
                && group.values[index] == Value::Null
            {
                group.values[index] = Value::List(Vec::new());
            }
        }
    }

    /// The reason if a required value is missing.
    fn missing(&self, r#type: &ObjectType, group: &Group) -> Option<Rc<str>> {
        let columns = &self.mapping.tables.tables[r#type.table].columns;
        let missing = r#type.members.iter().find(|member| match member.holds {
            Holds::Column(column) => {
                columns[column].is_required && group.values[column] == Value::Null
            }
            Holds::Key | Holds::Objects { .. } => false,
        })?;
        Some(format!("{}.{} is required, and has no value", r#type.name, missing.field).into())
    }
}

impl Group {
    /// Returns true if the object has types that contradict each other.
    fn is_ambiguous(&self) -> bool {
        self.failure.as_deref().is_some_and(|failure| failure.starts_with("the object is of two"))
    }

    /// The reason why the object has no table.
    fn reason(&self) -> Rc<str> {
        let reason = self.failure.clone().or_else(|| self.untyped.clone());
        reason.unwrap_or_else(|| "the object has no type: no `dgraph.type` names one".into())
    }

    /// Sets a value, or adds it to a list.
    fn set(&mut self, index: usize, value: Value, column: &Column) -> Result<(), String> {
        let known = &mut self.values[index];
        match (column.is_list, known) {
            (true, known @ Value::Null) => {
                *known = match value {
                    Value::List(items) if column.r#type != ColumnType::Vector => Value::List(items),
                    value => Value::List(vec![value]),
                };
            }
            (true, Value::List(items)) => match value {
                Value::List(more) => items.extend(more),
                value => items.push(value),
            },
            (false, known @ Value::Null) => *known = value,
            (false, known) if *known == value => {}
            (_, _) => return Err("there is another value already".into()),
        }
        Ok(())
    }
}

impl Node {
    fn written(self) -> [u8; NODE] {
        let mut bytes = [0; NODE];
        bytes[..8].copy_from_slice(&self.id.to_le_bytes());
        bytes[8..10].copy_from_slice(&u16::try_from(self.object).unwrap_or(u16::MAX).to_le_bytes());
        bytes[10..14].copy_from_slice(&self.values.to_le_bytes());
        bytes[14] = u8::from(self.needs_references);
        bytes
    }

    pub(super) fn read(bytes: &[u8; NODE]) -> Option<Self> {
        let (id, rest) = bytes.split_first_chunk()?;
        let (object, rest) = rest.split_first_chunk()?;
        let (values, rest) = rest.split_first_chunk()?;
        Some(Self {
            id: u64::from_le_bytes(*id),
            object: usize::from(u16::from_le_bytes(*object)),
            values: u32::from_le_bytes(*values),
            needs_references: *rest.first()? != 0,
        })
    }
}

impl Link {
    pub(super) fn written(&self) -> [u8; 21] {
        let mut bytes = [0; 21];
        let relation = u32::try_from(self.relation).unwrap_or(u32::MAX);
        bytes[..4].copy_from_slice(&relation.to_le_bytes());
        bytes[4] = u8::from(self.side == Side::Far) | u8::from(self.is_strict) << 1;
        bytes[5..13].copy_from_slice(&self.from.to_le_bytes());
        bytes[13..].copy_from_slice(&self.origin.number().to_le_bytes());
        bytes
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (relation, rest) = bytes.split_first_chunk()?;
        let (marks, rest) = rest.split_first()?;
        let (from, rest) = rest.split_first_chunk()?;
        Some(Self {
            relation: usize::try_from(u32::from_le_bytes(*relation)).ok()?,
            side: if marks & 1 == 0 { Side::Near } else { Side::Far },
            is_strict: marks & 2 != 0,
            from: u64::from_le_bytes(*from),
            origin: Origin::from_number(u64::from_le_bytes(*rest.first_chunk()?)),
        })
    }
}

/// A value of a unique column, as references have it.
pub(super) fn key_of(values: &[Value], column: usize) -> Option<Vec<u8>> {
    match values.get(column)? {
        Value::Null => None,
        value => Some(written(value)),
    }
}
