//! A granted privilege whose conditions are decided.

use std::sync::Arc;

use catalog::FieldId;
use ir::Filter;

use crate::field_set::FieldSet;
use crate::grant::Presets;

/// One granted privilege: these fields of these rows. Grants are never merged into one filter and one
/// set of fields, which would permit more than each of them.
#[derive(Clone, Debug)]
pub struct Granted {
    /// The name of the grant.
    pub name: Arc<Box<str>>,
    pub rows: Filter,
    /// The most rows of a list that is read.
    pub limit: Option<u64>,
    pub fields: FieldSet,
    pub presets: Presets,
    /// The condition on a row after it is written.
    pub check: Filter,
    /// A row that may be written passes its check if none of these fields is written.
    pub(crate) unchecked_without: Option<Arc<Box<[FieldId]>>>,
}

impl Granted {
    /// Returns true if the grant permits the request to write the field.
    pub(crate) fn permits(&self, field: FieldId) -> bool {
        self.fields.contains(&field) && !self.presets.iter().any(|(preset, _)| *preset == field)
    }
}
