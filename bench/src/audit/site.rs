//! The audit's own server: its subgraphs, and beside them its supergraphs and cases.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, json};

use super::AuditError;
use super::case::Case;
use crate::http::Connection;
use crate::peers;
use crate::server::{Server, free_port};

/// Node compiles all suites first.
const PATIENCE: Duration = Duration::from_secs(120);

/// A subgraph of a suite.
#[derive(Debug, Deserialize)]
struct Subgraph {
    name: String,
    sdl: String,
    url: String,
}

/// The server, running.
#[derive(Debug)]
pub(super) struct Site {
    server: Server,
    /// The folder of its packages and of a copy of its sources.
    pub(super) folder: PathBuf,
}

impl Site {
    /// Copies the sources of a checkout beside the packages that they need, and starts them.
    pub(super) fn start(
        workspace: &Path,
        audit: &Path,
        punish: bool,
        logs: &Path,
    ) -> Result<Self, AuditError> {
        let sources = audit.join("src");
        if !sources.join("index.ts").is_file() {
            return Err(AuditError::NoCheckout(audit.to_owned()));
        }
        let folder =
            peers::install_from(&workspace.join("fixtures/compare/federation-audit"), workspace)?;
        let copy = folder.join("src");
        if copy.is_dir() {
            fs::remove_dir_all(&copy)?;
        }
        copy_folder(&sources, &copy)?;
        let port = free_port()?;
        let mut node = peers::node(&folder);
        node.args(["--import", "tsx", "serve.mjs", &port.to_string()]).current_dir(&folder);
        // A server of another run may have it from the environment.
        node.env("PUNISH_FOR_POOR_PLANS", if punish { "1" } else { "0" });
        let log = logs.join("federation-audit.log");
        let is_up = |port| {
            let asked = Connection::open(port).and_then(|mut open| open.get("/_health"));
            asked.is_ok_and(|answer| answer.status == 200)
        };
        let server = Server::start_until(PATIENCE, node, port, &log, is_up)?;
        Ok(Self { server, folder })
    }

    /// The names of the suites.
    pub(super) fn suites(&self) -> Result<Vec<String>, AuditError> {
        self.read("/ids")
    }

    /// The supergraph of a suite, composed now.
    pub(super) fn supergraph(&self, suite: &str) -> Result<String, AuditError> {
        let text = self.get(&["/", suite, "/supergraph"].concat())?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// The subgraphs of a suite, as a file of subgraphs to compose: JSON is YAML.
    pub(super) fn composition(&self, suite: &str) -> Result<String, AuditError> {
        let subgraphs: Vec<Subgraph> = self.read(&["/", suite, "/subgraphs"].concat())?;
        let entries = subgraphs.into_iter().map(|Subgraph { name, sdl, url }| {
            (name, json!({ "routing_url": url, "schema": { "sdl": sdl } }))
        });
        Ok(json!({ "subgraphs": Map::from_iter(entries) }).to_string())
    }

    pub(super) fn cases(&self, suite: &str) -> Result<Vec<Case>, AuditError> {
        self.read(&["/", suite, "/tests"].concat())
    }

    fn read<T: serde::de::DeserializeOwned>(&self, path: &str) -> Result<T, AuditError> {
        let text = self.get(path)?;
        serde_json::from_slice(&text)
            .map_err(|error| AuditError::Site { path: path.to_owned(), said: error.to_string() })
    }

    fn get(&self, path: &str) -> Result<Vec<u8>, AuditError> {
        let asked = Connection::open(self.server.port).and_then(|mut open| open.get(path));
        let who = "the audit's server";
        let answer = asked.map_err(|error| AuditError::Http { who, error })?;
        if answer.status != 200 {
            let said = String::from_utf8_lossy(&answer.body).into_owned();
            return Err(AuditError::Site { path: path.to_owned(), said });
        }
        Ok(answer.body)
    }
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
