//! Claims of a session, for operands that name one.

use serde_json_bytes::Value as Json;

/// The claims of a session, by name.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Claims(Json);

impl Claims {
    /// Claims that are the members of an object.
    #[must_use]
    pub fn new(object: Json) -> Self {
        Self(object)
    }

    /// All claims, as an object.
    #[must_use]
    pub fn all(&self) -> &Json {
        &self.0
    }

    /// The claim of a name. Names may contain dots; where no claim has the name, the part after a
    /// dot is looked up in the object that is named by the part before it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Json> {
        member(&self.0, name)
    }
}

/// Values must not reach a log.
impl std::fmt::Debug for Claims {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Json::Object(members) => f.debug_set().entries(members.keys()).finish(),
            _ => f.write_str("{}"),
        }
    }
}

fn member<'j>(within: &'j Json, name: &str) -> Option<&'j Json> {
    let Json::Object(members) = within else { return None };
    members.get(name).or_else(|| {
        name.match_indices('.').find_map(|(dot, _)| {
            let within = members.get(name.get(..dot)?)?;
            member(within, name.get(dot + 1..)?)
        })
    })
}

#[cfg(test)]
mod tests {
    use serde_json_bytes::json;

    use super::*;

    #[test]
    fn a_claim_is_found_by_its_name_or_by_the_way_to_it() {
        let claims = Claims::new(json!({
            "id": 7,
            "a.b": 1,
            "a": { "b": 2, "c": { "d": 3 } },
            "https://example.org/claims": { "x-id": "seven" },
        }));
        let check = |name: &str, expected: Option<Json>| {
            assert_eq!(claims.get(name), expected.as_ref(), "{name}");
        };
        check("id", Some(json!(7)));
        check("a.b", Some(json!(1)));
        check("a.c.d", Some(json!(3)));
        check("a.d", None);
        check("id.b", None);
        check("", None);
        check(".", None);
        check("https://example.org/claims.x-id", Some(json!("seven")));
    }

    #[test]
    fn nothing_is_found_in_what_is_no_object() {
        for none in [json!(null), json!([1]), json!("id")] {
            assert_eq!(Claims::new(none).get("id"), None);
        }
    }

    #[test]
    fn values_do_not_reach_a_log() {
        let claims = Claims::new(json!({ "id": "hunter2" }));
        let text = format!("{claims:?}");
        assert!(text.contains("id") && !text.contains("hunter2"), "{text}");
    }
}
