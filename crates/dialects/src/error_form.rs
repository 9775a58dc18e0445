//! The form of a dialect's errors: where clients of a system compare more than messages, its errors
//! have that form in every response, over every transport.

use graphql::problem::{InputRules, Located};
use graphql::{ErrorCode, GraphQLError};

use crate::{Dialect, hasura, prisma};

/// What the database says about a row or a value that it refuses.
pub use hasura::errors::Refused;

/// The form of errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorForm {
    /// That of the GraphQL specification, with this project's codes.
    #[default]
    GraphQL,
    /// Hasura's: one error for a response, without data.
    Hasura,
    /// Prisma's: that of the specification, with Prisma's code as a member.
    Prisma,
}

impl Dialect {
    /// The form of the dialect's errors.
    #[must_use]
    pub fn error_form(&self) -> ErrorForm {
        match self {
            Self::Hasura(_) => ErrorForm::Hasura,
            Self::Prisma(_) => ErrorForm::Prisma,
            Self::PostGraphile(_) | Self::Phrag(_) | Self::Neo4j(_) | Self::Dgraph(_) => {
                ErrorForm::GraphQL
            }
        }
    }
}

impl ErrorForm {
    /// What the form refuses beyond the types of a schema; `None` if it does not locate problems.
    #[must_use]
    pub fn input_rules(self) -> Option<InputRules> {
        match self {
            Self::GraphQL | Self::Prisma => None,
            Self::Hasura => Some(hasura::errors::INPUT_RULES),
        }
    }

    /// An error in this form.
    #[must_use]
    pub fn form(self, error: &GraphQLError, located: &Located) -> GraphQLError {
        match self {
            Self::GraphQL => error.clone(),
            Self::Hasura => hasura::errors::form(error, located),
            Self::Prisma => prisma::errors::form(error),
        }
    }

    /// The code and the text of a row or value that the database refuses, where the form has its own.
    #[must_use]
    pub fn refused_by_database(self, refused: Refused<'_>) -> Option<(&'static str, String)> {
        match self {
            Self::GraphQL => None,
            Self::Hasura => hasura::errors::refused_by_database(refused),
            Self::Prisma => {
                let Refused { code, table, column, .. } = refused;
                let text = prisma::errors::refused_by_database(code, table, column)?;
                Some((code.as_str(), text))
            }
        }
    }

    /// The text of a change that a permission refuses, where the form has its own.
    #[must_use]
    pub fn refused_by_permission(self) -> Option<&'static str> {
        match self {
            Self::GraphQL | Self::Prisma => None,
            Self::Hasura => Some("check constraint of an insert/update permission has failed"),
        }
    }

    /// The code and the text of an error that a function of the database raises, where clients do not
    /// see its message as that of the error.
    #[must_use]
    pub fn raised(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::GraphQL | Self::Prisma => None,
            Self::Hasura => Some(("unexpected", "database query error")),
        }
    }

    /// The error that stands for all of a response, if the form has only one.
    #[must_use]
    pub fn only(self, errors: &[GraphQLError]) -> Option<&GraphQLError> {
        match self {
            Self::GraphQL | Self::Prisma => None,
            // Others are rolled back because of the first one.
            Self::Hasura => errors
                .iter()
                .find(|error| error.code != ErrorCode::TransactionAborted)
                .or_else(|| errors.first()),
        }
    }
}
