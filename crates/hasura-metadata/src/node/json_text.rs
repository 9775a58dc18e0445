//! Reads JSON as a tree of nodes. The parser keeps no positions, so that places are paths.

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use serde_json::value::RawValue;

use crate::location::{Location, Mark, Path};
use crate::node::{DeferredObject, Entry, Node, Value};
use crate::problem::{Problem, ProblemKind};

/// Reads the only value of a text. The tables of sources, nearly all of large metadata, are deferred:
/// as nodes they would take ten times their text.
pub(crate) fn read(file: &Arc<str>, text: &str) -> Result<Node, Problem> {
    let text = text.trim_start_matches('\u{FEFF}');
    let begin = Cell::new(Begin { line: 1, line_start: 0, passed: 0 });
    let text = Text { file, text, begin: &begin };
    parse(text, Within::Root).map_err(|error| problem(file, &error, 1, 0))
}

/// Reads an object that was deferred.
pub(crate) fn read_deferred(file: &Arc<str>, deferred: &DeferredObject) -> Result<Node, Problem> {
    let DeferredObject { text, line, column } = deferred;
    let begin = Cell::new(Begin { line: 1, line_start: 0, passed: 0 });
    let text = Text { file, text, begin: &begin };
    parse(text, Within::Rest).map_err(|error| problem(file, &error, *line, *column))
}

fn parse(text: Text<'_>, within: Within) -> Result<Node, serde_json::Error> {
    let mut parser = serde_json::Deserializer::from_str(text.text);
    let node = Seed { text, within }.deserialize(&mut parser)?;
    parser.end().map(|()| node)
}

/// The problem of a text that begins at a line, behind so many bytes.
fn problem(file: &Arc<str>, error: &serde_json::Error, line: usize, column: usize) -> Problem {
    let number = |position: usize| u32::try_from(position).unwrap_or(u32::MAX);
    let column = if error.line() == 1 { column + error.column() } else { error.column() };
    let (line, column) = (number(line + error.line() - 1), number(column));
    let mark = Mark { file: Arc::clone(file), line, column };
    // The library appends the position, which the place has.
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
    Problem { kind: ProblemKind::Syntax, place: Location { mark, path: Path::default() }, message }
}

/// A text that is read.
#[derive(Clone, Copy)]
struct Text<'t> {
    file: &'t Arc<str>,
    text: &'t str,
    begin: &'t Cell<Begin>,
}

/// How far lines are counted.
#[derive(Clone, Copy)]
struct Begin {
    line: usize,
    /// The index of the line's begin.
    line_start: usize,
    passed: usize,
}

impl Text<'_> {
    /// The line of an index, from 1, and the bytes before the index there. Indexes grow.
    fn position(self, index: usize) -> (usize, usize) {
        let Begin { mut line, mut line_start, passed } = self.begin.get();
        for (offset, _) in self.text.get(passed..index).unwrap_or_default().match_indices('\n') {
            line += 1;
            line_start = passed + offset + 1;
        }
        self.begin.set(Begin { line, line_start, passed: index });
        (line, index.saturating_sub(line_start))
    }
}

/// The part of metadata that a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    /// The metadata, or an object around it.
    Root,
    Sources,
    Source,
    Tables,
    Rest,
}

impl Within {
    fn value(self, key: &str) -> Self {
        match (self, key) {
            (Self::Root, "metadata") => Self::Root,
            (Self::Root, "sources") => Self::Sources,
            // Of the root in older versions.
            (Self::Root | Self::Source, "tables") => Self::Tables,
            _ => Self::Rest,
        }
    }

    fn item(self) -> Self {
        match self {
            Self::Sources => Self::Source,
            Self::Root | Self::Source | Self::Tables | Self::Rest => Self::Rest,
        }
    }
}

#[derive(Clone, Copy)]
struct Seed<'t> {
    text: Text<'t>,
    within: Within,
}

