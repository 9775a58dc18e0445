//! The packages of others in `Cargo.lock`.

use super::finding;
use crate::tidy::Finding;
use crate::workspaces::in_folder;

/// The lock file of a workspace's folder.
pub(crate) fn path(folder: &str) -> String {
    in_folder(folder, "Cargo.lock")
}

/// One version of a package.
#[derive(Debug)]
pub(crate) struct Package<'t> {
    pub(crate) name: &'t str,
    pub(crate) version: &'t str,
    /// The line of its name.
    pub(crate) line: usize,
}

/// The packages from a registry or a repository, and findings about unreadable ones.
///
/// Packages without a source are the workspace's own, whatever the registry has under their names.
pub(crate) fn packages<'t>(path: &str, text: &'t str) -> (Vec<Package<'t>>, Vec<Finding>) {
    let (mut packages, mut findings) = (Vec::new(), Vec::new());
    let lines: Vec<&str> = text.lines().collect();
    let mut is_empty = true;
    for (start, block) in blocks(&lines) {
        is_empty = false;
        let value = |key: &str| {
            block.iter().enumerate().find_map(|(index, line)| {
                let rest = line.strip_prefix(key)?.strip_prefix(" = \"")?;
                rest.strip_suffix('"').map(|value| (start + index, value))
            })
        };
        match (value("name"), value("version")) {
            (Some((line, name)), Some((_, version))) => {
                if value("source").is_some() {
                    packages.push(Package { name, version, line });
                }
            }
            (None, _) | (_, None) => {
                let sentence = "a package lacks its name or its version.";
                findings.push(finding(path, start, sentence.to_owned()));
            }
        }
    }
    if is_empty {
        findings.push(finding(path, 1, "it has no package.".to_owned()));
    }
    (packages, findings)
}

/// Each `[[package]]` with the number of its first line.
fn blocks<'l, 't>(lines: &'l [&'t str]) -> impl Iterator<Item = (usize, &'l [&'t str])> {
    let starts = lines.iter().enumerate().filter(|(_, line)| **line == "[[package]]");
    starts.map(|(start, _)| {
        let rest = lines.get(start + 1..).unwrap_or_default();
        let end = rest.iter().position(|line| line.starts_with('[')).unwrap_or(rest.len());
        (start + 1, lines.get(start..start + 1 + end).unwrap_or_default())
    })
}
