//! Values of mutations: new rows, references to rows, changes of rows.

use super::builder::{Builder, lower_first, wrapped};
use super::changes;
use super::facts::{
    id_field, is_custom, is_external, is_foreign_id, is_id, is_identified, is_interface,
    is_reverse, xid_field,
};
use super::operators::{MISSING, refused};
use api::binding::{FilterRole, InputBinding, ObjectRole, RequiredMember, VariantRole};
use api::draft::DraftInput;

use crate::language_tags::is_multilingual;
use crate::model::{Base, Field, FieldType, Scalar, TypeIndex, UnionIndex};

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
            let conditions = InputBinding::lenient(FilterRole::Conditions);
            let members = vec![
                DraftInput::new("filter", &format!("{name}Filter!"), conditions),
                DraftInput::new("set", &patch_name, changes::input(ObjectRole::Set)),
                DraftInput::new("remove", &patch_name, changes::input(ObjectRole::Remove)),
            ];
            build.input(&format!("Update{name}Input"), members);
        }
    }
    if r#type.generate.add && !is_interface(r#type) {
        let mut members = Vec::new();
        if r#type.federation.is_extended {
            let id = id_field(r#type, &provided);
            members.extend(id.map(|field| plain(build, index, field)));
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
    let members = union.members.iter().enumerate().map(|(place, index)| {
        let name = &build.r#type(*index).name;
        let place = u16::try_from(place).unwrap_or(u16::MAX);
        let binding = InputBinding::lenient(VariantRole::Of(place));
        DraftInput::new(&format!("{}Ref", lower_first(name)), &format!("{name}Ref"), binding)
    });
    let members = members.collect();
    build.input(&format!("{}Ref", union.name), members);
}

/// The fields of a type that have values, without its automatic id.
fn valued<'m>(build: &Builder<'m>, index: TypeIndex, values: Values) -> Vec<&'m Field> {
    let r#type = build.r#type(index);
    let provided = build.provided(index);
    let has_value = |field: &&Field| {
        !(is_id(field)
            || is_external(r#type, field, &provided)
            || is_custom(field)
            || values != Values::Known && is_multilingual(field)
            || is_reverse(field)
            || is_unlinked(build, field.r#type.base))
    };
    r#type.fields.iter().filter(has_value).collect()
}

/// The names of the values without which no row of a type is added. A nested object needs no password,
/// as in Dgraph.
pub(super) fn required(build: &Builder<'_>, index: TypeIndex) -> Box<[RequiredMember]> {
    let required = valued(build, index, Values::Added).into_iter();
    let required =
        required.filter(|field| field.r#type.is_required && field.default_on_add.is_none());
    let fields = &build.r#type(index).fields;
    let located = build.located.types.get(index.0);
    let required = required.map(|field| {
        let place = fields.iter().position(|own| own.name == field.name);
        let link = located.zip(place).and_then(|(known, place)| known.links.get(place)?.as_ref());
        let link = link.map(|known| known.link);
        RequiredMember { name: field.name.clone(), link }
    });
    // The ids of other subgraphs are not generated here.
    let foreign = fields.iter().filter(|field| is_foreign_id(field) && field.r#type.is_required);
    let others = foreign.map(|field| RequiredMember { name: field.name.clone(), link: None });
    required.chain(others).collect()
}

/// The values of a type without its automatic id, each as declared.
pub(super) fn values(build: &Builder<'_>, index: TypeIndex, values: Values) -> Vec<DraftInput> {
    let mut members = Vec::new();
    for field in valued(build, index, values) {
        let mut input = plain(build, index, field);
        if values != Values::Patched && field.default_on_add.is_some() {
            input.r#type = input.r#type.trim_end_matches('!').into();
        }
        members.push(input);
    }
    let secret = build.r#type(index).secret.as_ref();
    members.extend(
        secret.map(|secret| {
            DraftInput::new(&secret.field, "String!", changes::password(build, index))
        }),
    );
    members
}

/// Adds the reference to a row of a type, which may be a new row: an interface has existing rows
/// only.
fn add_reference(build: &mut Builder<'_>, index: TypeIndex) {
    let r#type = build.r#type(index);
    let provided = build.provided(index);
    let is_identified = is_identified(r#type);
    let mut members: Vec<DraftInput> =
        id_field(r#type, &provided).into_iter().map(|field| plain(build, index, field)).collect();
    if is_interface(r#type) {
        if !is_identified {
            return;
        }
        members.extend(xid_field(r#type, &provided).map(|field| DraftInput {
            binding: changes::identifier(build, index, field),
            ..plain(build, index, field)
        }));
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
fn plain(build: &Builder<'_>, index: TypeIndex, field: &Field) -> DraftInput {
    let fields = &build.r#type(index).fields;
    let place = fields.iter().position(|own| own.name == field.name);
    let binding = match place {
        Some(place) => changes::member(build, index, place),
        None => refused(MISSING),
    };
    let FieldType { base, .. } = field.r#type;
    let name = build.name(base);
    match base {
        Base::Type(_)
        | Base::Union(_)
        | Base::Scalar(Scalar::Point | Scalar::Polygon | Scalar::MultiPolygon) => {
            DraftInput::new(&field.name, &wrapped(&format!("{name}Ref"), field.r#type), binding)
        }
        Base::Scalar(_) | Base::Enum(_) | Base::Input(_) => DraftInput {
            description: field.description.clone(),
            ..DraftInput::new(&field.name, &wrapped(name, field.r#type), binding)
        },
    }
}
