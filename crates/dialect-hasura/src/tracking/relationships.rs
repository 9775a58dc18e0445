//! Relationships of metadata in terms of the catalog.

use catalog::builder::NewRelationship;
use catalog::{Catalog, EntityId, FieldId, Relationship, RelationshipId};
use hasura_metadata::suggestions::RelationshipKind;
use hasura_metadata::types::name::{Name, QualifiedName};
use hasura_metadata::types::relationship::{
    ForeignKeyColumns, InsertionOrder, ManualConfiguration, RelationshipUsing,
};
use hasura_metadata::types::table::Table;
use hasura_metadata::{Location, Problem};
use ir::{Hop, HopDirection};

use super::{QueryRelation, TrackedQueries, find_table, missing, missing_column};

/// A relationship of a tracked table.
#[derive(Debug)]
pub(crate) struct TrackedRelationship<'m> {
    pub(crate) name: &'m Name,
    pub(crate) kind: RelationshipKind,
    pub(crate) hop: Hop,
    pub(crate) target: EntityId,
    /// True if no foreign key promises a related row.
    pub(crate) is_manual: bool,
}

/// The relationships of a table whose other table is tracked as well.
pub(super) fn relationships<'m>(
    catalog: &mut Catalog,
    entity: EntityId,
    table: &'m Table,
    (tracked, (native, to_queries)): (
        &[EntityId],
        (&TrackedQueries<'m>, &mut Vec<QueryRelation<'m>>),
    ),
    problems: &mut Vec<Problem>,
) -> Vec<TrackedRelationship<'m>> {
    let objects = table.object_relationships.iter();
    let objects = objects.map(|one| (RelationshipKind::Object, &one.name, &one.using));
    let arrays = table.array_relationships.iter();
    let arrays = arrays.map(|one| (RelationshipKind::Array, &one.name, &one.using));
    let mut found = Vec::new();
    for (kind, name, using) in objects.chain(arrays) {
        let resolved = match using {
            RelationshipUsing::ForeignKey(columns) => by_key(catalog, entity, columns, &name.place)
                .map(|hop| (hop, false))
                .map_err(|problem| vec![problem]),
            RelationshipUsing::Manual(manual) if manual.remote_native_query.is_some() => {
                match native.to_query(catalog, entity, name, manual) {
                    Ok(target) => to_queries.push(QueryRelation { name, kind, target }),
                    Err(mut own) => problems.append(&mut own),
                }
                continue;
            }
            RelationshipUsing::Manual(manual) => {
                by_mapping(catalog, entity, kind, manual, name).map(|hop| (hop, true))
            }
        };
        let (hop, is_manual) = match resolved {
            Ok(resolved) => resolved,
            Err(mut own) => {
                problems.append(&mut own);
                continue;
            }
        };
        let relationship = &catalog[hop.relationship];
        let target = match hop.direction {
            HopDirection::Forward => relationship.to,
            HopDirection::Backward => relationship.from,
        };
        if !tracked.contains(&target) {
            let other = catalog.qualified_name(target);
            let message = format!(
                "The relationship `{}` leads to {other}, which is not tracked. Track it, or remove \
                 the relationship.",
                name.text
            );
            problems.push(missing(&name.place, message));
            continue;
        }
        found.push(TrackedRelationship { name, kind, hop, target, is_manual });
    }
    found
}

