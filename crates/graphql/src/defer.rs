//! The directive `@defer(if:, label:)` of incremental delivery.
//!
//! <https://github.com/graphql/graphql-spec/pull/1110>
//!
//! [`split`] splits an operation at its deferred fragments.

pub mod split;

use crate::schema::{DirectiveDefinition, DirectiveLocation, InputDefinition, Schema, TypeRef};
use crate::value::Const;

/// Names of the directive and of its arguments.
pub(crate) const DEFER: &str = "defer";
pub(crate) const IF: &str = "if";
pub(crate) const LABEL: &str = "label";

/// The directive with its arguments; `None` if a schema lacks a scalar of these.
#[must_use]
pub fn definition(schema: &Schema) -> Option<(DirectiveDefinition, Vec<InputDefinition>)> {
    let scalar = |name: &str| schema.find_type(name).map(TypeRef::named);
    let condition = InputDefinition {
        description: Some("Whether the fragment may be sent later.".into()),
        default: Some(Box::new(Const::Boolean(true))),
        ..InputDefinition::new(IF, scalar("Boolean")?.non_null())
    };
    let label = InputDefinition {
        description: Some("A name for the fragment in the responses.".into()),
        ..InputDefinition::new(LABEL, scalar("String")?)
    };
    let directive = DirectiveDefinition {
        name: DEFER.into(),
        description: Some("Allows a fragment to be sent after the rest of the response.".into()),
        arguments: Vec::new(),
        locations: vec![DirectiveLocation::FragmentSpread, DirectiveLocation::InlineFragment],
        is_repeatable: false,
    };
    Some((directive, vec![condition, label]))
}

impl Schema {
    /// Adds the directive, unless the schema lacks a scalar of its arguments.
    pub fn add_defer(&mut self) {
        if let Some((directive, arguments)) = definition(self) {
            let arguments = arguments.into_iter().map(|argument| self.add_input(argument));
            let arguments = arguments.collect();
            self.directives.push(DirectiveDefinition { arguments, ..directive });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::test_schema::test_schema;
    use crate::{DocumentLimits, Validator};

    /// Checks the messages of a document. The rules are those of the library.
    fn check(text: &str, expected: &[&str]) {
        let mut schema = test_schema();
        schema.add_defer();
        let checked = Validator::new(&schema).check(&schema, text, &DocumentLimits::default());
        let messages = checked.err().into_iter().flatten().map(|error| error.message);
        assert_eq!(messages.collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn labels_are_unique_literals() {
        check("{ ... @defer { __typename } ... @defer(label: \"a\") { __typename } }", &[]);
        check(
            "{ ... @defer(label: \"a\") { __typename } ... @defer(label: \"a\") { __typename } }",
            &[
                "Value for arguments \"defer(label:)\" and \"stream(label:)\" must be unique across all \
               Defer/Stream directive usages.",
            ],
        );
        check(
            "query ($a: String) { ... @defer(label: $a) { __typename } }",
            &["Argument \"@defer(label:)\" must be a static string."],
        );
    }

    #[test]
    fn root_fields_of_mutations_are_not_deferred() {
        check(
            "mutation { ...F } fragment F on Mutation { ... @defer { __typename } }",
            &["Defer directive cannot be used on root mutation type."],
        );
    }

    #[test]
    fn a_condition_may_have_a_nullable_variable() {
        check("query ($a: Boolean) { ... @defer(if: $a) { __typename } }", &[]);
    }
}
