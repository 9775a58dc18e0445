//! Operators on the values of a property, as conditions whose names end with them.

use ir::{Comparison, TextMatch};

use super::attribute::Attribute;
use super::builder::Builder;
use super::kinds::Kind;
use crate::model::{Property, PropertyType};
use crate::shared::text_filters::{TextOperator, TextOrder, TextType};
use crate::shared::values::type_name;
use api::binding::{AssignVerb, OperatorRole};

/// Comparisons of values that have an order: their suffixes, and their names in objects of
/// operators.
pub(crate) const ORDERED: [(&str, &str, Comparison); 4] = [
    ("LT", "lt", Comparison::Less),
    ("LTE", "lte", Comparison::LessOrEqual),
    ("GT", "gt", Comparison::Greater),
    ("GTE", "gte", Comparison::GreaterOrEqual),
];

/// Comparisons of results of aggregate functions.
pub(crate) const COMPARISONS: [(&str, &str, Comparison); 5] = [
    ("EQUAL", "eq", Comparison::Equal),
    ("GT", "gt", Comparison::Greater),
    ("GTE", "gte", Comparison::GreaterOrEqual),
    ("LT", "lt", Comparison::Less),
    ("LTE", "lte", Comparison::LessOrEqual),
];

/// Message of a null for a value that must not be null.
pub(crate) const MUST_NOT_BE_NULL: &str = "The value must not be null.";

/// Operator at the end of a condition's name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operator {
    pub(crate) suffix: &'static str,
    /// Its name in the object of operators.
    pub(crate) generic: &'static str,
    pub(crate) operand: Operand,
    pub(crate) role: OperatorRole,
}

/// Operand of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// The whole value, which may be a list.
    Whole,
    /// An element of a list, or a value that is none.
    One,
    /// A list of values.
    Several,
    /// A regular expression.
    Pattern,
    /// A point and a distance.
    Distance,
}

/// The operators on a property, but for those on texts that options add.
pub(crate) fn operators(property: &Property) -> Vec<Operator> {
    let operator = |suffix, generic, operand, role| Operator { suffix, generic, operand, role };
    let equal = OperatorRole::Compare(Comparison::Equal);
    let mut operators = vec![operator("EQ", "eq", Operand::Whole, equal)];
    let kind = property.r#type.kind();
    if kind == Kind::Boolean {
        return operators;
    }
    if property.is_list {
        let includes = OperatorRole::CompareElement(Comparison::Equal);
        operators.push(operator("INCLUDES", "includes", Operand::One, includes));
        return operators;
    }
    let one_of = OperatorRole::Compare(Comparison::In);
    operators.push(operator("IN", "in", Operand::Several, one_of));
    match kind {
        Kind::Integer | Kind::Float | Kind::Date | Kind::Time | Kind::Duration => {
            operators.extend(ORDERED.map(|(suffix, generic, comparison)| {
                operator(suffix, generic, Operand::One, OperatorRole::Compare(comparison))
            }));
        }
        Kind::Point => {
            let equal = ("DISTANCE", "distance", Comparison::Equal);
            operators.extend([equal].into_iter().chain(ORDERED).map(
                |(suffix, generic, comparison)| {
                    let role = OperatorRole::Distance(comparison);
                    operator(suffix, generic, Operand::Distance, role)
                },
            ));
        }
        Kind::Id | Kind::String => {
            let parts = [
                ("CONTAINS", "contains", TextMatch::Includes),
                ("STARTS_WITH", "startsWith", TextMatch::StartsWith),
                ("ENDS_WITH", "endsWith", TextMatch::EndsWith),
            ];
            operators.extend(parts.map(|(suffix, generic, r#match)| {
                let role = OperatorRole::Match { r#match, ignore_case: false };
                operator(suffix, generic, Operand::One, role)
            }));
        }
        Kind::Boolean | Kind::Enum | Kind::Scalar => {}
    }
    operators
}

/// An operator on texts that options add, if it has a suffix.
pub(crate) fn text_operator(operator: TextOperator) -> Option<Operator> {
    let (generic, operand, role) = match operator {
        TextOperator::Matches => {
            let role = OperatorRole::Match { r#match: TextMatch::Regex, ignore_case: false };
            ("matches", Operand::Pattern, role)
        }
        TextOperator::Ordered(order) => {
            let generic = match order {
                TextOrder::Greater => "gt",
                TextOrder::GreaterOrEqual => "gte",
                TextOrder::Less => "lt",
                TextOrder::LessOrEqual => "lte",
            };
            (generic, Operand::One, OperatorRole::Compare(order.comparison()))
        }
        TextOperator::CaseInsensitive => return None,
    };
    Some(Operator { suffix: operator.name(), generic, operand, role })
}

/// The text type of a property, if its values are texts.
pub(crate) fn text_type(property: &Property) -> Option<TextType> {
    match property.r#type {
        _ if property.is_list => None,
        PropertyType::Id => Some(TextType::Id),
        PropertyType::String => Some(TextType::String),
        _ => None,
    }
}

impl Operand {
    /// The type of the operand of a condition on an attribute.
    pub(crate) fn r#type(self, build: &Builder<'_>, attribute: &Attribute<'_>) -> String {
        let one = attribute.input_name(build);
        match self {
            Self::Whole => build.given(attribute.property),
            Self::One => one.into(),
            Self::Several if attribute.property.is_required => format!("[{one}!]"),
            Self::Several => format!("[{one}]"),
            Self::Pattern => "String".into(),
            Self::Distance => {
                format!("{}Distance", type_name(build.model, &attribute.property.r#type))
            }
        }
    }
}

/// Arithmetic on numbers in updates: the verb of the object, the suffix, and its meaning.
pub(crate) fn arithmetic(
    r#type: &PropertyType,
) -> &'static [(&'static str, &'static str, AssignVerb)] {
    match r#type.kind() {
        Kind::Integer => &[
            ("add", "INCREMENT", AssignVerb::Add),
            ("subtract", "DECREMENT", AssignVerb::Subtract),
        ],
        Kind::Float => &[
            ("add", "ADD", AssignVerb::Add),
            ("subtract", "SUBTRACT", AssignVerb::Subtract),
            ("multiply", "MULTIPLY", AssignVerb::Multiply),
            ("divide", "DIVIDE", AssignVerb::Divide),
        ],
        Kind::Boolean
        | Kind::Id
        | Kind::String
        | Kind::Date
        | Kind::Time
        | Kind::Duration
        | Kind::Point
        | Kind::Enum
        | Kind::Scalar => &[],
    }
}
