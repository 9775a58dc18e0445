//! The databases of a set that writes: one for each of the three, made anew between the files of
//! queries, and compared as a whole after each.

use std::collections::{BTreeMap, BTreeSet};

use testkit::postgres::{ClientError, Server};

use super::SCHEMA;

/// The number below which the ids of `kitchen.sql` are.
const ROWS: &str = "\n-- Rows\n";

/// All rows of all tables, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tables(BTreeMap<String, Vec<String>>);

/// One database of each contestant that writes.
#[derive(Debug)]
pub(crate) struct Databases<'s> {
    server: &'s Server,
    /// Makes all tables as they were.
    reset: String,
    /// Gives all rows of all tables.
    dump: String,
}

impl<'s> Databases<'s> {
    /// Makes the databases as the template is, to which nobody is connected.
    pub(crate) fn make(
        server: &'s Server,
        template: &str,
        names: &[&str],
        kitchen: &str,
    ) -> Result<Self, ClientError> {
        for name in names {
            server.copy_database(template, name)?;
        }
        // Rows of an enum table are part of the schema.
        let sql = format!(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables \
             WHERE schemaname = '{SCHEMA}' AND tablename <> 'weather' ORDER BY 1"
        );
        let rows = server.query(names.first().copied().unwrap_or(template), &sql)?;
        let tables: Vec<String> = rows.into_iter().flatten().flatten().collect();
        let rows = kitchen.split_once(ROWS).map_or("", |(_, rows)| rows);
        let reset = format!(
            "TRUNCATE {} RESTART IDENTITY CASCADE; SET search_path TO {SCHEMA}, public; {rows}",
            tables.join(", ")
        );
        let parts = tables
            .iter()
            .map(|table| format!("SELECT '{}', one::text FROM {table} AS one", quoted(table)));
        let dump = parts.collect::<Vec<_>>().join(" UNION ALL ") + " ORDER BY 1, 2";
        Ok(Self { server, reset, dump })
    }

    /// Makes all tables of a database as they were in the beginning.
    pub(crate) fn reset(&self, name: &str) -> Result<(), ClientError> {
        self.server.execute(name, &self.reset)
    }

    /// Reads the tables of a database.
    pub(crate) fn dump(&self, name: &str) -> Result<Tables, ClientError> {
        let mut tables = Tables::default();
        for row in self.server.query(name, &self.dump)? {
            let mut cells = row.into_iter().map(Option::unwrap_or_default);
            let (table, text) = (cells.next().unwrap_or_default(), cells.next());
            tables.0.entry(table).or_default().extend(text);
        }
        Ok(tables)
    }
}

fn quoted(text: &str) -> String {
    text.replace('\'', "''")
}

impl Tables {
    /// Each table that differs, with the rows that only one of two has.
    pub(crate) fn compare(&self, ours: &Self) -> Vec<(String, String, String)> {
        let names: BTreeSet<&String> = self.0.keys().chain(ours.0.keys()).collect();
        let mut found = Vec::new();
        for name in names {
            let rows = |tables: &Self| tables.0.get(name).cloned().unwrap_or_default();
            let (their_rows, our_rows) = (rows(self), rows(ours));
            if their_rows != our_rows {
                let lacking = |these: &[String], those: &[String]| {
                    let only = these.iter().filter(|row| !those.contains(row));
                    only.map(String::as_str).collect::<Vec<_>>().join(" ")
                };
                let theirs = lacking(&their_rows, &our_rows);
                found.push((name.clone(), theirs, lacking(&our_rows, &their_rows)));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_only_one_has_are_told() {
        let tables = |rows: &[(&str, &[&str])]| {
            let owned = |rows: &[&str]| rows.iter().map(|row| (*row).to_owned()).collect();
            Tables(rows.iter().map(|(name, rows)| ((*name).to_owned(), owned(rows))).collect())
        };
        let theirs = tables(&[("a", &["(1)", "(2)"]), ("b", &["(1)"])]);
        assert_eq!(theirs.compare(&theirs), []);
        let ours = tables(&[("a", &["(1)", "(3)"])]);
        let told = |name: &str, theirs: &str, ours: &str| (name.into(), theirs.into(), ours.into());
        let expected: [(String, String, String); 2] =
            [told("a", "(2)", "(3)"), told("b", "(1)", "")];
        assert_eq!(theirs.compare(&ours), expected);
    }
}
