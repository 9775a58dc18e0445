//! A request as the entities that it asks for.

use std::collections::BTreeMap;

use gateway::plan::{entities_key, representations_variable};
use serde_json::value::RawValue;

/// A request and its parts that are kept by themselves.
#[derive(Debug)]
pub(super) struct SplitRequest<'a> {
    /// The begin of the body, up to the first variable.
    head: &'a [u8],
    /// Lists of entities; none if the response is kept as a whole.
    pub(super) lists: Vec<EntityList<'a>>,
    /// The other variables.
    pub(super) others: Vec<u8>,
}

/// A list of entities.
#[derive(Debug)]
pub(super) struct EntityList<'a> {
    variable: String,
    /// The response name.
    pub(super) key: String,
    pub(super) representations: Vec<&'a RawValue>,
}

impl<'a> SplitRequest<'a> {
    /// Splits a body that begins with `head`; `None` if it has another form.
    pub(super) fn new(head: &'a [u8], body: &'a [u8], has_root: bool) -> Option<Self> {
        // The head ends within the object of the variables, and the body after it.
        let variables = body.get(head.len().checked_sub(1)?..body.len().checked_sub(1)?)?;
        let mut variables: BTreeMap<String, &RawValue> = serde_json::from_slice(variables).ok()?;
        let mut lists = Vec::new();
        if !has_root {
            while let Some(list) = variables.remove(&representations_variable(lists.len())) {
                lists.push(list);
            }
            if lists.is_empty() {
                return None;
            }
        }
        let count = lists.len();
        let lists = lists.into_iter().enumerate().map(|(place, list)| {
            Some(EntityList {
                variable: representations_variable(place),
                key: entities_key(place, count),
                representations: serde_json::from_str(list.get()).ok()?,
            })
        });
        let lists = lists.collect::<Option<Vec<_>>>()?;
        let mut others = Vec::new();
        for (name, value) in &variables {
            member(&mut others, name, value.get());
        }
        Some(Self { head, lists, others })
    }

    /// Whether the response is kept as a whole.
    pub(super) fn is_whole(&self) -> bool {
        self.lists.is_empty()
    }

    /// The parts that are kept: the number of the list, and the representation.
    pub(super) fn items(&self) -> impl Iterator<Item = (usize, &'a str)> {
        let whole = self.is_whole().then_some((0, ""));
        let entities = self.lists.iter().enumerate().flat_map(|(number, list)| {
            list.representations.iter().map(move |text| (number, text.get()))
        });
        whole.into_iter().chain(entities)
    }

    /// The body of a request for the missing entities alone.
    pub(super) fn body(&self, missing: &[bool]) -> Vec<u8> {
        let mut body = self.head.to_vec();
        let mut missing = missing.iter();
        for EntityList { variable, representations, .. } in &self.lists {
            let mut text = String::from("[");
            for (representation, _) in
                representations.iter().zip(missing.by_ref()).filter(|(_, missing)| **missing)
            {
                if text.len() > 1 {
                    text.push(',');
                }
                text.push_str(representation.get());
            }
            text.push(']');
            member(&mut body, variable, &text);
        }
        if !self.others.is_empty() {
            if !body.ends_with(b"{") {
                body.push(b',');
            }
            body.extend_from_slice(&self.others);
        }
        body.extend_from_slice(b"}}");
        body
    }
}

/// Writes a member of an object; names of variables need no escaping.
fn member(body: &mut Vec<u8>, name: &str, value: &str) {
    if !body.is_empty() && !body.ends_with(b"{") {
        body.push(b',');
    }
    body.push(b'"');
    body.extend_from_slice(name.as_bytes());
    body.extend_from_slice(b"\":");
    body.extend_from_slice(value.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = r#"{"query":"…","variables":{"#;

    fn split<'a>(body: &'a str, has_root: bool) -> Option<SplitRequest<'a>> {
        SplitRequest::new(HEAD.as_bytes(), body.as_bytes(), has_root)
    }

    #[test]
    fn a_request_for_entities_is_split_into_them() {
        let variables =
            r#""representations0":[{"id":1},{"id":2}],"representations1":[{"id":3}],"a":"x"}}"#;
        let body = [HEAD, variables].concat();
        let split = split(&body, false).unwrap();
        let items: Vec<_> = split.items().collect();
        assert_eq!(items, [(0, r#"{"id":1}"#), (0, r#"{"id":2}"#), (1, r#"{"id":3}"#)]);
        let keys: Vec<_> = split.lists.iter().map(|list| &*list.key).collect();
        assert_eq!(keys, ["_entities0", "_entities1"]);
        let of = |missing: &[bool]| String::from_utf8(split.body(missing)).unwrap();
        assert_eq!(of(&[true; 3]), body);
        let rest = r#""representations0":[{"id":2}],"representations1":[],"a":"x"}}"#;
        assert_eq!(of(&[false, true, false]), [HEAD, rest].concat());
    }

    #[test]
    fn a_request_with_root_fields_is_whole() {
        let body = [HEAD, r#""representations0":[{"id":1}],"a":1}}"#].concat();
        let split = split(&body, true).unwrap();
        assert_eq!(split.items().collect::<Vec<_>>(), [(0, "")]);
        assert_eq!(split.others, br#""a":1,"representations0":[{"id":1}]"#);
    }

    #[test]
    fn other_bodies_are_not_split() {
        for body in ["}}", "", "\"a\":}}", "\"representations0\":1}}"] {
            assert!(split(&[HEAD, body].concat(), false).is_none(), "{body}");
        }
    }
}
