//! Statements that insert and read rows in bulk: all columns of a table, by their names.

use std::fmt::Write as _;

use super::Printer;
use crate::flavor::Flavor;
use crate::tree::definition::DataType;
use crate::tree::{Identifier, TableName};

/// A query of the rows of a table, in an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkRows {
    pub table: TableName,
    pub columns: Vec<(Identifier, DataType)>,
    /// Columns in whose order the rows come; together they are unique.
    pub order: Vec<Identifier>,
    /// Rows without a value in this column are left out.
    pub present: Option<Identifier>,
}

/// `INSERT` of one row, with a parameter for each column.
#[must_use]
pub fn print_insert_row(table: &TableName, columns: &[Identifier], flavor: &Flavor) -> String {
    let mut printer = Printer::new(flavor);
    printer.out.push_str("INSERT INTO ");
    printer.table_name(table);
    printer.names(columns);
    printer.out.push_str(" VALUES (");
    printer.positions(columns.len());
    printer.out.push(')');
    printer.out
}

/// `DELETE` of all rows of a table.
#[must_use]
pub fn print_delete_rows(table: &TableName, flavor: &Flavor) -> String {
    let mut printer = Printer::new(flavor);
    printer.out.push_str("DELETE FROM ");
    printer.table_name(table);
    printer.out
}

/// PostgreSQL's `COPY` of rows into a table.
#[must_use]
pub fn print_copy_in(table: &TableName, columns: &[Identifier], flavor: &Flavor) -> String {
    let mut printer = Printer::new(flavor);
    printer.out.push_str("COPY ");
    printer.table_name(table);
    printer.names(columns);
    printer.out.push_str(" FROM STDIN");
    printer.out
}

/// The rows of a table, in no order, that have one of several values in a column. The values are an
/// array where the database has arrays, and otherwise a parameter each.
#[must_use]
pub fn print_find_rows(
    rows: &BulkRows,
    column: &Identifier,
    values: usize,
    flavor: &Flavor,
) -> String {
    let mut printer = Printer::new(flavor);
    printer.bulk_columns(rows);
    printer.out.push_str(" WHERE ");
    printer.identifier(column);
    if flavor.definitions.arrays {
        printer.out.push_str(" = ANY ($1)");
        return printer.out;
    }
    printer.out.push_str(" IN (");
    printer.positions(values);
    printer.out.push(')');
    printer.out
}

/// Sets a column of the rows that have given keys. Keys and values are two arrays of texts where the
/// database has arrays, and otherwise the two parameters of one row.
#[must_use]
pub fn print_set_column(
    table: &TableName,
    (key, key_type): (&Identifier, &DataType),
    (column, column_type): (&Identifier, &DataType),
    flavor: &Flavor,
) -> String {
    let mut printer = Printer::new(flavor);
    printer.out.push_str("UPDATE ");
    printer.table_name(table);
    printer.out.push_str(" SET ");
    printer.identifier(column);
    if !flavor.definitions.arrays {
        printer.out.push_str(" = ?2 WHERE ");
        printer.identifier(key);
        printer.out.push_str(" = ?1");
        return printer.out;
    }
    printer.out.push_str(" = given.v::");
    printer.data_type(column_type);
    printer.out.push_str(" FROM unnest($1::text[], $2::text[]) AS given (k, v) WHERE ");
    printer.table_name(table);
    printer.out.push('.');
    printer.identifier(key);
    printer.out.push_str(" = given.k::");
    printer.data_type(key_type);
    printer.out
}

/// The greatest value of a column of numbers for each of several values of another column, whose
/// texts are an array where the database has arrays, and otherwise a parameter each.
#[must_use]
pub fn print_greatest(
    table: &TableName,
    (column, column_type): (&Identifier, &DataType),
    number: &Identifier,
    values: usize,
    flavor: &Flavor,
) -> String {
    let mut printer = Printer::new(flavor);
    printer.out.push_str("SELECT ");
    printer.identifier(column);
    printer.out.push_str(if flavor.definitions.arrays { "::text, max(" } else { ", max(" });
    printer.identifier(number);
    printer.out.push_str(if flavor.definitions.arrays { ")::bigint FROM " } else { ") FROM " });
    printer.table_name(table);
    printer.out.push_str(" WHERE ");
    printer.identifier(column);
    match flavor.definitions.arrays {
        true => {
            printer.out.push_str(" = ANY ($1::text[]::");
            printer.data_type(column_type);
            printer.out.push_str("[])");
        }
        false => {
            printer.out.push_str(" IN (");
            printer.positions(values);
            printer.out.push(')');
        }
    }
    printer.out.push_str(" GROUP BY ");
    printer.identifier(column);
    printer.out
}

