//! The pages of the site: the files of `docs`, and those of the root that the manual links to.
//!
//! Links to pages stay as they are. A link to another file of the repository leads to the sources, or
//! is text where no address of them is given.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{SiteError, file};
use crate::markdown;
use crate::tidy::resolve;

/// Files of the root, and the page that each is.
const ROOT: [(&str, &str); 4] = [
    ("README.md", "README.md"),
    ("ARCHITECTURE.md", "architecture.md"),
    ("CONTRIBUTING.md", "contributing.md"),
    ("CHANGELOG.md", "changelog.md"),
];

/// Files for mdBook itself, beside the pages.
const BOOK: [&str; 2] = ["book.toml", "site.css"];

/// Writes `book.toml` and `src` into the folder, and returns the number of pages.
pub(super) fn write(
    workspace: &Path,
    folder: &Path,
    sources: Option<&str>,
) -> Result<usize, SiteError> {
    let pages = pages(workspace)?;
    let src = folder.join("src");
    for (source, page) in &pages {
        let path = workspace.join(source);
        let target = src.join(page);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(|error| file(parent, error))?;
        }
        let bytes = fs::read(&path).map_err(|error| file(&path, error))?;
        let bytes = match String::from_utf8(bytes) {
            Ok(text) if source.ends_with(".md") => {
                rewrite(source, page, &text, &pages, sources).into_bytes()
            }
            Ok(text) => text.into_bytes(),
            Err(error) => error.into_bytes(),
        };
        write_changed(&target, &bytes)?;
    }
    for name in BOOK {
        let path = workspace.join("docs").join(name);
        let bytes = fs::read(&path).map_err(|error| file(&path, error))?;
        write_changed(&folder.join(name), &bytes)?;
    }
    Ok(pages.values().filter(|page| page.ends_with(".md")).count())
}

/// The time at which a page was last changed.
pub(super) fn last_change(workspace: &Path) -> Result<SystemTime, SiteError> {
    let mut last = SystemTime::UNIX_EPOCH;
    let book = BOOK.iter().map(|name| format!("docs/{name}"));
    for source in pages(workspace)?.into_keys().chain(book) {
        let path = workspace.join(source);
        let changed = fs::metadata(&path).and_then(|metadata| metadata.modified());
        last = last.max(changed.map_err(|error| file(&path, error))?);
    }
    Ok(last)
}

/// The files of the site by their paths in the repository.
fn pages(workspace: &Path) -> Result<BTreeMap<String, String>, SiteError> {
    let mut pages = BTreeMap::new();
    for (source, page) in ROOT {
        pages.insert(source.to_owned(), page.to_owned());
    }
    let mut folders: Vec<PathBuf> = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        let path = workspace.join(&folder);
        for entry in fs::read_dir(&path).map_err(|error| file(&path, error))? {
            let entry = entry.map_err(|error| file(&path, error))?;
            let relative = folder.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push(relative);
                continue;
            }
            let source = relative.to_string_lossy().into_owned();
            let page = source.trim_start_matches("docs/").to_owned();
            // The first page is the list of the manual's pages, not the README of the root.
            if !BOOK.contains(&page.as_str()) {
                pages.insert(source, page);
            }
        }
    }
    pages.remove("README.md");
    Ok(pages)
}

/// The text with links that hold in the site.
fn rewrite(
    source: &str,
    page: &str,
    text: &str,
    pages: &BTreeMap<String, String>,
    sources: Option<&str>,
) -> String {
    let mut rewritten = String::new();
    let mut done = 0;
    for link in markdown::links(text) {
        let is_elsewhere = link.target.contains("://") || link.target.starts_with("mailto:");
        if is_elsewhere || link.target.starts_with('#') {
            continue;
        }
        let anchor = link.target.find('#').map_or("", |at| &link.target[at..]);
        let path = resolve(source, &link.target);
        let path = if path == "README.md" { "docs/README.md".to_owned() } else { path };
        let (range, new) = match (pages.get(&path), sources) {
            (Some(target), _) => (link.range, format!("{}{anchor}", relative(page, target))),
            (None, Some(sources)) => (link.range, format!("{sources}/{path}{anchor}")),
            (None, None) => {
                let whole = &text[link.whole.clone()];
                let shown = whole.strip_prefix('[').and_then(|rest| rest.rsplit_once("]("));
                let Some((shown, _)) = shown else { continue };
                (link.whole, shown.to_owned())
            }
        };
        rewritten.push_str(&text[done..range.start]);
        rewritten.push_str(&new);
        done = range.end;
    }
    rewritten.push_str(&text[done..]);
    rewritten
}

/// The way from a page to another.
fn relative(page: &str, target: &str) -> String {
    let depth = page.matches('/').count();
    // The first page has its name of the site; the list of the pages has those of files.
    let target = match target {
        "README.md" if page != "SUMMARY.md" => "index.md",
        target => target,
    };
    format!("{}{target}", "../".repeat(depth))
}

/// Leaves a file that is the same: mdBook looks at times.
fn write_changed(path: &Path, bytes: &[u8]) -> Result<(), SiteError> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    fs::write(path, bytes).map_err(|error| file(path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, text: &str, sources: Option<&str>, expected: &str) {
        let pages = ["docs/README.md", "docs/a.md", "docs/internals/b.md", "ARCHITECTURE.md"];
        let pages: BTreeMap<String, String> = pages
            .iter()
            .map(|path| ((*path).to_owned(), path.trim_start_matches("docs/").to_owned()))
            .map(|(path, page)| match path.as_str() {
                "ARCHITECTURE.md" => (path, "architecture.md".to_owned()),
                _ => (path, page),
            })
            .collect();
        let page = pages.get(source).map_or("x.md", String::as_str);
        assert_eq!(rewrite(source, page, text, &pages, sources), expected);
    }

    #[test]
    fn links_to_pages_hold() {
        check("docs/a.md", "[x](internals/b.md#c)", None, "[x](internals/b.md#c)");
        check("docs/internals/b.md", "[x](../a.md)", None, "[x](../a.md)");
        check("docs/a.md", "[x](../ARCHITECTURE.md#c)", None, "[x](architecture.md#c)");
        check("ARCHITECTURE.md", "[x](docs/a.md) [y](README.md)", None, "[x](a.md) [y](index.md)");
        check(
            "docs/a.md",
            "[x](https://e.example/a.md) [y](#z)",
            None,
            "[x](https://e.example/a.md) [y](#z)",
        );
    }

    #[test]
    fn links_to_other_files_lead_to_the_sources_or_are_texts() {
        let text = "See [`x`](../fixtures/x.case).";
        check("docs/a.md", text, None, "See `x`.");
        check(
            "docs/a.md",
            text,
            Some("https://e.example/tree"),
            "See [`x`](https://e.example/tree/fixtures/x.case).",
        );
    }
}
