//! The case files of `fixtures/cases`, each on every source: one named test for each pair, as
//! `relay/first.case::sqlite`. `UPDATE_EXPECT=1` makes one test of each file, which writes what
//! the first source gives and compares the others with it. Each answer of a query is also sent
//! while it is made, in portions of very few rows, and must be the same. Cases of the dialect
//! `postgraphile` run through PgBouncer, too, in both of its modes; those of all dialects of tables also
//! on tables that seem distributed, and those over tables that are there on a database that looks like a
//! CockroachDB.
//!
//! A case that may change something has a copy of its database for itself. All others share one,
//! where the engine takes queries only.

use std::error::Error;
use std::fs;
use std::sync::Arc;

use crate::sources::{Disguise, Sources, TestSource};
use crate::steps::{report, request};
use engine::{Allowed, Delivery, Engine, Report, Session, Worker};
use libtest_mimic::{Failed, Trial};
use testkit::cases::{self, Answered, CaseFile, Header, Outcome, SectionKind, Statement};

/// Dialects whose cases run on tables that seem distributed.
const DISTRIBUTED: [&str; 4] = ["postgraphile", "hasura", "prisma", "phrag"];

/// Dialects whose cases run on a database that looks like a CockroachDB.
const COCKROACHDB: [&str; 3] = ["postgraphile", "hasura", "phrag"];

/// Cases of what CockroachDB does not have: partitions as tables, views that can be changed, rows as
/// arguments of functions after they were changed, rows below those of functions that change some,
/// migrations.
const NOT_IN_COCKROACHDB: [&str; 11] = [
    "hasura/functions/mutations.case",
    "hasura/permissions/computed_fields.case",
    "hasura/types/postgres.case",
    "phrag/read/type_definitions.case",
    "postgraphile/mutations/composite_relations.case",
    "postgraphile/mutations/function_rows.case",
    "postgraphile/mutations/view.case",
    "postgraphile/read/type_definitions.case",
    "postgraphile/relation/partitions.case",
    "postgraphile/types/partitioned_table.case",
    "postgraphile/mutations/held_rows.case",
];

/// A test for each file and source.
pub(crate) fn trials(sources: &Arc<Sources>) -> Result<Vec<Trial>, Box<dyn Error>> {
    let mut files = cases::find(&crate::sources::fixtures().join("cases"))?;
    // Those of graphs are in the module `graph`.
    files.retain(|file| !file.case.header.dialect.starts_with("neo4j"));
    // Those of the gateway are in its own tests.
    files.retain(|file| !file.case.is_of_gateway());
    let files = Arc::new(files);
    let update = std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1");
    let pooled = sources.pooled();
    let distributed = sources.disguised(Disguise::Citus);
    let cockroach = sources.disguised(Disguise::CockroachDb);
    let mut trials = Vec::new();
    for (number, file) in files.iter().enumerate() {
        if update {
            let (files, sources) = (Arc::clone(&files), Arc::clone(sources));
            let run = move || update_file(&files[number], &sources);
            trials.push(Trial::test(file.name.clone(), run));
            continue;
        }
        // How values are read and changed is the same in all dialects.
        let is_pooled = file.case.header.dialect.starts_with("postgraphile");
        let through_poolers = pooled.iter().filter(|_| is_pooled).cloned();
        let dialect = file.case.header.dialect.split(' ').next().unwrap_or_default();
        let is_distributed = DISTRIBUTED.contains(&dialect);
        let distributed = distributed.iter().filter(|_| is_distributed).cloned();
        let is_cockroach =
            COCKROACHDB.contains(&dialect) && !NOT_IN_COCKROACHDB.contains(&file.name.as_str());
        let cockroach = cockroach.iter().filter(|_| is_cockroach).cloned();
        let disguised = distributed.chain(cockroach);
        for source in sources.all().chain(through_poolers).chain(disguised) {
            let (files, sources) = (Arc::clone(&files), Arc::clone(sources));
            let name = format!("{}::{source}", file.name);
            let skipped = file.case.find_skip(source.family()).is_some();
            let run = move || compare_file(&files[number], &sources, &source);
            trials.push(Trial::test(name, run).with_ignored_flag(skipped));
        }
    }
    Ok(trials)
}

fn compare_file(file: &CaseFile, sources: &Sources, source: &TestSource) -> Result<(), Failed> {
    if let Some(skip) = file.case.find_skip(source.family()) {
        // Only `--include-ignored` comes here.
        return Err(format!("not for {source}: {}", skip.reason).into());
    }
    let outcome = run(file, sources, source)?;
    let mut mismatches = cases::compare(&file.case, source.family(), &outcome);
    if let TestSource::Disguised(..) = source {
        // The statements are others, and only what they answer is the same.
        mismatches.retain(|mismatch| mismatch.section.starts_with("response"));
    }
    report(file, &mismatches)
}

