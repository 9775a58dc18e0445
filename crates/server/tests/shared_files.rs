//! Files of type definitions that several programs use, and files that cannot be written.

use std::collections::BTreeSet;
use std::fs;
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use serde_json::json;

use crate::faults::full_disk::SmallDisk;
use crate::program::{Folder, outcome, run};
use crate::served::{Served, code, receive};

const TYPES: &str = "type Note { id: ID!  text: String! @search(by: [term]) }";
const LATER: &str = "type Note { id: ID!  text: String! @search(by: [term])  stars: Int @search }";

const NO_ROOM: &str = "The data source has no room for this now.";

fn definitions(folder: &Folder, name: &str, text: &str) -> String {
    let file = folder.file(name);
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

fn add(text: &str) -> String {
    format!(r#"mutation {{ addNote(input: [{{text: "{text}"}}]) {{ numUids }} }}"#)
}

fn added() -> serde_json::Value {
    json!({ "data": { "addNote": { "numUids": 1 } } })
}

fn counted(count: usize) -> serde_json::Value {
    json!({ "data": { "aggregateNote": { "count": count } } })
}

const COUNT: &str = "{ aggregateNote { count } }";

#[test]
fn two_servers_change_one_file() {
    let folder = Folder::new();
    let types = definitions(&folder, "schema.graphql", TYPES);
    let data = folder.file("notes.db");
    let both = [(); 2].map(|()| Served::start(&types, &["--data", data.to_str().unwrap()]));
    thread::scope(|scope| {
        for served in both.iter().chain(&both) {
            scope.spawn(|| {
                for number in 0..25 {
                    assert_eq!(served.ask(&add(&number.to_string())), added());
                }
            });
        }
    });
    for mut served in both {
        assert_eq!(served.ask(COUNT), counted(100));
        served.assert_lives();
    }
    // The ids come from one sequence.
    let connection = Connection::open(&data).unwrap();
    let mut ids = connection.prepare(r#"SELECT id FROM "Note""#).unwrap();
    let ids = ids.query_map((), |row| row.get::<_, i64>(0)).unwrap();
    let ids: BTreeSet<i64> = ids.map(Result::unwrap).collect();
    assert_eq!(ids, (1..=100).collect());
}

#[test]
fn a_migration_beside_a_server_lets_it_go_on() {
    let folder = Folder::new();
    let types = definitions(&folder, "schema.graphql", TYPES);
    let data = folder.file("notes.db");
    let data = data.to_str().unwrap();
    let mut served = Served::start(&types, &["--data", data]);
    assert_eq!(served.ask(&add("one")), added());
    let later = definitions(&folder, "later.graphql", LATER);
    let (exit, _, error) = outcome(&run(&["migrate", &later, "--data", data]));
    assert_eq!((exit, &*error), (Some(0), ""));
    assert_eq!(served.ask(&add("two")), added());
    assert_eq!(served.ask(COUNT), counted(2));
    served.assert_lives();
    let second = Served::start(&later, &["--data", data]);
    let answer = second.ask("{ queryNote(order: {asc: text}) { text stars } }");
    let expected = json!([{ "text": "one", "stars": null }, { "text": "two", "stars": null }]);
    assert_eq!(answer["data"]["queryNote"], expected);
}

#[test]
fn a_migration_waits_for_another_program_and_says_so_in_the_end() {
    let folder = Folder::new();
    let types = definitions(&folder, "schema.graphql", TYPES);
    let data = folder.file("notes.db");
    let migrate = ["migrate", &types, "--data", data.to_str().unwrap()];
    assert_eq!(outcome(&run(&migrate)).0, Some(0));
    let later = definitions(&folder, "later.graphql", LATER);
    let migrate = ["migrate", &later, "--data", data.to_str().unwrap()];
    let writer = Connection::open(&data).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (exit, output, error) = outcome(&run(&migrate));
    let expected = format!(
        "error: another program has locked {} for longer than 5s; migrate again when it is done\n",
        data.display()
    );
    assert_eq!((exit, &*output, error), (Some(1), "", expected));
    let waiting = thread::spawn({
        let migrate = migrate.map(str::to_owned);
        move || outcome(&run(&migrate.each_ref().map(String::as_str)))
    });
    thread::sleep(Duration::from_millis(300));
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(waiting.join().unwrap().0, Some(0));
}

#[test]
fn a_full_disk_refuses_objects_and_takes_them_again_when_there_is_room() {
    let Some(disk) = SmallDisk::mount() else { return };
    let folder = Folder::new();
    let types = definitions(&folder, "schema.graphql", TYPES);
    let data = disk.path.join("notes.db");
    let mut served = Served::start(&types, &["--data", data.to_str().unwrap()]);
    assert_eq!(served.ask(&add("first")), added());
    disk.fill();
    let long = add(&"long ".repeat(10_000));
    for _ in 0..3 {
        let answer = served.ask(&long);
        assert_eq!(answer["data"], json!({ "addNote": null }));
        served.assert_masked(&answer, "UNAVAILABLE", NO_ROOM, "full");
        assert_eq!(served.ask(COUNT), counted(1));
    }
    // Those that are committed together, too.
    let waiting: Vec<_> = (0..8).map(|_| served.send(&long)).collect();
    for stream in waiting {
        assert_eq!(code(&receive(stream)), "UNAVAILABLE");
    }
    let later = definitions(&folder, "later.graphql", LATER);
    let (exit, _, error) = outcome(&run(&["migrate", &later, "--data", data.to_str().unwrap()]));
    assert_eq!(exit, Some(1));
    assert!(error.contains("database or disk is full"), "{error}");
    disk.free();
    assert_eq!(served.ask(&long), added());
    assert_eq!(served.ask(COUNT), counted(2));
    served.assert_lives();
}

#[test]
fn a_file_that_cannot_be_written_is_read() {
    let folder = Folder::new();
    let types = definitions(&folder, "schema.graphql", TYPES);
    let data = folder.file("notes.db");
    let words = ["--data", data.to_str().unwrap()];
    drop(Served::start(&types, &words));
    let connection = Connection::open(&data).unwrap();
    connection.execute_batch("PRAGMA journal_mode = DELETE").unwrap();
    drop(connection);
    // SQLite changes no file whose format for writing is of a later version, whoever runs this.
    let mut bytes = fs::read(&data).unwrap();
    bytes[18] = 3;
    fs::write(&data, &bytes).unwrap();
    let mut served = Served::start(&types, &words);
    for _ in 0..2 {
        let answer = served.ask(&add("one"));
        assert_eq!(answer["data"], json!({ "addNote": null }));
        assert_eq!(code(&answer), "READ_ONLY");
        assert_eq!(served.ask(COUNT), counted(0));
    }
    served.assert_lives();
    assert_eq!(fs::read(&data).unwrap(), bytes);
}
