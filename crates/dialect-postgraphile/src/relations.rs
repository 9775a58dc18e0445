//! Relations: fields of related rows.

use catalog::{Entity, FieldId, Relationship};
use graphql::schema::{Deprecation, FieldDefinition, TypeRef};
use ir::{Hop, HopDirection};

use super::arguments::{self, Collection};
use super::build::{Build, field};
use super::claims::Claimant;
use super::entity::Served;
use super::tags::deprecation;
use super::tags::omit::Action;
use super::{descriptions, naming};
use api::binding::{FieldBinding, RowsBinding, RowsForm, RowsFrom};

/// Adds the relations of one entity: first those along its own foreign keys, then the reverse ones
/// from the entities that refer to it.
pub(super) fn add(build: &mut Build<'_>, served: &mut [Served<'_>], index: usize) {
    let Some(entity) = served.get(index).map(|one| one.entity) else { return };
    let catalog = build.catalog;
    for relationship in outgoing_in_order(build, entity) {
        add_forward(build, served, index, relationship);
    }
    // In the order of the source, which is that of the tables' creation.
    for id in &entity.incoming {
        add_backward(build, served, index, &catalog[*id]);
    }
}

/// The foreign keys of an entity by the indices of their columns.
pub(super) fn outgoing_in_order<'a>(build: &Build<'a>, entity: &Entity) -> Vec<&'a Relationship> {
    let catalog = build.catalog;
    let mut outgoing: Vec<&Relationship> = entity.outgoing.iter().map(|id| &catalog[*id]).collect();
    // The source has those of the same columns in the order of PostGraphile, which is that of the
    // tables' creation. Declared ones come last, in order of declaration.
    outgoing.sort_by_key(|relationship| {
        let columns = relationship.enforced.then(|| places(build, &relationship.from_fields));
        (!relationship.enforced, columns)
    });
    outgoing
}

/// The indices of fields in their entity.
fn places(build: &Build<'_>, fields: &[FieldId]) -> Vec<Option<usize>> {
    let place = |field: &FieldId| {
        let entity = &build.catalog[build.catalog[*field].entity];
        entity.fields.iter().position(|other| other == field)
    };
    fields.iter().map(place).collect()
}

