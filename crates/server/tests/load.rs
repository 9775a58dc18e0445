//! What happens when there is too much to do: time, places, connections and memory run out.
//!
//! * `served`, `databases`: the program and the databases, as the tests of faults have them

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::databases::{Database, File};
use crate::program::{Answer, Folder, PATIENCE, Server, post, read_answer};
use crate::served::{SOON, Served, happens_within};

/// Hours, if nobody stops it.
const ENDLESS: &str = "{ allEndlesses { nodes { id } } }";
const SHORT: &str = "{ allArtists { nodes { id } } }";

const SQLITE_TABLES: &str = "
    CREATE TABLE artist (id integer PRIMARY KEY);
    INSERT INTO artist VALUES (1);
    CREATE VIEW endless AS
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT count(*) AS id FROM n;";

const POSTGRES_TABLES: &str = "
    CREATE TABLE artist (id int PRIMARY KEY);
    INSERT INTO artist VALUES (1);
    CREATE VIEW endless AS SELECT 1 AS id FROM pg_sleep(3600);";

fn artists() -> Value {
    json!({ "data": { "allArtists": { "nodes": [{ "id": 1 }] } } })
}

fn receive(stream: TcpStream) -> Answer {
    read_answer(&mut BufReader::new(stream), true)
}

/// Asserts that a request was refused as a whole.
fn assert_refused(answer: &Answer, status: u16, code: &str, message: &str) {
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    let error = json!({ "message": message, "extensions": { "code": code } });
    assert_eq!((answer.status, &body), (status, &json!({ "errors": [error] })));
    let retry = (status == 503).then_some("1");
    assert_eq!(answer.header("retry-after"), retry);
}

fn assert_timed_out(after: &str, answer: &Answer) {
    let message = format!("The request was given up after {after} (--request-timeout).");
    assert_refused(answer, 504, "TIMEOUT", &message);
}

fn assert_overloaded(answer: &Answer) {
    let message = "The server runs as many requests as it may; try again later.";
    assert_refused(answer, 503, "OVERLOADED", message);
}

/// Asserts that there is an answer soon, and that it is the right one.
fn assert_answers(served: &Served) {
    assert_eq!(served.ask_quickly(SHORT), artists());
}

#[test]
fn a_request_that_takes_too_long_ends_in_postgresql_too() {
    let Some(database) = Database::on_one(POSTGRES_TABLES) else { return };
    let options = ["--threads=1", "--connections=4", "--request-timeout=2s"];
    let mut served = Served::start(&database.url(), &options);
    assert_timed_out("2s", &receive(served.send(ENDLESS)));
    assert!(happens_within(SOON, || database.sessions("state = 'active'") == 0));
    // Many more than there are connections, so that some wait for one all the time.
    for _ in 0..4 {
        let at_once: Vec<_> = (0..50).map(|_| served.send(ENDLESS)).collect();
        for stream in at_once {
            assert_timed_out("2s", &receive(stream));
        }
    }
    assert!(happens_within(SOON, || database.sessions("state = 'active'") == 0));
    assert_answers(&served);
    // All connections that there may be can still be had, and no more.
    let at_once: Vec<_> = (0..8).map(|_| served.send(ENDLESS)).collect();
    assert!(happens_within(SOON, || database.sessions("state = 'active'") == 4));
    for stream in at_once {
        assert_timed_out("2s", &receive(stream));
    }
    assert!(happens_within(SOON, || database.sessions("true") <= 4));
    assert_answers(&served);
    served.assert_lives();
}

#[test]
fn a_request_that_takes_too_long_ends_in_sqlite_too() {
    let file = File::new(SQLITE_TABLES);
    let options = ["--threads=1", "--connections=4", "--request-timeout=300ms"];
    let mut served = Served::start(file.source(), &options);
    for _ in 0..5 {
        let at_once: Vec<_> = (0..8).map(|_| served.send(ENDLESS)).collect();
        for stream in at_once {
            assert_timed_out("300ms", &receive(stream));
        }
    }
    served.assert_rests();
    assert_answers(&served);
    served.assert_lives();
}

#[test]
fn a_request_in_time_is_answered_on_the_connection_of_one_that_was_not() {
    let file = File::new(SQLITE_TABLES);
    let served = Served::start(file.source(), &["--threads=1", "--request-timeout=300ms"]);
    let stream = served.send(ENDLESS);
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    assert_timed_out("300ms", &read_answer(&mut reader, true));
    let body = json!({ "query": SHORT }).to_string();
    let request = post("application/json", "", &body);
    (&stream).write_all(request.as_bytes()).unwrap();
    let answer = read_answer(&mut reader, true);
    assert_eq!((answer.status, answer.body), (200, artists().to_string()));
}

