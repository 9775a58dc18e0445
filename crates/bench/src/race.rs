//! Thalweg beside PostGraphile and beside the physical limit.
//!
//! `suite` and `contestant` read what is compared, `data` makes its rows, `load` asks and `usage`
//! counts what it costs, `record` is what a run leaves, and `report`
//! what it says.

#![expect(dead_code, unused_imports, reason = "the run and its report are being built on this")]

pub(crate) mod contestant;
pub(crate) mod data;
pub(crate) mod failure;
pub(crate) mod load;
mod random;
pub(crate) mod record;
pub(crate) mod report;
pub(crate) mod suite;
pub(crate) mod usage;
