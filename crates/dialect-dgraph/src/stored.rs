//! Storage of a model: tables, columns and relations, and the place of each field.
//!
//! A type is an entity, an interface or a union is a group. Types with the same stored name are one
//! entity, whose rows have the fields of all of them.
//!
//! * `names`: names of columns
//! * `columns`: scalars, enums and passwords
//! * `languages`: texts in several languages
//! * `relations`: fields whose values are rows

mod columns;
mod languages;
pub(crate) mod names;
mod relations;

use rustc_hash::FxHashMap;
use storage::model as target;

use crate::model::{Base, Field, Model, Scalar, Type, TypeIndex, TypeKind, XidScope};

/// A model's storage.
#[derive(Clone, Debug)]
pub struct Stored {
    pub model: target::Model,
    /// By [`TypeIndex`]; `None` for types of other servers.
    pub types: Vec<Option<StoredType>>,
    /// By [`crate::model::UnionIndex`]; `None` for unions of other servers.
    pub unions: Vec<Option<target::GroupIndex>>,
    /// By [`crate::model::EnumIndex`]; `None` for enums of other servers.
    pub enums: Vec<Option<target::EnumIndex>>,
}

/// The storage of a type or interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredType {
    pub rows: target::EndOf,
    /// By the index of the field; `None` if it is not stored: custom fields, and those of other
    /// subgraphs.
    pub fields: Vec<Option<FieldStorage>>,
    /// Columns of languages that only fields of several languages read.
    pub languages: Vec<Language>,
    /// The field of the entity with the password. Of an interface, each type has its own.
    pub secret: Option<usize>,
}

/// The column of a language that no field of its own writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Language {
    /// The name of its texts in imports and exports, with the tag.
    pub predicate: String,
    /// The index of the field of the entity.
    pub position: usize,
}

/// The storage of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldStorage {
    /// The key of the row.
    Key,
    /// A field of the entity, by its index.
    Field(usize),
    /// The rows at the other end of a relation, by its index in [`target::Model::relations`].
    Relation { relation: usize, side: Side },
    /// Of an interface's field: that of the same name in each type that implements it.
    Members,
    /// The first of these fields of the entity that is not null: a text in several languages.
    Coalesce(Vec<usize>),
}

/// The end of a relation at which a field is. A field that is its own inverse is at both ends,
/// which have its name; its side is the near one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Near,
    Far,
}

/// Returns the storage of a model.
#[must_use]
pub fn stored(model: &Model) -> Stored {
    let mut layout = Layout::new(model);
    columns::add(&mut layout);
    languages::add(&mut layout);
    relations::add(&mut layout);
    layout.name_keys();
    Stored { model: layout.target, types: layout.types, unions: layout.unions, enums: layout.enums }
}

/// The storage while it is derived.
struct Layout<'m> {
    source: &'m Model,
    target: target::Model,
    types: Vec<Option<StoredType>>,
    unions: Vec<Option<target::GroupIndex>>,
    enums: Vec<Option<target::EnumIndex>>,
    /// The types of each entity.
    of_entities: Vec<Vec<TypeIndex>>,
    /// The name of the column of each field, by its type and its own index.
    names: Vec<Vec<Box<str>>>,
}

