//! Inputs of nested writes along relationships to the nodes of a union: an object with a field for
//! each type.

use super::nodes::{add_connect_or_create, along, done_along, edge_update};
use super::{
    CONNECT, Nodes, along_edge, along_node, edge_create, edge_input, further, nested_write,
    put_steps,
};
use crate::shared::attribute::attributes;
use crate::shared::builder::{Builder, Owner};
use crate::shared::link::Link;
use crate::shared::nested::{Step, add_connect_where};
use crate::v3::classes::{has_relationships, unique};
use crate::v3::roles::{filter, of_variant};
use api::binding::NestedWriteVerb;

/// Ends of the names of types for the relationship and for each member.
const WORDS: [(&str, &str); 5] = [
    ("ConnectInput", "ConnectFieldInput"),
    ("CreateInput", "FieldInput"),
    ("DeleteInput", "DeleteFieldInput"),
    ("DisconnectInput", "DisconnectFieldInput"),
    ("UpdateInput", "UpdateFieldInput"),
];

pub(super) fn add_changes_of_union<'m>(build: &mut Builder<'m>, link: &Link<'m>) {
    let source = link.source;
    for (all, _) in WORDS {
        build.draft.input(&link.own(all));
    }
    build.draft.input(&link.own("CreateFieldInput"));
    let all = build.variant_types(link.target());
    for member in &all {
        add_member_changes(build, link, (&all, *member));
    }
    let field = link.name();
    if let Owner::Node(_) = link.owner {
        let create = link.own("CreateInput");
        let binding = along(build, link);
        build.put(&format!("{source}CreateInput"), field, &create, binding);
    }
    let create = link.own("CreateFieldInput");
    let binding = done_along(build, link, NestedWriteVerb::Create);
    build.put(&format!("{source}RelationInput"), field, &create, binding);
    let binding = along(build, link);
    build.put(&format!("{source}UpdateInput"), field, &link.own("UpdateInput"), binding);
    for (all, verb) in [
        ("ConnectInput", NestedWriteVerb::ConnectOnce),
        ("DeleteInput", NestedWriteVerb::Delete),
        ("DisconnectInput", NestedWriteVerb::Disconnect),
    ] {
        let binding = done_along(build, link, verb);
        build.put(&format!("{source}{all}"), field, &link.own(all), binding);
    }
}

fn add_member_changes<'m>(
    build: &mut Builder<'m>,
    link: &Link<'m>,
    (all, member): (&[usize], usize),
) {
    let of_member = || of_variant(all, member);
    let node = &build.model.nodes[member];
    let name = &node.name;
    let own = |suffix: &str| link.own(&format!("{name}{suffix}"));
    let listed = |suffix: &str| link.one_or_list(&own(suffix));
    let is_required = edge_input(build, link).is_required;
    let edge = edge_create(build, link, is_required);
    let r#where = format!("{}{name}ConnectionWhere", link.shared(""));

    let create = own("CreateFieldInput");
    build.put(&create, "node", &format!("{name}CreateInput!"), along_node());
    let connect = own("ConnectFieldInput");
    let connect_where = add_connect_where(build, name);
    build.put(&connect, "where", &connect_where, filter());
    if has_relationships(node) {
        let r#type = link.one_or_list(&format!("{name}ConnectInput"));
        build.put(&connect, "connect", &r#type, further());
    }
    if let Some(edge) = &edge {
        build.put(&create, "edge", edge, along_edge());
        build.put(&connect, "edge", edge, along_edge());
    }
    for (all, word) in WORDS {
        // New nodes stand in one object, not in a list.
        let r#type = match all {
            "CreateInput" => own(word),
            _ => listed(word),
        };
        build.put(&link.own(all), name, &r#type, of_member());
    }
    let of_create = link.own("CreateFieldInput");
    build.put(&of_create, name, &listed("CreateFieldInput"), of_member());

    let update = own("UpdateConnectionInput");
    if let Some(edge) = edge_update(build, link) {
        build.put(&update, "edge", &edge, along_edge());
    }
    build.put(&update, "node", &format!("{name}UpdateInput"), along_node());

    let of_update = own("UpdateFieldInput");
    build.put(&of_update, "where", &r#where, filter());
    build.put(
        &of_update,
        "update",
        &update,
        nested_write(Nodes::Found, None, NestedWriteVerb::Update),
    );
    let of_new = own("FieldInput");
    let steps = [CONNECT, Step::DISCONNECT, Step::CREATE, Step::DELETE];
    put_steps(build, link, (&of_update, Nodes::Found), &steps, own);
    put_steps(build, link, (&of_new, Nodes::New), &[Step::CREATE, CONNECT], own);
    for Step { field, name: word, .. } in [Step::DELETE, Step::DISCONNECT] {
        let parent = own(&format!("{word}FieldInput"));
        build.put(&parent, "where", &r#where, filter());
        if has_relationships(node) {
            build.put(&parent, field, &format!("{name}{word}Input"), further());
        }
    }
    if unique(&attributes(build, Owner::Node(member))).is_empty() {
        return;
    }
    let prefix = format!("{}{name}", link.shared(""));
    let r#type = add_connect_or_create(build, link, member, &prefix);
    for (parent, nodes) in [(&of_update, Nodes::Found), (&of_new, Nodes::New)] {
        let binding = nested_write(nodes, None, NestedWriteVerb::ConnectOrCreate);
        build.put(parent, "connectOrCreate", &r#type, binding);
    }
    let of_all = link.own("ConnectOrCreateInput");
    build.put(&of_all, name, &r#type, of_member());
    let parent = format!("{}ConnectOrCreateInput", link.source);
    let binding = done_along(build, link, NestedWriteVerb::ConnectOrCreate);
    build.put(&parent, link.name(), &of_all, binding);
}
