//! Custom fields of Dgraph's dialect, by the built program: options, headers of clients, secrets.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;
use testkit::http::{HttpServer, Received, Reply};

use crate::collector::{Collector, attribute};
use crate::gateway::watched::{check, scrape};
use crate::network::certificates::{Algorithm, Authority, Pair};
use crate::program::{Folder, PATIENCE, Server, outcome, run};

const TYPES: &str = r#"
type Film @remote { name: String! }
type Person {
  id: ID!
  name: String! @id
  films: [Film] @custom(http: {
    url: "http://SERVER/films", method: POST, mode: BATCH, body: "{ name: $name }",
    forwardHeaders: ["Authorization:X-Token"], secretHeaders: ["X-Key:films"]
  })
}
type Query {
  slow: String @custom(http: { url: "http://SERVER/slow", method: GET })
}
# Dgraph.Secret films "a secret word"
"#;

/// The definitions and the database, as arguments.
fn arguments(folder: &Folder, server: &str) -> [String; 3] {
    let types = folder.file("schema.graphql");
    fs::write(&types, TYPES.replace("SERVER", server)).unwrap();
    let text = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    [text(&types), "--data".to_owned(), text(&folder.file("shop.db"))]
}

#[test]
fn a_host_that_is_not_allowed_is_an_error_at_the_start() {
    let folder = Folder::new();
    let [types, data, file] = arguments(&folder, "films.example");
    let (code, _, error) =
        outcome(&run(&["serve", &types, &data, &file, "--custom-hosts", "a.example"]));
    assert_eq!(code, Some(1), "{error}");
    let message = "`Person.films` sends requests to the host `films.example`, which is not allowed; \
                   `--custom-hosts films.example` allows them";
    assert!(error.contains(message), "{error}");
    let (code, _, error) =
        outcome(&run(&["serve", &types, &data, &file, "--custom-networks", "10.0.0.0/40"]));
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("a range of addresses is wanted"), "{error}");
    let (code, _, error) = outcome(&run(&["serve", &file, "--custom-hosts", "a.example"]));
    assert_eq!(code, Some(2), "{error}");
    let message = "`--custom-hosts` is for fields that other servers give, of `--dialect dgraph`";
    assert!(error.contains(message), "{error}");
}

