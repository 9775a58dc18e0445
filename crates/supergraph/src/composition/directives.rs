//! Directives of the supergraph that composition writes.

use std::sync::Arc;

use graphql::definitions::{Directive, DirectiveArgument, Literal};

/// Builder of an applied directive.
#[derive(Debug)]
pub(crate) struct Written(Directive);

impl Written {
    pub(crate) fn new(name: impl Into<Arc<str>>) -> Self {
        Self(Directive { name: name.into(), line: 0, column: 0, arguments: Vec::new() })
    }

    pub(crate) fn with(mut self, name: &str, value: Literal) -> Self {
        self.0.arguments.push(DirectiveArgument {
            name: name.into(),
            line: 0,
            column: 0,
            value,
            strings: Vec::new(),
        });
        self
    }

    pub(crate) fn text(self, name: &str, value: impl Into<Arc<str>>) -> Self {
        self.with(name, Literal::String(value.into()))
    }

    pub(crate) fn symbol(self, name: &str, value: &Arc<str>) -> Self {
        self.with(name, Literal::Enum(value.clone()))
    }

    pub(crate) fn done(self) -> Directive {
        self.0
    }
}
