//! Reads a checkout of the RustSec advisory database.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::table;
use crate::program::{self, ProgramError};

/// The database cannot be read. An advisory that is left out would go unnoticed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseError {
    #[error("{}: {reason}", path.display())]
    File { path: PathBuf, reason: String },
    #[error("the date of the database is not known: {0}")]
    Commit(#[from] ProgramError),
}

impl DatabaseError {
    pub(super) fn file(path: &Path, reason: &dyn ToString) -> Self {
        Self::File { path: path.to_owned(), reason: reason.to_string() }
    }
}

/// The text of the table that a checkout makes.
pub(super) fn read(checkout: &Path) -> Result<String, DatabaseError> {
    let mut git = Command::new("git");
    git.arg("-C").arg(checkout).args(["log", "-1", "--date=short-local", "--format=%cd %H"]);
    let output = program::output(git.env("TZ", "UTC"))?;
    let (date, commit) = output.trim().split_once(' ').unwrap_or_default();

    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error: io::Error| DatabaseError::file(&path, &error)
    };
    let folder = checkout.join("crates");
    let mut lines = Vec::new();
    for package in fs::read_dir(&folder).map_err(failed(&folder))? {
        let package = package.map_err(failed(&folder))?.path();
        for file in fs::read_dir(&package).map_err(failed(&package))? {
            let path = file.map_err(failed(&package))?.path();
            let text = fs::read_to_string(&path).map_err(failed(&path))?;
            match parse(&text).ok_or_else(|| DatabaseError::file(&path, &"it is no advisory"))? {
                Entry::Advisory(line) => lines.push(line),
                Entry::Withdrawn => {}
            }
        }
    }
    Ok(table::print(date, commit, lines))
}

/// A file of the database.
#[derive(Debug, PartialEq, Eq)]
enum Entry {
    /// Its line in the table.
    Advisory(String),
    Withdrawn,
}

/// Reads the TOML at the head of an advisory, as far as its authors use TOML there.
fn parse(text: &str) -> Option<Entry> {
    let front = text.split("```toml").nth(1)?.split("\n```").next()?;
    let mut section = "";
    let mut values: Vec<(String, String)> = Vec::new();
    let mut is_open = false;
    for line in front.lines().map(without_comment).map(str::trim) {
        if is_open {
            // The next section: the array has no end.
            if line.starts_with('[') {
                return None;
            }
            if let Some((_, value)) = values.last_mut() {
                value.push_str(line);
            }
            is_open = !line.ends_with(']');
        } else if line.starts_with('[') {
            section = line.trim_matches(['[', ']']);
        } else if let Some((key, value)) = line.split_once('=') {
            let value = value.trim();
            is_open = value.starts_with('[') && !value.ends_with(']');
            values.push((format!("{section}.{}", key.trim()), value.to_owned()));
        }
    }
    let find = |key: &str| values.iter().find(|(name, _)| name == key).map(|(_, value)| value);
    let texts = |key: &str| -> Vec<&str> {
        let parts = find(key).map(|value| value.split('"').skip(1).step_by(2).map(str::trim));
        parts.into_iter().flatten().collect()
    };
    let one = |key: &str| texts(key).first().copied();

    let (id, package) = (one("advisory.id")?, one("advisory.package")?);
    if is_open {
        return None;
    }
    if find("advisory.withdrawn").is_some() {
        return Some(Entry::Withdrawn);
    }
    let kind = one("advisory.informational").unwrap_or("vulnerability");
    let [patched, unaffected] =
        ["versions.patched", "versions.unaffected"].map(|key| texts(key).join("; "));
    Some(Entry::Advisory([id, package, kind, &patched, &unaffected].join("\t")))
}

/// A line up to a `#` outside of strings.
fn without_comment(line: &str) -> &str {
    let mut is_in_string = false;
    let end = line.bytes().position(|byte| {
        is_in_string ^= byte == b'"';
        byte == b'#' && !is_in_string
    });
    end.and_then(|end| line.get(..end)).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADVISORY: &str = "```toml\n[advisory]\nid = \"RUSTSEC-2024-0336\"\npackage = \"rustls\"\n\
        aliases = [\"CVE-2024-32650\"]\nurl = \"https://a/#b\"\n\n[versions]\npatched = [\n    \
        \">= 0.23.5\", # \"a\"\n    \">= 0.22.4, < 0.23.0\"]\nunaffected = [\"< 0.20\"]\n\n\
        [affected]\nfunctions = { \"rustls::a\" = [\"<= 0.23.4\"] }\n```\n\n# It may loop\n\nFor ever.\n";

    #[test]
    fn an_advisory_becomes_a_line_of_facts() {
        let line = |text: &str| match parse(text) {
            Some(Entry::Advisory(line)) => line,
            other => panic!("{other:?}"),
        };
        let expected =
            "RUSTSEC-2024-0336\trustls\tvulnerability\t>= 0.23.5; >= 0.22.4, < 0.23.0\t< 0.20";
        assert_eq!(line(ADVISORY), expected);
        let unsound = ADVISORY.replace("aliases", "informational = \"unsound\"\naliases");
        assert_eq!(line(&unsound), expected.replace("vulnerability", "unsound"));
        let unpatched = ADVISORY.replace("\nunaffected", "\n#unaffected");
        assert_eq!(line(&unpatched), expected.trim_end_matches("< 0.20"));
    }

    #[test]
    fn what_was_withdrawn_is_left_out_and_what_is_no_advisory_is_told() {
        let withdrawn = ADVISORY.replace("aliases", "withdrawn = \"2024-01-01\"\naliases");
        assert_eq!(parse(&withdrawn), Some(Entry::Withdrawn));
        for broken in ["", "# Only words", &ADVISORY.replace("id =", "name =")] {
            assert_eq!(parse(broken), None, "{broken}");
        }
        let open = ADVISORY.replace("unaffected = [\"< 0.20\"]", "unaffected = [\"< 0.20\"");
        assert_eq!(parse(&open), None);
    }
}
