//! Statements that change rows.

use std::fmt;

use super::Printer;
use crate::tree::{
    Alias, Cell, ConflictAction, CreateIndex, Delete, ForeignKey, Identifier, Insert, InsertSource,
    OnConflict, SelectItem, Set, Statement, TableName, Update,
};

impl Printer<'_> {
    pub(super) fn statement(&mut self, statement: &Statement) -> fmt::Result {
        match statement {
            Statement::Select(select) => self.select(select),
            Statement::Insert(insert) => self.insert(insert),
            Statement::Update(update) => self.update(update),
            Statement::Delete(delete) => self.delete(delete),
        }
    }

    pub(super) fn create_index(&mut self, index: &CreateIndex) {
        let CreateIndex { name, concurrently, on, columns } = index;
        self.out.push_str(if *concurrently { "CREATE INDEX CONCURRENTLY" } else { "CREATE INDEX" });
        if let Some(name) = name {
            self.out.push(' ');
            self.identifier(name);
        }
        self.out.push_str(" ON ");
        self.table_name(on);
        self.columns(columns);
        self.out.push(';');
    }

    pub(super) fn add_foreign_key(&mut self, key: &ForeignKey) {
        self.out.push_str("ALTER TABLE ");
        self.table_name(&key.on);
        self.out.push_str(" ADD FOREIGN KEY");
        self.columns(&key.columns);
        self.out.push_str(" REFERENCES ");
        self.table_name(&key.to);
        self.columns(&key.target_columns);
        self.out.push(';');
    }

    fn columns(&mut self, columns: &[Identifier]) {
        self.out.push_str(" (");
        for (index, column) in columns.iter().enumerate() {
            self.comma(index);
            self.identifier(column);
        }
        self.out.push(')');
    }

    fn insert(&mut self, insert: &Insert) -> fmt::Result {
        self.out.push_str("INSERT INTO ");
        self.target(&insert.into, insert.alias)?;
        if !insert.columns.is_empty() {
            self.out.push_str(" (");
            for (index, column) in insert.columns.iter().enumerate() {
                self.comma(index);
                self.identifier(column);
            }
            self.out.push(')');
        }
        match &insert.source {
            InsertSource::Defaults => self.out.push_str(" DEFAULT VALUES"),
            InsertSource::Values(rows) => {
                self.out.push_str(" VALUES ");
                for (index, row) in rows.iter().enumerate() {
                    self.comma(index);
                    self.cells(row)?;
                }
            }
            InsertSource::Select(select) => {
                self.out.push(' ');
                self.select(select)?;
            }
        }
        if let Some(conflict) = &insert.on_conflict {
            self.on_conflict(conflict)?;
        }
        self.returning(&insert.returning)
    }

    fn cells(&mut self, cells: &[Cell]) -> fmt::Result {
        self.out.push('(');
        for (index, cell) in cells.iter().enumerate() {
            self.comma(index);
            match cell {
                Cell::Expression(expression) => self.expression(expression)?,
                Cell::Default => self.out.push_str("DEFAULT"),
            }
        }
        self.out.push(')');
        Ok(())
    }

    fn on_conflict(&mut self, conflict: &OnConflict) -> fmt::Result {
        self.out.push_str(" ON CONFLICT (");
        for (index, column) in conflict.key.iter().enumerate() {
            self.comma(index);
            self.identifier(column);
        }
        self.out.push_str(") DO ");
        match &conflict.action {
            ConflictAction::Nothing => self.out.push_str("NOTHING"),
            ConflictAction::Update { sets, filter } => {
                self.out.push_str("UPDATE");
                self.sets(sets)?;
                if let Some(filter) = filter {
                    self.out.push_str(" WHERE ");
                    self.expression(filter)?;
                }
            }
        }
        Ok(())
    }

    fn update(&mut self, update: &Update) -> fmt::Result {
        self.out.push_str("UPDATE ");
        self.changed(&update.table, update.alias)?;
        self.sets(&update.sets)?;
        self.out.push_str(" WHERE ");
        self.expression(&update.filter)?;
        self.returning(&update.returning)
    }

    fn delete(&mut self, delete: &Delete) -> fmt::Result {
        self.out.push_str("DELETE FROM ");
        self.changed(&delete.table, delete.alias)?;
        self.out.push_str(" WHERE ");
        self.expression(&delete.filter)?;
        self.returning(&delete.returning)
    }

    /// The table of an update or a delete. SQLite does not know the alias of a view there.
    fn changed(&mut self, table: &TableName, alias: Alias) -> fmt::Result {
        if self.flavor.returning_alias {
            return self.target(table, alias);
        }
        self.table_name(table);
        self.unaliased = Some((alias, table.name.clone()));
        Ok(())
    }

    fn target(&mut self, table: &TableName, alias: Alias) -> fmt::Result {
        self.table_name(table);
        self.out.push_str(" AS ");
        self.alias(alias)
    }

    fn sets(&mut self, sets: &[Set]) -> fmt::Result {
        self.out.push_str(" SET ");
        for (index, set) in sets.iter().enumerate() {
            self.comma(index);
            self.identifier(&set.column);
            self.out.push_str(" = ");
            self.expression(&set.value)?;
        }
        Ok(())
    }

    fn returning(&mut self, items: &[SelectItem]) -> fmt::Result {
        self.without_aliases = !self.flavor.returning_alias;
        for (index, item) in items.iter().enumerate() {
            self.out.push_str(if index == 0 { " RETURNING " } else { ", " });
            self.expression(&item.expression)?;
        }
        self.without_aliases = false;
        Ok(())
    }
}
