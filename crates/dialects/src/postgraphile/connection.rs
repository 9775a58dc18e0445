//! Connections: a page of rows with cursors and a count.

use graphql::schema::{FieldDefinition, TypeId, TypeRef};

use super::build::{Build, field, object};
use super::claims::Claimant;
use super::entity::{Served, has_collection};
use super::{SimpleCollections, descriptions};
use crate::binding::{ConnectionField, EdgeField, FieldBinding, PageInfoField};

/// Adds the connection type of an entity and its edge type. `None` if there are no connections,
/// or if a name is taken.
pub(super) fn add(build: &mut Build<'_>, one: &Served<'_>, row: TypeId) -> Option<TypeId> {
    if !has_collection(build, one, SimpleCollections::has_connections) {
        return None;
    }
    let subject = build.entity_name(one.entity.id);
    let (name, edge_name) =
        (build.inflection.connection_type(&one.name), build.inflection.edge_type(&one.name));
    for (name, what) in [(&name, "connection type"), (&edge_name, "edge type")] {
        if let Err(note) = build.types.claim(name, Claimant { subject: &subject, what }) {
            build.note_with(note, |build| build.rename_entity(one.entity.id));
            return None;
        }
    }
    let (cursor, int) = (build.scalar("Cursor")?, build.scalar("Int")?);
    let page_info = page_info(build)?;
    let node = TypeRef::named(row).non_null_if(!build.options.setof_functions_contain_nulls);

    let description = descriptions::connection(&one.name);
    let connection = build.add_type(&name, Some(description.into()), object(Vec::new()))?;
    let description = descriptions::edge(&one.name);
    let edge = build.add_type(&edge_name, Some(description.into()), object(Vec::new()))?;
    let edges = TypeRef::named(edge).non_null().list().non_null();
    let fields: [(FieldDefinition, FieldBinding); 4] = [
        (
            field("nodes", &descriptions::nodes(&one.name), node.list().non_null()),
            FieldBinding::Connection(ConnectionField::Nodes),
        ),
        (
            field("edges", &descriptions::edges(&one.name), edges),
            FieldBinding::Connection(ConnectionField::Edges),
        ),
        (
            field("pageInfo", descriptions::PAGE_INFO_FIELD, page_info.non_null()),
            FieldBinding::Connection(ConnectionField::PageInfo),
        ),
        (
            field("totalCount", &descriptions::total_count(&one.name), int.non_null()),
            FieldBinding::Connection(ConnectionField::TotalCount),
        ),
    ];
    for (definition, binding) in fields {
        build.api.add_field(connection, definition, binding);
    }
    build.api.add_field(
        edge,
        field("cursor", descriptions::CURSOR, cursor),
        FieldBinding::Edge(EdgeField::Cursor),
    );
    let field = field("node", &descriptions::edge_node(&one.name), node);
    build.api.add_field(edge, field, FieldBinding::Edge(EdgeField::Node));
    Some(connection)
}

/// The type of page information, made when the first connection needs it.
fn page_info(build: &mut Build<'_>) -> Option<TypeRef> {
    if let Some(known) = build.api.schema().find_type("PageInfo") {
        return Some(TypeRef::named(known));
    }
    let (cursor, boolean) = (build.scalar("Cursor")?, build.scalar("Boolean")?.non_null());
    let description = Some(descriptions::PAGE_INFO.into());
    let page_info = build.add_type("PageInfo", description, object(Vec::new()))?;
    let fields = [
        (
            "hasNextPage",
            descriptions::HAS_NEXT_PAGE,
            boolean,
            FieldBinding::PageInfo(PageInfoField::HasNextPage),
        ),
        (
            "hasPreviousPage",
            descriptions::HAS_PREVIOUS_PAGE,
            boolean,
            FieldBinding::PageInfo(PageInfoField::HasPreviousPage),
        ),
        (
            "startCursor",
            descriptions::START_CURSOR,
            cursor,
            FieldBinding::PageInfo(PageInfoField::StartCursor),
        ),
        (
            "endCursor",
            descriptions::END_CURSOR,
            cursor,
            FieldBinding::PageInfo(PageInfoField::EndCursor),
        ),
    ];
    for (name, description, r#type, binding) in fields {
        build.api.add_field(page_info, field(name, description, r#type), binding);
    }
    Some(TypeRef::named(page_info))
}
