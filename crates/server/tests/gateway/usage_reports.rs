//! Usage reports to Hive. A server of the test stands in for Hive: it keeps the reports, and fails as
//! it is told.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::gateway::site::{PRODUCTS, QUERY, Site, refused};
use crate::gateway::watched::scrape;
use crate::program::PATIENCE;

/// The stand-in for Hive.
struct Hive {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// The head in lower case and the body of each request.
    reports: Vec<(String, Value)>,
    /// The statuses of the next responses, in reverse; then 200. 0 is a request without a response.
    statuses: Vec<u16>,
}

impl Hive {
    fn start(statuses: &[u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let statuses = statuses.iter().rev().copied().collect();
        let state = Arc::new(Mutex::new(State { statuses, ..State::default() }));
        let shared = Arc::clone(&state);
        // It ends with the process of the test.
        thread::spawn(move || {
            for stream in listener.incoming() {
                let state = Arc::clone(&shared);
                thread::spawn(move || serve(stream.unwrap(), &state));
            }
        });
        Self { address, state }
    }

    fn site(&self, options: &[&str]) -> Site {
        let endpoint = format!("http://{}/usage", self.address);
        let hive = ["--hive-usage-token", "Zx7Qw9", "--hive-usage-endpoint", &endpoint];
        Site::start(&[&hive, options].concat())
    }

    fn reports(&self) -> Vec<(String, Value)> {
        self.state.lock().unwrap().reports.clone()
    }

    fn wait_for(&self, reports: usize) {
        let started = Instant::now();
        while self.reports().len() < reports {
            assert!(started.elapsed() < PATIENCE, "reports are missing");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Serves the requests of one connection.
fn serve(mut stream: TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    loop {
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            let line = line.to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
            head.push_str(&line);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let status = {
            let mut state = state.lock().unwrap();
            state.reports.push((head, serde_json::from_slice(&body).unwrap()));
            state.statuses.pop().unwrap_or(200)
        };
        if status == 0 {
            thread::sleep(PATIENCE);
            return;
        }
        let response = format!("HTTP/1.1 {status} X\r\nContent-Length: 2\r\n\r\n{{}}");
        if stream.write_all(response.as_bytes()).is_err() {
            return;
        }
    }
}

/// Stops the server, and returns how long it took and the rest of the log.
fn stop(site: &mut Site) -> (Duration, String) {
    let started = Instant::now();
    site.server.signal("TERM");
    assert!(site.server.child.wait().unwrap().success());
    (started.elapsed(), site.server.rest_of_log())
}

#[test]
fn reports_have_the_operations_with_their_requests() {
    let hive = Hive::start(&[]);
    let mut site = hive.site(&["--hive-usage-target", "org/shop/production", "--batching"]);
    let web = "graphql-client-name: web\r\ngraphql-client-version: 2\r\n";
    assert_eq!(site.server.query(web, QUERY).body, PRODUCTS);
    assert_eq!(site.query(QUERY), PRODUCTS);
    let batch = r#"[{"query": "query One($id: ID!) { product(upc: $id) { name } }", "variables": {"id": "1"}},
        {"query": "mutation Two { rename(upc: 17, name: \"secret\") { upc } }"}]"#;
    assert_eq!(site.server.post("", batch).status, 200);
    // Neither invalid documents nor those without a field of the schema are reported.
    site.query("{ nothing }");
    site.query("{ __typename __schema { queryType { name } } }");
    site.stubs.heal();
    stop(&mut site);
    let reports = hive.reports();
    let [(head, report)] = &*reports else { panic!("{reports:?}") };
    assert!(head.starts_with("post /usage/org/shop/production http/1.1\r\n"), "{head}");
    for line in
        ["authorization: bearer zx7qw9", "x-usage-api-version: 2", "content-type: application/json"]
    {
        assert!(head.contains(line), "{line}: {head}");
    }
    assert_eq!(report["size"], 4);
    let map = report["map"].as_object().unwrap();
    let mut operations: Vec<_> = map.values().cloned().collect();
    operations.sort_by_key(|operation| operation["operation"].to_string());
    assert_eq!(
        Value::Array(operations),
        json!([
            {
                "operation": "mutation Two { rename(upc: 0 name: \"\") { upc } }",
                "operationName": "Two",
                "fields": ["ID", "Mutation", "Mutation.rename", "Mutation.rename.name",
                    "Mutation.rename.upc", "Product", "Product.upc", "String"],
            },
            {
                "operation": "query One($id: ID!) { product(upc: $id) { name } }",
                "operationName": "One",
                "fields": ["ID", "Product", "Product.name", "Query", "Query.product",
                    "Query.product.upc", "String"],
            },
            {
                "operation": "{ products { upc name inStock } }",
                "fields": ["Boolean", "ID", "Product", "Product.inStock", "Product.name",
                    "Product.upc", "Query", "Query.products", "String"],
            },
        ])
    );
    let requests = report["operations"].as_array().unwrap();
    for request in requests {
        assert!(map.contains_key(request["operationMapKey"].as_str().unwrap()), "{request}");
        assert!(request["timestamp"].as_u64().unwrap() > 1_700_000_000_000, "{request}");
        assert!(request["execution"]["duration"].as_u64().unwrap() > 1_000, "{request}");
    }
    let client = json!({ "client": { "name": "web", "version": "2" } });
    assert_eq!(requests[0]["metadata"], client);
    assert_eq!(requests[1].get("metadata"), None);
    assert_eq!(requests[0]["execution"]["ok"], true);
    assert_eq!(requests[0]["execution"]["errorsTotal"], 0);
}

#[test]
fn reports_that_do_not_arrive_are_sent_again() {
    let hive = Hive::start(&[500, 429]);
    let mut site = hive.site(&["--metrics-listen", "127.0.0.1:0"]);
    assert_eq!(site.query(QUERY), PRODUCTS);
    hive.wait_for(3);
    let reports = hive.reports();
    assert_eq!(reports[0].1, reports[2].1);
    let started = Instant::now();
    let reported = r#"thalweg_usage_reported_total{outcome="reported"} 1"#;
    while !scrape(&site.server).contains(reported) {
        assert!(started.elapsed() < PATIENCE, "{}", scrape(&site.server));
    }
    let (_, log) = stop(&mut site);
    assert!(!log.contains("usage reports"), "{log}");
    assert_eq!(hive.reports().len(), 3);
}

#[test]
fn a_refused_report_is_not_sent_again() {
    let hive = Hive::start(&[401]);
    let mut site = hive.site(&["--metrics-listen", "127.0.0.1:0"]);
    assert_eq!(site.query(QUERY), PRODUCTS);
    let line = site.wait_for("usage reports do not reach Hive; requests are not affected");
    assert!(line.contains("the server says 401") && line.contains("failed=1"), "{line}");
    assert!(!line.contains("Zx7Qw9"), "{line}");
    let failed = r#"thalweg_usage_reported_total{outcome="failed"} 1"#;
    assert!(scrape(&site.server).contains(failed));
    stop(&mut site);
    assert_eq!(hive.reports().len(), 1);
}

#[test]
fn a_hive_that_cannot_be_reached_or_hangs_delays_neither_requests_nor_the_end() {
    let unreachable = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/usage", listener.local_addr().unwrap())
    };
    let hive = Hive::start(&[0, 0]);
    let hanging = format!("http://{}/usage", hive.address);
    for endpoint in [unreachable, hanging] {
        let options = ["--hive-usage-token", "t", "--hive-usage-endpoint", &endpoint];
        let mut site = Site::start(&options);
        for _ in 0..3 {
            assert_eq!(site.query(QUERY), PRODUCTS);
        }
        let (took, _) = stop(&mut site);
        assert!(took < Duration::from_secs(15), "{took:?}");
    }
    assert!(!hive.reports().is_empty());
}

#[test]
fn no_request_is_reported_beyond_the_share() {
    let hive = Hive::start(&[]);
    let mut site = hive.site(&["--hive-usage-sample-rate", "0"]);
    for _ in 0..3 {
        assert_eq!(site.query(QUERY), PRODUCTS);
    }
    stop(&mut site);
    assert_eq!(hive.reports().len(), 0);
}

#[test]
fn wrong_options_are_refused() {
    let gateway = |options: &[&str]| {
        refused(&[&["gateway", "/nowhere.graphql", "--listen", "127.0.0.1:0"], options].concat())
    };
    let error = gateway(&["--hive-usage-token", "env:THALWEG_NO_SUCH_TOKEN"]);
    let missing = "the environment variable `THALWEG_NO_SUCH_TOKEN` is not set, or is not UTF-8";
    assert!(error.contains(missing), "{error}");
    let error = gateway(&["--hive-usage-target", "a"]);
    assert!(error.contains("`--hive-usage-target` needs `--hive-usage-token`"), "{error}");
    let error = gateway(&["--hive-usage-token", "t", "--hive-usage-target", "a/b"]);
    assert!(
        error.contains("the id of a target or ORGANIZATION/PROJECT/TARGET is wanted"),
        "{error}"
    );
    let error = gateway(&["--hive-usage-token", "t", "--hive-usage-endpoint", "http://a.example/"]);
    assert!(error.contains("`http://` is only for addresses of this machine"), "{error}");
}
