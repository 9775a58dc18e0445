//! The physical limit: hand-written statements that bring the rows of an answer, and no more.
//!
//! * `script`: a file of statements, each with what its rows are
//! * `answer`: how these rows make the answer
//! * `postgres`: the rows once, for the check; who measures them is `pgbench`
//! * `nested`: the statements of SQLite as nested loops
//! * `bare`: these loops, measured
//! * `graph`: a statement of Cypher with the form of its records
//! * `bolt`: this statement by many connections, measured
//!
//! A floor that did not bring the same would be no floor: before it is measured, its rows are
//! joined to an answer, and compared with what Thalweg has answered.

pub(crate) mod answer;
pub(crate) mod bare;
pub(crate) mod bolt;
mod driver;
pub(crate) mod graph;
pub(crate) mod nested;
mod postgres;
pub(crate) mod script;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use testkit::postgres::Server;

use super::failure::RaceError;
use super::made;
use super::suite::{Query, Source, Suite};
use crate::compare::answers;
use answer::Answer;
use script::Script;

/// The rows of each statement, by the names that the script gives them.
type Rows = HashMap<String, Vec<Row>>;

/// A row, by the names of its columns.
pub(crate) type Row = Map<String, Value>;

/// The values of an operation's variables.
pub(crate) type Variables = Map<String, Value>;

/// A floor, read from its files.
#[derive(Debug)]
pub(crate) struct Floor {
    pub(crate) path: PathBuf,
    pub(crate) script: Script,
    answer_path: PathBuf,
    answer: Answer,
    /// The member whose numbers the database makes.
    made: Option<String>,
}

impl Floor {
    /// Reads the floor of a query on a source; `None` where there is no file.
    pub(crate) fn read(
        suite: &Suite,
        query: &Query,
        source: Source,
    ) -> Result<Option<Self>, RaceError> {
        let name = query.file.text();
        let path = suite.texts.join("floors").join(match source {
            Source::Postgres => format!("{name}.sql"),
            Source::Sqlite => format!("{name}.sqlite.sql"),
            // That of a graph has another form.
            Source::Neo4j => return Ok(None),
        });
        if !path.is_file() {
            return Ok(None);
        }
        let answer_path = path.with_file_name(format!("{name}.answer.json"));
        let mut script =
            Script::parse(&read(&path)?).map_err(|error| RaceError::file(&path, &error))?;
        script.writes = query.file.writes.is_some();
        let made = query.file.writes.as_ref().map(|writes| writes.key.clone());
        let answer = serde_json::from_str(&read(&answer_path)?)
            .map_err(|error| RaceError::file(&answer_path, &error))?;
        Ok(Some(Self { path, script, answer_path, answer, made }))
    }

    /// Whether the rows of PostgreSQL make the `data` that was answered.
    pub(crate) fn check_postgres(
        &self,
        server: &Server,
        database: &str,
        variables: &Variables,
        data: &Value,
    ) -> Result<(), RaceError> {
        let rows = postgres::rows(&self.script, server, database, variables)
            .map_err(|error| RaceError::file(&self.path, &error))?;
        self.compare(rows, data)
    }

    /// Whether the rows of an SQLite file make the `data` that was answered.
    pub(crate) fn check_sqlite(
        &self,
        file: &Path,
        variables: &Variables,
        data: &Value,
    ) -> Result<(), RaceError> {
        let rows = nested::rows(&self.script, file, variables)
            .map_err(|error| RaceError::file(&self.path, &error))?;
        self.compare(rows, data)
    }

    fn compare(&self, mut rows: Rows, data: &Value) -> Result<(), RaceError> {
        let fail = |problem: &dyn ToString| RaceError::file(&self.path, &problem.to_string());
        self.script.add_looked_up(&mut rows).map_err(|error| fail(&error))?;
        let joined = answer::join(&self.answer, &rows)
            .map_err(|error| RaceError::file(&self.answer_path, &error))?;
        let [mut theirs, mut ours] = [json!({ "data": joined }), json!({ "data": data })];
        if let Some(member) = &self.made {
            for value in [&mut theirs, &mut ours] {
                made::mask_value(value, member);
            }
        }
        match answers::compare(&theirs, &ours).first() {
            None => Ok(()),
            Some(other) => Err(fail(&format!(
                "its rows make another answer: at {} they have {}, and the answer has {}",
                other.path, other.theirs, other.ours
            ))),
        }
    }
}

fn read(path: &Path) -> Result<String, RaceError> {
    fs::read_to_string(path).map_err(|error| RaceError::file(path, &error))
}
