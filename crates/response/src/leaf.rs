//! Conversion of one value to JSON: a [`Leaf`] for each pair of a source's type and a dialect's
//! scalar.
//!
//! The same leaf reads PostgreSQL's text form and SQLite's values, so that the same data gives the
//! same bytes on both. PostgreSQL's texts are those of DateStyle ISO, IntervalStyle postgres,
//! bytea_output hex and extra_float_digits 1; `money` has no form that is independent of the locale
//! and comes as `numeric`.
//!
//! * `write`: dispatch from leaves to modules
//! * `number`, `decimal`, `shortest`: numbers; `boolean`
//! * `text`: texts, enums and values of unknown types; `uuid`, `bytes`
//! * `datetime`: dates, times of day, timestamps; `offset`
//! * `json`, `key_value`
//! * `array`, `composite`, `range`, `interval`, `point`, `figure`: values that have parts;
//!   `member`, `quoted`; `sealed`
//! * `graph`: values of a graph
//! * `error`: texts of values in errors

mod array;
mod boolean;
mod bytes;
#[cfg(test)]
mod check;
mod composite;
mod datetime;
mod decimal;
mod epoch;
mod error;
mod figure;
mod geometry;
mod graph;
mod interval;
mod json;
mod json_part;
mod key_value;
mod member;
mod milliseconds;
mod number;
mod offset;
mod point;
mod quoted;
mod range;
mod sealed;
mod shortest;
mod text;
mod uuid;
mod write;

use std::sync::Arc;

pub use epoch::Epoch;
pub use graph::GraphLeaf;
pub use sealed::{Seal, Sealed};

/// The conversion of a value to JSON.
#[derive(Clone, Debug, PartialEq)]
pub enum Leaf {
    /// A JSON number; beyond 32 bits it is an error.
    Int,
    /// A 64-bit integer as a string.
    BigInt,
    /// A 64-bit integer as a JSON number.
    LongNumber,
    /// A positive 64-bit integer as a string of `0x` and hexadecimal digits.
    HexadecimalId,
    /// A JSON number in the shortest exact form, as JavaScript prints it; not finite is an error.
    Float,
    /// A decimal as a string, exact; with `scale`, exactly so many fraction digits, rounded half
    /// away from zero. `NaN` and `Infinity` are strings too.
    Decimal {
        scale: Option<u32>,
    },
    /// A decimal as a JSON number, exact; not finite is an error.
    Number {
        scale: Option<u32>,
    },
    /// A decimal as a string without trailing zeros of a fraction. `NaN` and `Infinity` are strings
    /// too.
    Digits,
    /// A number with the digits of a double, as JavaScript prints it, as a string. `NaN` and
    /// `Infinity` are strings too.
    FloatText,
    /// A number inside a node id or a cursor: as JSON without trailing zeros of a fraction; one
    /// that is not finite as a string.
    KeyNumber,
    /// An integer inside a node id: a number where JavaScript represents it exactly, else a string.
    KeyInteger,
    Boolean,
    /// A string; text that is not UTF-8 is an error.
    Text,
    /// Lower case, with hyphens; 16 bytes are accepted as well.
    Uuid,
    /// `\x` and hexadecimal digits.
    Bytes,
    Date,
    Time,
    TimeWithZone,
    Timestamp,
    TimestampWithZone,
    /// The same in UTC, with `Z`.
    UtcTimestamp,
    /// A moment in UTC with three digits of a second, and `Z`: without an offset it is one of UTC. It
    /// may be stored as a number.
    UtcMilliseconds(Option<Epoch>),
    /// A moment that is stored as a number, with the offset of UTC.
    Epoch(Epoch),
    /// A label by its name in the API.
    Enum(Arc<EnumNames>),
    Json(JsonForm),
    /// The part of a JSON value at the end of a path of keys and indexes, embedded; null if it has
    /// none.
    JsonPart(Arc<[Box<str>]>),
    /// hstore, as an object.
    KeyValue,
    /// Any value, as a string.
    Any,
    /// A graph's list, whose elements are never null; or an array's elements: multiple dimensions
    /// are flattened into one list, and a null element of a composite type is an object of nulls,
    /// as PostGraphile does. Elements are separated by commas: of the built-in types only `box` has
    /// another delimiter.
    List(Box<Leaf>),
    /// A composite type's value as an object of its selected attributes.
    Composite(Box<[Member]>),
    /// The same; a value with only null attributes is null.
    Row(Box<[Member]>),
    /// A composite type's value as a text that a [`Seal`] makes of it.
    Sealed(Box<Sealed>),
    /// A range as an object of its selected bounds; a missing bound is null, and both bounds of
    /// an empty range.
    Range(Box<[Member]>),
    /// A bound of a range as an object: only within [`Leaf::Range`].
    Bound(Box<[Member]>),
    Interval(Box<[Member]>),
    Point(Box<[Member]>),
    /// A figure in the plane as an object of its points.
    Figure(Figure, Box<[Member]>),
    /// A geometry in GeoJSON as an object of its coordinates, or a JSON list of such.
    Geometry(Box<[Member]>),
    /// A value of a graph.
    Graph(GraphLeaf),
    /// JSON text that is independent of the value: only within a [`Member`].
    Literal(Box<[u8]>),
}

