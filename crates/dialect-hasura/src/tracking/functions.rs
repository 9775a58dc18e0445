//! Functions of metadata in terms of the catalog.

use catalog::{
    Argument, ArgumentType, Catalog, EntityId, FieldId, Function as SourceFunction, FunctionId,
    FunctionResult, Scalar, Type,
};
use graphql::schema::is_name;
use hasura_metadata::types::function::{ComputedField, ExposedAs, Function};
use hasura_metadata::types::name::{Name, NameParts, QualifiedName};
use hasura_metadata::types::source::Source;
use hasura_metadata::types::table::Table;
use hasura_metadata::{Problem, ProblemKind};

use super::{missing, namespace, remedy};

/// A function that is a field of the root.
#[derive(Debug)]
pub(crate) struct TrackedFunction<'m> {
    pub(crate) tracked: &'m Function,
    pub(crate) function: FunctionId,
    /// The table of its rows.
    pub(crate) entity: EntityId,
    /// True if it returns a set of rows; if not, one row or none.
    pub(crate) is_set: bool,
    /// True if it is a field of mutations.
    pub(crate) is_mutation: bool,
    pub(crate) arguments: FunctionArguments,
}

/// A field of the rows of a table that a function computes.
#[derive(Debug)]
pub(crate) struct TrackedComputed<'m> {
    pub(crate) tracked: &'m ComputedField,
    pub(crate) function: FunctionId,
    pub(crate) result: ComputedResult,
    pub(crate) arguments: FunctionArguments,
}

/// The result of a computed field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComputedResult {
    /// A value: the only field of the function's own entity.
    Value(FieldId),
    /// A set of rows of a table.
    Rows(EntityId),
}

/// The arguments of a function.
#[derive(Debug)]
pub(crate) struct FunctionArguments {
    /// Those that clients give.
    pub(crate) given: Vec<FunctionArgument>,
    /// The index of the one that receives the session variables.
    pub(crate) session: Option<u16>,
}

/// An argument that clients give.
#[derive(Debug)]
pub(crate) struct FunctionArgument {
    pub(crate) name: String,
    /// Its index in the function's arguments.
    pub(crate) place: u16,
}

/// The functions of a source that are fields of the root.
pub(super) fn functions<'m>(
    catalog: &Catalog,
    source: &'m Source,
    tables: &[EntityId],
    problems: &mut Vec<Problem>,
) -> Vec<TrackedFunction<'m>> {
    let mut tracked = Vec::new();
    for one in &source.functions {
        match function(catalog, one, tables) {
            Ok(function) => tracked.push(function),
            Err(problem) => problems.push(problem),
        }
    }
    tracked
}

/// The computed fields of a table.
pub(super) fn computed_fields<'m>(
    catalog: &Catalog,
    entity: EntityId,
    table: &'m Table,
    tables: &[EntityId],
    problems: &mut Vec<Problem>,
) -> Vec<TrackedComputed<'m>> {
    let mut tracked = Vec::new();
    for one in &table.computed_fields {
        match computed(catalog, entity, one, tables) {
            Ok(computed) => tracked.push(computed),
            Err(problem) => problems.push(problem),
        }
    }
    tracked
}

fn wrong(name: &QualifiedName, message: String) -> Problem {
    Problem { kind: ProblemKind::WrongValue, place: name.place.clone(), message }
}

fn function<'m>(
    catalog: &Catalog,
    tracked: &'m Function,
    tables: &[EntityId],
) -> Result<TrackedFunction<'m>, Problem> {
    let name = &tracked.function;
    let function = find_function(catalog, name)?;
    let subject = catalog.function_name(function.id);
    let (entity, is_set) = match function.result {
        FunctionResult::Rows(entity) if tables.contains(&entity) => (entity, true),
        FunctionResult::Row(entity) if tables.contains(&entity) => (entity, false),
        FunctionResult::Nothing
        | FunctionResult::Value(_)
        | FunctionResult::Values(_)
        | FunctionResult::Row(_)
        | FunctionResult::Rows(_)
        | FunctionResult::RowArray(_) => {
            let message = format!(
                "The function {subject} does not return rows of a tracked table. Track its table, or \
                 untrack the function."
            );
            return Err(wrong(name, message));
        }
    };
    let is_mutation = match tracked.configuration.exposed_as {
        Some(exposed_as) => exposed_as == ExposedAs::Mutation,
        None => !function.only_reads(),
    };
    if is_mutation && function.only_reads() {
        let message = format!(
            "The function {subject} is exposed as a mutation, and is not VOLATILE. Let it be \
             VOLATILE, or remove `exposed_as`."
        );
        return Err(wrong(name, message));
    }
    let session = tracked.configuration.session_argument.as_ref();
    let arguments = arguments(catalog, function, None, session, name)?;
    Ok(TrackedFunction { tracked, function: function.id, entity, is_set, is_mutation, arguments })
}

