//! Where a value comes from when the statements run.

use crate::rows::OutputId;
use crate::request::StepId;

/// A value that is known at the latest when the statements run.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A part of a coerced variable; fills, so no statement depends on it.
    Variable { slot: Slot, path: Vec<PathItem> },
    /// A value that stands in the document; a parameter all the same, so that clients that
    /// inline values share statements.
    Constant(Value),
    /// A claim of the session.
    Claim(Box<str>),
    /// A value that an earlier step of the same request gave.
    Result { step: StepId, output: OutputId },
    /// The time of the transaction.
    Now,
    NewId(NewId),
    /// A part of an opaque text that the API gave out: a node id, a cursor.
    Decoded { slot: Box<Operand>, codec: Codec, part: u16 },
}

/// The place of a variable among the operation's variable definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u16);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PathItem {
    Key(Box<str>),
    Index(usize),
}

/// A value as GraphQL has it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Boolean(bool),
    Integer(i64),
    /// A number as written, when it is no 64-bit integer.
    Number(Box<str>),
    /// Text; an enum value stands as the label that the source knows.
    Text(Box<str>),
    List(Vec<Value>),
    /// A JSON text.
    Json(Box<str>),
}

/// Ids made for new rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewId {
    Uuid,
    Sequence,
}

/// How an opaque text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// A base64 text of a JSON array.
    Base64JsonArray,
    /// `arrayconnection:<offset>` in base64.
    ArrayConnection,
}
