//! Conditions on aggregates of the nodes that a relationship leads to, and of its properties.

use ir::{AggregateFunction, Comparison, ValueRef};

use super::aggregates::{Part, parts};
use super::classes::{OF_AGGREGATES, stored};
use super::descriptions::{IMPLICIT_LENGTH, NO_AGGREGATE};
use super::roles::{aggregated, any_of};
use crate::model::{PropertyType, Target};
use crate::shared::aggregates::{Aggregate, compared};
use crate::shared::attribute::Attribute;
use crate::shared::builder::Builder;
use crate::shared::link::Link;
use crate::shared::operators::COMPARISONS;
use crate::shared::values::type_name;

/// Adds the types of such conditions, each with the field that it is of.
pub(super) fn add_aggregate_conditions<'m>(
    build: &mut Builder<'m>,
    link: &Link<'m>,
) -> Vec<(&'static str, String)> {
    let mut added = Vec::new();
    let is_one = matches!(link.target(), Target::Node(_));
    for Part { field, word, attributes } in parts(build, link) {
        let name = link.own(&format!("{word}AggregationWhereInput"));
        if add_part(build, &name, &attributes, is_one) {
            added.push((field, name));
        }
    }
    added
}

/// Adds the conditions on attributes; whether there is any.
fn add_part(
    build: &mut Builder<'_>,
    name: &str,
    attributes: &[Attribute<'_>],
    is_served: bool,
) -> bool {
    let mut all = stored(attributes, &OF_AGGREGATES);
    all.retain(|one| {
        let is_offered = one.field.offers.by_aggregate && !one.property.is_list;
        is_offered && any_type(build, &one.property.r#type, Comparison::Equal).is_some()
    });
    if all.is_empty() {
        return false;
    }
    build.put_logic(name, ["AND", "OR", "NOT"]);
    for one in all {
        let place = one.origin.place().filter(|_| is_served);
        for (operator, _, comparison) in COMPARISONS {
            add_operator(build, name, &one, place.as_ref(), (operator, comparison));
        }
    }
    true
}

fn add_operator(
    build: &mut Builder<'_>,
    name: &str,
    one: &Attribute<'_>,
    place: Option<&ValueRef>,
    (operator, comparison): (&str, Comparison),
) {
    let r#type = &one.property.r#type;
    let own = one.name();
    if let Some(any) = any_type(build, r#type, comparison) {
        let field = format!("{own}_{operator}");
        // Texts are compared as they are only if they are to be equal.
        let function = match (r#type, comparison) {
            (PropertyType::String, Comparison::Equal) => AggregateFunction::Values,
            (PropertyType::String, _) => AggregateFunction::Lengths,
            _ => AggregateFunction::Values,
        };
        let binding = any_of(function, place.cloned(), comparison);
        build.put_for(name, &field, any, binding, Some(NO_AGGREGATE));
    }
    let mut functions = compared(build, r#type);
    // Averages come first.
    functions.sort_by_key(|known| known.suffix != "AVERAGE");
    let implicit = functions.iter().filter_map(|known| {
        let suffix = known.suffix.strip_suffix("_LENGTH")?;
        Some((Aggregate { suffix, ..*known }, Some(IMPLICIT_LENGTH)))
    });
    let explicit = functions.iter().map(|known| (*known, None));
    for (known, reason) in implicit.chain(explicit) {
        let field = format!("{own}_{}_{operator}", known.suffix);
        let binding = aggregated(known.function, place.cloned(), comparison);
        build.put_for(name, &field, known.r#type, binding, reason);
    }
}

/// The type of the operand of a condition on any of the values, if there is such a condition:
/// texts are compared by their lengths, unless they are to be equal.
fn any_type<'m>(
    build: &Builder<'m>,
    r#type: &PropertyType,
    comparison: Comparison,
) -> Option<&'m str> {
    match r#type {
        PropertyType::Id => (comparison == Comparison::Equal).then_some("ID"),
        PropertyType::String if comparison != Comparison::Equal => Some("Int"),
        known => known.is_aggregated().then(|| type_name(build.model, known)),
    }
}
