//! Names of the tables and columns of a model's storage.

use storage::model::{End, EndOf, Key, Model, Relation};

use crate::stored::Side;

/// The place of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EntityPlace<'m> {
    pub(super) table: &'m str,
    /// The column of the primary key.
    pub(super) key: &'m str,
    /// The column of each field.
    pub(super) fields: Vec<&'m str>,
}

/// The place of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RelationPlace<'m> {
    /// A column of the rows at one end.
    Column { side: Side, column: &'m str },
    /// A table of pairs.
    Pairs { table: String, near: String, far: &'m str },
}

pub(super) fn of_entity(model: &Model, entity: usize) -> Option<EntityPlace<'_>> {
    let entity = model.entities.get(entity)?;
    let fields: Vec<&str> = entity.fields.iter().map(|field| &*field.name).collect();
    let key = match &entity.key {
        Key::Sequence { column } => column,
        Key::Fields(indexes) => fields.get(*indexes.first()?).copied()?,
    };
    Some(EntityPlace { table: &entity.name, key, fields })
}

/// One row per row is a column, on the side that requires it if there are two; several rows per row
/// on both sides are pairs.
pub(super) fn of_relation(model: &Model, relation: usize) -> Option<RelationPlace<'_>> {
    let Relation { near, far } = model.relations.get(relation)?;
    match (is_single(near), is_single(far)) {
        (true, true) if far.is_required && !near.is_required => column(Side::Far, far),
        (true, _) => column(Side::Near, near),
        (false, true) => column(Side::Far, far),
        (false, false) => {
            let (of, field) = (name(model, near.of)?, near.field.as_deref()?);
            let table = format!("{of}_{field}");
            Some(RelationPlace::Pairs { table, near: lower_first(of), far: field })
        }
    }
}

/// Whether rows at the end have a field that holds one row of the other end.
fn is_single(end: &End) -> bool {
    end.field.is_some() && !end.is_list
}

fn column(side: Side, end: &End) -> Option<RelationPlace<'_>> {
    Some(RelationPlace::Column { side, column: end.field.as_deref()? })
}

fn name(model: &Model, of: EndOf) -> Option<&str> {
    match of {
        EndOf::Entity(index) => model.entities.get(index.0).map(|entity| &*entity.name),
        EndOf::Group(index) => model.groups.get(index.0).map(|group| &*group.name),
    }
}

/// The name with its first letter in lower case.
fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => String::new(),
    }
}
