//! Columns: scalars, enums, lists of them, and passwords.

use storage::model as target;

use super::names::without_type;
use super::{FieldStorage, Layout, is_key};
use crate::language_tags::is_multilingual;
use crate::model::{Base, Default, Field, Metric, Scalar, Search, Type, TypeKind};

pub(super) fn add(layout: &mut Layout<'_>) {
    for (idx, r#type) in layout.stored_types() {
        match r#type.kind {
            TypeKind::Interface => add_interface(layout, idx, r#type),
            TypeKind::Object => add_type(layout, idx, r#type),
        }
    }
    for entity in 0..layout.of_entities.len() {
        require(layout, entity);
    }
}

fn add_interface(layout: &mut Layout<'_>, idx: usize, r#type: &Type) {
    for (index, field) in r#type.fields.iter().enumerate() {
        if !layout.is_stored(r#type, field) {
            continue;
        }
        match field.r#type.base {
            Base::Scalar(_) if is_key(field) => layout.place((idx, index), FieldStorage::Key),
            Base::Scalar(_) | Base::Enum(_) => layout.place((idx, index), FieldStorage::Members),
            Base::Type(_) | Base::Union(_) | Base::Input(_) => {}
        }
    }
}

fn add_type(layout: &mut Layout<'_>, idx: usize, r#type: &Type) {
    let source = layout.source;
    let Some(entity) = entity(layout, idx) else { return };
    for (index, field) in r#type.fields.iter().enumerate() {
        if !layout.is_stored(r#type, field) || is_multilingual(field) {
            continue;
        }
        if is_key(field) {
            layout.place((idx, index), FieldStorage::Key);
            continue;
        }
        let Some(stored_type) = field_type(layout, field) else { continue };
        let added = target::Field {
            name: layout.names[idx][index].clone(),
            r#type: stored_type,
            is_list: field.r#type.list.is_some() && !field.is_embedding,
            is_required: false,
            is_unique: field.id.is_some() || field.r#type.base == Base::Scalar(Scalar::Id),
            indexes: field.search.iter().filter_map(|search| index_of(field, *search)).collect(),
            default: field.default_on_add.as_ref().map(|default| match default {
                Default::Now => target::DefaultValue::Now,
                Default::Value(text) => target::DefaultValue::Text(text.clone()),
            }),
        };
        let position = merge(&mut layout.target.entities[entity].fields, added);
        layout.place((idx, index), FieldStorage::Field(position));
    }
    let Some(secret) = &r#type.secret else { return };
    let name = without_type(source, r#type, &secret.stored_name);
    // Rows from the time before the type had a secret have none.
    let added = target::Field::optional(name, target::FieldType::Password);
    let position = merge(&mut layout.target.entities[entity].fields, added);
    if let Some(stored) = &mut layout.types[idx] {
        stored.secret = Some(position);
    }
}

/// The index of a field with the name and the type, which is added if there is none.
pub(super) fn merge(fields: &mut Vec<target::Field>, added: target::Field) -> usize {
    let known = fields.iter().position(|field| field.name == added.name);
    let Some(position) = known else {
        fields.push(without_doubles(added));
        return fields.len() - 1;
    };
    let field = &mut fields[position];
    field.is_unique |= added.is_unique;
    field.default = field.default.take().or(added.default);
    for index in added.indexes {
        if !field.indexes.contains(&index) {
            field.indexes.push(index);
        }
    }
    let merged = field.clone();
    fields[position] = without_doubles(merged);
    position
}

/// Without indexes that others include: uniqueness has an index for comparisons, which serves
/// equality.
fn without_doubles(mut field: target::Field) -> target::Field {
    let is_ordered = field.is_unique || field.indexes.contains(&target::Index::Order);
    field.indexes.retain(|index| match index {
        target::Index::Equality => !is_ordered,
        target::Index::Order => !field.is_unique,
        target::Index::Terms
        | target::Index::FullText
        | target::Index::Trigram
        | target::Index::WordSequences
        | target::Index::Geo
        | target::Index::Vector { .. } => true,
    });
    let mut seen: Vec<target::Index> = Vec::new();
    field.indexes.retain(|index| {
        let is_new = !seen.contains(index);
        seen.push(*index);
        is_new
    });
    field
}

/// Marks the fields that every type of the entity requires.
fn require(layout: &mut Layout<'_>, entity: usize) {
    let required: Vec<bool> = layout.target.entities[entity]
        .fields
        .iter()
        .map(|field| {
            field.r#type != target::FieldType::Password && is_required(layout, entity, &field.name)
        })
        .collect();
    for (field, is_required) in layout.target.entities[entity].fields.iter_mut().zip(required) {
        field.is_required = is_required;
    }
}

/// True if every type of the entity has a required field with the column.
pub(super) fn is_required(layout: &Layout<'_>, entity: usize, name: &str) -> bool {
    layout.of_entities[entity].iter().all(|index| {
        let r#type = &layout.source.types[index.0];
        let mut fields = r#type.fields.iter().zip(&layout.names[index.0]);
        fields.any(|(field, column)| {
            field.r#type.is_required && layout.is_stored(r#type, field) && **column == *name
        })
    })
}

pub(super) fn entity(layout: &Layout<'_>, idx: usize) -> Option<usize> {
    match layout.types[idx].as_ref()?.rows {
        target::EndOf::Entity(entity) => Some(entity.0),
        target::EndOf::Group(_) => None,
    }
}

/// The stored type of a scalar or enum; `None` for rows.
fn field_type(layout: &Layout<'_>, field: &Field) -> Option<target::FieldType> {
    Some(match field.r#type.base {
        Base::Scalar(_) if field.is_embedding => target::FieldType::Vector,
        Base::Scalar(Scalar::Boolean) => target::FieldType::Boolean,
        Base::Scalar(Scalar::Int) => target::FieldType::Int32,
        Base::Scalar(Scalar::Int64) => target::FieldType::Int64,
        Base::Scalar(Scalar::Float) => target::FieldType::Float64,
        Base::Scalar(Scalar::Id | Scalar::String) => target::FieldType::Text,
        Base::Scalar(Scalar::DateTime) => target::FieldType::DateTime,
        Base::Scalar(Scalar::Point) => target::FieldType::Point,
        Base::Scalar(Scalar::Polygon) => target::FieldType::Polygon,
        Base::Scalar(Scalar::MultiPolygon) => target::FieldType::MultiPolygon,
        Base::Enum(index) => target::FieldType::Enum(layout.enums[index.0]?),
        Base::Type(_) | Base::Union(_) | Base::Input(_) => return None,
    })
}

pub(super) fn index_of(field: &Field, search: Search) -> Option<target::Index> {
    Some(match search {
        Search::Hash | Search::Bool => target::Index::Equality,
        // A vector is compared as a whole.
        Search::Float if field.is_embedding => return None,
        Search::Exact
        | Search::Int
        | Search::Int64
        | Search::Float
        | Search::Year
        | Search::Month
        | Search::Day
        | Search::Hour => target::Index::Order,
        Search::Term => target::Index::Terms,
        Search::Fulltext => target::Index::FullText,
        Search::Regexp | Search::Trigram => target::Index::Trigram,
        Search::Ngram => target::Index::WordSequences,
        Search::Geo => target::Index::Geo,
        Search::Hnsw(metric, candidates) => target::Index::Vector {
            metric: match metric {
                Metric::Euclidean => target::Metric::Euclidean,
                Metric::Cosine => target::Metric::Cosine,
                Metric::DotProduct => target::Metric::DotProduct,
            },
            candidates: candidates.construction,
        },
    })
}
