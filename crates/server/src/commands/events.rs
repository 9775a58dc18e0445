//! `thalweg events`: creates the log and the triggers of events, lists events, delivers them again.

use std::fmt::Write as _;
use std::process::ExitCode;

use dialects::hasura::metadata::ServedSource;
use engine::{OpenOptions, SourceAddress, Timeouts, stored_metadata};
use event_triggers::{Definitions, NewEvent};
use serde_json::{Value, json};
use sources::EventLog;
use sources::event_log::{EventState, ListedEvent, ManualEvent, Queue, Redelivery};

use super::{block_on, print};
use crate::events::{check, definitions};
use crate::failure::Failure;
use crate::options::{
    EventsAction, EventsOptions, InstallEvents, InvokeEvent, ListEvents, ListedLog, ListedState,
    MetadataOptions, RedeliverEvents, ScheduleEvent,
};

/// How long a claim without known metadata counts: that of a trigger without a timeout of its own.
fn usual_lease() -> std::time::Duration {
    Definitions::default().lease("")
}

pub(super) fn run(options: &EventsOptions) -> Result<ExitCode, Failure> {
    block_on(async {
        match &options.action {
            EventsAction::Install(options) => install(options).await,
            EventsAction::List(options) => list(options).await,
            EventsAction::Redeliver(options) => redeliver(options).await,
            EventsAction::Invoke(options) => invoke(options).await,
            EventsAction::Schedule(options) => schedule(options).await,
        }
    })
}

fn open(address: &SourceAddress) -> Result<EventLog, Failure> {
    EventLog::new(address, Timeouts::default()).map_err(Failure::other)
}

/// The log of a database that has one.
async fn open_installed(address: &SourceAddress) -> Result<EventLog, Failure> {
    let log = open(address)?;
    match log.is_complete().await.map_err(Failure::other)? {
        true => Ok(log),
        false => Err(Failure::Usage(
            "the database has no log of events: `thalweg events install` creates it".into(),
        )),
    }
}

async fn served(
    address: &SourceAddress,
    options: &MetadataOptions,
) -> Result<ServedSource, Failure> {
    let setting = options.to_setting()?;
    let own = OpenOptions::default();
    let served = stored_metadata::served(address, &own, &setting).await?;
    served.ok_or_else(|| {
        Failure::Usage("the event triggers are in the metadata: `--metadata` names it".into())
    })
}

