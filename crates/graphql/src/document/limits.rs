//! Limits of documents, and the errors for exceeding them.

use crate::error::{ErrorCode, GraphQLError};

/// Limits of a document's size and complexity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentLimits {
    /// Tokens, with white space and comments as the parser counts them.
    pub tokens: usize,
    /// Nesting of any syntax: selection sets, with fragments expanded, list and object values, list
    /// types.
    pub recursion: usize,
    /// Depth of fields.
    pub depth: usize,
    /// Aliased fields: as written in the document, and of an operation with its fragments expanded.
    pub aliases: usize,
    /// Fields of an operation's root type, fragments expanded.
    pub root_fields: usize,
    /// Fields of an operation, fragments expanded and counted too.
    pub fields: usize,
    /// Directives of the document.
    pub directives: usize,
    /// Directives at one field, fragment, operation or variable.
    pub directives_per_place: usize,
    /// Definitions of fragments, their spreads, and inline fragments, together.
    pub fragments: usize,
    /// Variables of one operation.
    pub variables: usize,
    /// Operations of the document.
    pub operations: usize,
}

impl Default for DocumentLimits {
    fn default() -> Self {
        // The recursion limit keeps validation within a thread's two megabytes of stack, with
        // much to spare; introspection queries, the deepest known, need fewer than twenty levels.
        Self {
            tokens: 10_000,
            recursion: 100,
            depth: 64,
            aliases: 250,
            root_fields: 100,
            fields: 20_000,
            directives: 250,
            directives_per_place: 8,
            fragments: 1_000,
            variables: 250,
            operations: 100,
        }
    }
}

/// An exceeded limit of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    Aliases,
    RootFields,
    Fields,
    Directives,
    DirectivesPerPlace,
    Fragments,
    Variables,
    Operations,
}

impl DocumentLimits {
    /// Returns an error if `found` exceeds the limit.
    pub(super) fn check(&self, limit: Limit, found: usize) -> Result<(), GraphQLError> {
        let (most, code, what, option) = match limit {
            Limit::Aliases => (self.aliases, ErrorCode::TooManyAliases, "aliases", "aliases"),
            Limit::RootFields => {
                (self.root_fields, ErrorCode::TooManyRootFields, "root fields", "root-fields")
            }
            Limit::Fields => (self.fields, ErrorCode::QueryTooComplex, "fields", "fields"),
            Limit::Directives => {
                (self.directives, ErrorCode::TooManyDirectives, "directives", "directives")
            }
            Limit::DirectivesPerPlace => (
                self.directives_per_place,
                ErrorCode::TooManyDirectives,
                "directives at one place",
                "directives-per-place",
            ),
            Limit::Fragments => (
                self.fragments,
                ErrorCode::TooManyFragments,
                "fragments, definitions and spreads counted",
                "fragments",
            ),
            Limit::Variables => {
                (self.variables, ErrorCode::TooManyVariables, "variables", "variables")
            }
            Limit::Operations => {
                (self.operations, ErrorCode::TooManyOperations, "operations", "operations")
            }
        };
        if found <= most {
            return Ok(());
        }
        let whole = match limit {
            Limit::RootFields | Limit::Fields | Limit::Variables => "operation",
            Limit::Aliases
            | Limit::Directives
            | Limit::DirectivesPerPlace
            | Limit::Fragments
            | Limit::Operations => "document",
        };
        // Counting stops at the limit of fields, so that there may be more.
        let found = match limit {
            Limit::Fields => format!("more than {most}"),
            Limit::Aliases
            | Limit::RootFields
            | Limit::Directives
            | Limit::DirectivesPerPlace
            | Limit::Fragments
            | Limit::Variables
            | Limit::Operations => found.to_string(),
        };
        Err(GraphQLError::new(
            code,
            format!("The {whole} has {found} {what}; {most} are allowed (--max-{option})."),
        ))
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod worst;
