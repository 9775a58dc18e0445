//! The GraphQL front half: schema arena, documents, validation, coercion, introspection, errors.
//!
//! It knows no database. The parser and validator are `apollo-compiler`'s, which is private to this
//! crate. In the order of a request:
//!
//! * [`schema`]: the arena that a dialect fills, of `shared_arena`s and with `type_names`; [`sdl`]: the
//!   same as text; [`visibility`]: the parts of it that some clients see
//! * [`request`]: bytes to query, operation name and variables; [`json`]: JSON parsing with limits
//! * [`document`]: the query to a validated operation, within limits
//! * [`operation`], [`value`]: validated operations
//! * [`definitions`]: type definitions as written, for schema-first dialects
//! * [`executable`]: executable documents as written, for tools that compare them with schemas;
//!   `normalized`: their texts, to compare them with each other
//! * `text_inputs`: inputs that take numbers and booleans as texts
//! * [`coerce`]: coercion of the request's variables by the operation's definitions
//! * `files`: the places of files in the variables
//! * [`variables`]: coerced values, and the record of those that changed the plan
//! * [`opaque`]: node ids and cursors
//! * [`collect`]: flattening and merging of selections, when an operation is lowered
//! * [`heap`]: heap sizes of values, for caches
//! * [`introspection`]: responses of `__schema` and `__type`
//! * [`usage`]: parts of the schema that an operation uses
//! * [`defer`]: the directive `@defer`, and operations in parts
//! * `suggestion`: similar names for "Did you mean"
//! * [`problem`]: the first problem of a refused request, with the path to it
//! * [`error`]: errors of a response

mod built_in_scalars;
pub mod coerce;
pub mod collect;
pub mod defer;
pub mod definitions;
pub mod document;
pub mod error;
pub mod executable;
mod files;
pub mod heap;
mod ids;
pub mod introspection;
pub mod json;
mod leniency;
mod normalized;
pub mod opaque;
pub mod operation;
mod print_type;
pub mod problem;
pub mod request;
pub mod schema;
pub mod sdl;
mod shared_arena;
mod suggestion;
mod text_inputs;
mod type_names;
pub mod usage;
mod validate_schema;
pub mod value;
pub mod variables;
pub mod visibility;

#[cfg(test)]
mod test_schema;

pub use built_in_scalars::BUILT_IN_SCALARS;
pub use coerce::coerce_variable_values;
pub use collect::{
    Budget, CollectedField, TooManyFields, collect_fields, does_condition_hold,
    does_fragment_type_apply,
};
pub use definitions::{
    find_directive_in_field_set, parse_definitions, parse_field_set, parse_field_set_leniently,
};
pub use document::{DocumentLimits, Validator, print_default};
pub use error::{ErrorCode, GraphQLError, PathSegment};
pub use exact_numbers::ExactNumbers;
pub use executable::parse_executable;
pub use files::check_files;
pub use json::JsonLimits;
pub use leniency::Leniency;
pub use normalized::normalized;
pub use print_type::print_type;
pub use request::{Body, Parameters, Request, parse_exact_json, parse_json};
pub use sdl::{
    Applied, print_const, print_definitions, print_one_type, print_schema, print_schema_applying,
};
pub use shared_arena::{SharedArena, Signatures};
pub use suggestion::similar_names;
pub use text_inputs::TextInputs;
pub use validate_schema::validate_schema;
pub use visibility::{Position, PositionIndex, View, Visibility};
