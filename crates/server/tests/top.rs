//! `thalweg top`, as text and in a terminal.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

use crate::observability::metrics::{address, ask};
use crate::program::{Folder, PATIENCE, Server, outcome, run};
use crate::served::{SOON, Served, happens_within};

const ARTIST: &str = r#"{"query":"query Named { artistById(id: 127) { id } }"}"#;

/// A view that ends only with its client.
const ENDLESS: &str = "CREATE VIEW endless AS
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
    SELECT count(*) AS id FROM n;";

fn demo(folder: &Folder) -> (Server, SocketAddr) {
    let file = folder.file("shop.db");
    let arguments = ["demo", "--listen", "127.0.0.1:0", "--file", file.to_str().unwrap()];
    let server = Server::start(&[&arguments[..], &["--metrics-listen", "127.0.0.1:0"]].concat());
    let address = address(&server.said);
    (server, address)
}

/// A server with an operation that does not end.
fn endless(folder: &Folder) -> (Served, SocketAddr, TcpStream) {
    let file = folder.file("test.db");
    rusqlite::Connection::open(&file).unwrap().execute_batch(ENDLESS).unwrap();
    let served = Served::start(file.to_str().unwrap(), &["--metrics-listen", "127.0.0.1:0"]);
    let address = address(&served.log());
    let query = "query Endless { allEndlesses(condition: { id: \"4711\" }) { nodes { id } } }";
    let client = served.send(query);
    (served, address, client)
}

fn operations(address: SocketAddr) -> Value {
    let answer = ask(address, "GET", "/operations");
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    serde_json::from_str(&answer.body).unwrap()
}

fn once(address: SocketAddr) -> String {
    let (code, text, error) = outcome(&run(&["top", &address.to_string(), "--once"]));
    assert_eq!(code, Some(0), "{error}");
    text
}

/// The value of a line with this name.
fn value<'t>(text: &'t str, name: &str) -> &'t str {
    let line = text.lines().find_map(|line| line.trim().strip_prefix(name));
    line.unwrap_or_else(|| panic!("{name}: {text}")).trim()
}

#[test]
fn a_snapshot_is_printed_for_pipes() {
    let folder = Folder::new();
    let (server, address) = demo(&folder);
    for _ in 0..3 {
        assert_eq!(server.post("", ARTIST).status, 200);
    }
    assert_eq!(server.query("", "{ noSuchField }").status, 200);
    let text = once(address);
    assert!(text.starts_with("thalweg ") && text.contains("; rates are those since the start"));
    assert_eq!(value(&text, "running  "), "0 (0 queued)");
    assert_eq!(value(&text, "documents  "), "50.0 % hits");
    assert_eq!(value(&text, "documents kept"), "1");
    assert!(value(&text, "p99").ends_with('s'), "{text}");
    let named = text.lines().position(|line| line.ends_with("  Named")).unwrap();
    let invalid = text.lines().position(|line| line.ends_with("  (invalid)")).unwrap();
    assert!(named < invalid, "the most frequent operation comes first: {text}");
    assert_eq!(value(&text, "Running operations:"), "0");
    // A whole URL is an address, too, and so is the one of the server's option.
    let url = format!("http://{address}/metrics");
    assert!(run(&["top", &url, "--once"]).status.success());
    let listen = format!("--metrics-listen={address}");
    assert!(run(&["top", "--once", &listen]).status.success());
}

#[test]
fn running_operations_have_statements_without_values() {
    let folder = Folder::new();
    let (_served, address, client) = endless(&folder);
    let is_planned = || operations(address)["operations"][0]["statements"].is_array();
    assert!(happens_within(SOON, is_planned), "{}", operations(address));
    let listed = operations(address);
    let operation = &listed["operations"][0];
    assert_eq!((&listed["total"], &operation["kind"]), (&1.into(), &"query".into()));
    assert_eq!(operation["operation"], "Endless");
    assert!(operation["milliseconds"].is_u64());
    let statement = operation["statements"][0].as_str().unwrap();
    assert!(statement.contains("FROM") && statement.contains("endless"), "{statement}");
    assert!(!listed.to_string().contains("4711"), "{listed}");
    let text = once(address);
    assert_eq!(value(&text, "Running operations:"), "1");
    let line = text.lines().last().unwrap();
    let id = operation["requestId"].as_str().unwrap();
    assert!(line.contains("query") && line.contains("Endless") && line.contains(id), "{line}");
    assert!(line.contains(statement), "{line}");
    drop(client);
    assert!(happens_within(SOON, || operations(address)["total"] == 0));
}

#[test]
fn clients_of_the_api_cannot_list_operations() {
    let folder = Folder::new();
    let (server, address) = demo(&folder);
    assert_eq!(server.get("/operations", "").status, 404);
    assert_eq!(ask(address, "POST", "/operations").status, 405);
}

