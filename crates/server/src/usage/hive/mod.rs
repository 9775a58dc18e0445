//! Usage reports to Hive: <https://the-guild.dev/graphql/hive/docs/api-reference/usage-reports>.
//!
//! * `reporter`: a bounded queue of requests, and the thread that sends reports of them
//! * `report`: the requests of one report, as JSON
//! * `operation`: an operation as Hive knows it: its text without literals, and its schema coordinates

mod operation;
mod report;
mod reporter;

pub(crate) use reporter::{Reporter, ReporterSettings};