/// The form of a JSON value in the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonForm {
    /// As a string that holds JSON, without needless white space and with the escapes of
    /// `JSON.stringify`. Details that JavaScript would lose stay: all significant digits of numbers
    /// (20 of them too), the order of members and their duplicates. JSON's null is null, not a
    /// string.
    Text,
    /// As the value itself, in the same form.
    Embedded,
}

/// A selected field of a value that has parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// `"name":`, escaped.
    pub key: Box<[u8]>,
    pub part: Part,
    pub leaf: Leaf,
    /// True if the field is nullable in the API.
    pub nullable: bool,
}

/// A part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// An attribute of a composite type, by its index.
    Attribute(u16),
    /// A bound of a range; its leaf is a [`Leaf::Bound`].
    Start,
    End,
    /// Of a bound; its leaf is that of the range's element type.
    Value,
    /// Of a bound; its leaf is ignored, it is a boolean.
    Inclusive,
    /// Of an interval; seconds have a fraction, the others are integers.
    Seconds,
    Minutes,
    Hours,
    Days,
    Months,
    Years,
    /// Of a point; floats.
    X,
    Y,
    /// Of a point of a graph that has three of them; a float.
    Z,
    /// Of a geographic point: other names of its coordinates.
    Longitude,
    Latitude,
    Height,
    /// Of a point of a graph: the name and the number of its coordinate reference system.
    Crs,
    Srid,
    /// Of a line, a segment or a box; its leaf is a [`Leaf::Point`].
    A,
    B,
    /// Of a path or a polygon; its leaf is a [`Leaf::List`] of points.
    Points,
    /// Of a geometry: the points of a ring, the rings of a polygon, the polygons of several; its
    /// leaf is a [`Leaf::List`] of geometries.
    Elements,
    /// Of a path; its leaf is ignored, it is a boolean.
    IsOpen,
    /// Of a circle; its leaf is a [`Leaf::Point`].
    Center,
    /// Of a circle; a float.
    Radius,
    /// `__typename`: its leaf is a [`Leaf::Literal`].
    Typename,
}

/// A geometric figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Figure {
    /// An infinite line. PostgreSQL stores it as an equation; its points are those on the axes.
    Line,
    Segment,
    Box,
    /// A sequence of points, open or closed.
    Path,
    Polygon,
    Circle,
}

/// The API's names of an enum's labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnumNames {
    /// Label and name, sorted by label.
    names: Vec<(Box<str>, Box<str>)>,
}

/// A stored value that the API's type cannot represent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{expected} cannot represent {problem}: {value}")]
pub struct LeafError {
    /// The scalar that the API promises.
    pub expected: &'static str,
    pub problem: &'static str,
    /// The value, shortened.
    pub value: Box<str>,
    /// The index of the failed element of a list. Then the list was written, with null in place of
    /// this element and of others that cannot be represented.
    pub element: Option<u64>,
    /// True if that element fails the whole list.
    pub fails_list: bool,
}

impl EnumNames {
    /// A map from labels to names.
    #[must_use]
    pub fn new(names: impl IntoIterator<Item = (Box<str>, Box<str>)>) -> Self {
        let mut names: Vec<_> = names.into_iter().collect();
        names.sort();
        Self { names }
    }

    /// The name of a label.
    #[must_use]
    pub fn name(&self, label: &[u8]) -> Option<&str> {
        let found = self.names.binary_search_by(|(known, _)| known.as_bytes().cmp(label)).ok()?;
        self.names.get(found).map(|(_, name)| &**name)
    }

    /// The label of a name.
    #[must_use]
    pub fn label(&self, name: &str) -> Option<&str> {
        self.names.iter().find(|(_, known)| &**known == name).map(|(label, _)| &**label)
    }
}
