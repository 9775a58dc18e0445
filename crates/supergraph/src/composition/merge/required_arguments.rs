//! Arguments of required fields: a `@requires` gives those that another subgraph requires, and no others
//! than all subgraphs with the field have.

use std::sync::Arc;

use graphql::definitions::{FieldSetSelection, InputDefinition, TypeBody, TypeDefinition};
use graphql::parse_field_set;
use rustc_hash::FxHashMap;

use super::Merger;
use crate::composition::field_sets;
use crate::composition::schema::{Applied, all};
use crate::composition::specifications::Meaning;
use crate::composition::{Code, Finding};

/// The merged types by name.
type Types<'t> = FxHashMap<&'t str, &'t TypeDefinition>;

impl Merger<'_> {
    /// Adds an error for each `@requires` that selects a field without an argument that is required in
    /// the supergraph, or with one that the supergraph does not have.
    pub(super) fn check_required_arguments(&mut self, types: &[TypeDefinition]) {
        let types: Types<'_> = types.iter().map(|r#type| (&*r#type.name, r#type)).collect();
        for graph in 0..self.subgraphs.len() {
            for r#type in &self.subgraph(graph).types {
                for field in r#type.fields() {
                    let coordinate = [&*r#type.name, ".", &field.name].concat();
                    for requires in all(&field.applied, Meaning::Requires) {
                        let text = field_sets::text(requires).unwrap_or_default();
                        let Ok(selections) = parse_field_set(&text) else { continue };
                        let mut problems = Vec::new();
                        find_problems(&types, &r#type.name, &selections, &mut problems);
                        for problem in problems {
                            self.report_argument(graph, (&coordinate, requires), &problem);
                        }
                    }
                }
            }
        }
    }

    fn report_argument(
        &mut self,
        graph: usize,
        (coordinate, requires): (&str, &Applied),
        problem: &Problem,
    ) {
        let subgraph = self.subgraph(graph);
        let text = field_sets::text(requires).unwrap_or_default();
        let Problem { selected, argument, is_given } = problem;
        let (clause, remedy) = match is_given {
            true => (
                format!("with the argument `{argument}`, which another subgraph does not have"),
                "Remove the argument from the field set, or define it in all subgraphs.",
            ),
            false => (
                format!("without its argument `{argument}`, which another subgraph requires"),
                "Add the argument to the field set, or make it nullable everywhere.",
            ),
        };
        let message = format!(
            "Subgraph \"{}\": `@requires(fields: \"{text}\")` on `{coordinate}` selects `{selected}` \
             {clause}.",
            subgraph.name
        );
        let finding = Finding::new(Code::RequiresInvalidFields, message)
            .on(coordinate)
            .at(subgraph.location(requires.at()))
            .remedy(remedy);
        self.errors.push(finding);
    }
}

/// An argument of a selected field.
struct Problem {
    /// Coordinate of the field.
    selected: String,
    argument: Arc<str>,
    /// True if it is given and does not exist; false if it is missing.
    is_given: bool,
}

/// Adds the problems of selections. Recursion is bounded by the parser's limit.
fn find_problems(
    types: &Types<'_>,
    parent: &str,
    selections: &[FieldSetSelection],
    problems: &mut Vec<Problem>,
) {
    for selection in selections {
        match selection {
            FieldSetSelection::Field { name, arguments, selections } => {
                let Some(r#type) = types.get(parent) else { continue };
                let (TypeBody::Object(composite) | TypeBody::Interface(composite)) = &r#type.body
                else {
                    continue;
                };
                let mut fields = composite.fields.iter();
                let Some(field) = fields.find(|field| field.name == *name) else { continue };
                let is_required =
                    |one: &&InputDefinition| one.r#type.is_required() && one.default.is_none();
                let mut add = |argument: &Arc<str>, is_given| {
                    let (selected, argument) = ([parent, ".", name].concat(), Arc::clone(argument));
                    problems.push(Problem { selected, argument, is_given });
                };
                for argument in field.arguments.iter().filter(is_required) {
                    if !arguments.iter().any(|(given, _)| *given == argument.name) {
                        add(&argument.name, false);
                    }
                }
                for (given, _) in arguments {
                    if !field.arguments.iter().any(|known| known.name == *given) {
                        add(given, true);
                    }
                }
                find_problems(types, field.r#type.base(), selections, problems);
            }
            FieldSetSelection::Fragment { on, selections } => {
                find_problems(types, on.as_deref().unwrap_or(parent), selections, problems);
            }
        }
    }
}
