//! Functions: fields of the root, and computed columns.

use catalog::{
    Argument, ArgumentType, Catalog, EntityId, Function, FunctionResult, Note, NoteKind, Type,
};
use graphql::schema::{FieldDefinition, InputDefinition, TypeId, TypeRef};
use rustc_hash::FxHashMap;

use super::aggregate_computed::{self, Computed};
use super::api_types::{ComputedValue, RowInput};
use super::arguments::{self, Collection};
use super::build::Build;
use super::claims::{Claimant, Claims};
use super::entity::{Served, column_binding, rows_of};
use super::filter;
use super::function_results::{self as results, FunctionOutput, OutputForm};
use super::mutations::inputs as row_inputs;
use super::tags::deprecation;
use super::types::value_type;
use api::binding::{
    ArgumentBinding, ArgumentRole, CallBinding, ComputedBinding, FieldBinding, InputBinding,
    RowsBinding, RowsForm, RowsFrom,
};

/// The position of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role<'a> {
    Query,
    /// A field of the rows of a table, named by the rest of the function's name.
    Computed(EntityId, &'a str),
}

/// True if a row is the only required argument.
fn is_callable_alone(function: &Function) -> bool {
    function.arguments.iter().skip(1).all(|argument| argument.has_default)
}

/// The input of a function's argument.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) definition: InputDefinition,
    pub(super) binding: ArgumentBinding,
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
            // Reported with the fields of rows.
            Some(Ok(Role::Computed(..)) | Err(_)) | None => {}
        }
    }
}

