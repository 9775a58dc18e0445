//! The rows that the statements bring from PostgreSQL.

use serde_json::Value;
use testkit::postgres::{ClientError, Server};

use super::script::Script;
use super::{Row, Rows, Variables};

/// Rows could not be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum RowsError {
    #[error(transparent)]
    Postgres(#[from] ClientError),
    #[error("a row is no object: {0}")]
    Row(String),
}

pub(super) fn rows(
    script: &Script,
    server: &Server,
    database: &str,
    variables: &Variables,
) -> Result<Rows, RowsError> {
    let mut rows = Rows::new();
    for statement in &script.statements {
        let text = with_values(&statement.text, script, variables);
        // PostgreSQL knows which values are numbers, and keeps the order of what it reads from.
        let text = if script.writes {
            format!("WITH r AS ({text}) SELECT to_json(r) FROM r")
        } else {
            format!("SELECT to_json(r) FROM ({text}) AS r")
        };
        let answer = server.query(database, &text)?;
        let read: Result<Vec<Row>, RowsError> = answer.iter().map(|row| object(row)).collect();
        let read = read?;
        for name in &statement.names {
            rows.insert(name.clone(), read.clone());
        }
    }
    Ok(rows)
}

fn object(row: &[Option<String>]) -> Result<Row, RowsError> {
    let text = row.first().and_then(Option::as_deref).unwrap_or_default();
    serde_json::from_str(text).map_err(|_| RowsError::Row(text.to_owned()))
}

/// Replaces names by values, as pgbench does in its simple protocol.
fn with_values(text: &str, script: &Script, variables: &Variables) -> String {
    let numbers = script.numbers.iter().map(|(name, number)| (name, Value::from(*number)));
    let given = variables.iter().map(|(name, value)| (name, value.clone()));
    let mut values: Vec<(&String, Value)> = numbers.chain(given).collect();
    // A name may begin another.
    values.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    values.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(&format!(":{name}"), &value.to_string())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_become_values() {
        let script = Script::parse("\\set id 3\n-- rows a\nSELECT :id, :id_gt, :limit;");
        let script = script.expect("a script");
        let Value::Object(variables) = json!({ "id_gt": 7, "limit": 50 }) else { return };
        let text = with_values(&script.statements[0].text, &script, &variables);
        assert_eq!(text, "SELECT 3, 7, 50");
    }
}
