//! Authors' own statements, isolated from their surroundings.

use std::fmt;

use super::Printer;
use crate::tree::{Name, Statement, StatementPart};

/// The name of the row between the statement and its surroundings, where none of the outer
/// variables may be visible: a column of the statement may have the name of any of them.
const BETWEEN: &str = "the row";

/// True if a text contains the name of a variable.
fn has_variable(text: &str, mark: &str) -> bool {
    let is_letter = |one: char| one == '_' || one.is_alphanumeric();
    text.split(|one| !is_letter(one)).any(|word| {
        let number = word.strip_prefix(['t', 'c', 'x']).and_then(|rest| rest.strip_prefix(mark));
        number.is_some_and(|number| number.starts_with(|one: char| one.is_ascii_digit()))
    })
}

/// True if a text may be a union, each part of which has its own scope.
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
    /// A WITH at the beginning of a subquery imports a variable, and the one after it drops all
    /// others; a list of variables would keep them.
    pub(super) fn statement(&mut self, statement: &Statement) -> fmt::Result {
        let between = match &statement.row {
            // The second part of a union imports the row by its own name for it.
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

    /// Counts the rows, so that all of them are produced, and filters out all: a count is never
    /// negative.
    fn nothing(&mut self, name: &Name) {
        self.out.push_str("\nWITH count(*) AS ");
        self.name(name);
        self.out.push_str(" WHERE ");
        self.name(name);
        self.out.push_str(" < 0 RETURN ");
        self.name(name);
    }
}
