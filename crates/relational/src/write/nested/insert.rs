//! Rows to insert that refer to rows of other writes.

use catalog::{EntityId, FieldId};
use ir::{Assignment, Conflict, Filter, HopDirection, Insert, Operand};
use response::LevelId;
use source::CompileError;
use sql::{Cell, Expression, InsertSource, Select, SelectItem};

use super::super::super::compile::Compiler;
use super::super::super::level::{LevelKind, ParameterSource, Parents, WriteKind};
use super::super::super::row_set::Scope;
use super::super::super::statement::Statement;
use super::super::super::value::ParameterKind;
use super::outer::{Given, Link, Outer, OuterRow, Which};
use super::{Node, SuppliedFields, each};

/// The value of a field that another statement gives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Supplied<'r> {
    /// A column of a row that a level gave.
    Given { level: LevelId, row: u32, column: u16 },
    /// A field of the row that a filter finds; null without one.
    Found { entity: EntityId, field: FieldId, filter: &'r Filter },
}

/// A row to insert.
struct Row<'r> {
    place: usize,
    values: &'r [Option<Operand>],
}

impl Compiler<'_> {
    pub(super) fn nested_insert(
        &mut self,
        node: &Node<'_>,
        insert: &Insert,
        conflict: Option<&Conflict>,
        supplied: &SuppliedFields<'_>,
    ) -> Result<Outer, CompileError> {
        let values = each(insert)?;
        if values.is_empty() {
            return Err(CompileError::not_built("an insert of no rows"));
        }
        if (1..insert.fields.len())
            .any(|place| insert.fields[..place].contains(&insert.fields[place]))
        {
            return Err(CompileError::not_built("a field that has two values"));
        }
        let has_below = !node.write.children.is_empty() || !node.write.check.is_all();
        let may_be_left = conflict.is_some_and(may_be_left);
        if has_below && may_be_left && values.len() > 1 {
            // The places of the rows would not be known.
            return Err(CompileError::not_built("writes below rows that may be left as they are"));
        }
        let rows: Vec<Row<'_>> =
            values.iter().enumerate().map(|(place, values)| Row { place, values }).collect();
        let is_of_each = node.link.as_ref().is_some_and(is_of_each);
        let are_together = self.flavor.default_cell && !is_of_each;
        let mut first: Option<Outer> = None;
        for rows in rows.chunks(if are_together { rows.len() } else { 1 }) {
            let of = match (&first, is_of_each) {
                (Some(first), false) => Some(first.level),
                _ => node.of,
            };
            let outer =
                self.insert_of(node, (insert, rows), (conflict, of, is_of_each), supplied)?;
            first.get_or_insert(outer);
        }
        let mut outer = first.ok_or(CompileError::not_built("an insert of no rows"))?;
        let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
        outer.given = match is_of_each {
            true => Given::Any,
            // The row may be left as it is.
            false if may_be_left => Given::OneAtMost,
            false => Given::Rows(count),
        };
        Ok(outer)
    }

    /// One statement of an insert.
    fn insert_of(
        &mut self,
        node: &Node<'_>,
        (insert, rows): (&Insert, &[Row<'_>]),
        (conflict, of, is_of_each): (Option<&Conflict>, Option<LevelId>, bool),
        supplied: &SuppliedFields<'_>,
    ) -> Result<Outer, CompileError> {
        let entity = node.write.entity;
        let mut statement = Statement::default();
        let alias = statement.alias();
        let link = node.link.as_ref();
        let linked = link.map(|link| self.hop_fields(link.hop));
        let linked = linked.map(|(near, far)| (near.to_vec(), far.to_vec()));
        // The fields in their order, and the cells of each row.
        let mut fields: Vec<FieldId> = Vec::new();
        let mut cells: Vec<Vec<Cell>> = rows.iter().map(|_| Vec::new()).collect();
        let mut add = |field: FieldId, values: Vec<Option<Expression>>| {
            if values.iter().all(Option::is_none) {
                return;
            }
            if let Some(place) = fields.iter().position(|known| *known == field) {
                // Some rows take the value of another one, others have one of their own.
                for (cells, value) in cells.iter_mut().zip(values) {
                    if let (Some(cell @ Cell::Default), Some(value)) = (cells.get_mut(place), value)
                    {
                        *cell = Cell::Expression(value);
                    }
                }
                return;
            }
            fields.push(field);
            for (cells, value) in cells.iter_mut().zip(values) {
                cells.push(value.map_or(Cell::Default, Cell::Expression));
            }
        };
        let mut item = None;
        let mut how = Parents::Top;
        if let (Some(link), Some((near, far))) = (link, &linked) {
            if link.hop.direction == HopDirection::Forward {
                return Err(CompileError::not_built("a row that another one refers to later"));
            }
            let mut of_rows = Vec::with_capacity(rows.len());
            for row in rows {
                let which =
                    if is_of_each { Which::Each } else { Which::Row(parent(link, row.place)) };
                let row = self.outer_row(link.outer, near, which, &mut statement)?;
                let OuterRow { values, item: of, how: by } = row;
                (item, how) = (of, by);
                of_rows.push(values);
            }
            for (place, field) in far.iter().enumerate() {
                add(*field, of_rows.iter().map(|values| values.get(place).cloned()).collect());
            }
        }
        for (field, values) in supplied {
            let mut of_rows = Vec::with_capacity(rows.len());
            for row in rows {
                let value = values.get(row.place).copied().flatten();
                let value = value.map(|value| self.supplied(*field, value, &mut statement));
                of_rows.push(value.transpose()?);
            }
            add(*field, of_rows);
        }
        for (place, field) in insert.fields.iter().enumerate() {
            let mut of_rows = Vec::with_capacity(rows.len());
            for row in rows {
                let operand = row.values.get(place).and_then(Option::as_ref);
                let value = operand.map(|operand| self.stored(*field, operand, &mut statement));
                of_rows.push(value.transpose()?);
            }
            add(*field, of_rows);
        }
        let source = match item {
            None if fields.is_empty() => InsertSource::Defaults,
            None => InsertSource::Values(cells),
            Some(item) => {
                let mut select = Select::from(item);
                let row = cells.pop().unwrap_or_default();
                let item = |cell| match cell {
                    Cell::Expression(expression) => Some(SelectItem { expression, name: None }),
                    Cell::Default => None,
                };
                select.items = row.into_iter().filter_map(item).collect();
                InsertSource::Select(Box::new(select))
            }
        };
        let before = of.and_then(|_| self.returned.remove(&node.step));
        let inserted = (alias, (fields, source));
        let of_step = (node.step, entity);
        let (text, made) =
            self.insert_text(of_step, inserted, conflict, &node.wanted, &mut statement)?;
        let keys = made.0.keys.clone();
        let name = self.catalog.qualified_name(entity);
        let level = self.push_write_of(name, &text, statement, how)?;
        let level = self.keep_or_add(node.step, level, (of, before), made);
        Ok(Outer { entity, level, keys, given: Given::Any })
    }

    /// Remembers what a level gave, or adds it to what another one did.
    pub(super) fn keep_or_add(
        &mut self,
        step: ir::StepId,
        level: LevelId,
        (of, before): (Option<LevelId>, Option<super::super::Returned>),
        (returned, items): (super::super::Returned, super::super::Items),
    ) -> LevelId {
        match of {
            Some(of) => {
                if let Some(level) = self.levels.last_mut() {
                    level.kind = LevelKind::Write(WriteKind::More { of });
                }
                // What the first one gives stands for all.
                self.returned.extend(before.map(|before| (step, before)));
                of
            }
            None => {
                self.keep_returned(step, level, returned, items);
                level
            }
        }
    }

    /// The value that another statement gives for a field.
    pub(super) fn supplied(
        &self,
        field: FieldId,
        supplied: Supplied<'_>,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        match supplied {
            Supplied::Given { level, row, column } => {
                let round = self.levels.get(usize::from(level.0)).map_or(0, |level| level.round);
                statement.round = statement.round.max(round + 1);
                let source = ParameterSource::Result { level, row, column };
                let kind = ParameterKind::Returned { field };
                Ok(Expression::Parameter(statement.parameter(source, kind)))
            }
            Supplied::Found { entity, field, filter } => {
                Ok(Expression::Subquery(Box::new(self.found(entity, field, filter, statement)?)))
            }
        }
    }

    /// A field of a row that passes a filter.
    pub(super) fn found(
        &self,
        entity: EntityId,
        field: FieldId,
        filter: &Filter,
        statement: &mut Statement,
    ) -> Result<Select, CompileError> {
        let alias = statement.alias();
        let mut scope = Scope::new(Select::from(self.table(entity, alias)), alias);
        if !filter.is_all() {
            let condition = self.filter(filter, &mut scope, statement)?;
            scope.select.and_where(condition);
        }
        let expression = self.field(alias, field);
        scope.select.items = vec![SelectItem { expression, name: None }];
        scope.select.limit = Some(Expression::Number(1));
        Ok(scope.select)
    }

    /// What an insert does with a row that is there already, and is to be linked.
    pub(super) fn linking(
        &self,
        node: &Node<'_>,
        conflict: &Conflict,
    ) -> Result<Conflict, CompileError> {
        let mut conflict = conflict.clone();
        if !conflict.filter.is_all() {
            return Err(CompileError::not_built("a link of a row that may be left as it is"));
        }
        if let Some(link) = &node.link {
            let fields = self.hop_fields(link.hop).1.iter();
            conflict.assignments.extend(fields.map(|field| (*field, Assignment::Inserted)));
        }
        if let (true, Some(first)) = (conflict.assignments.is_empty(), conflict.key.first()) {
            // A row that is not changed does not come back.
            conflict.assignments.push((*first, Assignment::Inserted));
        }
        Ok(conflict)
    }
}

/// Returns true if a row that is there already may stay unchanged, so that it is not returned.
pub(super) fn may_be_left(conflict: &Conflict) -> bool {
    conflict.assignments.is_empty() || !conflict.filter.is_all()
}

/// Whether rows are inserted for each row above, however many these are.
pub(super) fn is_of_each(link: &Link<'_>) -> bool {
    match link.outer.given {
        Given::Rows(above) => link.parents.is_empty() && above > 1,
        Given::OneAtMost | Given::Any => true,
    }
}

/// The place of the row above of a row.
fn parent(link: &Link<'_>, row: usize) -> u32 {
    link.parents.get(row).copied().unwrap_or(0)
}
