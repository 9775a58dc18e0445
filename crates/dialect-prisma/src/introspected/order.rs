//! The order of fields: the id, then by name, whatever its case, as Prisma sorted them.

use crate::model::{End, Field, Key, Relation, Type, TypeIndex};

/// Sorts the fields of the types, and renews their indexes.
pub(super) fn sort_fields(types: &mut [Type], relations: &mut [Relation]) {
    for (index, own) in types.iter_mut().enumerate() {
        let key = match own.key {
            Key::Field(key) => Some(key),
            Key::Hidden => None,
        };
        let mut fields: Vec<(usize, Field)> =
            std::mem::take(&mut own.fields).into_iter().enumerate().collect();
        fields.sort_by_cached_key(|(place, field)| (Some(*place) != key, by_name(&field.name)));
        let places: Vec<usize> = fields.iter().map(|(place, _)| *place).collect();
        let renewed = |old: usize| places.iter().position(|place| *place == old).unwrap_or(old);
        own.fields = fields.into_iter().map(|(_, field)| field).collect();
        own.key = key.map_or(Key::Hidden, |key| Key::Field(renewed(key)));
        for relation in &mut *relations {
            for end in [End::A, End::B] {
                let end = relation.end_mut(end);
                if end.r#type == TypeIndex(index) {
                    end.field = end.field.map(renewed);
                }
            }
        }
    }
}

/// The key by which names are sorted.
pub(super) fn by_name(name: &str) -> String {
    name.to_lowercase()
}
