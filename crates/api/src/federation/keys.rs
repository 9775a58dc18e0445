//! Keys that find the rows of a type.

use std::sync::Arc;

use catalog::{
    Catalog, EntityId, EntityKind, FieldId, Key, KeyKind, RelationshipKind, Scalar, Type,
};
use graphql::definitions::FieldSetSelection;
use graphql::schema::{FieldDefinition, TypeId, TypeKind};
use ir::{FieldPath, HopDirection, OpaqueKey, Represented, RepresentedKey, RepresentedValue};
use response::Leaf;
use rustc_hash::FxHashMap;

use super::{EntityTypes, name_of};
use crate::api::Api;
use crate::binding::{
    ConnectionField, EntityType, FieldBinding, RowsBinding, RowsForm, RowsFrom, ValueShape,
};

/// A type with rows that are found by a key.
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
    /// The fields of its keys, as routers get them.
    pub(super) fn field_sets(&self) -> impl Iterator<Item = String> {
        self.keys.iter().flat_map(|(_, key)| {
            let said = key.paths.iter().map(|said| ir::print_field_set(said));
            said.chain(key.id.iter().map(|id| id.name.to_string()))
        })
    }

    pub(super) fn into_binding(self) -> (EntityType, Arc<Represented>) {
        let Self { r#type, name: typename, entity, first, keys } = self;
        let (fields, keys) = keys.into_iter().unzip();
        let represented = Represented { typename, first, keys, inputs: Vec::new() };
        (EntityType { r#type, entity, keys: fields }, Arc::new(represented))
    }
}

/// The types that are entities, in the order of their names.
pub(super) fn entities(api: &Api, catalog: &Catalog, types: &EntityTypes) -> Vec<Entity> {
    let schema = &api.schema;
    let roots = [schema.query, schema.mutation, schema.subscription];
    let mut found: Vec<Entity> = Vec::new();
    for (id, definition) in schema.types() {
        let TypeKind::Object { fields, .. } = &definition.kind else { continue };
        if roots.contains(&Some(id)) {
            continue;
        }
        if let Some(row) = Row::of(api, catalog, fields) {
            let mut keys = row.keys((api, catalog));
            match types {
                EntityTypes::All => {}
                EntityTypes::Tables(tables) => keys.retain(|(fields, _)| {
                    let mut known = catalog[row.entity].keys.iter();
                    let is_primary = |key: &Key| key.kind == KeyKind::Primary;
                    tables.contains(&row.entity)
                        && known.any(|key| is_primary(key) && key.fields == *fields)
                }),
            }
            // The result of a change may have a part of a row, as a later type than that of the
            // rows.
            let is_known = found.iter().any(|known| known.entity == row.entity);
            let is_hidden =
                catalog[row.entity].kind == EntityKind::Node && !is_listed(api, row.entity);
            if !keys.is_empty() && !is_known && !is_hidden {
                let name = name_of(schema, id).into();
                found.push(Entity { r#type: id, name, entity: row.entity, first: 0, keys });
            }
        }
    }
    number(&mut found);
    found
}

/// True if a root field returns the rows themselves. A graph may disable that for a type: then its
/// nodes are found only by keys that are declared to routers.
fn is_listed(api: &Api, entity: EntityId) -> bool {
    let query = api.schema.query.map(|query| &api.schema[query].kind);
    let Some(TypeKind::Object { fields, .. }) = query else { return false };
    fields.iter().any(|field| match api.field(*field) {
        FieldBinding::Rows(RowsBinding { from: RowsFrom::Entity, entity: own, form, .. }) => {
            let gives = match form {
                RowsForm::List | RowsForm::Single | RowsForm::First | RowsForm::Keyed => true,
                RowsForm::Connection => has_edges(api, api.schema[*field].r#type.base),
                RowsForm::Aggregate | RowsForm::Stream => false,
            };
            gives && *own == entity
        }
        _ => false,
    })
}

/// True if a connection returns its rows, and not only aggregates.
fn has_edges(api: &Api, connection: TypeId) -> bool {
    let TypeKind::Object { fields, .. } = &api.schema[connection].kind else { return false };
    fields
        .iter()
        .any(|field| matches!(api.field(*field), FieldBinding::Connection(ConnectionField::Edges)))
}

/// Puts entities in the order of their names, and numbers their keys.
pub(super) fn number(entities: &mut Vec<Entity>) {
    entities.sort_by(|one, other| one.name.cmp(&other.name));
    let mut next: u16 = 0;
    entities.retain_mut(|entity| {
        entity.first = next;
        let keys = u16::try_from(entity.keys.len()).ok();
        let after = keys.and_then(|keys| next.checked_add(keys));
        next = after.unwrap_or(next);
        // A key without a number cannot be used.
        after.is_some()
    });
}

/// Reasons why rows are not found by the given fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoKey {
    /// Some of them are neither columns of the row nor the ones by which it refers to another.
    Columns,
    /// They are no key, or are of types whose values cannot be checked.
    Keys,
    /// The same for nodes, for which any fields with checkable values are a key.
    Values,
}

/// Adds a declared key of a type's rows. It may be nullable: rows without a value are not found.
/// Keys of nodes are trusted: a graph has no such schema, and of several nodes with the same values
/// one is found.
pub(super) fn say(
    entities: &mut Vec<Entity>,
    (api, catalog): (&Api, &Catalog),
    r#type: TypeId,
    fields: &[FieldSetSelection],
) -> Result<(), NoKey> {
    let mut said: Vec<(FieldPath, FieldId)> = Vec::new();
    for field in fields {
        add_said(api, catalog, r#type, field, &mut said).ok_or(NoKey::Columns)?;
    }
    let entity = said.first().map(|(_, column)| catalog[*column].entity).ok_or(NoKey::Keys)?;
    let is_said = |column: &FieldId| said.iter().any(|(_, own)| own == column);
    let is_key = |key: &&Key| {
        key.fields.len() == said.len() && key.fields.iter().all(is_said) && !key.fields.is_empty()
    };
    let is_node = catalog[entity].kind == EntityKind::Node;
    let key = match catalog[entity].keys.iter().find(is_key) {
        Some(key) => key.fields.clone(),
        None if is_node => columns_once(&said).ok_or(NoKey::Values)?,
        None => return Err(NoKey::Keys),
    };
    let kinds = key.iter().map(|field| kind((api, catalog), *field)).collect::<Option<Vec<_>>>();
    let kinds = kinds.ok_or(if is_node { NoKey::Values } else { NoKey::Keys })?;
    let path = |column: &FieldId| {
        let found = said.iter().find(|(_, own)| own == column);
        found.map(|(path, _)| path.clone())
    };
    let way = key.iter().map(path).collect::<Option<Vec<FieldPath>>>();
    let way = way.ok_or(NoKey::Keys)?;
    let known = entities.iter().position(|known| known.r#type == r#type);
    let place = match known {
        Some(place) => place,
        None => {
            let TypeKind::Object { fields, .. } = &api.schema[r#type].kind else {
                return Err(NoKey::Columns);
            };
            let row = Row::of(api, catalog, fields).ok_or(NoKey::Columns)?;
            let name = name_of(&api.schema, r#type).into();
            entities.push(Entity { r#type, name, entity: row.entity, first: 0, keys: Vec::new() });
            entities.len() - 1
        }
    };
    let own = &mut entities[place];
    if own.entity != entity {
        return Err(NoKey::Columns);
    }
    match own.keys.iter_mut().find(|(fields, _)| *fields == key) {
        Some((_, own)) if own.paths.contains(&way) => {}
        Some((_, own)) => own.paths.push(way),
        None => {
            let represented = RepresentedKey { kinds, paths: vec![way], id: None };
            own.keys.push((key, represented));
        }
    }
    Ok(())
}

/// The columns of the fields, if none is repeated.
fn columns_once(said: &[(FieldPath, FieldId)]) -> Option<Vec<FieldId>> {
    let mut columns: Vec<FieldId> = Vec::with_capacity(said.len());
    for (_, column) in said {
        if columns.contains(column) {
            return None;
        }
        columns.push(*column);
    }
    Some(columns)
}

/// The columns of a field in a field set: the field itself, or those by which the row refers to the
/// one whose key is selected. `None` for anything else.
fn add_said(
    api: &Api,
    catalog: &Catalog,
    r#type: TypeId,
    field: &FieldSetSelection,
    said: &mut Vec<(FieldPath, FieldId)>,
) -> Option<()> {
    let FieldSetSelection::Field { name, arguments, selections } = field else { return None };
    let own = api.schema.find_field(r#type, name)?;
    if !arguments.is_empty() || !api.schema[own].arguments.is_empty() {
        return None;
    }
    let name: Box<str> = (&**name).into();
    if selections.is_empty() {
        let FieldBinding::Column(column) = api.field(own) else { return None };
        said.push(([name].into(), *column));
        return Some(());
    }
    let FieldBinding::Rows(RowsBinding { from: RowsFrom::Relation(hop), .. }) = api.field(own)
    else {
        return None;
    };
    let relationship = &catalog[hop.relationship];
    let is_reference = hop.direction == HopDirection::Forward
        && relationship.kind == RelationshipKind::ForeignKey
        && relationship.to_fields.len() == selections.len();
    if !is_reference {
        return None;
    }
    let below = api.schema[own].r#type.base;
    for selection in selections {
        let (inner, column) = leaf(api, below, selection)?;
        let place = relationship.to_fields.iter().position(|to| *to == column)?;
        said.push(([name.clone(), inner].into(), *relationship.from_fields.get(place)?));
    }
    Some(())
}

/// The column of a selection without selections of its own.
fn leaf(api: &Api, r#type: TypeId, field: &FieldSetSelection) -> Option<(Box<str>, FieldId)> {
    let FieldSetSelection::Field { name, arguments, selections } = field else { return None };
    let own = api.schema.find_field(r#type, name)?;
    let FieldBinding::Column(column) = api.field(own) else { return None };
    let is_plain = arguments.is_empty() && selections.is_empty();
    is_plain.then(|| ((&**name).into(), *column))
}

/// The fields of a type over the rows of an entity.
struct Row<'a> {
    entity: EntityId,
    columns: FxHashMap<FieldId, &'a FieldDefinition>,
    id: Option<(Vec<FieldId>, OpaqueKey)>,
}

impl<'a> Row<'a> {
    /// `None` if the type has no rows, or is the result of a change.
    fn of(api: &'a Api, catalog: &Catalog, fields: &[graphql::schema::FieldId]) -> Option<Self> {
        let mut columns: FxHashMap<FieldId, &'a FieldDefinition> = FxHashMap::default();
        let mut id = None;
        for field in fields {
            let definition = &api.schema[*field];
            match api.field(*field) {
                FieldBinding::Column(column) if definition.arguments.is_empty() => {
                    columns.entry(*column).or_insert(definition);
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
        let any = columns.keys().next().or_else(|| id.as_ref()?.0.first())?;
        let entity = catalog[*any].entity;
        if !columns.keys().all(|field| catalog[*field].entity == entity)
            || !catalog[entity].kind.is_stored()
        {
            return None;
        }
        let binding = api.find_entity(entity).and_then(|entity| entity.node_id.as_ref());
        let id = id.zip(binding.filter(|binding| binding.found)).map(|((key, name), binding)| {
            let (prefix, codec) = (binding.prefix.clone(), binding.codec);
            (key, OpaqueKey { name: name.as_ref().into(), prefix, codec })
        });
        Some(Self { entity, columns, id })
    }

    /// True if all rows have a value there. In a graph only its type definitions tell.
    fn is_complete(&self, catalog: &Catalog, field: FieldId) -> bool {
        let is_said = || self.columns.get(&field).is_some_and(|own| own.r#type.is_non_null());
        let is_node = catalog[self.entity].kind == EntityKind::Node;
        !catalog[field].nullable || (is_node && is_said())
    }

    /// The keys that find its rows, the primary key first.
    fn keys(&self, (api, catalog): (&Api, &Catalog)) -> Vec<(Vec<FieldId>, RepresentedKey)> {
        let mut keys: Vec<&Key> = catalog[self.entity].keys.iter().collect();
        keys.sort_by_key(|key| key.kind != KeyKind::Primary);
        let mut found: Vec<(Vec<FieldId>, RepresentedKey)> = Vec::new();
        for key in keys {
            // Rows without a value there would not be found.
            let is_complete = |field: &FieldId| self.is_complete(catalog, *field);
            let known = found.iter().any(|(fields, _)| *fields == key.fields);
            if known || (key.kind != KeyKind::Primary && !key.fields.iter().all(is_complete)) {
                continue;
            }
            let kinds = key.fields.iter().map(|field| kind((api, catalog), *field)).collect();
            let Some(kinds) = kinds else { continue };
            let name = |field| self.columns.get(field).map(|own| own.name.as_ref().into());
            let names: Option<Vec<Box<str>>> = key.fields.iter().map(name).collect();
            let id = self.id.as_ref().filter(|(fields, _)| *fields == key.fields);
            let id = id.map(|(_, id)| id.clone());
            if !key.fields.is_empty() && (names.is_some() || id.is_some()) {
                let way =
                    |names: Vec<Box<str>>| names.into_iter().map(|name| [name].into()).collect();
                let paths = names.into_iter().map(way).collect();
                found.push((key.fields.clone(), RepresentedKey { kinds, paths, id }));
            }
        }
        found
    }
}

/// The accepted type of a field's values; `None` for other types, whose values only the source can
/// check: an invalid one would fail the rows of all the others.
fn kind((api, catalog): (&Api, &Catalog), field: FieldId) -> Option<RepresentedValue> {
    let leaf = api.find_column(field).map(|column| &column.value);
    if leaf == Some(&ValueShape::Leaf(Leaf::HexadecimalId)) {
        return Some(RepresentedValue::HexadecimalId);
    }
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
