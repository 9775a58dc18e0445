//! The relations of an entity in the API.

use catalog::{Catalog, Entity, EntityId, FieldId, Note, Relationship};
use graphql::schema::is_name;
use ir::{Hop, HopDirection};
use rustc_hash::FxHashMap;

use super::collision::{Names, collision, left_out};
use super::naming;
use super::plan::Planned;

const RENAME: &str = "rename the foreign key's column, or one of the two.";

/// A field of related rows.
#[derive(Debug)]
pub(super) struct Relation {
    pub(super) name: String,
    pub(super) hop: Hop,
    /// The second hop, of rows that a join entity relates.
    pub(super) far: Option<Hop>,
    /// The index of the target entity in the plan.
    pub(super) target: usize,
    /// The field of aggregates of the related rows, if there is one.
    pub(super) aggregate: Option<String>,
}

/// The relations: the rows referred to, then the rows that refer; each of them claims its name.
/// `places`: the index of each entity in the plan.
pub(super) fn relations(
    catalog: &Catalog,
    entity: &Entity,
    places: &FxHashMap<EntityId, usize>,
    names: &mut Names,
    notes: &mut Vec<Note>,
) -> Vec<Relation> {
    let forward = entity.outgoing.iter().map(|id| (*id, HopDirection::Forward));
    let backward = entity.incoming.iter().map(|id| (*id, HopDirection::Backward));
    let mut relations = Vec::new();
    for (id, direction) in forward.chain(backward) {
        let relationship = &catalog[id];
        if catalog.given().leaves_out(id) {
            continue;
        }
        let other = match direction {
            HopDirection::Forward => relationship.to,
            HopDirection::Backward => relationship.from,
        };
        let Some(target) = places.get(&other).copied() else { continue };
        let mut fields = relationship.from_fields.iter().chain(&relationship.to_fields);
        if !fields.all(|field| catalog[*field].access.read) {
            continue;
        }
        let Some(column) = naming_column(catalog, relationship) else { continue };
        let given = match direction {
            HopDirection::Forward => catalog.given().forward(id),
            HopDirection::Backward => catalog.given().backward(id),
        };
        let name = match (given, direction) {
            (Some(given), _) => given.to_owned(),
            (None, HopDirection::Forward) => naming::has_one(column, &catalog[other].name),
            (None, HopDirection::Backward) => {
                naming::has_many(&catalog[other].name, column, is_ambiguous(catalog, relationship))
            }
        };
        let subject = subject(catalog, relationship);
        if !is_name(&name) {
            let message = format!("its field would be {name:?}, which is no name of GraphQL.");
            notes.push(left_out(&subject, &message, RENAME));
        } else if let Err(first) = names.claim(&name, &format!("the foreign key {subject}")) {
            let what = format!("the field {name} of {}", catalog.qualified_name(entity.id));
            notes.push(collision(&subject, &what, &first, RENAME));
        } else {
            let hop = Hop { relationship: id, direction };
            relations.push(Relation { name, hop, far: None, target, aggregate: None });
        }
    }
    joined(catalog, entity, places, names, notes, &mut relations);
    relations
}

/// Adds the given relations through join entities.
fn joined(
    catalog: &Catalog,
    entity: &Entity,
    places: &FxHashMap<EntityId, usize>,
    names: &mut Names,
    notes: &mut Vec<Note>,
    relations: &mut Vec<Relation>,
) {
    for join in catalog.given().joins(entity.id) {
        let Some(target) = places.get(&catalog[join.far].to).copied() else { continue };
        let subject = subject(catalog, &catalog[join.far]);
        let what = format!("the rows that {subject} joins");
        if let Err(first) = names.claim(&join.name, &what) {
            let field = format!("the field {} of {}", join.name, catalog.qualified_name(entity.id));
            notes.push(collision(&subject, &field, &first, RENAME));
            continue;
        }
        let hop = Hop { relationship: join.near, direction: HopDirection::Backward };
        let far = Some(Hop { relationship: join.far, direction: HopDirection::Forward });
        let name = join.name.clone().into();
        relations.push(Relation { name, hop, far, target, aggregate: None });
    }
}

/// Names the aggregates of an entity's relations; columns and relations come first.
pub(super) fn name_aggregates(catalog: &Catalog, planned: &mut Planned<'_>, notes: &mut Vec<Note>) {
    for relation in &mut planned.relations {
        if relation.hop.direction == HopDirection::Forward || relation.far.is_some() {
            continue;
        }
        let name = naming::aggregate(&relation.name);
        let subject = subject(catalog, &catalog[relation.hop.relationship]);
        match planned.fields.claim(&name, &format!("the aggregate of {subject}")) {
            Ok(()) => relation.aggregate = Some(name),
            Err(first) => {
                let entity = catalog.qualified_name(planned.entity.id);
                let what = format!("the field {name} of {entity}");
                notes.push(collision(&subject, &what, &first, RENAME));
            }
        }
    }
}

/// The column that names the relations of a foreign key: the first that no other foreign key of the
/// table uses, for the others are less specific.
fn naming_column<'a>(catalog: &'a Catalog, relationship: &Relationship) -> Option<&'a str> {
    let of_others = |field: &FieldId| {
        let mut others = catalog[relationship.from].outgoing.iter();
        others.any(|id| *id != relationship.id && catalog[*id].from_fields.contains(field))
    };
    let fields = &relationship.from_fields;
    let own = fields.iter().find(|field| !of_others(field));
    own.or(fields.first()).map(|field| &*catalog[*field].name)
}

/// True if the table refers to the same entity by another foreign key too.
fn is_ambiguous(catalog: &Catalog, relationship: &Relationship) -> bool {
    let mut others = catalog[relationship.from].outgoing.iter();
    others.any(|id| *id != relationship.id && catalog[*id].to == relationship.to)
}

fn subject(catalog: &Catalog, relationship: &Relationship) -> String {
    let columns: Vec<_> =
        relationship.from_fields.iter().map(|field| &*catalog[*field].name).collect();
    format!("{} ({})", catalog.qualified_name(relationship.from), columns.join(", "))
}
