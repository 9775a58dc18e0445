//! Clients for tests of the server: a browser, and clients of other projects from npm; and the other
//! composers of federated graphs, from npm too.

use std::path::{Path, PathBuf};

use crate::debian::{self, InstallError};
use crate::npm::{self, NpmError};
use crate::program;
use crate::python::{self, PythonError};

/// Under `target`.
const FOLDER: &str = "clients";

/// Under `target`: clients that need an older `graphql`.
const PRISMA_CLIENTS: &str = "prisma-clients";

/// Under `target`.
const PRISMA_COMMANDS: &str = "prisma-commands";

/// Under `target`.
const COMPOSERS: &str = "composers";

/// Under `target`: what the pages of the manual install.
const PAGES: &str = "page-packages";

/// Under `target`: what the example projects install.
const EXAMPLES: &str = "example-packages";

/// The names of the browser's program in distributions; the test looks for the same.
const BROWSERS: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The clients could not be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientsError {
    #[error("`{0}` is not installed, and `--offline` installs nothing")]
    Offline(&'static str),
    #[error(transparent)]
    Install(#[from] InstallError),
    #[error(transparent)]
    Npm(#[from] NpmError),
    #[error(transparent)]
    Python(#[from] PythonError),
}

/// Installs missing clients.
pub(crate) fn provide(workspace: &Path, offline: bool) -> Result<PathBuf, ClientsError> {
    provide_program(&["npm"], &["nodejs", "npm"], offline)?;
    provide_program(&BROWSERS, &["chromium"], offline)?;
    let composers = workspace.join("crates/supergraph/tests/composers");
    npm::provide(workspace, &composers, COMPOSERS, offline)?;
    let prisma = workspace.join("crates/server/tests/prisma/clients");
    npm::provide(workspace, &prisma, PRISMA_CLIENTS, offline)?;
    let commands = workspace.join("crates/server/tests/prisma/commands");
    npm::provide(workspace, &commands, PRISMA_COMMANDS, offline)?;
    let pages = workspace.join("crates/server/tests/pages/packages");
    npm::provide(workspace, &pages, PAGES, offline)?;
    let examples = workspace.join("crates/server/tests/pages/example-packages");
    npm::provide(workspace, &examples, EXAMPLES, offline)?;
    // Debian's Python has no `venv` of its own.
    if !offline && !python::has_venv() {
        debian::install(&["python3", "python3-venv"])?;
    }
    python::provide(workspace, offline)?;
    let source = workspace.join("crates/server/tests/clients");
    Ok(npm::provide(workspace, &source, FOLDER, offline)?)
}

/// Installs `packages` if there is no program of any of the names.
fn provide_program(
    names: &[&'static str],
    packages: &[&'static str],
    offline: bool,
) -> Result<(), ClientsError> {
    if names.iter().any(|name| program::find(name).is_some()) {
        return Ok(());
    }
    match packages.last() {
        Some(package) if offline => Err(ClientsError::Offline(package)),
        Some(_) | None => Ok(debian::install(packages)?),
    }
}
