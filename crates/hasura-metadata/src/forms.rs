//! The forms of metadata: an exported folder, its JSON or YAML in one text, and older versions.

mod actions_document;
mod folder;
mod packed;
mod upgrade;

use std::sync::Arc;

pub use folder::Folder;
pub use packed::PackedMetadata;

use crate::node::{Node, Value, json_text};
use crate::problem::{Problem, ProblemKind};
use crate::reader::{Read, Reader};
use crate::support::Unserved;
use crate::types::metadata::Metadata;
use crate::{references, yaml};

/// What was read.
#[derive(Debug)]
pub struct Reading {
    /// `None` if there are errors that leave no metadata. Unknown keys, duplicates and references
    /// to missing parts are errors, too, but leave the rest: the caller decides about them.
    pub metadata: Option<Metadata>,
    /// All problems, in the order in which they were found.
    pub problems: Vec<Problem>,
    /// The keys that are in use but not served, each with its place.
    pub unserved: Vec<Unserved>,
    /// The number that Hasura gives each change of its metadata, in the result of
    /// `export_metadata`.
    pub resource_version: Option<u64>,
    /// The same again, in few bytes.
    pub packed: PackedMetadata,
}

impl Reading {
    /// The problems that are errors.
    pub fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|problem| problem.kind.is_error())
    }
}

/// Reads a text: the JSON of `export_metadata`, with or without `resource_version`, the same of a
/// row of `hdb_catalog.hdb_metadata`, or YAML with the same keys. `file` names it in problems.
#[must_use]
pub fn read_text(file: &str, text: &str) -> Reading {
    let file: Arc<str> = Arc::from(file);
    let is_json = text.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']).starts_with('{');
    let root = match is_json {
        true => json_text::read(&file, text),
        false => yaml::read(&file, text),
    };
    let packed = PackedMetadata::of_text(&file, text);
    let mut reader = Reader::new();
    match root {
        Ok(root) => read_root(root, reader, packed),
        Err(problem) => {
            reader.problems.push(problem);
            finish(None, reader, None, packed)
        }
    }
}

/// Reads an exported folder.
#[must_use]
pub fn read_folder(folder: &Folder) -> Reading {
    let packed = PackedMetadata::of_folder(folder);
    let mut reader = Reader::new();
    match folder.document(&mut reader) {
        Some(root) => read_root(root, reader, packed),
        None => finish(None, reader, None, packed),
    }
}

fn read_root(root: Node, mut reader: Reader, packed: PackedMetadata) -> Reading {
    let (root, resource_version) = unwrap_export(root, &mut reader);
    let root = upgrade::to_version_3(root, &mut reader);
    let metadata = root.and_then(|root| Metadata::read(&root, &mut reader));
    if let Some(metadata) = &metadata {
        references::check(metadata, &mut reader.problems);
    }
    finish(metadata, reader, resource_version, packed)
}

/// Takes the metadata out of `{"resource_version": …, "metadata": …}`.
fn unwrap_export(root: Node, reader: &mut Reader) -> (Node, Option<u64>) {
    if root.find("metadata").is_none() || root.find("version").is_some() {
        return (root, None);
    }
    let mut resource_version = None;
    let (mut metadata, mark) = (None, root.mark.clone());
    for entry in root.into_entries() {
        match entry.key.as_str() {
            "metadata" => metadata = Some(entry.node),
            "resource_version" => resource_version = u64::read(&entry.node, reader),
            _ => reader.unknown_key(&entry, "the export", &["resource_version", "metadata"]),
        }
    }
    (metadata.unwrap_or(Node { mark, value: Value::Null }), resource_version)
}

fn finish(
    metadata: Option<Metadata>,
    reader: Reader,
    resource_version: Option<u64>,
    packed: PackedMetadata,
) -> Reading {
    let Reader { mut problems, unserved, .. } = reader;
    if metadata.is_none() && !problems.iter().any(|problem| problem.kind.is_error()) {
        // Impossible: each `None` has its problem. A start without metadata would be worse.
        problems.push(Problem {
            kind: ProblemKind::Syntax,
            place: crate::location::Location::default(),
            message: "The metadata could not be read.".to_owned(),
        });
    }
    Reading { metadata, problems, unserved, resource_version, packed }
}

#[cfg(test)]
mod tests;
