//! Options of `thalweg import`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use dialects::dgraph::model::Model;
use engine::SourceAddress;
use sha2::{Digest, Sha256};
use sources::migrate::PUBLIC;
use transfer::read::{Format, Source};
use transfer::stage::Ids;

use super::data::{self, SchemaOptions, schema_of};
use super::quantity::Size;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct ImportOptions {
    /// Files to import; `-` is the standard input, of the format that `--format` names
    #[arg(value_name = "FILE", required_unless_present = "from")]
    files: Vec<PathBuf>,
    /// The database: the path of a SQLite file, which is created if it does not exist, or `postgres://…`
    #[arg(long, env = "THALWEG_DATA", hide_env_values = true, value_name = "ADDRESS")]
    data: String,
    /// The type definitions
    #[arg(long, env = "THALWEG_TYPES", value_name = "FILE", required_unless_present = "from")]
    types: Option<PathBuf>,
    /// Instead of files, the database whose rows are moved, with their ids, into one without rows
    #[arg(
        long,
        env = "THALWEG_FROM",
        hide_env_values = true,
        value_name = "ADDRESS",
        conflicts_with_all = ["files", "file_format", "type", "ids", "namespace"]
    )]
    pub(crate) from: Option<String>,
    #[command(flatten)]
    pub(crate) schema: SchemaOptions,
    /// For PostgreSQL: the schema of the tables of `--from` [default: public]
    #[arg(long, env = "THALWEG_FROM_SCHEMA", value_name = "NAME", requires = "from")]
    from_schema: Option<String>,
    /// The format of the files [default: by their names]
    #[arg(help_heading = "Files", long = "format", env = "THALWEG_FORMAT", value_name = "FORMAT")]
    file_format: Option<FileFormat>,
    /// The type of the objects in files of CSV and JSON lines [default of CSV: the name of the file]
    #[arg(help_heading = "Files", long, env = "THALWEG_TYPE", value_name = "TYPE")]
    r#type: Option<String>,
    /// The namespace of Dgraph whose values are imported; others are skipped
    #[arg(
        help_heading = "Files",
        long,
        env = "THALWEG_NAMESPACE",
        value_name = "NUMBER",
        default_value = "0"
    )]
    pub(crate) namespace: u64,
    /// The ids of the objects [default: keep if the database has no rows, and new otherwise]
    #[arg(long, env = "THALWEG_IDS", value_name = "WHICH")]
    ids: Option<WhichIds>,
    /// The file of rejected values [default: the name of the first file with `.rejected.jsonl`]
    #[arg(help_heading = "Rejected values", long, env = "THALWEG_REJECTED", value_name = "FILE")]
    rejected: Option<PathBuf>,
    /// Give up, and import nothing, if more values are rejected
    #[arg(
        help_heading = "Rejected values",
        long,
        env = "THALWEG_MAX_REJECTED",
        value_name = "NUMBER",
        default_value = "100000"
    )]
    pub(crate) max_rejected: u64,
    /// The folder for files of the import, which are removed at its end [default: the name of the
    /// SQLite file with `.import`, or one in the current folder by the address]
    #[arg(long, env = "THALWEG_WORK", value_name = "FOLDER")]
    work: Option<PathBuf>,
    /// Print the progress each second, though the error stream is no terminal
    #[arg(long, env = "THALWEG_PROGRESS")]
    pub(crate) progress: bool,
    /// Memory of values that are read before they are sorted to disk, from 64KiB to 1GiB; after each
    /// such part, a killed import goes on
    #[arg(
        long,
        env = "THALWEG_SORT_MEMORY",
        value_name = "SIZE",
        default_value = "48MiB",
        value_parser = sort_memory
    )]
    pub(crate) sort_memory: Size,
    /// Rows in one transaction
    #[arg(
        long,
        env = "THALWEG_BATCH",
        value_name = "ROWS",
        default_value = "200000",
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub(crate) batch: u64,
}

/// Formats of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FileFormat {
    /// RDF N-Quads
    Rdf,
    /// A list of objects
    Json,
    /// An object on each line
    Jsonl,
    /// A table of one type
    Csv,
}

/// Ids of imported objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum WhichIds {
    /// The ids of the files; objects without one get new ids
    Keep,
    /// New ids
    New,
}

/// With less memory, sorted parts would be merged in many passes.
const LEAST_MEMORY: u64 = 64 << 10;

/// More memory makes no import faster, and places in it have 32 bits.
const MOST_MEMORY: u64 = 1 << 30;

/// The standard input.
const STANDARD_INPUT: &str = "-";

