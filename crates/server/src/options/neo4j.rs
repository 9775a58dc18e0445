//! Choices of the API of Neo4j's GraphQL library.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use dialects::neo4j::definitions;
use dialects::neo4j::model::ApiVersion;
use dialects::neo4j::text_filters::TextFilter;
use dialects::neo4j::{self, Options};
use engine::SourceAddress;

use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(next_help_heading = "Neo4j")]
pub(crate) struct Neo4jOptions {
    /// For neo4j: the type definitions; without, what `thalweg types` writes, at each start anew
    #[arg(long, env = "THALWEG_TYPES", value_name = "FILE")]
    types: Option<PathBuf>,
    /// For neo4j: the version of the library whose API this is [default: 7]
    #[arg(long, env = "THALWEG_NEO4J_API", value_name = "VERSION")]
    neo4j_api: Option<Neo4jApi>,
    /// For neo4j: without the inputs that version 7 calls deprecated
    #[arg(long, env = "THALWEG_EXCLUDE_DEPRECATED_FIELDS")]
    exclude_deprecated_fields: bool,
    /// For neo4j: operators on texts beside the usual ones: `String.MATCHES,ID.MATCHES`
    #[arg(long, env = "THALWEG_NEO4J_FILTERS", value_name = "OPERATORS", value_delimiter = ',')]
    neo4j_filters: Option<Vec<TextFilter>>,
    /// For neo4j: lists and connections have to be told how long they are
    #[arg(long, env = "THALWEG_LIMIT_REQUIRED")]
    limit_required: bool,
}

/// Of which graph type definitions are written, and for whom.
#[derive(Debug, Args)]
pub(crate) struct TypesOptions {
    /// The graph: `neo4j://…` or `bolt://…`
    #[arg(env = "THALWEG_SOURCE", hide_env_values = true)]
    source: String,
    /// The version of the library that reads the definitions [default: 7]
    #[arg(long, env = "THALWEG_NEO4J_API", value_name = "VERSION")]
    neo4j_api: Option<Neo4jApi>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Neo4jApi {
    /// Versions 3.18 to 3.20
    #[value(name = "3")]
    V3,
    /// Versions 7
    #[value(name = "7")]
    V7,
}

impl TypesOptions {
    pub(crate) fn address(&self) -> Result<SourceAddress, Failure> {
        Ok(SourceAddress::parse(&self.source).map_err(engine::OpenError::from)?)
    }

    pub(crate) fn version(&self) -> ApiVersion {
        version(self.neo4j_api)
    }
}

impl Neo4jOptions {
    pub(super) fn of_dialect(&self) -> Result<Options, Failure> {
        let version = version(self.neo4j_api);
        let of_v7 = [
            (self.exclude_deprecated_fields, "--exclude-deprecated-fields"),
            (self.limit_required, "--limit-required"),
        ];
        if version == ApiVersion::V3
            && let Some((_, option)) = of_v7.into_iter().find(|(given, _)| *given)
        {
            return Err(Failure::Usage(format!("`{option}` needs `--neo4j-api 7`")));
        }
        let filters = self.neo4j_filters.clone().unwrap_or_default();
        for filter in &filters {
            if let Some(reason) = filter.refused_in(version) {
                return Err(Failure::Usage(format!("`--neo4j-filters`: no {filter}: {reason}")));
            }
        }
        Ok(Options {
            exclude_deprecated: self.exclude_deprecated_fields,
            filters,
            limit_required: self.limit_required,
            ..said(self.types.as_deref(), version)?
        })
    }
}

/// The API of a graph of which nothing is said but its type definitions, if these are.
pub(crate) fn of_graph(types: Option<&Path>) -> Result<Options, Failure> {
    said(types, ApiVersion::V7)
}

/// The same in a version.
fn said(types: Option<&Path>, version: ApiVersion) -> Result<Options, Failure> {
    let (model, is_introspected) = match types {
        Some(path) => (Arc::new(model(path, version)?), false),
        None => (Arc::default(), true),
    };
    Ok(Options { version, model, is_introspected, ..Options::default() })
}

fn version(api: Option<Neo4jApi>) -> ApiVersion {
    match api {
        Some(Neo4jApi::V3) => ApiVersion::V3,
        Some(Neo4jApi::V7) | None => ApiVersion::V7,
    }
}

/// What type definitions say.
pub(super) fn model(path: &Path, version: ApiVersion) -> Result<neo4j::model::Model, Failure> {
    let refused =
        |error: String| Failure::Usage(format!("the type definitions {}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    let model = definitions::read(&text, version).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        refused(problems.join("\n"))
    })?;
    match neo4j::unserved(&model, version) {
        Some(problem) => Err(refused(problem)),
        None => Ok(model),
    }
}
