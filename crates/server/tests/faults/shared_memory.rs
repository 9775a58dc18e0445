//! Another program cuts the shared memory (`-shm`) of an SQLite file short while it is served.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use serde_json::{Value, json};

use crate::databases::File;
use crate::faults::load::Load;
use crate::program::{PATIENCE, post, read_answer};
use crate::served::{SOON, Served, code, happens_within};

const TABLES: &str = "
    PRAGMA journal_mode = WAL;
    CREATE TABLE artist (id integer PRIMARY KEY, name text NOT NULL UNIQUE);
    CREATE TABLE genre (id integer PRIMARY KEY, name text NOT NULL);
    INSERT INTO genre VALUES (1, 'Rock');";

const QUERY: &str = "{ genres { name } artists { name } }";
const GENRES: &str = "{ genres { name } }";

/// Nothing, and whole pages: without the head, without the pages' numbers, without the hash table. A
/// cut inside a page has its zeros some microseconds before the rest is gone.
const LENGTHS: [u64; 4] = [0, 4_096, 16_384, 28_672];

/// A file beside a database.
fn beside(file: &File, ending: &str) -> PathBuf {
    let mut path = file.path.clone().into_os_string();
    path.push(ending);
    path.into()
}

/// Cuts a file short that may not be there at the moment.
fn cut(file: &File, ending: &str, length: u64) {
    match OpenOptions::new().write(true).open(beside(file, ending)) {
        Ok(open) if open.metadata().unwrap().len() > length => open.set_len(length).unwrap(),
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), ErrorKind::NotFound),
    }
}

/// A client that inserts rows of names that no other has, and gives those that were acknowledged.
fn insert(served: &Served, client: usize, stop: &Arc<AtomicBool>) -> JoinHandle<BTreeSet<String>> {
    let (address, stop) = (served.address, Arc::clone(stop));
    std::thread::spawn(move || {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut reader = std::io::BufReader::new(stream.try_clone().unwrap());
        let mut acknowledged = BTreeSet::new();
        for number in 0.. {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let name = format!("{client}-{number:06}-{}", "x".repeat(500));
            let query = format!("mutation {{ createArtist(name: \"{name}\") {{ id }} }}");
            let body = json!({ "query": query }).to_string();
            let request = post("application/json", "", &body);
            std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
            let answer = read_answer(&mut reader, true);
            let answer: Value = serde_json::from_str(&answer.body).unwrap();
            match code(&answer) {
                "" => {
                    assert!(answer["data"]["createArtist"]["id"].is_number(), "{answer}");
                    acknowledged.insert(name);
                }
                code => assert!(matches!(code, "UNAVAILABLE" | "OUTCOME_UNKNOWN"), "{answer}"),
            }
        }
        acknowledged
    })
}

#[test]
fn shared_memory_that_is_cut_short_under_load_costs_no_answer_and_no_row() {
    let file = File::new(TABLES);
    let mut served = Served::start(file.source(), &["--dialect", "phrag", "--threads", "2"]);
    let stop = Arc::default();
    let writers: Vec<_> = (0..3).map(|client| insert(&served, client, &stop)).collect();
    let load = Load::start(served.address, 3, GENRES);
    let rock = json!({ "data": { "genres": [{ "name": "Rock" }] } });
    for round in 0..8 {
        for length in LENGTHS {
            cut(&file, "-shm", length);
            let before = load.answered();
            assert!(happens_within(SOON, || load.answered() > before + 10 + round));
            // Requests that begin now find the index as it should be.
            assert!(happens_within(SOON, || served.ask(GENRES) == rock), "{length}");
        }
    }
    stop.store(true, Ordering::Relaxed);
    let acknowledged: Vec<_> = writers.into_iter().map(|writer| writer.join().unwrap()).collect();
    for answer in load.stop() {
        assert!(answer == rock || code(&answer) == "UNAVAILABLE", "{answer}");
    }
    served.assert_lives();
    let log = served.log();
    assert!(log.contains("was cut short by another program"), "{log}");
    drop(served);

    let connection = file.connect();
    let integrity: String =
        connection.query_row("PRAGMA integrity_check", (), |row| row.get(0)).unwrap();
    assert_eq!(integrity, "ok");
    let mut statement = connection.prepare("SELECT name FROM artist").unwrap();
    let stored: BTreeSet<String> =
        statement.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    for acknowledged in acknowledged {
        assert!(!acknowledged.is_empty());
        assert!(acknowledged.is_subset(&stored));
    }
}

#[test]
fn a_log_that_is_cut_short_or_taken_away_does_not_end_the_process() {
    for ending in ["-wal", "-shm"] {
        let file = File::new(TABLES);
        let mut served = Served::start(file.source(), &["--dialect", "phrag", "--threads", "2"]);
        let create = |name: &str| format!("mutation {{ createArtist(name: \"{name}\") {{ id }} }}");
        for name in ["a", "b"] {
            assert_eq!(served.ask(&create(name))["errors"], Value::Null);
        }
        cut(&file, ending, 0);
        for _ in 0..4 {
            served.ask_quickly(QUERY);
        }
        drop(std::fs::remove_file(beside(&file, ending)));
        for _ in 0..4 {
            served.ask_quickly(QUERY);
        }
        served.ask_quickly(&create("c"));
        served.assert_lives();
    }
}
