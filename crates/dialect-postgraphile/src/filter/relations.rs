//! Filters by related rows.

use catalog::Relationship;
use graphql::schema::{TypeId, TypeKind, TypeRef};
use ir::{Hop, HopDirection, Quantifier};

use super::Filters;
use crate::build::{Build, input};
use crate::claims::Claimant;
use crate::entity::Served;
use crate::relations::outgoing_in_order;
use crate::tags::omit::Action;
use crate::{aggregate_conditions, descriptions, naming};
use api::binding::{FilterRole, RowsRole};

/// Adds the filters by the rows that refer to the entity, then those by the rows that it refers to.
pub(super) fn add(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    one: &Served<'_>,
    filters: &mut Filters<'_>,
) {
    let catalog = build.catalog;
    for id in &one.entity.incoming {
        add_backward(build, served, one, &catalog[*id], filters);
    }
    for relationship in outgoing_in_order(build, one.entity) {
        add_forward(build, served, relationship, filters);
    }
}

fn add_forward(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    relationship: &Relationship,
    filters: &mut Filters<'_>,
) {
    let Some(target) = filter_of(build, served, relationship.to) else { return };
    if is_hidden(build, relationship) || !is_offered(build, relationship) {
        return;
    }
    let name = build.forward_name(relationship);
    let hop = Hop { relationship: relationship.id, direction: HopDirection::Forward };
    let subject = format!("{name} of {}", build.entity_name(relationship.from));
    filters.add_relation(build, &name, target, FilterRole::Related(hop), &subject);
    if relationship.from_fields.iter().any(|field| build.catalog[*field].nullable) {
        let description = descriptions::related_exists(&name);
        filters.add_exists(
            build,
            &build.inflection.filter_exists(&name),
            &description,
            hop,
            &subject,
        );
    }
}

fn add_backward(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    one: &Served<'_>,
    relationship: &Relationship,
    filters: &mut Filters<'_>,
) {
    let Some(target) = filter_of(build, served, relationship.from) else { return };
    if is_hidden(build, relationship) || !is_offered(build, relationship) {
        return;
    }
    let from = &build.catalog[relationship.from];
    let hop = Hop { relationship: relationship.id, direction: HopDirection::Backward };
    let subject = format!("the rows of {} that refer to {}", from.name, one.name);
    if from.keys.iter().any(|key| key.fields == relationship.from_fields) {
        let name = build.backward_single_name(relationship);
        filters.add_relation(build, &name, target, FilterRole::Related(hop), &subject);
        let description = descriptions::related_exists(&name);
        filters.add_exists(
            build,
            &build.inflection.filter_exists(&name),
            &description,
            hop,
            &subject,
        );
        return;
    }
    if !build.offers_entity(relationship.from, Action::Many) {
        return;
    }
    let connections = build.options.simple_collections.has_connections();
    let name = match filters.options.use_list_inflectors.unwrap_or(!connections) {
        true => build.backward_list_name(relationship),
        false => build.backward_many_name(relationship),
    };
    let Some(other) = build.places.get(&relationship.from).and_then(|place| served.get(*place))
    else {
        return;
    };
    let Some(many) = many_type(build, one, other, target, filters) else { return };
    filters.add_relation(build, &name, many, FilterRole::RelatedMany(hop), &subject);
    let description = descriptions::related_exist(&name);
    filters.add_exists(build, &build.inflection.filter_exist(&name), &description, hop, &subject);
}

/// The type of filters by several rows of another entity, shared by all its relations to this
/// one.
fn many_type(
    build: &mut Build<'_>,
    one: &Served<'_>,
    other: &Served<'_>,
    target: TypeId,
    filters: &Filters<'_>,
) -> Option<TypeId> {
    let (others, other) = (other, &other.name);
    let name = build.inflection.filter_many_type(&one.name, other);
    if let Some(known) = build.filters.get(&*name) {
        return *known;
    }
    let subject = build.entity_name(one.entity.id);
    let claimant = Claimant { subject: &subject, what: "filter type" };
    if let Err(note) = build.types.claim(&name, claimant) {
        build.note(note);
        return None;
    }
    let kind = TypeKind::InputObject { fields: Vec::new() };
    let description = descriptions::filter_many_type(other);
    let r#type = build.add_type(&name, Some(description.into()), kind)?;
    let quantifiers = [
        ("every", "Every", Quantifier::Every),
        ("some", "Some", Quantifier::Some),
        ("none", "No", Quantifier::None),
    ];
    for (name, word, quantifier) in quantifiers {
        let description = descriptions::quantified(word, other);
        let definition = input(name, &description, TypeRef::named(target));
        let binding = filters.options.object(RowsRole::Quantified(quantifier));
        build.api.add_input_field(r#type, definition, binding);
    }
    build.filters.insert(name.into(), Some(r#type));
    aggregate_conditions::add_filter(build, filters.options, r#type, others, target);
    Some(r#type)
}

/// The filter type of a served entity, if it has one and its rows are readable.
fn filter_of(
    build: &Build<'_>,
    served: &[Served<'_>],
    entity: catalog::EntityId,
) -> Option<TypeId> {
    let place = *build.places.get(&entity).filter(|_| build.is_readable(entity))?;
    served.get(place)?.types?.filter
}

fn is_offered(build: &Build<'_>, relationship: &Relationship) -> bool {
    build.offers_relationship(relationship, Action::Read)
        && build.offers_relationship(relationship, Action::Filter)
}

fn is_hidden(build: &Build<'_>, relationship: &Relationship) -> bool {
    build.names(&relationship.from_fields).into_iter().any(naming::is_hidden)
}

impl Filters<'_> {
    fn add_exists(
        &mut self,
        build: &mut Build<'_>,
        name: &str,
        description: &str,
        hop: Hop,
        subject: &str,
    ) {
        let Some(boolean) = build.scalar("Boolean") else { return };
        if let Err(note) = self.names.claim(name, Claimant { subject, what: "filter" }) {
            build.note(note);
            return;
        }
        let binding = self.options.value(FilterRole::Exists(hop));
        build.api.add_input_field(self.r#type, input(name, description, boolean), binding);
    }
}
