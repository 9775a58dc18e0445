//! The API of a source: a GraphQL schema with a binding for each of its positions.
//!
//! A dialect fills an [`Api`] from a catalog; lowering reads its bindings. This crate has the
//! shared parts of all dialects, and knows none of them.
//!
//! * [`Api`], [`ApiBuilder`]: the schema with its bindings
//! * [`binding`]: the meaning of each position of a schema
//! * [`check`]: inputs whose role is invalid at their position
//! * [`description`]: tables, columns and root fields of an API, for people
//! * [`draft`]: types by name, before they have ids
//! * [`federation`]: an API as a subgraph of a federated graph
//! * [`add_live_queries()`]: the fields of queries as subscriptions
//! * [`RoleViews`]: the parts of the schema that roles see
//! * [`InputChecks`]: servers that check the inputs of changes
//! * [`case`], [`plural`]: names in the cases and numbers of English
//! * [`epoch()`], [`has_extremes()`]: properties of scalar types

mod api;
pub mod binding;
mod builder;
pub mod case;
pub mod check;
mod constraint;
pub mod description;
pub mod draft;
mod epoch;
mod extremes;
pub mod federation;
mod input_checks;
mod live;
pub mod plural;
mod role_views;
mod uninherited;

pub use api::{Absent, AnswerKeys, Api, AsyncAction, Nesting, Resolver, TableRows, Transactions};
pub use binding::{
    AggregateField, AggregateValue, AssignVerb, BoundInput, Change, ColumnBinding, ConnectionField,
    Cursors, EdgeField, EntitiesBinding, EntityBinding, EntityType, FieldBinding, GroupBy,
    InputBinding, InputRole, Meaning, MutationBinding, MutationForm, NestedRelationship,
    NestedWriteVerb, NodeIdBinding, OrderBy, PageInfoField, PayloadField, ResolverId, RowsBinding,
    RowsForm, RowsFrom, ValueBinding, ValueShape, VariantBinding, VariantsId,
};
pub use builder::ApiBuilder;
pub use constraint::ConstraintMessage;
pub use description::{Description, describe};
pub use epoch::epoch;
pub use extremes::has_extremes;
pub use input_checks::{CheckedChange, InputChecks};
pub use live::{
    LIVE_DIRECTIVE, LIVE_IF, LIVE_THROTTLE, add_cached_directive, add_defer_directive,
    add_live_directive, add_live_fields, add_live_queries, add_subscription_type,
};
pub use role_views::{RoleViewId, RoleViews};
pub use uninherited::{Uninherited, UninheritedSubject};
