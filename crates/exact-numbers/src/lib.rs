//! Numbers of a request's JSON that doubles would round, as they are written.
//!
//! JSON values keep integers of 64 bits, and doubles. A value of `numeric`, `bigint` or `jsonb` may
//! have more digits, so their texts are kept beside the values: [`ExactNumbers`] has the places of
//! these numbers, and readers of values follow it down as they go down the value. A request without
//! such numbers has none of this.
//!
//! The alternative is the feature `arbitrary_precision` of `serde_json`, which keeps the text of each
//! number in the value. It does so for every JSON of the process, with an allocation for each number,
//! and `serde_json_bytes`, whose values requests have, does not support it.

mod scanner;

use std::sync::Arc;

use serde_json::Number;

/// The numbers of a JSON value that doubles would round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExactNumbers(Option<Arc<Node>>);

/// A part of a value that is such a number, or has one.
#[derive(Debug, PartialEq, Eq)]
enum Node {
    /// The number as it is written.
    Number(Box<str>),
    /// Elements of a list by their indices, which ascend.
    Items(Vec<(usize, ExactNumbers)>),
    /// Members of an object, sorted by their names.
    Members(Vec<(Box<str>, ExactNumbers)>),
}

static NONE: ExactNumbers = ExactNumbers(None);

impl ExactNumbers {
    /// The numbers of a text that is valid JSON.
    #[must_use]
    pub fn read(json: &[u8]) -> Self {
        scanner::read(json)
    }

    /// Those of a value without any.
    #[must_use]
    pub fn none() -> &'static Self {
        &NONE
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// A number as it is written. The value beside it may have been replaced since it was read: it has
    /// to be the double that the text is.
    #[must_use]
    pub fn text_of(&self, number: &Number) -> Option<&str> {
        let text = self.text()?;
        let double = serde_json::from_str::<f64>(text).ok()?;
        (number.is_f64() && number.as_f64() == Some(double)).then_some(text)
    }

    fn text(&self) -> Option<&str> {
        match self.0.as_deref()? {
            Node::Number(text) => Some(text),
            Node::Items(_) | Node::Members(_) => None,
        }
    }

    /// Those of an element. A single value may have been coerced to a list of one.
    #[must_use]
    pub fn item(&self, index: usize) -> &Self {
        match self.0.as_deref() {
            Some(Node::Items(items)) => {
                let place = items.binary_search_by_key(&index, |(known, _)| *known);
                place.ok().and_then(|place| items.get(place)).map_or(&NONE, |(_, own)| own)
            }
            Some(Node::Number(_) | Node::Members(_)) if index == 0 => self,
            Some(Node::Number(_) | Node::Members(_)) | None => &NONE,
        }
    }

    /// Those of a member.
    #[must_use]
    pub fn member(&self, name: &str) -> &Self {
        match self.0.as_deref() {
            Some(Node::Members(members)) => {
                let place = members.binary_search_by(|(known, _)| (**known).cmp(name));
                place.ok().and_then(|place| members.get(place)).map_or(&NONE, |(_, own)| own)
            }
            Some(Node::Number(_) | Node::Items(_)) | None => &NONE,
        }
    }

    /// Appends a text that differs if the numbers differ, for keys of caches.
    pub fn write_key(&self, key: &mut Vec<u8>) {
        match self.0.as_deref() {
            None => {}
            Some(Node::Number(text)) => key.extend_from_slice(text.as_bytes()),
            Some(Node::Items(items)) => {
                key.push(b'[');
                for (index, own) in items {
                    key.extend_from_slice(index.to_string().as_bytes());
                    key.push(b':');
                    own.write_key(key);
                    key.push(b',');
                }
                key.push(b']');
            }
            Some(Node::Members(members)) => {
                key.push(b'{');
                for (name, own) in members {
                    let length = name.len().to_string();
                    for part in [length.as_bytes(), b":", name.as_bytes(), b":"] {
                        key.extend_from_slice(part);
                    }
                    own.write_key(key);
                    key.push(b',');
                }
                key.push(b'}');
            }
        }
    }

