//! The programs that put loads on servers, each there or not.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::load::tool::Tool;
use super::plan::Load;

/// The path of each program, or the reason why it is missing.
#[derive(Debug)]
pub(super) struct Tools {
    pub(super) wrk: Result<PathBuf, String>,
    pub(super) oha: Result<PathBuf, String>,
    pub(super) pgbench: Result<PathBuf, String>,
}

impl Tools {
    /// Finds them, and installs what can be installed.
    pub(super) fn find(workspace: &Path) -> Self {
        let find = |tool: Tool| {
            let found = tool.require(workspace).map_err(|error| error.to_string());
            if let Err(reason) = &found {
                println!("missing: {reason}");
            }
            found
        };
        Self { wrk: find(Tool::Wrk), oha: find(Tool::Oha), pgbench: find(Tool::Pgbench) }
    }

    /// The versions; a missing program has its reason there.
    pub(super) fn versions(&self) -> BTreeMap<String, String> {
        let all = [(Tool::Wrk, &self.wrk), (Tool::Oha, &self.oha), (Tool::Pgbench, &self.pgbench)];
        let versions = all.map(|(tool, found)| {
            let version = match found {
                Ok(path) => tool.version(path),
                Err(reason) => format!("missing: {reason}"),
            };
            (tool.name().to_owned(), version)
        });
        versions.into()
    }

    /// Whether there is what puts such a load on a server; `wrk` warms it up for all of them.
    pub(super) fn can(&self, load: Load) -> bool {
        let oha = !matches!(load, Load::Constant) || self.oha.is_ok();
        self.wrk.is_ok() && oha
    }
}
