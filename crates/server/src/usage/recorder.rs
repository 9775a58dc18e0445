//! Records which parts of the schema the requests of a thread use.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use engine::Api;
use engine::usage::{Client, Usage};

use super::hive::Reporter;
use super::request::RecordedRequest;

/// The most clients that a thread remembers; [`Usage`] counts fewer of them by name.
const MOST_CLIENTS: usize = 100;

/// Records the requests of one generation of an API on one thread.
#[derive(Debug)]
pub(crate) struct Recorder {
    usage: Option<Arc<Usage>>,
    reporter: Option<Arc<Reporter>>,
    api: Api,
    /// Clients by name: the first look-up of each takes a lock of the process.
    clients: RefCell<Vec<(Box<str>, Client)>>,
}

impl Recorder {
    /// `None` if neither counts nor reports are wanted.
    pub(crate) fn new(
        usage: Option<&Arc<Usage>>,
        reporter: Option<&Arc<Reporter>>,
        api: &Api,
    ) -> Option<Self> {
        if usage.is_none() && reporter.is_none() {
            return None;
        }
        let (usage, reporter) = (usage.cloned(), reporter.cloned());
        Some(Self { usage, reporter, api: api.clone(), clients: RefCell::default() })
    }

    pub(crate) fn record(&self, request: &RecordedRequest<'_>) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        if let Some(usage) = &self.usage {
            let document = request.document;
            let counts = document
                .usage
                .get_or_init(|| usage.document(self.api.schema(), &document.operation));
            let [client, _] = request.client;
            counts.count(self.client(usage, client), now.as_secs());
        }
        if let Some(reporter) = &self.reporter {
            reporter.report(&self.api, request, now.saturating_sub(request.elapsed));
        }
    }

    fn client(&self, usage: &Usage, name: Option<&str>) -> Client {
        let Some(name) = name else { return usage.client(None) };
        let mut known = self.clients.borrow_mut();
        if let Some((_, client)) = known.iter().find(|(other, _)| **other == *name) {
            return *client;
        }
        let client = usage.client(Some(name));
        if known.len() < MOST_CLIENTS {
            known.push((name.into(), client));
        }
        client
    }
}
