//! What kind of value a parameter is: how it is checked and sent.

use std::borrow::Cow;

use catalog::{
    Catalog, CompositeId, EntityId, EpochUnit, FieldId, FunctionId, RangeId, Scalar, SpatialKind,
    TextIndexKind, Type,
};
use ir::{Case, GeoOperator, TextMatch};

use source::SourceError;

/// What a parameter stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterKind {
    /// A value compared with one of the rows.
    Value {
        against: Against,
        kind: ValueKind,
    },
    /// A value that is stored in a field: the field's own type says how, and nothing is compared.
    Stored {
        field: FieldId,
        kind: ValueKind,
    },
    /// A list of values that are stored in a field, one in each row.
    StoredArray {
        field: FieldId,
        kind: ValueKind,
    },
    /// A value that a write gave for a field: sent as it came.
    Returned {
        field: FieldId,
    },
    /// A list of values of which one of the rows equals one.
    List {
        against: Against,
        kind: ValueKind,
    },
    /// A value compared with the elements of a list.
    Element {
        against: Against,
    },
    /// A list of values compared with the elements of a list that is JSON.
    JsonElements,
    /// A value that a range may contain.
    RangeElement {
        range: RangeId,
    },
    /// A key that came from a row: sent as it came.
    Key {
        field: FieldId,
    },
    /// Keys that came from rows, as one array.
    KeyArray {
        field: FieldId,
    },
    /// Values of a key that are given, one for each row that is looked for.
    KeyList {
        field: FieldId,
        kind: ValueKind,
    },
    /// The same of all fields of a key, as one list of lists.
    KeyRows,
    /// Rows of an entity that came from rows, as one array.
    RowArray {
        entity: EntityId,
    },
    /// What a function takes, by its place among the function's arguments.
    Argument {
        function: FunctionId,
        place: u16,
    },
    /// A list of what a function takes there, one for each row that is looked for.
    ArgumentList {
        function: FunctionId,
        place: u16,
    },
    /// A text, whatever it is compared with.
    Text,
    /// A list of texts, likewise.
    TextList,
    /// A text that the database reads as the type that the operator takes.
    Inferred,
    /// A list of such texts.
    InferredList,
    /// The index of an element, a whole number of 32 bits.
    Index,
    /// What a text is matched with.
    Pattern {
        against: Against,
        r#match: TextMatch,
        case: Case,
    },
    /// The operand of a search in texts: see [`Search`](crate::search::Search).
    Search(TextMatch),
    /// A vector from which others have a distance.
    Vector,
    /// The number of vectors that a search of an index visits.
    VisitedVectors,
    /// A float.
    Float,
    /// The operand of a condition on a place: see [`Wanted`](source::geo::Wanted).
    Geo(GeoOperator),
    /// The box that the boxes of candidates overlap: see [`bounds`](source::geo::Wanted::bounds).
    GeoBox(GeoOperator),
    /// The query that finds candidates of a search in an index of its words, or of parts of texts.
    Candidates {
        r#match: TextMatch,
        index: TextIndexKind,
    },
    /// The part of a LIKE pattern before its first wildcard, with a wildcard behind it.
    PatternPrefix {
        against: Against,
    },
    /// The size of a page, one more with `look_ahead`.
    Limit {
        look_ahead: bool,
    },
    Offset,
}

/// What a value is compared with, whose type is the value's as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Against {
    Field(FieldId),
    /// Of a composite, by its place.
    Attribute(CompositeId, u16),
    /// A value of PostGIS as one of another type than the field's.
    Spatial(SpatialKind),
    /// A number of rows or values, of 64 bits.
    Count,
}

/// A kind of value, as far as checking and sending it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueKind {
    Boolean,
    Integer {
        bits: u8,
    },
    Decimal,
    Float,
    Text,
    Uuid,
    Date,
    Timestamp,
    TimestampWithZone,
    /// A moment as a number.
    Epoch(EpochUnit),
    Time,
    TimeWithZone,
    Bytes,
    Json,
    /// An array.
    List,
    /// A row: null is another than a row of nulls.
    Composite,
    /// Sent as text; the source knows what it means.
    Other,
}

/// A number of rows or values.
pub(super) const COUNT: (Against, ValueKind) = (Against::Count, ValueKind::Integer { bits: 64 });

