//! Thalweg on a store, with options.

use std::path::PathBuf;
use std::process::Command;

use super::failure::LongError;
use super::store::Store;
use crate::program;
use crate::server::{self, Server};

/// The program with its options.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) path: PathBuf,
    /// For its log.
    pub(super) folder: PathBuf,
    /// Options of the command line, which replace those of the same name.
    pub(super) further: Vec<String>,
}

/// An option with its value; a switch has none.
type Setting<'s> = (&'s str, Option<&'s str>);

const ALWAYS: [Setting<'_>; 5] = [
    ("--dialect", Some("postgraphile")),
    ("--simple-collections", Some("both")),
    ("--connection-filter", None),
    ("--log-requests", Some("none")),
    ("--server-timing", Some("off")),
];

impl Program {
    /// Starts it with the options of a part.
    pub(super) fn serve(
        &self,
        store: &Store,
        options: &[(&str, &str)],
    ) -> Result<Server, LongError> {
        let port = server::free_port()?;
        let command = Command::new(&self.path);
        let mut command = program::serve(command, &store.database.url, port);
        command.args(self.words(options));
        // A configuration file of the workspace is none of this server.
        command.current_dir(&self.folder);
        let log = self.folder.join(format!("{}.log", store.source().name()));
        Ok(Server::start(command, port, &log)?)
    }

    fn words(&self, options: &[(&str, &str)]) -> Vec<String> {
        let part = options.iter().map(|(name, value)| (*name, Some(*value)));
        let own = ALWAYS.into_iter().chain(part);
        let kept = own.filter(|(name, _)| !self.further.iter().any(|word| word == name));
        let words = kept.flat_map(|(name, value)| [Some(name), value].into_iter().flatten());
        words.map(str::to_owned).chain(self.further.iter().cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_command_line_says_is_said_once() {
        let further = ["--connections", "2", "--server-timing", "on"].map(str::to_owned).to_vec();
        let program = Program { path: PathBuf::new(), folder: PathBuf::new(), further };
        assert_eq!(
            program.words(&[("--connections", "160"), ("--stall-timeout", "3s")]).join(" "),
            "--dialect postgraphile --simple-collections both --connection-filter --log-requests \
             none --stall-timeout 3s --connections 2 --server-timing on"
        );
    }
}
