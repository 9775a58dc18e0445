//! Connections: a page of rows with cursors and a count.

use catalog::{Note, NoteKind};
use graphql::schema::{FieldDefinition, TypeId, TypeRef};

use super::build::{Build, field, object};
use super::claims::Claimant;
use super::entity::{Served, has_collection};
use super::{SimpleCollections, Version, descriptions};
use api::binding::{ConnectionField, EdgeField, FieldBinding, PageInfoField};

/// A connection and its rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connected<'a> {
    /// The object to rename.
    pub(super) subject: &'a str,
    /// The names of the types.
    pub(super) connection: &'a str,
    pub(super) edge: &'a str,
    /// The name of the rows.
    pub(super) item: &'a str,
    /// The name of the join rows.
    pub(super) through: Option<&'a str>,
    /// Their type.
    pub(super) row: TypeRef,
    pub(super) has_page_info: bool,
}

/// Adds the connection type of an entity and its edge type. `None` if there are no connections,
/// or if a name is taken.
pub(super) fn add(build: &mut Build<'_>, one: &Served<'_>, row: TypeId) -> Option<TypeId> {
    if !has_collection(build, one, SimpleCollections::has_connections) {
        return None;
    }
    let names = Names::of(build, one);
    let connected = names.connected(build, one, row);
    let added = add_types(build, &connected);
    added.map_err(|note| build.note_with(note, |build| build.rename_entity(one.entity.id))).ok()
}

/// Adds the edge type of an entity that has no connection.
pub(super) fn add_edge(build: &mut Build<'_>, one: &Served<'_>, row: TypeId) -> Option<TypeId> {
    let names = Names::of(build, one);
    let connected = names.connected(build, one, row);
    let claimant = Claimant { subject: connected.subject, what: "edge type" };
    if let Err(note) = build.types.claim(connected.edge, claimant) {
        build.note_with(note, |build| build.rename_entity(one.entity.id));
        return None;
    }
    make_edge(build, &connected)
}

/// The names around an entity's connection.
struct Names {
    subject: String,
    connection: String,
    edge: String,
}

impl Names {
    fn of(build: &Build<'_>, one: &Served<'_>) -> Self {
        Self {
            subject: build.entity_name(one.entity.id),
            connection: build.inflection.connection_type(&one.name),
            edge: build.inflection.edge_type(&one.name),
        }
    }

    fn connected<'a>(
        &'a self,
        build: &Build<'_>,
        one: &'a Served<'_>,
        row: TypeId,
    ) -> Connected<'a> {
        Connected {
            subject: &self.subject,
            connection: &self.connection,
            edge: &self.edge,
            item: &one.name,
            through: None,
            row: TypeRef::named(row).non_null_if(!build.options.setof_functions_contain_nulls),
            has_page_info: true,
        }
    }
}

/// Adds a connection type and its edge type; a note names a taken name.
pub(super) fn add_types(build: &mut Build<'_>, of: &Connected<'_>) -> Result<TypeId, Note> {
    for (name, what) in [(of.connection, "connection type"), (of.edge, "edge type")] {
        build.types.claim(name, Claimant { subject: of.subject, what })?;
    }
    make_types(build, of).ok_or_else(|| Note {
        kind: NoteKind::Collision,
        subject: of.subject.into(),
        message: format!("a type of every API has the name {}.", of.connection).into(),
        remedy: format!("rename {}.", of.subject).into(),
    })
}

/// Adds the types, whose names were claimed.
fn make_types(build: &mut Build<'_>, of: &Connected<'_>) -> Option<TypeId> {
    let int = build.scalar("Int")?;
    let page_info = if of.has_page_info { Some(page_info(build)?) } else { None };
    let (row, item) = (of.row, of.item);

    let description = descriptions::connection(item, of.through);
    let connection = build.add_type(of.connection, Some(description.into()), object(Vec::new()))?;
    let edge = make_edge(build, of)?;
    let is_four = build.options.version == Version::Four;
    let edges = TypeRef::named(edge).non_null_if(is_four).list().non_null();
    let mut fields: Vec<(FieldDefinition, ConnectionField)> = vec![
        (field("nodes", &descriptions::nodes(item), row.list().non_null()), ConnectionField::Nodes),
        (field("edges", &descriptions::edges(item, of.through), edges), ConnectionField::Edges),
    ];
    if let Some(page_info) = page_info {
        let definition = field("pageInfo", descriptions::PAGE_INFO_FIELD, page_info.non_null());
        fields.push((definition, ConnectionField::PageInfo));
    }
    let definition = field("totalCount", &descriptions::total_count(item), int.non_null());
    fields.push((definition, ConnectionField::TotalCount));
    for (definition, binding) in fields {
        build.api.add_plain_field(connection, definition, FieldBinding::Connection(binding));
    }
    Some(connection)
}

fn make_edge(build: &mut Build<'_>, of: &Connected<'_>) -> Option<TypeId> {
    let cursor = build.scalar("Cursor")?;
    let description = descriptions::edge(of.item, of.through);
    let edge = build.add_type(of.edge, Some(description.into()), object(Vec::new()))?;
    let definition = field("cursor", descriptions::CURSOR, cursor);
    build.api.add_plain_field(edge, definition, FieldBinding::Edge(EdgeField::Cursor));
    let node = field("node", &descriptions::edge_node(of.item), of.row);
    build.api.add_field(edge, node, FieldBinding::Edge(EdgeField::Node));
    Some(edge)
}

/// The type of page information, made lazily.
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
