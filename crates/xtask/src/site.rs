//! `cargo xtask site`: the manual as a web site, made by mdBook in `target/site/book`.
//!
//! `pages` copies the manual, with links that hold in the site; `dead` checks the links of the pages that
//! mdBook has made.

mod dead;
mod pages;

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::cargo_tool::{CargoTool, ToolError};
use crate::program::{self, ProgramError};

/// Of July 2026; MPL-2.0.
const MDBOOK: CargoTool = CargoTool { package: "mdbook", version: "0.5.4" };

/// The time between two looks for changed pages.
const POLL: Duration = Duration::from_secs(1);

/// Options of the command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Serves the site, and makes it again when a page changes.
    pub(crate) serve: bool,
    /// Installs nothing, only looks.
    pub(crate) offline: bool,
    /// The address of the sources, such as `https://github.com/a/b/blob/main`, for links to files
    /// that are no pages; without it these are texts.
    pub(crate) sources: Option<String>,
}

/// The site could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SiteError {
    #[error("{}: {error}", .path.display())]
    File { path: PathBuf, error: io::Error },
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error("{} dead links:\n{}", .0.len(), .0.join("\n"))]
    DeadLinks(Vec<String>),
}

/// Makes the site, checks its links and prints its place; with `--serve` it serves it until it is
/// ended.
pub(crate) fn site(workspace: &Path, options: &Options) -> Result<(), SiteError> {
    let mdbook = MDBOOK.provide(workspace, options.offline)?;
    let folder = workspace.join("target/site");
    let count = pages::write(workspace, &folder, options.sources.as_deref())?;
    program::run(Command::new(&mdbook).arg("build").arg(&folder))?;
    let book = folder.join("book");
    let dead = dead::links(&book)?;
    if !dead.is_empty() {
        return Err(SiteError::DeadLinks(dead));
    }
    println!("site: {count} pages, without a dead link: {}", book.join("index.html").display());
    if options.serve {
        let mut command = Command::new(&mdbook);
        let child = command.arg("serve").arg(&folder).spawn();
        follow(workspace, &folder, options, child.map_err(|error| file(&mdbook, error))?)?;
    }
    Ok(())
}

/// Copies the pages again whenever one has changed, until the server ends.
fn follow(
    workspace: &Path,
    folder: &Path,
    options: &Options,
    mut server: Child,
) -> Result<(), SiteError> {
    let mut seen = SystemTime::now();
    while server.try_wait().map_err(|error| file(folder, error))?.is_none() {
        thread::sleep(POLL);
        let changed = pages::last_change(workspace)?;
        if changed > seen {
            seen = changed;
            pages::write(workspace, folder, options.sources.as_deref())?;
        }
    }
    Ok(())
}

fn file(path: &Path, error: io::Error) -> SiteError {
    SiteError::File { path: path.to_owned(), error }
}
