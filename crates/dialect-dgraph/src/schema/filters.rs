//! Conditions on rows of a type or of a union.

use super::builder::{Builder, lower_first};
use super::definitions::{VECTOR_DISTANCE, has_distance};
use super::facts::{is_custom, is_external, is_id, searches};
use super::operators::{ENUM_EXACT, ENUM_HASH, enum_exact, enum_hash, filter_of};
use super::section::Section;
use super::{inputs, reads};
use crate::language_tags::has_several_languages;
use crate::model::{Base, EnumIndex, Field, Scalar, Search, TypeIndex, UnionIndex};
use api::binding::{FilterRole, InputBinding, Meaning, ValueBinding, VariantRole};
use api::draft::{DraftInput, DraftKind, DraftValue};

/// Adds the conditions on rows of a type.
pub(super) fn add(build: &mut Builder<'_>, index: TypeIndex) {
    let r#type = build.r#type(index);
    let provided = build.provided(index);
    let name = format!("{}Filter", r#type.name);
    let mut members = Vec::new();
    for (place, field) in r#type.fields.iter().enumerate() {
        if is_external(r#type, field, &provided) {
            continue;
        }
        if is_id(field) {
            let binding = reads::id_condition(build, index, place);
            members.push(DraftInput::new(&field.name, "[ID!]", binding));
        } else if let Some(filter) = operators(build, field) {
            let binding = reads::condition(build, index, place, &filter);
            members.push(DraftInput::new(&field.name, &filter, binding));
        } else if let (true, Some(binding)) =
            (build.nested_filters, reads::related_condition(build, index, place))
        {
            let filter = format!("{}Filter", build.name(field.r#type.base));
            members.push(DraftInput::new(&field.name, &filter, binding));
        }
    }
    let has_values = !inputs::values(build, index, inputs::Values::Known).is_empty();
    if has_values {
        let r#type = format!("[{}HasFilter]", r#type.name);
        let binding = InputBinding::lenient(FilterRole::AllPresent);
        members.push(DraftInput::new("has", &r#type, binding));
    }
    let is_only_id = members.len() == 1 && r#type.fields.iter().any(is_id) && !has_values;
    if !members.is_empty() && !is_only_id {
        let listed = format!("[{name}]");
        let and = FilterRole::And { item: Meaning::Ignore };
        members.push(DraftInput::new("and", &listed, InputBinding::lenient(and)));
        let or = InputBinding::lenient(FilterRole::OrSiblings);
        members.push(DraftInput::new("or", &listed, or));
    }
    let not = FilterRole::Complement(Box::new(FilterRole::Conditions));
    members.push(DraftInput::new("not", &name, InputBinding::lenient(not)));
    build.input(&name, members);
    add_present(build, index);
}

/// Adds the conditions on rows of a union, and the names of its members.
pub(super) fn add_union(build: &mut Builder<'_>, UnionIndex(index): UnionIndex) {
    let union = &build.model.unions[index];
    let mut members = vec![DraftInput::new(
        "memberTypes",
        &format!("[{}Type!]", union.name),
        InputBinding {
            role: FilterRole::OfVariants.into(),
            null: Meaning::Ignore,
            empty: Meaning::False,
        },
    )];
    let mut values = Vec::new();
    for (number, member) in union.members.iter().enumerate() {
        let name = &build.r#type(*member).name;
        let number = u16::try_from(number).unwrap_or(u16::MAX);
        let binding = InputBinding::lenient(VariantRole::Restrict(number));
        let field = format!("{}Filter", lower_first(name));
        members.push(DraftInput::new(&field, &format!("{name}Filter"), binding));
        values.push(DraftValue::new(name, ValueBinding::Variant(number)));
    }
    build.input(&format!("{}Filter", union.name), members);
    let name = format!("{}Type", union.name);
    build.draft.add_plain(Section::Enums, &name, DraftKind::Enum { values });
}

/// Adds the fields of `has`.
fn add_present(build: &mut Builder<'_>, index: TypeIndex) {
    let r#type = build.r#type(index);
    let provided = build.provided(index);
    let is_shown = |field: &Field| {
        !is_id(field)
            && !is_custom(field)
            && !has_several_languages(field)
            && !is_external(r#type, field, &provided)
    };
    let mut values = Vec::new();
    for (place, field) in r#type.fields.iter().enumerate() {
        if is_shown(field) {
            values.push(DraftValue::new(&field.name, reads::present(build, index, place)));
        }
    }
    if has_distance(build, index) {
        let refused = ValueBinding::Refused("Distances are no stored values.".into());
        values.push(DraftValue::new(VECTOR_DISTANCE, refused));
    }
    if !values.is_empty() {
        let name = format!("{}HasFilter", r#type.name);
        build.draft.add_plain(Section::Enums, &name, DraftKind::Enum { values });
    }
}

/// The type of conditions on a field, which is added where it is a combination; `None` if the field
/// cannot be searched.
fn operators(build: &mut Builder<'_>, field: &Field) -> Option<String> {
    let mut names = Vec::new();
    for search in searches(field) {
        let name = match (field.r#type.base, search) {
            (Base::Enum(index), Search::Hash) => Some(enum_filter(build, index, ENUM_HASH)),
            (Base::Enum(index), Search::Exact) => Some(enum_filter(build, index, ENUM_EXACT)),
            (Base::Scalar(Scalar::Point), Search::Geo) => Some("PointGeoFilter".into()),
            (_, search) => filter_of(search).map(String::from),
        };
        names.extend(name);
    }
    let name = names.join("_");
    if names.len() > 1 && !build.draft.has(&name) {
        let mut members: Vec<DraftInput> = Vec::new();
        for part in &names {
            for member in build.draft.members(part) {
                if !members.iter().any(|known| known.name == member.name) {
                    members.push(member.clone());
                }
            }
        }
        build.input(&name, members);
    }
    (!names.is_empty()).then_some(name)
}

/// The name of the conditions on an enum by one of its indexes.
fn enum_filter(build: &mut Builder<'_>, index: EnumIndex, suffix: &str) -> String {
    let r#enum = build.name(Base::Enum(index));
    let name = format!("{enum}{suffix}");
    let members = match suffix {
        ENUM_EXACT => enum_exact(r#enum),
        _ => enum_hash(r#enum),
    };
    build.input(&name, members);
    name
}
