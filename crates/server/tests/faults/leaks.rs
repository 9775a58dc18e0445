//! After hundreds of faults, everything that was taken is back.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::databases::{Database, File};
use crate::faults::proxy::Proxy;
use crate::program::PATIENCE;
use crate::served::{SOON, Served, code, happens_within, receive};

const TABLES: &str = "
    CREATE TABLE artist (id int PRIMARY KEY);
    INSERT INTO artist VALUES (1);
    CREATE VIEW broken AS SELECT id, 1 / (id - 1) AS quotient FROM artist;
    CREATE VIEW asleep AS SELECT 1 AS id FROM pg_sleep(3600);";

const QUERY: &str = "{ allArtists { nodes { id } } }";
const BROKEN: &str = "{ allBrokens { nodes { quotient } } allArtists { nodes { id } } }";
const ASLEEP: &str = "{ allAsleeps { nodes { id } } }";

fn artists() -> Value {
    json!({ "data": { "allArtists": { "nodes": [{ "id": 1 }] } } })
}

#[test]
fn nothing_of_postgresql_is_lost_in_hundreds_of_faults() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let proxy = Proxy::to(database.port());
    let options = ["--threads", "1", "--connections", "4", "--connect-timeout", "1s"];
    let mut served = Served::start(&database.url_by(proxy.port), &options);
    assert_eq!(served.ask(QUERY), artists());
    let files = served.open_files();
    for round in 0..60_u64 {
        // Clients that leave, of statements that have begun and of such that have not.
        let leaving: Vec<_> = (0..6).map(|_| served.send(ASLEEP)).collect();
        thread::sleep(Duration::from_millis(round % 7));
        drop(leaving);
        let failing: Vec<_> = (0..3).map(|_| served.send(BROKEN)).collect();
        match round % 6 {
            1 => database.end_sessions(),
            3 => {
                proxy.block(true);
                thread::sleep(Duration::from_millis(20));
                proxy.block(false);
            }
            _ => {}
        }
        for stream in failing {
            let answer = receive(stream);
            assert!(matches!(code(&answer), "SOURCE_ERROR" | "UNAVAILABLE"), "{answer}");
        }
    }
    assert!(happens_within(PATIENCE, || served.ask(QUERY) == artists()));
    let rests = || database.sessions("state = 'active'") == 0 && database.sessions("true") <= 4;
    assert!(happens_within(PATIENCE, rests));
    // Every place in the pool can be had again, and there is none more.
    let all: Vec<_> = (0..8).map(|_| served.send(ASLEEP)).collect();
    assert!(happens_within(SOON, || database.sessions("state = 'active'") == 4));
    drop(all);
    assert!(happens_within(SOON, || database.sessions("state = 'active'") == 0));
    assert!(happens_within(SOON, || served.open_files() <= files + 4), "{files}");
    served.assert_lives();
}

#[test]
fn nothing_of_sqlite_is_lost_in_hundreds_of_faults() {
    let tables = "
        CREATE TABLE artist (id integer PRIMARY KEY);
        INSERT INTO artist VALUES (1);
        CREATE VIEW asleep AS
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
            SELECT count(*) AS id FROM n;";
    let file = File::new(tables);
    let options = ["--threads", "1", "--connections", "4", "--acquire-timeout", "200ms"];
    let mut served = Served::start(file.source(), &options);
    assert_eq!(served.ask(QUERY), artists());
    let files = served.open_files();
    for round in 0..60_u64 {
        let leaving: Vec<_> = (0..6).map(|_| served.send(ASLEEP)).collect();
        thread::sleep(Duration::from_millis(round % 7));
        drop(leaving);
        if round % 6 == 1 {
            let other = File::new(tables);
            std::fs::rename(&other.path, &file.path).unwrap();
        }
        assert_eq!(served.ask(QUERY), artists());
    }
    served.assert_rests();
    // A file for each connection, and one for each thread.
    assert!(happens_within(SOON, || served.open_files() <= files + 5), "{files}");
    served.assert_lives();
}
