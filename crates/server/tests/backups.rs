//! `thalweg backup` and `thalweg restore`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rusqlite::Connection;

use crate::faults::full_disk::SmallDisk;
use crate::program::{Folder, outcome, run};
use crate::served::Served;

const TYPES: &str = "
    type Writer { name: String! @id  notes: [Note] @hasInverse(field: writer) }
    type Note { id: ID!  text: String! @search(by: [term])  writer: Writer! }
";

const CLIENTS: usize = 3;

/// A database of type definitions, in a folder of its own.
struct Shop {
    folder: Folder,
}

impl Shop {
    /// The tables, without rows.
    fn new() -> Self {
        let shop = Self { folder: Folder::new() };
        fs::write(shop.folder.file("schema.graphql"), TYPES).unwrap();
        let (code, _, error) =
            outcome(&run(&["migrate", &shop.path("schema.graphql"), "--data", &shop.path("a.db")]));
        assert_eq!((code, &*error), (Some(0), ""));
        shop
    }

    /// A writer with so many notes.
    fn with_notes(name: &str, notes: i64) -> Self {
        let shop = Self::new();
        let connection = Connection::open(shop.path("a.db")).unwrap();
        let writer = r#"INSERT INTO "Writer" (id, name) VALUES (1, ?1)"#;
        connection.execute(writer, [name]).unwrap();
        let rows = r#"
            WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i <= ?1)
            INSERT INTO "Note" (id, text, writer) SELECT i, 'note ' || hex(randomblob(200)), 1 FROM n
        "#;
        connection.execute(rows, [notes]).unwrap();
        shop
    }

    fn path(&self, name: &str) -> String {
        self.folder.file(name).to_str().unwrap().to_owned()
    }

    fn serve(&self, file: &str) -> Served {
        Served::start(&self.path("schema.graphql"), &["--data", &self.path(file)])
    }

    fn backup(&self, options: &[&str]) -> (Option<i32>, String, String) {
        let words = ["backup", "--data", &self.path("a.db"), "--output", &self.path("copy.db")];
        outcome(&run(&[&words, options].concat()))
    }

    fn restore(&self, from: &str, to: &str, options: &[&str]) -> (Option<i32>, String, String) {
        let words = ["restore", &self.path(from), "--data", &self.path(to)];
        outcome(&run(&[&words, options].concat()))
    }

    /// Fails with this error, and leaves nothing.
    fn check_refused(&self, from: &str, message: &str) {
        let (code, output, error) = self.restore(from, "b.db", &[]);
        assert_eq!((code, &*output), (Some(1), ""), "{error}");
        let error = error.replace(&self.path(""), "");
        assert_eq!(error, format!("error: {message}\n"));
        assert!(!self.folder.file("b.db").exists());
        assert!(!self.folder.file("b.db.partial").exists());
    }

    /// The files that begin with a name.
    fn files(&self, beginning: &str) -> Vec<String> {
        let files = fs::read_dir(&self.folder.0).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name.starts_with(beginning)).collect();
        names.sort();
        names
    }
}

