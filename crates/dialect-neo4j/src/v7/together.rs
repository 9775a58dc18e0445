//! Conditions on what is made of all nodes together that a relationship leads to, and of the
//! relationships.

use std::sync::Arc;

use ir::{AggregateFunction, Comparison, ValueRef};

use super::attribute::Attribute;
use super::build::{Build, Owner};
use super::conditions::several;
use super::declared;
use super::link::Link;
use super::operators::operator;
use crate::model::{PropertyType, Target};
use crate::shared::draft::DraftInput;
use crate::shared::values;
use api::binding::{DeclaredRole, FilterRole, InputBinding, OperatorRole, RowsRole, Subject};

/// Comparisons at the end of names, and what they are called in objects of operators.
const COMPARISONS: [(&str, &str, Comparison); 5] = [
    ("EQUAL", "eq", Comparison::Equal),
    ("GT", "gt", Comparison::Greater),
    ("GTE", "gte", Comparison::GreaterOrEqual),
    ("LT", "lt", Comparison::Less),
    ("LTE", "lte", Comparison::LessOrEqual),
];

/// Those of numbers of relationships, in an order of their own.
const COUNTS: [(&str, &str, Comparison); 5] = [
    ("EQ", "eq", Comparison::Equal),
    ("LT", "lt", Comparison::Less),
    ("LTE", "lte", Comparison::LessOrEqual),
    ("GT", "gt", Comparison::Greater),
    ("GTE", "gte", Comparison::GreaterOrEqual),
];

/// Adds the types of the conditions, and the deprecated one to the conditions of the owner.
pub(super) fn conditions(build: &mut Build<'_>, link: &Link<'_>) {
    if !link.is_filtered_by_aggregate() {
        return;
    }
    let parts = parts(build, link);
    let name = format!("{}ConnectionAggregateInput", link.prefix);
    if !build.draft.has(&name) {
        counts(build);
        let count = "ConnectionAggregationCountFilterInput";
        let binding = InputBinding::lenient(FilterRole::Conditions);
        build.draft.add_input(&name, DraftInput::new("count", count, binding));
        add_parts(build, &name, &parts);
    }
    if build.options.exclude_deprecated {
        return;
    }
    let name = format!("{}AggregateInput", link.prefix);
    if !build.draft.has(&name) {
        for (suffix, generic, comparison) in COUNTS {
            let reason = format!(
                "Please use the relevant generic filter '{{ count: {{ {generic}: ... }} }} }}' \
                 instead."
            );
            let compare = OperatorRole::Compare(comparison);
            let role = FilterRole::On { subject: counted(false), operator: compare };
            let input = DraftInput::new(&format!("count_{suffix}"), "Int", operator(role));
            build.draft.add_input(&name, input.because(&reason));
        }
        let binding = InputBinding::lenient(FilterRole::Operators(counted(false)));
        build.draft.add_input(&name, DraftInput::new("count", "IntScalarFilters", binding));
        add_parts(build, &name, &parts);
    }
    let role = RowsRole::Together { once: false };
    let binding = match (link.hop(), link.variants) {
        (Some(hop), _) => InputBinding::lenient(FilterRole::RelatedBy { hop, role }),
        (None, Some(variants)) => {
            InputBinding::lenient(FilterRole::RelatedVariantsBy { variants: variants.id, role })
        }
        (None, None) => {
            let role = |place| DeclaredRole::By { place, role };
            declared::condition(build, link, role).map_or_else(several, InputBinding::lenient)
        }
    };
    let own = format!("{}Aggregate", link.name());
    let input = DraftInput::new(&own, &name, binding);
    let input = match &link.field.deprecated {
        Some(_) => input.deprecated(link.field.deprecated.as_ref()),
        None => {
            let connection = link.connection_name();
            input.because(&format!(
                "Aggregate filters are moved inside the {connection} filter, please use {{ \
                 {connection}: {{ aggregate: {{...}} }} }} instead"
            ))
        }
    };
    let owner = format!("{}Where", build.name(link.owner.into()));
    build.draft.add_input(&owner, input);
}

fn counted(distinct: bool) -> Arc<Subject> {
    Arc::new(Subject::new(ValueRef::Counted { distinct }))
}

/// How many nodes and relationships there are.
fn counts(build: &mut Build<'_>) {
    for (name, distinct) in [("nodes", true), ("edges", false)] {
        let binding = InputBinding::lenient(FilterRole::Operators(counted(distinct)));
        let input = DraftInput::new(name, "IntScalarFilters", binding);
        build.draft.add_input("ConnectionAggregationCountFilterInput", input);
    }
}

