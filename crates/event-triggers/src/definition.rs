//! Event triggers and cron triggers of metadata, with everything resolved that a delivery needs.

use std::collections::HashMap;
use std::time::Duration;

use hasura_metadata::location::Location;
use hasura_metadata::types::connection::TextOrEnv;
use hasura_metadata::types::event_trigger::{
    CleanupConfiguration, CronTrigger, EventOperation, EventTrigger,
};
use hasura_metadata::types::name::{NameParts, QualifiedName};
use hasura_metadata::types::permission::Columns;
use hasura_metadata::types::table::Table;
use serde_json::Number;
use sources::event_log::{
    ClaimedTrigger, Operation, RecordedColumns, RecordedOperation, RowTrigger,
};

use crate::bodies::Bodies;
use crate::schedule::Schedule;
use crate::webhook::{Environment, Webhook};

/// Everything whose events a server delivers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definitions {
    pub(crate) rows: HashMap<Box<str>, EventDefinition>,
    pub(crate) cron: HashMap<Box<str>, CronDefinition>,
    /// The triggers of tables, in the order of metadata.
    triggers: Vec<RowTrigger>,
}

/// An event trigger.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EventDefinition {
    pub(crate) webhook: Webhook,
    pub(crate) retries: Retries,
    pub(crate) cleanup: Option<CleanupDefinition>,
    /// The way to the bodies of a subscription; `None` where the event is the body.
    pub(crate) bodies: Option<Bodies>,
}

/// A cron trigger.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CronDefinition {
    pub(crate) webhook: Webhook,
    pub(crate) retries: Retries,
    pub(crate) schedule: Schedule,
    /// JSON.
    pub(crate) payload: Option<Box<str>>,
    pub(crate) comment: Option<Box<str>>,
    /// The delay after which an event is dropped.
    pub(crate) tolerance: Duration,
}

/// What becomes of failed requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Retries {
    pub(crate) most: u32,
    pub(crate) interval: Duration,
    /// The time of one request.
    pub(crate) timeout: Duration,
}

/// When old events are removed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CleanupDefinition {
    pub(crate) schedule: Schedule,
    pub(crate) older_than: Duration,
    pub(crate) batch: u32,
    pub(crate) timeout: Duration,
    pub(crate) with_invocations: bool,
}

/// The reason why a trigger cannot be delivered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {message}")]
pub struct Problem {
    pub place: Location,
    pub message: String,
}

/// The longest name of an event trigger, so that those of its triggers are names of PostgreSQL.
const LONGEST_NAME: usize = 42;

/// Timeout of a request if metadata has none.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// Time after the timeout of a request in which its result is recorded.
const GRACE: Duration = Duration::from_secs(30);

/// Longest time that metadata can name; later moments have no date in a database.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

impl Definitions {
    /// Resolves the event triggers of a source's tables, and the cron triggers. All problems are found in
    /// one run.
    pub fn read(
        tables: &[Table],
        cron: &[CronTrigger],
        environment: Environment<'_>,
    ) -> Result<Self, Vec<Problem>> {
        let mut definitions = Self::default();
        let mut problems = Vec::new();
        for table in tables {
            for trigger in &table.event_triggers {
                let read = definitions.add_event_trigger(&table.table, trigger, environment);
                problems.extend(read.err());
            }
        }
        for trigger in cron {
            let read = definitions.add_cron_trigger(trigger, environment);
            problems.extend(read.err());
        }
        match problems.is_empty() {
            true => Ok(definitions),
            false => Err(problems),
        }
    }

