//! Reloads by SIGHUP, of the built program.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use testkit::postgres::{required_installations, shared};

use crate::program::{Folder, PATIENCE, Server, post, read_answer, thalweg};

const TABLES: &str = "CREATE TABLE item (id integer PRIMARY KEY, name text); \
    INSERT INTO item VALUES (1, 'one'), (2, 'two');";

/// The rows and the fields, so that an answer tells by which generation it was made.
const BODY: &str =
    r#"{"query":"{ allItems { nodes { name } } __type(name: \"Item\") { fields { name } } }"}"#;

const RELOADS: usize = 20;
const CLIENTS: usize = 4;
const CONNECTIONS: usize = 4;

/// A server with a configuration of its own.
struct Configured {
    folder: Folder,
    server: Server,
}

impl Configured {
    fn start(source: &str, further: &str) -> Self {
        let folder = Folder::new();
        write(&folder, source, further);
        let file = folder.file("thalweg.toml");
        let server = Server::start(&["serve", "--config", file.to_str().unwrap()]);
        Self { folder, server }
    }

    /// Writes the log on until it says something; what it said before is passed over.
    fn wait_for(&mut self, text: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.server.log.read_line(&mut line).unwrap() > 0, "no {text} in the log");
            if line.contains(text) {
                return line;
            }
        }
    }

    fn reload(&mut self) {
        self.server.signal("HUP");
        self.wait_for("reloaded; ");
    }
}

fn write(folder: &Folder, source: &str, further: &str) {
    let text = format!(
        "source = '{source}'\nlisten = '127.0.0.1:0'\nconnections = {CONNECTIONS}\n{further}\n"
    );
    fs::write(folder.file("thalweg.toml"), text).unwrap();
}

