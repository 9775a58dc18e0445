//! The measurements of a run, as `federation.json` has them.
//!
//! Times are microseconds, sizes bytes, CPU seconds, unless a name says otherwise.

use serde::Serialize;

use super::subgraphs::{Count, Data, Form};
use crate::race::record::{Machine, Outcome};

#[derive(Debug, Serialize)]
pub(super) struct Run {
    /// RFC 3339, UTC.
    pub(super) started: String,
    pub(super) machine: Machine,
    pub(super) rounds: u32,
    pub(super) seconds: u32,
    /// Form of the subgraphs, in all settings but one.
    pub(super) form: Form,
    /// Size of the answer of the first gateway.
    pub(super) answer_bytes: usize,
    pub(super) gateways: Vec<Gateway>,
    pub(super) measurements: Vec<Measurement>,
    pub(super) asked: Vec<Asked>,
}

/// Requests to subgraphs for a query where nothing else runs.
#[derive(Debug, Serialize)]
pub(super) struct Asked {
    pub(super) setting: Setting,
    pub(super) gateway: String,
    pub(super) queries: u32,
    pub(super) subgraphs: Count,
}

impl Asked {
    /// For each query, with the kilobytes that were fetched.
    pub(super) fn requests(&self) -> (f64, f64) {
        let queries = f64::from(self.queries.max(1));
        let Count { requests, answered_bytes, .. } = self.subgraphs;
        (precise(requests) / queries, precise(answered_bytes) / queries / 1e3)
    }
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Gateway {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) version: String,
    /// The reason why it took no part, or not in every setting.
    pub(super) missing: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Measurement {
    pub(super) setting: Setting,
    pub(super) gateway: String,
    pub(super) round: u32,
    pub(super) load: Load,
    /// Resident before the first load.
    pub(super) idle_memory: u64,
    pub(super) outcome: Outcome,
    /// Requests to the subgraphs meanwhile.
    pub(super) subgraphs: Count,
}

/// Under which conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Setting {
    /// The gateway's processors.
    pub(super) cores: usize,
    /// The time for which the subgraphs wait before each answer.
    pub(super) delay_milliseconds: u64,
    pub(super) sharing: Sharing,
    pub(super) form: Form,
    pub(super) data: Data,
}

/// Whether requests that are the same at the same time are sent once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Sharing {
    None,
    /// Everything that the product can share.
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Load {
    /// Each connection asks again when it is answered.
    Closed { connections: u32 },
    /// So many requests a second, whatever the answers do.
    Rate { rate: f64 },
}

impl Setting {
    pub(super) fn title(self) -> String {
        let cores = if self.cores == 1 { "one core" } else { "two cores" };
        let delay = match self.delay_milliseconds {
            0 => String::new(),
            delay => format!(", subgraphs wait {delay} ms"),
        };
        let sharing = match self.sharing {
            Sharing::None => "nothing de-duplicated",
            Sharing::All => "each with its own de-duplication",
        };
        let form = match self.form {
            Form::Canned => "",
            Form::Live => ", subgraphs that execute",
        };
        let data = match self.data {
            Data::Published => "",
            Data::Sixth => ", a sixth product",
            Data::Distinct => ", hardly anything twice",
        };
        format!("Gateway on {cores}{delay}, {sharing}{form}{data}")
    }
}

impl Measurement {
    /// The gateway's, in milliseconds, for each query.
    pub(super) fn cpu(&self) -> f64 {
        self.outcome.cpu.server * 1e3 / self.queries()
    }

    /// Requests to all subgraphs, for each query.
    pub(super) fn subgraph_requests(&self) -> f64 {
        precise(self.subgraphs.requests) / self.queries()
    }

    /// Bytes that were fetched for each query.
    pub(super) fn fetched(&self) -> f64 {
        precise(self.subgraphs.answered_bytes) / self.queries()
    }

    fn queries(&self) -> f64 {
        precise(self.outcome.requests).max(1.0)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts below what a double is exact for")]
pub(super) fn precise(count: u64) -> f64 {
    count as f64
}
