//! Writes the sample shop into a PostgreSQL database, in one transaction.

use std::fmt::Write;
use std::pin::pin;

use bytes::Bytes;
use futures_util::SinkExt;
use sample::{Cell, Table};
use source_postgres::wire::{Config, connect_simple};

use super::{SampleError, Written};

const SET_SCHEMA: &str = include_str!("postgres/set_schema.sql");
const EXISTING_TABLES: &str = include_str!("postgres/existing_tables.sql");

/// One statement per line, in the order of the sample's tables.
const COPIES: &str = include_str!("postgres/copies.sql");

/// The planner needs statistics, which the server would collect only later.
const ANALYZE: &str = include_str!("postgres/analyze.sql");

/// Creates the tables in the schema `public`, which must not contain any of them.
pub(crate) async fn write(address: &str) -> Result<Written, SampleError> {
    let mut client = connect_simple(&Config::from_url(address)?).await?;
    let transaction = client.transaction().await?;
    let tables = sample::tables();
    let names: Vec<&str> = tables.iter().map(|table| table.name).collect();
    let existing = transaction.query(EXISTING_TABLES, &[&names]).await?;
    if !existing.is_empty() {
        let existing: Result<_, _> = existing.iter().map(|row| row.try_get(0)).collect();
        return Err(SampleError::TablesExist(existing?));
    }
    transaction.batch_execute(SET_SCHEMA).await?;
    transaction.batch_execute(sample::POSTGRES_SCHEMA).await?;
    let mut written = Written { tables: 0, rows: 0 };
    for (table, copy) in tables.iter().zip(COPIES.lines()) {
        let mut sink = pin!(transaction.copy_in(copy).await?);
        sink.send(copy_text(table)).await?;
        sink.as_mut().finish().await?;
        written.rows += table.rows.len();
        written.tables += 1;
    }
    transaction.batch_execute(ANALYZE).await?;
    transaction.commit().await?;
    Ok(written)
}

/// The address without its password.
pub(crate) fn without_password(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    // A password may contain an unescaped `@`; a path or parameters may too.
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let path = without_password_parameters(path);
    match authority
        .rsplit_once('@')
        .and_then(|(login, host)| Some((login.split_once(':')?.0, host)))
    {
        Some((user, host)) => [scheme, "://", user, ":...@", host, &path].concat(),
        None => [scheme, "://", authority, &path].concat(),
    }
}

fn without_password_parameters(path: &str) -> String {
    let parts = path.split_inclusive(['?', '&']);
    let hide = |part: &str| {
        let end = part.len() - part.trim_end_matches(['?', '&']).len();
        match part.split_once('=') {
            Some((name @ ("password" | "sslpassword"), _)) => {
                [name, "=...", &part[part.len() - end..]].concat()
            }
            Some(_) | None => part.to_owned(),
        }
    };
    parts.map(hide).collect()
}

/// The text format of COPY: <https://www.postgresql.org/docs/current/sql-copy.html>.
fn copy_text(table: &Table) -> Bytes {
    let mut text = String::new();
    for row in &table.rows {
        for (idx, cell) in row.iter().enumerate() {
            if idx > 0 {
                text.push('\t');
            }
            push_cell(cell, &mut text);
        }
        text.push('\n');
    }
    text.into()
}

fn push_cell(cell: &Cell, text: &mut String) {
    match cell {
        Cell::Null => text.push_str("\\N"),
        Cell::Text(value) => {
            for c in value.chars() {
                match c {
                    '\\' => text.push_str("\\\\"),
                    '\n' => text.push_str("\\n"),
                    '\r' => text.push_str("\\r"),
                    '\t' => text.push_str("\\t"),
                    c => text.push(c),
                }
            }
        }
        Cell::Integer(_) | Cell::Price(_) | Cell::Timestamp(_) => {
            // Writing to a string never fails.
            let written = write!(text, "{cell}");
            debug_assert!(written.is_ok(), "a cell was not written");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_copy_for_each_table_in_their_order() {
        let expected: Vec<String> = sample::tables()
            .iter()
            .map(|table| format!("COPY {} ({}) FROM STDIN;", table.name, table.columns.join(", ")))
            .collect();
        assert_eq!(COPIES.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_copy_reads_as_its_own_is_escaped() {
        let cells = vec![Cell::Null, Cell::from("a\\N\tb\r\n"), Cell::from(7), Cell::Price(199)];
        let table = Table { name: "t", columns: &["a", "b", "c", "d"], rows: vec![cells] };
        assert_eq!(copy_text(&table), "\\N\ta\\\\N\\tb\\r\\n\t7\t1.99\n");
    }

    fn check(address: &str, expected: &str) {
        assert_eq!(without_password(address), expected);
    }

    #[test]
    fn a_password_is_not_shown() {
        check("postgres://a:b@c@host/shop", "postgres://a:...@host/shop");
        check("postgres://a@host/shop", "postgres://a@host/shop");
        check("postgres://host:5432/shop?x=a:b@c", "postgres://host:5432/shop?x=a:b@c");
        check("postgres:///shop", "postgres:///shop");
        check(
            "postgres://a@host/shop?password=b&sslmode=require&sslpassword=c",
            "postgres://a@host/shop?password=...&sslmode=require&sslpassword=...",
        );
    }
}
