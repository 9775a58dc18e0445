//! Neo4j's GraphQL library and Thalweg on one graph: both are asked the same, one after the other.
//!
//! `set` has the sets of type definitions, `dump` what is in the graph after a mutation, `made` hides
//! what each of the two makes anew.

mod dump;
mod made;
mod set;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use testkit::neo4j::{self, Graph};

use super::contestant::{self, Contestant};
use super::corpus::{self, Query};
use super::expected::Expectations;
use super::set::SECRET;
use super::{CompareError, Difference, Options, Subject, answers};
use crate::peers;
use crate::program;
use crate::server::free_port;
use set::Set;

pub(crate) use set::SETS;

/// Servers, files and folders of a comparison.
struct Place<'g> {
    graph: &'g Graph,
    /// The statements that make the graph.
    contents: String,
    fixtures: PathBuf,
    workspace: &'g Path,
    thalweg: &'g Path,
    logs: &'g Path,
}

/// Compares the sets; true if there is nothing to object to, or no Neo4j, which has been told then.
pub(crate) fn compare(
    workspace: &Path,
    options: &Options,
    sets: &[&Set],
    thalweg: &Path,
    logs: &Path,
) -> Result<bool, CompareError> {
    let fixtures = workspace.join("fixtures/compare/neo4j");
    let mut expectations = Expectations::read(&fixtures.join("expected.txt"))?;
    println!("compare: starting Neo4j");
    let Some(graph) = neo4j::take_with_apoc()? else { return Ok(options.set.is_none()) };
    let contents = fs::read_to_string(fixtures.join("graph.cypher"))?;
    let place = Place { graph: &graph, contents, fixtures, workspace, thalweg, logs };
    let mut unexpected = 0;
    for set in sets {
        let differences = run(set, &place, options)?;
        unexpected += super::print_differences(&mut expectations, &differences, options.verbose);
    }
    Ok(super::conclude(&expectations, unexpected, options))
}

/// Every difference in a set.
fn run(set: &Set, place: &Place<'_>, options: &Options) -> Result<Vec<Difference>, CompareError> {
    let queries = corpus::read(&place.fixtures.join("queries").join(set.name))?;
    let Some(asked) = contestant::chosen(&queries, options) else { return Ok(Vec::new()) };
    println!("compare: {}: {} queries", set.name, asked.len());
    place.reset()?;
    let theirs = start_peer(set, place)?;
    let ours = start_thalweg(set, place)?;
    let mut differences = Vec::new();
    for query in asked {
        let (their_answers, their_graph) = ask(&theirs, query, set, place)?;
        let (our_answers, our_graph) = ask(&ours, query, set, place)?;
        let names = Names { set, query };
        for (index, (theirs, ours)) in their_answers.iter().zip(&our_answers).enumerate() {
            names.add_answers(index, theirs, ours, &mut differences);
        }
        for (kind, theirs, ours) in dump::compare(&their_graph, &our_graph) {
            names.add(format!("graph.{kind}"), theirs, ours, &mut differences);
        }
    }
    if options.only.is_none() {
        differences.extend(contestant::compare_schemas(set.name, set.peer, &theirs, &ours)?);
    }
    if options.keep {
        contestant::wait_for_enter([&theirs, &ours].into_iter())?;
    }
    Ok(differences)
}

impl Place<'_> {
    /// Makes the graph as it was in the beginning.
    fn reset(&self) -> Result<(), CompareError> {
        self.graph.clear()?;
        self.graph.run(&self.contents)?;
        Ok(())
    }
}

/// The names in a difference.
struct Names<'q> {
    set: &'q Set,
    query: &'q Query,
}

impl Names<'_> {
    fn add_answers(&self, index: usize, theirs: &Value, ours: &Value, found: &mut Vec<Difference>) {
        for mismatch in answers::compare(theirs, ours) {
            let several = self.query.requests.len() > 1;
            let number = if several { format!("{}.", index + 1) } else { String::new() };
            self.add(number + &mismatch.path, mismatch.theirs, mismatch.ours, found);
        }
    }

    fn add(&self, what: String, theirs: String, ours: String, found: &mut Vec<Difference>) {
        found.push(Difference {
            subject: Subject::Data,
            peer: self.set.peer,
            place: format!("{}/{}", self.set.name, self.query.name),
            what,
            theirs,
            ours,
        });
    }
}

/// The answers to all requests of a query, and the graph that they leave behind if they may write.
fn ask(
    contestant: &Contestant,
    query: &Query,
    set: &Set,
    place: &Place<'_>,
) -> Result<(Vec<Value>, dump::Dump), CompareError> {
    if set.writes {
        place.reset()?;
    }
    let mut all: Vec<Value> = Vec::new();
    for request in &query.requests {
        let mut answer = contestant.ask(query, request, all.last())?;
        made::hide(&mut answer);
        all.push(answer);
    }
    let left = if set.writes { dump::read(place.graph)? } else { dump::Dump::default() };
    Ok((all, left))
}

fn start_peer(set: &Set, place: &Place<'_>) -> Result<Contestant, CompareError> {
    let port = free_port()?;
    let folder = peers::install_from(&place.fixtures.join(set.peer.name()), place.workspace)?;
    let mut command = peers::node(&folder);
    command
        .args(["server.mjs", &port.to_string(), &place.graph.address("bolt")])
        .arg(place.fixtures.join(set.types))
        .arg(SECRET)
        .env("NODE_ENV", "production")
        .env("FEATURES", set.settings().features)
        .current_dir(&folder);
    let log = place.logs.join("neo4j-graphql.log");
    Contestant::start("@neo4j/graphql", command, port, &log)
}

fn start_thalweg(set: &Set, place: &Place<'_>) -> Result<Contestant, CompareError> {
    let port = free_port()?;
    let command = Command::new(place.thalweg);
    let mut command = program::serve(command, &place.graph.address("neo4j"), port);
    command
        .arg("--types")
        .arg(place.fixtures.join(set.types))
        .args(["--neo4j-api", set.api, "--jwt-secret", SECRET])
        // The library asks whatever it is asked, and so do the queries.
        .args(["--max-cost", "1000000000"])
        .args(set.settings().options);
    let log = place.logs.join("thalweg.log");
    Contestant::start("thalweg", command, port, &log)
}
