//! A floor in Neo4j: a statement of Cypher, and how its records make the answer.
//!
//! Records and the lists in them are rows by position, as a server wants them that looks for no
//! names; `floors/<query>.cypher.json` says which member of the answer stands where.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use testkit::neo4j::{Graph, Value};

use super::Variables;
use crate::compare::answers;
use crate::race::failure::RaceError;
use crate::race::suite::{Query, Suite};

/// A floor, read from its files.
#[derive(Debug)]
pub(crate) struct GraphFloor {
    pub(crate) path: PathBuf,
    pub(crate) statement: String,
    shape: Members,
}

/// The members of an object.
type Members = BTreeMap<String, Part>;

/// A value of the answer.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Part {
    /// The value at this place of the row.
    Place(usize),
    /// An object for each row of a list.
    List(List),
    /// An object of the same row.
    Object(Object),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    /// The place of the list in the row; all records where there is none.
    at: Option<usize>,
    each: Members,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    object: Members,
}

impl GraphFloor {
    /// Reads the floor of a query; `None` where there is no file.
    pub(crate) fn read(suite: &Suite, query: &Query) -> Result<Option<Self>, RaceError> {
        let floors = suite.texts.join("floors");
        let path = floors.join([query.file.text(), ".cypher"].concat());
        if !path.is_file() {
            return Ok(None);
        }
        let told = |error: std::io::Error| RaceError::file(&path, &error);
        let statement = fs::read_to_string(&path).map_err(told)?;
        let shape_path = path.with_extension("cypher.json");
        let shape = fs::read_to_string(&shape_path).map_err(told)?;
        let shape =
            serde_json::from_str(&shape).map_err(|error| RaceError::file(&shape_path, &error))?;
        Ok(Some(Self { path, statement, shape }))
    }

    /// Whether the records make the `data` that was answered.
    pub(crate) fn check(
        &self,
        graph: &Graph,
        variables: &Variables,
        data: &Json,
    ) -> Result<(), RaceError> {
        let fail = |problem: &dyn ToString| RaceError::file(&self.path, &problem.to_string());
        let records = graph.run_with(&self.statement, parameters(variables));
        let records: Vec<Json> = records
            .map_err(|error| fail(&error))?
            .into_iter()
            .map(|record| to_json(&Value::List(record)))
            .collect();
        let made = self.join(&records).ok_or_else(|| fail(&"its records have another form"))?;
        let [theirs, ours] = [json!({ "data": made }), json!({ "data": data })];
        match answers::compare(&theirs, &ours).first() {
            None => Ok(()),
            Some(other) => Err(fail(&format!(
                "its rows make another answer: at {} they have {}, and the answer has {}",
                other.path, other.theirs, other.ours
            ))),
        }
    }

    /// The answer's `data`; nothing where the records have not what the form names. What is no list
    /// of all records is of the first one.
    fn join(&self, records: &[Json]) -> Option<Json> {
        let first = records.first().cloned().unwrap_or_default();
        object(&self.shape, &first, records)
    }
}

fn object(members: &Members, row: &Json, records: &[Json]) -> Option<Json> {
    let mut made = Map::new();
    for (name, part) in members {
        let value = match part {
            Part::Place(place) => row.get(place)?.clone(),
            Part::Object(part) => object(&part.object, row, records)?,
            Part::List(part) => {
                let rows = match part.at {
                    Some(place) => row.get(place)?.as_array()?,
                    None => records,
                };
                let each = rows.iter().map(|row| object(&part.each, row, records));
                Json::Array(each.collect::<Option<_>>()?)
            }
        };
        made.insert(name.clone(), value);
    }
    Some(Json::Object(made))
}

/// The values of variables as a statement gets them.
pub(crate) fn parameters(variables: &Variables) -> Value {
    to_value(&Json::Object(variables.clone()))
}

/// The value that a member of JSON is in Bolt.
pub(crate) fn to_value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Boolean(*value),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => Value::Integer(integer),
            None => Value::Float(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(values) => Value::List(values.iter().map(to_value).collect()),
        Json::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), to_value(value)));
            Value::Map(members.collect())
        }
    }
}

/// The other way; what JSON has no form for is its text.
pub(crate) fn to_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Boolean(value) => Json::from(*value),
        Value::Integer(number) => Json::from(*number),
        Value::Float(number) => Json::from(*number),
        Value::Text(text) => Json::from(text.as_str()),
        Value::List(values) => values.iter().map(to_json).collect(),
        Value::Map(entries) => {
            let entries = entries.iter().map(|(name, value)| (name.clone(), to_json(value)));
            Json::Object(entries.collect())
        }
        Value::Bytes(_) | Value::Structure(..) => Json::from(value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(shape: &Json, records: &[Json], expected: Option<&Json>) {
        let shape = serde_json::from_value(shape.clone()).expect("a form");
        let floor = GraphFloor { path: PathBuf::new(), statement: String::new(), shape };
        assert_eq!(floor.join(records).as_ref(), expected);
    }

    #[test]
    fn records_are_taken_apart_by_position() {
        let shape = json!({ "movies": { "each": {
            "title": 0,
            "actors": { "at": 1, "each": { "node": { "object": { "name": 0 } } } },
        } } });
        let records = [json!(["a", [["x"], ["y"]]]), json!(["b", []])];
        let movies = json!([
            { "title": "a", "actors": [{ "node": { "name": "x" } }, { "node": { "name": "y" } }] },
            { "title": "b", "actors": [] },
        ]);
        check(&shape, &records, Some(&json!({ "movies": movies })));
        check(&shape, &[json!(["a"])], None);
        check(&shape, &[json!(["a", "b"])], None);
    }

    #[test]
    fn the_only_record_is_an_object() {
        let shape = json!({ "a": { "object": { "n": 0, "l": { "at": 1, "each": { "m": 0 } } } } });
        let expected = json!({ "a": { "n": 2, "l": [{ "m": 1.5 }] } });
        check(&shape, &[json!([2, [[1.5]]])], Some(&expected));
        check(&shape, &[], None);
    }

    #[test]
    fn values_go_both_ways() {
        let value = json!({ "a": [1, 1.5, "x", null, true] });
        assert_eq!(to_json(&to_value(&value)), value);
    }
}
