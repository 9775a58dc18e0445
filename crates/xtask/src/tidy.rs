//! Rules that no compiler checks: forbidden dependencies of crates, and the form of the files.
//!
//! `workspace` reads the files, `source` and `manifest` parse them; `rules` holds the tables, and
//! each of `dependencies`, `places`, `statements`, `words`, `form` checks one of them; `cycles` checks
//! the imports between modules, `undeclared` and `doc_tests` find code that nothing compiles;
//! `links` checks the Markdown files; `functions` only reports. `licences` and `advisories`, the latter
//! by a table in the tree and the order of `version`, check third-party packages; `workspaces` compares
//! the workspaces with each other.

mod advisories;
mod cycles;
mod dependencies;
mod doc_tests;
mod form;
mod functions;
mod licences;
mod links;
mod manifest;
mod paths;
mod pattern;
mod places;
mod rules;
mod source;
mod statements;
mod undeclared;
mod version;
mod words;
mod workspace;
mod workspaces;

use std::fmt;
use std::path::Path;

use advisories::{Date, Report};
pub(crate) use links::resolve;
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
    Workspaces,
    Cycle,
    DocTest,
    Undeclared,
    Link,
}

/// A violation of a rule.
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
            Rule::Workspaces => "workspaces",
            Rule::Cycle => "cycle",
            Rule::DocTest => "doc-test",
            Rule::Undeclared => "undeclared",
            Rule::Link => "link",
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { path, line, rule, sentence } = self;
        write!(formatter, "{path}:{line}: {rule}: {sentence}")
    }
}

/// The outcome of all rules.
#[derive(Debug)]
pub(crate) struct Tidiness {
    /// Number of violations.
    pub(crate) findings: usize,
    /// A warning, which fails nothing.
    pub(crate) warning: Option<String>,
}

/// Checks every file, and prints the findings.
pub(crate) fn print_findings(workspace: &Path) -> Result<Tidiness, TidyError> {
    let files = workspace::read(workspace)?;
    let mut findings = Vec::new();
    let crates: Vec<&str> = files.manifests.iter().map(|manifest| &*manifest.name).collect();
    for manifest in &files.manifests {
        findings.extend(dependencies::check(manifest, &crates));
        findings.extend(form::check_manifest(manifest));
    }
    for source in &files.sources {
        findings.extend(form::check(source));
        findings.extend(doc_tests::check(source));
        findings.extend(places::check(source));
        findings.extend(statements::check(source));
        findings.extend(words::check(source, &crates));
    }
    findings.extend(links::check(workspace, &links::read(workspace)?));
    findings.extend(cycles::check(&files.sources));
    findings.extend(undeclared::check(&files.manifests, &files.sources));
    for folder in crate::workspaces::ALL {
        let tree = licences::read(&workspace.join(folder))?;
        findings.extend(licences::check(&advisories::lock::path(folder), &tree));
    }
    findings.extend(workspaces::check(&workspaces::read(workspace)?));
    let mut report = advisories::check(&advisories::read(workspace)?, Date::today());
    report.findings.extend(findings);
    report.findings.sort();
    report.notes.extend(functions::equal_names(&files.sources));
    Ok(print(report))
}

/// Prints the packages with known faults, by a checkout of the RustSec advisory database.
pub(crate) fn print_advisories(workspace: &Path, checkout: &Path) -> Result<Tidiness, String> {
    let texts = advisories::read_with(workspace, checkout)?;
    Ok(print(advisories::check(&texts, Date::today())))
}

/// Writes the table of advisories anew by such a checkout, and prints the same.
pub(crate) fn renew_advisories(workspace: &Path, checkout: &Path) -> Result<Tidiness, String> {
    advisories::renew(workspace, checkout).map_err(|error| error.to_string())?;
    let texts = advisories::read(workspace).map_err(|error| error.to_string())?;
    Ok(print(advisories::check(&texts, Date::today())))
}

fn print(report: Report) -> Tidiness {
    let Report { findings, notes, warning } = report;
    for finding in &findings {
        println!("{finding}");
    }
    for note in notes {
        println!("note: {note}");
    }
    if let Some(warning) = &warning {
        println!("warning: {warning}");
    }
    Tidiness { findings: findings.len(), warning }
}
