//! Reads JSON as a tree of nodes. The parser keeps no positions, so that places are paths.

use std::fmt;
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use crate::location::{Location, Mark, Path};
use crate::node::{Entry, Node, Value};
use crate::problem::{Problem, ProblemKind};

/// Reads the only value of a text.
pub(crate) fn read(file: &Arc<str>, text: &str) -> Result<Node, Problem> {
    let mut parser = serde_json::Deserializer::from_str(text.trim_start_matches('\u{FEFF}'));
    let node = Seed { file }.deserialize(&mut parser);
    let node = node.and_then(|node| parser.end().map(|()| node));
    node.map_err(|error| {
        let number = |position: usize| u32::try_from(position).unwrap_or(u32::MAX);
        let (line, column) = (number(error.line()), number(error.column()));
        let mark = Mark { file: Arc::clone(file), line, column };
        // The library appends the position, which the place has.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
        Problem {
            kind: ProblemKind::Syntax,
            place: Location { mark, path: Path::default() },
            message,
        }
    })
}

#[derive(Clone, Copy)]
struct Seed<'f> {
    file: &'f Arc<str>,
}

impl Seed<'_> {
    fn node<E>(self, value: Value) -> Result<Node, E> {
        Ok(Node { mark: Mark::of_file(self.file), value })
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        self.node(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        self.node(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        self.node(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        self.node(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Node, E> {
        let number = Number::from_f64(value);
        let number = number.ok_or_else(|| E::custom("the number is too large"))?;
        self.node(Value::Number(number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        self.node(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = items.next_element_seed(self)? {
            nodes.push(node);
        }
        self.node(Value::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Node, A::Error> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut keys = std::collections::HashSet::new();
        while let Some(key) = members.next_key::<String>()? {
            if !keys.insert(key.clone()) {
                let message = format!("The key {key:?} occurs twice. Remove one of them.");
                return Err(A::Error::custom(message));
            }
            let node = members.next_value_seed(self)?;
            entries.push(Entry { key, mark: Mark::of_file(self.file), node });
        }
        self.node(Value::Object(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        let read = read(&"a.json".into(), text);
        let read = read.map(|node| node.to_json().compact()).map_err(|problem| problem.to_string());
        assert_eq!(read.as_deref().map_err(String::as_str), expected, "{text}");
    }

    #[test]
    fn every_kind_of_value_is_read() {
        let text = r#" {"b": [null, true, -1, 2.5, "ü\ud83d\ude00\/"], "a": {}} "#;
        check(text, Ok(r#"{"a":{},"b":[null,true,-1,2.5,"ü😀/"]}"#));
    }

    #[test]
    fn problems_have_a_line_and_a_column() {
        check("{\n  \"a\": }", Err("a.json:2:8: expected value"));
        check("{} {}", Err("a.json:1:4: trailing characters"));
        check(
            r#"{"a": 1, "a": 2}"#,
            Err("a.json:1:12: The key \"a\" occurs twice. Remove one of them."),
        );
        check(&"[".repeat(1000), Err("a.json:1:128: recursion limit exceeded"));
    }
}
