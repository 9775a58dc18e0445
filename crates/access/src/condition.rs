//! Conditions of access rules, on claims and on rows.

use catalog::FieldId;
use ir::{Claims, Filter, Hop, Operand, Quantifier, ValueRef};

use crate::claim::{self, ClaimUse, Comparison};
use crate::claim_condition::ClaimCondition;

/// A condition of a rule. `R` is a condition on rows: a [`Filter`] in the terms of a catalog, or
/// the parsed and unresolved condition of a frontend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition<R = Filter> {
    All(Vec<Condition<R>>),
    Any(Vec<Condition<R>>),
    Not(Box<Condition<R>>),
    /// A condition on claims alone, which is decided when a session is known.
    Claims(ClaimCondition),
    /// A condition on the row, which may compare its values with claims.
    Row(R),
    /// A condition on rows along a relationship.
    Related {
        hop: Hop,
        quantifier: Quantifier,
        condition: Box<Condition<R>>,
    },
}

impl Condition {
    /// The condition that every row passes.
    #[must_use]
    pub fn always() -> Self {
        Self::All(Vec::new())
    }

    /// The filter of the rows for which the condition is true, for a session with these claims.
    #[must_use]
    pub fn filter(&self, claims: Option<&Claims>) -> Filter {
        nullable_filter(self, true, &SessionFacts(claims))
    }

    /// Adds the fields that the condition reads, of the row and of related rows.
    pub fn fields(&self, fields: &mut Vec<FieldId>) {
        match self {
            Self::All(conditions) | Self::Any(conditions) => {
                conditions.iter().for_each(|condition| condition.fields(fields));
            }
            Self::Not(condition) | Self::Related { condition, .. } => condition.fields(fields),
            Self::Claims(_) => {}
            Self::Row(filter) => {
                let test = match filter {
                    Filter::Not(test) => test,
                    test => test,
                };
                if let Filter::Compare { place, .. }
                | Filter::Text { place, .. }
                | Filter::IsNull(place) = test
                    && let ValueRef::Field { field, .. } = place
                {
                    fields.push(*field);
                }
            }
        }
    }

    /// Passes on the claims with which the condition compares values of rows.
    pub fn claims<'c>(&'c self, each: &mut dyn FnMut(&'c str)) {
        match self {
            Self::All(conditions) | Self::Any(conditions) => {
                conditions.iter().for_each(|condition| condition.claims(each));
            }
            Self::Not(condition) | Self::Related { condition, .. } => condition.claims(each),
            Self::Claims(_) => {}
            Self::Row(filter) => claims_of(filter, each),
        }
    }

    /// Adds the relationships that the condition follows.
    pub fn hops(&self, hops: &mut Vec<Hop>) {
        match self {
            Self::All(conditions) | Self::Any(conditions) => {
                conditions.iter().for_each(|condition| condition.hops(hops));
            }
            Self::Not(condition) => condition.hops(hops),
            Self::Claims(_) | Self::Row(_) => {}
            Self::Related { hop, condition, .. } => {
                hops.push(*hop);
                condition.hops(hops);
            }
        }
    }
}

/// Passes on the claims that a filter names.
pub fn claims_of<'f>(filter: &'f Filter, each: &mut dyn FnMut(&'f str)) {
    match filter {
        Filter::And(filters) | Filter::Or(filters) => {
            filters.iter().for_each(|filter| claims_of(filter, each));
        }
        Filter::Not(one)
        | Filter::Except(one)
        | Filter::Required(one)
        | Filter::Exists { filter: one, .. }
        | Filter::Relation { filter: one, .. } => claims_of(one, each),
        Filter::FunctionRows { call, filter } => {
            call.arguments.iter().for_each(|(_, operand)| operand_claims(operand, each));
            claims_of(filter, each);
        }
        Filter::Barrier { first, then } => {
            claims_of(first, each);
            claims_of(then, each);
        }
        Filter::RelatedGroup { filter, having, .. } => {
            claims_of(filter, each);
            claims_of(having, each);
        }
        Filter::VariantGroup { variants, having, .. } => {
            variants.iter().for_each(|variant| claims_of(&variant.filter, each));
            claims_of(having, each);
        }
        Filter::IsNull(_) | Filter::CompareValues { .. } => {}
        Filter::Nearest(nearest) => nearest.filters().for_each(|one| claims_of(one, each)),
        Filter::Compare { operand, .. }
        | Filter::CompareText { operand, .. }
        | Filter::AnyElement { operand, .. }
        | Filter::Text { operand, .. }
        | Filter::Geo { operand, .. } => operand_claims(operand, each),
        Filter::ElementBetween { least, most, .. } => {
            operand_claims(least, each);
            operand_claims(most, each);
        }
    }
}

