//! Supergraph: the schema that is composed of the schemas of subgraphs.
//!
//! * [`composed`]: a composed schema, read from its SDL: which subgraph resolves which types and
//!   fields
//! * [`satisfiability`]: whether every operation over it can be planned

pub mod composed;
pub mod satisfiability;

pub use composed::{
    Alternatives, Api, ContextArgument, ContextSource, FieldIn, FieldOwners, FieldSet, FieldSetId,
    Key, ListSize, OverrideCondition, Problem, Requirement, RequirementId, Requirements,
    SetSelection, SizedField, Subgraph, SubgraphId, Supergraph, TypeIn, TypeOwners, TypeSet,
    Weights, read,
};
