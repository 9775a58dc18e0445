//! Migrations that are killed, that meet each other, or that meet changes by hand.

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use source::{MigrationAccess, Timeouts};
use sources::{Address, Migrator};
use storage::migration::drift::Drift;
use storage::migration::renames::{Renames, TypeRename};
use storage::model::{FieldType, Index, Model};
use storage::tables::{ColumnType, StoredValue};
use storage::{Database, Layout, Tables};

use super::database::{TestDatabase, databases, run, sqlite};
use super::model::{FieldWords, blog, characters, entity, field};

/// The address for the process that is killed.
const ADDRESS: &str = "THALWEG_TEST_MIGRATE";

/// Rows of the table that is rebuilt while the process is killed.
const ROWS: usize = 60_000;

fn before() -> Model {
    let texts = entity("Text", vec![field("words", FieldType::Text), field("n", FieldType::Int32)]);
    Model { entities: vec![texts], ..Model::default() }
}

fn after() -> Model {
    let words = field("words", FieldType::Text).list();
    let n = field("n", FieldType::Text).indexed(&[Index::FullText, Index::Order]);
    Model { entities: vec![entity("Text", vec![words, n])], ..Model::default() }
}

/// Runs in a process of its own, which the next test kills.
#[test]
fn migrates_until_it_is_killed() {
    let Ok(address) = std::env::var(ADDRESS) else { return };
    let address = Address::parse(&address).unwrap();
    run(async {
        let migrator =
            Migrator::begin(&address, "public", MigrationAccess::Write, Timeouts::default()).await;
        let migrator = migrator.unwrap();
        let planned = migrator.plan(&after()).await.unwrap();
        migrator.apply(&planned, "killed").await.unwrap();
    });
}

#[test]
fn a_killed_migration_leaves_the_old_state() {
    for database in databases("killed") {
        run(database.migrate(&before()));
        fill(&database);
        let address = match database.address() {
            Address::Sqlite(path) => path.to_string_lossy().into_owned(),
            Address::Postgres(url) | Address::Neo4j(url) => url,
        };
        let start = || {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "faults::migrates_until_it_is_killed"])
                .env(ADDRESS, &address)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        };
        let mut delay = Duration::from_millis(5);
        let mut killed = 0;
        loop {
            let mut child = start();
            thread::sleep(delay);
            let is_done = child.try_wait().unwrap().is_some();
            child.kill().unwrap();
            child.wait().unwrap();
            wait_for_the_lock(&database);
            let planned = run(database.plan(&after()));
            assert_eq!(planned.drift, []);
            let columns = match planned.is_current() {
                true => "SELECT count(*), count(n), min(n) FROM \"Text\" WHERE n >= '1'",
                false => "SELECT count(*), count(n), min(n) FROM \"Text\" WHERE n >= 1",
            };
            assert_eq!(database.query(columns), [format!("{ROWS}|{ROWS}|1")]);
            if planned.is_current() {
                assert!(is_done || killed > 0, "it was done before it could be killed");
                break;
            }
            killed += 1;
            delay = delay * 3 / 2;
        }
        assert!(killed > 3, "killed {killed} times");
    }
}

fn fill(database: &TestDatabase) {
    database.execute(&match database {
        TestDatabase::Sqlite { .. } => format!(
            "WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < {ROWS})
             INSERT INTO \"Text\" (id, words, n) SELECT i, 'word ' || i, i FROM s"
        ),
        TestDatabase::Postgres { .. } => format!(
            "INSERT INTO \"Text\" (words, n)
             SELECT 'word ' || i, i FROM generate_series(1, {ROWS}) AS s (i)"
        ),
    });
}

