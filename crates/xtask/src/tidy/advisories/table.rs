//! The table of advisories: a head with its origin, then a line per advisory.

use super::date::Date;
use super::finding;
use crate::tidy::Finding;
use crate::tidy::version::{Requirement, Version};

/// Facts only: the text of an advisory is under its address.
const HEAD: &str = "\
# Advisories about packages of crates.io that the RustSec advisory database has published and not withdrawn.
# Written by a program, from https://github.com/RustSec/advisory-db; renewed, at best before each release, by
#   git clone --depth 1 https://github.com/RustSec/advisory-db target/advisory-db
#   cargo xtask advisories target/advisory-db --write
# Each is described at https://rustsec.org/advisories/ID.
";

const COLUMNS: &str = "# id\tpackage\tkind\tpatched\tunaffected\n";

/// A table that was read.
#[derive(Debug)]
pub(super) struct Table<'t> {
    /// Date of the last change to the database.
    pub(super) date: Option<Date>,
    advisories: Vec<Advisory<'t>>,
}

/// One vulnerability of one package.
#[derive(Debug)]
pub(super) struct Advisory<'t> {
    pub(super) id: &'t str,
    package: &'t str,
    pub(super) kind: Kind<'t>,
    patched: &'t str,
    /// Unaffected versions.
    sound: Vec<Requirement>,
}

/// The meaning of an advisory for users of the package, with RustSec's name of it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind<'t> {
    Fault(&'t str),
    Note(&'t str),
}

/// Writes a table; the lines are sorted.
pub(super) fn print(date: &str, commit: &str, mut lines: Vec<String>) -> String {
    lines.sort();
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    format!("{HEAD}# date: {date}\n# commit: {commit}\n{COLUMNS}{lines}")
}

/// Parses a table; returns findings about unreadable lines.
pub(super) fn parse<'t>(path: &str, text: &'t str) -> (Table<'t>, Vec<Finding>) {
    let (mut advisories, mut findings) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        if line.starts_with('#') {
            continue;
        }
        match Advisory::parse(line) {
            Some(advisory) => advisories.push(advisory),
            None => findings.push(finding(path, index + 1, format!("`{line}` is no advisory."))),
        }
    }
    let date = text.lines().find_map(|line| line.strip_prefix("# date: ")).and_then(Date::parse);
    if date.is_none() {
        findings.push(finding(path, 1, "it does not say its date.".to_owned()));
    }
    if advisories.is_empty() {
        findings.push(finding(path, 1, "it has no advisory.".to_owned()));
    }
    (Table { date, advisories }, findings)
}

impl<'t> Table<'t> {
    pub(super) fn of(&self, package: &str) -> impl Iterator<Item = &Advisory<'t>> {
        self.advisories.iter().filter(move |advisory| advisory.package == package)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.advisories.len()
    }
}

impl<'t> Advisory<'t> {
    fn parse(line: &'t str) -> Option<Self> {
        let parts: Vec<&str> = line.split('\t').collect();
        let [id, package, kind, patched, unaffected] = parts[..] else { return None };
        if [id, package, kind].iter().any(|part| part.is_empty()) {
            return None;
        }
        let sound = patched.split("; ").chain(unaffected.split("; "));
        let sound = sound.filter(|text| !text.is_empty()).map(Requirement::parse);
        let kind = match kind {
            "unmaintained" | "notice" => Kind::Note(kind),
            _ => Kind::Fault(kind),
        };
        Some(Self { id, package, kind, patched, sound: sound.collect::<Option<Vec<_>>>()? })
    }

    /// A version that cannot be read is taken for one that has the fault.
    pub(super) fn is_sound(&self, version: &str) -> bool {
        Version::parse(version)
            .is_some_and(|version| self.sound.iter().any(|one| one.contains(&version)))
    }

    pub(super) fn sentence(&self, version: &str) -> String {
        let Self { id, package, patched, .. } = self;
        let (Kind::Fault(kind) | Kind::Note(kind)) = self.kind;
        let patched = if patched.is_empty() { "no version" } else { patched };
        format!(
            "{package} {version}: {id} ({kind}), patched in {patched}: https://rustsec.org/advisories/{id}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found = parse("t", text).1;
        assert_eq!(found.iter().map(Finding::to_string).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_is_printed_can_be_read() {
        let lines = ["B\tb\tunsound\t\t< 1", "A\ta\tvulnerability\t>= 1.2; >= 1.1.3, < 1.2\t"];
        let text = print("2026-01-31", "0123", lines.map(str::to_owned).to_vec());
        check(&text, &[]);
        assert!(text.ends_with(&format!("\n{COLUMNS}{}\n{}\n", lines[1], lines[0])), "{text}");
        assert_eq!(parse("t", &text).0.date, Date::parse("2026-01-31"));
    }

    #[test]
    fn a_line_that_cannot_be_read_is_found() {
        let line = "A\ta\tvulnerability\t>= 1\t";
        check(&format!("# date: 2026-01-31\n{line}\n"), &[]);
        check(&format!("{line}\n"), &["t:1: advisory: it does not say its date."]);
        check("# date: 2026-01-31\n", &["t:1: advisory: it has no advisory."]);
        for broken in
            ["A\ta\tvulnerability\t>= 1", "A\t\tvulnerability\t\t", "A\ta\tunsound\tnew\t", ""]
        {
            check(
                &format!("# date: 2026-01-31\n{line}\n{broken}\n"),
                &[&format!("t:3: advisory: `{broken}` is no advisory.")],
            );
        }
    }
}
