//! The case files of `fixtures/cases` that ask a graph, one after the other on one Neo4j:
//! `UPDATE_EXPECT=1` writes what comes. A case that may change something finds the graph as its
//! database's file makes it, and so does the next one; each answer of the others is also sent while
//! it is written, and must be the same.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::steps::{report, request};
use engine::{Allowed, Delivery, Engine, Options, PoolLimits, Report, SourceAddress, Worker};
use libtest_mimic::{Failed, Trial};
use testkit::cases::{self, Answered, CaseFile, Family, Header, Outcome, Statement};
use testkit::neo4j::{self, Graph};

/// The server, and which database's graph is in it as its file makes it.
struct Loaded {
    graph: Graph,
    database: Option<String>,
}

/// A test for each file; the first one that runs takes the server, for as long as others are to come.
pub(crate) fn trials() -> Result<Vec<Trial>, Box<dyn Error>> {
    let mut files = cases::find(&fixtures().join("cases"))?;
    files.retain(|file| file.case.header.dialect.starts_with("neo4j"));
    let is_missing = !neo4j::is_expected();
    let loaded: Arc<Mutex<Option<Loaded>>> = Arc::default();
    let update = std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1");
    let trials = files.into_iter().map(|file| {
        let loaded = Arc::clone(&loaded);
        let name = format!("{}::neo4j", file.name);
        let run = move || {
            let mut loaded = loaded.lock().unwrap_or_else(PoisonError::into_inner);
            let loaded = match &mut *loaded {
                Some(loaded) => loaded,
                nothing => {
                    let graph = neo4j::take()?.ok_or("there is no Neo4j")?;
                    nothing.insert(Loaded { graph, database: None })
                }
            };
            if update { write(&file, loaded) } else { compare(&file, loaded) }
        };
        Trial::test(name, run).with_ignored_flag(is_missing)
    });
    Ok(trials.collect())
}

fn compare(file: &CaseFile, loaded: &mut Loaded) -> Result<(), Failed> {
    let outcome = run(file, loaded)?;
    report(file, &cases::compare(&file.case, Family::Neo4j, &outcome))
}

fn write(file: &CaseFile, loaded: &mut Loaded) -> Result<(), Failed> {
    let outcome = run(file, loaded)?;
    let case = cases::update(&file.case, Family::Neo4j, &outcome);
    fs::write(&file.path, cases::print(&case))?;
    report(file, &cases::compare(&case, Family::Neo4j, &outcome))
}

fn run(file: &CaseFile, loaded: &mut Loaded) -> Result<Outcome, Failed> {
    let Header { database, dialect, options, .. } = &file.case.header;
    let is_private = file.case.is_private();
    if loaded.database.as_ref() != Some(database) {
        loaded.database = None;
        loaded.graph.clear()?;
        loaded.graph.run_file(&fixtures().join("databases").join(database).join("graph.cypher"))?;
        loaded.database = Some(database.clone());
    }
    let mut asked = Options::new(crate::dialect::parse(dialect)?, PoolLimits::unshared(2));
    crate::options::parse(options)?(&mut asked);
    let address = SourceAddress::Neo4j(loaded.graph.address("bolt"));
    if is_private {
        loaded.database = None;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let local = tokio::task::LocalSet::new();
    runtime.block_on(local.run_until(async {
        let engine = Engine::open(&address, &asked).await?;
        let mut outcome = Outcome {
            schema: engine.sdl(),
            notes: engine.notes().map(ToString::to_string).collect(),
            answers: Vec::new(),
        };
        let mut worker = Worker::new(Arc::clone(&engine));
        for (number, step) in file.case.steps.iter().enumerate() {
            let Some(request) = request(step)? else { break };
            let session = crate::asker::session(&file.case, number)?;
            let answered = answer(&worker, &request, &session, is_private).await?;
            if !is_private {
                let whole = &answered.response;
                crate::streamed::compare(&mut worker, &request, &session, 1, whole, str::to_owned)
                    .await?;
            }
            outcome.answers.push(answered);
        }
        Ok(outcome)
    }))
}

async fn answer(
    worker: &Worker,
    request: &graphql::Request,
    session: &engine::Session,
    may_change: bool,
) -> Result<Answered, Failed> {
    let mut answered = Answered::default();
    // What cannot be prepared is refused below with the same errors.
    if let Ok(explained) = worker.prepare_for(request, session, &mut Report::default()) {
        let statements = explained.statements.into_iter();
        answered.request_tree = explained.request;
        answered.statements =
            statements.map(|one| Statement { round: one.round, text: one.text }).collect();
    }
    // A mutation is refused where others would see what it changed.
    let allowed = if may_change { Allowed::All } else { Allowed::Queries };
    let (delivery, mut report) = (Delivery::Whole, Report::default());
    let response = worker.deliver_reported(request, session, allowed, delivery, &mut report).await;
    answered.response = String::from_utf8(response.body.into())?;
    Ok(answered)
}

/// The folder `fixtures` of the workspace.
fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}
