//! The directive `@defer(if:, label:)` of incremental delivery.
//!
//! <https://github.com/graphql/graphql-spec/pull/1110>

use crate::schema::{DirectiveDefinition, DirectiveLocation, InputDefinition, Schema, TypeRef};
use crate::value::Const;

/// Names of the directive and of its arguments.
pub(crate) const DEFER: &str = "defer";
pub(crate) const IF: &str = "if";
pub(crate) const LABEL: &str = "label";

impl Schema {
    /// Adds the directive, unless the schema lacks a scalar of its arguments.
    pub fn add_defer(&mut self) {
        let scalar = |name: &str| self.find_type(name).map(TypeRef::named);
        let (Some(boolean), Some(string)) = (scalar("Boolean"), scalar("String")) else { return };
        let condition = InputDefinition {
            description: Some("Whether the fragment may be sent later.".into()),
            default: Some(Box::new(Const::Boolean(true))),
            ..InputDefinition::new(IF, boolean.non_null())
        };
        let label = InputDefinition {
            description: Some("A name for the fragment in the responses.".into()),
            ..InputDefinition::new(LABEL, string)
        };
        let arguments = vec![self.add_input(condition), self.add_input(label)];
        self.directives.push(DirectiveDefinition {
            name: DEFER.into(),
            description: Some(
                "Allows a fragment to be sent after the rest of the response.".into(),
            ),
            arguments,
            locations: vec![DirectiveLocation::FragmentSpread, DirectiveLocation::InlineFragment],
            is_repeatable: false,
        });
    }
}
