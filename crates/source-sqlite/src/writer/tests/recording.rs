//! Tests of the stream of changes.

use std::sync::Arc;
use std::time::Duration;

use source::changes::{
    Cell, ChangeStream, ChangedRows, Changes, NoStream, RowChange, StreamKind, TableChange,
    TableName,
};
use source::statistics::Counter;
use tokio::time::timeout;

use super::Place;
use crate::changes::{SqliteChangeStream, SqliteChanges};
use crate::introspect::introspect;
use crate::recording::recorded_tables;

const PATIENCE: Duration = Duration::from_secs(20);

/// A file with a stream of its changes.
struct Recorded {
    changes: SqliteChanges,
    names: Vec<TableName>,
    stream: SqliteChangeStream,
    place: Place,
}

fn changes(place: &Place) -> (SqliteChanges, Vec<TableName>) {
    let catalog = introspect(&place.connect()).unwrap();
    let tables: Arc<[_]> = recorded_tables(&catalog).into();
    let name = |name: &str| TableName { namespace: None, name: name.into() };
    let names = tables.iter().map(|table| name(&table.name)).collect();
    let writer = Arc::new(place.writer(PATIENCE));
    (SqliteChanges { path: place.path(), tables, writer }, names)
}

impl Recorded {
    async fn new(schema: &str) -> Self {
        let place = Place::new(schema);
        let (changes, names) = changes(&place);
        let stream = changes.stream(&names, StreamKind::Any).await.unwrap();
        Self { changes, names, stream, place }
    }

    /// Changes the file by the connection of the writer.
    async fn write(&self, statements: &str) {
        let statements = statements.to_owned();
        let counter = Counter::default();
        let run = self
            .changes
            .writer
            .run(&counter, false, move |file, _, _| file.connection.execute_batch(&statements));
        run.await.unwrap().unwrap();
    }

    /// The next changes.
    async fn next(&mut self) -> String {
        let changes = timeout(PATIENCE, self.stream.next()).await.unwrap().unwrap();
        changes.iter().map(printed).collect::<Vec<_>>().join("; ")
    }

    async fn check(&mut self, statements: &str, expected: &str) {
        self.write(statements).await;
        assert_eq!(self.next().await, expected, "{statements}");
    }
}

fn printed(TableChange { table, rows }: &TableChange) -> String {
    let rows = match rows {
        ChangedRows::Any => "any".to_owned(),
        ChangedRows::Rows(rows) => rows.iter().map(row).collect::<Vec<_>>().join(", "),
    };
    format!("{} {rows}", table.name.name)
}

fn row(RowChange { before, after }: &RowChange) -> String {
    let cells = |cells: &Option<Vec<Cell>>| match cells {
        None => "-".to_owned(),
        Some(cells) => cells.iter().map(cell).collect::<Vec<_>>().join("|"),
    };
    format!("{}>{}", cells(before), cells(after))
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Null => "null".to_owned(),
        Cell::Unknown => "?".to_owned(),
        Cell::Changed => "!".to_owned(),
        Cell::Text(text) => String::from_utf8(text.to_vec()).unwrap(),
    }
}

const TABLES: &str = "
    CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT, price REAL);
    CREATE TABLE child (
        id TEXT PRIMARY KEY, parent INTEGER REFERENCES parent ON DELETE CASCADE
    ) WITHOUT ROWID;
    CREATE TABLE log (parent INTEGER, twice INTEGER AS (parent * 2));
    CREATE TRIGGER logs AFTER UPDATE ON parent WHEN new.name <> 'x' BEGIN
        INSERT INTO log VALUES (new.id);
        UPDATE parent SET name = 'x' WHERE id = new.id;
    END;
    INSERT INTO parent VALUES (1, 'a', 0.5), (2, 'b', 1.5);
    INSERT INTO child VALUES ('one', 1), ('two', 2), ('three', 2);";

#[tokio::test]
async fn rows_of_own_commits_are_listed() {
    let mut file = Recorded::new(TABLES).await;
    let covered: Vec<_> =
        file.stream.coverage().relations.iter().map(|table| &*table.name.name).collect();
    assert_eq!(covered, ["child", "log", "parent"]);
    file.check("INSERT INTO parent VALUES (3, NULL, 2.5)", "parent ->3|null|?").await;
    file.check("UPDATE parent SET price = 3 WHERE id = 3", "parent 3|null|?>3|null|!").await;
    file.check(
        "UPDATE child SET parent = 3 WHERE parent = 2",
        "child three|2>three|3, two|2>two|3",
    )
    .await;
    // The trigger changes the row once more.
    let expected = "log ->1|2; parent 1|a|?>1|c|?, 1|c|?>1|x|?";
    file.check("UPDATE parent SET name = 'c' WHERE id = 1", expected).await;
    // Upserts.
    let upsert = "INSERT INTO child VALUES ('one', 3) ON CONFLICT DO UPDATE SET parent = 3";
    file.check(upsert, "child one|1>one|3").await;
    // A cascade, and a delete of all rows.
    let expected = "child one|3>-, three|3>-, two|3>-; parent 3|null|?>-";
    file.check("DELETE FROM parent WHERE id = 3", expected).await;
    file.check("DELETE FROM log", "log 1|2>-").await;
}