async fn install(options: &InstallEvents) -> Result<ExitCode, Failure> {
    let address = options.database.address()?;
    let definitions = definitions(&served(&address, &options.metadata).await?)?;
    let log = open(&address)?;
    let plan = log.plan(definitions.row_triggers()).await.map_err(Failure::other)?;
    check(&plan)?;
    if options.dry_run {
        let mut script = String::new();
        for statement in &plan.statements {
            // Writing to a string cannot fail.
            let _ = writeln!(script, "-- {}\n{};", statement.reason, statement.sql);
        }
        print(&script)?;
        return Ok(ExitCode::SUCCESS);
    }
    log.install(&plan).await.map_err(Failure::other)?;
    let mut text = String::new();
    for statement in &plan.statements {
        let _ = writeln!(text, "Installed, because {}.", statement.reason);
    }
    if plan.statements.is_empty() {
        text.push_str("The log and all triggers are there.\n");
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

async fn list(options: &ListEvents) -> Result<ExitCode, Failure> {
    let log = open_installed(&options.database.address()?).await?;
    let queue = match options.of {
        ListedLog::Rows => Queue::Rows,
        ListedLog::Cron => Queue::Cron,
        ListedLog::OneOff => Queue::OneOff,
    };
    let state = match options.state {
        ListedState::All => EventState::All,
        ListedState::Pending => EventState::Pending,
        ListedState::Delivered => EventState::Delivered,
        ListedState::Failed => EventState::Failed,
    };
    let listed = log.list(queue, options.trigger.as_deref(), state, options.most.get()).await;
    print(&table(&listed.map_err(Failure::other)?))?;
    Ok(ExitCode::SUCCESS)
}

/// A line for each event, with columns of one width.
fn table(events: &[ListedEvent]) -> String {
    let rows = events.iter().map(|event| {
        let status = event.last_status.map_or_else(|| "-".to_owned(), |status| status.to_string());
        let tries = event.tries.to_string();
        [&event.id, &event.state, &tries, &status, &event.time, &event.trigger].map(Clone::clone)
    });
    let head = ["ID", "STATE", "TRIES", "STATUS", "TIME", "TRIGGER"].map(str::to_owned);
    let rows: Vec<[String; 6]> = std::iter::once(head).chain(rows).collect();
    let mut widths = [0; 6];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (width, cell) in widths.iter().zip(row) {
            let _ = write!(line, "{cell:width$}  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

async fn redeliver(options: &RedeliverEvents) -> Result<ExitCode, Failure> {
    let log = open_installed(&options.database.address()?).await?;
    let mut code = ExitCode::SUCCESS;
    for id in &options.ids {
        let redelivery = log.redeliver(id, usual_lease()).await.map_err(Failure::other)?;
        let told = match redelivery {
            Redelivery::Scheduled => "is delivered again",
            Redelivery::InProgress => "is being delivered now",
            Redelivery::Missing => "does not exist",
        };
        if redelivery != Redelivery::Scheduled {
            code = ExitCode::FAILURE;
        }
        print(&format!("{id} {told}.\n"))?;
    }
    Ok(code)
}

async fn invoke(options: &InvokeEvent) -> Result<ExitCode, Failure> {
    let InvokeEvent { database, trigger: name, metadata, payload } = options;
    let address = database.address()?;
    let served = served(&address, metadata).await?;
    let definitions = definitions(&served)?;
    let trigger = definitions.find_trigger(name).ok_or_else(|| {
        Failure::Usage(format!("the metadata has no event trigger {name:?} in the served source"))
    })?;
    if !is_manual(&served, name) {
        return Err(Failure::Usage(format!(
            "the event trigger {name:?} has no `enable_manual: true` in its definition"
        )));
    }
    let payload: Value = serde_json::from_str(payload)
        .map_err(|error| Failure::Usage(format!("`--payload` is no JSON: {error}")))?;
    let log = open_installed(&address).await?;
    let data = json!({ "old": null, "new": payload }).to_string();
    let event = ManualEvent {
        trigger: &trigger.name,
        schema: trigger.schema.as_deref(),
        table: &trigger.table,
        data: &data,
    };
    print(&format!("{}\n", log.invoke(&event).await.map_err(Failure::other)?))?;
    Ok(ExitCode::SUCCESS)
}

fn is_manual(served: &ServedSource, name: &str) -> bool {
    let mut triggers = served.source().tables.iter().flat_map(|table| &table.event_triggers);
    triggers.any(|trigger| trigger.name.text == name && trigger.definition.enable_manual)
}

async fn schedule(options: &ScheduleEvent) -> Result<ExitCode, Failure> {
    let ScheduleEvent { database, webhook, at, payload, headers, retries, comment } = options;
    let event =
        NewEvent::new(webhook, at, payload.as_deref(), headers, *retries, comment.as_deref());
    let event = event.map_err(Failure::Usage)?;
    let log = open_installed(&database.address()?).await?;
    let id = log.add_one_off(&event.as_new()).await.map_err(Failure::other)?;
    print(&format!("{id}\n"))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn events_are_listed_in_columns() {
        let event = |id: &str, state: &str, last_status| ListedEvent {
            id: id.into(),
            trigger: "notify".into(),
            state: state.into(),
            tries: 3,
            time: "2030-01-01T00:00:00Z".into(),
            last_status,
        };
        let events = [event("1", "in progress", None), event("20", "failed", Some(500))];
        expect![[r"
            ID  STATE        TRIES  STATUS  TIME                  TRIGGER
            1   in progress  3      -       2030-01-01T00:00:00Z  notify
            20  failed       3      500     2030-01-01T00:00:00Z  notify
        "]]
        .assert_eq(&table(&events));
    }
}
