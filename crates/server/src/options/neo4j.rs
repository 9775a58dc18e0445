//! The options of the dialect neo4j, and of commands about type definitions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use dialects::neo4j::definitions;
use dialects::neo4j::model::ApiVersion;
use dialects::neo4j::text_filters::TextFilter;
use dialects::neo4j::{self, Options};

use super::words::Words;
use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(next_help_heading = "Neo4j")]
pub(crate) struct Neo4jOptions {
    /// For neo4j: the file of type definitions; for prisma: the datamodel [default: generated from the
    /// database at each start]
    #[arg(long, env = "THALWEG_TYPES", value_name = "FILE")]
    pub(super) types: Option<PathBuf>,
    /// For neo4j: the version of the GraphQL library [default: 7]
    #[arg(long, env = "THALWEG_NEO4J_API", value_name = "VERSION", value_parser = VERSIONS)]
    neo4j_api: Option<ApiVersion>,
    /// For neo4j: leave out the inputs that version 7 deprecates
    #[arg(long, env = "THALWEG_EXCLUDE_DEPRECATED_FIELDS")]
    exclude_deprecated_fields: bool,
    /// For neo4j: additional string operators: `String.MATCHES,ID.MATCHES`
    #[arg(long, env = "THALWEG_NEO4J_FILTERS", value_name = "OPERATORS", value_delimiter = ',')]
    neo4j_filters: Option<Vec<TextFilter>>,
    /// For neo4j: require a limit for lists and connections
    #[arg(long, env = "THALWEG_LIMIT_REQUIRED")]
    limit_required: bool,
}

/// The versions of the library.
pub(super) const VERSIONS: Words<ApiVersion> =
    Words(&[("3", ApiVersion::V3, "Versions 3.18 to 3.20"), ("7", ApiVersion::V7, "Versions 7")]);

/// The default version.
pub(super) const DEFAULT: ApiVersion = ApiVersion::V7;

impl Neo4jOptions {
    pub(super) fn to_dialect(&self) -> Result<Options, Failure> {
        let version = self.neo4j_api.unwrap_or(DEFAULT);
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
        let (model, is_introspected) = match &self.types {
            Some(path) => (Arc::new(model(path, version)?), false),
            None => (Arc::default(), true),
        };
        Ok(Options {
            exclude_deprecated: self.exclude_deprecated_fields,
            filters,
            version,
            is_introspected,
            limit_required: self.limit_required,
            model,
            ..Options::default()
        })
    }
}

/// Reads type definitions.
pub(super) fn model(path: &Path, version: ApiVersion) -> Result<neo4j::model::Model, Failure> {
    let refused =
        |error: String| Failure::Usage(format!("the type definitions {}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| {
        refused(format!("{error}; `thalweg types` generates them from the graph"))
    })?;
    let model = definitions::read(&text, version).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        refused(problems.join("\n"))
    })?;
    match neo4j::unserved(&model, version) {
        Some(problem) => Err(refused(problem)),
        None => Ok(model),
    }
}
