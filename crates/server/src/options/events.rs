//! Options of the delivery of events, and of `thalweg events`.

use std::num::NonZeroU32;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use engine::SourceAddress;
use event_triggers::Settings;

use super::hasura::MetadataOptions;
use super::quantity::Time;
use crate::failure::Failure;

/// Options of a server that delivers events.
#[derive(Debug, Args)]
#[command(next_help_heading = "Hasura")]
pub(crate) struct EventOptions {
    /// For hasura, with `--metadata`: whether the events of event triggers and cron triggers are delivered;
    /// for prisma, with `--subscription-webhooks`: those of its subscriptions
    #[arg(long, env = "THALWEG_EVENTS", value_name = "WHAT", default_value = "deliver")]
    pub(crate) events: EventsMode,
    /// For hasura and prisma: the limit of concurrent requests to webhooks of events
    #[arg(long, env = "THALWEG_EVENTS_CONCURRENCY", value_name = "NUMBER", default_value = "100")]
    events_concurrency: NonZeroU32,
    /// For hasura and prisma: the time between two looks for events that are due, if nothing has announced them
    #[arg(long, env = "THALWEG_EVENTS_INTERVAL", value_name = "TIME", default_value = "1s")]
    events_interval: Time,
}

/// What a server does with events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EventsMode {
    /// Deliver them, and warn about missing triggers of the database
    Deliver,
    /// Create missing triggers of the database first, as `thalweg events install`
    Install,
    /// Leave them to other servers
    Off,
}

impl EventOptions {
    /// The settings of the delivery.
    pub(crate) fn settings(&self, drain: Duration) -> Settings {
        Settings {
            concurrency: self.events_concurrency.get(),
            interval: self.events_interval.0,
            drain,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct EventsOptions {
    #[command(subcommand)]
    pub(crate) action: EventsAction,
}

/// What `thalweg events` does.
#[derive(Debug, Subcommand)]
pub(crate) enum EventsAction {
    /// Create the log and the triggers of the metadata's event triggers, and remove those of others
    ///
    /// All is done in one transaction. The command can be repeated at any time: what is there already
    /// stays. Events of a trigger that the metadata does not have any more are archived.
    Install(InstallEvents),
    /// List events, the newest first
    List(ListEvents),
    /// Deliver events of event triggers again
    ///
    /// The exit code is 1 if one of them does not exist, or is being delivered.
    Redeliver(RedeliverEvents),
    /// Record an event of an event trigger that no change has caused, with the operation MANUAL
    Invoke(InvokeEvent),
    /// Record a single event that is delivered at a given time, without a trigger
    Schedule(ScheduleEvent),
}

/// The database of events.
#[derive(Debug, Args)]
pub(crate) struct EventSource {
    /// The database, `postgres://…` or the path of a SQLite file
    #[arg(env = "THALWEG_SOURCE", hide_env_values = true)]
    source: String,
}

#[derive(Debug, Args)]
pub(crate) struct InstallEvents {
    #[command(flatten)]
    pub(crate) database: EventSource,
    #[command(flatten)]
    pub(crate) metadata: MetadataOptions,
    /// Dry run: print the statements without running them
    #[arg(help_heading = "Events", long, env = "THALWEG_DRY_RUN")]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Events")]
pub(crate) struct ListEvents {
    #[command(flatten)]
    pub(crate) database: EventSource,
    /// The log whose events are listed
    #[arg(long, env = "THALWEG_OF", value_name = "LOG", default_value = "rows")]
    pub(crate) of: ListedLog,
    /// Only events of this trigger; of single events, those with this comment
    #[arg(long, env = "THALWEG_TRIGGER", value_name = "NAME")]
    pub(crate) trigger: Option<String>,
    /// Only events in this state
    #[arg(long, env = "THALWEG_STATE", value_name = "STATE", default_value = "all")]
    pub(crate) state: ListedState,
    /// The most events that are listed
    #[arg(long, env = "THALWEG_MOST", value_name = "NUMBER", default_value = "50")]
    pub(crate) most: NonZeroU32,
}

/// A log of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListedLog {
    /// Changes of rows, by event triggers
    Rows,
    /// Times of cron triggers
    Cron,
    /// Single events at a given time
    OneOff,
}

/// The state of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListedState {
    All,
    /// Neither delivered nor given up
    Pending,
    Delivered,
    /// Given up after all attempts
    Failed,
}

#[derive(Debug, Args)]
pub(crate) struct RedeliverEvents {
    #[command(flatten)]
    pub(crate) database: EventSource,
    /// The ids of the events
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct InvokeEvent {
    #[command(flatten)]
    pub(crate) database: EventSource,
    /// The event trigger, which has `enable_manual`
    #[arg(value_name = "TRIGGER")]
    pub(crate) trigger: String,
    #[command(flatten)]
    pub(crate) metadata: MetadataOptions,
    /// The new row of the event, as JSON
    #[arg(
        help_heading = "Events",
        long,
        env = "THALWEG_PAYLOAD",
        value_name = "JSON",
        default_value = "null"
    )]
    pub(crate) payload: String,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Events")]
pub(crate) struct ScheduleEvent {
    #[command(flatten)]
    pub(crate) database: EventSource,
    /// The address that receives the event
    #[arg(value_name = "WEBHOOK")]
    pub(crate) webhook: String,
    /// The time of the event, as in 2030-01-31T08:00:00Z
    #[arg(long, env = "THALWEG_AT", value_name = "TIME")]
    pub(crate) at: String,
    /// The payload, as JSON
    #[arg(long, env = "THALWEG_PAYLOAD", value_name = "JSON")]
    pub(crate) payload: Option<String>,
    /// A header of the request; may be repeated
    #[arg(
        long = "header",
        env = "THALWEG_HEADER",
        hide_env_values = true,
        value_name = "NAME: VALUE"
    )]
    pub(crate) headers: Vec<String>,
    /// The number of further attempts after a failure
    #[arg(long, env = "THALWEG_RETRIES", value_name = "NUMBER", default_value = "0")]
    pub(crate) retries: u32,
    /// A comment, which the webhook receives
    #[arg(long, env = "THALWEG_COMMENT", value_name = "TEXT")]
    pub(crate) comment: Option<String>,
}

impl EventSource {
    pub(crate) fn address(&self) -> Result<SourceAddress, Failure> {
        Ok(SourceAddress::parse(&self.source).map_err(engine::OpenError::from)?)
    }
}
