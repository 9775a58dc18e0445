//! Required fields whose arguments another subgraph requires: a `@requires` must give them.

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
    /// the supergraph.
    pub(super) fn check_required_arguments(&mut self, types: &[TypeDefinition]) {
        let types: Types<'_> = types.iter().map(|r#type| (&*r#type.name, r#type)).collect();
        for graph in 0..self.subgraphs.len() {
            for r#type in &self.subgraph(graph).types {
                for field in r#type.fields() {
                    let coordinate = [&*r#type.name, ".", &field.name].concat();
                    for requires in all(&field.applied, Meaning::Requires) {
                        let text = field_sets::text(requires).unwrap_or_default();
                        let Ok(selections) = parse_field_set(&text) else { continue };
                        let mut missing = Vec::new();
                        find_missing(&types, &r#type.name, &selections, &mut missing);
                        for (selected, argument) in missing {
                            self.report_argument(
                                graph,
                                (&coordinate, requires),
                                &selected,
                                &argument,
                            );
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
        selected: &str,
        argument: &str,
    ) {
        let subgraph = self.subgraph(graph);
        let text = field_sets::text(requires).unwrap_or_default();
        let message = format!(
            "Subgraph \"{}\": `@requires(fields: \"{text}\")` on `{coordinate}` selects `{selected}` \
             without its argument `{argument}`, which another subgraph requires.",
            subgraph.name
        );
        let finding = Finding::new(Code::RequiresInvalidFields, message)
            .on(coordinate)
            .at(subgraph.location(requires.at()))
            .remedy("Add the argument to the field set, or make it nullable everywhere.");
        self.errors.push(finding);
    }
}

/// Adds coordinates of fields with arguments that lack. Recursion is bounded by the parser's limit.
fn find_missing(
    types: &Types<'_>,
    parent: &str,
    selections: &[FieldSetSelection],
    missing: &mut Vec<(String, Arc<str>)>,
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
                for argument in field.arguments.iter().filter(is_required) {
                    if !arguments.iter().any(|(given, _)| *given == argument.name) {
                        let coordinate = [parent, ".", name].concat();
                        missing.push((coordinate, Arc::clone(&argument.name)));
                    }
                }
                find_missing(types, field.r#type.base(), selections, missing);
            }
            FieldSetSelection::Fragment { on, selections } => {
                find_missing(types, on.as_deref().unwrap_or(parent), selections, missing);
            }
        }
    }
}
