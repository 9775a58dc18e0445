//! Operators on values: an input type for each scalar, and for lists of it.

use api::binding::{FilterRole, InputBinding, Meaning, OperatorRole};
use ir::{Comparison, TextMatch};

use super::Build;
use crate::draft::DraftInput;
use crate::values::{Operators, Values};

/// An operator.
struct Operator {
    name: &'static str,
    description: Option<&'static str>,
    operand: Operand,
    role: FilterRole,
}

/// The operand of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand {
    Value,
    Values,
    Boolean,
    Text,
    Texts,
}

/// The input type of a column's operators; adds it on its first use.
pub(super) fn find(build: &mut Build<'_>, values: &Values) -> String {
    let name = build.shared_type(&values.comparison_type(values.lists > 0));
    if !build.draft.has(&name) {
        let value = values.text();
        let about = format!(
            "Boolean expression to compare columns of type \"{}\". All fields are combined with \
             logical 'AND'.",
            values.scalar
        );
        let members = operators(values.operators).into_iter();
        let members = members.map(|operator| member(operator, &value)).collect();
        build.draft.input(&name, Some(&about), members);
    }
    name
}

/// The input type of operators on a number of rows.
pub(super) fn find_int(build: &mut Build<'_>) -> String {
    let name = build.shared_type("Int_comparison_exp");
    if !build.draft.has(&name) {
        let about = "Boolean expression to compare columns of type \"Int\". All fields are \
                     combined with logical 'AND'.";
        let members = operators(Operators::Ordered).into_iter();
        let members = members.map(|operator| member(operator, "Int")).collect();
        build.draft.input(&name, Some(about), members);
    }
    name
}

fn member(operator: Operator, value: &str) -> DraftInput {
    let Operator { name, description, operand, role } = operator;
    let r#type = match operand {
        Operand::Value => value.to_owned(),
        Operand::Values => format!("[{value}!]"),
        Operand::Boolean => "Boolean".to_owned(),
        Operand::Text => "String".to_owned(),
        Operand::Texts => "[String!]".to_owned(),
    };
    // An empty list is a value: nothing is in it.
    let text = format!("unexpected null value for type '{type}'");
    let binding = InputBinding {
        role: role.into(),
        null: Meaning::Refuse(text.into()),
        empty: Meaning::Ignore,
    };
    DraftInput::new(name, r#type, binding).described_by(description)
}

/// The operators of a class.
fn operators(class: Operators) -> Vec<Operator> {
    let is_null = Operator {
        name: "_is_null",
        description: None,
        operand: Operand::Boolean,
        role: FilterRole::Operator(OperatorRole::TestNull),
    };
    let mut operators = vec![is_null];
    match class {
        Operators::Null => {}
        Operators::Enum => operators.extend(equality()),
        Operators::Ordered => operators.extend(ordered()),
        Operators::Text => operators.extend(ordered().into_iter().chain(patterns())),
        Operators::Json => operators.extend(ordered().into_iter().chain(json())),
        Operators::JsonContent => operators.extend(json()),
        Operators::List => operators.extend(ordered().into_iter().chain(contents())),
    }
    operators
}

fn compare(name: &'static str, comparison: Comparison, operand: Operand) -> Operator {
    let role = FilterRole::Operator(OperatorRole::Compare(comparison));
    Operator { name, description: None, operand, role }
}

fn equality() -> [Operator; 4] {
    use Comparison::{Equal, In, NotEqual, NotIn};
    [
        compare("_eq", Equal, Operand::Value),
        compare("_in", In, Operand::Values),
        compare("_neq", NotEqual, Operand::Value),
        compare("_nin", NotIn, Operand::Values),
    ]
}

fn ordered() -> [Operator; 8] {
    use Comparison::{Equal, Greater, GreaterOrEqual, In, Less, LessOrEqual, NotEqual, NotIn};
    [
        compare("_eq", Equal, Operand::Value),
        compare("_gt", Greater, Operand::Value),
        compare("_gte", GreaterOrEqual, Operand::Value),
        compare("_in", In, Operand::Values),
        compare("_lt", Less, Operand::Value),
        compare("_lte", LessOrEqual, Operand::Value),
        compare("_neq", NotEqual, Operand::Value),
        compare("_nin", NotIn, Operand::Values),
    ]
}

fn patterns() -> [Operator; 4] {
    let pattern = |name, description, ignore_case, is_negated| {
        let r#match = TextMatch::Like;
        let role = FilterRole::Operator(OperatorRole::Match { r#match, ignore_case });
        let role = if is_negated { FilterRole::Negated(Box::new(role)) } else { role };
        Operator { name, description: Some(description), operand: Operand::Value, role }
    };
    [
        pattern("_like", "does the column match the given pattern", false, false),
        pattern("_nlike", "does the column NOT match the given pattern", false, true),
        pattern("_ilike", "does the column match the given case-insensitive pattern", true, false),
        pattern(
            "_nilike",
            "does the column NOT match the given case-insensitive pattern",
            true,
            true,
        ),
    ]
}

fn json() -> [Operator; 5] {
    let described =
        |operator: Operator, description| Operator { description: Some(description), ..operator };
    [
        described(
            compare("_contained_in", Comparison::ContainedBy, Operand::Value),
            "is the column contained in the given json value",
        ),
        described(
            compare("_contains", Comparison::Contains, Operand::Value),
            "does the column contain the given json value at the top level",
        ),
        described(
            compare("_has_key", Comparison::HasKey, Operand::Text),
            "does the string exist as a top-level key in the column",
        ),
        described(
            compare("_has_keys_all", Comparison::HasAllKeys, Operand::Texts),
            "do all of these strings exist as top-level keys in the column",
        ),
        described(
            compare("_has_keys_any", Comparison::HasAnyKey, Operand::Texts),
            "do any of these strings exist as top-level keys in the column",
        ),
    ]
}

fn contents() -> [Operator; 2] {
    [
        Operator {
            description: Some("is the array contained in the given array value"),
            ..compare("_contained_in", Comparison::ContainedBy, Operand::Value)
        },
        Operator {
            description: Some("does the array contain the given value"),
            ..compare("_contains", Comparison::Contains, Operand::Value)
        },
    ]
}
