//! The rules that no compiler knows: what a crate must not know, and the form of the files.
//!
//! `workspace` reads the files, `source` and `manifest` take them apart; `rules` holds the tables,
//! and each of `dependencies`, `places`, `statements`, `words`, `form` checks by one part of them;
//! `functions` only reports. `advisories`, by the order of `version`, and `licences` look at the packages
//! of others.

mod advisories;
mod dependencies;
mod form;
mod functions;
mod licences;
mod manifest;
mod paths;
mod pattern;
mod places;
mod rules;
mod source;
mod statements;
mod version;
mod words;
mod workspace;

use std::fmt;
use std::path::Path;

pub(crate) use workspace::TidyError;

/// A rule, by the name that its findings carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    Dependency,
    Io,
    StatementText,
    Word,
    Size,
    FileName,
    Unfinished,
    Ignored,
    Lints,
    Safety,
    ModuleDoc,
    Advisory,
    Licence,
}

/// One place that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    path: String,
    line: usize,
    rule: Rule,
    sentence: String,
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Rule::Dependency => "dependency",
            Rule::Io => "io",
            Rule::StatementText => "statement-text",
            Rule::Word => "word",
            Rule::Size => "size",
            Rule::FileName => "file-name",
            Rule::Unfinished => "unfinished",
            Rule::Ignored => "ignored-test",
            Rule::Lints => "lints",
            Rule::Safety => "safety",
            Rule::ModuleDoc => "module-doc",
            Rule::Advisory => "advisory",
            Rule::Licence => "licence",
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { path, line, rule, sentence } = self;
        write!(formatter, "{path}:{line}: {rule}: {sentence}")
    }
}

/// Checks every file, prints what was found, and gives the number of findings.
pub(crate) fn print_findings(workspace: &Path) -> Result<usize, TidyError> {
    let files = workspace::read(workspace)?;
    let mut findings = Vec::new();
    for manifest in &files.manifests {
        findings.extend(dependencies::check(manifest));
        findings.extend(form::check_manifest(manifest));
    }
    for source in &files.sources {
        findings.extend(form::check(source));
        findings.extend(places::check(source));
        findings.extend(statements::check(source));
        findings.extend(words::check(source));
    }
    findings.extend(licences::check(&licences::read(workspace)?));
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    for note in functions::equal_names(&files.sources) {
        println!("note: {note}");
    }
    Ok(findings.len())
}

/// Prints the packages with known faults, by a checkout of the RustSec advisory database, and gives
/// their number.
pub(crate) fn print_advisories(workspace: &Path, checkout: &Path) -> Result<usize, String> {
    let lock = workspace::read_lock(workspace).map_err(|error| error.to_string())?;
    let found = advisories::check(checkout, &lock).map_err(|error| error.to_string())?;
    for finding in &found.findings {
        println!("{finding}");
    }
    for note in &found.notes {
        println!("note: {note}");
    }
    Ok(found.findings.len())
}
