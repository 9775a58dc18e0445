//! The PostgreSQL installations of this machine.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable that names the folder of the versions unpacked from Maven Central.
const FOLDER_VARIABLE: &str = "THALWEG_POSTGRES_DIR";

/// The variable that makes a missing database a failure: `maven` excludes the distribution's, any
/// other value means every one of [`REQUIRED`].
const REQUIRE_VARIABLE: &str = "THALWEG_REQUIRE_DATABASES";

/// Versions to test with: the oldest and the newest supported one, and the one of Debian.
pub const REQUIRED: [RequiredVersion; 3] =
    [RequiredVersion::Debian, RequiredVersion::Major(13), RequiredVersion::Major(18)];

/// A version of PostgreSQL that the tests require.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequiredVersion {
    /// The one of the distribution, whatever its version.
    Debian,
    /// A major version from Maven Central.
    Major(u16),
}

/// A version of PostgreSQL, as `15.10`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Changes with the catalog and the language.
    pub major: u16,
    /// Changes with corrections only.
    pub minor: u16,
}

/// The origin of an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A package of Debian or its relatives, in `/usr/lib/postgresql`.
    Debian,
    /// Unpacked by `cargo xtask setup`.
    Maven,
    /// Found by `PATH`.
    Path,
}

/// One installed PostgreSQL server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Installation {
    /// The version that `postgres --version` prints.
    pub version: Version,
    /// The folder of `postgres` and `initdb`.
    pub bin: PathBuf,
    /// The origin of the files.
    pub origin: Origin,
}

/// A required PostgreSQL is not on this machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{required_version} is required and not installed; `cargo xtask setup` installs it")]
pub struct MissingInstallation {
    /// The required version.
    pub required_version: RequiredVersion,
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.major, self.minor)
    }
}

impl fmt::Display for RequiredVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequiredVersion::Debian => formatter.write_str("the distribution's PostgreSQL"),
            RequiredVersion::Major(major) => {
                write!(formatter, "PostgreSQL {major} of Maven Central")
            }
        }
    }
}

impl fmt::Display for Installation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PostgreSQL {} in {}", self.version, self.bin.display())
    }
}

/// Every usable installation: Debian's, Maven Central's, then the one in `PATH` if it is another.
#[must_use]
pub fn installations() -> Vec<Installation> {
    let debian = subfolders(Path::new("/usr/lib/postgresql"));
    let maven = subfolders(&maven_folder());
    let candidates = debian
        .iter()
        .map(|folder| (folder.join("bin"), Origin::Debian))
        .chain(maven.iter().map(|folder| (folder.join("bin"), Origin::Maven)))
        .chain(path_folders().into_iter().map(|bin| (bin, Origin::Path)));

    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for (bin, origin) in candidates {
        // A folder of `PATH` may hold links to an installation that was found already.
        let Ok(server) = bin.join("postgres").canonicalize() else { continue };
        if bin.join("initdb").exists()
            && seen.insert(server)
            && let Some(version) = ask_version(&bin)
        {
            found.push(Installation { version, bin, origin });
        }
    }
    found
}

/// The installations that tests run with.
///
/// A missing one is printed as 'not run', so that a run without it is never taken for a whole one;
/// where `THALWEG_REQUIRE_DATABASES` is set it is an error.
pub fn required_installations() -> Result<Vec<Installation>, MissingInstallation> {
    let installed = installations();
    let required = std::env::var(REQUIRE_VARIABLE).ok();
    let mut chosen = Vec::new();
    for required_version in REQUIRED {
        match choose(&installed, required_version) {
            Some(installation) => chosen.push(installation.clone()),
            None if is_required(required_version, required.as_deref()) => {
                return Err(MissingInstallation { required_version });
            }
            None => print_not_run(required_version),
        }
    }
    Ok(chosen)
}

fn choose(installed: &[Installation], required_version: RequiredVersion) -> Option<&Installation> {
    installed
        .iter()
        .filter(|installation| match required_version {
            RequiredVersion::Debian => installation.origin != Origin::Maven,
            RequiredVersion::Major(major) => {
                installation.origin == Origin::Maven && installation.version.major == major
            }
        })
        .max_by_key(|installation| installation.version)
}

fn is_required(required_version: RequiredVersion, required: Option<&str>) -> bool {
    match (required, required_version) {
        (None | Some("" | "0"), _) => false,
        (Some("maven"), RequiredVersion::Debian) => false,
        (Some(_), RequiredVersion::Debian | RequiredVersion::Major(_)) => true,
    }
}

#[expect(clippy::print_stderr, reason = "whoever runs the tests must see what they left out")]
fn print_not_run(required_version: RequiredVersion) {
    eprintln!("not run: {required_version} is not installed; `cargo xtask setup` installs it");
}

fn maven_folder() -> PathBuf {
    match std::env::var_os(FOLDER_VARIABLE) {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/postgres"),
    }
}

fn path_folders() -> Vec<PathBuf> {
    std::env::var_os("PATH").map_or_else(Vec::new, |path| std::env::split_paths(&path).collect())
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

fn ask_version(bin: &Path) -> Option<Version> {
    let output = Command::new(bin.join("postgres")).arg("--version").output().ok()?;
    parse_version(&String::from_utf8_lossy(&output.stdout))
}

/// Parses `postgres (PostgreSQL) 15.10 (Debian 15.10-0+deb12u1)`; a version under development
/// prints `19devel` or `19beta1`.
fn parse_version(text: &str) -> Option<Version> {
    let number = text.strip_prefix("postgres (PostgreSQL) ")?.split_whitespace().next()?;
    let (major, minor) = match number.split_once('.') {
        Some((major, minor)) => (major, minor.parse().ok()?),
        None => (number.trim_end_matches(|c: char| !c.is_ascii_digit()), 0),
    };
    let major = major.split(|c: char| !c.is_ascii_digit()).next()?;
    Some(Version { major: major.parse().ok()?, minor })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installation(major: u16, minor: u16, origin: Origin) -> Installation {
        Installation { version: Version { major, minor }, bin: PathBuf::from("/bin"), origin }
    }

    #[test]
    fn versions_are_read_from_what_the_server_says() {
        let check = |text, major, minor| {
            assert_eq!(parse_version(text), Some(Version { major, minor }), "{text}");
        };
        check("postgres (PostgreSQL) 15.10 (Debian 15.10-0+deb12u1)\n", 15, 10);
        check("postgres (PostgreSQL) 18.1\n", 18, 1);
        check("postgres (PostgreSQL) 19devel\n", 19, 0);
        check("postgres (PostgreSQL) 19beta2\n", 19, 0);
        assert_eq!(parse_version("mysqld 8.0"), None);
    }

    #[test]
    fn the_newest_of_the_wanted_origin_is_chosen() {
        let installed = [
            installation(15, 9, Origin::Debian),
            installation(17, 2, Origin::Debian),
            installation(13, 23, Origin::Maven),
        ];
        assert_eq!(choose(&installed, RequiredVersion::Debian), Some(&installed[1]));
        assert_eq!(choose(&installed, RequiredVersion::Major(13)), Some(&installed[2]));
        assert_eq!(choose(&installed, RequiredVersion::Major(17)), None);
    }

    #[test]
    fn nothing_is_required_unless_the_variable_says_so() {
        assert!(!is_required(RequiredVersion::Debian, None));
        assert!(!is_required(RequiredVersion::Major(13), Some("")));
        assert!(!is_required(RequiredVersion::Debian, Some("maven")));
        assert!(is_required(RequiredVersion::Major(13), Some("maven")));
        assert!(is_required(RequiredVersion::Debian, Some("1")));
    }
}
