//! Checks of the whole supergraph: it is read, and every operation can be planned.

use std::sync::Arc;

use graphql::definitions::Definitions;

use super::wording::list;
use super::{Merger, Source};
use crate::Supergraph;
use crate::composed::read_definitions;
use crate::composition::schema::Field;
use crate::composition::{Code, Finding};
use crate::satisfiability::{self, Limits, RuntimeTypes, Unsatisfiable};

impl<'s> Merger<'s> {
    /// Adds an error for each operation that cannot be planned.
    pub(super) fn check_supergraph(&mut self, definitions: &Definitions) {
        match read_definitions(definitions) {
            Ok(supergraph) => self.check_satisfiability(&supergraph),
            Err(problems) => self.errors.extend(
                problems
                    .into_iter()
                    .map(|problem| Finding::new(Code::InvalidGraphql, problem.message)),
            ),
        }
    }

    fn check_satisfiability(&mut self, supergraph: &Supergraph) {
        let checked = satisfiability::check_within(supergraph, Limits::default());
        for shared in checked.shared {
            self.hint_runtime_types(&shared);
        }
        for found in checked.findings {
            let (code, remedy) = match &found {
                Unsatisfiable::Field(_) | Unsatisfiable::RootField { .. } => (
                    Code::SatisfiabilityError,
                    "Add a key that both subgraphs resolve, or make the field `@shareable` and \
                     resolve it in the other subgraph too.",
                ),
                Unsatisfiable::RuntimeTypes { .. } => (
                    Code::ShareableHasMismatchedRuntimeTypes,
                    "Return objects of the same types in all subgraphs, or do not share the field.",
                ),
                Unsatisfiable::TooManyPaths(_) => (
                    Code::MaxValidationSubgraphPathsExceeded,
                    "Reduce the number of subgraphs that share the same types and keys.",
                ),
            };
            let mut finding = Finding::new(code, found.to_string()).remedy(remedy);
            if let Some(coordinate) = found.coordinate() {
                let sources = self.field_sources(coordinate);
                finding = self.located(finding.on(coordinate), &sources);
            }
            self.errors.push(finding);
        }
    }

    /// Adds a hint for a shared field whose subgraphs may return objects that others do not know.
    fn hint_runtime_types(&mut self, shared: &RuntimeTypes) {
        let names = |types: &[Arc<str>]| {
            let names: Vec<_> = types.iter().map(|name| ["`", name, "`"].concat()).collect();
            list(&names)
        };
        let subgraphs = shared.subgraphs.iter().map(|(subgraph, types)| {
            let words = if types.is_empty() { "none".to_owned() } else { names(types) };
            format!("{words} in subgraph \"{subgraph}\"")
        });
        let subgraphs: Vec<_> = subgraphs.collect();
        let mut common: Vec<Arc<str>> = Vec::new();
        if let Some(((_, first), rest)) = shared.subgraphs.split_first() {
            common.extend(first.iter().cloned());
            common.retain(|own| rest.iter().all(|(_, types)| types.contains(own)));
        }
        let message = format!(
            "The shared field `{}` of the type `{}` may return different objects: {}. All subgraphs \
             must return only {}.",
            shared.coordinate,
            shared.r#type,
            list(&subgraphs),
            names(&common)
        );
        let sources = self.field_sources(&shared.coordinate);
        let hint = Finding::new(Code::InconsistentRuntimeTypesForShareableReturn, message);
        let hint = self.located(hint.on(&*shared.coordinate), &sources);
        self.hints.push(hint);
    }

    /// Returns the field of a coordinate in all subgraphs.
    pub(super) fn field_sources(&self, coordinate: &str) -> Vec<Source<'s, Field>> {
        let (parent, name) = coordinate.split_once('.').unwrap_or((coordinate, ""));
        let fields = self.find_sources(parent).iter().filter_map(|source| {
            let r#type = source.element;
            let element = r#type.find_field(name)?;
            Some(Source { graph: source.graph, element })
        });
        fields.collect()
    }
}
