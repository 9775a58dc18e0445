//! Merge of input objects: the supergraph has the fields that all subgraphs have.

use std::sync::Arc;

use graphql::definitions::InputDefinition;

use super::enums::Usage;
use super::members::{Member, members};
use super::missing::MissingInput;
use super::type_references::Position;
use super::{Merger, Source};
use crate::composition::schema::{Input, Kind, Type, has};
use crate::composition::specifications::{Directive, Meaning};
use crate::composition::{Code, Finding};

impl<'s> Merger<'s> {
    pub(super) fn merge_inputs(
        &mut self,
        parent: &Arc<str>,
        parents: &[Source<'s, Type>],
    ) -> Vec<InputDefinition> {
        let mut merged: Vec<InputDefinition> = Vec::new();
        for Member { name, sources: own, lacking } in members(parents, inputs) {
            let coordinate = [&**parent, ".", name].concat();
            let Some(input) = self.merge_input(&coordinate, name, (&own, parents.len())) else {
                continue;
            };
            // Clients do not see an inaccessible field: it needs not be in all subgraphs.
            let meaning = Meaning::Merged(Directive::Inaccessible);
            let is_hidden = own.iter().any(|source| has(&source.element.applied, meaning));
            if lacking.is_empty() || is_hidden {
                merged.push(input);
            } else {
                self.report_missing_input(MissingInput::InputField, &coordinate, (&own, &lacking));
            }
        }
        if merged.is_empty() {
            let message = format!(
                "No field of the input object type `{parent}` is in all subgraphs that have the type."
            );
            let finding = Finding::new(Code::EmptyMergedInputType, message)
                .on(&**parent)
                .remedy("Declare at least one field in all subgraphs.");
            let finding = self.located(finding, parents);
            self.errors.push(finding);
        }
        merged
    }

    fn merge_input(
        &mut self,
        coordinate: &str,
        name: &Arc<str>,
        (sources, parents): (&[Source<'s, Input>], usize),
    ) -> Option<InputDefinition> {
        let description = self.merge_description(coordinate, sources);
        let applied = self.merge_applied(coordinate, sources);
        let reference = self.merge_reference(coordinate, Position::InputField, sources)?;
        self.use_type(&reference.r#type, Usage::Input, coordinate);
        let default = self.merge_default(coordinate, Position::InputField, sources);
        let mut directives = self.join_input(sources, parents, reference.is_same);
        directives.extend(applied);
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
}

fn inputs(r#type: &Type) -> &[Input] {
    match &r#type.kind {
        Kind::Input(inputs) => inputs,
        Kind::Scalar | Kind::Object(_) | Kind::Interface(_) | Kind::Union(_) | Kind::Enum(_) => &[],
    }
}
