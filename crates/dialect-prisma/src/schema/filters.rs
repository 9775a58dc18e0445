//! Conditions on rows and orders of them.

use std::sync::Arc;

use api::binding::{
    CursorMember, FilterRole, InputRole, Meaning, OperatorRole, OrderBy, RelationPath, RowsRole,
    Subject,
};
use api::draft::{DraftInput, DraftValue};
use api::{InputBinding, ValueBinding};
use catalog::FieldId;
use ir::{Comparison, Direction, Nulls, OrderKey, Quantifier, TextMatch, ValueRef};

use super::builder::{Builder, RelationField, described};
use crate::model::{Key, ScalarType, TypeIndex};

const MISSING: &str = "The database does not have it.";

/// The name of a key without a field.
const ID: &str = "id";

const AND: &str = "Logical AND on all given filters.";
const OR: &str = "Logical OR on all given filters.";
const NOT: &str = "Logical NOT on all given filters combined by AND.";

/// A condition on a field: its suffix, its description, and whether it takes a list.
struct Operator {
    suffix: &'static str,
    about: Option<&'static str>,
    is_list: bool,
    kind: OperatorKind,
}

#[derive(Clone, Copy)]
enum OperatorKind {
    Compare(Comparison),
    Match { r#match: TextMatch, is_negated: bool },
}

const fn compare(suffix: &'static str, about: &'static str, comparison: Comparison) -> Operator {
    let kind = OperatorKind::Compare(comparison);
    Operator { suffix, about: Some(about), is_list: false, kind }
}

const fn text(
    suffix: &'static str,
    about: &'static str,
    r#match: TextMatch,
    is_negated: bool,
) -> Operator {
    let kind = OperatorKind::Match { r#match, is_negated };
    Operator { suffix, about: Some(about), is_list: false, kind }
}

const BASE: [Operator; 2] = [
    Operator { about: None, ..compare("", "", Comparison::Equal) },
    compare("_not", "All values that are not equal to given value.", Comparison::NotEqual),
];

const INCLUSION: [Operator; 2] = [
    Operator {
        is_list: true,
        ..compare("_in", "All values that are contained in given list.", Comparison::In)
    },
    Operator {
        is_list: true,
        ..compare("_not_in", "All values that are not contained in given list.", Comparison::NotIn)
    },
];

const ORDERED: [Operator; 4] = [
    compare("_lt", "All values less than the given value.", Comparison::Less),
    compare("_lte", "All values less than or equal the given value.", Comparison::LessOrEqual),
    compare("_gt", "All values greater than the given value.", Comparison::Greater),
    compare(
        "_gte",
        "All values greater than or equal the given value.",
        Comparison::GreaterOrEqual,
    ),
];

const TEXTS: [Operator; 6] = [
    text("_contains", "All values containing the given string.", TextMatch::Includes, false),
    text("_not_contains", "All values not containing the given string.", TextMatch::Includes, true),
    text(
        "_starts_with",
        "All values starting with the given string.",
        TextMatch::StartsWith,
        false,
    ),
    text(
        "_not_starts_with",
        "All values not starting with the given string.",
        TextMatch::StartsWith,
        true,
    ),
    text("_ends_with", "All values ending with the given string.", TextMatch::EndsWith, false),
    text(
        "_not_ends_with",
        "All values not ending with the given string.",
        TextMatch::EndsWith,
        true,
    ),
];

/// The conditions on fields of a scalar type.
fn operators(r#type: ScalarType) -> impl Iterator<Item = &'static Operator> {
    let (included, ordered, texts) = match r#type {
        ScalarType::Json => return [].iter().chain(&[]).chain(&[]).chain(&[]),
        ScalarType::Boolean => (false, false, false),
        ScalarType::Uuid | ScalarType::Enum(_) => (true, false, false),
        ScalarType::Int | ScalarType::Float | ScalarType::DateTime => (true, true, false),
        ScalarType::Id | ScalarType::String => (true, true, true),
    };
    fn of(operators: &'static [Operator], has: bool) -> &'static [Operator] {
        if has { operators } else { &[] }
    }
    BASE.iter()
        .chain(of(&INCLUSION, included))
        .chain(of(&ORDERED, ordered))
        .chain(of(&TEXTS, texts))
}

/// Adds the conditions on a type.
pub(super) fn add(build: &mut Builder<'_>, index: TypeIndex) {
    let name = format!("{}WhereInput", build.r#type(index).name);
    let mut members = logical(&name);
    members.extend(conditions(build, index));
    for relation in build.relations(index) {
        members.extend(of_relation(build, relation));
    }
    build.input(&name, members);
}

/// Adds the conditions on the values of a type alone, if it has any.
pub(super) fn add_scalar(build: &mut Builder<'_>, index: TypeIndex) -> Option<String> {
    let conditions = conditions(build, index);
    if conditions.is_empty() {
        return None;
    }
    let name = format!("{}ScalarWhereInput", build.r#type(index).name);
    let mut members = logical(&name);
    members.extend(conditions);
    build.input(&name, members);
    Some(name)
}

/// Adds the keys of a type.
pub(super) fn add_unique(build: &mut Builder<'_>, index: TypeIndex) {
    let members = build.unique_fields(index).map(|(place, field, scalar)| {
        let binding = match build.located.column(index, place) {
            Some(column) => InputBinding::lenient(FilterRole::Equal(column.field)),
            None => InputBinding::lenient(InputRole::Refused(MISSING.into())),
        };
        DraftInput::new(&field.name, build.scalar_name(scalar.r#type), binding)
    });
    let members: Vec<DraftInput> = members.collect();
    if !members.is_empty() {
        let name = format!("{}WhereUniqueInput", build.r#type(index).name);
        build.input(&name, members);
    }
}

/// Adds the orders of a type.
pub(super) fn add_orders(build: &mut Builder<'_>, index: TypeIndex) {
    let mut values = Vec::new();
    for (name, field) in orders(build, index) {
        let order = |direction, nulls| {
            let key = Box::new(OrderKey::Value(ValueRef::field(field)));
            let member = Box::new(CursorMember::default());
            ValueBinding::Order(OrderBy::Placed { key, direction, nulls, member })
        };
        // As PostgreSQL orders: null is greater than every value.
        for (suffix, direction, nulls) in [
            ("ASC", Direction::Ascending, Nulls::Last),
            ("DESC", Direction::Descending, Nulls::First),
        ] {
            values.push(DraftValue::new(&format!("{name}_{suffix}"), order(direction, nulls)));
        }
    }
    if !values.is_empty() {
        let name = format!("{}OrderByInput", build.r#type(index).name);
        build.values(&name, values);
    }
}

/// The values by which rows are ordered: those of fields, and those that the datamodel has no field
/// for in version 1.0.
fn orders<'m>(build: &Builder<'m>, index: TypeIndex) -> Vec<(&'m str, FieldId)> {
    let scalars = build.scalars(index).filter_map(|(place, field, _)| {
        Some((&*field.name, build.located.column(index, place)?.field))
    });
    let mut orders: Vec<(&str, FieldId)> = scalars.collect();
    if let Some(rows) = build.located.r#type(index) {
        if build.r#type(index).key == Key::Hidden {
            orders.push((ID, rows.key));
        }
        // Prisma made the column of changes first.
        let hidden = rows.hidden.iter().rev();
        orders.extend(hidden.map(|(moment, field)| (moment.column(), *field)));
    }
    orders
}

/// True if rows of a type can be ordered.
pub(super) fn has_orders(build: &Builder<'_>, index: TypeIndex) -> bool {
    !orders(build, index).is_empty()
}

/// Conditions that join others.
pub(super) fn logical(name: &str) -> Vec<DraftInput> {
    let list = format!("[{name}!]");
    let input = |name, role: FilterRole, empty, about| {
        let binding = InputBinding { role: role.into(), null: Meaning::Ignore, empty };
        described(DraftInput::new(name, &list, binding), about)
    };
    let item = Meaning::True;
    // The meaning of an empty list is negated, too.
    let negated = FilterRole::Negated(Box::new(FilterRole::Or { item: item.clone() }));
    vec![
        input("AND", FilterRole::And { item: item.clone() }, Meaning::True, AND),
        input("OR", FilterRole::Or { item }, Meaning::False, OR),
        input("NOT", negated, Meaning::False, NOT),
    ]
}

/// The conditions on a value that an aggregate makes.
pub(super) fn compared(name: &str, r#type: &str, subject: &Arc<Subject>) -> Vec<DraftInput> {
    let members = BASE.iter().chain(&ORDERED).map(|operator| {
        let binding = bound(operator, Letters::Exact, subject);
        let mut member = DraftInput::new(&format!("{name}{}", operator.suffix), r#type, binding);
        member.description = operator.about.map(Into::into);
        member
    });
    members.collect()
}

fn conditions(build: &Builder<'_>, index: TypeIndex) -> Vec<DraftInput> {
    let mut members = Vec::new();
    for (place, field, scalar) in build.scalars(index) {
        let column = build.located.column(index, place);
        let subject = column.map(|column| Arc::new(Subject::field(column.field)));
        let r#type = build.scalar_name(scalar.r#type);
        let member = |operator: &Operator, case, suffix| {
            let binding = match &subject {
                Some(subject) => bound(operator, case, subject),
                None => InputBinding::lenient(InputRole::Refused(MISSING.into())),
            };
            let name = format!("{}{}{suffix}", field.name, operator.suffix);
            let r#type = if operator.is_list { format!("[{type}!]") } else { r#type.to_owned() };
            let mut member = DraftInput::new(&name, &r#type, binding);
            member.description = operator.about.map(Into::into);
            member
        };
        let plain = operators(scalar.r#type).map(|operator| member(operator, Letters::Exact, ""));
        members.extend(plain);
        if build.offered.extensions.ignore_case && scalar.r#type == ScalarType::String {
            let ignoring = operators(scalar.r#type)
                .map(|operator| member(operator, Letters::Ignored, "_ignore_case"))
                .filter(|member| !build.has_field(index, &member.name));
            members.extend(ignoring);
        }
    }
    members
}

/// Case sensitivity of a condition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letters {
    Exact,
    Ignored,
}

fn bound(operator: &Operator, letters: Letters, subject: &Arc<Subject>) -> InputBinding {
    let on = |operator| FilterRole::On { subject: Arc::clone(subject), operator };
    let (null, empty) = match operator.kind {
        OperatorKind::Compare(Comparison::Equal) => (Meaning::IsNull, Meaning::Ignore),
        OperatorKind::Compare(Comparison::NotEqual) => (Meaning::IsNotNull, Meaning::Ignore),
        OperatorKind::Compare(Comparison::In) => (Meaning::IsNull, Meaning::False),
        OperatorKind::Compare(Comparison::NotIn) => (Meaning::IsNotNull, Meaning::True),
        // A comparison with null is unknown.
        OperatorKind::Compare(_) | OperatorKind::Match { .. } => (Meaning::False, Meaning::Ignore),
    };
    let role = match operator.kind {
        OperatorKind::Compare(comparison) => on(match letters {
            Letters::Exact => OperatorRole::Compare(comparison),
            Letters::Ignored => OperatorRole::CompareIgnoringCase(comparison),
        }),
        OperatorKind::Match { r#match, is_negated } => {
            let ignore_case = letters == Letters::Ignored;
            let matches = on(OperatorRole::Match { r#match, ignore_case });
            if is_negated { FilterRole::Negated(Box::new(matches)) } else { matches }
        }
    };
    InputBinding { role: role.into(), null, empty }
}

/// The conditions on the rows of a relation.
fn of_relation(build: &Builder<'_>, relation: RelationField<'_>) -> Vec<DraftInput> {
    let r#type = format!("{}WhereInput", build.r#type(relation.target).name);
    let path = build.located.path(relation.index, relation.end);
    let role = |quantifier| match path {
        Some(RelationPath::Hop(hop)) => {
            let role = Box::new(RowsRole::Quantified(quantifier));
            FilterRole::RelatedBy { hop, role }.into()
        }
        Some(RelationPath::Through { near, far }) => {
            FilterRole::RelatedThrough { near, far, quantifier }.into()
        }
        None => InputRole::Refused(MISSING.into()),
    };
    if !relation.is_list {
        let (null, empty) = (Meaning::Unrelated, Meaning::Related);
        let binding = InputBinding { role: role(Quantifier::Some), null, empty };
        return vec![DraftInput::new(relation.name, &r#type, binding)];
    }
    let null = format!(
        "The field '{}' is a toMany relation. This cannot be filtered by null.",
        relation.name
    );
    let quantified = [
        ("every", Quantifier::Every, Meaning::True),
        ("some", Quantifier::Some, Meaning::Related),
        ("none", Quantifier::None, Meaning::Unrelated),
    ];
    let inputs = quantified.map(|(suffix, quantifier, empty)| {
        let null = Meaning::refuse(null.as_str());
        let binding = InputBinding { role: role(quantifier), null, empty };
        DraftInput::new(&format!("{}_{suffix}", relation.name), &r#type, binding)
    });
    inputs.into()
}
