//! What an API itself says to routers beside its keys: type definitions of a graph have federation's
//! directives among their own.

use std::sync::Arc;

use graphql::definitions::Directive;

/// Directives of a type of the API, or of a member of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedDirectives {
    pub r#type: Arc<str>,
    /// A field of it, or a value.
    pub member: Option<Arc<str>>,
    /// Never empty.
    pub directives: Vec<Directive>,
}
