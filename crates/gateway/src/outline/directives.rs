//! Directives of an operation that are not of the specification: subgraphs are told them.
//!
//! What they do is theirs to know, so each occurrence of a field is asked with its own directives, and
//! within the fragments that have some. What several occurrences ask is one item all the same: the
//! subgraph merges them as any server does.

use graphql::operation::AppliedDirective;
use graphql::schema::Schema;
use graphql::value::Slot;

use super::Arguments;

/// Directives as the text that subgraphs are sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// `@a@b(c:$d)`; empty if there are none.
    pub text: Box<str>,
    /// The variables in it, each once.
    pub variables: Box<[Slot]>,
}

/// The directives with which a field is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Said {
    /// Empty if it is asked without any.
    pub ways: Box<[Way]>,
    /// The variables in them, each once.
    pub variables: Box<[Slot]>,
}

/// One way to ask for a field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Way {
    /// The directives of the fragments around it, the outermost first.
    pub fragments: Box<[Box<str>]>,
    /// Its own.
    pub field: Box<str>,
}

impl Directives {
    /// Directives of an operation. `names` are those of its variables.
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

/// The directives of one occurrence of a field.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    way: Way,
    variables: Vec<Slot>,
}

impl Around {
    /// Within a fragment.
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

    /// Of a field.
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
    /// What some occurrences of a field say together.
    pub(super) fn of<'a>(occurrences: impl Iterator<Item = &'a Around>) -> Self {
        let (mut ways, mut variables) = (Vec::new(), Vec::new());
        for around in occurrences {
            if !ways.contains(&around.way) {
                ways.push(around.way.clone());
            }
            add(&mut variables, &around.variables);
        }
        // One without any is how fields are asked.
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
