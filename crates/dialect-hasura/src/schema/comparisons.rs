//! Operators on values: an input type for each scalar, and for lists of it.

mod spatial;

use api::binding::{FilterRole, InputBinding, Meaning, OperatorRole};
use ir::{Comparison, TextMatch, TreeComparison};

use super::{Build, condition_member};
use crate::draft::DraftInput;
use crate::values::{Operators, TEXT, TREE_PATTERN, TREE_QUERY, Values};

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
    /// A value of another scalar.
    Scalar(&'static str),
    /// An object of an input type that all tables share.
    Object(&'static str),
    /// An object of operators on the value in another type.
    Cast,
}

/// The input type of a column's operators; adds it on its first use.
pub(super) fn find(build: &mut Build<'_>, values: &Values) -> String {
    let name = build.shared_type(&values.comparison_type(values.lists > 0));
    if !build.draft.has(&name) {
        let value = values.text();
        let about = about(&values.scalar);
        let members: Vec<_> = operators(values.operators)
            .into_iter()
            .map(|operator| member(build, operator, &value, &values.scalar))
            .collect();
        build.draft.input(&name, Some(&about), members);
        add_operands(build, values.operators, &values.scalar);
    }
    name
}

/// Adds the types of operands that are not those of the values.
fn add_operands(build: &mut Build<'_>, class: Operators, scalar: &str) {
    match class {
        Operators::Json | Operators::JsonContent => {
            let text = find_text(build);
            let role = FilterRole::Operator(OperatorRole::AsText);
            let member = condition_member::member(TEXT, text, role, Meaning::True).verbatim();
            build.draft.input(&cast_type(build, scalar), None, vec![member]);
        }
        Operators::Tree => {
            for scalar in [TREE_PATTERN, TREE_QUERY] {
                build.draft.scalar(scalar);
            }
        }
        Operators::Spatial(kind) => spatial::add_operands(build, kind),
        Operators::Null
        | Operators::Ordered
        | Operators::Text
        | Operators::List
        | Operators::Enum => {}
    }
}

fn cast_type(build: &Build<'_>, scalar: &str) -> String {
    build.shared_type(&format!("{scalar}_cast_exp"))
}

/// The input type of operators on texts.
fn find_text(build: &mut Build<'_>) -> String {
    find_named(build, TEXT, Operators::Text)
}

/// The input type of operators on a number of rows.
pub(super) fn find_int(build: &mut Build<'_>) -> String {
    find_named(build, "Int", Operators::Ordered)
}

/// The input type of operators on values of a scalar; adds it on its first use.
pub(super) fn find_named(build: &mut Build<'_>, scalar: &str, class: Operators) -> String {
    let name = build.shared_type(&format!("{scalar}_comparison_exp"));
    if !build.draft.has(&name) {
        let members = operators(class).into_iter();
        let members = members.map(|operator| member(build, operator, scalar, scalar)).collect();
        build.draft.scalar(scalar);
        build.draft.input(&name, Some(&about(scalar)), members);
        add_operands(build, class, scalar);
    }
    name
}

fn about(scalar: &str) -> String {
    format!(
        "Boolean expression to compare columns of type \"{scalar}\". All fields are combined with \
         logical 'AND'."
    )
}

/// An operator on values of this type, of lists of a scalar or of the scalar itself.
fn member(build: &Build<'_>, operator: Operator, value: &str, scalar: &str) -> DraftInput {
    let Operator { name, description, operand, role } = operator;
    let r#type = match operand {
        Operand::Value => value.to_owned(),
        Operand::Values => format!("[{value}!]"),
        Operand::Boolean => "Boolean".to_owned(),
        Operand::Text => "String".to_owned(),
        Operand::Texts => "[String!]".to_owned(),
        Operand::Scalar(scalar) => scalar.to_owned(),
        Operand::Object(name) => build.shared_type(name),
        Operand::Cast => cast_type(build, scalar),
    };
    let empty = if operand == Operand::Cast { Meaning::True } else { Meaning::Ignore };
    // An empty list is a value: nothing is in it.
    let text = format!("unexpected null value for type '{type}'");
    let binding = InputBinding { role: role.into(), null: Meaning::refuse(text), empty };
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
        Operators::Json => {
            operators.extend(ordered().into_iter().chain(json()).chain(json_paths()));
        }
        Operators::Tree => operators.extend(ordered().into_iter().chain(tree())),
        Operators::Spatial(kind) => operators.extend(spatial::operators(kind)),
        Operators::JsonContent => operators.extend(json()),
        Operators::List => operators.extend(ordered_lists().into_iter().chain(contents())),
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

/// The operators of [`ordered`] on lists.
fn ordered_lists() -> [Operator; 8] {
    ordered().map(|operator| match operator.name {
        "_in" => Operator { role: FilterRole::Operator(OperatorRole::EqualsAny), ..operator },
        "_nin" => {
            let role = Box::new(FilterRole::Operator(OperatorRole::EqualsAny));
            Operator { role: FilterRole::Negated(role), ..operator }
        }
        _ => operator,
    })
}

fn patterns() -> [Operator; 10] {
    let matched = |name, description, r#match, ignore_case, is_negated| {
        let role = FilterRole::Operator(OperatorRole::Match { r#match, ignore_case });
        let role = if is_negated { FilterRole::Negated(Box::new(role)) } else { role };
        Operator { name, description: Some(description), operand: Operand::Value, role }
    };
    let pattern = |name, description, ignore_case, is_negated| {
        matched(name, description, TextMatch::Like, ignore_case, is_negated)
    };
    let regex = |name, description, ignore_case, is_negated| {
        matched(name, description, TextMatch::Regex, ignore_case, is_negated)
    };
    let similar = |name, description, is_negated| {
        matched(name, description, TextMatch::Similar, false, is_negated)
    };
    [
        similar("_similar", "does the column match the given SQL regular expression", false),
        similar("_nsimilar", "does the column NOT match the given SQL regular expression", true),
        regex(
            "_regex",
            "does the column match the given POSIX regular expression, case sensitive",
            false,
            false,
        ),
        regex(
            "_nregex",
            "does the column NOT match the given POSIX regular expression, case sensitive",
            false,
            true,
        ),
        regex(
            "_iregex",
            "does the column match the given POSIX regular expression, case insensitive",
            true,
            false,
        ),
        regex(
            "_niregex",
            "does the column NOT match the given POSIX regular expression, case insensitive",
            true,
            true,
        ),
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

/// Operators of SQL/JSON paths.
fn json_paths() -> [Operator; 2] {
    [
        Operator {
            description: Some(
                "does the JSON path return any item for the given json value in the column",
            ),
            ..compare("_jsonb_path_exists", Comparison::PathExists, Operand::Text)
        },
        Operator {
            description: Some("does the JSON path match the given json value in the column"),
            ..compare("_jsonb_path_match", Comparison::PathIsTrue, Operand::Text)
        },
    ]
}

/// Operators of paths of labels.
fn tree() -> [Operator; 7] {
    let tree = |name, description, comparison, operand| Operator {
        description: Some(description),
        ..compare(name, Comparison::Tree(comparison), operand)
    };
    [
        tree(
            "_ancestor",
            "is the left argument an ancestor of right (or equal)?",
            TreeComparison::AncestorOf,
            Operand::Value,
        ),
        tree(
            "_ancestor_any",
            "does array contain an ancestor of `ltree`?",
            TreeComparison::AncestorOfAny,
            Operand::Values,
        ),
        tree(
            "_descendant",
            "is the left argument a descendant of right (or equal)?",
            TreeComparison::DescendantOf,
            Operand::Value,
        ),
        tree(
            "_descendant_any",
            "does array contain a descendant of `ltree`?",
            TreeComparison::DescendantOfAny,
            Operand::Values,
        ),
        tree(
            "_matches",
            "does `ltree` match `lquery`?",
            TreeComparison::Matches,
            Operand::Scalar(TREE_PATTERN),
        ),
        tree(
            "_matches_any",
            "does `ltree` match any `lquery` in array?",
            TreeComparison::MatchesAny,
            Operand::Texts,
        ),
        tree(
            "_matches_fulltext",
            "does `ltree` match `ltxtquery`?",
            TreeComparison::MatchesText,
            Operand::Scalar(TREE_QUERY),
        ),
    ]
}

/// An object of operators on the value in another type.
fn cast() -> Operator {
    Operator {
        name: "_cast",
        description: None,
        operand: Operand::Cast,
        role: FilterRole::Operator(OperatorRole::All),
    }
}

fn json() -> [Operator; 6] {
    let described =
        |operator: Operator, description| Operator { description: Some(description), ..operator };
    [
        cast(),
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
