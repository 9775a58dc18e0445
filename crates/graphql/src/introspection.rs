//! Answers of `__schema` and `__type`: <https://spec.graphql.org/draft/#sec-Introspection>.

use apollo_compiler::introspection::{check_max_depth, partial_execute};
use apollo_compiler::parser::SourceMap;
use apollo_compiler::request::RequestError;
use apollo_compiler::response::JsonMap;
use apollo_compiler::validation::Valid;

use crate::document::{DocumentLimits, Validator, get_operation};
use crate::error::{ErrorCode, GraphQLError};
use crate::operation::{Location, Operation};
use crate::schema::Schema;
use crate::variables::Variables;

impl Validator {
    /// The response name and the value, as JSON, of every root field that is `__schema` or
    /// `__type`, in the order of the response. `@skip` and `@include` are heeded.
    ///
    /// `text` and `operation_name` are those that `operation` was made from, and `variables` its
    /// coerced values. The document is parsed again and the answer is not kept.
    pub fn introspect(
        &self,
        schema: &Schema,
        text: &str,
        operation_name: Option<&str>,
        limits: &DocumentLimits,
        operation: &Operation,
        variables: &Variables,
    ) -> Result<Vec<(String, Vec<u8>)>, Vec<GraphQLError>> {
        let valid = self.validate(schema, text, limits)?;
        let library = get_operation(&valid, operation_name).map_err(|error| vec![error])?;
        let sources = &valid.document.sources;
        check_max_depth(&valid.document, library)
            .map_err(|error| vec![request_error(ErrorCode::QueryTooDeep, &error, sources)])?;

        let whole = self.whole(schema);
        let values = Valid::assume_valid(variables_by_name(operation, variables));
        let answer =
            partial_execute(&whole.schema, &whole.implementers, &valid.document, library, &values)
                .map_err(|error| {
                    vec![request_error(ErrorCode::InternalServerError, &error, sources)]
                })?;
        let names: Vec<&str> = library
            .root_fields(&valid.document)
            .filter(|field| matches!(field.name.as_str(), "__schema" | "__type"))
            .map(|field| field.response_key().as_str())
            .collect();
        let data = answer.data.unwrap_or_default();
        let mut fields = Vec::new();
        for (name, value) in &data {
            if names.contains(&name.as_str()) {
                let json = serde_json::to_vec(value).map_err(|error| {
                    vec![GraphQLError::new(ErrorCode::InternalServerError, error.to_string())]
                })?;
                fields.push((name.as_str().to_owned(), json));
            }
        }
        Ok(fields)
    }
}

fn variables_by_name(operation: &Operation, variables: &Variables) -> JsonMap {
    let definitions = operation.variables.iter();
    definitions
        .zip(&variables.values)
        .filter_map(|(definition, value)| Some((&*definition.name, value.clone()?)))
        .map(|(name, value)| (name.into(), value))
        .collect()
}

fn request_error(code: ErrorCode, error: &RequestError, sources: &SourceMap) -> GraphQLError {
    let error = error.to_graphql_error(sources);
    let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let locations = error.locations.iter();
    GraphQLError {
        locations: locations
            .map(|at| Location { line: narrow(at.line), column: narrow(at.column) })
            .collect(),
        ..GraphQLError::new(code, error.message)
    }
}
