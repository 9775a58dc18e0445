//! Running operations, for the endpoint `/operations`.
//!
//! Statements have placeholders instead of values. Documents and variables are left out, since they have
//! the values of clients.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engine::progress::Progress;
use engine::report::Planned;
use graphql::operation::OperationKind;
use serde_json::{Map, Value, json};
use source::Observed;

use super::encode::Sources;
use super::store::Shard;
use crate::request_id::RequestId;

/// The maximum number of listed operations: those that run longest.
const MOST_LISTED: usize = 100;

/// The maximum number of statements of an operation, and of their bytes.
const MOST_STATEMENTS: usize = 20;
const STATEMENT_BYTES: usize = 1_000;

/// The running operations of a thread, in the order of their beginnings.
#[derive(Debug, Default)]
pub(super) struct Running(Mutex<Operations>);

#[derive(Debug, Default)]
struct Operations {
    next: u64,
    by_number: BTreeMap<u64, RunningOperation>,
}

#[derive(Clone, Debug)]
struct RunningOperation {
    started: Instant,
    id: Option<RequestId>,
    progress: Arc<Progress>,
}

/// Lists an operation until it is dropped.
#[derive(Debug)]
pub(crate) struct RunningGuard {
    shard: Arc<Shard>,
    number: u64,
}

impl Running {
    fn operations(&self) -> MutexGuard<'_, Operations> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shard {
    /// Lists an operation that begins.
    pub(crate) fn list(self: &Arc<Self>, progress: Arc<Progress>) -> RunningGuard {
        let operation =
            RunningOperation { started: Instant::now(), id: RequestId::current(), progress };
        let mut operations = self.running.operations();
        let number = operations.next;
        operations.next += 1;
        operations.by_number.insert(number, operation);
        drop(operations);
        RunningGuard { shard: Arc::clone(self), number }
    }
}

impl Drop for RunningGuard {
    fn drop(&mut self) {
        self.shard.running.operations().by_number.remove(&self.number);
    }
}

impl Sources {
    /// The running operations as JSON.
    pub(crate) fn running_operations(&self) -> String {
        print(self.metrics.shards.iter().map(|shard| &**shard))
    }
}

/// Prints the running operations of all threads; those that run longest come first.
fn print<'s>(shards: impl Iterator<Item = &'s Shard>) -> String {
    let (mut all, mut total) = (Vec::new(), 0);
    for shard in shards {
        let operations = shard.running.operations();
        total += operations.by_number.len();
        all.extend(operations.by_number.values().take(MOST_LISTED).cloned());
    }
    all.sort_by_key(|operation| operation.started);
    all.truncate(MOST_LISTED);
    let operations: Vec<_> = all.iter().map(RunningOperation::describe).collect();
    json!({ "total": total, "operations": operations }).to_string()
}

impl RunningOperation {
    fn describe(&self) -> Value {
        let mut described = Map::new();
        if let Some(id) = &self.id {
            described.insert("requestId".into(), id.as_str().into());
        }
        if let Some(document) = self.progress.document() {
            let kind = match document.operation.kind {
                OperationKind::Query => "query",
                OperationKind::Mutation => "mutation",
                OperationKind::Subscription => "subscription",
            };
            described.insert("kind".into(), kind.into());
            if let Some(name) = &document.operation.name {
                described.insert("operation".into(), (**name).into());
            }
        }
        let milliseconds = milliseconds(self.started.elapsed());
        described.insert("milliseconds".into(), milliseconds.into());
        match self.progress.plan() {
            None => {}
            Some(Planned::Source(prepared)) => {
                let observed = Observed::default();
                let places = 0..prepared.plan.places(&observed).min(MOST_STATEMENTS);
                let texts = places.filter_map(|place| prepared.plan.text(place, &observed));
                let texts: Vec<_> = texts.map(|text| beginning(&text)).collect();
                described.insert("statements".into(), texts.into());
            }
            Some(Planned::Gateway(prepared)) => {
                let mut names: Vec<&str> = prepared.subgraphs.iter().map(|name| &**name).collect();
                names.sort_unstable();
                names.dedup();
                described.insert("subgraphs".into(), names.into());
            }
        }
        described.into()
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn beginning(text: &str) -> String {
    text[..text.floor_char_boundary(STATEMENT_BYTES)].to_owned()
}
