//! Clients that read slowly or not at all, and clients that leave.

use crate::program::PATIENCE;
use crate::served::{SOON, Served, happens_within};
use crate::streaming::chunks::{Ending, Reading};
use crate::streaming::flat::serve;
use crate::streaming::shops::{self, LINES, SMALL, SMALL_ANSWER};

/// Rows without an end.
const ENDLESS_FILE: &str = "
    CREATE VIEW endless AS
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT i AS id FROM n;";

const ENDLESS: &str = "{ allEndlessesList { id } }";

fn begin_endless(served: &Served) -> Reading {
    let mut reading = Reading::begin(served.send(ENDLESS));
    assert!(reading.is_chunked(), "{}", reading.head);
    // The answer is here while the statement still runs: it has no end.
    let first = reading.next().unwrap();
    assert!(first.starts_with(br#"{"data":{"allEndlessesList":[{"id":"1"},{"id":"2"}"#));
    reading
}

fn assert_small(served: &Served) {
    let expected: serde_json::Value = serde_json::from_str(SMALL_ANSWER).unwrap();
    assert_eq!(served.ask_quickly(SMALL), expected);
}

#[test]
fn sqlite_stops_with_a_reader_that_leaves() {
    let file = shops::file(ENDLESS_FILE);
    let served = serve(file.source(), &["--connections", "4"]);
    for round in 1..=4 {
        let readers: Vec<_> = (0..2).map(|_| begin_endless(&served)).collect();
        assert_small(&served);
        drop(readers);
        served.assert_rests();
        let left = || served.log().matches("streamed=\"left\"").count() == 2 * round;
        assert!(happens_within(SOON, left), "{}", served.log());
    }
    assert_small(&served);
}

#[test]
fn postgresql_stops_with_a_reader_that_leaves_or_stalls() {
    let Some(database) = shops::database("") else { return };
    let options = ["--connections", "4", "--stall-timeout", "2s"];
    let served = serve(&database.url(), &options);
    let busy = "backend_type = 'client backend' AND state IN ('active', 'idle in transaction')";
    let readers: Vec<_> = (0..2).map(|_| begin_long(&served)).collect();
    assert!(happens_within(SOON, || database.sessions(busy) >= 2));
    assert_small(&served);
    drop(readers);
    assert!(happens_within(SOON, || database.sessions(busy) == 0), "{}", served.log());
    let mut stalled = begin_long(&served);
    assert!(happens_within(PATIENCE, || database.sessions(busy) == 0), "{}", served.log());
    while stalled.next().is_ok() {}
    drop(begin_long(&served));
    assert_small(&served);
}

/// An answer that is larger than all buffers on its way.
fn begin_long(served: &Served) -> Reading {
    let mut reading = Reading::begin(served.send(LINES));
    assert!(reading.is_chunked(), "{}", reading.head);
    assert!(reading.next().unwrap().starts_with(br#"{"data":{"allLinesList":[{"id":1,"#));
    reading
}

#[test]
fn a_reader_that_stalls_is_let_go() {
    let file = shops::file(ENDLESS_FILE);
    let options = ["--connections", "2", "--stall-timeout", "1s", "--request-timeout", "1s"];
    let served = serve(file.source(), &options);
    let mut stalled = begin_endless(&served);
    let is_let_go = || served.log().contains("streamed=\"stalled\"");
    assert!(happens_within(PATIENCE, is_let_go), "{}", served.log());
    served.assert_rests();
    // What the client finds in the end is no whole answer.
    while stalled.next().is_ok() {}
    // The place is free again.
    drop(begin_endless(&served));
    assert_small(&served);
}

#[test]
fn a_reader_that_is_slow_gets_everything_after_the_time_of_a_request() {
    let file = shops::file("");
    let served = serve(file.source(), &["--request-timeout", "1s"]);
    let mut reading = Reading::begin(served.send(LINES));
    let mut bytes = Vec::new();
    for _ in 0..4 {
        bytes.extend(reading.next().unwrap());
        std::thread::sleep(std::time::Duration::from_millis(400));
    }
    bytes.extend(reading.rest().0);
    assert!(bytes == shops::lines().as_bytes());
}

#[test]
fn many_slow_readers_leave_the_others_served() {
    let file = shops::file(ENDLESS_FILE);
    let served = serve(file.source(), &["--connections", "4", "--acquire-timeout", "1s"]);
    let slow: Vec<_> = (0..40).map(|_| served.send(ENDLESS)).collect();
    for _ in 0..50 {
        assert_small(&served);
    }
    // A request that needs a connection of its own gets one, too.
    let count = served.ask_quickly("{ allLines { totalCount } }");
    assert_eq!(count["data"]["allLines"]["totalCount"], shops::ROWS);
    // Half of the connections serve readers; the other readers are told to come again.
    let heads: Vec<_> = slow.into_iter().map(Reading::begin).collect();
    let began = heads.iter().filter(|reading| reading.head.starts_with("http/1.1 200")).count();
    let refused = heads.iter().filter(|reading| reading.head.starts_with("http/1.1 503")).count();
    assert_eq!((began, refused), (2, 38));
}

/// What each of them may keep in the process: portions of rows, pieces on their way, pages of the
/// file. Twice as much was usual before anybody counted.
const READER: u64 = 5 << 18;
const READERS: u64 = 20;

fn assert_slow_readers_keep_little(source: &str) {
    let options = ["--connections", "48", "--stall-timeout", "10m"];
    let served = serve(source, &options);
    // From then on it is known to be long.
    assert_eq!(Reading::begin(served.send(LINES)).rest().1, Ending::Whole);
    let before = served.peak_memory();
    let readers: Vec<_> = (0..READERS).map(|_| begin_long(&served)).collect();
    // All of them wait for their readers.
    served.assert_rests();
    let taken = served.peak_memory() - before;
    assert!(taken < READERS * READER, "{taken} bytes");
    drop(readers);
    assert_small(&served);
}

#[test]
fn slow_readers_of_sqlite_keep_little() {
    assert_slow_readers_keep_little(shops::file("").source());
}

#[test]
fn slow_readers_of_postgresql_keep_little() {
    let Some(database) = shops::database("") else { return };
    assert_slow_readers_keep_little(&database.url());
}
