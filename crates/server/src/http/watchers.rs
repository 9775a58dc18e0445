//! Who is told what happens to requests, beside the log.

use std::sync::Arc;

use source::Statistics;
use source::statistics::Counter;

use crate::metrics::{Metrics, Shard};
use crate::traces::Traces;

/// They are the same as long as the process lives.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watchers {
    pub(crate) counting: Option<Counting>,
    pub(crate) traces: Option<Arc<Traces>>,
}

/// What is counted, if anybody reads it.
#[derive(Clone, Debug)]
pub(crate) struct Counting {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) connections: Arc<Statistics>,
}

impl Watchers {
    /// Where a thread counts its requests.
    pub(super) fn shard(&self) -> Option<Arc<Shard>> {
        self.counting.as_ref()?.metrics.shard()
    }

    /// Where a thread counts its connections to the database.
    pub(super) fn counter(&self) -> Counter {
        self.counting.as_ref().map(|counting| counting.connections.counter()).unwrap_or_default()
    }
}
