//! Rows of several entities in one list: of an interface, of a union.
//!
//! Outputs and conditions of such rows are lowered once for each entity, with the fields of that
//! entity in place of the common ones.

use std::borrow::Cow;

use catalog::FieldId;
use graphql::CollectedField;
use graphql::operation::SelectionSetId;
use ir::{Distance, Filter, Hop, Quantifier, ValueRef, Variant};
use response::Node;

use super::arguments::Arguments;
use super::filter::FilterContext;
use super::required_fields::RequiredFields;
use super::selection::misplaced;
use super::{Context, LowerError, Outputs};
use api::binding::{
    EdgeField, FieldBinding, RelationshipVariant, Subject, VariantBinding, VariantLink, VariantsId,
};

/// The one of several entities that conditions apply to.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfVariant<'b> {
    pub(super) number: u16,
    common: &'b [FieldId],
    links: &'b [VariantLink],
    /// The hop to its rows.
    pub(super) hop: Option<Hop>,
}

impl<'b> OfVariant<'b> {
    pub(super) fn new(variant: &'b VariantBinding) -> Self {
        let VariantBinding { number, common, links, hop, .. } = variant;
        Self { number: *number, common, links, hop: *hop }
    }

    /// The relationship from its rows, by the index of the common one.
    pub(super) fn link(self, place: u16) -> Option<VariantLink> {
        self.links.get(usize::from(place)).copied()
    }

    /// Its own field for a common one.
    fn field(self, place: u16) -> Option<FieldId> {
        self.common.get(usize::from(place)).copied()
    }

    /// The distance of its own vector for that of a common one.
    fn distance(self, distance: Distance) -> Distance {
        let own = match distance.vector {
            ValueRef::Common(place) => self.field(place).map(ValueRef::field),
            _ => None,
        };
        match own {
            Some(vector) => Distance { vector, ..distance },
            None => distance,
        }
    }

    /// The nodes that a change reaches.
    pub(super) fn of_relationship(relationship: &'b RelationshipVariant) -> Self {
        let RelationshipVariant { number, common, links, hop, .. } = relationship;
        Self { number: *number, common, links, hop: Some(*hop) }
    }
}

