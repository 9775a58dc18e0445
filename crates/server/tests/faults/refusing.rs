//! PostgreSQL is there and gives no session: none is left, the password is another one, the
//! database is gone, the server is about to stop.

use std::fs;
use std::thread;

use serde_json::{Value, json};

use crate::databases::{Database, restartable, send_signal};
use crate::program::PATIENCE;
use crate::served::{SOON, Served, happens_within, receive};

const TABLES: &str = "
    CREATE TABLE artist (id int PRIMARY KEY);
    INSERT INTO artist VALUES (1);
    CREATE VIEW slow AS SELECT 1 AS id, pg_sleep(0.2)::text AS slept;
    GRANT SELECT ON artist, slow TO public;";

const QUERY: &str = "{ allArtists { nodes { id } } }";
const SLOW: &str = "{ allSlows { nodes { slept } } }";

/// Timeouts that no test outlives: what depends on one fails.
const ENDLESS: [&str; 4] = ["--connect-timeout", "5m", "--acquire-timeout", "5m"];

const UNREACHABLE: &str = "The data source cannot be reached.";
const NO_ROOM: &str = "The data source has no room for this now.";

fn artists() -> Value {
    json!({ "data": { "allArtists": { "nodes": [{ "id": 1 }] } } })
}

/// Asserts that requests are refused at once, and says why to the log only.
fn assert_refused(served: &mut Served, message: &str, logged: &str) {
    for _ in 0..10 {
        let answer = served.ask_quickly(QUERY);
        assert_eq!(answer["data"], Value::Null, "{answer}");
        served.assert_masked(&answer, "UNAVAILABLE", message, logged);
    }
    served.assert_lives();
}

fn assert_recovers(served: &Served) {
    assert!(happens_within(PATIENCE, || served.ask_quickly(QUERY) == artists()));
}

#[test]
fn fewer_connections_than_asked_for_are_shared() {
    let Some(database) = Database::on_one(TABLES) else { return };
    database.execute("CREATE ROLE few LOGIN CONNECTION LIMIT 2");
    let url = database.url().replace("user=postgres", "user=few");
    let options = [&["--threads", "1", "--connections", "6"][..], &ENDLESS].concat();
    let mut served = Served::start(&url, &options);
    let slow = json!({ "data": { "allSlows": { "nodes": [{ "slept": "" }] } } });
    for _ in 0..3 {
        let at_once: Vec<_> = (0..12).map(|_| served.send(SLOW)).collect();
        for stream in at_once {
            assert_eq!(receive(stream), slow);
        }
        assert!(database.sessions("true") <= 2);
    }
    database.execute("ALTER ROLE few CONNECTION LIMIT 0");
    database.terminate_sessions();
    assert_refused(&mut served, NO_ROOM, "too many connections for role");
    database.execute("ALTER ROLE few CONNECTION LIMIT 5");
    assert_recovers(&served);
}

#[test]
fn a_password_that_was_changed_and_a_host_that_is_refused_are_unavailable() {
    let Some(postgres) = restartable() else { return };
    let execute = |sql: &str| postgres.server.execute("postgres", sql).unwrap();
    execute(TABLES);
    execute("CREATE ROLE shop LOGIN PASSWORD 'first'");
    let set_access = |method: &str| {
        let lines = format!("host all shop all {method}\nhost all all all trust\n");
        fs::write(postgres.server.data_folder().join("pg_hba.conf"), lines).unwrap();
        execute("SELECT pg_reload_conf()");
        let read = format!("SELECT 1 FROM pg_hba_file_rules WHERE auth_method = '{method}'");
        assert_eq!(postgres.server.query("postgres", &read).unwrap().len(), 1);
    };
    let end =
        || execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'shop'");
    set_access("scram-sha-256");
    let url = postgres.server.url("postgres").replace("postgres@", "shop:first@");
    let options = [&["--threads", "1", "--connections", "2"][..], &ENDLESS].concat();
    let mut served = Served::start(&url, &options);
    assert_eq!(served.ask(QUERY), artists());

    execute("ALTER ROLE shop PASSWORD 'second'");
    // Sessions that there are go on.
    assert_eq!(served.ask(QUERY), artists());
    end();
    assert_refused(&mut served, UNREACHABLE, "password authentication failed");
    execute("ALTER ROLE shop PASSWORD 'first'");
    assert_recovers(&served);

    set_access("reject");
    end();
    assert!(happens_within(SOON, || served.ask(QUERY) != artists()));
    assert_refused(&mut served, UNREACHABLE, "pg_hba.conf");
    set_access("scram-sha-256");
    assert_recovers(&served);
}

#[test]
fn a_database_that_is_dropped_is_unavailable_until_there_is_one_again() {
    let Some(postgres) = restartable() else { return };
    let make = || {
        postgres.server.create_database("shop").unwrap();
        postgres.server.execute("shop", TABLES).unwrap();
    };
    make();
    let mut served = Served::start(&postgres.server.url("shop"), &["--threads", "2"]);
    assert_eq!(served.ask(QUERY), artists());
    postgres.server.execute("postgres", "DROP DATABASE shop WITH (FORCE)").unwrap();
    assert_refused(&mut served, UNREACHABLE, "does not exist");
    make();
    assert_recovers(&served);
}

#[test]
fn a_server_that_stops_when_its_last_session_ends_is_unavailable_from_then_on() {
    let Some(mut postgres) = restartable() else { return };
    postgres.server.execute("postgres", TABLES).unwrap();
    let mut served = Served::start(&postgres.server.url("postgres"), &["--threads", "1"]);
    let url = postgres.server.url("postgres");
    let last = thread::spawn(move || testkit::postgres::query(&url, "SELECT pg_sleep(3600)"));
    let sleeps = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    let runs = || postgres.server.query("postgres", sleeps).unwrap().len() == 1;
    assert!(happens_within(SOON, runs));
    send_signal("TERM", postgres.process_id().unwrap());
    assert!(happens_within(SOON, || postgres.server.query("postgres", "SELECT 1").is_err()));
    assert_refused(&mut served, UNREACHABLE, "the database system is shutting down");
    postgres.stop().unwrap();
    last.join().unwrap().unwrap_err();
    assert_refused(&mut served, UNREACHABLE, "Connection refused");
    postgres.start_again().unwrap();
    assert_recovers(&served);
}