/// The foreign key of these columns.
fn by_key(
    catalog: &Catalog,
    entity: EntityId,
    columns: &ForeignKeyColumns,
    place: &Location,
) -> Result<Hop, Problem> {
    let (holder, names, direction) = match columns {
        ForeignKeyColumns::Own(columns) => (entity, columns, HopDirection::Forward),
        ForeignKeyColumns::Other { table, columns } => {
            (find_table(catalog, table)?.id, columns, HopDirection::Backward)
        }
    };
    let mut fields = Vec::with_capacity(names.len());
    for name in names {
        match catalog.find_field(holder, name) {
            Some(field) => fields.push(field.id),
            None => return Err(missing_column(catalog, holder, name, &name.place)),
        }
    }
    let keys = foreign_keys(catalog, holder).filter(|key| {
        let is_other = direction == HopDirection::Forward || key.to == entity;
        is_other && is_same_set(&key.from_fields, &fields)
    });
    let keys: Vec<RelationshipId> = keys.map(|key| key.id).collect();
    let texts = || names.iter().map(|name| name.text.clone()).collect::<Vec<_>>().join(", ");
    let holder = || catalog.qualified_name(holder);
    match keys[..] {
        [relationship] => Ok(Hop { relationship, direction }),
        [] => {
            let to = match direction {
                HopDirection::Forward => String::new(),
                HopDirection::Backward => format!(" to {}", catalog.qualified_name(entity)),
            };
            let message = format!(
                "{} has no foreign key on ({}){to}. Create it, or write `manual_configuration`.",
                holder(),
                texts()
            );
            Err(missing(place, message))
        }
        _ => {
            let message = format!(
                "{} has several foreign keys on ({}). Write `manual_configuration`.",
                holder(),
                texts()
            );
            Err(missing(place, message))
        }
    }
}

/// The foreign keys that the source enforces or knows of an entity, without those of manual
/// relationships.
fn foreign_keys(catalog: &Catalog, entity: EntityId) -> impl Iterator<Item = &Relationship> {
    let outgoing = catalog[entity].outgoing.iter().map(|id| &catalog[*id]);
    outgoing.filter(|relationship| relationship.enforced)
}

fn is_same_set(one: &[FieldId], other: &[FieldId]) -> bool {
    one.len() == other.len() && one.iter().all(|field| other.contains(field))
}

/// The relationship of a column mapping: a foreign key that says the same, or a declared one.
fn by_mapping(
    catalog: &mut Catalog,
    entity: EntityId,
    kind: RelationshipKind,
    manual: &ManualConfiguration,
    name: &Name,
) -> Result<Hop, Vec<Problem>> {
    let one = |problem| vec![problem];
    let Some(table) = &manual.remote_table else {
        let message = "The relationship has neither `remote_table` nor `remote_native_query`.";
        return Err(one(missing(&manual.place, message.into())));
    };
    let other = other_table(catalog, table).map_err(one)?;
    let mut problems = Vec::new();
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for (column, remote) in &manual.column_mapping {
        match catalog.find_field(entity, column) {
            Some(field) => own.push(field.id),
            None => problems.push(missing_column(catalog, entity, column, &remote.place)),
        }
        match catalog.find_field(other, remote) {
            Some(field) => others.push(field.id),
            None => problems.push(missing_column(catalog, other, remote, &remote.place)),
        }
    }
    if manual.column_mapping.is_empty() {
        let message = "The key `column_mapping` has no column.";
        problems.push(missing(&manual.place, message.into()));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    // The holder of the foreign key is inserted after the row that it refers to.
    let direction = match (kind, manual.insertion_order) {
        (RelationshipKind::Array, _)
        | (RelationshipKind::Object, Some(InsertionOrder::AfterParent)) => HopDirection::Backward,
        (RelationshipKind::Object, None | Some(InsertionOrder::BeforeParent)) => {
            HopDirection::Forward
        }
    };
    let (from, from_fields, to, to_fields) = match direction {
        HopDirection::Forward => (entity, own, other, others),
        HopDirection::Backward => (other, others, entity, own),
    };
    let is_equal = |known: &&Relationship| {
        let mut pairs = known.from_fields.iter().zip(&known.to_fields);
        let wanted: Vec<_> = from_fields.iter().zip(&to_fields).collect();
        known.to == to
            && known.from_fields.len() == wanted.len()
            && pairs.all(|pair| wanted.contains(&pair))
    };
    let known = catalog[from].outgoing.iter().map(|id| &catalog[*id]).find(is_equal);
    let relationship = match known.map(|known| known.id) {
        Some(relationship) => relationship,
        None => catalog.declare_relationship(NewRelationship {
            name: name.text.as_str().into(),
            from,
            from_fields,
            to,
            to_fields,
            description: None,
        }),
    };
    Ok(Hop { relationship, direction })
}

fn other_table(catalog: &Catalog, name: &QualifiedName) -> Result<EntityId, Problem> {
    find_table(catalog, name).map(|entity| entity.id)
}
