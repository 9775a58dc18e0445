//! Queries of the schema's author: their types as the database knows them, and the functions that
//! they become.

use bytes::BytesMut;
use catalog::builder::NewField;
use catalog::{
    Argument, ArgumentType, EntityId, EntityKind, RowModel, StatementPart, WrittenPart,
    WrittenProblem, WrittenQueries, WrittenQuery,
};
use rustc_hash::FxHashMap;
use sql::{
    Alias, Call, CallArgument, Expression, Flavor, FromItem, Identifier, Join, JoinKind, Parameter,
    Select, SelectItem, SqlType, TableName, WrittenPart as QueryPart,
};
use tokio_postgres::types::{IsNull, Kind, ToSql, Type};
use tokio_postgres::{Client, Error};

use super::ArgumentOids;
use super::fill::Fill;

/// The end of a type that is the one of a column, as in PL/pgSQL.
const OF_COLUMN: &str = "%TYPE";

/// What the database says of an author's queries.
#[derive(Default)]
pub(super) struct DescribedQueries<'q> {
    queries: Option<&'q WrittenQueries>,
    /// The types of the names that the queries have; 0 if there is none.
    types: FxHashMap<&'q str, u32>,
    /// Of each query the types of its model's fields, or the database's objection. `None` if a type
    /// is unknown.
    columns: Vec<Option<Result<Vec<u32>, String>>>,
}

impl DescribedQueries<'_> {
    /// All types of the queries.
    pub(super) fn types(&self) -> impl Iterator<Item = u32> {
        let columns = self.columns.iter().flatten().flatten().flatten();
        self.types.values().chain(columns).copied().filter(|oid| *oid != 0)
    }

    fn r#type(&self, name: &str) -> Option<u32> {
        self.types.get(name).copied().filter(|oid| *oid != 0)
    }
}

