//! PostgreSQL is killed under load, is out of reach without a word, and comes back.

use serde_json::{Value, json};

use crate::databases::{Database, restartable, send_signal};
use crate::faults::load::Load;
use crate::faults::proxy::Proxy;
use crate::program::PATIENCE;
use crate::served::{SOON, Served, code, happens_within, receive_with};
use testkit::postgres::Stop;

const TABLES: &str = "
    CREATE TABLE artist (id int PRIMARY KEY);
    CREATE TABLE album (id int PRIMARY KEY, artist_id int REFERENCES artist);
    CREATE INDEX ON album (artist_id);
    INSERT INTO artist VALUES (1);
    INSERT INTO album VALUES (7, 1);
    CREATE VIEW asleep AS SELECT 1 AS id FROM pg_sleep(3600);";

const QUERY: &str = "{ allArtists { nodes { id albumsByArtistId { nodes { id } } } } }";
const ASLEEP: &str = "{ allAsleeps { nodes { id } } }";

/// Timeouts that no test outlives: what depends on one fails.
const ENDLESS: [&str; 4] = ["--connect-timeout", "5m", "--acquire-timeout", "5m"];

fn artists() -> Value {
    let albums = json!({ "nodes": [{ "id": 7 }] });
    let artists = json!({ "nodes": [{ "id": 1, "albumsByArtistId": albums }] });
    json!({ "data": { "allArtists": artists } })
}

#[test]
fn every_request_is_answered_while_postgresql_is_killed_and_started_again() {
    let Some(mut postgres) = restartable() else { return };
    postgres.server.execute("postgres", TABLES).unwrap();
    // Test servers do not wait for the disk: without this the tables might not outlive a kill.
    postgres.server.execute("postgres", "CHECKPOINT").unwrap();
    let options = [&["--threads", "2", "--connections", "6"][..], &ENDLESS].concat();
    let mut served = Served::start(&postgres.server.url("postgres"), &options);
    assert_eq!(served.ask(QUERY), artists());
    let files = served.open_files();
    let load = Load::start(served.address, 8, QUERY);
    let more = |count| {
        let wanted = load.answered() + count;
        assert!(happens_within(PATIENCE, || load.answered() >= wanted), "{}", served.log());
    };
    for stop in [Stop::Fast, Stop::Immediate, Stop::Kill] {
        more(50);
        postgres.stop_by(stop).unwrap();
        more(50);
        assert_eq!(code(&served.ask(QUERY)), "UNAVAILABLE");
        postgres.start_again().unwrap();
        assert!(happens_within(PATIENCE, || served.ask(QUERY) == artists()), "{stop:?}");
    }
    more(50);
    let answers = load.stop();
    for answer in &answers {
        assert!(*answer == artists() || code(answer) == "UNAVAILABLE", "{answer}");
    }
    assert!(answers.iter().any(|answer| code(answer) == "UNAVAILABLE"));
    let sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'thalweg'";
    let rows = postgres.server.query("postgres", sessions).unwrap();
    assert!(rows[0][0].as_deref().unwrap().parse::<usize>().unwrap() <= 6, "{rows:?}");
    // The clients have gone, and at most all connections to the database are there.
    assert!(happens_within(SOON, || served.open_files() <= files + 5), "{files}");
    served.assert_lives();
}

#[test]
fn a_database_that_does_not_answer_makes_the_first_requests_wait_and_no_others() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let proxy = Proxy::to(database.port());
    let options = ["--threads", "1", "--connections", "2", "--connect-timeout", "2s"];
    let mut served = Served::start(&database.url_by(proxy.port), &options);
    proxy.block(true);
    let first = served.ask_quickly(QUERY);
    served.assert_masked(&first, "UNAVAILABLE", "The data source cannot be reached.", "in time");
    // If each of them waited, it would take minutes; if they connected, they would be counted.
    let before = proxy.accepted();
    for _ in 0..100 {
        assert_eq!(code(&served.ask_quickly(QUERY)), "UNAVAILABLE");
    }
    assert!(proxy.accepted() - before < 30, "{} connections", proxy.accepted() - before);
    proxy.block(false);
    assert!(happens_within(PATIENCE, || served.ask_quickly(QUERY) == artists()));
    assert!(served.log().contains("PostgreSQL gives sessions again"));
    served.assert_lives();
}

