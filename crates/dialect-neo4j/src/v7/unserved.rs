//! What definitions can say that this API does not do yet: they are refused, for what is not done
//! must not look as if it were.

use super::schema::fixed_types;
use crate::model::Model;
use crate::shared::global_ids;

/// The first thing of the definitions that is not served yet, as a message.
#[must_use]
pub fn unserved(model: &Model) -> Option<String> {
    let names = model.nodes.iter().map(|known| &known.name);
    let names = names.chain(model.properties.iter().map(|known| &known.name));
    let names = names.chain(model.enums.iter().map(|known| &known.name));
    let names = names.chain(model.interfaces.iter().map(|known| &known.name));
    let names = names.chain(model.unions.iter().map(|known| &known.name));
    let names = names.chain(model.objects.iter().map(|known| &known.name));
    let names = names.chain(model.inputs.iter().map(|known| &known.name));
    let mut names = names.chain(model.scalars.iter().map(|known| &known.name));
    let own = fixed_types();
    if let Some(name) = names.find(|name| own.has(name)) {
        return Some(format!("The type {name}: the API has a type of that name itself."));
    }
    model.nodes.iter().find_map(|node| {
        let field = global_ids::unserved(node)?;
        let name = &node.name;
        Some(format!(
            "Line {}, {name}.{}: @relayId of such values is not served yet: ids are made of ID, \
             String, Int, BigInt and enums, without @coalesce.",
            field.line, field.name
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions;
    use crate::model::ApiVersion;

    fn check(definitions: &str, expected: Option<&str>) {
        let model = definitions::read(definitions, ApiVersion::V7).expect("definitions");
        assert_eq!(unserved(&model).as_deref(), expected, "{definitions}");
    }

    #[test]
    fn what_is_not_done_is_told() {
        check("type Movie @node { title: String! }", None);
        check(
            "type Movie @node {\n code: ID! @id @relayId\n rank: Int @coalesce(value: 1) }",
            None,
        );
        for r#type in ["[ID!]!", "DateTime", "Float", "String @coalesce(value: \"a\")"] {
            let told = "Line 2, Movie.code: @relayId of such values is not served yet: ids are made \
                        of ID, String, Int, BigInt and enums, without @coalesce.";
            check(&format!("type Movie @node {{\n code: {type} @relayId }}"), Some(told));
        }
    }

    #[test]
    fn names_of_the_api_itself_are_taken() {
        for name in ["Count", "IntScalarFilters"] {
            let message = format!("The type {name}: the API has a type of that name itself.");
            check(&format!("type {name} @node {{ title: String }}"), Some(&message));
        }
    }
}
