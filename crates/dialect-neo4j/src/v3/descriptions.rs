//! Descriptions and reasons for deprecations.

/// Reason of conditions with `_NOT`.
pub(super) const NEGATION: &str = "Negation filters will be deprecated, use the NOT operator to \
     achieve the same behavior";

/// Reason of conditions on the lengths of texts whose names do not end with it.
pub(super) const IMPLICIT_LENGTH: &str =
    "Please use the explicit _LENGTH version for string aggregation.";

/// Reason of conditions on any of several values.
pub(super) const NO_AGGREGATE: &str =
    "Aggregation filters that are not relying on an aggregating function will be deprecated.";

pub(super) const OVERWRITE: &str = "Whether or not to overwrite any matching relationship with the \
     new properties. Will default to `false` in 4.0.0.";

/// The reason of an input that another one replaces.
pub(super) fn use_instead(name: &str) -> String {
    format!("Use `{name}` instead.")
}

/// The description of the argument with the orders of a list.
pub(super) fn sort_option(several: &str, sort: &str) -> String {
    format!(
        "Specify one or more {sort} objects to sort {several} by. The sorts will be applied in the \
         order in which they are arranged in the array."
    )
}

/// Why there is a root field for each full-text index.
pub(super) const FULLTEXT_ARGUMENT: &str = "This argument has been deprecated and will be removed in future versions of the library. \
     Please use the top-level query that corresponds to the index you wish to query instead. More \
     information about the changes to @fulltext can be found here: \
     https://neo4j.com/docs/graphql-manual/current/guides/v4-migration/#_fulltext_changes.";
