//! Rows as changes write them together with those of their relations.

use std::sync::Arc;

use api::ApiBuilder;
use api::binding::{
    Cascade, ElementRows, OneOf, RelatedRows, RelatedRowsId, RelationLink, RelationPlace,
    RelationRequirement, RelationSide, RelationWrites,
};

use super::builder::{Builder, RelationField};
use super::subscriptions;
use crate::errors::{no_key, relation_required, several_keys};
use crate::located::{LocatedField, LocatedList, LocatedRelation};
use crate::model::{End, Key, Model, OnDelete, Relation, RelationIndex, Type, TypeIndex};

/// The number of the rows of a type.
pub(super) fn id(index: TypeIndex) -> RelatedRowsId {
    RelatedRowsId(number(index.0))
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The errors of a key of a type that does not have one field.
pub(super) fn selector(r#type: &str) -> Arc<OneOf> {
    Arc::new(OneOf { none: no_key(r#type).into(), several: several_keys(r#type).into() })
}

/// The rows of a list of values.
pub(super) fn elements(list: &LocatedList) -> ElementRows {
    ElementRows {
        entity: list.entity,
        owner: list.node_id,
        position: list.position,
        value: list.value.field,
    }
}

/// The changes along a relation of a type; `None` if the database lacks it.
pub(super) fn writes(build: &Builder<'_>, field: RelationField<'_>) -> Option<RelationWrites> {
    let located = build.located.relation(field.index)?;
    let owner = &build.r#type(field.owner).name;
    Some(RelationWrites {
        target: id(field.target),
        back: located.path(field.end.other()),
        link: link(located, field.end),
        near: RelationSide { is_list: field.is_list, is_required: field.is_required },
        far: side(build.model, field.relation, field.end.other()),
        violated: violated(build.model, field.relation),
        missing: relation_required(field.name, owner).into(),
        unrelated: format!(
            "The relation {} has no node for the model {owner}",
            field.relation.name
        )
        .into(),
    })
}

/// The rows that one of an end has. An end without a field may have any number.
fn side(model: &Model, relation: &Relation, end: End) -> RelationSide {
    let end = relation.end(end);
    let field = end.field.and_then(|place| model.types[end.r#type.0].fields.get(place));
    match field {
        None => RelationSide { is_list: true, is_required: false },
        Some(field) => RelationSide {
            is_list: matches!(field.kind, crate::model::FieldKind::Relation { is_list: true, .. }),
            is_required: field.is_required,
        },
    }
}

fn link(located: &LocatedRelation, end: End) -> RelationLink {
    match *located {
        LocatedRelation::Inline { end: own, field, .. } if own == end => {
            RelationLink::Forward { field }
        }
        LocatedRelation::Inline { field, .. } => RelationLink::Backward { field },
        LocatedRelation::Table(table) => {
            let (near, far) = match end {
                End::A => (table.a, table.b),
                End::B => (table.b, table.a),
            };
            RelationLink::Joined { joining: table.entity, near, far, id: table.id }
        }
    }
}

fn violated(model: &Model, relation: &Relation) -> Box<str> {
    let name = |index: TypeIndex| &model.types[index.0].name;
    format!(
        "The change you are trying to make would violate the required relation '{}' between {} and {}",
        relation.name,
        name(relation.a.r#type),
        name(relation.b.r#type),
    )
    .into()
}

/// The name of a type's key in errors.
fn key_name(r#type: &Type) -> &str {
    match r#type.key {
        Key::Field(place) => r#type.fields.get(place).map_or("id", |field| &field.name),
        Key::Hidden => "id",
    }
}

/// Adds the rows of all types, in the order of the datamodel.
pub(super) fn add(build: &Builder<'_>, builder: &mut ApiBuilder) {
    for (index, r#type) in build.types() {
        let Some(located) = build.located.r#type(index) else { continue };
        let lists = located.fields.iter().filter_map(|field| match field {
            LocatedField::List(list) => Some(elements(list)),
            LocatedField::Missing | LocatedField::Column(_) | LocatedField::Relation => None,
        });
        let mut rows = RelatedRows {
            entity: located.entity,
            key: located.key,
            key_name: key_name(r#type).into(),
            name: r#type.name.clone(),
            selector: selector(&r#type.name),
            requirements: Vec::new(),
            cascades: Vec::new(),
            elements: lists.collect(),
            values: subscriptions::values(build, index),
        };
        for (place, relation) in build.model.relations.iter().enumerate() {
            let place = RelationIndex(place);
            for end in [End::A, End::B] {
                if relation.end(end).r#type == index {
                    add_relation(build, (place, relation, end), &mut rows);
                }
            }
        }
        builder.add_related_rows(id(index), rows);
    }
}

/// What the deletion of a row at an end of a relation means for the rows of the other end.
fn add_relation(
    build: &Builder<'_>,
    (index, relation, end): (RelationIndex, &Relation, End),
    rows: &mut RelatedRows,
) {
    let Some(located) = build.located.relation(index) else { return };
    let path = located.path(end);
    let place = RelationPlace { relation: number(index.0), is_b: end == End::B };
    if side(build.model, relation, end.other()).is_required {
        let violated = violated(build.model, relation);
        rows.requirements.push(RelationRequirement { path, place, violated });
    }
    if relation.end(end).on_delete == OnDelete::Cascade {
        let target = id(relation.end(end.other()).r#type);
        rows.cascades.push(Cascade { back: located.path(end.other()), place, target });
    }
}
