//! A graph in Neo4j, queried in Cypher over Bolt.
//!
//! In the order of control flow:
//! * [`database`]: a database, and the connections of one thread
//! * [`compile`](mod@compile), [`program`]: a request as statements
//! * `bind`: their parameters
//! * `execute`, `pool`: a request's run, and the connections that it takes
//! * [`introspect`]: introspection of a graph, and [`migrate`]: its constraints and indexes
//! * [`wire`]: the client
//! * `cursor`: rows out of received bytes
//! * `events`: the nodes that a change has touched
//! * `explain`, `error`; `searched`: errors of searches; `arithmetic`: of computations

mod answer;
mod arithmetic;
mod bind;
pub mod compile;
mod cursor;
pub mod database;
mod error;
mod events;
mod execute;
mod explain;
mod flavor;
pub mod introspect;
pub mod migrate;
mod pool;
pub mod program;
mod searched;
pub mod wire;

pub use database::{Neo4jConnections, Neo4jReads, Neo4jSource};