    /// True if there is nothing to deliver.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.cron.is_empty()
    }

    /// The triggers that the database needs.
    #[must_use]
    pub fn row_triggers(&self) -> &[RowTrigger] {
        &self.triggers
    }

    /// The table of an event trigger.
    #[must_use]
    pub fn find_trigger(&self, name: &str) -> Option<&RowTrigger> {
        self.triggers.iter().find(|trigger| &*trigger.name == name)
    }

    /// The names of the cron triggers.
    pub fn cron_names(&self) -> impl Iterator<Item = &str> {
        self.cron.keys().map(|name| &**name)
    }

    /// The time after which a claim of an event trigger counts as that of a server that has ended.
    #[must_use]
    pub fn lease(&self, trigger: &str) -> Duration {
        self.rows.get(trigger).map_or(TIMEOUT, |found| found.retries.timeout) + GRACE
    }

    /// Whether a webhook has an https:// address.
    pub(crate) fn is_encrypted(&self) -> bool {
        let rows = self.rows.values().map(|definition| &definition.webhook);
        let mut webhooks = rows.chain(self.cron.values().map(|definition| &definition.webhook));
        webhooks.any(|webhook| webhook.url.scheme_str() == Some("https"))
    }

    pub(crate) fn claimed_rows(&self) -> impl Iterator<Item = ClaimedTrigger> {
        self.rows.iter().map(|(name, definition)| ClaimedTrigger {
            name: name.clone(),
            lease: definition.retries.lease(),
            tolerance: LONGEST,
        })
    }

    pub(crate) fn claimed_cron(&self) -> impl Iterator<Item = ClaimedTrigger> {
        self.cron.iter().map(|(name, definition)| ClaimedTrigger {
            name: name.clone(),
            lease: definition.retries.lease(),
            tolerance: definition.tolerance,
        })
    }

    fn add_event_trigger(
        &mut self,
        table: &QualifiedName,
        trigger: &EventTrigger,
        environment: Environment<'_>,
    ) -> Result<(), Problem> {
        let place = &trigger.place;
        let name: Box<str> = (&*trigger.name.text).into();
        let problem = |message: String| {
            let message = format!("the event trigger {name:?}: {message}");
            Problem { place: place.clone(), message }
        };
        if name.len() > LONGEST_NAME {
            return Err(problem(format!("its name has more than {LONGEST_NAME} bytes")));
        }
        if self.rows.contains_key(&name) {
            return Err(problem("another one of the source has the same name".into()));
        }
        let address = match (&trigger.webhook, &trigger.webhook_from_env) {
            (Some(text), _) => TextOrEnv::Text(text.clone()),
            (None, Some(name)) => TextOrEnv::FromEnv(name.clone()),
            (None, None) => return Err(problem("it has no webhook".into())),
        };
        let webhook = Webhook::resolve(&address, &trigger.headers, environment);
        let (request, response) = (&trigger.request_transform, &trigger.response_transform);
        let webhook = webhook.and_then(|one| one.transformed(request.as_ref(), response.as_ref()));
        let webhook = webhook.map_err(problem)?;
        let (schema, table) = table_name(&table.parts).map_err(problem)?;
        let definition = &trigger.definition;
        let operations = [
            (Operation::Insert, &definition.insert),
            (Operation::Update, &definition.update),
            (Operation::Delete, &definition.delete),
        ];
        let operations = operations.into_iter().filter_map(|(operation, recorded)| {
            recorded.as_ref().map(|recorded| record(operation, recorded))
        });
        let operations = operations.collect();
        let retries = &trigger.retry_conf;
        let retries = Retries {
            most: u32::try_from(retries.num_retries).unwrap_or(u32::MAX),
            interval: Duration::from_secs(retries.interval_sec).min(LONGEST),
            timeout: retries.timeout_sec.map_or(TIMEOUT, Duration::from_secs).min(LONGEST),
        };
        let cleanup = trigger.cleanup_config.as_ref().filter(|cleanup| !cleanup.paused);
        let cleanup = cleanup.map(read_cleanup).transpose().map_err(problem)?;
        let records_replication = trigger.trigger_on_replication;
        self.triggers.push(RowTrigger {
            name: name.clone(),
            schema,
            table,
            operations,
            records_replication,
        });
        self.rows.insert(name, EventDefinition { webhook, retries, cleanup, bodies: None });
        Ok(())
    }

    fn add_cron_trigger(
        &mut self,
        trigger: &CronTrigger,
        environment: Environment<'_>,
    ) -> Result<(), Problem> {
        let name: Box<str> = (&*trigger.name.text).into();
        let problem = |message: String| {
            let message = format!("the cron trigger {name:?}: {message}");
            Problem { place: trigger.place.clone(), message }
        };
        let webhook = Webhook::resolve(&trigger.webhook, &trigger.headers, environment);
        let (request, response) = (&trigger.request_transform, &trigger.response_transform);
        let webhook = webhook.and_then(|one| one.transformed(request.as_ref(), response.as_ref()));
        let webhook = webhook.map_err(problem)?;
        let schedule =
            Schedule::parse(&trigger.schedule).map_err(|error| problem(error.to_string()))?;
        let (mut retries, mut tolerance) = (Retries::SCHEDULED, TOLERANCE);
        if let Some(configuration) = &trigger.retry_conf {
            retries = Retries {
                most: u32::try_from(configuration.num_retries).unwrap_or(u32::MAX),
                interval: seconds(&configuration.retry_interval_seconds).map_err(problem)?,
                timeout: seconds(&configuration.timeout_seconds).map_err(problem)?,
            };
            tolerance = seconds(&configuration.tolerance_seconds).map_err(problem)?;
        }
        let definition = CronDefinition {
            webhook,
            retries,
            schedule,
            payload: trigger.payload.as_ref().map(|payload| payload.compact().into()),
            comment: trigger.comment.as_deref().map(Into::into),
            tolerance,
        };
        self.cron.insert(name, definition);
        Ok(())
    }
}

