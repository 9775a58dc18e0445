//! Objects of operators, one for each type of values; their fields say what of the field around
//! them is compared.

use ir::{AggregateFunction, Comparison};

use super::text_operators;
use crate::model::PropertyType;
use crate::shared::builder::Builder;
use crate::shared::draft::{DraftInput, DraftKind};
use api::binding::{FilterRole, InputBinding, InputRole, Meaning, OperatorRole};

/// Types whose values have an order, with the words for their filters in descriptions.
const ORDERED: [&str; 9] = [
    "BigInt",
    "Date",
    "DateTime",
    "Duration",
    "Float",
    "Int",
    "LocalDateTime",
    "LocalTime",
    "Time",
];

/// Aggregate functions, each with the type of its results.
type Functions = &'static [(&'static str, &'static str)];

/// Aggregate functions of a type, with the words of the description.
const MADE: [(&str, &str, Functions); 9] = [
    (
        "BigInt",
        "an BigInt field",
        &[("average", "BigInt"), ("max", "BigInt"), ("min", "BigInt"), ("sum", "BigInt")],
    ),
    ("DateTime", "an DateTime input field", &[("max", "DateTime"), ("min", "DateTime")]),
    // As the library writes it.
    (
        "Duration",
        "a Dutation input field",
        &[("max", "Duration"), ("min", "Duration"), ("average", "Duration")],
    ),
    (
        "Float",
        "a float field",
        &[("average", "Float"), ("max", "Float"), ("min", "Float"), ("sum", "Float")],
    ),
    (
        "Int",
        "an int field",
        &[("average", "Float"), ("max", "Int"), ("min", "Int"), ("sum", "Int")],
    ),
    (
        "LocalDateTime",
        "an LocalDateTime input field",
        &[("max", "LocalDateTime"), ("min", "LocalDateTime")],
    ),
    ("LocalTime", "an LocalTime input field", &[("max", "LocalTime"), ("min", "LocalTime")]),
    (
        "String",
        "a string field",
        &[("averageLength", "Float"), ("shortestLength", "Int"), ("longestLength", "Int")],
    ),
    ("Time", "an Time input field", &[("max", "Time"), ("min", "Time")]),
];

/// Adds all of them: those that nothing leads to are left out in the end.
pub(super) fn define(build: &mut Builder<'_>) {
    let same = |name: &str| vec![equal(name)];
    add(build, "BooleanScalarFilters", "Boolean filters", same("Boolean"));
    add(build, "BooleanListFilters", "Boolean list filters", same("[Boolean!]"));
    for name in ORDERED {
        let operators = vec![
            equal(name),
            compare("gt", name, Comparison::Greater),
            compare("gte", name, Comparison::GreaterOrEqual),
            one_of(name),
            compare("lt", name, Comparison::Less),
            compare("lte", name, Comparison::LessOrEqual),
        ];
        add(build, &format!("{name}ScalarFilters"), &format!("{name} filters"), operators);
        add_list(build, &format!("{name}ListFilters"), &format!("{name} list filters"), name);
    }
    text_operators::define(build);
    points(build);
    let model = build.model;
    let names = model.enums.iter().map(|known| (&known.name, "Enum"));
    for (name, kind) in names.chain(model.scalars.iter().map(|known| (&known.name, ""))) {
        let text = format!("{name} filters");
        let operators = vec![equal(name), one_of(name)];
        add(build, &format!("{name}{kind}ScalarFilters"), &text, operators);
        add_list(build, &format!("{name}List{kind}ScalarFilters"), &text, name);
    }
    of_many(build);
}

