//! Aggregates of rows of a type.

use ir::AggregateFunction;

use super::builder::Builder;
use super::facts::{is_orderable, is_summable};
use super::reads;
use crate::language_tags::has_several_languages;
use crate::model::TypeIndex;
use api::draft::DraftField;

/// Adds the result of aggregates of a type.
pub(super) fn add(build: &mut Builder<'_>, index: TypeIndex) {
    let r#type = build.r#type(index);
    let provided = build.provided(index);
    let mut fields = vec![DraftField::new("count", "Int", reads::count())];
    for (place, field) in r#type.fields.iter().enumerate() {
        let name = build.name(field.r#type.base);
        let mut add = |suffix, r#type, function| {
            let binding = reads::aggregate_value(build, index, place, function);
            fields.push(DraftField::new(&format!("{}{suffix}", field.name), r#type, binding));
        };
        if is_orderable(r#type, field, &provided) || has_several_languages(field) {
            add("Min", name, AggregateFunction::Minimum);
            add("Max", name, AggregateFunction::Maximum);
        }
        if is_summable(r#type, field, &provided) {
            add("Sum", name, AggregateFunction::Sum);
            add("Avg", "Float", AggregateFunction::Average);
        }
    }
    build.object(&format!("{}AggregateResult", r#type.name), fields);
}
