//! Selections of fields whose values other servers give, of one prepared operation.

use dialects::{Api, ResolvedSelection};
use http_resolvers::HttpResolver;
use http_resolvers::splice::Position;

/// Selections of an operation, or of a part of it.
#[derive(Debug)]
pub(crate) struct ResolvedPlan {
    /// By the numbers of their placeholders.
    pub(crate) selections: Vec<ResolvedSelection>,
    pub(crate) positions: Vec<Position>,
}

impl ResolvedPlan {
    /// `None` if nothing is selected of other servers.
    pub(crate) fn new(
        selections: Vec<ResolvedSelection>,
        positions: Vec<Position>,
    ) -> Option<Self> {
        (!selections.is_empty()).then_some(Self { selections, positions })
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

    /// About how many bytes it takes.
    pub(crate) fn weight(&self) -> usize {
        let of_selection = |one: &ResolvedSelection| {
            size_of::<ResolvedSelection>()
                + graphql::heap::HeapSize::heap_size(&one.arguments)
                + graphql::heap::HeapSize::heap_size(&one.selection_sets)
        };
        let selections: usize = self.selections.iter().map(of_selection).sum();
        size_of::<Self>() + selections + self.positions.iter().map(of_position).sum::<usize>()
    }
}

/// Recursion is bounded by the depth of operations.
fn of_position(position: &Position) -> usize {
    let children: usize = position.children.iter().map(of_position).sum();
    size_of::<Position>() + position.response_name.len() + children
}
