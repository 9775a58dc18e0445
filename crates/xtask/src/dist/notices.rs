//! Third-party packages in the program: names, versions, licences, and the licences' texts.
//!
//! The packages are those that Cargo links, without macros and build scripts, which only run here.
//! Their texts come from their sources; a text that many have stands there once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::build::cargo_home;
use super::platform::{Libc, Platform};
use super::{DistError, VERSION};
use crate::program;

/// Beginnings of the names of files that hold licences, in capital letters.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// Path of the notices of the standard library in the Rust toolchain.
const STANDARD_LIBRARY: &str = "share/doc/rust/COPYRIGHT-library.html";

/// Path of the notice of musl in Debian's packages.
const MUSL: &str = "/usr/share/doc/musl/copyright";

/// A package that the program contains.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// As its manifest names it; empty if it names only a file.
    pub(crate) licence: String,
    /// The address of its sources; may be empty.
    pub(crate) home: String,
}

/// Each text, with the files that have it.
type Texts = BTreeMap<String, BTreeSet<String>>;

/// The whole page.
pub(crate) fn collect(
    workspace: &Path,
    platform: Platform,
    is_static: bool,
) -> Result<String, DistError> {
    let packages = packages(workspace, platform)?;
    let mut texts = Texts::new();
    for package in &packages {
        add_texts(&sources(package)?, &package.title(), &mut texts)?;
    }
    // Embedded files have their licences beside them.
    add_texts(&workspace.join("crates"), "thalweg", &mut texts)?;
    add_runtime(is_static, &mut texts)?;
    Ok(print(&packages, &texts))
}

pub(crate) fn packages(
    workspace: &Path,
    platform: Platform,
) -> Result<BTreeSet<Package>, DistError> {
    let mut tree = program::cargo();
    tree.args(["tree", "--quiet", "--locked", "--package", "server"]);
    tree.args(["--edges", "normal,no-proc-macro", "--prefix", "none"]);
    tree.args(["--format", "{p}|{l}|{r}", "--target", &platform.target(Libc::Musl)]);
    Ok(parse(&program::output(tree.current_dir(workspace))?))
}

/// `name v1.2.3|MIT OR Apache-2.0|https://…`; the workspace's own have their folder after the
/// version, and a repeated package ends with a star.
fn parse(tree: &str) -> BTreeSet<Package> {
    let lines = tree.lines().filter_map(|line| {
        let mut parts = line.trim_end_matches(" (*)").split('|');
        let mut words = parts.next()?.split(' ');
        let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
        let is_ours = words.next().is_some();
        let licence = parts.next().unwrap_or_default();
        let home = parts.next().unwrap_or_default();
        (!is_ours).then(|| Package {
            name: name.to_owned(),
            version: version.to_owned(),
            licence: licence.to_owned(),
            home: home.to_owned(),
        })
    });
    lines.collect()
}

/// The folder that Cargo has unpacked a package into.
fn sources(package: &Package) -> Result<PathBuf, DistError> {
    let folder = cargo_home().unwrap_or_default().join("registry/src");
    let name = format!("{}-{}", package.name, package.version);
    let registries = fs::read_dir(&folder).into_iter().flatten().flatten();
    registries
        .map(|registry| registry.path().join(&name))
        .find(|sources| sources.is_dir())
        .ok_or(DistError::Sources { package: name, folder })
}

fn add_texts(folder: &Path, title: &str, texts: &mut Texts) -> Result<(), DistError> {
    let failed = |error| DistError::File { path: folder.to_owned(), error };
    let mut files = Vec::new();
    find(folder, &mut files).map_err(failed)?;
    for file in files {
        let text = fs::read(&file).map_err(failed)?;
        let inner = file.strip_prefix(folder).unwrap_or(&file).display();
        add(&String::from_utf8_lossy(&text), format!("{title}: {inner}"), texts);
    }
    Ok(())
}

/// Texts that differ in white space at the ends of lines only are the same.
fn add(text: &str, place: String, texts: &mut Texts) {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let text = lines.join("\n").trim_matches('\n').to_owned();
    texts.entry(text).or_default().insert(place);
}

/// Rust's standard library, and the C library that a static program contains.
fn add_runtime(is_static: bool, texts: &mut Texts) -> Result<(), DistError> {
    let mut rustc = std::process::Command::new("rustc");
    let toolchain = program::output(rustc.args(["--print", "sysroot"]))?;
    let notices = Path::new(toolchain.trim()).join(STANDARD_LIBRARY);
    let text = match fs::read_to_string(&notices) {
        Ok(page) => without_markup(&page),
        Err(_) => "MIT or Apache-2.0; https://www.rust-lang.org/policies/licenses".to_owned(),
    };
    add(&text, "The Rust standard library".to_owned(), texts);
    if is_static {
        let text = fs::read_to_string(MUSL).unwrap_or_else(|_| {
            "MIT; https://git.musl-libc.org/cgit/musl/tree/COPYRIGHT".to_owned()
        });
        add(&text, "The C library musl".to_owned(), texts);
    }
    Ok(())
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            // Packages of tests are not part of a program.
            if entry.file_name() != "node_modules" {
                find(&path, files)?;
            }
        } else if is_licence(&entry.file_name().to_string_lossy()) {
            files.push(path);
        }
    }
    Ok(())
}

