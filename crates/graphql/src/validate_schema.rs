//! Validation of a whole schema.

use apollo_compiler::Schema as LibrarySchema;

use crate::schema::Schema;
use crate::sdl::print_schema;

/// Violations of the specification by a schema: faults of the dialect.
///
/// It is slow and takes much memory for large schemas; only `check` and tests call it.
pub fn validate_schema(schema: &Schema) -> Result<(), Vec<String>> {
    match LibrarySchema::parse_and_validate(print_schema(schema), "schema.graphql") {
        Ok(_) => Ok(()),
        Err(invalid) => Err(invalid.errors.iter().map(|error| error.to_string()).collect()),
    }
}
