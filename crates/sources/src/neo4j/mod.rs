//! A graph in Neo4j, asked in Cypher over Bolt.
//!
//! * [`program`]: a request as statements
//! * [`compile`]: how one becomes the other
//! * [`wire`]: the client, by which they are run

pub mod compile;
pub mod program;
pub mod wire;
