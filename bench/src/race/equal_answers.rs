//! Every query of the suites is answered alike, in all dialects, from both kinds of database, and
//! its floors bring the same rows: what the benchmark rests on.

#[path = "../../tests/built/mod.rs"]
mod built;
mod graphs;
mod policies;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value, json};
use testkit::postgres;

use super::data;
use super::floor::Floor;
use super::suite::{Query, Source, Suite, load, variables};
use super::written::{Store, Written};
use crate::http::Connection;
use crate::server::{Server, free_port};

/// Sets of variables for queries that have them.
const SETS: usize = 3;

/// A database with the rows of a suite.
enum Database<'s> {
    Postgres(&'s postgres::Server, String),
    Sqlite(PathBuf),
}

#[test]
fn every_query_of_the_shop_is_answered_alike() {
    check("shop");
}

#[test]
fn every_query_of_prisma_is_answered_alike() {
    check("prisma");
}

#[test]
fn every_query_of_the_meetups_is_answered_alike() {
    check("meetups");
}

fn check(id: &str) {
    let suites = load(&built::workspace().join("bench")).expect("the suites");
    let suite = suites.iter().find(|suite| suite.id == id).expect("the suite");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("rows.db");
    data::fill_sqlite(suite, None, &file).expect("rows in SQLite");
    let sqlite = ask_all(suite, &Database::Sqlite(file), folder.path());
    let Some(installation) = postgres::installations().into_iter().next() else {
        println!("not run on PostgreSQL: there is none");
        return;
    };
    let server = postgres::Server::start(&installation).expect("a server");
    data::fill_postgres(suite, None, &server, id).expect("rows in PostgreSQL");
    let postgres = ask_all(suite, &Database::Postgres(&server, id.to_owned()), folder.path());
    for ((name, of_sqlite), (_, of_postgres)) in sqlite.iter().zip(&postgres) {
        assert!(of_sqlite == of_postgres, "{name}: {of_sqlite}\nis not\n{of_postgres}");
    }
}

/// The text of `data` of each query and set of variables, the same in every dialect.
fn ask_all(suite: &Suite, database: &Database<'_>, folder: &Path) -> Vec<(String, String)> {
    let mut answers: Vec<(String, String)> = Vec::new();
    for (dialect, options) in [
        ("postgraphile", &["--simple-collections", "both", "--connection-filter"][..]),
        ("phrag", &[]),
        ("hasura", &[]),
        ("prisma", &[]),
    ] {
        let url = match database {
            Database::Postgres(server, name) => server.url(name),
            Database::Sqlite(file) => file.display().to_string(),
        };
        let server = start(dialect, options, &url, folder);
        let mut connection = Connection::open(server.port).expect("a connection");
        let mut asked = Vec::new();
        for query in &suite.queries {
            let Some(text) = query.texts.get(dialect) else { continue };
            let sets = variables::sets(&query.file.variables, SETS);
            if let Some(writes) = &query.file.writes {
                let store = match database {
                    Database::Postgres(server, database) => Store::Postgres { server, database },
                    Database::Sqlite(file) => Store::Sqlite(file),
                };
                let written = Written { writes, store };
                check_written(suite, query, database, written, &sets, dialect, |set| {
                    let body = json!({ "query": text, "variables": set }).to_string();
                    connection.post(&body).expect("an answer")
                });
                continue;
            }
            for set in sets {
                let body = json!({ "query": text, "variables": set }).to_string();
                let answer = connection.post(&body).expect("an answer");
                let data = data_of(&answer);
                let name =
                    format!("{} of {} with {}", query.file.id, suite.id, Value::from(set.clone()));
                check_floor(suite, query, database, &set, &data);
                asked.push((name, data));
            }
        }
        // A query has texts in one dialect, or in several.
        for (name, data) in asked {
            match answers.iter().find(|(known, _)| *known == name) {
                Some((_, known)) => assert_eq!(data, *known, "{dialect}: {name}"),
                None => answers.push((name, data)),
            }
        }
    }
    assert!(!answers.is_empty(), "nothing was asked");
    answers
}

/// Server and floor write the requested rows; the payloads of dialects
/// differ.
fn check_written(
    suite: &Suite,
    query: &Query,
    database: &Database<'_>,
    written: Written<'_>,
    sets: &[Map<String, Value>],
    dialect: &str,
    ask: impl FnMut(&Map<String, Value>) -> Vec<u8>,
) {
    let name = format!("{} of {}", query.file.id, suite.id);
    let told = |result: Result<(), String>| result.unwrap_or_else(|told| panic!("{name}: {told}"));
    let answers: Vec<Vec<u8>> = sets.iter().map(ask).collect();
    told(written.check(sets, Some(&answers)));
    told(written.take_back());
    // A floor's rows make the answer in the suite's own dialect.
    let data: Value = serde_json::from_slice(&answers[0]).expect("JSON");
    if dialect == suite.file.dialect {
        for set in sets {
            check_floor(suite, query, database, set, &data["data"].to_string());
        }
        told(written.check(sets, None));
        told(written.take_back());
    }
    let left = written.check(&[], None);
    assert!(left.is_ok(), "{name}: not all is taken back: {left:?}");
}

fn check_floor(
    suite: &Suite,
    query: &Query,
    database: &Database<'_>,
    set: &Map<String, Value>,
    data: &str,
) {
    let data = serde_json::from_str(data).expect("JSON");
    let source = match database {
        Database::Postgres(..) => Source::Postgres,
        Database::Sqlite(_) => Source::Sqlite,
    };
    let floor = Floor::read(suite, query, source).expect("a floor's files").expect("a floor");
    let checked = match database {
        Database::Postgres(server, name) => floor.check_postgres(server, name, set, &data),
        Database::Sqlite(file) => floor.check_sqlite(file, set, &data),
    };
    checked.unwrap_or_else(|error| panic!("{error}"));
}

/// The bytes of the answer's only member, as they came.
fn data_of(answer: &[u8]) -> String {
    let text = std::str::from_utf8(answer).expect("UTF-8");
    let data = text.strip_prefix("{\"data\":").and_then(|rest| rest.strip_suffix('}'));
    let data = data.unwrap_or_else(|| panic!("no data: {text}"));
    // With errors behind it, it would be no JSON.
    assert!(serde_json::from_str::<Value>(data).is_ok(), "more than data: {text}");
    assert!(data.len() > 30, "an empty answer shows nothing: {data}");
    data.to_owned()
}

fn start(dialect: &str, options: &[&str], url: &str, folder: &Path) -> Server {
    let port = free_port().expect("a port");
    let mut command = crate::program::serve(Command::new(built::thalweg()), url, port);
    command.args(["--dialect", dialect]).args(options);
    let log = folder.join(format!("{dialect}-{port}.log"));
    Server::start(command, port, &log).unwrap_or_else(|error| panic!("{error}"))
}
