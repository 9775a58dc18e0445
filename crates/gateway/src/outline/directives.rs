//! Custom directives of an operation, which are sent to subgraphs.
//!
//! Their meaning is known to the subgraph only, so each occurrence of a field is sent with its own
//! directives, in fragments with the directives of the enclosing ones. All occurrences are one
//! item: the subgraph merges them as usual.

use graphql::operation::AppliedDirective;
use graphql::schema::Schema;
use graphql::value::Slot;

use super::Arguments;

/// Printed directives for subgraph documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// `@a@b(c:$d)`; empty without directives.
    pub text: Box<str>,
    /// Distinct variables in the text.
    pub variables: Box<[Slot]>,
}

/// Directives of the occurrences of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FieldDirectives {
    /// Distinct occurrences; empty if none has directives.
    pub occurrences: Box<[OccurrenceDirectives]>,
    /// Distinct variables of all occurrences.
    pub variables: Box<[Slot]>,
}

/// Directives of one occurrence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OccurrenceDirectives {
    /// Directives of the enclosing fragments, outermost first.
    pub fragments: Box<[Box<str>]>,
    /// Directives of the field.
    pub field: Box<str>,
}

impl Directives {
    /// Prints directives of an operation. `names` are those of its variables.
    pub(crate) fn of_operation<'d>(
        schema: &Schema,
        directives: impl Iterator<Item = &'d AppliedDirective>,
        names: &[&str],
    ) -> Self {
        let (mut text, mut variables) = (String::new(), Vec::new());
        for directive in directives {
            let arguments = Arguments::of_operation(schema, &directive.arguments, names);
            text.push('@');
            text.push_str(&directive.name);
            if !arguments.text.is_empty() {
                text.push('(');
                text.push_str(&arguments.text);
                text.push(')');
            }
            add(&mut variables, &arguments.variables);
        }
        Self { text: text.into(), variables: variables.into() }
    }
}

/// Directives that apply at a place of the operation.
#[derive(Clone, Debug, Default)]
pub(super) struct AppliedDirectives {
    own: OccurrenceDirectives,
    variables: Vec<Slot>,
}

impl AppliedDirectives {
    /// Returns the directives within a fragment.
    pub(super) fn within(&self, fragment: Directives) -> Self {
        let mut inner = self.clone();
        if !fragment.text.is_empty() {
            let mut fragments = std::mem::take(&mut inner.own.fragments).into_vec();
            fragments.push(fragment.text);
            inner.own.fragments = fragments.into();
            add(&mut inner.variables, &fragment.variables);
        }
        inner
    }

    /// Returns the directives of a field.
    pub(super) fn field(&self, own: Directives) -> Self {
        let mut field = self.clone();
        field.own.field = own.text;
        add(&mut field.variables, &own.variables);
        field
    }

    pub(super) fn is_empty(&self) -> bool {
        self.own == OccurrenceDirectives::default()
    }
}

impl FieldDirectives {
    /// Collects the directives of some occurrences of a field.
    pub(super) fn of<'a>(all: impl Iterator<Item = &'a AppliedDirectives>) -> Self {
        let (mut occurrences, mut variables) = (Vec::new(), Vec::new());
        for applied in all {
            if !occurrences.contains(&applied.own) {
                occurrences.push(applied.own.clone());
            }
            add(&mut variables, &applied.variables);
        }
        // Without directives a field has a single occurrence.
        if occurrences.iter().all(|own| *own == OccurrenceDirectives::default()) {
            return Self::default();
        }
        Self { occurrences: occurrences.into(), variables: variables.into() }
    }
}

fn add(variables: &mut Vec<Slot>, more: &[Slot]) {
    for slot in more {
        if !variables.contains(slot) {
            variables.push(*slot);
        }
    }
}
