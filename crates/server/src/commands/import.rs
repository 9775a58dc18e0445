//! `thalweg import`: files of objects, or a whole database, into the tables of type definitions.

mod existing;
mod inputs;
mod moved;
pub(super) mod progress;
mod rejected;

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use dialects::dgraph::model::Model;
use dialects::dgraph::{definitions, stored, transferred};
use engine::{SourceAddress, Timeouts};
use source::MigrationAccess;
use sources::migrate::{Migrator, PUBLIC, Planned};
use sources::transfer::Transfer;
use storage::Database;
use tokio::runtime::{self, Runtime};
use transfer::Mapping;
use transfer::read::Source;
use transfer::stage::{
    Checkpoint, Existing as _, FoundCheckpoint, Inputs, LoadState, Manifest, Progress as _,
    Settings, StageError, Staged, Work,
};

use self::existing::DatabaseRows;
use self::inputs::{fingerprint, inputs};
use self::progress::Reporter;
use super::print;
use crate::failure::Failure;
use crate::options::ImportOptions;

/// The database with the tables of its type definitions.
struct Target {
    address: SourceAddress,
    database: Database,
    mapping: Mapping,
}

/// The file of the standard input in the folder of the import.
const INPUT: &str = "input";

/// The file that marks a folder as one of an import.
const MARK: &str = "thalweg-import";

/// The exit code of an import that has rejected some values.
const REJECTED: u8 = 3;

pub(crate) fn run(options: &ImportOptions) -> Result<ExitCode, Failure> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(Failure::Runtime)?;
    if let Some(from) = &options.from {
        return runtime.block_on(moved::run(options, from));
    }
    let Some((text, model)) = options.definitions()? else {
        return Err(Failure::Usage("`--types` is needed".into()));
    };
    let address = options.address()?;
    let schema = options.schema.of(&address)?;
    let target = runtime.block_on(migrated((address, schema), &model, &text))?;
    import(options, &runtime, &target, &text)
}

/// Creates the tables of a database without any, and requires that they are those of the definitions.
async fn migrated(
    (address, schema): (SourceAddress, &str),
    model: &Model,
    definitions: &str,
) -> Result<Target, Failure> {
    let stored = stored::stored(model);
    let (access, timeouts) = (MigrationAccess::Write, Timeouts::default());
    let migrator = Migrator::begin(&address, schema, access, timeouts).await;
    let migrator = migrator.map_err(Failure::other)?;
    let planned = migrator.plan(&stored.model).await.map_err(Failure::other)?;
    let database = migrator.database().clone();
    let is_first = migrator.newest().is_none();
    let mapping = transferred::mapping(model, &planned.plan);
    if !planned.is_current() && !is_loading(&migrator, &planned).await? {
        require_first(&planned, is_first)?;
        let definitions = definitions::without_secrets(definitions);
        migrator.apply(&planned, &definitions).await.map_err(Failure::other)?;
    }
    Ok(Target { address, database, mapping })
}

/// Returns true if only a killed load, which has taken foreign keys away, makes the tables differ.
async fn is_loading(migrator: &Migrator, planned: &Planned) -> Result<bool, Failure> {
    if !planned.migration.is_empty() {
        return Ok(false);
    }
    migrator.has_load().await.map_err(Failure::other)
}

/// Requires that no import into the database was killed and is to go on.
pub(super) async fn require_finished(transfer: &Transfer) -> Result<(), Failure> {
    match transfer.state().await.map_err(Failure::other)? {
        None => Ok(()),
        Some(_) => Err(Failure::Usage(
            "an import into the database is not finished: run its command again first".into(),
        )),
    }
}

fn require_first(planned: &Planned, is_first: bool) -> Result<(), Failure> {
    match is_first && planned.drift.is_empty() {
        true => Ok(()),
        false => Err(Failure::Usage(
            "the database is behind its type definitions; `thalweg migrate` with the same \
             definitions and `--data` shows and applies the changes"
                .into(),
        )),
    }
}

