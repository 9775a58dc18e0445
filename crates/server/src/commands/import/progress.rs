//! Progress of imports and exports on the error stream, at most one line in a second.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use sources::transfer::LoadProgress;
use transfer::stage::Progress;

/// Prints the progress, if somebody reads it.
#[derive(Debug)]
pub(crate) struct Reporter {
    is_shown: bool,
    printed: Instant,
    /// The file or table, and when it began.
    current: (String, Instant),
}

const INTERVAL: Duration = Duration::from_secs(1);

impl Reporter {
    pub(crate) fn new(is_wanted: bool) -> Self {
        let is_shown = is_wanted || io::stderr().is_terminal();
        Self { is_shown, printed: Instant::now(), current: (String::new(), Instant::now()) }
    }

    /// Prints a number of records or rows, and their rate.
    pub(crate) fn count(&mut self, name: &str, number: u64, noun: &str) {
        if self.current.0 != name {
            self.current = (name.into(), Instant::now());
        }
        if !self.is_shown || self.printed.elapsed() < INTERVAL {
            return;
        }
        self.printed = Instant::now();
        let millis = self.current.1.elapsed().as_millis().max(1);
        let rate = u128::from(number) * 1_000 / millis;
        line(&format!("{name}: {number} {noun}, {rate}/s"));
    }

    pub(crate) fn begin(&self, name: &str) {
        if self.is_shown {
            line(name);
        }
    }
}

impl Progress for Reporter {
    fn read(&mut self, file: &str, records: u64) {
        self.count(file, records, "records");
    }

    fn stage(&mut self, name: &'static str) {
        self.begin(name);
    }

    /// The user should know, whether progress is shown or not.
    fn begin_anew(&mut self, reason: &str) {
        line(&format!("{reason}: all files are read from their beginning"));
    }
}

impl LoadProgress for Reporter {
    fn inserted(&mut self, table: &str, rows: u64) {
        self.count(table, rows, "rows");
    }

    fn stage(&mut self, name: &'static str) {
        self.begin(name);
    }
}

fn line(text: &str) {
    // If the error stream is closed, the import goes on.
    drop(writeln!(io::stderr(), "{text}"));
}
