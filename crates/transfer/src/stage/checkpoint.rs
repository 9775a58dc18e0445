//! Progress of the reading of files, from which a killed import goes on.
//!
//! A checkpoint is saved between two records, when a run of facts is full, and after a file: the
//! sorted runs, the log of names, and a file of JSON with the rest. The file replaces that of the
//! last checkpoint in one step, when everything it names is on disk.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::facts::{self, Facts};
use super::report::Origin;
use super::state::SKIPPED;
use super::{Settings, StageError};
use crate::mapping::Mapping;
use crate::read::Position;
use crate::spill::{Names, ResumedNames, SavedNames, Sorter, run_path};

/// The files and choices of an import, by which a checkpoint belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// A hash of the options, the database and the type definitions.
    pub choices: String,
    /// The name of each file, and its size and time of modification.
    pub files: Vec<(String, String)>,
}

/// A place between two records of the files, with everything that was read before.
#[derive(Debug)]
pub struct Checkpoint {
    /// The index of the file.
    pub(super) file: usize,
    pub(super) position: Position,
    state: Json,
}

/// The checkpoint of a folder.
#[derive(Debug)]
pub enum FoundCheckpoint {
    None,
    /// It is that of other inputs, or is not complete: the reason.
    Stale(String),
    Found(Checkpoint),
}

/// The values that were read before a checkpoint.
pub(super) enum Resumed<'m> {
    Facts(Box<Facts<'m>>),
    /// They cannot be used: the reason.
    Stale(&'static str),
}

/// Reasons for which a checkpoint is not used.
const UNREADABLE: &str = "the files of the killed import cannot be read";
const MISSING: &str = "files of the killed import are missing";
const OTHER_BUILD: &str =
    "another build of this program has written the files of the killed import";

const FILE: &str = "reading.json";

/// The next file, until it is complete.
const NEXT: &str = "reading.next";

/// The number of this form of the file.
const FORM: u64 = 1;

impl Checkpoint {
    /// Reads the checkpoint of a folder.
    #[must_use]
    pub fn find(folder: &Path, inputs: &Inputs) -> FoundCheckpoint {
        let Ok(text) = fs::read_to_string(folder.join(FILE)) else { return FoundCheckpoint::None };
        let state: Json = serde_json::from_str(&text).unwrap_or_default();
        let Some((checkpoint, saved)) = read(state) else {
            return FoundCheckpoint::Stale(UNREADABLE.into());
        };
        if let Some(change) = change(&saved, inputs) {
            return FoundCheckpoint::Stale(change);
        }
        match checkpoint.has_runs(folder) {
            true => FoundCheckpoint::Found(checkpoint),
            false => FoundCheckpoint::Stale(MISSING.into()),
        }
    }

    /// Removes the checkpoint of a folder, and the files that only a checkpoint needs.
    pub fn remove(folder: &Path) -> io::Result<()> {
        let found = fs::read_to_string(folder.join(FILE));
        let state: Json =
            found.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let runs = state["runs"].as_array().map_or(0, Vec::len);
        let paths = (0..runs).map(|index| run_path(folder, facts::NAME, index));
        for path in [folder.join(FILE)].into_iter().chain(paths) {
            remove_if_there(&path)?;
        }
        Names::remove_log(folder).or_else(ignore_absence)
    }

    /// Saves the values that were read before a place.
    pub(super) fn save(
        facts: &mut Facts<'_>,
        inputs: &Inputs,
        (file, position): (usize, Position),
        folder: &Path,
    ) -> Result<(), StageError> {
        let names = facts.names.save()?;
        let runs = facts.sorter.save()?;
        let rejected = facts.rejections.entries();
        let rejected = rejected.map(|(origin, reason, values)| json!([origin, reason, values]));
        let Position { record, line, lines_within, offset } = position;
        let state = json!({
            "form": FORM,
            "choices": inputs.choices,
            "files": inputs.files,
            "file": file,
            "position": [record, line, lines_within, offset],
            "runs": runs,
            "names": [names.seeds, names.probe, names.count],
            "words": facts.words.texts,
            "read": facts.counts.read,
            "skipped": facts.counts.skipped,
            "rejected": rejected.collect::<Vec<Json>>(),
            "next": facts.next,
            "nameless": facts.nameless,
            "largest": facts.largest,
            "numbered": facts.numbered.iter().collect::<Vec<_>>(),
        });
        let next = folder.join(NEXT);
        let mut out = File::create(&next)?;
        out.write_all(state.to_string().as_bytes())?;
        out.sync_all()?;
        Ok(fs::rename(next, folder.join(FILE))?)
    }

    /// Restores the values that were read before the checkpoint.
    pub(super) fn resume<'m>(
        &self,
        mapping: &'m Mapping,
        settings: &'m Settings,
        folder: &Path,
    ) -> Result<Resumed<'m>, StageError> {
        let (Some(saved), Some(runs)) = (self.names(), self.runs()) else {
            return Ok(Resumed::Stale(UNREADABLE));
        };
        let names = match Names::resume(folder, &saved)? {
            ResumedNames::Names(names) => names,
            ResumedNames::Incomplete => return Ok(Resumed::Stale(MISSING)),
            ResumedNames::OtherHashers => return Ok(Resumed::Stale(OTHER_BUILD)),
        };
        let sorter = Sorter::resumable(folder, facts::NAME, &runs, settings.memory);
        let mut facts = Facts::new(mapping, settings, *names, sorter);
        let Some(rejected) = self.restore(&mut facts) else {
            return Ok(Resumed::Stale(UNREADABLE));
        };
        for (origin, reason, values) in rejected {
            facts.rejections.reject(origin, reason, values)?;
        }
        Ok(Resumed::Facts(Box::new(facts)))
    }

    /// Restores everything but the names and the runs, and returns the rejected values.
    fn restore(&self, facts: &mut Facts<'_>) -> Option<Vec<(Origin, &str, u64)>> {
        let Json::Object(state) = &self.state else { return None };
        let number = |name: &str| state.get(name)?.as_u64();
        let list = |name: &str| state.get(name)?.as_array();
        for word in list("words")? {
            facts.words.number(word.as_str()?);
        }
        facts.counts.read = number("read")?;
        for name in SKIPPED {
            if let Some(values) = state.get("skipped")?[name].as_u64() {
                facts.counts.skipped.insert(name, values);
            }
        }
        facts.next = number("next")?;
        facts.nameless = number("nameless")?;
        facts.largest = number("largest")?;
        for one in list("numbered")? {
            facts.numbered.insert(one[0].as_u64()?, one[1].as_u64()?);
        }
        let rejected = list("rejected")?.iter().map(|one| {
            let origin = Origin::from_number(one[0].as_u64()?);
            Some((origin, one[1].as_str()?, one[2].as_u64()?))
        });
        rejected.collect()
    }

    fn runs(&self) -> Option<Vec<u64>> {
        self.state["runs"].as_array()?.iter().map(Json::as_u64).collect()
    }

    fn names(&self) -> Option<SavedNames> {
        let names = &self.state["names"];
        let seeds = names[0].as_array()?.iter().map(Json::as_u64).collect::<Option<_>>()?;
        Some(SavedNames { seeds, probe: names[1].as_u64()?, count: names[2].as_u64()? })
    }

    /// Returns true if the sorted runs have their lengths.
    fn has_runs(&self, folder: &Path) -> bool {
        let Some(runs) = self.runs() else { return false };
        runs.iter().enumerate().all(|(index, length)| {
            let found = fs::metadata(run_path(folder, facts::NAME, index));
            found.is_ok_and(|found| found.len() == *length)
        })
    }
}

