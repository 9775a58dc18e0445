//! Inputs of nested writes along relationships to the nodes of an interface, and of its nodes.

use super::nodes::{along, done_along, edge_update};
use super::values::{add_numbers, add_updated};
use super::{
    CONNECT, Nodes, along_edge, along_node, edge_create, edge_input, further, nested_write,
    put_steps,
};
use crate::model::Target;
use crate::shared::attribute::Attribute;
use crate::shared::builder::{Builder, Owner};
use crate::shared::link::Link;
use crate::shared::nested::{Step, add_connect_where};
use crate::v3::classes::has_relationships;
use crate::v3::conditions::add_conditions;
use crate::v3::roles::{filter, of_variant, on_variant};
use api::binding::{FilterRole, NestedWriteVerb, WriteRole};

/// Ends of the names of types for the node types of an interface.
const OF_IMPLEMENTATIONS: [&str; 5] =
    ["ConnectInput", "DeleteInput", "DisconnectInput", "UpdateInput", "Where"];

/// Ends of the names of the types of nested writes.
const ALONG: [&str; 3] = ["ConnectInput", "DeleteInput", "DisconnectInput"];

/// Adds the inputs of an interface that come before those of its relationships.
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

/// Adds those that come after them.
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
    build.fill(&format!("{name}CreateInput"), WriteRole::Inputs);
    build.fill(&format!("{name}UpdateInput"), WriteRole::Inputs);
    for suffix in OF_IMPLEMENTATIONS {
        match suffix {
            "Where" => build.fill(&of(suffix), FilterRole::Conditions),
            _ => build.fill(&of(suffix), WriteRole::Inputs),
        }
    }
}

pub(super) fn add_changes_of_interface<'m>(build: &mut Builder<'m>, link: &Link<'m>, place: usize) {
    let name = &build.model.interfaces[place].name;
    let source = link.source;
    let own = |word: &str| link.own(word);
    let is_required = edge_input(build, link).has_required;
    let edge = edge_create(build, link, is_required);
    let r#where = link.shared("ConnectionWhere");

    let connect_where = add_connect_where(build, name);
    let connect = own("ConnectFieldInput");
    put_further(build, &connect, "connect", &format!("{name}ConnectInput"));
    if let Some(edge) = &edge {
        build.put(&connect, "edge", edge, along_edge());
    }
    build.put(&connect, "where", &connect_where, filter());
    for Step { field, name: word, .. } in [Step::DELETE, Step::DISCONNECT] {
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
    let steps = [CONNECT, Step::CREATE, Step::DELETE, Step::DISCONNECT];
    put_steps(build, link, (&of_update, Nodes::Found), &steps, own);
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
        put_steps(build, link, (&of_create, Nodes::New), &[Step::CREATE, CONNECT], own);
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

/// Adds the nested writes from the nodes on the other side, if there are any.
fn put_further(build: &mut Builder<'_>, parent: &str, field: &str, r#type: &str) {
    build.draft.input(parent);
    if build.draft.has(r#type) {
        build.put(parent, field, r#type, further());
    }
}
