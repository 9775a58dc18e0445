//! Queries of the schema's author: the functions that they become. SQLite prepares each of them, without
//! executing it.

use catalog::builder::NewField;
use catalog::{
    Argument, ArgumentType, Builder, EntityId, EntityKind, RowModel, StatementPart, Type,
    WrittenPart, WrittenProblem, WrittenQueries, WrittenQuery,
};
use rusqlite::{Connection, Error};
use sql::{
    Alias, Expression, Flavor, FromItem, Parameter, Select, SelectItem, WrittenPart as QueryPart,
};

use super::fill::storage;
use crate::declared::{Affinity, Declared, affinity, declared};

/// Adds the entities and functions of an author's queries.
pub(super) fn add(builder: &mut Builder, connection: &Connection, queries: &WrittenQueries) {
    let models: Vec<EntityId> =
        (0..queries.models.len()).map(|place| model(builder, queries, place)).collect();
    for place in 0..queries.queries.len() {
        query(builder, connection, (queries, place), &models);
    }
}

fn model(builder: &mut Builder, queries: &WrittenQueries, place: usize) -> EntityId {
    let model = &queries.models[place];
    let (name, description) = (model.name.clone(), model.description.clone());
    let entity = builder.entity(None, name, EntityKind::Model, description);
    for (number, field) in model.fields.iter().enumerate() {
        let Some(r#type) = find_type(&field.r#type) else {
            let part = WrittenPart::Field { model: place, field: number };
            refuse(builder, part, unknown(&field.r#type));
            continue;
        };
        let id = builder.field(
            entity,
            NewField {
                name: field.name.clone(),
                r#type,
                nullable: field.nullable,
                has_default: false,
                generated: None,
                description: field.description.clone(),
            },
        );
        builder.store(id, storage(affinity(&field.r#type)));
    }
    entity
}

fn query(
    builder: &mut Builder,
    connection: &Connection,
    (queries, place): (&WrittenQueries, usize),
    models: &[EntityId],
) {
    let query = &queries.queries[place];
    let model = &queries.models[query.model];
    let mut arguments = Vec::with_capacity(query.arguments.len());
    for (number, argument) in query.arguments.iter().enumerate() {
        let Some(r#type) = find_type(&argument.r#type) else {
            let part = WrittenPart::Argument { query: place, argument: number };
            return refuse(builder, part, unknown(&argument.r#type));
        };
        arguments.push(Argument {
            name: Some(argument.name.clone()),
            r#type: ArgumentType::Value(r#type),
            has_default: false,
        });
    }
    if model.fields.iter().any(|field| find_type(&field.r#type).is_none()) {
        // The unknown type is told.
        return;
    }
    let problem = match problem(connection, model, query) {
        Ok(problem) => problem.map(str::to_owned),
        Err(error) => Some(format!("SQLite refuses the query: {}.", message(&error))),
    };
    if let Some(problem) = problem {
        return refuse(builder, WrittenPart::Query(place), problem);
    }
    builder.written_query(query, arguments, models[query.model]);
}

/// What is wrong with a query. The types of its columns are not compared with those of the model: each
/// value of a column that is computed has its own.
fn problem(
    connection: &Connection,
    model: &RowModel,
    query: &WrittenQuery,
) -> Result<Option<&'static str>, Error> {
    let statement = connection.prepare(&describing(model, query))?;
    let has_own = statement.parameter_count() > query.arguments.len();
    Ok(has_own
        .then_some("The query has parameters of its own: write {{argument}} for an argument."))
}

/// A statement of the model's fields in the rows of a query.
fn describing(model: &RowModel, query: &WrittenQuery) -> String {
    let alias = Alias(0);
    let parts = query.parts.iter().filter_map(|part| match part {
        StatementPart::Text(text) => Some(QueryPart::Text(text.clone())),
        StatementPart::Argument(place) => {
            Some(QueryPart::Value(Expression::Parameter(Parameter(*place))))
        }
        // They are parts of other languages.
        StatementPart::Claims | StatementPart::Name(_) | StatementPart::Nothing(_) => None,
    });
    let mut select = Select::from(FromItem::Written { parts: parts.collect(), alias });
    let items = model
        .fields
        .iter()
        .map(|field| SelectItem { expression: Expression::named(alias, &field.name), name: None });
    select.items = items.collect();
    sql::print(&select, &Flavor::SQLITE)
}

/// The type of a name; `None` for a name that is none of SQL: SQLite takes any as a number.
fn find_type(name: &str) -> Option<Type> {
    match declared(name) {
        Declared::Untyped | Declared::ByAffinity(Affinity::Numeric) => None,
        known => Some(Type::Scalar(known.scalar())),
    }
}

fn message(error: &Error) -> String {
    match error {
        Error::SqlInputError { msg, .. } => msg.clone(),
        Error::SqliteFailure(_, Some(message)) => message.clone(),
        error => error.to_string(),
    }
}

fn unknown(name: &str) -> String {
    format!("`{name}` is no type of SQL.")
}

fn refuse(builder: &mut Builder, part: WrittenPart, message: String) {
    builder.written_problem(WrittenProblem { part, message: message.into() });
}
