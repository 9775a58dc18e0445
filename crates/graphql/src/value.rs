//! Values in documents: with variables ([`Value`]) and without ([`Const`]).

use crate::heap_size;
use crate::ids::{EnumValueId, InputId};

/// A value without variables: the default of an input.
#[derive(Clone, Debug, PartialEq)]
pub enum Const {
    Null,
    Boolean(bool),
    Int(i64),
    Float(f64),
    String(Box<str>),
    Enum(Box<str>),
    List(Vec<Const>),
    Object(Vec<(Box<str>, Const)>),
}

/// An argument's value in a validated operation: names of input fields and enum values are resolved
/// to ids.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Variable(Slot),
    Null,
    Boolean(bool),
    Int(i64),
    /// An integer literal beyond 64 bits, or a number with a fraction, as written.
    Number(Box<str>),
    String(Box<str>),
    Enum(EnumValueId),
    List(Vec<Value>),
    Object(Vec<(InputId, Value)>),
    /// The value of a custom scalar that is not a plain literal, as JSON text.
    Json(Box<str>),
    /// An object as the value of a custom scalar, or within it, with a variable somewhere. A list
    /// with one is a [`Value::List`].
    Members(Vec<(Box<str>, Value)>),
}

/// The index of a variable among the operation's variable definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u16);

heap_size!(plain Slot);

heap_size!(
    enum Const {
        Null,
        Boolean(value),
        Int(number),
        Float(number),
        String(text),
        Enum(name),
        List(items),
        Object(members),
    }
);
heap_size!(
    enum Value {
        Variable(slot),
        Null,
        Boolean(value),
        Int(number),
        Number(digits),
        String(text),
        Enum(value),
        List(items),
        Object(members),
        Json(text),
        Members(members),
    }
);
