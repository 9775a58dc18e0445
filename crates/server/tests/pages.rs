//! The commands of the manual, run as a reader runs them.
//!
//! Each page of `docs`, and each README of an example project, is one test. [`page`] reads its blocks and markers, [`script`] makes a shell
//! script of them, [`run`] runs it against the built program and compares what the page shows.
//! `CONTRIBUTING.md` lists the markers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]
#![allow(clippy::print_stdout, reason = "the counts of each page are printed")]

#[path = "pages/examples.rs"]
mod examples;
#[path = "pages/page.rs"]
mod page;
#[path = "pages/run.rs"]
mod run;
#[path = "pages/script.rs"]
mod script;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

use page::Page;

/// Pages that are made by programs and have no commands.
const MADE: [&str; 2] = ["cases.md", "SUMMARY.md"];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for path in pages() {
        let name = name(&path);
        trials.push(Trial::test(name, move || {
            let page = Page::read(&path)?;
            run::run(&page)?;
            Ok(())
        }));
    }
    trials.push(Trial::test("examples::versions", || examples::versions().map_err(Into::into)));
    trials.push(Trial::test("parse::markers", || page::tests::markers().map_err(Into::into)));
    trials.push(Trial::test("script::ports", || script::tests::ports().map_err(Into::into)));
    trials.push(Trial::test("compare::wildcards", || run::tests::wildcards().map_err(Into::into)));
    let has_filter = arguments.filter.is_some() || arguments.list;
    let conclusion = libtest_mimic::run(&arguments, trials);
    if !has_filter {
        print_counts();
    }
    conclusion.exit_code()
}

/// Every page of the manual, and the README.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages: Vec<PathBuf> = fs::read_dir(root.join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .filter(|path| !MADE.iter().any(|made| path.ends_with(made)))
        .collect();
    pages.push(root.join("README.md"));
    pages.extend(examples::pages(&root));
    pages.sort();
    pages
}

/// The name of a page's test.
fn name(path: &Path) -> String {
    let part = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match path.parent().map(|folder| (folder, folder.parent())) {
        Some((folder, Some(above))) if above.ends_with("examples") => {
            format!("example::{}", part(folder))
        }
        Some(_) | None => format!("page::{}", part(path)),
    }
}

/// The sum of all pages, with the reasons of commands that are not run.
fn print_counts() {
    let mut sum = page::Counts::default();
    for path in pages() {
        let Ok(page) = Page::read(&path) else { continue };
        sum.add(&page);
    }
    println!("{sum}");
}
