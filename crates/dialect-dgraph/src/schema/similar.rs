//! Similarity queries of types with vectors.

use super::arguments;
use super::builder::Builder;
use super::draft::{DraftField, DraftInput, DraftKind, DraftValue, Section};
use super::facts::{has_embedding, is_identified};
use super::operators::refused;
use super::roots::{deprecation, keys};
use crate::model::TypeIndex;
use api::binding::{FieldBinding, ValueBinding};

const NOT_YET: &str = "Similarity queries are not supported yet.";

/// Adds the similarity queries of a type, if it has vectors.
pub(super) fn add(build: &mut Builder<'_>, index: TypeIndex) {
    let r#type = build.r#type(index);
    if !has_embedding(r#type) {
        return;
    }
    let name = &r#type.name;
    let embedding = format!("{name}Embedding");
    let fields = r#type.fields.iter().filter(|field| field.is_embedding);
    let refusal = || ValueBinding::Refused(NOT_YET.into());
    let values = fields.map(|field| DraftValue::new(&field.name, refusal())).collect();
    build.draft.add_plain(Section::Enums, &embedding, DraftKind::Enum { values });
    let argument = |name: &str, r#type: &str| DraftInput::new(name, r#type, refused(NOT_YET));
    let by = argument("by", &format!("{embedding}!"));
    let limits = [argument("ef", "Int"), argument("distance_threshold", "Float")];
    let nearest = argument("topK", "Int!");
    let query = |suffix: &str, arguments: Vec<DraftInput>| {
        let binding = FieldBinding::Refused(NOT_YET.into());
        let query = format!("querySimilar{name}{suffix}");
        DraftField::new(&query, &format!("[{name}]"), binding).with(arguments)
    };
    if is_identified(r#type) {
        let mut arguments = keys(build, index);
        arguments.extend([by.clone(), nearest.clone()]);
        arguments.extend(limits.clone());
        arguments.push(arguments::filter(name));
        let by_id = DraftField { deprecated: deprecation(r#type), ..query("ById", arguments) };
        build.queries.push(by_id);
    }
    let mut arguments = vec![by, nearest, argument("vector", "[Float!]!")];
    arguments.extend(limits);
    arguments.push(arguments::filter(name));
    let by_embedding = query("ByEmbedding", arguments);
    build.queries.push(by_embedding);
}
