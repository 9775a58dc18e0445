//! Loads in bulk: statements that take away what slows each row down, and that create it again.
//!
//! An index that is created of all rows at once is several times faster than one that each row
//! changes, and so are tables of words. Triggers of a load in bulk would do what the load does
//! itself.

use sql::tree::definition::{DataType, Definition};
use sql::{BulkRows, Identifier, TableName};

use crate::database::Database;
use crate::definition::{
    create_index, data_type, drop_index, identifier, identifiers, reference, table_name, triggers,
};
use crate::tables::{Table, Tables};

/// Indexes, triggers and constraints that are dropped during a bulk load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakenAway {
    /// Indexes, triggers and foreign keys: of tables without rows.
    All,
    /// Foreign keys, where they cannot be switched off.
    ForeignKeys,
}

/// The statements before and after a load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bulk {
    pub before: Vec<String>,
    pub after: Vec<String>,
}

/// The statements of a load.
#[must_use]
pub fn bulk(tables: &Tables, database: &Database, taken: TakenAway) -> Bulk {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    if taken == TakenAway::All {
        for table in &tables.tables {
            for trigger in triggers(table, tables, database) {
                before.extend(trigger.drop());
            }
            for index in &table.indexes {
                before.push(drop_index(index, database));
                after.extend(create_index(table, index, database));
            }
        }
    }
    if database.flavor.definitions.alters_tables {
        for table in &tables.tables {
            for own in &table.references {
                let Some(to) = tables.find(&own.to) else { continue };
                let name = table_name(&table.name, database);
                before.push(Definition::DropConstraint {
                    table: name.clone(),
                    name: identifier(&own.name),
                });
                let constraint = reference(own, to, database);
                after.push(Definition::AddConstraint { table: name, constraint });
            }
        }
    }
    if taken == TakenAway::All {
        for table in &tables.tables {
            let triggers = triggers(table, tables, database);
            after.extend(triggers.iter().flat_map(crate::definition::TriggerDefinition::create));
        }
    }
    let printed = |statements: &[Definition]| {
        let statements = statements.iter();
        statements.map(|statement| sql::print_definition(statement, &database.flavor)).collect()
    };
    Bulk { before: printed(&before), after: printed(&after) }
}

/// The name of a table, and the names of its columns.
#[must_use]
pub fn columns(table: &Table, database: &Database) -> (TableName, Vec<Identifier>) {
    let columns = table.columns.iter().map(|column| identifier(&column.name)).collect();
    (table_name(&table.name, database), columns)
}

/// The query of all rows of a table, in the order of its key.
#[must_use]
pub fn rows(table: &Table, database: &Database) -> BulkRows {
    BulkRows {
        table: table_name(&table.name, database),
        columns: typed(table, table.columns.iter().map(|column| &*column.name)),
        order: identifiers(&table.primary_key),
        present: None,
    }
}

/// The query of some columns of a table in the order of the first one, and then of the key. Rows
/// without a value in the first one are left out.
#[must_use]
pub fn rows_by(table: &Table, names: &[&str], database: &Database) -> BulkRows {
    let mut order: Vec<Identifier> = names.iter().take(1).map(|name| identifier(name)).collect();
    for key in identifiers(&table.primary_key) {
        if !order.contains(&key) {
            order.push(key);
        }
    }
    BulkRows {
        table: table_name(&table.name, database),
        columns: typed(table, names.iter().copied()),
        present: order.first().cloned(),
        order,
    }
}

/// The name of a table, for statements about some of its columns.
#[must_use]
pub fn name(table: &Table, database: &Database) -> TableName {
    table_name(&table.name, database)
}

/// A column with the type that texts are cast to when they are compared with it, or assigned to it: a
/// cast to a type with a length would cut them.
#[must_use]
pub fn compared(table: &Table, name: &str) -> Option<(Identifier, DataType)> {
    let column = table.find_column(name)?;
    let data_type = match data_type(column) {
        DataType::Varchar(_) => DataType::Text,
        other => other,
    };
    Some((identifier(&column.name), data_type))
}

fn typed<'n>(table: &Table, names: impl Iterator<Item = &'n str>) -> Vec<(Identifier, DataType)> {
    let columns = names.filter_map(|name| table.find_column(name));
    columns.map(|column| (identifier(&column.name), data_type(column))).collect()
}
