//! Limits of one request.

use clap::Args;
use engine::PatternLimits;
use graphql::{DocumentLimits, JsonLimits};

use super::cost::CostOptions;
use super::quantity::{Size, Time};

#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitOptions {
    /// The maximum size of a request body, before and after decompression
    #[arg(long, env = "THALWEG_MAX_BODY_SIZE", value_name = "SIZE", default_value = "1MiB")]
    pub(crate) max_body_size: Size,
    /// The maximum size of a response
    #[arg(long, env = "THALWEG_MAX_RESPONSE_SIZE", value_name = "SIZE", default_value = "256MiB")]
    max_response_size: Size,
    /// The maximum number of tokens in a document, including white space and comments
    #[arg(long, env = "THALWEG_MAX_TOKENS", value_name = "NUMBER", default_value = "10000")]
    max_tokens: usize,
    /// The maximum depth of nested fields
    #[arg(long, env = "THALWEG_MAX_DEPTH", value_name = "NUMBER", default_value = "64")]
    max_depth: usize,
    /// The maximum number of aliases in a document, before and after its fragments are expanded
    #[arg(long, env = "THALWEG_MAX_ALIASES", value_name = "NUMBER", default_value = "250")]
    max_aliases: usize,
    /// The maximum number of root fields in an operation
    #[arg(long, env = "THALWEG_MAX_ROOT_FIELDS", value_name = "NUMBER", default_value = "100")]
    max_root_fields: usize,
    /// The maximum number of fields in an operation, with its fragments expanded
    #[arg(long, env = "THALWEG_MAX_FIELDS", value_name = "NUMBER", default_value = "20000")]
    max_fields: usize,
    /// The maximum number of directives in a document
    #[arg(long, env = "THALWEG_MAX_DIRECTIVES", value_name = "NUMBER", default_value = "250")]
    max_directives: usize,
    /// The maximum number of directives at one field, fragment, operation or variable
    #[arg(
        long,
        env = "THALWEG_MAX_DIRECTIVES_PER_PLACE",
        value_name = "NUMBER",
        default_value = "8"
    )]
    max_directives_per_place: usize,
    /// The maximum number of fragments in a document: definitions, spreads and inline fragments together
    #[arg(long, env = "THALWEG_MAX_FRAGMENTS", value_name = "NUMBER", default_value = "1000")]
    max_fragments: usize,
    /// The maximum number of variables of an operation
    #[arg(long, env = "THALWEG_MAX_VARIABLES", value_name = "NUMBER", default_value = "250")]
    max_variables: usize,
    /// The maximum number of operations in a document
    #[arg(long, env = "THALWEG_MAX_OPERATIONS", value_name = "NUMBER", default_value = "100")]
    max_operations: usize,
    /// The maximum depth of lists and objects in a request's JSON
    #[arg(
        long,
        env = "THALWEG_MAX_JSON_DEPTH",
        value_name = "NUMBER",
        default_value = "64",
        value_parser = clap::value_parser!(u8).range(1..=100)
    )]
    max_json_depth: u8,
    /// The maximum number of values in a request's JSON
    #[arg(long, env = "THALWEG_MAX_JSON_VALUES", value_name = "NUMBER", default_value = "200000")]
    max_json_values: usize,
    #[command(flatten)]
    cost: CostOptions,
    /// The maximum length of a pattern, as of LIKE or a regular expression
    #[arg(long, env = "THALWEG_MAX_PATTERN_LENGTH", value_name = "NUMBER", default_value = "1000")]
    max_pattern_length: usize,
    /// The maximum number of wildcards in a pattern
    #[arg(
        long,
        env = "THALWEG_MAX_PATTERN_WILDCARDS",
        value_name = "NUMBER",
        default_value = "100"
    )]
    max_pattern_wildcards: usize,
    /// Timeout for reading the head of a request
    #[arg(long, env = "THALWEG_HEADER_TIMEOUT", value_name = "TIME", default_value = "10s")]
    pub(crate) header_timeout: Time,
    /// Timeout for reading the body of a request
    #[arg(long, env = "THALWEG_BODY_TIMEOUT", value_name = "TIME", default_value = "30s")]
    pub(crate) body_timeout: Time,
}

impl LimitOptions {
    /// The limits that are checked while a request is read.
    pub(crate) fn json_limits(&self) -> JsonLimits {
        JsonLimits { depth: self.max_json_depth.into(), values: self.max_json_values }
    }

    /// The limits that the engine checks.
    pub(crate) fn to_engine(&self) -> engine::Limits {
        engine::Limits {
            document: DocumentLimits {
                tokens: self.max_tokens,
                depth: self.max_depth,
                aliases: self.max_aliases,
                root_fields: self.max_root_fields,
                fields: self.max_fields,
                directives: self.max_directives,
                directives_per_place: self.max_directives_per_place,
                fragments: self.max_fragments,
                variables: self.max_variables,
                operations: self.max_operations,
                ..DocumentLimits::default()
            },
            cost: self.cost.limits(),
            patterns: PatternLimits {
                length: self.max_pattern_length,
                wildcards: self.max_pattern_wildcards,
            },
            response_bytes: self.max_response_size.0,
            ..engine::Limits::default()
        }
    }
}
