//! Links of the Markdown files to other files, and to headings of these; and that the site has each
//! page of the manual.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::workspace::read_text;
use super::{Finding, Rule, TidyError};
use crate::markdown;

/// The list of the site's pages, and the page with their contents.
const LISTS: [&str; 2] = ["docs/SUMMARY.md", "docs/README.md"];

/// The Markdown files by their paths: of the root and of `docs`.
pub(super) fn read(workspace: &Path) -> Result<BTreeMap<String, String>, TidyError> {
    let mut files = BTreeMap::new();
    for folder in ["", "docs/", "docs/internals/"] {
        let path = workspace.join(folder);
        let failed = |error| TidyError::File { path: path.clone(), error };
        for entry in fs::read_dir(&path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
            if name.ends_with(".md") {
                files.insert(format!("{folder}{name}"), read_text(&path.join(&name))?);
            }
        }
    }
    Ok(files)
}

/// Finds dead links, and pages that a list lacks.
pub(super) fn check(workspace: &Path, files: &BTreeMap<String, String>) -> Vec<Finding> {
    let anchors: BTreeMap<&str, BTreeSet<String>> =
        files.iter().map(|(path, text)| (path.as_str(), markdown::anchors(text))).collect();
    let mut findings = Vec::new();
    for (path, text) in files {
        for link in markdown::links(text) {
            if link.target.contains("://") || link.target.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = match link.target.split_once('#') {
                Some((file, anchor)) => (file, Some(anchor)),
                None => (link.target.as_str(), None),
            };
            let file = if file.is_empty() { path.clone() } else { resolve(path, file) };
            let sentence = if !workspace.join(&file).exists() {
                format!("`{}` leads to no file.", link.target)
            } else if let (Some(anchor), Some(known)) = (anchor, anchors.get(file.as_str()))
                && !known.contains(anchor)
            {
                format!("`{}` leads to no heading of {file}.", link.target)
            } else {
                continue;
            };
            findings.push(Finding {
                path: path.clone(),
                line: link.line,
                rule: Rule::Link,
                sentence,
            });
        }
    }
    for list in LISTS {
        findings.extend(check_list(list, files));
    }
    findings
}

/// Finds the pages of `docs` that a list lacks.
fn check_list(list: &str, files: &BTreeMap<String, String>) -> Vec<Finding> {
    let text = files.get(list).map_or("", String::as_str);
    let named: BTreeSet<String> =
        markdown::links(text).iter().map(|link| resolve(list, &link.target)).collect();
    let pages = files.keys().filter(|path| path.starts_with("docs/"));
    pages
        .filter(|path| !LISTS.contains(&path.as_str()) && !named.contains(path.as_str()))
        .map(|path| Finding {
            path: list.to_owned(),
            line: 1,
            rule: Rule::Link,
            sentence: format!("{path} is not in the list."),
        })
        .collect()
}

/// The path of a link's file from the root, without `.` and `..`.
pub(crate) fn resolve(page: &str, target: &str) -> String {
    let target = target.split('#').next().unwrap_or_default();
    let folder = Path::new(page).parent().unwrap_or(Path::new(""));
    let mut path = PathBuf::new();
    for component in folder.join(target).components() {
        match component {
            Component::ParentDir => drop(path.pop()),
            Component::Normal(name) => path.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        let files: BTreeMap<_, _> = files.collect();
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        check(&workspace, &files).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn dead_links_and_unlisted_pages_are_found() {
        let found = findings(&[
            ("README.md", "# A\n[a](#a) [b](#b) [c](docs/cache.md#d) [e](https://e.example/#f)\n"),
            ("docs/README.md", "[c](cache.md) [g](../none.md)\n"),
            ("docs/SUMMARY.md", "\n"),
            ("docs/cache.md", "# Cache\n"),
        ]);
        assert_eq!(
            found,
            [
                "README.md:2: link: `#b` leads to no heading of README.md.",
                "README.md:2: link: `docs/cache.md#d` leads to no heading of docs/cache.md.",
                "docs/README.md:1: link: `../none.md` leads to no file.",
                "docs/SUMMARY.md:1: link: docs/cache.md is not in the list.",
            ]
        );
    }

    #[test]
    fn links_are_resolved_from_their_page() {
        assert_eq!(resolve("docs/internals/a.md", "../../x/./y.md#z"), "x/y.md");
        assert_eq!(resolve("README.md", "docs/a.md"), "docs/a.md");
    }
}
