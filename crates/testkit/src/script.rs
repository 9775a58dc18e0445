//! Scripts for Node.js, with the packages that `cargo xtask setup` installs, and the browser that
//! some of them drive.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// If it is set, a missing tool is a failure; `cargo xtask test` sets it.
const REQUIRE_VARIABLE: &str = "THALWEG_REQUIRE_CLIENTS";

/// The names under which systems have the browser.
const BROWSERS: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// A script was not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("{0} is missing; `cargo xtask setup` installs it")]
    Missing(&'static str),
    #[error("{}: {error}", .path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{name}:\n{printed}")]
    Failed { name: String, printed: String },
}

/// Packages that scripts need, by the folder of the lock file that names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packages {
    /// The clients of today.
    Clients,
    /// The clients of Prisma 1, which need an older `graphql`.
    PrismaClients,
    /// The commands of Prisma 1.
    PrismaCommands,
    /// Packages that the pages of the manual install.
    Pages,
    /// Packages that the example projects install.
    Examples,
}

/// Files of the Python packages of an example project, and the folder of their installation.
const PYTHON: [&str; 2] =
    ["crates/server/tests/pages/python-packages/requirements.txt", "target/python-packages"];

impl Packages {
    /// The folder of the lock file, and the one of the packages in `target`.
    fn folders(self) -> [&'static str; 2] {
        match self {
            Self::Clients => ["crates/server/tests/clients", "target/clients"],
            Self::PrismaClients => ["crates/server/tests/prisma/clients", "target/prisma-clients"],
            Self::PrismaCommands => {
                ["crates/server/tests/prisma/commands", "target/prisma-commands"]
            }
            Self::Pages => ["crates/server/tests/pages/packages", "target/page-packages"],
            Self::Examples => {
                ["crates/server/tests/pages/example-packages", "target/example-packages"]
            }
        }
    }
}

/// Runs a script with the clients of today, which has to succeed, and returns its output; `None` where Node.js or the
/// packages are missing and optional.
///
/// # Errors
///
/// The script fails, or a required tool is missing.
pub fn run(script: &Path, arguments: &[&OsStr]) -> Result<Option<String>, ScriptError> {
    run_with(Packages::Clients, script, arguments)
}

/// The same with other packages.
///
/// # Errors
///
/// The script fails, or a required tool is missing.
pub fn run_with(
    packages: Packages,
    script: &Path,
    arguments: &[&OsStr],
) -> Result<Option<String>, ScriptError> {
    let Some(folder) = self::packages(packages)? else { return Ok(None) };
    match has_node()? {
        true => execute(script, &folder, arguments).map(Some),
        false => Ok(None),
    }
}

/// Whether there is Node.js; an error if it is missing and required.
fn has_node() -> Result<bool, ScriptError> {
    match Command::new("node").arg("--version").output() {
        Ok(_) => Ok(true),
        Err(_) => Ok(missing::<()>("Node.js")?.is_some()),
    }
}

/// Copies a script into a folder and runs it there, to its success.
fn execute(script: &Path, folder: &Path, arguments: &[&OsStr]) -> Result<String, ScriptError> {
    let installed = install(script, folder)?;
    let output = Command::new("node").arg(&installed).args(arguments).output();
    let output = output.map_err(|error| ScriptError::File { path: installed, error })?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let printed = text(&output.stdout);
    if output.status.success() {
        return Ok(printed);
    }
    let name = script.display().to_string();
    Err(ScriptError::Failed { name, printed: printed + &text(&output.stderr) })
}

/// Runs a script within a folder that has what it imports.
///
/// # Errors
///
/// The script fails, or Node.js is missing and required.
pub fn run_in(
    folder: &Path,
    script: &Path,
    arguments: &[&OsStr],
) -> Result<Option<String>, ScriptError> {
    match has_node()? {
        true => execute(script, folder, arguments).map(Some),
        false => Ok(None),
    }
}

/// Chromium, or `None` where it is missing and may be.
///
/// # Errors
///
/// The browser is missing and required.
pub fn chromium() -> Result<Option<PathBuf>, ScriptError> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut files = env::split_paths(&path)
        .flat_map(|folder| BROWSERS.map(|name| folder.join(name)))
        .filter(|file| file.is_file());
    match files.next() {
        Some(file) => Ok(Some(file)),
        None => missing("Chromium"),
    }
}

/// Reports a test as not run, which is an error where the tools are required.
#[expect(clippy::print_stderr, reason = "whoever runs the tests should know")]
fn missing<T>(what: &'static str) -> Result<Option<T>, ScriptError> {
    let error = ScriptError::Missing(what);
    if env::var_os(REQUIRE_VARIABLE).is_some() {
        return Err(error);
    }
    eprintln!("not run: {error}");
    Ok(None)
}

/// The folder of packages, or `None` where they are missing and may be.
///
/// # Errors
///
/// The packages are missing and required.
pub fn packages(packages: Packages) -> Result<Option<PathBuf>, ScriptError> {
    match installed(packages)? {
        Some(folder) => Ok(Some(folder)),
        None => missing("a folder of npm packages in `target`"),
    }
}

/// A virtual environment of Python with the packages of an example, or `None` where it is missing and
/// may be.
///
/// # Errors
///
/// The packages are missing and required.
pub fn python_packages() -> Result<Option<PathBuf>, ScriptError> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let [wanted, folder] = PYTHON.map(|path| workspace.join(path));
    let wanted = read(&wanted)?;
    let installed = fs::read_to_string(folder.join("installed.txt"));
    match installed.is_ok_and(|installed| installed == wanted) {
        true => Ok(Some(folder)),
        false => missing("a folder of Python packages in `target`"),
    }
}

/// The folder of the packages, if those are in it that the lock file names.
fn installed(packages: Packages) -> Result<Option<PathBuf>, ScriptError> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let [source, folder] = packages.folders();
    let wanted = read(&workspace.join(source).join("package-lock.json"))?;
    let folder = workspace.join(folder);
    let installed = fs::read_to_string(folder.join("installed.json"));
    Ok(installed.is_ok_and(|installed| installed == wanted).then_some(folder))
}

/// Puts a script beside the packages, where Node.js finds these. It is written atomically: other
/// tests may be reading it.
fn install(script: &Path, folder: &Path) -> Result<PathBuf, ScriptError> {
    let text = read(script)?;
    let name = script.file_name().unwrap_or_default().to_string_lossy();
    let unique = format!("{:?}", std::thread::current().id());
    let partial = folder.join(format!(".{name}-{}-{unique}", std::process::id()));
    let path = folder.join(&*name);
    let written = fs::write(&partial, text).and_then(|()| fs::rename(&partial, &path));
    match written {
        Ok(()) => Ok(path),
        Err(error) => Err(ScriptError::File { path, error }),
    }
}

fn read(path: &Path) -> Result<String, ScriptError> {
    fs::read_to_string(path).map_err(|error| ScriptError::File { path: path.to_owned(), error })
}