fn import(
    options: &ImportOptions,
    runtime: &Runtime,
    target: &Target,
    definitions: &str,
) -> Result<ExitCode, Failure> {
    let folder = options.work(&target.address, target.database.schema.as_deref().unwrap_or(PUBLIC));
    let sources = options.sources(&folder.join(INPUT))?;
    let inputs = inputs(options, target, &sources, definitions)?;
    let _locked = claim(&folder)?;
    let opened = Transfer::open_for_load(&target.address, &target.database, Timeouts::default());
    let transfer = runtime.block_on(opened).map_err(Failure::other)?;
    let known = runtime.block_on(transfer.state()).map_err(Failure::other)?;
    let mut reporter = Reporter::new(options.progress);
    let (staged, state) = match known {
        Some(state) if state.fingerprint != fingerprint(&inputs, state.is_bulk) => {
            return Err(Failure::Usage(
                "another import into this database is not finished: run its command again, with \
                 the same files and options"
                    .into(),
            ));
        }
        Some(state) => {
            let staged = Manifest::read(&state.fingerprint, &folder).ok_or_else(|| {
                Failure::Usage(format!(
                    "the import cannot go on: its files in {} are gone; restore the database, and \
                     import again",
                    folder.display()
                ))
            })?;
            (staged, state)
        }
        None => {
            let is_empty = runtime.block_on(transfer.is_empty(&target.mapping.tables));
            let is_empty = is_empty.map_err(Failure::other)?;
            if let Some(staged) = loaded(&inputs, is_empty, &folder) {
                return finish(options, target, &staged, &folder);
            }
            let fingerprint = fingerprint(&inputs, is_empty);
            let staged = match Manifest::read(&fingerprint, &folder) {
                // A load that did not begin.
                Some(staged) if is_empty && !Manifest::is_loaded(&folder) => staged,
                // Rows of a database with rows depend on them, and they may have changed.
                _ => {
                    let existing =
                        DatabaseRows::new(runtime, &transfer, &target.mapping, is_empty)?;
                    let work = (&*sources, inputs, &*folder);
                    let staged = staged(options, target, work, existing, &mut reporter)?;
                    let written = Manifest::write(&staged, &fingerprint, &folder)
                        .and_then(|()| Checkpoint::remove(&folder));
                    written.map_err(|error| writing(&folder, error))?;
                    staged
                }
            };
            let state = LoadState { fingerprint, is_bulk: is_empty, ..LoadState::default() };
            (staged, state)
        }
    };
    let tables = &target.mapping.tables;
    let is_bulk = state.is_bulk;
    let loaded = transfer.load(tables, &staged, state, options.batch, &mut reporter);
    runtime.block_on(loaded).map_err(Failure::other)?;
    Manifest::mark_loaded(&folder).map_err(|error| writing(&folder, error))?;
    runtime.block_on(transfer.end_load(is_bulk)).map_err(Failure::other)?;
    finish(options, target, &staged, &folder)
}

/// The rows of an import that has only its files to remove.
fn loaded(inputs: &Inputs, is_empty: bool, folder: &Path) -> Option<Staged> {
    if !Manifest::is_loaded(folder) {
        return None;
    }
    let of = |was_empty| Manifest::read(&fingerprint(inputs, was_empty), folder);
    let staged = of(true).or_else(|| of(false))?;
    // A database without the rows is another one that has taken the place of the first.
    let has_rows = staged.tables.iter().any(|table| table.rows > 0);
    (!is_empty || !has_rows).then_some(staged)
}

/// Reads the files, from where a killed import was, and makes rows of them.
fn staged(
    options: &ImportOptions,
    target: &Target,
    (sources, mut inputs, folder): (&[Source], Inputs, &Path),
    mut existing: DatabaseRows<'_>,
    reporter: &mut Reporter,
) -> Result<Staged, Failure> {
    let ids = options.ids(existing.is_empty());
    inputs.choices.push_str(&format!(" {ids:?}"));
    let checkpoint = match Checkpoint::find(folder, &inputs) {
        // The standard input cannot be compared with that of the killed import.
        FoundCheckpoint::Found(checkpoint) if !options.reads_input() => Some(checkpoint),
        FoundCheckpoint::Found(_) | FoundCheckpoint::None => None,
        FoundCheckpoint::Stale(reason) => {
            reporter.begin_anew(&reason);
            None
        }
    };
    if checkpoint.is_none() {
        prepare(options, folder)?;
    }
    let settings = Settings {
        ids,
        namespace: options.namespace,
        most_rejected: options.max_rejected,
        memory: options.sort_memory.length(),
    };
    let work = Work { sources, inputs: &inputs, checkpoint, folder };
    let mapping = &target.mapping;
    let staged = transfer::stage::stage(mapping, &work, &settings, &mut existing, reporter);
    let staged = staged.map_err(|error| {
        // After a full disk or a lost connection, the same command goes on with the files.
        if !matches!(error, StageError::Io(_)) {
            drop(fs::remove_dir_all(folder));
        }
        Failure::other(error)
    })?;
    rejected::write(&options.rejected(), sources, &staged)?;
    Ok(staged)
}

