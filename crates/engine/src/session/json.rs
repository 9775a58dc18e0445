//! A JSON object whose members keep their order and are unique, as those of all objects in it.
//!
//! Readers of JSON differ in which of two members of one name they take. A token that means
//! different things to different readers is none.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::Refused;

/// The members of an object.
#[derive(Debug, Default)]
pub(super) struct Members(pub(super) Vec<(String, Value)>);

struct MembersVisitor;

/// A value whose objects have unique members.
struct Single(Value);

struct SingleVisitor;

const TWICE: &str = "two members of one name";

impl Members {
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

impl Members {
    /// The members, with those of the object that is one of them in its place. A text is the object
    /// as JSON; any other value has none.
    pub(super) fn unfold(mut self, name: &str) -> Result<Self, Refused> {
        let Some(place) = self.0.iter().position(|(known, _)| known == name) else {
            return Ok(self);
        };
        let (_, value) = self.0.remove(place);
        let within = match value {
            Value::Object(members) => Self(members.into_iter().collect()),
            Value::String(text) => serde_json::from_str(&text)
                .map_err(|_| Refused::Invalid("its namespace is no JSON object"))?,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => Self::default(),
        };
        self.0.retain(|(known, _)| within.get(known).is_none());
        self.0.extend(within.0);
        Ok(self)
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Members, A::Error> {
        let mut members = Members::default();
        let mut names = std::collections::HashSet::new();
        while let Some((name, Single(value))) = access.next_entry::<String, Single>()? {
            if !names.insert(name.clone()) {
                return Err(A::Error::custom(TWICE));
            }
            members.0.push((name, value));
        }
        Ok(members)
    }
}

impl<'de> Deserialize<'de> for Single {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SingleVisitor)
    }
}

/// The parser bounds how deep values are in each other.
impl<'de> Visitor<'de> for SingleVisitor {
    type Value = Single;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Single, E> {
        Ok(Single(Value::Null))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Single, E> {
        Ok(Single(Value::Bool(value)))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Single, E> {
        Ok(Single(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Single, E> {
        Ok(Single(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Single, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("no number"))?;
        Ok(Single(Value::Number(number)))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Single, E> {
        Ok(Single(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Single, A::Error> {
        let mut items = Vec::new();
        while let Some(Single(item)) = access.next_element()? {
            items.push(item);
        }
        Ok(Single(Value::Array(items)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Single, A::Error> {
        let mut members = Map::new();
        while let Some((name, Single(value))) = access.next_entry::<String, Single>()? {
            if members.insert(name, value).is_some() {
                return Err(A::Error::custom(TWICE));
            }
        }
        Ok(Single(Value::Object(members)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_object_has_a_member_twice() {
        let check = |text: &str, expected: bool| {
            let found: Result<Members, _> = serde_json::from_str(text);
            assert_eq!(found.is_ok(), expected, "{text}");
            if let Ok(Members(members)) = found {
                let found = Value::Object(members.into_iter().collect());
                assert_eq!(found, serde_json::from_str::<Value>(text).unwrap());
            }
        };
        check(
            r#"{"a":[{"b":-1,"c":1.5},null,true,"é\n",18446744073709551615],"b":{"a":{}}}"#,
            true,
        );
        check(r#"{"a":1,"a":1}"#, false);
        check(r#"{"a":{"role":"x","role":"y"}}"#, false);
        check(r#"{"a":[[{"b":1,"c":2,"b":1}]]}"#, false);
        check("[]", false);
    }
}
