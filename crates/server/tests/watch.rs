//! `--watch`: the API follows the schema, of the built program.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use testkit::postgres::{Server as Postgres, required_installations, shared};

use crate::program::{Folder, PATIENCE, Server, post, read_answer};

const TABLES: &str = "CREATE TABLE item (id integer PRIMARY KEY, name text); \
    INSERT INTO item VALUES (1, 'one'), (2, 'two');";

/// Names of types, their fields and their values.
const SCHEMA: &str = r#"{"query":"{ __schema { types { name description fields { name } enumValues { name } } } }"}"#;

const ROWS: &str = r#"{"query":"{ allItems { nodes { name } } }"}"#;

const ALL_ROWS: &str = r#"{"data":{"allItems":{"nodes":[{"name":"one"},{"name":"two"}]}}}"#;

/// Swaps under load.
const SWAPS: usize = 4;

fn watching(source: &str) -> Server {
    Server::start(&["serve", "--watch", "--listen", "127.0.0.1:0", "--threads", "2", source])
}

/// Waits until the schema holds a text, or holds it no more.
fn wait_until(server: &Server, text: &str, is_there: bool) {
    let started = Instant::now();
    loop {
        let answer = server.post("", SCHEMA);
        assert_eq!(answer.status, 200, "{}", answer.body);
        if answer.body.contains(text) == is_there {
            return;
        }
        assert!(started.elapsed() < PATIENCE, "{text} is there: {}", !is_there);
        thread::sleep(Duration::from_millis(50));
    }
}

fn wait_for_line(server: &mut Server, text: &str) {
    let mut line = String::new();
    while !line.contains(text) {
        line.clear();
        assert!(server.log.read_line(&mut line).unwrap() > 0, "no {text} in the log");
    }
}

/// Asks on one connection until it is told to stop. Gives how many answers it had.
fn ask_on(server: &Server, stop: &AtomicBool) -> usize {
    let mut stream = server.connect();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let request = post("application/json", "", ROWS);
    let mut count = 0;
    while !stop.load(Ordering::Relaxed) {
        stream.write_all(request.as_bytes()).unwrap();
        let answer = read_answer(&mut reader, true);
        assert_eq!((answer.status, &*answer.body), (200, ALL_ROWS));
        count += 1;
    }
    count
}

/// Adds columns one after the other, each once the one before is in the API, while clients ask.
fn check_swaps(server: &Server, execute: &dyn Fn(&str)) {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..2).map(|_| scope.spawn(|| ask_on(server, &stop))).collect();
        let swapped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for column in 1..=SWAPS {
                execute(&format!("ALTER TABLE item ADD COLUMN c{column} text"));
                wait_until(server, &format!(r#""name":"c{column}""#), true);
            }
        }));
        // Also where the test fails: it would wait for them for ever.
        stop.store(true, Ordering::Relaxed);
        for client in clients {
            assert!(client.join().unwrap() > SWAPS);
        }
        swapped.unwrap();
    });
}

