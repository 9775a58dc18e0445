//! `thalweg import --from`: a whole database, with its ids, into another one.

use std::process::ExitCode;

use dialects::dgraph::{definitions, stored};
use engine::{SourceAddress, Timeouts};
use source::MigrationAccess;
use sources::migrate::Migrator;
use sources::transfer::{MovedTable, Transfer, move_rows};

use super::progress::Reporter;
use super::{migrated, require_finished};
use crate::commands::print;
use crate::failure::Failure;
use crate::options::ImportOptions;

/// Moves the rows, with the definitions of the newest migration.
pub(super) async fn run(options: &ImportOptions, from: &str) -> Result<ExitCode, Failure> {
    let timeouts = Timeouts::default();
    let from = SourceAddress::parse(from).map_err(engine::OpenError::from)?;
    let address = options.address()?;
    let (from_schema, schema) = (options.source_schema(&from)?, options.schema.of(&address)?);
    if (&from, from_schema) == (&address, schema) {
        return Err(Failure::Usage("`--from` and `--data` are the same database".into()));
    }
    let source = Migrator::begin(&from, from_schema, MigrationAccess::Read, timeouts).await;
    let source = source.map_err(Failure::other)?;
    let Some(newest) = source.newest() else {
        return Err(Failure::Usage("`--from` has no tables of type definitions".into()));
    };
    let recorded = newest.definitions.clone();
    let model = definitions::read(&recorded).map_err(|problems| {
        let problems = problems.iter().map(ToString::to_string).collect::<Vec<_>>();
        Failure::Usage(format!("the recorded type definitions: {}", problems.join("; ")))
    })?;
    let (text, model) = match options.definitions()? {
        Some((text, model)) => (text.to_string(), model),
        None => (recorded.to_string(), model),
    };
    let planned = source.plan(&stored::stored(&model).model).await.map_err(Failure::other)?;
    if !planned.is_current() {
        return Err(Failure::Usage(
            "`--from` has not the tables of the type definitions; `thalweg migrate` with `--check` \
             shows what is missing"
                .into(),
        ));
    }
    let from_tables = source.tables().clone();
    let from_database = source.database().clone();
    drop(source);
    let opened = Transfer::open_for_read(&from, &from_database, timeouts).await;
    let mut from = opened.map_err(Failure::other)?;
    require_finished(&from).await?;
    let target = migrated((address, schema), &model, &text).await?;
    let opened = Transfer::open_for_load(&target.address, &target.database, timeouts).await;
    let mut to = opened.map_err(Failure::other)?;
    require_finished(&to).await?;
    let tables = &target.mapping.tables;
    if !to.is_empty(tables).await.map_err(Failure::other)? {
        return Err(Failure::Usage("the database has rows: move into one without rows".into()));
    }
    let mut reporter = Reporter::new(options.progress);
    let moved = move_rows(&mut from, &from_tables, &mut to, tables, &mut reporter).await;
    let moved = moved.map_err(Failure::other)?;
    let mut text = String::new();
    for MovedTable { name, rows, checksum } in moved {
        text.push_str(&format!("{name}: {rows} rows, checksum {checksum}\n"));
    }
    text.push_str("Both databases have the same rows.\n");
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
