//! Connections to a test's server, and what they are asked.

use std::sync::Arc;

use source_postgres::wire::{Config, Connection, Rows, Statement, WireError};

pub(crate) fn config(url: &str) -> Config {
    Config::resolve(url, |_| None).unwrap()
}

pub(crate) async fn connect(url: &str) -> Connection {
    Connection::connect(&config(url)).await.unwrap()
}

pub(crate) fn statement(text: &str) -> Arc<Statement> {
    Arc::new(Statement::new(text, []))
}

/// Rows as text: columns by `|`, rows by a space, NULL as `-`.
pub(crate) fn print(rows: &Rows) -> String {
    let print_row = |row: usize| {
        let values = (0..rows.columns()).map(|column| match rows.value(row, column) {
            Some(value) => String::from_utf8_lossy(value).into_owned(),
            None => "-".to_owned(),
        });
        values.collect::<Vec<_>>().join("|")
    };
    (0..rows.len()).map(print_row).collect::<Vec<_>>().join(" ")
}

pub(crate) async fn run(
    connection: &mut Connection,
    texts: &[&str],
) -> Result<Vec<String>, WireError> {
    let mut results = Vec::new();
    let mut pipeline = connection.pipeline();
    for text in texts {
        pipeline.execute(&statement(text), [])?;
    }
    pipeline.sync_and_read(&mut results).await?;
    Ok(results.iter().map(print).collect())
}

pub(crate) async fn query(connection: &mut Connection, text: &str) -> String {
    run(connection, &[text]).await.unwrap().remove(0)
}
