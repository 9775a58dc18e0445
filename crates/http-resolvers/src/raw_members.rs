//! The members of an object of JSON, with what is in them as text.

use std::fmt;

use serde::de::{self, MapAccess};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// In the order of the text; of several with one key the last one counts.
pub(crate) struct RawMembers<'b>(pub(crate) Vec<(String, &'b RawValue)>);

impl<'de: 'b, 'b> Deserialize<'de> for RawMembers<'b> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry::<String, &'de RawValue>()? {
                    members.push(member);
                }
                Ok(members)
            }
        }
        let mut members = deserializer.deserialize_map(Visitor)?;
        members.reverse();
        Ok(Self(members))
    }
}
