//! A value as it stands in a document.

use serde_json::Value as Json;

/// Whether a value can stand in a document: the names of its members must be names there.
pub(crate) fn is_printable(value: &Json) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    match value {
        Json::Array(items) => items.iter().all(is_printable),
        Json::Object(members) => {
            members.iter().all(|(name, value)| is_name(name) && is_printable(value))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => true,
    }
}

/// The literal of a value. Names of enum values, which are texts in JSON, stand without quotes:
/// all texts of an enum's type, and the member `mood` of an object.
pub(crate) fn print(value: &Json, is_enum: bool) -> String {
    match value {
        Json::String(name) if is_enum => name.clone(),
        Json::Array(items) => {
            let items = items.iter().map(|item| print(item, is_enum));
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        Json::Object(members) => {
            let members = members.iter().map(|(name, value)| {
                let is_enum = name == "mood" || (is_enum && name != "inclusive");
                format!("{name}: {}", print(value, is_enum))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        // GraphQL reads the escapes of JSON.
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => value.to_string(),
    }
}
