//! Nodes of several types in one list: those of an interface, those of a union.

use catalog::FieldId;
use graphql::schema::Schema;
use ir::Hop;

use super::super::model::{FieldKind, ModelField, PlacedField, Target, Way};
use super::build::Build;
use super::relations::{Owner, Relation, Variants, targets};
use crate::binding::{VariantBinding, VariantsId};

/// The ways to nodes of several types, by the places of the types.
#[derive(Clone, Debug)]
pub(super) struct VariantsDraft {
    ways: Vec<(usize, Way)>,
    hop: fn(&Way) -> Hop,
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
            self.variants.push(VariantsDraft { ways: ways.clone(), hop, target });
            id
        };
        Some(Variants {
            usual: add(|way| way.hop),
            directed: add(|way| way.written),
            undirected: add(|way| way.undirected),
            first,
        })
    }

    /// The place of a property among those that the node types of an interface have in common.
    pub(super) fn common_place(&self, interface: usize, field: usize) -> Option<u16> {
        let fields = self.model.interfaces[interface].fields.get(..field)?;
        let before = fields.iter().filter(|field| matches!(field.kind, FieldKind::Property(_)));
        u16::try_from(before.count()).ok()
    }

    /// The lists of entities in the order of their numbers, once the types are in the schema.
    pub(super) fn finished_variants(&self, schema: &Schema) -> Vec<Vec<VariantBinding>> {
        let finished = |draft: &VariantsDraft| {
            let numbers = 0_u16..;
            let ways = draft.ways.iter().zip(numbers);
            let variant = |((node, way), number): (&(usize, Way), u16)| {
                Some(VariantBinding {
                    entity: way.entity,
                    hop: Some((draft.hop)(way)),
                    r#type: schema.find_type(&self.model.nodes[*node].name)?,
                    properties: None,
                    number,
                    common: self.common(draft.target, *node)?,
                    links: Vec::new(),
                })
            };
            ways.filter_map(variant).collect()
        };
        self.variants.iter().map(finished).collect()
    }

    /// The fields of a node type for those that an interface has.
    fn common(&self, target: Target, node: usize) -> Option<Vec<FieldId>> {
        let Target::Interface(interface) = target else { return Some(Vec::new()) };
        let node_type = &self.model.nodes[node];
        let placed = self.placed.nodes.get(node)?;
        let fields = self.model.interfaces[interface].fields.iter();
        let properties = fields.filter(|field| matches!(field.kind, FieldKind::Property(_)));
        let own = |field: &ModelField| {
            let place = node_type.fields.iter().position(|own| own.name == field.name)?;
            match placed.fields.get(place)? {
                PlacedField::Property(field) => Some(*field),
                PlacedField::Ways(_) | PlacedField::Statement(_) => None,
            }
        };
        properties.map(own).collect()
    }
}
