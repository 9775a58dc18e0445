//! The types of nodes, of interfaces and unions of such, and of the properties of relationships.

use std::iter::Peekable;

use catalog::EntityId;

use super::link::{EdgeKind, edge_kinds};
use super::{aggregate_conditions, changes, conditions, sort};
use crate::model::Target;
use crate::shared::attribute::{Attribute, of_statement};
use crate::shared::builder::{Builder, Owner};
use crate::shared::draft::{DraftField, DraftInput, DraftKind};
use crate::shared::link::Link;
use crate::shared::node_field;
use crate::shared::objects::{column, of_types};
use crate::shared::statements::{StatementCall, statement_field};
use api::binding::{
    DeclaredRole, FieldBinding, FilterRole, InputBinding, InputRole, MultiEntityRole, OrderRole,
    WriteRole,
};

/// A field that is printed and not served.
pub(super) fn unserved() -> FieldBinding {
    FieldBinding::Refused("This is not served yet.".into())
}

/// Adds the type of nodes, or an interface, with its stored values; relationships are added later.
pub(super) fn object(build: &mut Builder<'_>, owner: Owner, attributes: &[Attribute<'_>]) {
    let name = build.name(owner.into());
    let (fields, interfaces) = (Vec::new(), Vec::new());
    match owner {
        Owner::Node(node) => {
            let known = build.model.nodes.get(node);
            let description = known.and_then(|known| known.description.as_deref());
            build.draft.add(name, description, DraftKind::Object { fields, interfaces });
        }
        Owner::Interface(_) => {
            build.draft.add(name, None, DraftKind::Interface { fields, interfaces });
        }
    }
    let mut shown = shown(build, owner);
    for (index, field) in build.fields(owner).iter().enumerate() {
        while let Some((_, field)) = shown.next_if(|(before, _)| *before <= index) {
            build.draft.add_field(name, field);
        }
        if let Some((statement, placed)) = of_statement(build, owner, index, field) {
            if field.offers.on_read {
                let call = StatementCall { statement, placed, of_row: true };
                let shown = statement_field(build, field, call);
                build.draft.add_field(name, shown);
            }
            continue;
        }
        let mut own = attributes.iter().filter(|attribute| attribute.is_shown());
        let Some(attribute) = own.find(|attribute| attribute.name() == &*field.name) else {
            continue;
        };
        build.draft.add_field(name, column(build, attribute, unserved()));
    }
    for (_, field) in shown {
        build.draft.add_field(name, field);
    }
    let Owner::Node(node) = owner else { return };
    // In the order of the interfaces, not in that in which the type names them.
    for interface in &build.model.interfaces {
        if interface.implementations.contains(&node) {
            build.draft.implement(name, &interface.name);
        }
    }
    node_field::field(build, name, attributes);
}

/// The fields of an interface that lead to nodes as its types say, with how many others stand before
/// each.
fn shown(
    build: &Builder<'_>,
    owner: Owner,
) -> Peekable<impl Iterator<Item = (usize, DraftField)> + use<>> {
    let known = match owner {
        Owner::Interface(interface) => build.model.interfaces.get(interface),
        Owner::Node(_) => None,
    };
    let fields = known.map_or(&[][..], |known| known.shown.as_slice()).iter();
    let fields = fields.map(|field| (field.before, of_types(field)));
    fields.collect::<Vec<_>>().into_iter().peekable()
}

pub(super) fn union(build: &mut Builder<'_>, union: usize) {
    let Some(known) = build.model.unions.get(union) else { return };
    let kind = DraftKind::Union { members: Vec::new() };
    build.draft.add(&known.name, known.description.as_deref(), kind);
    for member in build.members(union) {
        let member = build.name(Target::Node(*member));
        build.draft.add_member(&known.name, member);
    }
}

