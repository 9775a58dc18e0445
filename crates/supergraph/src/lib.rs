//! Supergraph: the schema that is composed of the schemas of subgraphs.
//!
//! * [`composed`]: a composed schema, read from its SDL: which subgraph resolves which types and
//!   fields
//! * [`composition`]: composition of the schemas of subgraphs to a supergraph
//! * [`satisfiability`]: whether every operation over it can be planned

pub mod composed;
pub mod composition;
pub mod satisfiability;

pub use composed::{
    Alternatives, Api, ContextArgument, ContextSource, FieldIn, FieldOwners, FieldSet, FieldSetId,
    Key, ListSize, OverrideCondition, Problem, Requirement, RequirementId, Requirements,
    SetSelection, SizedField, Subgraph, SubgraphId, Supergraph, TypeIn, TypeOwners, TypeSet,
    Weights, read,
};
pub use composition::{Code, Composer, Composition, Finding, Place, SubgraphSchema, compose};
