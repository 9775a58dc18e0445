//! Options of `thalweg export`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use dialects::dgraph::model::Model;
use engine::SourceAddress;
use transfer::export::ExportFormat;

use super::data::{self, SchemaOptions};
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct ExportOptions {
    /// The database: the path of a SQLite file, or `postgres://…`
    #[arg(long, env = "THALWEG_DATA", hide_env_values = true, value_name = "ADDRESS")]
    data: String,
    /// The type definitions
    #[arg(long, env = "THALWEG_TYPES", value_name = "FILE")]
    types: PathBuf,
    #[command(flatten)]
    pub(crate) schema: SchemaOptions,
    /// The format [default: by the name of the output, or jsonl]
    #[arg(long = "format", env = "THALWEG_FORMAT", value_name = "FORMAT")]
    file_format: Option<OutputFormat>,
    /// A file, an existing folder, or `-` for the standard output
    #[arg(long, env = "THALWEG_OUTPUT", value_name = "PATH", default_value = "-")]
    output: PathBuf,
    /// Compress the output [default: if its name ends in `.gz`]
    #[arg(long, env = "THALWEG_GZIP")]
    gzip: bool,
    /// Print the progress each second, though the error stream is no terminal
    #[arg(long, env = "THALWEG_PROGRESS")]
    pub(crate) progress: bool,
}

/// Formats of exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutputFormat {
    /// A list of objects
    Json,
    /// An object on each line
    Jsonl,
    /// RDF N-Quads
    Rdf,
}

/// The place of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    /// `None` is the standard output.
    pub(crate) path: Option<PathBuf>,
    pub(crate) format: ExportFormat,
    pub(crate) is_compressed: bool,
}

impl ExportOptions {
    /// The address of the database.
    pub(crate) fn address(&self) -> Result<SourceAddress, Failure> {
        Ok(SourceAddress::parse(&self.data).map_err(engine::OpenError::from)?)
    }

    /// The text of the type definitions, and their model.
    pub(crate) fn definitions(&self) -> Result<(Arc<str>, Model), Failure> {
        let text = data::read(&self.types)?;
        let model = data::model(&self.types, &text)?;
        Ok((text, model))
    }

    pub(crate) fn output(&self) -> Output {
        let is_standard = self.output.as_os_str() == "-";
        let is_compressed =
            self.gzip || self.output.extension().is_some_and(|ending| ending == "gz");
        let format = match self.file_format {
            Some(OutputFormat::Json) => ExportFormat::Json,
            Some(OutputFormat::Jsonl) => ExportFormat::Lines,
            Some(OutputFormat::Rdf) => ExportFormat::Rdf,
            None => by_name(&self.output),
        };
        let name = match format {
            ExportFormat::Json => "export.json",
            ExportFormat::Lines => "export.jsonl",
            ExportFormat::Rdf => "export.rdf",
        };
        let path = match (is_standard, self.output.is_dir()) {
            (true, _) => None,
            (false, true) => {
                let ending = if is_compressed { ".gz" } else { "" };
                Some(self.output.join([name, ending].concat()))
            }
            (false, false) => Some(self.output.clone()),
        };
        Output { path, format, is_compressed }
    }
}

fn by_name(path: &Path) -> ExportFormat {
    let name = path.to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rsplit_once('.') {
        Some((_, "json")) => ExportFormat::Json,
        Some((_, "rdf")) => ExportFormat::Rdf,
        _ => ExportFormat::Lines,
    }
}
