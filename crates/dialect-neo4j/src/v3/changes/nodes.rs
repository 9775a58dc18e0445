//! Inputs of nested writes along relationships to nodes of one type.

use super::values::add_absent_values;
use super::{CONNECT, Nodes, along_edge, along_node, edge_create, edge_input, nested_write, rank};
use crate::shared::attribute::attributes;
use crate::shared::builder::{Builder, Owner};
use crate::shared::draft::DraftInput;
use crate::shared::link::Link;
use crate::shared::nested::{Step, add_connect_where};
use crate::v3::classes::{has_relationships, unique};
use crate::v3::descriptions::OVERWRITE;
use crate::v3::roles::filter;
use api::binding::{InputBinding, MultiEntityRole, NestedRelationship, NestedWriteVerb, WriteRole};
use graphql::value::Const;

pub(super) fn add_changes_of_nodes<'m>(build: &mut Builder<'m>, link: &Link<'m>, node: usize) {
    let model = build.model;
    let node_type = &model.nodes[node];
    let (source, reason) = (link.source, link.reason());
    let of_create = link.shared("FieldInput");
    let of_update = link.shared("UpdateFieldInput");
    build.draft.input(&of_create);
    let r#where = link.shared("ConnectionWhere");
    build.put(&of_update, "where", &r#where, filter());
    if let Owner::Node(_) = link.owner {
        let binding = along(build, link);
        let field = link.name();
        build.put_for(&format!("{source}CreateInput"), field, &of_create, binding, reason);
    }
    let all_parents = [(&*of_update, Nodes::Found), (&*of_create, Nodes::New)];
    let nested = link.relationship.nested;
    let has_unique = !unique(&attributes(build, Owner::Node(node))).is_empty();
    if nested.connect_or_create && has_unique {
        let r#type = add_connect_or_create(build, link, node, &link.shared(""));
        for (parent, nodes) in all_parents {
            let binding = nested_write(nodes, None, NestedWriteVerb::ConnectOrCreate);
            build.put(parent, "connectOrCreate", &r#type, binding);
        }
    }
    if nested.create {
        let name = link.shared("CreateFieldInput");
        build.put(&name, "node", &format!("{}CreateInput!", node_type.name), along_node());
        put_new_edge(build, link, &name);
        put_done(build, link, Step::CREATE, &all_parents, "RelationInput");
    }
    if nested.connect {
        add_connect_field(build, link, node);
        put_done(build, link, CONNECT, &all_parents, "ConnectInput");
    }
    if nested.update {
        let listed = link.one_or_list(&of_update);
        let binding = along(build, link);
        let parent = format!("{source}UpdateInput");
        build.put_for(&parent, link.name(), &listed, binding, reason);
        let update = link.shared("UpdateConnectionInput");
        build.put(&update, "node", &format!("{}UpdateInput", node_type.name), along_node());
        if let Some(edge) = edge_update(build, link) {
            build.put(&update, "edge", &edge, along_edge());
        }
        let binding = nested_write(Nodes::Found, None, NestedWriteVerb::Update);
        build.put(&of_update, "update", &update, binding);
    }
    for (is_offered, word) in [(nested.delete, Step::DELETE), (nested.disconnect, Step::DISCONNECT)]
    {
        if !is_offered {
            continue;
        }
        let all = format!("{}Input", word.name);
        put_done(build, link, word, &[(&of_update, Nodes::Found)], &all);
        let name = link.shared(&format!("{}FieldInput", word.name));
        build.put(&name, "where", &r#where, filter());
        if has_relationships(node_type) {
            let further = format!("{}{}Input", node_type.name, word.name);
            build.put_lenient(&name, word.field, &further, WriteRole::FurtherWrites);
        }
    }
    if has_unique {
        let name = link.shared("ConnectOrCreateFieldInput");
        let parent = format!("{source}ConnectOrCreateInput");
        let listed = link.one_or_list(&name);
        let binding = done_along(build, link, NestedWriteVerb::ConnectOrCreate);
        build.put(&parent, link.name(), &listed, binding);
    }
}

/// Adds the input of nodes that are connected, or created if there are none, with names that begin
/// with `prefix`; returns its type, which may be a list.
pub(super) fn add_connect_or_create<'m>(
    build: &mut Builder<'m>,
    link: &Link<'m>,
    node: usize,
    prefix: &str,
) -> String {
    let own = &build.model.nodes[node].name;
    let name = format!("{prefix}ConnectOrCreateFieldInput");
    let on_create = format!("{name}OnCreate");
    let values = add_absent_values(build, node);
    build.put(&on_create, "node", &format!("{values}!"), along_node());
    put_new_edge(build, link, &on_create);
    let r#where = format!("{own}ConnectOrCreateWhere");
    build.put_lenient(&r#where, "node", &format!("{own}UniqueWhere!"), WriteRole::NestedKey);
    build.put_lenient(&name, "where", &format!("{}!", r#where), WriteRole::Inputs);
    build.put_lenient(&name, "onCreate", &format!("{on_create}!"), WriteRole::Inputs);
    link.one_or_list(&name)
}

fn add_connect_field<'m>(build: &mut Builder<'m>, link: &Link<'m>, node: usize) {
    let node = &build.model.nodes[node];
    let name = link.shared("ConnectFieldInput");
    let r#where = add_connect_where(build, &node.name);
    build.put(&name, "where", &r#where, filter());
    if has_relationships(node) {
        let further = link.one_or_list(&format!("{}ConnectInput", node.name));
        build.put_lenient(&name, "connect", &further, WriteRole::FurtherWrites);
    }
    put_new_edge(build, link, &name);
    let (source, field) = (link.source, link.name());
    let one = if link.is_list() { " for a specific " } else { "" };
    let other = if link.is_list() { &*node.name } else { "" };
    let otherwise = format!("{source}.{field} required exactly once{one}{other}").into();
    let binding = InputBinding::lenient(WriteRole::Overwrite { otherwise });
    let overwrite = DraftInput::new("overwrite", "Boolean!", binding);
    let overwrite = overwrite.described(OVERWRITE).defaulted(Const::Boolean(true));
    build.draft.add_input(&name, overwrite);
}

fn put_new_edge<'m>(build: &mut Builder<'m>, link: &Link<'m>, parent: &str) {
    let is_required = edge_input(build, link).is_required;
    if let Some(edge) = edge_create(build, link, is_required) {
        build.put_lenient(parent, "edge", &edge, WriteRole::NestedEdge);
    }
}

/// The type of the input for the properties of a relationship that is updated.
pub(super) fn edge_update(build: &Builder<'_>, link: &Link<'_>) -> Option<String> {
    edge_input(build, link).is_there.then(|| format!("{}UpdateInput", link.edge))
}

/// Adds a nested write to the inputs of a relationship, and to the input for all relationships of
/// the owner.
fn put_done<'m>(
    build: &mut Builder<'m>,
    link: &Link<'m>,
    word: Step,
    parents: &[(&str, Nodes)],
    all: &str,
) {
    let name = link.shared(&format!("{}FieldInput", word.name));
    let listed = link.one_or_list(&name);
    for (parent, nodes) in parents {
        build.put(parent, word.field, &listed, nested_write(*nodes, None, word.verb));
    }
    let binding = done_along(build, link, word.verb);
    let parent = format!("{}{all}", link.source);
    build.put_for(&parent, link.name(), &listed, binding, link.reason());
}

pub(super) fn done_along<'m>(
    build: &Builder<'m>,
    link: &Link<'m>,
    verb: NestedWriteVerb,
) -> InputBinding {
    match (change_path(build, link), link.change_paths) {
        (Some(path), _) => nested_write(Nodes::Found, Some(path), verb),
        (None, Some(relationships)) => {
            InputBinding::lenient(WriteRole::Several(MultiEntityRole::NestedWrite {
                relationships,
                verb,
                rank: rank(Nodes::Found, verb),
            }))
        }
        (None, None) => super::nowhere(),
    }
}

pub(super) fn along<'m>(build: &Builder<'m>, link: &Link<'m>) -> InputBinding {
    match (change_path(build, link), link.change_paths) {
        (Some(path), _) => InputBinding::lenient(WriteRole::NestedWrites(path)),
        (None, Some(relationships)) => {
            InputBinding::lenient(WriteRole::Several(MultiEntityRole::Among { relationships }))
        }
        (None, None) => super::nowhere(),
    }
}

/// The path of changes along a relationship: as it is written.
fn change_path(build: &Builder<'_>, link: &Link<'_>) -> Option<NestedRelationship> {
    link.path().map(|path| link.written(build, &path, path.written))
}
