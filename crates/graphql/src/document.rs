//! Documents: parsed, validated and resolved to the schema's ids.
//!
//! The cost of a document depends on its own length, not on the size of the schema, and is limited:
//! everything is counted before the library's validation runs.
//!
//! 1. `scan`: limits on the unparsed text
//! 2. the library's parser, with its limits
//! 3. `nesting`: depth, and cycles of fragments
//! 4. `outline`, `validation_cost`: size of the document with its fragments expanded
//! 5. `named_part`, `definitions`: the part of the schema that the document names
//! 6. the library's validation, and `unique_input_fields`
//!    of a refused document once more by `texts`, with values in the place of their texts
//! 7. `convert`, `literal`: names become ids

mod convert;
mod definitions;
mod field_index;
mod leniency;
mod limits;
mod literal;
mod named_part;
mod nesting;
mod outline;
pub(crate) mod positions;
mod scan;
mod texts;
mod unique_input_fields;
mod validation_cost;

use apollo_compiler::ExecutableDocument;
use apollo_compiler::Schema as LibrarySchema;
use apollo_compiler::ast;
use apollo_compiler::executable;
use apollo_compiler::parser::Parser;
use apollo_compiler::validation::{DiagnosticList, Valid};

use crate::error::{ErrorCode, GraphQLError};
use crate::operation::{Location, Operation};
use crate::schema::Schema;
use crate::suggestion;
use crate::visibility::View;
use convert::convert_operation;
pub use definitions::print_default;
use field_index::FieldIndex;
pub use limits::DocumentLimits;
use positions::Positions;

/// Limit of reported errors of one document.
const MAX_ERRORS: usize = 100;

/// Limit of errors of one document with suggested names: each compares all names of a type.
const MAX_SUGGESTING: usize = 5;

/// Data of a schema that validation needs beside the schema itself.
#[derive(Debug, Default)]
pub struct Validator {
    fields: FieldIndex,
}

/// A document that passed validation.
pub(crate) struct ValidDocument {
    pub(crate) document: Valid<ExecutableDocument>,
    pub(crate) positions: Positions,
}

impl Validator {
    #[must_use]
    pub fn new(schema: &Schema) -> Self {
        Self { fields: FieldIndex::new(schema) }
    }

    /// Parses and validates a document and resolves one of its operations.
    ///
    /// `schema` is the schema of the validator, or a view of it.
    pub fn operation<'s>(
        &self,
        schema: impl Into<View<'s>>,
        text: &str,
        operation_name: Option<&str>,
        limits: &DocumentLimits,
    ) -> Result<Operation, Vec<GraphQLError>> {
        let schema = schema.into();
        let valid = self.validate(schema, text, limits)?;
        let name = schema.whole.leniency.operation_name(operation_name);
        let operation = get_operation(&valid, name).map_err(|error| vec![error])?;
        let mut operation = convert_operation(schema, &self.fields, &valid, operation)?;
        operation.shrink();
        Ok(operation)
    }

    /// Checks whether all operations of a document can be resolved.
    pub fn check<'s>(
        &self,
        schema: impl Into<View<'s>>,
        text: &str,
        limits: &DocumentLimits,
    ) -> Result<(), Vec<GraphQLError>> {
        self.validate(schema.into(), text, limits).map(|_| ())
    }

    pub(crate) fn validate(
        &self,
        schema: View<'_>,
        text: &str,
        limits: &DocumentLimits,
    ) -> Result<ValidDocument, Vec<GraphQLError>> {
        scan::check_text(text, limits).map_err(|error| vec![error])?;
        let document = parse(text, limits).map_err(|error| vec![error])?;
        let positions = Positions::new(text);
        nesting::check_nesting(&document, &positions, limits).map_err(|error| vec![error])?;
        validation_cost::check_validation_cost(schema, &self.fields, &document, limits)
            .map_err(|error| vec![error])?;
        let part = named_part::named_part(schema, &self.fields, &document);
        let library = definitions::partial_schema(schema, &part);
        let mut errors = Vec::new();
        unique_input_fields::check_unique_input_fields(&document, &positions, &mut errors);
        let mut document = document;
        let mut checked = check(&document, &library);
        if checked.is_err()
            && let Some(values) = texts::with_values_of_texts(schema, &self.fields, &document)
        {
            checked = check(&values, &library);
            document = values;
        }
        let invalid = match checked {
            Ok(document) if errors.is_empty() => return Ok(ValidDocument { document, positions }),
            Ok(_) => return Err(truncated(errors)),
            Err(refused) => match *refused {
                Refused { errors: found, partial: Some(partial) }
                    if errors.is_empty()
                        && schema.whole.leniency.allows(&found, &document, &library) =>
                {
                    let document = Valid::assume_valid(partial);
                    return Ok(ValidDocument { document, positions });
                }
                Refused { errors, .. } => errors,
            },
        };
        // One more than the limit, to detect that there are more.
        errors.extend(errors_of(&invalid, ErrorCode::ValidationFailed).take(MAX_ERRORS + 1));
        if schema.whole.suggests_names {
            for error in errors.iter_mut().take(MAX_SUGGESTING) {
                let suggestion = suggestion::of_message(schema, &error.message);
                error.message.push_str(&suggestion);
            }
        }
        Err(truncated(errors))
    }
}

