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

/// Whether a text may have several parts, each of which begins anew.
fn has_union(parts: &[StatementPart]) -> bool {
    parts.iter().any(|part| match part {
        StatementPart::Text(text) => {
            let mut words = text.split(|one: char| one != '_' && !one.is_alphanumeric());
            words.any(|word| word.eq_ignore_ascii_case("UNION"))
        }
        StatementPart::Value(_) | StatementPart::Name(_) | StatementPart::Nothing(_) => false,
    })
}

impl Printer<'_> {
    /// A WITH at the beginning of a subquery takes a variable over, and the one behind it leaves all
    /// others; a list of variables would keep them.
    pub(super) fn statement(&mut self, statement: &Statement) -> fmt::Result {
        let between = match &statement.row {
            // The second part of a union takes the row over by the name that it knows.
            Some((_, name)) if has_union(&statement.parts) => name.clone(),
            Some(_) | None => Name(BETWEEN.into()),
        };
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
                StatementPart::Name(name) => {
                    self.out.push_str(" AS ");
                    self.name(name);
                }
                StatementPart::Nothing(name) => self.nothing(name),
            }
        }
        // Its last line may be a comment.
        self.out.push_str("\n} RETURN ");
        self.name(&statement.column);
        self.out.push_str(" AS ");
        self.variable(statement.variable)?;
        if statement.only_first {
            self.out.push_str(" LIMIT 1");
        }
        self.out.push_str(" }");
        Ok(())
    }

    /// Counts the rows, so that all of them are made, and lets none pass: a count is never negative.
    fn nothing(&mut self, name: &Name) {
        self.out.push_str("\nWITH count(*) AS ");
        self.name(name);
        self.out.push_str(" WHERE ");
        self.name(name);
        self.out.push_str(" < 0 RETURN ");
        self.name(name);
    }
}
