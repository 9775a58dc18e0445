//! The started programs and their commands.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;

use crate::peers::{self, Peer, PeerError};
use crate::program;
use crate::schema_size::database::Family;

/// The programs that are started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Contestant {
    Thalweg,
    #[value(name = "postgraphile-4")]
    PostGraphile4,
    #[value(name = "postgraphile-5")]
    PostGraphile5,
}

/// A contestant that is ready to be started.
#[derive(Debug)]
pub(super) enum Installed {
    Thalweg(PathBuf),
    PostGraphile4(PathBuf),
    PostGraphile5(PathBuf),
}

impl Contestant {
    pub(crate) const ALL: [Self; 3] = [Self::Thalweg, Self::PostGraphile4, Self::PostGraphile5];

    /// The name in the records, and on the command line.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Thalweg => "thalweg",
            Self::PostGraphile4 => "postgraphile-4",
            Self::PostGraphile5 => "postgraphile-5",
        }
    }

    /// The expected seconds of a start, as measured on two processors.
    pub(super) fn seconds(self, tables: u32) -> f64 {
        let (alone, each) = match self {
            Self::Thalweg => (0.05, 0.0001),
            Self::PostGraphile4 => (0.6, 0.005),
            Self::PostGraphile5 => (0.6, 0.03),
        };
        alone + each * f64::from(tables)
    }

    /// The databases that it can be started on.
    pub(super) fn families(self) -> &'static [Family] {
        match self {
            Self::Thalweg => &[Family::Postgres, Family::Sqlite],
            Self::PostGraphile4 | Self::PostGraphile5 => &[Family::Postgres],
        }
    }

    pub(super) fn install(self, workspace: &Path, program: &Path) -> Result<Installed, PeerError> {
        match self {
            Self::Thalweg => Ok(Installed::Thalweg(program.to_owned())),
            Self::PostGraphile4 => {
                peers::install(Peer::Version4, workspace).map(Installed::PostGraphile4)
            }
            Self::PostGraphile5 => {
                peers::install(Peer::Version5, workspace).map(Installed::PostGraphile5)
            }
        }
    }
}

impl Installed {
    /// Each as it is by default, but for what only prints or serves pages.
    pub(super) fn command(&self, database: &str, port: u16) -> Command {
        let mut command = match self {
            Self::Thalweg(program) => {
                return program::serve(Command::new(program), database, port);
            }
            Self::PostGraphile4(folder) => {
                let mut command = peers::node(folder);
                command
                    .args(["node_modules/postgraphile/cli.js", "--connection", database])
                    .args(["--schema", "public", "--host", "127.0.0.1"])
                    .args(["--port", &port.to_string()])
                    .args(["--disable-query-log", "--disable-graphiql"])
                    .env("GRAPHILE_TURBO", "1")
                    .env("NODE_ENV", "production")
                    .current_dir(folder);
                command
            }
            Self::PostGraphile5(folder) => {
                let mut command = peers::node(folder);
                command
                    .args(["server.mjs", &port.to_string(), database, "public", "{}"])
                    .env("NODE_ENV", "production")
                    .current_dir(folder);
                command
            }
        };
        program::forget_environment(&mut command);
        command
    }
}