/// All types of the properties of a link's relationships.
pub(super) fn properties(build: &mut Builder<'_>, link: &Link<'_>) {
    let kinds = edge_kinds(build, link);
    for kind in &kinds {
        match link.owner {
            Owner::Node(_) => own_properties(build, link, kind),
            Owner::Interface(_) => kind_of_properties(build, link, kind, kinds.len() == 1),
        }
    }
}

/// Makes the types when the first link to relationships with such properties is made.
fn own_properties(build: &mut Builder<'_>, link: &Link<'_>, kind: &EdgeKind<'_>) {
    let owner = build.name(link.owner.into());
    let used = build.properties_of.entry(kind.properties).or_default();
    used.push(format!("* {owner}.{}", link.name()));
    let (lines, is_first) = (used.join("\n"), used.len() == 1);
    let text = format!("The edge properties for the following fields:\n{lines}");
    if is_first {
        build.draft.object(&link.edge);
        for attribute in kind.attributes.iter().filter(|attribute| attribute.is_shown()) {
            build.draft.add_field(&link.edge, column(build, attribute, unserved()));
        }
        sort::properties(build, &link.edge, &kind.attributes);
        conditions::properties(build, &link.edge, &kind.attributes);
        changes::properties(build, &link.edge, &kind.attributes);
    }
    build.draft.describe(&link.edge, &text);
}

/// Adds one kind of properties to the types of a declared relationship, which may have several.
fn kind_of_properties(
    build: &mut Builder<'_>,
    link: &Link<'_>,
    kind: &EdgeKind<'_>,
    is_only: bool,
) {
    let Some(known) = build.model.properties.get(kind.properties) else { return };
    let own = &*known.name;
    build.draft.add_member(&format!("{}RelationshipProperties", link.inherited), own);
    let owners: Vec<String> = kind.owners.iter().map(|owner| format!("* {owner}")).collect();
    let text =
        format!("Relationship properties when source node is of type:\n{}", owners.join("\n"));
    let is_everywhere = match link.owner {
        Owner::Interface(interface) => kind.owners.len() == build.implementations(interface).len(),
        Owner::Node(_) => true,
    };
    let required = if changes::needs_values(&kind.attributes) { "!" } else { "" };
    let is_created = kind.attributes.iter().any(Attribute::is_created);
    let is_updated = kind.attributes.iter().any(Attribute::is_updated);
    let of_many = format!("{own}AggregationWhereInput");
    let is_filtered = aggregate_conditions::of_attributes(build, &of_many, &kind.attributes);
    for (is_there, ending, r#type) in [
        (true, "Where", format!("{own}Where")),
        (true, "Sort", format!("{own}Sort")),
        (is_created, "CreateInput", format!("{own}CreateInput{required}")),
        (is_updated, "UpdateInput", format!("{own}UpdateInput")),
        (is_filtered, "AggregationWhereInput", of_many),
    ] {
        if is_there {
            let role = match ending {
                "Sort" if is_only => InputBinding::lenient(OrderRole::Sort),
                "Sort" => of_edge(build, kind, OrderRole::SortOfEdge),
                "Where" if is_only && is_everywhere => {
                    InputBinding::lenient(FilterRole::Conditions)
                }
                "Where" | "AggregationWhereInput" => {
                    of_edge(build, kind, |edge| FilterRole::Declared(DeclaredRole::Edge(edge)))
                }
                "CreateInput" | "UpdateInput" => {
                    of_edge(build, kind, |edge| WriteRole::Several(MultiEntityRole::Edge(edge)))
                }
                _ => conditions::several(),
            };
            let input = DraftInput::new(own, &r#type, role).described(&text);
            build.draft.add_input(&format!("{}{ending}", link.edge), input);
        }
    }
}

/// An input for relationships with one kind of properties.
fn of_edge<R: Into<InputRole>>(
    build: &Builder<'_>,
    kind: &EdgeKind<'_>,
    role: impl FnOnce(EntityId) -> R,
) -> InputBinding {
    match build.placed.properties.get(kind.properties) {
        Some((edge, _)) => InputBinding::lenient(role(*edge)),
        None => conditions::several(),
    }
}
