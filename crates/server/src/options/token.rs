//! `thalweg token`: the claims and the validity of a token for development.

use super::auth::VerifyAlgorithm;
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
    /// Accepted signature algorithms, separated by commas [default: all that a key supports]
    #[arg(
        long,
        env = "THALWEG_JWT_VERIFY_ALGORITHMS",
        value_name = "ALGORITHMS",
        value_delimiter = ','
    )]
    pub(crate) jwt_verify_algorithms: Vec<VerifyAlgorithm>,
    /// Accepted audiences (`aud`), separated by commas, or `*` for any [default: `postgraphile` with --jwt-secret alone]
    #[arg(
        long,
        env = "THALWEG_JWT_VERIFY_AUDIENCE",
        value_name = "AUDIENCES",
        value_delimiter = ','
    )]
    pub(crate) jwt_verify_audience: Option<Vec<Box<str>>>,
    /// Accepted issuers (`iss`), separated by commas
    #[arg(long, env = "THALWEG_JWT_VERIFY_ISSUER", value_name = "ISSUERS", value_delimiter = ',')]
    pub(crate) jwt_verify_issuer: Vec<Box<str>>,
    /// The required subject (`sub`)
    #[arg(long, env = "THALWEG_JWT_VERIFY_SUBJECT", value_name = "SUBJECT")]
    pub(crate) jwt_verify_subject: Option<Box<str>>,
    /// The required token id (`jti`)
    #[arg(long, env = "THALWEG_JWT_VERIFY_ID", value_name = "ID")]
    pub(crate) jwt_verify_id: Option<Box<str>>,
    /// Required claims, separated by commas
    #[arg(long, env = "THALWEG_JWT_REQUIRE_CLAIMS", value_name = "CLAIMS", value_delimiter = ',')]
    pub(crate) jwt_require_claims: Vec<Box<str>>,
}
