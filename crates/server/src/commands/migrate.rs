//! `thalweg migrate`: creates the constraints and indexes that type definitions require in a graph,
//! or the tables that they require in a database.

mod population;
mod tables;

use std::io::{self, Write};
use std::process::ExitCode;

use dialects::neo4j::migration::{Found, FoundKind, Wanted};
use engine::OpenError;
use engine::graph::GraphError;
use engine::graph::migrate::{NotMade, Plan, plan};

use self::population::AwaitedIndex;
use crate::commands::{block_on, print};
use crate::failure::Failure;
use crate::options::{MigrateOptions, MigrationTarget};

pub(crate) fn run(options: &MigrateOptions) -> Result<ExitCode, Failure> {
    match options.target()? {
        MigrationTarget::Graph => graph(options),
        MigrationTarget::Tables(options) => tables::run(&options),
    }
}

fn graph(options: &MigrateOptions) -> Result<ExitCode, Failure> {
    let model = options.model()?;
    let address = options.address()?;
    block_on(async {
        let plan = plan(&address, &model, engine::Timeouts::default()).await?;
        match options.dry_run {
            true => show(&plan),
            false => make(&plan).await,
        }
    })
}

/// Dry run: prints the statements as a script, with the rest in comments.
fn show(plan: &Plan) -> Result<ExitCode, Failure> {
    for found in &plan.migration().present {
        print(&["// ", &there(found), "\n"].concat())?;
    }
    for wanted in &plan.migration().changes {
        print(&[&plan.statement(wanted), ";\n"].concat())?;
    }
    print_obstacles(plan);
    Ok(exit_code(plan.migration().obstacles.is_empty()))
}

/// Creates what is possible, and waits until the indexes are online. A failure does not stop the
/// others.
async fn make(plan: &Plan) -> Result<ExitCode, Failure> {
    let migration = plan.migration();
    for found in &migration.present {
        print(&[&there(found), "\n"].concat())?;
    }
    let mut needed: Vec<AwaitedIndex> =
        migration.present.iter().filter_map(awaited_present).collect();
    let mut made = 0_usize;
    for wanted in &migration.changes {
        match plan.make(wanted).await {
            Ok(()) => {
                made += 1;
                needed.extend(awaited_created(wanted));
                print(&[&*wanted.subject, ": the ", &called(wanted), " was made.\n"].concat())?;
            }
            Err(NotMade::Unneeded) => {
                print_problem(&format!(
                    "{}: the {} was not made: the graph has got the like of it meanwhile.",
                    wanted.subject,
                    called(wanted)
                ));
                print_remedy("migrate again.");
            }
            Err(NotMade::Refused { error, finder }) => {
                let message = error.message.lines().collect::<Vec<_>>().join(" ");
                print_problem(&format!(
                    "{}: the {} was not made: {message} ({})",
                    wanted.subject,
                    called(wanted),
                    error.code
                ));
                if let Some(finder) = finder {
                    print_remedy(
                        "give each node a value of its own, or none, and migrate again. This finds \
                         the values that several have:",
                    );
                    print_line(&["    ", &finder, ";"].concat());
                }
            }
            Err(NotMade::Lost(error)) => {
                return Err(OpenError::from(GraphError::Change(error)).into());
            }
        }
    }
    print_obstacles(plan);
    let failed = population::wait(plan, &needed).await?;
    let wanted = migration.changes.len() + migration.obstacles.len();
    let there = migration.present.len();
    print(&match wanted + there {
        0 => "The type definitions want no constraint and no index.\n".to_owned(),
        _ => format!("Made: {made}. There already: {there}. Not made: {}.\n", wanted - made),
    })?;
    Ok(exit_code(made == wanted && failed == 0))
}

fn exit_code(is_done: bool) -> ExitCode {
    match is_done {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn there(found: &Found) -> String {
    format!("{}: the {} {:?} is there.", found.subject, found.kind.label(), found.name)
}

/// Whether an index is populated in the background; a constraint is effective at once.
fn is_populated_later(kind: FoundKind) -> bool {
    match kind {
        FoundKind::Fulltext | FoundKind::Vector => true,
        FoundKind::Constraint => false,
    }
}

fn awaited_present(Found { subject, kind, name }: &Found) -> Option<AwaitedIndex> {
    let called = format!("{} {name:?}", kind.label());
    is_populated_later(*kind).then(|| AwaitedIndex {
        subject: subject.clone(),
        name: name.clone(),
        called,
    })
}

fn awaited_created(wanted: &Wanted) -> Option<AwaitedIndex> {
    let (kind, name) = wanted.made();
    let (subject, called) = (wanted.subject.clone(), called(wanted));
    is_populated_later(kind).then(|| AwaitedIndex { subject, name: name.into(), called })
}

/// `constraint "Movie_id"`
fn called(wanted: &Wanted) -> String {
    let (kind, name) = wanted.made();
    format!("{} {name:?}", kind.label())
}

fn print_obstacles(plan: &Plan) {
    for note in &plan.migration().obstacles {
        print_problem(&format!("{}: {}", note.subject, note.message));
        print_remedy(&note.remedy);
    }
}

fn print_problem(problem: &str) {
    print_line(&["error: ", problem].concat());
}

fn print_remedy(remedy: &str) {
    print_line(&["  Remedy: ", remedy].concat());
}

fn print_line(line: &str) {
    // If the error stream is closed, only the exit code remains.
    drop(writeln!(io::stderr(), "{line}"));
}
