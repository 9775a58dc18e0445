//! Conditions of restrictions beside those of the request.

use ir::Filter;

/// The conditions on rows for an action.
#[derive(Debug)]
pub(super) struct Requirement {
    /// Evaluated before conditions of the request: rows that fail count as absent.
    pub(super) passes: Filter,
    /// All rows that pass the conditions of the request must pass these; otherwise the action
    /// fails.
    pub(super) required: Vec<Filter>,
}

impl Requirement {
    /// Adds the conditions to a filter, which may have others already.
    pub(super) fn restrict(self, filter: &mut Filter) {
        let mut parts = Parts::take(filter);
        parts.first.push(self.passes);
        let required = self.required.into_iter().filter(|filter| !filter.is_all());
        parts.required.extend(required.map(|filter| Filter::Required(Box::new(filter))));
        *filter = parts.put();
    }
}

/// Returns true if a filter has a condition that is evaluated before those of the request.
pub(super) fn has_barrier(filter: &Filter) -> bool {
    match filter {
        Filter::And(filters) => filters.iter().any(has_barrier),
        filter => filter.first().is_some(),
    }
}

/// Adds a filter to the conditions of the request.
pub(super) fn add(filter: &mut Filter, own: Filter) {
    let mut parts = Parts::take(filter);
    parts.then = Filter::and(vec![own, parts.then]);
    *filter = parts.put();
}

/// A filter by the origin of its conditions.
struct Parts {
    first: Vec<Filter>,
    /// The conditions of the request.
    then: Filter,
    required: Vec<Filter>,
}

impl Parts {
    fn take(filter: &mut Filter) -> Self {
        let is_required = |filter: &Filter| matches!(filter, Filter::Required(_));
        let (required, own) = match std::mem::replace(filter, Filter::all()) {
            Filter::And(filters) if filters.iter().any(is_required) => {
                let (required, own): (Vec<_>, Vec<_>) = filters.into_iter().partition(is_required);
                (required, Filter::and(own))
            }
            own if is_required(&own) => (vec![own], Filter::all()),
            own => (Vec::new(), own),
        };
        match own {
            Filter::Barrier { first, then } => Self { first: vec![*first], then: *then, required },
            then => Self { first: Vec::new(), then, required },
        }
    }

    fn put(self) -> Filter {
        let Self { first, then, required } = self;
        let own = Filter::barrier(Filter::and(first), then);
        Filter::and([own].into_iter().chain(required).collect())
    }
}
