//! Nodes of several types in one list: those of an interface or of a union.

use catalog::{EntityId, FieldId, FunctionId};
use ir::Hop;

use super::attribute::{Origin, attributes};
use super::builder::{Builder, Owner, Variant, VariantList};
use super::declared;
use super::link::Link;
use crate::model::{FieldKind, Path, PlacedField, RelationshipField, Target};
use api::ApiBuilder;
use api::binding::{
    FieldBinding, InputBinding, RowsBinding, RowsForm, RowsFrom, VariantBinding, VariantRole,
    VariantsId,
};

/// Lists of the types on the other side of a relationship, or of a root field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variants {
    pub(crate) id: VariantsId,
    /// The lists along relationships as these are directed, and in either direction.
    pub(crate) directed: VariantsId,
    pub(crate) undirected: VariantsId,
    /// Entity of the first type.
    pub(crate) entity: EntityId,
}

impl Variants {
    /// The nodes of these types as rows; `once` makes one row of several relationships to a node.
    pub(crate) fn rows(self, form: RowsForm, once: bool, limit: Option<u64>) -> FieldBinding {
        FieldBinding::Rows(RowsBinding {
            from: RowsFrom::Variants { variants: self.id, once },
            entity: self.entity,
            form,
            default_limit: limit,
        })
    }

    /// The nodes of these types that a statement returns.
    pub(crate) fn returned(
        self,
        function: FunctionId,
        of_row: bool,
        form: RowsForm,
    ) -> FieldBinding {
        FieldBinding::Rows(RowsBinding {
            from: RowsFrom::FunctionOfVariants { function, of_row, variants: self.id },
            entity: self.entity,
            form,
            default_limit: None,
        })
    }
}

/// All nodes of an interface or of a union.
pub(crate) fn of_root(build: &mut Builder<'_>, target: Target) -> Option<Variants> {
    let nodes = build.variant_types(target);
    let variants = nodes.iter().enumerate().filter_map(|(number, node)| {
        let entity = build.placed.nodes.get(*node)?.entity;
        Some(variant(build, target, number, *node, (entity, None), None))
    });
    let variants = variants.collect();
    let (id, entity) = add(build, target, variants)?;
    Some(Variants { id, directed: id, undirected: id, entity })
}

/// The nodes that a relationship leads to, where they are of several types, or where the type of
/// its properties is a union.
pub(crate) fn of_link<'m>(build: &mut Builder<'m>, link: &Link<'m>) -> Option<Variants> {
    let target = link.target();
    let is_plain = matches!(target, Target::Node(_)) && !link.shares_properties;
    let (Owner::Node(node), false) = (link.owner, is_plain) else { return None };
    let properties = link.properties(build).map(|known| &*known.name);
    let properties = properties.filter(|_| build.version.has_properties_type);
    let paths = typed_paths(build, target, link.paths);
    let has_directed = build.version.has_directed;
    let mut add_all = |hop: fn(&Path) -> Hop| {
        let variants = paths.iter().enumerate().map(|(number, (node, path))| {
            variant(build, target, number, *node, (path.entity, Some(hop(path))), properties)
        });
        let variants = variants.collect();
        add(build, target, variants)
    };
    let (id, entity) = add_all(|path| path.hop)?;
    let (directed, undirected) = match has_directed {
        true => (add_all(|path| path.written)?.0, add_all(|path| path.undirected)?.0),
        false => (id, id),
    };
    build.variants_by_field.insert((node, link.name()), id);
    Some(Variants { id, directed, undirected, entity })
}

/// Paths to the node types of a target, in the order of lists.
pub(crate) fn typed_paths<'w>(
    build: &Builder<'_>,
    target: Target,
    paths: &'w [Path],
) -> Vec<(usize, &'w Path)> {
    let mut paths: Vec<(usize, &Path)> = build.targets(target).into_iter().zip(paths).collect();
    if build.version.sorts_types {
        paths.sort_by_key(|(node, _)| *node);
    }
    paths
}

fn variant<'m>(
    build: &mut Builder<'m>,
    target: Target,
    number: usize,
    node: usize,
    (entity, hop): (EntityId, Option<Hop>),
    properties: Option<&'m str>,
) -> Variant<'m> {
    Variant {
        node,
        entity,
        hop,
        properties,
        number: u16::try_from(number).unwrap_or(u16::MAX),
        common: common(build, target, node),
        links: declared::links(build, target, node),
    }
}

/// The nodes of a target that a field of a node type leads to, as variants of that target.
pub(crate) fn along<'m>(
    build: &mut Builder<'m>,
    relationship: &RelationshipField,
    paths: &[Path],
    target: Target,
) -> Vec<Variant<'m>> {
    let wanted = build.variant_types(target);
    let found =
        typed_paths(build, relationship.target, paths).into_iter().filter_map(|(node, path)| {
            let number = wanted.iter().position(|wanted| *wanted == node)?;
            Some(variant(build, target, number, node, (path.entity, Some(path.hop)), None))
        });
    found.collect()
}

/// The fields of a node type for those of an interface that it implements.
pub(crate) fn common(build: &Builder<'_>, target: Target, node: usize) -> Vec<FieldId> {
    let (Target::Interface(interface), Some(known), Some(placed)) =
        (target, build.model.nodes.get(node), build.placed.nodes.get(node))
    else {
        return Vec::new();
    };
    let attributes = attributes(build, Owner::Interface(interface));
    let shared = attributes.iter().filter(|attribute| attribute.origin != Origin::Apart);
    let own = shared.filter_map(|attribute| {
        let mut fields = known.fields.iter().zip(&placed.fields);
        let (_, placed) = fields.find(|(field, _)| {
            field.name == attribute.field.name && matches!(field.kind, FieldKind::Property(_))
        })?;
        match placed {
            PlacedField::Property(id) => Some(*id),
            PlacedField::Paths(_) | PlacedField::Statement(_) => None,
        }
    });
    own.collect()
}

/// Conditions on the nodes of one type of a list, and changes of these.
pub(crate) fn of_member(number: usize) -> InputBinding {
    InputBinding::lenient(VariantRole::Of(u16::try_from(number).unwrap_or(u16::MAX)))
}

/// Adds a list whose types are found later.
pub(crate) fn reserve(build: &mut Builder<'_>, target: Target) {
    build.variants.push(VariantList { target, variants: Vec::new() });
}

fn add<'m>(
    build: &mut Builder<'m>,
    target: Target,
    variants: Vec<Variant<'m>>,
) -> Option<(VariantsId, EntityId)> {
    let entity = variants.first()?.entity;
    let id = VariantsId(u32::try_from(build.variants.len()).unwrap_or(u32::MAX));
    build.variants.push(VariantList { target, variants });
    Some((id, entity))
}

/// Adds all lists to the API, by the ids that the types have there.
pub(crate) fn finish(builder: &mut ApiBuilder, build: &Builder<'_>) {
    for list in &build.variants {
        let find = |name: &str| builder.schema().find_type(name);
        let bound = list.variants.iter().filter_map(|variant| {
            Some(VariantBinding {
                entity: variant.entity,
                hop: variant.hop,
                through: None,
                r#type: find(build.name(Target::Node(variant.node)))?,
                properties: variant.properties.and_then(find),
                number: variant.number,
                common: variant.common.clone(),
                links: variant.links.clone(),
            })
        });
        // A list whose types nothing leads to stays empty: others are known by their numbers.
        let bound = bound.collect();
        builder.add_variants(bound);
    }
}
