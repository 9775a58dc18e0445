//! `thalweg backup` and `thalweg restore`: copies of the database of type definitions.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use bytesize::ByteSize;
use engine::Timeouts;
use sources::backup::{Checked, Progress, Violation};

use super::print;
use crate::failure::Failure;
use crate::options::{BackupOptions, RestoreOptions};

/// Interval of progress messages. Small files are copied before the first.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);

pub(super) fn back_up(options: &BackupOptions) -> Result<ExitCode, Failure> {
    let from = options.database.file()?;
    let checked = copy(&from, &options.output, options.database.force)?;
    for violation in checked.violations() {
        print_line(&format!("warning: {}.", violated(violation)));
    }
    let done = done(&checked, &from, &options.output, "was copied to");
    checked.keep().map_err(Failure::other)?;
    print(&done)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn restore(options: &RestoreOptions) -> Result<ExitCode, Failure> {
    let to = options.database.file()?;
    let checked = copy(&options.backup, &to, options.database.force)?;
    if !checked.violations().is_empty() {
        for violation in checked.violations() {
            print_line(&format!("error: {}.", violated(violation)));
        }
        print_line("  Remedy: take another backup, or copy this one yourself to repair it.");
        return Ok(ExitCode::FAILURE);
    }
    let done = done(&checked, &options.backup, &to, "was restored as");
    checked.keep().map_err(Failure::other)?;
    print(&done)?;
    Ok(ExitCode::SUCCESS)
}

/// Copies and checks a file, and prints the progress.
fn copy(from: &Path, to: &Path, overwrites: bool) -> Result<Checked, Failure> {
    let mut printed = Instant::now();
    let mut is_checking = false;
    let report = |progress| match progress {
        Progress::Copied { bytes, of } if printed.elapsed() >= PROGRESS_INTERVAL => {
            printed = Instant::now();
            is_checking = true;
            let percent = (bytes * 100).checked_div(of).unwrap_or(100);
            print_line(&format!("{percent} % of {} are copied so far.", ByteSize(of).display()));
        }
        Progress::Copied { .. } => {}
        // Of a long copy only.
        Progress::Checking if is_checking => print_line("The copy is checked."),
        Progress::Checking => {}
    };
    let copied = Checked::copy(from, to, overwrites, Timeouts::default(), report);
    copied.map_err(Failure::other)
}

fn done(checked: &Checked, from: &Path, to: &Path, verb: &str) -> String {
    let (from, to) = (from.to_string_lossy(), to.to_string_lossy());
    format!(
        "{} {verb} {}: {}, migration {}.\n",
        redact::address(&from),
        redact::address(&to),
        ByteSize(checked.bytes()).display(),
        checked.migration()
    )
}

fn violated(Violation { table, parent, rows }: &Violation) -> String {
    format!("{rows} rows of {table} refer to rows of {parent} that are not there")
}

fn print_line(line: &str) {
    // If the error stream is closed, only the exit code remains.
    drop(writeln!(io::stderr(), "{line}"));
}
