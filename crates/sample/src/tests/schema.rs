//! The rows fit the two schemas, and the two schemas say the same.

use crate::{Cell, POSTGRES_SCHEMA, SQLITE_SCHEMA, Table};

use super::TABLES;

/// A column as a line of a schema declares it.
#[derive(Debug)]
struct Declaration<'a> {
    name: &'a str,
    sql_type: &'a str,
    not_null: bool,
}

#[test]
fn the_schemas_differ_in_the_name_of_the_integer_type_only() {
    assert_eq!(POSTGRES_SCHEMA.replace(" INT", " INTEGER"), SQLITE_SCHEMA);
}

#[test]
fn tables_and_columns_are_those_of_the_schema_in_its_order() {
    let declared: Vec<(&str, Vec<&str>)> = declarations()
        .into_iter()
        .map(|(table, columns)| (table, columns.iter().map(|column| column.name).collect()))
        .collect();
    let given: Vec<(&str, Vec<&str>)> =
        TABLES.iter().map(|table| (table.name, table.columns.to_vec())).collect();
    assert_eq!(given, declared);
}

#[test]
fn every_cell_fits_its_column() {
    for ((_, columns), table) in declarations().iter().zip(TABLES.iter()) {
        for row in &table.rows {
            assert_eq!(row.len(), columns.len(), "{}: {row:?}", table.name);
            for (cell, column) in row.iter().zip(columns) {
                check_cell(table, column, cell);
            }
        }
    }
}

fn check_cell(table: &Table, column: &Declaration<'_>, cell: &Cell) {
    let length = column.sql_type.strip_prefix("VARCHAR(").and_then(|rest| rest.strip_suffix(')'));
    let fits = match cell {
        Cell::Null => !column.not_null,
        Cell::Integer(_) => column.sql_type == "INT",
        Cell::Price(_) => column.sql_type == "NUMERIC(10,2)",
        Cell::Timestamp(_) => column.sql_type == "TIMESTAMP",
        Cell::Text(text) => {
            let plain = !text.contains(['{', '}', '|', '#']) && text.trim() == text;
            let limit = length.and_then(|length| length.parse().ok()).unwrap_or(0);
            plain && (1..=limit).contains(&text.chars().count())
        }
    };
    assert!(fits, "{}: {column:?} cannot be {cell:?}", table.name);
}

fn declarations() -> Vec<(&'static str, Vec<Declaration<'static>>)> {
    let mut tables: Vec<(&str, Vec<Declaration<'_>>)> = Vec::new();
    for line in POSTGRES_SCHEMA.lines() {
        if let Some(name) = line.strip_prefix("CREATE TABLE ") {
            tables.push((name.trim_end_matches(" ("), Vec::new()));
        } else if let Some(declaration) = line.strip_prefix("    ")
            && !declaration.starts_with("CONSTRAINT")
        {
            let declaration = declaration.trim_end_matches(',');
            let (name, sql_type) = declaration.split_once(' ').unwrap();
            let sql_type_alone = sql_type.trim_end_matches(" NOT NULL");
            tables.last_mut().unwrap().1.push(Declaration {
                name,
                sql_type: sql_type_alone,
                not_null: sql_type_alone != sql_type,
            });
        }
    }
    tables
}
