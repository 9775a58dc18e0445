//! Servers of type definitions that are killed while clients add objects: what was acknowledged is
//! there, and no add is there in part.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::program::{Folder, PATIENCE, Server, post, read_answer};

const TYPES: &str = "
    type Writer { name: String! @id  notes: [Note] @hasInverse(field: writer) }
    type Note { id: ID!  text: String!  writer: Writer! }
";

const KILLS: u64 = 100;

const CLIENTS: usize = 2;

/// Adds writers with two notes each until the server is gone; the names that it acknowledged, which
/// `total` counts.
fn add(address: SocketAddr, client: &str, total: &AtomicU64) -> Vec<String> {
    let mut acknowledged = Vec::new();
    let Ok(stream) = TcpStream::connect(address) else { return acknowledged };
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    for number in 0.. {
        let name = format!("{client}-{number}");
        let body = format!(
            r#"{{"query":"mutation {{ addWriter(input: [{{name: \"{name}\", notes: [{{text: \"a\"}}, {{text: \"b\"}}]}}]) {{ numUids }} }}"}}"#
        );
        if stream.write_all(post("application/json", "", &body).as_bytes()).is_err() {
            break;
        }
        let Some(answer) = answer_of(&mut reader) else { break };
        assert_eq!(answer, r#"{"data":{"addWriter":{"numUids":3}}}"#);
        acknowledged.push(name);
        total.fetch_add(1, Ordering::Relaxed);
    }
    acknowledged
}

/// Waits until so many adds are acknowledged, then for the delay: kills by a delay alone come before
/// the first add where the machine is busy.
fn wait_for_adds(total: &AtomicU64, least: u64, delay: Duration) {
    let deadline = Instant::now() + PATIENCE;
    while total.load(Ordering::Relaxed) < least {
        assert!(Instant::now() < deadline, "{least} adds are not acknowledged in {PATIENCE:?}");
        thread::sleep(Duration::from_micros(100));
    }
    thread::sleep(delay);
}

/// `None`: the server was gone before it had answered.
fn answer_of(reader: &mut BufReader<TcpStream>) -> Option<String> {
    match reader.fill_buf() {
        Ok([]) | Err(_) => None,
        Ok(_) => Some(read_answer(reader, true).body),
    }
}

#[test]
fn a_hundred_kills_lose_no_acknowledged_add() {
    let folder = Folder::new();
    let (types, file) = (folder.file("schema.graphql"), folder.file("notes.db"));
    std::fs::write(&types, TYPES).unwrap();
    let words = ["serve", types.to_str().unwrap(), "--data", file.to_str().unwrap()];
    let words = [&words[..], &["--listen", "127.0.0.1:0"]].concat();
    let mut acknowledged = BTreeSet::new();
    for kill in 0..KILLS {
        let mut server = Server::start(&words);
        let total = Arc::new(AtomicU64::new(0));
        let clients = (0..CLIENTS).map(|client| {
            let (address, name) = (server.address, format!("{kill}-{client}"));
            let total = Arc::clone(&total);
            thread::spawn(move || add(address, &name, &total))
        });
        let clients: Vec<_> = clients.collect();
        // Also before the first add of a server.
        wait_for_adds(&total, kill % 7, Duration::from_millis(kill % 20));
        server.child.kill().unwrap();
        server.child.wait().unwrap();
        for client in clients {
            acknowledged.extend(client.join().unwrap());
        }
    }
    assert!(acknowledged.len() > 100, "only {} adds were acknowledged", acknowledged.len());
    let stored = Connection::open(&file).unwrap();
    let check: String = stored.query_row("PRAGMA integrity_check", (), |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
    let sql = r#"
        SELECT name, (SELECT count(*) FROM "Note" WHERE "Note".writer = "Writer".id) FROM "Writer"
    "#;
    let mut names = BTreeSet::new();
    let mut writers = stored.prepare(sql).unwrap();
    let mut writers = writers.query(()).unwrap();
    while let Some(writer) = writers.next().unwrap() {
        let (name, notes): (String, i64) = (writer.get(0).unwrap(), writer.get(1).unwrap());
        assert_eq!(notes, 2, "the add of {name} is there in part");
        names.insert(name);
    }
    let lost: Vec<_> = acknowledged.difference(&names).collect();
    assert!(lost.is_empty(), "{} of {} are lost: {lost:?}", lost.len(), acknowledged.len());
    // One at most of each client was stored and not acknowledged.
    let unsaid = names.len() - acknowledged.len();
    assert!(unsaid <= CLIENTS * usize::try_from(KILLS).unwrap(), "{unsaid}");
}
