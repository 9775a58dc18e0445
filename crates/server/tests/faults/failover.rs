//! Two servers, of which one follows the other and takes its place.

use std::time::Duration;

use serde_json::{Value, json};

use crate::databases::restartable;
use crate::faults::load::Load;
use crate::program::PATIENCE;
use crate::served::{SOON, Served, code, happens_within, receive};
use testkit::postgres::{Restartable, Standby, Stop};

const TABLES: &str = "
    CREATE TABLE artist (id int PRIMARY KEY);
    INSERT INTO artist VALUES (1);
    CREATE TABLE other (id int PRIMARY KEY);
    INSERT INTO other SELECT generate_series(1, 1000);
    CREATE VIEW slow AS SELECT id, pg_sleep(1)::text AS slept FROM artist;";

const QUERY: &str = "{ allArtists { nodes { id } } }";
const SLOW: &str = "{ allSlows { nodes { slept } } }";

fn artists() -> Value {
    json!({ "data": { "allArtists": { "nodes": [{ "id": 1 }] } } })
}

fn pair(settings: &[&str]) -> Option<(Restartable, Standby)> {
    let mut primary = restartable()?;
    primary.server.execute("postgres", TABLES).unwrap();
    let standby = Standby::of(&mut primary, settings).unwrap();
    let follows = || standby.query("SELECT id FROM artist").unwrap().len() == 1;
    assert!(happens_within(PATIENCE, follows));
    Some((primary, standby))
}

#[test]
fn the_server_that_takes_over_is_used_and_no_request_stays_without_an_answer() {
    let Some((mut primary, standby)) = pair(&[]) else { return };
    let ports = [primary.server.port(), standby.port];
    let [first, second] = ports.map(|port| format!("127.0.0.1:{port}"));
    let url =
        format!("postgres://postgres@{first},{second}/postgres?target_session_attrs=read-write");
    let options = ["--threads", "2", "--connections", "4", "--acquire-timeout", "5m"];
    let mut served = Served::start(&url, &options);
    assert_eq!(served.ask(QUERY), artists());
    assert_eq!(standby.sessions().unwrap(), 0, "a standby is not asked");
    let load = Load::start(served.address, 4, QUERY);
    assert!(happens_within(PATIENCE, || load.answered() > 20));
    primary.stop_by(Stop::Kill).unwrap();
    assert!(happens_within(PATIENCE, || code(&served.ask_quickly(QUERY)) == "UNAVAILABLE"));
    standby.promote().unwrap();
    assert!(happens_within(PATIENCE, || served.ask_quickly(QUERY) == artists()));
    let before = load.answered();
    assert!(happens_within(PATIENCE, || load.answered() > before + 20));
    for answer in load.stop() {
        assert!(answer == artists() || code(&answer) == "UNAVAILABLE", "{answer}");
    }
    assert!((1..=4).contains(&standby.sessions().unwrap()), "{}", standby.sessions().unwrap());
    served.assert_lives();
}

#[test]
fn the_schema_of_a_standby_is_followed() {
    let Some((primary, standby)) = pair(&[]) else { return };
    let url = format!("postgres://postgres@127.0.0.1:{}/postgres", standby.port);
    let served = Served::start(&url, &["--watch", "--threads", "1"]);
    assert_eq!(served.ask(QUERY), artists());
    primary.server.execute("postgres", "CREATE TABLE song (id int PRIMARY KEY)").unwrap();
    let songs = json!({ "data": { "allSongs": { "nodes": [] } } });
    let is_served = || served.ask_quickly("{ allSongs { nodes { id } } }") == songs;
    assert!(happens_within(PATIENCE, is_served));
}

#[test]
fn a_read_of_a_standby_that_has_to_make_way_runs_once_more() {
    let Some((primary, standby)) = pair(&["max_standby_streaming_delay=0"]) else { return };
    let url = format!("postgres://postgres@127.0.0.1:{}/postgres", standby.port);
    let served = Served::start(&url, &["--threads", "1", "--connections", "1"]);
    let running = served.send(SLOW);
    let sleeps = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    assert!(happens_within(SOON, || standby.query(sleeps).unwrap().len() == 1));
    primary.server.execute("postgres", "DELETE FROM other").unwrap();
    primary.server.execute("postgres", "VACUUM other").unwrap();
    let conflicts = "SELECT 1 FROM pg_stat_database_conflicts \
                     WHERE datname = 'postgres' AND confl_snapshot > 0";
    assert!(happens_within(PATIENCE, || standby.query(conflicts).unwrap().len() == 1));
    let expected = json!({ "data": { "allSlows": { "nodes": [{ "slept": "" }] } } });
    assert_eq!(receive(running), expected);
    std::thread::sleep(Duration::from_millis(10));
    assert_eq!(served.ask_quickly(QUERY), artists());
}
