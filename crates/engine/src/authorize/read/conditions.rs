//! Conditions and orders, which see no more than the answer shows.

use catalog::EntityId;
use ir::{Filter, Hop, OrderKey, Place, Quantifier};

use super::super::denial::Denial;
use super::{Walk, Within};

impl Walk<'_> {
    pub(super) fn order_key(&mut self, key: &mut OrderKey, within: &mut Within) {
        match key {
            OrderKey::Place(place) => self.place(place, within),
            OrderKey::Relation { hop, filter, aggregate } => {
                let mut below = self.along(*hop, within);
                self.filter(filter, &mut below);
                self.aggregate(aggregate, &mut below);
                let own = std::mem::replace(filter, Filter::all());
                *filter = both(own, below.visible);
            }
            OrderKey::Call(call) => self.call(call, within),
        }
    }

    /// The rows that a relationship leads to, within a condition.
    pub(super) fn along(&mut self, hop: Hop, within: &Within) -> Within {
        let (entity, visible) = self.hop(hop, within.entity);
        Within { entity: Some(entity), edge: None, visible, paths: None, is_gone: false }
    }

    pub(super) fn place(&mut self, place: &mut Place, within: &mut Within) {
        match place {
            Place::Field { path, field } => {
                if let Some(filter) = self.cell(path, *field, within) {
                    let hidden = std::mem::replace(place, Place::Common(0));
                    *place = Place::If { place: Box::new(hidden), filter: Box::new(filter) };
                }
            }
            Place::Edge(field) => self.edge(*field, within),
            Place::Computed(call) => self.call(call, within),
            Place::Attribute { of: place, .. }
            | Place::Truncated { place, .. }
            | Place::OrElse { place, .. }
            | Place::Aggregated { place, .. } => self.place(place, within),
            Place::Counted { .. } => {}
            Place::Common(_) => self.deny(Denial::NotUnderstood("rows of several entities")),
            Place::If { .. } => self.deny(Denial::NotUnderstood("a value with a condition")),
        }
    }

    /// A condition that the request says.
    pub(super) fn filter(&mut self, filter: &mut Filter, within: &mut Within) {
        match filter {
            Filter::And(filters) | Filter::Or(filters) => {
                filters.iter_mut().for_each(|filter| self.filter(filter, within));
            }
            Filter::Not(filter) | Filter::Except(filter) => self.filter(filter, within),
            Filter::Required(_) => self.deny(Denial::NotUnderstood("a required condition")),
            Filter::Compare { place, .. }
            | Filter::CompareText { place, .. }
            | Filter::IsNull(place)
            | Filter::AnyElement { place, .. }
            | Filter::Text { place, .. }
            | Filter::Geo { place, .. } => self.place(place, within),
            Filter::Relation { hop, quantifier, filter } => {
                let mut below = self.along(*hop, within);
                self.filter(filter, &mut below);
                if below.visible.is_all() {
                    return;
                }
                let own = std::mem::replace(&mut **filter, Filter::all());
                **filter = match quantifier {
                    Quantifier::Some | Quantifier::None | Quantifier::Single => {
                        both(own, below.visible)
                    }
                    // No row that may be seen fails.
                    Quantifier::Every => {
                        *quantifier = Quantifier::None;
                        both(Filter::Not(Box::new(own)), below.visible)
                    }
                };
            }
            Filter::RelatedGroup { hop, filter, having, .. } => {
                let mut below = self.along(*hop, within);
                self.filter(filter, &mut below);
                self.filter(having, &mut below);
                let own = std::mem::replace(&mut **filter, Filter::all());
                **filter = both(own, below.visible);
            }
            Filter::VariantGroup { variants, having, .. } => {
                for variant in variants {
                    let Some(hop) = variant.hop else { continue };
                    let mut below = self.along(hop, within);
                    self.filter(&mut variant.filter, &mut below);
                    let own = std::mem::replace(&mut variant.filter, Filter::all());
                    variant.filter = both(own, below.visible);
                }
                self.filter(having, &mut Within::nothing());
            }
        }
    }

    /// A condition on rows that are changed.
    pub(in super::super) fn filter_of(&mut self, filter: &mut Filter, entity: EntityId) {
        let mut within = Within { entity: Some(entity), ..Within::nothing() };
        self.filter(filter, &mut within);
    }
}

/// The conjunction; what the request says comes first.
pub(in super::super) fn both(one: Filter, other: Filter) -> Filter {
    match (one, other) {
        (Filter::And(mut all), other) => {
            all.push(other);
            Filter::and(all)
        }
        (one, other) => Filter::and(vec![one, other]),
    }
}

/// Whether a condition looks at other rows than the one that has to pass.
pub(super) fn leads_elsewhere(filter: &Filter) -> bool {
    match filter {
        Filter::And(filters) | Filter::Or(filters) => filters.iter().any(leads_elsewhere),
        Filter::Not(filter) | Filter::Except(filter) | Filter::Required(filter) => {
            leads_elsewhere(filter)
        }
        Filter::Relation { .. } | Filter::RelatedGroup { .. } | Filter::VariantGroup { .. } => true,
        Filter::Compare { .. }
        | Filter::CompareText { .. }
        | Filter::IsNull(_)
        | Filter::AnyElement { .. }
        | Filter::Text { .. }
        | Filter::Geo { .. } => false,
    }
}
