//! The types of nodes, of interfaces and unions of such, and of the properties of relationships.

use std::iter::Peekable;

use catalog::EntityId;

use super::attribute::{Attribute, Spot};
use super::build::{Build, Owner};
use super::link::{EdgeKind, Link};
use super::{changes, conditions, global, sort, statements, together};
use crate::model::Target;
use crate::shared::draft::{DraftField, DraftInput, DraftKind};
use api::binding::{
    DeclaredRole, EdgeField, FieldBinding, FilterRole, InputBinding, InputRole, OrderRole,
    SeveralRole, WriteRole,
};

/// A field that is printed and not served.
pub(super) fn unserved() -> FieldBinding {
    FieldBinding::Refused("This is not served yet.".into())
}

/// What a field of an interface means: nothing, for only those of objects do.
fn in_interface() -> FieldBinding {
    FieldBinding::Refused("It is a field of an interface.".into())
}

/// The type of nodes, or an interface, with its stored values; what it leads to is added later.
pub(super) fn object(build: &mut Build<'_>, owner: Owner, attributes: &[Attribute<'_>]) {
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
        if let Some((statement, placed)) = statements::of_node(build, owner, index, field) {
            if field.offers.on_read {
                let shown = statements::shown(build, field, statement, placed);
                build.draft.add_field(name, shown);
            }
            continue;
        }
        let mut own = attributes.iter().filter(|attribute| attribute.is_shown());
        let Some(attribute) = own.find(|attribute| attribute.name() == &*field.name) else {
            continue;
        };
        let binding = match attribute.spot {
            Spot::Node(field) => FieldBinding::Column(field),
            Spot::Edge(field) => FieldBinding::Edge(EdgeField::Column(field)),
            Spot::Common(_) | Spot::Apart | Spot::Made(_) => unserved(),
        };
        let field = attribute_field(build, attribute, binding);
        build.draft.add_field(name, field);
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
    global::field(build, name, attributes);
}

/// The fields of an interface that lead to nodes as its types say, with how many others stand before
/// each.
fn shown(
    build: &Build<'_>,
    owner: Owner,
) -> Peekable<impl Iterator<Item = (usize, DraftField)> + use<>> {
    let known = match owner {
        Owner::Interface(interface) => build.model.interfaces.get(interface),
        Owner::Node(_) => None,
    };
    let fields = known.map_or(&[][..], |known| known.shown.as_slice()).iter().map(|field| {
        let mut draft = DraftField::new(&field.name, &field.r#type, in_interface());
        draft.description.clone_from(&field.description);
        (field.before, draft.deprecated(field.deprecated.as_ref()))
    });
    fields.collect::<Vec<_>>().into_iter().peekable()
}

fn attribute_field(
    build: &Build<'_>,
    attribute: &Attribute<'_>,
    binding: FieldBinding,
) -> DraftField {
    let mut field = DraftField::new(attribute.name(), &build.output(attribute), binding)
        .deprecated(attribute.field.deprecated.as_ref());
    field.description.clone_from(&attribute.field.description);
    field
}

pub(super) fn union(build: &mut Build<'_>, union: usize) {
    let Some(known) = build.model.unions.get(union) else { return };
    let kind = DraftKind::Union { members: Vec::new() };
    build.draft.add(&known.name, known.description.as_deref(), kind);
    for member in build.members(union) {
        let member = build.name(Target::Node(*member));
        build.draft.add_member(&known.name, member);
    }
}

/// All types of the properties of a link's relationships.
pub(super) fn properties(build: &mut Build<'_>, link: &Link<'_>) {
    let kinds = build.edge_kinds(link);
    for kind in &kinds {
        match link.owner {
            Owner::Node(_) => own_properties(build, link, kind),
            Owner::Interface(_) => kind_of_properties(build, link, kind, kinds.len() == 1),
        }
    }
}

/// Makes the types when the first link to relationships with such properties is made.
fn own_properties(build: &mut Build<'_>, link: &Link<'_>, kind: &EdgeKind<'_>) {
    let owner = build.name(link.owner.into());
    let used = build.properties_of.entry(kind.properties).or_default();
    used.push(format!("* {owner}.{}", link.name()));
    let (lines, is_first) = (used.join("\n"), used.len() == 1);
    let text = format!("The edge properties for the following fields:\n{lines}");
    if is_first {
        build.draft.object(&link.edge);
        for attribute in kind.attributes.iter().filter(|attribute| attribute.is_shown()) {
            let Spot::Edge(field) = attribute.spot else { continue };
            let binding = FieldBinding::Edge(EdgeField::Column(field));
            let field = attribute_field(build, attribute, binding);
            build.draft.add_field(&link.edge, field);
        }
        sort::properties(build, &link.edge, &kind.attributes);
        conditions::properties(build, &link.edge, &kind.attributes);
        changes::properties(build, &link.edge, &kind.attributes);
    }
    build.draft.describe(&link.edge, &text);
}

/// Adds one kind of properties to the types of a declared relationship, which may have several.
fn kind_of_properties(build: &mut Build<'_>, link: &Link<'_>, kind: &EdgeKind<'_>, is_only: bool) {
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
    let is_filtered = together::of_attributes(build, &of_many, &kind.attributes);
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
                    of_edge(build, kind, |edge| WriteRole::Several(SeveralRole::Edge(edge)))
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
    build: &Build<'_>,
    kind: &EdgeKind<'_>,
    role: impl FnOnce(EntityId) -> R,
) -> InputBinding {
    match build.placed.properties.get(kind.properties) {
        Some((edge, _)) => InputBinding::lenient(role(*edge)),
        None => conditions::several(),
    }
}
