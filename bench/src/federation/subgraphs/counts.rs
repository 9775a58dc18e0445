//! Numbers of requests and bytes of each subgraph.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::shop::Subgraph;

/// Since the server was started, by the names of the subgraphs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts(pub(crate) BTreeMap<String, Count>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Count {
    pub(crate) requests: u64,
    /// Bytes of the bodies, of requests and of answers.
    pub(crate) asked_bytes: u64,
    pub(crate) answered_bytes: u64,
}

impl Counts {
    pub(super) fn add(&mut self, subgraph: Subgraph, asked: usize, answered: usize) {
        let count = self.0.entry(subgraph.name().to_owned()).or_default();
        count.requests += 1;
        count.asked_bytes += asked as u64;
        count.answered_bytes += answered as u64;
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::json!(self).to_string()
    }

    /// The counts of all subgraphs together.
    pub(crate) fn total(&self) -> Count {
        self.0.values().fold(Count::default(), |sum, one| Count {
            requests: sum.requests + one.requests,
            asked_bytes: sum.asked_bytes + one.asked_bytes,
            answered_bytes: sum.answered_bytes + one.answered_bytes,
        })
    }
}

impl Count {
    /// The counts since an earlier reading.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            requests: self.requests - before.requests,
            asked_bytes: self.asked_bytes - before.asked_bytes,
            answered_bytes: self.answered_bytes - before.answered_bytes,
        }
    }
}