fn read(state: Json) -> Option<(Checkpoint, Inputs)> {
    if state["form"].as_u64()? != FORM {
        return None;
    }
    let files = state["files"]
        .as_array()?
        .iter()
        .map(|file| Some((file[0].as_str()?.to_owned(), file[1].as_str()?.to_owned())));
    let inputs = Inputs {
        choices: state["choices"].as_str()?.to_owned(),
        files: files.collect::<Option<_>>()?,
    };
    let place = &state["position"];
    let position = Position {
        record: place[0].as_u64()?,
        line: place[1].as_u64()?,
        lines_within: place[2].as_u64()?,
        offset: place[3].as_u64(),
    };
    let file = usize::try_from(state["file"].as_u64()?).ok()?;
    Some((Checkpoint { file, position, state }, inputs))
}

/// The difference between the inputs of a killed import and the present ones.
fn change(saved: &Inputs, inputs: &Inputs) -> Option<String> {
    if saved.choices != inputs.choices {
        return Some(
            "the options or the type definitions are not those of the killed import".into(),
        );
    }
    let names = |inputs: &Inputs| inputs.files.iter().map(|(name, _)| name.clone()).collect();
    let (before, now): (Vec<String>, Vec<String>) = (names(saved), names(inputs));
    if before != now {
        return Some("the files are not those of the killed import".into());
    }
    let changed = saved.files.iter().zip(&inputs.files).find(|(before, now)| before != now);
    changed.map(|(_, (name, _))| format!("{name} was changed after the import was killed"))
}

fn remove_if_there(path: &PathBuf) -> io::Result<()> {
    fs::remove_file(path).or_else(ignore_absence)
}

/// Ignores that a file to remove is not there.
pub(super) fn ignore_absence(error: io::Error) -> io::Result<()> {
    match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    }
}
