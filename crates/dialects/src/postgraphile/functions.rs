//! Functions: fields of the root, and columns that are computed of a row.

use catalog::{Argument, ArgumentType, EntityId, Function, FunctionResult, Note, NoteKind, Type};
use graphql::schema::{FieldDefinition, InputDefinition, TypeId, TypeRef};

use super::arguments::{self, Collection};
use super::build::{Build, input};
use super::claims::{Claimant, Claims};
use super::entity::Served;
use super::function_results::{self as results, Gives, Shown};
use super::naming::{ListSuffix, coerce};
use super::types::value_type;
use super::{descriptions, filter};
use crate::binding::{
    ArgumentBinding, CallBinding, ComputedBinding, FieldBinding, InputBinding, InputRole,
    RowsBinding, RowsForm, RowsFrom,
};

/// Where a function stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role<'a> {
    Query,
    /// A field of the rows of a table, called by the rest of the function's name.
    Computed(EntityId, &'a str),
}

/// The name of the field of an entity's rows that the function computes, if it is one.
pub(super) fn computed_name(
    build: &Build<'_>,
    function: &Function,
    entity: EntityId,
) -> Option<String> {
    match role(build, function) {
        Some(Ok(role @ Role::Computed(of, _))) if of == entity => Some(name(build, function, role)),
        Some(Ok(Role::Query | Role::Computed(..)) | Err(_)) | None => None,
    }
}

/// Whether a row is all that the function must be given.
pub(super) fn is_callable_alone(function: &Function) -> bool {
    function.arguments.iter().skip(1).all(|argument| argument.has_default)
}

/// What an argument of a function becomes.
struct Input {
    definition: InputDefinition,
    binding: ArgumentBinding,
}

/// Adds the functions that are fields of the root, in the order of the source.
pub(super) fn add_queries(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    query: TypeId,
    names: &mut Claims,
) {
    for function in build.catalog.functions() {
        match role(build, function) {
            Some(Ok(Role::Query)) => add(build, served, function, Role::Query, query, names),
            // Reported where the fields of rows are added.
            Some(Ok(Role::Computed(..)) | Err(_)) | None => {}
        }
    }
}

/// Adds the functions that are fields of rows, and says which functions have no place.
pub(super) fn add_computed(build: &mut Build<'_>, served: &mut [Served<'_>]) {
    for function in build.catalog.functions() {
        match role(build, function) {
            Some(Ok(role @ Role::Computed(entity, _))) => {
                let Some(place) = build.places.get(&entity).copied() else { continue };
                let Some(one) = served.get_mut(place) else { continue };
                let Some(types) = one.types else { continue };
                // Taken for the time in which the fields of other tables are looked at.
                let mut names = std::mem::take(&mut one.fields);
                add(build, served, function, role, types.row, &mut names);
                if let Some(one) = served.get_mut(place) {
                    one.fields = names;
                }
            }
            Some(Err(note)) => build.note(note),
            Some(Ok(Role::Query)) | None => {}
        }
    }
}

