//! The options of the dialect hasura: its metadata.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use dialects::hasura::environment::Environment;
use dialects::hasura::metadata::{
    Folder, MetadataSetting, Reading, ServedSource, read_folder, read_text,
};
use dialects::hasura::{Inconsistencies, NamingConvention, Options};

use engine::{FurtherSource, SourceAddress};

use super::hasura_auth::boolean_of;
use super::stand_ins::variables_of;
use super::words::Words;
use crate::failure::Failure;

/// The word for the metadata that the served database keeps.
const DATABASE: &str = "database";

/// The location of metadata.
#[derive(Debug, Args)]
#[command(next_help_heading = "Hasura")]
pub(crate) struct MetadataOptions {
    /// For hasura: its metadata, which says what is tracked: an exported folder, a file of JSON or YAML, or
    /// `database` for the metadata that a running Hasura keeps in the served PostgreSQL database
    #[arg(long, env = "THALWEG_METADATA", value_name = "PATH")]
    metadata: Option<MetadataLocation>,
    /// For hasura: the name of the served database among several sources of the metadata
    #[arg(long, env = "THALWEG_METADATA_SOURCE", value_name = "NAME", requires = "metadata")]
    metadata_source: Option<Box<str>>,
    /// For hasura: a further source of the metadata with its database, as `NAME=URL`, or `NAME` for the
    /// address in the metadata; may be repeated
    #[arg(long, env = "THALWEG_FURTHER_SOURCE", value_name = "NAME=URL", requires = "metadata")]
    further_source: Vec<SourceOption>,
}

/// Further sources of the metadata: one, or the list of the environment variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SourceOption(Vec<FurtherSource>);

#[derive(Debug, Args)]
#[command(next_help_heading = "Hasura")]
pub(crate) struct HasuraOptions {
    #[command(flatten)]
    metadata: MetadataOptions,
    /// For hasura: what becomes of metadata that names what the database does not have [default: refuse]
    #[arg(
        long,
        env = "THALWEG_INCONSISTENT_METADATA",
        value_name = "WHAT",
        value_parser = INCONSISTENCIES,
        requires = "metadata"
    )]
    inconsistent_metadata: Option<Inconsistencies>,
    /// For hasura: whether roles may call functions of queries whose rows they may read; without it the
    /// permissions of a function name them [default: HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS, or true]
    #[arg(
        long,
        env = "THALWEG_INFER_FUNCTION_PERMISSIONS",
        value_name = "BOOLEAN",
        action = clap::ArgAction::Set
    )]
    infer_function_permissions: Option<bool>,
    /// For hasura: whether a role sees the part of a remote schema that its permission has, as with
    /// `HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS`; `false`: every role sees all of it
    #[arg(
        long,
        env = "THALWEG_REMOTE_SCHEMA_PERMISSIONS",
        value_name = "BOOLEAN",
        action = clap::ArgAction::Set,
        default_value = "true"
    )]
    remote_schema_permissions: bool,
    /// For hasura: the convention of names, unless the metadata has one, as
    /// `HASURA_GRAPHQL_DEFAULT_NAMING_CONVENTION` [default: hasura-default]
    #[arg(
        long,
        env = "THALWEG_NAMING_CONVENTION",
        value_name = "CONVENTION",
        value_parser = CONVENTIONS
    )]
    naming_convention: Option<NamingConvention>,
    /// For hasura: values of bigint, numeric and float8 are strings, as with
    /// `HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES`
    #[arg(long, env = "THALWEG_STRINGIFY_NUMERIC_TYPES")]
    stringify_numeric_types: bool,
}

/// Where metadata is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MetadataLocation {
    /// In the served database, where a running Hasura keeps it.
    Database,
    /// A folder or a file.
    Path(PathBuf),
}

const INCONSISTENCIES: Words<Inconsistencies> = Words(&[
    ("refuse", Inconsistencies::Refused, "An error that lists all of it"),
    ("leave-out", Inconsistencies::LeftOut, "It is left out, and `thalweg check` lists it"),
]);

const CONVENTIONS: Words<NamingConvention> = Words(&[
    ("hasura-default", NamingConvention::HasuraDefault, "Snake case"),
    (
        "graphql-default",
        NamingConvention::GraphQlDefault,
        "Fields in camel case, types in pascal case",
    ),
]);

impl FromStr for MetadataLocation {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            DATABASE => Self::Database,
            path => Self::Path(path.into()),
        })
    }
}

impl FromStr for SourceOption {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        split(text).into_iter().map(further_source).collect::<Result<_, _>>().map(Self)
    }
}

/// The elements of a list. Addresses may have commas, for several hosts or in passwords: a comma
/// separates elements only before `NAME=`, and among names without addresses.
fn split(text: &str) -> Vec<&str> {
    let is_name = |name: &str| {
        let is_of_name = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | '.');
        !name.is_empty() && name.chars().all(is_of_name)
    };
    let begins = |rest: &str| rest.split_once('=').is_some_and(|(name, _)| is_name(name));
    let (mut pieces, mut start) = (Vec::new(), 0);
    for (comma, _) in text.match_indices(',') {
        let is_bare = !text[start..comma].contains('=');
        if is_bare || begins(&text[comma + 1..]) {
            pieces.push(&text[start..comma]);
            start = comma + 1;
        }
    }
    pieces.push(&text[start..]);
    pieces
}

