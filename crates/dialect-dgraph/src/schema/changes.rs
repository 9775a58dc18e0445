//! Bindings of mutations: adds, updates, deletes, and the values that they take.

use std::sync::Arc;

use super::builder::Builder;
use super::facts::{is_foreign_id, is_id, is_interface};
use super::inputs;
use super::operators::{MISSING, refused};
use super::variants;
use crate::located::LocatedField;
use crate::model::{Base, Field, TypeIndex, UnionIndex};
use api::binding::{
    Change, ChangedTypes, FieldBinding, HoldingField, InputBinding, MutationBinding, MutationForm,
    ObjectBinding, ObjectLink, ObjectRelation, ObjectRole, ObjectTarget, PayloadField, RowsBinding,
    RowsForm, RowsFrom, WriteRole,
};

const UNIQUE_IN_TYPES: &str = "Several objects of an interface can have this value: refer to one by \
     its id, or make the identifier unique with `@id(interface: true)`.";

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
pub(super) fn mutation(build: &mut Builder<'_>, index: TypeIndex, verb: Verb) -> FieldBinding {
    let Some(change) = change(build, index, verb) else {
        return FieldBinding::Refused(MISSING.into());
    };
    FieldBinding::Mutation(Box::new(MutationBinding {
        change,
        returned: None,
        form: MutationForm::Payload,
        missing: None,
        unchanged: None,
    }))
}

fn change(build: &mut Builder<'_>, index: TypeIndex, verb: Verb) -> Option<Change> {
    if verb == Verb::Add {
        return object(build, index).map(Change::AddObjects);
    }
    let types = match is_interface(build.r#type(index)) {
        false => ChangedTypes::One(object(build, index)?),
        true => {
            let rows = variants::of_root(build, Base::Type(index), RowsForm::List)?;
            let RowsFrom::Variants { variants, .. } = rows.from else { return None };
            let members = variants::members(build, Base::Type(index)).into_iter();
            let each: Option<Vec<_>> = members.map(|member| object(build, member)).collect();
            ChangedTypes::Each { each: each?.into(), variants }
        }
    };
    Some(match verb {
        Verb::Add => return None,
        Verb::Update => Change::UpdateObjects(types),
        Verb::Delete => Change::DeleteObjects(types),
    })
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
pub(super) fn changed_rows(build: &mut Builder<'_>, index: TypeIndex) -> FieldBinding {
    let rows = match is_interface(build.r#type(index)) {
        true => variants::of_root(build, Base::Type(index), RowsForm::List),
        false => build.located.rows(index).map(|rows| RowsBinding {
            from: RowsFrom::Changed,
            entity: rows.entity,
            form: RowsForm::List,
            default_limit: None,
        }),
    };
    rows.map_or_else(|| FieldBinding::Refused(MISSING.into()), FieldBinding::Rows)
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
        return match build.located.column(index, place) {
            Some(column) => input(ObjectRole::ExternalIdentifier(column.field)),
            None => refused(MISSING),
        };
    }
    if is_id(field) {
        return input(ObjectRole::Key);
    }
    if is_interface(r#type) {
        return common_member(build, index, place);
    }
    match build.located.field(index, place) {
        // No input has a text of several languages.
        LocatedField::Missing | LocatedField::Coalesce(_) => refused(MISSING),
        LocatedField::Column(column) if field.id.is_some() => {
            input(ObjectRole::Identifier(column.field))
        }
        LocatedField::Column(column) if is_list_of_values(field) => {
            input(ObjectRole::Elements(column.field))
        }
        LocatedField::Column(column) => InputBinding::lenient(WriteRole::Stored(column.field)),
        LocatedField::Rows(_) | LocatedField::Several(_) => relation(build, index, place),
    }
}

/// The password of an object.
pub(super) fn password(build: &Builder<'_>, index: TypeIndex) -> InputBinding {
    match is_interface(build.r#type(index)) {
        true => match variants::passwords(build, index) {
            Some(each) => input(ObjectRole::CommonPassword(Arc::new((*each).into()))),
            None => refused(MISSING),
        },
        false => match build.located.password(index) {
            Some(field) => input(ObjectRole::Password(field)),
            None => refused(MISSING),
        },
    }
}

