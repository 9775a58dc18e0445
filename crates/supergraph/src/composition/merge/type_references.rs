//! Merge of the types of fields, arguments and input fields.

use graphql::definitions::TypeExpression;

use super::{Element, Merger, Source};
use crate::composition::schema::{Field, Input};
use crate::composition::{Code, Finding};

/// A type that all subgraphs agree on, and whether they have the same.
pub(super) struct MergedReference {
    pub(super) r#type: TypeExpression,
    pub(super) is_same: bool,
}

/// An element with a type.
pub(super) trait Typed: Element {
    fn r#type(&self) -> &TypeExpression;
}

impl Typed for Field {
    fn r#type(&self) -> &TypeExpression {
        &self.r#type
    }
}

impl Typed for Input {
    fn r#type(&self) -> &TypeExpression {
        &self.r#type
    }
}

/// What the type is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    Output,
    Argument,
    InputField,
}

impl Merger<'_> {
    /// Returns the supertype of output types, and the subtype of input types; the first if there is
    /// none, with an error.
    pub(super) fn merge_reference<T: Typed>(
        &mut self,
        coordinate: &str,
        position: Position,
        sources: &[Source<'_, T>],
    ) -> Option<MergedReference> {
        let (first, rest) = sources.split_first()?;
        let mut chosen = first.element.r#type();
        let (mut is_same, mut is_compatible) = (true, true);
        for source in rest {
            let r#type = source.element.r#type();
            if r#type == chosen {
                continue;
            }
            is_same = false;
            let (wider, narrower) = (
                self.hierarchy.is_sub_type(chosen, r#type),
                self.hierarchy.is_sub_type(r#type, chosen),
            );
            let (replaces, fits) = match position {
                Position::Output => (wider, narrower),
                Position::Argument | Position::InputField => (narrower, wider),
            };
            match (fits, replaces) {
                (true, _) => {}
                (false, true) => chosen = r#type,
                (false, false) => is_compatible = false,
            }
        }
        let chosen = chosen.clone();
        if !is_same {
            self.report_types(coordinate, position, sources, (&chosen, is_compatible));
        }
        Some(MergedReference { r#type: chosen, is_same })
    }

    fn report_types<T: Typed>(
        &mut self,
        coordinate: &str,
        position: Position,
        sources: &[Source<'_, T>],
        (chosen, is_compatible): (&TypeExpression, bool),
    ) {
        let types = sources.iter().map(|source| {
            (source.graph, ["`", &source.element.r#type().to_string(), "`"].concat())
        });
        let types = self.by_value(types);
        let word = match position {
            Position::Output => "field",
            Position::Argument => "argument",
            Position::InputField => "input field",
        };
        if !is_compatible {
            let code = match position {
                Position::Output | Position::InputField => Code::FieldTypeMismatch,
                Position::Argument => Code::FieldArgumentTypeMismatch,
            };
            let message =
                format!("The {word} `{coordinate}` has types that no type includes: {types}.");
            let finding = Finding::new(code, message)
                .on(coordinate)
                .remedy("Declare the same type in all subgraphs.");
            let finding = self.located(finding, sources);
            self.errors.push(finding);
            return;
        }
        let code = match position {
            Position::Argument => Code::InconsistentButCompatibleArgumentType,
            Position::Output | Position::InputField => Code::InconsistentButCompatibleFieldType,
        };
        let message = format!(
            "The {word} `{coordinate}` has the type `{chosen}` in the supergraph, and {types}."
        );
        let finding = self.located(Finding::new(code, message).on(coordinate), sources);
        self.hints.push(finding);
    }
}