/// Returns true if a table has a row.
#[must_use]
pub fn print_has_rows(table: &TableName, flavor: &Flavor) -> String {
    let mut printer = Printer::new(flavor);
    printer.out.push_str("SELECT EXISTS (SELECT 1 FROM ");
    printer.table_name(table);
    printer.out.push(')');
    printer.out
}

/// The rows of a table in an order, where a cursor reads them.
#[must_use]
pub fn print_bulk_rows(rows: &BulkRows, flavor: &Flavor) -> String {
    let mut printer = Printer::new(flavor);
    printer.bulk_rows(rows, None);
    printer.out
}

/// A page of the rows of a table: those after the values of the order's columns, which are the first
/// parameters, and at most as many as the last parameter.
#[must_use]
pub fn print_bulk_page(rows: &BulkRows, is_first: bool, flavor: &Flavor) -> String {
    let mut printer = Printer::new(flavor);
    printer.bulk_rows(rows, Some(is_first));
    printer.out
}

/// Declares a cursor of a query, by a number.
#[must_use]
pub fn print_declare_cursor(number: usize, query: &str) -> String {
    format!("DECLARE thalweg_{number} NO SCROLL CURSOR FOR {query}")
}

/// Fetches the next rows of a cursor.
#[must_use]
pub fn print_fetch(number: usize, rows: usize) -> String {
    format!("FETCH FORWARD {rows} FROM thalweg_{number}")
}

/// Closes a cursor.
#[must_use]
pub fn print_close_cursor(number: usize) -> String {
    format!("CLOSE thalweg_{number}")
}

