//! Conditions on properties: a field of the input for each operator, which its name ends with.

use super::classes::{OF_CONDITIONS, stored};
use super::descriptions::NEGATION;
use super::roles::condition;
use crate::shared::attribute::Attribute;
use crate::shared::builder::Builder;
use crate::shared::operators::{Operator, operators, text_operator, text_type};
use crate::shared::text_filters::{TextFilter, TextOperator, TextType, operators_of};
use api::binding::OperatorRole;

/// Adds the conditions on stored values to an input type.
pub(super) fn add_conditions(build: &mut Builder<'_>, r#type: &str, attributes: &[Attribute<'_>]) {
    for one in stored(attributes, &OF_CONDITIONS) {
        if !one.field.offers.by_value {
            continue;
        }
        for (operator, negated) in all_operators(&one, &build.options.filters) {
            let operand = operator.operand.r#type(build, &one);
            let binding = condition(one.origin, operator.role, negated);
            let reason = one.reason().or(negated.then_some(NEGATION));
            let name = name(&one, operator.suffix, negated);
            build.put_for(r#type, &name, &operand, binding, reason);
        }
    }
}

/// `title`, `title_NOT`, `title_IN` or `title_NOT_IN`.
fn name(attribute: &Attribute<'_>, suffix: &str, negated: bool) -> String {
    let own = attribute.name();
    match (suffix, negated) {
        ("EQ", false) => own.into(),
        ("EQ", true) => format!("{own}_NOT"),
        (_, false) => format!("{own}_{suffix}"),
        (_, true) => format!("{own}_NOT_{suffix}"),
    }
}

/// The operators on an attribute and their negations, in the order of the library.
fn all_operators(attribute: &Attribute<'_>, filters: &[TextFilter]) -> Vec<(Operator, bool)> {
    let (parts, others): (Vec<Operator>, _) = operators(attribute.property)
        .into_iter()
        .partition(|operator| matches!(operator.role, OperatorRole::Match { .. }));
    let mut all = Vec::new();
    for operator in others {
        all.push((operator, false));
        if ["EQ", "IN", "INCLUDES"].contains(&operator.suffix) {
            all.push((operator, true));
        }
    }
    let Some(own) = text_type(attribute.property) else { return all };
    let matches = operators_of(filters, own).find(|wanted| *wanted == TextOperator::Matches);
    all.extend(matches.and_then(text_operator).map(|operator| (operator, false)));
    all.extend(parts.iter().map(|operator| (*operator, false)));
    // The orders that options add to String are those of ID, too.
    let orders = operators_of(filters, TextType::String)
        .filter(|wanted| matches!(wanted, TextOperator::Ordered(_)));
    all.extend(orders.filter_map(text_operator).map(|operator| (operator, false)));
    all.extend(parts.into_iter().map(|operator| (operator, true)));
    all
}
