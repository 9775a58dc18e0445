//! Types of columns, and the enums among them.

use std::borrow::Cow;

use catalog::{Catalog, EntityId, EnumId, FieldAccess, Scalar, Type};

use super::names::{self, Names};
use super::order::by_name;
use super::{defaults, written};
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

    /// The name of a type in the database.
    pub(super) fn database_name(&self, r#type: &Type) -> Cow<'c, str> {
        let catalog = self.catalog;
        match r#type {
            Type::Scalar(scalar) => scalar_name(scalar).to_owned().into(),
            Type::Enum(id) => Cow::Borrowed(&*catalog[*id].name),
            Type::Composite(id) => Cow::Borrowed(&*catalog[*id].name),
            Type::Range(id) => Cow::Borrowed(&*catalog[*id].name),
            Type::Row(id) => Cow::Borrowed(&*catalog[*id].name),
            Type::Domain(id) => self.database_name(&catalog[*id].base),
            Type::List(element) => ["_", &*self.database_name(element)].concat().into(),
        }
    }

    /// The type that a table would be, with its columns.
    pub(super) fn definition(&mut self, name: &str, entity: EntityId) -> Box<str> {
        let catalog = self.catalog;
        let mut definition = ["type ", name].concat();
        if *name != *catalog[entity].name {
            definition.push_str(&written::database_name(&catalog[entity].name));
        }
        definition.push_str(" {\n");
        let mut fields: Vec<(Box<str>, String)> = Vec::new();
        for column in catalog.fields_of(entity).filter(|own| own.access != FieldAccess::NONE) {
            let taken: Vec<&str> = fields.iter().map(|(name, _)| &**name).collect();
            let name = names::field(&column.name, false, &taken).name;
            // Enums of types that are left out are no part of the datamodel.
            let r#type = match catalog.base_type(&column.r#type) {
                Type::Scalar(scalar) => scalar_type(scalar, false),
                Type::Enum(_)
                | Type::Domain(_)
                | Type::Composite(_)
                | Type::Range(_)
                | Type::Row(_)
                | Type::List(_) => None,
            };
            let known = r#type.zip(catalog.default_of(column.id));
            let default = known.and_then(|(r#type, known)| defaults::default(r#type, known));
            let r#type = match r#type.and_then(written::scalar_name) {
                Some(name) => Cow::Borrowed(name),
                None => self.database_name(&column.r#type),
            };
            let required = if column.nullable { "" } else { "!" };
            let mut field = ["  ", &*name, ": ", &*r#type, required].concat();
            if *name != *column.name {
                field.push_str(&written::database_name(&column.name));
            }
            field.extend(default.as_ref().and_then(written::default));
            field.push('\n');
            fields.push((name, field));
        }
        fields.sort_by_cached_key(|(name, _)| by_name(name));
        definition.extend(fields.into_iter().map(|(_, field)| field));
        definition.push('}');
        definition.into()
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

/// The name of a type in PostgreSQL, which Prisma tells. Columns of SQLite that have no type here are
/// those of bytes.
fn scalar_name(scalar: &Scalar) -> &str {
    match scalar {
        Scalar::Boolean => "bool",
        Scalar::Int16 => "int2",
        Scalar::Int32 => "int4",
        Scalar::Int64 => "int8",
        Scalar::Float32 => "float4",
        Scalar::Float64 => "float8",
        Scalar::Decimal { .. } => "numeric",
        Scalar::Money => "money",
        Scalar::Text => "text",
        Scalar::Character { .. } => "bpchar",
        Scalar::CaseInsensitiveText => "citext",
        Scalar::Uuid => "uuid",
        Scalar::Json => "json",
        Scalar::Jsonb => "jsonb",
        Scalar::Xml => "xml",
        Scalar::Date => "date",
        Scalar::Time => "time",
        Scalar::TimeWithZone => "timetz",
        Scalar::Timestamp => "timestamp",
        Scalar::TimestampWithZone => "timestamptz",
        Scalar::Epoch(_) => "epoch",
        Scalar::Interval => "interval",
        Scalar::Bytes => "bytea",
        Scalar::Inet => "inet",
        Scalar::Cidr => "cidr",
        Scalar::MacAddress => "macaddr",
        Scalar::MacAddress8 => "macaddr8",
        Scalar::Bit => "bit",
        Scalar::Point | Scalar::GeographicPoint | Scalar::CartesianPoint => "point",
        Scalar::Spatial(spatial) => spatial.kind.name(),
        Scalar::KeyValue => "hstore",
        Scalar::ObjectId => "oid",
        Scalar::Other(name) => name,
    }
}
