//! A statement's text and types, and the values given to it.

use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use postgres_protocol::Oid;
use rustc_hash::FxHasher;
use sha2::{Digest, Sha256};

/// A statement that connections prepare when they first execute it. Its maker keeps it in an `Arc`;
/// connections look their prepared statements up by the text and the types.
#[derive(Debug)]
pub struct Statement {
    text: Box<str>,
    parameter_types: Box<[Oid]>,
    /// Computed once, because each execution looks its statement up and texts are long.
    hash: u64,
    /// Computed when it is first prepared.
    digest: OnceLock<Digest128>,
    result: ResultSignature,
    /// Whether connections forget it at once: its text is of one request.
    is_unnamed: bool,
}

/// The result that a statement has, as far as it is known: an answer of another form is not the
/// answer to this statement.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ResultSignature {
    /// The beginning of the command tag. Every tag begins with the default, the empty text.
    pub(super) tag: &'static str,
    pub(super) columns: Option<u16>,
    /// The row limit of the execution; 0 is none.
    pub(super) max_rows: i32,
}

/// The first 128 bits of a SHA-256, which is resistant to collisions.
pub(super) type Digest128 = [u8; 16];

/// A parameter's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter<'a> {
    Null,
    Text(&'a [u8]),
    /// In PostgreSQL's binary format, which is declared beside it.
    Binary(&'a [u8]),
}

impl Statement {
    /// Type 0, or a type that is not given, is inferred by PostgreSQL.
    pub fn new(text: impl Into<Box<str>>, parameter_types: impl Into<Box<[Oid]>>) -> Statement {
        let text = text.into();
        let parameter_types = parameter_types.into();
        let mut hasher = FxHasher::default();
        text.hash(&mut hasher);
        parameter_types.hash(&mut hasher);
        let (hash, digest) = (hasher.finish(), OnceLock::new());
        let result = ResultSignature { tag: sql::command_tag(&text), ..ResultSignature::default() };
        Statement { text, parameter_types, hash, digest, result, is_unnamed: false }
    }

    /// Declares the number of columns of its rows: rows of another width are refused.
    #[must_use]
    pub fn with_columns(mut self, columns: u16) -> Statement {
        self.result.columns = Some(columns);
        self
    }

    /// Marks a statement that no connection keeps.
    #[must_use]
    pub(crate) fn unnamed(mut self) -> Statement {
        self.is_unnamed = true;
        self
    }

    pub(super) fn is_unnamed(&self) -> bool {
        self.is_unnamed
    }

    /// The result of an execution with a row limit; 0 is none.
    pub(super) fn result(&self, max_rows: i32) -> ResultSignature {
        ResultSignature { max_rows, ..self.result }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn parameter_types(&self) -> &[Oid] {
        &self.parameter_types
    }

    /// The bytes that it takes behind an `Arc`.
    pub(crate) fn bytes(&self) -> usize {
        2 * size_of::<usize>()
            + size_of::<Self>()
            + self.text.len()
            + size_of_val(&*self.parameter_types)
    }

    /// A cryptographic hash of the text and the types, for the statement's names
    /// ([`super::prepared`]).
    pub(super) fn digest(&self) -> Digest128 {
        *self.digest.get_or_init(|| {
            let mut hasher = Sha256::new();
            hasher.update(self.parameter_types.len().to_be_bytes());
            for parameter_type in &self.parameter_types {
                hasher.update(parameter_type.to_be_bytes());
            }
            hasher.update(self.text.as_bytes());
            let mut digest = Digest128::default();
            for (byte, hashed) in digest.iter_mut().zip(hasher.finalize()) {
                *byte = hashed;
            }
            digest
        })
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
