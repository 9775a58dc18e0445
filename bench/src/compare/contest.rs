//! One set of options: the three are started, asked, and compared.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use testkit::postgres;

use super::contestant::{self, Contestant};
use super::corpus::{self, Query};
use super::set::{Kind, Set};
use super::tables::Databases;
use super::{CompareError, DATABASE, Difference, Options, Subject, answers};
use crate::peers::{self, Peer};
use crate::program;
use crate::server::free_port;

/// The databases of those that write: Thalweg, version 4, version 5.
pub(crate) const WRITERS: [&str; 3] = ["compare_thalweg", "compare_v4", "compare_v5"];

/// Servers, files and folders of a comparison.
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

/// A contestant and its database, which is not its own where nobody writes.
struct Side {
    contestant: Contestant,
    database: &'static str,
}

/// Every difference under a set of options.
pub(crate) fn run(
    set: &Set,
    place: &Place<'_>,
    options: &Options,
) -> Result<Vec<Difference>, CompareError> {
    let queries = corpus::read(&place.queries.join(set.name))?;
    let Some(asked) = contestant::chosen(&queries, options) else { return Ok(Vec::new()) };
    println!("compare: {}: {} queries", set.name, asked.len());
    let ours = start_thalweg(set, place)?;
    let mut theirs = Vec::new();
    if let Some(options) = set.version4 {
        theirs.push((Peer::Version4, start_version4(set, options, place)?));
    }
    if let Some(preset) = set.version5 {
        theirs.push((Peer::Version5, start_version5(set, preset, place)?));
    }
    let mut differences = Vec::new();
    for query in asked {
        let our_answers = ask(&ours, query, set, place)?;
        for (peer, side) in &theirs {
            let their_answers = ask(side, query, set, place)?;
            let names = Names { set, query, several: query.requests.len() > 1, peer: *peer };
            add_differences(&names, &their_answers, &our_answers, &mut differences);
            if set.kind.writes() {
                compare_tables(&names, side, &ours, place, &mut differences)?;
            }
        }
    }
    if options.only.is_none() {
        // Version 4 is the reference, where it takes part: with its names, version 5's schema is another.
        let reference = if set.version4.is_some() { Peer::Version4 } else { Peer::Version5 };
        for (peer, side) in theirs.iter().filter(|(peer, _)| *peer == reference) {
            let (theirs, ours) = (&side.contestant, &ours.contestant);
            differences.extend(contestant::compare_schemas(set.name, *peer, theirs, ours)?);
        }
    }
    if options.keep {
        let all = theirs.iter().map(|(_, one)| one).chain([&ours]);
        contestant::wait_for_enter(all.map(|side| &side.contestant))?;
    }
    Ok(differences)
}

/// The names in a difference between two answers.
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

/// Compares the tables of two databases after a query.
fn compare_tables(
    names: &Names<'_>,
    theirs: &Side,
    ours: &Side,
    place: &Place<'_>,
    differences: &mut Vec<Difference>,
) -> Result<(), CompareError> {
    let dump = |side: &Side| place.databases.dump(side.database).map_err(CompareError::Schema);
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
    side: &Side,
    query: &Query,
    set: &Set,
    place: &Place<'_>,
) -> Result<Vec<Value>, CompareError> {
    if set.kind.writes() {
        place.databases.reset(side.database).map_err(CompareError::Schema)?;
    }
    let mut all: Vec<Value> = Vec::new();
    for request in &query.requests {
        all.push(side.contestant.ask(query, request, all.last())?);
    }
    Ok(all)
}

fn start_thalweg(set: &Set, place: &Place<'_>) -> Result<Side, CompareError> {
    let port = free_port()?;
    let database = database(set, WRITERS[0]);
    let command = Command::new(&place.thalweg);
    let mut command = program::serve(command, &place.server.url(database), port);
    command.args(["--schema", set.schema]).args(set.thalweg);
    start("thalweg", database, command, port, &place.logs)
}

fn start_version4(set: &Set, options: &str, place: &Place<'_>) -> Result<Side, CompareError> {
    let port = free_port()?;
    let database = database(set, WRITERS[1]);
    let mut command = peers::node(&place.version4);
    let address = place.server.url(database);
    command
        .args(["server.js", &port.to_string(), &address, set.schema, options])
        .env("GRAPHILE_TURBO", "1")
        .env("NODE_ENV", "production")
        .current_dir(&place.version4);
    start("PostGraphile 4", database, command, port, &place.logs)
}

fn start_version5(set: &Set, preset: &str, place: &Place<'_>) -> Result<Side, CompareError> {
    let port = free_port()?;
    let database = database(set, WRITERS[2]);
    let mut command = peers::node(&place.version5);
    let address = place.server.url(database);
    command
        .args(["server.mjs", &port.to_string(), &address, set.schema, preset])
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
) -> Result<Side, CompareError> {
    let log = logs.join(format!("{}.log", name.to_lowercase().replace(' ', "-")));
    Ok(Side { contestant: Contestant::start(name, command, port, &log)?, database })
}
