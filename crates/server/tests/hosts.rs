//! The hosts that requests are for: what is told to a page whose name means this machine for a moment.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;

use crate::program::{Answer, PATIENCE, Server, read_answer};

const QUERY: &str = r#"{"query":"{ artistById(id: 127) { id } }"}"#;
const ANSWER: &str = r#"{"data":{"artistById":{"id":127}}}"#;

/// What a page in a browser sends to its own origin.
const OF_PAGE: &str = "Sec-Fetch-Site: same-origin\r\nAccept: text/html, */*\r\n";

fn request(method: &str, target: &str, host: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "{method} {target} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{OF_PAGE}\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body.as_bytes()].concat()
}

/// What a page sends that wants another protocol, or an answer that never ends.
fn upgrade(target: &str, host: &str, headers: &str) -> Vec<u8> {
    let head = format!(
        "GET {target} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n\
         Sec-Fetch-Site: same-origin\r\n{headers}\r\n"
    );
    head.into_bytes()
}

const WEB_SOCKET: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n";
const OLD_HTTP_2: &str =
    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n";
const EVENTS: &str = "Accept: text/event-stream\r\n";

/// Everything that tells something of the data, the schema or the database.
fn all(host: &str) -> Vec<Vec<u8>> {
    let target = "/graphql?query=%7B%20artistById(id:%20127)%20%7B%20id%20%7D%20%7D";
    vec![
        request("POST", "/graphql", host, QUERY),
        request("GET", target, host, ""),
        request("HEAD", target, host, ""),
        request("OPTIONS", "/graphql", host, ""),
        request("POST", "/explain", host, QUERY),
        request("GET", "/", host, ""),
        request("GET", "/graphiql/thalweg.js", host, ""),
        request("GET", "/nowhere", host, ""),
        request("GET", "/console/main.js", host, ""),
        request("GET", "/console/api/catalog", host, ""),
        request("GET", "/console/api/checks", host, ""),
        request("POST", "/console/api/role", host, "{}"),
        request("POST", "http://HOST/graphql".replace("HOST", host).as_str(), "localhost", QUERY),
        upgrade("/graphql", host, WEB_SOCKET),
        upgrade(target, host, WEB_SOCKET),
        upgrade(target, host, OLD_HTTP_2),
        upgrade(target, host, EVENTS),
        upgrade("/", host, WEB_SOCKET),
    ]
}

fn check_refused(answer: &Answer, host: &str) {
    assert_eq!(answer.status, 421, "{host}: {}", answer.body);
    if !answer.body.is_empty() {
        let expected = format!(
            r#"{{"errors":[{{"message":"This server does not answer for the host \"{host}\"; --allowed-hosts names the hosts that it answers for besides its own machine, as behind a proxy.","extensions":{{"code":"HOST_REFUSED"}}}}]}}"#
        );
        assert_eq!(answer.body, expected);
    }
}

fn ask(server: &Server, host: &str) -> (u16, String) {
    let answer = server.send(&request("POST", "/graphql", host, QUERY));
    (answer.status, answer.body)
}

#[test]
fn no_name_but_the_machines_own_gets_anything_of_a_server_that_trusts_everybody() {
    let mut server = Server::sample();
    for host in ["evil.example", "evil.example:4000", "localhost.evil.example"] {
        for request in all(host) {
            check_refused(&server.send(&request), host);
        }
    }
    let port = server.address.port();
    for host in ["localhost", "127.0.0.1", "[::1]", "192.0.2.1", "shop.localhost"] {
        for host in [host.to_owned(), format!("{host}:{port}")] {
            assert_eq!(ask(&server, &host), (200, ANSWER.to_owned()), "{host}");
        }
    }
    // Whoever probes knows the server by any name, and is told nothing.
    for target in ["/health/live", "/health/ready"] {
        let probe = server.send(&request("GET", target, "evil.example", ""));
        assert_eq!(probe.status, 200, "{target}");
    }
    // No browser leaves the header out.
    let length = QUERY.len();
    let old = format!(
        "POST /graphql HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n\
         {QUERY}"
    );
    assert_eq!(server.send(old.as_bytes()).body, ANSWER);
    // Once, however often it happens.
    server.signal("TERM");
    let log = server.rest_of_log();
    let remedy = "--allowed-hosts takes it";
    assert_eq!(log.matches(remedy).count(), 1, "{log}");
    assert!(log.contains("host=\"evil.example\""), "{log}");
}

