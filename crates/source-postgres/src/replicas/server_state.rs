//! The state of a server, as it tells it.

use std::time::Duration;

use tokio::time::timeout;
use tokio_postgres::{Client, Row};

/// Time limit of a check, with its connection. A server that takes longer would also delay requests.
pub(super) const CHECK_TIMEOUT: Duration = Duration::from_secs(2);

/// The state of a server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ServerState {
    pub(crate) is_standby: bool,
    /// The end of the log that a standby has replayed, and that any other server has written.
    pub(crate) offset: u64,
    /// The end of the log that a standby has received; none if it receives nothing.
    pub(crate) received: Option<u64>,
    /// The age of the newest transaction that a standby has replayed.
    pub(crate) age: Option<Duration>,
    pub(crate) timeline: u32,
    pub(crate) identity: Identity,
}

/// What distinguishes a server and a database from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The identifier of the cluster, which its standbys share.
    pub(crate) system: u64,
    /// The time at which the server was started, which its standbys do not share.
    pub(crate) started: Box<str>,
    pub(crate) database: Box<str>,
}

impl ServerState {
    /// Asks a server. The error is its own message.
    pub(crate) async fn read(client: &Client) -> Result<Self, String> {
        let asked = client.query_typed(include_str!("state.sql"), &[]);
        let rows = match timeout(CHECK_TIMEOUT, asked).await {
            Ok(rows) => rows.map_err(|error| message(&error))?,
            Err(_) => return Err("it does not answer".to_owned()),
        };
        let row = rows.first().ok_or("it gives no state")?;
        Self::of(row).map_err(|error| error.to_string())
    }

    /// Keeps the timeline that a standby has followed since its start. Without a primary it has no
    /// receiver, and tells the timeline of its last restart point, which may be an earlier one.
    pub(super) fn keep_timeline(&mut self, before: &Self) {
        if self.is_standby && before.is_standby && self.identity == before.identity {
            self.timeline = self.timeline.max(before.timeline);
        }
    }

    fn of(row: &Row) -> Result<Self, tokio_postgres::Error> {
        let offset = |idx| -> Result<Option<u64>, tokio_postgres::Error> {
            let text: Option<String> = row.try_get(idx)?;
            Ok(text.and_then(|text| text.parse().ok()))
        };
        let age: Option<f64> = row.try_get(3)?;
        let timeline: Option<i64> = row.try_get(5)?;
        let [system, started, database] = [row.try_get(4)?, row.try_get(6)?, row.try_get(7)?];
        let system: String = system;
        Ok(Self {
            is_standby: row.try_get(0)?,
            offset: offset(1)?.unwrap_or_default(),
            received: offset(2)?,
            // Clocks may differ.
            age: age.map(|age| Duration::try_from_secs_f64(age.max(0.0)).unwrap_or(Duration::MAX)),
            timeline: timeline.and_then(|one| u32::try_from(one).ok()).unwrap_or_default(),
            identity: Identity {
                system: system.parse().unwrap_or_default(),
                started: String::into_boxed_str(started),
                database: String::into_boxed_str(database),
            },
        })
    }
}

fn message(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(error) => error.message().to_owned(),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standby_keeps_its_timeline_until_it_is_started_again() {
        let state = |timeline, started: &str, is_standby| ServerState {
            is_standby,
            offset: 1,
            received: None,
            age: None,
            timeline,
            identity: Identity { system: 1, started: started.into(), database: "".into() },
        };
        let before = state(2, "1", true);
        let check = |mut told: ServerState, expected: u32| {
            told.keep_timeline(&before);
            assert_eq!(told.timeline, expected, "{told:?}");
        };
        check(state(1, "1", true), 2);
        check(state(3, "1", true), 3);
        check(state(1, "2", true), 1);
        check(state(1, "1", false), 1);
    }
}
