//! Test support that the product does not need: case files, private databases, scripts of clients,
//! private brokers of events, a private Neo4j, issuers of tokens, servers of HTTP, random numbers, an oracle for the gateway.

pub mod allocation;
pub mod alone;
pub mod broker;
pub mod cases;
pub mod dgraph;
pub mod federation;
pub mod fuzz;
pub mod http;
pub mod neo4j;
pub mod not_run;
pub mod postgres;
pub mod random;
pub mod script;
pub mod tokens;