impl Seed<'_> {
    fn mark(self) -> Mark {
        Mark::of_file(self.text.file)
    }

    fn node<E>(self, value: Value) -> Result<Node, E> {
        Ok(Node { mark: self.mark(), value })
    }

    /// An item of a long list.
    fn deferred<E: Error>(self, raw: &RawValue) -> Result<Node, E> {
        let text = raw.get();
        let within = Within::Rest;
        if !text.starts_with('{') {
            let node = parse(Text { text, ..self.text }, within);
            return node.map_err(E::custom);
        }
        let index = (text.as_ptr() as usize).saturating_sub(self.text.text.as_ptr() as usize);
        let (line, column) = self.text.position(index);
        self.node(Value::Deferred(DeferredObject { text: text.into(), line, column }))
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
        if self.within == Within::Tables {
            while let Some(raw) = items.next_element::<&RawValue>()? {
                nodes.push(self.deferred(raw)?);
            }
            return self.node(Value::List(nodes));
        }
        let seed = Self { within: self.within.item(), ..self };
        while let Some(node) = items.next_element_seed(seed)? {
            nodes.push(node);
        }
        self.node(Value::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Node, A::Error> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut keys = HashSet::new();
        while let Some(key) = members.next_key::<String>()? {
            if has_key(&entries, &mut keys, &key) {
                let message = format!("The key {key:?} occurs twice. Remove one of them.");
                return Err(A::Error::custom(message));
            }
            let seed = Self { within: self.within.value(&key), ..self };
            let node = members.next_value_seed(seed)?;
            entries.push(Entry { key, mark: self.mark(), node });
        }
        self.node(Value::Object(entries))
    }
}

/// Objects of more keys than this are searched for duplicates by a set; smaller ones, which nearly all
/// are, key by key.
const FEW_KEYS: usize = 16;

/// True if the object has the key already; `keys` are those of an object of many.
fn has_key(entries: &[Entry], keys: &mut HashSet<String>, key: &str) -> bool {
    if entries.len() < FEW_KEYS {
        return entries.iter().any(|entry| entry.key == key);
    }
    if keys.is_empty() {
        keys.extend(entries.iter().map(|entry| entry.key.clone()));
    }
    !keys.insert(key.to_owned())
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
        check("{\"sources\": [{\"tables\": [{\n\"a\": }]}]}", Err("a.json:2:6: expected value"));
    }

    #[test]
    fn problems_of_deferred_objects_have_a_line_and_a_column() {
        let check = |text: &str, expected: &[&str]| {
            let reading = crate::read_text("a.json", text);
            let problems = reading.problems.iter().filter(|one| one.kind == ProblemKind::Syntax);
            let problems: Vec<String> = problems.map(ToString::to_string).collect();
            assert_eq!(problems, expected, "{text}");
        };
        let twice = "The key \"a\" occurs twice. Remove one of them.";
        let tables = |tables: &str| {
            format!("{{\"version\": 3,\n \"sources\": [{{\"tables\": [{tables}]}}]}}")
        };
        let one = format!("a.json:2:37: {twice}");
        check(&tables("{\"a\": 1, \"a\": 2}"), &[&one]);
        let (one, two) = (format!("a.json:4:12: {twice}"), format!("a.json:5:9: {twice}"));
        let both = tables("\n{},\n  {\"a\":1,\"a\":1}, {\"a\":1\n  ,   \"a\":1}");
        check(&both, &[&one, &two]);
    }

    #[test]
    fn keys_of_large_objects_occur_once() {
        let keys: Vec<String> = (0..40).map(|key| format!("\"k{key}\": {key}")).collect();
        check(
            &format!("{{{}, \"k39\": 1}}", keys.join(", ")),
            Err("a.json:1:426: The key \"k39\" occurs twice. Remove one of them."),
        );
        let reading = read(&"a.json".into(), &format!("{{{}}}", keys.join(", "))).unwrap();
        assert_eq!(reading.into_entries().len(), 40);
    }
}
