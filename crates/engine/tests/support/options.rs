//! The options line of a case: what the engine is told besides the dialect.

use std::sync::Arc;

use dialects::federation::Options as Federation;
use engine::{ErrorOptions, ExtendedError, Options};

/// Where the files of databases stand.
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/databases/");

/// Reads the line into what the usual options are changed by.
pub(crate) fn parse(line: &str) -> Result<impl FnOnce(&mut Options), String> {
    let mut errors = ErrorOptions::default();
    let mut federation = None;
    let mut prisma_schema = None;
    for word in line.split_whitespace() {
        match word.split_once('=') {
            None if word == "show-constraints" => errors.show_constraints = true,
            None if word == "federation" => {
                federation.get_or_insert_with(Federation::default);
            }
            Some(("federation-extend", file)) => {
                let path = [FIXTURES, file].concat();
                let text = std::fs::read_to_string(&path);
                let text = text.map_err(|error| format!("{path}: {error}"))?;
                federation.get_or_insert_with(Federation::default).extension = Some(text.into());
            }
            Some(("prisma", file)) => prisma_schema = Some(read_prisma(file)?),
            None if word == "show-database-errors" => errors.show_database_errors = true,
            Some(("extended-errors", parts)) => {
                errors.extended = parts.split(',').map(extended).collect::<Result<_, _>>()?;
            }
            // Words have no spaces: they stand for those of the text.
            Some(("error-message", message)) => {
                let (name, text) = message.split_once('=').ok_or("a message is NAME=TEXT")?;
                errors.messages.push((name.into(), text.replace('_', " ").into()));
            }
            _ => return Err(format!("`{word}` is no option of a case")),
        }
    }
    Ok(move |options: &mut Options| {
        options.errors = errors;
        options.federation = federation;
        options.prisma_schema = prisma_schema;
    })
}

/// A schema of Prisma ORM in a file.
fn read_prisma(file: &str) -> Result<Arc<prisma_schema::Schema>, String> {
    let path = [FIXTURES, file].concat();
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let file = prisma_schema::File { name: file.into(), text: text.into() };
    let schema = prisma_schema::read(vec![file]).map_err(|mistakes| mistakes.to_string())?;
    Ok(Arc::new(schema))
}

fn extended(part: &str) -> Result<ExtendedError, String> {
    Ok(match part {
        "hint" => ExtendedError::Hint,
        "detail" => ExtendedError::Detail,
        "errcode" => ExtendedError::Errcode,
        "schema" => ExtendedError::Schema,
        "table" => ExtendedError::Table,
        "column" => ExtendedError::Column,
        "constraint" => ExtendedError::Constraint,
        _ => return Err(format!("`{part}` is no part of an error")),
    })
}
