//! Choices of the API of Neo4j's GraphQL library.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use dialects::neo4j::definitions;
use dialects::neo4j::model::ApiForm;
use dialects::neo4j::{self, Options};

use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(next_help_heading = "Neo4j")]
pub(crate) struct Neo4jOptions {
    /// For neo4j: the type definitions that say what the graph holds, and so what the API is
    #[arg(long, env = "THALWEG_TYPES", value_name = "FILE")]
    types: Option<PathBuf>,
    /// For neo4j: the version of the library whose API this is [default: 7]
    #[arg(long, env = "THALWEG_NEO4J_API", value_name = "VERSION")]
    neo4j_api: Option<Neo4jApi>,
    /// For neo4j: without the inputs that version 7 calls deprecated
    #[arg(long, env = "THALWEG_EXCLUDE_DEPRECATED_FIELDS")]
    exclude_deprecated_fields: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Neo4jApi {
    /// Versions 7
    #[value(name = "7")]
    Seven,
}

impl Neo4jOptions {
    /// The first option that is given, for a dialect that has none of them.
    pub(super) fn given(&self) -> Option<&'static str> {
        let options = [
            (self.types.is_some(), "--types"),
            (self.neo4j_api.is_some(), "--neo4j-api"),
            (self.exclude_deprecated_fields, "--exclude-deprecated-fields"),
        ];
        options.into_iter().find_map(|(given, name)| given.then_some(name))
    }

    pub(super) fn of_dialect(&self) -> Result<Options, Failure> {
        let form = match self.neo4j_api {
            Some(Neo4jApi::Seven) | None => ApiForm::Seven,
        };
        let Some(path) = &self.types else {
            let message = "a graph is served with `--types FILE`: type definitions, as Neo4j's \
                GraphQL library has them";
            return Err(Failure::Usage(message.into()));
        };
        let model = Arc::new(model(path, form)?);
        Ok(Options { model, exclude_deprecated: self.exclude_deprecated_fields })
    }
}

/// What type definitions say.
fn model(path: &Path, form: ApiForm) -> Result<neo4j::model::Model, Failure> {
    let refused =
        |error: String| Failure::Usage(format!("the type definitions {}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    let model = definitions::read(&text, form).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        refused(problems.join("\n"))
    })?;
    match neo4j::seven::unserved(&model) {
        Some(problem) => Err(refused(problem)),
        None => Ok(model),
    }
}
