//! Packages of the lock files with known vulnerabilities, by a table of advisories in the tree.
//!
//! `database` makes the table from a checkout of the RustSec advisory database, `table` is its
//! format, `lock` lists the packages, `exceptions` holds advisories that do not concern us, `date`
//! is for ages. The table makes the check the same everywhere, without network; it lacks advisories
//! published since, so its age is reported.

mod database;
mod date;
mod exceptions;
pub(crate) mod lock;
mod table;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

pub(crate) use database::DatabaseError;
pub(crate) use date::Date;

use self::table::Kind;
use super::workspace::{self, TidyError};
use super::{Finding, Rule};
use crate::workspaces;

const TABLE: &str = "crates/xtask/advisories.tsv";
const EXCEPTIONS: &str = "crates/xtask/advisories-exceptions.tsv";

/// From this age on, in days, the table is reported as old. A clock fails nothing: the same commit
/// passes today and next year.
const OLD: i64 = 90;

/// The texts that the check compares.
#[derive(Debug)]
pub(crate) struct Texts {
    table: String,
    exceptions: String,
    /// Path and text of each lock file.
    locks: Vec<(String, String)>,
}

/// The report of the check.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// Failures.
    pub(crate) findings: Vec<Finding>,
    /// Good to know: packages without a maintainer.
    pub(crate) notes: Vec<String>,
    /// The age of the table.
    pub(crate) warning: Option<String>,
}

/// Reads the texts of the tree.
pub(crate) fn read(workspace: &Path) -> Result<Texts, TidyError> {
    let read = |path: &str| workspace::read_text(&workspace.join(path));
    let locks = workspaces::ALL.iter().map(|folder| {
        let path = lock::path(folder);
        let text = read(&path)?;
        Ok((path, text))
    });
    let locks = locks.collect::<Result<_, TidyError>>()?;
    Ok(Texts { table: read(TABLE)?, exceptions: read(EXCEPTIONS)?, locks })
}

/// Writes the table anew from a checkout of the database.
pub(crate) fn renew(workspace: &Path, checkout: &Path) -> Result<(), DatabaseError> {
    let text = database::read(checkout)?;
    let path = workspace.join(TABLE);
    fs::write(&path, text).map_err(|error| DatabaseError::file(&path, &error))?;
    println!("advisories: wrote {}", path.display());
    Ok(())
}

/// Checks the lock files of the tree by a checkout, of which nothing is kept.
pub(crate) fn read_with(workspace: &Path, checkout: &Path) -> Result<Texts, String> {
    let texts = read(workspace).map_err(|error| error.to_string())?;
    let table = database::read(checkout).map_err(|error| error.to_string())?;
    Ok(Texts { table, ..texts })
}

/// Looks up each package in the table.
pub(crate) fn check(texts: &Texts, today: Date) -> Report {
    let (table, mut findings) = table::parse(TABLE, &texts.table);
    let (exceptions, unread) = exceptions::parse(EXCEPTIONS, &texts.exceptions);
    findings.extend(unread);
    let (mut packages, mut known) = (Vec::new(), BTreeSet::new());
    for (path, text) in &texts.locks {
        let (listed, incomplete) = lock::packages(path, text);
        findings.extend(incomplete);
        // A package of several lock files is reported once.
        let new = listed.into_iter().filter(|one| known.insert((one.name, one.version)));
        packages.extend(new.map(|package| (path, package)));
    }
    let mut report = Report { findings, ..Report::default() };

    let mut is_used = vec![false; exceptions.len()];
    for (path, package) in packages {
        for advisory in table.of(package.name).filter(|one| !one.is_sound(package.version)) {
            let excepted = exceptions.iter().position(|exception| exception.id == advisory.id);
            if let Some(is_used) = excepted.and_then(|index| is_used.get_mut(index)) {
                *is_used = true;
                continue;
            }
            let sentence = advisory.sentence(package.version);
            match advisory.kind {
                Kind::Fault(_) => {
                    report.findings.push(finding(path, package.line, sentence));
                }
                Kind::Note(_) => report.notes.push(sentence),
            }
        }
    }
    for (exception, _) in exceptions.iter().zip(is_used).filter(|(_, is_used)| !is_used) {
        let sentence = format!("no package has {} any more: the exception can go.", exception.id);
        report.findings.push(finding(EXCEPTIONS, exception.line, sentence));
    }
    report.warning = table.date.map(|date| date.days_until(today)).filter(|age| *age > OLD).map(
        |age| {
            format!("the table of advisories is {age} days old; the head of {TABLE} says how to renew it")
        },
    );
    report
}

