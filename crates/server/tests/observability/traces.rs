//! What a collector of traces is told.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;

use crate::collector::{Collector, attribute};
use crate::databases::Database;
use crate::program::{Folder, PATIENCE, Server, run};
use crate::served::{SOON, happens_within};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";
const QUERY: &str =
    r#"{"query":"query Hush { allArtistsList(condition: { name: \"hush\" }) { id } }"}"#;

/// Batches are sent at once, as far as anybody would notice.
const AT_ONCE: (&str, &str) = ("OTEL_BSP_SCHEDULE_DELAY", "50");

fn traceparent(flags: &str) -> String {
    format!("traceparent: 00-{TRACE}-{PARENT}-{flags}\r\n")
}

fn demo(folder: &Folder, environment: &[(&str, &str)], options: &[&str]) -> Server {
    let file = folder.file("shop.db");
    let arguments = ["demo", "--listen", "127.0.0.1:0", "--file", file.to_str().unwrap()];
    Server::start_in(environment, &[&arguments, options].concat())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn named<'s>(spans: &'s [Span], name: &str) -> &'s Span {
    let found: Vec<_> = spans.iter().filter(|span| span.name == name).collect();
    let [span] = found[..] else {
        panic!("{name}: {:?}", spans.iter().map(|span| &span.name).collect::<Vec<_>>())
    };
    span
}

fn stop(server: &mut Server) {
    server.signal("TERM");
    assert!(server.child.wait().unwrap().success());
}

/// The child lies within its parent, in time too.
fn check_within(child: &Span, parent: &Span) {
    assert_eq!(child.parent_span_id, parent.span_id, "{} in {}", child.name, parent.name);
    assert_eq!(child.trace_id, parent.trace_id);
    // Times are read at several places.
    let slack = 1_000_000;
    assert!(child.start_time_unix_nano + slack >= parent.start_time_unix_nano);
    assert!(child.end_time_unix_nano <= parent.end_time_unix_nano + slack);
    assert!(child.start_time_unix_nano <= child.end_time_unix_nano);
}

#[test]
fn a_request_is_told_with_its_stages_and_statements_as_part_of_the_callers_trace() {
    let collector = Collector::start();
    let folder = Folder::new();
    let environment = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &*collector.url()),
        ("OTEL_SERVICE_NAME", "shop"),
        ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-key=secret"),
    ];
    let mut server = demo(&folder, &environment, &[]);
    let headers = [&traceparent("01"), "tracestate: a=1\r\nX-Request-Id: hush-7\r\n"].concat();
    assert_eq!(server.post(&headers, QUERY).status, 200);
    assert_eq!(server.get("/health/live", &traceparent("01")).status, 200);
    // What waits is sent before the server ends.
    stop(&mut server);
    collector.look(|told| {
        assert!(told.heads[0].starts_with("post /v1/traces "), "{:?}", told.heads);
        assert!(told.heads[0].contains("content-type: application/x-protobuf"));
        assert!(told.heads[0].contains("x-key: secret"), "{:?}", told.heads);
        for attribute in ["service.name=shop", "deployment.environment.name=test"] {
            assert!(told.resource.iter().any(|known| known == attribute), "{:?}", told.resource);
        }
        let spans = &told.spans;
        assert_eq!(spans.len(), 6, "{spans:?}");
        let request = named(spans, "POST /graphql");
        assert_eq!((&*hex(&request.trace_id), &*hex(&request.parent_span_id)), (TRACE, PARENT));
        assert_eq!((request.kind(), &*request.trace_state), (SpanKind::Server, "a=1"));
        for (name, value) in [
            ("http.request.method", "POST"),
            ("http.route", "/graphql"),
            ("http.response.status_code", "200"),
            ("thalweg.request_id", "hush-7"),
        ] {
            assert_eq!(attribute(request, name).as_deref(), Some(value), "{name}");
        }
        let operation = named(spans, "query");
        check_within(operation, request);
        assert_eq!(attribute(operation, "graphql.operation.type").as_deref(), Some("query"));
        assert_eq!(attribute(operation, "graphql.operation.name").as_deref(), Some("Hush"));
        for stage in ["document", "plan", "execute"] {
            check_within(named(spans, stage), operation);
        }
        let statement = named(spans, "SELECT");
        check_within(statement, named(spans, "execute"));
        assert_eq!(statement.kind(), SpanKind::Client);
        assert_eq!(attribute(statement, "db.system.name").as_deref(), Some("sqlite"));
        let text = attribute(statement, "db.query.text").unwrap();
        assert!(text.contains("FROM") && text.contains("?1"), "{text}");
        assert!(!format!("{spans:?}").contains("\"hush\""), "{spans:?}");
    });
}

