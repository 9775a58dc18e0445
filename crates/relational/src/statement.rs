//! Parameters and aliases of one statement, by counter.

use rustc_hash::FxHashMap;
use sql::Alias;

use super::bounding::{PageParameters, bound};
use super::level::{Parameter, ParameterSource};
use super::value::ParameterKind;

/// What a statement has used so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Statement {
    pub(super) parameters: Vec<Parameter>,
    places: FxHashMap<Parameter, usize>,
    aliases: u32,
    /// How many conditions on related rows stand around what is being compiled.
    pub(super) nested: usize,
    /// The rows on which these conditions are, outermost first.
    pub(super) outer: Vec<Alias>,
    /// Rows that stand in no table: sent ones, those of functions and those of subqueries.
    pub(super) sent: Vec<Alias>,
    /// The last round whose rows its parameters need, plus one.
    pub(super) round: u16,
    /// Whether it calls a function of the source.
    pub(super) calls: bool,
    pub(super) pages: Vec<PageParameters>,
    /// Whether a good plan for some values of its parameters may be a bad one for others.
    pub(super) depends_on_values: bool,
}

impl Statement {
    pub(super) fn alias(&mut self) -> Alias {
        let alias = Alias(self.aliases);
        self.aliases += 1;
        alias
    }

    /// A parameter; the same value for the same purpose is sent once.
    pub(super) fn parameter(
        &mut self,
        source: ParameterSource,
        kind: ParameterKind,
    ) -> sql::Parameter {
        self.depends_on_values |= !matches!(
            kind,
            ParameterKind::Limit { .. } | ParameterKind::Offset | ParameterKind::VisitedVectors
        );
        let parameter = Parameter { source, kind };
        let next = self.parameters.len();
        let place = *self.places.entry(parameter.clone()).or_insert(next);
        if place == next {
            self.parameters.push(parameter);
        }
        // A statement of more parameters than can be numbered is refused when it is done.
        sql::Parameter(u16::try_from(place).unwrap_or(u16::MAX))
    }

    /// The bound of a page.
    pub(super) fn bound(
        &mut self,
        limit: Option<sql::Parameter>,
        offset: Option<sql::Parameter>,
    ) -> Option<sql::Bound> {
        let bound =
            limit.and_then(|limit| bound(&mut self.pages, PageParameters { limit, offset }));
        // Without one the rest of the statement would be planned as a part of who knows what.
        self.depends_on_values |= bound.is_none() && offset.is_some();
        bound
    }
}
