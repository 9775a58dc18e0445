//! Arguments and input fields that some subgraphs lack: the supergraph lacks them, too, which is an error
//! if another subgraph requires a value.

use super::{Element, Merger, Source};
use crate::composition::schema::Input;
use crate::composition::{Code, Finding};

/// The kind of an input that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MissingInput {
    Argument,
    InputField,
}

impl<'s> Merger<'s> {
    /// Reports an input that some sources have and others lack.
    pub(super) fn report_missing_input<P: Element>(
        &mut self,
        kind: MissingInput,
        coordinate: &str,
        (sources, lacking): (&[Source<'s, Input>], &[Source<'s, P>]),
    ) {
        let required: Vec<_> =
            sources.iter().filter(|source| source.element.is_required()).copied().collect();
        let missing = self.named_subgraphs(lacking.iter().map(|source| source.graph));
        let (noun, hint, error, remedy) = match kind {
            MissingInput::Argument => (
                "argument",
                Code::InconsistentArgumentPresence,
                Code::RequiredArgumentMissingInSomeSubgraph,
                "Add the argument in all subgraphs, or make it nullable.",
            ),
            MissingInput::InputField => (
                "input field",
                Code::InconsistentInputObjectField,
                Code::RequiredInputFieldMissingInSomeSubgraph,
                "Add the field in all subgraphs, or make it nullable.",
            ),
        };
        if required.is_empty() {
            let message = format!(
                "The {noun} `{coordinate}` is not in the supergraph, because it is missing in {missing}."
            );
            let finding = self.located(Finding::new(hint, message).on(coordinate), lacking);
            self.hints.push(finding);
            return;
        }
        let message = format!(
            "The {noun} `{coordinate}` is required in {}, but missing in {missing}.",
            self.named_subgraphs(required.iter().map(|source| source.graph))
        );
        let finding = Finding::new(error, message).on(coordinate).remedy(remedy);
        let finding = self.located(self.located(finding, &required), lacking);
        self.errors.push(finding);
    }
}
