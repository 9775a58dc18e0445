//! What holds for the rows of the sample.

mod contents;
mod integrity;
mod schema;

use std::sync::LazyLock;

use crate::{Cell, Table};

static TABLES: LazyLock<Vec<Table>> = LazyLock::new(crate::tables);

fn table(name: &str) -> &'static Table {
    TABLES.iter().find(|table| table.name == name).unwrap()
}

fn column(table: &'static Table, column: &str) -> impl Iterator<Item = &'static Cell> {
    let idx = table.columns.iter().position(|name| *name == column).unwrap();
    table.rows.iter().map(move |row| &row[idx])
}

fn integers(table_name: &str, column_name: &str) -> Vec<i32> {
    column(table(table_name), column_name).map(integer).collect()
}

fn integer(cell: &Cell) -> i32 {
    match cell {
        Cell::Integer(integer) => *integer,
        other => panic!("{other:?} is no integer"),
    }
}

fn price(cell: &Cell) -> i64 {
    match cell {
        Cell::Price(hundredths) => *hundredths,
        other => panic!("{other:?} is no price"),
    }
}
