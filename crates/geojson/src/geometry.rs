//! Geometries, read from JSON.

use serde_json::{Map, Value};

/// A geometry with its system of coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    pub(crate) shape: Shape,
    /// The number of the system in PostGIS; 0 is an unknown one.
    pub(crate) system: u32,
}

/// The kinds of geometries.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Point(Position),
    MultiPoint(Vec<Position>),
    LineString(Vec<Position>),
    MultiLineString(Vec<Vec<Position>>),
    Polygon(Vec<Vec<Position>>),
    MultiPolygon(Vec<Vec<Vec<Position>>>),
    Collection(Vec<Shape>),
}

/// A position of two or three coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Position {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) z: Option<f64>,
}

/// A value is no geometry, or no raster. The texts are those of Hasura.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GeoJsonError {
    #[error("A Position needs at least 2 elements")]
    Position,
    #[error("A LineString needs at least 2 Positions")]
    LineString,
    #[error("A LinearRing needs at least 4 Positions")]
    LinearRing,
    #[error("the first and last locations have to be equal for a LinearRing")]
    OpenRing,
    #[error("unexpected geometry type: {0}")]
    UnexpectedType(Box<str>),
    #[error("key \"{0}\" not found")]
    Missing(&'static str),
    #[error("parsing {what} failed, expected {expected}, but encountered {found}")]
    WrongKind { what: &'static str, expected: &'static str, found: &'static str },
    #[error("parsing CRS failed, expected the tag \"name\" or \"link\"")]
    System,
    #[error("invalid hexadecimal representation of raster well known binary format")]
    Raster,
}

/// The system of geometries that name none, WGS 84.
const DEFAULT_SYSTEM: u32 = 4326;

/// PostGIS has no systems with larger numbers.
const LARGEST_SYSTEM: u32 = 999_999;

impl Geometry {
    /// Reads a geometry.
    ///
    /// # Errors
    ///
    /// Another value, or a geometry that is not complete.
    pub fn read(value: &Value) -> Result<Self, GeoJsonError> {
        let (shape, system) = shape(value)?;
        // Collections have no system of their own, as in Hasura.
        let system = match shape {
            Shape::Collection(_) => DEFAULT_SYSTEM,
            _ => system,
        };
        Ok(Self { shape, system })
    }
}

fn shape(value: &Value) -> Result<(Shape, u32), GeoJsonError> {
    let Value::Object(members) = value else { return Err(wrong("Geometry", "Object", value)) };
    let name = match require(members, "type")? {
        Value::String(name) => name,
        other => return Err(wrong("Text", "String", other)),
    };
    let coordinates = || require(members, "coordinates");
    let shape = match name.as_str() {
        "Point" => Shape::Point(position(coordinates()?)?),
        "MultiPoint" => Shape::MultiPoint(each("[]", coordinates()?, position)?),
        "LineString" => Shape::LineString(line(coordinates()?)?),
        "MultiLineString" => Shape::MultiLineString(each("[]", coordinates()?, line)?),
        "Polygon" => Shape::Polygon(each("[]", coordinates()?, ring)?),
        "MultiPolygon" => {
            let polygon = |value: &Value| each("[]", value, ring);
            Shape::MultiPolygon(each("[]", coordinates()?, polygon)?)
        }
        "GeometryCollection" => {
            let part = |value: &Value| Ok(self::shape(value)?.0);
            Shape::Collection(each("[]", require(members, "geometries")?, part)?)
        }
        other => return Err(GeoJsonError::UnexpectedType(other.into())),
    };
    Ok((shape, system(members.get("crs"))?))
}

/// The number of a system by its name: `EPSG:4326`, `urn:ogc:def:crs:EPSG::4326`. A link is not
/// followed, as in PostGIS.
fn system(value: Option<&Value>) -> Result<u32, GeoJsonError> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(DEFAULT_SYSTEM) };
    let Value::Object(members) = value else { return Err(wrong("CRS", "Object", value)) };
    let (kind, properties) = (require(members, "type")?, require(members, "properties")?);
    let Value::Object(properties) = properties else {
        return Err(wrong("CRS", "Object", properties));
    };
    match kind.as_str() {
        Some("link") => match require(properties, "href")? {
            Value::String(_) => Ok(DEFAULT_SYSTEM),
            other => Err(wrong("Text", "String", other)),
        },
        Some("name") => match require(properties, "name")? {
            Value::String(name) => {
                let number = name.rsplit_once(':').and_then(|(_, number)| number.parse().ok());
                Ok(number.filter(|number| *number <= LARGEST_SYSTEM).unwrap_or(0))
            }
            other => Err(wrong("Text", "String", other)),
        },
        _ => Err(GeoJsonError::System),
    }
}

fn position(value: &Value) -> Result<Position, GeoJsonError> {
    match each("Position", value, number)?.as_slice() {
        // What stands behind the height is ignored, as in Hasura.
        [x, y, rest @ ..] => Ok(Position { x: *x, y: *y, z: rest.first().copied() }),
        _ => Err(GeoJsonError::Position),
    }
}

fn line(value: &Value) -> Result<Vec<Position>, GeoJsonError> {
    let positions = each("LineString", value, position)?;
    match positions.len() {
        0 | 1 => Err(GeoJsonError::LineString),
        _ => Ok(positions),
    }
}

fn ring(value: &Value) -> Result<Vec<Position>, GeoJsonError> {
    let positions = each("LinearRing", value, position)?;
    match positions.as_slice() {
        [first, _, _, .., last] if first == last => Ok(positions),
        [_, _, _, _, ..] => Err(GeoJsonError::OpenRing),
        _ => Err(GeoJsonError::LinearRing),
    }
}

fn number(value: &Value) -> Result<f64, GeoJsonError> {
    value
        .as_f64()
        .filter(|number| number.is_finite())
        .ok_or_else(|| wrong("Double", "Number", value))
}

fn each<T>(
    what: &'static str,
    value: &Value,
    read: impl Fn(&Value) -> Result<T, GeoJsonError>,
) -> Result<Vec<T>, GeoJsonError> {
    match value {
        Value::Array(items) => items.iter().map(read).collect(),
        other => Err(wrong(what, "Array", other)),
    }
}

fn require<'v>(
    members: &'v Map<String, Value>,
    name: &'static str,
) -> Result<&'v Value, GeoJsonError> {
    members.get(name).ok_or(GeoJsonError::Missing(name))
}

fn wrong(what: &'static str, expected: &'static str, found: &Value) -> GeoJsonError {
    let found = match found {
        Value::Null => "Null",
        Value::Bool(_) => "Boolean",
        Value::Number(_) => "Number",
        Value::String(_) => "String",
        Value::Array(_) => "Array",
        Value::Object(_) => "Object",
    };
    GeoJsonError::WrongKind { what, expected, found }
}
