//! Values of subjects → rows of tables, checked, in files.
//!
//! * `facts`: values with their subjects, which are sorted on disk
//! * `rdf`, `objects`, `cells`: records of files → facts
//! * `checkpoint`: how far the reading is, and what a killed one needs to go on
//! * `assemble`: the facts of a subject → a row, and links to other rows
//! * `keys`: unique values, and references by them
//! * `lookups`: rows that the database has, found in batches
//! * `resolve`: links are checked, and become columns and pairs
//! * `staged`: the files of rows that are ready to be inserted
//! * `state`: how far a load is, and what it needs to go on
//! * `report`: what was read, stored, rejected and skipped
//!
//! In an export of Dgraph the triples come by predicates, so those of one subject are far from each
//! other. One way is to insert a row at its first triple and to update it with each later one: an
//! update for each triple, with the indexes in place, and constraints such as NOT NULL cannot hold
//! meanwhile. The way taken here is to sort all values by their subjects first, so that each row is
//! inserted once, whole and checked, in the order of the keys. Links are sorted by their targets to
//! find dangling ones, and by their sources to be joined with their rows, so memory is bounded
//! however many objects there are.

mod assemble;
mod cells;
mod checkpoint;
mod facts;
mod keys;
mod lookups;
mod objects;
mod rdf;
mod report;
mod resolve;
mod staged;
mod state;

use std::io;
use std::path::{Path, PathBuf};

use crate::mapping::Mapping;
use crate::read::{Format, Position, ReadError, Records, Source};

pub use checkpoint::{Checkpoint, FoundCheckpoint, Inputs};
pub use keys::KeyQuery;
pub use report::{Counts, Rejected, Rejections};
pub use staged::{Staged, StagedTable, TableRows};
pub use state::{LoadState, Manifest};

use checkpoint::Resumed;
use facts::Facts;

/// Choices of an import.
#[derive(Clone, Debug)]
pub struct Settings {
    pub ids: Ids,
    /// The namespace of Dgraph that is imported; others are skipped.
    pub namespace: u64,
    pub most_rejected: u64,
    /// Bytes in memory before they are sorted to disk: of values, of links, and of keys.
    pub memory: usize,
}

/// The ids of imported objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// The ids of the files; objects without one get new ids.
    Keep,
    New,
}

/// The database into which rows are imported, as far as it has rows already.
pub trait Existing {
    /// Returns true if no table has a row.
    fn is_empty(&self) -> bool;

    /// The last id of the sequence.
    fn last_id(&self) -> u64;

    /// The table of each id, if a table has it: its index.
    fn tables_of(&mut self, ids: &[u64]) -> io::Result<Vec<Option<usize>>>;

    /// The id of each row with the value in a unique column.
    fn find_by_key(&mut self, queries: &[KeyQuery<'_>]) -> io::Result<Vec<Option<u64>>>;
}

/// Progress of the stages.
pub trait Progress {
    /// So many records were read.
    fn read(&mut self, file: &str, records: u64);

    /// A further stage begins.
    fn stage(&mut self, name: &'static str);

    /// The files of a killed import are not used, for a reason.
    fn begin_anew(&mut self, reason: &str);
}

/// The reason why an import was given up before anything was inserted.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("cannot write a file of the import: {0}")]
    Io(#[source] io::Error),
    #[error("a file of the import was changed while it ran")]
    Changed,
    #[error("more than {0} values are rejected")]
    TooMany(u64),
    #[error("{0}")]
    Refused(String),
}

/// Files of the import are written whole before they are read, so one that ends early was changed.
impl From<io::Error> for StageError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::Changed,
            _ => Self::Io(error),
        }
    }
}

/// Files to read, and the folder for what is made of them.
#[derive(Debug)]
pub struct Work<'w> {
    pub sources: &'w [Source],
    pub inputs: &'w Inputs,
    /// The place from which a killed import goes on. Otherwise the folder has no files.
    pub checkpoint: Option<Checkpoint>,
    pub folder: &'w Path,
}

/// Reads the files, and makes the rows of all tables of them.
pub fn stage(
    mapping: &Mapping,
    work: &Work<'_>,
    settings: &Settings,
    existing: &mut dyn Existing,
    progress: &mut dyn Progress,
) -> Result<Staged, StageError> {
    let Work { sources, inputs, checkpoint, folder } = work;
    let resumed = match checkpoint {
        None => None,
        Some(checkpoint) => match checkpoint.resume(mapping, settings, folder)? {
            Resumed::Facts(facts) => Some((*facts, checkpoint.file, checkpoint.position)),
            Resumed::Stale(reason) => {
                progress.begin_anew(reason);
                // Its runs are not those that are written now.
                Checkpoint::remove(folder)?;
                None
            }
        },
    };
    let (mut facts, first, mut position) = match resumed {
        None => (Facts::begin(mapping, settings, folder)?, 0, Position::default()),
        Some(resumed) => {
            progress.stage("go on with the values that are not read");
            resumed
        }
    };
    for (index, source) in sources.iter().enumerate().skip(first) {
        facts.begin_file(index)?;
        let mut save = |facts: &mut Facts<'_>, position| {
            Checkpoint::save(facts, inputs, (index, position), folder)
        };
        read(&mut facts, source, &position, &mut save, progress)?;
        position = Position::default();
        if facts.sorter.is_worth_a_run(index + 1 == sources.len()) {
            Checkpoint::save(&mut facts, inputs, (index + 1, position), folder)?;
        }
    }
    progress.stage("sort the values by their objects");
    let read = facts.finish()?;
    let assembled = assemble::assemble(mapping, &read, folder, settings.memory)?;
    progress.stage("check the references");
    resolve::resolve(mapping, settings, &read, assembled, existing, folder)
}

/// Reads the records of a file after a position. `save` makes a checkpoint.
fn read(
    facts: &mut Facts<'_>,
    source: &Source,
    from: &Position,
    save: &mut dyn FnMut(&mut Facts<'_>, Position) -> Result<(), StageError>,
    progress: &mut dyn Progress,
) -> Result<(), StageError> {
    let mut cells = None;
    if source.format == Format::Csv && from.record > 0 {
        let mut records = Records::open(source)?;
        if let Some(record) = records.next_record()? {
            cells = Some(cells::Header::read(facts, source, record.row)?);
        }
    }
    let mut records = Records::open_at(source, from)?;
    loop {
        if facts.sorter.is_full() {
            save(facts, records.position())?;
        }
        let Some(record) = records.next_record()? else { break };
        facts.begin_record(record.number);
        if record.is_too_long {
            facts.reject_record("the record is longer than 64 MiB")?;
            continue;
        }
        match source.format {
            Format::Rdf => rdf::read(facts, record.bytes)?,
            Format::Json => objects::read(facts, record.bytes, source.r#type.as_deref())?,
            Format::Lines if record.bytes.trim_ascii().is_empty() => {}
            Format::Lines => objects::read(facts, record.bytes, source.r#type.as_deref())?,
            Format::Csv => match &cells {
                None => cells = Some(cells::Header::read(facts, source, record.row)?),
                Some(header) => cells::read(facts, header, record.row)?,
            },
        }
        if record.number % 4_096 == 0 {
            progress.read(&source.name, record.number);
        }
    }
    Ok(())
}

/// The path of a file of the stage.
fn path(folder: &Path, name: &str, index: usize) -> PathBuf {
    folder.join(format!("{name}-{index}"))
}
