//! The API of Dgraph's GraphQL (<https://docs.dgraph.io/graphql/>): type definitions become a
//! database, and the API of it.
//!
//! * [`model`]: what type definitions mean

pub mod model;
