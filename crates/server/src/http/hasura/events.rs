//! Calls of the metadata API for events of event triggers and of schedules.

use event_triggers::{Definitions, NewEvent};
use hasura_metadata::Metadata;
use hasura_metadata::types::event_trigger::EventTrigger;
use hasura_metadata::types::table::Table;
use hyper::StatusCode;
use serde_json::{Map, Value, json};
use sources::EventLog;
use sources::event_log::{EventReport, ManualEvent, Page, Redelivery, ScheduledQueue};

use super::failure::Failure;
use super::{HasuraSettings, trigger_table};
use crate::http::service::Service;

/// The source of a call that names none.
const DEFAULT: &str = "default";

/// The most events of a report by default.
const PAGE: i64 = 100;

/// A call about events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventCall {
    Redeliver,
    Invoke,
    Events,
    Invocations,
    Event,
    CreateScheduled,
    DeleteScheduled,
    Scheduled,
    ScheduledInvocations,
    CronTriggers,
}

impl EventCall {
    /// The call of a type.
    pub(super) fn find(kind: &str) -> Option<Self> {
        Some(match kind {
            "redeliver_event" | "pg_redeliver_event" => Self::Redeliver,
            "invoke_event_trigger" | "pg_invoke_event_trigger" => Self::Invoke,
            "pg_get_event_logs" => Self::Events,
            "pg_get_event_invocation_logs" => Self::Invocations,
            "pg_get_event_by_id" => Self::Event,
            "create_scheduled_event" => Self::CreateScheduled,
            "delete_scheduled_event" => Self::DeleteScheduled,
            "get_scheduled_events" => Self::Scheduled,
            "get_scheduled_event_invocations" | "get_event_invocations" => {
                Self::ScheduledInvocations
            }
            "get_cron_triggers" => Self::CronTriggers,
            _ => return None,
        })
    }

    /// True for a call about the events of a source; those of schedules belong to no source.
    fn is_of_source(self) -> bool {
        match self {
            Self::Redeliver | Self::Invoke | Self::Events | Self::Invocations | Self::Event => true,
            Self::CreateScheduled
            | Self::DeleteScheduled
            | Self::Scheduled
            | Self::ScheduledInvocations
            | Self::CronTriggers => false,
        }
    }

    /// Answers the call; `path` is that of the request in the body.
    pub(super) async fn run(
        self,
        service: &Service,
        settings: &HasuraSettings,
        args: &Value,
        path: &str,
    ) -> Result<Value, Failure> {
        let metadata = settings.metadata.as_ref().and_then(|packed| packed.read().metadata);
        let (metadata, path) = (metadata.as_ref(), format!("{path}.args"));
        let source = match args.get("source") {
            Some(Value::String(name)) if self.is_of_source() => name,
            // Hasura takes this one.
            None if self.is_of_source() && settings.events.is_served(DEFAULT) => DEFAULT,
            _ => settings.events.first(),
        };
        let arguments = Arguments { settings, metadata, source, args, path };
        if self.is_of_source() && args.get("source").is_some() {
            arguments.text("source")?;
        }
        match self {
            Self::CronTriggers => return Ok(json!({ "cron_triggers": arguments.cron_triggers() })),
            Self::CreateScheduled if service.settings.is_open() => {
                return Err(arguments.wrong(
                    "access-denied",
                    "without an admin secret anybody could have requests sent to any host: \
                     configure one, or use `thalweg events schedule`",
                ));
            }
            _ if self.is_of_source() => arguments.check_source()?,
            _ => {}
        }
        let log = arguments.log().await?;
        match self {
            Self::Redeliver => arguments.redeliver(log).await,
            Self::Invoke => arguments.invoke(log).await,
            Self::Events => {
                let (trigger, pending) = (arguments.trigger()?, arguments.pending()?);
                let page = arguments.page(["limit", "offset"], Some(PAGE))?;
                arguments.report(log, EventReport::Events { trigger, pending, page }).await
            }
            Self::Invocations => {
                let trigger = arguments.trigger()?;
                let page = arguments.page(["limit", "offset"], Some(PAGE))?;
                arguments.report(log, EventReport::Invocations { trigger, page }).await
            }
            Self::Event => {
                let id = arguments.text("event_id")?;
                let names = ["invocation_log_limit", "invocation_log_offset"];
                let page = arguments.page(names, Some(PAGE))?;
                arguments.report(log, EventReport::Event { id, page }).await
            }
            Self::CreateScheduled => {
                let event = NewEvent::of_request(args);
                let event = event.map_err(|error| arguments.wrong("parse-failed", error))?;
                let id = log.add_one_off(&event.as_new()).await;
                let id = id.map_err(|error| arguments.unusable(&error))?;
                Ok(json!({ "message": "success", "event_id": id }))
            }
            Self::DeleteScheduled => {
                let (queue, id) = (arguments.queue()?, arguments.text("event_id")?);
                let deleted = log.delete_scheduled(queue, id).await;
                deleted.map_err(|error| arguments.unusable(&error))?;
                Ok(json!({ "message": "success" }))
            }
            Self::Scheduled => {
                let queue = arguments.named_queue()?;
                let (statuses, page) =
                    (arguments.statuses()?, arguments.page(["limit", "offset"], None)?);
                let report = EventReport::Scheduled { queue, statuses: &statuses, page };
                let found = arguments.report(log, report).await?;
                Ok(arguments.counted(found))
            }
            Self::ScheduledInvocations => {
                let event = match args.get("event_id") {
                    None | Some(Value::Null) => None,
                    Some(_) => Some(arguments.text("event_id")?),
                };
                let queue = match event {
                    Some(_) => arguments.queue()?,
                    None => arguments.named_queue()?,
                };
                let page = arguments.page(["limit", "offset"], None)?;
                let report = EventReport::ScheduledInvocations { queue, event, page };
                let found = arguments.report(log, report).await?;
                Ok(arguments.counted(found))
            }
            Self::CronTriggers => Ok(Value::Null),
        }
    }
}

