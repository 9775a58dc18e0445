//! What Prometheus reads.

use std::io::{BufReader, Write};
use std::net::{SocketAddr, TcpStream};

use crate::databases::Database;
use crate::observability::openmetrics::{Series, read};
use crate::program::{Answer, Folder, PATIENCE, Server, read_answer};
use crate::served::{SOON, Served, happens_within};

/// Where the log says that metrics are.
pub(crate) fn address(log: &str) -> SocketAddr {
    let rest = log.split("metrics at http://").nth(1).unwrap_or_else(|| panic!("{log}"));
    rest.split('/').next().unwrap().parse().unwrap()
}

pub(crate) fn ask(address: SocketAddr, method: &str, target: &str) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!("{method} {target} HTTP/1.1\r\nHost: test\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    read_answer(&mut BufReader::new(stream), method != "HEAD")
}

pub(crate) fn scrape(address: SocketAddr) -> Series {
    let answer = ask(address, "GET", "/metrics");
    let media_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    assert_eq!((answer.status, answer.header("content-type")), (200, Some(media_type)));
    read(&answer.body)
}

/// The demo with metrics, and where they are.
fn server(folder: &Folder, options: &[&str]) -> (Server, SocketAddr) {
    let file = folder.file("shop.db");
    let arguments = ["demo", "--listen", "127.0.0.1:0", "--file", file.to_str().unwrap()];
    let metrics = ["--metrics-listen", "127.0.0.1:0"];
    let server = Server::start(&[&arguments, &metrics[..], options].concat());
    let address = address(&server.said);
    (server, address)
}

