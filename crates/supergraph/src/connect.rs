//! Values of directives in the form in which connectors are read.

use std::sync::Arc;

use connectors::location::Location;
use graphql::definitions::Literal;
use serde_json::{Map, Number, Value};

/// Returns a value; names of enums are strings. Recursion is bounded by the parser's limit.
pub(crate) fn json(literal: &Literal) -> Value {
    match literal {
        Literal::Null => Value::Null,
        Literal::Boolean(value) => Value::Bool(*value),
        Literal::Int(digits) => digits.parse::<i64>().map_or(Value::Null, Value::from),
        Literal::Float(digits) => {
            let number = digits.parse::<f64>().ok().and_then(Number::from_f64);
            number.map_or(Value::Null, Value::Number)
        }
        Literal::String(text) | Literal::Enum(text) => Value::from(&**text),
        Literal::List(items) => Value::Array(items.iter().map(json).collect()),
        Literal::Object(members) => object(members.iter().map(|(name, value)| (&**name, value))),
    }
}

/// Returns an object.
pub(crate) fn object<'m>(members: impl Iterator<Item = (&'m str, &'m Literal)>) -> Value {
    let members = members.map(|(name, value)| (name.to_owned(), json(value)));
    Value::Object(members.collect::<Map<_, _>>())
}

/// Returns the name in the document of an element, if an import of a link imports it.
pub(crate) fn imported(item: &Literal, element: &str) -> Option<Arc<str>> {
    let name = match item {
        Literal::String(name) => Some(name.clone()).filter(|name| **name == *element),
        Literal::Object(members) => {
            let text = |key: &str| {
                members.iter().find_map(|(name, value)| match value {
                    Literal::String(text) if **name == *key => Some(text.clone()),
                    _ => None,
                })
            };
            let name = text("name").filter(|name| **name == *element)?;
            Some(text("as").unwrap_or(name))
        }
        _ => None,
    };
    name.map(|name| name.trim_start_matches('@').into())
}

/// Returns a place.
pub(crate) fn place(line: usize, column: usize) -> Location {
    let number = |number| u32::try_from(number).unwrap_or(u32::MAX);
    Location { line: number(line), column: number(column) }
}
