//! Whether requests would be answered.

use std::fs;
use std::io::{BufReader, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Instant;

use crate::databases::{Database, restartable};
use crate::program::{Answer, Folder, PATIENCE, Server, read_answer};
use crate::served::{SOON, Served, happens_within};

const READY: &str = r#"{"status":"ready"}"#;
const UNREACHABLE: &str = r#"{"status":"unready","reason":"the data source cannot be reached"}"#;

/// Asks a server, which always answers soon.
fn ready(served: &Served) -> Answer {
    let started = Instant::now();
    let mut stream = TcpStream::connect(served.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(b"GET /health/ready HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
    let answer = read_answer(&mut BufReader::new(stream), true);
    assert!(started.elapsed() < SOON, "{answer:?} took {:?}", started.elapsed());
    answer
}

fn becomes(served: &Served, status: u16, body: &str) {
    let mut last = ready(served);
    let is_there = || {
        last = ready(served);
        (last.status, last.body.as_str()) == (status, body)
    };
    assert!(happens_within(PATIENCE, is_there), "{last:?}");
}

#[test]
fn a_file_is_ready_while_it_is_there() {
    let folder = Folder::new();
    let file = folder.file("shop.db");
    let server = Server::demo(&file);
    let json = "application/json; charset=utf-8";
    assert_eq!(server.get("/health/ready", "").parts(), (200, json, READY));
    let head = server.send(b"HEAD /health/ready HTTP/1.1\r\nHost: test\r\n\r\n");
    assert_eq!((head.status, head.header("content-length")), (200, Some("18")));
    let post = server.send(b"POST /health/ready HTTP/1.1\r\nHost: test\r\n\r\n");
    assert_eq!((post.status, post.header("allow")), (405, Some("GET, HEAD")));
    fs::remove_file(&file).unwrap();
    let unready = || server.get("/health/ready", "").parts() == (503, json, UNREACHABLE);
    assert!(happens_within(PATIENCE, unready), "{:?}", server.get("/health/ready", ""));
    let head = server.send(b"HEAD /health/ready HTTP/1.1\r\nHost: test\r\n\r\n");
    assert_eq!((head.status, head.body.as_str()), (503, ""));
    assert_eq!(server.get("/health/live", "").status, 200);
}

#[test]
fn postgresql_is_ready_while_it_runs() {
    let Some(mut postgres) = restartable() else { return };
    postgres.server.execute("postgres", "CREATE TABLE artist (id int PRIMARY KEY)").unwrap();
    let served = Served::start(&postgres.server.url("postgres"), &["--threads", "2"]);
    assert_eq!((ready(&served).status, ready(&served).body.as_str()), (200, READY));
    postgres.stop().unwrap();
    becomes(&served, 503, UNREACHABLE);
    postgres.start_again().unwrap();
    becomes(&served, 200, READY);
    assert!(served.log().contains("ready again"), "{}", served.log());
}

#[test]
fn a_server_whose_connections_are_all_busy_is_ready() {
    const SLEEPING: &str = "query LIKE '%slept%' AND state = 'active'";
    let slow = "CREATE VIEW slow AS SELECT 1 AS id, pg_sleep(60)::text AS slept";
    for database in Database::on_each(slow) {
        let served = Served::start(&database.url(), &["--threads", "1", "--connections", "1"]);
        let running = served.send("{ allSlows { nodes { slept } } }");
        assert!(happens_within(PATIENCE, || database.sessions(SLEEPING) == 1));
        // On a busy machine the first looks may take longer than they are waited for.
        assert!(happens_within(PATIENCE, || ready(&served).body == READY), "{}", served.log());
        assert_eq!(database.sessions(SLEEPING), 1, "the request still runs");
        drop(running);
    }
}

#[test]
fn many_probes_use_one_connection() {
    for database in Database::on_each("CREATE TABLE artist (id int PRIMARY KEY)") {
        let served = Served::start(&database.url(), &["--threads", "2"]);
        assert!(happens_within(SOON, || database.sessions("true") == 0), "the catalog is read");
        for _ in 0..50 {
            assert_eq!(ready(&served).status, 200);
        }
        assert_eq!(database.sessions("true"), 1);
    }
}

#[test]
fn a_database_that_says_nothing_is_not_waited_for() {
    let Some(database) = Database::on_one("CREATE TABLE artist (id int PRIMARY KEY)") else {
        return;
    };
    let served = Served::start(&database.url(), &["--threads", "1"]);
    assert!(happens_within(SOON, || database.sessions("true") == 0), "the catalog is read");
    assert_eq!(ready(&served).status, 200);
    let process = database.count(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() \
         AND pid <> pg_backend_pid()",
    );
    let signal = |name: &str| {
        let kill = Command::new("kill").args(["-s", name, &process.to_string()]).status();
        assert!(kill.unwrap().success());
    };
    signal("STOP");
    let silent = r#"{"status":"unready","reason":"the data source does not answer in time"}"#;
    let is_silent = happens_within(PATIENCE, || ready(&served).body == silent);
    signal("CONT");
    assert!(is_silent, "{}", served.log());
    becomes(&served, 200, READY);
}
