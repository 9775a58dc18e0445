//! How much one request may ask for.

use clap::Args;
use graphql::DocumentLimits;

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
    /// How long the head of a request may take, and how long a connection is kept without one
    #[arg(long, env = "THALWEG_HEADER_TIMEOUT", value_name = "TIME", default_value = "30s")]
    pub(crate) header_timeout: Time,
    /// How long the body of a request may take
    #[arg(long, env = "THALWEG_BODY_TIMEOUT", value_name = "TIME", default_value = "30s")]
    pub(crate) body_timeout: Time,
}

impl LimitOptions {
    /// What the engine checks of them.
    pub(crate) fn of_engine(&self) -> engine::Limits {
        engine::Limits {
            document: DocumentLimits {
                tokens: self.max_tokens,
                depth: self.max_depth,
                ..DocumentLimits::default()
            },
            response_bytes: self.max_response_size.0,
            ..engine::Limits::default()
        }
    }
}
