//! Authorization by the directives of a supergraph.

use clap::Args;
use engine::gateway::{self, Unauthorized};

use super::words::Words;

#[derive(Debug, Args)]
#[command(next_help_heading = "Authorization")]
pub(crate) struct AuthorizationOptions {
    /// The claim with the scopes of `@requiresScopes`: a string with spaces between them, or a list
    #[arg(long, env = "THALWEG_SCOPE_CLAIM", value_name = "CLAIM", default_value = "scope")]
    scope_claim: Box<str>,
    /// The claim with the policies of `@policy`: a list, or a string for a single one
    #[arg(long, env = "THALWEG_POLICY_CLAIM", value_name = "CLAIM", default_value = "policies")]
    policy_claim: Box<str>,
    /// Result of fields that the caller is not authorized to read
    #[arg(
        long,
        env = "THALWEG_UNAUTHORIZED",
        value_name = "WHAT",
        default_value = "null",
        value_parser = UNAUTHORIZED
    )]
    unauthorized: Unauthorized,
}

/// Results of unauthorized fields.
const UNAUTHORIZED: Words<Unauthorized> = Words(&[
    ("null", Unauthorized::Null, "The field is null with an error, and the rest is complete"),
    ("refuse", Unauthorized::Refuse, "The whole operation is refused"),
]);

impl AuthorizationOptions {
    pub(crate) fn to_engine(&self) -> gateway::AuthorizationOptions {
        gateway::AuthorizationOptions {
            scope_claim: self.scope_claim.clone(),
            policy_claim: self.policy_claim.clone(),
            unauthorized: self.unauthorized,
        }
    }
}
