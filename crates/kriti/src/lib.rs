//! Templates of Hasura's language Kriti: JSON with paths, conditions, loops and functions.
//! <https://github.com/hasura/kriti-lang>
//!
//! The crate is pure. In the order of control flow:
//!
//! * [`Scope`]: the variables that a template may use
//! * `cursor`: characters of a template, with their places
//! * `parse`: a template as a `tree` of expressions, checked for unknown variables and functions;
//!   `text` are its strings
//! * [`function`]: the functions
//! * `evaluate`: the value of a tree, within limits
//! * `compare`: equality and order of JSON values
//!
//! Operators may be chained, as in `a && b && c`, and a call of a function may be an operand; the
//! original wants parentheses there. Unknown functions, and variables that are not in scope, are
//! errors when a template is read, not only when it is evaluated.

mod compare;
mod cursor;
mod evaluate;
pub mod function;
mod parse;
mod text;
mod tree;

pub use evaluate::{Environment, EvaluateError};
pub use parse::ParseError;
pub use tree::{Location, Template};

/// The names that a template may use.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// Variables, such as `$body`.
    pub variables: &'a [&'a str],
    /// True if the function `getSessionVariable` exists.
    pub has_session: bool,
}

/// The most bytes of a template's text.
pub const MOST_BYTES: usize = 256 << 10;

/// The deepest nesting of a template.
pub const MOST_DEPTH: usize = 64;

#[cfg(test)]
mod tests;
