//! The driver of Neo4j: statements, and runs on a real server.

mod bolt;
mod compile;
mod execute;
mod introspect;
