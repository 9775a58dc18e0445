//! Runs the script of a page, and compares its outputs with those that the page shows.

use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use testkit::postgres::{Server, installations};
use testkit::script::{Packages, chromium, packages, python_packages};

use crate::page::{Output, Page};
use crate::script::{self, Ports};

/// A page that takes longer waits for something that never comes.
const SECONDS: &str = "300";

/// A folder of its own, deleted in the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("thalweg-page-{}-{number}", std::process::id()));
        fs::create_dir_all(folder.join(".thalweg-page"))?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn run(page: &Page) -> Result<(), Box<dyn std::error::Error>> {
    if !page.has_steps() {
        return Ok(());
    }
    let folder = Folder::new()?;
    let ports = Ports::free()?;
    let own = folder.0.join(".thalweg-page");
    let text = script::write(page, &own, &ports)?;
    fs::write(own.join("script"), &text)?;
    let server = match page.needs_postgres {
        true => match postgres()? {
            Some(server) => Some(server),
            None => return Ok(()),
        },
        false => None,
    };
    let mut command = Command::new("timeout");
    if page.needs_npm {
        let (Some(packages), Some(clients), Some(chromium)) =
            (packages(Packages::Pages)?, packages(Packages::Clients)?, chromium()?)
        else {
            return Ok(());
        };
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        command.env("PACKAGES", packages).env("CLIENTS", clients).env("CHROMIUM", chromium);
        command.env("PICTURES", root.join("../../target/browser"));
        command.env("TASKS_SCRIPT", root.join("tests/pages/tasks.mjs"));
    }
    if let Some(example) = &page.example
        && !provide(example, &mut command)?
    {
        return Ok(());
    }
    command.args([SECONDS, "bash", ".thalweg-page/script"]).current_dir(&folder.0);
    command.stdin(Stdio::null());
    prepare(&mut command, server.as_ref())?;
    let output = command.output()?;
    if !output.status.success() {
        return Err(failure(page, &folder.0, &output.stderr).into());
    }
    let mut differences = String::new();
    for (index, step) in page.steps.iter().enumerate() {
        let Some(expected) = &step.output else { continue };
        let printed = fs::read(own.join(format!("output{index}")))?;
        let printed = String::from_utf8_lossy(&printed);
        let expected = Output { text: ports.replace(&expected.text), ..*expected };
        if !is_shown(&expected, &printed) {
            let path = page.path.display();
            let Output { line, text, .. } = expected;
            writeln!(differences, "{path}:{line}: the page shows:\n{text}\nbut it is:\n{printed}")?;
        }
    }
    if differences.is_empty() { Ok(()) } else { Err(differences.into()) }
}

/// What an example project needs beside the program; false where it is missing and may be.
fn provide(example: &str, command: &mut Command) -> Result<bool, Box<dyn std::error::Error>> {
    if example == "python" {
        let Some(packages) = python_packages()? else { return Ok(false) };
        command.env("PYTHON_PACKAGES", packages);
        return Ok(true);
    }
    let (Some(packages), Some(clients), Some(chromium)) =
        (packages(Packages::Examples)?, packages(Packages::Clients)?, chromium()?)
    else {
        return Ok(false);
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages/albums.mjs");
    command.env("EXAMPLE_PACKAGES", packages).env("CLIENTS", clients).env("CHROMIUM", chromium);
    command.env("ALBUMS_SCRIPT", script);
    Ok(true)
}

/// The program first in the path, the rest of the environment without its options.
fn prepare(command: &mut Command, server: Option<&Server>) -> std::io::Result<()> {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_thalweg"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let mut folders: Vec<PathBuf> = program.parent().map(Path::to_owned).into_iter().collect();
    if let Some(server) = server {
        folders.push(server.installation().bin.clone());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    folders.extend(env::split_paths(&path));
    let path: OsString = env::join_paths(folders).map_err(std::io::Error::other)?;
    command.env("PATH", path).env("PROGRAM", program).env("REPOSITORY", root);
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("THALWEG_") || name.starts_with("PG") {
            command.env_remove(name);
        }
    }
    if let Some(server) = server {
        command.env("PGHOST", "127.0.0.1").env("PGUSER", "postgres");
        command.env("PGPORT", server.port().to_string());
    }
    Ok(())
}

/// A server of its own, so that pages name their databases as they like; `None` without `psql`.
fn postgres() -> Result<Option<Server>, Box<dyn std::error::Error>> {
    let found = installations().into_iter().find(|found| found.bin.join("psql").exists());
    match found {
        Some(installation) => Ok(Some(Server::start(&installation)?)),
        None if env::var_os("THALWEG_REQUIRE_DATABASES").is_some_and(|value| value == "1") => {
            Err("no installation of PostgreSQL has `psql`; `cargo xtask setup` installs one".into())
        }
        None => {
            println!("not run: no installation of PostgreSQL has `psql`");
            Ok(None)
        }
    }
}

fn failure(page: &Page, folder: &Path, error: &[u8]) -> String {
    let own = folder.join(".thalweg-page");
    let line = fs::read_to_string(own.join("line")).unwrap_or_default();
    let mut text = format!("{}:{}: a command failed\n", page.path.display(), line.trim());
    text.push_str(&String::from_utf8_lossy(error));
    let step = page.steps.iter().position(|step| step.line.to_string() == line.trim());
    if let Some(index) = step {
        text.push_str(&fs::read_to_string(own.join(format!("output{index}"))).unwrap_or_default());
    }
    text.push_str(&fs::read_to_string(own.join("inline")).unwrap_or_default());
    for entry in fs::read_dir(&own).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("server") {
            let log = fs::read_to_string(entry.path()).unwrap_or_default();
            let _ = write!(text, "\n{name}:\n{log}");
        }
    }
    text
}

/// Whether the output is what the page shows.
fn is_shown(expected: &Output, printed: &str) -> bool {
    if expected.is_json && !expected.text.contains('…') {
        let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
        return parse(&expected.text).is_some_and(|value| parse(printed) == Some(value));
    }
    if expected.is_json {
        let compact = |text: &str| text.split_whitespace().collect::<String>();
        return matches(&compact(&expected.text), &compact(printed));
    }
    matches(expected.text.trim(), printed.trim())
}

/// Whether the text is the pattern, in which `…` stands for any text.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

/// Run by name: this program has no test harness.
pub(crate) mod tests {
    use super::{Output, is_shown};

    pub(crate) fn wildcards() -> Result<(), String> {
        let text = |text: &str| Output { line: 1, text: text.to_owned(), is_json: false };
        let json = |text: &str| Output { line: 1, text: text.to_owned(), is_json: true };
        let shown = [
            (text("a … c\n"), "a b c"),
            (text("…b…"), "abc"),
            (json("{\"a\": 1, \"b\": 2}"), "{\"b\":2,\"a\":1}"),
            (json("{\"a\": …, \"b\": 2}"), "{\"a\":[1],\"b\":2}"),
        ];
        let others = [(text("a"), "ab"), (text("a … c"), "a b"), (json("{\"a\": 1}"), "{\"a\":2}")];
        let wrong = |expected, found: &str, is: bool| {
            let fails = is_shown(&expected, found) != is;
            fails.then(|| format!("{expected:?}: {found}"))
        };
        let shown = shown.into_iter().filter_map(|(expected, found)| wrong(expected, found, true));
        let others =
            others.into_iter().filter_map(|(expected, found)| wrong(expected, found, false));
        match shown.chain(others).next() {
            Some(difference) => Err(difference),
            None => Ok(()),
        }
    }
}
