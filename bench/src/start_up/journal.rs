//! The journal of measured starts, from which a later run continues.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use super::StartUpError;
use super::plan::Step;
use crate::race::record::Start;
use crate::race::suite::Source;

/// In the folder of a run.
pub(super) const FILE: &str = "starts.jsonl";

#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    pub(super) starts: Vec<Start>,
}

impl Journal {
    /// Opens the file, and reads what it says or empties it.
    pub(super) fn open(folder: &Path, resume: bool) -> Result<Self, StartUpError> {
        fs::create_dir_all(folder)?;
        let path = folder.join(FILE);
        let mut starts = Vec::new();
        if resume && path.exists() {
            for (index, line) in fs::read_to_string(&path)?.lines().enumerate() {
                let start = serde_json::from_str(line).map_err(|error| StartUpError::Journal {
                    file: path.display().to_string(),
                    line: index + 1,
                    error,
                })?;
                starts.push(start);
            }
        } else {
            fs::write(&path, "")?;
        }
        Ok(Self { file: OpenOptions::new().append(true).open(&path)?, starts })
    }

    pub(super) fn add(&mut self, start: Start) -> Result<(), StartUpError> {
        let mut line = serde_json::to_string(&start)?;
        line.push('\n');
        self.file.write_all(line.as_bytes())?;
        self.starts.push(start);
        Ok(())
    }

    /// Whether this start was measured.
    pub(super) fn knows(&self, step: &Step) -> bool {
        self.of(step).any(|start| start.round == step.round)
    }

    /// Whether an earlier round has shown that it does not start: it is not waited for again.
    pub(super) fn is_hopeless(&self, step: &Step) -> bool {
        self.of(step).any(|start| start.missing.is_some())
    }

    fn of(&self, step: &Step) -> impl Iterator<Item = &Start> {
        let (contestant, source) = (step.contestant.id(), Source::from(step.family).name());
        self.starts.iter().filter(move |start| {
            start.tables == step.tables && start.contestant == contestant && start.source == source
        })
    }
}

/// The record of a start that was measured, or that was not, and why.
pub(super) fn record(step: &Step, cost: &Cost, missing: Option<String>) -> Start {
    Start {
        contestant: step.contestant.id().to_owned(),
        source: Source::from(step.family).name().to_owned(),
        tables: step.tables,
        round: step.round,
        first_answer_seconds: cost.seconds,
        cpu_seconds: cost.cpu_seconds,
        memory: cost.memory,
        missing,
    }
}

/// The cost of a start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cost {
    pub(super) seconds: f64,
    pub(super) cpu_seconds: f64,
    pub(super) memory: u64,
}

#[cfg(test)]
mod tests {
    use super::super::Contestant;
    use super::*;
    use crate::schema_size::database::Family;

    const STEP: Step = Step {
        round: 1,
        tables: 10,
        contestant: Contestant::PostGraphile4,
        family: Family::Postgres,
    };

    #[test]
    fn a_resumed_run_goes_on_behind_what_was_measured() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(folder.path(), false).unwrap();
        let cost = Cost { seconds: 1.5, cpu_seconds: 0.5, memory: 4096 };
        journal.add(record(&STEP, &cost, None)).unwrap();
        drop(journal);
        let again = Journal::open(folder.path(), true).unwrap();
        assert!(again.knows(&STEP));
        assert!(!again.knows(&Step { round: 2, ..STEP }));
        assert!(!again.knows(&Step { tables: 100, ..STEP }));
        assert!(!again.knows(&Step { contestant: Contestant::Thalweg, ..STEP }));
        assert!(!again.is_hopeless(&STEP));
        let anew = Journal::open(folder.path(), false).unwrap();
        assert_eq!(anew.starts, []);
    }

    #[test]
    fn who_did_not_start_is_not_waited_for_in_the_next_round() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(folder.path(), false).unwrap();
        let missing = Some("no answer".to_owned());
        journal.add(record(&STEP, &Cost::default(), missing)).unwrap();
        assert!(journal.is_hopeless(&Step { round: 2, ..STEP }));
        assert!(!journal.is_hopeless(&Step { tables: 100, ..STEP }));
    }
}