/// Passes on the claims that an operand is made of.
pub fn operand_claims<'o>(operand: &'o Operand, each: &mut dyn FnMut(&'o str)) {
    match operand {
        Operand::Claim(claim) => each(claim),
        Operand::Formed { operand, .. } => operand_claims(operand, each),
        Operand::List(items) => items.iter().for_each(|item| operand_claims(item, each)),
        Operand::Object(members) => {
            members.iter().for_each(|(_, operand)| operand_claims(operand, each));
        }
        _ => {}
    }
}

/// Returns true if the session has all claims that a filter names.
fn has_claims(filter: &Filter, facts: &impl ClaimFacts) -> bool {
    let mut has_all = true;
    claims_of(filter, &mut |claim| has_all &= facts.is_present(claim));
    has_all
}

/// The filter of a condition in SQL's three values: a comparison with a missing claim is unknown.
///
/// A row passes the filter if the condition is true (`strict`), or unless it is false.
pub(crate) fn nullable_filter(
    condition: &Condition,
    strict: bool,
    facts: &impl ClaimFacts,
) -> Filter {
    let each = |conditions: &[Condition]| {
        conditions.iter().map(|condition| nullable_filter(condition, strict, facts)).collect()
    };
    match condition {
        Condition::All(conditions) => Filter::and(each(conditions)),
        Condition::Any(conditions) => any(each(conditions)),
        Condition::Not(condition) => {
            Filter::Not(Box::new(nullable_filter(condition, !strict, facts)))
        }
        Condition::Claims(claims) => constant(facts.passes(claims)),
        Condition::Row(filter) => match has_claims(filter, facts) {
            true => filter.clone(),
            false => constant(!strict),
        },
        Condition::Related { hop, quantifier, condition } => {
            let (quantifier, filter) = match quantifier {
                Quantifier::Some | Quantifier::Single => {
                    (*quantifier, nullable_filter(condition, strict, facts))
                }
                Quantifier::None => (*quantifier, nullable_filter(condition, !strict, facts)),
                // A related row for which the condition is unknown fails it.
                Quantifier::Every => {
                    let passes = nullable_filter(condition, strict, facts);
                    (Quantifier::None, Filter::Except(Box::new(passes)))
                }
            };
            Filter::Relation { hop: *hop, quantifier, filter: Box::new(filter) }
        }
    }
}

/// The filter of a condition in two values: a comparison with a claim that is missing, or whose type
/// is another one than that of the value, is false. Null would be unknown, which a condition around
/// it might take for either.
///
/// Recursion is bounded by the parser of the definitions.
pub(crate) fn typed_filter(condition: &Condition, facts: &impl TypedFacts) -> Filter {
    let each = |conditions: &[Condition]| -> Vec<Filter> {
        conditions.iter().map(|condition| typed_filter(condition, facts)).collect()
    };
    match condition {
        Condition::All(conditions) => {
            let filters = each(conditions);
            match filters.iter().any(is_never) {
                true => Filter::none(),
                false => Filter::and(filters),
            }
        }
        Condition::Any(conditions) => either(each(conditions)),
        Condition::Not(condition) => {
            let filter = typed_filter(condition, facts);
            match (filter.is_all(), is_never(&filter)) {
                (true, _) => Filter::none(),
                (_, true) => Filter::all(),
                _ => Filter::Not(Box::new(filter)),
            }
        }
        Condition::Claims(claims) => constant(facts.passes(claims)),
        Condition::Row(filter) => {
            let mut filter = filter.clone();
            remove_mistyped(&mut filter, facts);
            filter
        }
        Condition::Related { hop, quantifier, condition } => {
            let filter = Box::new(typed_filter(condition, facts));
            Filter::Relation { hop: *hop, quantifier: *quantifier, filter }
        }
    }
}

/// Facts about a session when conditions become filters.
pub(crate) trait ClaimFacts {
    /// Returns true if a condition on claims passes.
    fn passes(&self, condition: &ClaimCondition) -> bool;

    /// Returns true if a claim is present and not null.
    fn is_present(&self, claim: &str) -> bool;
}

/// Facts about claims, with the types of compared values.
pub(crate) trait TypedFacts: ClaimFacts {
    /// Returns true if the claim of a comparison has the type of the value it is compared with.
    fn fits(&self, comparison: &Comparison<'_>) -> bool;
}

/// The claims of one session.
struct SessionFacts<'c>(Option<&'c Claims>);

