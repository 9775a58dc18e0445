//! Objects of JSON → facts.
//!
//! An object has predicates, as exports of Dgraph have them, or the names of the fields of its type,
//! which `dgraph.type`, `__typename` or `type` names, or the field that holds it. An object within
//! another is an object of its own, to which the outer one refers.

use std::io;

use serde_json::{Map, Value as Json};
use storage::tables::ColumnType;

use super::StageError;
use super::facts::{Content, FACETS, Facts, INTERNAL, Marks, NAMESPACE, written};
use super::rdf::TYPE;
use crate::mapping::{Holds, Target, TypeName, is_internal};
use crate::read::{Name, uid};
use crate::value::{Raw, convert};

/// Members that say something about the object, and are no values of it.
const UID: &str = "uid";
const LABEL: &str = "namespace";
const TYPE_NAMES: [&str; 3] = [TYPE, "__typename", "type"];

/// The mark of facets: `friend|since`.
const FACET: char = '|';

/// An object to which another one refers.
pub(super) enum Reference {
    Object(u64),
    /// The space, and the value.
    Key(u32, Vec<u8>),
    Refused(String),
}

/// Reads the object of a record.
pub(super) fn read(
    facts: &mut Facts<'_>,
    record: &[u8],
    r#type: Option<&str>,
) -> Result<(), StageError> {
    match serde_json::from_slice(record) {
        Ok(Json::Object(object)) => {
            let expected = r#type.map(|name| facts.lookup.r#type(name));
            let expected = match expected {
                Some(TypeName::Object(object)) => Some(Target::Object(object)),
                _ => None,
            };
            match read_object(facts, &object, expected)? {
                Reference::Refused(reason) => facts.reject(&reason),
                Reference::Object(_) | Reference::Key(..) => Ok(()),
            }
        }
        Ok(_) => facts.reject("an object is expected"),
        Err(error) => facts.reject(&format!("this is not JSON: {error}")),
    }
}

/// Reads an object. Objects that only name another one have no facts of their own.
fn read_object(
    facts: &mut Facts<'_>,
    object: &Map<String, Json>,
    expected: Option<Target>,
) -> Result<Reference, StageError> {
    let namespace = object.get(LABEL).and_then(number_of);
    if namespace.is_some_and(|own| own != facts.settings.namespace) {
        let members = object.keys().filter(|key| *key != UID && *key != LABEL).count();
        facts.skip(NAMESPACE, members as u64);
        return Ok(Reference::Object(0));
    }
    let (marker, names) = type_names(facts, object);
    let named = names.iter().find_map(|name| match facts.lookup.r#type(name) {
        TypeName::Object(object) => Some(object),
        TypeName::Group | TypeName::Internal | TypeName::Unknown => None,
    });
    let own = named.or(match expected {
        Some(Target::Object(object)) => Some(object),
        Some(Target::Group(_)) | None => None,
    });
    let identity = own.and_then(|own| {
        let mut members = facts.mapping.objects[own].members.iter();
        members.find(|member| member.holds == Holds::Key).map(|member| member.field.clone())
    });
    let is_identity = |key: &str| key == UID || identity.as_deref() == Some(key);
    let is_value = |key: &str| key != LABEL && Some(key) != marker && !is_identity(key);
    let values = || object.iter().filter(|(key, value)| is_value(key) && !value.is_null());
    let subject = match find_subject(facts, object, (own, identity.as_deref()))? {
        Ok(subject) => subject,
        Err(reason) => return Ok(Reference::Refused(reason)),
    };
    let is_only_named = values().next().is_none() && marker.is_none();
    if let Subject::Named(id) = subject
        && is_only_named
    {
        return Ok(Reference::Object(id));
    }
    let (id, key) = match subject {
        Subject::Named(id) => (id, None),
        Subject::Keyed(id, space, value) => (id, Some((space, value))),
        Subject::Nameless => (facts.nameless()?, None),
    };
    let is_weak =
        key.is_some() && own.is_some_and(|own| values().all(|(name, _)| is_key(facts, own, name)));
    // A record with a type only may be one of several of an object, as in exports of Dgraph.
    let is_strict = own.is_some() && object.keys().any(|key| is_value(key));
    // Exports have the type as a predicate.
    let needs_references = is_strict && marker != Some(TYPE);
    let marks = Marks { is_strict, is_weak, needs_references };
    for name in &names {
        facts.add_type(id, name, marks)?;
    }
    if let (Some(own), None) = (own, named) {
        let name = facts.mapping.objects[own].name.clone();
        facts.add_type(id, &name, marks)?;
    }
    for (name, value) in values() {
        add_member(facts, (id, own), name, value, marks)?;
    }
    Ok(match key {
        Some((space, value)) => Reference::Key(space, value),
        None => Reference::Object(id),
    })
}

