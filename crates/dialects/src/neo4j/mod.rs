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

pub mod catalog;
pub mod definitions;
pub mod introspected;
pub mod migration;
pub mod model;
