//! Servers that count together in a Redis, which is stopped, slow, encrypted or not there.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::broker::{Broker, Kind, redis};

use super::{QUERY, ask, is_limited};
use crate::databases::send_signal;
use crate::network::certificates::{Algorithm, Authority};
use crate::program::{Folder, Server, outcome, run};
use crate::subscriptions::site::{Client, subscribe};

/// Longer than everything that a test waits for.
const PATIENCE: Duration = Duration::from_secs(30);

fn broker(arguments: &[&str]) -> Option<Broker> {
    Kind::Redis.is_installed().then(|| Broker::start(Kind::Redis, arguments).unwrap())
}

fn start(url: &str, options: &[&str]) -> Server {
    let generous = ["--rate-limit-store", url, "--rate-limit-store-timeout", "10s"];
    Server::start_sample(&[&generous, options].concat())
}

/// Waits until the rates are counted again, or no longer.
fn wait_until_counted(server: &Server, is_counted: bool) {
    let started = Instant::now();
    while ask(server, "").header("ratelimit").is_some() != is_counted {
        assert!(started.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(20));
    }
}

fn command(broker: &Broker, words: &[&str]) -> Vec<String> {
    redis::Client::connect(broker).unwrap().command(words).unwrap()
}

#[test]
fn two_servers_count_together() {
    let Some(broker) = broker(&[]) else { return };
    let rules = ["--rate-limit", "address=4/1h;operation=100/1h of=cost"];
    let servers = [start(&broker.url(), &rules), start(&broker.url(), &rules)];
    let first = ask(&servers[0], "");
    assert!(!is_limited(&first));
    let policy = first.header("ratelimit-policy").unwrap().to_owned();
    assert_eq!(policy, "\"address\";q=4;w=3600, \"operation cost\";q=100;w=3600");
    let limits = first.header("ratelimit").unwrap();
    assert!(limits.starts_with("\"address\";r=3;t=900, \"operation cost\";r="), "{limits}");
    for _ in 0..3 {
        assert!(!is_limited(&ask(&servers[1], "")));
    }
    for server in &servers {
        let refused = ask(server, "");
        assert!(is_limited(&refused));
        let retry: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((890..=900).contains(&retry), "{retry}");
        assert_eq!(refused.header("ratelimit").unwrap().split(';').nth(1), Some("r=0"));
    }
    // Refused operations take nothing from other buckets, and keys end by themselves.
    let keys = command(&broker, &["KEYS", "*"]);
    assert_eq!(keys.len(), 2, "{keys:?}");
    for key in keys {
        assert!(key.starts_with("thalweg:rate:"), "{key}");
        let left: u64 = command(&broker, &["PTTL", &key])[0].parse().unwrap();
        assert!(left <= 3_600_000, "{left}");
    }
    // The script is sent again to a server that has forgotten it.
    command(&broker, &["SCRIPT", "FLUSH"]);
    command(&broker, &["FLUSHALL"]);
    assert_eq!(ask(&servers[0], "").header("ratelimit"), first.header("ratelimit"));
}

#[test]
fn one_round_trip_counts_all_rules() {
    let Some(broker) = broker(&[]) else { return };
    let server = start(&broker.url(), &["--rate-limit", "address=9/1h;operation=9/1h"]);
    assert!(!is_limited(&ask(&server, "")));
    let commands = || -> u64 {
        let info = command(&broker, &["INFO", "commandstats"]).concat();
        let line = info.lines().find(|line| line.starts_with("cmdstat_evalsha:")).unwrap();
        line.split("calls=").nth(1).unwrap().split(',').next().unwrap().parse().unwrap()
    };
    let before = commands();
    for _ in 0..3 {
        assert!(!is_limited(&ask(&server, "")));
    }
    assert_eq!(commands(), before + 3);
}