/// Starts without a table, says what it waits for, and serves when there is one.
fn check_waits(source: &str, execute: &dyn Fn(&str)) {
    let mut server = watching(source);
    assert!(server.said.contains("waiting until the schema has something"), "{}", server.said);
    assert!(server.said.contains("there is nothing to serve: "), "{}", server.said);
    for target in ["/graphql", "/explain"] {
        let request = post("application/json", "", ROWS).replacen("/graphql", target, 1);
        let answer = server.send(request.as_bytes());
        let body = r#"{"errors":[{"message":"The data source has nothing to serve yet; the server waits until its schema has something.","extensions":{"code":"UNAVAILABLE"}}]}"#;
        assert_eq!((answer.status, answer.body.as_str()), (503, body), "{target}");
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
    let ready = server.get("/health/ready", "");
    let reason = r#"{"status":"unready","reason":"the data source has nothing to serve yet"}"#;
    assert_eq!((ready.status, ready.body.as_str()), (503, reason));
    assert_eq!(server.get("/health/live", "").status, 200);
    execute(TABLES);
    wait_for_line(&mut server, "reloaded; new requests are answered by it");
    assert_eq!(server.post("", ROWS).body, ALL_ROWS);
    assert_eq!(server.get("/health/ready", "").status, 200);
}

#[test]
fn a_source_without_tables_is_waited_for() {
    let folder = Folder::new();
    let file = folder.file("items.db");
    fs::write(&file, "").unwrap();
    let connection = Connection::open(&file).unwrap();
    connection.busy_timeout(Duration::from_secs(5)).unwrap();
    check_waits(file.to_str().unwrap(), &|text| connection.execute_batch(text).unwrap());
    for installation in required_installations().unwrap() {
        let server = shared(&installation).unwrap();
        server.create_database("waited_for").unwrap();
        let execute = |text: &str| server.execute("waited_for", text).unwrap();
        check_waits(&server.url("waited_for"), &execute);
    }
}

#[test]
fn what_policies_name_is_waited_for_with_them() {
    let folder = Folder::new();
    let (file, policies) = (folder.file("items.db"), folder.file("policies.toml"));
    let text = "default_role = \"all\"\n[rules.items]\nentity = \"item\"\n\
                read = { columns = \"*\" }\n[roles.all]\nrules = [\"items\"]\n";
    fs::write(&policies, text).unwrap();
    fs::write(&file, "").unwrap();
    let connection = Connection::open(&file).unwrap();
    let listen = ["serve", "--watch", "--listen", "127.0.0.1:0", file.to_str().unwrap()];
    let access = ["--policies", policies.to_str().unwrap()];
    let mut server = Server::start(&[&listen[..], &access].concat());
    assert!(server.said.contains("waiting until the schema has something"), "{}", server.said);
    connection.execute_batch(TABLES).unwrap();
    wait_for_line(&mut server, "reloaded; new requests are answered by it");
    assert_eq!(server.post("", ROWS).body, ALL_ROWS);
}

fn sqlite() -> (Folder, Connection, String) {
    let folder = Folder::new();
    let file = folder.file("items.db");
    let connection = Connection::open(&file).unwrap();
    connection.busy_timeout(Duration::from_secs(5)).unwrap();
    // So that readers do not keep the writer out.
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    connection.execute_batch(TABLES).unwrap();
    let source = file.to_str().unwrap().to_owned();
    (folder, connection, source)
}

fn database(name: &str) -> impl Iterator<Item = &'static Postgres> {
    required_installations().unwrap().into_iter().map(move |installation| {
        let server = shared(&installation).unwrap();
        server.create_database(name).unwrap();
        server.execute(name, TABLES).unwrap();
        server
    })
}

#[test]
fn sqlite_is_followed_and_no_request_is_lost() {
    let (_folder, connection, source) = sqlite();
    let server = watching(&source);
    check_swaps(&server, &|sql| connection.execute_batch(sql).unwrap());
}

#[test]
fn another_file_at_the_same_path_is_another_schema() {
    // Without a write-ahead log, which would be taken for that of the other file.
    let folder = Folder::new();
    let (file, other) = (folder.file("items.db"), folder.file("other.db"));
    let make = |file, tables| Connection::open(file).unwrap().execute_batch(tables).unwrap();
    make(&file, TABLES);
    let server = watching(file.to_str().unwrap());
    make(&other, "CREATE TABLE planet (id integer PRIMARY KEY)");
    fs::rename(other, &file).unwrap();
    wait_until(&server, "allPlanets", true);
    wait_until(&server, "allItems", false);
}

#[test]
fn an_api_that_cannot_be_made_leaves_the_one_before() {
    let (_folder, connection, source) = sqlite();
    let mut server = watching(&source);
    connection.execute_batch("ALTER TABLE item RENAME TO sqlean; DROP TABLE sqlean").unwrap();
    wait_for_line(&mut server, "not reloaded; everything is as it was");
    wait_until(&server, "allItems", true);
    connection.execute_batch("CREATE TABLE planet (id integer PRIMARY KEY)").unwrap();
    wait_until(&server, "allPlanets", true);
}

