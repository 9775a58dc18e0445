//! What definitions can say that this API does not do yet: they are refused, for what is not done
//! must not look as if it were.

use super::build::fixed_types;
use crate::neo4j::model::{FieldKind, Model, ModelField, Property};

/// The first thing of the definitions that is not served yet, as a message.
#[must_use]
pub fn unserved(model: &Model) -> Option<String> {
    let names = model.nodes.iter().map(|known| &known.name);
    let names = names.chain(model.properties.iter().map(|known| &known.name));
    let names = names.chain(model.enums.iter().map(|known| &known.name));
    let names = names.chain(model.interfaces.iter().map(|known| &known.name));
    let names = names.chain(model.unions.iter().map(|known| &known.name));
    let mut names = names.chain(model.scalars.iter().map(|known| &known.name));
    let own = fixed_types();
    if let Some(name) = names.find(|name| own.has(name)) {
        return Some(format!("The type {name}: the API has a type of that name itself."));
    }
    for node in &model.nodes {
        if !node.fulltext.is_empty() {
            return Some(format!("{}: @fulltext is not served yet.", node.name));
        }
    }
    let of_nodes = model.nodes.iter().map(|known| (&known.name, &known.fields));
    let of_properties = model.properties.iter().map(|known| (&known.name, &known.fields));
    of_nodes.chain(of_properties).find_map(|(owner, fields)| {
        fields.iter().find_map(|field| of_field(field).map(|what| at(owner, field, what)))
    })
}

fn of_field(field: &ModelField) -> Option<&'static str> {
    match &field.kind {
        FieldKind::Property(Property { is_relay_id: true, .. }) => Some("@relayId"),
        FieldKind::Property(Property { coalesce: Some(_), .. }) => Some("@coalesce"),
        FieldKind::Property(_) | FieldKind::Relationship(_) => None,
    }
}

fn at(owner: &str, field: &ModelField, what: &str) -> String {
    format!("Line {}, {owner}.{}: {what} is not served yet.", field.line, field.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neo4j::definitions;
    use crate::neo4j::model::ApiForm;

    fn check(definitions: &str, expected: Option<&str>) {
        let model = definitions::read(definitions, ApiForm::Seven).expect("definitions");
        assert_eq!(unserved(&model).as_deref(), expected, "{definitions}");
    }

    #[test]
    fn what_is_not_done_is_told() {
        check("type Movie @node { title: String! }", None);
        check(
            "type Movie @node {\n code: ID! @id @relayId }",
            Some("Line 2, Movie.code: @relayId is not served yet."),
        );
        check(
            "type Movie @node {\n title: String\n rank: Int @coalesce(value: 1) }",
            Some("Line 3, Movie.rank: @coalesce is not served yet."),
        );
    }

    #[test]
    fn names_of_the_api_itself_are_taken() {
        for name in ["Count", "IntScalarFilters"] {
            let message = format!("The type {name}: the API has a type of that name itself.");
            check(&format!("type {name} @node {{ title: String }}"), Some(&message));
        }
    }
}
