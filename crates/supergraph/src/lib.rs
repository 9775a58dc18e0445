//! Supergraph: the schema that is composed of the schemas of subgraphs.
//!
//! * [`composed`]: a composed schema, read from its SDL: which subgraph resolves which types and
//!   fields
//! * [`composition`]: composition of the schemas of subgraphs to a supergraph
//! * [`satisfiability`]: whether every operation over it can be planned
//! * [`changes`]: changes between two schemas, classified by their effects on clients
//! * [`contract`]: filtered supergraphs, by tags
//! * [`coordinate`]: names of the parts of a schema

mod api_definitions;
pub mod changes;
pub mod composed;
pub mod composition;
mod connect;
pub mod contract;
pub mod coordinate;
mod extensions;
pub mod satisfiability;

pub use composed::{
    Alternatives, Api, CacheTagFormat, Connector, ConnectorId, ContextArgument, ContextSource,
    Entry, FieldIn, FieldOwners, FieldSet, FieldSetId, Key, ListSize, OverrideCondition, Part,
    Problem, Requirement, RequirementId, Requirements, SetSelection, SizedField, Subgraph,
    SubgraphId, Supergraph, Tree, TypeIn, TypeOwners, TypeSet, Weights, read,
};
pub use composition::{Code, Composer, Composition, Finding, Location, SubgraphSchema, compose};
pub use coordinate::Coordinate;
