//! The JSON Schema of the file, for editors: <https://json-schema.org>.

use clap::Arg;
use serde_json::{Map, Value, json};

use super::keys::{Key, Keys, Kind, List};

/// The draft that most editors support; later ones add nothing that is needed here.
const DRAFT: &str = "http://json-schema.org/draft-07/schema#";

/// A string with a variable, whose value is known at run time only.
const VARIABLE: &str = r"\$\{";

/// The JSON Schema of a file with these keys.
pub(crate) fn schema(keys: &Keys) -> Value {
    let properties = keys.iter().map(|(name, key)| (name.to_owned(), property(name, key)));
    json!({
        "$schema": DRAFT,
        "title": "thalweg.toml",
        "description": "The options of Thalweg: the names are those of the command line.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties.collect::<Map<_, _>>(),
    })
}

fn property(name: &str, key: &Key) -> Value {
    let mut property = value_of(key);
    property["description"] = description(name, key).into();
    property
}

/// The schema of an option's value.
pub(super) fn value_of(key: &Key) -> Value {
    let mut value = match key.list {
        List::One => one(key),
        List::Separated(_) | List::Repeated => json!({
            "anyOf": [{ "type": "array", "items": one(key), "minItems": 1 }, one(key), text()]
        }),
    };
    if let Some(default) = default(key) {
        value["default"] = default;
    }
    value
}

/// A single value.
fn one(key: &Key) -> Value {
    let variable = || json!({ "type": "string", "pattern": VARIABLE });
    match key.kind {
        Kind::Flag | Kind::Boolean => json!({ "anyOf": [{ "type": "boolean" }, variable()] }),
        Kind::Integer => json!({ "anyOf": [{ "type": "integer", "minimum": 0 }, variable()] }),
        Kind::Number => json!({ "anyOf": [{ "type": "number" }, variable()] }),
        Kind::Text => match key.words() {
            words if words.is_empty() && key.is_path() => {
                json!({ "type": "string", "minLength": 1 })
            }
            words if words.is_empty() => text(),
            words => json!({ "anyOf": [{ "enum": words }, variable()] }),
        },
        Kind::Quantity => json!({ "type": ["string", "number"] }),
    }
}

fn text() -> Value {
    json!({ "type": "string" })
}

/// The help text, with the names of the option and the variable.
fn description(name: &str, key: &Key) -> String {
    let variable = key.arg.get_env().unwrap_or_default().to_string_lossy();
    let option = match key.arg.get_long() {
        Some(long) => ["--", long].concat(),
        None => name.to_uppercase(),
    };
    format!("{}\n\n`{option}`, `{variable}`", key.help())
}

/// The default of an option, in TOML's types.
pub(super) fn default(key: &Key) -> Option<Value> {
    let defaults = key.arg.get_default_values();
    let values = defaults.iter().map(|value| value.to_string_lossy().into_owned());
    let mut values: Vec<Value> = match key.list {
        List::Separated(delimiter) => {
            values.flat_map(|text| split(&text, delimiter)).map(|text| literal(key, text)).collect()
        }
        List::One | List::Repeated => values.map(|text| literal(key, text)).collect(),
    };
    match key.list {
        List::One => values.pop(),
        List::Separated(_) | List::Repeated if values.is_empty() => None,
        List::Separated(_) | List::Repeated => Some(values.into()),
    }
}

fn split(text: &str, delimiter: char) -> Vec<String> {
    text.split(delimiter).map(str::to_owned).collect()
}

fn literal(key: &Key, text: String) -> Value {
    match key.kind {
        Kind::Flag | Kind::Boolean => Value::Bool(text == "true"),
        Kind::Integer | Kind::Number => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        Kind::Text | Kind::Quantity => Value::String(text),
    }
}

impl Key {
    /// The long help, as plain text.
    pub(super) fn help(&self) -> String {
        let text = |arg: &Arg| arg.get_long_help().or(arg.get_help()).map(ToString::to_string);
        text(&self.arg).unwrap_or_default()
    }
}
