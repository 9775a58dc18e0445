//! What a source holds, said without its language: entities, fields, keys, relationships, enums.
//!
//! A source's `introspect` fills a [`Catalog`]; a dialect reads it to make an API; the IR names
//! its parts by id. Nothing here knows a statement, a GraphQL type or a permission.
//!
//! * [`catalog`]: the arena and its look-ups
//! * [`entity`]: entities, fields, keys, relationships
//! * [`function`]: functions, their arguments and results
//! * [`search`]: indexes by which rows are searched for
//! * [`types`]: what values a field holds
//! * [`graph`]: what a graph holds, which has no schema to fill the arena from
//! * [`ids`]: the ids everything else uses
//! * [`note`]: what could not be represented, and what to do about it
//! * [`builder`]: how introspection fills the arena
//! * [`estimate`]: about how many rows there are
//! * [`declare`]: what somebody says of the source that it does not say itself

pub mod builder;
pub mod catalog;
pub mod declare;
pub mod entity;
pub mod estimate;
pub mod function;
pub mod graph;
pub mod ids;
mod known_rows;
pub mod note;
mod row_estimate;
pub mod search;
pub mod stored_as;
pub mod types;

pub use builder::Builder;
pub use catalog::{Capabilities, Catalog};
pub use entity::{
    ConstraintComment, Covers, Entity, EntityKind, Field, Finds, Generated, Index, Key, KeyKind,
    Offered, OfferedField, Relationship, RelationshipKind, Storage,
};
pub use function::{
    Argument, ArgumentType, Function, FunctionResult, Statement, StatementPart, Volatility,
};
pub use graph::{
    Coverage, Degree, End, GraphChange, GraphConstraint, GraphConstraintKind, GraphIndex,
    GraphIndexKind, GraphIndexProgress, GraphIndexState, GraphPart, GraphProperty, GraphSummary,
    GraphType, GraphValue, NodeGroup, RelationshipGroup, Triple,
};
pub use ids::{
    CompositeId, DomainId, EntityId, EnumId, FieldId, FunctionId, RangeId, RelationshipId, SearchId,
};
pub use known_rows::KnownRows;
pub use note::{Note, NoteKind};
pub use row_estimate::RowEstimate;
pub use search::{Search, SearchKind};
pub use stored_as::{find_stored_type, stored_types};
pub use types::{Attribute, Composite, Domain, Enum, EnumLabel, EpochUnit, Range, Scalar, Type};
