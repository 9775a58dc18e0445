//! The relationships of an entity in the API: those of its metadata, or else all of its foreign
//! keys.

use catalog::{Catalog, Entity, EntityId, FieldId, Note, Relationship, RelationshipId};
use graphql::schema::is_name;
use hasura_metadata::suggestions::{RelationshipKind, relationship_name};
use hasura_metadata::{Location, Problem, ProblemKind};
use ir::{Hop, HopDirection};
use rustc_hash::FxHashMap;

use super::collision::{Names, collision, left_out};
use super::naming;
use super::tracking::{TrackedRelationship, Tracking};

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
        /// True if no row has several related rows; if not, the first one counts.
        is_unique: bool,
    },
    Array {
        /// The field of aggregates, if no other field has its name.
        aggregate: Option<String>,
    },
}

/// The plan so far, for relationships of an entity.
pub(super) struct Scope<'p, 'm> {
    pub(super) catalog: &'p Catalog,
    pub(super) tracking: &'p Tracking<'m>,
    /// The index of each entity in the plan.
    pub(super) places: &'p FxHashMap<EntityId, usize>,
    pub(super) notes: &'p mut Vec<Note>,
    pub(super) problems: &'p mut Vec<Problem>,
}

impl Relation {
    fn new(
        catalog: &Catalog,
        name: String,
        hop: Hop,
        target: usize,
        (kind, is_manual): (RelationshipKind, bool),
    ) -> Self {
        let relationship = &catalog[hop.relationship];
        let kind = match kind {
            RelationshipKind::Object => RelationKind::Object {
                is_required: !is_manual
                    && hop.direction == HopDirection::Forward
                    && is_required(catalog, relationship),
                is_unique: is_unique(catalog, hop),
            },
            RelationshipKind::Array => RelationKind::Array { aggregate: None },
        };
        Self { name, hop, target, kind }
    }
}

/// The relationships of an entity. Each claims its name.
pub(super) fn relations(
    scope: &mut Scope<'_, '_>,
    entity: &Entity,
    names: &mut Names,
) -> Vec<Relation> {
    let mut relations = match scope.tracking.find(entity.id) {
        Some(tracked) => {
            let tracked = tracked.relationships.iter();
            tracked.filter_map(|one| scope.tracked(entity, one, names)).collect()
        }
        None => scope.suggested(entity, names),
    };
    for relation in &mut relations {
        let RelationKind::Array { aggregate } = &mut relation.kind else { continue };
        let name = scope.tracking.naming.word(&naming::of(&relation.name, "aggregate"));
        let subject = subject(scope.catalog, &scope.catalog[relation.hop.relationship]);
        match names.owner(&name) {
            None => {
                names.claim(&name, &format!("the aggregate of {subject}"));
                *aggregate = Some(name);
            }
            Some(first) => {
                let what =
                    format!("the field {name} of {}", scope.catalog.qualified_name(entity.id));
                scope.notes.push(collision(&subject, &what, first, RENAME));
            }
        }
    }
    relations
}

impl Scope<'_, '_> {
    /// A relationship of the metadata; `None` if it has no place in the API.
    fn tracked(
        &mut self,
        entity: &Entity,
        tracked: &TrackedRelationship<'_>,
        names: &mut Names,
    ) -> Option<Relation> {
        let TrackedRelationship { name, kind, hop, target, is_manual } = tracked;
        let problem = |place: &Location, message: String| Problem {
            kind: ProblemKind::WrongValue,
            place: place.clone(),
            message,
        };
        if !is_name(name) {
            let message =
                format!("{:?} is no name of GraphQL. Rename the relationship.", name.text);
            self.problems.push(problem(&name.place, message));
            return None;
        }
        if let Some(first) = names.owner(name) {
            let message = format!(
                "The field `{}` of {} belongs to {first}. Rename the relationship.",
                name.text,
                self.catalog.qualified_name(entity.id)
            );
            self.problems.push(problem(&name.place, message));
            return None;
        }
        let subject = || format!("{}.{}", self.catalog.qualified_name(entity.id), name.text);
        let Some(target) = self.places.get(target).copied() else {
            let other = self.catalog.qualified_name(*target);
            let message = format!("the API has no rows of {other}.");
            self.notes.push(left_out(&subject(), &message, "see the note on that table."));
            return None;
        };
        if !is_read(self.catalog, *hop) {
            let message = "the user of the connection may not read one of its columns.";
            self.notes.push(left_out(&subject(), message, "grant SELECT on them."));
            return None;
        }
        names.claim(name, &format!("the relationship {}", name.text));
        let kind = (*kind, *is_manual);
        Some(Relation::new(self.catalog, name.text.clone(), *hop, target, kind))
    }

