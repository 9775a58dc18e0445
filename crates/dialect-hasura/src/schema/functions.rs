//! Functions: fields of the root types, and computed fields of rows with their conditions and orders.

use std::sync::Arc;

use api::binding::{
    ArgumentRole, CallBinding, ComputedBinding, FieldBinding, FilterRole, InputBinding, Meaning,
    OrderRole, RowsBinding, RowsForm, RowsFrom, Subject,
};
use catalog::{ArgumentType, FunctionId};
use ir::ValueRef;

use super::base::ORDER_BY;
use super::condition_member::member;
use super::{Build, comparisons, orders, rows};
use crate::draft::{DraftField, DraftInput};
use crate::functions::{Call, Computed, ComputedForm, RootFunction};
use crate::naming;
use crate::plan::Planned;

/// The fields of functions of the mutation type.
pub(super) fn mutation_fields(build: &mut Build<'_>) -> Vec<DraftField> {
    let plan = build.plan;
    let mut fields = Vec::new();
    for function in plan.functions.iter().filter(|function| function.is_mutation) {
        let target = &plan.entities[function.target];
        let call = &function.call;
        let mut arguments = root_arguments(build, function);
        arguments.append(&mut rows::arguments(target));
        let (r#type, form) = match function.is_set {
            true => (format!("[{}!]!", target.name), RowsForm::List),
            false => (target.name.clone(), RowsForm::First),
        };
        let binding = binding(RowsFrom::Effect(call.function), target, form);
        let field = DraftField::new(&function.name, r#type, binding).verbatim().with(arguments);
        fields.push(field.described(&function.description));
    }
    fields
}

/// The argument with the arguments of a function of the root types; adds its type.
pub(super) fn root_arguments(build: &mut Build<'_>, function: &RootFunction) -> Vec<DraftInput> {
    let about = format!("input parameters for function \"{}\"", function.call.described);
    arguments(build, &function.call, &about)
}

/// The fields of functions of the query type.
pub(super) fn root_fields(build: &mut Build<'_>) -> Vec<DraftField> {
    let plan = build.plan;
    let mut fields = Vec::new();
    for function in plan.functions.iter().filter(|function| !function.is_mutation) {
        let target = &plan.entities[function.target];
        let RootFunction { name, aggregate, description, call, is_set, .. } = function;
        let arguments = root_arguments(build, function);
        let from = RowsFrom::Function { function: call.function, of_row: false };
        let list = arguments.iter().cloned().chain(rows::arguments(target)).collect();
        let (r#type, form) = match is_set {
            true => (format!("[{}!]!", target.name), RowsForm::List),
            false => (target.name.clone(), RowsForm::First),
        };
        let field = DraftField::new(name, r#type, binding(from, target, form));
        fields.push(field.verbatim().with(list).described(description));
        let about = format!(
            "execute function \"{}\" and query aggregates on result of table type \"{}\"",
            call.described, target.described
        );
        let r#type = target.r#type("aggregate") + "!";
        let field = DraftField::new(aggregate, r#type, binding(from, target, RowsForm::Connection));
        let list = arguments.into_iter().chain(rows::arguments(target)).collect();
        fields.push(field.verbatim().with(list).described(about));
    }
    fields
}

/// The computed fields of an entity's object.
pub(super) fn computed_fields(build: &mut Build<'_>, planned: &Planned<'_>) -> Vec<DraftField> {
    let mut fields = Vec::new();
    for Computed { name, description, call, form } in &planned.computed {
        let about = format!(
            "input parameters for computed field \"{name}\" defined on table \"{}\"",
            planned.described
        );
        let mut arguments = arguments(build, call, &about);
        let function = call.function;
        let field = match form {
            ComputedForm::Value(values) => {
                build.draft.scalar(&values.scalar);
                let computed = ComputedBinding {
                    function,
                    of_row: true,
                    value: values.binding.value.clone(),
                    form: values.binding.form,
                    external: Vec::new(),
                };
                DraftField::new(name, values.text(), FieldBinding::Computed(Box::new(computed)))
            }
            ComputedForm::Rows(place) => {
                let target = &build.plan.entities[*place];
                let from = RowsFrom::Function { function, of_row: true };
                arguments.extend(rows::arguments(target));
                let r#type = format!("[{}!]", target.name);
                DraftField::new(name, r#type, binding(from, target, RowsForm::List))
            }
        };
        let field = field.verbatim().with(arguments);
        fields.push(field.described_by(description.as_deref()));
    }
    fields
}

/// The conditions on computed values and rows without arguments.
pub(super) fn conditions(build: &mut Build<'_>, planned: &Planned<'_>) -> Vec<DraftInput> {
    let mut members = Vec::new();
    for computed in &planned.computed {
        if let Some(place) = computed.rows_without_arguments() {
            let r#type = build.plan.entities[place].r#type("bool_exp");
            let role = FilterRole::FunctionRows(computed.call.function);
            members.push(member(&computed.name, r#type, role, Meaning::True).verbatim());
            continue;
        }
        let Some(values) = computed.find_operand() else { continue };
        let operators = comparisons::find(build, values);
        let place = ValueRef::Computed(computed.call.of_row());
        let role = FilterRole::Operators(Arc::new(Subject::new(place)));
        members.push(member(&computed.name, operators, role, Meaning::True).verbatim());
    }
    members
}

/// The orders by computed values, and by aggregates of computed rows, without arguments.
pub(super) fn orders(build: &Build<'_>, planned: &Planned<'_>) -> Vec<DraftInput> {
    let order_by = build.shared_type(ORDER_BY);
    let member = |computed: &Computed| {
        let function = computed.call.function;
        if let Some(place) = computed.rows_without_arguments() {
            let r#type = build.plan.entities[place].r#type("aggregate_order_by");
            let name = build.plan.naming.word(&naming::of(&computed.name, "aggregate"));
            let role = OrderRole::FunctionAggregates(function);
            return Some(orders::member(&name, &r#type, role).verbatim());
        }
        let is_ordered = computed.find_operand().is_some_and(|values| values.is_ordered());
        let role = OrderRole::Computed(function);
        is_ordered.then(|| orders::member(&computed.name, &order_by, role).verbatim())
    };
    planned.computed.iter().filter_map(member).collect()
}

/// The bindings of all calls.
pub(super) fn calls(build: &Build<'_>) -> impl Iterator<Item = (FunctionId, CallBinding)> {
    let computed = build.plan.entities.iter().flat_map(|planned| &planned.computed);
    // Those of the root have all arguments, also that which is the row of a computed field.
    let roots = build.plan.functions.iter().map(|function| &function.call);
    let calls = computed.map(|computed| &computed.call).chain(roots);
    calls.map(|call| {
        let all = build.catalog[call.function].arguments.iter();
        let row = all.zip(0u16..).find(|(one, _)| matches!(one.r#type, ArgumentType::Row(_)));
        let row = row.map(|(_, place)| place);
        (call.function, CallBinding { row, ..call.binding() })
    })
}

fn binding(from: RowsFrom, target: &Planned<'_>, form: RowsForm) -> FieldBinding {
    let entity = target.entity.id;
    FieldBinding::Rows(RowsBinding { from, entity, form, default_limit: None })
}

/// The argument with the arguments of a call, if it takes any; adds its type.
fn arguments(build: &mut Build<'_>, call: &Call, about: &str) -> Vec<DraftInput> {
    if call.arguments.is_empty() {
        return Vec::new();
    }
    let mut members = Vec::new();
    for argument in &call.arguments {
        build.draft.scalar(&argument.values.scalar);
        let binding = InputBinding::lenient(ArgumentRole::Call(argument.binding));
        members.push(DraftInput::new(&argument.name, argument.values.text(), binding));
    }
    build.draft.input(&call.arguments_type, None, members);
    let required = if call.is_optional() { "" } else { "!" };
    let r#type = format!("{}{required}", call.arguments_type);
    let options = DraftInput::new("args", r#type, InputBinding::lenient(ArgumentRole::Options));
    vec![options.described(about)]
}
