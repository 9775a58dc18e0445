//! Databases of type definitions: `schema.graphql` or `datamodel.prisma` in a folder of `fixtures/databases`, with rows that
//! the mutation in `data.graphql` adds. It is not subject to the rules of `@auth`.

use std::sync::Arc;

use dialects::{Dialect, DialectName, dgraph, prisma};
use engine::schema_first::{ApplyMigrations, SchemaFirst};
use engine::{Allowed, Engine, OpenOptions, Options, SourceAddress, Worker};
use testkit::cases::{DefinedDatabase, DefinitionsKind};

use crate::sources::fixtures;

/// Makes the tables and adds the rows.
pub(crate) fn make(database: &DefinedDatabase<'_>) -> Result<(), String> {
    let address = SourceAddress::parse(database.address).map_err(|error| error.to_string())?;
    let dialect = match database.kind {
        DefinitionsKind::Dgraph => DialectName::Dgraph.dialect(),
        DefinitionsKind::Prisma => DialectName::Prisma.dialect(),
    };
    let mut options = Options {
        source: OpenOptions { namespaces: vec!["public".into()], ..OpenOptions::default() },
        ..Options::new(dialect, engine::PoolLimits::unshared(1))
    };
    define(&mut options, database.definitions, ApplyMigrations::First)?;
    remove_rules(&mut options);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let engine = Engine::open(&address, &options).await.map_err(|error| error.to_string())?;
        let Some(rows) = database.rows else { return Ok(()) };
        let body = serde_json::json!({ "query": rows }).to_string();
        let request = graphql::Request::from_json(body.as_bytes());
        let request = request.map_err(|error| error.message)?;
        let response = Worker::new(engine).execute(&request, Allowed::All).await;
        let text = String::from_utf8(response.body.into()).map_err(|error| error.to_string())?;
        match text.contains("\"errors\"") {
            true => Err(format!("data.graphql: {text}")),
            false => Ok(()),
        }
    })
}

/// Gives a schema-first dialect the definitions of a database, whose tables are there; others have
/// none.
pub(crate) fn set_definitions(options: &mut Options, database: &str) -> Result<(), String> {
    let name = match options.dialect {
        Dialect::Dgraph(_) => "schema.graphql",
        Dialect::Prisma(_) => "datamodel.prisma",
        _ => return Ok(()),
    };
    let file = fixtures().join("databases").join(database).join(name);
    if let Dialect::Prisma(dialect) = &mut options.dialect
        && !file.exists()
    {
        // Tables that no datamodel has made.
        dialect.is_introspected = true;
        return Ok(());
    }
    let text = std::fs::read_to_string(&file);
    let text = text.map_err(|error| format!("{}: {error}", file.display()))?;
    define(options, &text, ApplyMigrations::Never)
}

/// Removes the rules of `@auth`.
pub(crate) fn remove_rules(options: &mut Options) {
    if let Dialect::Dgraph(dialect) = &mut options.dialect {
        let model = Arc::make_mut(&mut dialect.model);
        model.types.iter_mut().for_each(|r#type| r#type.auth = dgraph::model::Auth::default());
    }
}

fn define(options: &mut Options, text: &str, apply: ApplyMigrations) -> Result<(), String> {
    match &mut options.dialect {
        Dialect::Dgraph(dialect) => {
            dialect.model = Arc::new(dgraph::definitions::read(text).map_err(|own| listed(&own))?);
        }
        Dialect::Prisma(dialect) => {
            dialect.model = Arc::new(prisma::definitions::read(text).map_err(|own| listed(&own))?);
        }
        _ => return Err("the dialect has no type definitions".into()),
    }
    options.schema_first = Some(SchemaFirst { definitions: text.into(), apply });
    Ok(())
}

fn listed(problems: &[impl ToString]) -> String {
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    problems.join("; ")
}
