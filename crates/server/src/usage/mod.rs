//! Usage of the schema by clients.
//!
//! * `request`: a request that has ended
//! * `recorder`: records the requests of a thread
//! * `file`: the counts as JSON, which the listener of metrics serves and `thalweg check` reads
//! * `hive`: usage reports to Hive

mod file;
pub(crate) mod hive;
mod recorder;
mod request;

pub(crate) use file::{Count, UsageFile, print};
pub(crate) use recorder::Recorder;
pub(crate) use request::RecordedRequest;
