//! The log of asynchronous actions in a file, in a table like that of Hasura.

use std::path::Path;

use rusqlite::{OptionalExtension, Row, params};
use serde_json::{Map, Value, json};
use source::Timeouts;
use source::action_log::{ActionRecord, ActionResult, ClaimedAction, LoggedAnswer, NewAction};

use super::event_log::{EventLogError, SqliteEventLog, change, flag};

/// The log of a file, on a connection of its own.
#[derive(Debug)]
pub struct SqliteActionLog(SqliteEventLog);

impl SqliteActionLog {
    #[must_use]
    pub fn new(path: &Path, timeouts: Timeouts) -> Self {
        Self(SqliteEventLog::new(path, timeouts))
    }

    /// Creates the log if it is missing.
    pub async fn create(&self) -> Result<(), EventLogError> {
        self.0
            .run(|connection| {
                if flag(connection, include_str!("action_log/is_complete.sql"), [])? {
                    return Ok(());
                }
                let create = include_str!("action_log/create.sql");
                change(connection, |connection| Ok(connection.execute_batch(create)?))
            })
            .await
    }

    /// Records a call, and returns its id.
    pub async fn record(&self, action: &NewAction<'_>) -> Result<String, EventLogError> {
        let NewAction { name, input, headers, session } = action;
        let values = [name, input, headers].map(|text| (*text).to_owned());
        let session = sorted(session);
        self.0
            .run(move |connection| {
                let [name, input, headers] = &values;
                let mut statement =
                    connection.prepare_cached(include_str!("action_log/record.sql"))?;
                let parameters = params![name, input, headers, session];
                Ok(statement.query_row(parameters, |row| row.get(0))?)
            })
            .await
    }

    /// The state of a call; `None` if there is none that the session may see.
    pub async fn read(
        &self,
        record: &ActionRecord<'_>,
    ) -> Result<Option<LoggedAnswer>, EventLogError> {
        let (id, name) = (canonical_id(record.id), record.name.to_owned());
        let session = record.session.map(sorted);
        self.0
            .run(move |connection| {
                let mut statement =
                    connection.prepare_cached(include_str!("action_log/read.sql"))?;
                let answer = |row: &Row<'_>| {
                    let (output, errors) = (row.get(1)?, row.get(2)?);
                    Ok(LoggedAnswer { created_at: row.get(0)?, output, errors })
                };
                Ok(statement.query_row(params![id, name, session], answer).optional()?)
            })
            .await
    }

    /// Claims calls that nobody delivers: names of actions, each with the seconds after which a claim has
    /// ended.
    pub async fn claim(
        &self,
        most: u32,
        names: &[&str],
        leases: &[f64],
    ) -> Result<Vec<ClaimedAction>, EventLogError> {
        let wanted = json!(names.iter().zip(leases).collect::<Vec<_>>()).to_string();
        self.0
            .run(move |connection| {
                // A claim makes other writers of the file wait.
                if !flag(connection, include_str!("action_log/has_due.sql"), [&wanted])? {
                    return Ok(Vec::new());
                }
                let mut statement =
                    connection.prepare_cached(include_str!("action_log/claim.sql"))?;
                let claimed = statement.query_map(params![wanted, most], |row| {
                    Ok(ClaimedAction {
                        id: row.get(0)?,
                        name: row.get(1)?,
                        input: row.get(2)?,
                        headers: row.get(3)?,
                        session: row.get(4)?,
                    })
                })?;
                Ok(claimed.collect::<Result<_, _>>()?)
            })
            .await
    }

    /// Records the end of a call.
    pub async fn finish(&self, id: &str, result: &ActionResult) -> Result<(), EventLogError> {
        let id = id.to_owned();
        let (output, errors) = match result {
            ActionResult::Output(output) => (Some(output.clone()), None),
            ActionResult::Failed(error) => (None, Some(error.clone())),
        };
        self.0
            .run(move |connection| {
                let finish = include_str!("action_log/finish.sql");
                connection.prepare_cached(finish)?.execute(params![id, output, errors])?;
                Ok(())
            })
            .await
    }

    /// Ends claims of calls that were not delivered.
    pub async fn release(&self, ids: &[String]) -> Result<(), EventLogError> {
        let ids = json!(ids).to_string();
        self.0
            .run(move |connection| {
                let release = include_str!("action_log/release.sql");
                connection.prepare_cached(release)?.execute([&ids])?;
                Ok(())
            })
            .await
    }
}

/// The text of an object with its members in the order of their names, so that equal objects have equal
/// texts.
fn sorted(object: &str) -> String {
    let Ok(members) = serde_json::from_str::<Map<String, Value>>(object) else {
        return object.to_owned();
    };
    let mut members: Vec<(String, Value)> = members.into_iter().collect();
    members.sort_by(|(left, _), (right, _)| left.cmp(right));
    Value::Object(members.into_iter().collect()).to_string()
}

/// The text of a UUID as it is stored, of any form that PostgreSQL reads.
fn canonical_id(id: &str) -> String {
    let digits: Vec<char> =
        id.chars().filter(|char| *char != '-').map(|char| char.to_ascii_lowercase()).collect();
    let mut text = String::with_capacity(36);
    for (place, digit) in digits.into_iter().enumerate() {
        if matches!(place, 8 | 12 | 16 | 20) {
            text.push('-');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{canonical_id, sorted};

    #[test]
    fn equal_sessions_and_ids_have_equal_texts() {
        assert_eq!(sorted(r#"{"b": "1", "a": [2, 1]}"#), r#"{"a":[2,1],"b":"1"}"#);
        let id = "8f530cd7-e9d1-4a5e-8ab4-405913d3a1c9";
        assert_eq!(canonical_id("8F530CD7E9D14A5E8AB4405913D3A1C9"), id);
        assert_eq!(canonical_id(id), id);
    }
}
