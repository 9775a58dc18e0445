//! The case files of `fixtures/cases`, each on every source: one named test for each pair, as
//! `relay/first.case::sqlite`. `UPDATE_EXPECT=1` makes one test of each file, which writes what
//! the first source gives and compares the others with it. Each answer is also sent while it is made,
//! in portions of very few rows, and must be the same.

#[path = "support/dialect.rs"]
mod dialect;
#[allow(dead_code, reason = "the differential test uses the rest of it")]
#[path = "support/sources.rs"]
mod sources;

use std::error::Error;
use std::fs;
use std::future::poll_fn;
use std::process::ExitCode;
use std::sync::Arc;

use engine::{Delivery, Report, Sizes, Worker};
use libtest_mimic::{Arguments, Failed, Trial};
use sources::{Sources, TestSource};
use testkit::cases::{self, CaseFile, Mismatch, Outcome, SectionKind, Statement};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments = Arguments::from_args();
    let files = Arc::new(cases::find(&sources::fixtures().join("cases"))?);
    // Looks for servers and starts none: that is for the first test which needs one.
    let sources = Arc::new(Sources::find()?);
    let update = std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1");
    let mut trials = Vec::new();
    for (number, file) in files.iter().enumerate() {
        if update {
            let (files, sources) = (Arc::clone(&files), Arc::clone(&sources));
            let run = move || update_file(&files[number], &sources);
            trials.push(Trial::test(file.name.clone(), run));
            continue;
        }
        for source in sources.all() {
            let (files, sources) = (Arc::clone(&files), Arc::clone(&sources));
            let name = format!("{}::{source}", file.name);
            let skipped = file.case.find_skip(source.family()).is_some();
            let run = move || compare_file(&files[number], &sources, &source);
            trials.push(Trial::test(name, run).with_ignored_flag(skipped));
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    // Removes the databases, which leaving the process does not.
    drop(sources);
    Ok(conclusion.exit_code())
}

fn compare_file(file: &CaseFile, sources: &Sources, source: &TestSource) -> Result<(), Failed> {
    if let Some(skip) = file.case.find_skip(source.family()) {
        // Only `--include-ignored` comes here.
        return Err(format!("not for {source}: {}", skip.reason).into());
    }
    let outcome = run(file, sources, source)?;
    report(file, &cases::compare(&file.case, source.family(), &outcome))
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
    let case = &file.case;
    let engine = sources.engine(source, &case.header.database, &case.header.dialect)?;
    let mut outcome = Outcome {
        schema: engine.sdl(),
        notes: engine.notes().map(|note| without_schema(&note.to_string())).collect(),
        ..Outcome::default()
    };
    let Some(request) = request(file)? else { return Ok(outcome) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut worker = Worker::new(engine);
        // What cannot be prepared is refused below with the same errors.
        if let Ok(explained) = worker.prepare(&request) {
            let statements = explained.statements.into_iter();
            outcome.request_tree = without_schema(&explained.request);
            outcome.statements =
                statements.map(|one| Statement { round: one.round, text: one.text }).collect();
        }
        let response = worker.execute(&request, engine::Allowed::All).await;
        outcome.response = String::from_utf8(response.body)?;
        for rows in [1, 2, 3] {
            compare_streamed(&mut worker, &request, rows, &outcome.response).await?;
        }
        Ok(outcome)
    })
}

/// Sends the same answer while it is made, in portions of so few rows, and compares the bytes.
async fn compare_streamed(
    worker: &mut Worker,
    request: &graphql::Request,
    rows: u32,
    whole: &str,
) -> Result<(), Failed> {
    worker.set_sizes(Sizes { whole: 0, rows });
    let mut report = Report::default();
    let nobody = engine::Session::default();
    let (allowed, delivery) = (engine::Allowed::All, Delivery::Streamed);
    let engine::Response { mut body, rest, .. } =
        worker.deliver_reported(request, &nobody, allowed, delivery, &mut report).await;
    let mut codes = Vec::new();
    if let Some(mut rest) = rest {
        while let Some(part) = poll_fn(|context| rest.poll_next(context, &mut codes)).await {
            let Ok(part) = part else {
                // An error that has to change what was sent; then there is one in the answer.
                return match whole.contains(r#""errors":["#) {
                    true => Ok(()),
                    false => Err(format!("portions of {rows} rows break off: {codes:?}").into()),
                };
            };
            body.extend(part);
        }
    }
    // An id of an error is another each time.
    let streamed = String::from_utf8(body)?;
    if streamed != whole && !whole.contains("\"errorId\"") {
        return Err(format!("in portions of {rows} rows it is\n{streamed}\nnot\n{whole}").into());
    }
    Ok(())
}

/// Of the sources only PostgreSQL has schemas, and all that cases ask is in this one.
fn without_schema(text: &str) -> String {
    text.replace("public.", "")
}

/// The request as it would come over HTTP.
fn request(file: &CaseFile) -> Result<Option<graphql::Request>, Failed> {
    let case = &file.case;
    let Some(document) = case.find_text(SectionKind::Request) else { return Ok(None) };
    let operation = case.find_text(SectionKind::Operation);
    let variables = case.find_text(SectionKind::Variables).unwrap_or("{}");
    let body = [
        "{\"query\":",
        &serde_json::to_string(document)?,
        ",\"operationName\":",
        &serde_json::to_string(&operation)?,
        ",\"variables\":",
        variables,
        "}",
    ];
    let request = graphql::Request::from_json(body.concat().as_bytes());
    request.map(Some).map_err(|error| Failed::from(error.message))
}

fn report(file: &CaseFile, mismatches: &[Mismatch]) -> Result<(), Failed> {
    if mismatches.is_empty() {
        return Ok(());
    }
    let mut text = format!("{}: {}\n", file.name, file.case.header.sentence);
    for mismatch in mismatches {
        text.push_str(&mismatch.to_string());
    }
    Err(text.into())
}
