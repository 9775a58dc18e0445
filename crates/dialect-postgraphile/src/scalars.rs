//! Scalars: the GraphQL type of each type without parts, and the conversion of its values.

use catalog::Scalar;
use ir::{JsonTexts, ValueForm};
use response::{Figure, JsonForm, Leaf};

use super::{Options, Version};
use api::epoch;

/// Names of types that no table and no type of the database can have: those of every API.
pub(super) const RESERVED_TYPES: &[&str] =
    &["Query", "Mutation", "PageInfo", "Cursor", "Int", "Float", "String", "Boolean", "ID"];

/// Types that an API has if it contains values of them: without such values a table or a type of
/// the database may have the name. PostGraphile permits most of these names to domains only, and
/// does not start otherwise.
const TYPES_OF_VALUES: &[&str] = &[
    "BigInt",
    "BigFloat",
    "BitString",
    "UUID",
    "JSON",
    "Date",
    "Time",
    "Datetime",
    "Interval",
    "IntervalInput",
    "Point",
    "PointInput",
    "InternetAddress",
    "KeyValueHash",
    "RegProc",
    "RegProcedure",
    "RegOper",
    "RegOperator",
    "RegClass",
    "RegType",
    "RegRole",
    "RegNamespace",
    "RegConfig",
    "RegDictionary",
    "CidrAddress",
    "MacAddress",
    "MacAddress8",
    "XML",
    UPLOAD,
];

/// The input type of binary columns with the option `upload_scalar`, by the name that clients of file
/// uploads declare for their variables.
pub(super) const UPLOAD: &str = "Upload";

/// True if the type is made with its first value.
pub(super) fn is_type_of_values(name: &str) -> bool {
    TYPES_OF_VALUES.contains(&name)
}

/// The interface of rows with global ids, unless an option disables them.
pub(super) const NODE: &str = "Node";

/// The type of the events of `listen`.
pub(super) const LISTEN_PAYLOAD: &str = "ListenPayload";

/// A scalar's GraphQL type with the conversions of its values.
#[derive(Clone, Debug)]
pub(super) struct ScalarType {
    pub(super) name: &'static str,
    pub(super) leaf: Leaf,
    /// Within node ids and cursors: as the database converts it to JSON.
    pub(super) json: Leaf,
}

/// The GraphQL type of a scalar of the source.
#[derive(Clone, Debug)]
pub(super) enum ScalarForm {
    Leaf(ScalarType),
    /// An object of `seconds`, `minutes` and so on.
    Interval,
    /// An object of `x` and `y`.
    Point,
    /// An object of points.
    Figure(Figure),
}

/// The GraphQL type of a scalar of the source.
pub(super) fn scalar_form(scalar: &Scalar, json: JsonForm, options: &Options) -> ScalarForm {
    let same = |name, leaf: Leaf| ScalarForm::Leaf(ScalarType { name, json: leaf.clone(), leaf });
    let number = |name, leaf| ScalarForm::Leaf(ScalarType { name, leaf, json: Leaf::KeyNumber });
    match scalar {
        Scalar::Boolean => same("Boolean", Leaf::Boolean),
        Scalar::Int16 | Scalar::Int32 => same("Int", Leaf::Int),
        Scalar::Int64 => number("BigInt", Leaf::BigInt),
        Scalar::Float32 | Scalar::Float64 => number("Float", Leaf::Float),
        Scalar::Decimal { scale, .. } => number("BigFloat", Leaf::Decimal { scale: *scale }),
        // Output as a number, kept in cursors as the database prints it.
        Scalar::Money => {
            let (name, leaf) = ("Float", Leaf::Float);
            ScalarForm::Leaf(ScalarType { name, leaf, json: Leaf::Text })
        }
        Scalar::Xml if options.version == Version::Five => same("XML", Leaf::Text),
        Scalar::ObjectId => number("BigFloat", Leaf::Decimal { scale: Some(0) }),
        Scalar::Text | Scalar::Character { .. } | Scalar::CaseInsensitiveText | Scalar::Xml => {
            same("String", Leaf::Text)
        }
        Scalar::Cidr if options.network_scalars => same("CidrAddress", Leaf::Text),
        Scalar::MacAddress if options.network_scalars => same("MacAddress", Leaf::Text),
        Scalar::MacAddress8 if options.network_scalars => same("MacAddress8", Leaf::Text),
        Scalar::Cidr | Scalar::MacAddress | Scalar::MacAddress8 => same("String", Leaf::Text),
        Scalar::Uuid => same("UUID", Leaf::Uuid),
        Scalar::Json | Scalar::Jsonb => ScalarForm::Leaf(ScalarType {
            name: "JSON",
            leaf: Leaf::Json(json),
            // As text: within a cursor, a JSON string would be ambiguous.
            json: Leaf::Any,
        }),
        Scalar::Date => same("Date", Leaf::Date),
        Scalar::Time => same("Time", Leaf::Time),
        Scalar::TimeWithZone => same("Time", Leaf::TimeWithZone),
        Scalar::Timestamp => same("Datetime", Leaf::Timestamp),
        Scalar::TimestampWithZone => same("Datetime", Leaf::TimestampWithZone),
        Scalar::Epoch(unit) => same("Datetime", Leaf::Epoch(epoch(*unit))),
        Scalar::Bytes => same("String", Leaf::Bytes),
        Scalar::Inet => same("InternetAddress", Leaf::Text),
        Scalar::Bit => same("BitString", Leaf::Text),
        Scalar::KeyValue => ScalarForm::Leaf(ScalarType {
            name: "KeyValueHash",
            leaf: Leaf::KeyValue,
            json: Leaf::Any,
        }),
        Scalar::Other(name) => match figure(name) {
            Some(figure) if options.geometric_types => ScalarForm::Figure(figure),
            _ => same(object_identifier(name).unwrap_or("String"), Leaf::Any),
        },
        Scalar::Interval => ScalarForm::Interval,
        Scalar::Point => ScalarForm::Point,
        Scalar::GeographicPoint | Scalar::CartesianPoint | Scalar::Spatial(_) => {
            same("String", Leaf::Any)
        }
    }
}

