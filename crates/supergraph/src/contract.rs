//! Contracts: a supergraph whose API is filtered by tags, for a group of clients.
//!
//! The rules are those of the published documentation of Apollo's contracts. Elements that the
//! filter leaves out become `@inaccessible`: subgraphs still resolve them, for keys and
//! requirements, and clients do not see them. In the order of the work:
//!
//! * `elements`: the supergraph and which of its elements are hidden
//! * `filter`: hides elements by tags
//! * `reach`: hides types that no operation reaches
//! * `validate`: rules of the API schema
//! * `write`: adds the directives

mod elements;
mod filter;
mod reach;
mod validate;
mod write;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use graphql::{parse_definitions, print_definitions};

use crate::composed::{self, Problem};
use crate::coordinate::Coordinate;
use elements::Elements;

/// The tags of a contract, and whether unreachable types are hidden.
///
/// Without included tags, everything is included that has no excluded tag. With included tags, a
/// field of an object or interface, and a union, is included only if it has one of them. The tags
/// of a type are also tags of its fields and values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    pub include: Vec<Arc<str>>,
    pub exclude: Vec<Arc<str>>,
    /// Hides the types that no operation reaches any more.
    pub hide_unreachable: bool,
}

/// A filtered supergraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// SDL of the supergraph.
    pub supergraph: String,
    /// Elements that the filter has hidden, in the order of the document.
    pub hidden: Vec<Coordinate>,
    /// Tags of the filter that no element has.
    pub unknown_tags: Vec<Arc<str>>,
    /// All tags of the supergraph, sorted.
    pub tags: Vec<Arc<str>>,
}

/// The reason why a supergraph cannot be filtered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContractError {
    /// The document is no supergraph.
    Supergraph(Vec<Problem>),
    /// The filtered API is invalid.
    Invalid(Vec<Violation>),
}

/// A rule of `@inaccessible` that the filtered supergraph breaks.
/// <https://specs.apollo.dev/inaccessible/v0.2/>
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub code: ViolationCode,
    pub coordinate: Coordinate,
    /// With the remedy.
    pub message: String,
    /// From 1, as the column.
    pub line: usize,
    pub column: usize,
}

/// The published code of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ViolationCode {
    QueryRootTypeInaccessible,
    OnlyInaccessibleChildren,
    ReferencedInaccessible,
    RequiredInaccessible,
    ImplementedByInaccessible,
    DefaultValueUsesInaccessible,
}

impl ViolationCode {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::QueryRootTypeInaccessible => "QUERY_ROOT_TYPE_INACCESSIBLE",
            Self::OnlyInaccessibleChildren => "ONLY_INACCESSIBLE_CHILDREN",
            Self::ReferencedInaccessible => "REFERENCED_INACCESSIBLE",
            Self::RequiredInaccessible => "REQUIRED_INACCESSIBLE",
            Self::ImplementedByInaccessible => "IMPLEMENTED_BY_INACCESSIBLE",
            Self::DefaultValueUsesInaccessible => "DEFAULT_VALUE_USES_INACCESSIBLE",
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.code.as_str(), self.message)
    }
}

/// Filters a supergraph, or returns all reasons why the result would be invalid.
pub fn filter(supergraph: &str, filter: &Filter) -> Result<Contract, ContractError> {
    composed::read(supergraph).map_err(ContractError::Supergraph)?;
    let definitions = parse_definitions(supergraph).map_err(|errors| {
        let problems = errors.into_iter().map(|error| Problem {
            line: error.locations.first().map(|at| at.line as usize),
            message: error.message,
        });
        ContractError::Supergraph(problems.collect())
    })?;
    let mut problems = Vec::new();
    let mut elements = Elements::new(definitions, &mut problems);
    if !problems.is_empty() {
        return Err(ContractError::Supergraph(problems));
    }
    let tags = filter::hide_by_tags(&mut elements, filter);
    if filter.hide_unreachable {
        reach::hide_unreachable(&mut elements);
    }
    let violations = validate::validate(&elements);
    if !violations.is_empty() {
        return Err(ContractError::Invalid(violations));
    }
    let given = filter.include.iter().chain(&filter.exclude);
    let mut unknown_tags: Vec<_> =
        given.filter(|tag| !tags.contains(*tag)).map(Arc::clone).collect();
    unknown_tags.sort_unstable();
    unknown_tags.dedup();
    let mut tags: Vec<_> = tags.into_iter().collect();
    tags.sort_unstable();
    let (definitions, hidden) = write::write(elements);
    Ok(Contract { supergraph: print_definitions(&definitions), hidden, unknown_tags, tags })
}
