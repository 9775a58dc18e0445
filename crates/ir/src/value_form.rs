//! Conversions from input values of the API to values of the source, for values that have parts or
//! other names there.
//!
//! A value with parts is a parameter: a statement depends neither on which of its parts a request
//! gives nor on the number of its elements. So the API's names of the parts are stored here, and
//! the binding reads the value by them.

use std::sync::Arc;

use catalog::SpatialKind;

/// The conversion of a value of an input type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ValueForm {
    /// Unchanged.
    Plain,
    /// A name of the API for a text of the source: pairs of both.
    Name(Vec<(Box<str>, Box<str>)>),
    /// A text of a moment: the same one in UTC and whole milliseconds.
    Moment,
    /// A text of a moment whose missing parts are added: the month, the day, the time, and UTC.
    PartialMoment,
    /// A 64-bit integer, or a text of its digits.
    Integer64,
    /// A text of `0x` and hexadecimal digits, or of decimal ones, as a 64-bit integer; null for any
    /// other text.
    HexadecimalId,
    /// A text as a value of this type: a session variable, whose values are texts.
    Text(TextValue),
    /// A text as a list of such values, as PostgreSQL writes arrays: `{1,2}`.
    TextArray(TextValue),
    /// A list of values of one form.
    List(Arc<ValueForm>),
    /// An object as a value of a composite type: the member for each attribute in their order.
    /// An attribute without a member, or whose member is not given, is null.
    Composite(Vec<Option<Member>>),
    /// An object of two bounds. One that is not given is infinite.
    Range { start: Member, end: Member },
    /// A bound of a range: only within [`ValueForm::Range`].
    Bound { value: Member, inclusive: Box<str> },
    /// An object of quantities, as a duration: their sum.
    Interval(Vec<(Box<str>, Unit)>),
    /// An object of two coordinates.
    Point { x: Box<str>, y: Box<str> },
    /// An object of two points, as the line through them or the segment between them.
    Line { a: Member, b: Member },
    /// An object of two points, as the box whose corners they are.
    Box { a: Member, b: Member },
    /// An object of points, as the path through them, closed unless `is_open` is true.
    Path { points: Member, is_open: Option<Box<str>> },
    /// An object of a point and a number. Without the number it is null.
    Circle { center: Member, radius: Box<str> },
    /// An object as a geometry on the earth, in GeoJSON.
    Geometry(GeometryForm),
    /// GeoJSON as a value of PostGIS, or the hexadecimal text of a raster. Other texts are
    /// unchanged.
    Spatial(SpatialKind),
    /// An object whose members are texts or nulls, as keys with their values.
    KeyValue,
    /// Any value, as JSON.
    Json(JsonTexts),
}

/// The meaning of a text as a value of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JsonTexts {
    /// A JSON string.
    Strings,
    /// JSON, which the source checks.
    Documents,
    /// JSON, which is checked before it is sent to a source that stores it as a text. Other values
    /// are objects and lists.
    CheckedDocuments,
}

/// The type of a value that a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextValue {
    Boolean,
    /// A 64-bit integer.
    Integer,
    /// A number with all its digits.
    Number,
    /// The text itself.
    Text,
    /// A text of JSON.
    Json,
}

/// A member of an object that a request gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// Its name in the API.
    pub name: Box<str>,
    pub form: Arc<ValueForm>,
}

/// The conversion of an object to a geometry in GeoJSON.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GeometryForm {
    /// An object of two coordinates in degrees.
    Point { longitude: Box<str>, latitude: Box<str> },
    /// An object of a list of rings, which are objects of a list of points.
    Polygon { rings: Box<str>, points: Box<str>, point: Arc<GeometryForm> },
    /// An object of a list of polygons.
    MultiPolygon { polygons: Box<str>, polygon: Arc<GeometryForm> },
    /// An object of a point and a distance in meters, as a point with a member `distance`.
    Near { distance: Box<str>, name: Box<str>, point: Arc<GeometryForm> },
    /// An object of which one member is given: its geometry.
    OneOf(Vec<(Box<str>, Arc<GeometryForm>)>),
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// With a fraction.
    Seconds,
    Minutes,
    Hours,
    Days,
    Months,
    Years,
}

impl Unit {
    /// Its name, in the plural.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Minutes => "minutes",
            Self::Hours => "hours",
            Self::Days => "days",
            Self::Months => "months",
            Self::Years => "years",
        }
    }
}
