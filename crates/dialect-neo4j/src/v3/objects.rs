//! Object types and interfaces: of nodes, of interfaces, of the properties of relationships.

use super::classes::{Class, OF_OBJECTS, USUAL, stored};
use super::related::shown_type;
use super::roles::of_variant;
use super::statements::{part_fields, statement_fields};
use crate::model::{InterfaceType, NodeType, Target};
use crate::shared::attribute::{Attribute, edge_attributes};
use crate::shared::builder::{Builder, Owner, relationship};
use crate::shared::draft::{DraftField, DraftKind};
use crate::shared::link::{Link, links};
use crate::shared::objects::{column, in_interface, of_types};
use crate::shared::{node_field, rows};

/// Adds the type of a node, with its properties.
pub(super) fn add_object(build: &mut Builder<'_>, place: usize, attributes: &[Attribute<'_>]) {
    let NodeType { name, description, interfaces, .. } = &build.model.nodes[place];
    let fields = shown(build, &OF_OBJECTS, Owner::Node(place), attributes);
    let kind = DraftKind::Object { fields, interfaces: interfaces.clone() };
    build.draft.add(name, description.as_deref(), kind);
    node_field::field(build, name, attributes);
}

/// The fields of a type: statements follow the properties of the first class, and parts of maps
/// precede the properties that stand last in all types.
fn shown(
    build: &mut Builder<'_>,
    classes: &[Class],
    owner: Owner,
    attributes: &[Attribute<'_>],
) -> Vec<DraftField> {
    let (first, others) = classes.split_at(1);
    let (others, last) = others.split_at(2);
    let mut shown = columns(build, attributes, first);
    shown.extend(statement_fields(build, owner));
    shown.extend(columns(build, attributes, others));
    shown.extend(part_fields(build, owner));
    shown.extend(columns(build, attributes, last));
    shown
}

/// Adds an interface without its relationships. One that no relationship leads to has them as plain
/// fields, and has no inputs.
pub(super) fn add_interface(build: &mut Builder<'_>, place: usize, attributes: &[Attribute<'_>]) {
    let InterfaceType { name, description, shown: of_interface, interfaces, .. } =
        &build.model.interfaces[place];
    let links = links(build, Owner::Interface(place));
    let offered = links.iter().filter(|link| link.field.offers.on_read);
    let rows = offered.clone().map(|link| {
        DraftField::new(link.name(), &shown_type(build, link), in_interface())
            .deprecated(link.field.deprecated.as_ref())
    });
    let connections = offered.map(|link| {
        let r#type = format!("{}!", link.connection_type());
        DraftField::new(&link.connection_name(), &r#type, in_interface())
            .deprecated(link.field.deprecated.as_ref())
    });
    let mut all: Vec<DraftField> = rows.chain(connections).collect();
    let classes = [Class::Primitive, Class::Own, Class::Enum];
    all.extend(shown(build, &classes, Owner::Interface(place), attributes));
    for is_next in [is_union, is_interface, is_node] {
        all.extend(of_interface.iter().filter(|field| is_next(field.target)).map(of_types));
    }
    all.extend(columns(build, attributes, &[Class::Temporal, Class::Point]));
    let kind = DraftKind::Interface { fields: all, interfaces: interfaces.clone() };
    // The library omits the description of an interface that relationships lead to.
    let description = description.as_deref().filter(|_| !is_target(build, place));
    build.draft.add(name, description, kind);
}

/// Whether a relationship of a node type leads to an interface.
pub(super) fn is_target(build: &Builder<'_>, place: usize) -> bool {
    let mut fields = build.model.nodes.iter().flat_map(|node| &node.fields);
    fields.any(|field| {
        relationship(field).is_some_and(|known| known.target == Target::Interface(place))
    })
}

/// Adds the interface that the edges of relationships with such properties have.
pub(super) fn add_properties(build: &mut Builder<'_>, name: &str, attributes: &[Attribute<'_>]) {
    let fields = columns(build, attributes, &USUAL);
    build.draft.add(name, None, DraftKind::Interface { fields, interfaces: Vec::new() });
}

/// Adds the edges of a relationship, with its properties.
pub(super) fn add_edges(build: &mut Builder<'_>, link: &Link<'_>) {
    let edge = link.shared("Relationship");
    if build.draft.has(&edge) {
        return;
    }
    rows::add_edge(build, &edge, build.name(link.target()));
    if let Some(place) = link.relationship.properties {
        let attributes = edge_attributes(build, place);
        for field in columns(build, &attributes, &USUAL) {
            build.draft.add_field(&edge, field);
        }
        build.draft.implement(&edge, &link.edge);
    }
}

/// Adds the unions, with the conditions of their members.
pub(super) fn add_unions(build: &mut Builder<'_>) {
    for union in &build.model.unions {
        let kind = DraftKind::Union { members: Vec::new() };
        build.draft.add(&union.name, union.description.as_deref(), kind);
        for member in &union.members {
            let name = build.name(Target::Node(*member));
            let binding = of_variant(&union.members, *member);
            build.put(&format!("{}Where", union.name), name, &format!("{name}Where"), binding);
            build.draft.add_member(&union.name, name);
        }
    }
}

fn columns(
    build: &Builder<'_>,
    attributes: &[Attribute<'_>],
    classes: &[Class],
) -> Vec<DraftField> {
    let shown = stored(attributes, classes).into_iter().filter(Attribute::is_shown);
    shown.map(|one| column(build, &one, in_interface())).collect()
}

fn is_union(target: Target) -> bool {
    matches!(target, Target::Union(_))
}

fn is_interface(target: Target) -> bool {
    matches!(target, Target::Interface(_))
}

fn is_node(target: Target) -> bool {
    matches!(target, Target::Node(_))
}
