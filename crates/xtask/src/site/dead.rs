//! Dead links of the site's pages, as mdBook has written them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::{SiteError, file};
use crate::markdown::attributes;
use crate::tidy::resolve;

/// All pages on one, whose links are those of the others; and the page for what is not found, whose
/// links begin at the root of the site.
const OTHERS: [&str; 2] = ["print.html", "404.html"];

/// The links that lead to no file of the site, or to no element of its page.
pub(super) fn links(book: &Path) -> Result<Vec<String>, SiteError> {
    let mut pages = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let path = book.join(&folder);
        for entry in fs::read_dir(&path).map_err(|error| file(&path, error))? {
            let entry = entry.map_err(|error| file(&path, error))?;
            let relative = folder.join(entry.file_name());
            let name = relative.to_string_lossy().into_owned();
            if entry.path().is_dir() {
                folders.push(relative);
            } else if name.ends_with(".html") && !OTHERS.contains(&name.as_str()) {
                let text = fs::read_to_string(entry.path());
                pages.insert(name, text.map_err(|error| file(&entry.path(), error))?);
            }
        }
    }
    Ok(check(&pages, |path| book.join(path).exists()))
}

/// Checks the pages; `exists` knows the other files.
fn check(pages: &BTreeMap<String, String>, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let ids: BTreeMap<&str, BTreeSet<&str>> = pages
        .iter()
        .map(|(name, text)| (name.as_str(), attributes(text, " id=\"").collect()))
        .collect();
    let mut dead = BTreeSet::new();
    for (name, text) in pages {
        for link in attributes(text, " href=\"").chain(attributes(text, " src=\"")) {
            if link.contains(':') || link.is_empty() {
                continue;
            }
            let (path, id) = link.split_once('#').unwrap_or((link, ""));
            let path = if path.is_empty() { name.clone() } else { resolve(name, path) };
            let is_there = match ids.get(path.as_str()) {
                Some(ids) => id.is_empty() || ids.contains(id),
                None => OTHERS.contains(&path.as_str()) || exists(&path),
            };
            if !is_there {
                dead.insert(format!("{name}: {link}"));
            }
        }
    }
    dead.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_nothing_are_found() {
        let text = "<h1 id=\"a\"><a href=\"#a\"> <a href=\"#b\"> <a href=\"y.html#c\"> <a href=\"z.html\"> \
                    <img src=\"i.svg\"> <a href=\"https://e.example/\">";
        let pages = [("x.html", text), ("y.html", "<p id=\"c\">")];
        let pages = pages.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
        let found = check(&pages, |path| path == "i.svg");
        assert_eq!(found, ["x.html: #b", "x.html: z.html"]);
    }
}