/// Adds the functions that are fields of rows, and notes for functions without a position.
pub(super) fn add_computed(build: &mut Build<'_>, served: &mut [Served<'_>]) {
    for function in build.catalog.functions() {
        match role(build, function) {
            Some(Ok(role @ Role::Computed(entity, _))) => {
                let Some(place) = build.places.get(&entity).copied() else { continue };
                let Some(one) = served.get_mut(place) else { continue };
                let Some(types) = one.types else { continue };
                // Taken out while the fields of other tables are read.
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

/// The computed values of the rows of each table, in the order of the source.
pub(super) fn computed_values(build: &mut Build<'_>) -> FxHashMap<EntityId, Vec<ComputedValue>> {
    let mut values: FxHashMap<EntityId, Vec<ComputedValue>> = FxHashMap::default();
    for function in build.catalog.functions() {
        let Some(Ok(Role::Computed(entity, rest))) = role(build, function) else { continue };
        let FunctionResult::Value(field) = function.result else { continue };
        if !is_callable_alone(function) {
            continue;
        }
        let r#type = &build.catalog[field].r#type;
        if let Type::Composite(_) = build.catalog.base_type(r#type) {
            continue;
        }
        let Some(value) = value_type(build, r#type) else { continue };
        build.api.bind_column(field, column_binding(Some(&value)));
        let name = build.computed_name(function.id, rest, false);
        let is_list = matches!(build.catalog.base_type(r#type), Type::List(_));
        let computed = ComputedValue { function: function.id, name, field, value, is_list };
        values.entry(entity).or_default().push(computed);
    }
    values
}

/// The position of a function; `None` if it is not for reading.
fn role<'a>(build: &Build<'_>, function: &'a Function) -> Option<Result<Role<'a>, Note>> {
    if !function.only_reads() || !build.offers_function(function.id) {
        return None;
    }
    let subject = subject(build, function);
    let mut types = function.arguments.iter().map(|argument| &argument.r#type);
    let first = types.next();
    if types.any(|r#type| is_stored_row(build.catalog, r#type)) {
        return Some(Err(takes_a_row(&subject)));
    }
    let of = |namespace: &Option<Box<str>>, name: &str| {
        let rest = function.name.strip_prefix(name)?.strip_prefix('_')?;
        (*namespace == function.namespace).then_some(rest)
    };
    Some(match first {
        Some(ArgumentType::Row(entity)) => {
            let table = &build.catalog[*entity];
            match of(&table.namespace, &table.name) {
                Some(rest) => Ok(Role::Computed(*entity, rest)),
                None => Err(takes_a_row(&subject)),
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
        _ => Ok(Role::Query),
    })
}

/// True if an argument is a row of a table or view.
fn is_stored_row(catalog: &Catalog, argument: &ArgumentType) -> bool {
    matches!(argument, ArgumentType::Row(entity) if catalog[*entity].kind.is_stored())
}

/// As in PostGraphile, which has such functions only as columns of the row.
fn takes_a_row(subject: &str) -> Note {
    left_out(
        subject,
        "it only reads and takes a row, of which fields of the query are not given one.",
        "take the row alone, first, and be called as its table, an underscore and a name, in the \
         same schema; or take the row's key.",
    )
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
    let names_of_inputs = names_of_arguments(build, function);
    let inputs = inputs(build, served, function, usize::from(is_computed), names_of_inputs);
    let inputs = match inputs {
        Ok(inputs) => inputs,
        Err(note) => return build.note(note),
    };
    let Some(names) = claim_names(build, function, role, &subject, names) else { return };
    let gives = match results::gives(build, served, function, &subject, &names.first) {
        Ok(gives) => gives,
        // The tag names the types of the function, not the columns of its records.
        Err(note) if *note.subject == *subject => {
            return build.note_with(note, |build| build.rename_function(function, "name"));
        }
        Err(note) => return build.note(note),
    };
    let arguments = inputs.iter().map(|input| input.binding).collect();
    build.api.bind_call(function.id, CallBinding { arguments, ..CallBinding::default() });
    let FunctionOutput {
        row,
        item,
        connection,
        entity,
        shown,
        description: description_of_set,
        columns,
    } = gives;
    let filter = match (&shown, entity) {
        (OutputForm::Set, Some(entity)) => {
            let row_name = build.api.schema()[row.base].name.clone();
            filter::functions::argument_of_set(build, served, entity, &row_name, &columns)
        }
        _ => None,
    };
    let annotated = build.annotations.function(function.id);
    let description = annotated.description.as_deref().map(Into::into);
    let description: Option<Box<str>> = description.or(description_of_set.map(Into::into));
    let deprecated = deprecation(&annotated.tags);
    let not_null = annotated.tags.has("notNull");
    // The rows of a table may be sorted and filtered at every position.
    let table = entity.and_then(|entity| served.get(*build.places.get(&entity)?));
    let add_field = |build: &mut Build<'_>, name: &str, r#type: TypeRef, binding, paged| {
        let definition = FieldDefinition {
            description: description.as_deref().map(Into::into),
            deprecated: deprecated.clone(),
            ..FieldDefinition::new(name, r#type.non_null_if(not_null))
        };
        let field = build.api.add_field(parent, definition, binding);
        for Input { definition, binding } in &inputs {
            let binding = InputBinding::lenient(ArgumentRole::Call(*binding));
            build.api.add_argument(field, definition.clone(), binding);
        }
        if let Some(collection) = paged {
            arguments::add_page_of_function(build, field, collection);
            if let Some(one) = table {
                let tags = build.function_tags(function.id);
                if tags.has("sortable") {
                    arguments::add_order(build, field, None, one);
                }
                if tags.has("filterable") {
                    arguments::add_condition(build, field, one);
                }
            }
            if let Some((r#type, binding)) = &filter {
                arguments::add_filter_of(build, field, *r#type, binding.clone());
            }
        }
    };
    let rows = |entity, form| {
        let from = RowsFrom::Function { function: function.id, of_row: is_computed };
        FieldBinding::Rows(RowsBinding { from, entity, form, default_limit: None })
    };
    match (shown, entity) {
        (OutputForm::Value { value, form }, _) => {
            let (function, external) = (function.id, Vec::new());
            let computed = ComputedBinding { function, of_row: is_computed, value, form, external };
            add_field(build, &names.first, row, FieldBinding::Computed(Box::new(computed)), None);
        }
        (OutputForm::Row, Some(entity)) => {
            add_field(build, &names.first, row, rows(entity, RowsForm::Single), None);
        }
        (OutputForm::Array, Some(entity)) => {
            add_field(build, &names.first, row.list(), rows(entity, RowsForm::List), None);
        }
        (OutputForm::Set, Some(entity)) => {
            if let (Some(name), Some(connection)) = (&names.connection, connection) {
                let r#type = TypeRef::named(connection).non_null_if(is_computed);
                let binding = rows(entity, RowsForm::Connection);
                add_field(build, name, r#type, binding, Some(Collection::Connection));
            }
            if let Some(name) = &names.list {
                let binding = rows(entity, RowsForm::List);
                add_field(build, name, item.list(), binding, Some(Collection::List));
            }
        }
        (OutputForm::Row | OutputForm::Array | OutputForm::Set, None) => {}
    }
    if let (Role::Computed(entity, _), false) = (role, gives_set(function)) {
        let one = build.places.get(&entity).and_then(|place| served.get(*place));
        let computed = Computed {
            function,
            name: &names.first,
            inputs: &inputs,
            description: description.as_deref(),
            deprecated: deprecated.as_deref(),
            not_null,
        };
        if let Some(one) = one {
            aggregate_computed::add(build, one, &subject, &computed);
        }
    }
}

/// The names of the fields of one function.
struct Names {
    /// The name of the first of them.
    first: String,
    /// Those of a set, if it has them.
    connection: Option<String>,
    list: Option<String>,
}

/// Takes the names of the fields; `None` if there is none.
fn claim_names(
    build: &mut Build<'_>,
    function: &Function,
    role: Role<'_>,
    subject: &str,
    names: &mut Claims,
) -> Option<Names> {
    let tag = match role {
        Role::Query => "name",
        Role::Computed(..) => "fieldName",
    };
    let mut claim = |build: &mut Build<'_>, name: String| match names
        .claim(&name, Claimant { subject, what: "field" })
    {
        Ok(()) => Some(name),
        Err(note) => {
            build.note_with(note, |build| build.rename_function(function, tag));
            None
        }
    };
    let first = name(build, function, role);
    if !gives_set(function) {
        return Some(Names { first: claim(build, first)?, connection: None, list: None });
    }
    let collections = build.function_collections(function.id);
    let connection = if collections.has_connections() { claim(build, first.clone()) } else { None };
    let list = list_name(build, function, role);
    let list = if collections.has_lists() { claim(build, list) } else { None };
    (connection.is_some() || list.is_some()).then_some(Names { first, connection, list })
}

/// The inputs of a function, rows as well as values, except for the first `skipped` arguments;
/// `names` are taken already.
pub(super) fn inputs(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    function: &Function,
    skipped: usize,
    mut names: Claims,
) -> Result<Vec<Input>, Note> {
    let subject = subject(build, function);
    let mut inputs = Vec::new();
    for (place, argument) in function.arguments.iter().enumerate().skip(skipped) {
        let number = place - skipped;
        let name = build.inflection.argument(argument.name.as_deref(), number);
        names.claim(&name, Claimant { subject: &subject, what: "argument" })?;
        let input = input_type(build, served, function, argument, number);
        let (Some(input), Ok(place)) = (input, u16::try_from(place)) else {
            return Err(left_out(
                &subject,
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

/// The type of an argument, by its index among the inputs.
fn input_type(
    build: &mut Build<'_>,
    served: &[Served<'_>],
    function: &Function,
    argument: &Argument,
    number: usize,
) -> Option<TypeRef> {
    let (entity, is_list) = match &argument.r#type {
        ArgumentType::Row(entity) => (*entity, false),
        ArgumentType::Value(r#type) => match rows_of(r#type) {
            Some((entity, form)) => (entity, form == RowsForm::List),
            None => return value_type(build, r#type).and_then(|value| value.input),
        },
    };
    let one = served.get(*build.places.get(&entity)?)?;
    let name = argument.name.as_deref().unwrap_or_default();
    let row = match build.function_tags(function.id).text(&format!("arg{number}variant")) {
        Some("patch") => RowInput::Patch,
        Some("base") => RowInput::Base,
        None if name.ends_with("_patch") || name.ends_with("Patch") => RowInput::Patch,
        Some(_) | None => RowInput::Create,
    };
    let r#type = TypeRef::named(row_inputs::of_rows(build, served, one, row)?);
    Some(if is_list { r#type.list() } else { r#type })
}

/// The names that a function's arguments cannot have.
fn names_of_arguments(build: &Build<'_>, function: &Function) -> Claims {
    let mut names = Claims::default();
    if gives_set(function) {
        for name in ["first", "last", "offset", "before", "after"] {
            names.reserve(name, "an argument of every set");
        }
        if build.options.connection_filter.is_some() {
            names.reserve("filter", "an argument of sets");
        }
    }
    names
}

/// The field of the function's result, a set as a connection.
fn name(build: &Build<'_>, function: &Function, role: Role<'_>) -> String {
    let is_set = gives_set(function);
    match role {
        Role::Query => build.query_name(function.id, is_set),
        Role::Computed(_, rest) => build.computed_name(function.id, rest, is_set),
    }
}

/// The field of a set as a list.
fn list_name(build: &Build<'_>, function: &Function, role: Role<'_>) -> String {
    match role {
        Role::Query => build.query_list_name(function.id),
        Role::Computed(_, rest) => build.computed_list_name(function.id, rest),
    }
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

/// The object to rename: `public.add_numbers()`.
pub(super) fn subject(build: &Build<'_>, function: &Function) -> String {
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
