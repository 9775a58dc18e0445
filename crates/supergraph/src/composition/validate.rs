//! Validation of a subgraph by itself: the rules of GraphQL and those of Federation.
//!
//! [`links`] and [`written`] read the definitions as written; the other rules of GraphQL
//! ([`references`], [`members`], [`interfaces`], [`inputs`], [`directives`]) and of Federation
//! ([`field_sets`], [`external`], [`shareable`], [`interface_keys`], [`contexts`], [`costs`],
//! [`authorization`]) the schema of the subgraph. Each rule adds its findings, and none stops the
//! others.

mod authorization;
mod context_selections;
mod contexts;
mod costs;
mod definitions;
mod directives;
mod external;
mod field_sets;
mod inputs;
mod interface_keys;
mod interfaces;
mod links;
mod literals;
mod members;
mod references;
mod selections;
mod shareable;
mod specified;
mod written;

use graphql::BUILT_IN_SCALARS;
use graphql::definitions::{Definitions, TypeExpression};

use super::schema::{At, Subgraph, Type};
use super::{Code, Finding, SubgraphSchema};

/// The findings of a subgraph.
#[derive(Debug)]
struct Report<'s> {
    subgraph: &'s Subgraph,
    findings: Vec<Finding>,
}

/// The type that a name refers to.
#[derive(Clone, Copy, Debug)]
enum Reference<'s> {
    /// A scalar of GraphQL, or a type of a linked specification.
    Scalar,
    Type(&'s Type),
    Unknown,
}

/// Validates the name of a subgraph, which must differ from the names of others.
pub(crate) fn names(schemas: &[SubgraphSchema]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, schema) in schemas.iter().enumerate() {
        let message = if schema.name == "_" {
            "A subgraph is called `_`, which is reserved.".to_owned()
        } else if schemas[..index].iter().any(|other| other.name == schema.name) {
            format!("Two subgraphs are called \"{}\".", schema.name)
        } else {
            continue;
        };
        let finding = Finding::new(Code::InvalidSubgraphName, message);
        findings.push(finding.remedy("Give the subgraph another name."));
    }
    findings
}

/// Validates the links of a subgraph, without which nothing else can be read.
pub(crate) fn links(subgraph: &Subgraph) -> Vec<Finding> {
    let mut report = Report { subgraph, findings: Vec::new() };
    links::check(&mut report);
    report.findings
}

/// Validates the rules of GraphQL.
pub(crate) fn graphql(subgraph: &Subgraph, written: &Definitions) -> Vec<Finding> {
    let mut report = Report { subgraph, findings: Vec::new() };
    let mut specified = specified::definitions(&subgraph.links);
    definitions::check(&mut report, written, &mut specified);
    written::check(&mut report, written);
    references::check(&mut report);
    members::check(&mut report);
    interfaces::check(&mut report);
    inputs::check(&mut report);
    directives::check(&mut report, &specified);
    report.findings
}

/// Validates the rules of Federation, after the upgrade of a schema of Federation 1.
pub(crate) fn federation(subgraph: &Subgraph) -> Vec<Finding> {
    let mut report = Report { subgraph, findings: Vec::new() };
    field_sets::check(&mut report);
    external::check(&mut report);
    shareable::check(&mut report);
    interface_keys::check(&mut report);
    contexts::check(&mut report);
    costs::check(&mut report);
    authorization::check(&mut report);
    report.findings
}

impl<'s> Report<'s> {
    /// Adds a finding; `message` is a clause about the subgraph.
    fn add(&mut self, code: Code, coordinate: &str, at: At, message: &str, remedy: &str) {
        let message = format!("Subgraph \"{}\": {message}", self.subgraph.name);
        let location = self.subgraph.location(at);
        let finding = Finding::new(code, message).on(coordinate).at(location).remedy(remedy);
        self.findings.push(finding);
    }

    /// Adds a second location to the last finding.
    fn also_at(&mut self, at: At) {
        let location = self.subgraph.location(at);
        if let Some(finding) = self.findings.last_mut()
            && !finding.locations.contains(&location)
        {
            finding.locations.push(location);
        }
    }

    fn invalid(&mut self, coordinate: &str, at: At, message: &str, remedy: &str) {
        self.add(Code::InvalidGraphql, coordinate, at, message, remedy);
    }

    fn reference(&self, name: &str) -> Reference<'s> {
        match self.subgraph.find_type(name) {
            Some(r#type) => Reference::Type(r#type),
            None if BUILT_IN_SCALARS.contains(&name) => Reference::Scalar,
            None if self.subgraph.links.is_specification_type(name) => Reference::Scalar,
            None => Reference::Unknown,
        }
    }
}

/// Returns the item type of a list.
fn item(r#type: &TypeExpression) -> Option<&TypeExpression> {
    match r#type {
        TypeExpression::List { of, .. } => Some(of),
        TypeExpression::Named { .. } => None,
    }
}
