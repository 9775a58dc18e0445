//! Parts of recorded tables that get other names.
//!
//! Definitions say which of their types and fields had other names. Everything else follows from the
//! parts of definitions that tables and columns store: a part that is stored under another name gets
//! it, before all other steps.

mod actual;
mod meaning;

use sql::tree::definition::{Constraint, Definition};
use sql::{Identifier, print_definition};

pub(super) use self::actual::Actual;
use super::{Change, Step};
use crate::database::Database;
use crate::definition::{check, identifier, table_name};
use crate::tables::{Column, Stored, Table, Tables};

/// Types and fields of definitions that had other names in the last migration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renames {
    pub types: Vec<TypeRename>,
    pub fields: Vec<FieldRename>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeRename {
    pub from: Box<str>,
    pub to: Box<str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldRename {
    /// The new name of the type.
    pub r#type: Box<str>,
    pub from: Box<str>,
    pub to: Box<str>,
}

/// Recorded tables under their new names.
pub(super) struct Renamed {
    pub(super) tables: Tables,
    pub(super) actual: Actual,
    /// The steps that rename.
    pub(super) steps: Vec<Step>,
}

/// Recorded tables with the names of new tables that store the same.
pub(super) fn renamed(
    old: &Tables,
    new: &Tables,
    renames: &Renames,
    database: &Database,
) -> Renamed {
    let tables = meaning::renamed(old, new, renames);
    let mut renaming = Renaming { database, actual: Actual::default(), steps: Vec::new(), tables };
    for idx in 0..renaming.tables.tables.len() {
        let table = &renaming.tables.tables[idx];
        if let Some(target) = new.tables.iter().find(|own| is_same_part(&table.stores, &own.stores))
        {
            renaming.table(idx, target);
        }
    }
    let Renaming { tables, actual, steps, .. } = renaming;
    Renamed { tables, actual, steps }
}

fn is_same_part(old: &Stored, new: &Stored) -> bool {
    match (old, new) {
        (Stored::Relation(old), Stored::Relation(new)) => old.is_same(new) && old.near == new.near,
        (old, new) => old == new,
    }
}

struct Renaming<'r> {
    database: &'r Database,
    actual: Actual,
    steps: Vec<Step>,
    tables: Tables,
}

impl Renaming<'_> {
    fn table(&mut self, idx: usize, target: &Table) {
        let before = self.tables.tables[idx].clone();
        if before.name != target.name {
            // Another table has the name: this one is dropped, and a new one created.
            if self.tables.find(&target.name).is_some() {
                return;
            }
            let definition = Definition::RenameTable {
                table: table_name(&before.name, self.database),
                to: identifier(&target.name),
            };
            // SQLite: tables are rebuilt while references to them stay as they are.
            let definitions = match self.database.flavor.definitions.alters_tables {
                true => vec![definition],
                false => {
                    let [begin, end] = [true, false].map(Definition::FollowRenames);
                    vec![begin, definition, end]
                }
            };
            let (table, to) = (before.name.clone(), target.name.clone());
            self.step(Change::RenameTable { table, to }, &definitions);
            self.actual.table(&target.name, &before.name);
            self.tables.tables[idx].name = target.name.clone();
            for table in &mut self.tables.tables {
                for reference in table.references.iter_mut().filter(|own| own.to == before.name) {
                    reference.to = target.name.clone();
                }
            }
        }
        self.columns(idx, target);
        self.checks(&before, idx);
    }

    fn columns(&mut self, idx: usize, target: &Table) {
        let table = &self.tables.tables[idx];
        let renamed = |old: &Column| {
            let new = target.columns.iter().find(|new| old.stores.is_same(&new.stores))?;
            (old.name != new.name).then(|| (old.name.clone(), new.name.clone()))
        };
        let renamed: Vec<(Box<str>, Box<str>)> = table.columns.iter().filter_map(renamed).collect();
        let is_taken = |to: &str| table.find_column(to).is_some();
        // Columns that exchange their names have others meanwhile.
        let (exchanged, free): (Vec<_>, Vec<_>) =
            renamed.into_iter().partition(|(_, to)| is_taken(to));
        let is_free = |(_, to): &&(Box<str>, Box<str>)| {
            !is_taken(to) || exchanged.iter().any(|(from, _)| from == to)
        };
        let exchanged: Vec<(Box<str>, Box<str>)> =
            exchanged.iter().filter(is_free).cloned().collect();
        for (from, _) in &exchanged {
            self.column(idx, from, &between(from));
        }
        for (from, to) in &exchanged {
            self.column(idx, &between(from), to);
        }
        for (from, to) in &free {
            self.column(idx, from, to);
        }
        let name = self.tables.tables[idx].name.clone();
        for (from, to) in exchanged.into_iter().chain(free) {
            self.actual.column(&name, &to, &from);
        }
    }

    fn column(&mut self, idx: usize, from: &str, to: &str) {
        let table = self.tables.tables[idx].name.clone();
        let definition = Definition::RenameColumn {
            table: table_name(&table, self.database),
            column: identifier(from),
            to: identifier(to),
        };
        let (column, name) = (from.into(), to.into());
        let change = Change::RenameColumn { table: table.clone(), column, to: name };
        self.step(change, &[definition]);
        let rename = |columns: &mut Vec<Box<str>>| {
            for column in columns.iter_mut().filter(|column| ***column == *from) {
                *column = to.into();
            }
        };
        let own = &mut self.tables.tables[idx];
        for column in own.columns.iter_mut().filter(|column| *column.name == *from) {
            column.name = to.into();
        }
        rename(&mut own.primary_key);
        own.unique.iter_mut().for_each(|unique| rename(&mut unique.columns));
        own.references.iter_mut().for_each(|reference| rename(&mut reference.columns));
        own.indexes.iter_mut().for_each(|index| rename(&mut index.columns));
        for other in &mut self.tables.tables {
            for reference in other.references.iter_mut().filter(|own| own.to == table) {
                rename(&mut reference.target_columns);
            }
        }
    }

    /// Checks have the names of their columns, where they can be altered.
    fn checks(&mut self, before: &Table, idx: usize) {
        if !self.database.flavor.definitions.alters_tables {
            return;
        }
        let after = &self.tables.tables[idx];
        let name = |table: &Table, column: &Column| -> Option<Identifier> {
            match check(table, column, self.database) {
                Some(Constraint::Check { name, .. }) => Some(name),
                _ => None,
            }
        };
        let names: Vec<(Identifier, Identifier, Box<str>)> = before
            .columns
            .iter()
            .zip(&after.columns)
            .filter_map(|(old, new)| {
                Some((name(before, old)?, name(after, new)?, new.name.clone()))
            })
            .filter(|(old, new, _)| old != new)
            .collect();
        let table = after.name.clone();
        for (name, to, column) in names {
            let definition =
                Definition::RenameConstraint { table: table_name(&table, self.database), name, to };
            self.step(Change::AlterColumn { table: table.clone(), column }, &[definition]);
        }
    }

    fn step(&mut self, change: Change, statements: &[Definition]) {
        let flavor = &self.database.flavor;
        let statements = statements.iter().map(|own| print_definition(own, flavor).into());
        self.steps.push(Step { change, statements: statements.collect(), checks: Vec::new() });
    }
}

/// The name of a column between two others.
fn between(name: &str) -> String {
    [sql::own::OWN_PREFIX, "old_", name].concat()
}
