//! Tables whose keys change: without rows they are dropped and created anew, and nothing refers to
//! them meanwhile. With rows there is no migration, since references depend on the keys.

use sql::tree::definition::{Definition, TableRows};

use super::difference::has_other_key;
use super::renames::Actual;
use super::{Change, Finding, Obstacle, Planner, Step};
use crate::database::Database;
use crate::definition::{data_type, table_name};
use crate::tables::{Stored, Table, Tables};

/// Recorded tables without those whose keys change, and the steps that drop them.
pub(super) struct RemainingTables {
    pub(super) tables: Tables,
    pub(super) actual: Actual,
    pub(super) steps: Vec<Step>,
    pub(super) is_changed: bool,
}

/// Drops the tables whose keys change, with the tables of their lists and pairs.
pub(super) fn dropped(
    old: Tables,
    new: &Tables,
    (actual, steps): (Actual, Vec<Step>),
    database: &Database,
) -> RemainingTables {
    let names = names(&old, new);
    if names.is_empty() {
        return RemainingTables { tables: old, actual, steps, is_changed: false };
    }
    let difference = super::Difference::default();
    let mut planner =
        Planner { old: &old, new, difference, database, actual, steps, moves_rows: true };
    let is_gone = |name: &str| names.iter().any(|own| **own == *name);
    if database.flavor.definitions.alters_tables {
        for table in &old.tables {
            for reference in table.references.iter().filter(|own| is_gone(&own.to)) {
                planner.drop_constraint(table, &reference.name);
            }
        }
    }
    for table in old.tables.iter().filter(|own| is_gone(&own.name)) {
        let name = table_name(&table.name, database);
        let obstacle = Finding::Obstacle(Obstacle::Key { table: table.name.clone() });
        let check = planner.check(&TableRows::count(name.clone(), None), obstacle);
        let change = Change::DropTable(table.name.clone());
        planner.step(change, &[Definition::DropTable(name)], vec![check]);
    }
    let Planner { actual, steps, .. } = planner;
    let mut tables = old.clone();
    tables.tables.retain(|table| !is_gone(&table.name));
    for table in &mut tables.tables {
        table.references.retain(|own| !is_gone(&own.to));
    }
    RemainingTables { tables, actual, steps, is_changed: true }
}

/// The names of the tables.
fn names(old: &Tables, new: &Tables) -> Vec<Box<str>> {
    let is_other = |old: &Table, new: &Table| {
        let is_other_type = |key: &str| {
            let columns = (old.find_column(key), new.find_column(key));
            matches!(columns, (Some(old), Some(new)) if data_type(old) != data_type(new))
        };
        has_other_key(old, new) || new.primary_key.iter().any(|key| is_other_type(key))
    };
    let kept = |table: &'_ Table| new.find(&table.name).is_some();
    let mut names: Vec<Box<str>> = Vec::new();
    for table in &old.tables {
        if new.find(&table.name).is_some_and(|new| is_other(table, new)) {
            names.push(table.name.clone());
        }
    }
    let parts = old.tables.iter().filter(|table| match table.stores {
        Stored::Relation(_) | Stored::List { .. } => {
            kept(table)
                && !names.contains(&table.name)
                && table.references.iter().any(|own| names.contains(&own.to))
        }
        Stored::Entity(_) | Stored::Group(_) => false,
    });
    let parts: Vec<Box<str>> = parts.map(|table| table.name.clone()).collect();
    names.extend(parts);
    names
}
