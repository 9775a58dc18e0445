//! The API of Dgraph's GraphQL (<https://docs.dgraph.io/graphql/>): type definitions become a
//! database, and the API of it.
//!
//! * [`model`]: the meaning of type definitions
//! * [`located`]: the places of type definitions in a catalog
//! * [`schema`]: the API of type definitions

pub mod located;
pub mod model;
pub mod schema;
