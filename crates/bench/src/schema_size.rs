//! What a request costs on schemas of different sizes, and what a large schema costs.
//!
//! In the order of use: `tables` makes the databases, `instructions` counts what one request takes
//! of Thalweg, `memory` how long a start takes and how much stays.

mod instructions;
mod memory;
mod tables;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use testkit::postgres::{self, Installation, Origin};

use crate::http::HttpError;
use crate::server::ServerError;
use tables::Kind;

/// The same request may cost so much more on the largest schema than on the smallest.
const TOLERANCE: f64 = 0.03;

/// What is asked on the command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// The sizes at which instructions are counted, the first one being the measure of the others.
    pub(crate) tables: Vec<usize>,
    /// The size at which time and memory are measured.
    pub(crate) most: usize,
    /// Measures the build without optimisation, for trying the command out.
    pub(crate) debug: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { tables: vec![10, 200, 2000], most: 5000, debug: false }
    }
}

/// The measurement could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SizeError {
    #[error("there is no PostgreSQL on this machine; `cargo xtask setup` installs it")]
    NoPostgres,
    #[error(transparent)]
    Postgres(#[from] postgres::StartError),
    #[error(transparent)]
    Statement(#[from] postgres::ClientError),
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error("the request is refused: {0}")]
    Refused(String),
    #[error("`{program}` could not be run: {error}; as root: apt-get install -y valgrind")]
    Valgrind { program: &'static str, error: io::Error },
    #[error("`callgrind_control` failed: {0}")]
    Control(String),
    #[error("valgrind wrote no count into {0}")]
    Count(PathBuf),
    #[error("Thalweg's own binary is not at {0}; `cargo xtask bench schema-size` builds it")]
    NoBinary(PathBuf),
    #[error("the process's memory is not in /proc/{0}/status")]
    Memory(u32),
    #[error(transparent)]
    Files(#[from] io::Error),
}

/// Measures and prints both tables; true if the cost does not grow with the schema.
pub(crate) fn schema_size(workspace: &Path, options: &Options) -> Result<bool, SizeError> {
    let thalweg = binary(options)?;
    let installed = postgres::installations();
    let installation = choose_installation(installed).ok_or(SizeError::NoPostgres)?;
    println!("bench: starting {installation}");
    let server = postgres::Server::start(&installation)?;
    let folder = workspace.join("target/schema-size");
    fs::create_dir_all(&folder)?;
    let place = Place { server, folder, thalweg };

    let mut constant = true;
    println!("\n{:<12}{:>8}{:>28}{:>12}", "source", "tables", "instructions a request", "growth");
    for kind in Kind::ALL {
        let mut measure = None;
        for &count in &options.tables {
            let counted = instructions::count(&place, kind, count)?;
            let first = *measure.get_or_insert(counted);
            let growth = counted / first - 1.0;
            constant &= growth <= TOLERANCE;
            let percent = format!("{:+.2} %", growth * 100.0);
            println!("{:<12}{count:>8}{counted:>28.0}{percent:>12}", kind.name());
        }
    }
    println!(
        "\n{:<12}{:>8}{:>28}{:>12}{:>16}",
        "source", "tables", "start to first answer", "memory", "a table"
    );
    let smallest = options.tables.iter().copied().min().unwrap_or(1);
    for kind in Kind::ALL {
        let small = memory::measure(&place, kind, smallest)?;
        let large = memory::measure(&place, kind, options.most)?;
        let more = options.most.saturating_sub(smallest).max(1) as f64;
        let each = (large.kilobytes as f64 - small.kilobytes as f64) / more;
        for (count, usage) in [(smallest, &small), (options.most, &large)] {
            let seconds = format!("{:.2} s", usage.start.as_secs_f64());
            let memory = format!("{} kB", usage.kilobytes);
            let each = if count == options.most { format!("{each:.1} kB") } else { String::new() };
            println!("{:<12}{count:>8}{seconds:>28}{memory:>12}{each:>16}", kind.name());
        }
    }
    if !constant {
        println!("\nbench: the cost of a request grows with the schema");
    }
    Ok(constant)
}

/// What every measurement needs.
#[derive(Debug)]
struct Place {
    server: postgres::Server,
    /// For databases, logs and counts.
    folder: PathBuf,
    thalweg: PathBuf,
}

fn binary(options: &Options) -> Result<PathBuf, SizeError> {
    let own = crate::server::thalweg()?;
    let release = own.parent().and_then(Path::parent).map(|target| target.join("release/thalweg"));
    let path = if options.debug { own } else { release.unwrap_or_default() };
    if path.is_file() { Ok(path) } else { Err(SizeError::NoBinary(path)) }
}

fn choose_installation(mut installed: Vec<Installation>) -> Option<Installation> {
    installed.sort_by_key(|one| (one.origin == Origin::Maven, one.version));
    installed.into_iter().next()
}
