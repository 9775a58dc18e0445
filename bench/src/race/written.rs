//! Queries that write: what they have written is compared with what they were asked to write, and
//! taken back, so that nobody works on a larger table than others.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use serde_json::Value;
use testkit::neo4j::Graph;
use testkit::postgres::Server;

use super::floor::{Row, Variables, graph, nested};
use super::made;
use super::suite::Writes;

const DELETE: &str = include_str!("written/delete.cypher");
const SELECT: &str = include_str!("written/select.cypher");

/// Taking back waits for so long for a server's transaction.
const PATIENCE: Duration = Duration::from_secs(10);

/// The database of the rows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Store<'s> {
    Postgres { server: &'s Server, database: &'s str },
    Sqlite(&'s Path),
    Graph(&'s Graph),
}

/// The rows that a query writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written<'w> {
    pub(crate) writes: &'w Writes,
    pub(crate) store: Store<'w>,
}

impl Written<'_> {
    /// Removes them.
    pub(crate) fn take_back(self) -> Result<(), String> {
        let Writes { table, key, after } = self.writes;
        let delete = format!("DELETE FROM {table} WHERE {key} > {after}");
        let done = match self.store {
            Store::Postgres { server, database } => server
                .execute(database, &delete)
                // The next ones find a table and indexes as small as those before.
                .and_then(|()| server.execute(database, &format!("VACUUM ANALYZE {table}")))
                .map_err(|error| error.to_string()),
            Store::Sqlite(file) => open(file)
                .and_then(|connection| {
                    connection.execute_batch(&delete)?;
                    // The log as well: whoever grows it pays for it later.
                    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
                })
                .map_err(|error| error.to_string()),
            Store::Graph(graph) => {
                graph.run_with(DELETE, self.nodes()).map(drop).map_err(|error| error.to_string())
            }
        };
        done.map_err(|error| format!("what was written cannot be taken back: {error}"))
    }

    /// Whether there is a row for each set of variables, in their order, with their values in the
    /// columns of their names, and whether the answers, where there are any, tell its number.
    pub(crate) fn check(
        self,
        sets: &[Variables],
        answers: Option<&[Vec<u8>]>,
    ) -> Result<(), String> {
        let rows = self.rows().map_err(|error| format!("what was written is unknown: {error}"))?;
        if rows.len() != sets.len() {
            return Err(format!("has written {} rows and not {}", rows.len(), sets.len()));
        }
        if let Store::Graph(_) = self.store {
            return check_nodes(rows, sets);
        }
        for (place, (row, set)) in rows.iter().zip(sets).enumerate() {
            for (name, value) in set {
                if row.get(name) != Some(value) {
                    let written = row.get(name).cloned().unwrap_or_default();
                    return Err(format!("has written {written} and not {value} as {name}"));
                }
            }
            let Some(answer) = answers.and_then(|answers| answers.get(place)) else { continue };
            let key = &self.writes.key;
            let numbers = made::numbers(answer, key);
            let number = row.get(key).and_then(Value::as_i64);
            if numbers.len() != 1 || numbers.first().copied() != number {
                let answer = String::from_utf8_lossy(answer);
                let number = number.unwrap_or_default();
                return Err(format!("has written the row {number} and answers {answer}"));
            }
        }
        Ok(())
    }

    fn rows(self) -> Result<Vec<Row>, String> {
        let Writes { table, key, after } = self.writes;
        let text = format!("SELECT * FROM {table} WHERE {key} > {after} ORDER BY {key}");
        match self.store {
            Store::Postgres { server, database } => {
                let text = format!("SELECT to_json(r) FROM ({text}) AS r");
                let rows = server.query(database, &text).map_err(|error| error.to_string())?;
                let texts = rows.iter().map(|row| row.first()?.as_deref());
                texts
                    .map(|text| serde_json::from_str(text.unwrap_or_default()))
                    .collect::<Result<_, _>>()
                    .map_err(|error| error.to_string())
            }
            Store::Sqlite(file) => open(file)
                .and_then(|connection| {
                    let mut statement = connection.prepare(&text)?;
                    let rows = statement.query_map([], nested::to_row)?;
                    rows.collect()
                })
                .map_err(|error| error.to_string()),
            Store::Graph(graph) => {
                let records = graph.run_with(SELECT, self.nodes());
                let records = records.map_err(|error| error.to_string())?;
                let nodes = records.into_iter().flatten().map(|value| graph::to_json(&value));
                Ok(nodes.filter_map(|value| value.as_object().cloned()).collect())
            }
        }
    }

    /// The parameters of the statements.
    fn nodes(self) -> testkit::neo4j::Value {
        let Writes { table, key, after } = self.writes;
        let set = serde_json::json!({ "label": table, "key": key, "after": after });
        graph::to_value(&set)
    }
}

