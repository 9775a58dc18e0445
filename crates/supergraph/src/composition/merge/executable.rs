//! Directives of operations: the supergraph has those that all subgraphs define, for the locations of
//! all.

use std::sync::Arc;

use graphql::definitions::{DirectiveDefinition, InputDefinition};

use super::type_references::Position;
use super::{Merger, Source};
use crate::composition::schema::{Applied, At, Input, Subgraph};
use crate::composition::{Code, Finding};

/// Locations in operations. <https://spec.graphql.org/draft/#ExecutableDirectiveLocation>
const LOCATIONS: &[&str] = &[
    "QUERY",
    "MUTATION",
    "SUBSCRIPTION",
    "FIELD",
    "FRAGMENT_DEFINITION",
    "FRAGMENT_SPREAD",
    "INLINE_FRAGMENT",
    "VARIABLE_DEFINITION",
];

/// Directives of GraphQL itself.
const BUILT_IN: &[&str] = &["skip", "include", "deprecated", "specifiedBy", "oneOf", "defer"];

/// A definition in a subgraph.
type Defined<'s> = (usize, &'s DirectiveDefinition);

impl<'s> Merger<'s> {
    pub(super) fn merge_executable_directives(&mut self) {
        let mut seen: Vec<&Arc<str>> = Vec::new();
        for subgraph in self.subgraphs {
            for definition in &subgraph.directives {
                let name = &definition.name;
                let is_executable = !executable(definition).is_empty();
                let is_other = !BUILT_IN.contains(&&**name) && !self.composed.has(name);
                if is_executable && is_other && !seen.contains(&name) {
                    seen.push(name);
                    self.merge_executable(name);
                }
            }
        }
    }

    fn merge_executable(&mut self, name: &str) {
        let mut defined: Vec<Defined<'s>> = Vec::new();
        let mut lacking = Vec::new();
        for (graph, subgraph) in self.subgraphs.iter().enumerate() {
            let mut own = subgraph.directives.iter();
            let own = own.find(|own| *own.name == *name && !executable(own).is_empty());
            match own {
                Some(definition) => defined.push((graph, definition)),
                None => lacking.push(graph),
            }
        }
        let first_lacking = lacking.first().copied().unwrap_or(usize::MAX);
        let before = defined.iter().take_while(|(graph, _)| *graph < first_lacking);
        let has_common =
            common_locations(before.map(|(_, own)| *own)).is_none_or(|it| !it.is_empty());
        if !lacking.is_empty() && has_common {
            let message = format!(
                "The directive `@{name}` is not in the supergraph, because it is missing in {}.",
                self.named_subgraphs(lacking)
            );
            self.hint(Code::InconsistentExecutableDirectivePresence, name, message, &defined);
            return;
        }
        let Some(((_, first), rest)) = defined.split_first() else { return };
        let locations = executable(first);
        let is_same = rest.iter().all(|(_, other)| {
            let other = executable(other);
            other.len() == locations.len() && other.iter().all(|one| locations.contains(one))
        });
        let locations = common_locations(defined.iter().map(|(_, own)| *own)).unwrap_or_default();
        let all = self.by_value(
            defined
                .iter()
                .map(|(graph, own)| (*graph, ["`", &executable(own).join(" | "), "`"].concat())),
        );
        if locations.is_empty() {
            let message = format!(
                "The directive `@{name}` is not in the supergraph, because its subgraphs have no \
                 common location: {all}."
            );
            let code = Code::NoExecutableDirectiveIntersection;
            self.hint(code, name, message, &defined);
            return;
        }
        if !is_same {
            let message = format!(
                "The directive `@{name}` has the common locations of all subgraphs: {all}."
            );
            self.hint(Code::InconsistentExecutableDirectiveLocations, name, message, &defined);
        }
        let is_repeatable = defined.iter().all(|(_, own)| own.is_repeatable);
        if !is_repeatable && defined.iter().any(|(_, own)| own.is_repeatable) {
            let message = format!(
                "The directive `@{name}` is not repeatable in the supergraph, because it is not in \
                 all subgraphs."
            );
            self.hint(Code::InconsistentExecutableDirectiveRepeatable, name, message, &defined);
        }
        let arguments = self.merge_directive_arguments(name, &defined);
        self.executable.push(DirectiveDefinition {
            name: name.into(),
            line: 0,
            column: 0,
            description: defined.iter().find_map(|(_, own)| own.description.clone()),
            arguments,
            locations,
            is_repeatable,
        });
    }

