//! The measurements of a run, as its folder has them.
//!
//! A folder of a run has `run.json`, a [`Run`], and `measurements.jsonl`, a [`Measurement`] a line,
//! appended when it is done: so a run can be resumed, and reported before its end. Times are
//! microseconds, sizes bytes, CPU seconds, unless a name says otherwise.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub(crate) use crate::latency::Latency;

/// Facts about all measurements of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    /// RFC 3339, UTC.
    pub(crate) started: String,
    /// Absent while the run goes on, and after one that was stopped.
    pub(crate) ended: Option<String>,
    pub(crate) machine: Machine,
    /// Versions of the programs by name: `thalweg`, `postgresql`, `node`, `wrk`.
    pub(crate) versions: BTreeMap<String, String>,
    pub(crate) settings: Settings,
    pub(crate) contestants: Vec<Contestant>,
    pub(crate) suites: Vec<Suite>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) processor: String,
    pub(crate) cores: u32,
    pub(crate) memory: u64,
    pub(crate) system: String,
}

/// Settings of the measurements. A run is resumed with the settings it began with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) quick: bool,
    pub(crate) rounds: u32,
    /// Seconds of one closed loop, after the warm-up.
    pub(crate) seconds: u32,
    /// Connections of the closed loops.
    pub(crate) connections: Vec<u32>,
    /// Connections that each server may open to the database.
    pub(crate) database_connections: u32,
    /// A constant arrival rate is raised until its 95th percentile is beyond this.
    pub(crate) latency_limit: u64,
    /// The limit for users with one request each two seconds.
    pub(crate) users_latency_limit: u64,
}

/// One of those that are compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Contestant {
    /// The name of its file.
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) role: Role,
    pub(crate) version: String,
    /// The command by which it was started, without folders of this machine.
    pub(crate) command: String,
    /// The reason why it took no part, where it took none.
    pub(crate) missing: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    /// The measured product.
    Thalweg,
    /// Another server in one process: the report compares Thalweg with the fastest of these.
    Yardstick,
    /// Any other that answers GraphQL over HTTP, such as one of several processes: shown beside.
    Server,
    /// A floor: the rows of a query without GraphQL and HTTP, the physical limit.
    Floor,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Suite {
    /// The name of its folder, and the source: `shop-postgres`.
    pub(crate) id: String,
    pub(crate) title: String,
    /// A sentence or two.
    #[serde(default)]
    pub(crate) about: String,
    pub(crate) queries: Vec<Query>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Query {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) title: String,
    /// The document, by the dialect in which it is written.
    pub(crate) texts: BTreeMap<String, String>,
    /// Size of the answer, the mean where variables differ.
    pub(crate) answer_bytes: u64,
    /// The contestants whose answers are equal to Thalweg's, byte for byte of `data`.
    pub(crate) equal: Vec<String>,
    /// Reasons why contestants have no part in this query: other answers, no such feature.
    pub(crate) left_out: BTreeMap<String, String>,
}

/// A measurement with its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measurement {
    pub(crate) subject: Subject,
    pub(crate) round: u32,
    pub(crate) load: Load,
    pub(crate) outcome: Outcome,
}

/// The measured contestant and query.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Subject {
    pub(crate) suite: String,
    pub(crate) query: String,
    pub(crate) contestant: String,
}

/// The load of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Load {
    /// Each connection asks again when it is answered.
    Closed { connections: u32 },
    /// So many requests a second, whatever the answers do; their latency counts from the moment
    /// at which they should have been sent.
    Constant { rate: f64 },
    /// A constant rate, a burst above what is possible, and the constant rate again.
    Burst { rate: f64, burst_rate: f64, burst_seconds: f64 },
    /// Users with one request each two seconds.
    Users { users: u32 },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) seconds: f64,
    pub(crate) requests: u64,
    /// Answers that are none: another status than 200, a body with errors or with other data, a
    /// time limit, a connection that ended.
    pub(crate) failures: u64,
    /// Answers that were compared with the expected one while the load went on.
    pub(crate) compared: u64,
    pub(crate) latency: Latency,
    pub(crate) cpu: Cpu,
    /// The most that the contestant's processes had resident together.
    pub(crate) peak_memory: u64,
    /// After the end of a burst, until the 95th percentile was within the limit again; absent
    /// where there was no burst, or no recovery while it was watched.
    pub(crate) recovery_seconds: Option<f64>,
    /// Other load of the machine took more than the run allows: the measurement was repeated, and this
    /// is the best one.
    pub(crate) is_disturbed: bool,
    /// The number of repetitions.
    pub(crate) repetitions: u32,
}

/// CPU seconds while the load went on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cpu {
    pub(crate) server: f64,
    pub(crate) database: f64,
    pub(crate) load: f64,
    /// CPU of everything else on the machine.
    pub(crate) other: f64,
}

/// The cost of a start on a synthetic schema; one line each in `starts.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Start {
    pub(crate) contestant: String,
    /// `postgres` or `sqlite`.
    pub(crate) source: String,
    pub(crate) tables: u32,
    pub(crate) round: u32,
    /// From the start of the process to the first answer.
    pub(crate) first_answer_seconds: f64,
    pub(crate) cpu_seconds: f64,
    /// Resident after the first answer.
    pub(crate) memory: u64,
    /// The reason why it did not start or answer in time: then the figures before this are zero.
    pub(crate) missing: Option<String>,
}

impl Outcome {
    /// Whether nothing failed and the 95th percentile was below so many microseconds.
    pub(crate) fn is_within(&self, latency_limit: u64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "a limit of some milliseconds")]
        let limit = latency_limit as f64;
        self.failures == 0 && self.latency.p95 < limit
    }

    pub(crate) fn requests_per_second(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "fewer requests than a double counts")]
        let requests = self.requests.saturating_sub(self.failures) as f64;
        requests / self.seconds
    }
}
