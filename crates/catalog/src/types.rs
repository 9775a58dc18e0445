//! The types of values, named as the SQL standard and PostgreSQL name them.

use crate::ids::{CompositeId, DomainId, EntityId, EnumId, RangeId};

/// The type of a field, an attribute or a list's element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Scalar(Scalar),
    Enum(EnumId),
    Domain(DomainId),
    Composite(CompositeId),
    Range(RangeId),
    /// A row as the value of a field: one of the entity, whether or not that holds it.
    Row(EntityId),
    /// Elements may be null; nested dimensions are one list in PostgreSQL's types.
    List(Box<Type>),
}

/// A type without parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    Boolean,
    Int16,
    Int32,
    Int64,
    Float32,
    Float64,
    /// `scale`: exactly so many fraction digits; `None` keeps those of the value.
    Decimal {
        precision: Option<u32>,
        scale: Option<u32>,
    },
    Money,
    Text,
    /// Text of a fixed length, filled up with spaces.
    Character {
        length: u32,
    },
    /// Text that compares without regard to case.
    CaseInsensitiveText,
    Uuid,
    Json,
    /// JSON that can be compared.
    Jsonb,
    Xml,
    Date,
    Time,
    TimeWithZone,
    Timestamp,
    TimestampWithZone,
    /// A moment as a number.
    Epoch(EpochUnit),
    Interval,
    Bytes,
    Inet,
    Cidr,
    MacAddress,
    MacAddress8,
    /// A string of bits, of a fixed or a varying length.
    Bit,
    /// Two coordinates.
    Point,
    /// A place on the earth: longitude, latitude, and sometimes a height.
    GeographicPoint,
    /// A location by two or three coordinates; the value has their number.
    CartesianPoint,
    /// A value of PostGIS.
    Spatial(SpatialType),
    /// Keys with texts or nulls, as PostgreSQL's `hstore` has them.
    KeyValue,
    /// The number by which PostgreSQL names things of its own: `oid`.
    ObjectId,
    /// A type known by its name only; its values are text.
    Other(Box<str>),
}

/// A type of PostGIS, with the namespace that has its functions as well.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SpatialType {
    pub kind: SpatialKind,
    pub namespace: Box<str>,
}

/// The types of PostGIS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpatialKind {
    /// Shapes on a plane.
    Geometry,
    /// Shapes on the earth.
    Geography,
    /// Images with places.
    Raster,
}

impl SpatialKind {
    /// The name in PostgreSQL.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Geometry => "geometry",
            Self::Geography => "geography",
            Self::Raster => "raster",
        }
    }
}

/// Units of moments that are stored as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EpochUnit {
    /// Since 1970.
    Seconds,
    Milliseconds,
    Microseconds,
    /// Days since noon of the 24th of November of 4714 BC.
    JulianDay,
}

/// A closed set of labels, in their order.
#[derive(Clone, Debug)]
pub struct Enum {
    pub id: EnumId,
    pub namespace: Option<Box<str>>,
    pub name: Box<str>,
    pub labels: Vec<EnumLabel>,
    pub description: Option<Box<str>>,
}

/// One label of an enum.
#[derive(Clone, Debug)]
pub struct EnumLabel {
    pub label: Box<str>,
    pub description: Option<Box<str>>,
}

/// A type with attributes, not a table's row type.
#[derive(Clone, Debug)]
pub struct Composite {
    pub id: CompositeId,
    pub namespace: Option<Box<str>>,
    pub name: Box<str>,
    pub attributes: Vec<Attribute>,
    /// The entity whose fields are the attributes, in their order, if the source can take values
    /// apart.
    pub rows: Option<EntityId>,
    /// True if its values are decomposed: they are rows then, from which relationships lead.
    pub is_decomposed: bool,
    pub description: Option<Box<str>>,
}

/// One part of a composite.
#[derive(Clone, Debug)]
pub struct Attribute {
    pub name: Box<str>,
    pub r#type: Type,
    pub description: Option<Box<str>>,
}

/// A named restriction of `base`; its checks stay with the source.
#[derive(Clone, Debug)]
pub struct Domain {
    pub id: DomainId,
    pub namespace: Option<Box<str>>,
    pub name: Box<str>,
    pub base: Type,
    pub not_null: bool,
    pub description: Option<Box<str>>,
}

/// Intervals over `subtype`.
#[derive(Clone, Debug)]
pub struct Range {
    pub id: RangeId,
    pub namespace: Option<Box<str>>,
    pub name: Box<str>,
    pub subtype: Type,
}
