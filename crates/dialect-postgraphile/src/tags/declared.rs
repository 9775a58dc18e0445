//! Keys and foreign keys that tags declare: `@primaryKey`, `@unique`, `@foreignKey`.

use catalog::builder::NewRelationship;
use catalog::{Catalog, Composite, CompositeId, EntityId, FieldId, Key, KeyKind, Note, NoteKind};

use super::annotations::Annotations;
use super::identifier::{self, Name};
use crate::Options;

/// The declaration of a tag, without the columns.
struct Declared<'a> {
    /// The text before the first `|`.
    spec: &'a str,
    /// The rest, as a comment of its own.
    comment: Option<Box<str>>,
}

/// Adds the declarations of tags to the catalog; invalid ones become notes.
pub(crate) fn declare(catalog: &mut Catalog, options: &Options) {
    let (annotations, _) = Annotations::new(catalog, &options.tags_file);
    let entities: Vec<EntityId> = catalog.entities().map(|entity| entity.id).collect();
    for entity in &entities {
        let tags = &annotations.entity(*entity).tags;
        for (tag, kind) in [("primaryKey", KeyKind::Primary), ("unique", KeyKind::Unique)] {
            for value in tags.values(tag) {
                let declared = key(catalog, *entity, tag, kind, value.as_deref());
                declared.unwrap_or_else(|note| catalog.note(note));
            }
        }
    }
    let fields: Vec<FieldId> = catalog.fields().map(|field| field.id).collect();
    for field in fields {
        for value in annotations.field(field).tags.values("storedAs") {
            stored_as(catalog, field, value.as_deref()).unwrap_or_else(|note| catalog.note(note));
        }
    }
    // Foreign keys may refer to newly declared primary keys.
    for entity in entities {
        for value in annotations.entity(entity).tags.values("foreignKey") {
            let declared = foreign_key(catalog, entity, value.as_deref());
            declared.unwrap_or_else(|note| catalog.note(note));
        }
    }
    declare_of_composites(catalog, &annotations, options);
}

/// A composite type has no rows of its own, but its values may refer to some.
fn declare_of_composites(catalog: &mut Catalog, annotations: &Annotations, options: &Options) {
    let is_token =
        |composite: &Composite| options.token.as_ref().is_some_and(|token| token.is(composite));
    let ids: Vec<CompositeId> = catalog.composites().map(|composite| composite.id).collect();
    for id in ids {
        let Some(rows) = catalog[id].rows.filter(|_| !is_token(&catalog[id])) else { continue };
        for value in annotations.composite(id).tags.values("foreignKey") {
            match foreign_key(catalog, rows, value.as_deref()) {
                Ok(()) => catalog.decompose(id, is_token),
                Err(note) => catalog.note(note),
            }
        }
    }
}

/// Declares the type of a column that the source does not enforce.
fn stored_as(catalog: &mut Catalog, field: FieldId, value: Option<&str>) -> Result<(), Note> {
    let entity = catalog[field].entity;
    let column = catalog[field].name.clone();
    if !catalog.capabilities().any_values {
        let message = format!("@storedAs of {column} means nothing here: columns have one type.");
        return Err(note(catalog, entity, message, "leave it out.".into()));
    }
    let Some(scalar) = value.and_then(catalog::find_stored_type) else {
        let word = value.unwrap_or_default();
        let message = format!("@storedAs {word} of {column} is not known.");
        let remedy = format!("write one of {}.", catalog::stored_types());
        return Err(note(catalog, entity, message, remedy));
    };
    catalog.declare_stored(field, scalar).map_err(|reason| {
        let message =
            format!("@storedAs {} of {column}: {reason}.", value.unwrap_or_default().trim());
        let remedy = "leave it out, or declare another type in the source.";
        note(catalog, entity, message, remedy.into())
    })
}