/// PostgreSQL's names of geometric types.
/// <https://www.postgresql.org/docs/current/datatype-geometric.html>
fn figure(name: &str) -> Option<Figure> {
    Some(match name {
        "line" => Figure::Line,
        "lseg" => Figure::Segment,
        "box" => Figure::Box,
        "path" => Figure::Path,
        "polygon" => Figure::Polygon,
        "circle" => Figure::Circle,
        _ => return None,
    })
}

/// PostgreSQL's names for objects of the database itself.
/// <https://www.postgresql.org/docs/current/datatype-oid.html>
pub(super) fn object_identifier(name: &str) -> Option<&'static str> {
    Some(match name {
        "regproc" => "RegProc",
        "regprocedure" => "RegProcedure",
        "regoper" => "RegOper",
        "regoperator" => "RegOperator",
        "regclass" => "RegClass",
        "regtype" => "RegType",
        "regrole" => "RegRole",
        "regnamespace" => "RegNamespace",
        "regconfig" => "RegConfig",
        "regdictionary" => "RegDictionary",
        _ => return None,
    })
}

/// True if it is one of PostgreSQL's names for objects of the database itself.
pub(super) fn is_object_identifier(scalar: &Scalar) -> bool {
    matches!(scalar, Scalar::Other(name) if object_identifier(name).is_some())
}

/// True if rows can be ordered by it.
pub(super) fn is_ordered(scalar: &Scalar) -> bool {
    match scalar {
        Scalar::Json
        | Scalar::Xml
        | Scalar::Point
        | Scalar::GeographicPoint
        | Scalar::CartesianPoint => false,
        Scalar::Other(name) => !matches!(
            &**name,
            "line"
                | "lseg"
                | "box"
                | "path"
                | "polygon"
                | "circle"
                | "xid"
                | "cid"
                | "aclitem"
                | "refcursor"
                | "pg_node_tree"
                | "pg_snapshot"
                | "txid_snapshot"
        ),
        Scalar::Boolean
        | Scalar::Int16
        | Scalar::Int32
        | Scalar::Int64
        | Scalar::Float32
        | Scalar::Float64
        | Scalar::Decimal { .. }
        | Scalar::Money
        | Scalar::Text
        | Scalar::Character { .. }
        | Scalar::CaseInsensitiveText
        | Scalar::Uuid
        | Scalar::Jsonb
        | Scalar::Date
        | Scalar::Time
        | Scalar::TimeWithZone
        | Scalar::Timestamp
        | Scalar::TimestampWithZone
        | Scalar::Epoch(_)
        | Scalar::Interval
        | Scalar::Bytes
        | Scalar::Inet
        | Scalar::Cidr
        | Scalar::MacAddress
        | Scalar::MacAddress8
        | Scalar::Bit
        | Scalar::Spatial(_)
        | Scalar::KeyValue
        | Scalar::ObjectId => true,
    }
}

/// True if values can be compared for equality. PostGraphile compares all of them, and the database
/// returns an error for the others.
pub(super) fn has_equality(scalar: &Scalar, json_equality: bool) -> bool {
    match scalar {
        Scalar::Json
        | Scalar::Xml
        | Scalar::Point
        | Scalar::GeographicPoint
        | Scalar::CartesianPoint => false,
        Scalar::Jsonb => json_equality,
        Scalar::Other(name) => {
            !matches!(&**name, "polygon" | "refcursor" | "pg_node_tree" | "pg_snapshot")
        }
        Scalar::Boolean
        | Scalar::Int16
        | Scalar::Int32
        | Scalar::Int64
        | Scalar::Float32
        | Scalar::Float64
        | Scalar::Decimal { .. }
        | Scalar::Money
        | Scalar::Text
        | Scalar::Character { .. }
        | Scalar::CaseInsensitiveText
        | Scalar::Uuid
        | Scalar::Date
        | Scalar::Time
        | Scalar::TimeWithZone
        | Scalar::Timestamp
        | Scalar::TimestampWithZone
        | Scalar::Epoch(_)
        | Scalar::Interval
        | Scalar::Spatial(_)
        | Scalar::KeyValue
        | Scalar::Bytes
        | Scalar::Inet
        | Scalar::Cidr
        | Scalar::MacAddress
        | Scalar::MacAddress8
        | Scalar::Bit
        | Scalar::ObjectId => true,
    }
}