#[test]
fn requests_beyond_the_places_wait_and_those_beyond_the_queue_are_refused() {
    let file = File::new(SQLITE_TABLES);
    let options = ["--threads=1", "--max-requests=2", "--max-queue=2", "--queue-timeout=20s"];
    let served = Served::start(file.source(), &options);
    let mut endless = vec![served.send(ENDLESS), served.send(ENDLESS)];
    let before = served.processor_time();
    assert!(happens_within(SOON, || served.processor_time() - before > Duration::from_millis(200)));
    // Two wait, whichever, and the third has no place in the queue.
    let refused_of = |streams: &mut Vec<TcpStream>| {
        let mut refused = None;
        for stream in streams.iter() {
            stream.set_nonblocking(true).unwrap();
        }
        assert!(happens_within(SOON, || {
            refused = streams.iter().position(|stream| stream.peek(&mut [0]).is_ok());
            refused.is_some()
        }));
        for stream in streams.iter() {
            stream.set_nonblocking(false).unwrap();
        }
        receive(streams.remove(refused.unwrap()))
    };
    let mut waiting: Vec<_> = (0..3).map(|_| served.send(SHORT)).collect();
    assert_overloaded(&refused_of(&mut waiting));
    // Who leaves the queue makes room for another.
    drop(waiting.pop());
    let room_for_another = || {
        let probe = served.send(SHORT);
        probe.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        probe.peek(&mut [0]).is_err()
    };
    assert!(happens_within(SOON, room_for_another));
    // And who leaves its place lets those who wait have it.
    drop(endless.pop());
    for stream in waiting {
        let answer = receive(stream);
        assert_eq!((answer.status, answer.body), (200, artists().to_string()));
    }
    assert_answers(&served);
    drop(endless);
    served.assert_rests();
}

#[test]
fn waiting_in_the_queue_ends() {
    let file = File::new(SQLITE_TABLES);
    let options = ["--threads=2", "--max-requests=1", "--queue-timeout=200ms"];
    let served = Served::start(file.source(), &options);
    let endless = served.send(ENDLESS);
    let before = served.processor_time();
    assert!(happens_within(SOON, || served.processor_time() - before > Duration::from_millis(200)));
    for _ in 0..3 {
        assert_overloaded(&receive(served.send(SHORT)));
    }
    drop(endless);
    served.assert_rests();
    assert_answers(&served);
}

#[test]
fn waiting_for_a_connection_ends() {
    let Some(database) = Database::on_one(POSTGRES_TABLES) else { return };
    let options = ["--threads=1", "--connections=1", "--acquire-timeout=200ms"];
    let served = Served::start(&database.url(), &options);
    let endless = served.send(ENDLESS);
    assert!(happens_within(SOON, || database.sessions("state = 'active'") == 1));
    let message = "All connections to the data source are in use; try again later.";
    for _ in 0..3 {
        assert_refused(&receive(served.send(SHORT)), 503, "OVERLOADED", message);
    }
    drop(endless);
    assert!(happens_within(SOON, || database.sessions("state = 'active'") == 0));
    assert_answers(&served);
}

/// Answers of some megabytes, which take a while to be written.
const REPEATED: &str = "{ allTracksList { genreByGenreId { tracksByGenreIdList { name } } } }";

const TRACKS: &str = "
    CREATE TABLE artist (id INTEGER PRIMARY KEY);
    INSERT INTO artist VALUES (1);
    CREATE TABLE genre (id INTEGER PRIMARY KEY);
    INSERT INTO genre VALUES (1);
    CREATE TABLE track (id INTEGER PRIMARY KEY, name text, genre_id INTEGER REFERENCES genre);
    CREATE INDEX track_genre ON track (genre_id);
    INSERT INTO track
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
        SELECT i, 'the name of a track', 1 FROM n;";

/// Asks for short answers as long as some of many long answers on the same thread are not there.
fn assert_short_answers_come_first(source: &str) {
    let options = [
        "--threads=1",
        "--simple-collections=both",
        "--max-cost=1000000000",
        // The long answers take turns, for longer than usual on a busy machine.
        "--acquire-timeout=10m",
        "--queue-timeout=10m",
        "--request-timeout=10m",
    ];
    let served = Served::start(source, &options);
    assert_answers(&served);
    let long: Vec<_> = (0..32).map(|_| send_for_whole(&served, REPEATED)).collect();
    let are_all_there = || {
        let is_there = |stream: &TcpStream| {
            stream.set_nonblocking(true).unwrap();
            let is_there = stream.peek(&mut [0]).is_ok();
            stream.set_nonblocking(false).unwrap();
            is_there
        };
        long.iter().all(is_there)
    };
    let mut short = 0;
    while !are_all_there() {
        assert_answers(&served);
        short += 1;
    }
    // One that waits for all long answers is the only one.
    assert!(short > 5, "{short}");
    for stream in long {
        let answer = receive(stream);
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert!(answer.body.len() > 10_000_000, "{}", answer.body.len());
    }
}

