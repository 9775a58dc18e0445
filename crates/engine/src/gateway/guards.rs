//! Who asks, as the guards of a supergraph see it: from the claims of a token.

use std::collections::BTreeSet;

use gateway::access::{Access, AccessSet, Touched};
use gateway::outline::{Item, Tree, What};
use graphql::{ErrorCode, GraphQLError};

use serde_json_bytes::Value as Json;
use source::{Claims, Session};

use super::{Gateway, Prepared};

/// Where tokens say what their bearers may read, and what becomes of what they may not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guards {
    /// The claim of scopes: a text with spaces between them, or a list.
    pub scope_claim: Box<str>,
    /// The claim of policies that hold: a list, or a text that is one.
    pub policy_claim: Box<str>,
    pub unauthorized: Unauthorized,
}

/// What becomes of what a caller may not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unauthorized {
    /// It is null, and the rest is answered.
    #[default]
    Null,
    /// The whole operation is refused.
    Refuse,
}

impl Default for Guards {
    fn default() -> Self {
        Self {
            scope_claim: "scope".into(),
            policy_claim: "policies".into(),
            unauthorized: Unauthorized::default(),
        }
    }
}

impl Guards {
    /// What is known of who asks.
    fn access(&self, session: &Session) -> Access {
        let Some(claims) = session.claims.as_deref() else { return Access::default() };
        Access {
            is_authenticated: true,
            scopes: names(claims, &self.scope_claim, |text| {
                text.split_ascii_whitespace().collect()
            }),
            // A policy may be called anything, with spaces in it.
            policies: names(claims, &self.policy_claim, |text| vec![text]),
        }
    }
}

/// The texts of a claim; `of_text` are those of one that is a text.
fn names(claims: &Claims, claim: &str, of_text: impl Fn(&str) -> Vec<&str>) -> BTreeSet<Box<str>> {
    match claims.get(claim) {
        Some(Json::String(text)) => of_text(text.as_str()).into_iter().map(Into::into).collect(),
        Some(Json::Array(items)) => items.iter().filter_map(Json::as_str).map(Into::into).collect(),
        Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_)) | None => {
            BTreeSet::new()
        }
    }
}

impl Gateway {
    /// What of an operation is not for who asks.
    pub(super) fn denied(&self, touched: &Touched, session: &Session) -> AccessSet {
        if touched.is_empty() {
            return AccessSet::default();
        }
        self.options.guards.access(session).denied(&self.supergraph, touched)
    }

    /// Refuses an operation of which something is not allowed, if that is how it is to be.
    pub(super) fn refuse_denied(&self, prepared: &Prepared) -> Result<(), Vec<GraphQLError>> {
        let tree = &prepared.plan.tree;
        let errors: Vec<_> = match self.options.guards.unauthorized {
            Unauthorized::Null => return Ok(()),
            Unauthorized::Refuse => tree.denied().map(|item| self.refused(tree, item)).collect(),
        };
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    fn refused(&self, tree: &Tree, item: &Item) -> GraphQLError {
        unauthorized(&self.coordinate(tree, item)).at(item.location)
    }

    /// What an item asks for, as `Type.field`.
    pub(super) fn coordinate(&self, tree: &Tree, item: &Item) -> String {
        let parent = &self.supergraph.schema[tree.parent_of(&self.supergraph, item)].name;
        let name = match &item.what {
            What::Field { name, .. } => name,
            What::Typename | What::Introspection => "__typename",
        };
        [parent, ".", name].concat()
    }
}

/// That something is not for who asks.
pub(super) fn unauthorized(coordinate: &str) -> GraphQLError {
    let message = format!("Not authorized for `{coordinate}`.");
    GraphQLError::new(ErrorCode::UnauthorizedFieldOrType, message)
}

#[cfg(test)]
mod tests;
