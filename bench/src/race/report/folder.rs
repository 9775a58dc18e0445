//! A run's folder is read: also one of a run that goes on, or was killed in the middle of a line.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::de::DeserializeOwned;

use super::ReportError;
use crate::race::record::{Load, Measurement, Run, Start, Subject};

const STARTS: &str = "starts.jsonl";

/// The default folder of starts.
const STARTS_FOLDER: &str = "start-up";

/// The contents of a run's folder.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) name: String,
    pub(super) run: Run,
    pub(super) measurements: Vec<Measurement>,
    pub(super) starts: Vec<Start>,
    /// Notes on unreadable lines and repeated measurements.
    pub(super) notes: Vec<String>,
}

pub(super) fn read(folder: &Path) -> Result<Folder, ReportError> {
    let path = folder.join("run.json");
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(ReportError::NoRun(folder.to_owned()));
        }
        Err(error) => return Err(ReportError::File { path, error }),
    };
    let run = serde_json::from_slice(&text).map_err(|error| ReportError::Run { path, error })?;
    let mut notes = Vec::new();
    let measurements = read_lines(folder, "measurements.jsonl", &mut notes)?;
    let absolute = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let starts = read_starts(&absolute, &mut notes)?;
    let name = absolute.file_name().unwrap_or(absolute.as_os_str()).to_string_lossy().into_owned();
    let measurements = keep_last(measurements, same_measurement, &mut notes);
    let starts = keep_last(starts, same_start, &mut notes);
    Ok(Folder { name, run, measurements, starts, notes })
}

/// The run's own starts, or those that were measured beside it.
fn read_starts(folder: &Path, notes: &mut Vec<String>) -> Result<Vec<Start>, ReportError> {
    let own = read_lines(folder, STARTS, notes)?;
    let beside = folder.with_file_name(STARTS_FOLDER);
    if !own.is_empty() || beside == folder {
        return Ok(own);
    }
    let starts = read_lines(&beside, STARTS, notes)?;
    if !starts.is_empty() {
        notes.push(format!("The start-ups were measured apart, in the folder {STARTS_FOLDER}."));
    }
    Ok(starts)
}

/// Reads a file with a value a line. A line that cannot be read becomes a note: a run that was killed
/// while writing it has written the others.
fn read_lines<T: DeserializeOwned>(
    folder: &Path,
    name: &str,
    notes: &mut Vec<String>,
) -> Result<Vec<T>, ReportError> {
    let path = folder.join(name);
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(ReportError::File { path, error }),
    };
    let mut values = Vec::new();
    for (line, number) in text.split(|byte| *byte == b'\n').zip(1..) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(value) => values.push(value),
            Err(error) if error.is_eof() => {
                notes.push(format!("Line {number} of {name} ends in its middle and is left out."));
            }
            Err(error) => {
                notes.push(format!("Line {number} of {name} is left out: {error}."));
            }
        }
    }
    Ok(values)
}

/// Keeps the later of two equal measurements: a resumed run may have begun a round anew.
fn keep_last<T>(values: Vec<T>, same: fn(&T, &T) -> bool, notes: &mut Vec<String>) -> Vec<T> {
    let mut kept: Vec<T> = Vec::with_capacity(values.len());
    let mut replaced = 0;
    for value in values {
        if let Some(earlier) = kept.iter_mut().find(|earlier| same(earlier, &value)) {
            *earlier = value;
            replaced += 1;
        } else {
            kept.push(value);
        }
    }
    if replaced > 0 {
        notes.push(format!("{replaced} measured again: only the last figures count."));
    }
    kept
}

fn same_measurement(one: &Measurement, other: &Measurement) -> bool {
    let key = |measurement: &Measurement| -> (Subject, u32, Load) {
        (measurement.subject.clone(), measurement.round, measurement.load.clone())
    };
    one.round == other.round && key(one) == key(other)
}

fn same_start(one: &Start, other: &Start) -> bool {
    (one.round, one.tables, &one.source, &one.contestant)
        == (other.round, other.tables, &other.source, &other.contestant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::report::sample;

    #[test]
    fn a_line_that_was_torn_by_a_kill_is_left_out_with_a_note() {
        let folder = sample::write("torn", &sample::run());
        let path = folder.join("measurements.jsonl");
        let whole = read(&folder).unwrap();
        assert_eq!(whole.notes, [] as [&str; 0]);

        let mut text = fs::read(&path).unwrap();
        text.truncate(text.len() - 40);
        fs::write(&path, text).unwrap();
        let torn = read(&folder).unwrap();
        assert_eq!(torn.measurements.len(), whole.measurements.len() - 1);
        let line = whole.measurements.len();
        let note = format!("Line {line} of measurements.jsonl ends in its middle and is left out.");
        assert_eq!(torn.notes, [note]);
    }

    #[test]
    fn a_line_that_is_none_is_left_out_with_a_note() {
        let folder = sample::write("broken", &sample::run());
        fs::write(folder.join("starts.jsonl"), "{\"contestant\": 1}\n\n").unwrap();
        let notes = read(&folder).unwrap().notes;
        assert_eq!(
            notes,
            ["Line 1 of starts.jsonl is left out: invalid type: integer `1`, expected a string \
              at line 1 column 16."]
        );
    }

    #[test]
    fn starts_that_were_measured_apart_belong_to_it() {
        let folder = sample::write("apart/run", &sample::run());
        let own = read(&folder).unwrap();
        fs::create_dir_all(folder.with_file_name("start-up")).unwrap();
        fs::rename(folder.join("starts.jsonl"), folder.with_file_name("start-up/starts.jsonl"))
            .unwrap();
        let apart = read(&folder).unwrap();
        assert_eq!(apart.starts, own.starts);
        assert_eq!(apart.notes, ["The start-ups were measured apart, in the folder start-up."]);
    }

    #[test]
    fn of_what_was_measured_twice_the_last_counts() {
        let folder = sample::write("twice", &sample::run());
        let whole = read(&folder).unwrap();
        let mut again = whole.measurements[0].clone();
        again.outcome.requests = 7;
        let path = folder.join("measurements.jsonl");
        let mut text = fs::read_to_string(&path).unwrap();
        text.push_str(&serde_json::to_string(&again).unwrap());
        fs::write(&path, text).unwrap();
        let twice = read(&folder).unwrap();
        assert_eq!(twice.measurements.len(), whole.measurements.len());
        assert_eq!(twice.measurements[0].outcome.requests, 7);
        assert_eq!(twice.notes, ["1 measured again: only the last figures count."]);
    }

    #[test]
    fn a_folder_without_a_run_is_an_error() {
        let folder = sample::folder("empty");
        assert!(matches!(read(&folder), Err(ReportError::NoRun(_))));
        fs::write(folder.join("run.json"), "{").unwrap();
        assert!(matches!(read(&folder), Err(ReportError::Run { .. })));
    }
}
