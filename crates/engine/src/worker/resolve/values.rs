//! Values of other servers for the placeholders of an answer.

use graphql::operation::Location;
use graphql::{ErrorCode, GraphQLError};
use http_resolvers::AnswerRules;
use http_resolvers::answer::{Answer, Values};
use http_resolvers::complete::{Completion, Incomplete};
use http_resolvers::splice::{Fill, Placeholder, Placeholders};
use response::{MemoryReservation, TooLarge};

use super::Received;
use super::projections::Projections;
use crate::resolvers::batch::{PlannedCalls, Selected};
use crate::resolvers::map_error::{answer_error, join_error, remote_error, whole_error};

/// The values for the placeholders of a part.
pub(super) struct FilledValues<'a> {
    selected: Selected<'a>,
    found: &'a Placeholders<'a>,
    projections: &'a Projections<'a>,
    most: usize,
    pub(super) bytes: Vec<u8>,
    /// The memory of the bytes.
    held: MemoryReservation,
    pub(super) fills: Vec<Fill>,
    pub(super) errors: Vec<GraphQLError>,
}

impl<'a> FilledValues<'a> {
    pub(super) fn new(
        selected: Selected<'a>,
        found: &'a Placeholders<'a>,
        projections: &'a Projections<'a>,
        (held, most): (MemoryReservation, u64),
    ) -> Self {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Self {
            selected,
            found,
            projections,
            most,
            bytes: Vec::new(),
            held,
            fills: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Adds all values. Fields whose requests were not sent fail for one reason, which is reported at
    /// the first of them.
    pub(super) fn fill_all(
        &mut self,
        planned: &PlannedCalls,
        responses: &[Received],
        mut refusal: Option<GraphQLError>,
    ) -> Result<(), TooLarge> {
        let answers: Vec<Option<Answer<'_>>> = planned
            .calls
            .iter()
            .zip(responses)
            .map(|(call, received)| {
                let definition = &self.selected.resolver(call.selection)?.definition;
                let response = received.response.as_ref().ok()?;
                let batch = definition.is_batch.then_some(call.objects.len());
                Some(Answer::read(definition, response.status, &response.body, batch))
            })
            .collect();
        let mut is_reported = vec![false; planned.calls.len()];
        let found = self.found;
        for (placeholder, (call, object)) in found.list.iter().zip(&planned.places) {
            let (Some(received), Some(is_known)) =
                (responses.get(*call), is_reported.get_mut(*call))
            else {
                if let Some(error) = refusal.take() {
                    self.error_at(placeholder, error);
                }
                self.fail(placeholder);
                continue;
            };
            // An error of several fields is reported at the first of them.
            let is_first = !std::mem::replace(is_known, true);
            let answer = answers.get(*call).and_then(Option::as_ref);
            match (&received.response, answer) {
                (Ok(_), Some(answer)) => self.fill(placeholder, answer, *object, is_first)?,
                (Err(error), _) => {
                    if is_first {
                        self.error_at(placeholder, error.clone());
                    }
                    self.fail(placeholder);
                }
                (Ok(_), None) => self.fail(placeholder),
            }
        }
        Ok(())
    }

    /// Adds the value of one placeholder.
    fn fill(
        &mut self,
        placeholder: &Placeholder,
        answer: &Answer<'_>,
        object: usize,
        is_first: bool,
    ) -> Result<(), TooLarge> {
        let number = placeholder.selection;
        let (Some(resolver), Some(Ok(projection))) =
            (self.selected.resolver(number), self.projections.get(number))
        else {
            self.fail(placeholder);
            return Ok(());
        };
        let definition = &resolver.definition;
        let is_join = definition.is_batch && definition.remote().is_some();
        if is_first && is_join && !answer.errors.is_empty() {
            let text = answer.errors_text.map(serde_json::value::RawValue::get);
            self.error_at(placeholder, join_error(text.unwrap_or("[]")));
        } else if is_first {
            for error in &answer.errors {
                self.error_at(
                    placeholder,
                    match definition.remote() {
                        Some(_) => whole_error(error),
                        None => remote_error(error),
                    },
                );
            }
        }
        let value = match &answer.value {
            Ok(Values::One(value)) => *value,
            Ok(Values::Batch(values)) => values.get(object).copied(),
            Err(error) => {
                if let Some(error) = answer_error(definition, error).filter(|_| is_first) {
                    self.error_at(placeholder, error);
                }
                self.fail(placeholder);
                return Ok(());
            }
        };
        let schema = &self.selected.api.schema;
        let r#type = schema[resolver.field].r#type;
        let type_text = graphql::print_type(schema, r#type);
        let completion = Completion {
            projection,
            r#type,
            type_text: &type_text,
            field: &definition.field,
            has_aliases: definition.speaks_graphql(),
            rules: definition.answers,
            most: self.most,
        };
        let start = self.bytes.len();
        let mut errors = Vec::new();
        let written = completion.write(value, &mut self.bytes, &mut errors);
        for error in errors {
            let mut path = self.found.path(placeholder);
            path.extend(error.path);
            let error = GraphQLError::new(ErrorCode::ResolverResponseInvalid, error.message);
            let error = error.logged_as("A value of another server does not fit the schema.");
            self.errors.push(error.at(self.location(number)).with_path(path));
        }
        match written {
            Ok(()) => self.fills.push(Fill::Bytes(start..self.bytes.len())),
            Err(Incomplete::Null) => {
                self.bytes.truncate(start);
                self.fills.push(Fill::Null);
            }
            Err(Incomplete::TooLong) => {
                return Err(TooLarge::Answer { budget: self.most as u64 });
            }
        }
        self.held.grow_to(self.bytes.capacity() as u64)?;
        match self.bytes.len() > self.most {
            true => Err(TooLarge::Answer { budget: self.most as u64 }),
            false => Ok(()),
        }
    }

    /// A field without a value.
    fn fail(&mut self, placeholder: &Placeholder) {
        let resolver = self.selected.resolver(placeholder.selection);
        let is_empty_list = resolver.is_some_and(|resolver| {
            resolver.definition.answers == AnswerRules::Lenient
                && self.selected.api.schema[resolver.field].r#type.is_list()
        });
        self.fills.push(match is_empty_list {
            true => {
                let start = self.bytes.len();
                self.bytes.extend_from_slice(b"[]");
                Fill::Bytes(start..self.bytes.len())
            }
            false => Fill::Null,
        });
    }

    fn error_at(&mut self, placeholder: &Placeholder, error: GraphQLError) {
        let path = self.found.path(placeholder);
        let location = self.location(placeholder.selection);
        self.errors.push(error.at(location).with_path(path));
    }

    fn location(&self, selection: usize) -> Location {
        let selection = self.selected.plan.selections.get(selection);
        selection.map(|selection| selection.location).unwrap_or_default()
    }
}
