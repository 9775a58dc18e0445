//! Selections of fields whose values other servers give, of one prepared operation.

use std::sync::Arc;

use dialects::{Api, ResolvedSelection};
use http_resolvers::HttpResolver;
use http_resolvers::splice::Position;

use crate::prepare::Prepared;

/// Selections of a part of an operation, and the part after it.
#[derive(Debug)]
pub(crate) struct ResolvedPlan {
    /// By the numbers of their placeholders.
    pub(crate) selections: Vec<ResolvedSelection>,
    pub(crate) positions: Vec<Position>,
    /// Root fields of a mutation that are executed after these.
    pub(crate) next: Option<Arc<Prepared>>,
}

impl ResolvedPlan {
    /// `None` if nothing is selected of other servers.
    pub(crate) fn new(
        selections: Vec<ResolvedSelection>,
        positions: Vec<Position>,
        next: Option<Arc<Prepared>>,
    ) -> Option<Self> {
        let is_needed = !selections.is_empty() || next.is_some();
        is_needed.then_some(Self { selections, positions, next })
    }

    /// Adds the requests to other servers to a printed request.
    pub(crate) fn print(&self, api: &Api, text: &mut String) {
        for selection in &self.selections {
            let Some(resolver) = api.find_resolver(selection.resolver) else { continue };
            let HttpResolver { parent, field, method, url, is_batch, .. } = &*resolver.definition;
            let batch = if *is_batch { ", one for all rows" } else { "" };
            text.push_str(&format!("{parent}.{field}: {method} {url}{batch}\n"));
        }
    }

    /// About how many bytes it takes, without its next part, which other parts share.
    pub(crate) fn weight(&self) -> usize {
        let of_selection = |one: &ResolvedSelection| {
            size_of::<ResolvedSelection>()
                + graphql::heap::HeapSize::heap_size(&one.arguments)
                + graphql::heap::HeapSize::heap_size(&one.selection_sets)
        };
        let selections: usize = self.selections.iter().map(of_selection).sum();
        let next =
            self.next.as_ref().map_or(0, |next| crate::documents::CachedPlan::weight(&**next));
        size_of::<Self>()
            + selections
            + self.positions.iter().map(of_position).sum::<usize>()
            + usize::try_from(next).unwrap_or(usize::MAX)
    }
}

/// Recursion is bounded by the depth of operations.
fn of_position(position: &Position) -> usize {
    let children: usize = position.children.iter().map(of_position).sum();
    size_of::<Position>() + position.response_name.len() + children
}
