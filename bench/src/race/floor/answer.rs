//! Rules by which the rows of a floor make the answer: `floors/<query>.answer.json`.

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Row, Rows};

/// The members of an object.
pub(super) type Answer = BTreeMap<String, Part>;

/// A value of the answer.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Part {
    /// The value of a column.
    Column(String),
    List(List),
    Object(Object),
}

/// An object for each row.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    rows: String,
    /// Only rows in which this column is as in the row around the list.
    of: Option<String>,
    /// One object for all rows in which this column is equal, and none where it is null: so a row
    /// of a join says its parent, and that it has no child.
    key: Option<String>,
    each: Answer,
}

/// An object of the row around it, or of other rows' first; null where there is none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Object {
    rows: Option<String>,
    /// There is an object where this column is not null.
    present: Option<String>,
    object: Answer,
}

/// The file names what the statements do not bring.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum AnswerError {
    #[error("there are no rows `{0}`")]
    Rows(String),
    #[error("there is no column `{0}`")]
    Column(String),
}

/// The answer's `data`.
pub(super) fn join(answer: &Answer, rows: &Rows) -> Result<Value, AnswerError> {
    object(answer, &Row::new(), rows)
}

fn object(answer: &Answer, row: &Row, rows: &Rows) -> Result<Value, AnswerError> {
    let mut members = Map::new();
    for (name, part) in answer {
        let value = match part {
            Part::Column(column) => value(row, column)?.clone(),
            Part::List(part) => list(part, row, rows)?,
            Part::Object(part) => to_one(part, row, rows)?,
        };
        members.insert(name.clone(), value);
    }
    Ok(Value::Object(members))
}

fn list(list: &List, parent: &Row, rows: &Rows) -> Result<Value, AnswerError> {
    let mut objects = Vec::new();
    let mut seen = HashSet::new();
    for row in find(rows, &list.rows)? {
        if let Some(column) = &list.of
            && value(row, column)? != value(parent, column)?
        {
            continue;
        }
        if let Some(column) = &list.key {
            let key = value(row, column)?;
            if key.is_null() || !seen.insert(key) {
                continue;
            }
        }
        objects.push(object(&list.each, row, rows)?);
    }
    Ok(Value::Array(objects))
}

fn to_one(part: &Object, parent: &Row, rows: &Rows) -> Result<Value, AnswerError> {
    let row = match &part.rows {
        Some(name) => find(rows, name)?.first(),
        None => Some(parent),
    };
    let Some(row) = row else { return Ok(Value::Null) };
    match &part.present {
        Some(column) if value(row, column)?.is_null() => Ok(Value::Null),
        Some(_) | None => object(&part.object, row, rows),
    }
}

fn find<'r>(rows: &'r Rows, name: &str) -> Result<&'r [Row], AnswerError> {
    rows.get(name).map(Vec::as_slice).ok_or_else(|| AnswerError::Rows(name.to_owned()))
}

fn value<'r>(row: &'r Row, column: &str) -> Result<&'r Value, AnswerError> {
    row.get(column).ok_or_else(|| AnswerError::Column(column.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(answer: &Value, rows: &Value, expected: &Result<Value, AnswerError>) {
        let answer: Answer = serde_json::from_value(answer.clone()).expect("an answer's form");
        let rows: Rows = serde_json::from_value(rows.clone()).expect("rows");
        assert_eq!(&join(&answer, &rows), expected);
    }

    #[test]
    fn a_join_is_taken_apart() {
        let answer = json!({ "a": { "rows": "a", "key": "a", "each": {
            "n": "n",
            "b": { "rows": "b", "of": "a", "key": "b", "each": {
                "c": { "present": "c", "object": { "n": "c_n" } },
            } },
        } } });
        let rows = json!([
            { "a": 1, "n": "x", "b": 1, "c": 7, "c_n": "z" },
            { "a": 1, "n": "x", "b": 2, "c": null, "c_n": null },
            { "a": 2, "n": "y", "b": null, "c": null, "c_n": null },
        ]);
        check(
            &answer,
            &json!({ "a": rows, "b": rows }),
            &Ok(json!({ "a": [
                { "n": "x", "b": [{ "c": { "n": "z" } }, { "c": null }] },
                { "n": "y", "b": [] },
            ] })),
        );
        check(&answer, &json!({ "a": rows }), &Err(AnswerError::Rows("b".to_owned())));
    }

    #[test]
    fn the_first_of_other_rows_is_an_object() {
        let answer = json!({ "a": { "rows": "a", "object": { "n": "n" } } });
        check(&answer, &json!({ "a": [{ "n": 1 }] }), &Ok(json!({ "a": { "n": 1 } })));
        check(&answer, &json!({ "a": [] }), &Ok(json!({ "a": null })));
        check(&answer, &json!({ "a": [{}] }), &Err(AnswerError::Column("n".to_owned())));
    }
}
