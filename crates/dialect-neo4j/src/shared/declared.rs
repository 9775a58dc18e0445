//! Relationships that an interface declares: each type that implements it has one of its own.

use super::builder::{Builder, Owner, Pending, relationship};
use super::variants;
use crate::model::{FieldKind, Path, PlacedField, RelationshipField, Target};
use api::ApiBuilder;
use api::binding::{VariantLink, VariantsId};

/// The relationships of a node type for those of an interface that it implements, up to the first
/// that it lacks.
pub(crate) fn links(build: &mut Builder<'_>, target: Target, node: usize) -> Vec<VariantLink> {
    let Target::Interface(interface) = target else { return Vec::new() };
    let fields = build.fields(Owner::Interface(interface)).iter();
    let declared = fields.filter_map(|field| Some((field, relationship(field)?)));
    declared.map_while(|(field, known)| link(build, node, &field.name, known.target)).collect()
}

fn link(build: &mut Builder<'_>, node: usize, name: &str, target: Target) -> Option<VariantLink> {
    let fields = build.fields(Owner::Node(node));
    let field = fields.iter().position(|field| &*field.name == name)?;
    let (known, paths) = placed(build, node, field)?;
    if !build.version.has_declared_lists {
        return match (known.target, paths) {
            (Target::Node(_), paths) => paths.first().map(|path| VariantLink::One(path.hop)),
            _ => build.variants_by_field.get(&(node, name)).copied().map(VariantLink::Several),
        };
    }
    if let (Target::Node(_), [path]) = (target, paths) {
        return Some(VariantLink::One(path.hop));
    }
    let next = VariantsId(u32::try_from(build.variants.len()).unwrap_or(u32::MAX));
    let pending = Pending { node, field, target };
    let id = *build.declared.entry(pending).or_insert(next);
    if id == next {
        variants::reserve(build, target);
        build.pending.push((id, pending));
    }
    Some(VariantLink::Several(id))
}

/// Makes the lists that are pending and those that they need, or finds the relationships of the
/// types of all lists.
pub(crate) fn fill(build: &mut Builder<'_>) {
    while let Some((id, Pending { node, field, target })) = build.pending.pop() {
        let Some((relationship, paths)) = placed(build, node, field) else { continue };
        let found = variants::along(build, relationship, paths, target);
        if let Some(list) = build.variants.get_mut(id.0 as usize) {
            list.variants = found;
        }
    }
    if build.version.has_declared_lists {
        return;
    }
    let mut lists = std::mem::take(&mut build.variants);
    for list in &mut lists {
        for variant in &mut list.variants {
            variant.links = links(build, list.target, variant.node);
        }
    }
    build.variants = lists;
}

/// The relationship of a node type by the name of its field.
pub(crate) fn named<'m>(
    build: &Builder<'m>,
    node: usize,
    name: &str,
) -> Option<(&'m RelationshipField, &'m [Path])> {
    let fields = build.fields(Owner::Node(node));
    placed(build, node, fields.iter().position(|field| &*field.name == name)?)
}

fn placed<'m>(
    build: &Builder<'m>,
    node: usize,
    field: usize,
) -> Option<(&'m RelationshipField, &'m [Path])> {
    let owner = Owner::Node(node);
    match (&build.fields(owner).get(field)?.kind, build.placed_field(owner, field)?) {
        (FieldKind::Relationship(relationship), PlacedField::Paths(paths)) => {
            Some((relationship, paths))
        }
        _ => None,
    }
}

/// Binds the properties of each relationship to their entity.
pub(crate) fn bind(builder: &mut ApiBuilder, build: &Builder<'_>) {
    for (node, own) in build.placed.nodes.iter().enumerate() {
        for field in 0..own.fields.len() {
            let Some((relationship, paths)) = placed(build, node, field) else { continue };
            let Some(edge) = build.edge_entity(relationship) else { continue };
            for path in paths {
                builder.bind_edge(path.hop.relationship, edge);
                builder.bind_edge(path.written.relationship, edge);
            }
        }
    }
}
