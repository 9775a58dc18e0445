//! Aggregates of functions' values of rows, and conditions on them in `having`.

use catalog::{Function, FunctionResult};
use graphql::schema::{FieldDefinition, InputDefinition, TypeId, TypeKind, TypeRef};
use ir::AggregateFunction;

use super::aggregate_conditions::{add_conditions, having_kind, refused, unfit};
use super::aggregates::{
    Computable, PluginAggregate, SPECIFICATIONS, Specification, add_function, claim, count, offered,
};
use super::api_types::AggregateTypes;
use super::build::{Build, field};
use super::descriptions;
use super::entity::{Column, Served};
use super::functions::Input;
use super::types::value_type;
use api::binding::{
    AggregateField, AggregateValue, ArgumentRole, FieldBinding, FilterRole, InputBinding,
};

/// A function with one value for each row, and the output of its field.
#[derive(Debug)]
pub(super) struct Computed<'a> {
    pub(super) function: &'a Function,
    pub(super) name: &'a str,
    pub(super) inputs: &'a [Input],
    pub(super) description: Option<&'a str>,
    pub(super) deprecated: Option<&'a str>,
    pub(super) not_null: bool,
}

/// Adds the aggregates of a function's values that the plugin has.
pub(super) fn add(build: &mut Build<'_>, one: &Served<'_>, subject: &str, computed: &Computed<'_>) {
    let Some(mut types) = build.aggregates.get(&one.entity.id).copied() else { return };
    let column = match computed.function.result {
        FunctionResult::Nothing => return,
        FunctionResult::Value(field) => {
            let Some(value) = value_type(build, &build.catalog[field].r#type) else { return };
            Some(Column { field, name: computed.name.into(), value, not_null: false })
        }
        _ => None,
    };
    for (place, specification) in SPECIFICATIONS.into_iter().enumerate() {
        let Some(offered) = offer(build, column.as_ref(), specification.function) else {
            continue;
        };
        if let Some(known) = types.functions.get_mut(place) {
            let made = known.or_else(|| add_function(build, one, types.container, specification));
            *known = made;
            if let Some(values) = made {
                add_value(build, values, computed, specification, offered);
            }
        }
        if let Some(column) = &column {
            let condition = Condition { computed, subject, column, specification, place };
            add_condition(build, one, &mut types, &condition);
        }
    }
    build.aggregates.insert(one.entity.id, types);
}

/// The aggregates of a function's values in the plugin: of rows only the number of distinct ones.
fn offer(
    build: &mut Build<'_>,
    column: Option<&Column>,
    function: AggregateFunction,
) -> Option<PluginAggregate> {
    match (column, function) {
        (Some(column), _) => offered(build, column, function),
        (None, AggregateFunction::DistinctCount) => count(build).map(PluginAggregate::from),
        (None, _) => None,
    }
}

fn add_value(
    build: &mut Build<'_>,
    values: TypeId,
    computed: &Computed<'_>,
    specification: Specification,
    offered: PluginAggregate,
) {
    let PluginAggregate { r#type, made, .. } = offered;
    let binding = match made {
        None => AggregateField::Value([].into()),
        Some(Computable { leaf, form, absent, .. }) => {
            let (function, absent) =
                (specification.function, absent.map(|text| text.as_bytes().into()));
            let value = AggregateValue { function, field: None, leaf, form, absent };
            let value = Box::new(value);
            AggregateField::Computed { computed: computed.function.id, value }
        }
    };
    let description = descriptions::aggregated_computed(specification.label, computed.description);
    let definition = FieldDefinition {
        deprecated: computed.deprecated.map(Into::into),
        ..field(computed.name, &description, r#type.non_null_if(computed.not_null))
    };
    let added = build.api.add_field(values, definition, FieldBinding::Aggregate(binding));
    for Input { definition, binding } in computed.inputs {
        let binding = InputBinding::lenient(ArgumentRole::Call(*binding));
        build.api.add_argument(added, definition.clone(), binding);
    }
}

/// The compared value in `having`.
struct Condition<'a> {
    computed: &'a Computed<'a>,
    subject: &'a str,
    column: &'a Column,
    specification: Specification,
    /// The index of the specification.
    place: usize,
}

/// Adds the condition on an aggregate of a function's values: the arguments of the function, if it
/// has any, and the operators.
fn add_condition(
    build: &mut Build<'_>,
    one: &Served<'_>,
    types: &mut AggregateTypes,
    condition: &Condition<'_>,
) {
    let Condition { computed, subject, column, specification, place } = *condition;
    let (Some(having), Some(known)) = (types.having, types.conditions.get_mut(place)) else {
        return;
    };
    let Some((kind, takes)) = having_kind(build, column, specification.function) else { return };
    let Some(operators) = kind.find(build) else { return };
    let (table, function) = (build.table_name(one.entity.id), &computed.function.name);
    let name =
        |part| build.inflection.having_computed_type(table, specification.name, function, part);
    let (name, name_of_arguments) = (name("input"), name("args-input"));
    let object = || TypeKind::InputObject { fields: Vec::new() };
    *known = known.or_else(|| add_conditions(build, one, having, specification));
    let Some(conditions) = *known else { return };
    let Some(r#type) = claim(build, subject, &name, object(), None) else { return };
    if !computed.inputs.is_empty() {
        let arguments = claim(build, subject, &name_of_arguments, object(), None);
        // Without its arguments it would be another call.
        let Some(arguments) = arguments else { return };
        for Input { definition, binding } in computed.inputs {
            let binding = InputBinding::lenient(ArgumentRole::Call(*binding));
            build.api.add_input_field(arguments, definition.clone(), binding);
        }
        let definition = InputDefinition::new("args", TypeRef::named(arguments));
        let binding = InputBinding::lenient(FilterRole::CallArguments);
        build.api.add_input_field(r#type, definition, binding);
    }
    let definition = InputDefinition::new("filter", TypeRef::named(operators));
    build.api.add_input_field(r#type, definition, InputBinding::lenient(FilterRole::Conditions));
    let role = FilterRole::OperatorsOfComputed {
        aggregate: specification.function,
        computed: computed.function.id,
    };
    let role = if takes { role } else { refused(role, unfit(specification, computed.name)) };
    let definition = InputDefinition::new(computed.name, TypeRef::named(r#type));
    build.api.add_input_field(conditions, definition, InputBinding::lenient(role));
}