impl<'m> Layout<'m> {
    /// Entities without fields, and groups.
    fn new(source: &'m Model) -> Self {
        let mut layout = Self {
            source,
            target: target::Model::default(),
            types: Vec::with_capacity(source.types.len()),
            unions: Vec::with_capacity(source.unions.len()),
            enums: Vec::with_capacity(source.enums.len()),
            of_entities: Vec::new(),
            names: names::columns(source),
        };
        for r#enum in &source.enums {
            let index = target::EnumIndex(layout.target.enums.len());
            layout.enums.push((!r#enum.is_remote).then_some(index));
            if !r#enum.is_remote {
                let labels = r#enum.values.iter().map(|value| value.name.clone()).collect();
                layout.target.enums.push(target::Enum { name: r#enum.name.clone(), labels });
            }
        }
        let mut entities: FxHashMap<&str, target::EntityIndex> = FxHashMap::default();
        for (idx, r#type) in source.types.iter().enumerate() {
            let rows = (!r#type.is_remote).then(|| match r#type.kind {
                TypeKind::Interface => {
                    target::EndOf::Group(layout.add_group(r#type.stored_name.clone()))
                }
                TypeKind::Object => {
                    let entity = *entities
                        .entry(&r#type.stored_name)
                        .or_insert_with(|| layout.add_entity(&r#type.stored_name));
                    layout.of_entities[entity.0].push(TypeIndex(idx));
                    target::EndOf::Entity(entity)
                }
            });
            let fields = vec![None; r#type.fields.len()];
            layout.types.push(rows.map(|rows| StoredType {
                rows,
                fields,
                languages: Vec::new(),
                secret: None,
            }));
        }
        for union in &source.unions {
            let group = (!union.is_remote).then(|| layout.add_group(union.name.clone()));
            layout.unions.push(group);
        }
        layout.add_members();
        layout
    }

    fn add_entity(&mut self, name: &str) -> target::EntityIndex {
        let key = target::Key::Sequence { column: "id".into() };
        self.target.entities.push(target::Entity { name: name.into(), key, fields: Vec::new() });
        self.of_entities.push(Vec::new());
        target::EntityIndex(self.target.entities.len() - 1)
    }

    fn add_group(&mut self, name: Box<str>) -> target::GroupIndex {
        let (members, unique) = (Vec::new(), Vec::new());
        self.target.groups.push(target::Group { name, members, unique });
        target::GroupIndex(self.target.groups.len() - 1)
    }

    fn add_members(&mut self) {
        let source = self.source;
        for (idx, r#type) in source.types.iter().enumerate() {
            for interface in &r#type.implements {
                self.add_member(self.group(*interface), TypeIndex(idx));
            }
            let Some(group) = self.group(TypeIndex(idx)) else { continue };
            let fields = r#type.fields.iter().zip(&self.names[idx]);
            let unique = fields.filter(|(field, _)| field.id == Some(XidScope::Interface));
            let unique = unique.map(|(_, name)| name.clone()).collect();
            self.target.groups[group.0].unique = unique;
        }
        for (union, group) in source.unions.iter().zip(self.unions.clone()) {
            for member in &union.members {
                self.add_member(group, *member);
            }
        }
    }

    fn add_member(&mut self, group: Option<target::GroupIndex>, member: TypeIndex) {
        if let (Some(group), Some(target::EndOf::Entity(entity))) = (group, self.rows(member)) {
            let members = &mut self.target.groups[group.0].members;
            if !members.contains(&entity) {
                members.push(entity);
            }
        }
    }

    fn group(&self, interface: TypeIndex) -> Option<target::GroupIndex> {
        match self.rows(interface)? {
            target::EndOf::Group(group) => Some(group),
            target::EndOf::Entity(_) => None,
        }
    }

    /// The rows of a type; `None` for one of another server.
    fn rows(&self, index: TypeIndex) -> Option<target::EndOf> {
        self.types[index.0].as_ref().map(|stored| stored.rows)
    }

    /// Types and interfaces that are stored, with their indexes.
    fn stored_types(&self) -> impl Iterator<Item = (usize, &'m Type)> + use<'m> {
        let types = self.source.types.iter().enumerate();
        types.filter(|(_, r#type)| !r#type.is_remote)
    }

    fn place(&mut self, (r#type, field): (usize, usize), place: FieldStorage) {
        if let Some(stored) = &mut self.types[r#type] {
            stored.fields[field] = Some(place);
        }
    }

    /// True if a field is stored: it is none of another server, and no reference of a subgraph.
    fn is_stored(&self, r#type: &Type, field: &Field) -> bool {
        let is_key = r#type.federation.key.as_deref() == Some(&*field.name);
        field.custom.is_none()
            && (!field.federation.is_external || is_key || self.is_provided(r#type, field))
    }

    /// True if a field of another type provides the field.
    fn is_provided(&self, r#type: &Type, field: &Field) -> bool {
        let fields = self.source.types.iter().flat_map(|one| &one.fields);
        let mut provided = fields.filter(|one| match one.r#type.base {
            Base::Type(index) => self.source.types[index.0].name == r#type.name,
            Base::Scalar(_) | Base::Enum(_) | Base::Union(_) | Base::Input(_) => false,
        });
        provided.any(|one| {
            let names = one.federation.provides.as_deref().unwrap_or_default();
            names.split_whitespace().any(|name| *name == *field.name)
        })
    }

    /// The key has the name of the field of type ID, or `id`, or else `uid`, which no field has.
    fn name_keys(&mut self) {
        for (idx, types) in self.of_entities.iter().enumerate() {
            let mut fields = types.iter().flat_map(|index| &self.source.types[index.0].fields);
            let id = fields.find(|field| is_key(field)).map_or("id", |field| &field.name);
            let of = target::EndOf::Entity(target::EntityIndex(idx));
            let entity = &mut self.target.entities[idx];
            let relations = self.target.relations.iter();
            let ends = relations.flat_map(|relation| [&relation.near, &relation.far]);
            let mut ends = ends.filter(|end| end.of == of).filter_map(|end| end.field.as_deref());
            let is_taken =
                entity.fields.iter().any(|field| *field.name == *id) || ends.any(|name| name == id);
            let column = if is_taken { "uid" } else { id };
            entity.key = target::Key::Sequence { column: column.into() };
        }
    }
}

/// True for a field of type ID that is the key of its rows. An external one is a text.
fn is_key(field: &Field) -> bool {
    field.r#type.base == Base::Scalar(Scalar::Id) && !field.federation.is_external
}

#[cfg(test)]
mod tests;
