//! What those are told who watch a gateway: metrics, traces and the log.

use std::io::{BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::collector::{Collector, attribute};
use crate::program::{PATIENCE, Server, post, read_answer};
use crate::site::{PRODUCTS, QUERY, Site};
use crate::stubs::Fault;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

pub(crate) fn scrape(server: &Server) -> String {
    let rest = server.said.split("metrics at http://").nth(1).unwrap();
    let mut stream = TcpStream::connect(rest.split('/').next().unwrap()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
    read_answer(&mut BufReader::new(stream), true).body
}

pub(crate) fn check(metrics: &str, lines: &[&str]) {
    for line in lines {
        assert!(metrics.lines().any(|found| found == *line), "{line}\n{metrics}");
    }
}

#[test]
fn requests_to_subgraphs_are_counted() {
    let site = Site::start_with(
        "[subgraphs.stock]\nretries = 0\nbreaker = { errors = '50%', of = 2 }\n",
        &["--metrics-listen", "127.0.0.1:0", "--threads", "1"],
    );
    let metrics = scrape(&site.server);
    let closed = r#"thalweg_subgraph_breaker{subgraph="stock",state="closed"} 1"#;
    check(
        &metrics,
        &[closed, r#"thalweg_subgraph_requests_total{subgraph="shop",outcome="answered"} 0"#],
    );
    assert!(!metrics.contains("thalweg_database"), "{metrics}");
    assert_eq!(site.query(QUERY), PRODUCTS);
    site.stubs.fail("stock", Fault::Status(503));
    for _ in 0..2 {
        site.query(QUERY);
    }
    let metrics = scrape(&site.server);
    check(
        &metrics,
        &[
            r#"thalweg_subgraph_requests_total{subgraph="shop",outcome="answered"} 3"#,
            r#"thalweg_subgraph_requests_total{subgraph="stock",outcome="answered"} 1"#,
            // Then half of two had failed.
            r#"thalweg_subgraph_requests_total{subgraph="stock",outcome="status"} 1"#,
            r#"thalweg_subgraph_requests_total{subgraph="stock",outcome="breaker_open"} 1"#,
            // A request that fails was sent, too.
            r#"thalweg_fetches_total{outcome="sent"} 6"#,
            r#"thalweg_representations_total{outcome="sent"} 6"#,
            r#"thalweg_representations_total{outcome="known"} 0"#,
            r#"thalweg_subgraph_duration_seconds_count{subgraph="shop"} 3"#,
            r#"thalweg_subgraph_breaker{subgraph="stock",state="open"} 1"#,
            r#"thalweg_subgraph_breaker{subgraph="stock",state="closed"} 0"#,
            r#"thalweg_subgraph_connections{subgraph="shop"} 1.0"#,
            r#"thalweg_errors_total{code="SUBGRAPH_UNAVAILABLE"} 2"#,
        ],
    );
    assert!(metrics.contains(r#"thalweg_subgraph_request_bytes_total{subgraph="shop"} "#));
    assert!(metrics.ends_with("# EOF\n"), "{metrics}");
}

#[test]
fn the_log_tells_when_a_subgraph_is_left_alone_and_when_it_is_asked_again() {
    let mut site = Site::start_with(
        "[subgraphs.stock]\nretries = 0\nbreaker = { errors = '50%', of = 2, pause = '50ms' }\n",
        &["--threads", "1"],
    );
    let of_stock = |line: &str, level: &str| {
        assert!(line.contains("subgraph=\"stock\"") && line.contains(level), "{line}");
    };
    site.stubs.fail("stock", Fault::Status(503));
    site.query(QUERY);
    site.query(QUERY);
    of_stock(&site.wait_for("circuit breaker opened after too many failures"), "WARN");
    let ask_until = |is_over: &dyn Fn(&str) -> bool| {
        let started = Instant::now();
        while !is_over(&site.query(QUERY)) {
            assert!(started.elapsed() < PATIENCE, "it is never tried");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    site.stubs.asked();
    let was_tried = |_: &str| site.stubs.asked().iter().any(|asked| asked.path == "/stock");
    ask_until(&was_tried);
    site.stubs.heal();
    ask_until(&|answer| answer == PRODUCTS);
    of_stock(&site.wait_for("circuit breaker stays open: the trial request failed"), "WARN");
    of_stock(&site.wait_for("circuit breaker closed: the trial request succeeded"), "INFO");
}

#[test]
fn subgraphs_are_told_the_spans_that_the_collector_is_told() {
    let collector = Collector::start();
    let mut site = Site::start(&["--otlp-endpoint", &collector.url()]);
    let head = format!("Traceparent: 00-{TRACE}-{PARENT}-01\r\n");
    assert_eq!(site.server.query(&head, QUERY).body, PRODUCTS);
    assert_eq!(site.query(QUERY), PRODUCTS);
    let asked = site.stubs.asked();
    site.server.signal("TERM");
    assert!(site.server.child.wait().unwrap().success());
    let started = Instant::now();
    while collector.look(|told| told.spans.len()) < 14 {
        assert!(started.elapsed() < PATIENCE, "spans are missing");
        std::thread::sleep(Duration::from_millis(10));
    }
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let spans = collector.look(|told| told.spans.clone());
    let fetches: Vec<_> = spans.iter().filter(|span| span.name.starts_with("fetch ")).collect();
    assert_eq!(fetches.len(), 4);
    for (asked, number) in asked.iter().zip(0..) {
        let parts: Vec<&str> = asked.headers["traceparent"].split('-').collect();
        let span = fetches.iter().find(|span| hex(&span.span_id) == parts[2]).unwrap();
        assert_eq!((hex(&span.trace_id).as_str(), parts[0], parts[3]), (parts[1], "00", "01"));
        // The first request came with a trace, and the second begins one.
        assert_eq!(parts[1] == TRACE, number < 2);
        let name = asked.path.trim_start_matches('/');
        assert_eq!(span.name, ["fetch ", name].concat());
        assert_eq!(attribute(span, "thalweg.subgraph").as_deref(), Some(name));
        let execute = spans.iter().find(|other| other.span_id == span.parent_span_id).unwrap();
        assert_eq!(execute.name, "execute");
        assert!(span.start_time_unix_nano <= span.end_time_unix_nano);
    }
}

#[test]
fn what_is_not_recorded_is_told_so() {
    let collector = Collector::start();
    let url = collector.url();
    let site = Site::start(&["--otlp-endpoint", &url, "--trace-ratio", "0"]);
    assert_eq!(site.query(QUERY), PRODUCTS);
    for asked in site.stubs.asked() {
        assert!(asked.headers["traceparent"].ends_with("-00"), "{asked:?}");
    }
}

#[test]
fn slow_requests_name_their_subgraphs_and_the_log_says_why_one_failed() {
    let mut site = Site::start(&["--slow-query", "50ms"]);
    site.stubs.fail("stock", Fault::Sleeps(Duration::from_millis(100)));
    assert_eq!(site.query(QUERY), PRODUCTS);
    let line = site.wait_for("slow request");
    assert!(line.contains("statements=\"shop ") && line.contains("; stock "), "{line}");
    site.stubs.fail("stock", Fault::Status(500));
    let answer = site.query("{ stores }");
    let id = answer.split("\"errorId\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let line = site.wait_for(&id);
    assert!(line.contains("subgraph=\"stock\"") && line.contains("status 500"), "{line}");
}

#[test]
fn the_page_is_told_the_plan_of_a_request() {
    let site = Site::start(&[]);
    let body = serde_json::json!({ "query": QUERY }).to_string();
    let request = post("application/json", "", &body).replacen("/graphql", "/explain", 1);
    let answer = site.server.send(request.as_bytes()).body;
    let explained: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(explained["isOfGateway"], true);
    assert!(explained["request"].as_str().unwrap().starts_with("1. shop: {products{upc name}}\n"));
    let fetches = explained["fetches"].as_array().unwrap().iter();
    let fetches: Vec<_> =
        fetches.map(|one| (&one["subgraph"], &one["how"], &one["round"])).collect();
    assert_eq!(explained["statements"], json!([]));
    let (shop, stock) = ([json!("shop"), json!("at once")], [json!("stock"), json!("after 1")]);
    let (one, two) = (json!(1), json!(2));
    assert_eq!(fetches, [(&shop[0], &shop[1], &one), (&stock[0], &stock[1], &two)]);
    assert!(site.stubs.asked().is_empty());
}

#[test]
fn a_plan_is_told_to_who_asks_for_it_and_may_know() {
    let site = Site::start(&[]);
    let answer = site.server.query("Thalweg-Plan: 1\r\n", "{ stores }").body;
    let expected = r#"{"data":{"stores":3},"extensions":{"plan":"1. stock: {stores}\n"}}"#;
    assert_eq!(answer, expected);
    assert_eq!(site.query("{ stores }"), r#"{"data":{"stores":3}}"#);
    let site = Site::start(&["--expose-plan", "off"]);
    let answer = site.server.query("Thalweg-Plan: 1\r\n", "{ stores }").body;
    assert_eq!(answer, r#"{"data":{"stores":3}}"#);
}