#[test]
fn connections_that_fell_silent_are_given_up_once_that_is_known() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let proxy = Proxy::to(database.port());
    let options = ["--threads", "1", "--connections", "3", "--connect-timeout", "1s"];
    let mut served = Served::start(&database.url_by(proxy.port), &options);
    let sleeping: Vec<_> = (0..3).map(|_| served.send(ASLEEP)).collect();
    assert!(happens_within(SOON, || database.sessions("state = 'active'") == 3));
    drop(sleeping);
    assert!(happens_within(SOON, || database.sessions("state = 'active'") == 0));
    assert_eq!(served.ask(QUERY), artists());
    proxy.block(true);
    // It goes out over a connection of which nothing bad is known, and its client loses patience.
    let waiting = served.send(QUERY);
    std::thread::sleep(std::time::Duration::from_millis(200));
    drop(waiting);
    for _ in 0..20 {
        assert_eq!(code(&served.ask_quickly(QUERY)), "UNAVAILABLE");
    }
    proxy.block(false);
    assert!(happens_within(PATIENCE, || served.ask_quickly(QUERY) == artists()));
    assert!(happens_within(SOON, || database.sessions("true") <= 3));
    served.assert_lives();
}

#[test]
fn a_request_whose_connection_falls_silent_has_its_time_limit_and_the_next_ones_do_not_wait() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let proxy = Proxy::to(database.port());
    let options = ["--threads", "1", "--connections", "2", "--connect-timeout", "1s"];
    let options = [&options[..], &["--request-timeout", "2s"]].concat();
    let mut served = Served::start(&database.url_by(proxy.port), &options);
    assert_eq!(served.ask(QUERY), artists());
    proxy.block(true);
    assert_eq!(code(&served.ask_any(QUERY)), "TIMEOUT");
    let is_known = || code(&served.ask_any(QUERY)) == "UNAVAILABLE";
    assert!(happens_within(PATIENCE, is_known));
    for _ in 0..50 {
        assert_eq!(code(&served.ask_quickly(QUERY)), "UNAVAILABLE");
    }
    proxy.block(false);
    assert!(happens_within(PATIENCE, || served.ask_quickly(QUERY) == artists()));
    assert!(happens_within(SOON, || database.sessions("true") <= 2));
    served.assert_lives();
}

#[test]
fn a_silent_host_is_passed_over_while_another_one_answers() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let proxy = Proxy::to(database.port());
    proxy.block(true);
    let url = database.url_by(proxy.port);
    let ports = format!("127.0.0.1:{},127.0.0.1:{}", proxy.port, database.port());
    let url = url.replace(&format!("127.0.0.1:{}", proxy.port), &ports);
    let options = ["--threads", "1", "--connections", "2", "--connect-timeout", "1s"];
    let served = Served::start(&url, &options);
    for _ in 0..10 {
        assert_eq!(served.ask(QUERY), artists());
        database.terminate_sessions();
    }
    // By whoever read the schema, and at most once more if the machine was slow.
    assert!(proxy.accepted() <= 2, "{}", proxy.accepted());
}

#[test]
fn a_server_that_stands_still_in_the_middle_of_statements_holds_nothing_for_ever() {
    let Some(postgres) = restartable() else { return };
    postgres.server.execute("postgres", TABLES).unwrap();
    let options = ["--threads", "1", "--connections", "2", "--connect-timeout", "1s"];
    let options = [&options[..], &["--acquire-timeout", "1s"]].concat();
    let mut served = Served::start(&postgres.server.url("postgres"), &options);
    let files = served.open_files();
    let sessions = |condition: &str| {
        let all = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'thalweg' AND ";
        postgres.server.query("postgres", &[all, condition].concat()).unwrap().len()
    };
    let running = [served.send(ASLEEP), served.send(ASLEEP)];
    assert!(happens_within(SOON, || sessions("state = 'active'") == 2));
    let processes = postgres.processes().unwrap();
    processes.iter().for_each(|id| send_signal("STOP", *id));
    assert_eq!(code(&receive_with(503, served.send(QUERY))), "OVERLOADED");
    // Nobody takes the requests to cancel, either; those give up by themselves.
    drop(running);
    let is_known = || code(&served.ask_any(QUERY)) == "UNAVAILABLE";
    assert!(happens_within(PATIENCE, is_known));
    for _ in 0..20 {
        assert_eq!(code(&served.ask_quickly(QUERY)), "UNAVAILABLE");
    }
    processes.iter().for_each(|id| send_signal("CONT", *id));
    assert!(happens_within(PATIENCE, || served.ask_quickly(QUERY) == artists()));
    assert!(happens_within(PATIENCE, || sessions("true") <= 2));
    assert!(happens_within(SOON, || served.open_files() <= files + 2), "{files}");
    served.assert_lives();
}

#[test]
fn connections_that_nobody_needs_are_closed() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let options = ["--threads", "2", "--connections", "4", "--database-idle-timeout", "1s"];
    let served = Served::start(&database.url(), &options);
    for _ in 0..10 {
        assert_eq!(served.ask(QUERY), artists());
    }
    assert!(happens_within(PATIENCE, || database.sessions("true") == 0));
    assert_eq!(served.ask(QUERY), artists());
}
