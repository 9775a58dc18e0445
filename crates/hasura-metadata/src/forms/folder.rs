//! An exported folder: its files as one document, with the keys of `export_metadata`.
//! <https://hasura.io/docs/2.0/migrations-metadata-seeds/metadata-format/>

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::forms::actions_document;
use crate::location::{Location, Mark, Path};
use crate::node::{Entry, Node, Value};
use crate::problem::{Problem, ProblemKind};
use crate::reader::Reader;
use crate::yaml;

/// Keys of metadata with their files, beside those of sources and actions.
const FILES: &[(&str, &str)] = &[
    ("remote_schemas", "remote_schemas.yaml"),
    ("query_collections", "query_collections.yaml"),
    ("allowlist", "allow_list.yaml"),
    ("cron_triggers", "cron_triggers.yaml"),
    ("rest_endpoints", "rest_endpoints.yaml"),
    ("api_limits", "api_limits.yaml"),
    ("metrics_config", "metrics_config.yaml"),
    ("inherited_roles", "inherited_roles.yaml"),
    ("graphql_schema_introspection", "graphql_schema_introspection.yaml"),
    ("network", "network.yaml"),
    ("backend_configs", "backend_configs.yaml"),
    ("opentelemetry", "opentelemetry.yaml"),
];

/// Keys of the databases of version 3, and of the one of version 2.
const DATABASE_FILES: &[(&str, &str)] = &[("sources", "databases/databases.yaml")];
const DATABASE_FILES_OF_VERSION_2: &[(&str, &str)] =
    &[("tables", "tables.yaml"), ("functions", "functions.yaml")];

const VERSION_FILE: &str = "version.yaml";
const ACTIONS_FILE: &str = "actions.yaml";
const ACTIONS_DOCUMENT: &str = "actions.graphql";

/// Begin of a text that stands for the content of a file.
const INCLUDE: &str = "!include ";

/// Limit of files that include each other.
const MAX_INCLUDES: usize = 10;

/// The text of each file of a folder, by its path within it, with `/`.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    files: BTreeMap<String, String>,
}

impl Folder {
    /// Takes the files of a folder and of all folders in it.
    #[must_use]
    pub fn new(files: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { files: files.into_iter().collect() }
    }

    /// True for a name of a file that may be one of metadata.
    #[must_use]
    pub fn takes(name: &str) -> bool {
        [".yaml", ".yml", ".graphql"].iter().any(|ending| name.ends_with(ending))
    }

    /// The files as one text.
    pub(crate) fn to_text(&self) -> String {
        // Serialization fails for keys that are no texts and for writers that fail: neither exists.
        serde_json::to_string(&self.files).unwrap_or_default()
    }

    /// The files of such a text.
    pub(crate) fn of_text(text: &str) -> Self {
        Self { files: serde_json::from_str(text).unwrap_or_default() }
    }

    pub(super) fn document(&self, reader: &mut Reader) -> Option<Node> {
        let mut files = Files { folder: self, open: Vec::new(), used: BTreeSet::new() };
        // Without a root, files would only seem to be superfluous.
        let root = files.root(reader)?;
        for file in self.files.keys().filter(|file| !files.used.contains(*file)) {
            let mark = Mark::of_file(&Arc::from(&**file));
            let message = "The file is not read: it is none of metadata's own, and no other file \
                           includes it.";
            reader.report(ProblemKind::Notice, &mark, message.into());
        }
        Some(root)
    }
}

struct Files<'f> {
    folder: &'f Folder,
    /// The files that are being read, each included by the one before it.
    open: Vec<String>,
    used: BTreeSet<String>,
}

