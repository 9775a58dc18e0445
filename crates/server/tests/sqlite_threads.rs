//! Which requests of a SQLite file have threads of their own, and for how long.

#![cfg(target_os = "linux")]

use std::io::BufReader;
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::databases::File;
use crate::program::{PATIENCE, read_answer};
use crate::served::{SOON, Served, happens_within};

/// About a millisecond of a processor, and hours of one.
const TABLES: &str = "
    CREATE TABLE artist (id integer PRIMARY KEY);
    INSERT INTO artist VALUES (1);
    CREATE VIEW brief AS
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        SELECT count(*) AS id FROM n;
    CREATE VIEW endless AS
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT count(*) AS id FROM n;";

const BRIEF: &str = "{ allBriefs { nodes { id } } }";
const ENDLESS: &str = "{ allEndlesses { nodes { id } } }";

/// How many requests come at once.
const MANY: usize = 48;

fn brief() -> Value {
    json!({ "data": { "allBriefs": { "nodes": [{ "id": "3000" }] } } })
}

fn read(stream: TcpStream) -> Value {
    let answer = read_answer(&mut BufReader::new(stream), true);
    serde_json::from_str(&answer.body).unwrap()
}

#[test]
fn many_at_once_wait_for_each_other_on_few_threads() {
    let file = File::new(TABLES);
    let served = Served::start(file.source(), &["--threads=2", "--connections=96"]);
    let cores = std::thread::available_parallelism().unwrap().get().max(2);
    let most_threads = || {
        let streams: Vec<_> = (0..MANY).map(|_| served.send(BRIEF)).collect();
        let mut most = 0;
        for stream in streams {
            most = most.max(served.threads("sqlite"));
            assert_eq!(read(stream), brief());
        }
        most
    };
    most_threads();
    // On a busy machine some look longer than they are, and are no hindrance to the others.
    assert!(happens_within(PATIENCE, || {
        assert!(happens_within(PATIENCE, || served.threads("sqlite") == 0));
        (1..=3 * cores + 2).contains(&most_threads())
    }));
}

#[test]
fn those_that_are_short_have_their_turn_beside_any_number_of_long_ones() {
    let file = File::new(TABLES);
    let options = ["--threads=2", "--connections=8", "--request-timeout=1m"];
    let served = Served::start(file.source(), &options);
    assert_eq!(served.ask(BRIEF), brief());
    let endless: Vec<_> = (0..MANY).map(|_| served.send(ENDLESS)).collect();
    // Seven run at most: the last connection is for others.
    assert!(happens_within(SOON, || served.threads("sqlite") >= 6));
    for _ in 0..20 {
        assert_eq!(served.ask_quickly(BRIEF), brief());
    }
    // One for each connection, and one that watches.
    assert!(served.threads("sqlite") <= 9);
    // Those that wait are forgotten like those that run.
    drop(endless);
    served.assert_rests();
    assert!(happens_within(PATIENCE, || served.threads("sqlite") == 0));
    assert_eq!(served.ask(BRIEF), brief());
}
