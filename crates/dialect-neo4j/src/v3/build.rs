//! What every part of the schema needs: the model, the draft, and a few ways to add to it.

use rustc_hash::FxHashMap;

use super::Options;
use super::texts::EMPTY_INPUT;
use super::variants::VariantsDraft;
use super::ways::WaysDraft;
use crate::model::{Model, ModelField, NodeType, Placed, Property};
use crate::shared::draft::{Draft, DraftField, DraftInput};
use crate::shared::naming::TypeNames;
use crate::shared::values::{input_name, whole};
use api::binding::{FieldBinding, InputBinding, InputRole, VariantsId};

/// A schema while it is made.
#[derive(Debug)]
pub(super) struct Build<'m> {
    pub(super) model: &'m Model,
    pub(super) placed: &'m Placed,
    pub(super) options: &'m Options,
    pub(super) draft: Draft,
    /// By the places of the node types.
    pub(super) names: Vec<TypeNames>,
    /// Nodes of several types in one list, by the numbers of the lists.
    pub(super) variants: Vec<VariantsDraft>,
    /// Which of these a relationship of a node type leads to, by the type and the field's name.
    pub(super) variants_by_field: FxHashMap<(usize, &'m str), VariantsId>,
    /// The ways by which nodes of several types are changed, by their numbers.
    pub(super) ways: Vec<WaysDraft<'m>>,
}

impl<'m> Build<'m> {
    pub(super) fn new(model: &'m Model, placed: &'m Placed, options: &'m Options) -> Self {
        let names = |node: &NodeType| TypeNames::new(&node.name, node.plural.as_deref());
        let names = model.nodes.iter().map(names).collect();
        Self {
            model,
            placed,
            options,
            draft: Draft::default(),
            names,
            variants: Vec::new(),
            variants_by_field: FxHashMap::default(),
            ways: Vec::new(),
        }
    }

    /// Gives an input type a field.
    pub(super) fn put(&mut self, parent: &str, name: &str, r#type: &str, binding: InputBinding) {
        self.draft.add_input(parent, DraftInput::new(name, r#type, binding));
    }

    /// The same of one that may be deprecated.
    pub(super) fn put_for(
        &mut self,
        parent: &str,
        name: &str,
        r#type: &str,
        binding: InputBinding,
        reason: Option<&str>,
    ) {
        let input = DraftInput::new(name, r#type, binding);
        let input = match reason {
            Some(reason) => input.because(reason),
            None => input,
        };
        self.draft.add_input(parent, input);
    }

    /// Gives an object type or an interface a field without arguments.
    pub(super) fn show(&mut self, parent: &str, name: &str, r#type: &str, binding: FieldBinding) {
        self.draft.add_field(parent, DraftField::new(name, r#type, binding));
    }

    /// Gives an input type that has nothing a field that says so.
    pub(super) fn fill(&mut self, parent: &str) {
        self.draft.input(parent);
        if self.draft.inputs_of(parent).is_empty() {
            let binding = InputBinding::lenient(InputRole::Member);
            let input = DraftInput::new("_emptyInput", "Boolean", binding).described(EMPTY_INPUT);
            self.draft.add_input(parent, input);
        }
    }

    /// The type of what a request gives for a property, which may be null.
    pub(super) fn given(&self, property: &Property) -> String {
        whole(input_name(self.model, &property.r#type), property)
    }
}

/// The reason for which a field is deprecated.
pub(super) fn reason(field: &ModelField) -> Option<&str> {
    field.deprecated.as_deref()
}
