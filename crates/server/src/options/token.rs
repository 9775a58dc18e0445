//! `thalweg token`: the claims and the validity of a token for development.

use super::auth::VerifyOptions;
use super::quantity::Time;
use super::{Variables, variables};
use clap::Args;

#[derive(Debug, Args)]
#[command(next_help_heading = "Authentication")]
pub(crate) struct TokenOptions {
    /// The claims of the token, as a JSON object; those that the server requires are added
    #[arg(help_heading = "The token", long, env = "THALWEG_CLAIMS", value_name = "JSON", value_parser = variables)]
    pub(crate) claims: Option<Variables>,
    /// How long the token is valid
    #[arg(
        help_heading = "The token",
        long,
        env = "THALWEG_TOKEN_VALIDITY",
        value_name = "TIME",
        default_value = "1h"
    )]
    pub(crate) token_validity: Time,
    /// The shared secret of tokens (HS256, HS384, HS512)
    #[arg(long, env = "THALWEG_JWT_SECRET", hide_env_values = true, value_name = "SECRET")]
    pub(crate) jwt_secret: Option<Box<str>>,
    #[command(flatten)]
    pub(crate) verify: VerifyOptions,
    /// Required claims, separated by commas
    #[arg(long, env = "THALWEG_JWT_REQUIRE_CLAIMS", value_name = "CLAIMS", value_delimiter = ',')]
    pub(crate) jwt_require_claims: Vec<Box<str>>,
}
