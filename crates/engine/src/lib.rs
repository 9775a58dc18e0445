//! The pipeline from a request to its answer.
//!
//! Programs that embed Thalweg use the crate `thalweg`, a small face of this one: here a [`Worker`] and
//! its futures belong to one thread, and the server decides what runs on which.
//!
//! An [`Engine`] is one API over one source, opened by [`Options`]. A [`Worker`] of it answers each
//! request in these stages:
//!
//! | stage | function | made |
//! |---|---|---|
//! | parse, validate | [`prepare`]: `document` | once a document |
//! | coerce | `graphql::coerce_variable_values` | each request |
//! | lower, authorize, compile | [`prepare`]: `plan` | once a document, variable structure and combination of rules |
//! | bind, execute, write | `sources::Connections::deliver` | each request |
//! | respond | [`respond`] | each request |
//!
//! * [`policies`]: permissions of roles by policy files, for the authorizer of the crate `access`
//! * `permitted`: whether permissions let a session execute an operation in full
//! * `withhold`: refused parts of a request, as errors of its answer
//! * [`session`]: authentication: sessions by tokens
//! * [`engine`]: one API over one source, shared by all threads
//! * [`gateway`]: federation gateway: one API over several subgraphs
//! * [`caller`]: the client of a request; [`headers`]: its headers that other servers receive
//! * [`api`]: one of the two, for the server
//! * [`enum_tables`]: rows that the API is made from, such as those of enum tables
//! * [`graph`]: inspection of a graph without type definitions, and migrations of it
//! * [`webhook_subscriptions`]: subscriptions whose responses webhooks receive
//! * `event_session`: session variables of changes, for triggers that record events
//! * [`stored_metadata`]: the metadata that a running Hasura keeps in the served database
//! * [`schema_first`]: a database with the tables of type definitions
//! * [`worker`]: requests of one thread, over connections of its own
//! * [`documents`]: documents with their plans
//! * [`live`](mod@live): subscriptions
//! * `passwords`: hashes of passwords, before a request runs
//! * [`prepare`]: everything that is made once and cached
//! * `incremental`: responses in several payloads, for deferred fragments
//! * `memory_size`: memory size of plans, for the plan cache
//! * [`cost`]: the estimated cost of an operation
//! * [`respond`]: answers and errors as JSON
//! * [`map_error`]: errors of a source as clients see them; `error_form`: the form of a dialect's errors
//! * `log_throttle`: rate-limited logging
//! * [`federated_trace`]: traces of a subgraph's fields for routers
//! * [`batch_limits`]: limits for all requests of a batch together
//! * [`resolvers`]: fields whose values other servers give
//! * `action_calls`: calls of asynchronous actions
//! * [`answer_cache`]: cache of answers
//! * [`report`]: figures and outcome of a request; [`progress`]: what is known while it runs
//! * [`usage`]: counts of the parts of the schema that operations use
//! * [`explain`]: dry run: a request is compiled and shown, not executed
//! * [`description`]: the tables of the API, and what the policies permit a role, for people

mod action_calls;
pub mod answer_cache;
pub mod api;
pub mod batch_limits;
pub mod cache;
pub mod caller;
pub mod cost;
pub mod datamodel;
pub mod description;
pub mod documents;
pub mod engine;
pub mod enum_tables;
mod error_form;
mod event_session;
mod events;
pub mod explain;
pub mod federated_trace;
mod further_sources;
pub mod gateway;
pub mod graph;
pub mod headers;
mod incremental;
mod limits;
pub mod live;
mod live_directive;
mod log_throttle;
pub mod map_error;
mod memory_size;
mod operands;
mod passwords;
pub mod patterns;
mod payloads;
mod permitted;
pub mod policies;
pub mod prepare;
pub mod progress;
pub mod remote_schemas;
mod repeated_errors;
pub mod report;
pub mod resolvers;
pub mod respond;
pub mod rest;
#[cfg(test)]
mod restrictions;
pub mod schema_first;
pub mod session;
pub mod stored_metadata;
mod topics;
pub mod usage;
pub mod webhook_subscriptions;
mod withhold;
pub mod worker;

pub use action_calls::ActionCallsError;
pub use answer_cache::{
    CacheCounts, CacheFeed, CacheField, CacheOptions, CacheUse, CacheUsed, CachedAnswer,
};
pub use api::{Api, ApiWorker};
pub use caller::RequestHead;
pub use cost::CostLimits;
pub use dialects::{Description, ErrorForm, Uninherited, UninheritedSubject};
pub use engine::{Engine, OpenError, Options};
pub use enum_tables::EnumTablesError;
pub use error_form::with_request_id;
pub use explain::Explained;
pub use further_sources::FurtherSource;
pub use gateway::Caller;
pub use http_resolvers::WebhookSubscription;
pub use limits::Limits;
pub use log_throttle::log_suppressed;
pub use map_error::{ErrorOptions, ExtendedError};
pub use patterns::PatternLimits;
pub use policies::{
    ColumnAccess, PolicyFile, PolicyProblem, PolicyProblems, PrivilegeAccess, RowError, RowName,
    TableAccess,
};
pub use report::{Report, Stages};
pub use resolvers::ResolverOptions;
pub use respond::{JsonBody, Kind, Response};
pub use response::{BudgetExceeded, MemoryBudget, MemoryReservation, SentPiece};
pub use rest::{BrokenOff, Rest};
pub use source::{
    ChangePosition, Claims, Freshness, PlanFigures, PoolLimits, Session, Sizes, Timeouts,
};
pub use sources::{
    Address as SourceAddress, AddressError as SourceAddressError, Defaults, DirectUrl, Durability,
    Extensions, FunctionName, Lag, OpenOptions, ReadOptions, ReadStatus, ReplicaOptions,
    ReplicaStatus, Rights, SchemaWatch, StoredColumn, WithoutReplica,
};
pub use webhook_subscriptions::RecordedResponse;
pub use worker::{Allowed, Delivery, Worker};
