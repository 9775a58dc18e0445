//! Rows of root fields and of relationships: pages, edges, connections, and the payloads of changes.

use catalog::EntityId;

use super::builder::Builder;
use crate::model::{Limit, Target};
use crate::shared::draft::DraftInput;
use crate::shared::naming::upper_first;
use api::binding::{
    Change, ConnectionField, EdgeField, FieldBinding, FilterRole, MutationBinding, MutationForm,
    PayloadField,
};

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

/// A change of nodes, which may return them.
pub(crate) fn change(change: Change, returned: Option<EntityId>) -> FieldBinding {
    FieldBinding::Mutation(Box::new(MutationBinding {
        change,
        returned,
        form: MutationForm::Payload,
        missing: None,
        unchanged: None,
    }))
}

/// Adds the type that a change of nodes returns: `CreateMoviesMutationResponse`.
pub(crate) fn add_response(build: &mut Builder<'_>, node: usize, verb: &str) -> String {
    let target = Target::Node(node);
    let names = build.names(target);
    let (several, field) = (names.pascal_plural(), names.plural.clone());
    let verb = upper_first(verb);
    let name = format!("{verb}{several}MutationResponse");
    let counters = FieldBinding::Payload(PayloadField::Counters);
    build.show(&name, "info", &format!("{verb}Info!"), counters);
    let rows = format!("[{}!]!", build.name(target));
    build.show(&name, &field, &rows, FieldBinding::Payload(PayloadField::Rows));
    name
}