fn update_file(file: &CaseFile, sources: &Sources) -> Result<(), Failed> {
    let mut case = file.case.clone();
    let mut mismatches = Vec::new();
    let mut families = Vec::new();
    for source in sources.all() {
        let family = source.family();
        if case.find_skip(family).is_some() {
            continue;
        }
        let outcome = run(file, sources, &source)?;
        if families.is_empty() {
            case = cases::update(&case, family, &outcome);
        } else if !families.contains(&family) {
            case = cases::update_own(&case, family, &outcome);
        }
        families.push(family);
        mismatches.extend(cases::compare(&case, family, &outcome));
    }
    fs::write(&file.path, cases::print(&case))?;
    report(file, &mismatches)
}

fn run(file: &CaseFile, sources: &Sources, source: &TestSource) -> Result<Outcome, Failed> {
    let header = &file.case.header;
    let Header { database, dialect, .. } = header;
    if file.case.is_private() || !header.options.is_empty() {
        let change = crate::options::parse(&header.options)?;
        let policies = crate::sources::read_policies(&header.policies)?;
        let change = |options: &mut engine::Options| {
            change(options);
            options.policies = policies;
        };
        let own = sources.open_copy(source, database, dialect, change)?;
        let administrator = match header.policies.is_empty() && !file.case.has_session() {
            true => Arc::clone(&own.engine),
            false => own.open_for_administrator(dialect)?,
        };
        return run_private(file, &own.engine, &administrator);
    }
    let engine = sources.engine_with(source, database, dialect, &header.policies)?;
    run_shared(file, &engine)
}

/// Asks an engine that other cases use too.
fn run_shared(file: &CaseFile, engine: &Arc<Engine>) -> Result<Outcome, Failed> {
    let mut outcome = beginning(file, engine);
    let Some(request) = request(&file.case.steps[0])? else { return Ok(outcome) };
    let session = crate::asker::session(&file.case, 0)?;
    runtime()?.block_on(async {
        let mut worker = Worker::new(Arc::clone(engine));
        // A mutation is refused here: others would see what it changed.
        let answered = answer(&worker, &request, &session, Allowed::Queries).await?;
        for rows in [1, 2, 3] {
            let whole = &answered.response;
            crate::streamed::compare(&mut worker, &request, &session, rows, whole, without_schema)
                .await?;
        }
        outcome.answers.push(answered);
        Ok(outcome)
    })
}

/// Asks an engine that is there for this case only, one request after the other.
fn run_private(
    file: &CaseFile,
    engine: &Arc<Engine>,
    administrator: &Arc<Engine>,
) -> Result<Outcome, Failed> {
    let mut outcome = beginning(file, engine);
    runtime()?.block_on(async {
        let worker = Worker::new(Arc::clone(engine));
        for (number, step) in file.case.steps.iter().enumerate() {
            let Some(request) = request(step)? else { break };
            let answered = if step.find_text(SectionKind::State).is_some() {
                // On connections of its own, which see only what was committed, and as nobody whom
                // policies or roles keep from anything.
                let worker = Worker::new(Arc::clone(administrator));
                let session = crate::asker::administrator(&file.case);
                answer(&worker, &request, &session, Allowed::Queries).await
            } else {
                answer(&worker, &request, &crate::asker::session(&file.case, number)?, Allowed::All)
                    .await
            };
            outcome.answers.push(answered?);
        }
        Ok(outcome)
    })
}

fn beginning(file: &CaseFile, engine: &Engine) -> Outcome {
    let of_role = engine.sdl_of_role(&file.case.header.role);
    Outcome {
        schema: of_role.unwrap_or_else(|| engine.sdl()),
        notes: engine.notes().map(|note| without_schema(&note.to_string())).collect(),
        answers: Vec::new(),
    }
}

async fn answer(
    worker: &Worker,
    request: &graphql::Request,
    session: &Session,
    allowed: Allowed,
) -> Result<Answered, Failed> {
    let mut answered = Answered::default();
    // What cannot be prepared is refused below with the same errors.
    if let Ok(explained) = worker.prepare_for(request, session, &mut Report::default()) {
        let statements = explained.statements.into_iter();
        answered.request_tree = without_schema(&explained.request);
        answered.statements =
            statements.map(|one| Statement { round: one.round, text: one.text }).collect();
    }
    let (delivery, mut report) = (Delivery::Whole, Report::default());
    let response = worker.deliver_reported(request, session, allowed, delivery, &mut report).await;
    answered.response = without_schema(&String::from_utf8(response.body.into())?);
    Ok(answered)
}

fn runtime() -> Result<tokio::runtime::Runtime, Failed> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?)
}

/// Of the sources only PostgreSQL has schemas, and all that cases ask is in this one. Errors of
/// policies name it, too.
fn without_schema(text: &str) -> String {
    text.replace("public.", "")
}