/// `LICENSE`, `license.md`, `LICENSE-MIT`, `COPYING.LESSER`, and not `license.rs`.
fn is_licence(name: &str) -> bool {
    let capitals = name.to_uppercase();
    let is_text = match name.rsplit_once('.') {
        Some((_, ending)) => matches!(ending, "md" | "txt") || ending.to_uppercase() == ending,
        None => true,
    };
    is_text && NAMES.iter().any(|beginning| capitals.starts_with(beginning))
}

/// A page of HTML as plain lines.
fn without_markup(page: &str) -> String {
    let mut text = String::new();
    for (idx, part) in page.split('<').enumerate() {
        let shown = if idx == 0 { part } else { part.split_once('>').map_or("", |(_, rest)| rest) };
        text.push_str(shown);
    }
    let entities = [("&lt;", "<"), ("&#60;", "<"), ("&gt;", ">"), ("&#62;", ">")];
    let quotes = [("&quot;", "\""), ("&#34;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    for (entity, character) in entities.into_iter().chain(quotes) {
        text = text.replace(entity, character);
    }
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines.join("\n")
}

fn print(packages: &BTreeSet<Package>, texts: &Texts) -> String {
    let mut page = format!(
        "Thalweg {VERSION} contains, beside its own code, the Rust standard library and these \
         packages.\nSQLite, which is in the public domain, is in libsqlite3-sys, mimalloc in \
         libmimalloc-sys, AWS-LC in aws-lc-sys.\n\n"
    );
    for package in packages {
        let licence = match package.licence.as_str() {
            "" => "see its text below",
            named => named,
        };
        page.push_str(&format!("{}: {licence}\n    {}\n", package.title(), package.home));
    }
    for (text, places) in texts {
        page.push_str(&format!("\n{}\n", "=".repeat(80)));
        for place in places {
            page.push_str(place);
            page.push('\n');
        }
        page.push_str(&format!("{}\n\n{text}\n", "-".repeat(80)));
    }
    page
}

impl Package {
    fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_listed_once_and_without_our_own() {
        let tree = "\
server v0.1.0 (/home/a/thalweg/crates/server)|MIT OR Apache-2.0|
bytes v1.12.1|MIT|https://github.com/tokio-rs/bytes
jsonpath-rust v0.3.5||https://github.com/besok/jsonpath-rust
bytes v1.12.1|MIT|https://github.com/tokio-rs/bytes (*)
engine v0.1.0 (/home/a/thalweg/crates/engine)|MIT OR Apache-2.0| (*)
";
        let packages = parse(tree);
        let titles: Vec<String> = packages.iter().map(Package::title).collect();
        assert_eq!(titles, ["bytes 1.12.1", "jsonpath-rust 0.3.5"]);
        let texts =
            Texts::from([("Text.".to_owned(), BTreeSet::from(["a 1: LICENSE".to_owned()]))]);
        let page = print(&packages, &texts);
        assert!(page.contains("bytes 1.12.1: MIT\n    https://github.com/tokio-rs/bytes\n"));
        assert!(page.contains("jsonpath-rust 0.3.5: see its text below\n"), "{page}");
        assert!(
            page.ends_with(&format!("=\na 1: LICENSE\n{}\n\nText.\n", "-".repeat(80))),
            "{page}"
        );
    }

    #[test]
    fn licences_are_known_by_their_names() {
        for name in ["LICENSE", "LICENSE-MIT", "license.md", "COPYING.LESSER", "NOTICE.txt"] {
            assert!(is_licence(name), "{name}");
        }
        for name in ["license.rs", "README.md", "licenses.json", "my-LICENSE"] {
            assert!(!is_licence(name), "{name}");
        }
    }

    #[test]
    fn the_same_text_stands_there_once() {
        let mut texts = Texts::new();
        add("One.\nTwo.\n", "a 1: LICENSE".to_owned(), &mut texts);
        add("One. \r\nTwo.\n\n", "b 1: COPYING".to_owned(), &mut texts);
        assert_eq!(texts.len(), 1);
        assert_eq!(texts.first_key_value().map(|(_, places)| places.len()), Some(2));
    }

    #[test]
    fn markup_is_left_out_of_notices() {
        let page = "<h1>Notices</h1>\n\n<p>Copyright: <b>A</b> &#60;a@b.c&#62; &amp; others</p>";
        assert_eq!(without_markup(page), "Notices\nCopyright: A <a@b.c> & others");
    }
}