    /// The relationships that Hasura's console suggests: to the rows referred to, to rows of which
    /// one at most refers, to all other rows that refer.
    fn suggested(&mut self, entity: &Entity, names: &mut Names) -> Vec<Relation> {
        let catalog = self.catalog;
        let is_single = |id: &RelationshipId| is_one_to_one(catalog, &catalog[*id]);
        let forward = entity.outgoing.iter().map(|id| (*id, HopDirection::Forward, true));
        let backward = entity.incoming.iter();
        let single = backward.clone().filter(|id| is_single(id));
        let single = single.map(|id| (*id, HopDirection::Backward, true));
        let many = backward.filter(|id| !is_single(id));
        let many = many.map(|id| (*id, HopDirection::Backward, false));
        let mut relations = Vec::new();
        for (relationship, direction, is_object) in forward.chain(single).chain(many) {
            let hop = Hop { relationship, direction };
            let relationship = &catalog[relationship];
            let names_given = catalog.given();
            if names_given.leaves_out(relationship.id) {
                continue;
            }
            let other = match direction {
                HopDirection::Forward => relationship.to,
                HopDirection::Backward => relationship.from,
            };
            let Some(target) = self.places.get(&other).copied() else { continue };
            if !is_read(catalog, hop) {
                continue;
            }
            let subject = subject(catalog, relationship);
            let table = naming::table(catalog[other].namespace.as_deref(), &catalog[other].name);
            let kind = match is_object {
                true => RelationshipKind::Object,
                false => RelationshipKind::Array,
            };
            let columns = column_names(catalog, &relationship.from_fields);
            let is_taken = |name: &str| names.owner(name).is_some();
            let convention = self.tracking.convention();
            let given = match direction {
                HopDirection::Forward => names_given.forward(relationship.id),
                HopDirection::Backward => names_given.backward(relationship.id),
            };
            let name = match given {
                Some(given) => given.to_owned(),
                None => relationship_name(kind, &table, &columns, is_taken, convention),
            };
            if let (Some(_), Some(first)) = (given, names.owner(&name)) {
                let what = format!("the field {name} of {}", catalog.qualified_name(entity.id));
                self.notes.push(collision(&subject, &what, first, RENAME));
                continue;
            }
            if !is_name(&name) {
                let message = format!("its field would be {name:?}, which is no name of GraphQL.");
                self.notes.push(left_out(&subject, &message, RENAME));
                continue;
            }
            names.claim(&name, &format!("the foreign key {subject}"));
            relations.push(Relation::new(catalog, name, hop, target, (kind, false)));
        }
        for join in catalog.given().joins(entity.id) {
            let subject = format!("{}.{}", catalog.qualified_name(entity.id), join.name);
            let table = &catalog[catalog[join.near].from].name;
            let message =
                format!("Hasura has no lists through a table: the rows of {table} are one.");
            self.notes.push(left_out(&subject, &message, "select the related rows below these."));
        }
        relations
    }
}

/// True if both sides of a relationship can be read.
fn is_read(catalog: &Catalog, hop: Hop) -> bool {
    let relationship = &catalog[hop.relationship];
    let mut fields = relationship.from_fields.iter().chain(&relationship.to_fields);
    fields.all(|field| catalog[*field].access.read)
}

/// True if no row has several rows at the other side.
pub(super) fn is_unique(catalog: &Catalog, hop: Hop) -> bool {
    let relationship = &catalog[hop.relationship];
    match hop.direction {
        HopDirection::Forward => {
            relationship.enforced || catalog[relationship.to].is_unique(&relationship.to_fields)
        }
        HopDirection::Backward => catalog[relationship.from].is_unique(&relationship.from_fields),
    }
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
