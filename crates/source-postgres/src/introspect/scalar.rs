//! Types without parts. <https://www.postgresql.org/docs/current/datatype.html>

use catalog::{Scalar, SpatialKind, SpatialType};
use tokio_postgres::types::Type as Known;

use super::rows::{Form, TypeRow};

/// The representation of a type without parts.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Mapping {
    Scalar(Scalar),
    /// As its text.
    Text,
    /// Only its text is known.
    Unmapped,
}

pub(super) fn map(row: &TypeRow, modifier: i32) -> Mapping {
    match Known::from_oid(row.oid) {
        Some(known) => map_known(&known, modifier),
        None => map_extension(row),
    }
}

fn map_known(known: &Known, modifier: i32) -> Mapping {
    Mapping::Scalar(match *known {
        Known::BOOL => Scalar::Boolean,
        Known::INT2 => Scalar::Int16,
        Known::INT4 => Scalar::Int32,
        Known::INT8 => Scalar::Int64,
        Known::FLOAT4 => Scalar::Float32,
        Known::FLOAT8 => Scalar::Float64,
        Known::NUMERIC => decimal(modifier),
        Known::MONEY => Scalar::Money,
        Known::TEXT | Known::VARCHAR | Known::NAME | Known::CHAR => Scalar::Text,
        // Without a length nothing is filled up.
        Known::BPCHAR => {
            character_length(modifier).map_or(Scalar::Text, |length| Scalar::Character { length })
        }
        Known::UUID => Scalar::Uuid,
        Known::JSON => Scalar::Json,
        Known::JSONB => Scalar::Jsonb,
        Known::XML => Scalar::Xml,
        Known::DATE => Scalar::Date,
        Known::TIME => Scalar::Time,
        Known::TIMETZ => Scalar::TimeWithZone,
        Known::TIMESTAMP => Scalar::Timestamp,
        Known::TIMESTAMPTZ => Scalar::TimestampWithZone,
        Known::INTERVAL => Scalar::Interval,
        Known::BYTEA => Scalar::Bytes,
        Known::INET => Scalar::Inet,
        Known::CIDR => Scalar::Cidr,
        Known::MACADDR => Scalar::MacAddress,
        Known::MACADDR8 => Scalar::MacAddress8,
        Known::BIT | Known::VARBIT => Scalar::Bit,
        Known::POINT => Scalar::Point,
        Known::OID => Scalar::ObjectId,
        Known::TS_VECTOR
        | Known::TSQUERY
        | Known::LINE
        | Known::LSEG
        | Known::BOX
        | Known::PATH
        | Known::POLYGON
        | Known::CIRCLE
        | Known::REGCLASS
        | Known::REGCOLLATION
        | Known::REGCONFIG
        | Known::REGDICTIONARY
        | Known::REGNAMESPACE
        | Known::REGOPER
        | Known::REGOPERATOR
        | Known::REGPROC
        | Known::REGPROCEDURE
        | Known::REGROLE
        | Known::REGTYPE => return Mapping::Text,
        _ => return Mapping::Unmapped,
    })
}

/// Whether the type is an object identifier: its values are compared as numbers, and a parameter
/// without a type would be read as one.
pub(super) fn is_object_identifier(row: &TypeRow) -> bool {
    matches!(
        Known::from_oid(row.oid),
        Some(
            Known::REGCLASS
                | Known::REGCOLLATION
                | Known::REGCONFIG
                | Known::REGDICTIONARY
                | Known::REGNAMESPACE
                | Known::REGOPER
                | Known::REGOPERATOR
                | Known::REGPROC
                | Known::REGPROCEDURE
                | Known::REGROLE
                | Known::REGTYPE
        )
    )
}

/// Types of extensions have no fixed oid, so they are known by the names of both.
fn map_extension(row: &TypeRow) -> Mapping {
    match (row.extension.as_deref(), row.name.as_str()) {
        (Some("citext"), "citext") => Mapping::Scalar(Scalar::CaseInsensitiveText),
        (Some("hstore"), "hstore") => Mapping::Scalar(Scalar::KeyValue),
        (Some("ltree"), "ltree") => Mapping::Text,
        (Some("postgis"), "geometry") => spatial(row, SpatialKind::Geometry),
        (Some("postgis"), "geography") => spatial(row, SpatialKind::Geography),
        // It was a part of PostGIS itself before version 3.
        (Some("postgis" | "postgis_raster"), "raster") => spatial(row, SpatialKind::Raster),
        _ => Mapping::Unmapped,
    }
}

/// Whether it is a type of PostGIS. Outside of the search path its operators are those of texts,
/// and a parameter without a type would be compared as it was written.
pub(super) fn is_spatial(row: &TypeRow) -> bool {
    matches!(map_extension(row), Mapping::Scalar(Scalar::Spatial(_)))
}

fn spatial(row: &TypeRow, kind: SpatialKind) -> Mapping {
    let namespace = row.namespace.as_str().into();
    Mapping::Scalar(Scalar::Spatial(SpatialType { kind, namespace }))
}

