//! Where a value comes from when the statements run.

use std::sync::Arc;

use crate::request::StepId;
use crate::rows::OutputId;
use crate::value_form::ValueForm;

/// A value that is known at the latest when the statements run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A part of a coerced variable; fills, so no statement depends on it.
    Variable {
        slot: Slot,
        path: Vec<PathItem>,
    },
    /// A value that stands in the document; a parameter all the same, so that clients that
    /// inline values share statements.
    Constant(Value),
    /// A list whose elements come from different places.
    List(Vec<Operand>),
    /// An object whose members come from different places. A member without a value is absent.
    Object(Vec<(Box<str>, Operand)>),
    /// A value that is read as this form says.
    Formed {
        operand: Box<Operand>,
        form: Arc<ValueForm>,
    },
    /// A claim of the session.
    Claim(Box<str>),
    /// All claims of the session as one object, which is empty where nobody is known.
    Claims,
    /// A value that an earlier step of the same transaction read, in its one row. Where that gave no
    /// row, or null, nothing of the transaction is done.
    Result {
        step: StepId,
        output: OutputId,
    },
    /// The time of the transaction.
    Now,
    NewId(NewId),
    /// A part of an opaque text that the API gave out: a node id, a cursor.
    Decoded {
        slot: Box<Operand>,
        codec: Codec,
        part: u16,
    },
    /// The sum of numbers.
    Sum(Vec<Operand>),
    /// How many rows there are after the first `offset` and before the row of a number, which
    /// counts from 1; `limit` at most.
    RowsBefore {
        row: Box<Operand>,
        offset: Option<Box<Operand>>,
        limit: Option<Box<Operand>>,
    },
    /// A list with one value for each federation representation that is found by one key of one
    /// type; the others are left out. Neither the length of the list nor what is in it steers.
    Representations(Representations),
    /// What was told beside the key that found the row, by its place in [`From::Keys`]: as an
    /// argument of a call of that row.
    ///
    /// [`From::Keys`]: crate::From::Keys
    Told(u16),
}

/// Which representations of a list, and which of their values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Representations {
    pub list: Box<Operand>,
    /// What they are representations of; those of another type are left out.
    pub of: Arc<Represented>,
    /// The key, by its place there.
    pub key: u16,
    pub part: RepresentedPart,
}

/// A value of a representation, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RepresentedPart {
    /// Of a field of its key.
    Key(u16),
    /// Of what else it has to say. Null where it does not.
    Input(u16),
}

/// A type of which rows are found by federation representations: objects with the name of the type
/// as their `__typename`, and with the fields of a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Represented {
    pub typename: Box<str>,
    /// The number of its first key among the keys of all types.
    pub first: u16,
    /// A representation is found by the first of them of which it has all fields.
    pub keys: Vec<RepresentedKey>,
    /// What else the request needs of a representation, beside its key.
    pub inputs: Vec<RepresentedInput>,
}

/// A field of another subgraph, whose value a representation tells.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RepresentedInput {
    pub name: Box<str>,
    pub kind: RepresentedValue,
}

/// The names that lead to a value, from the object that has it.
pub type FieldPath = Box<[Box<str>]>;

/// A key by which rows are found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RepresentedKey {
    /// What the values of its fields are, in the order of the key.
    pub kinds: Vec<RepresentedValue>,
    /// The ways in which the API says all of its fields: one by itself, or as a field of the row to
    /// which it refers.
    pub said: Vec<Vec<FieldPath>>,
    /// The opaque id that holds the same values.
    pub id: Option<OpaqueKey>,
}

/// What a value of a representation has to be: whatever else it is, the source is not asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RepresentedValue {
    /// A whole number of so many bits.
    Integer {
        bits: u8,
    },
    /// A floating-point number of so many bits.
    Float {
        bits: u8,
    },
    /// A number with all its digits.
    Decimal,
    Boolean,
    Text,
    Uuid,
    /// Any value at all.
    Json,
}

/// A field that is an opaque id: what it begins with, and the values of a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpaqueKey {
    pub name: Box<str>,
    pub prefix: Box<str>,
    pub codec: Codec,
}

/// The place of a variable among the operation's variable definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u16);

/// One step from a variable to a part of its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PathItem {
    Key(Box<str>),
    Index(usize),
}

/// A value as GraphQL has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Null,
    Boolean(bool),
    Integer(i64),
    /// A number as written, when it is no 64-bit integer.
    Number(Box<str>),
    /// Text; an enum value stands as the label that the source knows.
    Text(Box<str>),
    List(Vec<Value>),
    /// An object, by the names that the API gives to its members.
    Object(Vec<(Box<str>, Value)>),
    /// A JSON text.
    Json(Box<str>),
}

/// Ids made for new rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NewId {
    Uuid,
    /// 25 characters that sort by the time they were made, the first a `c`.
    Cuid,
    Sequence,
}

/// How an opaque text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Codec {
    /// A base64 text of a JSON array.
    Base64JsonArray,
    /// A base64 text of a JSON array whose last element is an array: parts are counted in that.
    Base64JsonArrayTail,
    /// `arrayconnection:<offset>` in base64. Part 0 is the offset of the row after the cursor's.
    ArrayConnection,
    /// `type:field:value` in base64. Part 0 is the value, as a text whatever it is.
    GlobalId,
}