    fn merge_directive_arguments(
        &mut self,
        name: &str,
        defined: &[Defined<'s>],
    ) -> Vec<InputDefinition> {
        let mut merged: Vec<InputDefinition> = Vec::new();
        let mut seen: Vec<&Arc<str>> = Vec::new();
        for argument in defined.iter().flat_map(|(_, definition)| &definition.arguments) {
            if seen.contains(&&argument.name) {
                continue;
            }
            seen.push(&argument.name);
            let own = defined.iter().filter_map(|(graph, definition)| {
                let own = definition.arguments.iter().find(|own| own.name == argument.name)?;
                Some((*graph, input(self.subgraph(*graph), own)))
            });
            let own: Vec<_> = own.collect();
            let coordinate = ["@", name, "(", &argument.name, ":)"].concat();
            let sources: Vec<_> =
                own.iter().map(|(graph, element)| Source { graph: *graph, element }).collect();
            if own.len() < defined.len() {
                self.report_missing(&coordinate, &sources);
                continue;
            }
            let position = Position::Argument;
            let Some(reference) = self.merge_reference(&coordinate, position, &sources) else {
                continue;
            };
            let default = self.merge_default(&coordinate, position, &sources);
            let directives = self.merge_applied(&coordinate, &sources);
            merged.push(InputDefinition {
                r#type: reference.r#type,
                default,
                directives,
                ..argument.clone()
            });
        }
        merged
    }

    /// Reports an argument that not all subgraphs define.
    fn report_missing(&mut self, coordinate: &str, sources: &[Source<'_, Input>]) {
        let graphs = self.named_subgraphs(sources.iter().map(|source| source.graph));
        let is_required = sources.iter().any(|source| source.element.is_required());
        let message = format!(
            "The argument `{coordinate}` is only in {graphs}{}.",
            if is_required { ", and required" } else { "" }
        );
        let code = match is_required {
            true => Code::RequiredArgumentMissingInSomeSubgraph,
            false => Code::InconsistentArgumentPresence,
        };
        let finding = self.located(Finding::new(code, message).on(coordinate), sources);
        match is_required {
            true => self.errors.push(finding.remedy("Define the argument in all subgraphs.")),
            false => self.hints.push(finding),
        }
    }

    fn hint(&mut self, code: Code, name: &str, message: String, defined: &[Defined<'s>]) {
        let mut finding = Finding::new(code, message).on(["@", name].concat());
        for (graph, definition) in defined {
            let at = At { line: definition.line, column: definition.column };
            finding.locations.push(self.subgraph(*graph).location(at));
        }
        self.hints.push(finding);
    }
}

/// Returns the locations that all definitions have; `None` without definitions.
fn common_locations<'d>(
    mut definitions: impl Iterator<Item = &'d DirectiveDefinition>,
) -> Option<Vec<&'static str>> {
    let first = executable(definitions.next()?);
    Some(definitions.fold(first, |mut common, other| {
        common.retain(|location| other.locations.contains(location));
        common
    }))
}

fn executable(definition: &DirectiveDefinition) -> Vec<&'static str> {
    definition.locations.iter().filter(|location| LOCATIONS.contains(location)).copied().collect()
}

fn input(subgraph: &Subgraph, written: &InputDefinition) -> Input {
    let applied = written.directives.iter().map(|directive| Applied {
        meaning: subgraph.links.meaning(&directive.name),
        directive: directive.clone(),
        is_in_extension: false,
    });
    Input {
        name: written.name.clone(),
        at: At { line: written.line, column: written.column },
        description: written.description.clone(),
        r#type: written.r#type.clone(),
        default: written.default.clone(),
        applied: applied.collect(),
    }
}
