//! The requests for the placeholders of an answer: equal ones are sent once.

use std::collections::HashMap;

use dialects::{Api, Resolver};
use graphql::GraphQLError;
use graphql::operation::Operation;
use graphql::variables::Variables;
use http_resolvers::preset::{ClientPresets, PresetError};
use http_resolvers::projection::{ProjectionError, Selecting};
use http_resolvers::remote_path::RemotePath;
use http_resolvers::splice::Placeholders;
use http_resolvers::{AnswerRules, Inputs, Projection};

use serde_json::Value;

use super::ResolvedPlan;
use super::map_error::preset_error;

/// A request for the values of one or several objects.
#[derive(Debug)]
pub(crate) struct PlannedCall {
    /// The number of a selection that needs it.
    pub(crate) selection: usize,
    /// Of a batch all objects; otherwise one.
    pub(crate) objects: Vec<Inputs>,
    /// True for root fields of a mutation, which are executed one after the other.
    pub(crate) is_serial: bool,
    /// The reason why it is not sent: a value of the session is missing or wrong.
    pub(crate) refusal: Option<PresetError>,
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
    /// Values that the role of the client cannot give.
    pub(crate) presets: Option<ClientPresets<'a>>,
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
    pub(crate) fn projection(self, selection: usize) -> Result<Projection, GraphQLError> {
        let Self { api, operation, variables, most_fields, presets, .. } = self;
        let number = selection;
        let Some(selection) = self.plan.selections.get(number) else {
            return Ok(Projection::Objects(Vec::new()));
        };
        let (schema, keys) = (&api.schema, api.answer_keys());
        let selecting = Selecting { schema, operation, variables, most_fields, keys, presets };
        let r#type = schema[selection.field].r#type.base;
        let made = Projection::new(selecting, number, r#type, &selection.selection_sets);
        made.map_err(|error| match error {
            ProjectionError::TooManyFields(error) => error.into(),
            ProjectionError::Preset(error) => preset_error(&error),
        })
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

    /// The request for the values of one placeholder.
    pub(crate) fn one_call(self, number: usize, placeholder: &[u8]) -> Option<PlannedCall> {
        let mut planned = PlannedCalls::default();
        self.plan_call(number, placeholder, &mut planned)?;
        planned.calls.pop()
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
        let is_of_source = definition.remote().is_some_and(|path| path.source().is_some());
        let row = match (definition.is_of_root(), is_of_source) {
            (true, _) => Inputs::default(),
            (false, true) => Inputs::of_exact_placeholder(placeholder),
            (false, false) => Inputs::of_placeholder(placeholder),
        };
        // A row without a value of a column has none of another server.
        let is_strict = definition.answers == AnswerRules::Strict;
        if is_strict && !is_of_source && row.has_null() {
            return None;
        }
        let (schema, given) = (&self.api.schema, &selection.arguments);
        let arguments = || Inputs::of_arguments(schema, selection.field, given, self.variables);
        let written =
            || Inputs::of_written_arguments(schema, selection.field, given, self.variables);
        let mut refusal = None;
        let inputs = match definition.remote() {
            Some(path) => match self.path_inputs(path, &row, &written()) {
                Ok(inputs) => inputs,
                Err(error) => {
                    refusal = Some(error);
                    row
                }
            },
            None if definition.is_of_root() => arguments(),
            None => row,
        };
        let is_serial = self.is_mutation && definition.is_of_root();
        let text = inputs.to_json().to_string();
        let group = match definition.speaks_graphql() || is_serial {
            true => (true, number),
            false => (false, selection.resolver.0 as usize),
        };
        let key = Key { group, inputs: (!definition.is_batch).then(|| text.clone()) };
        let calls = &mut planned.calls;
        let call = *planned.known.entry(key).or_insert_with(|| {
            calls.push(PlannedCall { selection: number, objects: Vec::new(), is_serial, refusal });
            calls.len() - 1
        });
        let list = &mut calls[call].objects;
        let object = *planned.objects.entry((call, text)).or_insert_with(|| {
            list.push(inputs);
            list.len() - 1
        });
        Some((call, object))
    }

    /// The arguments of each step of a path by its number, with those that are preset.
    fn path_inputs(
        self,
        path: &RemotePath,
        row: &Inputs,
        client: &Inputs,
    ) -> Result<Inputs, PresetError> {
        let schema = &self.api.schema;
        let mut all = serde_json::Map::new();
        let steps = path.steps.iter().zip(path.arguments(row, client));
        for (number, (step, arguments)) in steps.enumerate() {
            let mut arguments = Inputs::of(Value::Object(arguments));
            let (parent, field) = &step.place;
            let field = schema.find_type(parent).and_then(|id| schema.find_field(id, field));
            if let (Some(presets), Some(field)) = (self.presets, field) {
                arguments = presets.complete(schema, field, arguments)?;
            }
            all.insert(number.to_string(), Value::Object(arguments.into_members()));
        }
        Ok(Inputs::of(Value::Object(all)))
    }
}