/// Asks the database for the types of the queries. Nothing is executed.
pub(super) async fn describe<'q>(
    client: &Client,
    queries: &'q WrittenQueries,
) -> Result<DescribedQueries<'q>, Error> {
    let mut described = DescribedQueries { queries: Some(queries), ..Default::default() };
    let fields = queries.models.iter().flat_map(|model| &model.fields).map(|field| &*field.r#type);
    let arguments = queries.queries.iter().flat_map(|query| &query.arguments);
    for name in fields.chain(arguments.map(|argument| &*argument.r#type)) {
        if !described.types.contains_key(name) {
            let oid = find_type(client, name).await?;
            described.types.insert(name, oid);
        }
    }
    for query in &queries.queries {
        let model = &queries.models[query.model];
        let known = |name: &str| described.r#type(name);
        let has_fields = model.fields.iter().all(|field| known(&field.r#type).is_some());
        let arguments = query.arguments.iter().map(|argument| known(&argument.r#type));
        let arguments: Option<Vec<u32>> = arguments.collect();
        let columns = match arguments {
            Some(arguments) if has_fields => Some(columns(client, model, query, &arguments).await?),
            Some(_) | None => None,
        };
        described.columns.push(columns);
    }
    Ok(described)
}

/// The type of a name; 0 if there is none.
async fn find_type(client: &Client, name: &str) -> Result<u32, Error> {
    if let Some(column) = name.strip_suffix(OF_COLUMN) {
        return find_column_type(client, column).await;
    }
    let statement = "select coalesce(pg_catalog.to_regtype($1)::oid, 0)";
    let found = client.query_typed(statement, &[(&name, Type::TEXT)]).await;
    match found {
        Ok(rows) => rows.first().map_or(Ok(0), |row| row.try_get(0)),
        // The name is none of the language.
        Err(error) if error.as_db_error().is_some() => Ok(0),
        Err(error) => Err(error),
    }
}

/// The type of a column, written as its table and its name; 0 if there is none.
async fn find_column_type(client: &Client, column: &str) -> Result<u32, Error> {
    let statement = include_str!("column_type.sql");
    match client.query_typed(statement, &[(&column, Type::TEXT)]).await {
        Ok(rows) => rows.first().map_or(Ok(0), |row| row.try_get(0)),
        Err(error) if error.as_db_error().is_some() => Ok(0),
        Err(error) => Err(error),
    }
}

/// The types of the model's fields in the rows of a query, or the database's objection.
async fn columns(
    client: &Client,
    model: &RowModel,
    query: &WrittenQuery,
    arguments: &[u32],
) -> Result<Result<Vec<u32>, String>, Error> {
    let statement = describing(model, query);
    let arguments: Vec<Type> = arguments.iter().copied().map(of_oid).collect();
    let parameters: Vec<(&(dyn ToSql + Sync), Type)> =
        arguments.into_iter().map(|r#type| (&Null as &(dyn ToSql + Sync), r#type)).collect();
    match client.query_typed(&statement, &parameters).await {
        Ok(rows) => {
            let Some(row) = rows.first() else { return Ok(Ok(Vec::new())) };
            let types = (0..model.fields.len()).map(|place| row.try_get(place));
            types.collect::<Result<_, _>>().map(Ok)
        }
        Err(error) => match error.as_db_error() {
            // The alias is that of the statement which describes the query.
            Some(refused) => Ok(Err(refused.message().replace("column t1.", "column "))),
            None => Err(error),
        },
    }
}

/// A statement of one row with the types of the model's fields. The condition that is never true
/// keeps the database from executing the query.
fn describing(model: &RowModel, query: &WrittenQuery) -> String {
    let (once, rows) = (Alias(0), Alias(1));
    let catalog = |name: &str| TableName {
        schema: Some(Identifier("pg_catalog".into())),
        name: Identifier(name.into()),
    };
    let parts = query.parts.iter().filter_map(|part| match part {
        StatementPart::Text(text) => Some(QueryPart::Text(text.clone())),
        StatementPart::Argument(place) => {
            Some(QueryPart::Value(Expression::Parameter(Parameter(*place))))
        }
        // They are parts of other languages.
        StatementPart::Claims | StatementPart::Name(_) | StatementPart::Nothing(_) => None,
    });
    let item = FromItem::Written { parts: parts.collect(), alias: rows };
    let mut row = Select::once();
    row.items.push(SelectItem { expression: Expression::Number(1), name: None });
    let mut select = Select::from(FromItem::Subquery { select: Box::new(row), alias: once });
    select.joins.push(Join { kind: JoinKind::Left(Expression::Boolean(false)), item });
    let items = model.fields.iter().map(|field| {
        let value = Expression::named(rows, &field.name);
        let arguments = vec![CallArgument { name: None, value }];
        let of = Expression::Call(Call { function: catalog("pg_typeof"), arguments });
        let r#type = SqlType::Named(catalog("oid"));
        SelectItem { expression: Expression::Cast { expression: Box::new(of), r#type }, name: None }
    });
    select.items = items.collect();
    sql::print(&select, &Flavor::POSTGRES)
}

/// A type that is only named by its number.
fn of_oid(oid: u32) -> Type {
    Type::new(String::new(), oid, Kind::Simple, String::new())
}

/// Null of any type.
#[derive(Debug)]
struct Null;

impl ToSql for Null {
    fn to_sql(
        &self,
        _: &Type,
        _: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        Ok(IsNull::Yes)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    tokio_postgres::types::to_sql_checked!();
}

impl Fill<'_> {
    /// Adds the entities and functions of an author's queries.
    pub(super) fn written(&mut self, described: &DescribedQueries<'_>) {
        let Some(queries) = described.queries else { return };
        let models: Vec<EntityId> =
            (0..queries.models.len()).map(|place| self.model(queries, place, described)).collect();
        for (place, query) in queries.queries.iter().enumerate() {
            self.query((place, query), &models, queries, described);
        }
    }

    fn model(
        &mut self,
        queries: &WrittenQueries,
        place: usize,
        described: &DescribedQueries<'_>,
    ) -> EntityId {
        let model = &queries.models[place];
        let entity = self.builder.entity(
            None,
            model.name.clone(),
            EntityKind::Model,
            model.description.clone(),
        );
        self.physical_rows.push(0);
        for (number, field) in model.fields.iter().enumerate() {
            let Some(oid) = described.r#type(&field.r#type) else {
                let part = WrittenPart::Field { model: place, field: number };
                self.refuse(part, unknown(&field.r#type));
                continue;
            };
            let subject = [&*model.name, ".", &*field.name].concat();
            let r#type = self.types.make_field(&mut self.builder, &subject, oid, -1);
            // A query may give texts of any collation.
            self.physical.push(self.types.physical(oid, -1, false));
            let field = NewField {
                name: field.name.clone(),
                r#type,
                nullable: field.nullable,
                has_default: false,
                generated: None,
                description: field.description.clone(),
            };
            self.builder.field(entity, field);
        }
        entity
    }

    fn query(
        &mut self,
        (place, query): (usize, &WrittenQuery),
        models: &[EntityId],
        queries: &WrittenQueries,
        described: &DescribedQueries<'_>,
    ) {
        let mut arguments = Vec::with_capacity(query.arguments.len());
        let mut oids = Vec::with_capacity(query.arguments.len());
        for (number, argument) in query.arguments.iter().enumerate() {
            let Some(oid) = described.r#type(&argument.r#type) else {
                let part = WrittenPart::Argument { query: place, argument: number };
                self.refuse(part, unknown(&argument.r#type));
                continue;
            };
            let subject = [&*query.name, ".", &*argument.name].concat();
            let r#type = self.types.make_field(&mut self.builder, &subject, oid, -1);
            let r#type = ArgumentType::Value(r#type);
            arguments.push(Argument {
                name: Some(argument.name.clone()),
                r#type,
                has_default: false,
            });
            oids.push(ArgumentOids { oid, array_oid: self.types.array(oid) });
        }
        let columns = match described.columns.get(place) {
            Some(Some(Ok(columns))) => columns,
            Some(Some(Err(message))) => {
                let message = ["PostgreSQL refuses the query: ", message, "."].concat();
                return self.refuse(WrittenPart::Query(place), message);
            }
            // The unknown type is told.
            Some(None) | None => return,
        };
        let mut is_alike = true;
        for (field, actual) in queries.models[query.model].fields.iter().zip(columns) {
            let declared = described.r#type(&field.r#type).unwrap_or_default();
            let base = |oid| self.types.without_domains(oid, -1).0;
            if base(declared) == base(*actual) {
                continue;
            }
            let (declared, actual) = (self.types.name(declared), self.types.name(*actual));
            let message = format!(
                "The field `{}` is of the type `{declared}` in the logical model, and of `{actual}` \
                 in the rows of the query. Cast it in the query, or change the model.",
                field.name
            );
            self.refuse(WrittenPart::Query(place), message);
            is_alike = false;
        }
        if !is_alike {
            return;
        }
        self.physical_arguments.push(oids);
        self.builder.written_query(query, arguments, models[query.model]);
    }

    fn refuse(&mut self, part: WrittenPart, message: String) {
        self.builder.written_problem(WrittenProblem { part, message: message.into() });
    }
}

fn unknown(name: &str) -> String {
    format!("The database has no type `{name}`.")
}
