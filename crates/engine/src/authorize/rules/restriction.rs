//! What rules ask of nodes, beside what the request asks of them.

use ir::Filter;

/// What nodes have to pass for something that is done with them.
#[derive(Debug)]
pub(super) struct Restriction {
    /// Before anything of the request is evaluated on them: the others are as if they were not
    /// there.
    pub(super) passes: Filter,
    /// Of the nodes that pass the request's condition too, all; otherwise nothing is done.
    pub(super) required: Vec<Filter>,
}

impl Restriction {
    /// Adds itself to a condition, which may have others already.
    pub(super) fn restrict(self, filter: &mut Filter) {
        let mut parts = Parts::take(filter);
        parts.first.push(self.passes);
        let required = self.required.into_iter().filter(|filter| !filter.is_all());
        parts.required.extend(required.map(|filter| Filter::Required(Box::new(filter))));
        *filter = parts.put();
    }
}

/// Whether something has to pass before the request's own condition is evaluated.
pub(super) fn has_barrier(filter: &Filter) -> bool {
    match filter {
        Filter::And(filters) => filters.iter().any(has_barrier),
        filter => filter.first().is_some(),
    }
}

/// Adds to the request's own condition.
pub(super) fn add(filter: &mut Filter, own: Filter) {
    let mut parts = Parts::take(filter);
    parts.then = Filter::and(vec![own, parts.then]);
    *filter = parts.put();
}

/// A condition by who asks for it.
struct Parts {
    first: Vec<Filter>,
    /// What the request asks.
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
