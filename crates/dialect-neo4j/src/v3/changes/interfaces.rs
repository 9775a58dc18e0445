//! What is done along relationships to the nodes of an interface, and what is said of its nodes.

use super::nodes::{along, done_along, edge_update};
use super::values::{add_numbers, add_updated};
use super::{Nodes, along_edge, along_node, edge_create, edge_input, further, nested_write};
use crate::model::Target;
use crate::shared::attribute::Attribute;
use crate::shared::builder::{Builder, Owner};
use crate::shared::link::Link;
use crate::v3::classes::has_relationships;
use crate::v3::conditions::add_conditions;
use crate::v3::roles::{filter, of_variant, on_variant};
use api::binding::NestedWriteVerb;

/// What there is a type of for the node types of an interface.
const OF_IMPLEMENTATIONS: [&str; 5] =
    ["ConnectInput", "DeleteInput", "DisconnectInput", "UpdateInput", "Where"];

/// The types that lead from there along relationships.
const ALONG: [&str; 3] = ["ConnectInput", "DeleteInput", "DisconnectInput"];

/// The inputs of an interface that come before those of its relationships.
pub(in crate::v3) fn begin_interface(
    build: &mut Builder<'_>,
    place: usize,
    attributes: &[Attribute<'_>],
) {
    let name = build.name(Target::Interface(place));
    let of = |suffix: &str| format!("{name}Implementations{suffix}");
    for suffix in OF_IMPLEMENTATIONS {
        build.draft.input(&of(suffix));
    }
    let r#where = format!("{name}Where");
    build.draft.input(&r#where);
    add_conditions(build, &r#where, attributes);
    build.put(&r#where, "_on", &of("Where"), on_variant());
    build.draft.input(&format!("{name}CreateInput"));
    let update = format!("{name}UpdateInput");
    add_updated(build, &update, attributes);
    build.put(&update, "_on", &of("UpdateInput"), on_variant());
    add_numbers(build, &update, attributes);
}

/// Those that come after them.
pub(in crate::v3) fn end_interface(build: &mut Builder<'_>, place: usize) {
    let model = build.model;
    let name = &model.interfaces[place].name;
    let of = |suffix: &str| format!("{name}Implementations{suffix}");
    let all = build.variant_types(Target::Interface(place));
    for member in &all {
        let node = &model.nodes[*member];
        let own = &node.name;
        let binding = || of_variant(&all, *member);
        build.put(&of("Where"), own, &format!("{own}Where"), binding());
        if has_relationships(node) {
            for suffix in ALONG {
                build.put(&of(suffix), own, &format!("[{own}{suffix}!]"), binding());
            }
        }
        let create = format!("{name}CreateInput");
        build.put(&create, own, &format!("{own}CreateInput"), binding());
        build.put(&of("UpdateInput"), own, &format!("{own}UpdateInput"), binding());
    }
    for suffix in ALONG {
        if !build.draft.inputs_of(&of(suffix)).is_empty() {
            build.put(&format!("{name}{suffix}"), "_on", &of(suffix), on_variant());
        }
    }
    build.fill(&format!("{name}CreateInput"));
    build.fill(&format!("{name}UpdateInput"));
    for suffix in OF_IMPLEMENTATIONS {
        build.fill(&of(suffix));
    }
}

pub(super) fn add_changes_of_interface<'m>(build: &mut Builder<'m>, link: &Link<'m>, place: usize) {
    let name = &build.model.interfaces[place].name;
    let source = link.source;
    let own = |word: &str| link.own(word);
    let is_required = edge_input(build, link).has_required;
    let edge = edge_create(build, link, is_required);
    let r#where = link.shared("ConnectionWhere");

    let connect_where = format!("{name}ConnectWhere");
    build.put(&connect_where, "node", &format!("{name}Where!"), filter());
    let connect = own("ConnectFieldInput");
    put_further(build, &connect, "connect", &format!("{name}ConnectInput"));
    if let Some(edge) = &edge {
        build.put(&connect, "edge", edge, along_edge());
    }
    build.put(&connect, "where", &connect_where, filter());
    for (field, word) in [("delete", "Delete"), ("disconnect", "Disconnect")] {
        let parent = own(&format!("{word}FieldInput"));
        put_further(build, &parent, field, &format!("{name}{word}Input"));
        build.put(&parent, "where", &r#where, filter());
    }
    let create = own("CreateFieldInput");
    build.put(&create, "node", &format!("{name}CreateInput!"), along_node());
    if let Some(edge) = &edge {
        build.put(&create, "edge", edge, along_edge());
    }
    let update = own("UpdateConnectionInput");
    if let Some(edge) = edge_update(build, link) {
        build.put(&update, "edge", &edge, along_edge());
    }
    build.put(&update, "node", &format!("{name}UpdateInput"), along_node());

    let of_update = own("UpdateFieldInput");
    for (field, word, verb) in [
        ("connect", "Connect", NestedWriteVerb::ConnectOnce),
        ("create", "Create", NestedWriteVerb::Create),
        ("delete", "Delete", NestedWriteVerb::Delete),
        ("disconnect", "Disconnect", NestedWriteVerb::Disconnect),
    ] {
        let listed = link.one_or_list(&own(&format!("{word}FieldInput")));
        build.put(&of_update, field, &listed, nested_write(Nodes::Found, None, verb));
    }
    build.put(
        &of_update,
        "update",
        &update,
        nested_write(Nodes::Found, None, NestedWriteVerb::Update),
    );
    build.put(&of_update, "where", &r#where, filter());
    let of_create = link.shared("FieldInput");
    // A type that shares it with its interface takes what that has.
    if !build.draft.has(&of_create) {
        for (field, r#type, verb) in [
            ("create", &create, NestedWriteVerb::Create),
            ("connect", &connect, NestedWriteVerb::ConnectOnce),
        ] {
            let binding = nested_write(Nodes::New, None, verb);
            build.put(&of_create, field, &link.one_or_list(r#type), binding);
        }
    }

    let field = link.name();
    if let Owner::Node(_) = link.owner {
        let binding = along(build, link);
        build.put(&format!("{source}CreateInput"), field, &of_create, binding);
    }
    for (parent, word, verb) in [
        ("ConnectInput", "ConnectFieldInput", Some(NestedWriteVerb::ConnectOnce)),
        ("DeleteInput", "DeleteFieldInput", Some(NestedWriteVerb::Delete)),
        ("DisconnectInput", "DisconnectFieldInput", Some(NestedWriteVerb::Disconnect)),
        ("RelationInput", "CreateFieldInput", Some(NestedWriteVerb::Create)),
        ("UpdateInput", "UpdateFieldInput", None),
    ] {
        let binding = match verb {
            Some(verb) => done_along(build, link, verb),
            None => along(build, link),
        };
        let listed = link.one_or_list(&own(word));
        build.put(&format!("{source}{parent}"), field, &listed, binding);
    }
}

/// What is done from there on, if anything can be.
fn put_further(build: &mut Builder<'_>, parent: &str, field: &str, r#type: &str) {
    build.draft.input(parent);
    if build.draft.has(r#type) {
        build.put(parent, field, r#type, further());
    }
}
