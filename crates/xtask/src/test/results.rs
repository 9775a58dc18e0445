//! Results of test programs, parsed from their output.

use crate::counts::Counts;

/// The most lines of failures that are repeated at the end: a log may be cut to its last ones.
const MOST_REPEATED: usize = 200;

/// The output of failed tests.
#[derive(Debug, Default)]
pub(super) struct Failures {
    lines: Vec<String>,
    /// Whether the next line belongs to a failure.
    is_open: bool,
}

impl Counts {
    /// Counts and prints tests as skipped that could not run: the test harness has no result for
    /// that, and counts them as passed.
    pub(super) fn count_not_run(&mut self, text: &str) {
        for line in text.lines() {
            println!("not run: {line}");
            self.passed = self.passed.saturating_sub(1);
            self.skipped += 1;
        }
    }
}

impl Failures {
    /// Reads the next line: a program prints `failures:`, then the output of each failed test, then
    /// their names, and its result.
    pub(super) fn read(&mut self, line: &str) {
        if line.trim_end() == "failures:" {
            self.is_open = true;
        } else if line.starts_with("test result: ") {
            self.is_open = false;
        } else if self.is_open && !line.trim().is_empty() {
            self.lines.push(line.trim_end().to_owned());
        }
    }

    /// Adds a failure that no program printed.
    pub(super) fn push(&mut self, line: String) {
        self.is_open = false;
        self.lines.push(line);
    }

    pub(super) fn print(&self) {
        if self.lines.is_empty() {
            return;
        }
        println!("\nwhat failed:");
        // The names come last, so it is the beginning that may be left out.
        for line in self.lines.iter().skip(self.lines.len().saturating_sub(MOST_REPEATED)) {
            println!("{line}");
        }
    }
}

/// Reads `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; …`, in
/// which `ok` may be coloured.
pub(super) fn parse_result(line: &str) -> Option<Counts> {
    let rest = line.strip_prefix("test result: ")?;
    let count = |word: &str| {
        let before = rest.split(';').find_map(|part| part.trim().strip_suffix(word))?;
        before.split_whitespace().last()?.parse().ok()
    };
    Some(Counts {
        passed: count(" passed")?,
        failed: count(" failed")?,
        skipped: count(" ignored")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_line_is_read_with_and_without_colour() {
        let counts = Some(Counts { passed: 13, failed: 2, skipped: 1 });
        let rest = "13 passed; 2 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.1s\n";
        assert_eq!(parse_result(&format!("test result: FAILED. {rest}")), counts);
        assert_eq!(
            parse_result(&format!("test result: \u{1b}[31mFAILED\u{1b}[0m. {rest}")),
            counts
        );
    }

    #[test]
    fn other_lines_are_no_results() {
        assert_eq!(parse_result("test a_name ... ok\n"), None);
        assert_eq!(parse_result("test result: unknown\n"), None);
    }

    #[test]
    fn a_test_that_found_that_it_cannot_run_has_not_passed() {
        let mut counts = Counts { passed: 3, failed: 1, skipped: 1 };
        counts.count_not_run("reads_a_graph: no Neo4j\nwrites_it: no Neo4j\n");
        assert_eq!(counts, Counts { passed: 1, failed: 1, skipped: 3 });
    }

    #[test]
    fn what_failed_is_kept_with_what_it_said() {
        let printed = "test a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b ----\nit is 3\n\n\n\
                       failures:\n    b\n\ntest result: FAILED. 1 passed\n\ntest c ... ok\n";
        let mut failures = Failures::default();
        printed.lines().for_each(|line| failures.read(line));
        assert_eq!(failures.lines, ["---- b ----", "it is 3", "    b"]);
    }
}
