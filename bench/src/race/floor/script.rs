//! A file of statements for `pgbench`, or of nested ones for SQLite.
//!
//! Both know `\set name 3`, a number that stands in the statements as `:name`. Above a statement
//! stands what its rows are: `-- rows tracks of albums with genres by genre_id`.

use super::{Row, Rows};

/// The statements that bring rows, and the numbers that stand in them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Script {
    pub(crate) numbers: Vec<(String, i64)>,
    pub(crate) statements: Vec<Statement>,
    /// Whether its rows are those that it writes.
    pub(crate) writes: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Statement {
    /// Names of its rows: several where parents stand beside their children.
    pub(crate) names: Vec<String>,
    /// It runs for each row of this one, whose columns stand in it as `:column`.
    pub(crate) of: Option<String>,
    /// Not again for a row that gives the same values as the one before.
    pub(crate) once: bool,
    lookups: Vec<Lookup>,
    pub(crate) text: String,
}

/// Rows of another statement whose columns these get, where the column's values are equal.
#[derive(Debug, PartialEq, Eq)]
struct Lookup {
    rows: String,
    column: String,
}

/// A line makes no sense.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ScriptError {
    #[error("line {0}: wants `-- rows NAME, NAME of NAME once with NAME by COLUMN`")]
    Rows(usize),
    #[error("line {0}: wants `\\set NAME NUMBER`")]
    Set(usize),
    #[error("the last statement has no end")]
    NoEnd,
    #[error("no statement says `-- rows`")]
    NoRows,
    #[error("there are no rows `{0}`")]
    Unknown(String),
}

impl Script {
    pub(super) fn parse(text: &str) -> Result<Self, ScriptError> {
        let mut script = Self::default();
        let mut heading = None;
        let mut statement = String::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim_end();
            if let Some(words) = line.strip_prefix("\\set ") {
                script.numbers.push(parse_number(words).ok_or(ScriptError::Set(number))?);
            } else if let Some(words) = line.strip_prefix("-- rows ") {
                heading = Some(parse_heading(words).ok_or(ScriptError::Rows(number))?);
            } else if line.is_empty() || line.starts_with('\\') || line.starts_with("--") {
                // What else pgbench is told, and what people are.
            } else if let Some(last) = line.strip_suffix(';') {
                statement.push_str(last);
                let text = std::mem::take(&mut statement);
                // The others begin and end transactions.
                if let Some(heading) = heading.take() {
                    script.statements.push(Statement { text, ..heading });
                }
            } else {
                statement.push_str(line);
                statement.push('\n');
            }
        }
        match () {
            () if !statement.is_empty() => Err(ScriptError::NoEnd),
            () if script.statements.is_empty() => Err(ScriptError::NoRows),
            () => Ok(script),
        }
    }

    /// The rows get the columns of those that they look up.
    pub(super) fn add_looked_up(&self, rows: &mut Rows) -> Result<(), ScriptError> {
        for statement in &self.statements {
            for lookup in &statement.lookups {
                let unknown = || ScriptError::Unknown(lookup.rows.clone());
                let others = rows.get(&lookup.rows).ok_or_else(unknown)?.clone();
                for name in &statement.names {
                    for row in rows.get_mut(name).into_iter().flatten() {
                        add_equal(row, &others, &lookup.column);
                    }
                }
            }
        }
        Ok(())
    }
}

fn add_equal(row: &mut Row, others: &[Row], column: &str) {
    let key = row.get(column).filter(|key| !key.is_null());
    let other = others.iter().find(|other| key.is_some() && other.get(column) == key);
    if let Some(other) = other {
        row.extend(other.clone());
    }
}

fn parse_number(words: &str) -> Option<(String, i64)> {
    let (name, number) = words.split_once(' ')?;
    Some((name.to_owned(), number.trim().parse().ok()?))
}

fn parse_heading(words: &str) -> Option<Statement> {
    let mut words = words.split_whitespace();
    let mut heading = Statement::default();
    loop {
        let name = words.next()?;
        heading.names.push(name.trim_end_matches(',').to_owned());
        if !name.ends_with(',') {
            break;
        }
    }
    while let Some(word) = words.next() {
        match word {
            "of" => heading.of = Some(words.next()?.to_owned()),
            "once" => heading.once = true,
            "with" => {
                let rows = words.next()?.to_owned();
                let column = (words.next()? == "by").then(|| words.next())??.to_owned();
                heading.lookups.push(Lookup { rows, column });
            }
            _ => return None,
        }
    }
    Some(heading)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn statements_are_read_with_what_their_rows_are() {
        let text = "\\set id 3\n\\startpipeline\nBEGIN;\n-- Why it is so.\n-- rows a, b\nSELECT 1\n\
                    FROM a;\n-- rows c of a once with d by e\nSELECT 2;\nCOMMIT;\n\\endpipeline\n";
        let script = Script::parse(text).expect("a script");
        assert_eq!(script.numbers, [("id".to_owned(), 3)]);
        let [first, second] = &script.statements[..] else { panic!("{script:?}") };
        assert_eq!(first.names, ["a", "b"]);
        assert_eq!(first.text, "SELECT 1\nFROM a");
        assert_eq!((second.of.as_deref(), second.once), (Some("a"), true));
        assert_eq!(second.text, "SELECT 2");
    }

    #[test]
    fn what_makes_no_sense_is_told_with_its_line() {
        let check = |text, error| assert_eq!(Script::parse(text), Err(error), "{text}");
        check("\\set id random(1, 2)\n", ScriptError::Set(1));
        check("\n-- rows a by b\nSELECT 1;", ScriptError::Rows(2));
        check("-- rows a,\nSELECT 1;", ScriptError::Rows(1));
        check("-- rows a\nSELECT 1", ScriptError::NoEnd);
        check("SELECT 1;", ScriptError::NoRows);
    }

    #[test]
    fn columns_are_looked_up_by_equal_values() {
        let script = Script::parse("-- rows a with b by k\nSELECT 1;").expect("a script");
        let row = |value| match value {
            serde_json::Value::Object(row) => row,
            other => panic!("{other}"),
        };
        let a = vec![row(json!({ "k": 1 })), row(json!({ "k": null })), row(json!({ "k": 2 }))];
        let b = vec![row(json!({ "k": 1, "n": "x" })), row(json!({ "k": null, "n": "y" }))];
        let mut rows = Rows::from([("a".to_owned(), a), ("b".to_owned(), b)]);
        script.add_looked_up(&mut rows).expect("all are there");
        assert_eq!(json!(rows["a"]), json!([{ "k": 1, "n": "x" }, { "k": null }, { "k": 2 }]));
        rows.remove("b");
        assert_eq!(script.add_looked_up(&mut rows), Err(ScriptError::Unknown("b".to_owned())));
    }
}
