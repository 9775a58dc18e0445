//! Federation directives of an API itself, beside its keys: type definitions of a graph contain
//! some.

use std::sync::Arc;

use graphql::definitions::Directive;

/// Directives applied to a type of the API, or to a member of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedDirectives {
    pub r#type: Arc<str>,
    /// A field of it, or a value.
    pub member: Option<Arc<str>>,
    /// Never empty.
    pub directives: Vec<Directive>,
}
