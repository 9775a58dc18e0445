//! The write-ahead log of an SQLite file when the server ends: it holds nothing that is not in the
//! file, and takes no place, though somebody else has the file open.

use rusqlite::Connection;

use crate::program::{Folder, Server};

/// More than SQLite moves into the file by itself.
const ROWS: i64 = 5;

#[test]
fn the_log_is_empty_when_the_server_has_ended() {
    for signal in ["TERM", "INT"] {
        let folder = Folder::new();
        let file = folder.file("t.db");
        let other = Connection::open(&file).unwrap();
        other.pragma_update(None, "journal_mode", "wal").unwrap();
        other.execute_batch("CREATE TABLE t (id integer PRIMARY KEY, x text)").unwrap();
        let size = || folder.file("t.db-wal").metadata().map_or(0, |log| log.len());
        let mut server =
            Server::start(&["serve", file.to_str().unwrap(), "--listen", "127.0.0.1:0"]);
        let text = "y".repeat(300_000);
        let create =
            format!("mutation {{ createT(input: {{t: {{x: \"{text}\"}}}}) {{ t {{ id }} }} }}");
        for _ in 0..ROWS {
            let answer = server.query("", &create).body;
            assert!(!answer.contains("errors"), "{answer}");
        }
        assert!(size() > 300_000, "{}", size());
        server.signal(signal);
        assert!(server.child.wait().unwrap().success());
        assert_eq!(size(), 0, "{signal}");
        let count: i64 = other.query_row("SELECT count(*) FROM t", (), |row| row.get(0)).unwrap();
        assert_eq!(count, ROWS);
    }
}
