//! Values of mutations: new rows, references to rows, changes of rows.

use super::builder::{Builder, lower_first, wrapped};
use super::draft::DraftInput;
use super::facts::{
    id_field, is_custom, is_external, is_id, is_identified, is_interface, is_of_any_language,
    is_reverse, xid_field,
};
use super::operators::refused;
use crate::model::{Base, Field, FieldType, Scalar, TypeIndex, UnionIndex};

/// The text of mutations.
pub(super) const NOT_YET: &str = "Mutations are not supported yet.";

/// Uses of a type's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// All that can be read.
    Known,
    /// Those of new rows.
    Added,
    /// Those of changes.
    Patched,
}

/// Adds the inputs of a type.
pub(super) fn add(build: &mut Builder<'_>, index: TypeIndex) {
    let r#type = build.r#type(index);
    let name = &r#type.name;
    let provided = build.provided(index);
    add_reference(build, index);
    let nullable = |member: DraftInput| {
        let r#type = member.r#type.trim_end_matches('!').into();
        DraftInput { r#type, ..member }
    };
    if r#type.generate.update {
        let patch: Vec<DraftInput> =
            values(build, index, Values::Patched).into_iter().map(nullable).collect();
        if !patch.is_empty() {
            let patch_name = format!("{name}Patch");
            build.input(&patch_name, patch);
            let members = vec![
                member("filter", &format!("{name}Filter!")),
                member("set", &patch_name),
                member("remove", &patch_name),
            ];
            build.input(&format!("Update{name}Input"), members);
        }
    }
    if r#type.generate.add && !is_interface(r#type) {
        let mut members = Vec::new();
        if r#type.federation.is_extended {
            let id = id_field(r#type, &provided);
            members.extend(id.map(|field| plain(build, field)));
        }
        members.extend(values(build, index, Values::Added));
        if !members.is_empty() {
            build.input(&format!("Add{name}Input"), members);
        }
    }
}

/// Adds the reference to a row of a union.
pub(super) fn add_union(build: &mut Builder<'_>, UnionIndex(index): UnionIndex) {
    let union = &build.model.unions[index];
    let members = union.members.iter().map(|index| {
        let name = &build.r#type(*index).name;
        member(&format!("{}Ref", lower_first(name)), &format!("{name}Ref"))
    });
    let members = members.collect();
    build.input(&format!("{}Ref", union.name), members);
}

/// The values of a type without its automatic id, each as declared.
pub(super) fn values(build: &Builder<'_>, index: TypeIndex, values: Values) -> Vec<DraftInput> {
    let r#type = build.r#type(index);
    let provided = build.provided(index);
    let mut members = Vec::new();
    for field in &r#type.fields {
        let is_skipped = is_id(field)
            || is_external(r#type, field, &provided)
            || is_custom(field)
            || values != Values::Known && is_of_any_language(field)
            || is_reverse(field)
            || is_unlinked(build, field.r#type.base);
        if is_skipped {
            continue;
        }
        let mut input = plain(build, field);
        if values != Values::Patched && field.default_on_add.is_some() {
            input.r#type = input.r#type.trim_end_matches('!').into();
        }
        members.push(input);
    }
    members.extend(r#type.secret.as_ref().map(|secret| member(&secret.field, "String!")));
    members
}

/// Adds the reference to a row of a type, which may be a new row: an interface has existing rows
/// only.
fn add_reference(build: &mut Builder<'_>, index: TypeIndex) {
    let r#type = build.r#type(index);
    let provided = build.provided(index);
    let is_identified = is_identified(r#type);
    let mut members: Vec<DraftInput> =
        id_field(r#type, &provided).into_iter().map(|field| plain(build, field)).collect();
    if is_interface(r#type) {
        if !is_identified {
            return;
        }
        members.extend(xid_field(r#type, &provided).map(|field| plain(build, field)));
    } else {
        members.extend(values(build, index, Values::Added));
    }
    let is_single = members.len() == 1 && is_identified;
    for input in &mut members {
        let nullable = input.r#type.trim_end_matches('!');
        input.r#type = if is_single { format!("{nullable}!").into() } else { nullable.into() };
    }
    if !members.is_empty() {
        build.input(&format!("{}Ref", r#type.name), members);
    }
}

/// True for an interface whose rows cannot be named: nothing can refer to them.
fn is_unlinked(build: &Builder<'_>, base: Base) -> bool {
    match base {
        Base::Type(index) => {
            let r#type = build.r#type(index);
            is_interface(r#type) && !is_identified(r#type)
        }
        Base::Scalar(_) | Base::Enum(_) | Base::Union(_) | Base::Input(_) => false,
    }
}

/// A field as the member of an input. References have no description.
fn plain(build: &Builder<'_>, field: &Field) -> DraftInput {
    let FieldType { base, .. } = field.r#type;
    let name = build.name(base);
    match base {
        Base::Type(_)
        | Base::Union(_)
        | Base::Scalar(Scalar::Point | Scalar::Polygon | Scalar::MultiPolygon) => {
            member(&field.name, &wrapped(&format!("{name}Ref"), field.r#type))
        }
        Base::Scalar(_) | Base::Enum(_) | Base::Input(_) => DraftInput {
            description: field.description.clone(),
            ..member(&field.name, &wrapped(name, field.r#type))
        },
    }
}

fn member(name: &str, r#type: &str) -> DraftInput {
    DraftInput::new(name, r#type, refused(NOT_YET))
}
