//! Statements that somebody else wrote, kept apart from what is around them.

use std::fmt;

use super::Printer;
use crate::tree::{Name, Statement, StatementPart};

/// What the row is called between the statement and what is around it, where none of the variables
/// around it may be seen: a column of the statement may have the name of any of them.
const BETWEEN: &str = "the row";

/// Whether a text has the name of a variable in it.
fn has_variable(text: &str, mark: &str) -> bool {
    let is_letter = |one: char| one == '_' || one.is_alphanumeric();
    text.split(|one| !is_letter(one)).any(|word| {
        let number = word.strip_prefix(['t', 'c', 'x']).and_then(|rest| rest.strip_prefix(mark));
        number.is_some_and(|number| number.starts_with(|one: char| one.is_ascii_digit()))
    })
}

impl Printer<'_> {
    /// A WITH at the beginning of a subquery takes a variable over, and the one behind it leaves all
    /// others; a list of variables would keep them.
    pub(super) fn statement(&mut self, statement: &Statement) -> fmt::Result {
        let between = Name(BETWEEN.into());
        self.out.push_str("CALL { ");
        if let Some((row, _)) = &statement.row {
            self.out.push_str("WITH ");
            self.variable(*row)?;
            self.out.push_str(" WITH ");
            self.variable(*row)?;
            self.out.push_str(" AS ");
            self.name(&between);
            self.out.push(' ');
        }
        self.out.push_str("CALL { ");
        if let Some((_, name)) = &statement.row {
            self.out.push_str("WITH ");
            self.name(&between);
            self.out.push_str(" WITH ");
            self.name(&between);
            self.out.push_str(" AS ");
            self.name(name);
            self.out.push(' ');
        }
        for part in &statement.parts {
            match part {
                StatementPart::Text(text) => {
                    self.is_mistakable |= has_variable(text, self.mark);
                    self.out.push_str(text);
                }
                StatementPart::Value(value) => self.expression(value)?,
            }
        }
        // Its last line may be a comment.
        self.out.push_str("\n} RETURN ");
        self.name(&statement.column);
        self.out.push_str(" AS ");
        self.variable(statement.variable)?;
        self.out.push_str(" }");
        Ok(())
    }
}
