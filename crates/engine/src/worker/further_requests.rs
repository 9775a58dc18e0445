//! The requests to further sources that an operation needs, before it runs: for its cost, and for
//! explanations.

use graphql::Request;
use graphql::operation::{FieldRef, FieldSelection, Operation, Selection};
use graphql::variables::Variables;
use http_resolvers::Projection;
use http_resolvers::preset::ClientPresets;
use source::Session;

use super::Worker;
use crate::prepare::Prepared;
use crate::resolvers::batch::{PlannedCall, Selected};
use crate::resolvers::session_variables::session_variables;

/// A request to a further source.
pub(crate) struct FurtherRequest<'w> {
    pub(crate) source: &'w str,
    pub(crate) worker: &'w Worker,
    /// The root field that needs it, or the type and the field of a relationship.
    pub(crate) field: String,
    pub(crate) request: Request,
}

/// The response name of a selection.
fn response_name(selected: Selected<'_>, number: usize) -> Option<&str> {
    let Selected { operation, plan, .. } = selected;
    let known = plan.selections.get(number)?;
    let sets = operation.selection_sets.iter();
    let mut fields = sets.flat_map(|set| &set.selections).filter_map(|one| match one {
        Selection::Field(field) => Some(field),
        Selection::Fragment { .. } => None,
    });
    let is_known = |field: &&FieldSelection| {
        field.location == known.location && field.field == FieldRef::Field(known.field)
    };
    Some(&fields.find(is_known)?.response_name)
}

/// The placeholder of a row without keys. Neither the statements nor the estimated cost of a
/// request for related rows depend on the keys, which are known only when the rows are.
const NO_KEYS: &[u8] = b"{}";

impl Worker {
    /// The requests to further sources for fields of an operation, and for the relationships that it
    /// selects. A field whose arguments are wrong has none: it is refused when it is executed.
    pub(crate) fn further_requests(
        &self,
        prepared: &Prepared,
        (operation, variables): (&Operation, &Variables),
        session: &Session,
    ) -> Vec<FurtherRequest<'_>> {
        let engine = &*self.engine;
        if self.further.is_empty() {
            return Vec::new();
        }
        let view = engine.view(session).ok().and_then(|view| view.id);
        let presets = view.and_then(|id| engine.api.role_views.presets(id));
        let of_session = presets.map(|_| session_variables(session)).unwrap_or_default();
        let presets = presets.map(|presets| ClientPresets { presets, session: &of_session });
        let parts = std::iter::successors(Some(prepared), |part| part.next.as_deref());
        let mut requests = Vec::new();
        for plan in parts.filter_map(|part| part.resolved.as_deref()) {
            let selected = Selected {
                api: &engine.api,
                plan,
                operation,
                variables,
                most_fields: engine.limits.document.fields,
                // The requests of a mutation are planned here as well.
                is_mutation: false,
                presets,
            };
            for number in 0..plan.selections.len() {
                let Ok(projection) = selected.projection(number) else { continue };
                requests.extend(self.of_selection(selected, number, &projection));
                self.add_requests_of_related(&projection, &mut requests);
            }
        }
        requests
    }

    /// The request for the values of a selection; `None` if no further source gives them.
    fn of_selection(
        &self,
        selected: Selected<'_>,
        number: usize,
        projection: &Projection,
    ) -> Option<FurtherRequest<'_>> {
        let definition = &selected.resolver(number)?.definition;
        let (source, worker) = self.further_named(definition.remote()?.source()?)?;
        let PlannedCall { objects, .. } = selected.one_call(number, NO_KEYS)?;
        let made = match definition.is_batch {
            true => definition.call_batch(&objects, projection, |_| None),
            false => definition.call(objects.first()?, projection, |_| None),
        };
        let request = Request::from_json(&made.ok()?.body).ok()?;
        let field = match definition.is_of_root() {
            true => response_name(selected, number).unwrap_or(&definition.field).to_owned(),
            false => format!("{}.{}", definition.parent, definition.field),
        };
        Some(FurtherRequest { source, worker, field, request })
    }

    /// Adds the requests for rows that belong to objects of other servers, or to rows of further
    /// sources.
    fn add_requests_of_related<'w>(
        &'w self,
        projection: &Projection,
        requests: &mut Vec<FurtherRequest<'w>>,
    ) {
        for (object, selection) in projection.related_sources() {
            let name = selection.path().source().unwrap_or_default();
            let Some((source, worker)) = self.further_named(name) else { continue };
            let body = selection.body(&[selection.inputs(NO_KEYS)]);
            let Ok(request) = Request::from_json(&body) else { continue };
            let field = format!("{object}.{}", selection.name());
            requests.push(FurtherRequest { source, worker, field, request });
        }
    }

    fn further_named(&self, name: &str) -> Option<(&str, &Self)> {
        let number = self.engine.further.iter().position(|further| *further.name == *name)?;
        Some((&self.engine.further[number].name, self.further.get(number)?))
    }

    /// The estimated cost of the fields and of the relationships of an operation that further
    /// sources give: the plans of this source do not have it.
    pub(crate) fn further_cost(
        &self,
        prepared: &Prepared,
        selected: (&Operation, &Variables),
        session: &Session,
    ) -> u64 {
        let requests = self.further_requests(prepared, selected, session).into_iter();
        // A request that is refused costs nothing.
        let costs = requests.filter_map(|one| one.worker.cost(&one.request, session).ok());
        costs.fold(0, u64::saturating_add)
    }
}
