//! A JSON object whose members come in their order and have one value each.
//!
//! Readers of JSON differ in which of two members of one name they take. A token that means
//! different things to different readers is none.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;

/// The members of an object.
#[derive(Debug, Default)]
pub(super) struct Members(pub(super) Vec<(String, Value)>);

struct MembersVisitor;

impl Members {
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
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
        while let Some((name, value)) = access.next_entry::<String, Value>()? {
            if !names.insert(name.clone()) {
                return Err(A::Error::custom("two members of one name"));
            }
            members.0.push((name, value));
        }
        Ok(members)
    }
}
