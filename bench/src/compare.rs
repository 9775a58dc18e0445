//! Sends the same requests to PostGraphile 4, PostGraphile 5 and Thalweg, and prints the differences.
//!
//! In the order of use: `set` has the sets of options, `corpus` reads the queries, `contest` starts
//! the three servers (each a `contestant`) and sends the queries, `answers` compares the answers,
//! `tables` the databases after mutations, and `schemas` the schemas; `expected` has the intended
//! differences with their reasons. `graphs` does the same with the GraphQL library of Neo4j and
//! Thalweg on a graph.

pub(crate) mod answers;
mod contest;
mod contestant;
mod corpus;
mod expected;
mod glob;
mod graphs;
mod schemas;
mod set;
mod tables;

use std::fs;
use std::io;
use std::path::Path;

use clap::{Args, Subcommand};
use testkit::neo4j;
use testkit::postgres::{self, Installation, Origin};

use crate::audit;
use crate::http::HttpError;
use crate::peers::{self, Peer, PeerError};
use crate::program::{Program, ProgramError};
use crate::server::ServerError;
use corpus::CorpusError;
use expected::{Expectations, ExpectedError};
use set::SETS;

/// The database that all three read.
const DATABASE: &str = "compare";

/// The template of the databases of mutations, without connections.
const TEMPLATE: &str = "compare_template";

/// The schema of `kitchen.sql`.
const SCHEMA: &str = "depot";

/// Options of `compare`.
#[derive(Debug, Default, PartialEq, Eq, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) other: Option<Other>,
    /// Sends only the queries whose names contain the word; compares no schemas.
    #[arg(long, value_name = "QUERY")]
    pub(crate) only: Option<String>,
    /// Compares only with this set of options.
    #[arg(long, value_name = "SET")]
    pub(crate) set: Option<String>,
    /// Leaves the servers running until Enter is pressed.
    #[arg(long)]
    pub(crate) keep: bool,
    /// Prints the expected differences too.
    #[arg(long)]
    pub(crate) verbose: bool,
}

/// Comparisons with something else than a server.
#[derive(Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum Other {
    /// Runs the public audit of federation gateways.
    ///
    /// Sends all cases of the audit, whose own server has the subgraphs, to one `thalweg gateway`. Each
    /// suite has another supergraph, which the gateway reloads at SIGHUP. Fails if an answer is not the
    /// expected one. Needs npm and, the first time, the network.
    Federation(audit::Options),
}