#[test]
fn operations_over_a_socket_count_in_redis() {
    let Some(broker) = broker(&[]) else { return };
    let server = start(&broker.url(), &["--rate-limit", "address=2/1h"]);
    let mut client = Client::connect(&server, "graphql-transport-ws", &json!({}));
    client.send(&subscribe("1", QUERY));
    assert_eq!(client.receive()["type"], "next");
    assert_eq!(client.receive(), json!({ "type": "complete", "id": "1" }));
    assert!(!is_limited(&ask(&server, "")));
    client.send(&subscribe("2", QUERY));
    let refused = client.receive();
    assert_eq!(refused["payload"][0]["extensions"]["code"], "RATE_LIMITED", "{refused}");
    assert!(is_limited(&ask(&server, "")));
}

#[test]
fn a_redis_that_dies_and_comes_back_is_an_outage() {
    let Some(mut broker) = broker(&[]) else { return };
    let rules = ["--rate-limit", "address=2/1h"];
    let open = start(&broker.url(), &rules);
    // It has a bucket of its own.
    let local = ["--rate-limit", "address=2/2h", "--rate-limit-failure", "local"];
    let mut local = start(&broker.url(), &local);
    let closed = start(&broker.url(), &[&rules[..], &["--rate-limit-failure", "closed"]].concat());
    assert!(!is_limited(&ask(&open, "")));
    assert!(!is_limited(&ask(&open, "")));
    assert!(!is_limited(&ask(&local, "")));
    assert!(is_limited(&ask(&closed, "")));
    broker.kill();
    for _ in 0..5 {
        let answer = ask(&open, "");
        assert_eq!((answer.status, answer.header("ratelimit")), (200, None));
    }
    // A process has counts of its own, which begin now.
    let counted = [(); 3].map(|()| is_limited(&ask(&local, "")));
    assert_eq!(counted, [false, false, true]);
    let refused = ask(&closed, "");
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    assert!(refused.body.contains("\"code\":\"UNAVAILABLE\""), "{}", refused.body);
    broker.restart().unwrap();
    wait_until_counted(&open, true);
    let started = Instant::now();
    while ask(&closed, "").status == 503 {
        assert!(started.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(20));
    }
    // Redis has forgotten its operations.
    let started = Instant::now();
    while is_limited(&ask(&local, "")) {
        assert!(started.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(20));
    }
    local.signal("TERM");
    let log = local.rest_of_log();
    assert_eq!(log.matches("Redis is not available").count(), 1, "{log}");
    assert_eq!(log.matches("Redis is available again").count(), 1, "{log}");
}

#[test]
fn a_redis_that_hangs_is_an_outage_after_the_time_limit() {
    let Some(broker) = broker(&[]) else { return };
    let options = ["--rate-limit", "address=1/1h", "--rate-limit-store-timeout", "300ms"];
    let store = ["--rate-limit-store", &broker.url()];
    let server = Server::start_sample(&[&store, &options[..]].concat());
    wait_until_counted(&server, true);
    let info = command(&broker, &["INFO", "server"]).concat();
    let process = info.lines().find_map(|line| line.strip_prefix("process_id:")).unwrap();
    let process: u32 = process.trim().parse().unwrap();
    send_signal("STOP", process);
    // One operation waits, and the next ones do not.
    for _ in 0..20 {
        assert_eq!(ask(&server, "").status, 200);
    }
    send_signal("CONT", process);
    wait_until_counted(&server, true);
    assert!(is_limited(&ask(&server, "")));
}

