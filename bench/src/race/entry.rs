//! A contestant of a suite: started, or kept away by a reason.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::contestant::{self, Contestant, Kind, ServerFile, VersionFile};
use super::place::Database;
use super::suite::Suite;
use crate::peers;
use crate::program::forget_environment;
use crate::server::{Server, free_port};

/// The number of characters of a server's log in a reason.
const LOG_LETTERS: usize = 300;

/// Settings for starts.
#[derive(Clone, Debug)]
pub(super) struct StartContext {
    pub(super) workspace: PathBuf,
    /// Thalweg's.
    pub(super) program: PathBuf,
    pub(super) logs: PathBuf,
    pub(super) connections: u32,
}

/// One that can be asked.
#[derive(Debug)]
pub(super) enum Runner {
    Server { server: Server, dialect: String },
    Floor(contestant::Driver),
}

/// Starts it on a database, or says why not.
pub(super) fn start(
    contestant: &Contestant,
    suite: &Suite,
    database: &Database,
    context: &StartContext,
) -> Result<Runner, String> {
    if !contestant.sources.contains(&database.source) {
        return Err(format!("does not serve {}", database.source.title()));
    }
    if !contestant.is_for(suite, database.source) {
        return Err(format!("is for {} only", contestant.suites.join(", ")));
    }
    let server = match &contestant.kind {
        Kind::Server(server) => server,
        Kind::Floor(floor) => return Ok(Runner::Floor(floor.driver)),
    };
    let mut words = server.file.command.clone();
    for feature in &suite.file.features {
        let further = server.file.features.get(feature);
        words.extend_from_slice(further.ok_or(format!("has no feature `{feature}`"))?);
    }
    let folder = install(contestant, &server.file, context)?;
    let port = free_port().map_err(|error| error.to_string())?;
    let dialect = server.dialect(suite).to_owned();
    let mut places = places(context, folder.as_deref());
    places.extend([
        ("port", port.to_string()),
        ("url", database.url.clone()),
        ("socket", database.socket.clone()),
        ("database_port", database.port.to_string()),
        ("database", database.name.clone()),
        ("connections", (context.connections / server.file.processes).max(1).to_string()),
        ("dialect", dialect.clone()),
    ]);
    if let Some(types) = suite.write_types(&dialect, &context.logs)? {
        places.insert("types", types.display().to_string());
    }
    if let Some(file) = &suite.file.policies {
        places.insert("policies", suite.folder.join(file).display().to_string());
    }
    let mut command = command(&words, &places)?;
    forget_environment(&mut command);
    for (name, value) in &server.file.environment {
        command.env(name, fill(value, &places));
    }
    // A configuration file of the workspace is none of this server.
    command.current_dir(folder.as_deref().unwrap_or(&context.logs));
    let log = context.logs.join(format!("{}-{}.log", suite.name(database.source), contestant.id));
    match Server::start(command, port, &log) {
        Ok(server) => Ok(Runner::Server { server, dialect }),
        Err(error) => Err(shorten(&error.to_string())),
    }
}

/// The version of a contestant, or the reason why it is unknown.
pub(super) fn version(contestant: &Contestant, context: &StartContext) -> Result<String, String> {
    let Kind::Server(server) = &contestant.kind else { return Ok(String::new()) };
    let folder = install(contestant, &server.file, context)?;
    let packages = folder.as_deref().map(|folder| folder.join("node_modules"));
    let places = places(context, folder.as_deref());
    read_version(&server.file.version, &places, packages.as_deref())
}

/// The version of a program by a command's output, or by an installed package.
pub(crate) fn read_version(
    version: &VersionFile,
    places: &BTreeMap<&'static str, String>,
    packages: Option<&Path>,
) -> Result<String, String> {
    match version {
        VersionFile::Command(words) => {
            let output = command(words, places)?
                .output()
                .map_err(|error| format!("{} could not be run: {error}", words.join(" ")))?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let word = text.lines().next().and_then(|line| line.split_whitespace().next_back());
            word.map(str::to_owned)
                .ok_or_else(|| format!("`{}` prints no version", words.join(" ")))
        }
        VersionFile::Package(name) => {
            let packages = packages.ok_or("it has a version by a package, but no `npm`")?;
            let text = std::fs::read_to_string(packages.join(name).join("package.json"))
                .map_err(|error| error.to_string())?;
            let package: serde_json::Value =
                serde_json::from_str(&text).map_err(|error| error.to_string())?;
            Ok(package["version"].as_str().unwrap_or("unknown").to_owned())
        }
    }
}

/// The version of the Node.js that runs a contestant; `None` where none does.
pub(super) fn node_version(contestant: &Contestant, context: &StartContext) -> Option<String> {
    let Kind::Server(server) = &contestant.kind else { return None };
    let folder = install(contestant, &server.file, context).ok()??;
    let output = peers::node(&folder).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.trim().strip_prefix('v').map(str::to_owned)
}

/// Installs its packages; nothing where it has none.
fn install(
    contestant: &Contestant,
    server: &ServerFile,
    context: &StartContext,
) -> Result<Option<PathBuf>, String> {
    let Some(name) = &server.npm else { return Ok(None) };
    let source = contestant.path.with_file_name(name);
    match peers::install_from(&source, &context.workspace) {
        Ok(folder) => Ok(Some(folder)),
        Err(error) => Err(shorten(&error.to_string())),
    }
}

/// The places whose values are known before a start.
fn places(context: &StartContext, folder: Option<&Path>) -> BTreeMap<&'static str, String> {
    let mut places = BTreeMap::from([("program", context.program.display().to_string())]);
    if let Some(folder) = folder {
        let node = peers::node(folder).get_program().to_string_lossy().into_owned();
        places.insert("node", node);
    }
    places
}

/// The command of these words, with what is known in its places.
pub(crate) fn command(
    words: &[impl AsRef<str>],
    places: &BTreeMap<&str, String>,
) -> Result<Command, String> {
    let (program, rest) = words.split_first().ok_or("it has no command")?;
    let mut command = Command::new(fill(program.as_ref(), places));
    command.args(rest.iter().map(|word| fill(word.as_ref(), places)));
    Ok(command)
}

/// Puts what is known into its places; that all are known names is checked when the file is read.
pub(crate) fn fill(word: &str, places: &BTreeMap<&str, String>) -> String {
    let mut filled = word.to_owned();
    for (name, value) in places {
        filled = filled.replace(&format!("{{{name}}}"), value);
    }
    filled
}

/// The end of a log says why a program ended.
fn shorten(reason: &str) -> String {
    let letters = reason.chars().count();
    if letters <= 2 * LOG_LETTERS {
        return reason.trim().to_owned();
    }
    let beginning: String = reason.chars().take(LOG_LETTERS).collect();
    let end: String = reason.chars().skip(letters - LOG_LETTERS).collect();
    format!("{beginning} … {}", end.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_wherever_they_stand() {
        let places = BTreeMap::from([("port", "81".to_owned()), ("url", "u".to_owned())]);
        assert_eq!(fill("127.0.0.1:{port}", &places), "127.0.0.1:81");
        assert_eq!(fill("{url}-{url}", &places), "u-u");
        assert_eq!(fill("{\"a\":1}", &places), "{\"a\":1}");
    }

    #[test]
    fn long_reasons_keep_both_ends() {
        assert_eq!(shorten(" short\n"), "short");
        let long = format!("begin{}end\n", "x".repeat(2000));
        let short = shorten(&long);
        assert!(short.starts_with("begin") && short.ends_with("end") && short.len() < 700);
    }
}
