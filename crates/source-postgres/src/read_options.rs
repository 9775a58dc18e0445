//! Options of reads from replicas.

use std::fmt;
use std::time::Duration;

/// Reads from replicas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOptions {
    pub replicas: Vec<ReplicaOptions>,
    /// The longest wait for a replica to replay the changes of a client.
    pub wait: Duration,
    pub without_replica: WithoutReplica,
    /// Whether the position behind each change is read, for later reads of its client.
    pub reports_changes: bool,
}

/// A replica.
#[derive(Clone, PartialEq, Eq)]
pub struct ReplicaOptions {
    /// Its address, which may have a password.
    pub url: Box<str>,
    /// Its share of the reads, beside the weights of the others.
    pub weight: u32,
    /// The lag beyond which it gets no reads.
    pub max_lag: Duration,
    /// The same in bytes of the log.
    pub max_lag_bytes: Option<u64>,
}

/// The server of reads that no replica can answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WithoutReplica {
    #[default]
    Primary,
    /// None: reads fail, so that their load stays off the primary.
    Fail,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            replicas: Vec::new(),
            wait: Duration::from_millis(100),
            without_replica: WithoutReplica::default(),
            reports_changes: false,
        }
    }
}

impl ReplicaOptions {
    /// A replica with the defaults.
    #[must_use]
    pub fn new(url: impl Into<Box<str>>) -> Self {
        Self { url: url.into(), weight: 1, max_lag: Duration::from_secs(10), max_lag_bytes: None }
    }
}

/// Addresses must not reach a log.
impl fmt::Debug for ReplicaOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url: _, weight, max_lag, max_lag_bytes } = self;
        f.debug_struct("ReplicaOptions")
            .field("weight", weight)
            .field("max_lag", max_lag)
            .field("max_lag_bytes", max_lag_bytes)
            .finish_non_exhaustive()
    }
}
