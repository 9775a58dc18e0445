//! The databases of the server under test.

use super::Location;

/// The kind of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Database {
    Postgres,
    Sqlite,
}

/// What Prisma's connector of PostgreSQL can do. Thalweg can do the same on SQLite, where Prisma
/// neither imports nor exports, and has no UUIDs.
const CAPABILITIES: [&str; 15] = [
    "TransactionalExecutionCapability",
    "JoinRelationsFilterCapability",
    "JoinRelationLinksCapability",
    "RelationLinkTableCapability",
    "MigrationsCapability",
    "NonEmbeddedScalarListCapability",
    "ScalarListsCapability",
    "NodeQueryCapability",
    "IntrospectionCapability",
    "SupportsExistingDatabasesCapability",
    "IntIdCapability",
    "RawAccessCapability",
    "IdSequenceCapability",
    "ImportExportCapability",
    "UuidIdCapability",
];

/// A relational database of Thalweg has a capability of Prisma's connectors.
pub(crate) fn has_capability(name: &str) -> bool {
    CAPABILITIES.contains(&name)
}

impl Database {
    /// The connector's name in the tests.
    pub(crate) fn connector_tag(self) -> &'static str {
        match self {
            Self::Postgres => "PostgresConnectorTag",
            Self::Sqlite => "SQLiteConnectorTag",
        }
    }

    /// The tag of tests that are not for it.
    pub(crate) fn ignored_tag(self) -> &'static str {
        match self {
            Self::Postgres => "IgnorePostgres",
            Self::Sqlite => "IgnoreSQLite",
        }
    }
}

/// Deletes the rows of all tables but Thalweg's own, without checks of foreign keys. For few rows this
/// is faster than `TRUNCATE`, which makes new files.
const EMPTY_POSTGRES: &str = "DO $$ DECLARE one record; BEGIN
  PERFORM set_config('session_replication_role', 'replica', true);
  FOR one IN SELECT schemaname, tablename FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
      AND schemaname NOT LIKE 'thalweg%' AND tablename NOT LIKE 'thalweg%'
  LOOP EXECUTE format('DELETE FROM %I.%I', one.schemaname, one.tablename); END LOOP;
END $$";

impl Location {
    /// Deletes all rows.
    pub(super) fn empty(&self) -> Result<(), String> {
        match self {
            Self::Postgres(server, name) => {
                server.execute(name, EMPTY_POSTGRES).map_err(|error| error.to_string())
            }
            Self::Sqlite(path) => empty_sqlite(path).map_err(|error| error.to_string()),
        }
    }

    /// Runs statements.
    pub(super) fn execute(&self, sql: &str) -> Result<(), String> {
        match self {
            Self::Postgres(server, name) => {
                server.execute(name, sql).map_err(|error| error.to_string())
            }
            Self::Sqlite(path) => {
                let connection = rusqlite::Connection::open(path);
                let executed = connection.and_then(|connection| connection.execute_batch(sql));
                executed.map_err(|error| error.to_string())
            }
        }
    }

    pub(super) fn count(&self, table: &str) -> Result<i64, String> {
        let text = match self {
            Self::Postgres(server, name) => {
                let sql = format!("SELECT count(*) FROM {}", quoted(table));
                let rows = server.query(name, &sql).map_err(|error| error.to_string())?;
                rows.into_iter().flatten().flatten().next()
            }
            Self::Sqlite(path) => {
                let sql = format!("SELECT count(*) FROM {}", quoted(table));
                let connection =
                    rusqlite::Connection::open(path).map_err(|error| error.to_string())?;
                let count: Result<i64, _> = connection.query_row(&sql, [], |row| row.get(0));
                return count.map_err(|error| error.to_string());
            }
        };
        text.and_then(|text| text.parse().ok()).ok_or_else(|| "the count is no number".into())
    }

    /// Deletes the database; one that is in use stays.
    pub(super) fn remove(&self) {
        match self {
            Self::Postgres(server, name) => drop(server.drop_database(name)),
            Self::Sqlite(path) => drop(std::fs::remove_file(path)),
        }
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn empty_sqlite(path: &std::path::Path) -> Result<(), rusqlite::Error> {
    let connection = rusqlite::Connection::open(path)?;
    connection.busy_timeout(std::time::Duration::from_secs(10))?;
    connection.execute_batch("PRAGMA foreign_keys = OFF")?;
    let mut statement = connection.prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' \
         AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'thalweg%'",
    )?;
    let names = statement.query_map([], |row| row.get::<_, String>(0))?;
    let names = names.collect::<Result<Vec<_>, _>>()?;
    for name in names {
        connection.execute(&format!("DELETE FROM {}", quoted(&name)), [])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_of_an_sqlite_file_are_deleted_and_counted() {
        let path = std::env::temp_dir().join(format!("prisma-cases-{}.db", std::process::id()));
        drop(std::fs::remove_file(&path));
        let connection = rusqlite::Connection::open(&path).expect("a file");
        connection
            .execute_batch(
                "CREATE TABLE a (id TEXT PRIMARY KEY);
                 CREATE TABLE \"_AToB\" (\"A\" TEXT REFERENCES a (id));
                 CREATE TABLE thalweg_log (x);
                 INSERT INTO a VALUES ('1'); INSERT INTO \"_AToB\" VALUES ('1');
                 INSERT INTO thalweg_log VALUES (1)",
            )
            .expect("statements");
        let location = Location::Sqlite(path);
        assert_eq!(location.count("_AToB"), Ok(1));
        location.empty().expect("deleted");
        assert_eq!((location.count("a"), location.count("_AToB")), (Ok(0), Ok(0)));
        assert_eq!(location.count("thalweg_log"), Ok(1));
        assert!(location.count("b").is_err());
        location.remove();
    }

    #[test]
    fn relational_databases_have_no_embedded_types() {
        assert!(has_capability("UuidIdCapability"));
        assert!(!has_capability("EmbeddedTypesCapability"));
    }
}
