//! Input object field uniqueness, a rule that the library's validation lacks.
//!
//! <https://spec.graphql.org/draft/#sec-Input-Object-Field-Uniqueness>

use std::collections::HashMap;

use apollo_compiler::{Name, Node, ast};

use super::positions::Positions;
use crate::error::{ErrorCode, GraphQLError};

/// Adds an error for every duplicate field in an object literal of the document.
pub(super) fn check_unique_input_fields(
    document: &ast::Document,
    positions: &Positions,
    errors: &mut Vec<GraphQLError>,
) {
    let mut rule = Rule { positions, errors };
    for definition in &document.definitions {
        match definition {
            ast::Definition::OperationDefinition(operation) => {
                for variable in &operation.variables {
                    rule.directives(&variable.directives);
                    if let Some(default) = &variable.default_value {
                        rule.value(default);
                    }
                }
                rule.directives(&operation.directives);
                rule.selections(&operation.selection_set);
            }
            ast::Definition::FragmentDefinition(fragment) => {
                rule.directives(&fragment.directives);
                rule.selections(&fragment.selection_set);
            }
            // Validation rejects definitions of types.
            _ => {}
        }
    }
}

/// Recursion is bounded by the parser's limit: spreads are not followed.
struct Rule<'r> {
    positions: &'r Positions,
    errors: &'r mut Vec<GraphQLError>,
}

impl Rule<'_> {
    fn selections(&mut self, selections: &[ast::Selection]) {
        for selection in selections {
            match selection {
                ast::Selection::Field(field) => {
                    self.arguments(&field.arguments);
                    self.directives(&field.directives);
                    self.selections(&field.selection_set);
                }
                ast::Selection::InlineFragment(fragment) => {
                    self.directives(&fragment.directives);
                    self.selections(&fragment.selection_set);
                }
                ast::Selection::FragmentSpread(spread) => self.directives(&spread.directives),
            }
        }
    }

    fn directives(&mut self, directives: &ast::DirectiveList) {
        for directive in directives.iter() {
            self.arguments(&directive.arguments);
        }
    }

    fn arguments(&mut self, arguments: &[Node<ast::Argument>]) {
        for argument in arguments {
            self.value(&argument.value);
        }
    }

    fn value(&mut self, value: &ast::Value) {
        match value {
            ast::Value::List(items) => {
                for item in items {
                    self.value(item);
                }
            }
            ast::Value::Object(fields) => {
                let mut seen: HashMap<&str, &Name> = HashMap::with_capacity(fields.len());
                for (name, value) in fields {
                    if let Some(first) = seen.get(name.as_str()) {
                        let message =
                            format!("There can be only one input field named \"{name}\".");
                        self.errors.push(
                            GraphQLError::new(ErrorCode::ValidationFailed, message)
                                .at(self.positions.location(first.location()))
                                .at(self.positions.location(name.location())),
                        );
                    } else {
                        seen.insert(name, name);
                    }
                    self.value(value);
                }
            }
            ast::Value::Null
            | ast::Value::Enum(_)
            | ast::Value::Variable(_)
            | ast::Value::String(_)
            | ast::Value::Float(_)
            | ast::Value::Int(_)
            | ast::Value::Boolean(_) => {}
        }
    }
}
