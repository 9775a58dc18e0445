//! The order of fields: the id, then by name, whatever its case, as Prisma sorted them.

use crate::model::{End, Field, Key, Relation, Type};

/// Sorts the fields of the types, and renews their indexes.
pub(super) fn sort_fields(types: &mut [Type], relations: &mut [Relation]) {
    let places: Vec<Vec<usize>> = types.iter_mut().map(sort).collect();
    for relation in relations {
        for end in [End::A, End::B] {
            let end = relation.end_mut(end);
            let places = places.get(end.r#type.0).map(Vec::as_slice).unwrap_or_default();
            end.field = end.field.map(|field| renewed(places, field));
        }
    }
}

/// Sorts the fields of a type, and returns their former indexes.
fn sort(own: &mut Type) -> Vec<usize> {
    let key = match own.key {
        Key::Field(key) => Some(key),
        Key::Hidden => None,
    };
    let mut fields: Vec<(usize, Field)> =
        std::mem::take(&mut own.fields).into_iter().enumerate().collect();
    fields.sort_by_cached_key(|(place, field)| (Some(*place) != key, by_name(&field.name)));
    let places: Vec<usize> = fields.iter().map(|(place, _)| *place).collect();
    own.fields = fields.into_iter().map(|(_, field)| field).collect();
    own.key = key.map_or(Key::Hidden, |key| Key::Field(renewed(&places, key)));
    places
}

fn renewed(places: &[usize], former: usize) -> usize {
    places.iter().position(|place| *place == former).unwrap_or(former)
}

/// The key by which names are sorted.
pub(super) fn by_name(name: &str) -> String {
    name.to_lowercase()
}
