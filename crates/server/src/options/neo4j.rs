//! The options of the dialect neo4j, and of commands about type definitions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use dialects::neo4j::definitions;
use dialects::neo4j::model::ApiForm;
use dialects::neo4j::text_filters::TextFilter;
use dialects::neo4j::{self, Options};
use engine::SourceAddress;

use super::words::Words;
use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(next_help_heading = "Neo4j")]
pub(crate) struct Neo4jOptions {
    /// For neo4j: the file of type definitions [default: generated from the graph at each start]
    #[arg(long, env = "THALWEG_TYPES", value_name = "FILE")]
    types: Option<PathBuf>,
    /// For neo4j: the version of the GraphQL library [default: 7]
    #[arg(long, env = "THALWEG_NEO4J_API", value_name = "VERSION", value_parser = VERSIONS)]
    neo4j_api: Option<ApiForm>,
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

/// The graph of type definitions, and the version of the library.
#[derive(Debug, Args)]
pub(crate) struct TypesOptions {
    /// The graph database: `neo4j://…` or `bolt://…`
    #[arg(env = "THALWEG_SOURCE", hide_env_values = true)]
    source: String,
    /// The version of the GraphQL library that reads the definitions [default: 7]
    #[arg(long, env = "THALWEG_NEO4J_API", value_name = "VERSION", value_parser = VERSIONS)]
    neo4j_api: Option<ApiForm>,
}

/// The versions of the library.
const VERSIONS: Words<ApiForm> =
    Words(&[("3", ApiForm::Three, "Versions 3.18 to 3.20"), ("7", ApiForm::Seven, "Versions 7")]);

/// The default version.
const DEFAULT: ApiForm = ApiForm::Seven;

impl TypesOptions {
    pub(crate) fn address(&self) -> Result<SourceAddress, Failure> {
        Ok(SourceAddress::parse(&self.source).map_err(engine::OpenError::from)?)
    }

    pub(crate) fn form(&self) -> ApiForm {
        self.neo4j_api.unwrap_or(DEFAULT)
    }
}

impl Neo4jOptions {
    pub(super) fn to_dialect(&self) -> Result<Options, Failure> {
        let form = self.neo4j_api.unwrap_or(DEFAULT);
        let of_seven = [
            (self.exclude_deprecated_fields, "--exclude-deprecated-fields"),
            (self.limit_required, "--limit-required"),
        ];
        if form == ApiForm::Three
            && let Some((_, option)) = of_seven.into_iter().find(|(given, _)| *given)
        {
            return Err(Failure::Usage(format!("`{option}` needs `--neo4j-api 7`")));
        }
        let filters = self.neo4j_filters.clone().unwrap_or_default();
        for filter in &filters {
            if let Some(reason) = filter.refused_in(form) {
                return Err(Failure::Usage(format!("`--neo4j-filters`: no {filter}: {reason}")));
            }
        }
        let (model, is_introspected) = match &self.types {
            Some(path) => (Arc::new(model(path, form)?), false),
            None => (Arc::default(), true),
        };
        Ok(Options {
            exclude_deprecated: self.exclude_deprecated_fields,
            filters,
            form,
            is_introspected,
            limit_required: self.limit_required,
            model,
        })
    }
}

/// Reads type definitions.
pub(super) fn model(path: &Path, form: ApiForm) -> Result<neo4j::model::Model, Failure> {
    let refused =
        |error: String| Failure::Usage(format!("the type definitions {}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    let model = definitions::read(&text, form).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        refused(problems.join("\n"))
    })?;
    match neo4j::unserved(&model, form) {
        Some(problem) => Err(refused(problem)),
        None => Ok(model),
    }
}
