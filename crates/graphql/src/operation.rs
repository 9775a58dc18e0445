//! A validated operation, its names resolved to the schema's ids.
//!
//! It holds nothing that depends on variable values: `@skip` and `@include` stay as conditions,
//! fragments stay shared, and [`crate::collect_fields`] flattens and merges when it is lowered.

use crate::heap_size;
use crate::schema::{FieldId, InputId, TypeId, TypeRef};
use crate::value::{Const, Slot, Value};

/// One operation of a document that passed validation.
#[derive(Clone, Debug)]
pub struct Operation {
    pub kind: OperationKind,
    pub name: Option<Box<str>>,
    pub variables: Vec<VariableDefinition>,
    pub directives: Vec<AppliedDirective>,
    pub root: SelectionSetId,
    /// Every selection set, those of fragments once.
    pub selection_sets: Vec<SelectionSet>,
    /// Selected fields whose values may be null although the schema says otherwise: in the view of
    /// it that the operation was validated by.
    pub nullable: Vec<FieldId>,
}

impl Operation {
    /// The number of the root type's fields, fragments expanded. Limits of documents keep the
    /// number of spreads small.
    #[must_use]
    pub fn root_fields(&self) -> usize {
        self.fields_of(self.root)
    }

    /// Whether a fragment has `@defer`.
    #[must_use]
    pub fn has_defer(&self) -> bool {
        let selections = self.selection_sets.iter().flat_map(|set| &set.selections);
        let mut fragments = selections.map(|selection| match selection {
            Selection::Field(_) => false,
            Selection::Fragment { defer, .. } => defer.is_some(),
        });
        fragments.any(|has_defer| has_defer)
    }

    fn fields_of(&self, set: SelectionSetId) -> usize {
        let selections = &self.selection_set(set).selections;
        let fields = selections.iter().map(|selection| match selection {
            Selection::Field(_) => 1,
            Selection::Fragment { selection_set, .. } => self.fields_of(*selection_set),
        });
        fields.sum()
    }
}

/// <https://spec.graphql.org/draft/#OperationType>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    Query,
    Mutation,
    Subscription,
}

/// A variable of the operation; its [`Slot`] is its index.
#[derive(Clone, Debug)]
pub struct VariableDefinition {
    pub name: Box<str>,
    pub r#type: TypeRef,
    pub default: Option<Const>,
    /// True if its value may be a text of a number or a boolean: each place that has it takes one.
    pub reads_texts: bool,
}

/// The index of a selection set in [`Operation::selection_sets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SelectionSetId(pub u32);

/// The selections on one type.
#[derive(Clone, Debug)]
pub struct SelectionSet {
    pub parent: TypeId,
    pub selections: Vec<Selection>,
}

/// One selection of a set. <https://spec.graphql.org/draft/#Selection>
#[derive(Clone, Debug)]
pub enum Selection {
    Field(FieldSelection),
    /// An inline fragment or a fragment spread.
    Fragment {
        conditions: Vec<Condition>,
        directives: Vec<AppliedDirective>,
        defer: Option<Box<Defer>>,
        on: TypeId,
        selection_set: SelectionSetId,
    },
}

/// One occurrence of a field.
#[derive(Clone, Debug)]
pub struct FieldSelection {
    pub response_name: Box<str>,
    pub field: FieldRef,
    pub conditions: Vec<Condition>,
    pub directives: Vec<AppliedDirective>,
    /// As given; absent ones are not listed.
    pub arguments: Vec<(InputId, Value)>,
    /// `None` for leaf fields.
    pub selection_set: Option<SelectionSetId>,
    pub location: Location,
}

/// The referenced field: of the schema, or a built-in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldRef {
    Field(FieldId),
    /// `__typename`
    Typename,
    /// `__schema`, `__type`: resolved by [`crate::introspection`].
    Introspection,
}

/// An applied directive of the schema's own.
#[derive(Clone, Debug, PartialEq)]
pub struct AppliedDirective {
    pub name: Box<str>,
    /// As given; absent ones are not listed.
    pub arguments: Vec<(InputId, Value)>,
}

/// `@defer(if:, label:)`: the fragment may be sent after the rest of the response.
#[derive(Clone, Debug, PartialEq)]
pub struct Defer {
    pub condition: ConditionValue,
    pub label: Option<Box<str>>,
}

/// `@skip(if:)` or `@include(if:)`: the selection is included if the value equals `expected`.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    pub value: ConditionValue,
    pub expected: bool,
}

/// The `if` of `@skip` and `@include`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionValue {
    Variable(Slot),
    Constant(bool),
}

/// Line and column in the document, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Location {
    pub line: u32,
    pub column: u32,
}

impl Location {
    /// Documents are far below the range of 32 bits.
    pub(crate) fn new(line: usize, column: usize) -> Self {
        let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self { line: narrow(line), column: narrow(column) }
    }
}

impl Operation {
    /// Frees spare capacity of lists.
    pub(crate) fn shrink(&mut self) {
        self.variables.shrink_to_fit();
        self.selection_sets.shrink_to_fit();
        for set in &mut self.selection_sets {
            set.selections.shrink_to_fit();
        }
    }

    /// The selection set of an id of this operation.
    #[must_use]
    pub fn selection_set(&self, id: SelectionSetId) -> &SelectionSet {
        &self.selection_sets[id.0 as usize]
    }

    #[must_use]
    pub fn variable(&self, slot: Slot) -> &VariableDefinition {
        &self.variables[usize::from(slot.0)]
    }
}

heap_size!(plain OperationKind, SelectionSetId, FieldRef, ConditionValue, Location);

heap_size!(struct Operation {
    kind, name, variables, directives, root, selection_sets, nullable
});
heap_size!(struct VariableDefinition { name, r#type, default, reads_texts });
heap_size!(struct SelectionSet { parent, selections });
heap_size!(enum Selection {
    Field(field), Fragment { conditions, directives, defer, on, selection_set },
});
heap_size!(struct FieldSelection {
    response_name, field, conditions, directives, arguments, selection_set, location,
});
heap_size!(struct AppliedDirective { name, arguments });
heap_size!(struct Defer { condition, label });
heap_size!(struct Condition { value, expected });
