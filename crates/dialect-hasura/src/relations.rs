//! The relationships of an entity in the API, from its foreign keys.

use catalog::{Catalog, Entity, EntityId, FieldId, Note, Relationship, RelationshipId};
use graphql::schema::is_name;
use hasura_metadata::suggestions::{RelationshipKind, relationship_name};
use hasura_metadata::types::source::NamingConvention;
use ir::{Hop, HopDirection};
use rustc_hash::FxHashMap;

use super::collision::{Names, collision, left_out};
use super::naming;

const RENAME: &str = "rename the column or the table, or one of the two.";

/// A relationship.
#[derive(Debug)]
pub(super) struct Relation {
    pub(super) name: String,
    pub(super) hop: Hop,
    /// The index of the target entity in the plan.
    pub(super) target: usize,
    pub(super) kind: RelationKind,
}

/// Kinds of relationships.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RelationKind {
    Object {
        /// True if there is a row for each row.
        is_required: bool,
    },
    Array {
        /// The field of aggregates, if no other field has its name.
        aggregate: Option<String>,
    },
}

/// The relationships: to the rows referred to, to rows of which one at most refers, to all other rows
/// that refer. Each claims its name. `places`: the index of each entity in the plan.
pub(super) fn relations(
    catalog: &Catalog,
    entity: &Entity,
    places: &FxHashMap<EntityId, usize>,
    names: &mut Names,
    notes: &mut Vec<Note>,
) -> Vec<Relation> {
    let is_single = |id: &RelationshipId| is_one_to_one(catalog, &catalog[*id]);
    let forward = entity.outgoing.iter().map(|id| (*id, HopDirection::Forward, true));
    let backward = entity.incoming.iter();
    let single = backward.clone().filter(|id| is_single(id));
    let single = single.map(|id| (*id, HopDirection::Backward, true));
    let many = backward.filter(|id| !is_single(id));
    let many = many.map(|id| (*id, HopDirection::Backward, false));
    let mut relations = Vec::new();
    for (id, direction, is_object) in forward.chain(single).chain(many) {
        let relationship = &catalog[id];
        let other = match direction {
            HopDirection::Forward => relationship.to,
            HopDirection::Backward => relationship.from,
        };
        let Some(target) = places.get(&other).copied() else { continue };
        let mut fields = relationship.from_fields.iter().chain(&relationship.to_fields);
        if !fields.all(|field| catalog[*field].access.read) {
            continue;
        }
        let subject = subject(catalog, relationship);
        let table = naming::table(catalog[other].namespace.as_deref(), &catalog[other].name);
        let suggested = match is_object {
            true => RelationshipKind::Object,
            false => RelationshipKind::Array,
        };
        let columns = column_names(catalog, &relationship.from_fields);
        let is_taken = |name: &str| names.owner(name).is_some();
        let convention = NamingConvention::HasuraDefault;
        let name = relationship_name(suggested, &table, &columns, is_taken, convention);
        if !is_name(&name) {
            let message = format!("its field would be {name:?}, which is no name of GraphQL.");
            notes.push(left_out(&subject, &message, RENAME));
            continue;
        }
        names.claim(&name, &format!("the foreign key {subject}"));
        let kind = match (is_object, direction) {
            (true, HopDirection::Forward) => {
                RelationKind::Object { is_required: is_required(catalog, relationship) }
            }
            (true, HopDirection::Backward) => RelationKind::Object { is_required: false },
            (false, _) => RelationKind::Array { aggregate: None },
        };
        relations.push(Relation { name, hop: Hop { relationship: id, direction }, target, kind });
    }
    for relation in &mut relations {
        let RelationKind::Array { aggregate } = &mut relation.kind else { continue };
        let name = naming::of(&relation.name, "aggregate");
        let subject = subject(catalog, &catalog[relation.hop.relationship]);
        match names.owner(&name) {
            None => {
                names.claim(&name, &format!("the aggregate of {subject}"));
                *aggregate = Some(name);
            }
            Some(first) => {
                let what = format!("the field {name} of {}", catalog.qualified_name(entity.id));
                notes.push(collision(&subject, &what, first, RENAME));
            }
        }
    }
    relations
}

/// True if the columns of the foreign key are a key of their table.
fn is_one_to_one(catalog: &Catalog, relationship: &Relationship) -> bool {
    let fields = &relationship.from_fields;
    catalog[relationship.from].keys.iter().any(|key| {
        key.enforced
            && key.fields.len() == fields.len()
            && key.fields.iter().all(|field| fields.contains(field))
    })
}

/// True if each row refers to one.
fn is_required(catalog: &Catalog, relationship: &Relationship) -> bool {
    relationship.enforced && relationship.from_fields.iter().all(|field| !catalog[*field].nullable)
}

fn column_names<'a>(catalog: &'a Catalog, fields: &[FieldId]) -> Vec<&'a str> {
    fields.iter().map(|field| &*catalog[*field].name).collect()
}

fn subject(catalog: &Catalog, relationship: &Relationship) -> String {
    let columns = column_names(catalog, &relationship.from_fields);
    format!("{} ({})", catalog.qualified_name(relationship.from), columns.join(", "))
}
