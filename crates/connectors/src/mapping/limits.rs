//! Limits of an evaluation.
//!
//! Methods can repeat what they are called on, `->echo([@, @])`, and walk lists within lists: a short
//! mapping could take any time and any memory.

use serde_json::Value;

/// How much an evaluation may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Evaluated expressions and visited values.
    pub steps: u64,
    /// Bytes of values that are made, about.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 20_000_000, bytes: 128 << 20 }
    }
}

/// The limit that an evaluation has exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Exceeded {
    #[error("the mapping takes more than {0} steps")]
    Steps(u64),
    #[error("the mapping makes more than {0} bytes")]
    Bytes(u64),
    #[error("the mapping makes a value of more than {MAX_DEPTH} levels")]
    Depth,
}

/// What is left of the limits.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    left: Limits,
}

/// How deep the lists and objects of a copied value may be: copying calls itself.
const MAX_DEPTH: usize = 256;

/// What a value takes beside its text.
const VALUE: u64 = 32;

impl Budget {
    pub(super) fn new(limits: &Limits) -> Self {
        Self { limits: *limits, left: *limits }
    }

    pub(super) fn step(&mut self) -> Result<(), Exceeded> {
        self.left.steps =
            self.left.steps.checked_sub(1).ok_or(Exceeded::Steps(self.limits.steps))?;
        Ok(())
    }

    /// Takes the bytes of a text, and of the value that has it.
    pub(super) fn text(&mut self, length: usize) -> Result<(), Exceeded> {
        let bytes = VALUE + u64::try_from(length).unwrap_or(u64::MAX);
        self.left.bytes =
            self.left.bytes.checked_sub(bytes).ok_or(Exceeded::Bytes(self.limits.bytes))?;
        Ok(())
    }

    /// Copies a value.
    pub(super) fn copy(&mut self, value: &Value) -> Result<Value, Exceeded> {
        self.visit(value)?;
        Ok(value.clone())
    }

    /// Takes the bytes of a copy, before it is made.
    pub(super) fn visit(&mut self, value: &Value) -> Result<(), Exceeded> {
        self.visit_within(value, MAX_DEPTH)
    }

    fn visit_within(&mut self, value: &Value, depth: usize) -> Result<(), Exceeded> {
        let deeper = || depth.checked_sub(1).ok_or(Exceeded::Depth);
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => self.text(0),
            Value::String(text) => self.text(text.len()),
            Value::Array(items) => {
                let depth = deeper()?;
                self.text(0)?;
                items.iter().try_for_each(|item| self.visit_within(item, depth))
            }
            Value::Object(members) => {
                let depth = deeper()?;
                self.text(0)?;
                members.iter().try_for_each(|(name, value)| {
                    self.text(name.len())?;
                    self.visit_within(value, depth)
                })
            }
        }
    }
}
