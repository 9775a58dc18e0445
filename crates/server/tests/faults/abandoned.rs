//! Clients that do not wait for their answers, and statements that take long.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::databases::{Database, File};
use crate::served::{SOON, Served, code, happens_within};

/// Hours, if nobody stops it.
const ENDLESS: &str = "{ allEndlesses { nodes { id } } }";
const SHORT: &str = "{ allArtists { nodes { id } } }";

const SQLITE_TABLES: &str = "
    CREATE TABLE artist (id integer PRIMARY KEY);
    INSERT INTO artist VALUES (1);
    CREATE VIEW endless AS
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT count(*) AS id FROM n;
    CREATE VIEW seconds AS
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000000)
        SELECT count(*) AS id FROM n;";

fn artists() -> Value {
    json!({ "data": { "allArtists": { "nodes": [{ "id": 1 }] } } })
}

#[test]
fn postgresql_stops_the_statement_of_a_client_that_left() {
    let endless = "
        CREATE TABLE artist (id int PRIMARY KEY);
        INSERT INTO artist VALUES (1);
        CREATE VIEW endless AS
            SELECT count(*)::int AS id FROM generate_series(1, 100000) AS a,
                generate_series(1, 100000) AS b;
        CREATE VIEW asleep AS SELECT 1 AS id FROM pg_sleep(3600);";
    let Some(database) = Database::on_one(endless) else { return };
    let mut served = Served::start(&database.url(), &["--threads", "1", "--connections", "2"]);
    for query in [
        ENDLESS,
        "{ allAsleeps { nodes { id } } }",
        "{ a: allEndlesses { totalCount } b: allAsleeps { totalCount nodes { id } } }",
    ] {
        let abandoned = [served.send(query), served.send(query)];
        assert!(happens_within(SOON, || database.sessions("state = 'active'") == 2), "{query}");
        drop(abandoned);
        assert!(happens_within(SOON, || database.sessions("state = 'active'") == 0), "{query}");
        assert_eq!(served.ask_quickly(SHORT), artists());
        assert!(happens_within(SOON, || database.sessions("true") <= 2));
    }
    served.assert_lives();
}

#[test]
fn sqlite_stops_the_statement_of_a_client_that_left() {
    let file = File::new(SQLITE_TABLES);
    let mut served = Served::start(file.source(), &["--threads", "1", "--connections", "2"]);
    // More often than there are connections: they come back.
    for _ in 0..3 {
        let abandoned = [served.send(ENDLESS), served.send(ENDLESS)];
        let before = served.processor_time();
        let works = || served.processor_time() - before > Duration::from_millis(100);
        assert!(happens_within(SOON, works));
        drop(abandoned);
        served.assert_rests();
        assert_eq!(served.ask_quickly(SHORT), artists());
    }
    served.assert_lives();
}

#[test]
fn clients_that_leave_at_once_leave_no_statement_behind() {
    let file = File::new(SQLITE_TABLES);
    let mut served = Served::start(file.source(), &["--threads", "2"]);
    for pause in 0..60 {
        let abandoned = served.send(ENDLESS);
        thread::sleep(Duration::from_micros(pause * 50));
        drop(abandoned);
    }
    served.assert_rests();
    assert_eq!(served.ask_quickly(SHORT), artists());
    served.assert_lives();
}

#[test]
fn short_requests_do_not_wait_behind_a_long_one() {
    let file = File::new(SQLITE_TABLES);
    let served = Served::start(file.source(), &["--threads", "1"]);
    let long = served.send("{ allSeconds { nodes { id } } }");
    for _ in 0..200 {
        assert_eq!(served.ask_quickly(SHORT), artists());
    }
    long.set_nonblocking(true).unwrap();
    let waiting = long.peek(&mut [0]).unwrap_err();
    assert_eq!(waiting.kind(), std::io::ErrorKind::WouldBlock, "the long one has ended");
    long.set_nonblocking(false).unwrap();
    let expected = json!({ "data": { "allSeconds": { "nodes": [{ "id": "10000000" }] } } });
    let answer = crate::served::receive(long);
    assert!(answer == expected || answer.to_string().contains("10000000"), "{answer}");
}

#[test]
fn long_requests_wait_for_a_connection_and_are_refused_when_none_comes_free() {
    let file = File::new(SQLITE_TABLES);
    let served = Served::start(file.source(), &["--threads", "1", "--connections", "2"]);
    let endless = [served.send(ENDLESS), served.send(ENDLESS)];
    let before = served.processor_time();
    assert!(happens_within(SOON, || served.processor_time() - before > Duration::from_millis(200)));
    let third = served.send(ENDLESS);
    assert_eq!(served.ask_quickly(SHORT), artists());
    let answer = crate::served::receive_with(503, third);
    assert_eq!(code(&answer), "OVERLOADED", "{answer}");
    drop(endless);
    served.assert_rests();
    assert_eq!(served.ask_quickly(SHORT), artists());
}
