//! Rules of `@defer`, which the library's validation lacks: labels are unique literals, and root
//! fields of mutations and fields of subscriptions are not deferred.
//!
//! <https://github.com/graphql/graphql-spec/pull/1110>

use std::collections::{HashMap, HashSet};

use apollo_compiler::ast::{self, OperationType};
use apollo_compiler::{Node, parser::SourceSpan};

use super::positions::Positions;
use crate::defer::{DEFER, IF, LABEL};
use crate::error::{ErrorCode, GraphQLError};

/// Adds an error for every violation in a document.
pub(super) fn check_defer(
    document: &ast::Document,
    positions: &Positions,
    errors: &mut Vec<GraphQLError>,
) {
    let mut fragments = HashMap::new();
    for definition in &document.definitions {
        if let ast::Definition::FragmentDefinition(fragment) = definition {
            fragments.insert(fragment.name.as_str(), &fragment.selection_set);
        }
    }
    let mut rules = Rules { positions, fragments, labels: HashMap::new(), errors };
    for definition in &document.definitions {
        match definition {
            ast::Definition::OperationDefinition(operation) => {
                rules.labels(&operation.selection_set);
                let depth = match operation.operation_type {
                    OperationType::Query => continue,
                    OperationType::Mutation => Depth::Root,
                    OperationType::Subscription => Depth::All,
                };
                rules.refuse(&operation.selection_set, depth, &mut HashSet::new());
            }
            ast::Definition::FragmentDefinition(fragment) => rules.labels(&fragment.selection_set),
            // Validation rejects definitions of types.
            _ => {}
        }
    }
}

/// Selections of an operation that must not be deferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    /// Those of the root type of a mutation.
    Root,
    /// All selections of a subscription.
    All,
}

struct Rules<'d> {
    positions: &'d Positions,
    fragments: HashMap<&'d str, &'d Vec<ast::Selection>>,
    /// Locations of the labels.
    labels: HashMap<&'d str, Option<SourceSpan>>,
    errors: &'d mut Vec<GraphQLError>,
}

impl<'d> Rules<'d> {
    /// Checks the labels of a selection set. Recursion is bounded by the parser's limit: spreads are
    /// not followed.
    fn labels(&mut self, selections: &'d [ast::Selection]) {
        for selection in selections {
            match selection {
                ast::Selection::Field(field) => self.labels(&field.selection_set),
                ast::Selection::InlineFragment(fragment) => {
                    self.label(&fragment.directives);
                    self.labels(&fragment.selection_set);
                }
                ast::Selection::FragmentSpread(spread) => self.label(&spread.directives),
            }
        }
    }

    fn label(&mut self, directives: &'d ast::DirectiveList) {
        let Some(defer) = directives.get(DEFER) else { return };
        let Some(label) = defer.specified_argument_by_name(LABEL) else { return };
        match &**label {
            ast::Value::String(text) => {
                if let Some(first) = self.labels.insert(text, label.location()) {
                    let message = "Value for arguments 'label' must be unique across all Defer/Stream directive usages.";
                    self.fail(message, &[first, label.location()]);
                }
            }
            ast::Value::Variable(_) => {
                let message = "Argument \"label\" on directive \"defer\" must be a static string.";
                self.fail(message, &[label.location()]);
            }
            // A null is no label; validation rejects other values.
            _ => {}
        }
    }

    /// Refuses deferred fragments. Recursion is bounded: fragments are visited once.
    fn refuse(
        &mut self,
        selections: &'d [ast::Selection],
        depth: Depth,
        visited: &mut HashSet<&'d str>,
    ) {
        for selection in selections {
            match selection {
                ast::Selection::Field(field) if depth == Depth::All => {
                    self.refuse(&field.selection_set, depth, visited);
                }
                ast::Selection::Field(_) => {}
                ast::Selection::InlineFragment(fragment) => {
                    self.refuse_defer(&fragment.directives, depth);
                    self.refuse(&fragment.selection_set, depth, visited);
                }
                ast::Selection::FragmentSpread(spread) => {
                    self.refuse_defer(&spread.directives, depth);
                    let name = spread.fragment_name.as_str();
                    if let Some(fragment) = self.fragments.get(name).copied()
                        && visited.insert(name)
                    {
                        self.refuse(fragment, depth, visited);
                    }
                }
            }
        }
    }

    fn refuse_defer(&mut self, directives: &'d ast::DirectiveList, depth: Depth) {
        let Some(defer) = directives.get(DEFER) else { return };
        let message = match depth {
            Depth::Root => "Defer directive cannot be used on the root type of a mutation.",
            Depth::All if may_be_false(defer) => return,
            Depth::All => {
                "Defer directive not supported on subscription operations. \
                 Disable `@defer` by setting the `if` argument to `false`."
            }
        };
        self.fail(message, &[defer.location()]);
    }

    fn fail(&mut self, message: &str, at: &[Option<SourceSpan>]) {
        let error = GraphQLError::new(ErrorCode::ValidationFailed, message);
        let locations = at.iter().map(|at| self.positions.location(*at));
        self.errors.push(locations.fold(error, GraphQLError::at));
    }
}

/// Whether the condition is false, or a variable.
fn may_be_false(defer: &Node<ast::Directive>) -> bool {
    let condition = defer.specified_argument_by_name(IF).map(|value| &**value);
    matches!(condition, Some(ast::Value::Boolean(false) | ast::Value::Variable(_)))
}

#[cfg(test)]
mod tests {
    use crate::test_schema::test_schema;
    use crate::{DocumentLimits, Validator};

    /// Checks the messages of a document, with their locations.
    fn check(text: &str, expected: &[&str]) {
        let mut schema = test_schema();
        schema.add_defer();
        let checked = Validator::new(&schema).check(&schema, text, &DocumentLimits::default());
        let messages = checked.err().into_iter().flatten().map(|error| {
            let at = error.locations.iter().map(|at| format!(" {}:{}", at.line, at.column));
            error.message + &at.collect::<String>()
        });
        assert_eq!(messages.collect::<Vec<_>>(), expected, "{text}");
    }

    const TWICE: &str =
        "Value for arguments 'label' must be unique across all Defer/Stream directive usages.";

    #[test]
    fn labels_are_unique_literals() {
        check("{ ... @defer { __typename } ... @defer(label: null) { __typename } }", &[]);
        check(
            "{ ... @defer(label: \"a\") { __typename } ...F @defer(label: \"b\") } fragment F on Query { __typename }",
            &[],
        );
        check(
            "{ ...F @defer(label: \"a\") } fragment F on Query { ... @defer(label: \"a\") { __typename } }",
            &[&format!("{TWICE} 1:22 1:75")],
        );
        check(
            "query ($a: String) { ... @defer(label: $a) { __typename } }",
            &["Argument \"label\" on directive \"defer\" must be a static string. 1:40"],
        );
    }

    #[test]
    fn root_fields_of_mutations_are_not_deferred() {
        check(
            "mutation { ...F } fragment F on Mutation { ... @defer(if: false) { __typename } }",
            &["Defer directive cannot be used on the root type of a mutation. 1:48"],
        );
    }

    #[test]
    fn a_condition_may_have_a_nullable_variable() {
        check("query ($a: Boolean) { ... @defer(if: $a) { __typename } }", &[]);
        check(
            "{ ... @defer(if: 1) { __typename } }",
            &["Boolean cannot represent a non boolean value: 1 1:18"],
        );
    }
}
