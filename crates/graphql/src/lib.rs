//! The GraphQL front half: schema arena, documents, validation, coercion, introspection, errors.
//!
//! It knows no database. The parser and validator are `apollo-compiler`'s, seen by nobody
//! outside this crate.
//!
//! * [`schema`]: the arena that a dialect fills
//! * [`sdl`]: the arena as text
//! * [`operation`], [`value`]: what a validated operation is
//! * [`variables`]: coerced values, and which of them steered
//! * [`collect`]: flattening and merging of selections, when an operation is lowered
//! * [`error`]: what a response says when something fails

pub mod collect;
pub mod error;
pub mod operation;
pub mod schema;
pub mod sdl;
pub mod value;
pub mod variables;

#[cfg(test)]
mod test_schema;

pub use collect::{
    Budget, CollectedField, TooManyFields, collect_fields, does_fragment_type_apply,
};
pub use error::{ErrorCode, GraphQLError, PathSegment};
pub use sdl::{print_schema, print_type};