/// Where a function stands; `None` if it is not for reading.
fn role<'a>(build: &Build<'_>, function: &'a Function) -> Option<Result<Role<'a>, Note>> {
    if !function.only_reads() {
        return None;
    }
    let subject = subject(build, function);
    let mut arguments = function.arguments.iter();
    let first = arguments.next().map(|argument| &argument.r#type);
    let takes_row = |argument: &Argument| matches!(argument.r#type, ArgumentType::Row(_));
    let of = |namespace: &Option<Box<str>>, name: &str| {
        let rest = function.name.strip_prefix(name)?.strip_prefix('_')?;
        (*namespace == function.namespace).then_some(rest)
    };
    Some(match first {
        Some(ArgumentType::Row(entity)) => {
            let table = &build.catalog[*entity];
            match of(&table.namespace, &table.name) {
                Some(rest) if !arguments.any(takes_row) => Ok(Role::Computed(*entity, rest)),
                Some(_) => Err(left_out(
                    &subject,
                    "it takes a second row, and a request cannot give one.",
                    "take the key of the row instead.",
                )),
                None => Err(left_out(
                    &subject,
                    &format!("it takes a row of {}, and a request cannot give one.", table.name),
                    &format!(
                        "for a field of the row, call it {}_… in the table's schema.",
                        table.name
                    ),
                )),
            }
        }
        Some(ArgumentType::Value(Type::Composite(composite)))
            if {
                let composite = &build.catalog[*composite];
                of(&composite.namespace, &composite.name).is_some()
            } =>
        {
            Err(left_out(
                &subject,
                "it computes a column of a composite type, which is not served yet.",
                "compute a column of the table instead.",
            ))
        }
        _ if arguments.any(takes_row) => Err(left_out(
            &subject,
            "it takes a row, and a request cannot give one.",
            "take the key of the row instead.",
        )),
        _ => Ok(Role::Query),
    })
}

/// Adds the fields of one function.
fn add(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    function: &Function,
    role: Role<'_>,
    parent: TypeId,
    names: &mut Claims,
) {
    let subject = subject(build, function);
    let is_computed = role != Role::Query;
    let inputs = match inputs(build, function, &subject, is_computed) {
        Ok(inputs) => inputs,
        Err(note) => return build.note(note),
    };
    let gives =
        match results::gives(build, served, function, &subject, &name(build, function, role)) {
            Ok(gives) => gives,
            Err(note) => return build.note(note),
        };
    let call = CallBinding { arguments: inputs.iter().map(|input| input.binding).collect() };
    build.api.bind_call(function.id, call);
    let Gives { row, connection, entity, shown, description, columns } = gives;
    let filter = match (&shown, entity) {
        (Shown::Set, Some(entity)) => {
            let row_name = build.api.schema()[row.base].name.clone();
            filter::functions::argument_of_set(build, served, entity, &row_name, &columns)
        }
        _ => None,
    };
    let description = function.description.clone().or(description.map(Into::into));
    let mut add_field = |build: &mut Build<'_>, name: &str, r#type: TypeRef, binding, paged| {
        if let Err(note) = names.claim(name, Claimant { subject: &subject, what: "field" }) {
            build.note(note);
            return;
        }
        let definition = FieldDefinition {
            description: description.as_deref().map(Into::into),
            ..FieldDefinition::new(name, r#type)
        };
        let field = build.api.add_field(parent, definition, binding);
        for Input { definition, binding } in &inputs {
            let binding = InputBinding::lenient(InputRole::Argument(*binding));
            build.api.add_argument(field, definition.clone(), binding);
        }
        if let Some(collection) = paged {
            arguments::add_page(build, field, collection);
            if let Some((r#type, binding)) = &filter {
                let definition = input("filter", descriptions::FILTER, TypeRef::named(*r#type));
                build.api.add_argument(field, definition, binding.clone());
            }
        }
    };
    let name = name(build, function, role);
    let rows = |entity, form| {
        let from = RowsFrom::Function { function: function.id, of_row: is_computed };
        FieldBinding::Rows(RowsBinding { from, entity, form, default_limit: None })
    };
    match (shown, entity) {
        (Shown::Value { value, form }, _) => {
            let computed =
                ComputedBinding { function: function.id, of_row: is_computed, value, form };
            add_field(build, &name, row, FieldBinding::Computed(computed), None);
        }
        (Shown::Row, Some(entity)) => {
            add_field(build, &name, row, rows(entity, RowsForm::Single), None);
        }
        (Shown::Array, Some(entity)) => {
            add_field(build, &name, row.list(), rows(entity, RowsForm::List), None);
        }
        (Shown::Set, Some(entity)) => {
            if let Some(connection) = connection {
                let r#type = TypeRef::named(connection).non_null_if(is_computed);
                let binding = rows(entity, RowsForm::Connection);
                add_field(build, &name, r#type, binding, Some(Collection::Connection));
            }
            if build.options.simple_collections.has_lists() {
                let name = list_name(build, function, role);
                let binding = rows(entity, RowsForm::List);
                add_field(build, &name, row.list(), binding, Some(Collection::List));
            }
        }
        (Shown::Row | Shown::Array | Shown::Set, None) => {}
    }
}

/// What a request gives to a function.
fn inputs(
    build: &mut Build<'_>,
    function: &Function,
    subject: &str,
    is_computed: bool,
) -> Result<Vec<Input>, Note> {
    let mut names = Claims::default();
    if gives_set(function) {
        for name in ["first", "last", "offset", "before", "after"] {
            names.reserve(name, "an argument of every set");
        }
        if build.options.connection_filter.is_some() {
            names.reserve("filter", "an argument of sets");
        }
    }
    let skipped = usize::from(is_computed);
    let arguments = function.arguments.iter().enumerate().skip(skipped);
    let mut inputs = Vec::new();
    for (place, argument) in arguments {
        let name = build.inflection.argument(argument.name.as_deref(), place - skipped);
        names.claim(&name, Claimant { subject, what: "argument" })?;
        let input = match &argument.r#type {
            ArgumentType::Value(r#type) => value_type(build, r#type).and_then(|value| value.input),
            ArgumentType::Row(_) => None,
        };
        let (Some(input), Ok(place)) = (input, u16::try_from(place)) else {
            return Err(left_out(
                subject,
                &format!("values of the type of its argument {name} cannot be given yet."),
                "take a value of a simple type instead.",
            ));
        };
        let is_required = function.strict && !argument.has_default;
        inputs.push(Input {
            definition: InputDefinition::new(&name, input.non_null_if(is_required)),
            binding: ArgumentBinding {
                place,
                optional: argument.has_default,
                named: argument.name.is_some(),
            },
        });
    }
    Ok(inputs)
}

/// The field that gives what the function gives, a set as a connection.
fn name(build: &Build<'_>, function: &Function, role: Role<'_>) -> String {
    let name = match role {
        Role::Query => coerce(build.function_name(function.id)),
        Role::Computed(_, rest) => rest.into(),
    };
    build.inflection.function(&name, gives_set(function), ListSuffix::Default)
}

/// The field that gives a set as a list.
fn list_name(build: &Build<'_>, function: &Function, role: Role<'_>) -> String {
    let name = match role {
        Role::Query => coerce(build.function_name(function.id)),
        Role::Computed(_, rest) => rest.into(),
    };
    build.inflection.function_list(&name, ListSuffix::Default)
}

fn gives_set(function: &Function) -> bool {
    match function.result {
        FunctionResult::Values(_) | FunctionResult::Rows(_) => true,
        FunctionResult::Nothing
        | FunctionResult::Value(_)
        | FunctionResult::Row(_)
        | FunctionResult::RowArray(_) => false,
    }
}

/// What a person would rename: `public.add_numbers()`.
fn subject(build: &Build<'_>, function: &Function) -> String {
    format!("{}()", build.catalog.function_name(function.id))
}

pub(super) fn left_out(subject: &str, message: &str, remedy: &str) -> Note {
    Note {
        kind: NoteKind::LeftOut,
        subject: subject.into(),
        message: message.into(),
        remedy: remedy.into(),
    }
}
