//! Conditions on aggregates of the nodes that a relationship leads to, and of the relationships.

use std::sync::Arc;

use ir::{Comparison, ValueRef};

use super::conditions::several;
use super::operators::operator;
use crate::model::Target;
use crate::shared::aggregates::{Aggregate, compared};
use crate::shared::attribute::Attribute;
use crate::shared::attribute::{edge_attributes, target_attributes};
use crate::shared::builder::{Builder, Owner};
use crate::shared::draft::DraftInput;
use crate::shared::link::Link;
use crate::shared::operators::{COMPARISONS, ORDERED};
use crate::shared::values;
use api::binding::{FilterRole, InputBinding, OperatorRole, RowsRole, Subject};

/// Adds the types of the conditions, and the deprecated one to the conditions of the owner.
pub(super) fn conditions(build: &mut Builder<'_>, link: &Link<'_>) {
    if !link.is_filtered_by_aggregate() {
        return;
    }
    let parts = parts(build, link);
    let name = format!("{}ConnectionAggregateInput", link.own);
    if !build.draft.has(&name) {
        counts(build);
        let count = "ConnectionAggregationCountFilterInput";
        build.put_lenient(&name, "count", count, FilterRole::Conditions);
        add_parts(build, &name, &parts);
    }
    if build.options.exclude_deprecated {
        return;
    }
    let name = format!("{}AggregateInput", link.own);
    if !build.draft.has(&name) {
        let equal = ("EQ", "eq", Comparison::Equal);
        for (suffix, generic, comparison) in [equal].into_iter().chain(ORDERED) {
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
        build.put(&name, "count", "IntScalarFilters", binding);
        add_parts(build, &name, &parts);
    }
    let role = link.condition(RowsRole::Together { once: false });
    let binding = role.map_or_else(several, InputBinding::lenient);
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

/// Adds the conditions on the numbers of nodes and of relationships.
fn counts(build: &mut Builder<'_>) {
    for (name, distinct) in [("nodes", true), ("edges", false)] {
        let binding = InputBinding::lenient(FilterRole::Operators(counted(distinct)));
        let input = DraftInput::new(name, "IntScalarFilters", binding);
        build.draft.add_input("ConnectionAggregationCountFilterInput", input);
    }
}

/// The conditions on nodes and on relationships, as far as there are any.
fn parts(build: &mut Builder<'_>, link: &Link<'_>) -> Vec<(&'static str, String)> {
    let mut parts = Vec::new();
    let node = format!("{}NodeAggregationWhereInput", link.own);
    let attributes = match link.target() {
        Target::Node(_) | Target::Interface(_) => target_attributes(build, link.target()),
        Target::Union(_) => Vec::new(),
    };
    if of_attributes(build, &node, &attributes) {
        parts.push(("node", node));
    }
    let edge = format!("{}AggregationWhereInput", link.edge);
    let has_edge = match link.owner {
        Owner::Node(_) => {
            let properties = link.relationship.properties;
            let attributes = properties.map(|properties| edge_attributes(build, properties));
            attributes.is_some_and(|attributes| of_attributes(build, &edge, &attributes))
        }
        // Added together with the other types of the properties.
        Owner::Interface(_) => build.draft.has(&edge),
    };
    if has_edge {
        parts.push(("edge", edge));
    }
    parts
}

fn add_parts(build: &mut Builder<'_>, name: &str, parts: &[(&'static str, String)]) {
    build.put_logic(name, ["AND", "OR", "NOT"]);
    for (part, r#type) in parts {
        build.put_lenient(name, part, r#type, FilterRole::Conditions);
    }
}

/// Adds the type of conditions on aggregates of attributes; whether there are any.
pub(super) fn of_attributes(
    build: &mut Builder<'_>,
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
    build.put_logic(name, ["AND", "OR", "NOT"]);
    for attribute in attributes {
        if !build.options.exclude_deprecated {
            by_suffix(build, name, attribute);
        }
        let r#type = values::type_name(build.model, &attribute.property.r#type);
        let binding = match attribute.origin.place() {
            Some(place) => InputBinding::lenient(FilterRole::MadeOf(Box::new(place))),
            None => several(),
        };
        let r#type = format!("{type}ScalarAggregationFilters");
        build.put(name, attribute.name(), &r#type, binding);
    }
    true
}

/// `name_AVERAGE_LENGTH_GT: …`.
fn by_suffix(build: &mut Builder<'_>, name: &str, attribute: &Attribute<'_>) {
    let own = attribute.name();
    for (suffix, generic, comparison) in COMPARISONS {
        for Aggregate { suffix: made, generic: function_name, function, r#type } in
            compared(build, &attribute.property.r#type)
        {
            let reason = format!(
                "Please use the relevant generic filter '{own}: {{ {function_name}: {{ {generic}: \
                 ... }} }} }}' instead."
            );
            let binding = match attribute.origin.place() {
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
