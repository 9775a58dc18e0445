//! Tree → text.
//!
//! Names are always quoted, with inner quotes doubled; there is no other way to get a name into a
//! statement, and no way at all for a value. Parentheses are printed only where the tree needs
//! them.

use std::fmt::{self, Write as _};

use crate::flavor::Flavor;
use crate::tree::{Name, Parameter, Query, Variable};

pub use schema::print_schema;

mod clause;
mod expression;
mod pattern;
mod schema;
mod statement;
#[cfg(test)]
mod tests;

/// Prints a statement.
#[must_use]
pub fn print(query: &Query, flavor: &Flavor) -> String {
    let mut mark = String::new();
    loop {
        let mut printer = Printer { mark: &mark, ..Printer::new(flavor) };
        // Writing to a string cannot fail.
        let _ = printer.query(query, &[]);
        let Printer { out, is_mistakable, .. } = printer;
        // No text contains a mark that is longer than itself.
        if !is_mistakable {
            return out;
        }
        mark.push('_');
    }
}

struct Printer<'f> {
    out: String,
    flavor: &'f Flavor,
    /// The prefix of variables' names before their numbers.
    mark: &'f str,
    /// True if an author's statement contains a name that a variable could have: the server
    /// confuses the two where a subquery is an expression.
    is_mistakable: bool,
}

impl<'f> Printer<'f> {
    fn new(flavor: &'f Flavor) -> Self {
        let mut out = String::with_capacity(256);
        if flavor.says_version {
            out.push_str("CYPHER 5 ");
        }
        Self { out, flavor, mark: "", is_mistakable: false }
    }

    /// The server replaces escapes of Unicode before it parses anything else, in names too, so that
    /// a backslash is written as such an escape.
    fn name(&mut self, name: &Name) {
        self.out.push('`');
        for character in name.0.chars() {
            match character {
                '`' => self.out.push_str("``"),
                '\\' => self.out.push_str("\\u005C"),
                _ => self.out.push(character),
            }
        }
        self.out.push('`');
    }

    fn variable(&mut self, variable: Variable) -> fmt::Result {
        let (letter, number) = match variable {
            Variable::Element(number) => ('t', number),
            Variable::Column(number) => ('c', number),
            Variable::Item(number) => ('x', number),
        };
        write!(self.out, "{letter}{}{number}", self.mark)
    }

    fn variables(&mut self, variables: &[Variable]) -> fmt::Result {
        for (index, variable) in variables.iter().enumerate() {
            self.comma(index);
            self.variable(*variable)?;
        }
        Ok(())
    }

    fn parameter(&mut self, parameter: Parameter) -> fmt::Result {
        write!(self.out, "$p{}", parameter.0)
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.out.push_str(", ");
        }
    }
}
