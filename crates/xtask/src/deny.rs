//! `cargo xtask deny`: cargo-deny checks the packages of both lock files by `deny.toml`: licences, sources,
//! duplicates and, with the network, advisories of today.
//!
//! `tidy` checks licences and advisories too, without a tool and without network: its table of advisories
//! has a date. This command is for releases.

use std::path::Path;
use std::process::Command;

use crate::cargo_tool::{CargoTool, ToolError};
use crate::program::ProgramError;
use crate::workspaces;

/// cargo-deny, released in 2026 (MIT or Apache-2.0).
const TOOL: CargoTool = CargoTool { package: "cargo-deny", version: "0.20.2" };

/// Checks that need no network.
const LOCAL: [&str; 3] = ["bans", "licenses", "sources"];

/// A check that failed; cargo-deny prints the findings.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DenyError {
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error("packages of {0} are refused")]
    Refused(String),
}

/// Checks both workspaces. `offline` installs nothing and leaves advisories to `tidy`.
pub(crate) fn deny(workspace: &Path, offline: bool) -> Result<(), DenyError> {
    let program = TOOL.provide(workspace, offline)?;
    let mut refused = Vec::new();
    for folder in workspaces::ALL {
        let manifest = workspaces::in_folder(folder, "Cargo.toml");
        let mut check = Command::new(&program);
        check.arg("--manifest-path").arg(workspace.join(&manifest));
        check.arg("--config").arg(workspace.join("deny.toml")).arg("--locked");
        if offline {
            check.arg("--offline");
        }
        check.args(["check", "--hide-inclusion-graph"]).args(LOCAL);
        if !offline {
            check.arg("advisories");
        }
        println!("deny: {manifest}");
        // The user sees the output.
        let status = check.current_dir(workspace).status();
        let status = status
            .map_err(|error| ProgramError::Start { program: TOOL.package.to_owned(), error })?;
        if !status.success() {
            refused.push(manifest);
        }
    }
    if offline {
        println!(
            "deny: advisories are not checked without network: `cargo xtask tidy` does, by its table"
        );
    }
    match refused.is_empty() {
        true => Ok(()),
        false => Err(DenyError::Refused(refused.join(" and "))),
    }
}
