//! Values of operands, ready to be encoded.

use std::borrow::Cow;

use ir::Unit;
use uploads::File;

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
    /// A file of the request, which only binary values are made of.
    File(&'v File),
}

impl Resolved<'_> {
    /// The first file within a value.
    #[must_use]
    pub fn first_file(&self) -> Option<&File> {
        match self {
            Self::File(file) => Some(file),
            Self::List(items) => items.iter().find_map(Self::first_file),
            Self::Parts(parts) => parts.first_file(),
            Self::Null
            | Self::Boolean(_)
            | Self::Integer(_)
            | Self::Number(_)
            | Self::Text(_)
            | Self::Json(_) => None,
        }
    }
}

impl Parts<'_> {
    fn first_file(&self) -> Option<&File> {
        match self {
            Self::Composite(values) | Self::Boxes(values) => {
                values.iter().find_map(Resolved::first_file)
            }
            Self::Points { points, .. } => points.iter().find_map(Resolved::first_file),
            Self::Range { start, end } => {
                [start, end].into_iter().flatten().find_map(|bound| bound.value.first_file())
            }
            Self::Interval(quantities) => {
                quantities.iter().find_map(|(_, quantity)| quantity.first_file())
            }
            Self::Point { x, y } => x.first_file().or_else(|| y.first_file()),
            Self::Circle { center, radius } => center.first_file().or_else(|| radius.first_file()),
            // Keys and values are texts.
            Self::KeyValue(_) => None,
        }
    }
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
