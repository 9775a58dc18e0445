//! The Relay API: connections, global ids, and the rows that they find.
//!
//! Tables with a primary key have `T_connection`, of which rows are edges with cursors; their rows
//! have an `id` that `node` finds them by. A column of the name `id` is in conditions and orders only.

use api::ApiBuilder;
use api::binding::{
    ArgumentRole, ConnectionField, EdgeField, FieldBinding, IdForm, InputBinding, NodeIdBinding,
    PageInfoField, RowsForm, RowsFrom,
};
use graphql::opaque::versioned_tag;
use hasura_metadata::naming::RootField;
use ir::Codec;

use super::rows::{described, rows, rows_of};
use super::{Build, functions};
use crate::draft::{DraftField, DraftInput};
use crate::plan::Planned;

/// The interface of rows with a global id.
pub(super) const NODE: &str = "Node";
/// The type of information about pages.
pub(super) const PAGE_INFO: &str = "PageInfo";
/// The global id.
pub(super) const ID: &str = "id";

/// The schema whose tables have no prefix, and the one of sources without schemas.
const DEFAULT_SCHEMA: &str = "public";

/// Adds the types of all connections.
pub(super) fn add_shared(build: &mut Build<'_>) {
    for scalar in ["ID", "String", "Boolean"] {
        build.draft.scalar(scalar);
    }
    let id = DraftField::new(ID, "ID!", FieldBinding::Same);
    let id = id.verbatim().described("A globally unique identifier");
    build.draft.interface(NODE, Some("An object with globally unique ID"), vec![id]);
    let field = |name, r#type: &str, field| {
        DraftField::new(name, r#type, FieldBinding::PageInfo(field)).verbatim()
    };
    let fields = vec![
        field("endCursor", "String!", PageInfoField::EndCursor),
        field("hasNextPage", "Boolean!", PageInfoField::HasNextPage),
        field("hasPreviousPage", "Boolean!", PageInfoField::HasPreviousPage),
        field("startCursor", "String!", PageInfoField::StartCursor),
    ];
    build.draft.object(PAGE_INFO, None, fields);
}

/// Adds the types of the connections of an entity, if its rows have ids.
pub(super) fn add(build: &mut Build<'_>, planned: &Planned<'_>) {
    if planned.key().is_none() {
        return;
    }
    let fields = vec![
        DraftField::new("cursor", "String!", FieldBinding::Edge(EdgeField::Cursor)).verbatim(),
        DraftField::new("node", format!("{}!", planned.name), FieldBinding::Edge(EdgeField::Node))
            .verbatim(),
    ];
    build.draft.object(&planned.edge_type(), None, fields);
    let fields = vec![
        DraftField::new(
            "edges",
            format!("[{}!]!", planned.edge_type()),
            FieldBinding::Connection(ConnectionField::Edges),
        )
        .verbatim(),
        DraftField::new(
            "pageInfo",
            format!("{PAGE_INFO}!"),
            FieldBinding::Connection(ConnectionField::PageInfo),
        )
        .verbatim(),
    ];
    let about = format!("A Relay connection object on \"{}\"", planned.described);
    build.draft.object(&planned.connection_type(), Some(&about), fields);
}

/// The global id of an entity's rows, if they have one.
pub(super) fn id_field(planned: &Planned<'_>) -> Option<DraftField> {
    let key = planned.key()?;
    let prefix = prefix(planned);
    let key = key.iter().map(|column| column.field.id).collect();
    let binding = FieldBinding::NodeId { prefix, key, form: IdForm::Versioned };
    Some(DraftField::new(ID, "ID!", binding).verbatim())
}

/// The field of related rows as a connection, if they have cursors.
pub(super) fn related(name: &str, target: &Planned<'_>, from: RowsFrom) -> Option<DraftField> {
    target.key()?;
    let binding = rows(from, target, RowsForm::Connection);
    let name = format!("{name}_connection");
    let field = DraftField::new(&name, format!("{}!", target.connection_type()), binding);
    Some(field.verbatim().with(arguments(target)).described("An array relationship connection"))
}

/// The field that finds a row of any table by its id.
pub(super) fn node_field() -> DraftField {
    let id = InputBinding::lenient(ArgumentRole::VersionedNodeId);
    let id = DraftInput::new(ID, "ID!", id).verbatim().described("A globally unique id");
    let node = DraftField::new("node", NODE, FieldBinding::Lookup { root: None });
    node.verbatim().with(vec![id])
}

/// The fields of the root types for tables and functions: connections.
pub(super) fn root_fields(build: &mut Build<'_>) -> Vec<DraftField> {
    let plan = build.plan;
    let mut fields = Vec::new();
    for planned in &plan.entities {
        let name = planned.connection_root();
        let from = RowsFrom::Entity;
        let Some(field) = connection(&name, planned, from, Vec::new()) else { continue };
        let about = format!("fetch data from the table: \"{}\"", planned.described);
        fields.push(described(field, planned, RootField::Select, about));
    }
    for function in plan.functions.iter().filter(|function| !function.is_mutation) {
        let target = &plan.entities[function.target];
        let given = functions::root_arguments(build, function);
        let from = RowsFrom::Function { function: function.call.function, of_row: false };
        let name = format!("{}_connection", function.name);
        let Some(field) = connection(&name, target, from, given) else { continue };
        fields.push(field.described(&function.description));
    }
    fields
}

fn connection(
    name: &str,
    target: &Planned<'_>,
    from: RowsFrom,
    mut given: Vec<DraftInput>,
) -> Option<DraftField> {
    target.key()?;
    given.append(&mut arguments(target));
    let binding = rows(from, target, RowsForm::Connection);
    let field = DraftField::new(name, format!("{}!", target.connection_type()), binding);
    Some(field.verbatim().with(given))
}

/// The arguments of a connection.
fn arguments(target: &Planned<'_>) -> Vec<DraftInput> {
    let argument = |name: &str, r#type: &str, role: ArgumentRole| {
        DraftInput::new(name, r#type, InputBinding::lenient(role)).verbatim()
    };
    let mut arguments = rows_of(target);
    arguments.extend([
        argument("after", "String", ArgumentRole::AfterMembers),
        argument("before", "String", ArgumentRole::BeforeMembers),
        argument("first", "Int", ArgumentRole::Limit),
        argument("last", "Int", ArgumentRole::Last),
    ]);
    arguments
}

/// Binds the ids of an entity's rows.
pub(super) fn bind(planned: &Planned<'_>, builder: &mut ApiBuilder) {
    let Some(key) = planned.key() else { return };
    let Some(r#type) = builder.schema().find_type(&planned.name) else { return };
    let binding = NodeIdBinding {
        form: IdForm::Versioned,
        prefix: prefix(planned),
        key: key.iter().map(|column| column.field.id).collect(),
        codec: Codec::Base64JsonArray,
        enforced: planned.entity.primary_key().is_some_and(|key| key.enforced),
        found: true,
        r#type,
    };
    builder.bind_node_id(planned.entity.id, binding);
}

/// The beginning of the ids of an entity's rows.
fn prefix(planned: &Planned<'_>) -> Box<str> {
    let schema = planned.entity.namespace.as_deref().unwrap_or(DEFAULT_SCHEMA);
    versioned_tag(schema, &planned.entity.name).into()
}
