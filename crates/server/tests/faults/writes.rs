//! SQLite files that are changed: by processes that are killed, by several at once, without room.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use crate::databases::File;
use crate::program::{PATIENCE, post, read_answer};
use crate::served::{SOON, Served, code, happens_within, receive};

/// Each artist that is made has a line of its own, made by a trigger, but of one name: it ends the
/// whole transaction, and another one only itself.
const TABLES: &str = "
    CREATE TABLE artist (id integer PRIMARY KEY, name text NOT NULL);
    CREATE TABLE line (artist integer NOT NULL, name text NOT NULL);
    CREATE TRIGGER listed AFTER INSERT ON artist BEGIN
        INSERT INTO line VALUES (new.id, new.name);
        SELECT raise(ROLLBACK, 'everything') WHERE new.name = 'everything';
        SELECT raise(ABORT, 'itself') WHERE new.name = 'itself';
    END;";

const PHRAG: [&str; 4] = ["--dialect", "phrag", "--threads", "2"];

/// Clients that make one artist after the other, each with a name of its own.
#[derive(Debug)]
struct Makers {
    stop: Arc<AtomicBool>,
    made: Arc<AtomicUsize>,
    clients: Vec<JoinHandle<Vec<String>>>,
}

impl Makers {
    fn start(address: SocketAddr, clients: usize, mark: &str) -> Self {
        let (stop, made) = (Arc::default(), Arc::default());
        let clients = (0..clients).map(|client| {
            let (stop, made) = (Arc::clone(&stop), Arc::clone(&made));
            let mark = format!("{mark}-{client}");
            std::thread::spawn(move || make(address, &mark, &stop, &made))
        });
        let clients = clients.collect();
        Self { stop, made, clients }
    }

    fn made(&self) -> usize {
        self.made.load(Ordering::Relaxed)
    }

    /// The names of all that were answered.
    fn stop(self) -> Vec<String> {
        self.stop.store(true, Ordering::Relaxed);
        self.clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    }
}

/// Makes artists until it is stopped or nobody answers, and gives the names of those of which an
/// answer has told.
fn make(address: SocketAddr, mark: &str, stop: &AtomicBool, made: &AtomicUsize) -> Vec<String> {
    let mut names = Vec::new();
    let Ok(mut stream) = TcpStream::connect(address) else { return names };
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while !stop.load(Ordering::Relaxed) {
        let name = format!("{mark}-{}", names.len());
        let query = format!("mutation {{ createArtist(name: \"{name}\") {{ id }} }}");
        let body = json!({ "query": query }).to_string();
        if stream.write_all(post("application/json", "", &body).as_bytes()).is_err() {
            break;
        }
        // If the process was killed, nobody knows what became of this one.
        if !reader.fill_buf().is_ok_and(|bytes| !bytes.is_empty()) {
            break;
        }
        let answer = read_answer(&mut reader, true);
        let answer: Value = serde_json::from_str(&answer.body).unwrap();
        assert!(answer["data"]["createArtist"]["id"].is_u64(), "{answer}");
        names.push(name);
        made.fetch_add(1, Ordering::Relaxed);
    }
    names
}

/// Clients whose requests are refused, and who leave without an answer.
#[derive(Debug)]
struct Disturbers {
    stop: Arc<AtomicBool>,
    clients: Vec<JoinHandle<usize>>,
}

impl Disturbers {
    fn start(address: SocketAddr) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let clients = ["everything", "itself", "left"].map(|name| {
            let stop = Arc::clone(&stop);
            std::thread::spawn(move || disturb(address, name, &stop))
        });
        Self { stop, clients: clients.into() }
    }

    /// How many requests were answered, each with the error of its name.
    fn stop(self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        self.clients.into_iter().map(|client| client.join().unwrap()).sum()
    }
}

fn disturb(address: SocketAddr, name: &str, stop: &AtomicBool) -> usize {
    let query = format!("mutation {{ createArtist(name: \"{name}\") {{ id }} }}");
    let body = json!({ "query": query }).to_string();
    let mut answered = 0;
    while !stop.load(Ordering::Relaxed) {
        let Ok(mut stream) = TcpStream::connect(address) else { break };
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        if stream.write_all(post("application/json", "", &body).as_bytes()).is_err() {
            break;
        }
        if name == "left" {
            std::thread::sleep(Duration::from_millis(3));
            continue;
        }
        let mut reader = BufReader::new(stream);
        if !reader.fill_buf().is_ok_and(|bytes| !bytes.is_empty()) {
            break;
        }
        let answer = read_answer(&mut reader, true);
        let answer: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(answer["data"]["createArtist"], Value::Null, "{answer}");
        assert_eq!(code(&answer), "RAISED", "{answer}");
        answered += 1;
        // Those before it may be committed together at times.
        std::thread::sleep(Duration::from_millis(15));
    }
    answered
}

