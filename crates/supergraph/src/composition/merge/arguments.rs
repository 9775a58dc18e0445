//! Merge of the arguments of fields: the supergraph has those that all subgraphs have.

use std::sync::Arc;

use graphql::definitions::{InputDefinition, Literal};

use super::enums::Usage;
use super::join::is_contextual;
use super::members::{Member, members};
use super::missing::MissingInput;
use super::type_references::Position;
use super::{Merger, Source};
use crate::composition::schema::{Field, Input};
use crate::composition::{Code, Finding};

impl<'s> Merger<'s> {
    pub(super) fn merge_arguments(
        &mut self,
        field: &str,
        sources: &[Source<'s, Field>],
    ) -> Vec<InputDefinition> {
        let mut merged: Vec<InputDefinition> = Vec::new();
        for Member { name, sources: own, lacking } in members(sources, |field| &field.arguments) {
            if own.iter().any(|source| is_contextual(source.element)) {
                self.check_contextual(field, name, (&own, &lacking));
            } else if lacking.is_empty() {
                merged.extend(self.merge_argument(field, name, &own));
            } else {
                let coordinate = [field, "(", name, ":)"].concat();
                self.report_missing_input(MissingInput::Argument, &coordinate, (&own, &lacking));
            }
        }
        merged
    }

    fn merge_argument(
        &mut self,
        field: &str,
        name: &Arc<str>,
        sources: &[Source<'s, Input>],
    ) -> Option<InputDefinition> {
        let coordinate = [field, "(", name, ":)"].concat();
        let description = self.merge_description(&coordinate, sources);
        let directives = self.merge_applied(&coordinate, sources);
        let reference = self.merge_reference(&coordinate, Position::Argument, sources)?;
        self.use_type(&reference.r#type, Usage::Input, &coordinate);
        let default = self.merge_default(&coordinate, Position::Argument, sources);
        Some(InputDefinition {
            name: Arc::clone(name),
            line: 0,
            column: 0,
            description,
            r#type: reference.r#type,
            default,
            directives,
        })
    }

    /// Returns the default that all subgraphs have: a subgraph without it needs a value.
    pub(super) fn merge_default(
        &mut self,
        coordinate: &str,
        position: Position,
        sources: &[Source<'_, Input>],
    ) -> Option<Literal> {
        let mut defaults = sources.iter().filter_map(|source| source.element.default.as_ref());
        let first = defaults.next()?;
        let values = || {
            sources.iter().map(|source| {
                let value = match &source.element.default {
                    Some(default) => {
                        ["`", &graphql::print_default(&default.constant()), "`"].concat()
                    }
                    None => "no default".to_owned(),
                };
                (source.graph, value)
            })
        };
        if defaults.any(|default| !is_same_value(default, first)) {
            let code = match position {
                Position::Argument => Code::FieldArgumentDefaultMismatch,
                Position::InputField | Position::Output => Code::InputFieldDefaultMismatch,
            };
            let message =
                format!("`{coordinate}` has different defaults: {}.", self.by_value(values()));
            let finding = Finding::new(code, message)
                .on(coordinate)
                .remedy("Declare the same default in all subgraphs.");
            let finding = self.located(finding, sources);
            self.errors.push(finding);
            return None;
        }
        if sources.iter().any(|source| source.element.default.is_none()) {
            let message = format!(
                "`{coordinate}` has no default in the supergraph, because not all subgraphs have \
                 one: {}.",
                self.by_value(values())
            );
            let finding = Finding::new(Code::InconsistentDefaultValuePresence, message);
            let finding = self.located(finding.on(coordinate), sources);
            self.hints.push(finding);
            return None;
        }
        Some(first.clone())
    }

    /// An argument with a context value is not in the supergraph: other subgraphs must not require a
    /// value of clients.
    fn check_contextual(
        &mut self,
        field: &str,
        name: &Arc<str>,
        (own, _): (&[Source<'s, Input>], &[Source<'s, Field>]),
    ) {
        let others: Vec<_> =
            own.iter().filter(|source| !is_contextual(source.element)).copied().collect();
        if others.is_empty() {
            return;
        }
        let coordinate = [field, "(", name, ":)"].concat();
        let is_required = others.iter().any(|source| source.element.is_required());
        let message = format!(
            "The argument `{coordinate}` has a context value (`@fromContext`) in {}, but not in {}{}",
            self.named_subgraphs(
                own.iter().filter(|it| is_contextual(it.element)).map(|it| it.graph)
            ),
            self.named_subgraphs(others.iter().map(|source| source.graph)),
            match is_required {
                true => ", where it is required.",
                false => ", where clients cannot set it.",
            }
        );
        let finding = Finding::new(Code::ContextualArgumentNotContextualInAllSubgraphs, message);
        let finding = self.located(finding.on(coordinate), &others);
        match is_required {
            true => self.errors.push(
                finding
                    .remedy("Use `@fromContext` in all subgraphs, or make the argument nullable."),
            ),
            false => self.hints.push(finding),
        }
    }
}

/// Whether values are the same; fields of input objects have no order.
pub(super) fn is_same_value(one: &Literal, other: &Literal) -> bool {
    match (one, other) {
        (Literal::Object(own), Literal::Object(others)) => {
            own.len() == others.len()
                && own.iter().all(|(name, value)| {
                    let mut others = others.iter();
                    let other = others.find(|(other, _)| other == name);
                    other.is_some_and(|(_, other)| is_same_value(value, other))
                })
        }
        (Literal::List(own), Literal::List(others)) => {
            own.len() == others.len()
                && own.iter().zip(others).all(|(one, other)| is_same_value(one, other))
        }
        (one, other) => one == other,
    }
}
