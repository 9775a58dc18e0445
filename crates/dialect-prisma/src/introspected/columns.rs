//! Types of columns, and the enums among them.

use catalog::{Catalog, EnumId, Scalar, Type};

use super::names::Names;
use crate::model::{Enum, EnumIndex, ScalarType};

/// The types of columns in a datamodel, and the enums of those that were asked for.
pub(super) struct ColumnTypes<'c> {
    catalog: &'c Catalog,
    enums: Vec<EnumId>,
}

impl<'c> ColumnTypes<'c> {
    pub(super) fn new(catalog: &'c Catalog) -> Self {
        Self { catalog, enums: Vec::new() }
    }

    /// The type of a column; `None` if a datamodel has none for it.
    pub(super) fn scalar(&mut self, r#type: &Type, is_key: bool) -> Option<ScalarType> {
        match self.catalog.base_type(r#type) {
            Type::Scalar(scalar) => scalar_type(scalar, is_key),
            Type::Enum(id) if is_valid_enum(self.catalog, *id) => {
                let index = self.enums.iter().position(|own| own == id).unwrap_or_else(|| {
                    self.enums.push(*id);
                    self.enums.len() - 1
                });
                Some(ScalarType::Enum(EnumIndex(index)))
            }
            Type::Enum(_)
            | Type::Domain(_)
            | Type::Composite(_)
            | Type::Range(_)
            | Type::Row(_)
            | Type::List(_) => None,
        }
    }

    /// The enums, in the order of their indexes.
    pub(super) fn enums(&self, names: &mut Names) -> Vec<Enum> {
        let enums = self.enums.iter().map(|id| {
            let own = &self.catalog[*id];
            let given = self.catalog.given();
            let labels: Vec<Box<str>> =
                own.labels.iter().map(|label| label.label.clone()).collect();
            let values = labels.iter().enumerate().map(|(place, label)| {
                given.label(*id, place).map_or_else(|| label.clone(), Into::into)
            });
            Enum {
                name: match given.r#enum(*id) {
                    Some(name) => names.take(name),
                    None => names.r#type(&own.name),
                },
                description: own.description.clone(),
                values: values.collect(),
                labels,
            }
        });
        enums.collect()
    }
}

/// Whether the labels of an enum are names of values.
fn is_valid_enum(catalog: &Catalog, id: EnumId) -> bool {
    let labels = &catalog[id].labels;
    let is_valid = |label: &str| {
        label.starts_with(|first: char| first.is_ascii_uppercase())
            && label.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
    };
    // Given names are names of GraphQL.
    let is_named = |place: usize| catalog.given().label(id, place).is_some();
    let mut places = labels.iter().enumerate();
    !labels.is_empty() && places.all(|(place, label)| is_named(place) || is_valid(&label.label))
}

/// The type of a key; `None` if a datamodel has no such ids.
pub(super) fn key_type(catalog: &Catalog, r#type: &Type) -> Option<ScalarType> {
    let Type::Scalar(scalar) = catalog.base_type(r#type) else { return None };
    match scalar_type(scalar, true)? {
        r#type @ (ScalarType::Id | ScalarType::Uuid | ScalarType::Int) => Some(r#type),
        ScalarType::String
        | ScalarType::Float
        | ScalarType::Boolean
        | ScalarType::DateTime
        | ScalarType::Json
        | ScalarType::Enum(_) => None,
    }
}

fn scalar_type(scalar: &Scalar, is_key: bool) -> Option<ScalarType> {
    Some(match scalar {
        Scalar::Boolean => ScalarType::Boolean,
        Scalar::Int16 | Scalar::Int32 | Scalar::Int64 => ScalarType::Int,
        Scalar::Float32 | Scalar::Float64 | Scalar::Decimal { .. } => ScalarType::Float,
        Scalar::Text | Scalar::Character { .. } if is_key => ScalarType::Id,
        Scalar::Text | Scalar::Character { .. } => ScalarType::String,
        Scalar::Uuid => ScalarType::Uuid,
        Scalar::Json | Scalar::Jsonb => ScalarType::Json,
        Scalar::Date | Scalar::Timestamp | Scalar::TimestampWithZone => ScalarType::DateTime,
        Scalar::Money
        | Scalar::CaseInsensitiveText
        | Scalar::Xml
        | Scalar::Time
        | Scalar::TimeWithZone
        | Scalar::Epoch(_)
        | Scalar::Interval
        | Scalar::Bytes
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
        | Scalar::Other(_) => return None,
    })
}