#[test]
fn definitions_without_a_stored_type_get_an_empty_file() {
    let other = HttpServer::start(|_| Reply::Json(json!([{ "name": "one" }])));
    let folder = Folder::new();
    let [types, data, file] = arguments(&folder, "");
    let definitions = r#"
        type Film @remote { name: String! }
        type Query {
          films: [Film] @custom(http: { url: "http://SERVER/films", method: GET })
        }
    "#;
    fs::write(&types, definitions.replace("SERVER", &other.address.to_string())).unwrap();
    let allowed = ["--custom-hosts", "127.0.0.1", "--custom-networks", "127.0.0.0/8"];
    let serve = ["serve", &types, &data, &file, "--listen", "127.0.0.1:0"];
    let never = ["--apply-migrations", "never"];
    let (code, _, error) = outcome(&run(&[&serve[..], &allowed, &never].concat()));
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("there is no file"), "{error}");
    // The second start finds the file.
    for _ in 0..2 {
        let mut server = Server::start(&[&serve[..], &allowed].concat());
        let answer = server.query("", "{ films { name } }");
        assert_eq!(answer.body, r#"{"data":{"films":[{"name":"one"}]}}"#);
        server.signal("TERM");
        server.rest_of_log();
        assert!(fs::exists(&file).unwrap());
    }
    // A type that is stored later is created as in any database without tables.
    fs::write(
        &types,
        format!("type Person {{ id: ID! name: String }} {}", fs::read_to_string(&types).unwrap()),
    )
    .unwrap();
    let server = Server::start(&[&serve[..], &allowed].concat());
    let answer = server.query("", "{ queryPerson { id } films { name } }");
    assert_eq!(answer.body, r#"{"data":{"queryPerson":[],"films":[{"name":"one"}]}}"#);
}

#[test]
fn headers_of_the_client_reach_the_other_server_and_secrets_stay() {
    let other = HttpServer::start(|received| match received.target.as_str() {
        "/slow" => Reply::Sleep(Duration::from_secs(5)),
        _ => Reply::Json(json!([[{ "name": "one" }]])),
    });
    let folder = Folder::new();
    let [types, data, file] = arguments(&folder, &other.address.to_string());
    let mut server = Server::start(&[
        "serve",
        &types,
        &data,
        &file,
        "--listen",
        "127.0.0.1:0",
        "--custom-hosts",
        "127.0.0.1",
        "--custom-networks",
        "127.0.0.0/8",
        "--custom-timeout",
        "200ms",
        "--log",
        "debug",
    ]);
    let headers = "X-Token: mine\r\nX-Key: forged\r\n";
    let add =
        r#"mutation { addPerson(input: [{name: "ann"}]) { person { name films { name } } } }"#;
    let answer = server.query(headers, add);
    assert_eq!(
        answer.body,
        r#"{"data":{"addPerson":{"person":[{"name":"ann","films":[{"name":"one"}]}]}}}"#
    );
    let received = other.received();
    assert_eq!(received.len(), 1);
    let header = |name: &str| received[0].headers.get(name).map(String::as_str);
    assert_eq!(header("authorization"), Some("mine"));
    assert_eq!(header("x-key"), Some("a secret word"));
    let answer = server.query(headers, "{ slow queryPerson { name } }");
    assert!(answer.body.contains("RESOLVER_TIMEOUT"), "{answer:?}");
    assert!(answer.body.contains(r#""queryPerson":[{"name":"ann"}]"#), "{answer:?}");
    server.signal("TERM");
    let log = server.rest_of_log();
    assert!(log.contains("a request of a custom field failed"), "{log}");
    assert!(!log.contains("secret word") && !log.contains("mine"), "{log}");
    let database = fs::read(folder.file("shop.db")).unwrap();
    let holds = |text: &str| database.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(holds("Dgraph.Secret films") && !holds("secret word"));
}

/// Starts a server whose certificate an authority has signed; returns its port.
fn serve_encrypted(authority: &Authority) -> u16 {
    let Pair { certificate, key, .. } = authority.sign(Algorithm::Ecdsa);
    let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let (config, listener) = (Arc::new(config), TcpListener::bind("127.0.0.1:0").unwrap());
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = BufReader::new(StreamOwned::new(connection, stream.unwrap()));
            let mut line = String::new();
            // A client that trusts another authority ends the handshake.
            while stream.read_line(&mut line).is_ok_and(|length| length > 2) {
                line.clear();
            }
            let response =
                b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\n\"fast\"";
            stream.get_mut().write_all(response).ok();
        }
    });
    port
}

