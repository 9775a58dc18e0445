//! A statement's text and types, and the values given to it.

use std::hash::{Hash, Hasher};

use postgres_protocol::Oid;
use rustc_hash::FxHasher;

/// A statement that connections prepare when they first execute it. Kept in an `Arc` by who made
/// it; connections find what they have prepared by the text and the types.
#[derive(Debug)]
pub struct Statement {
    text: Box<str>,
    parameter_types: Box<[Oid]>,
    /// Computed once, because each execution looks its statement up and texts are long.
    hash: u64,
}

/// A parameter's value, in PostgreSQL's text format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter<'a> {
    Null,
    Text(&'a [u8]),
}

impl Statement {
    /// Type 0, or a type that is not given, is inferred by PostgreSQL.
    pub fn new(text: impl Into<Box<str>>, parameter_types: impl Into<Box<[Oid]>>) -> Statement {
        let text = text.into();
        let parameter_types = parameter_types.into();
        let mut hasher = FxHasher::default();
        text.hash(&mut hasher);
        parameter_types.hash(&mut hasher);
        Statement { text, parameter_types, hash: hasher.finish() }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn parameter_types(&self) -> &[Oid] {
        &self.parameter_types
    }
}

/// Texts decide, never hashes alone.
impl PartialEq for Statement {
    fn eq(&self, other: &Statement) -> bool {
        std::ptr::eq(self, other)
            || (self.hash == other.hash
                && self.text == other.text
                && self.parameter_types == other.parameter_types)
    }
}

impl Eq for Statement {}

impl Hash for Statement {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}
