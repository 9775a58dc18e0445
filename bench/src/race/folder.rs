//! The folder of a run: what is measured is on the disk when the next measurement begins.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::failure::RaceError;
use super::options::Choice;
use super::plan::{Item, Load};
use super::record::{self, Measurement, Run};

const RUN: &str = "run.json";
const MEASUREMENTS: &str = "measurements.jsonl";
/// The lines of the plan whose measurements are complete.
const DONE: &str = "done.jsonl";
const CHOICE: &str = "choice.json";

/// A run's folder, and what is complete in it.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    done: BTreeSet<Item>,
    measurements: Vec<Measurement>,
}

impl Folder {
    /// A run that begins; its name must be free.
    pub(super) fn begin(path: PathBuf, choice: &Choice) -> Result<Self, RaceError> {
        if path.join(RUN).exists() {
            let problem = "there is a run in this folder: resume it, or choose another name";
            return Err(RaceError::file(path, &problem));
        }
        fs::create_dir_all(&path)?;
        write(&path.join(CHOICE), choice)?;
        Ok(Self { path, done: BTreeSet::new(), measurements: Vec::new() })
    }

    /// A run that goes on; what belongs to no complete line of the plan is forgotten.
    pub(super) fn resume(path: PathBuf) -> Result<(Self, Run, Choice), RaceError> {
        let run = read(&path.join(RUN))?;
        let choice = read(&path.join(CHOICE))?;
        let done: BTreeSet<Item> = read_lines(&path.join(DONE))?.into_iter().collect();
        let mut measurements: Vec<Measurement> = read_lines(&path.join(MEASUREMENTS))?;
        measurements.retain(|measurement| done.contains(&item(measurement)));
        let text: String = measurements.iter().map(line).collect::<Result<_, _>>()?;
        replace(&path.join(MEASUREMENTS), text.as_bytes())?;
        let text: String = done.iter().map(line).collect::<Result<_, _>>()?;
        replace(&path.join(DONE), text.as_bytes())?;
        Ok((Self { path, done, measurements }, run, choice))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn measurements(&self) -> &[Measurement] {
        &self.measurements
    }

    pub(super) fn is_done(&self, item: &Item) -> bool {
        self.done.contains(item)
    }

    pub(super) fn write_run(&self, run: &Run) -> Result<(), RaceError> {
        write(&self.path.join(RUN), run)
    }

    pub(super) fn add(&mut self, measurement: Measurement) -> Result<(), RaceError> {
        append(&self.path.join(MEASUREMENTS), &line(&measurement)?)?;
        self.measurements.push(measurement);
        Ok(())
    }

    /// All measurements of the item have been added.
    pub(super) fn finish(&mut self, item: Item) -> Result<(), RaceError> {
        append(&self.path.join(DONE), &line(&item)?)?;
        self.done.insert(item);
        Ok(())
    }
}

/// The newest of the runs in a folder that has not ended.
pub(super) fn newest_unfinished(all: &Path) -> Result<Option<PathBuf>, RaceError> {
    let mut newest: Option<(String, PathBuf)> = None;
    let Ok(entries) = fs::read_dir(all) else { return Ok(None) };
    for entry in entries {
        let path = entry?.path();
        // A folder without a run, or with one of another version, is none that could go on.
        let Ok(run) = read::<Run>(&path.join(RUN)) else { continue };
        let is_newer = newest.as_ref().is_none_or(|(started, _)| *started < run.started);
        if run.ended.is_none() && is_newer && path.join(CHOICE).exists() {
            newest = Some((run.started, path));
        }
    }
    Ok(newest.map(|(_, path)| path))
}

/// The line of the plan that a measurement belongs to.
fn item(measurement: &Measurement) -> Item {
    let subject = &measurement.subject;
    let load = match measurement.load {
        record::Load::Closed { connections } => Load::Closed { connections },
        record::Load::Constant { .. } => Load::Constant,
        record::Load::Burst { .. } => Load::Burst,
        record::Load::Users { .. } => Load::Users,
    };
    Item {
        suite: subject.suite.clone(),
        round: measurement.round,
        query: subject.query.clone(),
        contestant: subject.contestant.clone(),
        load,
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, RaceError> {
    let text = fs::read_to_string(path).map_err(|error| RaceError::file(path, &error))?;
    serde_json::from_str(&text).map_err(|error| RaceError::file(path, &error))
}

/// The lines that are whole: the last one is not where the machine stopped while it was written.
fn read_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, RaceError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(RaceError::file(path, &error)),
    };
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    whole
        .map(|line| serde_json::from_str(line).map_err(|error| RaceError::file(path, &error)))
        .collect()
}

fn line<T: Serialize>(value: &T) -> Result<String, RaceError> {
    Ok(serde_json::to_string(value).map_err(io::Error::from)? + "\n")
}

fn write<T: Serialize>(path: &Path, value: &T) -> Result<(), RaceError> {
    let text = serde_json::to_string_pretty(value).map_err(io::Error::from)? + "\n";
    replace(path, text.as_bytes())
}

/// The old file or the new one is there, whatever happens meanwhile.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), RaceError> {
    let new = path.with_extension("new");
    let mut file = File::create(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(new, path)?;
    Ok(())
}

fn append(path: &Path, text: &str) -> Result<(), RaceError> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_data()?;
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::race::pace::Pace;
    use crate::race::record::{Cpu, Latency, Machine, Outcome, Subject};

