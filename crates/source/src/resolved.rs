//! Values of operands, ready to be encoded.

use std::borrow::Cow;

use ir::Unit;

/// A value ready to be encoded.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolved<'v> {
    Null,
    Boolean(bool),
    Integer(i64),
    /// A number as written.
    Number(Cow<'v, str>),
    Text(Cow<'v, str>),
    List(Vec<Resolved<'v>>),
    /// A JSON text.
    Json(Cow<'v, str>),
    Parts(Parts<'v>),
}

/// A value that is made of others.
#[derive(Clone, Debug, PartialEq)]
pub enum Parts<'v> {
    /// The attributes of a composite value.
    Composite(Vec<Resolved<'v>>),
    /// The bounds of a range; without one it has no end there.
    Range {
        start: Option<Bound<'v>>,
        end: Option<Bound<'v>>,
    },
    /// A sum of quantities of time.
    Interval(Vec<(Unit, Resolved<'v>)>),
    Point {
        x: Box<Resolved<'v>>,
        y: Box<Resolved<'v>>,
    },
    /// Points one after the other, and whether the way through them is open.
    Points {
        points: Vec<Resolved<'v>>,
        is_open: bool,
    },
    Circle {
        center: Box<Resolved<'v>>,
        radius: Box<Resolved<'v>>,
    },
    /// A list of boxes, which are not separated as the elements of other lists are.
    Boxes(Vec<Resolved<'v>>),
    /// Keys with texts or nulls.
    KeyValue(Vec<KeyValue<'v>>),
}

/// A key with its value.
pub type KeyValue<'v> = (Cow<'v, str>, Option<Cow<'v, str>>);

/// A bound of a range.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound<'v> {
    pub value: Box<Resolved<'v>>,
    pub inclusive: bool,
}