#[test]
fn short_answers_come_beside_long_ones_of_sqlite() {
    let file = File::new(TRACKS);
    assert_short_answers_come_first(file.source());
}

#[test]
fn short_answers_come_beside_long_ones_of_postgresql() {
    let Some(database) = Database::on_one(TRACKS) else { return };
    assert_short_answers_come_first(&database.url());
}

/// Each text has a megabyte, and patterns have as many wildcards as they may.
#[test]
fn long_patterns_stop_no_thread_that_serves() {
    let file = File::new(
        "CREATE TABLE artist (id integer PRIMARY KEY);
        INSERT INTO artist VALUES (1);
        CREATE TABLE text (id integer PRIMARY KEY, body text NOT NULL);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
        INSERT INTO text SELECT i, replace(hex(zeroblob(500000)), '0', 'a') FROM n;",
    );
    let options = ["--threads=1", "--connection-filter", "--request-timeout=60s"];
    let mut served = Served::start(file.source(), &options);
    assert_answers(&served);
    for operator in ["like", "likeInsensitive", "notLike"] {
        let pattern = format!("{}b", "%aaaaaaa_".repeat(50));
        let query = format!(
            "{{ allTexts(filter: {{body: {{{operator}: \"{pattern}\"}}}}) {{ nodes {{ id }} }} }}"
        );
        let long: Vec<_> = (0..4).map(|_| served.send(&query)).collect();
        for _ in 0..5 {
            assert_answers(&served);
            served.assert_lives();
        }
        for stream in long {
            let answer = receive(stream);
            assert_eq!(answer.status, 200, "{}", answer.body);
            assert!(!answer.body.contains("errors"), "{}", answer.body);
        }
    }
    // One that is more complex is not compared with anything.
    let pattern = "%a".repeat(101);
    let query =
        format!("{{ allTexts(filter: {{body: {{like: \"{pattern}\"}}}}) {{ totalCount }} }}");
    assert!(receive(served.send(&query)).body.contains("PATTERN_TOO_COMPLEX"));
    served.assert_rests();
}

#[test]
fn a_reload_changes_how_many_requests_may_run() {
    let file = File::new(SQLITE_TABLES);
    let folder = Folder::new();
    let configure = |most: u32| {
        let source = file.source();
        let text = format!(
            "source = '{source}'\nlisten = '127.0.0.1:0'\nthreads = 1\nmax-requests = {most}\n\
             max-queue = 0\n"
        );
        fs::write(folder.file("thalweg.toml"), text).unwrap();
    };
    configure(1);
    let config = folder.file("thalweg.toml");
    let mut server = Server::start(&["serve", "--config", config.to_str().unwrap()]);
    let body = |query: &str| json!({ "query": query }).to_string();
    let mut endless = server.connect();
    endless.write_all(post("application/json", "", &body(ENDLESS)).as_bytes()).unwrap();
    let is_refused = |server: &Server| {
        let answer = server.post("", &body(SHORT));
        if answer.status == 200 {
            assert_eq!(answer.body, artists().to_string());
        } else {
            assert_overloaded(&answer);
        }
        answer.status != 200
    };
    assert!(happens_within(SOON, || is_refused(&server)));
    for (most, refused) in [(2, false), (1, true), (2, false)] {
        configure(most);
        server.signal("HUP");
        let mut line = String::new();
        while !line.contains("reloaded; ") {
            line.clear();
            assert!(server.log.read_line(&mut line).unwrap() > 0);
        }
        assert!(happens_within(SOON, || is_refused(&server) == refused), "{most}");
        assert_eq!(is_refused(&server), refused, "{most}");
    }
    drop(endless);
}

/// Each answer has twenty megabytes.
const LARGE: &str = "{ allTexts { nodes { body } } }";

const MEBIBYTE: u64 = 1 << 20;

