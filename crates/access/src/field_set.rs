//! Sets of fields, which permissions share.

use std::sync::Arc;

use catalog::FieldId;

/// Fields of one entity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FieldSet(Arc<Box<[FieldId]>>);

impl FieldSet {
    #[must_use]
    pub fn contains(&self, field: &FieldId) -> bool {
        self.0.binary_search(field).is_ok()
    }

    /// The fields, sorted.
    pub fn iter(&self) -> impl Iterator<Item = &FieldId> {
        self.0.iter()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<FieldId> for FieldSet {
    fn from_iter<I: IntoIterator<Item = FieldId>>(fields: I) -> Self {
        let mut fields: Vec<FieldId> = fields.into_iter().collect();
        fields.sort_unstable();
        fields.dedup();
        Self(Arc::new(fields.into()))
    }
}