/// Names of the writers of a file, which has to be whole.
fn names(file: &str) -> BTreeSet<String> {
    let connection = Connection::open(file).unwrap();
    let text = |sql| connection.query_row(sql, (), |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(text("PRAGMA integrity_check"), "ok");
    assert_eq!(text("PRAGMA journal_mode"), "wal");
    let sql = r#"
        SELECT name, (SELECT count(*) FROM "Note" WHERE "Note".writer = "Writer".id) FROM "Writer"
    "#;
    let mut names = BTreeSet::new();
    let mut writers = connection.prepare(sql).unwrap();
    let mut writers = writers.query(()).unwrap();
    while let Some(writer) = writers.next().unwrap() {
        let (name, notes): (String, i64) = (writer.get(0).unwrap(), writer.get(1).unwrap());
        assert_eq!(notes, 2, "the add of {name} is there in part");
        names.insert(name);
    }
    names
}

/// Adds writers with two notes each until `ends`, and collects the names that were acknowledged.
fn add(served: &Served, client: usize, acknowledged: &Mutex<Vec<String>>, ends: &AtomicBool) {
    for number in 0.. {
        if ends.load(Ordering::SeqCst) {
            break;
        }
        let name = format!("{client}-{number}");
        let answer = served.ask(&format!(
            r#"mutation {{ addWriter(input: [{{name: "{name}", notes: [{{text: "a"}}, {{text: "b"}}]}}]) {{ numUids }} }}"#
        ));
        assert_eq!(answer["data"]["addWriter"]["numUids"], 3, "{answer}");
        acknowledged.lock().unwrap().push(name);
    }
}

#[test]
fn a_backup_while_clients_add_has_all_that_was_acknowledged_before_it() {
    let shop = Shop::new();
    let served = Arc::new(shop.serve("a.db"));
    let acknowledged = Arc::new(Mutex::new(Vec::new()));
    let ends = Arc::new(AtomicBool::new(false));
    let clients = (0..CLIENTS).map(|client| {
        let (served, acknowledged) = (Arc::clone(&served), Arc::clone(&acknowledged));
        let ends = Arc::clone(&ends);
        thread::spawn(move || add(&served, client, &acknowledged, &ends))
    });
    let clients: Vec<_> = clients.collect();
    let mut copies = 0;
    while copies < 5 {
        thread::sleep(Duration::from_millis(100));
        let before: BTreeSet<String> = acknowledged.lock().unwrap().iter().cloned().collect();
        let (code, output, error) = shop.backup(&["--force"]);
        assert_eq!((code, &*error), (Some(0), ""), "{output}");
        assert!(output.ends_with(", migration 1.\n"), "{output}");
        let copied = names(&shop.path("copy.db"));
        let lost: Vec<_> = before.difference(&copied).collect();
        assert!(lost.is_empty(), "{} of {} are lost: {lost:?}", lost.len(), before.len());
        copies += u8::from(!before.is_empty());
    }
    ends.store(true, Ordering::SeqCst);
    for client in clients {
        client.join().unwrap();
    }
    let all: BTreeSet<String> = acknowledged.lock().unwrap().iter().cloned().collect();
    // The last copy is served under another name, and takes further objects.
    let (code, output, error) = shop.restore("copy.db", "b.db", &[]);
    assert_eq!((code, &*error), (Some(0), ""), "{output}");
    let restored = shop.serve("b.db");
    let answer = restored.ask("{ aggregateWriter { count } }");
    let copied = names(&shop.path("copy.db"));
    assert_eq!(answer["data"]["aggregateWriter"]["count"], copied.len());
    let answer = restored.ask(r#"mutation { addWriter(input: [{name: "new"}]) { numUids } }"#);
    assert_eq!(answer["data"]["addWriter"]["numUids"], 1, "{answer}");
    drop(served);
    assert_eq!(names(&shop.path("a.db")), all);
}

#[test]
fn nothing_is_overwritten_without_force_or_while_it_is_open() {
    let shop = Shop::with_notes("old", 2);
    let served = shop.serve("a.db");
    let count = served.ask("{ aggregateNote { count } }");
    assert_eq!(count["data"]["aggregateNote"]["count"], 2);
    let (code, output, _) = shop.backup(&[]);
    assert_eq!(code, Some(0), "{output}");
    let (code, _, error) = shop.backup(&[]);
    let there = format!("error: {} exists; `--force` replaces it\n", shop.path("copy.db"));
    assert_eq!((code, error), (Some(1), there));
    // The server has the file open, whether or not it has written.
    let (code, _, error) = shop.restore("copy.db", "a.db", &["--force"]);
    let open = format!(
        "error: {} is open in another program; stop it, and try again\n",
        shop.path("a.db")
    );
    assert_eq!((code, &*error), (Some(1), &*open));
    let answer = served.ask(
        r#"mutation { addWriter(input: [{name: "new", notes: [{text: "a"}, {text: "b"}]}]) { numUids } }"#,
    );
    assert_eq!(answer["data"]["addWriter"]["numUids"], 3, "{answer}");
    let (code, _, error) = shop.restore("copy.db", "a.db", &["--force"]);
    assert_eq!((code, &*error), (Some(1), &*open));
    let words = ["backup", "--data", &shop.path("copy.db"), "--output", &shop.path("a.db")];
    let (code, _, error) = outcome(&run(&[&words[..], &["--force"]].concat()));
    assert_eq!((code, &*error), (Some(1), &*open));
    let link = shop.folder.file("link.db");
    std::os::unix::fs::symlink(shop.path("a.db"), &link).unwrap();
    let (code, _, error) = outcome(&run(&[
        "backup",
        "--data",
        &shop.path("a.db"),
        "--output",
        link.to_str().unwrap(),
        "--force",
    ]));
    assert_eq!(code, Some(1));
    assert!(error.ends_with(" are the same file\n"), "{error}");
    drop(served);
    let both = BTreeSet::from(["new".to_owned(), "old".to_owned()]);
    assert_eq!(names(&shop.path("a.db")), both);
    let (code, _, error) = shop.restore("copy.db", "a.db", &[]);
    let there = format!("error: {} exists; `--force` replaces it\n", shop.path("a.db"));
    assert_eq!((code, error), (Some(1), there));
    let (code, _, error) = shop.restore("copy.db", "a.db", &["--force"]);
    assert_eq!((code, &*error), (Some(0), ""));
    assert_eq!(names(&shop.path("a.db")), BTreeSet::from(["old".to_owned()]));
    assert_eq!(shop.files("copy"), ["copy.db"]);
}

#[test]
fn a_log_that_a_killed_program_left_does_not_get_into_the_restored_file() {
    let shop = Shop::with_notes("old", 2);
    assert_eq!(shop.backup(&[]).0, Some(0));
    for is_damaged in [false, true] {
        let connection = Connection::open(shop.path("a.db")).unwrap();
        connection.execute_batch(r#"UPDATE "Writer" SET name = 'newer'"#).unwrap();
        let log = fs::read(shop.path("a.db-wal")).unwrap();
        assert!(!log.is_empty());
        drop(connection);
        fs::write(shop.path("a.db-wal"), &log).unwrap();
        if is_damaged {
            fs::write(shop.path("a.db"), "damaged").unwrap();
        }
        let (code, _, error) = shop.restore("copy.db", "a.db", &["--force"]);
        assert_eq!((code, &*error), (Some(0), ""));
        assert_eq!(shop.files("a"), ["a.db"]);
        assert_eq!(names(&shop.path("a.db")), BTreeSet::from(["old".to_owned()]));
    }
    // The file itself is gone, and its log is not.
    let log = [1; 10_000];
    fs::write(shop.path("b.db-wal"), log).unwrap();
    fs::write(shop.path("b.db-journal"), log).unwrap();
    let (code, _, error) = shop.restore("copy.db", "b.db", &[]);
    assert_eq!((code, &*error), (Some(0), ""));
    assert_eq!(shop.files("b"), ["b.db"]);
}

#[test]
fn a_backup_that_is_damaged_or_of_something_else_is_refused() {
    let shop = Shop::with_notes("old", 2_000);
    assert_eq!(shop.backup(&[]).0, Some(0));
    let whole = fs::read(shop.path("copy.db")).unwrap();
    fs::write(shop.path("cut.db"), &whole[..whole.len() / 2]).unwrap();
    shop.check_refused("cut.db", "cut.db is damaged: database disk image is malformed");
    let mut damaged = whole;
    let middle = damaged.len() / 2;
    damaged[middle..middle + 300].fill(0xaa);
    fs::write(shop.path("holes.db"), &damaged).unwrap();
    let (code, _, error) = shop.restore("holes.db", "b.db", &[]);
    assert_eq!(code, Some(1));
    assert!(error.contains("holes.db is damaged: "), "{error}");
    assert!(!shop.folder.file("b.db").exists());
    fs::write(shop.path("text.db"), "a text, and no database of SQLite").unwrap();
    shop.check_refused("text.db", "text.db is damaged: file is not a database");
    fs::write(shop.path("empty.db"), "").unwrap();
    let foreign = "no history of migrations: it is no database of type definitions; copy it with \
                   SQLite's own `.backup`";
    shop.check_refused("empty.db", &format!("empty.db has {foreign}"));
    let other = Connection::open(shop.path("other.db")).unwrap();
    other.execute_batch("CREATE TABLE t (id integer PRIMARY KEY)").unwrap();
    drop(other);
    shop.check_refused("other.db", &format!("other.db has {foreign}"));
    shop.check_refused("missing.db", "there is no file missing.db");
    fs::create_dir(shop.folder.file("folder.db")).unwrap();
    let folder = "folder.db is a folder; give the path of a SQLite file";
    shop.check_refused("folder.db", folder);
    // Changed by hand, without foreign keys.
    let connection = Connection::open(shop.path("a.db")).unwrap();
    let change = r#"PRAGMA foreign_keys = OFF; UPDATE "Note" SET writer = 77 WHERE id < 5"#;
    connection.execute_batch(change).unwrap();
    drop(connection);
    let (code, _, error) = shop.backup(&["--force"]);
    let violated = "3 rows of Note refer to rows of Writer that are not there.";
    assert_eq!((code, error), (Some(0), format!("warning: {violated}\n")));
    shop.check_refused(
        "copy.db",
        &format!(
            "{violated}\n  Remedy: take another backup, or copy this one yourself to repair it."
        ),
    );
}

#[test]
fn a_backup_without_room_leaves_nothing() {
    let Some(disk) = SmallDisk::mount() else { return };
    let shop = Shop::with_notes("old", 5_000);
    let output = disk.path.join("copy.db");
    let words = ["backup", "--data", &shop.path("a.db"), "--output", output.to_str().unwrap()];
    let (code, _, error) = outcome(&run(&words));
    let path = output.display();
    let expected = format!("error: cannot write {path}.partial: database or disk is full\n");
    assert_eq!((code, error), (Some(1), expected));
    assert_eq!(fs::read_dir(&disk.path).unwrap().count(), 0);
}

#[test]
fn other_databases_are_copied_by_their_own_programs() {
    let check = |words: &[&str], expected: &str| {
        let (code, _, error) = outcome(&run(words));
        assert_eq!(code, Some(1), "{error}");
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains("secret"), "{error}");
    };
    let postgres = "postgres://u:secret@127.0.0.1:1/a";
    check(&["backup", "--data", postgres, "--output", "a"], "`pg_dump");
    check(&["restore", "a", "--data", postgres], "`pg_basebackup`");
    check(&["restore", "a", "--data", "neo4j://127.0.0.1"], "`neo4j-admin database dump`");
    let missing = Path::new("/nowhere/a.db");
    check(&["backup", "--data", missing.to_str().unwrap(), "--output", "a"], "there is no file");
}