/// PostgreSQL ends a session some time after its client is gone.
fn wait_for_the_lock(database: &TestDatabase) {
    if let TestDatabase::Postgres { .. } = database {
        let held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'";
        let begun = Instant::now();
        while database.query(held) != ["0"] && begun.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn two_migrations_at_once_run_one_after_the_other() {
    for database in databases("twice") {
        run(database.migrate(&before()));
        let address = database.address();
        let migrate = || {
            run(async {
                let begun = Migrator::begin(
                    &address,
                    "public",
                    MigrationAccess::Write,
                    Timeouts::default(),
                );
                let migrator = begun.await.unwrap();
                let planned = migrator.plan(&after()).await.unwrap();
                let steps = planned.migration.steps.len();
                if steps > 0 {
                    // The other one waits meanwhile.
                    thread::sleep(Duration::from_millis(200));
                    migrator.apply(&planned, "both").await.unwrap();
                }
                steps
            })
        };
        let steps = thread::scope(|scope| {
            let threads = [scope.spawn(migrate), scope.spawn(migrate)];
            threads.map(|thread| thread.join().unwrap())
        });
        assert!(steps.contains(&0) && steps != [0, 0], "{steps:?}");
    }
}

#[test]
fn changes_by_hand_are_named() {
    for database in databases("drift") {
        run(database.migrate(&blog()));
        database.execute(
            "ALTER TABLE \"Author\" ADD COLUMN shoe TEXT;
             ALTER TABLE \"Author\" RENAME COLUMN born TO birth;
             DROP TABLE \"Post_tags\";
             CREATE TABLE \"Human\" (id BIGINT);",
        );
        let mut model = blog();
        model.entities.push(characters().entities.swap_remove(0));
        let planned = run(database.plan(&model));
        let column = |column: &str| ("Author".into(), column.into());
        let (table, missing) = column("born");
        let mut expected = vec![Drift::MissingColumn { table, column: missing }];
        for extra in ["shoe", "birth"] {
            let (table, column) = column(extra);
            expected.push(Drift::ExtraColumn { table, column });
        }
        expected.sort_by_key(|drift| format!("{drift:?}"));
        let mut found = planned.drift;
        let others = [Drift::MissingTable("Post_tags".into()), Drift::ForeignTable("Human".into())];
        for other in &others {
            assert!(found.contains(other), "{found:?}");
        }
        found.retain(|drift| !others.contains(drift));
        found.sort_by_key(|drift| format!("{drift:?}"));
        assert_eq!(found, expected);
    }
}

#[test]
fn limits_defaults_and_sequences_that_were_changed_by_hand_are_named() {
    let drift = |database: &TestDatabase| -> Vec<String> {
        let planned = run(database.plan(&blog()));
        planned.drift.iter().map(ToString::to_string).collect()
    };
    for database in databases("details") {
        run(database.migrate(&blog()));
        match &database {
            TestDatabase::Sqlite { .. } => {
                database.execute("ALTER TABLE thalweg_sequence RENAME TO numbers");
                assert_eq!(
                    drift(&database),
                    ["thalweg_sequence, which has the last id, is not there"]
                );
            }
            TestDatabase::Postgres { .. } => {
                // A limit that is not there limits nothing.
                database.execute("ALTER TABLE \"Author\" ALTER COLUMN name TYPE varchar");
                assert_eq!(drift(&database), [""; 0]);
                database.execute(
                    "ALTER TABLE \"Author\" ALTER COLUMN name TYPE varchar(20);
                     ALTER TABLE \"Post\" ALTER COLUMN links TYPE varchar(20)[];
                     ALTER TABLE \"Post\" ALTER COLUMN id SET DEFAULT 7;
                     ALTER TABLE \"Author\" ALTER COLUMN id DROP DEFAULT;
                     ALTER SEQUENCE thalweg.id RENAME TO numbers;",
                );
                let mut found = drift(&database);
                found.sort();
                assert_eq!(
                    found,
                    [
                        "Post.id does not take its ids from the sequence",
                        "Tag.id takes its ids from another sequence, thalweg.numbers",
                        "texts of Author.name are limited to 20 characters",
                        "texts of Post.links are limited to 20 characters",
                        "thalweg.id, which has the last id, is not there",
                        "the default of Author.id is not there",
                    ]
                );
            }
        }
    }
}

#[test]
fn a_failed_migration_changes_nothing() {
    for database in databases("failed") {
        run(database.migrate(&before()));
        fill(&database);
        database.execute("UPDATE \"Text\" SET words = 'same'");
        let mut model = after();
        model.entities[0].fields[0] = field("words", FieldType::Text).unique();
        let error = run(database.try_migrate(&model)).unwrap_err().to_string();
        assert!(error.to_lowercase().contains("unique"), "{error}");
        assert!(run(database.plan(&before())).is_current());
        assert_eq!(database.query("SELECT max(n) FROM \"Text\""), [ROWS.to_string()]);
    }
}

#[test]
fn indexes_and_triggers_of_others_survive() {
    for database in databases("others") {
        run(database.migrate(&before()));
        database.execute("CREATE INDEX mine ON \"Text\" (n, words)");
        if let TestDatabase::Sqlite { .. } = database {
            database.execute(
                "CREATE TABLE seen (id INTEGER);
                 CREATE TRIGGER seen_text AFTER INSERT ON \"Text\"
                 BEGIN INSERT INTO seen VALUES (NEW.id); END;
                 CREATE VIEW texts AS SELECT * FROM \"Text\";",
            );
        }
        let mut model = before();
        model.entities[0].fields[1].r#type = FieldType::Float64;
        run(database.migrate(&model));
        let index = match database {
            TestDatabase::Sqlite { .. } => {
                database.execute("INSERT INTO \"Text\" (id, n) VALUES (1, 1.5)");
                assert_eq!(database.query("SELECT id FROM seen"), ["1"]);
                assert_eq!(database.query("SELECT n FROM texts"), ["1.5"]);
                "SELECT count(*) FROM sqlite_schema WHERE name = 'mine'"
            }
            TestDatabase::Postgres { .. } => "SELECT count(*) FROM pg_class WHERE relname = 'mine'",
        };
        assert_eq!(database.query(index), ["1"]);
    }
}

/// Renames the type of persons, and changes a column of both tables, so that SQLite rebuilds them.
fn persons(name: &str, n: FieldType) -> Layout {
    let persons = entity(name, vec![field("name", FieldType::Text), field("n", n)]);
    let model = Model { entities: vec![persons, entity("Note", vec![field("n", n)])], ..before() };
    let tables = storage::plan(&model, &Database::sqlite(), &Tables::default()).tables;
    let types = vec![TypeRename { from: "User".into(), to: name.into() }];
    Layout::Tables { tables, renames: Renames { types, fields: Vec::new() } }
}

async fn migrate_layout(database: &TestDatabase, layout: &Layout) -> Result<(), String> {
    let migrator = database.begin(MigrationAccess::Write).await;
    let planned = migrator.plan_layout(layout).await.unwrap();
    assert!(planned.is_possible(false));
    migrator.apply(&planned, "persons").await.map_err(|error| error.to_string())
}

/// A file with the tables of persons and notes.
fn file_of_persons() -> TestDatabase {
    let database = sqlite();
    run(migrate_layout(&database, &persons("User", FieldType::Int32))).unwrap();
    database
}

#[test]
fn indexes_and_triggers_of_others_survive_a_rename_and_a_rebuild() {
    let database = file_of_persons();
    database.execute(
        "CREATE INDEX mine ON \"User\" (n, name);
         CREATE TABLE seen (id INTEGER);
         CREATE TRIGGER seen_user AFTER INSERT ON \"User\"
         BEGIN INSERT INTO seen VALUES (NEW.id); END;
         CREATE TRIGGER noted AFTER INSERT ON \"Note\"
         BEGIN UPDATE \"User\" SET name = 'noted'; END;
         CREATE VIEW users AS SELECT name FROM \"User\";
         INSERT INTO \"User\" (id, n) VALUES (1, 2);",
    );
    run(migrate_layout(&database, &persons("Account", FieldType::Float64))).unwrap();
    database.execute(
        "INSERT INTO \"Account\" (id, n) VALUES (2, 1.5); INSERT INTO \"Note\" (id) VALUES (3);",
    );
    assert_eq!(database.query("SELECT id FROM seen"), ["1", "2"]);
    assert_eq!(database.query("SELECT name FROM users"), ["noted", "noted"]);
    let index = "SELECT tbl_name FROM sqlite_schema WHERE name = 'mine'";
    assert_eq!(database.query(index), ["Account"]);
}

#[test]
fn a_view_that_prevents_a_rename_has_a_remedy() {
    let database = file_of_persons();
    database.execute("CREATE VIEW broken AS SELECT * FROM gone");
    let renamed = persons("Account", FieldType::Int32);
    let error = run(migrate_layout(&database, &renamed)).unwrap_err();
    expect_test::expect![[r#"
        error in view broken: no such table: main.gone; repair it or drop it, and migrate again
        ALTER TABLE "User" RENAME TO "Account""#]]
    .assert_eq(&error);
    database.execute("DROP VIEW broken");
    run(migrate_layout(&database, &renamed)).unwrap();
}

#[test]
fn ids_of_a_datamodel_of_prisma_that_were_changed_by_hand_are_named() {
    let mut layout = persons("User", FieldType::Text);
    let Layout::Tables { tables, .. } = &mut layout else { panic!("a model") };
    for column in tables.tables.iter_mut().flat_map(|table| &mut table.columns) {
        if column.stores == StoredValue::Sequence {
            column.stores = StoredValue::Field("id".into());
            column.r#type = ColumnType::Identifier;
        }
    }
    let number = &mut tables.tables[0].columns[0];
    number.r#type = ColumnType::Serial { sequence: "User_id_seq".into(), initial_value: 1 };
    for database in databases("prisma_ids") {
        let TestDatabase::Postgres { .. } = database else { continue };
        run(migrate_layout(&database, &layout)).unwrap();
        let drift = || {
            let planned = run(async {
                let migrator = database.begin(MigrationAccess::Read).await;
                migrator.plan_layout(&layout).await.unwrap()
            });
            planned.drift.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let none: [&str; 0] = [];
        assert_eq!(drift(), none);
        // Prisma's own defaults, and longer texts, do no harm.
        database.execute(
            "ALTER TABLE \"Note\" ALTER COLUMN id TYPE varchar(36);
             ALTER TABLE \"User\" ALTER COLUMN id DROP IDENTITY;
             CREATE SEQUENCE numbers;
             ALTER TABLE \"User\" ALTER COLUMN id SET DEFAULT nextval('numbers');",
        );
        assert_eq!(drift(), none);
        database.execute(
            "ALTER TABLE \"Note\" ALTER COLUMN id TYPE varchar(10);
             ALTER TABLE \"User\" ALTER COLUMN id SET DEFAULT 7;",
        );
        assert_eq!(
            drift(),
            [
                "User.id does not take its ids from the sequence",
                "texts of Note.id are limited to 10 characters, in place of 25",
            ]
        );
    }
}

#[test]
fn looking_at_a_file_that_is_not_there_creates_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.db");
    let address = Address::Sqlite(path.clone());
    run(async {
        let begun = Migrator::begin(&address, "public", MigrationAccess::Read, Timeouts::default());
        let planned = begun.await.unwrap().plan(&before()).await.unwrap();
        assert!(!planned.is_current() && planned.migration.is_harmless());
    });
    assert!(!path.exists());
}

#[test]
fn a_new_file_has_a_write_ahead_log() {
    for database in databases("wal") {
        run(database.migrate(&before()));
        if let TestDatabase::Sqlite { .. } = database {
            assert_eq!(database.query("PRAGMA journal_mode"), ["wal"]);
        }
    }
}
