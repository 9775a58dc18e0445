//! What is due now and then: times of cron triggers get their events ahead, and old events are removed.

use std::collections::HashMap;

use sources::event_log::{Cleanup, ScheduleChange};
use sources::{EventLog, EventLogError};

use crate::definition::{CronDefinition, Definitions};
use crate::schedule::now;

/// The number of events that a cron trigger has ahead, and the number below which it gets more.
const AHEAD: usize = 100;
const FEWEST: usize = 50;

/// The most times that are made up for after a pause of all servers.
const MOST_MISSED: usize = 10_000;

/// Gives each cron trigger events for its times to come. Times that went by while no server ran have
/// their events as well: those within the trigger's tolerance are delivered.
pub(crate) async fn schedule(
    log: &EventLog,
    definitions: &Definitions,
) -> Result<(), EventLogError> {
    for (name, cron) in &definitions.cron {
        let upcoming = log.upcoming(name).await?;
        let last = log.last_scheduled(name).await?;
        let change = change(name, cron, &upcoming, last, now());
        if !change.added.is_empty() || !change.removed.is_empty() {
            log.schedule(&change).await?;
        }
    }
    Ok(())
}

fn change(
    name: &str,
    cron: &CronDefinition,
    upcoming: &[i64],
    last: Option<i64>,
    now: i64,
) -> ScheduleChange {
    let schedule = &cron.schedule;
    let is_kept = |time: &&i64| schedule.includes(**time);
    let removed = upcoming.iter().filter(|time| !is_kept(time)).copied().collect();
    let kept: Vec<i64> = upcoming.iter().filter(is_kept).copied().collect();
    let tolerance = i64::try_from(cron.tolerance.as_micros()).unwrap_or(i64::MAX);
    let missed = last.filter(|last| *last < now).into_iter().flat_map(|last| {
        let start = last.max(now.saturating_sub(tolerance));
        schedule.after(start).take_while(|time| *time <= now).take(MOST_MISSED)
    });
    let mut added: Vec<i64> = missed.collect();
    if kept.len() < FEWEST {
        let start = kept.last().map_or(now, |last| (*last).max(now));
        added.extend(schedule.after(start).take(AHEAD - kept.len()));
    }
    ScheduleChange { trigger: name.into(), added, removed }
}

/// The next times at which old events of event triggers are removed.
#[derive(Debug, Default)]
pub(crate) struct Cleanups {
    next: HashMap<Box<str>, i64>,
}

impl Cleanups {
    /// The times after this moment.
    pub(crate) fn new(definitions: &Definitions, now: i64) -> Self {
        let next = definitions.rows.iter().filter_map(|(name, definition)| {
            let cleanup = definition.cleanup.as_ref()?;
            let next = cleanup.schedule.after(now).next()?;
            Some((name.clone(), next))
        });
        Self { next: next.collect() }
    }

    /// Takes the removals that are due.
    pub(crate) fn take_due(&mut self, definitions: &Definitions, now: i64) -> Vec<Cleanup> {
        let mut due = Vec::new();
        self.next.retain(|name, time| {
            let definition = definitions.rows.get(name);
            let Some(cleanup) = definition.and_then(|found| found.cleanup.as_ref()) else {
                return false;
            };
            if *time > now {
                return true;
            }
            due.push(Cleanup {
                trigger: name.clone(),
                scheduled_time: *time,
                older_than: cleanup.older_than,
                batch: cleanup.batch,
                timeout: cleanup.timeout,
                with_invocations: cleanup.with_invocations,
            });
            match cleanup.schedule.after(now).next() {
                Some(next) => {
                    *time = next;
                    true
                }
                None => false,
            }
        });
        due
    }
}
