//! About how many rows tables have: as ANALYZE found it, or else as many as are quickly counted.

use std::collections::{BTreeSet, HashMap};

use catalog::{Catalog, EntityId, EntityKind, RowEstimate};
use rusqlite::Connection;
use sql::{Alias, Expression, Flavor, FromItem, Identifier, Select, SelectItem, TableName};

use super::IntrospectError;

/// No more rows of a table are counted: it takes less than a millisecond, and reads few pages.
const MOST_COUNTED: u64 = 5_000;

/// Adds the statistics of tables that foreign keys lead from or to; no others are used.
pub(super) fn add(connection: &Connection, catalog: &mut Catalog) -> Result<(), IntrospectError> {
    let related: BTreeSet<EntityId> =
        catalog.relationships().flat_map(|one| [one.from, one.to]).collect();
    if related.is_empty() {
        return Ok(());
    }
    let analyzed = analyzed(connection).map_err(failed)?;
    for entity in related {
        let (name, kind) = (catalog[entity].name.clone(), catalog[entity].kind);
        if kind != EntityKind::Table {
            continue;
        }
        let estimate = match analyzed.get(&name.to_ascii_lowercase()) {
            Some(rows) => RowEstimate::About(*rows),
            None => counted(connection, &name).map_err(failed)?,
        };
        catalog.estimate_rows(entity, estimate);
    }
    Ok(())
}

fn failed(source: rusqlite::Error) -> IntrospectError {
    IntrospectError::Query { what: "numbers of rows", source }
}

/// ANALYZE's numbers of rows, by the names of tables.
fn analyzed(connection: &Connection) -> rusqlite::Result<HashMap<String, u64>> {
    let is_analyzed = include_str!("is_analyzed.sql");
    if !connection.query_row(is_analyzed, [], |row| row.get::<_, bool>(0))? {
        return Ok(HashMap::new());
    }
    let mut statement = connection.prepare(include_str!("estimates.sql"))?;
    let row = |row: &rusqlite::Row<'_>| {
        let name: String = row.get(0)?;
        let rows: i64 = row.get(1)?;
        Ok((name.to_ascii_lowercase(), u64::try_from(rows).unwrap_or_default()))
    };
    statement.query_map([], row)?.collect()
}

fn counted(connection: &Connection, name: &str) -> rusqlite::Result<RowEstimate> {
    let mut statement = connection.prepare(&rows_of(name))?;
    let mut rows = statement.query([])?;
    let mut count = 0;
    while count < MOST_COUNTED {
        if rows.next()?.is_none() {
            return Ok(RowEstimate::About(count));
        }
        count += 1;
    }
    Ok(RowEstimate::AtLeast(count))
}

/// A row for each row of a table, with nothing of it, so that an index can answer.
fn rows_of(name: &str) -> String {
    let nothing = SelectItem { expression: Expression::Boolean(true), name: None };
    let name = TableName { schema: None, name: Identifier(name.into()) };
    let select = Select {
        distinct: false,
        distinct_on: Vec::new(),
        items: vec![nothing],
        from: Some(FromItem::Table { name, alias: Alias(0) }),
        joins: Vec::new(),
        filter: None,
        group_by: Vec::new(),
        having: None,
        order_by: Vec::new(),
        limit: None,
        offset: None,
        bound: None,
        locked: false,
    };
    sql::print(&select, &Flavor::SQLITE)
}

#[cfg(test)]
mod tests {
    use catalog::End;

    use super::*;
    use crate::introspect::introspect;

    const TABLES: &str = "CREATE TABLE genre (id INTEGER PRIMARY KEY);
        CREATE TABLE track (id INTEGER PRIMARY KEY, genre INTEGER REFERENCES genre);
        CREATE TABLE play (id INTEGER PRIMARY KEY, \"of \"\"it\" INTEGER REFERENCES track);
        CREATE TABLE alone (id INTEGER PRIMARY KEY);
        WITH n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 3)
        INSERT INTO genre SELECT id FROM n;
        WITH n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 4990)
        INSERT INTO track SELECT id, id % 3 + 1 FROM n;
        WITH n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 6000)
        INSERT INTO play SELECT id * 1000000, id % 4990 + 1 FROM n;";

    fn referrers(connection: &Connection) -> Vec<Option<u64>> {
        let catalog = introspect(connection).unwrap();
        catalog.relationships().map(|one| catalog.estimated_related(one.id, End::To)).collect()
    }

    #[test]
    fn tables_are_counted_until_they_are_large_and_analyze_knows_better() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(TABLES).unwrap();
        assert_eq!(referrers(&connection), [Some(1), Some(1663)]);
        // The number of rows of a large table is unknown.
        connection.execute_batch("INSERT INTO track SELECT id + 9000, 1 FROM track").unwrap();
        assert_eq!(referrers(&connection), [None, Some(1666)]);
        connection.execute_batch("ANALYZE").unwrap();
        assert_eq!(referrers(&connection), [Some(0), Some(3326)]);
    }
}
