//! The types of the definitions: their objects, interfaces, unions, enums and inputs.

use super::arguments;
use super::builder::Builder;
use super::facts::{has_embedding, is_custom, is_interface};
use super::operators::refused;
use super::reads::{self, AGGREGATE};
use super::section::{DraftType, Section};
use crate::language_tags::has_several_languages;
use crate::model::{Base, Field, TypeIndex};
use api::binding::{FieldBinding, ValueBinding};
use api::draft::{DraftField, DraftInput, DraftKind, DraftValue};

/// The field of a row's distance to the vector of a similarity query.
pub(super) const VECTOR_DISTANCE: &str = "vector_distance";

/// The text at custom fields of interfaces, whose types have them.
const OF_INTERFACE: &str = "It is a field of an interface.";

/// The text at inputs of custom fields, which are sent to other servers only.
const CUSTOM: &str = "Another server takes this.";

/// Adds the types, in the order of the definitions. Extensions of other subgraphs' types come last.
pub(super) fn add(build: &mut Builder<'_>) {
    let model = build.model;
    let mut types: Vec<(bool, usize, DraftType)> = Vec::new();
    for (index, r#type) in model.types.iter().enumerate() {
        let fields = fields(build, TypeIndex(index));
        let interfaces = r#type.implements.iter();
        let interfaces = interfaces.map(|index| build.r#type(*index).name.clone()).collect();
        let kind = match is_interface(r#type) {
            true => DraftKind::Interface { fields, interfaces },
            false => DraftKind::Object { fields, interfaces },
        };
        let (is_extended, line) = (r#type.federation.is_extended, r#type.line);
        types.push((is_extended, line, draft(&r#type.name, r#type.description.as_deref(), kind)));
    }
    for union in &model.unions {
        let members = union.members.iter().map(|index| build.r#type(*index).name.clone());
        let kind = DraftKind::Union { members: members.collect() };
        types.push((false, union.line, draft(&union.name, union.description.as_deref(), kind)));
    }
    for r#enum in &model.enums {
        let values = r#enum.values.iter().map(|value| {
            let binding = ValueBinding::Label(value.name.clone());
            let description = value.description.clone();
            DraftValue { description, ..DraftValue::new(&value.name, binding) }
        });
        let kind = DraftKind::Enum { values: values.collect() };
        types.push((false, r#enum.line, draft(&r#enum.name, r#enum.description.as_deref(), kind)));
    }
    for input in &model.inputs {
        let members = input.members.iter().map(|member| {
            let r#type = build.input_text(member.r#type);
            let description = member.description.clone();
            DraftInput { description, ..DraftInput::new(&member.name, &r#type, refused(CUSTOM)) }
        });
        let kind = DraftKind::input(members.collect());
        types.push((false, input.line, draft(&input.name, input.description.as_deref(), kind)));
    }
    types.sort_by_key(|(is_extended, line, _)| (*is_extended, *line));
    for (_, _, r#type) in types {
        build.draft.add(r#type);
    }
}

/// True if rows have a distance to the vector of a similarity query.
pub(super) fn has_distance(build: &Builder<'_>, index: TypeIndex) -> bool {
    let r#type = build.r#type(index);
    let is_taken = r#type.fields.iter().any(|field| &*field.name == VECTOR_DISTANCE);
    r#type.generate.get && has_embedding(r#type) && !is_taken
}

/// A field of a root type of the definitions, which another server answers.
pub(super) fn custom(build: &mut Builder<'_>, parent: &str, field: &Field) -> DraftField {
    let arguments = arguments::own(build, &field.arguments);
    let binding = build.custom(parent, field);
    of(field, &build.text(field.r#type), binding).with(arguments)
}

fn draft(name: &str, description: Option<&str>, kind: DraftKind) -> DraftType {
    let description = description.map(Into::into);
    DraftType { name: name.into(), description, section: Section::Definitions, kind }
}

/// The fields of a type: its own, then the distance, then aggregates of its lists.
fn fields(build: &mut Builder<'_>, index: TypeIndex) -> Vec<DraftField> {
    let r#type = build.r#type(index);
    let provided = build.provided(index);
    let mut fields = Vec::with_capacity(r#type.fields.len());
    for (place, field) in r#type.fields.iter().enumerate() {
        let mut arguments = arguments::own(build, &field.arguments);
        let is_own = !r#type.is_remote && !is_custom(field);
        let (base, is_list) = (field.r#type.base, field.r#type.list.is_some());
        if is_own && !has_several_languages(field) {
            arguments.extend(arguments::of_relation(build, base, is_list, &provided));
        }
        let binding = match is_own {
            true => reads::field(build, index, place),
            false if is_interface(r#type) => FieldBinding::Refused(OF_INTERFACE.into()),
            false => match &field.remote_name {
                // Fields with keys of their own are not shared between types.
                Some(key) => FieldBinding::Refused(format!("Another server gives `{key}`.").into()),
                None => build.custom(&r#type.name, field),
            },
        };
        fields.push(of(field, &build.text(field.r#type), binding).with(arguments));
    }
    if r#type.is_remote {
        return fields;
    }
    if has_distance(build, index) {
        fields.push(DraftField::new(VECTOR_DISTANCE, "Float", FieldBinding::Distance));
    }
    for (place, field) in r#type.fields.iter().enumerate() {
        let (Base::Type(target), Some(_), false) =
            (field.r#type.base, field.r#type.list, is_custom(field))
        else {
            continue;
        };
        let target = &build.r#type(target).name;
        let binding = reads::aggregate(build, index, place);
        let name = format!("{}{AGGREGATE}", field.name);
        let field = DraftField::new(&name, &format!("{target}AggregateResult"), binding);
        fields.push(field.with(vec![arguments::filter(target)]));
    }
    fields
}

fn of(field: &Field, r#type: &str, binding: FieldBinding) -> DraftField {
    DraftField {
        description: field.description.clone(),
        deprecated: field.deprecated.clone(),
        ..DraftField::new(&field.name, r#type, binding)
    }
}
