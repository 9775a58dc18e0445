//! One set of options: the three are started, asked, and compared.

use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use testkit::postgres;

use super::corpus::{self, Query};
use super::set::{Kind, SECRET, Set};
use super::tables::Databases;
use super::{CompareError, DATABASE, Difference, Options, SCHEMA, Subject, answers, schemas};
use crate::http::Connection;
use crate::peers::{self, Peer};
use crate::server::{Server, free_port};

/// The databases of those that write: Thalweg, version 4, version 5.
pub(crate) const WRITERS: [&str; 3] = ["compare_thalweg", "compare_v4", "compare_v5"];

/// Where everything is.
#[derive(Debug)]
pub(crate) struct Place<'s> {
    pub(crate) server: &'s postgres::Server,
    pub(crate) databases: &'s Databases<'s>,
    pub(crate) version4: PathBuf,
    pub(crate) version5: PathBuf,
    pub(crate) thalweg: PathBuf,
    pub(crate) logs: PathBuf,
    pub(crate) queries: PathBuf,
}

/// One of the three, running.
struct Contestant {
    name: &'static str,
    /// Its database; not its own where nobody writes.
    database: &'static str,
    server: Server,
}

/// Every difference under a set of options.
pub(crate) fn run(
    set: &Set,
    place: &Place<'_>,
    options: &Options,
) -> Result<Vec<Difference>, CompareError> {
    let queries = corpus::read(&place.queries.join(set.name))?;
    let asked: Vec<&Query> = queries
        .iter()
        .filter(|query| options.only.as_deref().is_none_or(|word| query.name.contains(word)))
        .collect();
    if asked.is_empty() && options.only.is_some() {
        return Ok(Vec::new());
    }
    println!("compare: {}: {} queries", set.name, asked.len());
    let ours = start_thalweg(set, place)?;
    let mut theirs = vec![(Peer::Version4, start_version4(set, place)?)];
    if let Some(preset) = set.version5 {
        theirs.push((Peer::Version5, start_version5(set, preset, place)?));
    }
    let mut differences = Vec::new();
    for query in asked {
        let our_answers = ask(&ours, query, set, place)?;
        for (peer, contestant) in &theirs {
            let their_answers = ask(contestant, query, set, place)?;
            let names = Names { set, query, several: query.requests.len() > 1, peer: *peer };
            add_differences(&names, &their_answers, &our_answers, &mut differences);
            if set.kind.writes() {
                compare_tables(&names, contestant, &ours, place, &mut differences)?;
            }
        }
    }
    if options.only.is_none() {
        // Thalweg imitates version 4; where version 5's schema is another, version 4's counts.
        for (peer, contestant) in theirs.iter().filter(|(peer, _)| *peer == Peer::Version4) {
            compare_schemas(set, *peer, contestant, &ours, &mut differences)?;
        }
    }
    if options.keep {
        wait_for_enter(&ours, &theirs)?;
    }
    Ok(differences)
}

/// What a difference between two answers is filed under.
struct Names<'q> {
    set: &'q Set,
    query: &'q Query,
    several: bool,
    peer: Peer,
}

fn add_differences(
    names: &Names<'_>,
    theirs: &[Value],
    ours: &[Value],
    differences: &mut Vec<Difference>,
) {
    for (index, (theirs, ours)) in theirs.iter().zip(ours).enumerate() {
        let mut mismatches = answers::compare(theirs, ours);
        if names.set.kind == Kind::Errors && names.peer == Peer::Version4 {
            mismatches.extend(answers::compare_errors(theirs, ours));
        }
        for mismatch in mismatches {
            let number = if names.several { format!("{}.", index + 1) } else { String::new() };
            differences.push(Difference {
                subject: Subject::Data,
                peer: names.peer,
                place: format!("{}/{}", names.set.name, names.query.name),
                what: number + &mismatch.path,
                theirs: mismatch.theirs,
                ours: mismatch.ours,
            });
        }
    }
}

/// What a query left in the databases of two.
fn compare_tables(
    names: &Names<'_>,
    theirs: &Contestant,
    ours: &Contestant,
    place: &Place<'_>,
    differences: &mut Vec<Difference>,
) -> Result<(), CompareError> {
    let dump = |contestant: &Contestant| {
        place.databases.dump(contestant.database).map_err(CompareError::Schema)
    };
    for (table, theirs, ours) in dump(theirs)?.compare(&dump(ours)?) {
        differences.push(Difference {
            subject: Subject::Data,
            peer: names.peer,
            place: format!("{}/{}", names.set.name, names.query.name),
            what: format!("tables.{table}"),
            theirs,
            ours,
        });
    }
    Ok(())
}

