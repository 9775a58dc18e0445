//! The files and choices of an import, by which a killed one is recognized.

use std::fs;
use std::time::UNIX_EPOCH;

use engine::SourceAddress;
use sha2::{Digest, Sha256};
use transfer::read::Source;
use transfer::stage::Inputs;

use super::{INPUT, Target};
use crate::failure::Failure;
use crate::options::ImportOptions;

/// The inputs of an import.
pub(super) fn inputs(
    options: &ImportOptions,
    target: &Target,
    sources: &[Source],
    definitions: &str,
) -> Result<Inputs, Failure> {
    let mut hash = Sha256::new();
    hash.update(options.choices());
    hash.update(database(target));
    hash.update(definitions);
    let files = sources.iter().map(|source| Ok((source.name.clone(), stamp(options, source)?)));
    Ok(Inputs { choices: hexadecimal(hash), files: files.collect::<Result<_, Failure>>()? })
}

/// A hash of the inputs, and of whether the database had no rows, on which the staged rows depend.
pub(super) fn fingerprint(inputs: &Inputs, is_empty: bool) -> String {
    let mut hash = Sha256::new();
    hash.update([u8::from(is_empty)]);
    hash.update(&inputs.choices);
    for (name, stamp) in &inputs.files {
        hash.update(name);
        hash.update(stamp);
    }
    hexadecimal(hash)
}

/// The address of the database, without a password, which may change, and its schema.
fn database(target: &Target) -> String {
    let address = match &target.address {
        SourceAddress::Sqlite(path) => {
            fs::canonicalize(path).unwrap_or_else(|_| path.clone()).to_string_lossy().into_owned()
        }
        SourceAddress::Postgres(url) | SourceAddress::Neo4j(url) => {
            redact::address(url).into_owned()
        }
    };
    format!("{address} {:?}", target.database.schema)
}

/// The path, the size and the time of modification of a file.
fn stamp(options: &ImportOptions, source: &Source) -> Result<String, Failure> {
    if options.reads_input() && source.path.ends_with(INPUT) {
        return Ok(String::new());
    }
    let read = |error| Failure::Document { file: source.path.clone(), error };
    let path = fs::canonicalize(&source.path).map_err(read)?;
    let metadata = fs::metadata(&path).map_err(read)?;
    let modified = metadata.modified().ok();
    let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let modified = modified.unwrap_or_default().as_nanos();
    Ok(format!("{} {} {modified}", path.display(), metadata.len()))
}

fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
