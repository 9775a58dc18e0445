//! Neo4j Community for the tests: its JARs from Maven Central, and a Java that runs them.
//!
//! The results are the folders `lib` and `plugins` and a link `java` beside them, which `testkit`
//! looks for.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::debian::{self, InstallError};
use crate::program::{self, ProgramError};

/// The variable that moves the folder; `testkit` reads it too.
pub(crate) const FOLDER_VARIABLE: &str = "THALWEG_NEO4J_DIR";

/// The last line of releases that runs on Java 17, which most distributions have.
const VERSION: &str = "5.26.30";

/// The last version of this line that is a single file.
const APOC_VERSION: &str = "5.26.5";

/// Checksum of the list of all JARs with their own checksums: their contents are executed.
const SHA256: &str = "811b2d822f9eeaa9938b19f4bd7a3ff89c5e435675194134965f3889ca623766";

/// The versions of Java that this Neo4j is made for.
const JAVA: std::ops::RangeInclusive<u32> = 17..=21;

/// A distribution has at least one of these.
const JAVA_PACKAGES: [&str; 2] = ["openjdk-17-jre-headless", "openjdk-21-jre-headless"];

/// With a fixed version: Maven's default may change.
const GOAL: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";
/// Its watcher checks every half second.
const STOP_LIMIT: Duration = Duration::from_secs(10);
const POM: &str = include_str!("neo4j/pom.xml");

/// Neo4j could not be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Neo4jError {
    #[error("not installed, and `--offline` installs nothing")]
    Offline,
    #[error(transparent)]
    Install(#[from] InstallError),
    #[error("a package of Java is installed, and there is no Java {} to {}", JAVA.start(), JAVA.end())]
    NoJava,
    #[error("the downloaded JARs are not the expected ones (SHA-256 {0})")]
    Checksum(String),
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    Files(#[from] io::Error),
}

/// The folder that the versions are in.
pub(crate) fn folder(workspace: &Path) -> PathBuf {
    match std::env::var_os(FOLDER_VARIABLE) {
        Some(folder) => folder.into(),
        None => workspace.join("target/neo4j"),
    }
}

/// Downloads missing files.
pub(crate) fn provide(folder: &Path, offline: bool) -> Result<(), Neo4jError> {
    let home = folder.join(VERSION);
    if !home.is_dir() {
        if offline {
            return Err(Neo4jError::Offline);
        }
        fetch(folder, &home)?;
    }
    let link = home.join("java");
    if !is_suitable(&link) {
        let java = provide_java(offline)?;
        if link.is_symlink() {
            fs::remove_file(&link)?;
        }
        symlink(java, link)?;
    }
    Ok(())
}

/// Ends the server that the tests have shared, which would wait for other tests otherwise.
pub(crate) fn stop(folder: &Path) {
    let registration = folder.join("shared/server");
    let Ok(text) = fs::read_to_string(&registration) else { return };
    let Some((_, server)) = text.trim_end().split_once(' ') else { return };
    drop(fs::remove_file(registration));
    // Its watcher checks this file, and removes the folder in the end.
    drop(fs::write(Path::new(server).join("stop"), ""));
    let started = Instant::now();
    while Path::new(server).exists() && started.elapsed() < STOP_LIMIT {
        thread::sleep(Duration::from_millis(50));
    }
}

fn fetch(folder: &Path, home: &Path) -> Result<(), Neo4jError> {
    if program::find("mvn").is_none() {
        debian::install(&["maven"])?;
    }
    println!("setup: fetching Neo4j {VERSION} from Maven Central (120 MB)");
    // Filled beside its place and moved at the end: an existing folder is complete.
    let partial = folder.join(format!(".{VERSION}-{}", std::process::id()));
    let outcome = fetch_into(&partial).and_then(|()| Ok(fs::rename(&partial, home)?));
    if outcome.is_err() {
        fs::remove_dir_all(&partial)?;
    }
    outcome
}

fn fetch_into(home: &Path) -> Result<(), Neo4jError> {
    let library = home.join("lib");
    let plugins = home.join("plugins");
    fs::create_dir_all(&library)?;
    fs::create_dir(&plugins)?;
    fs::write(home.join("pom.xml"), POM)?;
    let mut mvn = Command::new("mvn");
    mvn.args(["--batch-mode", "--quiet", GOAL, "-DincludeScope=runtime"])
        .arg(format!("-Dneo4j.version={VERSION}"))
        .arg(format!("-Dapoc.version={APOC_VERSION}"))
        .arg(format!("-DoutputDirectory={}", library.display()))
        .current_dir(home);
    program::run(&mut mvn)?;
    // The order of the shell's `*` is that of the locale.
    let list = "LC_ALL=C; export LC_ALL; sha256sum *.jar | sha256sum";
    let line = program::output(Command::new("sh").args(["-c", list]).current_dir(&library))?;
    let sum = line.split_whitespace().next().unwrap_or_default();
    if sum != SHA256 {
        return Err(Neo4jError::Checksum(sum.to_owned()));
    }
    let apoc = format!("apoc-core-{APOC_VERSION}-core.jar");
    fs::rename(library.join(&apoc), plugins.join(&apoc))?;
    Ok(())
}

/// Finds a Java, or installs one.
fn provide_java(offline: bool) -> Result<PathBuf, Neo4jError> {
    if let Some(java) = find_java() {
        return Ok(java);
    }
    if offline {
        return Err(Neo4jError::Offline);
    }
    let [first, others @ ..] = JAVA_PACKAGES;
    let installed = others.iter().fold(debian::install(&[first]), |installed, package| {
        // Of several, each distribution has its own.
        installed.or_else(|_: InstallError| debian::install(&[*package]))
    });
    installed?;
    find_java().ok_or(Neo4jError::NoJava)
}

fn find_java() -> Option<PathBuf> {
    let home = std::env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin/java"));
    let installed = Path::new("/usr/lib/jvm").read_dir().into_iter().flatten().flatten();
    home.into_iter()
        .chain(program::find("java"))
        .chain(installed.map(|entry| entry.path().join("bin/java")))
        .find(|java| is_suitable(java))
}

/// Java 8 does not support `--version`, and is too old.
fn is_suitable(java: &Path) -> bool {
    java.is_file()
        && program::output(Command::new(java).arg("--version"))
            .is_ok_and(|text| read_version(&text).is_some_and(|version| JAVA.contains(&version)))
}

/// Parses the number of `openjdk 17.0.15 2025-04-15`; the first release of a line prints `21`
/// alone.
fn read_version(text: &str) -> Option<u32> {
    let number = text.split_whitespace().nth(1)?;
    number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_java_are_read_from_what_it_says() {
        let check = |text, version| assert_eq!(read_version(text), version, "{text}");
        check("openjdk 17.0.15 2025-04-15\nOpenJDK Runtime Environment", Some(17));
        check("java 21 2023-09-19 LTS", Some(21));
        check("openjdk 25-ea 2025-09-16", Some(25));
        check("Unrecognized option: --version", None);
        check("", None);
    }
}
