//! Bindings of mutations: adds, updates, deletes, and the values that they take.

use std::sync::Arc;

use super::builder::Builder;
use super::facts::{is_foreign_id, is_id, is_interface};
use super::inputs;
use super::operators::refused;
use crate::located::LocatedField;
use crate::model::{Base, Scalar, TypeIndex, UnionIndex};
use api::binding::{
    Change, FieldBinding, InputBinding, MutationBinding, MutationForm, ObjectBinding,
    ObjectRelation, ObjectRole, ObjectTarget, PayloadField, RowsBinding, RowsForm, RowsFrom,
    WriteRole,
};

const OF_INTERFACE: &str = "Changes of all rows of an interface are not supported yet: change those \
     of its types.";

const MISSING: &str = "The database does not store this.";

const FOREIGN: &str = "Ids of other subgraphs cannot be stored yet.";

const PLACES: &str = "Places are not supported yet.";

const FROM_SEVERAL: &str = "References from rows of an interface's types are not supported here yet: \
     set them from the other end.";

const ROWS_AND_UNION: &str = "This reference to one of several types is not supported yet.";

/// The kind of a mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Add,
    Update,
    Delete,
}

/// The binding of a mutation of a type.
pub(super) fn mutation(build: &Builder<'_>, index: TypeIndex, verb: Verb) -> FieldBinding {
    if is_interface(build.r#type(index)) {
        return FieldBinding::Refused(OF_INTERFACE.into());
    }
    let Some(object) = object(build, index) else {
        return FieldBinding::Refused(MISSING.into());
    };
    let returned = Some(object.entity);
    let change = match verb {
        Verb::Add => Change::AddObjects(object),
        Verb::Update => Change::UpdateObjects(object),
        Verb::Delete => Change::DeleteObjects(object),
    };
    FieldBinding::Mutation(Box::new(MutationBinding {
        change,
        returned,
        form: MutationForm::Payload,
        missing: None,
        unchanged: None,
    }))
}

/// An input of a change of objects.
pub(super) fn input(role: ObjectRole) -> InputBinding {
    InputBinding::lenient(WriteRole::Object(role))
}

/// An object of inputs of a change.
pub(super) fn inputs() -> InputBinding {
    InputBinding::lenient(WriteRole::Inputs)
}

/// The rows of a payload.
pub(super) fn changed_rows(build: &Builder<'_>, index: TypeIndex) -> FieldBinding {
    match build.located.rows(index) {
        Some(rows) if !is_interface(build.r#type(index)) => FieldBinding::Rows(RowsBinding {
            from: RowsFrom::Changed,
            entity: rows.entity,
            form: RowsForm::List,
            default_limit: None,
        }),
        Some(_) | None => FieldBinding::Refused(OF_INTERFACE.into()),
    }
}

/// The number of rows of a payload.
pub(super) fn number() -> FieldBinding {
    FieldBinding::Payload(PayloadField::Objects)
}

/// The text of a payload about deleted rows.
pub(super) fn message() -> FieldBinding {
    FieldBinding::Payload(PayloadField::Message { some: "Deleted", none: "No nodes were deleted" })
}

/// A member of an object of a type, which stands for a field.
pub(super) fn member(build: &Builder<'_>, index: TypeIndex, place: usize) -> InputBinding {
    let r#type = build.r#type(index);
    let field = &r#type.fields[place];
    if is_foreign_id(field) {
        return refused(FOREIGN);
    }
    if is_id(field) {
        return input(ObjectRole::Key);
    }
    if is_interface(r#type) {
        return refused(OF_INTERFACE);
    }
    match build.located.field(index, place) {
        LocatedField::Missing => refused(MISSING),
        LocatedField::Column(_) if is_place(field.r#type.base) => refused(PLACES),
        LocatedField::Column(column) if field.id.is_some() => {
            input(ObjectRole::Identifier(column.field))
        }
        LocatedField::Column(column) => InputBinding::lenient(WriteRole::Stored(column.field)),
        LocatedField::Rows(_) | LocatedField::Several(_) => relation(build, index, place),
    }
}

fn relation(build: &Builder<'_>, index: TypeIndex, place: usize) -> InputBinding {
    let located = build.located.types.get(index.0);
    let link = located.and_then(|known| known.links.get(place).copied().flatten());
    let Some(link) = link else { return refused(FROM_SEVERAL) };
    let base = build.r#type(index).fields[place].r#type.base;
    let target = match (base, link.keys) {
        (Base::Type(target), None) if !is_interface(build.r#type(target)) => {
            object(build, target).map(ObjectTarget::One)
        }
        (Base::Type(target), Some((entity, key))) => Some(ObjectTarget::Several {
            keys: Arc::new(ObjectBinding {
                entity,
                key,
                name: build.r#type(target).name.clone(),
                required: Box::default(),
            }),
            each: Arc::new([]),
        }),
        (Base::Union(UnionIndex(union)), Some((entity, key))) => {
            let union = &build.model.unions[union];
            let each: Option<Vec<_>> =
                union.members.iter().map(|member| object(build, *member)).collect();
            each.map(|each| ObjectTarget::Several {
                keys: Arc::new(ObjectBinding {
                    entity,
                    key,
                    name: union.name.clone(),
                    required: Box::default(),
                }),
                each: each.into(),
            })
        }
        _ => None,
    };
    match target {
        Some(target) => input(ObjectRole::Relation(ObjectRelation { target, link: link.link })),
        None => refused(ROWS_AND_UNION),
    }
}

/// The objects of a type; `None` if they are not stored.
fn object(build: &Builder<'_>, index: TypeIndex) -> Option<Arc<ObjectBinding>> {
    let r#type = build.r#type(index);
    let rows = build.located.rows(index)?;
    Some(Arc::new(ObjectBinding {
        entity: rows.entity,
        key: rows.key,
        name: r#type.name.clone(),
        required: inputs::required(build, index),
    }))
}

fn is_place(base: Base) -> bool {
    matches!(base, Base::Scalar(Scalar::Point | Scalar::Polygon | Scalar::MultiPolygon))
}
