//! Authorization by the directives of a supergraph.

use clap::{Args, ValueEnum};
use engine::gateway::{Guards, Unauthorized};

#[derive(Debug, Args)]
#[command(next_help_heading = "Authorization")]
pub(crate) struct GuardOptions {
    /// The claim with the scopes of `@requiresScopes`: a string with spaces between them, or a list
    #[arg(long, env = "THALWEG_SCOPE_CLAIM", value_name = "CLAIM", default_value = "scope")]
    scope_claim: Box<str>,
    /// The claim with the policies of `@policy`: a list, or a string for a single one
    #[arg(long, env = "THALWEG_POLICY_CLAIM", value_name = "CLAIM", default_value = "policies")]
    policy_claim: Box<str>,
    /// Result of fields that the caller is not authorized to read
    #[arg(long, env = "THALWEG_UNAUTHORIZED", value_name = "WHAT", default_value = "null")]
    unauthorized: OnUnauthorized,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OnUnauthorized {
    /// The field is null with an error, and the rest of the response is complete
    Null,
    /// The whole operation is refused
    Refuse,
}

impl GuardOptions {
    pub(crate) fn guards(&self) -> Guards {
        Guards {
            scope_claim: self.scope_claim.clone(),
            policy_claim: self.policy_claim.clone(),
            unauthorized: match self.unauthorized {
                OnUnauthorized::Null => Unauthorized::Null,
                OnUnauthorized::Refuse => Unauthorized::Refuse,
            },
        }
    }
}
