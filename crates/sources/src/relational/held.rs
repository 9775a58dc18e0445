//! Rows that are the values of fields.
//!
//! A field that holds a row is read as the row's text. Where something of the row is asked for,
//! these texts are sent back as an array of rows, and their parts are read from that: so the row
//! is the one that the field held, whatever became of the table's own, and the row of a function
//! is there without another call.

use catalog::{EntityId, FieldId, Type};
use ir::Rows;

use super::compile::{CompileError, Compiler};
use super::function::{row_as_text, sent_rows};
use super::level::Parents;
use super::parents::{Above, LinkedScope};
use super::source::Scope;
use super::statement::Statement;

impl Compiler<'_> {
    /// The entity of the row that a field holds.
    pub(super) fn rows_of_value(&self, field: FieldId) -> Result<EntityId, CompileError> {
        match self.catalog[field].r#type {
            Type::Row(entity) => Ok(entity),
            Type::Scalar(_)
            | Type::Enum(_)
            | Type::Domain(_)
            | Type::Composite(_)
            | Type::Range(_)
            | Type::List(_) => Err(CompileError::not_built("the value of this field as a row")),
        }
    }

    /// The rows that a field of the rows above holds, each once.
    pub(super) fn value_scope(
        &self,
        rows: &Rows,
        above: &Above<'_>,
        key_columns: &[u16],
        statement: &mut Statement,
    ) -> Result<LinkedScope, CompileError> {
        let (select, alias) = sent_rows(self.entity(rows)?, above, key_columns, statement);
        let mut scope = Scope::new(select, alias);
        self.restrict(rows, &mut scope, statement)?;
        let link = vec![row_as_text(alias)];
        Ok(LinkedScope { scope, lateral: None, link, how: Parents::Arrays })
    }
}
