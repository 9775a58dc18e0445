//! A graph in Neo4j, asked in Cypher over Bolt.
//!
//! * [`program`]: a request as statements
//! * [`compile`]: how one becomes the other

pub mod compile;
pub mod program;