impl ClaimFacts for SessionFacts<'_> {
    fn passes(&self, condition: &ClaimCondition) -> bool {
        claim::passes(condition, self.0)
    }

    fn is_present(&self, claim: &str) -> bool {
        is_present(claim, self.0)
    }
}

/// Returns true if a claim is present and not null.
#[must_use]
pub fn is_present(claim: &str, claims: Option<&Claims>) -> bool {
    claims.and_then(|claims| claims.get(claim)).is_some_and(|claim| !claim.is_null())
}

fn remove_mistyped(filter: &mut Filter, facts: &impl TypedFacts) {
    match filter {
        Filter::And(filters) | Filter::Or(filters) => {
            filters.iter_mut().for_each(|filter| remove_mistyped(filter, facts));
        }
        Filter::Not(one)
        | Filter::Except(one)
        | Filter::Required(one)
        | Filter::Exists { filter: one, .. }
        | Filter::FunctionRows { filter: one, .. }
        | Filter::Relation { filter: one, .. } => remove_mistyped(one, facts),
        Filter::Barrier { first, then } => {
            remove_mistyped(first, facts);
            remove_mistyped(then, facts);
        }
        Filter::RelatedGroup { filter: one, having, .. } => {
            remove_mistyped(one, facts);
            remove_mistyped(having, facts);
        }
        Filter::VariantGroup { variants, having, .. } => {
            variants.iter_mut().for_each(|variant| remove_mistyped(&mut variant.filter, facts));
            remove_mistyped(having, facts);
        }
        Filter::IsNull(_) | Filter::CompareValues { .. } => {}
        Filter::Nearest(nearest) => {
            nearest.filters_mut().for_each(|(_, one)| remove_mistyped(one, facts));
        }
        Filter::Compare { .. }
        | Filter::CompareText { .. }
        | Filter::AnyElement { .. }
        | Filter::ElementBetween { .. }
        | Filter::Text { .. }
        | Filter::Geo { .. } => {
            let is_mistyped = |one: Comparison<'_>| one.claim().is_some() && !facts.fits(&one);
            if Comparison::all(filter).any(is_mistyped) {
                *filter = Filter::none();
            }
        }
    }
}

fn is_never(filter: &Filter) -> bool {
    matches!(filter, Filter::Or(filters) if filters.is_empty())
}

fn constant(passes: bool) -> Filter {
    match passes {
        true => Filter::all(),
        false => Filter::none(),
    }
}

/// The disjunction, without filters that accept no row.
pub(crate) fn either(mut filters: Vec<Filter>) -> Filter {
    filters.retain(|filter| !is_never(filter));
    any(filters)
}

/// The disjunction, without duplicates.
#[must_use]
pub fn any(filters: Vec<Filter>) -> Filter {
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

/// Adds the conditions on claims, and the claims that values are compared with.
pub(crate) fn collect(
    catalog: &catalog::Catalog,
    condition: &Condition,
    tests: &mut Vec<ClaimCondition>,
    uses: &mut Vec<ClaimUse>,
) {
    match condition {
        Condition::All(all) | Condition::Any(all) => {
            all.iter().for_each(|one| collect(catalog, one, tests, uses));
        }
        Condition::Not(one) | Condition::Related { condition: one, .. } => {
            collect(catalog, one, tests, uses);
        }
        Condition::Claims(claims) => tests.push(claims.clone()),
        Condition::Row(filter) => claim::uses(catalog, filter, uses),
    }
}

#[cfg(test)]
mod tests {
    use catalog::FieldId;
    use ir::{Claims, Filter, Operand, ValueRef};

    use serde_json_bytes::{Value as Json, json};

    use super::{Condition, claims_of};

    /// A condition that compares with two claims.
    fn between() -> Filter {
        Filter::ElementBetween {
            place: ValueRef::field(FieldId::new(0)),
            least: Operand::Claim("low".into()),
            most: Operand::Claim("high".into()),
        }
    }

    #[test]
    fn a_comparison_with_a_missing_claim_is_unknown_whichever_it_is() {
        let condition = Condition::Row(between());
        let check = |claims: Json, expect: Filter| {
            let claims = Claims::new(claims);
            assert_eq!(condition.filter(Some(&claims)), expect, "{claims:?}");
        };
        check(json!({ "low": 1, "high": 2 }), between());
        check(json!({ "low": 1 }), Filter::none());
        check(json!({ "low": 1, "high": null }), Filter::none());
        check(json!({ "high": 2 }), Filter::none());
        let (mut claims, filter) = (Vec::new(), between());
        claims_of(&filter, &mut |claim| claims.push(claim));
        assert_eq!(claims, ["low", "high"]);
    }
}
