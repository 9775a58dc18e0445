//! Composition: the supergraph of the schemas of several subgraphs.
//!
//! Stages, each a pure function: [`Subgraph`] parses one schema and resolves its links and
//! directives; the schemas of Federation 1 are upgraded; each subgraph is validated; the types of all
//! are merged; the merged schema is printed with the directives of the join specification.
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/composition>

mod code;
mod connectors;
mod directives;
mod field_sets;
mod links;
mod merge;
mod parse;
mod roles;
mod schema;
mod specifications;
mod upgrade;
mod validate;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

pub use code::Code;
use rustc_hash::FxHashMap;
use schema::Subgraph;
use specifications::FEDERATION_1;

/// The schema of a subgraph, as its service has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubgraphSchema {
    pub name: String,
    /// URL of the service; it is copied to the supergraph.
    pub url: String,
    /// The schema in the schema definition language.
    pub sdl: String,
}

/// Result of a composition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Composition {
    /// The supergraph in the schema definition language; `None` if there are errors.
    pub supergraph: Option<String>,
    pub errors: Vec<Finding>,
    /// Inconsistencies that do not prevent composition.
    pub hints: Vec<Finding>,
}

/// An error or a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub code: Code,
    pub message: String,
    /// Schema coordinates of the elements, such as `Product.price`.
    /// <https://spec.graphql.org/draft/#sec-Schema-Coordinates>
    pub coordinates: Vec<String>,
    pub locations: Vec<Location>,
    /// A change of the schemas that removes the finding.
    pub remedy: Option<String>,
}

/// A location in the schema of a subgraph.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    pub subgraph: String,
    /// From 1; 0 if the finding is about the whole schema.
    pub line: u32,
    /// From 1; 0 if the finding is about the whole schema.
    pub column: u32,
}

impl Finding {
    /// A finding without coordinates, locations and remedy.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        let (coordinates, locations) = (Vec::new(), Vec::new());
        Self { code, message: message.into(), coordinates, locations, remedy: None }
    }

    pub(crate) fn at(mut self, location: Location) -> Self {
        self.locations.push(location);
        self
    }

    pub(crate) fn on(mut self, coordinate: impl Into<String>) -> Self {
        self.coordinates.push(coordinate.into());
        self
    }

    pub(crate) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        for location in &self.locations {
            write!(f, "\n  {location}")?;
        }
        match &self.remedy {
            Some(remedy) => write!(f, "\n  {remedy}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subgraph, line, column } = self;
        match line {
            0 => f.write_str(subgraph),
            _ => write!(f, "{subgraph}:{line}:{column}"),
        }
    }
}

/// Composes the schemas of subgraphs.
#[must_use]
pub fn compose(subgraphs: &[SubgraphSchema]) -> Composition {
    Composer::default().compose(subgraphs)
}

/// A parsed schema, or the errors of its text.
type Parsed = Result<Subgraph, Vec<Finding>>;

/// Composer that parses only subgraphs that changed since its last composition.
#[derive(Debug, Default)]
pub struct Composer {
    /// By name.
    parsed: FxHashMap<String, (SubgraphSchema, Arc<Parsed>)>,
}

impl Composer {
    /// Composes the schemas of subgraphs. Subgraphs of former compositions that are not among them
    /// are forgotten.
    pub fn compose(&mut self, schemas: &[SubgraphSchema]) -> Composition {
        let mut former = std::mem::take(&mut self.parsed);
        let mut errors = validate::names(schemas);
        let mut all = Vec::new();
        for schema in schemas {
            let parsed = match former.remove(&schema.name) {
                Some((known, parsed)) if known == *schema => parsed,
                _ => Arc::new(parse::parse(schema)),
            };
            all.push(Arc::clone(&parsed));
            self.parsed.insert(schema.name.clone(), (schema.clone(), parsed));
        }
        let mut subgraphs = Vec::new();
        for parsed in &all {
            match &**parsed {
                Ok(subgraph) => subgraphs.push(subgraph),
                Err(found) => errors.extend(found.iter().cloned()),
            }
        }
        if !errors.is_empty() {
            return Composition { errors, ..Composition::default() };
        }
        subgraphs.sort_by(|one, other| one.name.cmp(&other.name));
        let upgraded = upgrade::upgrade(&subgraphs, &mut errors);
        if !errors.is_empty() {
            return Composition { errors, ..Composition::default() };
        }
        let subgraphs: Vec<&Subgraph> = upgraded.iter().map(|subgraph| &**subgraph).collect();
        for subgraph in &subgraphs {
            if subgraph.links.federation == FEDERATION_1 {
                errors.extend(validate::federation(subgraph));
            }
        }
        if !errors.is_empty() {
            return Composition { errors, ..Composition::default() };
        }
        merge::merge(&subgraphs)
    }
}