/// The arguments of a call.
struct Arguments<'a> {
    settings: &'a HasuraSettings,
    metadata: Option<&'a Metadata>,
    /// The source whose log has the events.
    source: &'a str,
    args: &'a Value,
    path: String,
}

impl<'a> Arguments<'a> {
    /// The log of the source, which is there.
    async fn log(&self) -> Result<&'a EventLog, Failure> {
        let Some(log) = self.settings.events.find(self.source) else {
            return Err(self.wrong("not-supported", "the source has no log of events"));
        };
        match log.is_complete().await {
            Ok(true) => Ok(log),
            Ok(false) => Err(self.wrong(
                "not-exists",
                "the database has no log of events: `thalweg events install` creates it",
            )),
            Err(error) => Err(self.unusable(&error)),
        }
    }

    async fn redeliver(&self, log: &EventLog) -> Result<Value, Failure> {
        // The lease of a trigger without a timeout of its own.
        let lease = Definitions::default().lease("");
        match log.redeliver(self.text("event_id")?, lease).await {
            Ok(Redelivery::Scheduled) => Ok(json!({ "message": "success" })),
            Ok(Redelivery::InProgress) => {
                Err(self.wrong("busy", "event is already being processed"))
            }
            Ok(Redelivery::Missing) => Err(self.wrong("not-exists", "event not found")),
            Err(error) => Err(self.unusable(&error)),
        }
    }

    async fn invoke(&self, log: &EventLog) -> Result<Value, Failure> {
        let (table, trigger) = self.event_trigger(self.text("name")?)?;
        if !trigger.definition.enable_manual {
            let message = "manual mode is not enabled for event trigger";
            return Err(self.wrong("not-supported", message));
        }
        let payload = self.args.get("payload").unwrap_or(&Value::Null);
        let data = json!({ "old": null, "new": payload }).to_string();
        let Some((schema, table)) = trigger_table(&table.table) else {
            return Err(self.wrong("unexpected", "the name of the table has no schema"));
        };
        let event = ManualEvent { trigger: &trigger.name.text, schema, table, data: &data };
        let id = log.invoke(&event).await.map_err(|error| self.unusable(&error))?;
        Ok(json!({ "event_id": id }))
    }

    async fn report(&self, log: &EventLog, report: EventReport<'_>) -> Result<Value, Failure> {
        let found = log.report(&report).await.map_err(|error| self.unusable(&error))?;
        let Some(text) = found else { return Err(self.wrong("not-exists", "event not found")) };
        // The database has written it.
        Ok(serde_json::from_str(&text).unwrap_or_default())
    }

    /// The report with its count only if that is asked for.
    fn counted(&self, mut report: Value) -> Value {
        let is_asked = self.args.get("get_rows_count") == Some(&Value::Bool(true));
        if let Some(members) = report.as_object_mut().filter(|_| !is_asked) {
            members.remove("count");
        }
        report
    }

    fn cron_triggers(&self) -> Value {
        let json = self.metadata.map(|metadata| metadata.to_json().compact());
        let json = json.and_then(|json| serde_json::from_str::<Map<String, Value>>(&json).ok());
        let triggers = json.and_then(|mut json| json.remove("cron_triggers"));
        triggers.unwrap_or_else(|| json!([]))
    }

    /// A trigger of the source with its table.
    fn event_trigger(&self, name: &str) -> Result<(&'a Table, &'a EventTrigger), Failure> {
        let sources = self.metadata.into_iter().flat_map(|metadata| metadata.sources.iter());
        let sources = sources.filter(|source| source.name.text == self.source);
        let tables = sources.flat_map(|source| source.tables.iter());
        let mut triggers = tables
            .flat_map(|table| table.event_triggers.iter().map(move |trigger| (table, trigger)));
        let found = triggers.find(|(_, trigger)| trigger.name.text == name);
        found.ok_or_else(|| {
            self.wrong("not-exists", format!("event trigger \"{name}\" does not exist"))
        })
    }

    /// The name of an event trigger, which exists.
    fn trigger(&self) -> Result<&'a str, Failure> {
        let name = self.text("name")?;
        self.event_trigger(name)?;
        Ok(name)
    }

    fn queue(&self) -> Result<ScheduledQueue<'a>, Failure> {
        match self.text("type")? {
            "cron" => Ok(ScheduledQueue::Cron(None)),
            "one_off" => Ok(ScheduledQueue::OneOff),
            other => {
                let message = format!("expected \"cron\" or \"one_off\", but found {other:?}");
                Err(self.wrong("parse-failed", message))
            }
        }
    }

    /// The events of a schedule; of cron triggers those of one, which exists.
    fn named_queue(&self) -> Result<ScheduledQueue<'a>, Failure> {
        let queue = self.queue()?;
        if queue == ScheduledQueue::OneOff {
            return Ok(queue);
        }
        let name = self.text("trigger_name")?;
        let mut triggers =
            self.metadata.into_iter().flat_map(|metadata| metadata.cron_triggers.iter());
        if !triggers.any(|trigger| trigger.name.text == name) {
            let message = format!("cron trigger with name: {name} does not exist");
            return Err(self.wrong("not-exists", message));
        }
        Ok(ScheduledQueue::Cron(Some(name)))
    }

    fn statuses(&self) -> Result<Vec<String>, Failure> {
        let statuses = match self.args.get("status") {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::Array(statuses)) => statuses,
            Some(_) => return Err(self.wrong("parse-failed", "expected a list of statuses")),
        };
        let known = ["scheduled", "locked", "delivered", "error", "dead"];
        let status = |status: &Value| match status.as_str() {
            Some(status) if known.contains(&status) => Ok(status.to_owned()),
            _ => {
                let message = format!("{status} is no status: these are {}", known.join(", "));
                Err(self.wrong("parse-failed", message))
            }
        };
        statuses.iter().map(status).collect()
    }

    fn pending(&self) -> Result<Option<bool>, Failure> {
        match self.args.get("status") {
            None | Some(Value::Null) => Ok(None),
            Some(status) => match status.as_str() {
                Some("pending") => Ok(Some(true)),
                Some("processed") => Ok(Some(false)),
                _ => {
                    let message = format!("expected \"pending\" or \"processed\", not {status}");
                    Err(self.wrong("parse-failed", message))
                }
            },
        }
    }

    fn page(&self, [limit, offset]: [&str; 2], usual: Option<i64>) -> Result<Page, Failure> {
        let number = |key: &str| match self.args.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_i64().filter(|number| *number >= 0) {
                Some(number) => Ok(Some(number)),
                None => {
                    let message = format!("expected a number that is not negative, not {value}");
                    Err(self.wrong("parse-failed", message))
                }
            },
        };
        let (limit, offset) = (number(limit)?, number(offset)?);
        Ok(Page { limit: limit.or(usual), offset: offset.unwrap_or_default() })
    }

    fn text(&self, key: &str) -> Result<&'a str, Failure> {
        match self.args.get(key) {
            Some(Value::String(text)) => Ok(text),
            Some(_) => Err(self.wrong("parse-failed", format!("the key \"{key}\" is no text"))),
            None => Err(self.wrong("parse-failed", format!("key \"{key}\" not found"))),
        }
    }

    /// A source that the call names has to be one of the metadata, and served.
    fn check_source(&self) -> Result<(), Failure> {
        let Self { settings, metadata, source: name, .. } = *self;
        if settings.events.is_served(name) {
            return Ok(());
        }
        let mut sources = metadata.into_iter().flat_map(|metadata| metadata.sources.iter());
        match sources.any(|source| source.name.text == name) {
            false => {
                let message = format!("source with name \"{name}\" does not exist");
                Err(self.wrong("not-exists", message))
            }
            true => {
                let message = format!(
                    "the source \"{name}\" is not served: give its address with \
                     `--further-source NAME=URL`"
                );
                Err(self.wrong("not-supported", message))
            }
        }
    }

    fn wrong(&self, code: &str, message: impl std::fmt::Display) -> Failure {
        Failure::new(StatusCode::BAD_REQUEST, code, message).at(&*self.path)
    }

    fn unusable(&self, error: &sources::EventLogError) -> Failure {
        tracing::error!(%error, "the log of events cannot be used");
        let (status, message) = match error {
            sources::EventLogError::NoReports => return self.wrong("not-supported", error),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "the log of events cannot be used"),
        };
        Failure::new(status, "unexpected", message).at(&*self.path)
    }
}
