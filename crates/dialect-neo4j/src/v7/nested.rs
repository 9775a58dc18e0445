//! Inputs of nested writes along the relationships of nodes.

use super::link::{edge_kinds, links};
use super::{changes, related};
use crate::model::{NestedOperations, Target};
use crate::shared::attribute::Attribute;
use crate::shared::builder::{Builder, Owner};
use crate::shared::draft::DraftInput;
use crate::shared::link::Link;
use crate::shared::nested::{Step, add_connect_where};
use crate::shared::paths;
use api::binding::{FilterRole, InputBinding, MultiEntityRole, NestedWriteVerb, WriteRole};

/// The node on the other side: its type, and its name as a member of a union.
#[derive(Clone, Copy)]
struct Other<'a> {
    target: Target,
    name: &'a str,
    /// Set if the link leads to a union.
    member: Option<&'a str>,
}

/// Adds the inputs of a link to those of its owner.
pub(super) fn inputs(build: &mut Builder<'_>, link: &Link<'_>) {
    let others = others(build, link);
    for other in &others {
        add_connect_where(build, other.name);
    }
    if let (true, Some(name)) = (link.field.offers.on_create, new(build, link, &others)) {
        let owner = build.name(link.owner.into());
        if let Target::Node(_) = Target::from(link.owner) {
            let binding = match (link.target(), link.is_list()) {
                (Target::Union(_), false) => {
                    InputBinding::lenient(WriteRole::Several(MultiEntityRole::One))
                }
                _ => inputs_of(),
            };
            let input = DraftInput::new(link.name(), &name, binding);
            add(build, link, &format!("{owner}CreateInput"), input);
        }
    }
    for step in [Step::DELETE, Step::CONNECT, Step::DISCONNECT] {
        if let Some(r#type) = step_type(build, link, &others, step) {
            let owner = format!("{}{}Input", build.name(link.owner.into()), step.name);
            let binding = match (link.target(), others.as_slice()) {
                (Target::Node(_) | Target::Interface(_), [other]) => {
                    by(build, link, *other, step.verb)
                }
                // The members say of which nodes.
                _ => InputBinding::lenient(WriteRole::FurtherWrites),
            };
            add(build, link, &owner, DraftInput::new(link.name(), &r#type, binding));
        }
    }
    if !link.is_list() {
        return;
    }
    if let (true, Some(r#type)) = (link.field.offers.on_update, update(build, link, &others)) {
        let owner = format!("{}UpdateInput", build.name(link.owner.into()));
        let input = DraftInput::new(link.name(), &r#type, inputs_of());
        add(build, link, &owner, input);
    }
}

fn others<'a>(build: &Builder<'a>, link: &Link<'_>) -> Vec<Other<'a>> {
    let target = link.target();
    match target {
        Target::Node(_) | Target::Interface(_) => {
            vec![Other { target, name: build.name(target), member: None }]
        }
        Target::Union(union) => {
            let members = build.members(union).iter().map(|member| {
                let target = Target::Node(*member);
                let name = build.name(target);
                Other { target, name, member: Some(name) }
            });
            members.collect()
        }
    }
}

/// The binding of a nested write to the nodes of a type or of an interface. New relationships are
/// written as they are defined; those that exist are found as queries find them.
fn by(
    build: &mut Builder<'_>,
    link: &Link<'_>,
    other: Other<'_>,
    verb: NestedWriteVerb,
) -> InputBinding {
    let Some(path) = paths::only(build, link, other.target) else {
        let relationships = paths::of(build, link, other.target);
        return InputBinding::lenient(WriteRole::Several(MultiEntityRole::NestedWrite {
            relationships,
            verb,
            rank: rank(verb),
        }));
    };
    let hop = match verb {
        NestedWriteVerb::Create
        | NestedWriteVerb::Connect
        | NestedWriteVerb::ConnectOnce
        | NestedWriteVerb::ConnectOrCreate => path.written,
        NestedWriteVerb::Disconnect | NestedWriteVerb::Update | NestedWriteVerb::Delete => path.hop,
    };
    let relationship = Some(link.written(build, path, hop));
    InputBinding::lenient(WriteRole::NestedWrite { relationship, verb, rank: rank(verb) })
}

/// The order of nested writes in version 7.
fn rank(verb: NestedWriteVerb) -> i8 {
    match verb {
        NestedWriteVerb::Update => -5,
        NestedWriteVerb::Create | NestedWriteVerb::ConnectOrCreate => -4,
        NestedWriteVerb::Connect | NestedWriteVerb::ConnectOnce => -3,
        NestedWriteVerb::Delete => -2,
        NestedWriteVerb::Disconnect => -1,
    }
}

/// An object of nested writes, or a list of these.
fn inputs_of() -> InputBinding {
    InputBinding::lenient(WriteRole::Inputs)
}

fn add(build: &mut Builder<'_>, link: &Link<'_>, name: &str, input: DraftInput) {
    build.draft.add_input(name, input.deprecated(link.field.deprecated.as_ref()));
}

/// The input of a link: for a union an object with a field for each member.
fn each_member<'a>(
    build: &mut Builder<'a>,
    link: &Link<'_>,
    others: &[Other<'a>],
    ending: &str,
    binding: impl Fn(&mut Builder<'a>, Other<'a>) -> InputBinding,
    mut r#type: impl FnMut(&mut Builder<'a>, Other<'a>) -> Option<String>,
) -> Option<String> {
    let Target::Union(_) = link.target() else {
        return others.first().and_then(|other| r#type(build, *other));
    };
    let name = format!("{}{ending}", link.own);
    let mut has_some = false;
    for other in others {
        let Some(r#type) = r#type(build, *other) else { continue };
        has_some = true;
        let binding = binding(build, *other);
        add(build, link, &name, DraftInput::new(other.name, &r#type, binding));
    }
    has_some.then_some(name)
}

/// The nested writes of a new node: `MovieActorsFieldInput`.
fn new<'a>(build: &mut Builder<'a>, link: &Link<'_>, others: &[Other<'a>]) -> Option<String> {
    let operations = link.nested();
    if !operations.connect && !operations.create {
        return None;
    }
    each_member(
        build,
        link,
        others,
        "CreateInput",
        |_, _| inputs_of(),
        |build, other| {
            let name = format!("{}FieldInput", link.with_member(other.member));
            let connect = step(build, link, other, Step::CONNECT);
            let create = create(build, link, other);
            let steps = [
                ("connect", connect, NestedWriteVerb::Connect),
                ("create", create, NestedWriteVerb::Create),
            ];
            for (field, r#type, verb) in steps {
                if let Some(r#type) = r#type {
                    let binding = by(build, link, other, verb);
                    let input = DraftInput::new(field, &link.one_or_list(&r#type), binding);
                    build.draft.add_input(&name, input);
                }
            }
            Some(name)
        },
    )
}

/// `[MovieActorsConnectFieldInput!]` or its like, or an object of those of members.
fn step_type<'a>(
    build: &mut Builder<'a>,
    link: &Link<'_>,
    others: &[Other<'a>],
    kind: Step,
) -> Option<String> {
    let ending = format!("{}Input", kind.name);
    let binding = |build: &mut Builder<'a>, other| by(build, link, other, kind.verb);
    each_member(build, link, others, &ending, binding, |build, other| {
        step(build, link, other, kind).map(|name| link.one_or_list(&name))
    })
}

/// `MovieActorsConnectFieldInput` or its like, if there is that operation.
fn step(build: &mut Builder<'_>, link: &Link<'_>, other: Other<'_>, kind: Step) -> Option<String> {
    if !kind.is_in(link.nested()) {
        return None;
    }
    let is_connect = kind.verb == NestedWriteVerb::Connect;
    let prefix = match is_connect {
        true => link.with_member(other.member),
        false => link.shared_with_member(other.member),
    };
    let name = format!("{prefix}{}FieldInput", kind.name);
    if build.draft.has(&name) {
        return Some(name);
    }
    build.draft.input(&name);
    let filter = match is_connect {
        true => {
            add_edge(build, link, &name);
            format!("{}ConnectWhere", other.name)
        }
        false => {
            related::connection_where(build, link);
            link.connection_where(other.member)
        }
    };
    build.put_lenient(&name, "where", &filter, FilterRole::Conditions);
    if leads_further(build, other, kind) {
        let further = format!("{}{}Input", other.name, kind.name);
        build.draft.input(&further);
        let further = match (is_connect, other.target) {
            (true, Target::Node(_)) => format!("[{further}!]"),
            _ => further,
        };
        build.put_lenient(&name, kind.field, &further, WriteRole::FurtherWrites);
    }
    Some(name)
}

/// Whether the same can be done along the relationships of the nodes on the other side.
fn leads_further(build: &Builder<'_>, other: Other<'_>, kind: Step) -> bool {
    let links = match other.target {
        Target::Node(index) => links(build, Owner::Node(index)),
        Target::Interface(index) => links(build, Owner::Interface(index)),
        Target::Union(_) => Vec::new(),
    };
    // The library ignores the operations of members of unions and of interfaces.
    match (other.member, other.target, kind.verb) {
        (None, Target::Node(_), _) => links.iter().any(|link| kind.is_in(link.nested())),
        // The library has inputs without fields where an interface declares relationships to one node only.
        (_, _, NestedWriteVerb::Connect | NestedWriteVerb::Disconnect) => {
            links.iter().any(Link::is_list)
        }
        _ => !links.is_empty(),
    }
}

/// Adds the values of a new relationship, if it can have some.
fn add_edge(build: &mut Builder<'_>, link: &Link<'_>, name: &str) {
    let kinds = edge_kinds(build, link);
    let mut attributes = kinds.iter().flat_map(|kind| &kind.attributes);
    if !attributes.any(Attribute::is_created) {
        return;
    }
    let needs = kinds.iter().any(|kind| changes::needs_values(&kind.attributes));
    let required = if needs { "!" } else { "" };
    let r#type = format!("{}CreateInput{required}", link.edge);
    build.put_lenient(name, "edge", &r#type, WriteRole::NestedEdge);
}

/// `MovieActorsCreateFieldInput`, if nodes can be made.
fn create(build: &mut Builder<'_>, link: &Link<'_>, other: Other<'_>) -> Option<String> {
    if !link.nested().create {
        return None;
    }
    let name = format!("{}CreateFieldInput", link.with_member(other.member));
    if !build.draft.has(&name) {
        build.draft.input(&name);
        add_edge(build, link, &name);
        let node = format!("{}CreateInput!", other.name);
        build.put_lenient(&name, "node", &node, WriteRole::NestedNode);
    }
    Some(name)
}

/// The nested writes of an updated node: `[MovieActorsUpdateFieldInput!]`.
fn update<'a>(build: &mut Builder<'a>, link: &Link<'_>, others: &[Other<'a>]) -> Option<String> {
    let operations = link.nested();
    let NestedOperations { create: c, update: u, delete: d, connect, disconnect, .. } = operations;
    if !(c || u || d || connect || disconnect) {
        return None;
    }
    each_member(
        build,
        link,
        others,
        "UpdateInput",
        |_, _| inputs_of(),
        |build, other| {
            let name = format!("{}UpdateFieldInput", link.with_member(other.member));
            let connect = step(build, link, other, Step::CONNECT);
            let disconnect = step(build, link, other, Step::DISCONNECT);
            let create = create(build, link, other);
            let update = update_connection(build, link, other);
            let delete = step(build, link, other, Step::DELETE);
            let list = |name: Option<String>| name.map(|name| format!("[{name}!]"));
            let steps = [
                ("connect", list(connect), NestedWriteVerb::Connect),
                ("disconnect", list(disconnect), NestedWriteVerb::Disconnect),
                ("create", list(create), NestedWriteVerb::Create),
                ("update", update, NestedWriteVerb::Update),
                ("delete", list(delete), NestedWriteVerb::Delete),
            ];
            for (field, r#type, verb) in steps {
                if let Some(r#type) = r#type {
                    let binding = by(build, link, other, verb);
                    build.put(&name, field, &r#type, binding);
                }
            }
            Some(format!("[{name}!]"))
        },
    )
}

/// `MovieActorsUpdateConnectionInput`, if related nodes can be changed.
fn update_connection(build: &mut Builder<'_>, link: &Link<'_>, other: Other<'_>) -> Option<String> {
    if !link.nested().update {
        return None;
    }
    let name = format!("{}UpdateConnectionInput", link.with_member(other.member));
    if build.draft.has(&name) {
        return Some(name);
    }
    related::connection_where(build, link);
    let node = format!("{}UpdateInput", other.name);
    build.put_lenient(&name, "node", &node, WriteRole::NestedNode);
    let filter = link.connection_where(other.member);
    build.put_lenient(&name, "where", &filter, FilterRole::Conditions);
    let kinds = edge_kinds(build, link);
    let mut attributes = kinds.iter().flat_map(|kind| &kind.attributes);
    if attributes.any(Attribute::is_updated) {
        let binding = InputBinding::lenient(WriteRole::NestedEdge);
        let r#type = format!("{}UpdateInput", link.edge);
        build.put(&name, "edge", &r#type, binding);
    }
    Some(name)
}