/// The value by which a reference finds a row of an interface.
pub(super) fn identifier(build: &Builder<'_>, index: TypeIndex, field: &Field) -> InputBinding {
    let fields = &build.r#type(index).fields;
    let place = fields.iter().position(|own| own.name == field.name);
    let known = build.located.types.get(index.0).zip(place);
    match known.and_then(|(known, place)| known.identifiers.get(place).copied().flatten()) {
        Some(column) => input(ObjectRole::Identifier(column)),
        None => refused(UNIQUE_IN_TYPES),
    }
}

/// A member of an object of an interface: in a reference it finds a row, in a change each type has a
/// field for it.
fn common_member(build: &Builder<'_>, index: TypeIndex, place: usize) -> InputBinding {
    let field = &build.r#type(index).fields[place];
    if let Base::Type(_) | Base::Union(_) = field.r#type.base {
        let members = variants::members(build, Base::Type(index)).into_iter();
        let each: Option<Vec<_>> = members
            .map(|member| {
                let fields = &build.r#type(member).fields;
                let own = fields.iter().position(|own| own.name == field.name)?;
                object_relation(build, member, own)
            })
            .collect();
        return match each {
            Some(each) => input(ObjectRole::CommonRelation(Arc::new(Vec::into(each)))),
            None => refused(FROM_SEVERAL),
        };
    }
    match variants::common_place(build, index, place) {
        Some(place) if is_list_of_values(field) => input(ObjectRole::CommonElements(place)),
        Some(place) => input(ObjectRole::Common(place)),
        None => refused(MISSING),
    }
}

/// True for a list of values. A vector is one value.
fn is_list_of_values(field: &Field) -> bool {
    field.r#type.list.is_some() && !field.is_embedding
}

fn relation(build: &Builder<'_>, index: TypeIndex, place: usize) -> InputBinding {
    match object_relation(build, index, place) {
        Some(relation) => input(ObjectRole::Relation(Box::new(relation))),
        None => refused(ROWS_AND_UNION),
    }
}

fn object_relation(build: &Builder<'_>, index: TypeIndex, place: usize) -> Option<ObjectRelation> {
    let located = build.located.types.get(index.0);
    let link = located.and_then(|known| known.links.get(place)?.as_ref())?;
    let field = &build.r#type(index).fields[place];
    let base = field.r#type.base;
    let inverse = field.inverse.as_ref();
    let is_symmetric =
        inverse.is_some_and(|inverse| inverse.r#type == index && inverse.field == place);
    let target = match (base, link.keys) {
        (Base::Type(target), None) if !is_interface(build.r#type(target)) => {
            object(build, target).map(ObjectTarget::One)
        }
        (Base::Type(target), None) => holding(build, (index, place), target, &link.each),
        (Base::Type(target), Some((entity, key))) => Some(ObjectTarget::Several {
            keys: Arc::new(ObjectBinding {
                entity,
                key,
                name: build.r#type(target).name.clone(),
                required: Box::default(),
                is_creatable: false,
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
                    is_creatable: false,
                }),
                each: each.into(),
            })
        }
        _ => None,
    };
    Some(ObjectRelation { target: target?, link: link.link, is_symmetric })
}

/// The objects of an interface that hold the key of an object, each in the field of its type.
fn holding(
    build: &Builder<'_>,
    (index, place): (TypeIndex, usize),
    target: TypeIndex,
    links: &[ObjectLink],
) -> Option<ObjectTarget> {
    let LocatedField::Several(ways) = build.located.field(index, place) else { return None };
    let each: Option<Vec<HoldingField>> = ways
        .iter()
        .zip(links)
        .map(|((member, _), link)| {
            let rows = build.located.rows(*member)?;
            let ObjectLink::Far { field, is_unique } = *link else { return None };
            Some(HoldingField { entity: rows.entity, key: rows.key, field, is_unique })
        })
        .collect();
    let each = each?;
    // Without a table of all keys they are looked up in each of the tables.
    let of_all = build.located.types.get(target.0).and_then(|known| known.keys);
    let others = each.iter().skip(1).filter(|_| of_all.is_none());
    let others: Vec<_> = others.map(|own| (own.entity, own.key)).collect();
    let first = each.first()?;
    let (entity, key) = of_all.map_or((first.entity, first.key), |rows| (rows.entity, rows.key));
    let keys = Arc::new(ObjectBinding {
        entity,
        key,
        name: build.r#type(target).name.clone(),
        required: Box::default(),
        is_creatable: false,
    });
    Some(ObjectTarget::Holding { keys, others: others.into(), each: each.into() })
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
        is_creatable: true,
    }))
}