/// PostgreSQL's names of the types that it cannot compare or sort.
pub(super) fn database_name(scalar: &Scalar) -> &str {
    match scalar {
        Scalar::Json => "json",
        Scalar::Jsonb => "jsonb",
        Scalar::Xml => "xml",
        Scalar::Point => "point",
        Scalar::Spatial(r#type) => r#type.kind.name(),
        Scalar::Other(name) => name,
        _ => "",
    }
}

/// The conversion of a scalar's input values, if they are not plain.
pub(super) fn form(name: &str, json: JsonForm) -> Option<ValueForm> {
    Some(match name {
        "JSON" => ValueForm::Json(match json {
            JsonForm::Text => JsonTexts::Documents,
            JsonForm::Embedded => JsonTexts::Strings,
        }),
        "KeyValueHash" => ValueForm::KeyValue,
        _ => return None,
    })
}

/// PostGraphile's descriptions of its own scalars.
pub(super) fn description(name: &str, json: JsonForm, version: Version) -> Option<&'static str> {
    let of_five = match version {
        Version::Four => None,
        Version::Five => description_of_five(name, json),
    };
    of_five.or_else(|| description_of_four(name, json))
}

/// Descriptions that version 5 has changed.
fn description_of_five(name: &str, json: JsonForm) -> Option<&'static str> {
    Some(match name {
        "JSON" if json == JsonForm::Embedded => {
            "Represents JSON values as specified by \
             [ECMA-404](http://www.ecma-international.org/publications/files/ECMA-ST/ECMA-404.pdf)."
        }
        "Date" => "A calendar date in YYYY-MM-DD format.",
        "Datetime" => {
            "A point in time as described by the \
             [ISO\n8601](https://en.wikipedia.org/wiki/ISO_8601) and, if it has a timezone, \
             [RFC\n3339](https://datatracker.ietf.org/doc/html/rfc3339) standards. Input values\n\
             that do not conform to both ISO 8601 and RFC 3339 may be coerced, which may lead\nto \
             unexpected results."
        }
        "XML" => "An XML document",
        _ => return None,
    })
}

fn description_of_four(name: &str, json: JsonForm) -> Option<&'static str> {
    Some(match name {
        "BigInt" => {
            "A signed eight-byte integer. The upper big integer values are greater than the\nmax \
             value for a JavaScript number. Therefore all big integers will be output as\nstrings \
             and not numbers."
        }
        "BigFloat" => {
            "A floating point number that requires more precision than IEEE 754 binary 64"
        }
        "BitString" => "A string representing a series of binary bits",
        UPLOAD => {
            "The content of a file, which a request of the media type `multipart/form-data` has, or a \
             text of `bytea`."
        }
        "UUID" => {
            "A universally unique identifier as defined by \
             [RFC 4122](https://tools.ietf.org/html/rfc4122)."
        }
        "JSON" if json == JsonForm::Embedded => {
            "The `JSON` scalar type represents JSON values as specified by \
             [ECMA-404](http://www.ecma-international.org/publications/files/ECMA-ST/ECMA-404.pdf)."
        }
        "JSON" => {
            "A JavaScript object encoded in the JSON format as specified by \
             [ECMA-404](http://www.ecma-international.org/publications/files/ECMA-ST/ECMA-404.pdf)."
        }
        "Date" => "The day, does not include a time.",
        "Time" => {
            "The exact time of day, does not include the date. May or may not have a timezone \
             offset."
        }
        "Datetime" => {
            "A point in time as described by the \
             [ISO\n8601](https://en.wikipedia.org/wiki/ISO_8601) standard. May or may not include a \
             timezone."
        }
        "Cursor" => "A location in a connection that can be used for resuming pagination.",
        "InternetAddress" => "An IPv4 or IPv6 host address, and optionally its subnet.",
        "CidrAddress" => "An IPv4 or IPv6 CIDR address.",
        "MacAddress" => "A 6-byte MAC address.",
        "MacAddress8" => "An 8-byte MAC address.",
        "KeyValueHash" => {
            "A set of key/value pairs, keys are strings, values may be a string or null. Exposed \
             as a JSON object."
        }
        "RegProc" => "A builtin object identifier type for a function name",
        "RegProcedure" => "A builtin object identifier type for a function with argument types",
        "RegOper" => "A builtin object identifier type for an operator",
        "RegOperator" => "A builtin object identifier type for an operator with argument types",
        "RegClass" => "A builtin object identifier type for a relation name",
        "RegType" => "A builtin object identifier type for a data type name",
        "RegRole" => "A builtin object identifier type for a role name",
        "RegNamespace" => "A builtin object identifier type for a namespace name",
        "RegConfig" => "A builtin object identifier type for a text search configuration",
        "RegDictionary" => "A builtin object identifier type for a text search dictionary",
        _ => return None,
    })
}