/// The conditions on nodes and on relationships, as far as there are any.
fn parts(build: &mut Build<'_>, link: &Link<'_>) -> Vec<(&'static str, String)> {
    let mut parts = Vec::new();
    let node = format!("{}NodeAggregationWhereInput", link.prefix);
    let attributes = match link.target() {
        Target::Node(_) | Target::Interface(_) => build.target_attributes(link.target()),
        Target::Union(_) => Vec::new(),
    };
    if of_attributes(build, &node, &attributes) {
        parts.push(("node", node));
    }
    let edge = format!("{}AggregationWhereInput", link.edge);
    let has_edge = match link.owner {
        Owner::Node(_) => {
            let properties = link.relationship.properties;
            let attributes = properties.map(|properties| build.edge_attributes(properties));
            attributes.is_some_and(|attributes| of_attributes(build, &edge, &attributes))
        }
        // Made together with the other types of the properties.
        Owner::Interface(_) => build.draft.has(&edge),
    };
    if has_edge {
        parts.push(("edge", edge));
    }
    parts
}

fn add_parts(build: &mut Build<'_>, name: &str, parts: &[(&'static str, String)]) {
    build.add_logic(name, ["AND", "OR", "NOT"]);
    for (part, r#type) in parts {
        let binding = InputBinding::lenient(FilterRole::Conditions);
        build.draft.add_input(name, DraftInput::new(part, r#type, binding));
    }
}

/// Makes the type of conditions on what is made of attributes, if there are such.
pub(super) fn of_attributes(
    build: &mut Build<'_>,
    name: &str,
    attributes: &[Attribute<'_>],
) -> bool {
    if build.draft.has(name) {
        return true;
    }
    let mut attributes =
        attributes.iter().filter(|attribute| attribute.is_filtered_by_aggregate()).peekable();
    if attributes.peek().is_none() {
        return false;
    }
    build.draft.input(name);
    build.add_logic(name, ["AND", "OR", "NOT"]);
    for attribute in attributes {
        if !build.options.exclude_deprecated {
            by_suffix(build, name, attribute);
        }
        let r#type = values::type_name(build.model, &attribute.property.r#type);
        let binding = match attribute.spot.place() {
            Some(place) => InputBinding::lenient(FilterRole::MadeOf(Box::new(place))),
            None => several(),
        };
        let r#type = format!("{type}ScalarAggregationFilters");
        build.draft.add_input(name, DraftInput::new(attribute.name(), &r#type, binding));
    }
    true
}

/// `name_AVERAGE_LENGTH_GT: …`.
fn by_suffix(build: &mut Build<'_>, name: &str, attribute: &Attribute<'_>) {
    let own = attribute.name();
    for (suffix, generic, comparison) in COMPARISONS {
        for Made { suffix: made, generic: function_name, function, r#type } in
            made(build, attribute)
        {
            let reason = format!(
                "Please use the relevant generic filter '{own}: {{ {function_name}: {{ {generic}: \
                 ... }} }} }}' instead."
            );
            let binding = match attribute.spot.place() {
                Some(place) => {
                    let place = ValueRef::Aggregated { function, place: Box::new(place) };
                    let subject = Arc::new(Subject::new(place));
                    let compare = OperatorRole::Compare(comparison);
                    operator(FilterRole::On { subject, operator: compare })
                }
                None => several(),
            };
            let input = DraftInput::new(&format!("{own}_{made}_{suffix}"), r#type, binding);
            build.draft.add_input(name, input.because(&reason));
        }
    }
}

/// What is made of the values of an attribute.
struct Made<'a> {
    suffix: &'static str,
    generic: &'static str,
    function: AggregateFunction,
    r#type: &'a str,
}

fn made<'a>(build: &Build<'a>, attribute: &Attribute<'_>) -> Vec<Made<'a>> {
    use AggregateFunction as Function;
    let r#type = &attribute.property.r#type;
    let made = |suffix, generic, function, r#type| Made { suffix, generic, function, r#type };
    if *r#type == PropertyType::String {
        return vec![
            made("AVERAGE_LENGTH", "averageLength", Function::AverageLength, "Float"),
            made("LONGEST_LENGTH", "longestLength", Function::LongestLength, "Int"),
            made("SHORTEST_LENGTH", "shortestLength", Function::ShortestLength, "Int"),
        ];
    }
    let own = values::type_name(build.model, r#type);
    let mut list = vec![
        made("MIN", "min", Function::Minimum, own),
        made("MAX", "max", Function::Maximum, own),
    ];
    if r#type.is_number() {
        list.push(made("SUM", "sum", Function::Total, own));
    }
    if r#type.is_number() || *r#type == PropertyType::Duration {
        let average = match r#type {
            PropertyType::BigInt | PropertyType::Duration => own,
            _ => "Float",
        };
        list.push(made("AVERAGE", "average", Function::Average, average));
    }
    list
}
