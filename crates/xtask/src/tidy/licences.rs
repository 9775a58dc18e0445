//! The licences of the packages of others: only those under which the program may be given on without
//! more than naming them.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Finding, Rule};
use crate::program::{self, ProgramError};

/// By the names of <https://spdx.org/licenses>.
const ALLOWED: [&str; 15] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    // Requires the publication of changes to it, and there are none.
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Packages whose manifests name no licence, with that of their licence file.
const IN_FILES: [(&str, &str); 1] = [("jsonpath-rust v0.3.5", "MIT")];

/// All linked packages, and those that build and test them, for this platform.
pub(crate) fn read(workspace: &Path) -> Result<String, ProgramError> {
    let mut tree = program::cargo();
    tree.args(["tree", "--quiet", "--locked", "--workspace", "--edges", "normal,build,dev"]);
    tree.args(["--prefix", "none", "--format", "{p}|{l}"]);
    program::output(tree.current_dir(workspace))
}

/// Finds packages with other licences in the tree that Cargo prints for a lock file.
pub(crate) fn check(lock: &str, tree: &str) -> Vec<Finding> {
    let packages: BTreeSet<(&str, &str)> = tree
        .lines()
        .filter_map(|line| line.trim_end_matches(" (*)").split_once('|'))
        // Our own have their folder after the version.
        .filter(|(package, _)| package.matches(" (/").count() == 0)
        .collect();
    let packages = packages.into_iter().map(|(package, licence)| {
        let in_file = IN_FILES.iter().find(|(named, _)| *named == package && licence.is_empty());
        (package, in_file.map_or(licence, |(_, licence)| licence))
    });
    let others = packages.filter(|(_, licence)| !is_allowed(licence));
    others
        .map(|(package, licence)| {
            let licence = if licence.is_empty() { "no licence at all" } else { licence };
            Finding {
                path: lock.to_owned(),
                line: 1,
                rule: Rule::Licence,
                sentence: format!("`{package}` has {licence}, which is not one of ours."),
            }
        })
        .collect()
}

/// Whether an SPDX expression can be met:
/// <https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions>. Cargo's older form has a slash
/// for OR.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    let is_met = any(&mut words);
    is_met && words.next().is_none()
}

type Words<'w> = std::iter::Peekable<std::str::SplitWhitespace<'w>>;

fn any(words: &mut Words<'_>) -> bool {
    let mut is_met = all(words);
    while words.next_if_eq(&"OR").is_some() {
        is_met |= all(words);
    }
    is_met
}

fn all(words: &mut Words<'_>) -> bool {
    let mut is_met = one(words);
    while words.next_if_eq(&"AND").is_some() {
        is_met &= one(words);
    }
    is_met
}

fn one(words: &mut Words<'_>) -> bool {
    let Some(word) = words.next() else { return false };
    if word == "(" {
        let is_met = any(words);
        return words.next() == Some(")") && is_met;
    }
    let mut name = word.to_owned();
    if words.next_if_eq(&"WITH").is_some() {
        name.extend([" WITH ", words.next().unwrap_or_default()]);
    }
    ALLOWED.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// cargo-deny reads its own file.
    #[test]
    fn the_file_of_cargo_deny_has_the_same_licences() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deny.toml");
        let text = std::fs::read_to_string(file).unwrap();
        let allowed = text.split("allow = [").nth(1).unwrap().split(']').next().unwrap();
        let allowed: Vec<&str> = allowed.split('"').skip(1).step_by(2).collect();
        assert_eq!(allowed, ALLOWED);
    }

    #[test]
    fn an_expression_is_met_by_what_is_allowed() {
        for (expression, expected) in [
            ("MIT", true),
            ("MIT OR Apache-2.0", true),
            ("MIT/Apache-2.0", true),
            ("Apache-2.0 / MIT", true),
            ("GPL-3.0 OR MIT", true),
            ("GPL-3.0 AND MIT", false),
            ("(MIT OR GPL-3.0) AND Unicode-3.0", true),
            ("(MIT AND GPL-3.0) OR LGPL-2.1", false),
            ("MIT OR GPL-3.0 AND AGPL-3.0", true),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0 WITH Other-exception", false),
            ("GPL-2.0 WITH LLVM-exception", false),
            ("AGPL-3.0-only", false),
            ("SSPL-1.0", false),
            ("", false),
            ("MIT OR", true),
            ("MIT)", false),
            ("(MIT", false),
            ("MIT MIT", false),
        ] {
            assert_eq!(is_allowed(expression), expected, "{expression}");
        }
    }

    #[test]
    fn a_package_with_another_licence_is_found_and_ours_are_not() {
        let tree = "server v0.1.0 (/home/us/crates/server)|MIT OR Apache-2.0\n\
                    fake v1.0.0|AGPL-3.0\nfake v1.0.0|AGPL-3.0 (*)\nnone v2.0.0|\n\
                    derive v1.0.0 (proc-macro)|MIT\n\nlocal v1.0.0 (/home/us/local)|\n";
        let found: Vec<_> = check("Cargo.lock", tree).iter().map(Finding::to_string).collect();
        assert_eq!(
            found,
            [
                "Cargo.lock:1: licence: `fake v1.0.0` has AGPL-3.0, which is not one of ours.",
                "Cargo.lock:1: licence: `none v2.0.0` has no licence at all, which is not one of ours.",
            ]
        );
    }
}
