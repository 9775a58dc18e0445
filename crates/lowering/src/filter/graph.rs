//! Conditions of a graph's API: rows of several entities, aggregates of groups, distances.
//!
//! They are kept apart so that the stack frames of nested conditions stay small.

use catalog::EntityId;
use graphql::opaque::OpaqueKind;
use graphql::operation::Location;
use graphql::schema::{InputId, TypeId};
use ir::{Filter, Hop, Quantifier, ValueRef, Variant};

use super::{FilterContext, PresentInput, RelatedRows, distance, meaning};
use crate::arguments::Opaque;
use crate::input::{Input, Presence};
use crate::selection::misplaced;
use crate::variants::{OfVariant, related};
use crate::{Context, LowerError};
use api::binding::{FilterRole, InputRole, Subject, ValueBinding, VariantRole, VariantsId};

impl Context<'_> {
    /// The condition on a field of the row, or on one that all variants have.
    pub(super) fn operators(
        &self,
        given: PresentInput<'_, '_>,
        subject: &Subject,
        of_elements: bool,
    ) -> Result<Option<Filter>, LowerError> {
        let subject = Some(&*self.subject(given.around.variant, subject));
        self.object(given, FilterContext { subject, of_elements, ..FilterContext::default() })
    }

    /// The conditions of operators on several values: for each operator at least one value passes;
    /// for a null operand all values pass.
    pub(super) fn operators_of_any(
        &self,
        given: PresentInput<'_, '_>,
        subjects: &[Subject],
    ) -> Result<Option<Filter>, LowerError> {
        let mut filters = Vec::new();
        for entry in self.entries(given.input, self.api.schema[given.id].r#type.base)? {
            let is_null = self.presence(&entry.1) == Presence::Null;
            let entry = [entry];
            let mut each = Vec::with_capacity(subjects.len());
            for subject in subjects {
                let subject = Some(&*self.subject(given.around.variant, subject));
                let around = FilterContext { subject, ..FilterContext::default() };
                each.extend(self.conjunction(&entry, around, given.location)?);
            }
            if !each.is_empty() {
                filters.push(if is_null { Filter::and(each) } else { Filter::Or(each) });
            }
        }
        Ok(if filters.is_empty() { None } else { Some(Filter::and(filters)) })
    }

    pub(super) fn stated_of_graph(
        &self,
        role: &FilterRole,
        given: PresentInput<'_, '_>,
    ) -> Result<Option<Filter>, LowerError> {
        let PresentInput { id, input, around, location, .. } = given;
        let r#type = self.api.schema[id].r#type;
        match role {
            FilterRole::RelatedVariants(variants) => {
                self.object(given, FilterContext::of_rows(RelatedRows::Variants(*variants)))
            }
            FilterRole::RelatedVariantsBy { variants, role } => {
                self.of_rows(given, role, RelatedRows::Variants(*variants))
            }
            FilterRole::RelatedEach { variants, role } => self.related_each(given, *variants, role),
            FilterRole::Declared(role) => self.declared(role, given),
            FilterRole::OfVariants => self.of_variants(input, r#type.base, around, location),
            FilterRole::IsGlobalId(entity) => self.has_global_id(*entity, given).map(Some),
            FilterRole::MadeOf(place) => {
                let made_of = Some(&**place);
                self.object(given, FilterContext { made_of, ..FilterContext::default() })
            }
            FilterRole::OperatorsOfMade(function) => {
                let place = around.made_of.ok_or_else(|| misplaced("operators on an aggregate"))?;
                let (function, place) = (*function, Box::new(place.clone()));
                let subject = Subject::new(ValueRef::Aggregated { function, place });
                let subject = Some(&subject);
                self.object(given, FilterContext { subject, ..FilterContext::default() })
            }
            _ => Err(misplaced("a condition of a graph")),
        }
    }

    /// The condition of a member for rows of one of several entities.
    // A function of its own: its stack frame would be part of all enclosing conditions.
    #[inline(never)]
    pub(super) fn stated_of_variant(
        &self,
        role: VariantRole,
        given: PresentInput<'_, '_>,
    ) -> Result<Option<Filter>, LowerError> {
        let PresentInput { id, input, around, .. } = given;
        match role {
            VariantRole::On if around.alone => self.object(given, around),
            VariantRole::On => {
                let mut filters = Vec::new();
                for (id, input) in self.entries(input, self.api.schema[id].r#type.base)? {
                    let is_of_others = match self.api.input(id).role {
                        InputRole::Variant(VariantRole::Of(number)) => {
                            around.variant.is_none_or(|own| own.number != number)
                        }
                        _ => false,
                    };
                    if !is_of_others {
                        filters.extend(self.condition(id, &input, around, given.location)?);
                    }
                }
                Ok(if filters.is_empty() { None } else { Some(Filter::and(filters)) })
            }
            VariantRole::Restrict(number) => {
                match around.variant.is_some_and(|own| own.number == number) {
                    true => self.object(given, FilterContext::default()),
                    false => Ok(None),
                }
            }
            VariantRole::Of(number) => {
                match around.variant.is_some_and(|own| own.number == number) {
                    true => {
                        let stated = self.object(given, FilterContext::default())?;
                        // It is named, so all of its rows pass.
                        Ok(Some(stated.unwrap_or_else(Filter::all)))
                    }
                    false => Ok(None),
                }
            }
        }
    }

    /// The row of an entity by its global id.
    fn has_global_id(
        &self,
        entity: EntityId,
        given: PresentInput<'_, '_>,
    ) -> Result<Filter, LowerError> {
        let PresentInput { id, input, location, .. } = given;
        let binding = self.api.find_entity(entity).and_then(|entity| entity.node_id.as_ref());
        let Some(binding) = binding else { return Err(misplaced("a global id")) };
        let shape = self.opaque(input, OpaqueKind::GlobalId);
        let operand = self.operand(input, self.api.schema[id].r#type);
        let filter = shape.and_then(|shape| {
            Opaque { kind: OpaqueKind::GlobalId, shape, operand }.filter(binding)
        });
        filter.ok_or_else(|| {
            let name = &self.api.schema[binding.r#type].name;
            let message = format!("Cannot query Relay Id on \"{name}\"");
            LowerError::Refused { message: message.into(), location }
        })
    }

    /// A condition on a point's distance to another.
    pub(super) fn distances(
        &self,
        given: PresentInput<'_, '_>,
        place: &ValueRef,
    ) -> Result<Option<Filter>, LowerError> {
        let entries = self.entries(given.input, self.api.schema[given.id].r#type.base)?;
        let is_point = |(id, _): &&(InputId, Input<'_>)| {
            self.api.input(*id).role == InputRole::Filter(FilterRole::DistancePoint)
        };
        let is_read = |(id, _): &(InputId, Input<'_>)| {
            matches!(
                self.api.input(*id).role,
                InputRole::Filter(FilterRole::DistancePoint | FilterRole::DistanceIs(_))
            )
        };
        if !entries.iter().all(is_read) {
            return Err(misplaced("a member of a distance"));
        }
        let Some((id, point)) = entries.iter().find(is_point) else {
            return meaning(given.binding.empty(), Some(place), given.location);
        };
        let point = self.operand(point, self.api.schema[*id].r#type);
        let mut filters = Vec::new();
        for (id, input) in &entries {
            if let InputRole::Filter(FilterRole::DistanceIs(comparison)) = self.api.input(*id).role
                && self.presence(input) == Presence::Present
            {
                let most = self.operand(input, self.api.schema[*id].r#type);
                let members = vec![("point".into(), point.clone()), ("distance".into(), most)];
                filters.push(distance(place, comparison, ir::Operand::Object(members)));
            }
        }
        Ok(if filters.is_empty() { None } else { Some(Filter::and(filters)) })
    }

    /// Filters rows by the group of all related rows.
    pub(super) fn together(
        &self,
        given: PresentInput<'_, '_>,
        hop: Hop,
        once: bool,
    ) -> Result<Option<Filter>, LowerError> {
        let having = self.object(given, FilterContext::along(hop))?;
        Ok(having.map(|having| {
            let (filter, having) = (Box::new(Filter::all()), Box::new(having));
            Filter::RelatedGroup { hop, filter, having, once }
        }))
    }

    /// Filters rows by the group of all related rows of several entities.
    pub(super) fn variants_together(
        &self,
        given: PresentInput<'_, '_>,
        variants: VariantsId,
        once: bool,
    ) -> Result<Option<Filter>, LowerError> {
        let variants = self.api.variants(variants).iter();
        // The properties of all of them are of one kind.
        let along = variants.clone().find_map(|variant| variant.hop).map(FilterContext::along);
        let Some(having) = self.object(given, along.unwrap_or_default())? else { return Ok(None) };
        let variants = variants.map(|variant| Variant {
            entity: variant.entity,
            hop: variant.hop,
            through: variant.through,
            filter: Filter::all(),
            common: variant.common.clone(),
            outputs: Vec::new(),
        });
        let (variants, having) = (variants.collect(), Box::new(having));
        Ok(Some(Filter::VariantGroup { variants, having, once }))
    }

    /// Filters rows by related rows of several entities.
    pub(super) fn quantified(
        &self,
        given: PresentInput<'_, '_>,
        variants: VariantsId,
        quantifier: Quantifier,
    ) -> Result<Option<Filter>, LowerError> {
        self.related_variants(variants, quantifier, |around| self.object(given, around))
    }

    /// Filters rows whose related rows of several entities all pass, and that have one: all rows
    /// together, or those of each entity by themselves. Of a union those of the entities that the
    /// condition names, and no others.
    pub(super) fn all_of_variants(
        &self,
        given: PresentInput<'_, '_>,
        variants: VariantsId,
        apart: bool,
    ) -> Result<Option<Filter>, LowerError> {
        let entries = self.entries(given.input, self.api.schema[given.id].r#type.base)?;
        let numbers = entries.iter().filter_map(|(id, _)| match self.api.input(*id).role {
            InputRole::Variant(VariantRole::Of(number)) => Some(number),
            _ => None,
        });
        let named: Vec<u16> = numbers.collect();
        if !apart && named.is_empty() {
            return all(|quantifier| self.quantified(given, variants, quantifier));
        }
        let mut filters = Vec::new();
        for variant in self.api.variants(variants) {
            let Some(hop) = variant.hop else {
                return Err(misplaced("a relationship to variants"));
            };
            if !named.is_empty() && !named.contains(&variant.number) {
                continue;
            }
            let around = FilterContext::of_variant(OfVariant::new(variant));
            let Some(filter) = self.object(given, around)? else { return Ok(None) };
            filters.push(related(hop, Quantifier::Some, filter.clone()));
            filters.push(related(hop, Quantifier::Every, filter));
        }
        Ok(Some(Filter::And(filters)))
    }

    /// True if an object has conditions on rows of other entities only: then it accepts no other
    /// rows.
    pub(super) fn is_of_others(&self, entries: &[(InputId, Input<'_>)], own: u16) -> bool {
        let mut numbers = entries.iter().filter_map(|(id, _)| match self.api.input(*id).role {
            InputRole::Variant(VariantRole::Of(number)) => Some(number),
            _ => None,
        });
        numbers.next().is_some_and(|first| first != own && numbers.all(|number| number != own))
    }

    /// The filter of rows of the entities that a list names.
    fn of_variants(
        &self,
        input: &Input<'_>,
        r#type: TypeId,
        around: FilterContext<'_>,
        location: Location,
    ) -> Result<Option<Filter>, LowerError> {
        let mut is_own = false;
        for item in self.items(input)? {
            match self.enum_value(&item, r#type, location)? {
                Some(ValueBinding::Variant(number)) => {
                    is_own |= around.variant.is_some_and(|own| own.number == *number);
                }
                Some(_) => return Err(misplaced("a value of types")),
                None => {}
            }
        }
        Ok(Some(if is_own { Filter::all() } else { Filter::none() }))
    }
}

/// The condition that all rows pass, and that there is one.
pub(super) fn all(
    of: impl Fn(Quantifier) -> Result<Option<Filter>, LowerError>,
) -> Result<Option<Filter>, LowerError> {
    let some = of(Quantifier::Some)?;
    let every = of(Quantifier::Every)?;
    Ok(some.zip(every).map(|(some, every)| Filter::And(vec![some, every])))
}