#[test]
fn hosts_that_are_listed_are_answered_for() {
    let server = Server::start_sample(&["--allowed-hosts", "api.example,.shop.example"]);
    for host in ["api.example", "API.example:443", "a.shop.example", "localhost"] {
        assert_eq!(ask(&server, host), (200, ANSWER.to_owned()), "{host}");
    }
    check_refused(&server.send(&request("POST", "/graphql", "b.example", QUERY)), "b.example");
    drop(server);
    let server = Server::start_sample(&["--allowed-hosts", "*"]);
    assert_eq!(ask(&server, "evil.example").0, 200);
}

#[test]
fn where_others_reach_the_server_any_host_is_taken_unless_some_are_listed() {
    let folder = crate::program::Folder::new();
    let file = folder.file("shop.db");
    let start = |options: &[&str]| {
        let demo = ["demo", "--listen", "0.0.0.0:0", "--file", file.to_str().unwrap()];
        Server::start(&[&demo, options].concat())
    };
    assert_eq!(ask(&start(&[]), "api.example").0, 200);
    assert_eq!(ask(&start(&["--dev"]), "evil.example").0, 421);
    let listed = start(&["--allowed-hosts", "api.example"]);
    assert_eq!(ask(&listed, "api.example").0, 200);
    assert_eq!(ask(&listed, "evil.example").0, 421);
}

#[test]
fn a_gateway_looks_at_hosts_too() {
    let folder = crate::program::Folder::new();
    let file = folder.file("supergraph.graphql");
    let supergraph = "schema @link(url: \"https://specs.apollo.dev/link/v1.0\") \
        @link(url: \"https://specs.apollo.dev/join/v0.3\", for: EXECUTION) { query: Query } \
        directive @link(url: String, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA \
        directive @join__graph(name: String!, url: String!) on ENUM_VALUE \
        directive @join__type(graph: join__Graph!, key: String) repeatable on OBJECT | INTERFACE | UNION | ENUM | INPUT_OBJECT | SCALAR \
        enum link__Purpose { SECURITY EXECUTION } scalar link__Import \
        enum join__Graph { A @join__graph(name: \"a\", url: \"http://127.0.0.1:1/\") } \
        type Query @join__type(graph: A) { a: Int }";
    std::fs::write(&file, supergraph).unwrap();
    let gateway = ["gateway", file.to_str().unwrap(), "--listen", "127.0.0.1:0"];
    let server = Server::start(&gateway);
    for request in all("evil.example") {
        check_refused(&server.send(&request), "evil.example");
    }
    assert_eq!(ask(&server, "localhost").0, 200);
    let server = Server::start(&[&gateway[..], &["--allowed-hosts", "api.example"]].concat());
    assert_eq!([ask(&server, "api.example").0, ask(&server, "evil.example").0], [200, 421]);
}

#[test]
fn who_comes_by_a_unix_socket_is_no_page() {
    let folder = crate::program::Folder::new();
    let path = folder.file("api.sock");
    let listen = format!("127.0.0.1:0,unix:{}", path.display());
    let file = folder.file("shop.db");
    let demo = ["demo", "--listen", &listen, "--file", file.to_str().unwrap()];
    let _server = Server::start(&[&demo[..], &["--allowed-hosts", "api.example"]].concat());
    let mut stream = UnixStream::connect(path).unwrap();
    stream.write_all(&request("POST", "/graphql", "thalweg", QUERY)).unwrap();
    assert_eq!(read_answer(&mut BufReader::new(stream), true).body, ANSWER);
}

#[test]
fn metrics_are_not_for_pages_either() {
    let server = Server::start_sample(&["--metrics-listen", "127.0.0.1:0"]);
    let address =
        server.said.split("metrics at http://").nth(1).unwrap().split('/').next().unwrap();
    let status = |host: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let head = format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        reader.read_to_string(&mut String::new()).unwrap();
        line.split(' ').nth(1).unwrap().to_owned()
    };
    assert_eq!([status("localhost"), status(address)], ["200", "200"]);
    assert_eq!(status("evil.example"), "421");
}