enum Subject {
    Named(u64),
    /// Named by a unique value: its space, and the value.
    Keyed(u64, u32, Vec<u8>),
    Nameless,
}

/// The object that the members of an object name, or the reason why they name none.
fn find_subject(
    facts: &mut Facts<'_>,
    object: &Map<String, Json>,
    (own, identity): (Option<usize>, Option<&str>),
) -> Result<Result<Subject, String>, StageError> {
    let malformed = || Ok(Err("an id is `\"0x2a\"`, or a name such as `\"_:a\"`".to_owned()));
    let id = identity.and_then(|identity| object.get(identity));
    let id = id.or_else(|| object.get(UID)).filter(|id| !id.is_null());
    if let Some(id) = id {
        let text = match id {
            Json::String(text) => text.clone(),
            Json::Number(number) => number.to_string(),
            _ => return malformed(),
        };
        let is_uid = object.get(UID) == Some(id);
        let found = match own {
            Some(own) if !is_uid => facts.subject_of(own, &text)?,
            _ => facts.subject(Name::new(&text))?,
        };
        return match found {
            Some(found) if !text.is_empty() => Ok(Ok(Subject::Named(found))),
            _ => malformed(),
        };
    }
    let Some(own) = own else { return Ok(Ok(Subject::Nameless)) };
    for (name, value) in object {
        let Some((space, column)) = key_of(facts, own, name) else { continue };
        let text = value.to_string();
        let raw = raw(value, &text);
        if let Ok(value) = convert(raw, &column) {
            let bytes = written(&value);
            let id = facts.subject_by_key(space, &bytes)?;
            return Ok(Ok(Subject::Keyed(id, space, bytes)));
        }
    }
    Ok(Ok(Subject::Nameless))
}

/// The member that names types, and the names.
fn type_names<'o>(
    facts: &Facts<'_>,
    object: &'o Map<String, Json>,
) -> (Option<&'static str>, Vec<&'o str>) {
    for marker in TYPE_NAMES {
        let Some(value) = object.get(marker) else { continue };
        let names: Vec<&str> = match value {
            Json::String(name) => vec![name],
            Json::Array(names) => names.iter().filter_map(Json::as_str).collect(),
            _ => continue,
        };
        // `type` may be a field.
        let is_type = |name: &&str| facts.lookup.r#type(name) != TypeName::Unknown;
        if marker == TYPE || names.iter().all(is_type) {
            return (Some(marker), names);
        }
    }
    (None, Vec::new())
}

fn is_key(facts: &Facts<'_>, own: usize, name: &str) -> bool {
    key_of(facts, own, name).is_some()
}

