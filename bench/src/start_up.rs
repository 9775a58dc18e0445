//! The cost of a start by the number of tables: Thalweg and PostGraphile over the same synthetic
//! schemas, in rounds in which they take turns.
//!
//! * `contestant`: the started programs and their commands
//! * `plan`: the order of the starts
//! * `measure`: one start
//! * `journal`: measured starts, a line each in `starts.jsonl`

mod contestant;
mod failure;
mod journal;
mod measure;
mod plan;

use std::num::NonZeroU32;
use std::path::Path;

use clap::{Args, value_parser};

pub(crate) use contestant::Contestant;
pub(crate) use failure::StartUpError;

use crate::folder_name::folder_name;
use crate::program::Program;
use crate::race::record::Start;
use crate::race::report;
use crate::schema_size::{database::Place, synthetic};
use journal::Journal;
use measure::Bench;
use plan::Step;

/// Options of `start-up`.
#[derive(Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct Options {
    /// Measures 10 and 100 tables in one round.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Numbers of tables in place of the usual ones, as `10,2000`; at least 5.
    // The tables of the base are in every database.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = value_parser!(u32).range(5..))]
    pub(crate) tables: Vec<u32>,
    /// Measures only this program; may be repeated.
    #[arg(long = "contestant", value_name = "NAME")]
    pub(crate) contestants: Vec<Contestant>,
    /// Number of starts of each; 3 if absent.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) rounds: Option<NonZeroU32>,
    /// Name of the folder in target/bench.
    #[arg(long, value_name = "NAME", default_value = "start-up", value_parser = folder_name)]
    pub(crate) name: String,
    /// Leaves out what the folder has already.
    #[arg(long)]
    pub(crate) resume: bool,
    #[command(flatten)]
    pub(crate) program: Program,
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
        self.rounds.map_or(if self.quick { 1 } else { 3 }, NonZeroU32::get)
    }
}

/// Measures into a folder of its own and prints the medians.
pub(crate) fn start_up(workspace: &Path, options: &Options) -> Result<bool, StartUpError> {
    let program = options.program.or_release()?;
    let folder = workspace.join("target/bench").join(&options.name);
    let starts = measure(workspace, &program, &folder, options)?;
    print!("{}", report::starts(&starts));
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

/// The expected seconds of all starts, as measured on two processors.
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
