//! The API of versions 3.18 to 3.20: lists with `options`, aggregates beside them, relationships to
//! one node, and operators as the ends of names.
//!
//! * `build.rs`: what every part needs; `classes.rs`: the order of properties; `relations.rs`:
//!   relationships and their names; `texts.rs`: what the schema says
//! * `objects.rs`: what is stored, `related.rs` and `connections.rs`: what it is related to
//! * `variants.rs`: nodes of several types in one list; `ways.rs`: what leads to such where nodes are
//!   changed
//! * `conditions.rs`, `orders.rs`: which rows and in which order; `roles.rs`: what those mean
//! * `aggregates.rs`, `made_conditions.rs`: of many rows together
//! * `changes`: what requests say of nodes that are changed; `rules.rs`: what holds afterwards
//! * `roots.rs`: the root types; `searches.rs`: full-text indexes; `statements.rs`: fields that
//!   statements of the author give; `not_served.rs`: definitions that are refused
//!
//! The library makes types one after the other and gives them fields whenever it comes across one.
//! Here it is the same: a type that is wanted is made, and a field that is there already is
//! replaced where it stands.

mod aggregates;
mod build;
mod changes;
mod classes;
mod conditions;
mod connections;
mod made_conditions;
mod not_served;
mod objects;
mod orders;
mod related;
mod relations;
mod roles;
mod roots;
mod rules;
mod searches;
mod statements;
mod texts;
mod variants;
mod ways;

use crate::model::{ApiVersion, Model, Placed, Target};
use crate::shared::text_filters::TextFilter;
use crate::shared::{coalesced, global_ids, own_types, values};
use api::binding::{FieldBinding, FilterRole, InputBinding};
use api::{Api, ApiBuilder};
use build::Build;
pub use not_served::not_served;
use relations::{Owner, Relation};
use roles::Values;

/// What may be chosen of the API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Operators on texts beside those that there always are.
    pub filters: Vec<TextFilter>,
}

/// Makes the API of type definitions, of which the catalog holds what `placed` says.
#[must_use]
pub fn api(model: &Model, placed: &Placed, options: &Options) -> Api {
    let mut build = Build::new(model, placed, options);
    own_types::define(&mut build.draft, model, ApiVersion::V3);
    build.add_query_options();
    build.add_global_ids();
    build.add_statement_inputs();
    for place in 0..model.properties.len() {
        build.properties_type(place);
    }
    for place in 0..model.nodes.len() {
        build.node_type(place);
    }
    for place in 0..model.interfaces.len() {
        build.interface_type(place);
    }
    for place in 0..model.nodes.len() {
        build.relations(Owner::Node(place));
    }
    build.add_unions();
    for place in 0..model.nodes.len() {
        let name = &model.nodes[place].name;
        build.fill(&format!("{name}UpdateInput"));
        build.fill(&format!("{name}CreateInput"));
        build.add_searches(place);
        build.add_root_fields(place);
    }
    build.add_statement_roots();
    let mut builder = ApiBuilder::default();
    build.draft.finish(&mut builder);
    for variants in build.finished_variants(builder.schema()) {
        builder.add_variants(variants);
    }
    builder.add_ways(build.finished_ways());
    values::bind(&mut builder, model, placed, ApiVersion::V3);
    coalesced::bind(&mut builder, model, placed, ApiVersion::V3);
    global_ids::bind(&mut builder, model, placed);
    rules::bind(&mut builder, model, placed);
    builder.finish()
}

/// What a field means that is in the schema and not served.
fn unserved(what: &str) -> FieldBinding {
    FieldBinding::Refused(format!("{what} is not served yet.").into())
}

impl<'m> Build<'m> {
    /// The types of the properties of relationships.
    fn properties_type(&mut self, place: usize) {
        let properties = &self.model.properties[place];
        self.add_properties(place);
        self.add_edge_orders(place);
        self.add_edge_values(place);
        let name = format!("{}Where", properties.name);
        self.add_conditions(&name, &properties.fields, Values::Edge(place));
    }

    /// The types of a node type that its relationships have nothing to do with.
    fn node_type(&mut self, place: usize) {
        let node = &self.model.nodes[place];
        self.add_object(place);
        self.add_node_orders(place);
        self.add_node_aggregates(place);
        let name = format!("{}Where", node.name);
        if self.global_id(place).is_some()
            && let Some(placed) = self.placed.nodes.get(place)
        {
            let role = FilterRole::IsGlobalId(placed.entity);
            self.put(&name, "id", "ID", InputBinding::lenient(role));
        }
        self.add_conditions(&name, &node.fields, Values::Node(place));
        self.add_node_values(place);
    }

    /// The types of an interface. One that relationships lead to has inputs.
    fn interface_type(&mut self, place: usize) {
        self.add_interface(place);
        if self.is_target(place) {
            self.add_interface_orders(place);
            self.begin_interface(place);
            self.relations(Owner::Interface(place));
            self.end_interface(place);
        }
    }

    /// All that the relationships of a type bring along.
    fn relations(&mut self, owner: Owner) {
        let mut relations = Relation::all(self, owner);
        for relation in &mut relations {
            relation.variants = self.variants(relation);
            relation.several = self.ways(relation);
        }
        for relation in &relations {
            self.add_related_fields(relation);
            if let Target::Node(_) = relation.relationship.target {
                self.add_related_conditions(relation);
            }
            self.add_changes(relation);
        }
        for relation in &relations {
            self.add_connection(relation);
        }
    }
}

#[cfg(test)]
mod tests;