fn named(server: &Server, name: &str) {
    let body = format!(r#"{{"query":"query {name} {{ artistById(id: 127) {{ id }} }}"}}"#);
    assert_eq!(server.post("", &body).status, 200);
}

#[test]
fn requests_are_counted_by_kind_status_stage_and_code() {
    let folder = Folder::new();
    let (server, address) = server(&folder, &["--threads", "2"]);
    let before = scrape(address);
    assert_eq!(before[r#"thalweg_stage_duration_seconds_count{stage="execute"}"#], 0.0);
    for _ in 0..3 {
        named(&server, "Named");
    }
    assert_eq!(server.query("", "{ noSuchField }").status, 200);
    assert_eq!(server.post("", "{}").status, 400);
    assert_eq!(server.get("/health/live", "").status, 200);
    let series = scrape(address);
    let expected = [
        (r#"thalweg_requests_total{kind="query",status="200"}"#, 3.0),
        (r#"thalweg_requests_total{kind="invalid",status="200"}"#, 1.0),
        (r#"thalweg_requests_total{kind="invalid",status="400"}"#, 1.0),
        (r#"thalweg_errors_total{code="GRAPHQL_VALIDATION_FAILED"}"#, 1.0),
        (r#"thalweg_errors_total{code="BAD_USER_INPUT"}"#, 1.0),
        (r#"thalweg_errors_total{code="TIMEOUT"}"#, 0.0),
        (r#"thalweg_request_duration_seconds_count{operation="Named"}"#, 3.0),
        (r#"thalweg_request_duration_seconds_count{operation="(invalid)"}"#, 2.0),
        (r#"thalweg_stage_duration_seconds_count{stage="document"}"#, 4.0),
        (r#"thalweg_stage_duration_seconds_count{stage="plan"}"#, 3.0),
        (r#"thalweg_stage_duration_seconds_count{stage="execute"}"#, 3.0),
        (r#"thalweg_documents_total{result="hit"}"#, 2.0),
        (r#"thalweg_documents_total{result="miss"}"#, 2.0),
        (r#"thalweg_plans_total{result="hit"}"#, 2.0),
        (r#"thalweg_plans_total{result="miss"}"#, 1.0),
        ("thalweg_cached_documents", 1.0),
        ("thalweg_requests_in_flight", 0.0),
    ];
    for (name, value) in expected {
        assert_eq!(series.get(name), Some(&value), "{name}");
    }
    let stage = r#"thalweg_operation_stage_seconds_total{operation="Named",stage="execute"}"#;
    assert!(series[stage] > 0.0);
    assert!(series["thalweg_cache_bytes"] > 0.0);
    assert!(series["thalweg_response_bytes_total"] > 100.0);
    let version = format!("thalweg_build_info{{version={:?}}}", env!("CARGO_PKG_VERSION"));
    assert_eq!(series[&version], 1.0);
    for name in [
        "process_resident_memory_bytes",
        "process_cpu_seconds_total",
        "process_open_fds",
        "process_max_fds",
        "process_start_time_seconds",
    ] {
        assert!(series.get(name).is_some_and(|value| *value >= 0.0), "{name}");
    }
}

#[test]
fn names_of_operations_are_bounded() {
    let folder = Folder::new();
    let (server, address) = server(&folder, &["--metrics-operations", "2"]);
    assert_eq!(server.query("", "query Wrong { noSuchField }").status, 200);
    for name in ["One", "Two", "Three", "Four", "One"] {
        named(&server, name);
    }
    assert_eq!(server.query("", "{ artistById(id: 127) { id } }").status, 200);
    let series = scrape(address);
    let counts: Vec<_> = series
        .iter()
        .filter_map(|(name, value)| {
            let name = name.strip_prefix("thalweg_request_duration_seconds_count{operation=")?;
            Some((name.trim_end_matches('}'), *value))
        })
        .collect();
    let expected = [
        ("\"(invalid)\"", 1.0),
        ("\"(other)\"", 2.0),
        ("\"(unnamed)\"", 1.0),
        ("\"One\"", 2.0),
        ("\"Two\"", 1.0),
    ];
    assert_eq!(counts, expected);
}

#[test]
fn metrics_have_an_address_of_their_own_and_are_off_by_default() {
    let folder = Folder::new();
    let (server, address) = server(&folder, &[]);
    assert_eq!(server.get("/metrics", "").status, 404);
    let head = ask(address, "HEAD", "/metrics");
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert_eq!(ask(address, "GET", "/graphql").status, 404);
    let post = ask(address, "POST", "/metrics");
    assert_eq!((post.status, post.header("allow")), (405, Some("GET, HEAD")));
    let taken = address.to_string();
    let output = crate::program::run(&[
        "serve",
        folder.file("shop.db").to_str().unwrap(),
        "--listen",
        "127.0.0.1:0",
        "--metrics-listen",
        &taken,
    ]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains(&taken) && error.contains("--metrics-listen"), "{error}");
    let without = Server::sample();
    assert!(!without.said.contains("metrics at"), "{}", without.said);
}

#[test]
fn connections_to_the_database_are_counted() {
    let slow = "CREATE VIEW slow AS SELECT 1 AS id, pg_sleep(30)::text AS slept;
        CREATE TABLE artist (id int PRIMARY KEY)";
    for database in Database::on_each(slow) {
        let options = ["--threads", "1", "--connections", "1", "--metrics-listen", "127.0.0.1:0"];
        let served = Served::start(&database.url(), &options);
        let address = address(&served.log());
        served.ask("{ allArtists { nodes { id } } }");
        let used = r#"thalweg_database_connections{state="used"}"#;
        let idle = r#"thalweg_database_connections{state="idle"}"#;
        let series = scrape(address);
        assert_eq!((series[used], series[idle]), (0.0, 1.0));
        assert_eq!(series["thalweg_database_opened_total"], 1.0);
        assert_eq!(series["thalweg_database_acquired_total"], 1.0);
        assert_eq!(series[r#"thalweg_stage_duration_seconds_count{stage="write"}"#], 1.0);
        let running = served.send("{ allSlows { nodes { slept } } }");
        assert!(happens_within(SOON, || scrape(address)[used] == 1.0));
        let waiting = served.send("{ allArtists { nodes { id } } }");
        assert!(happens_within(SOON, || scrape(address)["thalweg_database_waiting"] == 1.0));
        assert_eq!(scrape(address)["thalweg_requests_in_flight"], 2.0);
        drop((running, waiting));
        let abandoned = r#"thalweg_requests_total{kind="query",status="abandoned"}"#;
        let are_gone = || scrape(address).get(abandoned) == Some(&2.0);
        assert!(happens_within(SOON, are_gone), "{:?}", scrape(address));
        let is_idle = || {
            let series = scrape(address);
            series["thalweg_requests_in_flight"] == 0.0
                && series["thalweg_database_waiting"] == 0.0
                && series[used] == 0.0
        };
        assert!(happens_within(SOON, is_idle), "{:?}", scrape(address));
    }
}

#[test]
fn clients_and_those_who_are_turned_away_are_counted() {
    let folder = Folder::new();
    let (server, address) = server(&folder, &["--max-clients", "1"]);
    let turned_away = r#"thalweg_errors_total{code="TOO_MANY_CONNECTIONS"}"#;
    let before = scrape(address);
    assert_eq!((before["thalweg_clients"], before[turned_away]), (0.0, 0.0));
    let mut busy = server.connect();
    let head = "POST /graphql HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\
        Content-Length: 5\r\n\r\n";
    busy.write_all(head.as_bytes()).unwrap();
    assert!(happens_within(SOON, || scrape(address)["thalweg_clients"] == 1.0));
    assert_eq!(server.get("/health/live", "").status, 503);
    assert_eq!(scrape(address)[turned_away], 1.0);
    drop(busy);
    assert!(happens_within(SOON, || scrape(address)["thalweg_clients"] == 0.0));
}

#[test]
fn requests_that_run_and_wait_are_told_and_the_memory_of_answers() {
    let folder = Folder::new();
    let file = folder.file("test.db");
    let tables = "CREATE VIEW endless AS
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT count(*) AS id FROM n;
        CREATE TABLE text (id integer PRIMARY KEY, body text NOT NULL);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        INSERT INTO text SELECT i, hex(zeroblob(50000)) FROM n;";
    rusqlite::Connection::open(&file).unwrap().execute_batch(tables).unwrap();
    let options = ["--metrics-listen", "127.0.0.1:0", "--max-requests", "2"];
    let served = Served::start(file.to_str().unwrap(), &options);
    let address = address(&served.log());
    let told = |name: &str, value: f64| happens_within(SOON, || scrape(address)[name] == value);
    assert!(told("thalweg_requests_running", 0.0) && told("thalweg_requests_waiting", 0.0));
    let endless: Vec<_> =
        (0..3).map(|_| served.send("{ allEndlesses { nodes { id } } }")).collect();
    assert!(told("thalweg_requests_running", 2.0) && told("thalweg_requests_waiting", 1.0));
    drop(endless);
    assert!(told("thalweg_requests_running", 0.0) && told("thalweg_requests_waiting", 0.0));
    // Twenty megabytes that nobody reads are held until the client leaves.
    assert!(told("thalweg_response_memory_bytes", 0.0));
    let unread = served.send("{ allTexts { nodes { body } } }");
    unread.peek(&mut [0]).unwrap();
    assert!(scrape(address)["thalweg_response_memory_bytes"] > 20e6);
    drop(unread);
    assert!(told("thalweg_response_memory_bytes", 0.0));
}
