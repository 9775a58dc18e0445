//! A graph in Neo4j, asked in Cypher over Bolt.
//!
//! * [`program`]: a request as statements

pub mod program;
