//! Enum tables (`@enum`): tables whose rows are the values of enums.
//!
//! The enum replaces the type of each column that refers to the table. The table itself is not in
//! the API.

use std::collections::HashSet;

use catalog::{Catalog, EntityId, EnumLabel, FieldId, KeyKind, Note, NoteKind, Scalar, Type};
use rustc_hash::FxHashMap;

use super::Options;
use super::tags::annotations::Annotations;

/// All enums that are made of rows, and their columns.
#[derive(Debug, Default)]
pub(super) struct EnumTables {
    pub(super) entities: HashSet<EntityId>,
    pub(super) enums: Vec<EnumTable>,
    pub(super) columns: FxHashMap<FieldId, usize>,
}

/// An enum whose labels are the values of a column.
#[derive(Debug)]
pub(super) struct EnumTable {
    pub(super) entity: EntityId,
    /// The name by which domains refer to it, whatever its tags.
    pub(super) known_as: Box<str>,
    pub(super) name: EnumName,
    pub(super) description: Option<Box<str>>,
    pub(super) labels: Vec<EnumLabel>,
}

/// The source of an enum's name.
#[derive(Debug)]
pub(super) enum EnumName {
    /// Unchanged.
    Given(Box<str>),
    /// Formed from this.
    Formed(Box<str>),
}

/// A key whose values are labels.
struct EnumKey {
    entity: EntityId,
    place: usize,
    field: FieldId,
}

/// The entities whose rows the API is made from, each with the needed fields.
#[must_use]
pub fn wanted_rows(catalog: &Catalog, options: &Options) -> Vec<(EntityId, Vec<FieldId>)> {
    let (annotations, _) = Annotations::new(catalog, &options.tags_file);
    let mut wanted: Vec<EntityId> = Vec::new();
    for key in keys(catalog, &annotations, &mut Vec::new()) {
        if !wanted.contains(&key.entity) {
            wanted.push(key.entity);
        }
    }
    let texts = |entity: EntityId| {
        let fields = catalog.fields_of(entity).filter(|field| is_text(&field.r#type));
        (entity, fields.map(|field| field.id).collect())
    };
    wanted.into_iter().map(texts).collect()
}

impl EnumTables {
    pub(super) fn new(catalog: &Catalog, annotations: &Annotations, notes: &mut Vec<Note>) -> Self {
        let mut tables = Self::default();
        let tagged = |entity: &&catalog::Entity| annotations.entity(entity.id).tags.has("enum");
        tables.entities.extend(catalog.entities().filter(tagged).map(|entity| entity.id));
        for key in keys(catalog, annotations, notes) {
            match EnumTable::new(catalog, annotations, &key) {
                Some(table) => tables.add(catalog, key.field, table),
                None => notes.push(Note {
                    kind: NoteKind::Declaration,
                    subject: catalog.qualified_name(key.entity).into(),
                    message: format!(
                        "@enum makes no enum: there is no row with a {}.",
                        catalog[key.field].name
                    )
                    .into(),
                    remedy: "insert the values, and start again.".into(),
                }),
            }
        }
        tables
    }

    pub(super) fn contains(&self, entity: EntityId) -> bool {
        self.entities.contains(&entity)
    }

    /// Adds an enum for the columns that refer to the one with its labels.
    fn add(&mut self, catalog: &Catalog, field: FieldId, table: EnumTable) {
        let place = self.enums.len();
        for id in &catalog[table.entity].incoming {
            let relationship = &catalog[*id];
            if let ([from], [to]) = (&*relationship.from_fields, &*relationship.to_fields)
                && *to == field
            {
                self.columns.insert(*from, place);
            }
        }
        self.enums.push(table);
    }
}

impl EnumTable {
    fn new(catalog: &Catalog, annotations: &Annotations, key: &EnumKey) -> Option<Self> {
        let EnumKey { entity, place, field } = *key;
        let rows = catalog.known_rows(entity)?;
        let described = catalog.fields_of(entity).find(|field| {
            &*field.name == "description" || annotations.field(field.id).tags.has("enumDescription")
        });
        let descriptions: Vec<Option<&str>> = match described {
            Some(field) => rows.values(field.id).collect(),
            None => vec![None; rows.rows.len()],
        };
        let labels: Vec<EnumLabel> = rows
            .values(field)
            .zip(descriptions)
            .filter_map(|(label, description)| {
                Some(EnumLabel { label: label?.into(), description: description.map(Into::into) })
            })
            .collect();
        if labels.is_empty() {
            return None;
        }
        let table = annotations.entity(entity);
        let own = &annotations.key(entity, place).tags;
        let text = |tag: &str| own.text(tag).or_else(|| table.tags.text(tag));
        let constraint = &catalog[entity].keys[place];
        let known_as: Box<str> = match constraint.kind {
            KeyKind::Primary => catalog[entity].name.clone(),
            KeyKind::Unique => format!("{}_{}", catalog[entity].name, constraint.name).into(),
        };
        let name = match (text("enumName"), text("name")) {
            (Some(name), _) => EnumName::Given(name.into()),
            (None, Some(name)) => EnumName::Formed(name.into()),
            (None, None) => EnumName::Formed(known_as.clone()),
        };
        Some(Self { entity, known_as, name, description: table.description.clone(), labels })
    }
}

/// The keys whose values are labels, in the order of the catalog.
fn keys(catalog: &Catalog, annotations: &Annotations, notes: &mut Vec<Note>) -> Vec<EnumKey> {
    let mut found = Vec::new();
    for entity in catalog.entities() {
        let tagged = annotations.entity(entity.id).tags.has("enum");
        let mut any = false;
        for (place, key) in entity.keys.iter().enumerate() {
            let explicit = annotations.key(entity.id, place).tags.has("enum");
            if !(explicit || tagged && key.kind == KeyKind::Primary) {
                continue;
            }
            any = true;
            match &*key.fields {
                [field] if is_text(&catalog[*field].r#type) => {
                    found.push(EnumKey { entity: entity.id, place, field: *field });
                }
                _ => notes.push(Note {
                    kind: NoteKind::Declaration,
                    subject: catalog.qualified_name(entity.id).into(),
                    message: "@enum makes no enum: its key is not one column of texts.".into(),
                    remedy: "tag a table whose primary key is one column of texts, or a \
                             constraint that is unique in one."
                        .into(),
                }),
            }
        }
        if tagged && !any {
            notes.push(Note {
                kind: NoteKind::Declaration,
                subject: catalog.qualified_name(entity.id).into(),
                message: "@enum makes no enum: the table has no primary key.".into(),
                remedy: "add one, or the tag @primaryKey.".into(),
            });
        }
    }
    found
}

fn is_text(r#type: &Type) -> bool {
    matches!(
        r#type,
        Type::Scalar(Scalar::Text | Scalar::Character { .. } | Scalar::CaseInsensitiveText)
    )
}
