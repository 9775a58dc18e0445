//! The API of versions 3.18 to 3.20: lists with `options`, aggregates beside them, relationships to
//! one node, and operators as the ends of names.
//!
//! * `classes.rs`: the order of properties; `descriptions.rs`: descriptions and reasons
//! * `objects.rs`: stored values; `related.rs` and `connections.rs`: relationships
//! * `conditions.rs`, `orders.rs`: filters and orders; `roles.rs`: their bindings
//! * `aggregates.rs`, `aggregate_conditions.rs`: aggregates, and conditions on these
//! * `changes`: inputs of mutations; `rules.rs`: the rules that nodes obey afterwards
//! * `roots.rs`: the root types; `searches.rs`: full-text indexes; `statements.rs`: `@cypher` fields
//!
//! The library makes types one after the other and gives them fields whenever it comes across one.
//! The order of fields follows from that, so the steps here do the same: a type is added when it is
//! first needed, and a field that exists is replaced in its place.

mod aggregate_conditions;
mod aggregates;
mod changes;
mod classes;
mod conditions;
mod connections;
mod descriptions;

mod objects;
mod orders;
mod related;
mod roles;
mod roots;
mod rules;
mod searches;
mod statements;

use crate::model::{ApiVersion, Model, Placed, Target};
use crate::shared::attribute::{attributes, edge_attributes};
use crate::shared::builder::{Builder, Owner};
use crate::shared::link::links;
use crate::shared::statements::{StatementFields, add_roots};
use crate::shared::text_filters::TextFilter;
use crate::shared::{
    coalesced, declared, global_ids, node_field, own_types, paths, values, variants,
};
use api::binding::{FieldBinding, WriteRole};
use api::{Api, ApiBuilder};

/// Options of the API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Operators on texts beside those that are always there.
    pub filters: Vec<TextFilter>,
}

/// Makes the API of type definitions, whose ids in the catalog `placed` has.
#[must_use]
pub fn api(model: &Model, placed: &Placed, options: &Options) -> Api {
    let options =
        crate::shared::builder::Options { filters: options.filters.clone(), ..Default::default() };
    let build = &mut Builder::new(model, placed, ApiVersion::V3, options);
    own_types::define(&mut build.draft, model, ApiVersion::V3);
    orders::add_query_options(build);
    node_field::root(build, crate::shared::objects::in_interface());
    StatementFields::of(build).add_inputs(&mut build.draft);
    for place in 0..model.properties.len() {
        properties_type(build, place);
    }
    for place in 0..model.nodes.len() {
        node_type(build, place);
    }
    for place in 0..model.interfaces.len() {
        interface_type(build, place);
    }
    for place in 0..model.nodes.len() {
        relationships(build, Owner::Node(place));
    }
    objects::add_unions(build);
    for (place, node) in model.nodes.iter().enumerate() {
        build.fill(&format!("{}UpdateInput", node.name), WriteRole::Inputs);
        build.fill(&format!("{}CreateInput", node.name), WriteRole::Inputs);
        searches::add_searches(build, place);
        roots::add_root_fields(build, place);
    }
    add_roots(build);
    declared::fill(build);
    paths::fill(build);
    let mut builder = ApiBuilder::default();
    build.draft.finish(&mut builder);
    variants::finish(&mut builder, build);
    builder.add_relationship_variants(std::mem::take(&mut build.paths));
    values::bind(&mut builder, model, placed, ApiVersion::V3);
    coalesced::bind(&mut builder, model, placed, ApiVersion::V3);
    global_ids::bind(&mut builder, model, placed);
    rules::bind(&mut builder, build);
    builder.finish()
}

/// The binding of a field that is in the schema and not served.
fn unserved(what: &str) -> FieldBinding {
    FieldBinding::Refused(format!("{what} is not served yet.").into())
}

/// Adds the types of the properties of relationships.
fn properties_type(build: &mut Builder<'_>, place: usize) {
    let name = &*build.model.properties[place].name;
    let attributes = edge_attributes(build, place);
    objects::add_properties(build, name, &attributes);
    orders::add_edge_orders(build, name, &attributes);
    changes::add_edge_values(build, name, &attributes);
    let r#where = format!("{name}Where");
    build.put_logic(&r#where, ["OR", "AND", "NOT"]);
    conditions::add_conditions(build, &r#where, &attributes);
}

/// Adds the types of a node type that do not depend on its relationships.
fn node_type(build: &mut Builder<'_>, place: usize) {
    let owner = Owner::Node(place);
    let name = build.name(owner.into());
    let attributes = attributes(build, owner);
    objects::add_object(build, place, &attributes);
    orders::add_orders(build, owner, &attributes);
    aggregates::add_node_aggregates(build, name, &attributes);
    let r#where = format!("{name}Where");
    node_field::condition(build, place, &r#where, &attributes);
    build.put_logic(&r#where, ["OR", "AND", "NOT"]);
    conditions::add_conditions(build, &r#where, &attributes);
    changes::add_node_values(build, name, &attributes);
}

/// Adds the types of an interface. One that relationships lead to has inputs.
fn interface_type(build: &mut Builder<'_>, place: usize) {
    let owner = Owner::Interface(place);
    let attributes = attributes(build, owner);
    objects::add_interface(build, place, &attributes);
    if objects::is_target(build, place) {
        orders::add_orders(build, owner, &attributes);
        changes::begin_interface(build, place, &attributes);
        relationships(build, owner);
        changes::end_interface(build, place);
    }
}

/// Adds the types and fields of the relationships of a type.
fn relationships(build: &mut Builder<'_>, owner: Owner) {
    let mut links = links(build, owner);
    for link in &mut links {
        link.variants = variants::of_link(build, link);
        if !matches!((owner, link.target()), (Owner::Node(_), Target::Node(_))) {
            link.change_paths = Some(paths::add(build, link, link.target()));
        }
    }
    for link in &links {
        related::add_related_fields(build, link);
        if let Target::Node(_) = link.target() {
            related::add_related_conditions(build, link);
        }
        changes::add_changes(build, link);
    }
    for link in &links {
        connections::add_connection(build, link);
    }
}

#[cfg(test)]
mod tests;
