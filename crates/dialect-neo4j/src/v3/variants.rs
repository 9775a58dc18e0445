//! Nodes of several types in one list: those of an interface, those of a union.

use catalog::{EntityId, FieldId};
use graphql::schema::Schema;
use ir::Hop;

use super::build::Build;
use super::classes::relationships;
use super::relations::{Owner, Relation, Variants, members, targets};
use crate::model::{FieldKind, ModelField, PlacedField, RelationshipField, Target, Way};
use api::binding::{VariantBinding, VariantLink, VariantsId};

/// Nodes of several types, by the places of the types: the entity of each, and the way to it.
#[derive(Clone, Debug)]
pub(super) struct VariantsDraft {
    nodes: Vec<(usize, EntityId, Option<Hop>)>,
    target: Target,
}

impl<'m> Build<'m> {
    /// The ways to what a relationship leads to, if that is of several types.
    pub(super) fn variants(&mut self, relation: &Relation<'m>) -> Option<Variants> {
        let target = relation.relationship.target;
        let (Owner::Node(_), Target::Interface(_) | Target::Union(_)) = (relation.owner, target)
        else {
            return None;
        };
        let members = targets(self.model, target).into_iter();
        let mut ways: Vec<(usize, Way)> = members.zip(relation.ways.iter().copied()).collect();
        // The types stand in the order of the definitions, not of the union.
        ways.sort_by_key(|(node, _)| *node);
        let first = ways.first().map(|(_, way)| way.entity)?;
        let mut add = |hop: fn(&Way) -> Hop| {
            let id = VariantsId(u32::try_from(self.variants.len()).unwrap_or(u32::MAX));
            let nodes = ways.iter().map(|(node, way)| (*node, way.entity, Some(hop(way))));
            self.variants.push(VariantsDraft { nodes: nodes.collect(), target });
            id
        };
        let variants = Variants {
            usual: add(|way| way.hop),
            directed: add(|way| way.written),
            undirected: add(|way| way.undirected),
            first,
        };
        if let Owner::Node(node) = relation.owner {
            self.variants_by_field.insert((node, &relation.field.name), variants.usual);
        }
        Some(variants)
    }

    /// All nodes of an interface or of a union, and the entity of the first of them.
    pub(super) fn variants_of(&mut self, target: Target) -> Option<(VariantsId, EntityId)> {
        let entity = |place: usize| Some((place, self.placed.nodes.get(place)?.entity, None));
        let nodes: Vec<_> = members(self.model, target).into_iter().filter_map(entity).collect();
        let (_, first, _) = *nodes.first()?;
        let id = VariantsId(u32::try_from(self.variants.len()).unwrap_or(u32::MAX));
        self.variants.push(VariantsDraft { nodes, target });
        Some((id, first))
    }

    /// The place of a property among those that the node types of an interface have in common.
    pub(super) fn common_place(&self, interface: usize, field: usize) -> Option<u16> {
        let mut common = self.common_properties(interface);
        u16::try_from(common.position(|(place, _)| place == field)?).ok()
    }

    /// The properties of an interface that nodes of all its types store: of those of some types a
    /// statement may give it.
    fn common_properties(
        &self,
        interface: usize,
    ) -> impl Iterator<Item = (usize, &'m ModelField)> + use<'m> {
        let model = self.model;
        let known = &model.interfaces[interface];
        let is_stored = |node: usize, name: &str| {
            let mut own = model.nodes[node].fields.iter().filter(|own| *own.name == *name);
            own.all(|own| matches!(own.kind, FieldKind::Property(_)))
        };
        known.fields.iter().enumerate().filter(move |(_, field)| {
            matches!(field.kind, FieldKind::Property(_))
                && known.implementations.iter().all(|node| is_stored(*node, &field.name))
        })
    }

    /// The lists of entities in the order of their numbers, once the types are in the schema.
    pub(super) fn finished_variants(&self, schema: &Schema) -> Vec<Vec<VariantBinding>> {
        let finished = |draft: &VariantsDraft| {
            let numbers = 0_u16..;
            let nodes = draft.nodes.iter().zip(numbers);
            let variant = |((node, entity, hop), number): (&(usize, EntityId, _), u16)| {
                Some(VariantBinding {
                    entity: *entity,
                    hop: *hop,
                    r#type: schema.find_type(&self.model.nodes[*node].name)?,
                    properties: None,
                    number,
                    common: self.common(draft.target, *node)?,
                    links: self.links(draft.target, *node),
                })
            };
            nodes.filter_map(variant).collect()
        };
        self.variants.iter().map(finished).collect()
    }

    /// What leads from a node type to others for what an interface declares, as far as it has all of
    /// that.
    pub(super) fn links(&self, target: Target, node: usize) -> Vec<VariantLink> {
        let Target::Interface(interface) = target else { return Vec::new() };
        let own = |(_, field, _): (usize, &ModelField, &RelationshipField)| {
            let fields = &self.model.nodes.get(node)?.fields;
            let mut own = relationships(fields).filter(|(_, own, _)| own.name == field.name);
            let (place, _, relationship) = own.next()?;
            match (relationship.target, self.placed.nodes.get(node)?.fields.get(place)?) {
                (Target::Node(_), PlacedField::Ways(ways)) => {
                    ways.first().map(|way| VariantLink::One(way.hop))
                }
                _ => {
                    let variants = self.variants_by_field.get(&(node, &*field.name));
                    variants.copied().map(VariantLink::Several)
                }
            }
        };
        relationships(&self.model.interfaces[interface].fields).map_while(own).collect()
    }

    /// The fields of a node type for those that an interface has.
    pub(super) fn common(&self, target: Target, node: usize) -> Option<Vec<FieldId>> {
        let Target::Interface(interface) = target else { return Some(Vec::new()) };
        let node_type = &self.model.nodes[node];
        let placed = self.placed.nodes.get(node)?;
        let own = |(_, field): (usize, &ModelField)| {
            let place = node_type.fields.iter().position(|own| own.name == field.name)?;
            match placed.fields.get(place)? {
                PlacedField::Property(field) => Some(*field),
                PlacedField::Ways(_) | PlacedField::Statement(_) => None,
            }
        };
        self.common_properties(interface).map(own).collect()
    }
}
