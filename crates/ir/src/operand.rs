//! Operands: values and their origins, bound when the statements run.

use std::sync::Arc;

use crate::objects::ObjectKeys;
use crate::rows::OutputId;
use crate::step_id::StepId;
use crate::value_form::ValueForm;

/// A value that is known at the latest when the statements run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A part of a coerced variable. It is bound as a parameter, so statements do not depend on it.
    Variable {
        slot: Slot,
        path: Vec<PathItem>,
    },
    /// A literal of the document; a parameter all the same, so that clients that inline values
    /// share statements.
    Constant(Value),
    /// A list whose elements have different origins.
    List(Vec<Operand>),
    /// An object whose members have different origins. A member without a value is absent.
    Object(Vec<(Box<str>, Operand)>),
    /// A value that is converted by a form.
    Formed {
        operand: Box<Operand>,
        form: Arc<ValueForm>,
    },
    /// A claim of the session.
    Claim(Box<str>),
    /// All claims of the session as one object, which is empty for unauthenticated sessions.
    Claims,
    /// A value that an earlier step of the same transaction read, from its one row. If that step
    /// returned no row, or null, the transaction does nothing.
    Result {
        step: StepId,
        output: OutputId,
    },
    /// The values of an output in all rows that an earlier step of the same transaction read, as a
    /// list.
    Results {
        step: StepId,
        output: OutputId,
    },
    /// A list of keys of objects.
    Objects(Arc<ObjectKeys>),
    /// A password of the request, by its number among them. It is known before the statements run.
    Password {
        number: u16,
        part: PasswordPart,
    },
    /// The time of the transaction.
    Now,
    NewId(NewId),
    /// A part of an opaque text that the API issued: a node id, a cursor.
    Decoded {
        slot: Box<Operand>,
        codec: Codec,
        part: u16,
    },
    /// The sum of numbers.
    Sum(Vec<Operand>),
    /// A number with the opposite sign.
    Negated(Box<Operand>),
    /// The limit of a page, and `most` at most: the maximum is an access rule's. Without an operand,
    /// or if that is null, it is `most`.
    AtMost {
        operand: Option<Box<Operand>>,
        most: u64,
    },
    /// The number of rows after the first `offset` and before the row of a number, which counts
    /// from 1; `limit` at most.
    RowsBefore {
        row: Box<Operand>,
        offset: Option<Box<Operand>>,
        limit: Option<Box<Operand>>,
    },
    /// A list with one value for each federation representation that is found by one key of one
    /// type; the others are omitted. Statements depend neither on the length of the list nor on its
    /// elements.
    Representations(Representations),
    /// An external argument of the key that found the row, by its index in [`From::Keys`]: an
    /// argument of a call on that row.
    ///
    /// [`From::Keys`]: crate::From::Keys
    External(u16),
}

/// A part of what is known of a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PasswordPart {
    /// The password itself.
    Given,
    /// Of a new password its hash. Of one that is compared with the hash of one row that hash, or
    /// null if it does not match.
    Hash,
    /// Of a password that is compared with the hashes of several rows those which it matches, as a
    /// list.
    Hashes,
}

/// A selection of the representations of a list, and of their values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Representations {
    pub list: Box<Operand>,
    /// The represented type; representations of other types are omitted.
    pub of: Arc<Represented>,
    /// The index of the key among the type's keys.
    pub key: u16,
    pub part: RepresentedPart,
}

/// A value of a representation, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RepresentedPart {
    /// Of a field of the key.
    Key(u16),
    /// Of a further input. Null where the representation lacks it.
    Input(u16),
}

/// A type whose rows are found by federation representations: objects with the name of the type as
/// their `__typename`, and with the fields of a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Represented {
    pub typename: Box<str>,
    /// The number of its first key among the keys of all types.
    pub first: u16,
    /// A representation is found by the first key of which it has all fields.
    pub keys: Vec<RepresentedKey>,
    /// Values that the request needs of a representation beside its key.
    pub inputs: Vec<RepresentedInput>,
}

/// A field of another subgraph whose value a representation carries.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RepresentedInput {
    pub name: Box<str>,
    pub kind: RepresentedValue,
}

/// The path of field names to a value, from the object that has it.
pub type FieldPath = Box<[Box<str>]>;

/// A key by which rows are found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RepresentedKey {
    /// Types of the key's values, in the order of the key.
    pub kinds: Vec<RepresentedValue>,
    /// The paths by which the API exposes each field: by itself, or as a field of the row to which
    /// it refers.
    pub paths: Vec<Vec<FieldPath>>,
    /// The opaque id that holds the same values.
    pub id: Option<OpaqueKey>,
}

/// Accepted type of a value of a representation; values of other types are not sent to the source.
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
    /// A text of `0x` and hexadecimal digits, or of decimal ones, as a 64-bit integer.
    HexadecimalId,
    /// Any value at all.
    Json,
}

/// A field that is an opaque id: its prefix, and the values of a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpaqueKey {
    pub name: Box<str>,
    pub prefix: Box<str>,
    pub codec: Codec,
}

/// The index of a variable among the operation's variable definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u16);

/// One step from a variable to a part of its value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PathItem {
    Key(Box<str>),
    Index(usize),
}

/// A GraphQL value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Null,
    Boolean(bool),
    Integer(i64),
    /// A number as written, when it is no 64-bit integer.
    Number(Box<str>),
    /// Text; an enum value is its label in the source.
    Text(Box<str>),
    List(Vec<Value>),
    /// An object, by the API's names of its members.
    Object(Vec<(Box<str>, Value)>),
    /// A JSON text.
    Json(Box<str>),
}

/// Generators of ids for new rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NewId {
    Uuid,
    /// 25 characters that sort by creation time, the first a `c`.
    Cuid,
    Sequence,
}

/// Encodings of opaque texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Codec {
    /// A base64 text of a JSON array.
    Base64JsonArray,
    /// A base64 text of a JSON array whose last element is an array: parts are counted in that.
    Base64JsonArrayTail,
    /// A base64 text of a JSON object, whose members may be objects: parts are its other values, in the
    /// order of the names that lead to them.
    Base64JsonMembers,
    /// `arrayconnection:<offset>` in base64. Part 0 is the offset of the row after the cursor's.
    ArrayConnection,
    /// `type:field:value` in base64. Part 0 is the value, as a text whatever it is.
    GlobalId,
}
