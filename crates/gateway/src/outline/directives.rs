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
pub struct Said {
    /// Distinct occurrences; empty if none has directives.
    pub ways: Box<[Way]>,
    /// Distinct variables of all occurrences.
    pub variables: Box<[Slot]>,
}

/// Directives of one occurrence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Way {
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
pub(super) struct Around {
    way: Way,
    variables: Vec<Slot>,
}

impl Around {
    /// Returns the directives within a fragment.
    pub(super) fn within(&self, fragment: Directives) -> Self {
        let mut inner = self.clone();
        if !fragment.text.is_empty() {
            let mut fragments = std::mem::take(&mut inner.way.fragments).into_vec();
            fragments.push(fragment.text);
            inner.way.fragments = fragments.into();
            add(&mut inner.variables, &fragment.variables);
        }
        inner
    }

    /// Returns the directives of a field.
    pub(super) fn field(&self, own: Directives) -> Self {
        let mut field = self.clone();
        field.way.field = own.text;
        add(&mut field.variables, &own.variables);
        field
    }

    pub(super) fn is_empty(&self) -> bool {
        self.way == Way::default()
    }
}

impl Said {
    /// Collects the directives of some occurrences of a field.
    pub(super) fn of<'a>(occurrences: impl Iterator<Item = &'a Around>) -> Self {
        let (mut ways, mut variables) = (Vec::new(), Vec::new());
        for around in occurrences {
            if !ways.contains(&around.way) {
                ways.push(around.way.clone());
            }
            add(&mut variables, &around.variables);
        }
        // Without directives a field has a single occurrence.
        if ways.iter().all(|way| *way == Way::default()) {
            return Self::default();
        }
        Self { ways: ways.into(), variables: variables.into() }
    }
}

fn add(variables: &mut Vec<Slot>, more: &[Slot]) {
    for slot in more {
        if !variables.contains(slot) {
            variables.push(*slot);
        }
    }
}
