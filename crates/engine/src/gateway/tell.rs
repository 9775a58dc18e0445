//! What clients are told of what went wrong at subgraphs.

use gateway::execute::{AskError, ErrorKind, ExecutionError, Step};
use graphql::{ErrorCode, GraphQLError, PathSegment};

use super::Gateway;
use crate::respond::error_id;

/// What clients are told of the errors of subgraphs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SubgraphErrors {
    /// That there was one; the log has the rest, under an id that the error names.
    #[default]
    Hidden,
    /// Its message and which subgraph told it, too.
    Shown,
}

/// What is said instead of a subgraph's own words.
const HIDDEN: &str = "A part of the answer could not be had.";

impl Gateway {
    /// An error as the response carries it.
    pub(super) fn tell(&self, error: ExecutionError) -> GraphQLError {
        let ExecutionError { kind, path } = error;
        let path = path.into_iter().map(|step| match step {
            Step::Key(key) => PathSegment::Field(key),
            Step::Index(index) => PathSegment::Index(index),
        });
        let path: Vec<_> = path.collect();
        let (code, subgraph, message) = match kind {
            ErrorKind::Subgraph { subgraph, message } => {
                (ErrorCode::SubgraphError, subgraph, message)
            }
            ErrorKind::NotAnswered { subgraph, why } => {
                (not_answered(&why), subgraph, why.to_string().into())
            }
            ErrorKind::Invalid { subgraph, why } => {
                (ErrorCode::SubgraphResponseInvalid, subgraph, why)
            }
            ErrorKind::Denied { parent, field, location } => {
                let parent = &self.supergraph.schema[parent].name;
                let message = format!("Not authorized for `{parent}.{field}`.");
                let error = GraphQLError::new(ErrorCode::UnauthorizedFieldOrType, message);
                return error.at(location).with_path(path);
            }
            ErrorKind::Null { field, .. } => {
                let message = format!(
                    "No subgraph has a value of `{field}` here, and the schema promises one."
                );
                return GraphQLError::new(ErrorCode::InvalidValue, message).with_path(path);
            }
            ErrorKind::Value { field } => {
                let message = format!("The value of `{field}` is none of its type.");
                return GraphQLError::new(ErrorCode::InvalidValue, message).with_path(path);
            }
        };
        let name = &self.supergraph.subgraph(subgraph).name;
        let id = error_id();
        tracing::warn!(
            error_id = %id,
            subgraph = &**name,
            code = code.as_str(),
            error = &*message,
            "an error of a subgraph"
        );
        let error = match self.options.errors {
            SubgraphErrors::Hidden => GraphQLError::new(code, HIDDEN),
            SubgraphErrors::Shown => {
                GraphQLError::new(code, &*message).with_extension("subgraph", name)
            }
        };
        error.with_extension("errorId", &id).with_path(path)
    }
}

fn not_answered(why: &AskError) -> ErrorCode {
    match why {
        AskError::Unavailable => ErrorCode::SubgraphUnavailable,
        AskError::Timeout => ErrorCode::SubgraphTimeout,
        AskError::TooLarge { .. } => ErrorCode::SubgraphResponseInvalid,
    }
}
