//! Other supergraphs while requests go on.

use std::fs;
use std::io::{BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use crate::gateway::site::{PRODUCTS, QUERY, Site, prepare};
use crate::program::{PATIENCE, Server, outcome, post, read_answer, run};

const RELOADS: usize = 12;
const CLIENTS: usize = 4;

/// The answer to a question that tells which supergraph is served.
const FIELDS: &str = r#"{ __type(name: "Product") { fields { name } } }"#;

fn fields(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!(r#"{{"name":"{name}"}}"#)).collect();
    format!(r#"{{"data":{{"__type":{{"fields":[{}]}}}}}}"#, names.join(","))
}

/// Stops the clients, also where the test fails: it would wait for them for ever.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Asks on one connection until it is told to stop: every answer is whole.
fn ask_on(address: SocketAddr, stop: &AtomicBool) -> usize {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let request = post("application/json", "", &format!(r#"{{"query":"{QUERY}"}}"#));
    let mut count = 0;
    while !stop.load(Ordering::Relaxed) {
        stream.write_all(request.as_bytes()).unwrap();
        let answer = read_answer(&mut reader, true);
        assert_eq!((answer.status, answer.body.as_str()), (200, PRODUCTS));
        count += 1;
    }
    count
}

fn wait_for_fields(server: &Server, names: &[&str]) {
    let started = Instant::now();
    while server.query("", FIELDS).body != fields(names) {
        assert!(started.elapsed() < PATIENCE, "no reload");
    }
}

#[test]
fn no_request_is_lost_when_the_supergraph_is_read_again() {
    let mut site = Site::start(&["--threads", "2"]);
    let stop = AtomicBool::new(false);
    let address = site.server.address;
    thread::scope(|scope| {
        let stopping = Stop(&stop);
        let clients: Vec<_> =
            (0..CLIENTS).map(|_| scope.spawn(|| ask_on(address, &stop))).collect();
        for number in 0..RELOADS {
            let field = format!("f{number}");
            let line = format!("  {field}: Int @join__field(graph: STOCK)\n  inStock:");
            site.replace("  inStock:", &line);
            site.server.signal("HUP");
            site.wait_for("reloaded; ");
            wait_for_fields(&site.server, &["upc", "name", &field, "inStock"]);
        }
        drop(stopping);
        for client in clients {
            assert!(client.join().unwrap() > RELOADS);
        }
    });
}

#[test]
fn a_supergraph_that_is_wrong_changes_nothing() {
    let mut site = Site::start(&[]);
    let mut check = |from: &str, to: &str, reasons: &[&str]| {
        site.replace(from, to);
        site.server.signal("HUP");
        let line = site.wait_for("not reloaded; everything is as it was");
        for reason in reasons {
            assert!(line.contains(reason), "{reason}: {line}");
        }
        assert!(!line.contains(" error: /"), "{line}");
        assert_eq!(site.query(QUERY), PRODUCTS);
    };
    check("type Product", "type Product {", &["supergraph.graphql:"]);
    check("graph: STOCK, key", "graph: STORE, key", &["STORE"]);
    let wrong = "name: Sting @join__field(graph: SHOP)\n  other: Sting @join__field(graph: SHOP)";
    check("name: String @join__field(graph: SHOP)", wrong, &["Sting"]);
    fs::remove_file(site.supergraph()).unwrap();
    site.server.signal("HUP");
    site.wait_for("cannot read the supergraph");
    assert_eq!(site.query(QUERY), PRODUCTS);
    site.replace("  inStock:", "  left: Int @join__field(graph: STOCK)\n  inStock:");
    site.server.signal("HUP");
    site.wait_for("reloaded; ");
    wait_for_fields(&site.server, &["upc", "name", "left", "inStock"]);
}

#[test]
fn a_subgraphs_file_that_is_wrong_changes_nothing() {
    let mut site = Site::start(&[]);
    fs::write(site.folder.file("subgraphs.toml"), "[subgraphs.stok]\n").unwrap();
    site.server.signal("HUP");
    let line = site.wait_for("not reloaded; everything is as it was");
    assert!(line.contains("subgraphs.toml:1:12: the supergraph has no subgraph `stok`"), "{line}");
    let rules = "all.headers = [{ forward = 'x-a' }]\n";
    fs::write(site.folder.file("subgraphs.toml"), rules).unwrap();
    site.server.signal("HUP");
    site.wait_for("reloaded; ");
    site.server.query("X-A: 1\r\n", "{ stores }");
    assert_eq!(site.stubs.asked_once("stock").headers["x-a"], "1");
}

#[test]
fn files_are_watched() {
    let mut site = Site::start(&["--watch"]);
    site.replace("  inStock:", "  left: Int @join__field(graph: STOCK)\n  inStock:");
    site.wait_for("reloaded; ");
    assert_eq!(site.query(FIELDS), fields(&["upc", "name", "left", "inStock"]));
    let rules = "all.headers = [{ forward = 'x-a' }]\n";
    fs::write(site.folder.file("subgraphs.toml"), rules).unwrap();
    site.wait_for("reloaded; ");
    site.server.query("X-A: 1\r\n", "{ stores }");
    assert_eq!(site.stubs.asked_once("stock").headers["x-a"], "1");
    // One that is wrong is tried again by itself when it is mended.
    site.replace("type Product", "type Product {");
    site.wait_for("not reloaded");
    site.replace("name: \"shop\"", "name: \"shop\"");
    site.wait_for("reloaded; ");
    assert_eq!(site.query(FIELDS), fields(&["upc", "name", "inStock"]));
    fs::remove_file(site.supergraph()).unwrap();
    site.wait_for("a file that is watched cannot be read; it is as it was");
    assert_eq!(site.query(QUERY), PRODUCTS);
}

#[test]
fn an_address_is_asked_again() {
    let (_folder, stubs) = prepare("");
    let text = stubs.supergraph();
    stubs.set_document(&text, "\"one\"");
    let url = format!("http://{}/document", stubs.address);
    let options = ["gateway", &url, "--listen", "127.0.0.1:0", "--supergraph-poll", "50ms"];
    let server = Server::start(&options);
    assert_eq!(server.query("", QUERY).body, PRODUCTS);
    let line = "  left: Int @join__field(graph: STOCK)\n  inStock:";
    stubs.set_document(&text.replace("  inStock:", line), "\"two\"");
    wait_for_fields(&server, &["upc", "name", "left", "inStock"]);
    // By its tag it is known, whatever it says.
    stubs.set_document(&text, "\"two\"");
    thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(server.query("", FIELDS).body, fields(&["upc", "name", "left", "inStock"]));
    stubs.set_document(&text, "\"three\"");
    wait_for_fields(&server, &["upc", "name", "inStock"]);
}

#[test]
fn a_registry_gets_headers_and_its_last_good_supergraph_is_kept() {
    let (folder, stubs) = prepare("");
    let text = stubs.supergraph();
    stubs.set_document(&text, "\"one\"");
    let url = format!("http://ada:secret@{}/guarded", stubs.address);
    let copy = folder.file("copy.graphql");
    let (key, copy) = ("X-Key=env:REGISTRY_KEY", copy.to_str().unwrap());
    let start = || {
        let options = ["gateway", &url, "--listen", "127.0.0.1:0", "--supergraph-poll", "50ms"];
        let further = ["--supergraph-header", key, "--supergraph-copy", copy];
        Server::start_in(&[("REGISTRY_KEY", "secret")], &[&options[..], &further].concat())
    };
    let mut server = start();
    assert_eq!(server.query("", QUERY).body, PRODUCTS);
    let line = "  left: Int @join__field(graph: STOCK)\n  inStock:";
    stubs.set_document(&text.replace("  inStock:", line), "\"two\"");
    wait_for_fields(&server, &["upc", "name", "left", "inStock"]);
    // A document with errors is reported, once, and the supergraph before stays.
    stubs.set_document("type Query {", "\"bad\"");
    thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(server.query("", FIELDS).body, fields(&["upc", "name", "left", "inStock"]));
    let (code, _, _) = outcome(&run(&["check", &url, "--supergraph-header", "X-Key=secret"]));
    assert_eq!(code, Some(1));
    server.signal("TERM");
    let log = [server.said.clone(), server.rest_of_log()].concat();
    assert_eq!(log.matches("not reloaded; everything is as it was").count(), 1, "{log}");
    let change = "changes of the API by the new supergraph breaking=0 dangerous=0 safe=1";
    assert!(log.contains(change), "{log}");
    assert!(log.contains("coordinate=\"Product.left\" criticality=\"NON_BREAKING\""), "{log}");
    assert!(!log.contains("secret"), "{log}");
    // A start while the registry has none that is good.
    stubs.set_document("type Query {", "\"three\"");
    let server = start();
    assert_eq!(server.query("", FIELDS).body, fields(&["upc", "name", "left", "inStock"]));
    assert!(
        server.said.contains("the supergraph is read from its last good copy"),
        "{}",
        server.said
    );
    stubs.set_document(&text, "\"four\"");
    wait_for_fields(&server, &["upc", "name", "inStock"]);
}
