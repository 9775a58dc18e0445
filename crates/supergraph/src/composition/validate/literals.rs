//! Whether a value as written is one of a type.
//! <https://spec.graphql.org/draft/#sec-Values-of-Correct-Type>

use graphql::definitions::{Literal, TypeExpression};

use super::{Reference, Report};
use crate::composition::schema::{Input, Kind};

/// Whether a value has a type. Scalars of the schema have any values; a single value is a list of one.
/// Recursion is bounded by the parser's limit.
pub(super) fn fits(report: &Report<'_>, literal: &Literal, r#type: &TypeExpression) -> bool {
    if *literal == Literal::Null {
        return !r#type.is_required();
    }
    match (r#type, literal) {
        (TypeExpression::List { of, .. }, Literal::List(items)) => {
            items.iter().all(|item| fits(report, item, of))
        }
        (TypeExpression::List { of, .. }, single) => fits(report, single, of),
        (TypeExpression::Named { name, .. }, single) => fits_named(report, single, name),
    }
}

fn fits_named(report: &Report<'_>, literal: &Literal, name: &str) -> bool {
    match report.reference(name) {
        Reference::Unknown => true,
        Reference::Scalar => match name {
            "Int" => matches!(literal, Literal::Int(digits) if digits.parse::<i32>().is_ok()),
            "Float" => matches!(literal, Literal::Int(_) | Literal::Float(_)),
            "Boolean" => matches!(literal, Literal::Boolean(_)),
            "String" => matches!(literal, Literal::String(_)),
            "ID" => matches!(literal, Literal::String(_) | Literal::Int(_)),
            _ => true,
        },
        Reference::Type(r#type) => match (&r#type.kind, literal) {
            (Kind::Scalar, _) => true,
            // Some servers print the defaults of enums as strings.
            (Kind::Enum(values), Literal::Enum(value) | Literal::String(value)) => {
                values.iter().any(|known| known.name == *value)
            }
            (Kind::Input(inputs), Literal::Object(members)) => {
                let is_known = |name: &str, value: &Literal| {
                    let input = inputs.iter().find(|input| *input.name == *name);
                    input.is_some_and(|input| fits(report, value, &input.r#type))
                };
                let is_given = |input: &Input| members.iter().any(|(name, _)| *name == input.name);
                let are_known = members.iter().all(|(name, value)| is_known(name, value));
                let mut names: Vec<_> = members.iter().map(|(name, _)| name).collect();
                names.sort_unstable();
                let is_unique = names.windows(2).all(|pair| pair[0] != pair[1]);
                are_known
                    && is_unique
                    && inputs.iter().all(|one| !one.is_required() || is_given(one))
            }
            (Kind::Enum(_) | Kind::Input(_), _) => false,
            (Kind::Object(_) | Kind::Interface(_) | Kind::Union(_), _) => true,
        },
    }
}
