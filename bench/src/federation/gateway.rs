//! The gateways: a file each in `bench/federation/gateways`, in the form that `bench/README.md`
//! tells.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::record::Sharing;
use crate::peers;
use crate::program::forget_environment;
use crate::race::contestant::{self, VersionFile};
use crate::race::entry::{command, fill, read_version};
use crate::race::failure::RaceError;
use crate::server::{Server, free_port};

/// Placeholders: names in braces in words and files.
const PLACES: [&str; 9] =
    ["program", "given", "node", "packages", "port", "supergraph", "sdl", "subgraphs", "folder"];
/// The number of characters of a log in a reason.
const LOG_LETTERS: usize = 600;

/// One of those that are compared.
#[derive(Clone, Debug)]
pub(super) struct Gateway {
    /// The name of its file.
    pub(super) id: String,
    path: PathBuf,
    pub(super) file: GatewayFile,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GatewayFile {
    pub(super) title: String,
    /// The option of the command line that names its program, where nobody installs it.
    #[serde(default)]
    given: Option<String>,
    /// A folder beside the file that has the `package.json` to install.
    #[serde(default)]
    npm: Option<String>,
    /// The program and its words, with places in braces.
    command: Vec<String>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    /// Files of the folder in which it starts.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Further words and files for a setting without deduplication.
    alone: Further,
    /// Further words and files for a setting in which the product shares what it can.
    shared: Further,
    /// Nothing where the program does not tell it.
    #[serde(default)]
    version: Option<VersionFile>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Further {
    #[serde(default)]
    words: Vec<String>,
    #[serde(default)]
    files: BTreeMap<String, String>,
}

/// Settings for starts.
#[derive(Debug)]
pub(super) struct StartContext {
    pub(super) workspace: PathBuf,
    /// Thalweg's.
    pub(super) program: PathBuf,
    /// Programs of the command line, by option.
    pub(super) given: BTreeMap<&'static str, PathBuf>,
    /// For what is written for gateways, and for their logs.
    pub(super) folder: PathBuf,
    pub(super) supergraph: PathBuf,
    /// The address of the subgraphs.
    pub(super) subgraphs: String,
}

/// Every file.
pub(super) fn load(bench: &Path) -> Result<Vec<Gateway>, RaceError> {
    let files = contestant::read_files::<GatewayFile>(&bench.join("federation/gateways"))?;
    let gateway = |(id, path, file): (String, PathBuf, GatewayFile)| {
        let further = [&file.alone, &file.shared];
        let further = further.iter().flat_map(|one| one.words.iter().chain(one.files.values()));
        let words = file.command.iter().chain(file.environment.values());
        let words = words.chain(file.files.values()).chain(further);
        contestant::check_places(words, &PLACES).map_err(|error| RaceError::file(&path, &error))?;
        Ok(Gateway { id, path, file })
    };
    files.into_iter().map(gateway).collect()
}

impl Gateway {
    /// Starts it, or says why not.
    pub(super) fn start(&self, sharing: Sharing, context: &StartContext) -> Result<Server, String> {
        let port = free_port().map_err(|error| error.to_string())?;
        let (name, further) = match sharing {
            Sharing::None => (self.id.clone(), &self.file.alone),
            Sharing::All => (format!("{}-shared", self.id), &self.file.shared),
        };
        let folder = context.folder.join(&name);
        let mut places = self.places(context)?;
        places.insert("port", port.to_string());
        places.insert("folder", folder.display().to_string());
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        for (name, text) in self.file.files.iter().chain(&further.files) {
            let written = fs::write(folder.join(name), fill(text, &places));
            written.map_err(|error| error.to_string())?;
        }
        let words: Vec<&String> = self.file.command.iter().chain(&further.words).collect();
        let mut command = command(&words, &places)?;
        forget_environment(&mut command);
        for (name, value) in &self.file.environment {
            command.env(name, fill(value, &places));
        }
        command.current_dir(&folder);
        let log = context.folder.join(format!("{name}.log"));
        Server::start(command, port, &log).map_err(|error| shorten(&error.to_string()))
    }

    /// The version of the gateway, or the reason why it is unknown.
    pub(super) fn version(&self, context: &StartContext) -> Result<String, String> {
        let places = self.places(context)?;
        let packages = places.get("packages").map(Path::new);
        let version = self.file.version.as_ref();
        version.map_or(Ok(String::new()), |version| read_version(version, &places, packages))
    }

    /// The placeholders whose values are known before a start.
    fn places(&self, context: &StartContext) -> Result<BTreeMap<&'static str, String>, String> {
        let text = |path: &Path| path.display().to_string();
        let sdl = context.workspace.join("bench/federation/subgraphs");
        let mut places = BTreeMap::from([
            ("program", text(&context.program)),
            ("supergraph", text(&context.supergraph)),
            ("subgraphs", context.subgraphs.clone()),
            ("sdl", text(&sdl)),
        ]);
        if let Some(option) = &self.file.given {
            let given = context.given.get(option.as_str());
            let given =
                given.ok_or_else(|| format!("its program is not given: `--{option} PATH`"))?;
            places.insert("given", text(given));
        }
        if let Some(name) = &self.file.npm {
            let source = self.path.with_file_name(name);
            let folder = peers::install_from(&source, &context.workspace);
            let folder = folder.map_err(|error| shorten(&error.to_string()))?;
            let node = peers::node(&folder).get_program().to_string_lossy().into_owned();
            places.insert("node", node);
            places.insert("packages", text(&folder.join("node_modules")));
        }
        Ok(places)
    }
}

/// The end of a log says why a program ended.
fn shorten(reason: &str) -> String {
    let letters = reason.trim().chars().count();
    let end: String = reason.trim().chars().skip(letters.saturating_sub(LOG_LETTERS)).collect();
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_projects_own_files_are_read_and_thalweg_is_the_first() {
        let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
        let all = load(bench).unwrap_or_else(|error| panic!("{error}"));
        let ids: Vec<&str> = all.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["thalweg", "grafbase", "hive-gateway", "hive-router"]);
    }

    #[test]
    fn what_makes_no_sense_is_told_with_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let gateways = folder.path().join("federation/gateways");
        fs::create_dir_all(&gateways).unwrap();
        let check = |text: &str, expected: &str| {
            fs::write(gateways.join("g.toml"), text).unwrap();
            let told =
                load(folder.path()).map_or_else(|error| error.to_string(), |_| String::new());
            assert!(told.contains("gateways/g.toml") && told.contains(expected), "{text}: {told}");
        };
        let good =
            "title = 'G'\ncommand = ['g']\nversion = { command = ['g'] }\n[alone]\n[shared]\n";
        check(&format!("colour = 1\n{good}"), "unknown field `colour`");
        check(&good.replace("['g']", "['{prot}']"), "there is no place `prot`");
        check(&format!("{good}files.a = '{{ports}}'"), "there is no place `ports`");
        check(&good.replace("[shared]", ""), "missing field `shared`");
    }

    #[test]
    fn the_end_of_a_log_is_told() {
        let log = format!("{}end\n", "x".repeat(2_000));
        assert!(shorten(&log).ends_with("end") && shorten(&log).len() == LOG_LETTERS);
        assert_eq!(shorten(" short\n"), "short");
    }
}