#[test]
fn a_replica_is_an_outage_with_two_lines() {
    let Some(broker) = broker(&[]) else { return };
    let mut server = start(&broker.url(), &["--rate-limit", "address=99/1h"]);
    wait_until_counted(&server, true);
    let mut redis = redis::Client::connect(&broker).unwrap();
    let connections = |redis: &mut redis::Client| -> u64 {
        let info = redis.command(&["INFO", "stats"]).unwrap().concat();
        let count = info.lines().find_map(|line| line.strip_prefix("total_connections_received:"));
        count.unwrap().trim().parse().unwrap()
    };
    let before = connections(&mut redis);
    // It replies to PING, and refuses what writes.
    redis.command(&["REPLICAOF", "127.0.0.1", "1"]).unwrap();
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(2) {
        assert_eq!(ask(&server, "").header("ratelimit"), None);
        thread::sleep(Duration::from_millis(5));
    }
    // Pauses grow from 50 ms to one second.
    let opened = connections(&mut redis) - before;
    assert!((2..=8).contains(&opened), "{opened}");
    redis.command(&["REPLICAOF", "NO", "ONE"]).unwrap();
    wait_until_counted(&server, true);
    server.signal("TERM");
    let log = server.rest_of_log();
    assert_eq!(log.matches("Redis is not available").count(), 1, "{log}");
    assert_eq!(log.matches("Redis is available again").count(), 1, "{log}");
}

#[test]
fn a_password_and_tls_are_needed_if_redis_wants_them() {
    let folder = Folder::new();
    let signer = Authority::new();
    let paths = ["authority.pem", "certificate.pem", "key.pem"].map(|name| folder.file(name));
    fs::write(&paths[0], &signer.pem).unwrap();
    signer.sign(Algorithm::Ecdsa).write(&paths[1], &paths[2]);
    let [authority, certificate, key] = paths.map(|path| path.display().to_string());
    let arguments = [
        "--port",
        "0",
        "--tls-port",
        "PORT",
        "--tls-auth-clients",
        "no",
        "--requirepass",
        "s3cret",
        "--tls-ca-cert-file",
        &authority,
        "--tls-cert-file",
        &certificate,
        "--tls-key-file",
        &key,
    ];
    let Some(broker) = broker(&arguments) else { return };
    let start = |url: &str| {
        let options = [
            "--rate-limit",
            "address=1/1h",
            "--rate-limit-store",
            url,
            "--rate-limit-store-timeout",
        ];
        let words = ["demo", "--listen", "127.0.0.1:0"];
        let file = folder.file("shop.db");
        let words = [&words[..], &["--file", file.to_str().unwrap()], &options, &["10s"]].concat();
        Server::start_in(&[("SSL_CERT_FILE", &authority)], &words)
    };
    let address = format!("localhost:{}", broker.port());
    let server = start(&format!("rediss://:s3cret@{address}"));
    assert!(!is_limited(&ask(&server, "")));
    assert!(is_limited(&ask(&server, "")));
    for wrong in [format!("redis://:s3cret@{address}"), format!("rediss://:n0tit@{address}")] {
        let mut server = start(&wrong);
        assert_eq!(ask(&server, "").header("ratelimit"), None);
        server.signal("TERM");
        let log = server.said.clone() + &server.rest_of_log();
        assert!(log.contains("Redis is not available"), "{log}");
        assert!(!log.contains("s3cret") && !log.contains("n0tit"), "{log}");
    }
}

#[test]
fn wrong_options_are_refused() {
    let check = |options: &[&str], wanted: &str| {
        let words = [&["demo", "--listen", "127.0.0.1:0"], options].concat();
        let (code, _, log) = outcome(&run(&words));
        assert_eq!(code, Some(2), "{log}");
        assert!(log.contains(wanted), "{log}");
    };
    let rules = ["--rate-limit", "address=1/1h"];
    let with = |more: &[&'static str]| [&rules[..], more].concat();
    check(&with(&["--rate-limit-store", "http://a"]), "`redis://HOST:6379/0`");
    check(&["--rate-limit-store", "redis://a"], "`--rate-limit-store` needs `--rate-limit`");
    check(&with(&["--rate-limit-failure", "closed"]), "needs `--rate-limit-store`");
    check(&with(&["--rate-limit-store-timeout", "1s"]), "needs `--rate-limit-store`");
    check(
        &with(&["--rate-limit-store", "redis://a", "--rate-limit-failure", "half"]),
        "[possible values: open, local, closed]",
    );
}
