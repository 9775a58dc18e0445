//! The programs that put loads on servers: found, or installed.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::process_group;

/// The version by which the figures of the documentation were measured.
const OHA_VERSION: &str = "1.16.0";

/// A program that is not ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Wrk,
    Oha,
    Pgbench,
}

/// A program is not there.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolError {
    #[error("`{}` is not installed, and `{}` failed{}", .tool.name(), .tool.installation(), reason(.status.as_ref()))]
    Installation { tool: Tool, status: Option<ExitStatus> },
    #[error("`{}` could not be started: {error}; install it by `{}`", .tool.name(), .tool.installation())]
    Start { tool: Tool, error: io::Error },
}

impl Tool {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Wrk => "wrk",
            Self::Oha => "oha",
            Self::Pgbench => "pgbench",
        }
    }

    /// The command that installs it.
    pub(crate) fn installation(self) -> String {
        let words: Vec<_> = self.words();
        words.join(" ")
    }

    fn words(self) -> Vec<String> {
        let oha = ["cargo", "install", "oha", "--version", OHA_VERSION, "--locked"];
        let words: &[&str] = match self {
            Self::Wrk => &["apt-get", "install", "-y", "wrk"],
            Self::Oha => &[oha.as_slice(), &["--root", "target/tools"]].concat(),
            // Debian has it in the server's package.
            Self::Pgbench => &["apt-get", "install", "-y", "postgresql"],
        };
        words.iter().map(|&word| word.to_owned()).collect()
    }

    /// The version that the program prints.
    pub(crate) fn version(self, path: &Path) -> String {
        version(path, if self == Self::Wrk { "-v" } else { "--version" })
    }

    /// Its path; installs it where it is missing.
    pub(crate) fn require(self, workspace: &Path) -> Result<PathBuf, ToolError> {
        if let Some(path) = self.find(workspace) {
            return Ok(path);
        }
        println!("bench: installing {} by `{}`", self.name(), self.installation());
        let words = self.words();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(workspace).stdin(Stdio::null());
        command.env("DEBIAN_FRONTEND", "noninteractive");
        let status = process_group::bind(&mut command).and_then(Command::status).ok();
        match self.find(workspace) {
            Some(path) if status.is_some_and(|status| status.success()) => Ok(path),
            _ => Err(ToolError::Installation { tool: self, status }),
        }
    }

    /// Its path, if it is installed.
    pub(super) fn find(self, workspace: &Path) -> Option<PathBuf> {
        let own = workspace.join("target/tools/bin");
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(own).chain(env::split_paths(&path));
        folders.map(|folder| folder.join(self.name())).find(|path| path.is_file())
    }
}

fn reason(status: Option<&ExitStatus>) -> String {
    status.map_or_else(|| ": it could not be run".to_owned(), |status| format!(": {status}"))
}

/// `wrk` says its version before it says that an address is missing, and fails.
fn version(program: &Path, option: &str) -> String {
    let Ok(output) = Command::new(program).arg(option).output() else {
        return "unknown".to_owned();
    };
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    find_version(&text).unwrap_or("unknown").to_owned()
}

/// The first word with a digit, of `wrk debian/4.1.0-3+b2 [epoll] Copyright …` or of
/// `pgbench (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)`.
fn find_version(text: &str) -> Option<&str> {
    text.split_whitespace().find(|word| word.contains(|letter: char| letter.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        let wrk = "wrk debian/4.1.0-3+b2 [epoll] Copyright (C) 2012 Will Glozer\nUsage: wrk";
        assert_eq!(find_version(wrk), Some("debian/4.1.0-3+b2"));
        assert_eq!(find_version("oha 1.16.0\n"), Some("1.16.0"));
        assert_eq!(find_version("pgbench (PostgreSQL) 15.14 (Debian 15)"), Some("15.14"));
        assert_eq!(find_version("no such thing"), None);
    }

    #[test]
    fn what_cannot_be_installed_is_said_with_the_command_that_installs_it() {
        let error = ToolError::Installation { tool: Tool::Oha, status: None };
        assert_eq!(
            error.to_string(),
            "`oha` is not installed, and `cargo install oha --version 1.16.0 --locked --root \
             target/tools` failed: it could not be run"
        );
    }
}
