//! The requests for the placeholders of an answer: equal ones are sent once.

use std::collections::HashMap;

use dialects::{Api, Resolver};
use graphql::TooManyFields;
use graphql::operation::Operation;
use graphql::variables::Variables;
use http_resolvers::projection::Selecting;
use http_resolvers::splice::Placeholders;
use http_resolvers::{Inputs, Projection};

use super::ResolvedPlan;

/// A request for the values of one or several objects.
#[derive(Debug)]
pub(crate) struct PlannedCall {
    /// The number of a selection that needs it.
    pub(crate) selection: usize,
    /// Of a batch all objects; otherwise one.
    pub(crate) objects: Vec<Inputs>,
    /// True for root fields of a mutation, which are executed one after the other.
    pub(crate) is_serial: bool,
}

/// The requests for an answer.
#[derive(Debug, Default)]
pub(crate) struct PlannedCalls {
    pub(crate) calls: Vec<PlannedCall>,
    /// For each placeholder its request, and the index of its object.
    pub(crate) places: Vec<(usize, usize)>,
    known: HashMap<Key, usize>,
    objects: HashMap<(usize, String), usize>,
}

/// The document and the variables of a request.
#[derive(Clone, Copy)]
pub(crate) struct Selected<'a> {
    pub(crate) api: &'a Api,
    pub(crate) plan: &'a ResolvedPlan,
    pub(crate) operation: &'a Operation,
    pub(crate) variables: &'a Variables,
    pub(crate) most_fields: usize,
    pub(crate) is_mutation: bool,
}

/// Values by which requests are equal.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    /// The number of the resolver; of one whose request has the selected fields, of the selection.
    group: (bool, usize),
    /// The inputs as JSON; none for a batch, which has all objects.
    inputs: Option<String>,
}

impl<'a> Selected<'a> {
    pub(crate) fn resolver(self, selection: usize) -> Option<&'a Resolver> {
        let selection = self.plan.selections.get(selection)?;
        self.api.find_resolver(selection.resolver)
    }

    /// The selected fields of a selection's values.
    pub(crate) fn projection(self, selection: usize) -> Result<Projection, TooManyFields> {
        let Self { api, operation, variables, most_fields, .. } = self;
        let number = selection;
        let Some(selection) = self.plan.selections.get(number) else {
            return Ok(Projection::Objects(Vec::new()));
        };
        let (schema, keys) = (&api.schema, api.answer_keys());
        let selecting = Selecting { schema, operation, variables, most_fields, keys };
        let r#type = schema[selection.field].r#type.base;
        Projection::new(selecting, number, r#type, &selection.selection_sets)
    }

    /// The requests of the root fields of a query, whose inputs are arguments: they need nothing of
    /// the source.
    pub(crate) fn root_calls(self) -> PlannedCalls {
        let mut planned = PlannedCalls::default();
        for number in 0..self.plan.selections.len() {
            let is_of_root =
                self.resolver(number).is_some_and(|resolver| resolver.definition.is_of_root());
            if is_of_root && !self.is_mutation {
                self.plan_call(number, &[], &mut planned);
            }
        }
        planned
    }

    /// Adds the requests for the placeholders in `data`, beside those that are planned already.
    pub(crate) fn add_calls(
        self,
        data: &[u8],
        found: &Placeholders<'_>,
        planned: &mut PlannedCalls,
    ) {
        for placeholder in &found.list {
            let bytes = data.get(placeholder.bytes.clone()).unwrap_or_default();
            let place = self.plan_call(placeholder.selection, bytes, planned);
            planned.places.push(place.unwrap_or((usize::MAX, 0)));
        }
    }

    /// The request for one object, with the index of the object; an equal request is planned once.
    fn plan_call(
        self,
        number: usize,
        placeholder: &[u8],
        planned: &mut PlannedCalls,
    ) -> Option<(usize, usize)> {
        let (resolver, selection) = (self.resolver(number)?, self.plan.selections.get(number)?);
        let definition = &resolver.definition;
        let inputs = match definition.is_of_root() {
            true => {
                let (schema, arguments) = (&self.api.schema, &selection.arguments);
                Inputs::of_arguments(schema, selection.field, arguments, self.variables)
            }
            false => Inputs::of_placeholder(placeholder),
        };
        let is_serial = self.is_mutation && definition.is_of_root();
        let text = inputs.to_json().to_string();
        let group = match definition.operation().is_some() || is_serial {
            true => (true, number),
            false => (false, selection.resolver.0 as usize),
        };
        let key = Key { group, inputs: (!definition.is_batch).then(|| text.clone()) };
        let calls = &mut planned.calls;
        let call = *planned.known.entry(key).or_insert_with(|| {
            calls.push(PlannedCall { selection: number, objects: Vec::new(), is_serial });
            calls.len() - 1
        });
        let list = &mut calls[call].objects;
        let object = *planned.objects.entry((call, text)).or_insert_with(|| {
            list.push(inputs);
            list.len() - 1
        });
        Some((call, object))
    }
}