    /// The bytes on the heap.
    #[must_use]
    pub fn heap_size(&self) -> usize {
        let Some(node) = self.0.as_deref() else { return 0 };
        // The counters of the reference beside the node.
        let own = 2 * size_of::<usize>() + size_of::<Node>();
        own + match node {
            Node::Number(text) => text.len(),
            Node::Items(items) => {
                let parts: usize = items.iter().map(|(_, own)| own.heap_size()).sum();
                items.capacity() * size_of::<(usize, Self)>() + parts
            }
            Node::Members(members) => {
                let parts = members.iter().map(|(name, own)| name.len() + own.heap_size());
                members.capacity() * size_of::<(Box<str>, Self)>() + parts.sum::<usize>()
            }
        }
    }

    fn of(node: Node) -> Self {
        Self(Some(Arc::new(node)))
    }
}

/// True if the JSON value of a number is another number.
fn is_rounded(text: &str) -> bool {
    let Ok(number) = serde_json::from_str::<Number>(text) else { return true };
    number.is_f64() && decimal(&number.to_string()) != decimal(text)
}

/// The digits of a number without zeros around them, the exponent behind them, and whether it is
/// negative: equal for all texts of one number. Zero has no digits.
fn decimal(text: &str) -> Option<(String, i64, bool)> {
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    if digits.bytes().all(|digit| digit == b'0') {
        // Whatever its exponent is, which may be too large for an integer.
        return Some((String::new(), 0, false));
    }
    let exponent: i64 = exponent.parse().ok()?;
    let trimmed = digits.trim_end_matches('0');
    let zeros = i64::try_from(digits.len() - trimmed.len()).ok()?;
    let exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?.checked_add(zeros)?;
    Some((trimmed.trim_start_matches('0').to_owned(), exponent, is_negative))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(json: &str) -> String {
        let mut key = Vec::new();
        ExactNumbers::read(json.as_bytes()).write_key(&mut key);
        String::from_utf8(key).unwrap()
    }

    #[test]
    fn numbers_that_values_have_exactly_are_left_out() {
        for json in [
            "null",
            "[true, false, \"1.50\", {}, []]",
            r#"{"a": [1, -7, 18446744073709551615, 1.5, 0.1], "b\"": {"c": "\\"}}"#,
            "[1.50, 1e2, 1E+2, -0.0, 0e5, 100e-2, 0.00012, 1e300]",
            "[0e99999999999999999999, -0.00E-99999999999999999999, 0e+99999999999999999999]",
            "",
            "[1.00000000000000000001",
            "{\"a\"",
            "\"1.00000000000000000001",
        ] {
            assert_eq!(key(json), "", "{json}");
        }
    }

    #[test]
    fn numbers_are_found_by_their_places() {
        let json = r#" {"a\u0062": [1, 1.00000000000000000001, {"c":[ -0.12345678901234567890 ]}], "\"d": 1e-400,
            "e": 18446744073709551616, "f": {"x": 1}} "#;
        assert_eq!(
            key(json),
            "{2:\"d:1e-400,2:ab:[1:1.00000000000000000001,2:{1:c:[0:-0.12345678901234567890,],},],1:e:18446744073709551616,}"
        );
        let found = ExactNumbers::read(json.as_bytes());
        let list = found.member("ab");
        assert_eq!(list.item(1).text(), Some("1.00000000000000000001"));
        assert_eq!(list.item(2).member("c").item(0).text(), Some("-0.12345678901234567890"));
        for other in [list, list.item(0), list.item(3), found.member("f"), list.member("ab")] {
            assert_eq!(other.text(), None);
        }
        // A value that replaces the one that was read keeps its own digits.
        let number = |text: &str| serde_json::from_str::<Number>(text).unwrap();
        let small = list.item(1);
        assert_eq!(small.text_of(&number("1.0")), Some("1.00000000000000000001"));
        assert_eq!(small.text_of(&number("1")), None);
        assert_eq!(small.text_of(&number("1.5")), None);
        assert_eq!(list.text_of(&number("1.0")), None);
        // A single value is coerced to a list of one.
        let single = found.member("e");
        assert_eq!((single.item(0).text(), single.item(1).text()), (single.text(), None));
    }
}