/// The answers to all requests of a query, by a database as it was in the beginning.
fn ask(
    contestant: &Contestant,
    query: &Query,
    set: &Set,
    place: &Place<'_>,
) -> Result<Vec<Value>, CompareError> {
    if set.kind.writes() {
        place.databases.reset(contestant.database).map_err(CompareError::Schema)?;
    }
    let mut all: Vec<Value> = Vec::new();
    for request in &query.requests {
        let body = request.body(all.last());
        let token = request.token(SECRET);
        all.push(send(contestant, &query.name, &body, token.as_deref())?);
    }
    Ok(all)
}

fn send(
    contestant: &Contestant,
    query: &str,
    body: &Value,
    token: Option<&str>,
) -> Result<Value, CompareError> {
    let asked =
        Connection::open(contestant.server.port).and_then(|mut open| open.ask_as(body, token));
    asked.map_err(|error| {
        let (who, query) = (contestant.name, query.to_owned());
        CompareError::Http { who, query, error }
    })
}

fn compare_schemas(
    set: &Set,
    peer: Peer,
    theirs: &Contestant,
    ours: &Contestant,
    differences: &mut Vec<Difference>,
) -> Result<(), CompareError> {
    let body = json!({ "query": schemas::INTROSPECTION });
    let read = |contestant: &Contestant| {
        let answer = send(contestant, "introspection", &body, None)?;
        schemas::find_schema(&answer).ok_or(CompareError::Introspection { who: contestant.name })
    };
    let lines = schemas::compare(&read(theirs)?, &read(ours)?);
    differences.extend(lines.into_iter().map(|what| Difference {
        subject: Subject::Schema,
        peer,
        place: set.name.to_owned(),
        what,
        theirs: String::new(),
        ours: String::new(),
    }));
    Ok(())
}

fn start_thalweg(set: &Set, place: &Place<'_>) -> Result<Contestant, CompareError> {
    let port = free_port()?;
    let database = database(set, WRITERS[0]);
    let mut command = Command::new(&place.thalweg);
    command.args(["serve", &place.server.url(database), "--schema", SCHEMA]);
    command.args(["--listen", &format!("127.0.0.1:{port}")]).args(set.thalweg);
    start("thalweg", database, command, port, &place.logs)
}

fn start_version4(set: &Set, place: &Place<'_>) -> Result<Contestant, CompareError> {
    let port = free_port()?;
    let database = database(set, WRITERS[1]);
    let mut command = peers::node(&place.version4);
    let address = place.server.url(database);
    command
        .args(["server.js", &port.to_string(), &address, SCHEMA, set.version4])
        .env("GRAPHILE_TURBO", "1")
        .env("NODE_ENV", "production")
        .current_dir(&place.version4);
    start("PostGraphile 4", database, command, port, &place.logs)
}

fn start_version5(set: &Set, preset: &str, place: &Place<'_>) -> Result<Contestant, CompareError> {
    let port = free_port()?;
    let database = database(set, WRITERS[2]);
    let mut command = peers::node(&place.version5);
    let address = place.server.url(database);
    command
        .args(["server.mjs", &port.to_string(), &address, SCHEMA, preset])
        .env("NODE_ENV", "production")
        .current_dir(&place.version5);
    start("PostGraphile 5", database, command, port, &place.logs)
}

/// The database that all read, or one that only one writes.
fn database(set: &Set, own: &'static str) -> &'static str {
    if set.kind.writes() { own } else { DATABASE }
}

fn start(
    name: &'static str,
    database: &'static str,
    command: Command,
    port: u16,
    logs: &Path,
) -> Result<Contestant, CompareError> {
    let log = logs.join(format!("{}.log", name.to_lowercase().replace(' ', "-")));
    Ok(Contestant { name, database, server: Server::start(command, port, &log)? })
}

fn wait_for_enter(ours: &Contestant, theirs: &[(Peer, Contestant)]) -> Result<(), CompareError> {
    for contestant in theirs.iter().map(|(_, one)| one).chain([ours]) {
        println!("{:<16}http://127.0.0.1:{}/graphql", contestant.name, contestant.server.port);
    }
    println!("Enter ends them.");
    io::stdin().lock().read_line(&mut String::new())?;
    Ok(())
}
