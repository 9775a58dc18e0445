//! How much one request may ask for.

use clap::Args;
use engine::PatternLimits;
use graphql::{DocumentLimits, JsonLimits};

use super::cost::CostOptions;
use super::quantity::{Size, Time};

#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitOptions {
    /// The largest body of a request, before and after it is decompressed
    #[arg(long, env = "THALWEG_MAX_BODY_SIZE", value_name = "SIZE", default_value = "1MiB")]
    pub(crate) max_body_size: Size,
    /// The largest answer
    #[arg(long, env = "THALWEG_MAX_RESPONSE_SIZE", value_name = "SIZE", default_value = "256MiB")]
    max_response_size: Size,
    /// The most tokens of a document, white space and comments included
    #[arg(long, env = "THALWEG_MAX_TOKENS", value_name = "NUMBER", default_value = "10000")]
    max_tokens: usize,
    /// The most levels of fields in fields
    #[arg(long, env = "THALWEG_MAX_DEPTH", value_name = "NUMBER", default_value = "64")]
    max_depth: usize,
    /// The most aliases of a document, as written and with its fragments in their places
    #[arg(long, env = "THALWEG_MAX_ALIASES", value_name = "NUMBER", default_value = "250")]
    max_aliases: usize,
    /// The most fields of the root type that an operation may select
    #[arg(long, env = "THALWEG_MAX_ROOT_FIELDS", value_name = "NUMBER", default_value = "100")]
    max_root_fields: usize,
    /// The most fields that an operation may select, its fragments in their places
    #[arg(long, env = "THALWEG_MAX_FIELDS", value_name = "NUMBER", default_value = "20000")]
    max_fields: usize,
    /// The most directives of a document
    #[arg(long, env = "THALWEG_MAX_DIRECTIVES", value_name = "NUMBER", default_value = "250")]
    max_directives: usize,
    /// The most directives at one field, fragment, operation or variable
    #[arg(
        long,
        env = "THALWEG_MAX_DIRECTIVES_PER_PLACE",
        value_name = "NUMBER",
        default_value = "8"
    )]
    max_directives_per_place: usize,
    /// The most fragments of a document: definitions, spreads and inline ones together
    #[arg(long, env = "THALWEG_MAX_FRAGMENTS", value_name = "NUMBER", default_value = "1000")]
    max_fragments: usize,
    /// The most variables that an operation may define
    #[arg(long, env = "THALWEG_MAX_VARIABLES", value_name = "NUMBER", default_value = "250")]
    max_variables: usize,
    /// The most operations of a document
    #[arg(long, env = "THALWEG_MAX_OPERATIONS", value_name = "NUMBER", default_value = "100")]
    max_operations: usize,
    /// The most levels of lists and objects in a request's JSON
    #[arg(
        long,
        env = "THALWEG_MAX_JSON_DEPTH",
        value_name = "NUMBER",
        default_value = "64",
        value_parser = clap::value_parser!(u8).range(1..=100)
    )]
    max_json_depth: u8,
    /// The most values in a request's JSON
    #[arg(long, env = "THALWEG_MAX_JSON_VALUES", value_name = "NUMBER", default_value = "200000")]
    max_json_values: usize,
    #[command(flatten)]
    cost: CostOptions,
    /// The most characters of a pattern that texts are matched with
    #[arg(long, env = "THALWEG_MAX_PATTERN_LENGTH", value_name = "NUMBER", default_value = "1000")]
    max_pattern_length: usize,
    /// The most wildcards of a pattern
    #[arg(
        long,
        env = "THALWEG_MAX_PATTERN_WILDCARDS",
        value_name = "NUMBER",
        default_value = "100"
    )]
    max_pattern_wildcards: usize,
    /// How long the head of a request may take
    #[arg(long, env = "THALWEG_HEADER_TIMEOUT", value_name = "TIME", default_value = "10s")]
    pub(crate) header_timeout: Time,
    /// How long the body of a request may take
    #[arg(long, env = "THALWEG_BODY_TIMEOUT", value_name = "TIME", default_value = "30s")]
    pub(crate) body_timeout: Time,
}

impl LimitOptions {
    /// What is checked while a request is read.
    pub(crate) fn of_json(&self) -> JsonLimits {
        JsonLimits { depth: self.max_json_depth.into(), values: self.max_json_values }
    }

    /// What the engine checks of them.
    pub(crate) fn of_engine(&self) -> engine::Limits {
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
