//! One query of all suites, by the names that a command line has for it.

use super::{Query, Suite};
use crate::race::failure::RaceError;

/// The suite and the query of these names. An error names those that there are.
pub(crate) fn choose<'s>(
    suites: &'s [Suite],
    suite: &str,
    query: &str,
) -> Result<(&'s Suite, &'s Query), RaceError> {
    let unknown = |kind, name: &str, there: Vec<&str>| RaceError::Unknown {
        kind,
        name: name.to_owned(),
        there: there.join(", "),
    };
    let found = suites.iter().find(|one| one.id == suite);
    let found = found.ok_or_else(|| {
        unknown("suite", suite, suites.iter().map(|one| one.id.as_str()).collect())
    })?;
    let own = found.queries.iter().find(|one| one.file.id == query);
    let own = own.ok_or_else(|| {
        unknown("query", query, found.queries.iter().map(|one| one.file.id.as_str()).collect())
    })?;
    Ok((found, own))
}

/// A query that has no floor of a kind.
pub(crate) fn without_floor(kind: &'static str, query: &str) -> RaceError {
    RaceError::Unknown { kind, name: query.to_owned(), there: "others".to_owned() }
}
