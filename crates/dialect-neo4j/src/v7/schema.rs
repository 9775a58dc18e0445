//! The order in which the parts of the API are made.

use super::link::links;
use super::{
    Options, aggregate_conditions, aggregates, changes, conditions, connections, nested, objects,
    operators, related, root, searches, sort, statements, subscriptions, writes,
};
use crate::model::{ApiVersion, Model, Placed};
use crate::shared::attribute::attributes;
use crate::shared::builder::{Builder, Owner};
use crate::shared::draft::Draft;
use crate::shared::statements::add_roots;
use crate::shared::{coalesced, declared, global_ids, own_types, values, variants};
use api::{Api, ApiBuilder};

/// Makes the API of type definitions.
pub(super) fn build(model: &Model, placed: &Placed, options: Options) -> Api {
    let mut build = Builder::new(model, placed, ApiVersion::V7, options);
    define(&mut build);
    root::global_ids(&mut build);
    for union in 0..model.unions.len() {
        objects::union(&mut build, union);
        conditions::union(&mut build, union);
        root::union(&mut build, union);
    }
    for interface in 0..model.interfaces.len() {
        owner_types(&mut build, Owner::Interface(interface));
    }
    for node in 0..model.nodes.len() {
        owner_types(&mut build, Owner::Node(node));
    }
    add_roots(&mut build);
    declared::fill(&mut build);
    let mut builder = ApiBuilder::default();
    build.draft.finish(&mut builder);
    values::bind(&mut builder, model, placed, ApiVersion::V7);
    coalesced::bind(&mut builder, model, placed, ApiVersion::V7);
    global_ids::bind(&mut builder, model, placed);
    declared::bind(&mut builder, &build);
    variants::finish(&mut builder, &build);
    builder.add_relationship_variants(build.paths);
    subscriptions::note_authorization(&mut builder, model);
    builder.finish()
}

/// The types of the API of empty definitions.
pub(crate) fn fixed_types() -> Draft {
    let (model, placed) = (Model::default(), Placed::default());
    let mut build = Builder::new(&model, &placed, ApiVersion::V7, Options::default());
    define(&mut build);
    build.draft
}

/// Adds the types that do not depend on node types.
fn define(build: &mut Builder<'_>) {
    own_types::define(&mut build.draft, build.model, ApiVersion::V7);
    operators::define(build);
    aggregates::define(build);
    changes::define(build);
    statements::types(build);
}

/// All types of a node type, or of an interface.
fn owner_types(build: &mut Builder<'_>, owner: Owner) {
    let attributes = attributes(build, owner);
    conditions::owner(build, owner, &attributes);
    if let Owner::Node(node) = owner {
        searches::fields(build, node);
    }
    writes::inputs(build, owner, &attributes);
    objects::object(build, owner, &attributes);
    sort::owner(build, owner, &attributes);
    for mut link in links(build, owner) {
        link.variants = variants::of_link(build, &link);
        objects::properties(build, &link);
        aggregates::link(build, &link);
        related::conditions(build, &link);
        aggregate_conditions::conditions(build, &link);
        connections::fields(build, &link);
        nested::inputs(build, &link);
    }
    if let Owner::Node(node) = owner {
        subscriptions::events(build, node, &attributes);
    }
    writes::fill_empty(build, owner);
    aggregates::owner(build, owner, &attributes);
    root::owner(build, owner);
}
