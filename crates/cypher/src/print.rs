//! Tree → text.
//!
//! Names are always quoted, with the quotes inside them doubled; there is no other way to get a
//! name into a statement, and no way at all for a value. Parentheses stand where the tree needs
//! them and nowhere else.

use std::fmt::{self, Write as _};

use crate::flavor::Flavor;
use crate::tree::{Name, Parameter, Query, Variable};

pub use schema::print_schema;

mod clause;
mod expression;
mod pattern;
mod schema;
#[cfg(test)]
mod tests;

/// Prints a statement.
#[must_use]
pub fn print(query: &Query, flavor: &Flavor) -> String {
    let mut printer = Printer::new(flavor);
    // Writing to a string cannot fail.
    let _ = printer.query(query, &[]);
    printer.out
}

struct Printer<'f> {
    out: String,
    flavor: &'f Flavor,
}

impl<'f> Printer<'f> {
    fn new(flavor: &'f Flavor) -> Self {
        let mut out = String::with_capacity(256);
        if flavor.says_version {
            out.push_str("CYPHER 5 ");
        }
        Self { out, flavor }
    }

    /// The server replaces what it takes for escapes of Unicode before it reads anything else, in
    /// names too, so that a backslash is written as such an escape.
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
        match variable {
            Variable::Element(number) => write!(self.out, "t{number}"),
            Variable::Column(number) => write!(self.out, "c{number}"),
            Variable::Item(number) => write!(self.out, "x{number}"),
        }
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
