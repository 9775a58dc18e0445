//! PostgreSQL stops, ends sessions, has no connection free.

use std::io::BufReader;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::databases::{Database, Meanwhile, restartable};
use crate::program::{PATIENCE, read_answer};
use crate::served::{SOON, Served, code, happens_within, receive};

const TABLES: &str = "
    CREATE TABLE artist (id int PRIMARY KEY);
    CREATE TABLE album (id int PRIMARY KEY, artist_id int REFERENCES artist);
    CREATE INDEX ON album (artist_id);
    INSERT INTO artist VALUES (1);
    INSERT INTO album VALUES (7, 1);
    CREATE VIEW slow AS SELECT 1 AS id, pg_sleep(2)::text AS slept;";

const QUERY: &str = "{ allArtists { nodes { id albumsByArtistId { nodes { id } } } } }";
const SLOW: &str = "{ allSlows { nodes { slept } } }";

const UNREACHABLE: &str = "The data source cannot be reached.";

fn artists() -> Value {
    let albums = json!({ "nodes": [{ "id": 7 }] });
    let artists = json!({ "nodes": [{ "id": 1, "albumsByArtistId": albums }] });
    json!({ "data": { "allArtists": artists } })
}

#[test]
fn a_stopped_postgresql_is_unavailable_and_used_again_when_it_is_back() {
    let Some(mut postgres) = restartable() else { return };
    postgres.server.execute("postgres", TABLES).unwrap();
    let options = ["--threads", "1", "--connections", "3"];
    let mut served = Served::start(&postgres.server.url("postgres"), &options);
    for _ in 0..2 {
        assert_eq!(served.ask(QUERY), artists());
        postgres.stop().unwrap();
        for _ in 0..3 {
            let answer = served.ask_quickly(QUERY);
            assert_eq!(answer["data"], Value::Null);
            served.assert_masked(&answer, "UNAVAILABLE", UNREACHABLE, "Connection refused");
        }
        let schema = json!({ "data": { "__typename": "Query" } });
        assert_eq!(served.ask_quickly("{ __typename }"), schema);
        served.assert_lives();
        postgres.start_again().unwrap();
        assert_eq!(served.ask_quickly(QUERY), artists());
    }
    let sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'thalweg'";
    // A session whose client has gone is still listed for a moment.
    let only_one =
        || postgres.server.query("postgres", sessions).unwrap() == [[Some("1".to_owned())]];
    assert!(happens_within(PATIENCE, only_one), "other connections than the one that answered");
}

#[test]
fn requests_that_run_when_postgresql_stops_are_answered() {
    let Some(mut postgres) = restartable() else { return };
    postgres.server.execute("postgres", TABLES).unwrap();
    let mut served = Served::start(&postgres.server.socket_url("postgres"), &["--threads", "1"]);
    let running: Vec<_> = (0..3).map(|_| served.send(SLOW)).collect();
    let count = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%slept%' \
                 AND pid <> pg_backend_pid()";
    let all_run = || postgres.server.query("postgres", count).unwrap() == [[Some("3".to_owned())]];
    assert!(happens_within(SOON, all_run));
    postgres.stop().unwrap();
    for stream in running {
        let answer = receive(stream);
        assert_eq!((code(&answer), &answer["data"]), ("UNAVAILABLE", &Value::Null), "{answer}");
    }
    served.assert_lives();
}

#[test]
fn a_crash_of_postgresql_is_unavailable_until_it_has_recovered() {
    let Some(postgres) = restartable() else { return };
    postgres.server.execute("postgres", TABLES).unwrap();
    // Test servers do not wait for the disk: without this the tables might not outlive the crash.
    postgres.server.execute("postgres", "CHECKPOINT").unwrap();
    let mut served = Served::start(&postgres.server.url("postgres"), &["--threads", "2"]);
    assert_eq!(served.ask(QUERY), artists());
    let any = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' \
               AND pid <> pg_backend_pid() LIMIT 1";
    let rows = postgres.server.query("postgres", any).unwrap();
    let id = rows[0][0].as_deref().unwrap();
    assert!(Command::new("kill").args(["-s", "KILL", id]).status().unwrap().success());
    let recovers = || {
        let answer = served.ask_quickly(QUERY);
        assert!(answer == artists() || code(&answer) == "UNAVAILABLE", "{answer}");
        answer == artists() && postgres.server.query("postgres", any).is_ok()
    };
    assert!(happens_within(PATIENCE, recovers));
    served.assert_lives();
}

