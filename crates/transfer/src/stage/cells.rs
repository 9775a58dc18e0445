//! Rows of CSV → facts. The first row has the names of fields.
//!
//! A cell without a text is no value. A cell of a field of objects has an id or a name, or a value of
//! the field behind the dot of its name (`author.name`); those of a list are separated by `;`. A
//! cell of a list of values is a list of JSON.

use serde_json::Value as Json;

use super::StageError;
use super::facts::{Content, Facts, Marks};
use super::objects::{Reference, add_reference, refer, refer_by_key};
use crate::mapping::{Holds, Target, TypeName};
use crate::read::Source;
use crate::value::Raw;

/// The meaning of the cells of a file.
pub(super) struct Header {
    object: usize,
    columns: Vec<Meaning>,
}

enum Meaning {
    /// The id of the object.
    Id,
    /// The member with this index.
    Value(usize),
    /// Objects, by an own unique field of theirs if one is named.
    Objects { member: usize, target: Target, key: Option<Box<str>> },
}

impl Header {
    /// Reads the first row.
    pub(super) fn read(
        facts: &Facts<'_>,
        source: &Source,
        row: &csv::ByteRecord,
    ) -> Result<Self, StageError> {
        let refused =
            |problem: String| StageError::Refused(format!("{}, line 1: {problem}", source.name));
        let name = source.r#type.as_deref().unwrap_or_default();
        let TypeName::Object(object) = facts.lookup.r#type(name) else {
            return Err(refused(format!(
                "`{name}` is no type of objects: name the file like one, or set `--type`"
            )));
        };
        let members = &facts.mapping.objects[object].members;
        let mut columns = Vec::with_capacity(row.len());
        for cell in row {
            let name = String::from_utf8_lossy(cell);
            let (field, key) = match name.split_once('.') {
                // The predicate of a field begins with the name of its type.
                Some(_) if facts.lookup.predicate(object, &name).is_some() => (&*name, None),
                Some((field, key)) => (field, Some(key)),
                None => (&*name, None),
            };
            let found = facts.lookup.field(object, field);
            let found = found.or_else(|| facts.lookup.predicate(object, field));
            columns.push(match (found, found.map(|member| members[member].holds)) {
                (Some(_), Some(Holds::Key)) => Meaning::Id,
                (Some(member), Some(Holds::Column(_))) if key.is_none() => Meaning::Value(member),
                (Some(member), Some(Holds::Objects { target, .. })) => {
                    Meaning::Objects { member, target, key: key.map(Into::into) }
                }
                (None, _) if field == "uid" => Meaning::Id,
                _ => return Err(refused(format!("no field has the name `{name}`"))),
            });
        }
        Ok(Self { object, columns })
    }
}

/// Reads a row.
pub(super) fn read(
    facts: &mut Facts<'_>,
    header: &Header,
    row: &csv::ByteRecord,
) -> Result<(), StageError> {
    // An empty line.
    if row.len() == 1 && row.as_slice().is_empty() {
        return Ok(());
    }
    if row.len() != header.columns.len() {
        return facts.reject(&format!("{} cells are expected", header.columns.len()));
    }
    let Ok(row) = csv::StringRecord::from_byte_record(row.clone()) else {
        return facts.reject("the row is not UTF-8");
    };
    let mapping = facts.mapping;
    let object = &mapping.objects[header.object];
    let cells = || header.columns.iter().zip(&row).filter(|(_, cell)| !cell.is_empty());
    let marks = Marks { is_strict: true, is_weak: false, needs_references: true };
    let id = cells().find(|(meaning, _)| matches!(meaning, Meaning::Id));
    let subject = match id {
        Some((_, id)) => match facts.subject_of(header.object, id)? {
            Some(subject) => subject,
            None => return facts.reject("an id is between 1 and 2^62"),
        },
        None => facts.nameless()?,
    };
    facts.add_type(subject, &object.name, marks)?;
    for (meaning, cell) in cells() {
        match meaning {
            Meaning::Id => {}
            Meaning::Value(member) => {
                let member = &object.members[*member];
                if member.is_list && cell.starts_with('[') {
                    add_list(facts, (subject, &member.predicate), cell, marks)?;
                } else {
                    let content = Content::Value(Raw::Text(cell));
                    facts.add(subject, &member.predicate, content, marks)?;
                }
            }
            Meaning::Objects { member, target, key } => {
                let member = &object.members[*member];
                let names = cell.split(|letter| letter == ';' && member.is_list);
                for name in names.map(str::trim).filter(|name| !name.is_empty()) {
                    let reference = match (key, target) {
                        (Some(key), Target::Object(object)) => {
                            refer_by_key(facts, *object, key, name)
                        }
                        (Some(_), Target::Group(_)) => {
                            Reference::Refused("the objects are of several types".into())
                        }
                        (None, target) => refer(facts, *target, name)?,
                    };
                    add_reference(facts, subject, &member.predicate, &reference, marks)?;
                }
            }
        }
    }
    Ok(())
}

fn add_list(
    facts: &mut Facts<'_>,
    (subject, predicate): (u64, &str),
    cell: &str,
    marks: Marks,
) -> Result<(), StageError> {
    let Ok(Json::Array(items)) = serde_json::from_str(cell) else {
        return facts.reject("a list of JSON is expected");
    };
    if items.is_empty() {
        facts.add(subject, predicate, Content::Value(Raw::EmptyList), marks)?;
    }
    for item in items {
        let text = item.to_string();
        let raw = match &item {
            Json::String(text) => Raw::Text(text),
            Json::Bool(value) => Raw::Boolean(*value),
            Json::Number(_) => Raw::Number(&text),
            Json::Null | Json::Array(_) | Json::Object(_) => Raw::Json(&text),
        };
        facts.add(subject, predicate, Content::Value(raw), marks)?;
    }
    Ok(())
}
