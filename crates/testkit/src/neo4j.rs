//! A private Neo4j for tests, one at a time on this machine's clone.
//!
//! In the order of use: `installation` finds the JARs and the Java, `lock` is the exclusive lock of
//! tests with Neo4j, `server` starts one, `graph` is the running server with an empty graph for a
//! test. `bolt` sends statements, `script` runs several from a file, and `value` decodes results.
//!
//! A server takes ten seconds and a gigabyte, so there are never two, and one outlives the process
//! that started it by half a minute: the next test finds it, of this process or of another one. Each
//! test begins with an empty graph, which takes some milliseconds. The other way, a server for each
//! process of tests, was left because a run has several of them, and each would wait for a start.
//! The one invariant: no server outlives the lock's last holder by more, however that one ends.

mod bolt;
mod graph;
mod installation;
mod lock;
mod script;
mod server;
mod value;

pub use bolt::{BoltError, Connection, Request};
pub use graph::{
    Graph, GraphError, take, take_for_measurement, take_with_apoc, take_with_password,
};
pub use installation::{MissingInstallation, is_expected};
pub use script::split;
pub use server::StartError;
pub use value::Value;