/// The space of a unique field, and the type of its column.
fn key_of(facts: &Facts<'_>, own: usize, name: &str) -> Option<(u32, ColumnType)> {
    let member = facts.lookup.field(own, name).or_else(|| facts.lookup.predicate(own, name))?;
    let object = &facts.mapping.objects[own];
    let Holds::Column(column) = object.members[member].holds else { return None };
    let mut keys = facts.mapping.keys_of(own, &facts.spaces).into_iter();
    let (space, _) = keys.find(|(_, of)| *of == column)?;
    let column = &facts.mapping.tables.tables[object.table].columns[column];
    Some((u32::try_from(space).ok()?, column.r#type.clone()))
}

/// Adds the values of a member.
fn add_member(
    facts: &mut Facts<'_>,
    (subject, own): (u64, Option<usize>),
    name: &str,
    value: &Json,
    marks: Marks,
) -> Result<(), StageError> {
    if name.contains(FACET) {
        let facets = value.as_object().map_or(1, Map::len);
        facts.skip(FACETS, facets as u64);
        return Ok(());
    }
    let found = own.and_then(|own| {
        let member = facts.lookup.field(own, name).or_else(|| facts.lookup.predicate(own, name));
        member.map(|member| (own, member))
    });
    let Some((object, member)) = found.or_else(|| facts.lookup.any_with(name)) else {
        match is_internal(name) {
            true => facts.skip(INTERNAL, 1),
            false => facts.unknown(name)?,
        }
        return Ok(());
    };
    let mapping = facts.mapping;
    let member = &mapping.objects[object].members[member];
    let predicate = &*member.predicate;
    match member.holds {
        Holds::Key => facts.reject("an id is no value"),
        Holds::Objects { target, .. } => {
            let items = match value {
                Json::Array(items) => items.as_slice(),
                one => std::slice::from_ref(one),
            };
            for item in items {
                let reference = match item {
                    Json::Object(inner) => read_object(facts, inner, Some(target))?,
                    Json::String(text) => refer(facts, target, text)?,
                    Json::Number(number) => refer(facts, target, &number.to_string())?,
                    _ => Reference::Refused(format!("`{name}` refers to an object")),
                };
                add_reference(facts, subject, predicate, &reference, marks)?;
            }
            Ok(())
        }
        Holds::Column(column) => {
            let r#type =
                &mapping.tables.tables[mapping.objects[object].table].columns[column].r#type;
            let items = match value {
                Json::Array(items) if takes_elements(r#type) => items.as_slice(),
                one => std::slice::from_ref(one),
            };
            if items.is_empty() {
                facts.add(subject, predicate, Content::Value(Raw::EmptyList), marks)?;
            }
            for item in items {
                let text = match item {
                    Json::String(_) => String::new(),
                    other => other.to_string(),
                };
                facts.add(subject, predicate, Content::Value(raw(item, &text)), marks)?;
            }
            Ok(())
        }
    }
}

/// Adds a reference, or rejects it.
pub(super) fn add_reference(
    facts: &mut Facts<'_>,
    subject: u64,
    predicate: &str,
    reference: &Reference,
    marks: Marks,
) -> Result<(), StageError> {
    match reference {
        Reference::Object(id) => facts.add(subject, predicate, Content::Object(*id), marks)?,
        Reference::Key(space, value) => {
            facts.add(subject, predicate, Content::Key(*space, value), marks)?;
        }
        Reference::Refused(reason) => facts.reject(reason)?,
    }
    Ok(())
}

/// The object to which a text refers: by its id or name, or by its only unique value.
pub(super) fn refer(
    facts: &mut Facts<'_>,
    target: Target,
    text: &str,
) -> Result<Reference, io::Error> {
    let is_global = text.starts_with("_:") || text.starts_with("0x");
    if is_global && (text.starts_with('_') || uid(text).is_some()) {
        return Ok(match facts.subject(Name::new(text))? {
            Some(id) => Reference::Object(id),
            None => Reference::Refused("an id is between 1 and 2^62".into()),
        });
    }
    let object = match target {
        Target::Object(object) => object,
        Target::Group(group) => {
            let group = &facts.mapping.groups[group];
            let ([member], false) = (&*group.members, group.members.is_empty()) else {
                return Ok(Reference::Refused(format!(
                    "\"{text}\" may be an object of several types: refer to it by `0x…` or `_:…`"
                )));
            };
            *member
        }
    };
    let has_id = facts.mapping.objects[object].members.iter().any(|one| one.holds == Holds::Key);
    let keys: Vec<Box<str>> = {
        let members = facts.mapping.objects[object].members.iter();
        members
            .map(|member| member.field.clone())
            .filter(|name| is_key(facts, object, name))
            .collect()
    };
    match &*keys {
        [key] if !has_id || uid(text).is_none() => {
            let key = key.clone();
            Ok(refer_by_key(facts, object, &key, text))
        }
        _ if has_id => Ok(match facts.subject_of(object, text)? {
            Some(id) => Reference::Object(id),
            None => Reference::Refused("an id is between 1 and 2^62".into()),
        }),
        _ => Ok(Reference::Refused(format!("\"{text}\" is no id: refer by `0x…` or `_:…`"))),
    }
}

/// The object with a unique value.
pub(super) fn refer_by_key(facts: &Facts<'_>, object: usize, field: &str, text: &str) -> Reference {
    let Some((space, r#type)) = key_of(facts, object, field) else {
        return Reference::Refused(format!("`{field}` is not unique"));
    };
    match convert(Raw::Text(text), &r#type) {
        Ok(value) => Reference::Key(space, written(&value)),
        Err(refused) => Reference::Refused(format!("`{field}`: {refused}")),
    }
}

/// Returns true if the elements of a list are values of their own.
fn takes_elements(r#type: &ColumnType) -> bool {
    match r#type {
        ColumnType::Vector | ColumnType::Json => false,
        ColumnType::Boolean
        | ColumnType::Int32
        | ColumnType::Int64
        | ColumnType::Float64
        | ColumnType::Text
        | ColumnType::DateTime
        | ColumnType::Enum(_)
        | ColumnType::Point
        | ColumnType::Polygon
        | ColumnType::MultiPolygon
        | ColumnType::Password
        | ColumnType::Serial { .. }
        | ColumnType::Identifier
        | ColumnType::Uuid
        | ColumnType::Decimal
        | ColumnType::Timestamp
        | ColumnType::JsonText => true,
    }
}

/// A value as the files have it; `text` is its JSON, unless it is a string.
fn raw<'r>(value: &'r Json, text: &'r str) -> Raw<'r> {
    match value {
        Json::String(text) => Raw::Text(text),
        Json::Bool(value) => Raw::Boolean(*value),
        Json::Number(_) => Raw::Number(text),
        Json::Null | Json::Array(_) | Json::Object(_) => Raw::Json(text),
    }
}

fn number_of(value: &Json) -> Option<u64> {
    match value {
        Json::String(text) => uid(text),
        other => other.as_u64(),
    }
}