/// Reports an import, and removes its files: those that say that it is loaded last, all at once, so
/// that the folder of an import that is killed here is either one that is loaded or gone.
fn finish(
    options: &ImportOptions,
    target: &Target,
    staged: &Staged,
    folder: &Path,
) -> Result<ExitCode, Failure> {
    let code = report(options, target, staged)?;
    let removed = || {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if !path.ends_with(MARK) && !Manifest::has_file(&path) {
                fs::remove_file(path)?;
            }
        }
        match ended(folder).filter(|ended| fs::rename(folder, ended).is_ok()) {
            Some(ended) => fs::remove_dir_all(ended),
            // A folder that cannot be renamed, such as the root of a file system.
            None => fs::remove_dir_all(folder),
        }
    };
    removed().map_err(|error| writing(folder, error))?;
    Ok(code)
}

/// The name of a folder while it is removed, which no other folder has.
fn ended(folder: &Path) -> Option<PathBuf> {
    let mut name = folder.file_name()?.to_owned();
    name.push(format!(".ended-{}", std::process::id()));
    Some(folder.with_file_name(name))
}

/// The folder of the import, locked: two imports do not write into one.
fn claim(folder: &Path) -> Result<File, Failure> {
    let mark = folder.join(MARK);
    let claimed = || {
        let is_other = folder.exists() && !mark.exists() && fs::read_dir(folder)?.next().is_some();
        if is_other {
            return Ok(None);
        }
        fs::create_dir_all(folder)?;
        File::options().write(true).create(true).truncate(false).open(&mark).map(Some)
    };
    let folder_shown = folder.display();
    let Some(file) = claimed().map_err(|error| writing(folder, error))? else {
        return Err(Failure::Usage(format!(
            "the folder {folder_shown} has other files: give a new one by `--work`"
        )));
    };
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(Failure::Usage(format!("another import is using the folder {folder_shown}")))
        }
        Err(TryLockError::Error(error)) => Err(writing(folder, error)),
    }
}

/// Removes the files of an earlier import, and copies the standard input if it is imported.
fn prepare(options: &ImportOptions, folder: &Path) -> Result<(), Failure> {
    let prepared = || {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if !path.ends_with(MARK) {
                fs::remove_file(path)?;
            }
        }
        if options.reads_input() {
            let mut file = File::create(folder.join(INPUT))?;
            io::copy(&mut io::stdin().lock(), &mut file)?;
        }
        Ok(())
    };
    prepared().map_err(|error| writing(folder, error))
}

fn writing(folder: &Path, error: io::Error) -> Failure {
    Failure::Document { file: folder.into(), error }
}

/// Prints the objects of each type, and what became of the values.
fn report(options: &ImportOptions, target: &Target, staged: &Staged) -> Result<ExitCode, Failure> {
    let mut text = String::new();
    for object in &target.mapping.objects {
        let table = staged.tables.iter().find(|own| own.table == object.table);
        let rows = table.map_or(0, |own| own.rows);
        text.push_str(&format!("{}: {rows}\n", object.name));
    }
    let counts = &staged.counts;
    text.push_str(&format!(
        "{} values: {} stored, {} rejected, {} skipped\n",
        counts.read,
        counts.stored,
        counts.rejected,
        counts.skipped()
    ));
    for (reason, values) in &counts.skipped {
        text.push_str(&format!("skipped {reason}: {values}\n"));
    }
    if !counts.add_up() {
        text.push_str("The numbers do not add up, which is a fault of this program.\n");
    }
    if counts.rejected > 0 {
        text.push_str(&format!("rejected: see {}\n", options.rejected().display()));
    }
    print(&text)?;
    Ok(match counts.rejected {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(REJECTED),
    })
}
