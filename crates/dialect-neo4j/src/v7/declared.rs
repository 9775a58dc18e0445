//! Conditions along relationships that an interface declares: each type that implements it has a way
//! of its own.

use super::build::{Build, Owner, Pending, Variant, relationship};
use super::link::Link;
use super::variants;
use crate::model::{FieldKind, Model, Placed, PlacedField, RelationshipField, Target, Way};
use api::ApiBuilder;
use api::binding::{DeclaredRole, FilterRole, VariantLink, VariantsId};

/// The place of a link among those that its interface declares.
pub(super) fn place(build: &Build<'_>, link: &Link<'_>) -> Option<u16> {
    let Owner::Interface(interface) = link.owner else { return None };
    let fields = build.model.interfaces.get(interface)?.fields.iter();
    let mut links = fields.filter(|field| relationship(field).is_some());
    u16::try_from(links.position(|field| field.name == link.field.name)?).ok()
}

/// A condition along such a link.
pub(super) fn condition(
    build: &Build<'_>,
    link: &Link<'_>,
    role: impl FnOnce(u16) -> DeclaredRole,
) -> Option<FilterRole> {
    place(build, link).map(|place| FilterRole::Declared(role(place)))
}

/// The ways of a node type for the links of an interface that it implements, as far as it has all of
/// them.
pub(super) fn links(build: &mut Build<'_>, interface: usize, node: usize) -> Vec<VariantLink> {
    let Some(known) = build.model.interfaces.get(interface) else { return Vec::new() };
    let mut links = Vec::new();
    for field in &known.fields {
        let Some(declared) = relationship(field) else { continue };
        let Some(link) = own(build, node, &field.name, declared.target) else { break };
        links.push(link);
    }
    links
}

fn own(build: &mut Build<'_>, node: usize, name: &str, target: Target) -> Option<VariantLink> {
    let fields = &build.model.nodes.get(node)?.fields;
    let field = fields.iter().position(|field| &*field.name == name)?;
    let (_, ways) = field_of(build.model, build.placed, node, field)?;
    if let (Target::Node(_), [way]) = (target, ways) {
        return Some(VariantLink::One(way.hop));
    }
    let next = VariantsId(u32::try_from(build.variants.len()).unwrap_or(u32::MAX));
    let pending = Pending { node, field, target };
    let id = *build.declared.entry(pending).or_insert(next);
    if id == next {
        build.variants.push(Vec::new());
        build.pending.push((id, pending));
    }
    Some(VariantLink::Several(id))
}

/// Makes the lists that are pending, and those that they need.
pub(super) fn fill(build: &mut Build<'_>) {
    while let Some((id, Pending { node, field, target })) = build.pending.pop() {
        let Some((relationship, ways)) = field_of(build.model, build.placed, node, field) else {
            continue;
        };
        let found: Vec<Variant<'_>> = variants::along(build, relationship, ways, target);
        if let Some(list) = build.variants.get_mut(id.0 as usize) {
            *list = found;
        }
    }
}

fn field_of<'a>(
    model: &'a Model,
    placed: &'a Placed,
    node: usize,
    field: usize,
) -> Option<(&'a RelationshipField, &'a [Way])> {
    let placed = placed.nodes.get(node)?.fields.get(field)?;
    match (&model.nodes.get(node)?.fields.get(field)?.kind, placed) {
        (FieldKind::Relationship(relationship), PlacedField::Ways(ways)) => {
            Some((relationship, ways))
        }
        _ => None,
    }
}

/// Says of which entity the properties of each relationship are.
pub(super) fn bind(builder: &mut ApiBuilder, model: &Model, placed: &Placed) {
    for (node, own) in placed.nodes.iter().enumerate() {
        for field in 0..own.fields.len() {
            let Some((relationship, ways)) = field_of(model, placed, node, field) else {
                continue;
            };
            let edge = relationship.properties.and_then(|place| placed.properties.get(place));
            let Some((edge, _)) = edge else { continue };
            for way in ways {
                builder.bind_edge(way.hop.relationship, *edge);
                builder.bind_edge(way.written.relationship, *edge);
            }
        }
    }
}