/// Stops the clients, also where the test fails: it would wait for them for ever.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The answer of the generation that knows so many further columns.
fn answer(columns: usize) -> String {
    let further = (1..=columns).map(|column| format!(r#",{{"name":"c{column}"}}"#));
    format!(
        r#"{{"data":{{"allItems":{{"nodes":[{{"name":"one"}},{{"name":"two"}}]}},"__type":{{"fields":[{{"name":"nodeId"}},{{"name":"id"}},{{"name":"name"}}{}]}}}}}}"#,
        further.collect::<String>()
    )
}

/// Asks on one connection until it is told to stop: each answer is that of a generation, and none
/// of one before. Gives how many answers it had.
fn ask_on(address: SocketAddr, stop: &AtomicBool) -> usize {
    let answers: Vec<String> = (0..=RELOADS).map(answer).collect();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let request = post("application/json", "", BODY);
    let mut newest = 0;
    let mut count = 0;
    while !stop.load(Ordering::Relaxed) {
        stream.write_all(request.as_bytes()).unwrap();
        let answer = read_answer(&mut reader, true);
        assert_eq!(answer.status, 200, "{}", answer.body);
        let generation = answers.iter().position(|known| *known == answer.body);
        let generation = generation.unwrap_or_else(|| panic!("{}", answer.body));
        assert!(generation >= newest, "{generation} after {newest}");
        newest = generation;
        count += 1;
    }
    count
}

/// Adds a column, reloads and waits for the schema that has it, again and again under load.
fn check_reloads(configured: &mut Configured, execute: &dyn Fn(&str)) {
    let stop = AtomicBool::new(false);
    let address = configured.server.address;
    thread::scope(|scope| {
        let stopping = Stop(&stop);
        let clients: Vec<_> =
            (0..CLIENTS).map(|_| scope.spawn(|| ask_on(address, &stop))).collect();
        for column in 1..=RELOADS {
            execute(&format!("ALTER TABLE item ADD COLUMN c{column} text"));
            // Those that come while one is running become one.
            for _ in 0..1 + column % 3 {
                configured.server.signal("HUP");
            }
            configured.wait_for("reloaded; ");
            let started = Instant::now();
            // Where a reload was running already, one more makes the schema that is waited for.
            while configured.server.post("", BODY).body != answer(column) {
                assert!(started.elapsed() < PATIENCE, "no reload");
            }
        }
        drop(stopping);
        for client in clients {
            assert!(client.join().unwrap() > RELOADS);
        }
    });
}

fn sqlite() -> (Folder, Connection, String) {
    let folder = Folder::new();
    let file = folder.file("items.db");
    let connection = Connection::open(&file).unwrap();
    connection.busy_timeout(Duration::from_secs(5)).unwrap();
    // So that readers do not keep the writer out.
    connection.pragma_update(None, "journal_mode", "wal").unwrap();
    connection.execute_batch(TABLES).unwrap();
    let source = file.to_str().unwrap().to_owned();
    (folder, connection, source)
}

#[test]
fn no_request_is_lost_when_sqlite_is_read_again() {
    let (_folder, connection, source) = sqlite();
    let mut configured = Configured::start(&source, "threads = 2");
    check_reloads(&mut configured, &|sql| connection.execute_batch(sql).unwrap());
}

#[test]
fn no_request_is_lost_when_postgresql_is_read_again_and_its_connections_do_not_pile_up() {
    for installation in required_installations().unwrap() {
        let database = shared(&installation).unwrap();
        database.create_database("reload").unwrap();
        database.execute("reload", TABLES).unwrap();
        let mut configured = Configured::start(&database.url("reload"), "threads = 2");
        check_reloads(&mut configured, &|sql| database.execute("reload", sql).unwrap());
        let sessions = || {
            let count = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'reload'";
            let rows = database.query("postgres", count).unwrap();
            rows[0][0].as_ref().unwrap().parse::<usize>().unwrap()
        };
        let started = Instant::now();
        // A session ends a moment after its connection.
        while sessions() > CONNECTIONS {
            assert!(started.elapsed() < PATIENCE, "connections of old generations are open");
        }
    }
}

#[test]
fn options_are_read_again() {
    let (_folder, _connection, source) = sqlite();
    let mut configured = Configured::start(&source, "max-body-size = 20");
    let server = &configured.server;
    let kept = TcpStream::connect(server.address).unwrap();
    assert_eq!(server.post("", BODY).status, 413);
    write(&configured.folder, &source, "max-body-size = '1KiB'\nsimple-collections = 'only'");
    configured.reload();
    let body = r#"{"query":"{ allItemsList { name } }"}"#;
    let expected = r#"{"data":{"allItemsList":[{"name":"one"},{"name":"two"}]}}"#;
    assert_eq!(configured.server.post("", body).body, expected);
    // A connection from before has the new options, too.
    let mut kept = kept;
    kept.write_all(post("application/json", "", body).as_bytes()).unwrap();
    assert_eq!(read_answer(&mut BufReader::new(kept), true).body, expected);
}

#[test]
fn a_reload_that_fails_changes_nothing() {
    let (_folder, connection, source) = sqlite();
    let mut configured = Configured::start(&source, "");
    connection.execute_batch("ALTER TABLE item ADD COLUMN c1 text").unwrap();
    let mut check = |further: &str, source: &str, reason: &str| {
        write(&configured.folder, source, further);
        configured.server.signal("HUP");
        let line = configured.wait_for("not reloaded; everything is as it was");
        assert!(line.contains("ERROR") && line.contains(reason), "{line}");
        assert_eq!(configured.server.post("", BODY).body, answer(0));
    };
    check("max-boddy-size = 3", &source, "thalweg.toml:4:1: there is no option `max-boddy-size`");
    check("max-depth = ", &source, "thalweg.toml:4:13: ");
    check("no-short-pk = true", &source, "--simplified-names");
    check("default-limit = 3", &source, "`--default-limit` needs `--dialect phrag`");
    check("tags-file = 'missing.json5'", &source, "missing.json5");
    check("", "missing.db", "missing.db");
    check("", "postgres://nobody@127.0.0.1:1/nothing", "127.0.0.1");
    fs::remove_file(configured.folder.file("thalweg.toml")).unwrap();
    configured.server.signal("HUP");
    configured.wait_for("cannot read the configuration file");
    write(&configured.folder, &source, "");
    configured.reload();
    assert_eq!(configured.server.post("", BODY).body, answer(1));
}

#[test]
fn what_needs_a_restart_stays_as_it_was_and_is_named() {
    let (_folder, _connection, source) = sqlite();
    let mut configured = Configured::start(&source, "threads = 1");
    write(&configured.folder, &source, "threads = 2\nlog-format = 'json'\nmax-body-size = 20");
    configured.server.signal("HUP");
    for option in ["log-format", "threads"] {
        let line = configured.wait_for("needs a restart");
        assert!(line.contains(option) && line.contains("WARN"), "{line}");
    }
    let line = configured.wait_for("reloaded; ");
    assert!(!line.starts_with('{'), "{line}");
    assert_eq!(configured.server.post("", BODY).status, 413);
}

#[test]
fn a_signal_that_comes_before_there_is_anything_to_reload_ends_nothing() {
    let database = TcpListener::bind("127.0.0.1:0").unwrap();
    let source = format!("postgres://shop@{}/shop", database.local_addr().unwrap());
    let mut child = thalweg(&["serve", &source, "--listen", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It has connected, and waits for the schema.
    let (stream, _) = database.accept().unwrap();
    let kill = Command::new("kill").args(["-s", "HUP", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    thread::sleep(Duration::from_millis(100));
    drop((stream, database));
    // By itself, and not by the signal, which leaves no code.
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
#[cfg(target_os = "linux")]
fn a_demo_ends_with_its_terminal() {
    let mut server = Server::sample();
    // Where whoever runs the tests ignores the signal, as `nohup` does, so do its children.
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    let is_ignored = u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 == 1;
    server.signal("HUP");
    if is_ignored {
        assert_eq!(server.query("", "{ __typename }").status, 200);
    } else {
        assert!(!server.child.wait().unwrap().success());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_reloads() {
    let (_folder, connection, source) = sqlite();
    let tables = (0..300).map(|table| {
        format!("CREATE TABLE t{table} (id integer PRIMARY KEY, a text, b text, c int, d int);")
    });
    connection.execute_batch(&tables.collect::<String>()).unwrap();
    let mut configured = Configured::start(&source, "threads = 2");
    let resident = |server: &Server| {
        let status = fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let first = resident(&configured.server);
    for _ in 0..12 {
        configured.reload();
        assert_eq!(configured.server.post("", BODY).status, 200);
    }
    let last = resident(&configured.server);
    // Twelve kept generations would be more than twice the first.
    println!("{first} kB, then {last} kB");
    assert!(last < 2 * first, "{first} kB, then {last} kB");
}

#[test]
fn a_document_that_was_answered_is_refused_once_the_schema_is_told_no_more() {
    let (_folder, _connection, source) = sqlite();
    let mut configured = Configured::start(&source, "");
    let document = "{ __schema { queryType { name } } }";
    let told = r#"{"data":{"__schema":{"queryType":{"name":"Query"}}}}"#;
    let html = "Accept: text/html\r\n";
    assert_eq!(configured.server.query("", document).body, told);
    assert_eq!(configured.server.get("/", html).status, 200);
    write(&configured.folder, &source, "introspection = 'off'\ngraphiql = 'off'");
    configured.reload();
    let refused = configured.server.query("", document).body;
    assert!(refused.contains(r#""code":"INTROSPECTION_DISABLED""#), "{refused}");
    assert_eq!(configured.server.get("/", html).status, 404);
    write(&configured.folder, &source, "");
    configured.reload();
    assert_eq!(configured.server.query("", document).body, told);
    assert_eq!(configured.server.get("/", html).status, 200);
}

#[test]
fn a_supervisor_is_told_what_the_server_does() {
    let (folder, _connection, source) = sqlite();
    let socket = folder.file("notify");
    let supervisor = UnixDatagram::bind(&socket).unwrap();
    supervisor.set_read_timeout(Some(PATIENCE)).unwrap();
    let told = || {
        let mut message = [0; 256];
        let length = supervisor.recv(&mut message).unwrap();
        String::from_utf8(message[..length].to_vec()).unwrap()
    };
    let mut child = thalweg(&["serve", &source, "--listen", "127.0.0.1:0", "--log", "off"])
        .env("NOTIFY_SOCKET", &socket)
        .spawn()
        .unwrap();
    let signal = |name: &str| {
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    };
    assert_eq!(told(), "READY=1\n");
    signal("HUP");
    let reloading = told();
    assert!(reloading.starts_with("RELOADING=1\nMONOTONIC_USEC="), "{reloading}");
    assert_eq!(told(), "READY=1\n");
    fs::remove_file(&source).unwrap();
    signal("HUP");
    assert!(told().starts_with("RELOADING=1\n"));
    assert_eq!(told(), "READY=1\n");
    signal("TERM");
    assert_eq!(told(), "STOPPING=1\n");
    assert!(child.wait().unwrap().success());
}
