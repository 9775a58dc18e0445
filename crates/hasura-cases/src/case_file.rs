//! The files of cases and of what they need.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::yaml;

/// A folder with setups, and the cases that need them.
#[derive(Debug)]
pub(crate) struct Group {
    /// Files of commands, in their order.
    pub(crate) setups: Vec<PathBuf>,
    pub(crate) files: Vec<PathBuf>,
}

/// One request of a file.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) url: String,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) method: Option<String>,
    /// What is sent, unless it is `GET`.
    pub(crate) query: Value,
    /// The answers of which one must come. None: only the status is known.
    pub(crate) responses: Vec<Value>,
}

/// Setups of one folder, in the order in which Hasura's tests send them.
const SETUPS: [&str; 5] = [
    "pre_setup.yaml",
    "schema_setup.yaml",
    "setup.yaml",
    "setup_postgres.yaml",
    "values_setup.yaml",
];

/// Parts of names of files and folders that are about other databases.
const OTHER_DATABASES: [&str; 4] = ["mssql", "bigquery", "citus", "sqlserver"];

/// The groups below a folder, in the order of their paths.
pub(crate) fn groups(folder: &Path) -> std::io::Result<Vec<Group>> {
    let mut groups = Vec::new();
    visit(folder, &[], &mut groups)?;
    groups.retain(|group| !group.files.is_empty());
    Ok(groups)
}

fn visit(folder: &Path, inherited: &[PathBuf], groups: &mut Vec<Group>) -> std::io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::path);
    let own: Vec<_> =
        SETUPS.iter().map(|name| folder.join(name)).filter(|path| path.is_file()).collect();
    let setups = if own.is_empty() { inherited.to_vec() } else { own };
    let mut group = Group { setups, files: Vec::new() };
    for entry in entries {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if OTHER_DATABASES.iter().any(|other| name.contains(other)) {
            continue;
        }
        if path.is_dir() {
            visit(&path, &group.setups, groups)?;
        } else if name.ends_with(".yaml") && !name.contains("setup") && !name.contains("teardown") {
            group.files.push(path);
        }
    }
    groups.push(group);
    Ok(())
}

/// The requests of a file; none if it is something else. The error is a sentence.
pub(crate) fn cases(path: &Path) -> Result<Vec<Case>, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    Ok(match yaml::read(&text)? {
        Value::Array(items) => items.into_iter().filter_map(case).collect(),
        one => case(one).into_iter().collect(),
    })
}

fn case(mut value: Value) -> Option<Case> {
    let url = value.get("url")?.as_str()?.to_owned();
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let headers = value["headers"].as_object();
    let headers = headers
        .map(|headers| headers.iter().map(|(name, value)| (name.clone(), text(value))).collect())
        .unwrap_or_default();
    let status = value["status"].as_u64().and_then(|status| status.try_into().ok()).unwrap_or(200);
    let method = value["method"].as_str().map(str::to_owned);
    let responses = match value["allowed_responses"].take() {
        Value::Array(allowed) => {
            allowed.into_iter().map(|mut allowed| allowed["response"].take()).collect()
        }
        _ => Some(value["response"].take()).filter(|one| !one.is_null()).into_iter().collect(),
    };
    let body = value["body"].take();
    let query = if body.is_null() { value["query"].take() } else { body };
    Some(Case { url, status, headers, method, query, responses })
}
