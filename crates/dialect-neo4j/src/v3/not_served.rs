//! What definitions can say that this API does not do yet: they are refused, for what is not done
//! must not look as if it were.

use crate::model::{ApiVersion, Model};
use crate::shared::draft::Draft;
use crate::shared::global_ids;
use crate::shared::own_types;

/// How the names of the types end that show what is made of many values of one type.
const MADE: [&str; 2] = ["AggregateSelectionNullable", "AggregateSelectionNonNullable"];

/// The first thing of the definitions that is not served yet, as a message.
#[must_use]
pub fn not_served(model: &Model) -> Option<String> {
    let mut own = Draft::default();
    own_types::define(&mut own, &Model::default(), ApiVersion::V3);
    if let Some(name) = names(model).find(|name| is_own(&own, name)) {
        return Some(format!("The type {name}: the API has a type of that name itself."));
    }
    model.nodes.iter().find_map(|node| {
        let field = global_ids::unserved(node)?;
        let (line, owner, name) = (field.line, &node.name, &field.name);
        Some(format!(
            "Line {line}, {owner}.{name}: @id(global: true) of such values is not served yet."
        ))
    })
}

/// The names of all types of the definitions.
fn names(model: &Model) -> impl Iterator<Item = &str> {
    let names = model.nodes.iter().map(|known| &*known.name);
    let names = names.chain(model.properties.iter().map(|known| &*known.name));
    let names = names.chain(model.enums.iter().map(|known| &*known.name));
    let names = names.chain(model.scalars.iter().map(|known| &*known.name));
    let names = names.chain(model.interfaces.iter().map(|known| &*known.name));
    names.chain(model.unions.iter().map(|known| &*known.name))
}

/// Whether the API has a type of that name whatever the definitions say, or may want one.
fn is_own(own: &Draft, name: &str) -> bool {
    let of_values = MADE.iter().find_map(|end| name.strip_suffix(end));
    name == "QueryOptions" || own.has(name) || of_values.is_some_and(|values| own.has(values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions;

    fn check(definitions: &str, expected: Option<&str>) {
        let model = definitions::read(definitions, ApiVersion::V3).expect("definitions");
        assert_eq!(not_served(&model).as_deref(), expected, "{definitions}");
    }

    #[test]
    fn what_is_not_done_is_told() {
        check("type Movie { title: String! }", None);
        check("type Movie {\n code: ID! @id(global: true)\n rank: Int @coalesce(value: 1) }", None);
    }

    #[test]
    fn names_of_the_api_itself_are_taken() {
        for name in ["CreateInfo", "QueryOptions", "IntAggregateSelectionNullable"] {
            let message = format!("The type {name}: the API has a type of that name itself.");
            check(&format!("type {name} {{ title: String }}"), Some(&message));
        }
        check("type MovieAggregateSelectionNullable { title: String }", None);
    }
}
