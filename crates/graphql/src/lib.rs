//! The GraphQL front half: schema arena, documents, validation, coercion, introspection, errors.
//!
//! It knows no database. The parser and validator are `apollo-compiler`'s, seen by nobody
//! outside this crate. In the order of a request:
//!
//! * [`schema`]: the arena that a dialect fills; [`sdl`]: the same as text
//! * [`request`]: bytes to query, operation name and variables; [`json`]: the JSON of it, within limits
//! * [`document`]: the query to a validated operation, within limits
//! * [`operation`], [`value`]: what a validated operation is
//! * [`definitions`]: types as somebody wrote them, for dialects that begin with those
//! * [`coerce`]: the request's variables by the operation's definitions
//! * [`variables`]: coerced values, and which of them steered
//! * [`opaque`]: node ids and cursors
//! * [`collect`]: flattening and merging of selections, when an operation is lowered
//! * [`heap`]: how many bytes values keep, for caches
//! * [`introspection`]: answers of `__schema` and `__type`
//! * `suggestion`: the names that were probably meant
//! * [`error`]: what a response says when something fails

mod built_in_scalars;
pub mod coerce;
pub mod collect;
pub mod definitions;
pub mod document;
pub mod error;
pub mod heap;
mod ids;
pub mod introspection;
pub mod json;
pub mod opaque;
pub mod operation;
mod print_type;
pub mod request;
pub mod schema;
pub mod sdl;
mod suggestion;
mod validate_schema;
pub mod value;
pub mod variables;

#[cfg(test)]
mod test_schema;

pub use built_in_scalars::BUILT_IN_SCALARS;
pub use coerce::coerce_variable_values;
pub use collect::{
    Budget, CollectedField, TooManyFields, collect_fields, does_condition_hold,
    does_fragment_type_apply,
};
pub use definitions::{parse_definitions, parse_field_set};
pub use document::{DocumentLimits, Validator, print_default};
pub use error::{ErrorCode, GraphQLError, PathSegment};
pub use json::JsonLimits;
pub use print_type::print_type;
pub use request::{Body, Parameters, Request};
pub use sdl::{Applied, print_schema, print_schema_applying};
pub use suggestion::similar_names;
pub use validate_schema::validate_schema;
