//! An oracle for the gateway: subgraphs in memory and the one schema that they make together.
//!
//! A supergraph says which subgraph knows what, so that both can be made of it alone. What there is
//! to know is a [`World`]: a few objects of each type, whose values are computed from who they are.
//! Each subgraph tells of it what it knows, and watches whether it is asked as it may be; the merged
//! schema tells all. An operation sent through the gateway has the answer of the merged schema.
//!
//! * [`world`]: what is true
//! * `data`: what a file says of it
//! * `arguments`: which arguments are equal
//! * `schema`: what one subgraph's schema is
//! * `knower`: what one subgraph, or all together, say of an object
//! * `interpret`: the answer to an operation
//! * [`subgraphs`]: requests of the gateway to answers, with [`clock`] for when they come
//! * [`failing`]: which resolvers fail
//! * [`faults`]: what goes wrong on the way
//! * [`truth`]: what an answer may be where something fails
//! * [`ask`]: an operation through the gateway
//! * [`queries`]: operations made of a tape of bytes
//! * [`supergraphs`]: supergraphs made of a tape of bytes
//! * [`oracle`]: all together

mod above;
mod arguments;
pub mod ask;
pub mod clock;
mod data;
pub mod failing;
pub mod faults;
mod interpret;
mod knower;
pub mod oracle;
pub mod queries;
mod schema;
pub mod subgraphs;
pub mod supergraphs;
pub mod truth;
pub mod world;

pub use ask::Question;
pub use data::Data;
pub use failing::Failing;
pub use oracle::{Oracle, Outcome};
pub use queries::{Made, make};
pub use schema::schema_of;
pub use truth::Expected;
pub use world::World;
