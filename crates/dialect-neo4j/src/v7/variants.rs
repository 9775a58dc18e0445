//! Nodes of several types in one list: those of an interface or of a union.

use catalog::{EntityId, FieldId, FunctionId};
use ir::Hop;

use super::attribute::Spot;
use super::build::{Build, Owner, Variant};
use super::declared;
use super::link::Link;
use crate::model::{FieldKind, PlacedField, RelationshipField, Target, Way};
use api::ApiBuilder;
use api::binding::{FieldBinding, RowsBinding, RowsForm, RowsFrom, VariantBinding, VariantsId};

/// A list of types, and the entity of the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variants {
    pub(super) id: VariantsId,
    entity: EntityId,
}

impl Variants {
    /// The nodes of these types as rows; `once` says that several relationships to a node make one
    /// row.
    pub(super) fn rows(self, form: RowsForm, once: bool, limit: Option<u64>) -> FieldBinding {
        FieldBinding::Rows(RowsBinding {
            from: RowsFrom::Variants { variants: self.id, once },
            entity: self.entity,
            form,
            default_limit: limit,
        })
    }
}

impl Variants {
    /// Those of these nodes that a statement gives.
    pub(super) fn given(self, function: FunctionId, of_row: bool, form: RowsForm) -> FieldBinding {
        FieldBinding::Rows(RowsBinding {
            from: RowsFrom::FunctionOfVariants { function, of_row, variants: self.id },
            entity: self.entity,
            form,
            default_limit: None,
        })
    }
}

/// All nodes of an interface or of a union.
pub(super) fn of_root(build: &mut Build<'_>, target: Target) -> Option<Variants> {
    let nodes = types(build, target);
    let variants = nodes.iter().enumerate().filter_map(|(number, node)| {
        let entity = build.placed.nodes.get(*node)?.entity;
        Some(variant(build, target, number, *node, (entity, None), None))
    });
    let variants = variants.collect();
    add(build, variants)
}

/// The nodes that a link leads to, where they are of several types, or where the type of the
/// properties of relationships is a union.
pub(super) fn of_link(build: &mut Build<'_>, link: &Link<'_>) -> Option<Variants> {
    let target = link.target();
    let is_plain = matches!(target, Target::Node(_)) && !link.shares_properties;
    if is_plain || matches!(link.owner, Owner::Interface(_)) {
        return None;
    }
    let properties = link.relationship.properties;
    let properties = properties.and_then(|place| build.model.properties.get(place));
    let properties = properties.map(|known| &*known.name);
    let nodes = types(build, target);
    let ways = nodes.iter().zip(link.ways).enumerate();
    let variants = ways.map(|(number, (node, way))| {
        variant(build, target, number, *node, (way.entity, Some(way.hop)), properties)
    });
    let variants = variants.collect();
    add(build, variants)
}

/// The node types that a target stands for.
pub(super) fn types(build: &Build<'_>, target: Target) -> Vec<usize> {
    match target {
        Target::Node(node) => vec![node],
        Target::Interface(interface) => build.implementations(interface).to_vec(),
        Target::Union(union) => build.members(union).to_vec(),
    }
}

fn variant<'a>(
    build: &mut Build<'a>,
    target: Target,
    number: usize,
    node: usize,
    (entity, hop): (EntityId, Option<Hop>),
    properties: Option<&'a str>,
) -> Variant<'a> {
    let (common, links) = match target {
        Target::Interface(interface) => {
            (common(build, interface, node), declared::links(build, interface, node))
        }
        Target::Node(_) | Target::Union(_) => (Vec::new(), Vec::new()),
    };
    Variant {
        entity,
        hop,
        r#type: build.name(Target::Node(node)),
        properties,
        number: u16::try_from(number).unwrap_or(u16::MAX),
        common,
        links,
    }
}

/// The nodes of a target that a field of a node type leads to, as variants of that target.
pub(super) fn along<'a>(
    build: &mut Build<'a>,
    relationship: &RelationshipField,
    ways: &[Way],
    target: Target,
) -> Vec<Variant<'a>> {
    let wanted = types(build, target);
    let ways = types(build, relationship.target).into_iter().zip(ways);
    let found = ways.filter_map(|(node, way)| {
        let number = wanted.iter().position(|wanted| *wanted == node)?;
        Some(variant(build, target, number, node, (way.entity, Some(way.hop)), None))
    });
    found.collect()
}

/// The fields of a node type for those of an interface that it implements.
pub(super) fn common(build: &Build<'_>, interface: usize, node: usize) -> Vec<FieldId> {
    let (Some(known), Some(placed)) = (build.model.nodes.get(node), build.placed.nodes.get(node))
    else {
        return Vec::new();
    };
    let attributes = build.attributes(Owner::Interface(interface));
    let shared = attributes.iter().filter(|attribute| attribute.spot != Spot::Apart);
    let own = shared.filter_map(|attribute| {
        let mut fields = known.fields.iter().zip(&placed.fields);
        let (_, placed) = fields.find(|(field, _)| {
            field.name == attribute.field.name && matches!(field.kind, FieldKind::Property(_))
        })?;
        match placed {
            PlacedField::Property(id) => Some(*id),
            PlacedField::Ways(_) | PlacedField::Statement(_) => None,
        }
    });
    own.collect()
}

fn add<'a>(build: &mut Build<'a>, variants: Vec<Variant<'a>>) -> Option<Variants> {
    let entity = variants.first()?.entity;
    let id = VariantsId(u32::try_from(build.variants.len()).unwrap_or(u32::MAX));
    build.variants.push(variants);
    Some(Variants { id, entity })
}

/// Gives the API all lists of types, by the ids that the types have there.
pub(super) fn finish(builder: &mut ApiBuilder, lists: Vec<Vec<Variant<'_>>>) {
    for list in lists {
        let find = |name: &str| builder.schema().find_type(name);
        let bound = list.into_iter().filter_map(|variant| {
            Some(VariantBinding {
                entity: variant.entity,
                hop: variant.hop,
                r#type: find(variant.r#type)?,
                properties: variant.properties.and_then(find),
                number: variant.number,
                common: variant.common,
                links: variant.links,
            })
        });
        // A list whose types nothing leads to stays empty: others are known by their numbers.
        let bound = bound.collect();
        builder.add_variants(bound);
    }
}
