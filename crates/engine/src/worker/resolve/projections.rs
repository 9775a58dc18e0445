//! The selected fields of values of other servers, for each selection of a part.

use std::cell::OnceCell;

use graphql::GraphQLError;
use http_resolvers::Projection;

use crate::resolvers::batch::Selected;

/// Projections of selections. Each is made at its first use: many answers have values of few
/// selections.
pub(super) struct Projections<'a> {
    selected: Selected<'a>,
    known: Vec<OnceCell<Result<Projection, GraphQLError>>>,
}

impl<'a> Projections<'a> {
    pub(super) fn new(selected: Selected<'a>) -> Self {
        let known = selected.plan.selections.iter().map(|_| OnceCell::new()).collect();
        Self { selected, known }
    }

    /// Returns the projection of a selection; `None` if there is no such selection.
    pub(super) fn get(&self, selection: usize) -> Option<&Result<Projection, GraphQLError>> {
        let make = || self.selected.projection(selection);
        self.known.get(selection).map(|known| known.get_or_init(make))
    }
}
