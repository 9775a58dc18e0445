//! Reads YAML as JSON.

use saphyr::{LoadableYamlNode, ScalarOwned, YamlOwned};
use serde_json::{Map, Value};

/// Reads the first document of a text. The error is a sentence.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    let documents = YamlOwned::load_from_str(text).map_err(|error| error.to_string())?;
    documents.into_iter().next().map_or(Ok(Value::Null), json)
}

fn json(node: YamlOwned) -> Result<Value, String> {
    Ok(match node {
        YamlOwned::Value(scalar) => match scalar {
            ScalarOwned::Null => Value::Null,
            ScalarOwned::Boolean(value) => value.into(),
            ScalarOwned::Integer(value) => value.into(),
            ScalarOwned::FloatingPoint(value) => value.into_inner().into(),
            ScalarOwned::String(value) => value.into(),
        },
        YamlOwned::Sequence(items) => {
            Value::Array(items.into_iter().map(json).collect::<Result<_, _>>()?)
        }
        YamlOwned::Mapping(entries) => {
            let mut members = Map::new();
            for (key, value) in entries {
                let key = match json(key)? {
                    Value::String(text) => text,
                    other => other.to_string(),
                };
                members.insert(key, json(value)?);
            }
            Value::Object(members)
        }
        YamlOwned::Tagged(_, node) => json(*node)?,
        YamlOwned::Representation(text, ..) => text.into(),
        YamlOwned::Alias(_) | YamlOwned::BadValue => return Err("an alias that is nothing".into()),
    })
}