/// The delay after which an event of a schedule is dropped, if metadata has none.
pub(crate) const TOLERANCE: Duration = Duration::from_secs(6 * 3600);

impl Retries {
    /// Those of schedules, if metadata has none.
    pub(crate) const SCHEDULED: Self =
        Self { most: 0, interval: Duration::from_secs(10), timeout: TIMEOUT };

    pub(crate) fn lease(self) -> Duration {
        self.timeout + GRACE
    }
}

/// A time of metadata in seconds.
fn seconds(number: &Number) -> Result<Duration, String> {
    let seconds = number.as_f64().unwrap_or(f64::NAN);
    let duration = Duration::try_from_secs_f64(seconds);
    let duration = duration.map_err(|_| format!("{number} is no number of seconds"))?;
    Ok(duration.min(LONGEST))
}

fn record(operation: Operation, recorded: &EventOperation) -> RecordedOperation {
    RecordedOperation {
        operation,
        compared: columns(Some(&recorded.columns)),
        payload: columns(recorded.payload.as_ref()),
    }
}

fn columns(columns: Option<&Columns>) -> RecordedColumns {
    match columns {
        None | Some(Columns::All) => RecordedColumns::All,
        Some(Columns::Listed(names)) => {
            RecordedColumns::Listed(names.iter().map(|(name, _)| name.into()).collect())
        }
    }
}

fn table_name(parts: &NameParts) -> Result<(Option<Box<str>>, Box<str>), String> {
    match parts {
        NameParts::InSchema { schema, name } => Ok((Some((&**schema).into()), (&**name).into())),
        NameParts::Listed(parts) => match parts.as_slice() {
            [name] => Ok((None, (&**name).into())),
            [schema, name] => Ok((Some((&**schema).into()), (&**name).into())),
            _ => Err("its table has neither a name nor a schema and a name".into()),
        },
        NameParts::InDataset { .. } => Err("tables of BigQuery have no event triggers".into()),
    }
}

fn read_cleanup(cleanup: &CleanupConfiguration) -> Result<CleanupDefinition, String> {
    let batch = u32::try_from(cleanup.batch_size).unwrap_or(u32::MAX);
    if batch == 0 {
        return Err("the batch_size of its cleanup_config is 0".into());
    }
    Ok(CleanupDefinition {
        schedule: Schedule::parse(&cleanup.schedule).map_err(|error| error.to_string())?,
        older_than: Duration::from_secs(cleanup.clear_older_than.saturating_mul(3600)).min(LONGEST),
        batch,
        timeout: Duration::from_secs(cleanup.timeout).min(LONGEST),
        with_invocations: cleanup.clean_invocation_logs,
    })
}

#[cfg(test)]
mod tests;
