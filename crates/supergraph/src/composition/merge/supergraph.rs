//! Checks of the whole supergraph: it is read, and every operation can be planned.

use super::{Merger, Source};
use crate::composition::schema::Field;
use crate::composition::{Code, Finding};
use crate::satisfiability::{self, Unsatisfiable};
use crate::{Supergraph, read};

impl<'s> Merger<'s> {
    /// Adds an error for each operation that cannot be planned.
    pub(super) fn check_supergraph(&mut self, text: &str) {
        match read(text) {
            Ok(supergraph) => self.check_satisfiability(&supergraph),
            Err(problems) => self.errors.extend(
                problems
                    .into_iter()
                    .map(|problem| Finding::new(Code::InvalidGraphql, problem.message)),
            ),
        }
    }

    fn check_satisfiability(&mut self, supergraph: &Supergraph) {
        for found in satisfiability::check(supergraph) {
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