impl ValueKind {
    /// The kind of a field's values, below domains.
    #[must_use]
    pub fn of(catalog: &Catalog, field: FieldId) -> Self {
        Self::of_type(catalog, &catalog[field].r#type)
    }

    /// The kind of a type's values, below domains.
    #[must_use]
    pub fn of_type(catalog: &Catalog, r#type: &Type) -> Self {
        match catalog.base_type(r#type) {
            Type::Scalar(scalar) => match scalar {
                Scalar::Boolean => Self::Boolean,
                Scalar::Int16 => Self::Integer { bits: 16 },
                Scalar::Int32 => Self::Integer { bits: 32 },
                Scalar::Int64 => Self::Integer { bits: 64 },
                Scalar::Float32 | Scalar::Float64 => Self::Float,
                Scalar::Decimal { .. } => Self::Decimal,
                Scalar::Text | Scalar::Character { .. } | Scalar::CaseInsensitiveText => Self::Text,
                Scalar::Uuid => Self::Uuid,
                Scalar::Json | Scalar::Jsonb => Self::Json,
                Scalar::Date => Self::Date,
                Scalar::Timestamp => Self::Timestamp,
                Scalar::TimestampWithZone => Self::TimestampWithZone,
                Scalar::Epoch(unit) => Self::Epoch(*unit),
                Scalar::Time => Self::Time,
                Scalar::TimeWithZone => Self::TimeWithZone,
                Scalar::Bytes => Self::Bytes,
                Scalar::Money
                | Scalar::Xml
                | Scalar::Interval
                | Scalar::Inet
                | Scalar::Cidr
                | Scalar::MacAddress
                | Scalar::MacAddress8
                | Scalar::Bit
                | Scalar::Point
                | Scalar::GeographicPoint
                | Scalar::CartesianPoint
                | Scalar::Spatial(_)
                | Scalar::KeyValue
                | Scalar::ObjectId
                | Scalar::Other(_) => Self::Other,
            },
            Type::Enum(_) => Self::Text,
            Type::List(_) => Self::List,
            Type::Composite(_) => Self::Composite,
            Type::Domain(_) | Type::Range(_) | Type::Row(_) => Self::Other,
        }
    }

    /// The name of the type in error messages, as PostgreSQL calls it.
    #[must_use]
    pub fn type_name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Integer { bits: 16 } => "smallint",
            Self::Integer { bits: 32 } => "integer",
            Self::Integer { .. } => "bigint",
            Self::Decimal => "numeric",
            Self::Float => "double precision",
            Self::Text | Self::List | Self::Composite | Self::Other => "text",
            Self::Uuid => "uuid",
            Self::Date => "date",
            Self::Timestamp => "timestamp",
            Self::TimestampWithZone | Self::Epoch(_) => "timestamp with time zone",
            Self::Time => "time",
            Self::TimeWithZone => "time with time zone",
            Self::Bytes => "bytea",
            Self::Json => "json",
        }
    }
}

/// The LIKE pattern, with `\` as its escape, that matches as the request says.
pub fn like_pattern(r#match: TextMatch, text: &str) -> Result<Cow<'_, str>, SourceError> {
    if escape_ends(r#match, text) {
        return Err(SourceError::input("LIKE pattern must not end with escape character"));
    }
    let (before, after) = match r#match {
        TextMatch::Includes => ("%", "%"),
        TextMatch::StartsWith => ("", "%"),
        TextMatch::EndsWith => ("%", ""),
        // The others are no patterns of LIKE, and no compiler makes patterns of them.
        TextMatch::Like
        | TextMatch::Regex
        | TextMatch::Similar
        | TextMatch::Re2
        | TextMatch::AllTerms
        | TextMatch::AnyTerm
        | TextMatch::AllStems
        | TextMatch::AnyStem
        | TextMatch::AnyStemSequence => return Ok(Cow::Borrowed(text)),
    };
    let mut pattern = String::with_capacity(text.len() + 8);
    pattern.push_str(before);
    for letter in text.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push_str(after);
    Ok(Cow::Owned(pattern))
}

/// Whether a pattern ends in an escape of nothing. A database finds out when it comes that far with
/// a row.
#[must_use]
pub fn escape_ends(r#match: TextMatch, text: &str) -> bool {
    let escapes = text.len() - text.trim_end_matches('\\').len();
    r#match == TextMatch::Like && escapes % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::{escape_ends, like_pattern};
    use ir::TextMatch;

    #[test]
    fn wildcards_in_a_text_match_themselves() {
        let check = |r#match, text: &str, expect: &str| {
            assert_eq!(like_pattern(r#match, text).unwrap(), expect);
        };
        check(TextMatch::Includes, "100%_\\", "%100\\%\\_\\\\%");
        check(TextMatch::StartsWith, "é", "é%");
        check(TextMatch::EndsWith, "", "%");
        check(TextMatch::Like, "a%\\_", "a%\\_");
        check(TextMatch::Like, "a\\\\", "a\\\\");
        assert!(like_pattern(TextMatch::Like, "a\\\\\\").is_err());
        assert!(escape_ends(TextMatch::Like, "\\"));
        assert!(!escape_ends(TextMatch::EndsWith, "\\"));
    }
}
