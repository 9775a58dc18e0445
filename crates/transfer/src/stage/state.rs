//! How far a load is, and what a killed one needs to go on.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value as Json, json};

use super::checkpoint::ignore_absence;
use super::report::{Counts, Rejections};
use super::staged::{Staged, StagedTable};

/// The progress of a load, which the database has in the same transaction as the rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadState {
    /// Of the files and the choices of the import.
    pub fingerprint: String,
    /// True if indexes and triggers are taken away.
    pub is_bulk: bool,
    /// True if they were taken away already.
    pub has_begun: bool,
    /// True if all rows are inserted, and all indexes created.
    pub is_done: bool,
    /// The place of the table among those of the import.
    pub table: usize,
    /// The place of the next row in the file of the table.
    pub offset: u64,
    /// Rows of the table that are inserted.
    pub rows: u64,
}

/// The file that says that all rows are staged.
#[derive(Debug)]
pub struct Manifest;

const FILE: &str = "manifest.json";

/// The file that says that all staged rows are in the database.
const LOADED: &str = "loaded";

pub(super) const SKIPPED: [&str; 3] =
    [super::facts::INTERNAL, super::facts::FACETS, super::facts::NAMESPACE];

impl LoadState {
    #[must_use]
    pub fn written(&self) -> String {
        let Self { fingerprint, is_bulk, has_begun, is_done, table, offset, rows } = self;
        json!([fingerprint, is_bulk, has_begun, is_done, table, offset, rows]).to_string()
    }

    #[must_use]
    pub fn read(text: &str) -> Self {
        let json: Json = serde_json::from_str(text).unwrap_or_default();
        let number = |place: usize| json[place].as_u64().unwrap_or_default();
        Self {
            fingerprint: json[0].as_str().unwrap_or_default().into(),
            is_bulk: json[1].as_bool().unwrap_or_default(),
            has_begun: json[2].as_bool().unwrap_or_default(),
            is_done: json[3].as_bool().unwrap_or_default(),
            table: usize::try_from(number(4)).unwrap_or_default(),
            offset: number(5),
            rows: number(6),
        }
    }
}

impl Manifest {
    /// Writes the manifest of staged rows, after which a load may begin.
    pub fn write(staged: &Staged, fingerprint: &str, folder: &Path) -> io::Result<()> {
        let Counts { read, stored, rejected, skipped } = &staged.counts;
        let tables = staged.tables.iter().map(|own| {
            let path = own.path.file_name().map(|name| name.to_string_lossy());
            json!([own.table, path, own.rows, own.is_group])
        });
        let manifest = json!({
            "fingerprint": fingerprint,
            "read": read,
            "stored": stored,
            "rejected": rejected,
            "skipped": skipped,
            "last_id": staged.last_id,
            "tables": tables.collect::<Vec<Json>>(),
        });
        fs::remove_file(folder.join(LOADED)).or_else(ignore_absence)?;
        let mut file = File::create(folder.join(FILE))?;
        file.write_all(manifest.to_string().as_bytes())?;
        file.sync_all()
    }

    /// Marks the staged rows as loaded. An import that is killed after this has only its files to
    /// remove.
    pub fn mark_loaded(folder: &Path) -> io::Result<()> {
        File::create(folder.join(LOADED))?.sync_all()
    }

    /// Returns true if the staged rows are in the database.
    #[must_use]
    pub fn is_loaded(folder: &Path) -> bool {
        folder.join(LOADED).exists()
    }

    /// Returns true if a path is that of the manifest, or of the mark that its rows are loaded.
    #[must_use]
    pub fn has_file(path: &Path) -> bool {
        path.ends_with(FILE) || path.ends_with(LOADED)
    }

    /// The staged rows of an import; `None` if they are not complete, or are those of another one.
    #[must_use]
    pub fn read(fingerprint: &str, folder: &Path) -> Option<Staged> {
        let text = fs::read_to_string(folder.join(FILE)).ok()?;
        let json: Json = serde_json::from_str(&text).ok()?;
        if json["fingerprint"].as_str()? != fingerprint {
            return None;
        }
        let mut counts = Counts {
            read: json["read"].as_u64()?,
            stored: json["stored"].as_u64()?,
            rejected: json["rejected"].as_u64()?,
            ..Counts::default()
        };
        for name in SKIPPED {
            if let Some(values) = json["skipped"][name].as_u64() {
                counts.skipped.insert(name, values);
            }
        }
        let tables = json["tables"].as_array()?.iter().map(|own| {
            Some(StagedTable {
                table: usize::try_from(own[0].as_u64()?).ok()?,
                path: folder.join(own[1].as_str()?),
                rows: own[2].as_u64()?,
                is_group: own[3].as_bool()?,
            })
        });
        let tables = tables.collect::<Option<Vec<StagedTable>>>()?;
        let rejections = Rejections::new(u64::MAX);
        Some(Staged { tables, counts, rejections, last_id: json["last_id"].as_u64()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_as_it_was_written() {
        let state = LoadState {
            fingerprint: "\"x".into(),
            is_bulk: true,
            has_begun: true,
            is_done: false,
            table: 3,
            offset: 1 << 40,
            rows: 7,
        };
        assert_eq!(LoadState::read(&state.written()), state);
    }
}
