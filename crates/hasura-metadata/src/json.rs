//! JSON values whose objects keep an order: free parts of metadata, and all of it when written.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Number;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Json>),
    /// In the order in which it is written.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Text without white space.
    #[must_use]
    pub fn compact(&self) -> String {
        // Serialization fails for keys that are no texts and for writers that fail: neither exists.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Text with two spaces for each level, as people read it.
    #[must_use]
    pub fn pretty(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(value) => value.serialize(serializer),
            Self::String(value) => serializer.serialize_str(value),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, value) in members {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_keep_their_order() {
        let value = Json::Object(vec![
            ("b".into(), Json::Array(vec![Json::Null, Json::Bool(true), Json::Number(1.into())])),
            ("a".into(), Json::String("\"".into())),
        ]);
        assert_eq!(value.compact(), r#"{"b":[null,true,1],"a":"\""}"#);
        assert!(value.pretty().starts_with("{\n  \"b\": [\n    null,"));
    }
}
