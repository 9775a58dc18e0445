//! Fields by name for types with very many of them, as root types have.

use std::collections::HashMap;

use crate::schema::{FieldId, Schema, TypeId, TypeKind};
use crate::visibility::View;

/// Below this, a linear search is as fast.
const MANY: usize = 32;

#[derive(Debug, Default)]
pub(crate) struct FieldIndex {
    /// Sorted by name.
    types: HashMap<TypeId, Vec<FieldId>>,
}

impl FieldIndex {
    pub(crate) fn new(schema: &Schema) -> Self {
        let mut types = HashMap::new();
        for (id, definition) in schema.types() {
            match &definition.kind {
                TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. }
                    if fields.len() > MANY =>
                {
                    let mut fields = fields.clone();
                    fields.sort_by(|left, right| schema[*left].name.cmp(&schema[*right].name));
                    types.insert(id, fields);
                }
                TypeKind::Object { .. }
                | TypeKind::Interface { .. }
                | TypeKind::Scalar
                | TypeKind::Union { .. }
                | TypeKind::Enum { .. }
                | TypeKind::InputObject { .. } => {}
            }
        }
        Self { types }
    }

    pub(crate) fn find_field(
        &self,
        schema: View<'_>,
        parent: TypeId,
        name: &str,
    ) -> Option<FieldId> {
        let Some(fields) = self.types.get(&parent) else {
            return schema.find_field(parent, name);
        };
        let place = fields.binary_search_by(|field| (*schema[*field].name).cmp(name)).ok()?;
        fields.get(place).copied().filter(|field| schema.shows_field(*field))
    }
}
