//! Definitions of the directives of Federation and of GraphQL, as subgraphs may apply them.
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/directives>

use std::sync::LazyLock;

use graphql::definitions::DirectiveDefinition;
use graphql::parse_definitions;
use rustc_hash::FxHashMap;

use crate::composition::links::Links;
use crate::composition::specifications::{
    BUILT_IN, Directive, FEDERATION, FEDERATION_1, Meaning, UPGRADED_FEDERATION, Version,
};

/// Definitions by the meanings of the directives.
pub(super) type Specified = FxHashMap<Meaning, DirectiveDefinition>;

const DEFINITIONS: &str = r"
directive @key(fields: federation__FieldSet!, resolvable: Boolean = true) repeatable on OBJECT | INTERFACE
directive @requires(fields: federation__FieldSet!) on FIELD_DEFINITION
directive @provides(fields: federation__FieldSet!) on FIELD_DEFINITION
directive @external(reason: String) on OBJECT | FIELD_DEFINITION
directive @extends on OBJECT | INTERFACE
directive @shareable repeatable on OBJECT | FIELD_DEFINITION
directive @override(from: String!, label: String) on FIELD_DEFINITION
directive @inaccessible on FIELD_DEFINITION | OBJECT | INTERFACE | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION
directive @tag(name: String!) repeatable on FIELD_DEFINITION | OBJECT | INTERFACE | UNION | ARGUMENT_DEFINITION | SCALAR | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION | SCHEMA
directive @composeDirective(name: String) repeatable on SCHEMA
directive @interfaceObject on OBJECT
directive @authenticated on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM
directive @requiresScopes(scopes: [[federation__Scope!]!]!) on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM
directive @policy(policies: [[federation__Policy!]!]!) on FIELD_DEFINITION | OBJECT | INTERFACE | SCALAR | ENUM
directive @context(name: String!) repeatable on INTERFACE | OBJECT | UNION
directive @fromContext(field: federation__ContextFieldValue) on ARGUMENT_DEFINITION
directive @cost(weight: Int!) on ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | OBJECT | SCALAR
directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], requireOneSlicingArgument: Boolean = true) on FIELD_DEFINITION
directive @cacheTag(format: String!) repeatable on OBJECT | INTERFACE | FIELD_DEFINITION
directive @link(url: String, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA
directive @deprecated(reason: String) on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE
directive @specifiedBy(url: String!) on SCALAR
directive @oneOf on INPUT_OBJECT
";

static PARSED: LazyLock<Vec<DirectiveDefinition>> =
    LazyLock::new(|| parse_definitions(DEFINITIONS).unwrap_or_default().directives);

/// Returns the definitions of the linked version of Federation.
pub(super) fn definitions(links: &Links) -> Specified {
    let version = match links.federation {
        FEDERATION_1 => UPGRADED_FEDERATION,
        version => version,
    };
    let known = PARSED.iter().filter_map(|definition| {
        let mut definition = definition.clone();
        let meaning = meaning(&definition.name)?;
        match meaning {
            Meaning::Shareable => definition.is_repeatable = version >= Version::new(2, 2),
            Meaning::Override if version < Version::new(2, 7) => {
                definition.arguments.retain(|argument| &*argument.name != "label");
            }
            Meaning::Merged(Directive::Tag) if version < Version::new(2, 3) => {
                definition.locations.retain(|location| *location != "SCHEMA");
            }
            _ => {}
        }
        Some((meaning, definition))
    });
    known.collect()
}

fn meaning(name: &str) -> Option<Meaning> {
    if name == "link" {
        return Some(Meaning::Link);
    }
    let federation = FEDERATION.iter().map(|(known, meaning, _)| (known, meaning));
    let mut known = federation.chain(BUILT_IN.iter().map(|(known, meaning)| (known, meaning)));
    known.find(|(known, _)| **known == name).map(|(_, meaning)| *meaning)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_directive_has_a_definition() {
        let names: Vec<_> = PARSED.iter().map(|definition| &*definition.name).collect();
        for (name, ..) in FEDERATION {
            assert!(names.contains(name), "{name}");
        }
        for (name, _) in BUILT_IN {
            assert!(names.contains(name), "{name}");
        }
    }
}
