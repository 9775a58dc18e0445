//! Databases of any number of tables, each related to the one before it.

use std::fs;

use serde_json::{Value, json};

use super::{Place, SizeError};

/// How many tables one round trip makes: all of them are locked until it is over.
const AT_ONCE: usize = 100;

/// Where the tables are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Postgres,
    Sqlite,
}

impl Kind {
    pub(super) const ALL: [Self; 2] = [Self::Postgres, Self::Sqlite];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Postgres => "PostgreSQL",
            Self::Sqlite => "SQLite",
        }
    }
}

/// Makes a database of so many tables and gives its address; one that is there is made again.
pub(super) fn create(place: &Place, kind: Kind, count: usize) -> Result<String, SizeError> {
    let statements: Vec<String> = (0..count).map(|index| statements(kind, index)).collect();
    match kind {
        Kind::Postgres => {
            let name = format!("tables_{count}");
            let there = place.server.query(
                "postgres",
                &format!("SELECT 1 FROM pg_database WHERE datname = '{name}'"),
            )?;
            if there.is_empty() {
                place.server.create_database(&name)?;
                for some in statements.chunks(AT_ONCE) {
                    place.server.execute(&name, &some.concat())?;
                }
                place.server.execute(&name, ROWS)?;
                place.server.execute(&name, "ANALYZE")?;
            }
            Ok(place.server.url(&name))
        }
        Kind::Sqlite => {
            let path = place.folder.join(format!("tables_{count}.db"));
            if path.exists() {
                fs::remove_file(&path)?;
            }
            let connection = rusqlite::Connection::open(&path)?;
            connection.execute_batch(&format!("BEGIN;{}{ROWS}COMMIT;", statements.concat()))?;
            Ok(format!("sqlite:{}", path.display()))
        }
    }
}

/// Rows of the first two tables, which are in a schema of any size.
const ROWS: &str = "
INSERT INTO t_bbbbn (id, name, note, amount) VALUES
  (1, 'a', 'x', 1.5), (2, 'b', null, 2), (3, 'c', 'y', null), (4, 'd', 'z', 4.25), (5, 'e', '', 0);
INSERT INTO t_bbbcn (id, name, note, amount, previous_id) VALUES
  (1, 'f', 'x', 1.5, 1), (2, 'g', null, 2, 1), (3, 'h', 'y', null, 2), (4, 'i', 'z', 4.25, 3),
  (5, 'j', '', 0, 3), (6, 'k', 'x', 3, 3), (7, 'l', 'x', 9, null);
";

/// The request that is counted: rows by key, a page, a relation of each direction, a count.
pub(super) fn request() -> Value {
    let document = "query ($id: Int!, $first: Int!, $note: String) {
  tBbbcnById(id: $id) { id name amount tBbbbnByPreviousId { id name } }
  allTBbbbns(first: $first, orderBy: [NAME_DESC]) {
    totalCount
    nodes { id name note tBbbcnsByPreviousId(first: 2) { nodes { id name } } }
    pageInfo { hasNextPage endCursor }
  }
  allTBbbcns(condition: { note: $note }) { edges { cursor node { nodeId name } } }
}";
    json!({ "query": document, "variables": { "id": 4, "first": 3, "note": "x" } })
}

fn statements(kind: Kind, index: usize) -> String {
    let name = name(index);
    let (number, key) = match kind {
        Kind::Postgres => ("numeric", "serial PRIMARY KEY"),
        Kind::Sqlite => ("NUMERIC", "INTEGER PRIMARY KEY"),
    };
    let previous = match index.checked_sub(1) {
        Some(previous) => format!(" REFERENCES {} (id)", self::name(previous)),
        None => String::new(),
    };
    format!(
        "CREATE TABLE {name} (id {key}, name text NOT NULL, note text, amount {number}, \
         happened timestamp, previous_id integer{previous}, UNIQUE (name));\n\
         CREATE INDEX {name}_previous ON {name} (previous_id);\n"
    )
}

/// Letters that make no English word, so that every plural is formed alike.
fn name(index: usize) -> String {
    const LETTERS: &[u8] = b"bcdfghjklm";
    let mut rest = index;
    let mut letters = [b'b'; 4];
    for letter in letters.iter_mut().rev() {
        *letter = LETTERS[rest % LETTERS.len()];
        rest /= LETTERS.len();
    }
    format!("t_{}n", String::from_utf8_lossy(&letters))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_a_name_of_its_own() {
        assert_eq!([name(0), name(1), name(5000)], ["t_bbbbn", "t_bbbcn", "t_hbbbn"]);
    }
}
