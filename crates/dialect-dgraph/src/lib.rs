//! The API of Dgraph's GraphQL (<https://docs.dgraph.io/graphql/>): type definitions become a
//! database, and the API of it.
//!
//! * [`definitions`]: type definitions, from text to the model
//! * [`model`]: what type definitions mean
//! * [`stored`]: what they store, and where
//! * [`located`]: the places of type definitions in a catalog
//! * [`schema`]: the API of type definitions

pub mod definitions;
pub mod located;
pub mod model;
pub mod schema;
pub mod stored;
