//! Who may read what of a supergraph that says it.

use clap::{Args, ValueEnum};
use engine::gateway::{AuthorizationOptions, Unauthorized};

#[derive(Debug, Args)]
#[command(next_help_heading = "Who may read what")]
pub(crate) struct GuardOptions {
    /// The claim that says the scopes of `@requiresScopes`: a text with spaces between them, or a
    /// list
    #[arg(long, env = "THALWEG_SCOPE_CLAIM", value_name = "CLAIM", default_value = "scope")]
    scope_claim: Box<str>,
    /// The claim that says which policies of `@policy` hold: a list, or a text that is one
    #[arg(long, env = "THALWEG_POLICY_CLAIM", value_name = "CLAIM", default_value = "policies")]
    policy_claim: Box<str>,
    /// What becomes of what a caller may not read
    #[arg(long, env = "THALWEG_UNAUTHORIZED", value_name = "WHAT", default_value = "null")]
    unauthorized: WhatBecomes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum WhatBecomes {
    /// It is null with an error, and the rest is answered
    Null,
    /// The whole operation is refused
    Refuse,
}

impl GuardOptions {
    pub(crate) fn guards(&self) -> AuthorizationOptions {
        AuthorizationOptions {
            scope_claim: self.scope_claim.clone(),
            policy_claim: self.policy_claim.clone(),
            unauthorized: match self.unauthorized {
                WhatBecomes::Null => Unauthorized::Null,
                WhatBecomes::Refuse => Unauthorized::Refuse,
            },
        }
    }
}
