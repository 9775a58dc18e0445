//! Functions of metadata in terms of the catalog.

use catalog::{
    Argument, ArgumentType, Catalog, EntityId, FieldId, Function as SourceFunction, FunctionId,
    FunctionResult, Note,
};
use graphql::schema::is_name;
use hasura_metadata::types::function::{ComputedField, ExposedAs, Function};
use hasura_metadata::types::name::{NameParts, QualifiedName};
use hasura_metadata::types::source::Source;
use hasura_metadata::types::table::Table;
use hasura_metadata::{Problem, ProblemKind};

use super::super::collision::left_out;
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
    pub(crate) arguments: Vec<FunctionArgument>,
}

/// A field of the rows of a table that a function computes.
#[derive(Debug)]
pub(crate) struct TrackedComputed<'m> {
    pub(crate) tracked: &'m ComputedField,
    pub(crate) function: FunctionId,
    pub(crate) result: ComputedResult,
    pub(crate) arguments: Vec<FunctionArgument>,
}

/// The result of a computed field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComputedResult {
    /// A value: the only field of the function's own entity.
    Value(FieldId),
    /// A set of rows of a table.
    Rows(EntityId),
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
    found: &mut (Vec<Note>, Vec<Problem>),
) -> Vec<TrackedFunction<'m>> {
    let mut tracked = Vec::new();
    for one in &source.functions {
        match function(catalog, one, tables) {
            Ok(function) => tracked.push(function),
            Err(Unserved::Note(note)) => found.0.push(note),
            Err(Unserved::Problem(problem)) => found.1.push(problem),
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
    found: &mut (Vec<Note>, Vec<Problem>),
) -> Vec<TrackedComputed<'m>> {
    let mut tracked = Vec::new();
    for one in &table.computed_fields {
        match computed(catalog, entity, one, tables) {
            Ok(computed) => tracked.push(computed),
            Err(Unserved::Note(note)) => found.0.push(note),
            Err(Unserved::Problem(problem)) => found.1.push(problem),
        }
    }
    tracked
}

/// Why a function of the metadata is not in the API.
enum Unserved {
    /// Hasura serves it.
    Note(Note),
    /// The metadata is wrong.
    Problem(Problem),
}

impl From<Problem> for Unserved {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

fn wrong(name: &QualifiedName, message: String) -> Problem {
    Problem { kind: ProblemKind::WrongValue, place: name.place.clone(), message }
}

fn function<'m>(
    catalog: &Catalog,
    tracked: &'m Function,
    tables: &[EntityId],
) -> Result<TrackedFunction<'m>, Unserved> {
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
            return Err(wrong(name, message).into());
        }
    };
    let is_mutation = match tracked.configuration.exposed_as {
        Some(exposed_as) => exposed_as == ExposedAs::Mutation,
        None => !function.only_reads(),
    };
    if is_mutation {
        let message = "it is a mutation, and functions are served as queries only.";
        let remedy = "let it be STABLE, or write `exposed_as: query`, if it changes nothing.";
        return Err(Unserved::Note(left_out(&subject, message, remedy)));
    }
    refuse_session(tracked.configuration.session_argument.is_some(), &subject)?;
    let arguments = arguments(catalog, function, None, name)?;
    Ok(TrackedFunction { tracked, function: function.id, entity, is_set, arguments })
}

fn computed<'m>(
    catalog: &Catalog,
    entity: EntityId,
    tracked: &'m ComputedField,
    tables: &[EntityId],
) -> Result<TrackedComputed<'m>, Unserved> {
    let definition = &tracked.definition;
    let name = &definition.function;
    let function = find_function(catalog, name)?;
    let subject = catalog.function_name(function.id);
    let table = || catalog.qualified_name(entity);
    if !function.only_reads() {
        let message = format!("The function {subject} is VOLATILE: let it be STABLE.");
        return Err(wrong(name, message).into());
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
        return Err(wrong(name, message).into());
    }
    let own = own.unwrap_or_default();
    let is_row = |argument: &Argument| matches!(argument.r#type, ArgumentType::Row(_));
    if function.arguments.iter().take(own).any(is_row) {
        let message = format!(
            "An argument of the function {subject} before that of the row is a row as well. Change \
             the order of the arguments."
        );
        return Err(wrong(name, message).into());
    }
    refuse_session(definition.session_argument.is_some(), &subject)?;
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
            return Err(wrong(name, message).into());
        }
    };
    let arguments = arguments(catalog, function, Some(own), name)?;
    Ok(TrackedComputed { tracked, function: function.id, result, arguments })
}

/// A function with an argument for the session would get another one in its place.
fn refuse_session(has_session: bool, subject: &str) -> Result<(), Unserved> {
    if !has_session {
        return Ok(());
    }
    let message = "its argument for session variables is not served yet.";
    Err(Unserved::Note(left_out(subject, message, "serve it without the argument.")))
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
    let known = || catalog.functions().filter(|function| function.statement.is_none());
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

/// The arguments that clients give: all but that of the row.
fn arguments(
    catalog: &Catalog,
    function: &SourceFunction,
    own: Option<usize>,
    name: &QualifiedName,
) -> Result<Vec<FunctionArgument>, Problem> {
    let mut arguments = Vec::new();
    for (place, argument) in (0u16..).zip(&function.arguments) {
        if own == Some(usize::from(place)) {
            continue;
        }
        let subject = catalog.function_name(function.id);
        let text = match &argument.name {
            Some(name) => String::from(&**name),
            None => format!("arg_{}", usize::from(place) + 1),
        };
        if !is_name(&text) || arguments.iter().any(|known: &FunctionArgument| known.name == text) {
            let message =
                format!("The argument {text:?} of {subject} has no name of its own in GraphQL.");
            return Err(wrong(name, message));
        }
        arguments.push(FunctionArgument { name: text, place });
    }
    Ok(arguments)
}