impl ImportOptions {
    /// The address of the database.
    pub(crate) fn address(&self) -> Result<SourceAddress, Failure> {
        Ok(SourceAddress::parse(&self.data).map_err(engine::OpenError::from)?)
    }

    /// The text of the type definitions, and their model.
    pub(crate) fn definitions(&self) -> Result<Option<(Arc<str>, Model)>, Failure> {
        let Some(file) = &self.types else { return Ok(None) };
        let text = data::read(file)?;
        let model = data::model(file, &text)?;
        Ok(Some((text, model)))
    }

    /// The files, with their formats. The standard input is copied to a path.
    pub(crate) fn sources(&self, copied: &std::path::Path) -> Result<Vec<Source>, Failure> {
        let sources = self.files.iter().map(|path| {
            let is_input = path.as_os_str() == STANDARD_INPUT;
            let format = match self.file_format {
                Some(FileFormat::Rdf) => Some(Format::Rdf),
                Some(FileFormat::Json) => Some(Format::Json),
                Some(FileFormat::Jsonl) => Some(Format::Lines),
                Some(FileFormat::Csv) => Some(Format::Csv),
                None => Format::of(path),
            };
            let name = path.to_string_lossy().into_owned();
            let format = format.ok_or_else(|| {
                Failure::Usage(format!("the name of {name} has no format: give `--format`"))
            })?;
            let stem = || {
                let name = path.file_name()?.to_str()?;
                name.split('.').next().map(Into::into)
            };
            let by_name = if format == Format::Csv { stem() } else { None };
            let path = if is_input { copied.into() } else { path.clone() };
            Ok(Source { path, name, format, r#type: self.r#type.clone().or(by_name) })
        });
        sources.collect()
    }

    /// Returns true if one of the files is the standard input.
    pub(crate) fn reads_input(&self) -> bool {
        self.files.iter().any(|path| path.as_os_str() == STANDARD_INPUT)
    }

    /// The ids of the objects, by whether the database has no rows.
    pub(crate) fn ids(&self, is_empty: bool) -> Ids {
        match self.ids {
            Some(WhichIds::Keep) => Ids::Keep,
            Some(WhichIds::New) => Ids::New,
            None if is_empty => Ids::Keep,
            None => Ids::New,
        }
    }

    /// The file of rejected values.
    pub(crate) fn rejected(&self) -> PathBuf {
        if let Some(path) = &self.rejected {
            return path.clone();
        }
        let first = self.files.first().filter(|path| path.as_os_str() != STANDARD_INPUT);
        with_ending(first.cloned().unwrap_or_else(|| "import".into()), ".rejected.jsonl")
    }

    /// The folder for files of the import.
    pub(crate) fn work(&self, address: &SourceAddress, schema: &str) -> PathBuf {
        match (&self.work, address) {
            (Some(folder), _) => folder.clone(),
            (None, SourceAddress::Sqlite(path)) => with_ending(path.clone(), ".import"),
            (None, SourceAddress::Postgres(url) | SourceAddress::Neo4j(url)) => {
                let hash = match schema {
                    PUBLIC => Sha256::digest(url.as_bytes()),
                    schema => Sha256::digest([url, "#", schema].concat().as_bytes()),
                };
                let name: String = hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
                format!("thalweg-{name}.import").into()
            }
        }
    }

    /// The schema of the tables of a database from which rows are moved.
    pub(crate) fn source_schema(&self, from: &SourceAddress) -> Result<&str, Failure> {
        schema_of(self.from_schema.as_deref(), "--from-schema", from)
    }

    /// The choices on which the staged rows depend.
    pub(crate) fn choices(&self) -> String {
        let Self { file_format, r#type, namespace, ids, .. } = self;
        format!("{file_format:?} {type:?} {namespace} {ids:?}")
    }
}

fn sort_memory(text: &str) -> Result<Size, String> {
    let size: Size = text.parse()?;
    match (LEAST_MEMORY..=MOST_MEMORY).contains(&size.0) {
        true => Ok(size),
        false => {
            let (least, most) = (Size(LEAST_MEMORY), Size(MOST_MEMORY));
            Err(format!("a size from {least} to {most} is wanted"))
        }
    }
}

fn with_ending(path: PathBuf, ending: &str) -> PathBuf {
    let mut name = path.into_os_string();
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorted_parts_have_a_size_between_bounds() {
        assert_eq!(sort_memory("64KiB"), Ok(Size(64 << 10)));
        assert_eq!(sort_memory("1GiB"), Ok(Size(1 << 30)));
        for text in ["65535", "1073741825"] {
            let error = sort_memory(text).unwrap_err();
            assert_eq!(error, "a size from 64.0 KiB to 1.0 GiB is wanted", "{text}");
        }
    }
}