fn add_forward(
    build: &mut Build<'_>,
    served: &mut [Served<'_>],
    index: usize,
    relationship: &Relationship,
) {
    let is_offered = build.offers_forward(relationship);
    if !is_offered || !build.is_readable(relationship.to) {
        return;
    }
    let Some(target) = build.places.get(&relationship.to).copied() else { return };
    let name = build.forward_name(relationship);
    let form = to_one(build.catalog[relationship.to].is_unique(&relationship.to_fields));
    let relation = Relation { relationship, direction: HopDirection::Forward, target, form };
    let tags = build.relationship_tags(relationship);
    relation.add(build, served, index, &name, deprecation(tags));
}

/// The field along a foreign key from a row of the type `row`, for its other positions.
pub(super) fn forward_field(
    build: &Build<'_>,
    served: &[Served<'_>],
    row: &str,
    relationship: &Relationship,
) -> Option<(FieldDefinition, FieldBinding)> {
    let is_hidden = build.names(&relationship.from_fields).into_iter().any(naming::is_hidden);
    let is_offered = build.offers_forward(relationship);
    if is_hidden || !is_offered || !build.is_readable(relationship.to) {
        return None;
    }
    let target = served.get(*build.places.get(&relationship.to)?)?;
    let name = build.forward_name(relationship);
    let tags = build.relationship_tags(relationship);
    let description = match tags.text("forwardDescription") {
        Some(given) => given.into(),
        None => descriptions::reads_related(&target.name, row),
    };
    let r#type = TypeRef::named(target.types?.row);
    let deprecated = deprecation(tags);
    let definition = FieldDefinition { deprecated, ..field(&name, &description, r#type) };
    let hop = Hop { relationship: relationship.id, direction: HopDirection::Forward };
    let binding = FieldBinding::Rows(RowsBinding {
        from: RowsFrom::Relation(hop),
        entity: target.entity.id,
        form: to_one(build.catalog[relationship.to].is_unique(&relationship.to_fields)),
        default_limit: None,
    });
    Some((definition, binding))
}

fn add_backward(
    build: &mut Build<'_>,
    served: &mut [Served<'_>],
    index: usize,
    relationship: &Relationship,
) {
    let is_offered = build.offers_relationship(relationship, Action::Read);
    if !is_offered || !build.is_readable(relationship.from) {
        return;
    }
    let Some(target) = build.places.get(&relationship.from).copied() else { return };
    let relation =
        |form| Relation { relationship, direction: HopDirection::Backward, target, form };
    let deprecated = deprecation(build.entity_tags(relationship.from));
    let single = is_single(build, relationship);
    let legacy = build.options.legacy_relations;
    let single_name = build.backward_single_name(relationship);
    if single && legacy.has_single() {
        let form = to_one(build.catalog[relationship.from].is_unique(&relationship.from_fields));
        relation(form).add(build, served, index, &single_name, deprecated.clone());
    }
    if !has_many(build, relationship) {
        return;
    }
    let collections = build.relation_collections(relationship);
    if collections.has_connections() {
        let name = build.backward_many_name(relationship);
        let legacy =
            (single && legacy.has_single()).then(|| descriptions::please_use(&single_name).into());
        relation(RowsForm::Connection).add(
            build,
            served,
            index,
            &name,
            deprecated.clone().or(legacy),
        );
    }
    if collections.has_lists() && !single {
        let name = build.backward_list_name(relationship);
        relation(RowsForm::List).add(build, served, index, &name, deprecated);
    }
}

/// The form of a relation to at most one row.
fn to_one(enforced: bool) -> RowsForm {
    if enforced { RowsForm::Single } else { RowsForm::First }
}

/// True if at most one row refers to a row. That holds too where a key has fewer columns, or the
/// same in another order, but there PostGraphile has the plural only.
pub(super) fn is_single(build: &Build<'_>, relationship: &Relationship) -> bool {
    let mut keys = build.catalog[relationship.from].keys.iter();
    keys.any(|key| key.fields == relationship.from_fields)
}

/// True if there is a field of the rows that refer to a row, in any form.
pub(super) fn has_many(build: &Build<'_>, relationship: &Relationship) -> bool {
    let legacy = build.options.legacy_relations;
    // A given name belongs to one field.
    let is_named = build.catalog.given().backward(relationship.id).is_some();
    (!is_single(build, relationship) || legacy.has_many() && !(is_named && legacy.has_single()))
        && build.offers_relationship(relationship, Action::Read)
        && build.offers_relationship(relationship, Action::Many)
        && build.offers_entity(relationship.from, Action::Many)
        && build.offers_entity(relationship.to, Action::Read)
}

/// A relation's field, without its name.
#[derive(Clone, Copy, Debug)]
struct Relation<'a> {
    relationship: &'a Relationship,
    direction: HopDirection,
    target: usize,
    form: RowsForm,
}

impl Relation<'_> {
    /// Adds the field; `false` if its name is taken.
    fn add(
        self,
        build: &mut Build<'_>,
        served: &mut [Served<'_>],
        index: usize,
        name: &str,
        deprecated: Option<Deprecation>,
    ) -> bool {
        let Some(target) = served.get(self.target) else { return false };
        let Some(types) = target.types else { return false };
        let row = TypeRef::named(types.row);
        let (r#type, collection) = match self.form {
            // Aggregates are fields of connections here, and nothing streams related rows.
            RowsForm::Aggregate | RowsForm::Stream => return false,
            RowsForm::Single | RowsForm::First | RowsForm::Keyed => (row, None),
            RowsForm::List => (row.non_null().list().non_null(), Some(Collection::List)),
            RowsForm::Connection => {
                let Some(connection) = types.connection else { return false };
                (TypeRef::named(connection).non_null(), Some(Collection::Connection))
            }
        };
        let (entity, target_name) = (target.entity.id, target.name.clone());
        let Some(one) = served.get_mut(index) else { return false };
        let Some(parent) = one.types else { return false };
        if build.names(&self.relationship.from_fields).into_iter().any(naming::is_hidden) {
            return false;
        }
        let subject = self.subject(build);
        let what = match self.direction {
            HopDirection::Forward => "relation",
            HopDirection::Backward => "relation back",
        };
        if let Err(note) = one.fields.claim(name, Claimant { subject: &subject, what }) {
            let tag = match (self.direction, self.form) {
                (HopDirection::Forward, _) => "fieldName",
                (HopDirection::Backward, RowsForm::Single | RowsForm::First | RowsForm::Keyed) => {
                    "foreignSingleFieldName"
                }
                (HopDirection::Backward, RowsForm::Connection) => "foreignFieldName",
                (
                    HopDirection::Backward,
                    RowsForm::List | RowsForm::Aggregate | RowsForm::Stream,
                ) => "foreignSimpleFieldName",
            };
            build.note_with(note, |build| build.rename_relation(self.relationship, tag));
            return false;
        }
        let tag = match self.direction {
            HopDirection::Forward => "forwardDescription",
            HopDirection::Backward => "backwardDescription",
        };
        let given = build.relationship_tags(self.relationship).text(tag);
        let description = match (given, collection) {
            (Some(given), _) => given.into(),
            (None, None) => descriptions::reads_related(&target_name, &one.name),
            (None, Some(_)) => descriptions::reads_connection(&target_name),
        };
        let definition = FieldDefinition { deprecated, ..field(name, &description, r#type) };
        let hop = Hop { relationship: self.relationship.id, direction: self.direction };
        let binding = FieldBinding::Rows(RowsBinding {
            from: RowsFrom::Relation(hop),
            entity,
            form: self.form,
            default_limit: None,
        });
        if let Some(collection) = collection {
            let id = build.api.add_field(parent.row, definition, binding);
            if let Some(target) = served.get(self.target) {
                arguments::add(build, id, collection, target);
            }
        } else {
            build.api.add_plain_field(parent.row, definition, binding);
        }
        true
    }

    /// The foreign key's name for messages.
    fn subject(&self, build: &Build<'_>) -> String {
        let columns = build.names(&self.relationship.from_fields).join(", ");
        let table = build.entity_name(self.relationship.from);
        if self.relationship.name.is_empty() {
            format!("the foreign key {table} ({columns})")
        } else {
            format!("the foreign key {} of {table} ({columns})", self.relationship.name)
        }
    }
}
