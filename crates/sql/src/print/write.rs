//! Statements that change rows.

use std::fmt;

use super::Printer;
use crate::flavor::{EmptyRow, Returning, TargetAlias, Upsert};
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
        match self.flavor.target_alias {
            TargetAlias::Everywhere | TargetAlias::Insert => {
                self.target(&insert.into, insert.alias)?;
            }
            TargetAlias::Nowhere => self.unaliased_target(&insert.into, insert.alias),
        }
        if !insert.columns.is_empty() {
            self.out.push_str(" (");
            for (index, column) in insert.columns.iter().enumerate() {
                self.comma(index);
                self.identifier(column);
            }
            self.out.push(')');
        }
        match &insert.source {
            InsertSource::Defaults => self.out.push_str(match self.flavor.empty_row {
                EmptyRow::DefaultValues => " DEFAULT VALUES",
                EmptyRow::EmptyLists => " () VALUES ()",
            }),
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
            match self.flavor.upsert {
                Upsert::OnConflict => self.on_conflict(conflict)?,
                Upsert::OnDuplicateKey => self.on_duplicate_key(conflict)?,
            }
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
        self.out.push_str(" ON CONFLICT");
        for (index, column) in conflict.key.iter().enumerate() {
            self.out.push_str(if index == 0 { " (" } else { ", " });
            self.identifier(column);
        }
        self.out.push_str(if conflict.key.is_empty() { " DO " } else { ") DO " });
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

    /// Nothing is changed where a column of the key takes the value that it has.
    fn on_duplicate_key(&mut self, conflict: &OnConflict) -> fmt::Result {
        self.out.push_str(" ON DUPLICATE KEY UPDATE ");
        match &conflict.action {
            ConflictAction::Nothing => {
                for column in conflict.key.iter().take(1) {
                    self.identifier(column);
                    self.out.push_str(" = ");
                    self.identifier(column);
                }
                Ok(())
            }
            // The columns are set one after the other, so a condition stands for each of them only
            // while none that it reads is set: whoever makes the statement leaves it out.
            ConflictAction::Update { sets, filter } => {
                debug_assert!(filter.is_none(), "an upsert with a condition");
                self.assignments(sets)
            }
        }
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

    /// The table of an update or a delete.
    fn changed(&mut self, table: &TableName, alias: Alias) -> fmt::Result {
        match self.flavor.target_alias {
            TargetAlias::Everywhere => self.target(table, alias)?,
            TargetAlias::Insert | TargetAlias::Nowhere => self.unaliased_target(table, alias),
        }
        Ok(())
    }

    fn unaliased_target(&mut self, table: &TableName, alias: Alias) {
        self.table_name(table);
        self.unaliased = Some((alias, table.name.clone()));
    }

    fn target(&mut self, table: &TableName, alias: Alias) -> fmt::Result {
        self.table_name(table);
        self.out.push_str(" AS ");
        self.alias(alias)
    }

    fn sets(&mut self, sets: &[Set]) -> fmt::Result {
        self.out.push_str(" SET ");
        self.assignments(sets)
    }

    fn assignments(&mut self, sets: &[Set]) -> fmt::Result {
        for (index, set) in sets.iter().enumerate() {
            self.comma(index);
            self.identifier(&set.column);
            self.out.push_str(" = ");
            self.expression(&set.value)?;
        }
        Ok(())
    }

    fn returning(&mut self, items: &[SelectItem]) -> fmt::Result {
        self.without_aliases = match self.flavor.returning {
            Returning::Aliased => false,
            Returning::Columns => true,
            Returning::Nothing => {
                debug_assert!(items.is_empty(), "a change that gives no rows");
                return Ok(());
            }
        };
        for (index, item) in items.iter().enumerate() {
            self.out.push_str(if index == 0 { " RETURNING " } else { ", " });
            self.expression(&item.expression)?;
        }
        self.without_aliases = false;
        Ok(())
    }
}
