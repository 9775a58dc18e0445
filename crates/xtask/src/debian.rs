//! PostgreSQL, brokers and small programs from the packages of Debian and its relatives.

use std::path::Path;
use std::process::Command;

use crate::program::{self, ProgramError};

/// The state of the distribution's PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Provided {
    /// It is installed.
    Installed,
    /// It is missing, and only root can install it.
    OnlyRootCould,
}

/// The distribution's PostgreSQL could not be installed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DebianError {
    #[error("not installed, and `--offline` installs nothing")]
    Offline,
    #[error(transparent)]
    Install(#[from] InstallError),
    #[error("the package is installed, and there is no server in /usr/lib/postgresql")]
    NoServer,
}

/// Packages could not be installed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InstallError {
    #[error("only root can install {0}")]
    NotRoot(String),
    #[error("this system has no `apt-get` to install {0}")]
    NoApt(String),
    #[error(transparent)]
    Program(#[from] ProgramError),
}

/// Installs PostgreSQL if it is missing, and PostGIS if that can be had: without it some tests are not
/// run.
pub(crate) fn provide(offline: bool) -> Result<Provided, DebianError> {
    if has_server(Path::new("/usr/lib/postgresql")) {
        provide_postgis(offline);
        return Ok(Provided::Installed);
    }
    if !program::is_root() {
        return Ok(Provided::OnlyRootCould);
    }
    if offline {
        return Err(DebianError::Offline);
    }
    install(&["postgresql"])?;
    provide_postgis(offline);
    if has_server(Path::new("/usr/lib/postgresql")) {
        Ok(Provided::Installed)
    } else {
        Err(DebianError::NoServer)
    }
}

fn provide_postgis(offline: bool) {
    let is_there = has_postgis(Path::new("/usr/share/postgresql"));
    if is_there || offline || !program::is_root() {
        return;
    }
    if let Err(error) = install(&["postgresql-postgis"]) {
        println!("not run: tests of PostGIS: {error}");
    }
}

/// Whether some version below the folder has PostGIS.
fn has_postgis(folder: &Path) -> bool {
    let Ok(versions) = std::fs::read_dir(folder) else { return false };
    let mut versions = versions.filter_map(Result::ok);
    versions.any(|version| version.path().join("extension/postgis.control").is_file())
}

/// Installs the poolers if they are missing: PgBouncer and pgpool-II.
pub(crate) fn provide_poolers(offline: bool) -> Result<Provided, DebianError> {
    provide_packages(&[("pgbouncer", "pgbouncer"), ("pgpool", "pgpool2")], offline)
}

/// Installs the brokers of events if they are missing: NATS and Redis.
pub(crate) fn provide_brokers(offline: bool) -> Result<Provided, DebianError> {
    provide_packages(&[("nats-server", "nats-server"), ("redis-server", "redis-server")], offline)
}

/// Installs those of the programs, each with its package, that are missing.
fn provide_packages(programs: &[(&str, &str)], offline: bool) -> Result<Provided, DebianError> {
    let is_missing = |(program, _): &&(&str, &str)| {
        !Path::new("/usr/sbin").join(program).is_file() && program::find(program).is_none()
    };
    let missing = programs.iter().filter(is_missing).map(|(_, package)| *package);
    let missing: Vec<&str> = missing.collect();
    if missing.is_empty() {
        return Ok(Provided::Installed);
    }
    if !program::is_root() {
        return Ok(Provided::OnlyRootCould);
    }
    if offline {
        return Err(DebianError::Offline);
    }
    install(&missing)?;
    Ok(Provided::Installed)
}

/// Installs packages, which only root can.
pub(crate) fn install(packages: &[&str]) -> Result<(), InstallError> {
    let names = packages.join(" ");
    if !program::is_root() {
        return Err(InstallError::NotRoot(names));
    }
    if program::find("apt-get").is_none() {
        return Err(InstallError::NoApt(names));
    }
    println!("setup: installing {names}");
    program::run(apt_get().arg("update"))?;
    program::run(apt_get().args(["install", "-y", "--no-install-recommends"]).args(packages))?;
    Ok(())
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    // Packages may ask questions, which would block.
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}

/// A folder without `initdb` is left behind by the client package.
fn has_server(folder: &Path) -> bool {
    let Ok(versions) = folder.read_dir() else { return false };
    versions.flatten().any(|version| {
        let bin = version.path().join("bin");
        bin.join("postgres").is_file() && bin.join("initdb").is_file()
    })
}
