//! Agreement of the workspaces: settings and versions of packages that both have are equal, so that
//! both share compiled packages and one lint means the same everywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::advisories::lock;
use super::workspace::{self, TidyError};
use super::{Finding, Rule};
use crate::workspaces::{self, in_folder};

/// Manifest and lock file of a workspace.
#[derive(Debug)]
pub(super) struct Texts {
    manifest_path: String,
    manifest: String,
    lock_path: String,
    lock: String,
}

/// Reads the files of all workspaces, that of the product first.
pub(super) fn read(root: &Path) -> Result<[Texts; 2], TidyError> {
    let read = |folder: &str| {
        let (manifest_path, lock_path) = (in_folder(folder, "Cargo.toml"), lock::path(folder));
        let manifest = workspace::read_text(&root.join(&manifest_path))?;
        let lock = workspace::read_text(&root.join(&lock_path))?;
        Ok::<_, TidyError>(Texts { manifest_path, manifest, lock_path, lock })
    };
    let [product, bench] = workspaces::ALL;
    Ok([read(product)?, read(bench)?])
}

/// Finds settings and versions of the second workspace that differ from the first.
pub(super) fn check([product, other]: &[Texts; 2]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let wanted = settings(&product.manifest);
    for (section, (line, lines)) in settings(&other.manifest) {
        if wanted.get(section).is_some_and(|(_, wanted)| *wanted != lines) {
            let sentence = format!("`{section}` differs from that of {}.", product.manifest_path);
            findings.push(finding(&other.manifest_path, line, sentence));
        }
    }
    let have = settings(&other.manifest);
    for section in wanted.keys().filter(|section| !have.contains_key(*section)) {
        let sentence = format!("`{section}` of {} is missing.", product.manifest_path);
        findings.push(finding(&other.manifest_path, 1, sentence));
    }
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in lock::packages(&product.lock_path, &product.lock).0 {
        versions.entry(package.name).or_default().insert(package.version);
    }
    for package in lock::packages(&other.lock_path, &other.lock).0 {
        let all = versions.get(package.name).into_iter().flatten().copied();
        let alike: Vec<&str> = all.filter(|one| are_compatible(one, package.version)).collect();
        if !alike.is_empty() && !alike.contains(&package.version) {
            let (name, version, wanted) = (package.name, package.version, alike.join(", "));
            let sentence = format!("{name} {version} is {wanted} in {}.", product.lock_path);
            findings.push(finding(&other.lock_path, package.line, sentence));
        }
    }
    findings
}

/// The sections with settings of a whole workspace, with their first lines and their settings
/// without comments.
fn settings(manifest: &str) -> BTreeMap<&str, (usize, Vec<&str>)> {
    let mut sections: BTreeMap<&str, (usize, Vec<&str>)> = BTreeMap::new();
    let mut current = None;
    for (index, line) in manifest.lines().enumerate() {
        if line.starts_with('[') {
            let is_shared = line == "[workspace.package]"
                || line.starts_with("[workspace.lints")
                // Profiles of releases are the product's alone.
                || line.starts_with("[profile.dev")
                || line == "[profile.release]";
            current = is_shared.then_some(line);
            if is_shared {
                sections.insert(line, (index + 1, Vec::new()));
            }
        } else if let Some((_, lines)) = current.and_then(|section| sections.get_mut(section))
            && !line.is_empty()
            && !line.starts_with('#')
        {
            lines.push(line);
        }
    }
    sections
}

/// Whether Cargo may use one version for the other: they are equal up to the first number above zero.
fn are_compatible(one: &str, other: &str) -> bool {
    let leading = |version: &str| {
        let numbers: Vec<&str> = version.split('.').collect();
        let zeros = numbers.iter().take_while(|number| **number == "0").count();
        numbers.get(..=zeros).map(|numbers| numbers.join(".")).unwrap_or_default()
    };
    leading(one) == leading(other)
}

fn finding(path: &str, line: usize, sentence: String) -> Finding {
    Finding { path: path.to_owned(), line, rule: Rule::Workspaces, sentence }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[workspace.package]\nedition = \"2024\"\n\n[dependencies]\na = \"1\"\n\n\
                            # A comment.\n[profile.dev]\n# Another.\ndebug = false\n";
    const LOCK: &str = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"r\"\n";

    fn check(manifest: &str, lock: &str) -> Vec<String> {
        let texts = |folder: &str, manifest: &str, lock: &str| Texts {
            manifest_path: in_folder(folder, "Cargo.toml"),
            manifest: manifest.to_owned(),
            lock_path: in_folder(folder, "Cargo.lock"),
            lock: lock.to_owned(),
        };
        let texts = [texts("", MANIFEST, LOCK), texts("bench", manifest, lock)];
        super::check(&texts).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn equal_workspaces_agree_whatever_their_comments_and_dependencies_are() {
        assert_eq!(check(MANIFEST, LOCK), [""; 0]);
        let manifest = MANIFEST.replace("a = \"1\"", "b = \"2\"").replace("# A comment.\n", "");
        let lock = LOCK.replace("\"a\"", "\"b\"").replace("1.0.0", "2.0.0");
        assert_eq!(check(&manifest, &lock), [""; 0]);
    }

    #[test]
    fn a_setting_that_differs_is_found() {
        assert_eq!(
            check(&MANIFEST.replace("debug = false", "debug = true"), LOCK),
            ["bench/Cargo.toml:8: workspaces: `[profile.dev]` differs from that of Cargo.toml."]
        );
        assert_eq!(
            check("[workspace.package]\nedition = \"2024\"\n", LOCK),
            ["bench/Cargo.toml:1: workspaces: `[profile.dev]` of Cargo.toml is missing."]
        );
    }

    #[test]
    fn a_package_of_another_version_is_found() {
        assert_eq!(
            check(MANIFEST, &LOCK.replace("1.0.0", "1.0.1")),
            ["bench/Cargo.lock:2: workspaces: a 1.0.1 is 1.0.0 in Cargo.lock."]
        );
        // Cargo does not accept a 1 for a 2, so both may be there.
        assert_eq!(check(MANIFEST, &LOCK.replace("1.0.0", "2.0.0")), [""; 0]);
    }

    #[test]
    fn versions_are_compatible_up_to_the_first_number_above_zero() {
        for (one, other, expected) in [
            ("1.2.3", "1.9.0", true),
            ("1.2.3", "2.0.0", false),
            ("0.5.10", "0.5.1", true),
            ("0.5.10", "0.6.5", false),
            ("0.0.1", "0.0.2", false),
        ] {
            assert_eq!(are_compatible(one, other), expected, "{one} and {other}");
        }
    }
}
