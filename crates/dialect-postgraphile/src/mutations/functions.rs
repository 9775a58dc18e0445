//! Volatile functions as mutations.

use catalog::{EntityId, EntityKind, Function, FunctionResult, Note};
use graphql::schema::{FieldDefinition, TypeRef};

use super::payload::Payload;
use super::{Field, Mutations, add_input_type, add_member};
use crate::build::Build;
use crate::claims::{Claimant, Claims};
use crate::descriptions::mutations as descriptions;
use crate::entity::{Served, column_binding};
use crate::function_results::{self as results, FunctionOutput, OutputForm};
use crate::functions::{Input, inputs, left_out, subject};
use crate::tags::deprecation;
use crate::types::value_type;
use api::binding::{
    ArgumentRole, CallBinding, Change, ColumnBinding, EntityBinding, FieldBinding, MutationBinding,
    MutationForm, PayloadField, ValueShape,
};

/// Adds the volatile functions, in the order of the source.
pub(super) fn add(build: &mut Build<'_>, served: &[Served<'_>], mutations: &mut Mutations) {
    for function in build.catalog.functions() {
        if function.only_reads() || !build.offers_function(function.id) {
            continue;
        }
        let subject = subject(build, function);
        if let Err(note) = add_one(build, served, function, &subject, mutations) {
            build.note_with(note, |build| build.rename_function(function, "name"));
        }
    }
}

fn add_one(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    function: &Function,
    subject: &str,
    mutations: &mut Mutations,
) -> Result<(), Note> {
    let unmade = || left_out(subject, "its types could not be made.", "rename it.");
    let mut names = Claims::default();
    names.reserve("clientMutationId", "a field of every input");
    let inputs = inputs(build, served, function, 0, names)?;
    let name = build.function_name(function.id);
    let field_name = build.inflection.change_by_function(name);
    let input_name = build.inflection.function_input(name);
    let payload_name = build.inflection.function_payload(name);
    mutations.names.claim(&field_name, Claimant { subject, what: "mutation" })?;
    for (name, what) in [(&payload_name, "payload type"), (&input_name, "input type")] {
        build.types.claim(name, Claimant { subject, what })?;
    }
    let gives = match function.result {
        FunctionResult::Nothing => None,
        _ => Some(results::gives(build, served, function, subject, &field_name)?),
    };
    let returned = gives.as_ref().and_then(|gives| bind_returned(build, function, gives));

    let description = descriptions::function_payload(&field_name);
    let mut payload = Payload::new(build, &payload_name, description).ok_or_else(unmade)?;
    if let Some(gives) = &gives {
        add_result(build, function, gives, &mut payload, subject);
    }
    payload.add_query(build);
    if let FunctionResult::Row(entity) = function.result {
        let one = build.places.get(&entity).and_then(|place| served.get(*place));
        match one {
            Some(one) => payload.add_around_row(build, served, one, subject),
            None => payload.add_around_value(build, served, entity, subject),
        }
    }

    let description = descriptions::input_of(&field_name);
    let input_type = add_input_type(build, &input_name, description).ok_or_else(unmade)?;
    let arguments = inputs.iter().map(|input| input.binding).collect();
    build.api.bind_call(function.id, CallBinding { arguments, ..CallBinding::default() });
    for Input { definition, binding } in inputs {
        add_member(build, input_type, definition, ArgumentRole::Call(binding));
    }
    let annotated = build.annotations.function(function.id);
    let not_null = annotated.tags.has("notNull");
    let definition = FieldDefinition {
        description: annotated.description.as_deref().map(Into::into),
        deprecated: deprecation(&annotated.tags),
        ..FieldDefinition::new(&field_name, TypeRef::named(payload.r#type).non_null_if(not_null))
    };
    let binding = MutationBinding {
        change: Change::Call(function.id),
        returned,
        form: MutationForm::Payload,
        missing: None,
        unchanged: None,
    };
    mutations.add_field(build, Field { definition, binding }, input_type);
    Ok(())
}

/// Adds the field of the function's result.
fn add_result(
    build: &mut Build<'_>,
    function: &Function,
    gives: &FunctionOutput,
    payload: &mut Payload,
    subject: &str,
) {
    let (r#type, shown, is_plural) = match gives.shown {
        OutputForm::Value { .. } => (gives.row, PayloadField::Row, gives.row.is_list()),
        OutputForm::Row => (gives.row, PayloadField::Row, false),
        OutputForm::Array => (gives.row.list(), PayloadField::Rows, true),
        OutputForm::Set => (gives.item.list(), PayloadField::Rows, true),
    };
    let tags = build.function_tags(function.id);
    let name = match tags.text("resultFieldName") {
        Some(name) => name.into(),
        None => {
            let type_name = build.api.schema()[gives.row.base].name.clone();
            let output = function.output_name.as_deref();
            let is_record = gives.entity.is_some_and(|entity| is_record(build, entity));
            build.inflection.function_result(output, &type_name, is_record, is_plural)
        }
    };
    let definition = FieldDefinition::new(&name, r#type);
    payload.add(build, subject, definition, FieldBinding::Payload(shown));
}

fn is_record(build: &Build<'_>, entity: EntityId) -> bool {
    build.catalog[entity].kind == EntityKind::Record
}

/// The entity of the function's result. A value is the only field of the function's own one.
fn bind_returned(
    build: &mut Build<'_>,
    function: &Function,
    gives: &FunctionOutput,
) -> Option<EntityId> {
    let (FunctionResult::Value(field), OutputForm::Value { value: shape, form }) =
        (&function.result, &gives.shown)
    else {
        return gives.entity;
    };
    let definition = &build.catalog[*field];
    let value = value_type(build, &definition.r#type)?;
    // As in PostGraphile, which decomposes the array that a mutation returns, and not that of a
    // query.
    let shape = match shape {
        ValueShape::List(element) if **element == ValueShape::Composite => {
            ValueShape::List(Box::new(ValueShape::Row))
        }
        shape => shape.clone(),
    };
    let column = ColumnBinding { form: *form, value: shape, ..column_binding(Some(&value)) };
    build.api.bind_column(*field, column);
    let binding = EntityBinding { value: Some(*field), ..EntityBinding::default() };
    build.api.bind_entity(definition.entity, binding);
    Some(definition.entity)
}
