//! Documents that a server allows beyond the specification.

use apollo_compiler::validation::{DiagnosticList, Valid};
use apollo_compiler::{Node, Schema as LibrarySchema, ast};

use crate::leniency::Leniency;

/// Names of the library's errors.
const UNUSED: [&str; 2] = ["UnusedVariable", "UnusedFragment"];
const USAGE: &str = "DisallowedVariableUsage";

impl Leniency {
    /// True if all errors of a document are about rules that are left out.
    pub(super) fn allows(
        self,
        errors: &DiagnosticList,
        document: &ast::Document,
        library: &Valid<LibrarySchema>,
    ) -> bool {
        let is_usage = |name| self.nullable_items && name == USAGE;
        let mut names = errors.iter().map(|error| error.error.unstable_error_name());
        let is_allowed =
            names.all(|name| name.is_some_and(|name| self.is_allowed(name) || is_usage(name)));
        let mut names = errors.iter().filter_map(|error| error.error.unstable_error_name());
        is_allowed && (!names.any(is_usage) || self.allows_usages(document, library))
    }

    fn is_allowed(self, name: &str) -> bool {
        self.unused && UNUSED.contains(&name)
    }

    /// True if all usages are allowed as soon as no list has nullable items.
    fn allows_usages(self, document: &ast::Document, library: &Valid<LibrarySchema>) -> bool {
        let mut document = document.clone();
        for definition in &mut document.definitions {
            let ast::Definition::OperationDefinition(operation) = definition else { continue };
            for variable in &mut operation.make_mut().variables {
                let variable = variable.make_mut();
                variable.ty = Node::new(with_non_null_items((*variable.ty).clone()));
            }
        }
        let Ok(document) = document.to_executable(library) else { return false };
        match document.validate(library) {
            Ok(_) => true,
            Err(invalid) => invalid.errors.iter().all(|error| {
                error.error.unstable_error_name().is_some_and(|name| self.is_allowed(name))
            }),
        }
    }
}

fn with_non_null_items(r#type: ast::Type) -> ast::Type {
    let items = |item: Box<ast::Type>| Box::new(with_non_null_items(*item).non_null());
    match r#type {
        ast::Type::List(item) => ast::Type::List(items(item)),
        ast::Type::NonNullList(item) => ast::Type::NonNullList(items(item)),
        named => named,
    }
}
