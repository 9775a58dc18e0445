//! Packages of `Cargo.lock` with known faults, by a checkout of the RustSec advisory database.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::version::{Requirement, Version};
use super::{Finding, Rule};

/// What is known and does not concern us, each with its reason.
const ACCEPTED: [(&str, &str); 0] = [];

/// One fault of one package, as a line of the table.
#[derive(Debug, PartialEq, Eq)]
struct Advisory<'t> {
    id: &'t str,
    package: &'t str,
    /// `vulnerability`, or what RustSec calls it that is none.
    kind: &'t str,
    /// Requirements of versions that do not have it.
    sound: Vec<&'t str>,
    title: &'t str,
}

/// Of faults, and of what is only good to know.
pub(crate) struct Found {
    pub(crate) findings: Vec<Finding>,
    pub(crate) notes: Vec<String>,
}

/// Looks up each package of a lock file in a checkout.
pub(crate) fn check(checkout: &Path, lock: &str) -> Result<Found, ReadError> {
    Ok(check_by(&table(checkout)?, lock, &ACCEPTED))
}

fn check_by(known: &str, lock: &str, accepted: &[(&str, &str)]) -> Found {
    let mut found = Found { findings: Vec::new(), notes: Vec::new() };
    for (line, name, version) in packages(lock) {
        for advisory in advisories(known).filter(|advisory| advisory.package == name) {
            if advisory.is_sound(version) || accepted.iter().any(|(id, _)| *id == advisory.id) {
                continue;
            }
            let Advisory { id, kind, title, .. } = advisory;
            let sentence = format!("{name} {version}: {id} ({kind}): {title}");
            match kind {
                "vulnerability" | "unsound" => found.findings.push(Finding {
                    path: "Cargo.lock".to_owned(),
                    line,
                    rule: Rule::Advisory,
                    sentence,
                }),
                _ => found.notes.push(sentence),
            }
        }
    }
    found
}

/// The line, the name and the version of each package.
fn packages(lock: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    let value = |line: &'_ str, key: &str| -> Option<(usize, usize)> {
        let rest = line.strip_prefix(key)?.strip_prefix(" = \"")?;
        let start = line.len() - rest.len();
        rest.strip_suffix('"').map(|value| (start, start + value.len()))
    };
    let lines: Vec<&str> = lock.lines().collect();
    let mut found = Vec::new();
    for (index, pair) in lines.windows(2).enumerate() {
        if let [first, second] = pair
            && let Some((start, end)) = value(first, "name")
            && let Some((from, to)) = value(second, "version")
        {
            found.push((index + 1, &first[start..end], &second[from..to]));
        }
    }
    found.into_iter()
}

fn advisories(known: &str) -> impl Iterator<Item = Advisory<'_>> {
    known.lines().filter_map(|line| {
        let mut parts = line.split('\t');
        let [id, package, kind] = [parts.next()?, parts.next()?, parts.next()?];
        let sound = parts.next()?.split("; ").filter(|one| !one.is_empty()).collect();
        Some(Advisory { id, package, kind, sound, title: parts.next()? })
    })
}

impl Advisory<'_> {
    /// A version that cannot be read is taken for one that has the fault.
    fn is_sound(&self, version: &str) -> bool {
        let Some(version) = Version::parse(version) else { return false };
        let mut requirements = self.sound.iter().filter_map(|text| Requirement::parse(text));
        requirements.any(|requirement| requirement.contains(&version))
    }
}

/// A file of the database that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be read: {reason}", path.display())]
pub(crate) struct ReadError {
    path: PathBuf,
    reason: String,
}

/// The advisories of a checkout, one a line.
fn table(checkout: &Path) -> Result<String, ReadError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error: io::Error| ReadError { path, reason: error.to_string() }
    };
    let folder = checkout.join("crates");
    let mut lines = Vec::new();
    for package in fs::read_dir(&folder).map_err(failed(&folder))?.flatten() {
        for file in fs::read_dir(package.path()).map_err(failed(&package.path()))?.flatten() {
            let path = file.path();
            let text = fs::read_to_string(&path).map_err(failed(&path))?;
            if let Some(line) = line(&text) {
                lines.push(line);
            }
        }
    }
    if lines.is_empty() {
        return Err(ReadError { path: folder, reason: "it has no advisory".to_owned() });
    }
    lines.sort();
    Ok(lines.join("\n"))
}

