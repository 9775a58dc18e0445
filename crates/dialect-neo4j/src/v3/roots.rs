//! The fields of the root types: lists, connections and aggregates of nodes, and their changes.

use super::related::default_limit;
use super::roles::limit;
use super::searches::search_argument;
use super::unserved;
use crate::model::Target;
use crate::shared::builder::Builder;
use crate::shared::draft::{DraftField, DraftInput};
use crate::shared::mutations::{Mutations, add_mutations};
use crate::shared::rows::{EDGES_LAST, add_edge, add_page, filter};
use api::binding::{ArgumentRole, FieldBinding, RowsBinding, RowsForm, RowsFrom, WriteRole};

/// Nested writes of an update: its arguments, with the ends of their types' names.
const NESTED: [(&str, &str); 5] = [
    ("connect", "ConnectInput"),
    ("disconnect", "DisconnectInput"),
    ("create", "RelationInput"),
    ("delete", "DeleteInput"),
    ("connectOrCreate", "ConnectOrCreateInput"),
];

/// Adds the root fields of a node type.
pub(super) fn add_root_fields(build: &mut Builder<'_>, place: usize) {
    let node = &build.model.nodes[place];
    if node.offers.read {
        add_list(build, place);
        add_connection(build, place);
    }
    if node.offers.aggregate {
        let name = format!("{}Aggregate", build.names(Target::Node(place)).plural);
        let r#type = format!("{}AggregateSelection!", node.name);
        let field = DraftField::new(&name, &r#type, rows(build, place, RowsForm::Aggregate))
            .argument(filter(build, Target::Node(place)));
        add_query(build, place, field);
    }
    let deprecated = node.deprecated.as_ref();
    let facts = Mutations { nested: &NESTED, role: WriteRole::FurtherWrites, deprecated };
    add_mutations(build, place, &facts);
}

fn add_list(build: &mut Builder<'_>, place: usize) {
    let node = &build.model.nodes[place];
    let name = &build.names(Target::Node(place)).plural;
    let binding = rows(build, place, RowsForm::List);
    let options = format!("{}Options", node.name);
    let field = DraftField::new(name, &format!("[{}!]!", node.name), binding)
        .argument(filter(build, Target::Node(place)))
        .argument(DraftInput::lenient("options", &options, ArgumentRole::Options));
    add_query(build, place, field);
}

fn add_connection(build: &mut Builder<'_>, place: usize) {
    let node = &build.model.nodes[place];
    let edge = format!("{}Edge", node.name);
    add_edge(build, &edge, &node.name);
    let names = build.names(Target::Node(place));
    let connection = format!("{}Connection", names.pascal_plural());
    let name = format!("{}Connection", names.plural);
    add_page(build, &connection, &edge, EDGES_LAST);
    let binding = rows(build, place, RowsForm::Connection);
    let mut field = DraftField::new(&name, &format!("{connection}!"), binding)
        .argument(DraftInput::new("first", "Int", limit(node.limit.max)))
        .argument(DraftInput::lenient("after", "String", ArgumentRole::AfterOffset))
        .argument(filter(build, Target::Node(place)));
    let sort = format!("{}Sort", node.name);
    if build.draft.has(&sort) {
        let sort = DraftInput::lenient("sort", &format!("[{sort}]"), ArgumentRole::Sort);
        field = field.argument(sort);
    }
    add_query(build, place, field);
}

/// Adds a field of the query root, which may search.
fn add_query(build: &mut Builder<'_>, place: usize, mut field: DraftField) {
    field.arguments.extend(search_argument(build, place));
    let deprecated = build.model.nodes[place].deprecated.as_ref();
    build.draft.add_field("Query", field.deprecated(deprecated));
}

fn rows(build: &Builder<'_>, place: usize, form: RowsForm) -> FieldBinding {
    match build.placed.nodes.get(place) {
        Some(node) => FieldBinding::Rows(RowsBinding {
            from: RowsFrom::Entity,
            entity: node.entity,
            form,
            default_limit: default_limit(build, place, form),
        }),
        None => unserved("A type of nodes without a place"),
    }
}
