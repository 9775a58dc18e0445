//! Rows to update and to delete, of those that other writes lead to.

use ir::{Filter, Operand, Update};
use source::CompileError;
use sql::{Alias, Expression, Select, Set};

use super::super::super::compile::Compiler;
use super::super::super::level::Parents;
use super::super::super::parents::equal_fields;
use super::super::super::row_set::Scope;
use super::super::super::statement::Statement;
use super::outer::{Given, Outer, whiches};
use super::{Node, SuppliedFields};

impl Compiler<'_> {
    pub(super) fn nested_update(
        &mut self,
        node: &Node<'_>,
        update: &Update,
        supplied: &SuppliedFields<'_>,
    ) -> Result<Outer, CompileError> {
        let entity = node.write.entity;
        let mut statement = Statement::default();
        let alias = statement.alias();
        let mut sets = self.sets(&update.assignments, alias, &mut statement)?;
        for (field, values) in supplied {
            let Some(value) = values.first().copied().flatten() else { continue };
            let value = self.supplied(*field, value, &mut statement)?;
            let column = self.column_name(*field);
            sets.retain(|set| set.column != column);
            sets.push(Set { column, value });
        }
        let which = (&update.filter, update.at_most.as_ref());
        let (filter, how) = self.reached(node, which, alias, &mut statement)?;
        let before = node.of.and_then(|_| self.returned.remove(&node.step));
        let (step, wanted) = (node.step, &node.wanted);
        let made = self.changed_items(step, entity, alias, wanted, &mut statement)?;
        let returning = super::super::returning(&made.1);
        let text = if sets.is_empty() {
            // Nothing of the rows is changed, but what is below them.
            let mut select = Select::from(self.table(entity, alias));
            select.items = returning;
            select.filter = Some(filter);
            select.locked = self.may_lock(entity, &update.filter, node);
            select.into()
        } else {
            let table = self.table_name(entity);
            sql::Statement::Update(sql::Update { table, alias, sets, filter, returning })
        };
        let keys = made.0.keys.clone();
        let name = self.catalog.qualified_name(entity);
        let level = self.push_write_of(name, &text, statement, how)?;
        let level = self.keep_or_add(step, level, (node.of, before), made);
        let is_one = self.catalog[entity].is_unique(&equal_fields(&update.filter));
        let given = if is_one && node.link.is_none() { Given::OneAtMost } else { Given::Any };
        Ok(Outer { entity, level, keys, given })
    }

    pub(super) fn nested_delete(
        &mut self,
        node: &Node<'_>,
        filter: &Filter,
        at_most: Option<&Operand>,
    ) -> Result<Outer, CompileError> {
        let entity = node.write.entity;
        let mut statement = Statement::default();
        let alias = statement.alias();
        let (filter, how) = self.reached(node, (filter, at_most), alias, &mut statement)?;
        let before = node.of.and_then(|_| self.returned.remove(&node.step));
        let (step, wanted) = (node.step, &node.wanted);
        let made = self.changed_items(step, entity, alias, wanted, &mut statement)?;
        let returning = super::super::returning(&made.1);
        let table = self.table_name(entity);
        let text = sql::Statement::Delete(sql::Delete { table, alias, filter, returning });
        let keys = made.0.keys.clone();
        let name = self.catalog.qualified_name(entity);
        let level = self.push_write_of(name, &text, statement, how)?;
        let level = self.keep_or_add(step, level, (node.of, before), made);
        Ok(Outer { entity, level, keys, given: Given::Any })
    }

    /// The condition on the rows that a write reaches: those that pass, among those that the rows
    /// above lead to.
    pub(super) fn reached(
        &self,
        node: &Node<'_>,
        (filter, at_most): (&Filter, Option<&Operand>),
        alias: Alias,
        statement: &mut Statement,
    ) -> Result<(Expression, Parents), CompileError> {
        let entity = node.write.entity;
        let Some(link) = &node.link else {
            let filter = self.which_rows(entity, alias, (filter, at_most), statement)?;
            return Ok((filter, Parents::Top));
        };
        let (near, far) = self.hop_fields(link.hop);
        let mut reached = Vec::new();
        let mut how = Parents::Top;
        for which in whiches(link.parents) {
            let fields = (near, far);
            let belongs = self.belongs(link.outer, fields, (which, alias), statement)?;
            reached.push(belongs.0);
            how = belongs.1;
        }
        let mut reached = match reached.len() {
            1 => reached,
            _ => vec![Expression::Or(reached)],
        };
        if !filter.is_all() {
            let mut scope = Scope::new(Select::from(self.table(entity, alias)), alias);
            reached.push(self.condition(filter, &mut scope, statement)?);
        }
        Ok((Expression::all(reached), how))
    }
}
