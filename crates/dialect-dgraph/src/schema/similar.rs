//! Similarity queries of types with vectors.

use super::arguments;
use super::builder::Builder;
use super::facts::{has_embedding, is_identified, is_interface};
use super::operators::{MISSING, refused};
use super::roots::{deprecation, keys};
use super::section::Section;
use super::{reads, variants};
use crate::model::{Field, Metric, Search, TypeIndex};
use api::binding::{
    ArgumentRole, FieldBinding, FilterRole, InputBinding, InputRole, NearestRole, OperatorRole,
    RowsBinding, RowsForm, RowsFrom, ValueBinding,
};
use api::draft::{DraftField, DraftInput, DraftKind, DraftValue};

/// Adds the similarity queries of a type, if it has vectors.
pub(super) fn add(build: &mut Builder<'_>, index: TypeIndex) {
    let r#type = build.r#type(index);
    if !has_embedding(r#type) {
        return;
    }
    let name = &r#type.name;
    let embedding = format!("{name}Embedding");
    let fields = r#type.fields.iter().enumerate().filter(|(_, field)| field.is_embedding);
    let values = fields
        .map(|(place, field)| DraftValue::new(&field.name, vectors(build, index, place)))
        .collect();
    build.draft.add_plain(Section::Enums, &embedding, DraftKind::Enum { values });
    let argument = |name: &str, r#type: &str, role: NearestRole| {
        DraftInput::new(name, r#type, InputBinding::lenient(ArgumentRole::Nearest(role)))
    };
    let by = argument("by", &format!("{embedding}!"), NearestRole::By);
    let visited = argument("ef", "Int", NearestRole::Visited);
    let limits = [visited, argument("distance_threshold", "Float", NearestRole::Most)];
    let nearest = argument("topK", "Int!", NearestRole::Count);
    let nearest_of = |from| match from {
        RowsFrom::Entity => Some(RowsFrom::Nearest),
        RowsFrom::Variants { variants, .. } => Some(RowsFrom::NearestVariants(variants)),
        _ => None,
    };
    let rows = match reads::root(build, index, RowsForm::List) {
        FieldBinding::Rows(RowsBinding { from, entity, form, .. }) => {
            nearest_of(from).map(|from| RowsBinding { from, entity, form, default_limit: None })
        }
        _ => None,
    };
    let binding = rows.map_or_else(|| FieldBinding::Refused(MISSING.into()), FieldBinding::Rows);
    let query = |suffix: &str, arguments: Vec<DraftInput>| {
        let query = format!("querySimilar{name}{suffix}");
        DraftField::new(&query, &format!("[{name}]"), binding.clone()).with(arguments)
    };
    if is_identified(r#type) {
        let mut arguments = keys(build, index);
        for key in &mut arguments {
            key.binding = key_of_row(&key.binding);
        }
        arguments.extend([by.clone(), nearest.clone()]);
        arguments.extend(limits.clone());
        arguments.push(arguments::filter(name));
        let by_id = DraftField { deprecated: deprecation(r#type), ..query("ById", arguments) };
        build.queries.push(by_id);
    }
    let vector = argument("vector", "[Float!]!", NearestRole::Vector);
    let mut arguments = vec![by, nearest, vector];
    arguments.extend(limits);
    arguments.push(arguments::filter(name));
    let by_embedding = query("ByEmbedding", arguments);
    build.queries.push(by_embedding);
}

/// The value of the row whose vector others are compared with.
fn key_of_row(binding: &InputBinding) -> InputBinding {
    let subject = match &binding.role {
        InputRole::Filter(FilterRole::On { subject, operator: OperatorRole::Compare(_) }) => {
            &subject.place
        }
        _ => return refused(MISSING),
    };
    let role = match subject {
        ir::ValueRef::Field { field, .. } => NearestRole::Key(*field),
        ir::ValueRef::Common(place) => NearestRole::CommonKey(*place),
        _ => return refused(MISSING),
    };
    InputBinding::lenient(ArgumentRole::Nearest(role))
}

/// The vectors of a field.
fn vectors(build: &Builder<'_>, index: TypeIndex, place: usize) -> ValueBinding {
    let r#type = build.r#type(index);
    let (metric, visited) = index_of(&r#type.fields[place]);
    let vector = match is_interface(r#type) {
        true => variants::common_place(build, index, place)
            .map(|place| ValueBinding::CommonVector { place, metric, visited }),
        false => build.located.column(index, place).map(|column| ValueBinding::Vector {
            field: column.field,
            metric,
            visited,
        }),
    };
    vector.unwrap_or_else(|| ValueBinding::Refused(MISSING.into()))
}

/// The distance of a field's vectors, and the number of vectors that a search visits: those of its index.
fn index_of(field: &Field) -> (ir::Metric, Option<u16>) {
    let index = field.search.iter().find_map(|search| match search {
        Search::Hnsw(metric, candidates) => Some((*metric, candidates.search)),
        _ => None,
    });
    match index {
        None => (ir::Metric::Euclidean, None),
        Some((Metric::Euclidean, visited)) => (ir::Metric::Euclidean, visited),
        Some((Metric::Cosine, visited)) => (ir::Metric::Cosine, visited),
        Some((Metric::DotProduct, visited)) => (ir::Metric::DotProduct, visited),
    }
}
