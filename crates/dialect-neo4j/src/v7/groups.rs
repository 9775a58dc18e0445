//! `groupBy` of connections: all nodes in groups, by fields that say `@groupBy`.

use super::conditions::several;
use crate::shared::attribute::attributes;
use crate::shared::builder::{Builder, Owner};
use crate::shared::draft::{DraftField, DraftInput};
use api::binding::{ArgumentRole, ConnectionField, EdgeField, FieldBinding, InputBinding};

/// Adds the field to a type of connections of a node type, if there is anything to group by.
pub(super) fn add(build: &mut Builder<'_>, node: usize, connection: &str) {
    let owner = Owner::Node(node);
    let mut attributes = attributes(build, owner);
    attributes.retain(|attribute| attribute.field.offers.grouped);
    if attributes.is_empty() {
        return;
    }
    let own = build.name(owner.into());
    let (group, input) = (format!("{own}GroupBy"), format!("{own}GroupByInput"));
    let edge = format!("{group}Edge");
    let binding = FieldBinding::Edge(EdgeField::Node);
    build.show(&edge, "node", &format!("{own}!"), binding);
    let binding = FieldBinding::Connection(ConnectionField::Edges);
    build.show(&group, "edges", &format!("[{edge}!]!"), binding);
    for attribute in &attributes {
        let binding = match attribute.origin.place() {
            Some(place) => InputBinding::lenient(ArgumentRole::GroupField(Box::new(place))),
            None => several(),
        };
        build.put(&input, attribute.name(), "Boolean", binding);
    }
    let binding = FieldBinding::Connection(ConnectionField::RowGroups);
    let field = DraftField::new("groupBy", &format!("[{group}!]!"), binding)
        .argument(DraftInput::lenient("fields", &format!("{input}!"), ArgumentRole::GroupFields));
    build.draft.add_field(connection, field);
}
