//! Usage of the schema by clients.
//!
//! * `recorder`: records the requests of a thread
//! * `file`: the counts as JSON, which the listener of metrics serves and `thalweg check` reads
//! * `hive`: usage reports to Hive

mod file;
pub(crate) mod hive;
mod recorder;

pub(crate) use file::{Count, UsageFile, print};
pub(crate) use recorder::{RecordedRequest, Recorder};