fn computed<'m>(
    catalog: &Catalog,
    entity: EntityId,
    tracked: &'m ComputedField,
    tables: &[EntityId],
) -> Result<TrackedComputed<'m>, Problem> {
    let definition = &tracked.definition;
    let name = &definition.function;
    let function = find_function(catalog, name)?;
    let subject = catalog.function_name(function.id);
    let table = || catalog.qualified_name(entity);
    if !function.only_reads() {
        let message = format!("The function {subject} is VOLATILE: let it be STABLE.");
        return Err(wrong(name, message));
    }
    let own = match &definition.table_argument {
        None => Some(0),
        Some(wanted) => {
            let mut all = function.arguments.iter();
            all.position(|argument| argument.name.as_deref() == Some(&**wanted))
        }
    };
    let row = own.and_then(|own| function.arguments.get(own));
    if row.is_none_or(|row| row.r#type != ArgumentType::Row(entity)) {
        let written = match &definition.table_argument {
            None => "first argument".to_owned(),
            Some(wanted) => format!("argument `{}`", wanted.text),
        };
        let message = format!(
            "The {written} of the function {subject} is no row of {}. Write another \
             `table_argument`, or change the function.",
            table()
        );
        return Err(wrong(name, message));
    }
    let own = own.unwrap_or_default();
    let is_row = |argument: &Argument| matches!(argument.r#type, ArgumentType::Row(_));
    if function.arguments.iter().take(own).any(is_row) {
        let message = format!(
            "An argument of the function {subject} before that of the row is a row as well. Change \
             the order of the arguments."
        );
        return Err(wrong(name, message));
    }
    let result = match function.result {
        FunctionResult::Value(field) => ComputedResult::Value(field),
        FunctionResult::Rows(entity) if tables.contains(&entity) => ComputedResult::Rows(entity),
        FunctionResult::Nothing
        | FunctionResult::Values(_)
        | FunctionResult::Row(_)
        | FunctionResult::Rows(_)
        | FunctionResult::RowArray(_) => {
            let message = format!(
                "The function {subject} returns neither a value nor a set of rows of a tracked table. \
                 Track its table, or remove the computed field."
            );
            return Err(wrong(name, message));
        }
    };
    let session = definition.session_argument.as_ref();
    let arguments = arguments(catalog, function, Some(own), session, name)?;
    Ok(TrackedComputed { tracked, function: function.id, result, arguments })
}

fn find_function<'c>(
    catalog: &'c Catalog,
    name: &QualifiedName,
) -> Result<&'c SourceFunction, Problem> {
    let NameParts::InSchema { schema, name: text } = &name.parts else {
        return Err(missing(
            &name.place,
            format!("`{}` is no name of PostgreSQL.", name.sort_key()),
        ));
    };
    let namespace = namespace(catalog, schema);
    let known = || catalog.functions().filter(|function| function.namespace.is_some());
    let mut named = known()
        .filter(|function| function.namespace.as_deref() == namespace && *function.name == **text);
    match (named.next(), named.next()) {
        (Some(function), None) if function.callable => Ok(function),
        (Some(_), None) => {
            let message = format!(
                "The user of the connection may not call the function `{}`. Grant EXECUTE on it.",
                name.sort_key()
            );
            Err(missing(&name.place, message))
        }
        (None, _) => {
            let names: Vec<String> =
                known().map(|function| catalog.function_name(function.id)).collect();
            let written = name.sort_key();
            let remedy = remedy(&written, names.iter().map(String::as_str));
            let message = format!(
                "The function `{written}` does not exist, or has arguments of types that are not \
                 served. {remedy}"
            );
            Err(missing(&name.place, message))
        }
        (Some(_), Some(_)) => {
            let message = format!(
                "There are several functions `{}`, which their arguments tell apart. Rename one of \
                 them.",
                name.sort_key()
            );
            Err(missing(&name.place, message))
        }
    }
}

/// The arguments that clients give: all but the row, at `own`, and the session variables.
fn arguments(
    catalog: &Catalog,
    function: &SourceFunction,
    own: Option<usize>,
    session: Option<&Name>,
    name: &QualifiedName,
) -> Result<FunctionArguments, Problem> {
    let subject = catalog.function_name(function.id);
    let mut arguments = FunctionArguments { given: Vec::new(), session: None };
    let mut unnamed = 0;
    for (place, argument) in (0u16..).zip(&function.arguments) {
        if own == Some(usize::from(place)) {
            continue;
        }
        if let Some(session) = session
            && argument.name.as_deref() == Some(&**session)
        {
            require_json(&argument.r#type, session, &subject)?;
            arguments.session = Some(place);
            continue;
        }
        let text = match &argument.name {
            Some(name) => String::from(&**name),
            None => {
                unnamed += 1;
                format!("arg_{unnamed}")
            }
        };
        let mut given = arguments.given.iter();
        if !is_name(&text) || given.any(|known: &FunctionArgument| known.name == text) {
            let message =
                format!("The argument {text:?} of {subject} has no name of its own in GraphQL.");
            return Err(wrong(name, message));
        }
        arguments.given.push(FunctionArgument { name: text, place });
    }
    match session {
        Some(session) if arguments.session.is_none() => {
            let named = function.arguments.iter();
            let named = named.filter_map(|argument| argument.name.as_deref());
            let remedy = remedy(session, named);
            let message = format!(
                "The function {subject} has no argument `{}` for the session variables. {remedy}",
                session.text
            );
            Err(missing(&session.place, message))
        }
        Some(_) | None => Ok(arguments),
    }
}

/// The argument for the session variables is of the type `json`.
fn require_json(r#type: &ArgumentType, session: &Name, subject: &str) -> Result<(), Problem> {
    if *r#type == ArgumentType::Value(Type::Scalar(Scalar::Json)) {
        return Ok(());
    }
    let message = format!(
        "The argument `{}` of the function {subject} is not of the type `json`. Change the function.",
        session.text
    );
    Err(Problem { kind: ProblemKind::WrongValue, place: session.place.clone(), message })
}
