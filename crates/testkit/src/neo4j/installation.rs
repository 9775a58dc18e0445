//! The Neo4j that `cargo xtask setup` has put together.

use std::path::{Path, PathBuf};

use crate::not_run::tell_not_run;

/// The variable that names the folder of the versions.
const FOLDER_VARIABLE: &str = "THALWEG_NEO4J_DIR";

/// The variable that makes a missing Neo4j a failure.
const REQUIRE_VARIABLE: &str = "THALWEG_REQUIRE_NEO4J";

/// The files of a Neo4j.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Installation {
    /// The version, such as `5.26.30`.
    pub(super) version: String,
    /// A link to the program.
    pub(super) java: PathBuf,
    /// The folder of the JARs.
    pub(super) library: PathBuf,
    /// Plugins with further functions.
    pub(super) plugins: PathBuf,
}

/// Neo4j is required and not on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Neo4j is required and not installed; `cargo xtask setup` installs it")]
pub struct MissingInstallation;

/// The folder of the versions, and of files that servers share.
pub(super) fn folder() -> PathBuf {
    let folder = match std::env::var_os(FOLDER_VARIABLE) {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/neo4j"),
    };
    // A server and its watcher run in another folder.
    std::path::absolute(&folder).unwrap_or(folder)
}

/// Whether tests of graphs have to run: Neo4j is installed, or its absence is a failure.
#[must_use]
pub fn is_expected() -> bool {
    is_required() || find_in(&folder()).is_some()
}

fn is_required() -> bool {
    std::env::var(REQUIRE_VARIABLE).is_ok_and(|text| !matches!(&*text, "" | "0"))
}

/// The installation, if there is one.
///
/// A missing one is printed as 'not run' and counted by `cargo xtask test`, so that a run without it
/// is never taken for a whole one; where `THALWEG_REQUIRE_NEO4J` is set it is an error.
pub(super) fn required() -> Result<Option<Installation>, MissingInstallation> {
    let found = find_in(&folder());
    if found.is_none() {
        if is_required() {
            return Err(MissingInstallation);
        }
        tell_not_run("Neo4j is not installed; `cargo xtask setup` installs it");
    }
    Ok(found)
}

/// The newest one: the names of versions have the same number of digits.
fn find_in(folder: &Path) -> Option<Installation> {
    let folders = folder.read_dir().ok()?.flatten().map(|entry| entry.path());
    let installed = folders.filter_map(|home| {
        let version = home.file_name()?.to_str()?.to_owned();
        let [java, library, plugins] = ["java", "lib", "plugins"].map(|name| home.join(name));
        let is_whole = java.is_file() && library.is_dir() && plugins.is_dir();
        // The link is broken if its Java was removed.
        is_whole.then_some(Installation { version, java, library, plugins })
    });
    installed.max_by(|one, other| one.version.cmp(&other.version))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_newest_whole_installation_is_found() {
        let folder = std::env::temp_dir().join(format!("thalweg-neo4j-{}", std::process::id()));
        for version in ["5.26.29", "5.26.30", "5.26.31"] {
            for name in ["lib", "plugins"] {
                fs::create_dir_all(folder.join(version).join(name)).expect("a folder");
            }
        }
        fs::create_dir_all(folder.join("shared")).expect("a folder");
        for version in ["5.26.29", "5.26.30"] {
            fs::write(folder.join(version).join("java"), "").expect("a file");
        }
        let found = find_in(&folder).map(|found| found.version);
        let nothing = find_in(&folder.join("elsewhere"));
        fs::remove_dir_all(&folder).expect("removed");
        assert_eq!((found, nothing), (Some("5.26.30".to_owned()), None));
    }
}