#[test]
fn a_file_names_the_authorities_of_other_servers() {
    let authority = Authority::new();
    let port = serve_encrypted(&authority);
    let folder = Folder::new();
    let types =
        TYPES.replace("http://", "https://").replace("SERVER", &format!("localhost:{port}"));
    let definitions = folder.file("schema.graphql");
    fs::write(&definitions, types).unwrap();
    let text = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let (definitions, file) = (text(&definitions), text(&folder.file("shop.db")));
    let trusted = |name: &str, pem: &str| {
        fs::write(folder.file(name), pem).unwrap();
        text(&folder.file(name))
    };
    let own = trusted("own.pem", &authority.pem);
    let other = trusted("other.pem", &Authority::new().pem);
    let arguments = |ca: &str| {
        let own = ["serve", &definitions, "--data", &file, "--listen", "127.0.0.1:0"];
        let hosts = ["--custom-hosts", "localhost", "--custom-networks", "127.0.0.1,::1"];
        let all = [&own[..], &hosts, &["--custom-ca", ca]].concat();
        all.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let answer = |ca: &str| {
        let arguments = arguments(ca);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        Server::start(&arguments).query("", "{ slow }").body
    };
    assert_eq!(answer(&own), r#"{"data":{"slow":"fast"}}"#);
    let refused = answer(&other);
    assert!(refused.contains("RESOLVER_UNAVAILABLE"), "{refused}");
    assert!(!refused.contains("certificate"), "{refused}");
    let missing = arguments("nowhere.pem");
    let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
    let (code, _, error) = outcome(&run(&missing));
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("requests of custom fields: cannot read nowhere.pem"), "{error}");
}

/// Films, and a path that has none.
fn films(received: &Received) -> Reply {
    match received.target.as_str() {
        "/slow" => Reply::Status(503, "", String::new()),
        _ => Reply::Json(json!([[{ "name": "one" }]])),
    }
}

/// A server with the definitions, whose custom fields another server gives.
fn serve(folder: &Folder, other: &HttpServer, options: &[&str]) -> Server {
    let [types, data, file] = arguments(folder, &other.address.to_string());
    let own = ["serve", &types, &data, &file, "--listen", "127.0.0.1:0", "--threads", "1"];
    let hosts = ["--custom-hosts", "127.0.0.1", "--custom-networks", "127.0.0.0/8"];
    Server::start(&[&own[..], &hosts, options].concat())
}

const ADD: &str =
    r#"mutation { addPerson(input: [{name: "ann"}]) { person { name films { name } } } }"#;

#[test]
fn requests_are_counted_by_field_and_host_across_reloads() {
    let other = HttpServer::start(films);
    let folder = Folder::new();
    let mut server = serve(&folder, &other, &["--metrics-listen", "127.0.0.1:0"]);
    let line = |field: &str, outcome: &str, count: usize| {
        let labels = format!(r#"field="{field}",host="127.0.0.1",outcome="{outcome}""#);
        format!("thalweg_custom_requests_total{{{labels}}} {count}")
    };
    check(
        &scrape(&server),
        &[&line("Person.films", "answered", 0), &line("Query.slow", "status", 0)],
    );
    server.query("", ADD);
    server.query("", "{ slow queryPerson { films { name } } }");
    let metrics = scrape(&server);
    check(
        &metrics,
        &[
            &line("Person.films", "answered", 2),
            &line("Query.slow", "answered", 0),
            &line("Query.slow", "status", 1),
            r#"thalweg_custom_request_bytes_total{field="Person.films",host="127.0.0.1"} 32"#,
            r#"thalweg_custom_response_bytes_total{field="Person.films",host="127.0.0.1"} 36"#,
            r#"thalweg_custom_duration_seconds_count{field="Person.films",host="127.0.0.1"} 2"#,
            r#"thalweg_errors_total{code="RESOLVER_ERROR"} 1"#,
        ],
    );
    assert!(metrics.ends_with("# EOF\n"), "{metrics}");
    server.signal("HUP");
    let mut log = String::new();
    while !log.contains("reloaded; ") {
        assert!(server.log.read_line(&mut log).unwrap() > 0, "no reload: {log}");
    }
    server.query("", "{ slow }");
    check(
        &scrape(&server),
        &[&line("Person.films", "answered", 2), &line("Query.slow", "status", 2)],
    );
}

#[test]
fn the_collector_receives_the_spans_that_other_servers_receive() {
    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    let collector = Collector::start();
    let other = HttpServer::start(films);
    let folder = Folder::new();
    let mut server = serve(&folder, &other, &["--otlp-endpoint", &collector.url()]);
    let head = format!("Traceparent: 00-{TRACE}-00f067aa0ba902b7-01\r\n");
    server.query(&head, ADD);
    server.query("", "{ slow queryPerson { films { name } } }");
    let received = other.received();
    server.signal("TERM");
    assert!(server.child.wait().unwrap().success());
    let started = Instant::now();
    let is_call = |name: &str| name.starts_with("call ");
    let count =
        || collector.look(|told| told.spans.iter().filter(|span| is_call(&span.name)).count());
    while count() < 3 {
        assert!(started.elapsed() < PATIENCE, "spans are missing");
        thread::sleep(Duration::from_millis(10));
    }
    let spans = collector.look(|told| told.spans.clone());
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(received.len(), 3);
    for (received, number) in received.iter().zip(0..) {
        let parts: Vec<&str> = received.headers["traceparent"].split('-').collect();
        let span = spans.iter().find(|span| hex(&span.span_id) == parts[2]).unwrap();
        assert_eq!((hex(&span.trace_id).as_str(), parts[0], parts[3]), (parts[1], "00", "01"));
        // The first operation came with a trace, and the second begins one.
        assert_eq!(parts[1] == TRACE, number < 1);
        let is_slow = received.target == "/slow";
        let field = if is_slow { "Query.slow" } else { "Person.films" };
        assert_eq!(span.name, ["call ", field].concat());
        let attribute = |name: &str| attribute(span, name);
        assert_eq!(attribute("thalweg.field").as_deref(), Some(field));
        assert_eq!(attribute("server.address").as_deref(), Some("127.0.0.1"));
        assert_eq!(attribute("error.type").as_deref(), is_slow.then_some("status"));
        let execute = spans.iter().find(|other| other.span_id == span.parent_span_id).unwrap();
        assert_eq!(execute.name, "execute");
        assert!(!format!("{span:?}").contains("/films"), "{span:?}");
    }
}
