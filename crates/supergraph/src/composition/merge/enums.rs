//! Merge of enums: all values if clients only receive them, the values of all subgraphs if clients
//! only send them, and the same values in all subgraphs otherwise.

use std::sync::Arc;

use graphql::definitions::{EnumValueDefinition, TypeExpression};

use super::members::{Member, members};
use super::{Merger, Source};
use crate::composition::directives::Written;
use crate::composition::schema::{Kind, Type, Value, has};
use crate::composition::specifications::{Directive, Meaning};
use crate::composition::{Code, Finding};

/// Positions in which an enum is used, each with an example's coordinate.
#[derive(Debug, Default)]
pub(super) struct Usages {
    input: Option<String>,
    output: Option<String>,
}

/// A position of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usage {
    Input,
    Output,
}

impl<'s> Merger<'s> {
    /// Records that a type is used.
    pub(super) fn use_type(&mut self, r#type: &TypeExpression, usage: Usage, coordinate: &str) {
        let base = r#type.base();
        let is_enum = |source: &Source<'_, Type>| matches!(source.element.kind, Kind::Enum(_));
        if !self.find_sources(base).first().is_some_and(is_enum) {
            return;
        }
        let usages = self.usages.entry(base.clone()).or_default();
        let example = match usage {
            Usage::Input => &mut usages.input,
            Usage::Output => &mut usages.output,
        };
        example.get_or_insert_with(|| coordinate.to_owned());
    }

    pub(super) fn merge_values(
        &mut self,
        parent: &Arc<str>,
        parents: &[Source<'s, Type>],
    ) -> Vec<EnumValueDefinition> {
        let usages = self.usages.remove(parent).unwrap_or_default();
        if usages.input.is_none() && usages.output.is_none() {
            let message = format!("The enum `{parent}` is not used by any field or argument.");
            let finding = Finding::new(Code::UnusedEnumType, message).on(&**parent);
            let finding = self.located(finding, parents);
            self.hints.push(finding);
        }
        let mut merged: Vec<EnumValueDefinition> = Vec::new();
        let mut is_inconsistent = false;
        for Member { name, sources: own, lacking } in members(parents, values) {
            let value = self.merge_value(parent, name, &own);
            let meaning = Meaning::Merged(Directive::Inaccessible);
            let is_hidden = own.iter().any(|source| has(&source.element.applied, meaning));
            let coordinate = [&**parent, ".", name].concat();
            if is_hidden && usages.input.is_some() || lacking.is_empty() {
                merged.push(value);
                continue;
            }
            match (&usages.input, &usages.output) {
                (Some(input), Some(output)) => {
                    self.report_value(&coordinate, (input, output), (&own, &lacking));
                    is_inconsistent = true;
                    merged.push(value);
                }
                (Some(_), None) => self.hint_value(&coordinate, &lacking, Usage::Input),
                (None, _) => {
                    self.hint_value(&coordinate, &lacking, Usage::Output);
                    merged.push(value);
                }
            }
        }
        if merged.is_empty() && !is_inconsistent {
            let message =
                format!("No value of the enum `{parent}` is in all subgraphs that have the enum.");
            let finding = Finding::new(Code::EmptyMergedEnumType, message)
                .on(&**parent)
                .remedy("Declare at least one value in all subgraphs.");
            let finding = self.located(finding, parents);
            self.errors.push(finding);
        }
        merged
    }

    fn merge_value(
        &mut self,
        parent: &Arc<str>,
        name: &Arc<str>,
        sources: &[Source<'s, Value>],
    ) -> EnumValueDefinition {
        let coordinate = [&**parent, ".", name].concat();
        let description = self.merge_description(&coordinate, sources);
        let graphs = sources.iter().map(|source| {
            Written::new("join__enumValue").symbol("graph", &self.graphs[source.graph]).done()
        });
        let mut directives: Vec<_> = graphs.collect();
        directives.extend(self.merge_applied(&coordinate, sources));
        EnumValueDefinition { name: Arc::clone(name), line: 0, column: 0, description, directives }
    }

    fn report_value(
        &mut self,
        coordinate: &str,
        (input, output): (&str, &str),
        (own, lacking): (&[Source<'s, Value>], &[Source<'s, Type>]),
    ) {
        let message = format!(
            "The enum value `{coordinate}` is in {}, but not in {}. Clients both send values of the \
             enum (`{input}`) and receive them (`{output}`): all subgraphs must have the same.",
            self.named_subgraphs(own.iter().map(|source| source.graph)),
            self.named_subgraphs(lacking.iter().map(|source| source.graph)),
        );
        let finding = Finding::new(Code::EnumValueMismatch, message)
            .on(coordinate)
            .remedy("Declare the value in all subgraphs, or mark it `@inaccessible`.");
        let finding = self.located(self.located(finding, own), lacking);
        self.errors.push(finding);
    }

    fn hint_value(&mut self, coordinate: &str, lacking: &[Source<'s, Type>], usage: Usage) {
        let missing = self.named_subgraphs(lacking.iter().map(|source| source.graph));
        let (code, message) = match usage {
            Usage::Input => (
                Code::InconsistentEnumValueForInputEnum,
                format!(
                    "The enum value `{coordinate}` is not in the supergraph, because it is missing \
                     in {missing}."
                ),
            ),
            Usage::Output => (
                Code::InconsistentEnumValueForOutputEnum,
                format!("The enum value `{coordinate}` is missing in {missing}."),
            ),
        };
        let finding = self.located(Finding::new(code, message).on(coordinate), lacking);
        self.hints.push(finding);
    }
}

fn values(r#type: &Type) -> &[Value] {
    match &r#type.kind {
        Kind::Enum(values) => values,
        Kind::Scalar | Kind::Object(_) | Kind::Interface(_) | Kind::Union(_) | Kind::Input(_) => {
            &[]
        }
    }
}
