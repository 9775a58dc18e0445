//! Validation of a whole schema.

use apollo_compiler::Schema as LibrarySchema;

use crate::schema::Schema;
use crate::sdl::print_schema;

/// What is wrong with a schema by the rules of the specification: a fault of the dialect.
///
/// It is slow and takes much memory for large schemas; `check` and tests ask it.
pub fn validate_schema(schema: &Schema) -> Result<(), Vec<String>> {
    match LibrarySchema::parse_and_validate(print_schema(schema), "schema.graphql") {
        Ok(_) => Ok(()),
        Err(invalid) => Err(invalid.errors.iter().map(|error| error.to_string()).collect()),
    }
}