#[test]
fn rounds_of_statements_are_told_one_by_one() {
    let tables = "CREATE TABLE artist (id int PRIMARY KEY, name text);
        CREATE TABLE album (id int PRIMARY KEY, artist_id int REFERENCES artist);
        CREATE INDEX ON album (artist_id);
        INSERT INTO artist VALUES (1);
        INSERT INTO album VALUES (7, 1);
        CREATE VIEW broken AS SELECT 1 AS id, 1 / (id - 1) AS quotient FROM artist;";
    let Some(database) = Database::on_one(tables) else { return };
    let collector = Collector::start();
    let url = database.url();
    let arguments = ["serve", &url, "--listen", "127.0.0.1:0", "--otlp-endpoint"];
    let mut server = Server::start(&[&arguments[..], &[&collector.url()]].concat());
    let query = "{ allArtists(orderBy: NAME_ASC, first: 5) { totalCount nodes { id albumsByArtistId { nodes { id } } } } }";
    assert_eq!(server.query("", query).status, 200);
    assert_eq!(server.query("", "{ allBrokens { nodes { quotient } } }").status, 200);
    assert_eq!(server.query("", "{ noSuchField }").status, 200);
    stop(&mut server);
    collector.look(|told| {
        let mut traces: Vec<_> = told.spans.iter().map(|span| &span.trace_id).collect();
        traces.dedup();
        let of = |trace: &[u8]| -> Vec<Span> {
            told.spans.iter().filter(|span| span.trace_id == trace).cloned().collect()
        };
        let roots: Vec<_> = told.spans.iter().filter(|span| span.name == "POST /graphql").collect();
        assert_eq!(roots.len(), 3);
        assert!(roots.iter().all(|root| root.parent_span_id.is_empty()));

        let spans = of(&roots[0].trace_id);
        let execute = named(&spans, "execute");
        check_within(named(&spans, "write"), named(&spans, "query"));
        let statements: Vec<_> =
            spans.iter().filter(|span| span.kind() == SpanKind::Client).collect();
        let texts: Vec<_> =
            statements.iter().filter_map(|span| attribute(span, "db.query.text")).collect();
        assert_eq!(statements.len(), 2, "{texts:?}");
        for statement in statements {
            check_within(statement, execute);
            assert_eq!(attribute(statement, "db.system").as_deref(), Some("postgresql"));
        }

        let failed = of(&roots[1].trace_id);
        let operation = named(&failed, "query");
        assert_eq!(attribute(operation, "error.type").as_deref(), Some("SOURCE_ERROR"));
        assert_eq!(operation.status.as_ref().unwrap().code(), StatusCode::Error);

        let refused = of(&roots[2].trace_id);
        let operation = named(&refused, "GraphQL Operation");
        let code = attribute(operation, "error.type");
        assert_eq!(code.as_deref(), Some("GRAPHQL_VALIDATION_FAILED"));
        assert_eq!(
            told.resource.iter().filter(|known| *known == "service.name=thalweg").count(),
            1
        );
    });
}

#[test]
fn what_is_sampled_is_for_the_caller_to_say_and_else_a_ratio() {
    for (ratio, flags, is_told) in
        [("0", Some("01"), true), ("1", Some("00"), false), ("0", None, false), ("1", None, true)]
    {
        let collector = Collector::start();
        let folder = Folder::new();
        let options = ["--otlp-endpoint", &collector.url(), "--trace-ratio", ratio];
        let mut server = demo(&folder, &[], &options);
        let headers = flags.map(traceparent).unwrap_or_default();
        assert_eq!(server.post(&headers, QUERY).status, 200);
        stop(&mut server);
        let told = collector.look(|told| !told.spans.is_empty());
        assert_eq!(told, is_told, "{ratio} {flags:?}");
    }
}

#[test]
fn a_caller_that_writes_nonsense_begins_a_new_trace() {
    let collector = Collector::start();
    let folder = Folder::new();
    let mut server = demo(&folder, &[], &["--otlp-endpoint", &collector.url()]);
    for nonsense in ["", "00-0-0-01", "ff-x", &"0".repeat(5_000)] {
        let headers = format!("traceparent: {nonsense}\r\n");
        assert_eq!(server.post(&headers, QUERY).status, 200);
    }
    stop(&mut server);
    collector.look(|told| {
        let roots = told.spans.iter().filter(|span| span.parent_span_id.is_empty());
        assert_eq!(roots.count(), 4);
    });
}

#[test]
fn a_collector_that_is_away_disturbs_nobody() {
    // A port where nobody listens any more.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let folder = Folder::new();
    let url = format!("http://{address}");
    let mut server = demo(&folder, &[AT_ONCE], &["--otlp-endpoint", &url]);
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(2) {
        assert_eq!(server.post("", QUERY).status, 200);
    }
    stop(&mut server);
    let log = server.rest_of_log();
    let lines: Vec<_> = log.lines().filter(|line| line.contains("collector")).collect();
    let away: Vec<_> = lines.iter().filter(|line| line.contains("do not reach")).collect();
    assert_eq!(away.len(), 1, "{log}");
    assert!(away[0].contains("WARN") && away[0].contains("refused"), "{log}");
}

#[test]
fn a_collector_that_says_nothing_delays_neither_requests_nor_the_end() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let folder = Folder::new();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let mut server = demo(&folder, &[AT_ONCE], &["--otlp-endpoint", &url]);
    assert_eq!(server.post("", QUERY).status, 200);
    let (connection, _) = silent.accept().unwrap();
    let started = Instant::now();
    assert_eq!(server.post("", QUERY).status, 200);
    assert!(started.elapsed() < SOON);
    server.signal("TERM");
    let has_ended = || server.child.try_wait().unwrap().is_some();
    assert!(happens_within(PATIENCE / 2, has_ended));
    drop(connection);
}

#[test]
fn without_a_collector_nothing_is_told_and_a_wrong_address_is_refused() {
    let folder = Folder::new();
    let server = demo(&folder, &[], &[]);
    assert_eq!(server.post(&traceparent("01"), QUERY).status, 200);
    let file = folder.file("shop.db");
    for endpoint in ["collector:4318", "grpc://127.0.0.1:4317", ""] {
        let arguments = ["serve", file.to_str().unwrap(), "--listen", "127.0.0.1:0"];
        let output = run(&[&arguments[..], &["--otlp-endpoint", endpoint]].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("write it as http://HOST:4318"), "{error}");
    }
}