impl<'a> Context<'a> {
    /// The subject of operators: a variant's own field in place of a common one, and with the
    /// replacement of null.
    pub(super) fn subject<'s>(
        &self,
        own: Option<OfVariant<'_>>,
        subject: &'s Subject,
    ) -> Cow<'s, Subject> {
        let common = match (own, &subject.place) {
            (Some(own), ValueRef::Common(place)) => own.common.get(usize::from(*place)),
            _ => None,
        };
        let common = common.map(|field| ValueRef::field(*field));
        let field = match common.as_ref().unwrap_or(&subject.place) {
            ValueRef::Field { path, field } if path.is_empty() => Some(*field),
            ValueRef::Edge(field) => Some(*field),
            _ => None,
        };
        let absent = field.and_then(|field| self.api.find_absent(field)?.value.as_ref());
        let place = match (common, absent) {
            (None, None) => return Cow::Borrowed(subject),
            (Some(place), None) => place,
            (common, Some(absent)) => ValueRef::OrElse {
                place: Box::new(common.unwrap_or_else(|| subject.place.clone())),
                value: Box::new(absent.clone()),
            },
        };
        Cow::Owned(Subject { place, ..subject.clone() })
    }

    /// The node of a row of several entities, built for each entity.
    pub(super) fn by_variant(
        &mut self,
        variants: VariantsId,
        outputs: &mut Outputs,
        mut make: impl FnMut(&mut Self, &'a VariantBinding, &mut Outputs) -> Result<Node, LowerError>,
    ) -> Result<Node, LowerError> {
        let api = self.api;
        let all = api.variants(variants);
        let variant = outputs.variant(self);
        let mut of_variants = std::mem::take(&mut outputs.of_variants);
        of_variants.resize_with(all.len(), Outputs::default);
        let mut nodes = Vec::with_capacity(all.len());
        let distance = self.distance.clone();
        for (one, own) in all.iter().zip(&mut of_variants) {
            self.distance = distance.clone().map(|distance| OfVariant::new(one).distance(distance));
            let node = make(self, one, own)?;
            nodes.push(self.shape.add(node));
        }
        self.distance = distance;
        outputs.of_variants = of_variants;
        Ok(Node::Variants { variant, nodes: nodes.into() })
    }

    /// The properties of the relationship to a row of several entities.
    pub(super) fn properties_by_variant(
        &mut self,
        variants: VariantsId,
        sets: &[SelectionSetId],
        outputs: &mut Outputs,
    ) -> Result<Node, LowerError> {
        self.by_variant(variants, outputs, |context, variant, outputs| {
            let Some(object) = variant.properties else {
                return Ok(Node::Literal(b"null".as_slice().into()));
            };
            let mut fields = Vec::new();
            for field in &context.collect(object, sets)? {
                let node = match context.binding(field)? {
                    None => Node::Literal(context.typename(object)),
                    Some((FieldBinding::Refused(text), _)) => Node::Refused(text.clone()),
                    Some((FieldBinding::Edge(EdgeField::Column(column)), r#type)) => {
                        context.edge_column(*column, r#type.base, field, outputs)?
                    }
                    Some(_) => return Err(misplaced("a property of a relationship")),
                };
                fields.push(context.shape_field(field, node));
            }
            Ok(Node::Object(context.shape.add_fields(fields)))
        })
    }

    /// The arguments of a list of several entities beside their conditions.
    pub(super) fn arguments_of_variants(
        &self,
        variants: VariantsId,
        field: &CollectedField<'_>,
    ) -> Result<Arguments, LowerError> {
        match self.api.variants(variants).first() {
            Some(variant) => {
                self.arguments_of(field, FilterContext::of_variant(OfVariant::new(variant)))
            }
            None => self.arguments(field),
        }
    }

    /// The entities of a list, each with its own conditions and outputs.
    pub(super) fn variants(
        &mut self,
        variants: VariantsId,
        field: &CollectedField<'a>,
        cascade: Option<&RequiredFields>,
        outputs: &mut Outputs,
    ) -> Result<Vec<Variant>, LowerError> {
        let all = self.api.variants(variants);
        let mut of_variants = std::mem::take(&mut outputs.of_variants);
        of_variants.resize_with(all.len(), Outputs::default);
        let mut found = Vec::with_capacity(all.len());
        for (one, own) in all.iter().zip(of_variants) {
            let around = FilterContext::of_variant(OfVariant::new(one));
            let mut filters = self.arguments_of(field, around)?.filters;
            if let Some(cascade) = cascade {
                filters.push(self.has_fields(one.r#type, &field.selection_sets, cascade)?);
            }
            found.push(Variant {
                entity: one.entity,
                hop: one.hop,
                through: one.through,
                filter: Filter::and(filters),
                common: one.common.clone(),
                outputs: own.into_list(),
            });
        }
        Ok(found)
    }

    /// A condition on related rows of several entities, composed of those on the rows of each.
    pub(super) fn related_variants(
        &self,
        variants: VariantsId,
        quantifier: Quantifier,
        filter: impl Fn(FilterContext<'_>) -> Result<Option<Filter>, LowerError>,
    ) -> Result<Option<Filter>, LowerError> {
        let mut ways = Vec::new();
        for variant in self.api.variants(variants) {
            let Some(hop) = variant.hop else {
                return Err(misplaced("a relationship to variants"));
            };
            let Some(filter) = filter(FilterContext::of_variant(OfVariant::new(variant)))? else {
                return Ok(None);
            };
            ways.push(match variant.through {
                None => (hop, filter),
                // A joining row of another entity leads to no row of this one.
                Some(_) if quantifier == Quantifier::Every => {
                    return Err(misplaced("a condition on all rows that others join"));
                }
                Some(near) => (near, related(hop, Quantifier::Some, filter)),
            });
        }
        let each = |quantifier: Quantifier| {
            ways.iter().map(move |(hop, filter)| related(*hop, quantifier, filter.clone()))
        };
        Ok(Some(match quantifier {
            Quantifier::Some => Filter::Or(each(Quantifier::Some).collect()),
            Quantifier::None => Filter::And(each(Quantifier::None).collect()),
            Quantifier::Every => Filter::And(each(Quantifier::Every).collect()),
            // One row of one entity, and none of the others.
            Quantifier::Single => {
                let only = |place: usize| {
                    let of = |(other, (hop, filter)): (usize, &(Hop, Filter))| {
                        let quantifier = match other == place {
                            true => Quantifier::Single,
                            false => Quantifier::None,
                        };
                        related(*hop, quantifier, filter.clone())
                    };
                    Filter::And(ways.iter().enumerate().map(of).collect())
                };
                Filter::Or((0..ways.len()).map(only).collect())
            }
        }))
    }
}

pub(super) fn related(hop: Hop, quantifier: Quantifier, filter: Filter) -> Filter {
    Filter::Relation { hop, quantifier, filter: Box::new(filter) }
}
