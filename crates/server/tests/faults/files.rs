//! SQLite files that are locked, replaced, removed, damaged.

use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::databases::File;
use crate::served::{SOON, Served, code, happens_within, receive};

const TABLES: &str = "
    CREATE TABLE artist (id integer PRIMARY KEY, name text NOT NULL);
    INSERT INTO artist VALUES (1, 'first');";

const QUERY: &str = "{ allArtists { nodes { name } } }";
const TWICE: &str = "{ a: allArtists { nodes { name } } b: allArtists { totalCount } }";

const UNREACHABLE: &str = "The data source cannot be reached.";
const NO_ROOM: &str = "The data source has no room for this now.";

fn artists(name: &str) -> Value {
    json!({ "data": { "allArtists": { "nodes": [{ "name": name }] } } })
}

#[test]
fn a_locked_file_is_waited_for_and_unavailable_in_the_end() {
    let file = File::new(TABLES);
    let mut served = Served::start(file.source(), &["--threads", "1"]);
    assert_eq!(served.ask(TWICE)["errors"], Value::Null);
    let writer = file.connect();
    writer.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let started = Instant::now();
    let waiting = served.send(TWICE);
    // Who waits for the file keeps nobody from what does not need it.
    served.ask_quickly("{ __typename }");
    served.assert_lives();
    let answer = receive(waiting);
    assert_eq!(answer["data"], Value::Null, "{answer}");
    served.assert_masked(&answer, "UNAVAILABLE", NO_ROOM, "locked");
    // The busy timeout, once and not for each root field.
    assert!(started.elapsed() < 2 * SOON, "{:?}", started.elapsed());

    let waiting = served.send(QUERY);
    std::thread::sleep(Duration::from_millis(300));
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(receive(waiting), artists("first"));
    assert_eq!(served.ask_quickly(QUERY), artists("first"));
}

#[test]
fn a_file_that_takes_the_place_of_another_is_served() {
    let file = File::new(TABLES);
    let mut served = Served::start(file.source(), &["--threads", "2"]);
    assert_eq!(served.ask(QUERY), artists("first"));
    let other = File::new(&TABLES.replace("first", "second"));
    fs::rename(&other.path, &file.path).unwrap();
    assert!(happens_within(SOON, || served.ask_quickly(QUERY) == artists("second")));
    served.assert_lives();
}

#[test]
fn a_removed_file_is_unavailable_until_it_is_back() {
    let file = File::new(TABLES);
    let mut served = Served::start(file.source(), &["--threads", "1"]);
    assert_eq!(served.ask(QUERY), artists("first"));
    let elsewhere = file.path.with_extension("elsewhere");
    fs::rename(&file.path, &elsewhere).unwrap();
    assert!(happens_within(SOON, || code(&served.ask_quickly(QUERY)) == "UNAVAILABLE"));
    served.assert_masked(&served.ask(QUERY), "UNAVAILABLE", UNREACHABLE, "open");
    assert!(!file.path.exists(), "no file is made");
    fs::rename(&elsewhere, &file.path).unwrap();
    assert_eq!(served.ask_quickly(QUERY), artists("first"));
    served.assert_lives();
}

/// Enough rows for some hundred pages.
const MANY: &str = "
    CREATE TABLE artist (id integer PRIMARY KEY, name text NOT NULL);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        INSERT INTO artist SELECT i, 'artist number ' || i FROM n;
    CREATE TABLE genre (id integer PRIMARY KEY);
    INSERT INTO genre VALUES (1);";

#[test]
fn a_file_that_is_cut_short_while_it_is_served_does_not_end_the_process() {
    let file = File::new(MANY);
    let mut served = Served::start(file.source(), &["--threads", "2"]);
    assert_eq!(served.ask(QUERY)["errors"], Value::Null);
    OpenOptions::new().write(true).open(&file.path).unwrap().set_len(3 * 4096).unwrap();
    for _ in 0..4 {
        let answer = served.ask_quickly(QUERY);
        assert!(matches!(code(&answer), "SOURCE_ERROR" | "UNAVAILABLE"), "{answer}");
    }
    served.assert_lives();
}

#[test]
fn a_file_that_is_cut_short_under_a_statement_does_not_end_the_process() {
    let pairs = "CREATE VIEW pairs AS
        SELECT count(*) AS id FROM artist AS a, artist AS b WHERE a.name < b.name;";
    let file = File::new(&[MANY, pairs].concat());
    let mut served = Served::start(file.source(), &["--threads", "1"]);
    let running = served.send("{ allPairs { nodes { id } } }");
    let before = served.processor_time();
    let works = || served.processor_time() - before > Duration::from_millis(200);
    assert!(happens_within(SOON, works));
    OpenOptions::new().write(true).open(&file.path).unwrap().set_len(3 * 4096).unwrap();
    std::thread::sleep(Duration::from_millis(500));
    served.assert_lives();
    drop(running);
    served.assert_rests();
}

#[test]
fn a_file_that_is_written_over_in_place_does_not_end_the_process() {
    let file = File::new(MANY);
    let mut served = Served::start(file.source(), &["--threads", "2"]);
    assert_eq!(served.ask(QUERY)["errors"], Value::Null);
    fs::copy(File::new(&TABLES.replace("first", "second")).path, &file.path).unwrap();
    assert!(happens_within(SOON, || served.ask_quickly(QUERY) == artists("second")));
    served.assert_lives();
}

#[test]
fn a_damaged_page_is_an_error_of_what_lies_on_it() {
    let file = File::new(MANY);
    let pages = fs::metadata(&file.path).unwrap().len() / 4096;
    let mut bytes = OpenOptions::new().write(true).open(&file.path).unwrap();
    bytes.seek(SeekFrom::Start(pages / 2 * 4096)).unwrap();
    bytes.write_all(&[0xff; 4096]).unwrap();
    drop(bytes);
    let mut served = Served::start(file.source(), &["--threads", "1"]);
    for _ in 0..2 {
        let answer = served.ask("{ allArtists { nodes { name } } allGenres { nodes { id } } }");
        let genres = json!({ "nodes": [{ "id": 1 }] });
        assert_eq!(answer["data"], json!({ "allArtists": null, "allGenres": genres }));
        served.assert_masked(&answer, "SOURCE_ERROR", "The data source failed.", "malformed");
    }
    served.assert_lives();
}
