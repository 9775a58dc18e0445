//! What a start costs, by the number of tables: Thalweg and PostGraphile over the same synthetic
//! schemas, in rounds in which they take turns.
//!
//! * `contestant`: who starts, and by which command
//! * `plan`: what is started, in which order
//! * `measure`: one start
//! * `journal`: what was measured, a line each in `starts.jsonl`
//! * `summary`: medians, as a table

mod contestant;
mod failure;
mod journal;
mod measure;
mod plan;
mod summary;

use std::path::{Path, PathBuf};

pub(crate) use contestant::Contestant;
pub(crate) use failure::StartUpError;

use crate::race::record::Start;
use crate::schema_size::{self, database::Place, synthetic};
use journal::Journal;
use measure::Bench;
use plan::Step;
pub(crate) use summary::text;

/// What is asked on the command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// Two small sizes, one round.
    pub(crate) quick: bool,
    /// How many tables, if not the usual.
    pub(crate) tables: Vec<u32>,
    /// Who takes part, if not all.
    pub(crate) contestants: Vec<Contestant>,
    pub(crate) rounds: Option<u32>,
    /// The run's folder below `target/bench`.
    pub(crate) name: String,
    /// Leaves out what the folder says already.
    pub(crate) resume: bool,
    /// What is measured instead of the release build.
    pub(crate) program: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            quick: false,
            tables: Vec::new(),
            contestants: Vec::new(),
            rounds: None,
            name: "start-up".to_owned(),
            resume: false,
            program: None,
        }
    }
}

impl Options {
    fn tables(&self) -> Vec<u32> {
        match (self.tables.as_slice(), self.quick) {
            ([], true) => vec![10, 100],
            ([], false) => vec![10, 100, 1_000, 5_000],
            (tables, _) => tables.to_vec(),
        }
    }

    fn contestants(&self) -> Vec<Contestant> {
        match self.contestants.as_slice() {
            [] => Contestant::ALL.to_vec(),
            contestants => contestants.to_vec(),
        }
    }

    fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(if self.quick { 1 } else { 3 })
    }
}

/// Measures into a folder of its own and prints the medians.
pub(crate) fn start_up(workspace: &Path, options: &Options) -> Result<bool, StartUpError> {
    let program = match &options.program {
        Some(program) => program.clone(),
        None => schema_size::release()?,
    };
    let folder = workspace.join("target/bench").join(&options.name);
    let starts = measure(workspace, &program, &folder, options)?;
    print!("{}", text(&starts));
    println!("\n{}", folder.join(journal::FILE).display());
    let is_ours = |start: &&Start| start.contestant == Contestant::Thalweg.id();
    Ok(starts.iter().filter(is_ours).all(|start| start.missing.is_none()))
}

/// Measures what the folder does not say yet, or everything, and gives all that it says then.
/// `name` and `program` of the options are not looked at.
pub(crate) fn measure(
    workspace: &Path,
    program: &Path,
    folder: &Path,
    options: &Options,
) -> Result<Vec<Start>, StartUpError> {
    let mut journal = Journal::open(folder, options.resume)?;
    let tables = options.tables();
    let steps = plan::steps(&tables, &options.contestants(), options.rounds());
    let todo: Vec<Step> = steps.into_iter().filter(|step| !journal.knows(step)).collect();
    let mut bench = Bench::new(workspace, program);
    for step in &todo {
        let family = step.family;
        if !bench.has_database(family, step.tables) {
            progress(&format!("{}: making {} tables", family.name(), step.tables));
            bench.make_database(family, step.tables)?;
        }
    }
    for (index, step) in todo.iter().enumerate() {
        if journal.is_hopeless(step) {
            continue;
        }
        progress(&format!("{}/{} {step}", index + 1, todo.len()));
        let start = bench.start(step)?;
        if let Some(reason) = &start.missing {
            progress(&format!("  did not start: {reason}"));
        }
        journal.add(start)?;
    }
    Ok(journal.starts)
}

/// How long all of it is expected to take, as measured on two processors.
pub(crate) fn seconds(options: &Options) -> f64 {
    let tables = options.tables();
    let databases: f64 = tables.iter().map(|tables| 1.0 + f64::from(*tables) / 250.0).sum();
    let steps = plan::steps(&tables, &options.contestants(), options.rounds());
    let limit = measure::PATIENCE.as_secs_f64();
    let starts = steps.iter().map(|step| match step.contestant.seconds(step.tables) {
        // Who is not there in time is not waited for again.
        seconds if seconds > limit => limit * f64::from(u32::from(step.round == 1)),
        seconds => seconds,
    });
    databases + starts.sum::<f64>()
}

fn progress(text: &str) {
    eprintln!("start-up: {text}");
}

/// A database of so many tables, and its address.
fn database(place: &Place, tables: u32) -> Result<String, StartUpError> {
    let scripts = synthetic::scripts(place.family(), tables as usize);
    Ok(place.create(&format!("tables_{tables}"), scripts)?)
}