    pub(in crate::race) fn outcome(requests: u64) -> Outcome {
        Outcome {
            seconds: 1.0,
            requests,
            failures: 0,
            compared: 0,
            latency: Latency::default(),
            cpu: Cpu::default(),
            peak_memory: 0,
            recovery_seconds: None,
            is_disturbed: false,
            repetitions: 0,
        }
    }

    pub(in crate::race) fn measurement(
        contestant: &str,
        round: u32,
        load: record::Load,
        requests: u64,
    ) -> Measurement {
        let subject = Subject {
            suite: "shop-sqlite".to_owned(),
            query: "q".to_owned(),
            contestant: contestant.to_owned(),
        };
        Measurement { subject, round, load, outcome: outcome(requests) }
    }

    fn run(started: &str, ended: Option<&str>) -> Run {
        Run {
            started: started.to_owned(),
            ended: ended.map(str::to_owned),
            machine: Machine {
                processor: String::new(),
                cores: 2,
                memory: 0,
                system: String::new(),
            },
            versions: BTreeMap::new(),
            settings: Pace::quick().settings,
            contestants: Vec::new(),
            suites: Vec::new(),
        }
    }

    #[test]
    fn a_resumed_run_keeps_what_is_complete_and_forgets_the_rest() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("one");
        let choice = Choice { only: Some("q".to_owned()), ..Choice::default() };
        let mut begun = Folder::begin(path.clone(), &choice).expect("a run");
        begun.write_run(&run("2026-01-01T00:00:00Z", None)).expect("a run");
        let closed = measurement("thalweg", 1, record::Load::Closed { connections: 16 }, 7);
        begun.add(closed.clone()).expect("a measurement");
        begun.finish(item(&closed)).expect("an item");
        // A ramp that was stopped after its first rate, and a line that was never ended.
        begun.add(measurement("thalweg", 1, record::Load::Constant { rate: 5.0 }, 5)).expect("one");
        append(&path.join(DONE), "{\"suite\":\"sh").expect("half a line");

        let (resumed, _, kept) = Folder::resume(path).expect("the same run");
        assert_eq!(kept, choice);
        assert_eq!(resumed.measurements(), std::slice::from_ref(&closed));
        assert!(resumed.is_done(&item(&closed)));
        let mut other = item(&closed);
        other.round = 2;
        assert!(!resumed.is_done(&other));
        let constant = Item { load: Load::Constant, ..item(&closed) };
        assert!(!resumed.is_done(&constant));
        // What is added now does not stand behind half a line.
        let (mut resumed, again) = (resumed, measurement("v4", 1, closed.load.clone(), 9));
        resumed.add(again.clone()).expect("a measurement");
        resumed.finish(item(&again)).expect("an item");
        let (last, ..) = Folder::resume(resumed.path().to_owned()).expect("the same run");
        assert_eq!(last.measurements(), [closed, again]);
    }

    #[test]
    fn the_newest_run_that_has_not_ended_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let all = folder.path();
        assert_eq!(newest_unfinished(&all.join("none")).expect("no folder"), None);
        for (name, started, ended) in [
            ("a", "2026-01-02T00:00:00Z", None),
            ("b", "2026-01-01T00:00:00Z", None),
            ("c", "2026-01-03T00:00:00Z", Some("2026-01-03T00:10:00Z")),
        ] {
            let begun = Folder::begin(all.join(name), &Choice::default()).expect("a run");
            begun.write_run(&run(started, ended)).expect("a run");
        }
        fs::create_dir(all.join("no-run")).expect("a folder");
        assert_eq!(newest_unfinished(all).expect("a run"), Some(all.join("a")));
        let error = Folder::begin(all.join("a"), &Choice::default()).expect_err("it is there");
        assert!(error.to_string().contains("there is a run in this folder"));
    }
}
