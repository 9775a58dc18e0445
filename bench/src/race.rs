//! Thalweg beside PostGraphile and beside the physical limit.
//!
//! In the order of use: `options` is what is asked on the command line, `suite` and `contestant`
//! read what is compared, `pace` says how often and how long, `plan` in which order.
//! `course` goes through the plan: `place` has the databases, filled by `data`, `entry` starts
//! the contestants, `answers` compares what they say, `written` what they write, but for what is
//! `made` by the database, `warm_up` and `meter` measure, by the
//! programs in `load` and by `usage`, `ramp` looks for the highest rate; `floor` is the physical
//! limit.
//! Results are a `record` in the `folder` of the run; `forecast`, `progress` and `table` are
//! for the terminal, `report` is for everybody else.

pub(crate) mod answers;
pub(crate) mod contestant;
mod course;
pub(crate) mod data;
pub(crate) mod entry;
pub(crate) mod failure;
pub(crate) mod floor;
mod folder;
mod forecast;
pub(crate) mod load;
pub(crate) mod machine;
pub(crate) mod made;
pub(crate) mod meter;
pub(crate) mod options;
mod pace;
pub(crate) mod place;
pub(crate) mod plan;
mod progress;
mod ramp;
mod random;
pub(crate) mod record;
pub(crate) mod report;
pub(crate) mod suite;
mod table;
mod tools;
pub(crate) mod usage;
pub(crate) mod warm_up;
pub(crate) mod written;

#[cfg(test)]
mod equal_answers;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use crate::start_up;
use contestant::Contestant;
use course::Course;
use entry::StartContext;
use failure::RaceError;
use folder::Folder;
use options::{Choice, Options};
use pace::Pace;
use record::Run;
use suite::Suite;
use tools::Tools;

/// The folder of the runs in the workspace.
pub(crate) const RUNS: &str = "target/bench";

/// Measures, from the beginning or from where another run stopped; false if nothing was measured.
pub(crate) fn run(workspace: &Path, options: &Options) -> Result<bool, RaceError> {
    let program = options.program.or_release()?;
    let started = Instant::now();
    let bench = workspace.join("bench");
    let suites = suite::load(&bench)?;
    let contestants = contestant::load(&bench)?;
    let (folder, resumed, choice) = open(&workspace.join(RUNS), options)?;
    check(&choice, &suites, &contestants)?;
    // Nobody installs what serves none of the databases.
    let chosen: Vec<&Suite> = suites.iter().filter(|suite| choice.wants_suite(suite)).collect();
    let is_for = |one: &Contestant| {
        let mut own = chosen.iter();
        own.any(|suite| suite.file.sources.iter().any(|source| one.is_for(suite, *source)))
    };
    let wanted =
        contestants.iter().filter(|one| choice.wants_contestant(&one.id)).filter(|one| is_for(one));
    let wanted: Vec<&Contestant> = wanted.collect();
    let pace = Pace::of(choice.quick);
    let run = resumed.unwrap_or_else(|| new_run(&pace));
    let logs = folder.path().join("logs");
    fs::create_dir_all(&logs)?;
    let connections = run.settings.database_connections;
    let starts = Starts {
        is_wanted: choice.wants_everything(),
        program: program.clone(),
        options: start_up::Options {
            quick: choice.quick,
            resume: options.resume,
            ..start_up::Options::default()
        },
    };
    let context = StartContext { workspace: workspace.to_owned(), program, logs, connections };
    println!("bench: {} is where everything goes", folder.path().display());
    if let Err(error) = load::allow_connections() {
        println!("bench: there may be fewer users than asked for: {error}");
    }
    let tools = Tools::find(workspace);
    let mut course = Course::new(context, &choice, pace, wanted, folder, run, tools, &suites)?;
    course.go(starts.seconds())?;
    let (folder, run) = course.end()?;
    starts.measure(workspace, folder.path());
    println!("{}", table::text(folder.measurements(), run.settings.latency_limit));
    for contestant in &run.contestants {
        if let Some(reason) = &contestant.missing {
            println!("missing: {}: {reason}", contestant.title);
        }
    }
    let paths = report::write(folder.path())?;
    let took = progress::words(started.elapsed());
    println!("bench: {} measurements in {took}", folder.measurements().len());
    println!("bench: the report is {}", paths.page.display());
    Ok(!folder.measurements().is_empty())
}

/// The starts, which are part of a whole run.
struct Starts {
    is_wanted: bool,
    program: PathBuf,
    options: start_up::Options,
}

impl Starts {
    /// The expected seconds.
    fn seconds(&self) -> f64 {
        if self.is_wanted { start_up::seconds(&self.options) } else { 0.0 }
    }

    /// Measures and prints; a failure is printed only, so that earlier measurements are not lost.
    fn measure(&self, workspace: &Path, folder: &Path) {
        if !self.is_wanted {
            return;
        }
        match start_up::measure(workspace, &self.program, folder, &self.options) {
            Ok(starts) => println!("{}", report::starts(&starts)),
            Err(error) => println!("missing: starts: {error}"),
        }
    }
}

/// The folder of a run that begins, or of one that goes on.
fn open(runs: &Path, options: &Options) -> Result<(Folder, Option<Run>, Choice), RaceError> {
    let named = options.name.as_ref().map(|name| runs.join(name));
    if !options.resume {
        let path = named.unwrap_or_else(|| runs.join(now().replace(':', "-")));
        let choice = Choice {
            chinook: options.choice.chinook.as_ref().map(absolute),
            ..options.choice.clone()
        };
        return Ok((Folder::begin(path, &choice)?, None, choice));
    }
    let path = match named {
        Some(path) => path,
        None => folder::newest_unfinished(runs)?.ok_or(RaceError::NothingToResume)?,
    };
    let (folder, mut run, choice) = Folder::resume(path)?;
    run.ended = None;
    Ok((folder, Some(run), choice))
}

/// A run that is resumed may be so from another folder.
fn absolute(path: &PathBuf) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.clone())
}

/// Refuses names of the command line that do not exist.
fn check(choice: &Choice, suites: &[Suite], all: &[Contestant]) -> Result<(), RaceError> {
    let there = |names: Vec<&str>| names.join(", ");
    let suite_ids: Vec<&str> = suites.iter().map(|suite| suite.id.as_str()).collect();
    for name in &choice.suites {
        if !suite_ids.contains(&name.as_str()) {
            let there = there(suite_ids);
            return Err(RaceError::Unknown { kind: "suite", name: name.clone(), there });
        }
    }
    let ids: Vec<&str> = all.iter().map(|one| one.id.as_str()).collect();
    for name in &choice.contestants {
        if !ids.contains(&name.as_str()) {
            let there = there(ids);
            return Err(RaceError::Unknown { kind: "contestant", name: name.clone(), there });
        }
    }
    let chosen = suites.iter().filter(|suite| choice.wants_suite(suite));
    let queries = chosen.flat_map(|suite| suite.queries.iter().map(|query| query.file.id.as_str()));
    let queries: Vec<&str> = queries.collect();
    match &choice.only {
        Some(word) if !queries.iter().any(|id| id.contains(word.as_str())) => {
            let there = there(queries);
            Err(RaceError::Unknown { kind: "query with", name: word.clone(), there })
        }
        _ => Ok(()),
    }
}

fn new_run(pace: &Pace) -> Run {
    Run {
        started: now(),
        ended: None,
        machine: machine::machine(),
        versions: BTreeMap::new(),
        settings: pace.settings.clone(),
        contestants: Vec::new(),
        suites: Vec::new(),
    }
}

/// RFC 3339, UTC.
pub(crate) fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
