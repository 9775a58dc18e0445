//! Patterns of an operation, which are checked before the source is queried: their errors must not
//! depend on the compared rows.

use graphql::operation::Location;
use ir::{Operand, TextMatch};

use super::Context;

/// A pattern of a text match.
#[derive(Clone, Debug, PartialEq)]
pub struct StatedPattern {
    /// The path of the argument and its input fields, as `filter.name.like`.
    pub argument: Box<str>,
    pub r#match: TextMatch,
    pub operand: Operand,
    /// The field that has the argument.
    pub location: Location,
}

impl Context<'_> {
    /// Records a pattern at the current input position.
    pub(super) fn state_pattern(&self, r#match: TextMatch, operand: &Operand, location: Location) {
        let inputs = self.inputs_around.borrow();
        let names: Vec<&str> = inputs.iter().map(|id| &*self.api.schema[*id].name).collect();
        let argument = names.join(".").into();
        let operand = operand.clone();
        self.patterns.borrow_mut().push(StatedPattern { argument, r#match, operand, location });
    }
}
