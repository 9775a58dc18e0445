use std::error::Error;
use std::sync::Arc;

use thalweg::dgraph::{self, definitions};
use thalweg::{ApplyMigrations, Dialect, Options, SchemaFirst, SourceAddress};

/// The options of a database with the tables of type definitions of Dgraph.
pub fn options_of_definitions(database: &str, text: &str) -> Result<Options, Box<dyn Error>> {
    let model = definitions::read(text).map_err(|problems| {
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    })?;
    let dialect = dgraph::Options { model: Arc::new(model), ..dgraph::Options::default() };
    let address = SourceAddress::parse(database)?;
    let mut options = Options::of(address, Dialect::Dgraph(dialect));
    options.engine.schema_first = Some(SchemaFirst {
        // The history of migrations in the database records them.
        definitions: definitions::without_secrets(text).into(),
        // A new database gets its tables; `thalweg migrate` applies later changes.
        apply: ApplyMigrations::First,
    });
    Ok(options)
}
