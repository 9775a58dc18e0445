//! Reads from real standbys, which lag, are killed, come back and are promoted.

mod read_your_writes;

use std::io::{BufReader, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::postgres::{
    Clustering, PgBouncer, Pgpool, PoolMode, Restartable, Server, Standby, Stop,
    required_installations,
};

use crate::databases::restartable;
use crate::faults::load::Load;
use crate::program::{Answer, PATIENCE, outcome, post, read_answer, run};
use crate::served::{Served, code, happens_within};

/// `place` is the port of the server that answers.
const TABLES: &str = "
    CREATE TABLE artist (id int PRIMARY KEY, name text);
    INSERT INTO artist VALUES (1, 'first');
    CREATE VIEW place AS SELECT 1 AS id, current_setting('port') AS port;
    COMMENT ON VIEW place IS E'@primaryKey id';
    CREATE VIEW slow AS SELECT 1 AS id, pg_sleep(0.2)::text AS nothing;
    COMMENT ON VIEW slow IS E'@primaryKey id';
    CREATE FUNCTION counted() RETURNS int LANGUAGE sql STABLE AS
        $$ SELECT count(*)::int FROM artist $$;
    CREATE VIEW written AS SELECT 1 AS id, pg_current_wal_lsn() IS NULL AS is_nothing;
    COMMENT ON VIEW written IS E'@primaryKey id';";

const PLACE: &str = "{ placeById(id: 1) { port } }";
const WRITTEN: &str = "{ writtenById(id: 1) { isNothing } }";
const ARTISTS: &str = "{ allArtists { nodes { id } } }";

/// A primary with standbys, and the program in front of them.
struct Cluster {
    primary: Restartable,
    standbys: Vec<Standby>,
}

impl Cluster {
    fn start(standbys: usize) -> Option<Self> {
        let mut primary = restartable()?;
        primary.server.execute("postgres", TABLES).unwrap();
        let standbys: Vec<_> =
            (0..standbys).map(|_| Standby::of(&mut primary, &[]).unwrap()).collect();
        for standby in &standbys {
            let follows = || standby.query("SELECT id FROM artist").unwrap().len() == 1;
            assert!(happens_within(PATIENCE, follows));
            let streams = || {
                !standby
                    .query("SELECT 1 FROM pg_stat_wal_receiver WHERE status = 'streaming'")
                    .unwrap()
                    .is_empty()
            };
            assert!(happens_within(PATIENCE, streams));
        }
        Some(Self { primary, standbys })
    }

    fn url(&self) -> String {
        self.primary.server.url("postgres")
    }

    /// Serves the primary, with all standbys as replicas, which have these limits.
    fn serve(&self, limits: &str, options: &[&str]) -> Served {
        let replicas: Vec<_> =
            self.standbys.iter().map(|standby| format!("{} {limits}", standby.url())).collect();
        let replicas = replicas.join(";");
        let mut all = vec!["--threads", "2", "--connections", "4", "--read-url", &replicas];
        all.extend(options);
        Served::start(&self.url(), &all)
    }

    fn primary_port(&self) -> String {
        self.primary.server.port().to_string()
    }

    fn standby_port(&self) -> String {
        self.standbys[0].port.to_string()
    }
}

/// The port of the server that answers.
fn place(served: &Served) -> String {
    let answer = served.ask(PLACE);
    answer["data"]["placeById"]["port"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// Waits until the server at a port answers: on a busy machine a standby replays the newest changes later
/// than a query waits for it.
fn await_place(served: &Served, port: &str) {
    assert!(happens_within(PATIENCE, || place(served) == port), "{}", served.log());
}

/// The address of another database of the same server.
fn of_template(url: &str) -> String {
    [url.strip_suffix("/postgres").unwrap(), "/template1"].concat()
}

/// A response with its headers, to a request with further headers.
fn request(served: &Served, headers: &str, query: &str) -> Answer {
    let body = json!({ "query": query }).to_string();
    let mut stream = TcpStream::connect(served.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(post("application/json", headers, &body).as_bytes()).unwrap();
    read_answer(&mut BufReader::new(stream), true)
}

fn create(id: usize) -> String {
    format!(
        "mutation {{ createArtist(input: {{ artist: {{ id: {id}, name: \"a\" }} }}) \
         {{ artist {{ id }} query {{ placeById(id: 1) {{ port }} }} }} }}"
    )
}

#[test]
fn queries_are_answered_by_the_replica_and_mutations_by_the_primary() {
    let Some(cluster) = Cluster::start(1) else { return };
    let served = cluster.serve("", &[]);
    await_place(&served, &cluster.standby_port());
    let changed = served.ask(&create(2));
    assert_eq!(changed["data"]["createArtist"]["artist"]["id"], 2, "{changed}");
    // What a mutation returns is read where it was written.
    let port = &changed["data"]["createArtist"]["query"]["placeById"]["port"];
    assert_eq!(*port, cluster.primary_port());
    let artists = || served.ask(ARTISTS)["data"]["allArtists"]["nodes"].as_array().unwrap().len();
    assert!(happens_within(PATIENCE, || artists() == 2));
    await_place(&served, &cluster.standby_port());
    let answer = served.ask("{ counted }");
    assert_eq!(answer, json!({ "data": { "counted": 2 } }));
    // A standby refuses this function, and the primary answers.
    let expected = json!({ "data": { "writtenById": { "isNothing": false } } });
    assert_eq!(served.ask(WRITTEN), expected);
    await_place(&served, &cluster.standby_port());
}

/// pgpool-II sends reads to the standby.
#[test]
fn a_pooler_that_reads_from_standbys_serves_reads_and_changes() {
    let Some(cluster) = Cluster::start(1) else { return };
    if !Pgpool::is_installed() {
        return;
    }
    let ports = [cluster.primary.server.port(), cluster.standbys[0].port];
    let pooler = Pgpool::start(&ports, Clustering::StreamingReplication, 16).unwrap();
    let options = ["--threads", "2", "--connections", "4"];
    let served = Served::start(&pooler.url("postgres"), &options);
    assert!(served.log().contains("a pooler is in front of PostgreSQL"), "{}", served.log());
    assert!(happens_within(PATIENCE, || place(&served) == cluster.standby_port()));
    for id in 2..40 {
        let changed = served.ask(&create(id));
        assert_eq!(changed["data"]["createArtist"]["artist"]["id"], id, "{changed}");
        place(&served);
    }
    let artists = || served.ask(ARTISTS)["data"]["allArtists"]["nodes"].as_array().unwrap().len();
    assert!(happens_within(PATIENCE, || artists() == 39));
}

#[test]
fn the_log_of_slow_requests_names_the_replica_that_was_asked() {
    const SLOW: &str = "query Slow { slowById(id: 1) { nothing } }";
    let Some(cluster) = Cluster::start(1) else { return };
    let served = cluster.serve("", &["--slow-query", "150ms"]);
    await_place(&served, &cluster.standby_port());
    served.ask(SLOW);
    let name = format!("replica=\"127.0.0.1:{}\"", cluster.standby_port());
    let lines = |operation: &str| {
        let operation = format!("operation=\"{operation}\"");
        let log = served.log();
        let slow = log.lines().filter(|line| line.contains("slow request"));
        slow.filter(|line| line.contains(&operation)).map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(lines("Slow").iter().any(|line| line.contains(&name)), "{name}: {}", served.log());
    served.ask(
        "mutation Change { createArtist(input: { artist: { id: 3, name: \"a\" } }) \
         { query { slowById(id: 1) { nothing } } } }",
    );
    let changes = lines("Change");
    assert!(changes.len() == 1 && !changes[0].contains("replica="), "{changes:?}");
}

#[test]
fn a_replica_that_lags_beyond_its_limit_gets_no_reads_until_it_has_caught_up() {
    let Some(cluster) = Cluster::start(1) else { return };
    let served = cluster.serve("max-lag=1s", &[]);
    let standby = &cluster.standbys[0];
    await_place(&served, &cluster.standby_port());
    standby.query("SELECT pg_wal_replay_pause()").unwrap();
    cluster.primary.server.execute("postgres", "INSERT INTO artist VALUES (2, 'b')").unwrap();
    assert!(happens_within(PATIENCE, || place(&served) == cluster.primary_port()));
    assert!(served.log().contains("it lags behind the primary by more than its limit"));
    let artists = served.ask(ARTISTS);
    assert_eq!(artists["data"]["allArtists"]["nodes"].as_array().unwrap().len(), 2);
    standby.query("SELECT pg_wal_replay_resume()").unwrap();
    assert!(happens_within(PATIENCE, || place(&served) == cluster.standby_port()));
    // A primary that rests makes no lag.
    std::thread::sleep(Duration::from_millis(2_500));
    await_place(&served, &cluster.standby_port());
}

#[test]
fn a_replica_is_left_out_by_bytes_as_well() {
    let Some(cluster) = Cluster::start(1) else { return };
    let served = cluster.serve("max-lag=1h max-lag-bytes=100KiB", &[]);
    await_place(&served, &cluster.standby_port());
    cluster.standbys[0].query("SELECT pg_wal_replay_pause()").unwrap();
    let small = "INSERT INTO artist VALUES (2, 'b')";
    cluster.primary.server.execute("postgres", small).unwrap();
    std::thread::sleep(Duration::from_millis(1_500));
    await_place(&served, &cluster.standby_port());
    let large =
        "INSERT INTO artist SELECT id, repeat('x', 100) FROM generate_series(10, 5000) AS id";
    cluster.primary.server.execute("postgres", large).unwrap();
    assert!(happens_within(PATIENCE, || place(&served) == cluster.primary_port()));
}

#[test]
fn a_replica_that_is_killed_under_load_costs_no_request_its_answer_and_comes_back() {
    let Some(mut cluster) = Cluster::start(1) else { return };
    let mut served = cluster.serve("", &[]);
    let expected = json!({ "data": { "allArtists": { "nodes": [{ "id": 1 }] } } });
    let load = Load::start(served.address, 4, ARTISTS);
    assert!(happens_within(PATIENCE, || load.answered() > 50));
    cluster.standbys[0].kill().unwrap();
    let before = load.answered();
    assert!(happens_within(PATIENCE, || load.answered() > before + 50));
    assert_eq!(place(&served), cluster.primary_port());
    cluster.standbys[0].start_again().unwrap();
    assert!(happens_within(PATIENCE, || place(&served) == cluster.standby_port()));
    let before = load.answered();
    assert!(happens_within(PATIENCE, || load.answered() > before + 50));
    for answer in load.stop() {
        assert_eq!(answer, expected);
    }
    served.assert_lives();
}

#[test]
fn reads_go_on_while_the_primary_is_down() {
    let Some(mut cluster) = Cluster::start(1) else { return };
    let served = cluster.serve("max-lag=2s", &[]);
    await_place(&served, &cluster.standby_port());
    cluster.primary.stop_by(Stop::Kill).unwrap();
    std::thread::sleep(Duration::from_secs(3));
    await_place(&served, &cluster.standby_port());
    assert_eq!(code(&served.ask_any(&create(2))), "UNAVAILABLE");
    let mut probe = TcpStream::connect(served.address).unwrap();
    probe.write_all(b"GET /health/ready HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
    assert_eq!(read_answer(&mut BufReader::new(probe), true).status, 200);
    cluster.primary.start_again().unwrap();
    let is_changed = || served.ask_any(&create(2))["errors"].is_null();
    assert!(happens_within(PATIENCE, is_changed));
}

#[test]
fn a_promoted_standby_gets_no_reads_beside_the_primary() {
    let Some(cluster) = Cluster::start(1) else { return };
    let served = cluster.serve("", &[]);
    await_place(&served, &cluster.standby_port());
    cluster.standbys[0].promote().unwrap();
    assert!(happens_within(PATIENCE, || place(&served) == cluster.primary_port()));
    let told = || served.log().contains("it is not in recovery, and it is not the primary");
    assert!(happens_within(PATIENCE, told), "{}", served.log());
    cluster.standbys[0].query("INSERT INTO artist VALUES (50, 'on another history')").unwrap();
    for _ in 0..20 {
        assert_eq!(place(&served), cluster.primary_port());
    }
}

#[test]
fn after_a_failover_the_promoted_standby_is_the_primary_and_another_one_its_replica() {
    let Some(mut cluster) = Cluster::start(2) else { return };
    let [first, second] = [cluster.standbys[0].port, cluster.standbys[1].port];
    let url = format!(
        "postgres://postgres@127.0.0.1:{},127.0.0.1:{first}/postgres?target_session_attrs=read-write",
        cluster.primary.server.port()
    );
    let replicas = format!("{};{}", cluster.standbys[0].url(), cluster.standbys[1].url());
    let options = ["--threads", "1", "--connections", "4", "--read-url", &replicas];
    let served = Served::start(&url, &options);
    let (mut places, all) = (Vec::new(), [first.to_string(), second.to_string()]);
    for _ in 0..10 {
        places.push(place(&served));
    }
    assert!(all.iter().all(|port| places.iter().filter(|place| *place == port).count() == 5));
    cluster.primary.stop_by(Stop::Kill).unwrap();
    cluster.standbys[0].promote().unwrap();
    // The other one follows the new primary.
    let follow =
        format!("ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port={first} user=postgres'");
    cluster.standbys[1].query(&follow).unwrap();
    cluster.standbys[1].query("SELECT pg_reload_conf()").unwrap();
    let told =
        || served.log().contains("it is the primary, which answers reads if no replica does");
    assert!(happens_within(PATIENCE, told), "{}", served.log());
    assert!(happens_within(PATIENCE, || served.ask_any(&create(3))["errors"].is_null()));
    let follows =
        || cluster.standbys[1].query("SELECT id FROM artist WHERE id = 3").unwrap().len() == 1;
    assert!(happens_within(PATIENCE, follows));
    assert!(happens_within(PATIENCE, || place(&served) == second.to_string()), "{}", served.log());
    for _ in 0..10 {
        assert_eq!(place(&served), second.to_string());
    }
    // Without a primary it goes on, though it tells the timeline of its last restart point again.
    cluster.standbys[0].kill().unwrap();
    let receives =
        || cluster.standbys[1].query("SELECT pid FROM pg_stat_wal_receiver").unwrap().len() == 1;
    assert!(happens_within(PATIENCE, || !receives()));
    // More than two checks of the replica.
    std::thread::sleep(Duration::from_millis(1500));
    for _ in 0..10 {
        assert_eq!(served.ask_any(PLACE)["data"]["placeById"]["port"], second.to_string());
    }
}

#[test]
fn a_replica_without_the_schema_of_the_api_gets_no_reads() {
    let Some(cluster) = Cluster::start(1) else { return };
    let served = cluster.serve("max-lag=1h", &["--watch"]);
    await_place(&served, &cluster.standby_port());
    cluster.standbys[0].query("SELECT pg_wal_replay_pause()").unwrap();
    // An integer where the replica has a text: its value would not be that of the API's type.
    let change = "ALTER TABLE artist ALTER name TYPE int USING 7";
    cluster.primary.server.execute("postgres", change).unwrap();
    let query = "{ allArtists(condition: { name: 7 }) { nodes { id name } } }";
    let expected = json!({ "data": { "allArtists": { "nodes": [{ "id": 1, "name": 7 }] } } });
    assert!(happens_within(PATIENCE, || served.ask_any(query) == expected), "{}", served.log());
    assert_eq!(place(&served), cluster.primary_port());
    cluster.standbys[0].query("SELECT pg_wal_replay_resume()").unwrap();
    assert!(happens_within(PATIENCE, || place(&served) == cluster.standby_port()));
    assert_eq!(served.ask(query), expected);
}

#[test]
fn without_a_replica_reads_fail_if_the_primary_is_to_be_spared() {
    let Some(mut cluster) = Cluster::start(1) else { return };
    let served = cluster.serve("", &["--read-without-replica", "fail"]);
    await_place(&served, &cluster.standby_port());
    cluster.standbys[0].kill().unwrap();
    assert!(happens_within(PATIENCE, || code(&served.ask_any(PLACE)) == "UNAVAILABLE"));
    for _ in 0..10 {
        assert_eq!(code(&served.ask_any(PLACE)), "UNAVAILABLE");
    }
    assert_eq!(served.ask(&create(2))["errors"], Value::Null);
    cluster.standbys[0].start_again().unwrap();
    assert!(happens_within(PATIENCE, || served.ask_any(PLACE)["errors"].is_null()));
}

#[test]
fn weights_share_the_reads() {
    let Some(cluster) = Cluster::start(2) else { return };
    let [first, second] = [&cluster.standbys[0], &cluster.standbys[1]];
    let replicas = format!("{} weight=3;{}", first.url(), second.url());
    let served = Served::start(&cluster.url(), &["--threads", "1", "--read-url", &replicas]);
    await_place(&served, &first.port.to_string());
    await_place(&served, &second.port.to_string());
    let places: Vec<_> = (0..40).map(|_| place(&served)).collect();
    assert_eq!(places.iter().filter(|port| **port == first.port.to_string()).count(), 30);
    assert_eq!(places.iter().filter(|port| **port == second.port.to_string()).count(), 10);
}

#[test]
fn a_replica_of_another_cluster_or_database_is_refused_at_the_start() {
    let Some(cluster) = Cluster::start(1) else { return };
    let check = |replica: &str, wanted: &str| {
        let arguments = ["serve", &cluster.url(), "--listen", "127.0.0.1:0", "--read-url", replica];
        let (exit, _, error) = outcome(&run(&arguments));
        assert_ne!(exit, Some(0));
        assert!(error.contains(wanted), "{error}");
    };
    let other = Server::start(&required_installations().unwrap().pop().unwrap()).unwrap();
    check(&other.url("postgres"), "it belongs to another database cluster than the primary");
    let template = of_template(&cluster.standbys[0].url());
    check(&template, "its address names another database than that of the source");
    let ports = [cluster.primary.server.port(), cluster.standbys[0].port];
    let several =
        format!("postgres://postgres@127.0.0.1:{},127.0.0.1:{}/postgres", ports[0], ports[1]);
    check(&several, "it names several servers");
    check("postgres://127.0.0.1:x/postgres", "--read-url");
}

#[test]
fn a_direct_address_of_another_server_or_database_is_refused_at_the_start() {
    let Some(cluster) = Cluster::start(1) else { return };
    let check = |direct: &str, wanted: &str| {
        let arguments =
            ["serve", &cluster.url(), "--listen", "127.0.0.1:0", "--direct-url", direct];
        let (exit, _, error) = outcome(&run(&arguments));
        assert_ne!(exit, Some(0));
        assert!(error.contains(wanted), "{error}");
    };
    let other = Server::start(&required_installations().unwrap().pop().unwrap()).unwrap();
    check(&other.url("postgres"), "it leads to another database cluster than the source");
    let template = of_template(&cluster.url());
    check(&template, "it leads to the database `template1`, and the source to `postgres`");
    check(&cluster.standbys[0].url(), "it leads to a standby of the cluster");
    check("postgres://127.0.0.1:1/postgres", "--direct-url");
    if PgBouncer::is_installed() {
        let pooler = PgBouncer::start(&cluster.primary.server, PoolMode::Transaction, 4).unwrap();
        check(&pooler.url("postgres"), "it leads to a pooler that shares sessions");
    }
}

#[test]
fn a_replica_out_of_reach_at_the_start_gets_reads_when_it_is_there() {
    let Some(mut cluster) = Cluster::start(1) else { return };
    cluster.standbys[0].kill().unwrap();
    let served = cluster.serve("", &[]);
    assert_eq!(place(&served), cluster.primary_port());
    cluster.standbys[0].start_again().unwrap();
    assert!(happens_within(PATIENCE, || place(&served) == cluster.standby_port()));
}

#[test]
fn the_states_of_replicas_and_their_reads_are_metrics() {
    let Some(cluster) = Cluster::start(1) else { return };
    let served = cluster.serve("max-lag=1h", &["--metrics-listen", "127.0.0.1:0"]);
    let log = served.log();
    let address = log.split("metrics at http://").nth(1).unwrap().split('/').next().unwrap();
    let metrics = || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream
            .write_all(b"GET /metrics HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
            .unwrap();
        read_answer(&mut BufReader::new(stream), true).body
    };
    let replica = format!("replica=\"127.0.0.1:{}\"", cluster.standby_port());
    await_place(&served, &cluster.standby_port());
    let counts = || {
        let text = metrics();
        let count = |name: &str| -> u64 {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_else(|| panic!("{name}: {text}")).trim().parse().unwrap()
        };
        (
            count(&format!("thalweg_replica_reads_total{{{replica}}}")),
            count("thalweg_replica_reads_on_primary_total"),
        )
    };
    let (answered, on_primary) = counts();
    for _ in 0..3 {
        assert_eq!(place(&served), cluster.standby_port());
    }
    assert_eq!(counts(), (answered + 3, on_primary));
    let text = metrics();
    for line in [
        format!("thalweg_replica_ready{{{replica},state=\"ready\"}} 1"),
        format!("thalweg_replica_reads_sent_again_total{{{replica}}} 0"),
    ] {
        assert!(text.contains(&line), "{line}: {text}");
    }
    served.ask(WRITTEN);
    cluster.standbys[0].query("SELECT pg_wal_replay_pause()").unwrap();
    cluster.primary.server.execute("postgres", "INSERT INTO artist VALUES (2, 'b')").unwrap();
    let lags = || {
        let text = metrics();
        let name = format!("thalweg_replica_lag_bytes{{{replica}}} ");
        let value = text.split(&name).nth(1).unwrap().lines().next().unwrap().to_owned();
        value.parse::<u64>().unwrap() > 0
    };
    assert!(happens_within(PATIENCE, lags));
    let text = metrics();
    assert!(
        text.contains(&format!("thalweg_replica_reads_sent_again_total{{{replica}}} 1")),
        "{text}"
    );
    assert!(text.contains("thalweg_replica_reads_on_primary_total 1"), "{text}");
}

#[test]
fn check_and_explain_tell_where_reads_go() {
    let Some(cluster) = Cluster::start(1) else { return };
    let (url, replica) = (cluster.url(), cluster.standbys[0].url());
    let (_, text, error) = outcome(&run(&["check", &url, "--read-url", &replica]));
    let ready = format!("127.0.0.1:{}: ready, weight 1", cluster.standby_port());
    assert!(text.contains(&ready), "{text} {error}");
    assert!(text.contains("Otherwise: the primary."), "{text}");
    let folder = crate::program::Folder::new();
    let explain = |document: &str| {
        let file = folder.file("document.graphql");
        std::fs::write(&file, document).unwrap();
        let arguments = ["explain", &url, file.to_str().unwrap(), "--read-url", &replica];
        let (exit, text, error) = outcome(&run(&arguments));
        assert_eq!(exit, Some(0), "{error}");
        text
    };
    assert!(explain(PLACE).contains(&ready));
    let changed = explain(&create(7));
    assert!(changed.contains("The primary: the operation is no query."), "{changed}");
}