/// A document that is not valid.
struct Refused {
    errors: DiagnosticList,
    /// The document, unless it has unknown names, of which further errors would be consequences.
    partial: Option<ExecutableDocument>,
}

fn check(
    document: &ast::Document,
    library: &Valid<LibrarySchema>,
) -> Result<Valid<ExecutableDocument>, Box<Refused>> {
    let refused = |errors, partial| Box::new(Refused { errors, partial });
    let document =
        document.to_executable(library).map_err(|unknown| refused(unknown.errors, None))?;
    document.validate(library).map_err(|invalid| refused(invalid.errors, Some(invalid.partial)))
}

/// <https://spec.graphql.org/draft/#GetOperation()>
pub(crate) fn get_operation<'d>(
    valid: &'d ValidDocument,
    name: Option<&str>,
) -> Result<&'d executable::Operation, GraphQLError> {
    let operations = &valid.document.operations;
    let failure =
        |message: String| GraphQLError::new(ErrorCode::OperationResolutionFailure, message);
    match name {
        Some(name) => match operations.named.get(name) {
            Some(operation) => Ok(operation),
            None => Err(failure(format!("Unknown operation named \"{name}\"."))),
        },
        None => {
            let mut all = operations.iter();
            match (all.next(), all.next()) {
                (Some(only), None) => Ok(only),
                (Some(_), Some(_)) => Err(failure(
                    "Must provide operation name if query contains multiple operations.".into(),
                )),
                (None, _) => Err(failure("Must provide an operation.".into())),
            }
        }
    }
}

fn parse(text: &str, limits: &DocumentLimits) -> Result<ast::Document, GraphQLError> {
    let mut parser = Parser::new().token_limit(limits.tokens).recursion_limit(limits.recursion);
    let parsed = parser.parse_ast(text, "document.graphql");
    if parser.tokens_reached() > limits.tokens {
        return Err(GraphQLError::new(
            ErrorCode::QueryTooLarge,
            format!("The document has more than {} tokens (--max-tokens).", limits.tokens),
        ));
    }
    if parser.recursion_reached() > limits.recursion {
        return Err(GraphQLError::new(
            ErrorCode::QueryTooDeep,
            format!("The document is nested deeper than {} levels.", limits.recursion),
        ));
    }
    parsed.map_err(|invalid| {
        // Further errors are mostly consequences of the first.
        let first = errors_of(&invalid.errors, ErrorCode::ParseFailed).next();
        first.unwrap_or_else(|| GraphQLError::new(ErrorCode::ParseFailed, "Syntax error."))
    })
}

fn errors_of(errors: &DiagnosticList, code: ErrorCode) -> impl Iterator<Item = GraphQLError> {
    errors.iter().map(move |diagnostic| {
        // Its JSON form has locations in characters.
        let error = library_error(code, diagnostic.to_json());
        // Messages of graphql-js, which clients may match; those of a list span several lines.
        match diagnostic.error.unstable_compat_message().filter(|words| !words.contains('\n')) {
            Some(message) => GraphQLError { message, ..error },
            None => error,
        }
    })
}

/// Converts an error of the library.
pub(crate) fn library_error(
    code: ErrorCode,
    error: apollo_compiler::response::GraphQLError,
) -> GraphQLError {
    let locations = error.locations.iter();
    let message = match code {
        ErrorCode::ParseFailed => with_characters(&error.message),
        _ => error.message,
    };
    GraphQLError {
        locations: locations.map(|at| Location::new(at.line, at.column)).collect(),
        ..GraphQLError::new(code, message)
    }
}

/// Names of tokens in messages of the parser, with what a person writes.
const TOKENS: [(&str, &str); 7] = [
    ("L_CURLY", "`{`"),
    ("R_CURLY", "`}`"),
    ("L_PAREN", "`(`"),
    ("R_PAREN", "`)`"),
    ("L_BRACK", "`[`"),
    ("R_BRACK", "`]`"),
    ("COLON", "`:`"),
];

/// The message of a syntax error with characters instead of the names of tokens. The end of the
/// message may be text of the document, which stays.
fn with_characters(message: &str) -> String {
    let place = message.find(", got ").unwrap_or(message.len());
    let (expected, got) = message.split_at(place);
    let mut expected = expected.to_owned();
    for (token, written) in TOKENS {
        expected = expected.replace(token, written);
    }
    let got = if got == ", got EOF" { ", got the end of the document" } else { got };
    expected + got
}

fn truncated(mut errors: Vec<GraphQLError>) -> Vec<GraphQLError> {
    if errors.len() > MAX_ERRORS {
        errors.truncate(MAX_ERRORS);
        errors.push(GraphQLError::new(
            ErrorCode::ValidationFailed,
            "Too many validation errors, error limit reached. Validation aborted.",
        ));
    }
    errors
}

#[cfg(test)]
mod tests;
