//! The contestants: a file each in `bench/contestants`, in the form that `bench/README.md` tells.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::failure::RaceError;
use super::record::Role;
use super::suite::{Source, Suite};

/// Placeholders: names in braces in the words of a command.
const PLACES: [&str; 11] = [
    "program",
    "node",
    "port",
    "url",
    "socket",
    "database_port",
    "database",
    "connections",
    "dialect",
    "types",
    "policies",
];

/// One of those that are compared.
#[derive(Clone, Debug)]
pub(crate) struct Contestant {
    /// The name of its file.
    pub(crate) id: String,
    pub(crate) path: PathBuf,
    pub(crate) title: String,
    pub(crate) sources: Vec<Source>,
    /// The suites that it is for; all where there are none.
    pub(crate) suites: Vec<String>,
    pub(crate) kind: Kind,
}

/// Kind of a contestant.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Server(Server),
    Floor(Floor),
}

/// A program that answers GraphQL over HTTP.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    /// Dialects, the best first.
    pub(crate) dialects: Vec<String>,
    pub(crate) file: ServerFile,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerFile {
    /// Thalweg is compared with the best of those that are one.
    #[serde(default)]
    pub(crate) yardstick: bool,
    /// The program and its words, with places in braces.
    pub(crate) command: Vec<String>,
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    /// Further words for what a suite wants.
    #[serde(default)]
    pub(crate) features: BTreeMap<String, Vec<String>>,
    /// A folder beside the file that has the `package.json` to install and to start in.
    pub(crate) npm: Option<String>,
    /// The number of processes that share the connections to the database.
    #[serde(default = "one")]
    pub(crate) processes: u32,
    pub(crate) version: VersionFile,
}

/// The source of a version.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum VersionFile {
    /// The last word of the first line that it prints.
    Command(Vec<String>),
    /// The version of an installed package.
    Package(String),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Floor {
    pub(crate) driver: Driver,
}

/// The client that runs the statements in `floors`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Driver {
    Pgbench,
    SqliteLoop,
    BoltLoop,
    Neo4rs,
}

/// The file as it stands there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ContestantFile {
    title: String,
    sources: Vec<Source>,
    #[serde(default)]
    suites: Vec<String>,
    #[serde(default)]
    dialects: Vec<String>,
    server: Option<ServerFile>,
    floor: Option<Floor>,
}

impl Contestant {
    /// A contestant runs in the suites that it names, on the databases that it names.
    pub(crate) fn is_for(&self, suite: &Suite, source: Source) -> bool {
        let suites = &self.suites;
        self.sources.contains(&source) && (suites.is_empty() || suites.contains(&suite.id))
    }

    /// Without the folders of a machine: the places stay in braces.
    pub(crate) fn command(&self) -> String {
        match &self.kind {
            Kind::Server(server) => server.file.command.join(" "),
            Kind::Floor(Floor { driver: Driver::Pgbench }) => "pgbench -M prepared".to_owned(),
            Kind::Floor(Floor { driver: Driver::SqliteLoop }) => "prepared statements".to_owned(),
            Kind::Floor(Floor { driver: Driver::BoltLoop }) => "statements by Bolt".to_owned(),
            Kind::Floor(Floor { driver: Driver::Neo4rs }) => "statements by neo4rs".to_owned(),
        }
    }

    pub(crate) fn role(&self) -> Role {
        match self.kind {
            Kind::Server(_) if self.id == "thalweg" => Role::Thalweg,
            Kind::Server(ref server) if server.file.yardstick => Role::Yardstick,
            Kind::Server(_) => Role::Server,
            Kind::Floor(_) => Role::Floor,
        }
    }
}

impl Server {
    /// The dialect in a suite.
    pub(crate) fn dialect(&self, suite: &Suite) -> &str {
        let wanted = &suite.file.dialect;
        match self.dialects.iter().find(|dialect| *dialect == wanted) {
            Some(dialect) => dialect,
            None => self.dialects.first().map_or("", String::as_str),
        }
    }
}

/// Every file of `bench/contestants`.
pub(crate) fn load(bench: &Path) -> Result<Vec<Contestant>, RaceError> {
    let files = read_files(&bench.join("contestants"))?;
    files.into_iter().map(|(id, path, file)| contestant(id, path, file)).collect()
}