#[test]
fn postgresql_is_followed_and_no_request_is_lost() {
    for postgres in database("watched") {
        let server = watching(&postgres.url("watched"));
        check_swaps(&server, &|sql| postgres.execute("watched", sql).unwrap());
    }
}

#[test]
fn every_kind_of_change_is_one() {
    for postgres in database("changed") {
        postgres
            .execute("changed", "CREATE TYPE mood AS ENUM ('sad'); ALTER TABLE item ADD mood mood")
            .unwrap();
        let server = watching(&postgres.url("changed"));
        for (sql, text, is_there) in [
            ("ALTER TYPE mood ADD VALUE 'glad'", r#""name":"GLAD""#, true),
            ("COMMENT ON TABLE item IS 'What there is.'", "What there is.", true),
            ("COMMENT ON TABLE item IS '@name thing'", "allThings", true),
            (
                "CREATE FUNCTION answer() RETURNS integer LANGUAGE sql STABLE AS 'SELECT 42'",
                r#""name":"answer""#,
                true,
            ),
            ("CREATE VIEW short AS SELECT id FROM item", "allShorts", true),
            ("DROP VIEW short", "allShorts", false),
            ("CREATE TABLE part (id integer PRIMARY KEY, item_id integer)", "allParts", true),
            ("ALTER TABLE part ADD FOREIGN KEY (item_id) REFERENCES item", "partsByItemId", true),
            ("DROP TABLE part", "allParts", false),
        ] {
            postgres.execute("changed", sql).unwrap();
            wait_until(&server, text, is_there);
        }
        let triggers = postgres.query("changed", "SELECT evtname FROM pg_event_trigger ORDER BY 1");
        let names: Vec<_> = triggers.unwrap().into_iter().flatten().flatten().collect();
        assert_eq!(names, ["thalweg_watch_ddl", "thalweg_watch_drop"]);
    }
}

#[test]
fn who_may_make_no_triggers_looks_at_the_catalogs() {
    for postgres in database("looked_at") {
        let role = "CREATE ROLE looker LOGIN; GRANT SELECT ON item TO looker";
        postgres.execute("looked_at", role).unwrap();
        let url = postgres.url("looked_at").replace("postgres@", "looker@");
        let server = watching(&url);
        postgres.execute("looked_at", "ALTER TABLE item ADD COLUMN c1 text").unwrap();
        wait_until(&server, r#""name":"c1""#, true);
        let triggers = postgres.query("looked_at", "SELECT evtname FROM pg_event_trigger").unwrap();
        assert_eq!(triggers.len(), 0);
    }
}

#[test]
fn rights_are_followed_where_they_decide() {
    for postgres in database("rights_watched") {
        let execute = |sql| postgres.execute("rights_watched", sql).unwrap();
        execute(
            "CREATE ROLE watched LOGIN; CREATE ROLE reading; GRANT SELECT (id) ON item TO watched",
        );
        let url = postgres.url("rights_watched").replace("postgres@", "watched@");
        let options = ["--watch", "--no-ignore-rbac", "--listen", "127.0.0.1:0", &url];
        let server = Server::start(&[&["serve"], &options[..]].concat());
        wait_until(&server, "allItems", true);
        wait_until(&server, "NAME_ASC", false);
        execute("GRANT SELECT ON item TO reading");
        execute("GRANT reading TO watched");
        wait_until(&server, "NAME_ASC", true);
        execute("REVOKE SELECT ON item FROM reading");
        wait_until(&server, "NAME_ASC", false);
    }
}

#[test]
fn a_database_that_comes_back_is_watched_again() {
    for postgres in database("interrupted") {
        let mut server = watching(&postgres.url("interrupted"));
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
            WHERE datname = 'interrupted' AND pid <> pg_backend_pid()";
        postgres.execute("postgres", end).unwrap();
        postgres.execute("interrupted", "ALTER TABLE item ADD COLUMN c1 text").unwrap();
        wait_for_line(&mut server, "the schema was changed; reloading");
        wait_until(&server, r#""name":"c1""#, true);
    }
}
