//! What is published of the configuration file, of policy files and of files of subgraphs, made by the
//! program itself.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::program::{ProgramError, cargo, output};

/// What `thalweg config` prints, and where it is published; a test of the server compares them.
const PARTS: [(&str, &str); 4] = [
    ("schema", "docs/thalweg.schema.json"),
    ("example", "docs/thalweg.example.toml"),
    ("policies", "docs/policies.schema.json"),
    ("subgraphs", "docs/subgraphs.schema.json"),
];

#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigurationError {
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error("{}: {error}", .path.display())]
    File { path: PathBuf, error: io::Error },
}

/// Writes what is not up to date, and gives the names of these files.
pub(crate) fn write(workspace: &Path) -> Result<Vec<PathBuf>, ConfigurationError> {
    let mut written = Vec::new();
    for (part, file) in PARTS {
        let arguments = ["run", "--quiet", "--package", "server", "--", "config", part];
        let text = output(cargo().args(arguments).current_dir(workspace))?;
        let path = workspace.join(file);
        if fs::read_to_string(&path).ok().as_ref() != Some(&text) {
            fs::write(&path, text)
                .map_err(|error| ConfigurationError::File { path: path.clone(), error })?;
            written.push(path);
        }
    }
    Ok(written)
}
