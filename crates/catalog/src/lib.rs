//! The neutral description of a source: entities, fields, keys, relationships, enums.
//!
//! A source's `introspect` fills a [`Catalog`]; a dialect makes an API from it; the IR refers to
//! its parts by id. Nothing here knows a statement, a GraphQL type or a permission.
//!
//! * [`catalog`]: the arena and its look-ups
//! * [`entity`]: entities, fields, keys, relationships
//! * [`function`]: functions, their arguments and results
//! * [`field_default`]: values of fields that an insert omits
//! * [`search`]: search indexes
//! * [`types`]: types of fields
//! * [`distribution`]: the servers that have the rows of an entity
//! * `colocation`: rows that are on one server
//! * [`graph`]: introspection of a graph, which has no schema to fill the arena from
//! * [`written`]: queries of the schema's author, of which a source makes functions
//! * [`ids`]: the ids of the other modules
//! * [`note`]: findings about unsupported parts of a source, with remedies
//! * [`builder`]: construction of the arena by introspection
//! * [`estimate`]: estimated numbers of rows
//! * [`declare`]: declared facts that introspection cannot find
//! * [`given`]: names that a user has given; [`naming`]: what gives them

pub mod builder;
pub mod catalog;
mod colocation;
pub mod declare;
pub mod distribution;
pub mod entity;
pub mod estimate;
pub mod field_default;
pub mod function;
pub mod given;
pub mod graph;
pub mod ids;
mod known_rows;
pub mod naming;
pub mod note;
mod row_estimate;
pub mod search;
pub mod stored_as;
pub mod types;
pub mod written;

pub use builder::Builder;
pub use catalog::{Capabilities, Catalog};
pub use distribution::Distribution;
pub use entity::{
    ConstraintComment, Entity, EntityKind, Field, FieldAccess, Generated, Index, IndexCoverage,
    IndexUse, Key, KeyKind, PlaceIndex, Relationship, RelationshipKind, SpecialIndexes, Storage,
    TextIndex, TextIndexKind, VectorIndex, VectorMetric, WriteAccess,
};
pub use field_default::{FieldDefault, Sequence};
pub use function::{
    Argument, ArgumentType, Function, FunctionResult, RelatedRows, Statement, StatementPart,
    Volatility,
};
pub use given::{GivenNames, Join, RelationshipNames};
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
pub use types::{
    Attribute, Composite, Domain, Enum, EnumLabel, EpochUnit, Range, Scalar, SpatialKind,
    SpatialType, Type,
};
pub use written::{
    RowModel, RowModelField, WrittenArgument, WrittenPart, WrittenProblem, WrittenQueries,
    WrittenQuery,
};