/// Sends a query whose answer is made as a whole, however long it is: HTTP/1.0 knows no other.
fn send_for_whole(served: &Served, query: &str) -> TcpStream {
    let mut stream = TcpStream::connect(served.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = post("application/json", "", &json!({ "query": query }).to_string())
        .replace("HTTP/1.1", "HTTP/1.0");
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// Many answers of twenty megabytes at once, of clients that do not read before all are made, with
/// the memory of a few; the most memory that the process ever had, and how many were answered.
fn ask_for_much(served: &Served, clients: usize) -> (u64, usize) {
    let streams: Vec<_> = (0..clients).map(|_| send_for_whole(served, LARGE)).collect();
    // Each is answered, or its answer waits to be read.
    for stream in &streams {
        stream.peek(&mut [0]).unwrap();
    }
    let message = "The answers that the server is making take all the memory that they may; try \
                   again later.";
    let mut answered = 0;
    for stream in streams {
        let answer = receive(stream);
        if answer.status == 200 {
            assert!(answer.body.len() > 20_000_000, "{}", answer.body.len());
            answered += 1;
        } else {
            assert_refused(&answer, 503, "RESPONSE_MEMORY_EXHAUSTED", message);
        }
    }
    (served.peak_memory(), answered)
}

fn assert_memory_is_kept(served: &mut Served, clients: usize, most: u64) {
    for _ in 0..2 {
        let (peak, answered) = ask_for_much(served, clients);
        assert!(peak < most, "{} MiB", peak / MEBIBYTE);
        assert!((1..clients).contains(&answered), "{answered}");
    }
    // What was held is free again.
    let started = Instant::now();
    while receive(send_for_whole(served, LARGE)).status != 200 {
        assert!(started.elapsed() < SOON);
        thread::sleep(Duration::from_millis(20));
    }
    assert_answers(served);
    served.assert_lives();
}

/// Few connections, each with some megabytes of its own, and long timeouts: a busy machine rejects no
/// request for lack of a connection or of time.
const OPTIONS: [&str; 5] = [
    "--threads=2",
    "--connections=8",
    "--acquire-timeout=5m",
    "--request-timeout=5m",
    "--response-memory=160MiB",
];

/// What they may hold, the 16 MiB that SQLite keeps in memory for each of ten connections, and as
/// much again as an answer has while its memory grows. All forty answers are 800 MB.
const MOST_MEMORY: u64 = 420 * MEBIBYTE;

/// Twenty megabytes of text in two hundred rows.
const TEXTS: &str = "CREATE TABLE artist (id integer PRIMARY KEY);
    INSERT INTO artist VALUES (1);
    CREATE TABLE text (id integer PRIMARY KEY, body text NOT NULL);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
    INSERT INTO text SELECT i, hex(zeroblob(50000)) FROM n;";

#[test]
fn large_answers_share_the_memory_that_they_may_take() {
    let file = File::new(TEXTS);
    let mut served = Served::start(file.source(), &OPTIONS);
    assert_memory_is_kept(&mut served, 40, MOST_MEMORY);
}

/// Each value has twenty megabytes, which SQLite allocates before it is copied into the answer.
#[test]
fn large_values_of_sqlite_share_the_memory_too() {
    let file = File::new(
        "CREATE TABLE artist (id integer PRIMARY KEY);
        INSERT INTO artist VALUES (1);
        CREATE TABLE text (id integer PRIMARY KEY, body text NOT NULL);
        INSERT INTO text SELECT 1, hex(zeroblob(10000000));",
    );
    let mut served = Served::start(file.source(), &OPTIONS);
    let idle = served.peak_memory();
    // As many as there are connections, and some that wait.
    assert_memory_is_kept(&mut served, 12, idle + 200 * MEBIBYTE);
}

/// A batch has ten answers of twenty megabytes, and their text together.
#[test]
fn answers_of_a_batch_share_the_memory_with_their_text() {
    let file = File::new(TEXTS);
    let served = Served::start(file.source(), &[&OPTIONS[..], &["--batching"]].concat());
    let idle = served.peak_memory();
    let members = vec![json!({ "query": LARGE }); 10];
    let answer = post("application/json", "", &json!(members).to_string());
    let stream = TcpStream::connect(served.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    (&stream).write_all(answer.as_bytes()).unwrap();
    let answer = receive(stream);
    assert_eq!(answer.status, 200);
    let answers: Vec<Value> = serde_json::from_str(&answer.body).unwrap();
    let whole = answers.iter().filter(|answer| answer["data"].is_object()).count();
    let refused = answers
        .iter()
        .filter(|answer| answer["errors"][0]["extensions"]["code"] == "RESPONSE_MEMORY_EXHAUSTED");
    assert_eq!((answers.len(), whole + refused.count()), (10, 10));
    assert!((1..10).contains(&whole), "{whole}");
    let taken = served.peak_memory() - idle;
    assert!(taken < 200 * MEBIBYTE, "{} MiB", taken / MEBIBYTE);
}

#[test]
fn rows_of_postgresql_share_the_memory_too() {
    let tables = "
        CREATE TABLE artist (id int PRIMARY KEY);
        INSERT INTO artist VALUES (1);
        CREATE TABLE text (id int PRIMARY KEY, body text NOT NULL);
        INSERT INTO text SELECT i, repeat('x', 100000) FROM generate_series(1, 200) AS i;";
    let Some(database) = Database::on_one(tables) else { return };
    let mut served = Served::start(&database.url(), &OPTIONS);
    assert_memory_is_kept(&mut served, 40, MOST_MEMORY);
}