fn further_source(text: &str) -> Result<FurtherSource, String> {
    let (name, address) = match text.split_once('=') {
        None => (text, None),
        Some((name, address)) => (name, Some(address)),
    };
    let address = address.map(SourceAddress::parse).transpose();
    let address = address.map_err(|error| error.to_string())?;
    match (name, &address) {
        ("", _) => Err("a source has a name, as in `reports=postgres://host/reports`".into()),
        (_, Some(SourceAddress::Neo4j(_))) => {
            Err("a source of the metadata has tables: give the address of PostgreSQL".into())
        }
        (name, _) => Ok(FurtherSource { name: name.into(), address }),
    }
}

impl MetadataOptions {
    /// The further sources of the metadata.
    pub(crate) fn further(&self) -> Vec<FurtherSource> {
        self.sources().cloned().collect()
    }

    fn sources(&self) -> impl Iterator<Item = &FurtherSource> {
        self.further_source.iter().flat_map(|SourceOption(sources)| sources)
    }

    /// The setting, with metadata that a path names.
    pub(crate) fn to_setting(&self) -> Result<MetadataSetting, Failure> {
        let source = self.metadata_source.clone();
        let further: Vec<&str> = self.sources().map(|one| &*one.name).collect();
        Ok(match &self.metadata {
            None => MetadataSetting::None,
            Some(MetadataLocation::Database) => {
                let further = further.into_iter().map(Box::from).collect();
                MetadataSetting::Stored { source, further }
            }
            Some(MetadataLocation::Path(path)) => {
                let reading = read_metadata(path)?;
                let served = ServedSource::choose_beside(reading, source.as_deref(), &further);
                MetadataSetting::Read(served.map_err(|error| {
                    Failure::Usage(error.to_string().replace('\n', "\nerror: "))
                })?)
            }
        })
    }
}

impl HasuraOptions {
    /// The further sources of the metadata.
    pub(super) fn further(&self) -> Vec<FurtherSource> {
        self.metadata.further()
    }

    /// The options of the dialect, with metadata that a path names.
    pub(super) fn to_dialect(&self) -> Result<Options, Failure> {
        let metadata = self.metadata.to_setting()?;
        let defaults = Options::default();
        Ok(Options {
            metadata,
            inconsistencies: self.inconsistent_metadata.unwrap_or_default(),
            infer_function_permissions: self.infers_function_permissions()?,
            remote_schema_permissions: self.remote_schema_permissions,
            naming_convention: self.naming_convention.unwrap_or(defaults.naming_convention),
            stringify_numeric_types: self.stringify_numeric_types,
            environment: environment(),
            ..defaults
        })
    }
}

impl HasuraOptions {
    /// The option, and Hasura's variable in its place.
    fn infers_function_permissions(&self) -> Result<bool, Failure> {
        if let Some(own) = self.infer_function_permissions {
            return Ok(own);
        }
        let variables = variables_of("infer-function-permissions").iter();
        let mut set = variables.filter_map(|name| Some((*name, std::env::var_os(name)?)));
        match set.next() {
            None => Ok(true),
            Some((name, text)) => boolean_of(name, &text.to_string_lossy()),
        }
    }
}

/// The variables that the metadata may name. Those that are no texts cannot be named.
fn environment() -> Environment {
    let variables = std::env::vars_os();
    Environment::new(
        variables.filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        }),
    )
}

/// Reads a folder or a file of metadata.
pub(crate) fn read_metadata(path: &Path) -> Result<Reading, Failure> {
    let refused = |path: &Path, error: std::io::Error| {
        Failure::Usage(format!("cannot read the metadata in {}: {error}", path.display()))
    };
    if !path.is_dir() {
        let text = std::fs::read_to_string(path).map_err(|error| refused(path, error))?;
        return Ok(read_text(&path.display().to_string(), &text));
    }
    let mut files = Vec::new();
    let mut folders = vec![(path.to_owned(), String::new())];
    while let Some((folder, within)) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(|error| refused(&folder, error))? {
            let entry = entry.map_err(|error| refused(&folder, error))?;
            let (path, name) = (entry.path(), entry.file_name());
            let Some(name) = name.to_str() else { continue };
            let inner = format!("{within}{name}");
            if path.is_dir() {
                folders.push((path, format!("{inner}/")));
            } else if Folder::takes(name) {
                let text = std::fs::read_to_string(&path).map_err(|error| refused(&path, error))?;
                files.push((inner, text));
            }
        }
    }
    Ok(read_folder(&Folder::new(files)))
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn commas_of_addresses_separate_nothing() {
        let check = |text: &str, expected: &[&str]| assert_eq!(split(text), expected, "{text}");
        check("a", &["a"]);
        check("a,b", &["a", "b"]);
        check("a=postgres://u:p,w@h1:1,h2:2/d", &["a=postgres://u:p,w@h1:1,h2:2/d"]);
        check("a,b=postgres://h1,h2/d,c-d=x.db", &["a", "b=postgres://h1,h2/d", "c-d=x.db"]);
    }
}