#[tokio::test]
async fn changes_that_are_rolled_back_may_be_reported_and_others_are() {
    let mut file = Recorded::new(TABLES).await;
    let statements = "BEGIN; DELETE FROM log; INSERT INTO log VALUES (1); ROLLBACK; \
                      INSERT INTO log VALUES (2)";
    file.check(statements, "log ->1|2, ->2|4").await;
}

#[tokio::test]
async fn of_many_rows_only_the_table_is_reported() {
    let mut file = Recorded::new(TABLES).await;
    let many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1001) \
                INSERT INTO log SELECT i FROM n";
    file.check(many, "log any").await;
    file.check("INSERT INTO log VALUES (7)", "log ->7|14").await;
}

#[tokio::test]
async fn commits_of_other_programs_concern_all_tables() {
    for journal in ["DELETE", "WAL"] {
        let mut file = Recorded::new(&format!("PRAGMA journal_mode = {journal}; {TABLES}")).await;
        file.place.connect().execute_batch("INSERT INTO log VALUES (1)").unwrap();
        assert_eq!(file.next().await, "child any; log any; parent any", "{journal}");
        // Own ones do not.
        file.check("INSERT INTO log VALUES (2)", "log ->2|4").await;
        tokio::time::sleep(Duration::from_millis(2_300)).await;
        file.check("INSERT INTO log VALUES (3)", "log ->3|6").await;
    }
}

#[tokio::test]
async fn texts_that_a_collation_makes_equal_are_unknown() {
    let mut file = Recorded::new("CREATE TABLE t (name TEXT COLLATE NOCASE, size INTEGER)").await;
    file.check("INSERT INTO t VALUES ('a', 1)", "t ->?|1").await;
    file.check("UPDATE t SET size = 2", "t ?|1>?|2").await;
    file.check("UPDATE t SET name = 'A'", "t ?|2>!|2").await;
}

#[tokio::test]
async fn a_table_with_too_many_columns_is_reported_as_a_whole() {
    let columns: Vec<_> = (0..600).map(|column| format!("c{column} INTEGER")).collect();
    let mut file = Recorded::new(&format!("CREATE TABLE t ({})", columns.join(", "))).await;
    file.check("INSERT INTO t (c0) VALUES (1)", "t any").await;
}

#[tokio::test]
async fn the_stream_ends_when_the_definitions_change() {
    let mut file = Recorded::new(TABLES).await;
    file.place.connect().execute_batch("ALTER TABLE log RENAME COLUMN parent TO person").unwrap();
    // No write fails for it, and whatever comes before the end is reported as a whole.
    file.write("INSERT INTO log (person) VALUES (1)").await;
    let end = timeout(PATIENCE, async {
        loop {
            if let Err(error) = file.stream.next().await {
                return error;
            }
        }
    });
    assert!(end.await.unwrap().to_string().contains("definitions have changed"));
    // The columns are not those of the catalog any more.
    let again = file.changes.stream(&file.names, StreamKind::Any).await.unwrap();
    let covered: Vec<_> =
        again.coverage().relations.iter().map(|table| &*table.name.name).collect();
    assert_eq!(covered, ["child", "parent"]);
}

#[tokio::test]
async fn definitions_that_replace_rows_are_not_recorded() {
    let place = Place::new("CREATE TABLE t (a UNIQUE ON CONFLICT REPLACE)");
    let (changes, names) = changes(&place);
    match changes.stream(&names, StreamKind::Any).await {
        Err(NoStream::NotAllowed(reason)) => assert!(reason.contains("`t`"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn triggers_end_with_the_stream() {
    let file = Recorded::new(TABLES).await;
    let Recorded { changes, stream, place: _place, .. } = file;
    let triggers = || async {
        let counter = Counter::default();
        let run = changes.writer.run(&counter, false, |file, _, _| {
            let count = "SELECT count(*) FROM temp.sqlite_schema";
            file.connection.query_row(count, (), |row| row.get::<_, i64>(0))
        });
        run.await.unwrap().unwrap()
    };
    assert_eq!(triggers().await, 9);
    drop(stream);
    assert_eq!(triggers().await, 0);
}