/// Asserts that the file has each of these names once, and nothing half.
fn assert_kept(file: &File, names: &[String]) {
    let connection = file.connect();
    let one = |query: &str| connection.query_row(query, (), |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(one("PRAGMA integrity_check"), "ok");
    let half = "SELECT count(*) || '' FROM artist FULL JOIN line ON artist = id AND line.name = \
                artist.name WHERE id IS NULL OR artist IS NULL";
    assert_eq!(one(half), "0");
    for name in names {
        let count = "SELECT count(*) FROM artist WHERE name = ?1";
        let count: i64 = connection.query_row(count, [name], |row| row.get(0)).unwrap();
        assert_eq!(count, 1, "{name}");
    }
}

#[test]
fn a_killed_process_loses_nothing_that_it_has_answered() {
    for journal in ["DELETE", "WAL"] {
        let file = File::new(&format!("PRAGMA journal_mode = {journal}; {TABLES}"));
        let mut names = Vec::new();
        for round in 0..4 {
            let served = Served::start(file.source(), &PHRAG);
            // Many wait at once, and are committed together.
            let makers = Makers::start(served.address, 12, &format!("{round}"));
            let disturbers = Disturbers::start(served.address);
            assert!(happens_within(PATIENCE, || makers.made() > 40 + 17 * round));
            // It is killed.
            drop(served);
            names.extend(makers.stop());
            assert!(disturbers.stop() > 0, "{journal}");
        }
        assert!(names.len() > 160, "{journal}");
        assert_kept(&file, &names);
        for name in ["everything", "itself"] {
            let count = "SELECT count(*) FROM artist WHERE name = ?1";
            let count = file.connect().query_row(count, [name], |row| row.get::<_, u32>(0));
            assert_eq!(count, Ok(0), "{name}");
        }
    }
}

#[test]
fn two_processes_change_one_file() {
    for journal in ["DELETE", "WAL"] {
        let file = File::new(&format!("PRAGMA journal_mode = {journal}; {TABLES}"));
        // On a loud machine one may keep the other waiting for long.
        let options = [&PHRAG[..], &["--acquire-timeout", "50s"]].concat();
        let both = [(); 2].map(|()| Served::start(file.source(), &options));
        let makers: Vec<_> = (0..)
            .zip(&both)
            .map(|(place, served): (u32, _)| Makers::start(served.address, 2, &format!("{place}")))
            .collect();
        assert!(happens_within(PATIENCE, || makers.iter().all(|makers| makers.made() > 20)));
        let names: Vec<_> = makers.into_iter().flat_map(Makers::stop).collect();
        assert_kept(&file, &names);
        let count = json!({ "data": { "artists_aggregate": { "count": names.len() } } });
        for mut served in both {
            assert_eq!(served.ask("{ artists_aggregate { count } }"), count);
            served.assert_lives();
        }
    }
}

#[test]
fn a_file_that_another_process_changes_is_waited_for_and_read_meanwhile() {
    let file = File::new(&format!("PRAGMA journal_mode = WAL; {TABLES}"));
    let options = [&PHRAG[..], &["--acquire-timeout", "1s"]].concat();
    let mut served = Served::start(file.source(), &options);
    let create = |name: &str| format!("mutation {{ createArtist(name: \"{name}\") {{ id }} }}");
    let writer = file.connect();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    let waiting = served.send(&create("late"));
    let none = json!({ "data": { "artists": [] } });
    assert_eq!(served.ask_quickly("{ artists { id } }"), none);
    let answer = receive(waiting);
    assert_eq!(answer["data"]["createArtist"], Value::Null, "{answer}");
    assert_eq!(code(&answer), "UNAVAILABLE");
    let waiting = served.send(&create("in time"));
    std::thread::sleep(Duration::from_millis(100));
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(receive(waiting), json!({ "data": { "createArtist": { "id": 1 } } }));
    let one = json!({ "data": { "artists": [{ "name": "in time" }] } });
    assert_eq!(served.ask_quickly("{ artists { name } }"), one);
    served.assert_lives();
}

#[test]
fn a_file_that_can_only_be_read_is_read() {
    let file = File::new(TABLES);
    file.connect().execute_batch("INSERT INTO artist VALUES (1, 'first')").unwrap();
    let mut bytes = std::fs::read(&file.path).unwrap();
    // SQLite changes no file whose format for writing is of a later version.
    bytes[18] = 3;
    std::fs::write(&file.path, &bytes).unwrap();
    let mut served = Served::start(file.source(), &PHRAG);
    let one = json!({ "data": { "artists": [{ "name": "first" }] } });
    for _ in 0..2 {
        let answer = served.ask("mutation { createArtist(name: \"second\") { id } }");
        assert_eq!(answer["data"]["createArtist"], Value::Null, "{answer}");
        assert_eq!(code(&answer), "READ_ONLY");
        assert_eq!(served.ask("{ artists { name } }"), one);
    }
    served.assert_lives();
    assert_eq!(std::fs::read(&file.path).unwrap(), bytes);
}

#[test]
fn a_client_that_goes_away_takes_its_change_with_it() {
    // An insert that takes much longer than anybody waits.
    let file = File::new(
        "CREATE TABLE artist (id integer PRIMARY KEY, name text NOT NULL);
         CREATE TABLE n AS
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            SELECT i FROM n;
         CREATE TRIGGER slow AFTER INSERT ON artist WHEN new.name = 'slow' BEGIN
            SELECT count(*) FROM n AS a, n AS b, n AS c WHERE a.i + b.i + c.i < 0;
         END;",
    );
    let mut served = Served::start(file.source(), &PHRAG);
    let slow = served.send("mutation { createArtist(name: \"slow\") { id } }");
    std::thread::sleep(Duration::from_millis(200));
    drop(slow);
    let quick = served.ask_quickly("mutation { createArtist(name: \"quick\") { id } }");
    assert_eq!(quick, json!({ "data": { "createArtist": { "id": 1 } } }));
    let all = json!({ "data": { "artists": [{ "name": "quick" }] } });
    assert!(happens_within(SOON, || served.ask("{ artists { name } }") == all));
    served.assert_lives();
}
