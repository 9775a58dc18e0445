//! Databases of any number of tables: five that hold rows and are the same in all, and others
//! that look like those of a real application and are empty.

use std::fmt::Write;

use super::database::Family;

/// Tables in one script: PostgreSQL locks what a transaction has made.
const TABLES_A_SCRIPT: usize = 50;

const BASE_SQLITE: &str = include_str!("base.sqlite.sql");
const BASE_POSTGRES: &str = include_str!("base.postgres.sql");

/// The tables of the base.
pub(super) const BASE_TABLES: usize = 5;

/// Parts of the names of the empty tables, as people give them.
const SUBJECTS: [&str; 12] = [
    "account", "booking", "contract", "delivery", "employee", "forecast", "invoice", "ledger",
    "machine", "order", "project", "ticket",
];
const ASPECTS: [&str; 8] =
    ["detail", "event", "item", "note", "position", "state", "version", "setting"];

/// A column: its name, its type in PostgreSQL, its type in SQLite.
type Column = (&'static str, &'static str, &'static str);

/// A table of the base: name, columns, and foreign keys with the tables that they refer to.
type BaseTable = (&'static str, &'static [&'static str], &'static [(&'static str, &'static str)]);

const BASE: [BaseTable; BASE_TABLES] = [
    (
        "customer",
        &["id", "name", "email", "city", "is_active", "discount", "born_on", "created_at"],
        &[],
    ),
    ("category", &["id", "name", "description"], &[]),
    (
        "product",
        &["id", "category_id", "name", "price", "weight", "stock", "is_listed", "created_at"],
        &[("category_id", "category")],
    ),
    (
        "purchase",
        &["id", "customer_id", "state", "note", "total", "placed_at"],
        &[("customer_id", "customer")],
    ),
    (
        "purchase_line",
        &["id", "purchase_id", "product_id", "quantity", "price"],
        &[("purchase_id", "purchase"), ("product_id", "product")],
    ),
];

const COLUMNS: [Column; 12] = [
    ("title", "text NOT NULL", "TEXT NOT NULL"),
    ("amount", "numeric(12,2)", "DECIMAL(12,2)"),
    ("created_at", "timestamptz NOT NULL DEFAULT now()", "TIMESTAMP NOT NULL"),
    ("quantity", "integer NOT NULL DEFAULT 0", "INTEGER NOT NULL DEFAULT 0"),
    ("is_active", "boolean NOT NULL DEFAULT true", "BOOLEAN NOT NULL DEFAULT 1"),
    ("external_id", "uuid", "UUID"),
    ("due_on", "date", "DATE"),
    ("attributes", "jsonb", "JSON"),
    ("weight", "double precision", "DOUBLE"),
    ("description", "text", "TEXT"),
    ("total_count", "bigint", "BIGINT"),
    ("tags", "text[]", "TEXT"),
];

/// A table as others know it.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    pub(super) references: Vec<Reference>,
}

/// A foreign key of one column.
#[derive(Debug)]
pub(super) struct Reference {
    pub(super) column: String,
    /// The table that it refers to.
    pub(super) table: String,
}

/// The tables of a database of so many, base included.
pub(super) fn tables(count: usize) -> impl Iterator<Item = Table> {
    let base = BASE.iter().map(|(name, columns, references)| Table {
        name: (*name).to_owned(),
        columns: columns.iter().map(|column| (*column).to_owned()).collect(),
        references: references
            .iter()
            .map(|(column, table)| Reference {
                column: (*column).to_owned(),
                table: (*table).to_owned(),
            })
            .collect(),
    });
    let empty = count.saturating_sub(BASE_TABLES);
    base.chain((0..empty).map(|index| {
        let references = references(index).into_iter();
        let references: Vec<Reference> = references
            .map(|(column, table)| Reference { column: column.to_owned(), table })
            .collect();
        let columns = std::iter::once("id")
            .chain(references.iter().map(|reference| reference.column.as_str()))
            .chain(has_status(index).then_some("status"))
            .chain(has_code(index).then_some("code"))
            .chain(further_columns(index, references.len()).map(|(name, ..)| *name));
        Table { name: name(index), columns: columns.map(str::to_owned).collect(), references }
    }))
}

/// The scripts that make a database of so many tables, base included.
pub(crate) fn scripts(family: Family, tables: usize) -> impl Iterator<Item = String> {
    let base = match family {
        Family::Sqlite => BASE_SQLITE,
        Family::Postgres => BASE_POSTGRES,
    };
    let empty = tables.saturating_sub(BASE_TABLES);
    let scripts = (0..empty).step_by(TABLES_A_SCRIPT).map(move |first| {
        let mut script = String::new();
        for index in first..empty.min(first + TABLES_A_SCRIPT) {
            // Writing to a `String` fails never.
            let written = write_table(&mut script, family, index);
            debug_assert!(written.is_ok(), "a table was not written");
        }
        script
    });
    std::iter::once(base.to_owned()).chain(scripts)
}

fn name(index: usize) -> String {
    let subject = SUBJECTS[index % SUBJECTS.len()];
    let aspect = ASPECTS[index / SUBJECTS.len() % ASPECTS.len()];
    format!("{subject}_{aspect}_{index:04}")
}

/// The tables that a table refers to: the first of its group of ten, most often its neighbour
/// too, and now and then one that everything refers to.
fn references(index: usize) -> Vec<(&'static str, String)> {
    let mut references = Vec::new();
    let head = index - index % 10;
    if index != head {
        references.push(("parent_id", name(head)));
    } else if index > 0 {
        references.push(("previous_id", name(index - 10)));
    }
    if index % 3 == 2 && index - 1 != head {
        references.push(("related_id", name(index - 1)));
    }
    if index % 40 == 20 {
        references.push(("customer_id", "customer".to_owned()));
    }
    references
}

fn has_status(index: usize) -> bool {
    index.is_multiple_of(5)
}

fn has_code(index: usize) -> bool {
    index % 4 == 1
}

/// The columns beside the key, the references, the status and the code: eight to twelve in all.
fn further_columns(index: usize, references: usize) -> impl Iterator<Item = &'static Column> {
    let others = 1 + references + usize::from(has_status(index)) + usize::from(has_code(index));
    COLUMNS.iter().cycle().skip(index % 7).take(8 + index % 5 - others)
}