#[test]
fn a_wrong_address_is_explained() {
    let away = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let folder = Folder::new();
    let (server, metrics) = demo(&folder);
    let api = server.said.split("serving at http://").nth(1).unwrap();
    let api = api.split('/').next().unwrap();
    for (arguments, expected, code) in [
        (&["top", "--once"][..], "write `thalweg top 127.0.0.1:9090`", 2),
        (&["top", "nonsense", "--once"], "write it as HOST:PORT", 2),
        (&["top", &away, "--once"], "Connection refused", 1),
        (&["top", api, "--once"], "it should be the address of `--metrics-listen`", 1),
        (&["top", &metrics.to_string()], "`--once` prints one snapshot", 2),
    ] {
        let (status, _, error) = outcome(&run(arguments));
        assert_eq!(status, Some(code), "{arguments:?}: {error}");
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
}

/// The program in a pseudo-terminal.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    shown: Arc<Mutex<Vec<u8>>>,
}

impl Terminal {
    fn start(folder: &Folder, address: SocketAddr) -> Self {
        let program = env!("CARGO_BIN_EXE_thalweg");
        let id = folder.file("pid");
        let inner = format!(
            "stty rows 45 cols 140; echo $$ > '{}'; exec '{program}' top {address}",
            id.display()
        );
        let mut child = Command::new("script")
            .args(["-q", "-e", "-f", "-c", &inner, "/dev/null"])
            .env("TERM", "xterm-256color")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = child.stdout.take().unwrap();
        let shown: Arc<Mutex<Vec<u8>>> = Arc::default();
        let kept = Arc::clone(&shown);
        thread::spawn(move || {
            let mut buffer = [0; 4_096];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                kept.lock().unwrap().extend(&buffer[..count]);
            }
        });
        let keys = child.stdin.take().unwrap();
        Self { child, keys, shown }
    }

    fn press(&mut self, keys: &[u8]) {
        self.keys.write_all(keys).unwrap();
        self.keys.flush().unwrap();
    }

    fn shown(&self) -> String {
        String::from_utf8_lossy(&self.shown.lock().unwrap()).into_owned()
    }

    fn shows(&self, text: &str) {
        let found = happens_within(PATIENCE, || self.shown().contains(text));
        assert!(found, "{text}: {}", self.shown());
    }

    /// The exit code, after the terminal is as it was: the main screen with a cursor.
    fn end(mut self) -> Option<i32> {
        let ended = happens_within(PATIENCE, || self.child.try_wait().unwrap().is_some());
        assert!(ended, "{}", self.shown());
        for restored in ["\u{1b}[?1049l", "\u{1b}[?25h"] {
            self.shows(restored);
        }
        self.child.wait().unwrap().code()
    }
}

#[test]
fn a_terminal_shows_the_server_until_a_key_or_a_signal() {
    let folder = Folder::new();
    let (server, address) = demo(&folder);
    assert_eq!(server.post("", ARTIST).status, 200);

    let mut terminal = Terminal::start(&folder, address);
    terminal.shows("\u{1b}[?1049h");
    for text in ["Requests", "Subscriptions", "Caches", "Operations by requests", "Named"] {
        terminal.shows(text);
    }
    // The second snapshot has rates of its own. Only cells that change are written, so the name has no
    // letter of the other one.
    assert_eq!(server.query("", "query Xylo { artistById(id: 1) { id } }").status, 200);
    terminal.shows("Xylo");
    terminal.press(b"s");
    // The title is the only bold one.
    terminal.shows("p95 \u{1b}[22m");
    terminal.press(b"h");
    terminal.shows("Ctrl-C");
    terminal.press(b"q");
    assert_eq!(terminal.end(), Some(0));

    let mut terminal = Terminal::start(&folder, address);
    terminal.shows("Requests");
    terminal.press(b"\x03");
    assert_eq!(terminal.end(), Some(0));

    let terminal = Terminal::start(&folder, address);
    terminal.shows("Requests");
    let process = fs::read_to_string(folder.file("pid")).unwrap();
    assert!(Command::new("kill").args(["-TERM", process.trim()]).status().unwrap().success());
    assert_eq!(terminal.end(), Some(0));
}

#[test]
fn a_server_that_ends_is_told_and_does_not_end_the_view() {
    let folder = Folder::new();
    let (mut server, address) = demo(&folder);
    let mut terminal = Terminal::start(&folder, address);
    terminal.shows("Requests");
    server.signal("TERM");
    assert!(server.child.wait().unwrap().success());
    terminal.shows("cannot read");
    terminal.press(b"q");
    assert_eq!(terminal.end(), Some(0));
}