/// Nodes have no order, so each set is looked for among all of them.
fn check_nodes(mut rows: Vec<Row>, sets: &[Variables]) -> Result<(), String> {
    for set in sets {
        let is_of_set = |row: &Row| {
            // An id is a text in the graph, whatever the variable is.
            let is_same = |(name, value): (&String, &Value)| match row.get(name) {
                Some(Value::String(text)) if value.is_i64() => text.parse().ok() == value.as_i64(),
                written => written == Some(value),
            };
            set.iter().all(is_same)
        };
        let place = rows.iter().position(is_of_set);
        let place = place
            .ok_or_else(|| format!("has written no node with {}", Value::Object(set.clone())))?;
        rows.swap_remove(place);
    }
    Ok(())
}

fn open(file: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(file)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(rows: &str, answers: &[&str], expected: &str) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.db");
        let made = Connection::open(&file).expect("a file");
        made.execute_batch(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, n); INSERT INTO t VALUES (9, 0)",
        )
        .expect("a table");
        made.execute_batch(rows).expect("rows");
        let writes = Writes { table: "t".to_owned(), key: "id".to_owned(), after: 9 };
        let written = Written { writes: &writes, store: Store::Sqlite(&file) };
        let sets = [1, 2].map(|n| Variables::from_iter([("n".to_owned(), json!(n))]));
        let answers: Vec<Vec<u8>> = answers.iter().map(|text| text.as_bytes().to_vec()).collect();
        let told = written.check(&sets, Some(&answers)).err().unwrap_or_default();
        assert_eq!(told, expected, "{rows}");
        written.take_back().expect("rows are removed");
        let left: i64 = made.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).expect("1");
        assert_eq!(left, 1, "what was there before stays");
    }

    #[test]
    fn nodes_are_those_that_were_asked_for_in_any_order() {
        let map = |value: Value| value.as_object().cloned().unwrap_or_default();
        let sets = [json!({ "id": 1, "n": 5 }), json!({ "id": 2, "n": 5 })].map(map);
        let nodes = vec![
            map(json!({ "id": "2", "n": 5, "more": true })),
            map(json!({ "id": "1", "n": 5 })),
        ];
        assert_eq!(check_nodes(nodes.clone(), &sets), Ok(()));
        let twice = vec![nodes[0].clone(), nodes[0].clone()];
        assert!(check_nodes(twice, &sets).is_err_and(|told| told.contains("\"id\":1")));
    }

    #[test]
    fn rows_are_those_that_were_asked_for() {
        let good = "INSERT INTO t VALUES (10, 1), (12, 2)";
        let answers = [r#"{"data":{"a":{"id":10}}}"#, r#"{"data":{"a":{"id":12}}}"#];
        check(good, &answers, "");
        check("INSERT INTO t VALUES (10, 1)", &answers, "has written 1 rows and not 2");
        let other = "INSERT INTO t VALUES (10, 1), (12, 3)";
        check(other, &answers, "has written 3 and not 2 as n");
        let moved = [answers[0], r#"{"data":{"a":{"id":11}}}"#];
        let told = format!("has written the row 12 and answers {}", moved[1]);
        check(good, &moved, &told);
        let silent = [answers[0], r#"{"data":{"a":null}}"#];
        let told = format!("has written the row 12 and answers {}", silent[1]);
        check(good, &silent, &told);
    }
}