fn write_table(script: &mut String, family: Family, index: usize) -> std::fmt::Result {
    let table = name(index);
    let references = references(index);
    let has_status = has_status(index);
    if has_status && family == Family::Postgres {
        writeln!(script, "CREATE TYPE {table}_status AS ENUM ('NEW', 'OPEN', 'DONE', 'FAILED');")?;
    }
    let key = match family {
        Family::Sqlite => "INTEGER PRIMARY KEY",
        Family::Postgres => "integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
    };
    write!(script, "CREATE TABLE {table} (id {key}")?;
    for (column, other) in &references {
        write!(script, ", {column} integer REFERENCES {other} (id)")?;
    }
    if has_status {
        match family {
            Family::Sqlite => write!(script, ", status TEXT")?,
            Family::Postgres => write!(script, ", status {table}_status NOT NULL DEFAULT 'NEW'")?,
        }
    }
    if has_code(index) {
        write!(script, ", code text NOT NULL UNIQUE")?;
    }
    for (column, postgres, sqlite) in further_columns(index, references.len()) {
        let r#type = match family {
            Family::Sqlite => sqlite,
            Family::Postgres => postgres,
        };
        write!(script, ", {column} {type}")?;
    }
    writeln!(script, ");")?;
    for (column, _) in &references {
        writeln!(script, "CREATE INDEX {table}_{column}_index ON {table} ({column});")?;
    }
    if family == Family::Postgres {
        writeln!(script, "COMMENT ON TABLE {table} IS 'What is known of number {index}.';")?;
        writeln!(script, "COMMENT ON COLUMN {table}.id IS 'The number that other tables know.';")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn a_database_has_the_tables_that_were_asked_for() {
        for tables in [10, 137] {
            let connection = Connection::open_in_memory().unwrap();
            for script in scripts(Family::Sqlite, tables) {
                connection.execute_batch(&script).unwrap();
            }
            let count = "SELECT count(*) FROM sqlite_schema WHERE type = 'table'";
            let found: i64 = connection.query_row(count, [], |row| row.get(0)).unwrap();
            assert_eq!(found, tables as i64);
            let violations = "SELECT count(*) FROM pragma_foreign_key_check";
            let found: i64 = connection.query_row(violations, [], |row| row.get(0)).unwrap();
            assert_eq!(found, 0);
        }
    }

    #[test]
    fn every_table_has_eight_to_twelve_columns() {
        let connection = Connection::open_in_memory().unwrap();
        for script in scripts(Family::Sqlite, 500) {
            connection.execute_batch(&script).unwrap();
        }
        let columns = "SELECT count(*) FROM sqlite_schema AS t, pragma_table_info(t.name) \
                       WHERE t.type = 'table' AND t.name GLOB '*[0-9]' GROUP BY t.name";
        let mut statement = connection.prepare(columns).unwrap();
        let counts = statement.query_map([], |row| row.get::<_, i64>(0)).unwrap();
        for count in counts {
            assert!((8..=12).contains(&count.unwrap()));
        }
    }

    #[test]
    fn a_table_of_postgres_refers_to_others_by_indexed_columns() {
        let mut script = String::new();
        write_table(&mut script, Family::Postgres, 25).unwrap();
        expect![[r#"
            CREATE TYPE booking_item_0025_status AS ENUM ('NEW', 'OPEN', 'DONE', 'FAILED');
            CREATE TABLE booking_item_0025 (id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, parent_id integer REFERENCES machine_event_0020 (id), status booking_item_0025_status NOT NULL DEFAULT 'NEW', code text NOT NULL UNIQUE, is_active boolean NOT NULL DEFAULT true, external_id uuid, due_on date, attributes jsonb);
            CREATE INDEX booking_item_0025_parent_id_index ON booking_item_0025 (parent_id);
            COMMENT ON TABLE booking_item_0025 IS 'What is known of number 25.';
            COMMENT ON COLUMN booking_item_0025.id IS 'The number that other tables know.';
        "#]].assert_eq(&script);
    }
}
