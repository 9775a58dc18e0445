//! Relations: fields whose values are rows.
//!
//! A field and its inverse are one relation. A field that types inherit is one relation of the
//! interface's group, if the interface's field has the inverse or if it is a list, which has a table
//! of its own; otherwise each type has its own relation, which is a column of its table.

use rustc_hash::FxHashMap;
use storage::model as target;

use super::{FieldStorage, Layout, Side, columns};
use crate::model::{Base, Field, Type, TypeIndex, TypeKind};

/// An end: whether its rows are a group's, their index, and the stored name of the field.
type EndKey = (bool, usize, Box<str>);

pub(super) fn add(layout: &mut Layout<'_>) {
    let mut ends: FxHashMap<EndKey, (usize, Side)> = FxHashMap::default();
    for (idx, r#type) in layout.stored_types() {
        for index in 0..r#type.fields.len() {
            let field = &r#type.fields[index];
            if target_of(layout, field).is_none() || !layout.is_stored(r#type, field) {
                continue;
            }
            let place = (TypeIndex(idx), index);
            let Some((unit, declared)) = unit(layout, place) else {
                layout.place((idx, index), FieldStorage::Members);
                continue;
            };
            let key = end_key(layout, unit, declared);
            let (relation, side) = match ends.get(&key) {
                Some(known) => *known,
                None => {
                    let relation = layout.target.relations.len();
                    if let Some(other) = add_relation(layout, unit, declared) {
                        ends.insert(other, (relation, Side::Far));
                    }
                    ends.insert(key, (relation, Side::Near));
                    (relation, Side::Near)
                }
            };
            layout.place((idx, index), FieldStorage::Relation { relation, side });
        }
    }
}

/// Adds the relation of a field, and returns the other end if it has a field.
fn add_relation(
    layout: &mut Layout<'_>,
    of: target::EndOf,
    declared: (TypeIndex, usize),
) -> Option<EndKey> {
    let source = layout.source;
    let field = &source.types[declared.0.0].fields[declared.1];
    let target = target_of(layout, field)?;
    let inverse = field.inverse.as_ref();
    let other = inverse.and_then(|inverse| unit(layout, (inverse.r#type, inverse.field)));
    let Some((other_of, other)) = other else {
        let near = end(layout, of, declared);
        layout.target.relations.push(target::Relation {
            near,
            far: target::End {
                of: target,
                field: None,
                is_list: true,
                is_required: false,
                on_delete: target::OnDelete::SetNull,
            },
        });
        return None;
    };
    let other_field = &source.types[other.0.0].fields[other.1];
    let back = target_of(layout, other_field).unwrap_or(of);
    let near = end(layout, broader(of, back), declared);
    let far = end(layout, broader(other_of, target), other);
    layout.target.relations.push(target::Relation { near, far });
    Some(end_key(layout, other_of, other))
}

/// The rows of an end, by its own field and by the type of the other one: one of both may be an
/// interface of the other.
fn broader(own: target::EndOf, expected: target::EndOf) -> target::EndOf {
    match (own, expected) {
        (target::EndOf::Entity(_), target::EndOf::Group(_)) => expected,
        (target::EndOf::Group(_), _) | (target::EndOf::Entity(_), target::EndOf::Entity(_)) => own,
    }
}

fn end(
    layout: &Layout<'_>,
    of: target::EndOf,
    (index, position): (TypeIndex, usize),
) -> target::End {
    let field = &layout.source.types[index.0].fields[position];
    let is_list = field.r#type.list.is_some();
    let name = &*layout.names[index.0][position];
    let is_required = match columns::entity(layout, index.0) {
        Some(entity) => columns::is_required(layout, entity, name),
        None => field.r#type.is_required,
    };
    // A reverse predicate is no name.
    let name = if name.starts_with('~') { &*field.name } else { name };
    target::End {
        of,
        field: Some(name.into()),
        is_list,
        is_required: is_required && !is_list,
        on_delete: target::OnDelete::SetNull,
    }
}

fn end_key(
    layout: &Layout<'_>,
    of: target::EndOf,
    (index, position): (TypeIndex, usize),
) -> EndKey {
    let name = layout.names[index.0][position].clone();
    match of {
        target::EndOf::Entity(entity) => (false, entity.0, name),
        target::EndOf::Group(group) => (true, group.0, name),
    }
}

/// The rows that have the relation of a field, and the field that declares it; `None` for an
/// interface's field of which each type has its own.
fn unit(
    layout: &Layout<'_>,
    (index, position): (TypeIndex, usize),
) -> Option<(target::EndOf, (TypeIndex, usize))> {
    let source = layout.source;
    let r#type = &source.types[index.0];
    let field = &r#type.fields[position];
    match (r#type.kind, field.inherited) {
        (TypeKind::Interface, _) => {
            let rows = layout.rows(index)?;
            is_of_group(layout, index, field).then_some((rows, (index, position)))
        }
        (TypeKind::Object, Some(interface)) => {
            let declaring = &source.types[interface.0];
            let declared = declaring.fields.iter().position(|one| one.name == field.name)?;
            match is_of_group(layout, interface, &declaring.fields[declared]) {
                true => Some((layout.rows(interface)?, (interface, declared))),
                false => Some((layout.rows(index)?, (index, position))),
            }
        }
        (TypeKind::Object, None) => Some((layout.rows(index)?, (index, position))),
    }
}

fn is_of_group(layout: &Layout<'_>, interface: TypeIndex, field: &Field) -> bool {
    if field.inverse.is_some() {
        return true;
    }
    let types = layout.stored_types().map(|(_, r#type)| r#type);
    let has_own = |r#type: &Type| {
        let mut fields = r#type.fields.iter();
        fields.any(|one| {
            one.inherited == Some(interface) && one.name == field.name && one.inverse.is_some()
        })
    };
    field.r#type.list.is_some() && !types.into_iter().any(has_own)
}

/// The rows that a field refers to; `None` for scalars and enums.
fn target_of(layout: &Layout<'_>, field: &Field) -> Option<target::EndOf> {
    match field.r#type.base {
        Base::Type(index) => layout.rows(index),
        Base::Union(index) => layout.unions[index.0].map(target::EndOf::Group),
        Base::Scalar(_) | Base::Enum(_) | Base::Input(_) => None,
    }
}