/// The comparison could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CompareError {
    #[error("there is no PostgreSQL on this machine; `cargo xtask setup` installs it")]
    NoPostgres,
    #[error(transparent)]
    Postgres(#[from] postgres::StartError),
    #[error("kitchen.sql, atlas.sql or roles.sql: {0}")]
    Schema(postgres::ClientError),
    #[error("there is no set `{name}`; there are {there}")]
    Set { name: String, there: String },
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    #[error(transparent)]
    Expected(#[from] ExpectedError),
    #[error(transparent)]
    Peer(#[from] PeerError),
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error("{who} was asked {query}: {error}")]
    Http { who: &'static str, query: String, error: HttpError },
    #[error("the introspection of {who} has no schema")]
    Introspection { who: &'static str },
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    Graph(#[from] neo4j::GraphError),
    #[error(transparent)]
    Files(#[from] io::Error),
}

/// One thing that is not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) subject: Subject,
    pub(crate) peer: Peer,
    /// The set, or the set and the query: `default/pages`.
    pub(crate) place: String,
    /// A path in the answer, or a line of the schema with `-` (the peer's) or `+` (ours).
    pub(crate) what: String,
    pub(crate) theirs: String,
    pub(crate) ours: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Data,
    Schema,
}

impl Subject {
    /// The word in `expected.txt`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Schema => "schema",
        }
    }
}

/// Runs the comparison; true if every difference is an expected one and every expected one is there.
pub(crate) fn compare(workspace: &Path, options: &Options) -> Result<bool, CompareError> {
    let is_asked = |name: &str| options.set.as_deref().is_none_or(|asked| asked == name);
    let sets: Vec<_> = SETS.iter().filter(|set| is_asked(set.name)).collect();
    let graph_sets: Vec<_> = graphs::SETS.iter().filter(|set| is_asked(set.name)).collect();
    if let (true, true, Some(name)) = (sets.is_empty(), graph_sets.is_empty(), &options.set) {
        let names = SETS.iter().map(|set| set.name).chain(graphs::SETS.iter().map(|set| set.name));
        let there = names.collect::<Vec<_>>().join(", ");
        return Err(CompareError::Set { name: name.clone(), there });
    }
    let thalweg = Program::default().or_beside()?;
    let logs = workspace.join("target/peers/logs");
    fs::create_dir_all(&logs)?;
    let mut is_right = true;
    if !sets.is_empty() {
        is_right &= compare_tables(workspace, options, &sets, &thalweg, &logs)?;
    }
    if !graph_sets.is_empty() {
        is_right &= graphs::compare(workspace, options, &graph_sets, &thalweg, &logs)?;
    }
    Ok(is_right)
}

/// With PostGraphile.
fn compare_tables(
    workspace: &Path,
    options: &Options,
    sets: &[&set::Set],
    thalweg: &Path,
    logs: &Path,
) -> Result<bool, CompareError> {
    let fixtures = workspace.join("fixtures/compare");
    let mut expectations = Expectations::read(&fixtures.join("expected.txt"))?;
    let version4 = peers::install(Peer::Version4, workspace)?;
    let version5 = peers::install(Peer::Version5, workspace)?;
    let installation = choose_installation().ok_or(CompareError::NoPostgres)?;
    println!("compare: starting {installation}");
    let database = postgres::Server::start(&installation)?;
    database.create_database(TEMPLATE).map_err(CompareError::Schema)?;
    let kitchen = fs::read_to_string(fixtures.join("kitchen.sql"))?;
    database.execute(TEMPLATE, &kitchen).map_err(CompareError::Schema)?;
    let atlas = fs::read_to_string(fixtures.join("atlas.sql"))?;
    database.execute(TEMPLATE, &atlas).map_err(CompareError::Schema)?;
    let roles = fs::read_to_string(fixtures.join("roles.sql"))?;
    database.execute(TEMPLATE, &roles).map_err(CompareError::Schema)?;
    database.copy_database(TEMPLATE, DATABASE).map_err(CompareError::Schema)?;
    let writers = contest::WRITERS;
    let databases = tables::Databases::make(&database, TEMPLATE, &writers, &kitchen)
        .map_err(CompareError::Schema)?;

    let place = contest::Place {
        server: &database,
        databases: &databases,
        version4,
        version5,
        thalweg: thalweg.to_owned(),
        logs: logs.to_owned(),
        queries: fixtures.join("queries"),
    };
    let mut unexpected = 0;
    for set in sets {
        let differences = contest::run(set, &place, options)?;
        unexpected += print_differences(&mut expectations, &differences, options.verbose);
    }
    Ok(conclude(&expectations, unexpected, options))
}

/// Prints the sum; true if there is nothing to object to.
fn conclude(expectations: &Expectations, unexpected: usize, options: &Options) -> bool {
    // What a part of the run did not see may still occur in the rest.
    let whole = options.only.is_none() && options.set.is_none();
    let gone = if whole { expectations.unseen() } else { Vec::new() };
    for line in &gone {
        println!("GONE: no difference is like this line of expected.txt: {line}");
    }
    println!("compare: {unexpected} unexpected, {} expected that no longer occur", gone.len());
    unexpected == 0 && gone.is_empty()
}

/// The distribution's, which has the extensions, and which both versions of PostGraphile know.
fn choose_installation() -> Option<Installation> {
    let mut installed = postgres::installations();
    installed.sort_by_key(|one| (one.origin == Origin::Maven, one.version));
    installed.into_iter().next()
}

/// Prints what is not expected, and gives how many these are.
fn print_differences(
    expectations: &mut Expectations,
    differences: &[Difference],
    verbose: bool,
) -> usize {
    let mut unexpected = 0;
    for difference in differences {
        let reason = expectations.find_reason(difference).map(str::to_owned);
        if reason.is_none() {
            unexpected += 1;
        } else if !verbose {
            continue;
        }
        let Difference { subject, peer, place, what, theirs, ours } = difference;
        let word = if reason.is_some() { "expected" } else { "DIFFERENT" };
        println!("{word}: {} {} {place} {what}", subject.name(), peer.name());
        if *subject == Subject::Data {
            println!("    {:<8}{}\n    {:<8}{}", peer.name(), cut(theirs), "thalweg", cut(ours));
        }
        if let Some(reason) = reason {
            println!("    {reason}");
        }
    }
    unexpected
}

/// Long values differ near their beginning or are shown by `--keep`.
fn cut(text: &str) -> String {
    const MOST: usize = 300;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
