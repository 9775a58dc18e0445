//! Thalweg as a library: a database as a GraphQL API within another Rust program.
//!
//! [`Thalweg::open`] reads the schema of a database and makes an API of it, in one of the dialects of
//! the server. [`Thalweg::execute`] answers a request: the answer is JSON as bytes, which the program
//! sends on as they are. Everything here may be used from any thread and any asynchronous runtime.
//!
//! ```ignore
#![doc = include_str!("../tests/library/first.rs")]
#![doc = "```"]
//!
//! # Type definitions
//!
//! [`Options::new`] knows dialects by their names, with their default options. A dialect of type
//! definitions ([`dgraph`], [`prisma`] with a datamodel) is made of their text, for [`Options::of`], and
//! [`SchemaFirst`], in [`EngineOptions::schema_first`](engine::Options), makes and migrates their tables.
//!
//! # Roles
//!
//! The program authenticates its callers. It makes a [`Session`] of what it knows about one, by
//! [`Thalweg::session`]: an object of claims, as a JSON Web Token has them for the server.
//!
//! * With policies ([`PolicyFile`], in [`EngineOptions::policies`](engine::Options)), a claim names the
//!   role, and rules compare columns with claims.
//! * Without policies, PostgreSQL checks the rights of the role that the claim `role` names, and has each
//!   claim as a setting `jwt.claims.…` ([`Options::mapping`]).
//! * In the dialect `hasura`, claims are session variables: texts whose names begin with `x-hasura-`.
//!
//! [`Thalweg::anonymous`] is the session of a caller without claims.
//!
//! # Errors
//!
//! | error | from |
//! |---|---|
//! | [`OptionsError`] | [`Options::new`]: a mistyped address, an unknown dialect, one that needs type definitions |
//! | [`OpenError`] | [`Thalweg::open`], [`Thalweg::reload`]: the database, the policies, the definitions |
//! | [`ClaimsError`] | [`Thalweg::session`]: claims that cannot be those of a session |
//! | [`Answer`] | [`Thalweg::execute`]: errors of a request are in its JSON, and [`Answer::outcome`] tells the status |
//!
//! # Cancellation, reload, shutdown
//!
//! Dropping the future of [`Thalweg::execute`] cancels the statements of the request in the database.
//! Dropping [`Responses`] ends a subscription. [`Thalweg::reload`] reads the schema of the database
//! again: new requests use the new API, those in flight end with the old one, and subscriptions go on.
//! [`Thalweg::close`] waits for requests in flight, and closes the connections.
//!
//! # Threads
//!
//! The library has threads of its own ([`Options::threads`]), each with its connections, as the server
//! has. A request runs on one of them from its begin to its end, and its answer comes through a channel.
//! The limit of connections, [`EngineOptions::connections`](engine::Options), holds for each thread.
//!
//! # What only the server does
//!
//! Tokens, persisted documents, batches, the federation gateway, admission control, rate limits, hooks,
//! metrics, and the delivery of event triggers, cron triggers and asynchronous actions
//! ([`Options::triggers`]).
//!
//! # Modules
//!
//! * `options`: what is opened
//! * `claims`: from claims to a session
//! * `api`: the API, as a handle of the threads
//! * `generation`: the engine that a reload replaces
//! * `thread`: a thread, and its jobs
//! * `current`: the worker of a thread
//! * `subscription`: the responses of a subscription
//! * `answer`: the answer to a request

#![warn(missing_docs)]

mod answer;
mod api;
mod claims;
mod current;
mod generation;
mod options;
mod subscription;
mod thread;

pub use answer::{Answer, Outcome};
pub use api::Thalweg;
pub use claims::ClaimsError;
pub use dialects::{
    Dialect, DialectName, dgraph, federation, find_dialect, hasura, neo4j, phrag, postgraphile,
    prisma,
};
pub use engine::live::{FeedKind, FeedOptions, Relay};
pub use engine::schema_first::{ApplyMigrations, SchemaFirst};
pub use engine::session::Mapping;
pub use engine::{
    CacheField, CacheOptions, CostLimits, Defaults, DirectUrl, Durability, ErrorOptions,
    ExtendedError, Extensions, Freshness, FunctionName, FurtherSource, Limits, OpenOptions,
    Options as EngineOptions, PatternLimits, PolicyFile, PolicyProblems, PoolLimits, ReadOptions,
    ReplicaOptions, ResolverOptions, Rights, Session, SourceAddress, SourceAddressError,
    StoredColumn, Timeouts, WebhookSubscription, WithoutReplica,
};
pub use generation::OpenError;
pub use graphql::{DocumentLimits, ErrorCode, GraphQLError, Request};
pub use options::{Options, OptionsError, Triggers};
pub use subscription::Responses;
