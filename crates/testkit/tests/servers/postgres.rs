//! Private servers of every installed PostgreSQL: they start, answer, keep apart and leave nothing.
#![allow(clippy::print_stdout, reason = "what is printed tells which PostgreSQL a failure is of")]

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use testkit::postgres::{Installation, Server, required_installations, shared};

fn each_installation(check: impl Fn(&Installation)) {
    for installation in required_installations().expect("every required PostgreSQL") {
        println!("with {installation}");
        check(&installation);
    }
}

fn start(installation: &Installation) -> Server {
    Server::start(installation).unwrap_or_else(|error| panic!("{installation}: {error}"))
}

fn listens(port: u16) -> bool {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
}

fn row(values: &[&str]) -> Vec<Option<String>> {
    values.iter().map(|value| Some((*value).to_owned())).collect()
}

#[test]
fn a_server_answers_in_utf8_c_order_and_utc_and_leaves_nothing() {
    each_installation(|installation| {
        let server = start(installation);
        let settings = server
            .query(
                "postgres",
                "SELECT current_setting('server_encoding'), datcollate, current_setting('TimeZone'),
                        current_setting('server_version_num')::int / 10000
                 FROM pg_database WHERE datname = 'postgres'",
            )
            .expect("an answer");
        let major = installation.version.major.to_string();
        assert_eq!(settings, [row(&["UTF8", "C", "UTC", &major])]);

        let (folder, port) = (server.socket_folder().to_owned(), server.port());
        assert!(listens(port));
        drop(server);
        assert!(!listens(port), "the server still listens");
        assert!(!folder.exists(), "the folder is still there");
    });
}

#[test]
fn databases_of_a_shared_server_are_apart_and_have_two_addresses() {
    each_installation(|installation| {
        let server = shared(installation).expect("a server");
        let again = shared(installation).expect("a server");
        assert!(std::ptr::eq(server, again), "started twice");

        server.create_database("first \"shop\"").expect("created");
        server.create_database("second").expect("created");
        server
            .execute(
                "first \"shop\"",
                "CREATE TABLE t (a int, b text); INSERT INTO t VALUES (1, NULL)",
            )
            .expect("executed");
        let rows = server.query("first \"shop\"", "SELECT a, b FROM t").expect("an answer");
        assert_eq!(rows, [vec![Some("1".to_owned()), None]]);
        let refusal = server.query("second", "SELECT a FROM t").expect_err("no table");
        assert_eq!(refusal.to_string(), "42P01: relation \"t\" does not exist");

        let psql = |url: &str| ask_psql(url, "SELECT current_database(), inet_server_addr()");
        if let Some(answer) = psql(&server.url("first \"shop\"")) {
            assert_eq!(answer, "first \"shop\"|127.0.0.1\n");
        }
        if let Some(answer) = psql(&server.socket_url("first \"shop\"")) {
            assert_eq!(answer, "first \"shop\"|\n");
        }
    });
}

#[test]
fn a_server_stops_when_its_process_is_killed() {
    each_installation(|installation| {
        let mut process = Command::new(env!("CARGO_BIN_EXE_hold_server"))
            .arg(&installation.bin)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a second process");
        let mut started = String::new();
        BufReader::new(process.stdout.take().expect("its output"))
            .read_line(&mut started)
            .expect("a line");
        let (port, folder) = started.trim_end().split_once(' ').expect("port and folder");
        let port = port.parse().expect("a port");
        assert!(listens(port));

        process.kill().expect("killed");
        process.wait().expect("ended");
        let killed = Instant::now();
        while listens(port) || Path::new(folder).exists() {
            assert!(killed.elapsed() < Duration::from_secs(20), "the server outlives its process");
            std::thread::sleep(Duration::from_millis(20));
        }
    });
}

#[test]
fn a_panic_stops_the_server_too() {
    each_installation(|installation| {
        let outcome = std::panic::catch_unwind(|| {
            let server = start(installation);
            // A panic like any other, but without its message among the results.
            std::panic::resume_unwind(Box::new((server.port(), server.socket_folder().to_owned())));
        });
        let panic = outcome.expect_err("a panic");
        let (port, folder) =
            panic.downcast_ref::<(u16, std::path::PathBuf)>().expect("what was thrown");
        assert!(!listens(*port), "the server still listens");
        assert!(!folder.exists(), "the folder is still there");
    });
}

/// `None` where `psql` is not installed: it is a second opinion on the addresses, not a need.
fn ask_psql(url: &str, sql: &str) -> Option<String> {
    let output = Command::new("psql").args(["-X", "-A", "-t", "-c", sql, url]).output().ok()?;
    assert!(output.status.success(), "{url}: {}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}
