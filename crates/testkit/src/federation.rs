//! An oracle for the gateway: subgraphs in memory and the one schema that they make together.
//!
//! A supergraph defines which subgraph resolves which fields, so both subgraphs and clients' schema
//! can be derived from it alone. The data is a [`World`]: a few objects of each type, whose values
//! are computed from their identity. Each subgraph resolves its own fields, and checks that the
//! requests to it are permitted; the merged schema resolves all. An operation sent through the
//! gateway has the answer of the merged schema.
//!
//! * [`world`]: the data
//! * `data`: data defined by a file
//! * [`deferred`]: operations with deferred fragments, and their payloads
//! * `arguments`: which arguments are equal
//! * `schema`: the schema of one subgraph
//! * `resolver`: the values of an object in one subgraph, or in all together
//! * `interpret`: the answer to an operation
//! * [`subgraphs`]: requests of the gateway to answers, with [`clock`] for when they come
//! * [`failing`]: which resolvers fail
//! * [`faults`]: faults of transport and subgraphs
//! * [`truth`]: permitted answers where subgraphs fail
//! * [`question`]: an operation through the gateway
//! * [`queries`]: operations made of a tape of bytes
//! * [`supergraphs`]: supergraphs made of a tape of bytes
//! * [`oracle`]: all together

mod above;
mod arguments;
pub mod clock;
mod data;
pub mod deferred;
pub mod failing;
pub mod faults;
mod interpret;
pub mod oracle;
pub mod queries;
pub mod question;
mod resolver;
mod schema;
pub mod subgraphs;
pub mod supergraphs;
pub mod truth;
pub mod world;

pub use data::Data;
pub use failing::Failing;
pub use oracle::{Oracle, Outcome};
pub use queries::{Made, make};
pub use question::Question;
pub use schema::schema_of;
pub use truth::Expected;
pub use world::World;
