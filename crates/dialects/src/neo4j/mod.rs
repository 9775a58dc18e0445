//! The API of Neo4j's GraphQL library (<https://neo4j.com/docs/graphql/>), in the forms of its
//! versions 3 and 7.
//!
//! It is made of type definitions, which also say what the source holds: a graph has no schema of its
//! own.
//!
//! * [`definitions`]: type definitions as they are written, to a model
//! * [`model`]: what type definitions say
//! * [`mod@catalog`]: the model as what the source holds
//! * [`introspected`]: type definitions for what is in a graph
//! * [`migration`]: what definitions want of the database
//! * [`seven`]: the model as the API of versions 7
//! * `own_types`, `values`: what both forms have; `naming`, `plural`: how names are made; `draft`,
//!   `arrange`: a schema while it is made, and the order of its types

mod arrange;
pub mod catalog;
pub mod definitions;
mod draft;
pub mod introspected;
pub mod migration;
pub mod model;
mod naming;
mod own_types;
mod plural;
pub mod seven;
mod values;