fn key(
    catalog: &mut Catalog,
    entity: EntityId,
    tag: &str,
    kind: KeyKind,
    value: Option<&str>,
) -> Result<(), Note> {
    let declared = value.map(split);
    let names = declared.as_ref().and_then(|declared| identifier::names(declared.spec));
    let (Some(declared), Some(names)) = (declared, names) else {
        let remedy = format!("write @{tag} with columns, as in @{tag} a,b.");
        let message = format!("@{tag} names no columns.");
        return Err(note(catalog, entity, message, remedy));
    };
    let twice =
        catalog[entity].keys.iter().any(|key| key.kind == KeyKind::Primary && !key.enforced);
    if kind == KeyKind::Primary && twice {
        let message = format!("@{tag} is there more than once; the first is the primary key.");
        return Err(note(catalog, entity, message, format!("keep one @{tag}.")));
    }
    let fields = fields(catalog, entity, entity, tag, &names)?;
    let name = format!("@{tag} {}", declared.spec).into();
    let description = declared.comment;
    let (enforced, deferrable) = (false, false);
    catalog.declare_key(entity, Key { name, kind, fields, enforced, deferrable, description });
    Ok(())
}

fn foreign_key(catalog: &mut Catalog, entity: EntityId, value: Option<&str>) -> Result<(), Note> {
    let declared = value.map(split);
    let reference = declared.as_ref().and_then(|declared| identifier::reference(declared.spec));
    let (Some(declared), Some(reference)) = (declared, reference) else {
        let message = format!("@foreignKey {} cannot be read.", value.unwrap_or_default());
        let remedy = "write it as in @foreignKey (a, b) references schema.table (x, y).";
        return Err(note(catalog, entity, message, remedy.into()));
    };
    let (namespace, table) = (reference.namespace.as_ref(), &reference.table);
    let Some(target) = identifier::find_entity(catalog, entity, namespace, table) else {
        let message =
            format!("@foreignKey refers to the table or view {}, which is not there.", table.text);
        let remedy = "name it as the database does, whatever @name says.";
        return Err(note(catalog, entity, message, remedy.into()));
    };
    let from_fields = fields(catalog, entity, entity, "foreignKey", &reference.columns)?;
    let to_fields = match &reference.target_columns {
        Some(columns) => fields(catalog, entity, target, "foreignKey", columns)?,
        None => catalog[target].primary_key().map(|key| key.fields.clone()).unwrap_or_default(),
    };
    if from_fields.len() != to_fields.len() {
        let target = catalog.qualified_name(target);
        let message = match &reference.target_columns {
            Some(_) => "@foreignKey has more columns on one side than on the other.".into(),
            None => format!("@foreignKey does not fit the primary key of {target}."),
        };
        let remedy = format!("write the columns of {target} behind its name.");
        return Err(note(catalog, entity, message, remedy));
    }
    catalog.redeclare_relationship(NewRelationship {
        name: format!("@foreignKey {}", declared.spec).into(),
        from: entity,
        from_fields,
        to: target,
        to_fields,
        description: declared.comment,
    });
    Ok(())
}

/// `a,b|@fieldName x|Words` → `a,b` with the comment `@fieldName x` and `Words` in lines.
fn split(value: &str) -> Declared<'_> {
    match value.split_once('|') {
        Some((spec, rest)) => Declared { spec, comment: Some(rest.replace('|', "\n").into()) },
        None => Declared { spec: value, comment: None },
    }
}

/// The fields of `entity` that a tag of `subject` names.
fn fields(
    catalog: &Catalog,
    subject: EntityId,
    entity: EntityId,
    tag: &str,
    names: &[Name],
) -> Result<Vec<FieldId>, Note> {
    let find = |name: &Name| {
        identifier::find_field(catalog, entity, name).ok_or_else(|| {
            let table = catalog.qualified_name(entity);
            let message =
                format!("@{tag} names the column {} of {table}, which has none.", name.text);
            let remedy = "name it as the database does, whatever @name says.";
            note(catalog, subject, message, remedy.into())
        })
    };
    names.iter().map(find).collect()
}

fn note(catalog: &Catalog, entity: EntityId, message: String, remedy: String) -> Note {
    Note {
        kind: NoteKind::Declaration,
        subject: catalog.qualified_name(entity).into(),
        message: message.into(),
        remedy: remedy.into(),
    }
}
