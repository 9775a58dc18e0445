//! Connectors of a subgraph's definitions, and what is wrong with them.
//!
//! * `arguments`, `urls`, `headers`: arguments of the directives
//! * `source`, `connect`: the directives
//! * `variables`: whether there is what expressions read
//! * `selection`: whether selections fit the types, and the fields that they resolve
//! * `entity`, `coverage`: whether entities and all fields are resolved

use std::sync::Arc;

use crate::code::Code;
use crate::connector::{Connector, Source};
use crate::definitions::Definitions;
use crate::location::Location;

mod arguments;
mod connect;
mod coverage;
mod entity;
mod headers;
mod selection;
mod source;
#[cfg(test)]
mod tests;
mod urls;
mod variables;

/// The connectors of a subgraph.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// In the order of the definitions; those with errors are left out.
    pub connectors: Vec<Connector>,
    /// The fields that each of the connectors resolves, by the same index.
    pub resolved: Vec<Vec<FieldCoordinate>>,
    pub findings: Vec<Finding>,
}

/// A field of a type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldCoordinate {
    pub type_name: Box<str>,
    pub field: Box<str>,
}

/// What is wrong with connectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub code: Code,
    pub message: String,
    /// Where it is in the schema: a directive, field or type.
    pub place: Location,
    /// Whether there are no connectors with it.
    pub is_error: bool,
}

/// Reads and checks the connectors of a subgraph.
#[must_use]
pub fn read(definitions: &Definitions) -> Reading {
    let mut reader = Reader { definitions, sources: Vec::new(), reading: Reading::default() };
    reader.unsupported();
    reader.sources();
    reader.connectors();
    reader.check_entities();
    reader.check_coverage();
    reader.reading
}

struct Reader<'d> {
    definitions: &'d Definitions,
    sources: Vec<Arc<Source>>,
    reading: Reading,
}

impl Reader<'_> {
    fn error(&mut self, code: Code, place: Location, message: impl Into<String>) {
        let message = message.into();
        self.reading.findings.push(Finding { code, message, place, is_error: true });
    }

    fn unsupported(&mut self) {
        for (name, place) in &self.definitions.unsupported {
            let message =
                format!("`{name}` is not supported in a subgraph with connectors: remove it");
            self.error(Code::ConnectorsUnsupportedFederationDirective, *place, message);
        }
        if let Some(subscription) = &self.definitions.subscription
            && let Some(definition) = self.definitions.find(subscription)
            && !definition.fields().is_empty()
        {
            let message = format!(
                "the subgraph has connectors, and `{subscription}` has fields: connectors do not \
                 resolve subscriptions, so define these in another subgraph"
            );
            self.error(Code::SubscriptionInConnectors, definition.place, message);
        }
    }
}
