//! What clients use: documents in files, folders of files and manifests of trusted documents, and counts
//! of servers.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use graphql::GraphQLError;
use graphql::executable::parse_executable;
use supergraph::changes::usage::UnknownPart;

use super::counted;
use crate::failure::Failure;
use crate::http::read_manifest;
use crate::usage::UsageFile;

/// A document with its place.
pub(super) struct Document {
    file: PathBuf,
    /// The id in a manifest.
    id: Option<Box<str>>,
    pub(super) text: Arc<str>,
}

/// A problem of a document: it cannot be parsed, or does not fit the old schema.
pub(super) struct DocumentError {
    file: PathBuf,
    id: Option<Box<str>>,
    /// The line and column.
    place: Option<(u32, u32)>,
    message: String,
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        match (&self.id, self.place) {
            (Some(id), Some((line, column))) => {
                write!(f, ": the document `{id}`, {line}:{column}")?
            }
            (Some(id), None) => write!(f, ": the document `{id}`")?,
            (None, Some((line, column))) => write!(f, ":{line}:{column}")?,
            (None, None) => {}
        }
        write!(f, ": {}", self.message)
    }
}

impl Document {
    /// Parts that the old schema lacks.
    pub(super) fn unknown(&self, parts: &[UnknownPart]) -> Vec<DocumentError> {
        let errors = parts.iter().map(|part| {
            let place = (part.location.line, part.location.column);
            self.error(Some(place), part.to_string())
        });
        errors.collect()
    }

    /// A document that cannot be parsed.
    pub(super) fn wrong(&self, error: &GraphQLError) -> DocumentError {
        let place = error.locations.first().map(|at| (at.line, at.column));
        self.error(place, error.message.clone())
    }

    fn error(&self, place: Option<(u32, u32)>, message: String) -> DocumentError {
        DocumentError { file: self.file.clone(), id: self.id.clone(), place, message }
    }
}

/// The documents, and the counts of servers with their places.
#[derive(Default)]
pub(super) struct Contents {
    pub(super) documents: Vec<Document>,
    pub(super) counted: Vec<(String, UsageFile)>,
}

/// Reads files, folders and addresses.
pub(super) fn read(paths: &[PathBuf]) -> Result<Contents, Failure> {
    let Contents { mut documents, mut counted } = Contents::default();
    for path in paths {
        if let Some(address) = path.to_str().filter(|path| path.contains("://")) {
            let file = counted::fetch(address)?;
            counted.push((redact::address(address).to_string(), file));
        } else if path.is_dir() {
            read_folder(path, &mut documents)?;
        } else if let Some(file) = counted_in(path)? {
            counted.push((path.display().to_string(), file));
        } else if has_ending(path, &["json"]) {
            let manifest = read_manifest(path).map_err(Failure::other)?;
            documents.extend(manifest.into_iter().map(|document| Document {
                file: path.clone(),
                id: Some(document.id),
                text: document.text,
            }));
        } else {
            documents.push(read_file(path)?);
        }
    }
    Ok(Contents { documents, counted })
}

/// The counts of a server in a file; none if it is something else.
fn counted_in(path: &Path) -> Result<Option<UsageFile>, Failure> {
    if !has_ending(path, &["json"]) {
        return Ok(None);
    }
    let bytes = fs::read(path);
    let bytes = bytes.map_err(|error| Failure::Document { file: path.to_owned(), error })?;
    // The reader of manifests reports what is no JSON.
    let json = serde_json::from_slice(&bytes).ok().filter(UsageFile::is_format);
    json.map(|json| counted::parse(&path.display().to_string(), &json)).transpose()
}

/// Reads the GraphQL files of a folder and its subfolders, in the order of their names. Files of
/// type definitions alone are no documents.
fn read_folder(folder: &Path, documents: &mut Vec<Document>) -> Result<(), Failure> {
    let unreadable = |error| Failure::Document { file: folder.to_owned(), error };
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let paths: Result<Vec<PathBuf>, _> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut paths = paths.map_err(unreadable)?;
    paths.sort_unstable();
    for path in paths {
        // A link to a folder may be one to a folder around it.
        let is_link = path.is_symlink();
        if path.is_dir() && !is_link {
            read_folder(&path, documents)?;
        } else if has_ending(&path, &["graphql", "gql"]) {
            let document = read_file(&path)?;
            let is_of_types = parse_executable(&document.text).is_ok_and(|parsed| {
                parsed.has_type_definitions
                    && parsed.operations.is_empty()
                    && parsed.fragments.is_empty()
            });
            if !is_of_types {
                documents.push(document);
            }
        }
    }
    Ok(())
}

fn read_file(file: &Path) -> Result<Document, Failure> {
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::Document { file: file.to_owned(), error })?;
    Ok(Document { file: file.to_owned(), id: None, text: text.into() })
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|ending| endings.contains(&ending))
}
