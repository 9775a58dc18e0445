//! Declared types of columns, which override the source's: for sources that accept any value in any
//! column, as SQLite does.

use crate::catalog::Catalog;
use crate::entity::Storage;
use crate::ids::FieldId;
use crate::types::{EpochUnit, Scalar, Type};

/// Names of the types that can be declared.
const WORDS: [(&str, Scalar); 17] = [
    ("bigint", Scalar::Int64),
    ("integer", Scalar::Int32),
    ("boolean", Scalar::Boolean),
    ("numeric", Scalar::Decimal { precision: None, scale: None }),
    ("float", Scalar::Float64),
    ("text", Scalar::Text),
    ("uuid", Scalar::Uuid),
    ("json", Scalar::Json),
    ("bytes", Scalar::Bytes),
    ("date", Scalar::Date),
    ("time", Scalar::Time),
    ("timestamp", Scalar::Timestamp),
    ("timestamptz", Scalar::TimestampWithZone),
    ("unixepoch", Scalar::Epoch(EpochUnit::Seconds)),
    ("unixepoch_ms", Scalar::Epoch(EpochUnit::Milliseconds)),
    ("unixepoch_us", Scalar::Epoch(EpochUnit::Microseconds)),
    ("julianday", Scalar::Epoch(EpochUnit::JulianDay)),
];

/// The type of a name.
#[must_use]
pub fn find_stored_type(word: &str) -> Option<Scalar> {
    let known = WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word.trim()));
    known.map(|(_, scalar)| scalar.clone())
}

/// All names, for messages.
#[must_use]
pub fn stored_types() -> String {
    WORDS.map(|(word, _)| word).join(", ")
}

/// The reason why a field cannot have a type. Such a field would return other values than the
/// stored ones, or find other rows.
fn misfit(storage: Storage, scalar: &Scalar) -> Option<&'static str> {
    match (storage, scalar) {
        (
            Storage::Text,
            Scalar::Int16
            | Scalar::Int32
            | Scalar::Int64
            | Scalar::Float32
            | Scalar::Float64
            | Scalar::Decimal { .. }
            | Scalar::Epoch(_),
        ) => Some("its declared type makes texts of numbers, and compares them as texts"),
        (Storage::Float, Scalar::Int64) => {
            Some("its declared type makes floating point numbers of integers, which have 53 bits")
        }
        (Storage::Float, Scalar::Boolean | Scalar::Text) => {
            Some("its declared type makes floating point numbers of such values")
        }
        _ => None,
    }
}

impl Catalog {
    /// Declares the type of a field; returns the reason, if it cannot have the type. Fields that
    /// refer to a 64-bit integer become 64-bit, too.
    pub fn declare_stored(&mut self, field: FieldId, scalar: Scalar) -> Result<(), &'static str> {
        if let Some(reason) = misfit(self[field].storage, &scalar) {
            return Err(reason);
        }
        let widens = scalar == Scalar::Int64;
        self.fields[field.index()].r#type = Type::Scalar(scalar);
        if !widens {
            return Ok(());
        }
        let mut found = vec![field];
        while let Some(target) = found.pop() {
            for relationship in &self.relationships {
                let pairs = relationship.from_fields.iter().zip(&relationship.to_fields);
                for (from, _) in pairs.filter(|(_, to)| **to == target) {
                    let r#type = &mut self.fields[from.index()].r#type;
                    if let Type::Scalar(Scalar::Int16 | Scalar::Int32) = r#type {
                        *r#type = Type::Scalar(Scalar::Int64);
                        found.push(*from);
                    }
                }
            }
        }
        Ok(())
    }
}
