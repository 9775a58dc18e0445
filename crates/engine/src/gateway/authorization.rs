//! Authorization: scopes and policies from the claims of a token.

use std::collections::BTreeSet;

use gateway::access::{Access, AccessSet, TouchedRequirements};
use gateway::outline::{Item, ItemKind, Tree};
use graphql::{ErrorCode, GraphQLError};

use serde_json_bytes::Value as Json;
use sources::{Claims, Session};

use super::{Gateway, Prepared};

/// Authorization options of a gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthorizationOptions {
    /// Claim with the scopes: a string with spaces between them, or a list.
    pub scope_claim: Box<str>,
    /// Claim with the policies that hold: a list, or a string for a single one.
    pub policy_claim: Box<str>,
    pub unauthorized: Unauthorized,
}

/// Response to unauthorized fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unauthorized {
    /// They are null, and the rest is executed.
    #[default]
    Null,
    /// The whole operation is refused.
    Refuse,
}

impl Default for AuthorizationOptions {
    fn default() -> Self {
        Self {
            scope_claim: "scope".into(),
            policy_claim: "policies".into(),
            unauthorized: Unauthorized::default(),
        }
    }
}

impl AuthorizationOptions {
    /// Returns the authorization data of a client.
    fn access(&self, session: &Session) -> Access {
        let Some(claims) = session.claims.as_deref() else { return Access::default() };
        Access {
            is_authenticated: true,
            scopes: names(claims, &self.scope_claim, |text| {
                text.split_ascii_whitespace().collect()
            }),
            // Policy names may contain spaces.
            policies: names(claims, &self.policy_claim, |text| vec![text]),
        }
    }
}

/// Returns the names in a claim; `of_text` splits a string.
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
    /// Returns the requirements of an operation that the client does not meet.
    pub(super) fn denied(&self, touched: &TouchedRequirements, session: &Session) -> AccessSet {
        if touched.is_empty() {
            return AccessSet::default();
        }
        self.options.authorization.access(session).denied(&self.supergraph, touched)
    }

    /// Refuses an operation with unauthorized fields, if the options say so.
    pub(super) fn refuse_denied(&self, prepared: &Prepared) -> Result<(), Vec<GraphQLError>> {
        let tree = &prepared.plan.tree;
        let errors: Vec<_> = match self.options.authorization.unauthorized {
            Unauthorized::Null => return Ok(()),
            Unauthorized::Refuse => tree.denied().map(|item| self.refused(tree, item)).collect(),
        };
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    fn refused(&self, tree: &Tree, item: &Item) -> GraphQLError {
        unauthorized(&self.coordinate(tree, item)).at(item.location)
    }

    /// Returns the schema coordinate of an item, as `Type.field`.
    pub(super) fn coordinate(&self, tree: &Tree, item: &Item) -> String {
        let parent = &self.supergraph.schema[tree.parent_of(&self.supergraph, item)].name;
        let name = match &item.kind {
            ItemKind::Field { name, .. } => name,
            ItemKind::Typename | ItemKind::Introspection => "__typename",
        };
        [parent, ".", name].concat()
    }
}

/// Returns the error for an unauthorized field.
pub(super) fn unauthorized(coordinate: &str) -> GraphQLError {
    let message = format!("Not authorized for `{coordinate}`.");
    GraphQLError::new(ErrorCode::UnauthorizedFieldOrType, message)
}

#[cfg(test)]
mod tests;