/// The line of an advisory; none where it was withdrawn.
fn line(text: &str) -> Option<String> {
    let front = text.split("```toml").nth(1)?.split("\n```").next()?;
    let mut section = "";
    let mut values: Vec<(String, String)> = Vec::new();
    let mut is_open = false;
    for line in front.lines().map(str::trim) {
        if is_open && let Some((_, value)) = values.last_mut() {
            value.push_str(line);
            is_open = !line.starts_with(']');
        } else if line.starts_with('[') {
            section = line.trim_matches(['[', ']']);
        } else if let Some((key, value)) = line.split_once('=') {
            let value = value.trim();
            is_open = value.starts_with('[') && !value.contains(']');
            values.push((format!("{section}.{}", key.trim()), value.to_owned()));
        }
    }
    let find = |key: &str| values.iter().find(|(name, _)| name == key).map(|(_, value)| value);
    let texts = |key: &str| -> Vec<String> {
        let parts = find(key).map(|value| value.split('"').skip(1).step_by(2).map(str::to_owned));
        parts.into_iter().flatten().collect()
    };
    if find("advisory.withdrawn").is_some() {
        return None;
    }
    let one = |key: &str| texts(key).into_iter().next();
    let kind = one("advisory.informational").unwrap_or_else(|| "vulnerability".to_owned());
    let sound = [texts("versions.patched"), texts("versions.unaffected")].concat().join("; ");
    let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
    let (id, package) = (one("advisory.id")?, one("advisory.package")?);
    Some(
        [&id, &package, &kind, &sound, title.trim()].map(|part| part.replace('\t', " ")).join("\t"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADVISORY: &str = "```toml\n[advisory]\nid = \"RUSTSEC-2024-0336\"\npackage = \"rustls\"\n\
        aliases = [\"CVE-2024-32650\"]\n\n[versions]\npatched = [\n    \">= 0.23.5\",\n    \
        \">= 0.22.4, < 0.23.0\",\n]\nunaffected = [\"< 0.20\"]\n\n[affected]\nfunctions = { \
        \"rustls::a\" = [\"<= 0.23.4\"] }\n```\n\n# It may loop\n\nFor ever.\n";

    fn lock(name: &str, version: &str) -> String {
        format!(
            "version = 4\n\n[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \"r\"\n"
        )
    }

    fn check(name: &str, version: &str) -> (Vec<String>, Vec<String>) {
        let unmaintained = ADVISORY
            .replace("0336", "0001")
            .replace("rustls\"", "old\"")
            .replace("aliases", "informational = \"unmaintained\"\naliases");
        let withdrawn = ADVISORY
            .replace("rustls\"", "gone\"")
            .replace("aliases", "withdrawn = \"2024\"\naliases");
        let lines = [ADVISORY, &unmaintained, &withdrawn].map(line);
        let known = lines.into_iter().flatten().collect::<Vec<_>>().join("\n");
        let found = check_by(&known, &lock(name, version), &[]);
        (found.findings.iter().map(Finding::to_string).collect(), found.notes)
    }

    #[test]
    fn a_package_with_a_known_fault_is_found() {
        let finding =
            "Cargo.lock:4: advisory: rustls 0.23.4: RUSTSEC-2024-0336 (vulnerability): It may loop";
        assert_eq!(check("rustls", "0.23.4"), (vec![finding.to_owned()], vec![]));
        for sound in ["0.23.5", "0.22.4", "0.19.1", "1.0.0"] {
            assert_eq!(check("rustls", sound), (vec![], vec![]), "{sound}");
        }
        assert_eq!(check("rustls", "0.22.3").0.len(), 1);
        assert_eq!(check("rustls-other", "0.23.4"), (vec![], vec![]));
        assert_eq!(check("gone", "0.23.4"), (vec![], vec![]));
        let note = "old 0.23.4: RUSTSEC-2024-0001 (unmaintained): It may loop".to_owned();
        assert_eq!(check("old", "0.23.4"), (vec![], vec![note]));
    }
}
