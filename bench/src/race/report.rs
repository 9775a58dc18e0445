//! The report of a run: a page to explore it, JSON for programs, Markdown for documents.
//!
//! `folder` reads what the run wrote, `aggregate` makes a [`summary::Report`] of it, in which
//! rounds are medians; `compare` sets contestants beside the best yardstick and
//! the floor, `starts` does the start-ups. `markdown` and `page` write it. A run that goes on can
//! be reported as well as one that has ended.

mod aggregate;
mod compare;
mod folder;
mod markdown;
mod page;
mod starts;
mod summary;

#[cfg(test)]
mod browser;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;

use super::record::Start;
use crate::figure;

/// The files of the report.
#[derive(Debug)]
pub(crate) struct Paths {
    pub(crate) page: PathBuf,
    pub(crate) json: PathBuf,
    pub(crate) markdown: PathBuf,
}

/// There is no report.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReportError {
    #[error("{} is no folder of a run: it has no run.json", .0.display())]
    NoRun(PathBuf),
    #[error("there is no run in {} yet; `cargo xtask bench` makes one", .0.display())]
    NoRuns(PathBuf),
    #[error("{}: {error}", .path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{} is not what a run of this version writes: {error}", .path.display())]
    Run { path: PathBuf, error: serde_json::Error },
    #[error("the report could not be made JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Writes `report.html`, `report.json` and `report.md` into a run's folder.
pub(crate) fn write(folder: &Path) -> Result<Paths, ReportError> {
    let report = aggregate::aggregate(folder::read(folder)?);
    let paths = Paths {
        page: folder.join("report.html"),
        json: folder.join("report.json"),
        markdown: folder.join("report.md"),
    };
    let json = serde_json::to_string_pretty(&report)? + "\n";
    write_file(&paths.json, &json)?;
    write_file(&paths.markdown, &markdown::markdown(&report))?;
    write_file(&paths.page, &page::page(&report)?)?;
    Ok(paths)
}

/// The medians of starts, as a table.
pub(crate) fn starts(starts: &[Start]) -> String {
    figure::text(|text| markdown::write_starts(&starts::aggregate(starts), str::to_owned, text))
}

/// The run that was started last, of those in a folder of runs.
pub(crate) fn newest(runs: &Path) -> Result<PathBuf, ReportError> {
    let none = || ReportError::NoRuns(runs.to_owned());
    let entries = fs::read_dir(runs).map_err(|_| none())?;
    let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let started = folders.filter_map(|folder| Some((started(&folder)?, folder)));
    started.max().map(|(_, folder)| folder).ok_or_else(none)
}

/// When a run was started: UTC in a form that is ordered as text.
fn started(folder: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Run {
        started: String,
    }
    let text = fs::read(folder.join("run.json")).ok()?;
    serde_json::from_slice(&text).ok().map(|run: Run| run.started)
}

fn write_file(path: &Path, text: &str) -> Result<(), ReportError> {
    fs::write(path, text).map_err(|error| ReportError::File { path: path.to_owned(), error })
}
