//! Rows that are the values of fields.
//!
//! A field that holds a row is read as the row's text. Where something of the row is asked for,
//! these texts are sent back as an array of rows, and their parts are read from that: so the row
//! is the one that the field held, whatever became of the table's own, and the row of a function
//! is there without another call. Arrays of rows differ in length, so they are sent as texts.

use catalog::{EntityId, FieldId};
use ir::Rows;
use source::CompileError;
use sql::{Expression, FromItem, Select};

use super::compile::Compiler;
use super::function::{row_as_text, sent_rows};
use super::level::{ParameterSource, Parents};
use super::parents::{Above, LinkedScope};
use super::row_set::Scope;
use super::statement::Statement;
use super::value::ParameterKind;

fn no_rows() -> CompileError {
    CompileError::not_built("the value of this field as rows")
}

impl Compiler<'_> {
    /// The entity of the row that a field holds.
    pub(super) fn rows_of_value(&self, field: FieldId) -> Result<EntityId, CompileError> {
        let rows = self.catalog.find_rows(&self.catalog[field].r#type);
        rows.map(|(entity, _)| entity).ok_or_else(no_rows)
    }

    /// The rows that a field of the rows above holds, each once.
    pub(super) fn value_scope(
        &self,
        rows: &Rows,
        above: &Above<'_>,
        key_columns: &[u16],
        statement: &mut Statement,
    ) -> Result<LinkedScope, CompileError> {
        let entity = self.entity(rows)?;
        if !rows.single {
            return self.array_scope(rows, entity, above, key_columns, statement);
        }
        let (select, alias) = sent_rows(entity, above, key_columns, statement);
        let mut scope = Scope::new(select, alias);
        self.restrict(rows, &mut scope, statement)?;
        let link = vec![row_as_text(alias)];
        Ok(LinkedScope { scope, lateral: None, link, how: Parents::Arrays, numbered: false })
    }

    /// The rows of the arrays that a field of the rows above holds, in their order.
    fn array_scope(
        &self,
        rows: &Rows,
        entity: EntityId,
        above: &Above<'_>,
        key_columns: &[u16],
        statement: &mut Statement,
    ) -> Result<LinkedScope, CompileError> {
        let column = key_columns.first().copied().unwrap_or_default();
        let source = ParameterSource::Keys { level: above.level, column };
        let parameters = vec![statement.parameter(source, ParameterKind::TextList)];
        statement.round = statement.round.max(above.round + 1);
        let parents = statement.alias();
        let text = Expression::numbered(parents, 0);
        let select = Select::from(FromItem::Arrays { parameters, columns: 1, alias: parents });
        let alias = statement.alias();
        statement.sent.push(alias);
        let table = self.table_name(entity);
        let item = FromItem::RowsOfText { text: text.clone(), table, alias };
        let mut scope = Scope::new(Select::from(item), alias);
        scope.keeps_order = rows.order.is_empty();
        self.restrict(rows, &mut scope, statement)?;
        let (lateral, link, how) = (Some(select), vec![text], Parents::Arrays);
        Ok(LinkedScope { scope, lateral, link, how, numbered: false })
    }
}
