//! Conditions on rows as filters.

use ir::{Filter, Hop, Quantifier};

/// A condition whose names are resolved.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    Test {
        filter: Filter,
        /// The claim that a value is compared with, by its place among those of all rules.
        claim: Option<usize>,
    },
    Related {
        hop: Hop,
        quantifier: Quantifier,
        condition: Box<Condition>,
    },
}

impl Condition {
    /// The filter that a row passes only if the condition is true. What is compared with a claim
    /// that is missing is unknown: as a part of what has to be true it is false, and as a part of
    /// what must not be true it is true.
    pub(super) fn filter(&self, is_missing: &impl Fn(usize) -> bool) -> Filter {
        self.toward(true, is_missing)
    }

    /// The same, or its counterpart that a row passes unless the condition is false.
    fn toward(&self, strict: bool, is_missing: &impl Fn(usize) -> bool) -> Filter {
        let each = |conditions: &[Self]| {
            conditions.iter().map(|condition| condition.toward(strict, is_missing)).collect()
        };
        match self {
            Self::All(conditions) => Filter::and(each(conditions)),
            Self::Any(conditions) => any(each(conditions)),
            Self::Not(condition) => Filter::Not(Box::new(condition.toward(!strict, is_missing))),
            Self::Test { claim: Some(claim), .. } if is_missing(*claim) => match strict {
                true => Filter::none(),
                false => Filter::all(),
            },
            Self::Test { filter, .. } => filter.clone(),
            Self::Related { hop, quantifier, condition } => {
                let (quantifier, filter) = match quantifier {
                    Quantifier::Some | Quantifier::Single => {
                        (*quantifier, condition.toward(strict, is_missing))
                    }
                    Quantifier::None => (*quantifier, condition.toward(!strict, is_missing)),
                    // A row of which nobody knows whether it passes does not.
                    Quantifier::Every => {
                        let passes = condition.toward(strict, is_missing);
                        (Quantifier::None, Filter::Except(Box::new(passes)))
                    }
                };
                Filter::Relation { hop: *hop, quantifier, filter: Box::new(filter) }
            }
        }
    }

    /// Adds the fields that the condition looks at, of the row and of those it leads to.
    pub(super) fn fields(&self, fields: &mut Vec<catalog::FieldId>) {
        match self {
            Self::All(conditions) | Self::Any(conditions) => {
                conditions.iter().for_each(|condition| condition.fields(fields));
            }
            Self::Not(condition) | Self::Related { condition, .. } => condition.fields(fields),
            Self::Test { filter, .. } => {
                let test = match filter {
                    Filter::Not(test) => test,
                    test => test,
                };
                if let Filter::Compare { place, .. }
                | Filter::Text { place, .. }
                | Filter::IsNull(place) = test
                    && let ir::Place::Field { field, .. } = place
                {
                    fields.push(*field);
                }
            }
        }
    }

    /// Adds the claims that it compares with, by their places.
    pub(super) fn claims(&self, claims: &mut Vec<usize>) {
        match self {
            Self::All(conditions) | Self::Any(conditions) => {
                conditions.iter().for_each(|condition| condition.claims(claims));
            }
            Self::Not(condition) | Self::Related { condition, .. } => condition.claims(claims),
            Self::Test { claim, .. } => claims.extend(*claim),
        }
    }

    /// Adds the relationships that it follows.
    pub(super) fn hops(&self, hops: &mut Vec<Hop>) {
        match self {
            Self::All(conditions) | Self::Any(conditions) => {
                conditions.iter().for_each(|condition| condition.hops(hops));
            }
            Self::Not(condition) => condition.hops(hops),
            Self::Test { .. } => {}
            Self::Related { hop, condition, .. } => {
                hops.push(*hop);
                condition.hops(hops);
            }
        }
    }
}

/// The disjunction, without what is said twice.
pub(super) fn any(filters: Vec<Filter>) -> Filter {
    if filters.iter().any(Filter::is_all) {
        return Filter::all();
    }
    let mut different: Vec<Filter> = Vec::with_capacity(filters.len());
    for filter in filters {
        if !different.contains(&filter) {
            different.push(filter);
        }
    }
    match different.len() {
        1 => different.swap_remove(0),
        _ => Filter::Or(different),
    }
}