#[test]
fn sessions_that_were_ended_between_requests_are_replaced_without_an_error() {
    for database in Database::on_each(TABLES) {
        let options = ["--threads", "1", "--connections", "3"];
        let served = Served::start(&database.url(), &options);
        for _ in 0..3 {
            let at_once: Vec<_> = (0..6).map(|_| served.send(QUERY)).collect();
            for stream in at_once {
                assert_eq!(receive(stream), artists());
            }
            assert!(happens_within(SOON, || database.sessions("true") <= 3));
            database.terminate_sessions();
        }
        assert_eq!(served.ask(QUERY), artists());
    }
}

#[test]
fn sessions_that_are_ended_at_any_time_cost_few_requests_and_no_connection() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let options = ["--threads", "2", "--connections", "4"];
    let mut served = Served::start(&database.url(), &options);
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    std::thread::scope(|scope| {
        let killer = scope.spawn(|| {
            for _ in 0..15 {
                database.execute(end);
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        while !killer.is_finished() {
            let answer = served.ask(QUERY);
            assert!(answer == artists() || code(&answer) == "UNAVAILABLE", "{answer}");
        }
    });
    for _ in 0..20 {
        assert_eq!(served.ask(QUERY), artists());
    }
    assert!(happens_within(SOON, || database.sessions("true") <= 4));
    served.assert_lives();
}

#[test]
fn a_session_that_is_ended_in_the_middle_of_a_long_statement_is_an_error_of_that_request_only() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let served = Served::start(&database.url(), &["--threads", "1", "--connections", "1"]);
    assert_eq!(served.ask(QUERY), artists());
    let running = served.send(SLOW);
    let old = "query LIKE '%slept%' AND state = 'active' \
               AND query_start < clock_timestamp() - interval '1.2 seconds'";
    assert!(happens_within(SOON, || database.sessions(old) == 1));
    database.terminate_sessions();
    assert_eq!(code(&receive(running)), "UNAVAILABLE");
    assert_eq!(served.ask_quickly(QUERY), artists());
}

#[test]
fn requests_wait_for_a_connection_and_are_refused_when_none_comes_free() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let served = Served::start(&database.url(), &["--threads", "1", "--connections", "2"]);
    // Two run at a time for two seconds each; those of the fourth pair would wait for six.
    let at_once: Vec<_> = (0..8).map(|_| served.send(SLOW)).collect();
    assert!(happens_within(SOON, || database.sessions("state = 'active'") == 2));
    let answers = at_once.into_iter().map(|stream| read_answer(&mut BufReader::new(stream), true));
    let (answered, refused): (Vec<_>, Vec<_>) = answers.partition(|answer| answer.status == 200);
    assert!((4..=6).contains(&answered.len()), "{answered:?}");
    let slow = json!({ "data": { "allSlows": { "nodes": [{ "slept": "" }] } } }).to_string();
    assert!(answered.iter().all(|answer| answer.body == slow), "{answered:?}");
    for answer in refused {
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!((answer.status, code(&body)), (503, "OVERLOADED"), "{body}");
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
    assert_eq!(served.ask_quickly(QUERY), artists());
    assert!(happens_within(SOON, || database.sessions("true") <= 2));
}

#[test]
fn noise_and_resets_during_answers_disturb_nobody() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let url = database.url();
    let mut served = Served::start(&url, &["--threads", "1", "--connections", "2"]);
    let address = served.address;
    let noise = Meanwhile::start(move |times| {
        let body = serde_json::json!({ "query": QUERY }).to_string();
        let request = crate::program::post("application/json", "", &body);
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let sent = request.len() - usize::try_from(times % 7).unwrap_or(0);
        // The server may have closed the connection.
        drop(std::io::Write::write_all(&mut stream, &request.as_bytes()[..sent]));
        // Closed with the answer unread, the connection is reset.
        std::thread::sleep(Duration::from_micros(200 * (times % 5)));
    });
    for _ in 0..200 {
        assert_eq!(served.ask(QUERY), artists());
    }
    assert!(noise.stop() > 5);
    assert!(happens_within(SOON, || database.sessions("true") <= 2));
    served.assert_lives();
}