/// Whether values are equal for the database if and only if they print the same text. `row` is no
/// domain.
pub(super) fn identity_is_text(row: &TypeRow, modifier: i32, deterministic: bool) -> bool {
    if let Form::Enum { .. } = row.form {
        return true;
    }
    match Known::from_oid(row.oid) {
        Some(
            Known::INT2
            | Known::INT4
            | Known::INT8
            | Known::BOOL
            | Known::UUID
            | Known::DATE
            | Known::TIMESTAMP
            | Known::TIMESTAMPTZ
            | Known::BYTEA
            | Known::OID
            | Known::NAME,
        ) => true,
        Some(Known::TEXT | Known::VARCHAR) => deterministic,
        // Comparison ignores spaces at the end; a fixed length pads all values alike.
        Some(Known::BPCHAR) => deterministic && character_length(modifier).is_some(),
        // The zeros of numeric, the two zeros of floating point numbers, intervals of a day and
        // of 24 hours: equal, and of different text.
        _ => false,
    }
}

/// Most characters of a value's text, where the type has a small limit. `row` is no domain.
pub(super) fn most_characters(row: &TypeRow, modifier: i32) -> Option<u32> {
    if let Form::Enum { .. } = row.form {
        return Some(LONGEST_NAME);
    }
    match Known::from_oid(row.oid)? {
        Known::BOOL | Known::CHAR => Some(1),
        Known::INT2 | Known::INT4 | Known::OID => Some(11),
        Known::INT8 | Known::FLOAT4 | Known::FLOAT8 | Known::MONEY => Some(25),
        Known::DATE | Known::TIME | Known::TIMETZ | Known::MACADDR | Known::MACADDR8 => Some(23),
        Known::TIMESTAMP | Known::TIMESTAMPTZ | Known::UUID => Some(36),
        Known::INTERVAL | Known::INET | Known::CIDR | Known::NAME => Some(LONGEST_NAME),
        Known::VARCHAR | Known::BPCHAR => character_length(modifier),
        // A sign, a point and a zero before it. A negative scale counts as a thousand digits.
        Known::NUMERIC => {
            character_length(modifier).map(|packed| (packed >> 16) + (packed & 0x3ff) + 3)
        }
        _ => None,
    }
}

/// Most bytes of a name in the catalogs.
const LONGEST_NAME: u32 = 63;

/// The modifiers of text types count four bytes of a header, too.
const HEADER: i32 = 4;

fn character_length(modifier: i32) -> Option<u32> {
    u32::try_from(modifier.checked_sub(HEADER)?).ok()
}

/// The modifier holds the precision in its upper half and the scale in the lower eleven bits, as a
/// signed number since PostgreSQL 15: a negative one rounds to tens and has no fraction.
fn decimal(modifier: i32) -> Scalar {
    let Some(packed) = character_length(modifier) else {
        return Scalar::Decimal { precision: None, scale: None };
    };
    let magnitude = packed & 0x3ff;
    let negative = packed & 0x400 != 0;
    Scalar::Decimal {
        precision: Some((packed >> 16) & 0xffff),
        scale: Some(if negative { 0 } else { magnitude }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(known: &Known, modifier: i32, expected: &Mapping) {
        assert_eq!(map_known(known, modifier), *expected);
    }

    fn numeric(precision: u32, scale: u32) -> Mapping {
        Mapping::Scalar(Scalar::Decimal { precision: Some(precision), scale: Some(scale) })
    }

    #[test]
    fn precision_and_scale_of_numeric() {
        check(&Known::NUMERIC, ((10 << 16) | 2) + 4, &numeric(10, 2));
        check(&Known::NUMERIC, (1000 << 16) + 4, &numeric(1000, 0));
        check(&Known::NUMERIC, ((1000 << 16) | 1000) + 4, &numeric(1000, 1000));
    }

    #[test]
    fn negative_scale_has_no_fraction() {
        check(&Known::NUMERIC, ((3 << 16) | 0x7fe) + 4, &numeric(3, 0));
    }

    #[test]
    fn numeric_without_modifier_keeps_the_digits_of_the_value() {
        let free = Scalar::Decimal { precision: None, scale: None };
        check(&Known::NUMERIC, -1, &Mapping::Scalar(free));
    }

    #[test]
    fn characters_are_filled_up_only_to_a_length() {
        check(&Known::BPCHAR, 7, &Mapping::Scalar(Scalar::Character { length: 3 }));
        check(&Known::BPCHAR, -1, &Mapping::Scalar(Scalar::Text));
    }

    #[test]
    fn types_known_by_name_only() {
        check(&Known::REGCLASS, -1, &Mapping::Text);
        check(&Known::PG_LSN, -1, &Mapping::Unmapped);
    }

    #[test]
    fn the_length_of_a_value_is_known_where_its_type_says_it() {
        let check = |known: &Known, modifier, expected| {
            let row = TypeRow {
                oid: known.oid(),
                namespace: "pg_catalog".into(),
                name: known.name().into(),
                form: Form::Base,
                array: 0,
                has_default: false,
                extension: None,
                description: None,
            };
            assert_eq!(most_characters(&row, modifier), expected, "{known} {modifier}");
        };
        check(&Known::VARCHAR, 160 + 4, Some(160));
        check(&Known::BPCHAR, 3 + 4, Some(3));
        check(&Known::NUMERIC, ((10 << 16) | 2) + 4, Some(15));
        // `-9223372036854775808`, `-1.7976931348623157e+308`, `-92,233,720,368,547,758.08`
        check(&Known::INT8, -1, Some(25));
        check(&Known::UUID, -1, Some(36));
        for unbounded in [Known::VARCHAR, Known::TEXT, Known::NUMERIC, Known::JSONB, Known::BYTEA] {
            check(&unbounded, -1, None);
        }
    }
}
