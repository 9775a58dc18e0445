//! Data of a supergraph's objects, defined by a file; other values are computed.
//!
//! A JSON object of objects: `"Product 1": { "name": "Table", "made": "Place 2" }`, with the root types
//! under their names, `"Query": { "products": ["Product 1", "Product 2"] }`. A field has the value
//! whatever its arguments are. Of a type that is named there are the objects that are named.

use std::collections::HashMap;

use graphql::schema::TypeId;
use serde_json::{Map, Value as Json};
use supergraph::Supergraph;

use super::world::{Identity, Value};

/// The defined values of some objects.
#[derive(Clone, Debug, Default)]
pub struct Data {
    by_name: HashMap<String, Identity>,
    values: HashMap<Identity, Map<String, Json>>,
    counts: HashMap<TypeId, u8>,
}

impl Data {
    /// Reads the text of a file.
    pub fn read(supergraph: &Supergraph, text: &str) -> Result<Self, String> {
        let objects: Map<String, Json> =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut data = Self::default();
        for (name, values) in objects {
            let word = name.split(' ').next().unwrap_or_default();
            let r#type = supergraph.schema.find_type(word);
            let r#type = r#type.ok_or_else(|| format!("there is no type `{word}`"))?;
            let Json::Object(values) = values else { return Err(format!("`{name}` is no object")) };
            let count = data.counts.entry(r#type).or_default();
            let identity = Identity { r#type, number: *count };
            *count += 1;
            data.by_name.insert(name, identity);
            data.values.insert(identity, values);
        }
        Ok(data)
    }

    /// The defined number of a type's objects.
    pub(super) fn count(&self, r#type: TypeId) -> Option<u8> {
        self.counts.get(&r#type).copied()
    }

    /// The defined value of an object's field.
    pub(super) fn value(&self, of: Identity, name: &str, is_composite: bool) -> Option<Value> {
        let values = self.values.get(&of)?.get(name)?;
        Some(self.read_value(values, is_composite))
    }

    fn read_value(&self, values: &Json, is_composite: bool) -> Value {
        match values {
            Json::Null => Value::Null,
            Json::Array(items) => {
                let items = items.iter().map(|item| self.read_value(item, is_composite));
                Value::List(items.collect())
            }
            Json::String(name) if is_composite => {
                self.by_name.get(name).map_or(Value::Null, |identity| Value::Object(*identity))
            }
            leaf => Value::Leaf(leaf.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_said_by_their_names() {
        let supergraph = supergraph::read(
            "schema @link(url: \"https://specs.apollo.dev/join/v0.3\") { query: Query }
             enum join__Graph { A @join__graph(name: \"a\") }
             type Query @join__type(graph: A) { all: [Thing] }
             type Thing @join__type(graph: A) { name: String other: Thing }",
        );
        let supergraph = supergraph.expect("a supergraph");
        let text =
            r#"{"Query": {"all": ["Thing b", null]}, "Thing a": {}, "Thing b": {"name": "B"}}"#;
        let data = Data::read(&supergraph, text).expect("data");
        let [query, thing] =
            ["Query", "Thing"].map(|name| supergraph.schema.find_type(name).expect("a type"));
        let (root, b) =
            (Identity { r#type: query, number: 0 }, Identity { r#type: thing, number: 1 });
        let all = data.value(root, "all", true);
        assert_eq!(all, Some(Value::List(vec![Value::Object(b), Value::Null])));
        assert_eq!(data.value(b, "name", false), Some(Value::Leaf("B".into())));
        assert_eq!((data.value(b, "other", true), data.count(thing)), (None, Some(2)));
        assert_eq!(
            Data::read(&supergraph, r#"{"Thin 1": {}}"#).err().as_deref(),
            Some("there is no type `Thin`")
        );
    }
}