/// The TOML files of a folder, with their names and paths: Thalweg's first, the others by name.
pub(crate) fn read_files<T: DeserializeOwned>(
    folder: &Path,
) -> Result<Vec<(String, PathBuf, T)>, RaceError> {
    let mut all = Vec::new();
    let entries = fs::read_dir(folder).map_err(|error| RaceError::file(folder, &error))?;
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = fs::read_to_string(&path).map_err(|error| RaceError::file(&path, &error))?;
        let file = toml::from_str(&text).map_err(|error| RaceError::file(&path, &error))?;
        let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        all.push((id, path, file));
    }
    all.sort_by(|(one, ..), (other, ..)| (one != "thalweg", one).cmp(&(other != "thalweg", other)));
    Ok(all)
}

/// Refuses words with a name in braces that is not one of the places, where it looks like one.
pub(crate) fn check_places<'w>(
    words: impl Iterator<Item = &'w String>,
    places: &[&str],
) -> Result<(), String> {
    let mut braced = words.flat_map(|word| word.split('{').skip(1)).filter_map(|rest| {
        let (name, _) = rest.split_once('}')?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        is_name.then_some(name)
    });
    match braced.find(|name| !places.contains(name)) {
        Some(name) => Err(format!("there is no place `{name}`, only `{}`", places.join("`, `"))),
        None => Ok(()),
    }
}

fn contestant(id: String, path: PathBuf, file: ContestantFile) -> Result<Contestant, RaceError> {
    let problem = |problem: &str| RaceError::file(&path, &problem);
    if file.sources.is_empty() {
        return Err(problem("`sources` names no kind of database"));
    }
    let kind = match (file.server, file.floor) {
        (Some(server), None) => {
            if file.dialects.is_empty() {
                return Err(problem("a server has `dialects`"));
            }
            if server.command.is_empty() || server.processes == 0 {
                return Err(problem("a server has a `command`, and at least one process"));
            }
            let words = server.command.iter().chain(server.environment.values());
            check_places(words.chain(server.features.values().flatten()), &PLACES)
                .map_err(|error| problem(&error))?;
            Kind::Server(Server { dialects: file.dialects, file: server })
        }
        (None, Some(floor)) => Kind::Floor(floor),
        (Some(_), Some(_)) | (None, None) => {
            return Err(problem("there must be either `[server]` or `[floor]`"));
        }
    };
    let ContestantFile { title, sources, suites, .. } = file;
    Ok(Contestant { id, path, title, sources, suites, kind })
}

fn one() -> u32 {
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: &str = "title = 'T'\nsources = ['sqlite']\ndialects = ['phrag']\n[server]\n\
                          command = ['x']\nversion = { package = 'x' }\n";
    const FLOOR: &str = "title = 'T'\nsources = ['postgres']\n[floor]\ndriver = 'pgbench'\n";

    fn check(text: &str, expected: &str) {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("contestants")).expect("a folder");
        fs::write(folder.path().join("contestants/c.toml"), text).expect("a contestant");
        let told = match load(folder.path()) {
            Ok(all) => all.iter().map(|one| format!("{} {:?}", one.id, one.role())).collect(),
            Err(error) => error.to_string(),
        };
        assert!(told.contains(expected), "{text}\nis told:\n{told}");
        let is_bad = !expected.starts_with("c ");
        assert_eq!(told.contains("contestants/c.toml"), is_bad, "the file is not named:\n{told}");
    }

    #[test]
    fn a_file_is_a_contestant() {
        check(SERVER, "c Server");
        check(&format!("{SERVER}yardstick = true"), "c Yardstick");
        check(&SERVER.replace("['x']", "['x', '{\"a\":1}{port}']"), "c Server");
        check(FLOOR, "c Floor");
    }

    #[test]
    fn what_makes_no_sense_is_told_with_its_file() {
        check(&format!("colour = 1\n{SERVER}"), "unknown field `colour`");
        check(&format!("{SERVER}speed = 1"), "unknown field `speed`");
        check(&format!("{FLOOR}speed = 1"), "unknown field `speed`");
        check(&FLOOR.replace("pgbench", "sysbench"), "unknown variant `sysbench`");
        check(&SERVER.replace("dialects = ['phrag']", ""), "a server has `dialects`");
        check(&SERVER.replace("['x']", "[]"), "a server has a `command`");
        check(&format!("{SERVER}{}", "[floor]\ndriver = 'pgbench'\n"), "either `[server]` or");
        check(&SERVER.replace("['x']", "['x', 'a{prot}']"), "there is no place `prot`");
        check("title = 'T'\nsources = ['sqlite']", "either `[server]` or `[floor]`");
    }

    #[test]
    fn thalweg_is_the_first_of_the_projects_own() {
        let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
        let all = load(bench).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(all.first().map(|one| one.id.as_str()), Some("thalweg"));
    }
}