impl Files<'_> {
    fn root(&mut self, reader: &mut Reader) -> Option<Node> {
        let Some(version) = self.find(VERSION_FILE, reader) else {
            if !self.used.contains(VERSION_FILE) {
                self.report_no_version(reader);
            }
            return None;
        };
        let mark = version.mark.clone();
        let number = version.find("version").map(|node| &node.value);
        let is_version_2 =
            matches!(number, Some(Value::Number(number)) if number.as_u64() == Some(2));
        let mut entries = version.into_entries();
        let databases = if is_version_2 { DATABASE_FILES_OF_VERSION_2 } else { DATABASE_FILES };
        if let Some((_, file)) = databases.first()
            && !self.folder.files.contains_key(*file)
        {
            let message = format!("The folder has no file {file}.");
            reader.report(ProblemKind::MissingFile, &mark, message);
            return None;
        }
        for (key, file) in databases.iter().chain(FILES) {
            if let Some(node) = self.find(file, reader)
                && !matches!(node.value, Value::Null)
            {
                entries.push(Entry::new(key, Mark::of_file(&Arc::from(*file)), node));
            }
        }
        entries.append(&mut self.actions(reader));
        Some(Node { mark, value: Value::Object(entries) })
    }

    fn report_no_version(&self, reader: &mut Reader) {
        let inner = format!("/{VERSION_FILE}");
        let found = self.folder.files.keys().find_map(|file| file.strip_suffix(&inner));
        let remedy = match found {
            Some(folder) => format!("There is one in {folder}: give that folder."),
            None => "Write one with `version: 3`.".to_owned(),
        };
        let mark = Mark::of_file(&Arc::from(VERSION_FILE));
        let message = format!("The file is missing. {remedy}");
        reader.report(ProblemKind::MissingFile, &mark, message);
    }

    fn actions(&mut self, reader: &mut Reader) -> Vec<Entry> {
        let yaml = self.find(ACTIONS_FILE, reader);
        let document = self.folder.files.get(ACTIONS_DOCUMENT);
        if document.is_some() {
            self.used.insert(ACTIONS_DOCUMENT.to_owned());
        }
        actions_document::merge(yaml, document.map_or("", String::as_str), reader)
    }

    /// Reads a file of the folder with all that it includes; `None` if there is no such file, or
    /// if a problem was reported.
    fn find(&mut self, file: &str, reader: &mut Reader) -> Option<Node> {
        let text = self.folder.files.get(file)?;
        self.used.insert(file.to_owned());
        match yaml::read(&Arc::from(file), text) {
            Ok(node) => {
                self.open.push(file.to_owned());
                let node = self.resolve(node, reader);
                self.open.pop();
                node
            }
            Err(problem) => {
                reader.problems.push(problem);
                None
            }
        }
    }

    /// Puts the contents of files in the place of their includes; what fails is left out.
    fn resolve(&mut self, node: Node, reader: &mut Reader) -> Option<Node> {
        let Node { mark, value } = node;
        let value = match value {
            Value::String(text) => match text.strip_prefix(INCLUDE) {
                Some(path) => return self.include(path.trim(), &mark, reader),
                None => Value::String(text),
            },
            Value::List(items) => {
                let items = items.into_iter();
                Value::List(items.filter_map(|item| self.resolve(item, reader)).collect())
            }
            Value::Object(entries) => {
                let entries = entries.into_iter().map(|Entry { key, mark, node }| {
                    // Files are included where lists are: an empty one causes no further problem.
                    let empty = Node { mark: node.mark.clone(), value: Value::List(Vec::new()) };
                    let node = self.resolve(node, reader).unwrap_or(empty);
                    Entry { key, mark, node }
                });
                Value::Object(entries.collect())
            }
            value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Deferred(_)) => value,
        };
        Some(Node { mark, value })
    }

    fn include(&mut self, path: &str, mark: &Mark, reader: &mut Reader) -> Option<Node> {
        let mut fail = |kind, message| {
            let place = Location { mark: mark.clone(), path: Path::default() };
            reader.problems.push(Problem { kind, place, message });
            None
        };
        let including = self.open.last().map_or("", String::as_str);
        let Some(file) = relative_to(including, path) else {
            let message = format!("{path} is outside of the folder. Move the file into it.");
            return fail(ProblemKind::WrongValue, message);
        };
        if self.open.contains(&file) {
            return fail(ProblemKind::WrongValue, format!("The file {file} includes itself."));
        }
        if self.open.len() >= MAX_INCLUDES {
            let message = format!("More than {MAX_INCLUDES} files include each other.");
            return fail(ProblemKind::WrongValue, message);
        }
        if !self.folder.files.contains_key(&file) {
            let message =
                format!("The folder has no file {file}. Remove the line, or add the file.");
            return fail(ProblemKind::MissingFile, message);
        }
        self.find(&file, reader)
    }
}

/// The path in the folder of a file that another one includes; `None` if it is outside.
fn relative_to(including: &str, path: &str) -> Option<String> {
    if path.starts_with('/') || path.contains('\\') {
        return None;
    }
    let folder = including.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::relative_to;

    #[test]
    fn includes_are_relative_to_their_file_and_stay_in_the_folder() {
        let check = |including, path, expected: Option<&str>| {
            assert_eq!(relative_to(including, path).as_deref(), expected, "{including} {path}");
        };
        check(
            "databases/databases.yaml",
            "a/tables/tables.yaml",
            Some("databases/a/tables/tables.yaml"),
        );
        check("databases/a/tables.yaml", "../b/./x.yaml", Some("databases/b/x.yaml"));
        check("tables.yaml", "x.yaml", Some("x.yaml"));
        check("tables.yaml", "../x.yaml", None);
        check("tables.yaml", "/etc/passwd", None);
        check("tables.yaml", r"..\x.yaml", None);
    }
}