fn points(build: &mut Builder<'_>) {
    let distances = |point: &str| {
        let from = InputBinding::lenient(FilterRole::DistancePoint);
        let mut inputs = vec![DraftInput::new("from", &format!("{point}!"), from)];
        let comparisons = [
            ("gt", Comparison::Greater),
            ("gte", Comparison::GreaterOrEqual),
            ("lt", Comparison::Less),
            ("lte", Comparison::LessOrEqual),
        ];
        inputs.extend(comparisons.map(|(name, comparison)| {
            let role = FilterRole::DistanceIs(comparison);
            DraftInput::new(name, "Float", InputBinding::lenient(role))
        }));
        inputs
    };
    let mut geographic = distances("PointInput");
    let equal_distance = InputBinding::lenient(FilterRole::DistanceIs(Comparison::Equal));
    geographic.push(DraftInput::new("eq", "Float", equal_distance));
    add(build, "PointDistanceFilters", "Distance filters", geographic);
    let cartesian = distances("CartesianPointInput");
    let text = "Distance filters for cartesian points";
    add(build, "CartesianDistancePointFilters", text, cartesian);
    for (name, text, input, distance) in [
        ("Point", "Point filters", "PointInput", "PointDistanceFilters"),
        (
            "CartesianPoint",
            "Cartesian Point filters",
            "CartesianPointInput",
            "CartesianDistancePointFilters",
        ),
    ] {
        let role = InputBinding::lenient(OperatorRole::DistanceFrom);
        let distance = DraftInput::new("distance", distance, role);
        let operators = vec![equal(input), one_of(input), distance];
        add(build, &format!("{name}Filters"), text, operators);
        let text = format!("{name} list filters");
        add_list(build, &format!("{name}ListFilters"), &text, input);
    }
}

/// Adds objects of operators on aggregates.
fn of_many(build: &mut Builder<'_>) {
    for (name, text, made) in MADE {
        let made = made.iter().filter_map(|(function, of)| {
            let role = FilterRole::OperatorsOfMade(function_of(function)?);
            let r#type = format!("{of}ScalarFilters");
            Some(DraftInput::new(function, &r#type, InputBinding::lenient(role)))
        });
        let made = made.collect();
        let text = format!("Filters for an aggregation of {text}");
        add(build, &format!("{name}ScalarAggregationFilters"), &text, made);
    }
}

/// The function that a field of operators on many values is about.
fn function_of(name: &str) -> Option<AggregateFunction> {
    Some(match name {
        "average" => AggregateFunction::Average,
        "max" => AggregateFunction::Maximum,
        "min" => AggregateFunction::Minimum,
        "sum" => AggregateFunction::Total,
        "averageLength" => AggregateFunction::AverageLength,
        "shortestLength" => AggregateFunction::ShortestLength,
        "longestLength" => AggregateFunction::LongestLength,
        _ => return None,
    })
}

/// The name of the type of operators on values of a type, or on lists of them.
pub(super) fn operators_name(build: &Builder<'_>, r#type: &PropertyType, is_list: bool) -> String {
    let name = crate::shared::values::type_name(build.model, r#type);
    let ending = match (r#type, is_list) {
        (PropertyType::Enum(_), false) => "EnumScalarFilters",
        (PropertyType::Enum(_), true) => "ListEnumScalarFilters",
        (PropertyType::Scalar(_), true) => "ListScalarFilters",
        (PropertyType::Point | PropertyType::CartesianPoint, false) => "Filters",
        (_, false) => "ScalarFilters",
        (_, true) => "ListFilters",
    };
    format!("{name}{ending}")
}

/// The binding of an operator; null tests whether the value is null, whichever operator it is.
pub(super) fn operator(role: impl Into<InputRole>) -> InputBinding {
    InputBinding { role: role.into(), null: Meaning::IsNull, empty: Meaning::Ignore }
}

pub(super) fn add(build: &mut Builder<'_>, name: &str, text: &str, fields: Vec<DraftInput>) {
    build.draft.add(name, Some(text), DraftKind::Input { fields, form: None });
}

pub(super) fn add_list(build: &mut Builder<'_>, name: &str, text: &str, element: &str) {
    let role = operator(OperatorRole::CompareElement(Comparison::Equal));
    let operators =
        vec![equal(&format!("[{element}!]")), DraftInput::new("includes", element, role)];
    add(build, name, text, operators);
}

fn equal(r#type: &str) -> DraftInput {
    compare("eq", r#type, Comparison::Equal)
}

fn one_of(r#type: &str) -> DraftInput {
    compare("in", &format!("[{type}!]"), Comparison::In)
}

fn compare(name: &str, r#type: &str, comparison: Comparison) -> DraftInput {
    DraftInput::new(name, r#type, operator(OperatorRole::Compare(comparison)))
}
