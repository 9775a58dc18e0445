//! The fields that lead from nodes to others, and the connections of relationships.

use super::{objects, sort};
use crate::model::Target;
use crate::shared::builder::{Builder, Owner};
use crate::shared::draft::{DraftField, DraftInput};
use crate::shared::link::Link;
use crate::shared::rows::{self, EDGES_FIRST, add_edge, default_limit, filter};
use api::binding::{
    ArgumentRole, ConnectionField, EdgeField, FieldBinding, FilterRole, RowsBinding, RowsForm,
    RowsFrom,
};

/// Adds the fields of a link to its owner, and the types that they lead to.
pub(super) fn fields(build: &mut Builder<'_>, link: &Link<'_>) {
    let owner = build.name(link.owner.into());
    if link.is_shown() {
        let field = nodes(build, link);
        build.draft.add_field(owner, field);
    }
    if link.is_shown() || link.is_aggregated() {
        let field = connection(build, link);
        build.draft.add_field(owner, field);
    }
}

/// `actors(where: …): [Person!]!`, or `director: Person`.
fn nodes(build: &mut Builder<'_>, link: &Link<'_>) -> DraftField {
    let target = link.declared_target;
    let one = build.name(link.target());
    let r#type = match (link.is_list(), link.relationship.is_required) {
        (true, true) => format!("[{one}!]!"),
        (true, false) => format!("[{one}!]"),
        (false, true) => format!("{one}!"),
        (false, false) => one.into(),
    };
    let limit = default_limit(build, link.target()).filter(|_| link.is_list());
    let form = if link.is_list() { RowsForm::List } else { RowsForm::First };
    let binding = match (link.paths, link.hop(), link.variants) {
        ([path], Some(hop), _) => FieldBinding::Rows(RowsBinding {
            from: RowsFrom::Nodes(hop),
            entity: path.entity,
            form,
            default_limit: limit,
        }),
        (_, _, Some(variants)) => variants.rows(form, true, limit),
        _ => objects::unserved(),
    };
    let field = DraftField::of(link.field, &r#type, binding);
    if !link.is_list() {
        return field;
    }
    let field = field
        .argument(filter(build, target))
        .argument(limited(build, "limit", link.target()))
        .argument(DraftInput::lenient("offset", "Int", ArgumentRole::Offset));
    match sort::name(build, target) {
        Some(sort) => field.argument(sorted(&sort)),
        None => field,
    }
}

/// `actorsConnection(where: …): MovieActorsConnection!`.
fn connection(build: &mut Builder<'_>, link: &Link<'_>) -> DraftField {
    connection_type(build, link);
    let limit = default_limit(build, link.target()).filter(|_| link.is_list());
    let binding = match (link.paths, link.hop(), link.variants) {
        (_, _, Some(variants)) => variants.rows(RowsForm::Connection, false, limit),
        ([path], Some(hop), None) => FieldBinding::Rows(RowsBinding {
            from: RowsFrom::Relation(hop),
            entity: path.entity,
            form: RowsForm::Connection,
            default_limit: limit,
        }),
        _ => objects::unserved(),
    };
    let r#type = format!("{}!", link.connection_type());
    super::related::connection_where(build, link);
    let field = DraftField::new(&link.connection_name(), &r#type, binding)
        .deprecated(link.field.deprecated.as_ref());
    if !link.is_list() {
        return field;
    }
    let field = field
        .argument(DraftInput::lenient(
            "where",
            &link.connection_where(None),
            FilterRole::Conditions,
        ))
        .argument(limited(build, "first", link.target()))
        .argument(DraftInput::lenient("after", "String", ArgumentRole::AfterOffset));
    match sort::connection(build, link) {
        Some(sort) => field.argument(sorted(&sort)),
        None => field,
    }
}

fn connection_type(build: &mut Builder<'_>, link: &Link<'_>) {
    let name = link.connection_type();
    if build.draft.has(&name) {
        return;
    }
    let edge = format!("{}Relationship", link.inherited);
    if link.is_shown() {
        edge_type(build, link, &edge);
    }
    add_connection(build, &name, link.is_shown().then_some(&*edge));
    if link.is_aggregated() {
        let aggregate = super::aggregates::link_name(build, link, "");
        add_aggregate(build, &name, &aggregate);
    }
}

/// `MovieActorsRelationship`, unless it is there.
fn edge_type(build: &mut Builder<'_>, link: &Link<'_>, name: &str) {
    if build.draft.has(name) {
        return;
    }
    let node = build.name(link.target());
    add_edge(build, name, node);
    let properties = match link.owner {
        _ if !link.has_properties() => return,
        Owner::Node(_) => link.edge.clone(),
        Owner::Interface(_) => format!("{name}Properties"),
    };
    let binding = FieldBinding::Edge(EdgeField::Properties);
    build.show(name, "properties", &format!("{properties}!"), binding);
}

/// Makes a type of connections, with its edges if they are shown.
pub(super) fn add_connection(build: &mut Builder<'_>, name: &str, edge: Option<&str>) {
    build.draft.object(name);
    if let Some(edge) = edge {
        rows::add_page(build, name, edge, EDGES_FIRST);
    }
}

/// Adds the aggregates of all rows to a type of connections.
pub(super) fn add_aggregate(build: &mut Builder<'_>, name: &str, aggregate: &str) {
    let binding = FieldBinding::Connection(ConnectionField::Aggregates);
    build.show(name, "aggregate", &format!("{aggregate}!"), binding);
}

/// The argument that limits a list of nodes of a type, up to the maximum of the type.
pub(super) fn limited(build: &Builder<'_>, name: &str, target: Target) -> DraftInput {
    let role = match rows::limit(build, target).max {
        Some(most) => ArgumentRole::LimitAtMost(most.into()),
        None => ArgumentRole::LimitUnlessZero,
    };
    DraftInput::lenient(name, length(build), role)
}

/// The type of arguments that limit lists.
pub(super) fn length(build: &Builder<'_>) -> &'static str {
    match build.options.limit_required {
        true => "Int!",
        false => "Int",
    }
}

pub(super) fn sorted(r#type: &str) -> DraftInput {
    DraftInput::lenient("sort", &format!("[{type}!]"), ArgumentRole::Sort)
}
