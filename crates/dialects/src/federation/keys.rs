//! By which fields the rows of a type are found.

use std::sync::Arc;

use catalog::{Catalog, EntityId, FieldId, Key, KeyKind, Scalar, Type};
use graphql::schema::{TypeId, TypeKind};
use ir::{OpaqueKey, Represented, RepresentedKey, RepresentedValue};
use rustc_hash::FxHashMap;

use super::name_of;
use crate::api::Api;
use crate::binding::{EntityType, FieldBinding};

/// A type of which rows are found by a key.
#[derive(Debug)]
pub(super) struct Entity {
    pub(super) r#type: TypeId,
    name: Box<str>,
    entity: EntityId,
    /// The number of its first key among those of all types.
    first: u16,
    /// At least one.
    keys: Vec<(Vec<FieldId>, RepresentedKey)>,
}

impl Entity {
    /// The fields of its keys, as routers are told them.
    pub(super) fn field_sets(&self) -> impl Iterator<Item = String> {
        self.keys.iter().flat_map(|(_, key)| {
            let names = key.names.iter().map(|names| names.join(" "));
            names.chain(key.id.iter().map(|id| id.name.to_string()))
        })
    }

    pub(super) fn into_binding(self) -> (EntityType, Arc<Represented>) {
        let Self { r#type, name: typename, entity, first, keys } = self;
        let (fields, keys) = keys.into_iter().unzip();
        let represented = Represented { typename, first, keys };
        (EntityType { r#type, entity, keys: fields }, Arc::new(represented))
    }
}

/// The types that are entities, in the order of their names.
pub(super) fn entities(api: &Api, catalog: &Catalog) -> Vec<Entity> {
    let schema = &api.schema;
    let roots = [schema.query, schema.mutation, schema.subscription];
    let mut found: Vec<Entity> = Vec::new();
    for (id, definition) in schema.types() {
        let TypeKind::Object { fields, .. } = &definition.kind else { continue };
        if roots.contains(&Some(id)) {
            continue;
        }
        if let Some(row) = Row::of(api, catalog, fields) {
            let keys = row.keys(catalog);
            // What a change gives may be a part of a row, as a type behind that of the rows.
            let is_known = found.iter().any(|known| known.entity == row.entity);
            if !keys.is_empty() && !is_known {
                let name = name_of(schema, id).into();
                found.push(Entity { r#type: id, name, entity: row.entity, first: 0, keys });
            }
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    let mut next: u16 = 0;
    found.retain_mut(|entity| {
        entity.first = next;
        let keys = u16::try_from(entity.keys.len()).ok();
        let after = keys.and_then(|keys| next.checked_add(keys));
        next = after.unwrap_or(next);
        // A key that has no number cannot be asked for.
        after.is_some()
    });
    found
}

/// What a type shows of the rows of an entity.
struct Row<'a> {
    entity: EntityId,
    names: FxHashMap<FieldId, &'a str>,
    id: Option<(Vec<FieldId>, OpaqueKey)>,
}

impl<'a> Row<'a> {
    /// `None` if the type does not show rows, or what a change gives.
    fn of(api: &'a Api, catalog: &Catalog, fields: &[graphql::schema::FieldId]) -> Option<Self> {
        let mut names: FxHashMap<FieldId, &'a str> = FxHashMap::default();
        let mut id = None;
        for field in fields {
            let definition = &api.schema[*field];
            match api.field(*field) {
                FieldBinding::Column(column) if definition.arguments.is_empty() => {
                    names.entry(*column).or_insert(&definition.name);
                }
                FieldBinding::NodeId { key, .. } => {
                    id = Some((key.clone(), &definition.name));
                }
                FieldBinding::GlobalId { field, .. } => {
                    id = Some((vec![*field], &definition.name));
                }
                FieldBinding::Payload(_) => return None,
                _ => {}
            }
        }
        let any = names.keys().next().or_else(|| id.as_ref()?.0.first())?;
        let entity = catalog[*any].entity;
        if !names.keys().all(|field| catalog[*field].entity == entity)
            || !catalog[entity].kind.is_stored()
        {
            return None;
        }
        let binding = api.find_entity(entity).and_then(|entity| entity.node_id.as_ref());
        let id = id.zip(binding.filter(|binding| binding.found)).map(|((key, name), binding)| {
            let (prefix, codec) = (binding.prefix.clone(), binding.codec);
            (key, OpaqueKey { name: name.as_ref().into(), prefix, codec })
        });
        Some(Self { entity, names, id })
    }

    /// The keys that find its rows, the primary key first.
    fn keys(&self, catalog: &Catalog) -> Vec<(Vec<FieldId>, RepresentedKey)> {
        let mut keys: Vec<&Key> = catalog[self.entity].keys.iter().collect();
        keys.sort_by_key(|key| key.kind != KeyKind::Primary);
        let mut found: Vec<(Vec<FieldId>, RepresentedKey)> = Vec::new();
        for key in keys {
            // The rows that have no value there would be found by none.
            let is_complete = |field: &FieldId| !catalog[*field].nullable;
            let known = found.iter().any(|(fields, _)| *fields == key.fields);
            if known || (key.kind != KeyKind::Primary && !key.fields.iter().all(is_complete)) {
                continue;
            }
            let kinds = key.fields.iter().map(|field| kind(catalog, *field)).collect();
            let Some(kinds) = kinds else { continue };
            let names =
                key.fields.iter().map(|field| self.names.get(field).map(|name| (*name).into()));
            let names: Option<Vec<Box<str>>> = names.collect();
            let id = self.id.as_ref().filter(|(fields, _)| *fields == key.fields);
            let id = id.map(|(_, id)| id.clone());
            if !key.fields.is_empty() && (names.is_some() || id.is_some()) {
                found.push((key.fields.clone(), RepresentedKey { kinds, names, id }));
            }
        }
        found
    }
}

/// What the values of a field have to be; `None`: of other types nobody but the source knows
/// whether it takes a value, and one that it does not take would fail the rows of all the others.
fn kind(catalog: &Catalog, field: FieldId) -> Option<RepresentedValue> {
    match catalog.base_type(&catalog[field].r#type) {
        Type::Scalar(scalar) => match scalar {
            Scalar::Int16 => Some(RepresentedValue::Integer { bits: 16 }),
            Scalar::Int32 => Some(RepresentedValue::Integer { bits: 32 }),
            Scalar::Int64 => Some(RepresentedValue::Integer { bits: 64 }),
            Scalar::Text | Scalar::Character { .. } | Scalar::CaseInsensitiveText => {
                Some(RepresentedValue::Text)
            }
            Scalar::Uuid => Some(RepresentedValue::Uuid),
            _ => None,
        },
        _ => None,
    }
}
