//! Definitions that the API does not serve yet. They are refused: an API without them must not look
//! as if it had them.

use crate::model::{ApiVersion, Model};
use crate::shared::draft::Draft;
use crate::shared::{global_ids, own_types};
use crate::v7;

/// Ends of the names of version 3's types of aggregates.
const AGGREGATES: [&str; 2] = ["AggregateSelectionNullable", "AggregateSelectionNonNullable"];

/// The first of the definitions that is not served yet, as a message.
pub(crate) fn unserved(model: &Model, version: ApiVersion) -> Option<String> {
    let own = fixed_types(version);
    if let Some(name) = names(model, version).find(|name| is_taken(&own, name, version)) {
        return Some(format!("The type {name}: the API has a type of that name itself."));
    }
    let has_events = model.nodes.iter().any(|node| node.events.are_some());
    if has_events && names(model, version).any(|name| name == v7::EVENT_TYPE) {
        let name = v7::EVENT_TYPE;
        return Some(format!(
            "The type {name}: subscriptions have a type of that name themselves."
        ));
    }
    let (directive, instead) = match version {
        ApiVersion::V3 => ("@id(global: true)", ""),
        ApiVersion::V7 => {
            ("@relayId", ": ids are made of ID, String, Int, BigInt and enums, without @coalesce")
        }
    };
    model.nodes.iter().find_map(|node| {
        let field = global_ids::unserved(node)?;
        let (line, owner, name) = (field.line, &node.name, &field.name);
        Some(format!(
            "Line {line}, {owner}.{name}: {directive} of such values is not served yet{instead}."
        ))
    })
}

/// The types that the API has whatever the definitions are.
fn fixed_types(version: ApiVersion) -> Draft {
    match version {
        ApiVersion::V3 => {
            let mut own = Draft::default();
            own_types::define(&mut own, &Model::default(), version);
            own.input("QueryOptions");
            own
        }
        ApiVersion::V7 => v7::fixed_types(),
    }
}

/// The names of the types of the definitions that must not be those of the API.
fn names(model: &Model, version: ApiVersion) -> impl Iterator<Item = &str> {
    let names = model.nodes.iter().map(|known| &*known.name);
    let names = names.chain(model.properties.iter().map(|known| &*known.name));
    let names = names.chain(model.enums.iter().map(|known| &*known.name));
    let names = names.chain(model.interfaces.iter().map(|known| &*known.name));
    let names = names.chain(model.unions.iter().map(|known| &*known.name));
    let objects = model.objects.iter().map(|known| &*known.name);
    let objects = objects.chain(model.inputs.iter().map(|known| &*known.name));
    let names = names.chain(objects.filter(move |_| version == ApiVersion::V7));
    names.chain(model.scalars.iter().map(|known| &*known.name))
}

/// Whether the API has a type of that name, or may add one.
fn is_taken(own: &Draft, name: &str, version: ApiVersion) -> bool {
    let mut ends = AGGREGATES.iter().filter(|_| version == ApiVersion::V3);
    let of_values = ends.find_map(|end| name.strip_suffix(end));
    own.has(name) || of_values.is_some_and(|values| own.has(values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions;

    fn check(definitions: &str, version: ApiVersion, expected: Option<&str>) {
        let model = definitions::read(definitions, version).expect("definitions");
        assert_eq!(unserved(&model, version).as_deref(), expected, "{definitions}");
    }

    #[test]
    fn global_ids_of_values_that_cannot_be_found_again() {
        check("type Movie @node { title: String! }", ApiVersion::V7, None);
        check(
            "type Movie @node {\n code: ID! @id @relayId\n rank: Int @coalesce(value: 1) }",
            ApiVersion::V7,
            None,
        );
        for r#type in ["[ID!]!", "DateTime", "Float", "String @coalesce(value: \"a\")"] {
            let message = "Line 2, Movie.code: @relayId of such values is not served yet: ids are \
                           made of ID, String, Int, BigInt and enums, without @coalesce.";
            let text = format!("type Movie @node {{\n code: {type} @relayId }}");
            check(&text, ApiVersion::V7, Some(message));
        }
        check("type Movie { title: String! }", ApiVersion::V3, None);
        check(
            "type Movie {\n code: ID! @id(global: true)\n rank: Int @coalesce(value: 1) }",
            ApiVersion::V3,
            None,
        );
    }

    #[test]
    fn the_name_of_the_enum_of_events_is_taken_by_subscriptions() {
        let text = "type EventType @node { title: String }";
        check(text, ApiVersion::V7, None);
        let message = "The type EventType: subscriptions have a type of that name themselves.";
        check(&text.replace("@node", "@node @subscription"), ApiVersion::V7, Some(message));
    }

    #[test]
    fn names_of_the_api_itself_are_taken() {
        for name in ["Count", "IntScalarFilters"] {
            let message = format!("The type {name}: the API has a type of that name itself.");
            let text = format!("type {name} @node {{ title: String }}");
            check(&text, ApiVersion::V7, Some(&message));
        }
        for name in ["CreateInfo", "QueryOptions", "IntAggregateSelectionNullable"] {
            let message = format!("The type {name}: the API has a type of that name itself.");
            check(&format!("type {name} {{ title: String }}"), ApiVersion::V3, Some(&message));
        }
        let other = "type MovieAggregateSelectionNullable { title: String }";
        check(other, ApiVersion::V3, None);
    }
}
