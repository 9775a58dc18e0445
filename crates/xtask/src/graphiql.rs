//! Renews the published files of GraphiQL that the server has in itself.

use std::path::Path;
use std::process::Command;

use crate::npm::{self, NpmError};
use crate::program;

/// Writes `vendor` from the packages that the lock file names.
pub(crate) fn renew(workspace: &Path) -> Result<(), NpmError> {
    let source = workspace.join("crates/server/graphiql");
    let folder = npm::provide(workspace, &source, "graphiql", false)?;
    program::run(Command::new("node").arg(source.join("renew.mjs")).arg(folder))?;
    println!("graphiql: wrote {}", source.join("vendor").display());
    Ok(())
}
