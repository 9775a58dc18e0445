//! Patterns that an operation states, to be checked before anything is asked of the source: what is
//! wrong with one must not depend on the rows that a database compares it with.

use graphql::operation::Location;
use ir::{Operand, TextMatch};

use super::Context;

/// An operand that texts are matched with.
#[derive(Clone, Debug, PartialEq)]
pub struct StatedPattern {
    /// The argument and the input fields that lead to it, as `filter.name.like`.
    pub argument: Box<str>,
    pub r#match: TextMatch,
    pub operand: Operand,
    /// The field that has the argument.
    pub location: Location,
}

impl Context<'_> {
    /// Keeps a pattern at the input position that is lowered now.
    pub(super) fn state_pattern(&self, r#match: TextMatch, operand: &Operand, location: Location) {
        let inputs = self.inputs_around.borrow();
        let names: Vec<&str> = inputs.iter().map(|id| &*self.api.schema[*id].name).collect();
        let argument = names.join(".").into();
        let operand = operand.clone();
        self.patterns.borrow_mut().push(StatedPattern { argument, r#match, operand, location });
    }
}
