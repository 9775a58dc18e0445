//! Rows of root fields and of relationships: pages, edges and connections.

use super::builder::Builder;
use crate::model::{Limit, Target};
use crate::shared::draft::DraftInput;
use api::binding::{ConnectionField, EdgeField, FieldBinding, FilterRole};

/// Order of the fields of a connection.
pub(crate) const EDGES_FIRST: [&str; 3] = ["edges", "totalCount", "pageInfo"];
pub(crate) const EDGES_LAST: [&str; 3] = ["totalCount", "pageInfo", "edges"];

/// The limit of lists of a type; unions have none.
pub(crate) fn limit(build: &Builder<'_>, target: Target) -> Limit {
    let limit = match target {
        Target::Node(index) => build.model.nodes.get(index).map(|node| node.limit),
        Target::Interface(index) => build.model.interfaces.get(index).map(|one| one.limit),
        Target::Union(_) => None,
    };
    limit.unwrap_or_default()
}

/// The number of rows of a list where a request does not limit it.
pub(crate) fn default_limit(build: &Builder<'_>, target: Target) -> Option<u64> {
    let limit = limit(build, target);
    limit.default.or(limit.max).map(u64::from)
}

/// The argument with the conditions on the nodes of a list.
pub(crate) fn filter(build: &Builder<'_>, target: Target) -> DraftInput {
    DraftInput::lenient("where", &format!("{}Where", build.name(target)), FilterRole::Conditions)
}

/// Adds a type of edges that lead to nodes of a type.
pub(crate) fn add_edge(build: &mut Builder<'_>, name: &str, node: &str) {
    build.show(name, "cursor", "String!", FieldBinding::Edge(EdgeField::Cursor));
    build.show(name, "node", &format!("{node}!"), FieldBinding::Edge(EdgeField::Node));
}

/// Adds the page of a connection to its type.
pub(crate) fn add_page(build: &mut Builder<'_>, connection: &str, edge: &str, order: [&str; 3]) {
    let edges = format!("[{edge}!]!");
    for name in order {
        let (r#type, field) = match name {
            "totalCount" => ("Int!", ConnectionField::TotalCount),
            "pageInfo" => ("PageInfo!", ConnectionField::PageInfo),
            _ => (&*edges, ConnectionField::Edges),
        };
        build.show(connection, name, r#type, FieldBinding::Connection(field));
    }
}