fn finding(path: &str, line: usize, sentence: String) -> Finding {
    Finding { path: path.to_owned(), line, rule: Rule::Advisory, sentence }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE_OF_TESTS: &str = "\
# date: 2026-01-31
# commit: 0123456789abcdef0123456789abcdef01234567
# id\tpackage\tkind\tpatched\tunaffected
RUSTSEC-2024-0001\told\tunmaintained\t\t
RUSTSEC-2024-0002\tshaky\tunsound\t>= 2.0.0\t
RUSTSEC-2024-0003\twicked\tmalicious\t\t
RUSTSEC-2024-0336\trustls\tvulnerability\t>= 0.23.5; >= 0.22.4, < 0.23.0\t< 0.20
";

    fn lock(packages: &[(&str, &str)]) -> String {
        let packages = packages.iter().map(|(name, version)| {
            format!("\n[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \"r\"\n")
        });
        format!("version = 4\n{}", packages.collect::<String>())
    }

    fn report(exceptions: &str, lock: String, today: &str) -> Report {
        let exceptions = exceptions.to_owned();
        let locks = vec![(lock::path(""), lock)];
        let texts = Texts { table: TABLE_OF_TESTS.to_owned(), exceptions, locks };
        check(&texts, Date::parse(today).unwrap())
    }

    /// The findings and the notes for one package.
    fn check_one(name: &str, version: &str) -> (Vec<String>, Vec<String>) {
        let report = report("", lock(&[(name, version)]), "2026-02-01");
        (report.findings.iter().map(Finding::to_string).collect(), report.notes)
    }

    fn findings(exceptions: &str, lock: String) -> Vec<String> {
        let report = report(exceptions, lock, "2026-02-01");
        report.findings.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_package_with_a_known_fault_is_found() {
        let finding = "Cargo.lock:4: advisory: rustls 0.23.4: RUSTSEC-2024-0336 (vulnerability), \
                       patched in >= 0.23.5; >= 0.22.4, < 0.23.0: \
                       https://rustsec.org/advisories/RUSTSEC-2024-0336";
        assert_eq!(check_one("rustls", "0.23.4"), (vec![finding.to_owned()], vec![]));
        for sound in ["0.23.5", "0.22.4", "0.19.1", "1.0.0"] {
            assert_eq!(check_one("rustls", sound), (vec![], vec![]), "{sound}");
        }
        for faulty in ["0.22.3", "0.20.0", "0.23.5-alpha.1", "no version"] {
            assert_eq!(check_one("rustls", faulty).0.len(), 1, "{faulty}");
        }
        assert_eq!(check_one("rustls-other", "0.23.4"), (vec![], vec![]));
    }

    #[test]
    fn only_a_missing_maintainer_is_a_note() {
        let note = "old 0.23.4: RUSTSEC-2024-0001 (unmaintained), patched in no version: \
                    https://rustsec.org/advisories/RUSTSEC-2024-0001";
        assert_eq!(check_one("old", "0.23.4"), (vec![], vec![note.to_owned()]));
        assert_eq!(check_one("shaky", "1.0.0").0.len(), 1);
        // A kind that RustSec did not have yet.
        assert_eq!(check_one("wicked", "1.0.0").0.len(), 1);
    }

    #[test]
    fn each_version_of_a_package_is_looked_up() {
        let lock = lock(&[("rustls", "0.23.4"), ("rustls", "0.23.5"), ("rustls", "0.21.0")]);
        let lines: Vec<_> = findings("", lock).iter().map(|one| one[..13].to_owned()).collect();
        assert_eq!(lines, ["Cargo.lock:4:", "Cargo.lock:14"]);
    }

    #[test]
    fn a_lock_file_that_cannot_be_understood_is_a_finding() {
        assert_eq!(
            findings("", "version = 4\n".to_owned()),
            ["Cargo.lock:1: advisory: it has no package."]
        );
        let broken = lock(&[("rustls", "0.23.4")]).replace("version = \"0.23.4\"\n", "");
        assert_eq!(
            findings("", broken),
            ["Cargo.lock:3: advisory: a package lacks its name or its version."]
        );
    }

    #[test]
    fn packages_of_the_workspace_are_not_those_of_the_registry() {
        let ours = lock(&[("rustls", "0.23.4"), ("other", "1.0.0")]);
        assert_eq!(findings("", ours.replacen("source = \"r\"\n", "", 1)), [""; 0]);
    }

    #[test]
    fn an_exception_has_a_date_and_a_reason_and_goes_with_its_cause() {
        let faulty = || lock(&[("rustls", "0.23.4")]);
        let exception = "# a comment\nRUSTSEC-2024-0336\t2026-01-31\tThe call is not made.\n";
        assert_eq!(findings(exception, faulty()), [""; 0]);
        let path = "crates/xtask/advisories-exceptions.tsv:2: advisory:";
        assert_eq!(
            findings(exception, lock(&[("rustls", "0.23.5")])),
            [format!("{path} no package has RUSTSEC-2024-0336 any more: the exception can go.")]
        );
        let unread =
            format!("{path} a line is an id, a date and a reason, with tabs between them.");
        for broken in [
            "\nRUSTSEC-2024-0336\t2026-01-31\t \n",
            "\nRUSTSEC-2024-0336\tyesterday\tThe call is not made.\n",
            "\nRUSTSEC-2024-0336\n",
        ] {
            let found = findings(broken, faulty());
            assert_eq!(found.first(), Some(&unread), "{broken:?}");
            assert_eq!(found.len(), 2, "{broken:?}");
        }
    }

    #[test]
    fn an_old_table_warns_and_fails_nothing() {
        let at = |today: &str| report("", lock(&[("rustls", "0.23.5")]), today);
        assert_eq!(at("2026-05-01"), Report::default());
        let old = at("2026-05-02");
        assert_eq!(
            old.warning.as_deref(),
            Some(
                "the table of advisories is 91 days old; the head of crates/xtask/advisories.tsv \
                 says how to renew it"
            )
        );
        assert_eq!(old.findings, []);
        // A clock that stands before it.
        assert_eq!(at("2020-01-01"), Report::default());
    }

    #[test]
    fn the_table_in_the_tree_is_whole() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let texts = read(root).unwrap();
        let (table, findings) = table::parse(TABLE, &texts.table);
        assert_eq!(findings, []);
        // The database only grows, except for withdrawn advisories.
        assert!(table.len() > 1_000, "{}", table.len());
    }
}