impl Printer<'_> {
    fn names(&mut self, columns: &[Identifier]) {
        self.out.push_str(" (");
        for (place, column) in columns.iter().enumerate() {
            if place > 0 {
                self.out.push_str(", ");
            }
            self.identifier(column);
        }
        self.out.push(')');
    }

    /// Parameters by their positions, from 1.
    fn positions(&mut self, count: usize) {
        for place in 1..=count {
            let separator = if place > 1 { ", " } else { "" };
            // Writing to a string cannot fail.
            let _ = write!(self.out, "{separator}?{place}");
        }
    }

    fn bulk_columns(&mut self, rows: &BulkRows) {
        self.out.push_str("SELECT ");
        for (place, (column, data_type)) in rows.columns.iter().enumerate() {
            if place > 0 {
                self.out.push_str(", ");
            }
            self.bulk_column(column, data_type);
        }
        self.out.push_str(" FROM ");
        self.table_name(&rows.table);
    }

    fn bulk_rows(&mut self, rows: &BulkRows, is_first: Option<bool>) {
        self.bulk_columns(rows);
        let mut before = " WHERE ";
        if let Some(present) = &rows.present {
            self.out.push_str(before);
            self.identifier(present);
            self.out.push_str(" IS NOT NULL");
            before = " AND ";
        }
        if is_first == Some(false) {
            self.out.push_str(before);
            self.out.push('(');
            self.order(&rows.order);
            self.out.push_str(") > (");
            self.positions(rows.order.len());
            self.out.push(')');
        }
        self.out.push_str(" ORDER BY ");
        self.order(&rows.order);
        if is_first.is_some() {
            // Writing to a string cannot fail.
            let _ = write!(self.out, " LIMIT ?{}", rows.order.len() + 1);
        }
    }

    fn order(&mut self, order: &[Identifier]) {
        for (place, column) in order.iter().enumerate() {
            if place > 0 {
                self.out.push_str(", ");
            }
            self.identifier(column);
        }
    }

    /// A column in the form in which bulk reads take it: moments are microseconds, and lists JSON,
    /// where the database has types for them.
    fn bulk_column(&mut self, column: &Identifier, data_type: &DataType) {
        let (before, after) = match data_type {
            _ if !self.flavor.definitions.arrays => ("", ""),
            DataType::Boolean
            | DataType::BigInteger
            | DataType::Double
            | DataType::Text
            | DataType::Varchar(_) => ("", ""),
            DataType::Integer => ("", "::bigint"),
            DataType::Decimal { .. } => ("", "::double precision"),
            DataType::TimestampWithZone | DataType::Timestamp => return self.microseconds(column),
            DataType::Json | DataType::Uuid => ("", "::text"),
            DataType::Array(_) => ("array_to_json(", ")::text"),
        };
        self.out.push_str(before);
        self.identifier(column);
        self.out.push_str(after);
    }

    /// The microseconds since 1970 of a moment. Before version 14 `extract` returns a floating point
    /// number, which has no microseconds of the year 9999: whole seconds and the rest are exact.
    fn microseconds(&mut self, column: &Identifier) {
        self.out.push_str("extract(epoch from date_trunc('second', ");
        self.identifier(column);
        self.out.push_str("))::bigint * 1000000 + extract(microseconds from ");
        self.identifier(column);
        self.out.push_str(")::bigint % 1000000");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_in_pages_or_by_a_cursor() {
        let name = |name: &str| Identifier(name.into());
        let rows = BulkRows {
            table: TableName { schema: None, name: name("Post") },
            columns: vec![
                (name("author"), DataType::BigInteger),
                (name("at"), DataType::TimestampWithZone),
            ],
            order: vec![name("author"), name("id")],
            present: Some(name("author")),
        };
        let (sqlite, postgres) = (Flavor::SQLITE, Flavor::POSTGRES);
        assert_eq!(
            print_bulk_page(&rows, false, &sqlite),
            r#"SELECT "author", "at" FROM "Post" WHERE "author" IS NOT NULL AND ("author", "id") > (?1, ?2) ORDER BY "author", "id" LIMIT ?3"#
        );
        assert_eq!(
            print_bulk_rows(&rows, &postgres),
            r#"SELECT "author", extract(epoch from date_trunc('second', "at"))::bigint * 1000000 + extract(microseconds from "at")::bigint % 1000000 FROM "Post" WHERE "author" IS NOT NULL ORDER BY "author", "id""#
        );
    }

    #[test]
    fn rows_are_found_by_several_values() {
        let name = |name: &str| Identifier(name.into());
        let rows = BulkRows {
            table: TableName { schema: None, name: name("Item") },
            columns: vec![(name("code"), DataType::Integer), (name("id"), DataType::BigInteger)],
            order: Vec::new(),
            present: None,
        };
        assert_eq!(
            print_find_rows(&rows, &name("code"), 3, &Flavor::SQLITE),
            r#"SELECT "code", "id" FROM "Item" WHERE "code" IN (?1, ?2, ?3)"#
        );
        assert_eq!(
            print_find_rows(&rows, &name("code"), 3, &Flavor::POSTGRES),
            r#"SELECT "code"::bigint, "id" FROM "Item" WHERE "code" = ANY ($1)"#
        );
    }

    #[test]
    fn all_rows_are_deleted() {
        let name = |name: &str| Identifier(name.into());
        let table = TableName { schema: Some(name("a$b")), name: name("t\"") };
        let deleted = print_delete_rows(&table, &Flavor::POSTGRES);
        assert_eq!(deleted, "DELETE FROM \"a$b\".\"t\"\"\"");
    }

    #[test]
    fn columns_are_set_by_keys_and_greatest_numbers_found() {
        let name = |name: &str| Identifier(name.into());
        let table = TableName { schema: Some(name("a$b")), name: name("t\"") };
        let (id, column) = ((&name("id"), &DataType::Uuid), (&name("c"), &DataType::Text));
        assert_eq!(
            print_set_column(&table, id, column, &Flavor::POSTGRES),
            "UPDATE \"a$b\".\"t\"\"\" SET \"c\" = given.v::TEXT FROM unnest($1::text[], $2::text[]) AS \
             given (k, v) WHERE \"a$b\".\"t\"\"\".\"id\" = given.k::UUID"
        );
        assert_eq!(
            print_greatest(&table, id, &name("position"), 2, &Flavor::POSTGRES),
            "SELECT \"id\"::text, max(\"position\")::bigint FROM \"a$b\".\"t\"\"\" WHERE \"id\" = ANY \
             ($1::text[]::UUID[]) GROUP BY \"id\""
        );
        let table = TableName { schema: None, name: name("t") };
        assert_eq!(
            print_set_column(&table, id, column, &Flavor::SQLITE),
            "UPDATE \"t\" SET \"c\" = ?2 WHERE \"id\" = ?1"
        );
        assert_eq!(
            print_greatest(&table, id, &name("position"), 2, &Flavor::SQLITE),
            "SELECT \"id\", max(\"position\") FROM \"t\" WHERE \"id\" IN (?1, ?2) GROUP BY \"id\""
        );
    }
}
