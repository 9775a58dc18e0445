//! Reads YAML as a tree of nodes with lines and columns.
//!
//! The tree is made of the parser's events and not of saphyr's own tree, for limits: nesting, and
//! the size of what aliases repeat.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use saphyr::Scalar;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, Tag};
use serde_json::Number;

use crate::location::{Location, Mark, Path};
use crate::node::{Entry, MAX_NESTING, Node, Value};
use crate::problem::{Problem, ProblemKind};

/// Limit of nodes of a file, aliases expanded.
const MAX_NODES: usize = 5_000_000;

/// Reads the only document of a text. An empty text is null.
pub(crate) fn read(file: &Arc<str>, text: &str) -> Result<Node, Problem> {
    read_within(file, text, MAX_NODES)
}

fn read_within(file: &Arc<str>, text: &str, max_nodes: usize) -> Result<Node, Problem> {
    let (stack, anchors) = (Vec::new(), HashMap::new());
    let mut tree = Tree { file, stack, anchors, nodes: 0, max_nodes, document: None };
    let mut parser = Parser::new_from_str(text.trim_start_matches('\u{FEFF}'));
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| {
            at(tree.mark(error.marker()), format!("The text is no YAML: {}.", error.info()))
        })?;
        tree.event(event, span)?;
    }
    let empty =
        Node { mark: Mark { line: 1, column: 1, ..Mark::of_file(file) }, value: Value::Null };
    Ok(tree.document.unwrap_or(empty))
}

struct Tree<'t> {
    file: &'t Arc<str>,
    /// The open lists and mappings.
    stack: Vec<Open>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    max_nodes: usize,
    document: Option<Node>,
}

/// A list or mapping whose end is not read yet.
struct Open {
    mark: Mark,
    anchor: usize,
    collection: Collection,
}

enum Collection {
    List(Vec<Node>),
    Mapping { entries: Vec<Entry>, keys: HashSet<String>, key: Option<Key>, merged: Vec<Node> },
}

struct Key {
    text: String,
    mark: Mark,
    /// `<<`: the entries of other mappings.
    is_merge: bool,
}

impl Tree<'_> {
    fn mark(&self, marker: &Marker) -> Mark {
        let number = |position: usize| u32::try_from(position).unwrap_or(u32::MAX);
        Mark {
            file: Arc::clone(self.file),
            line: number(marker.line()),
            column: number(marker.col() + 1),
        }
    }

    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Problem> {
        let mark = self.mark(&span.start);
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) => match self.document {
                None => Ok(()),
                Some(_) => Err(at(
                    mark,
                    "The file has several documents. Write one document in each file.".into(),
                )),
            },
            Event::Alias(anchor) => {
                let Some(node) = self.anchors.get(&anchor) else {
                    return Err(at(mark, "The alias is part of what it stands for.".into()));
                };
                // It is counted before it is copied.
                self.nodes = self.nodes.saturating_add(size(node));
                let node = (self.nodes <= self.max_nodes).then(|| node.clone());
                self.count(0, &mark)?;
                node.map_or(Ok(()), |node| self.add(node))
            }
            Event::Scalar(text, style, anchor, tag) => {
                if self.takes_key() {
                    return self.key(text.into_owned(), style, mark);
                }
                let value = scalar(&text, style, tag.as_ref(), &mark)?;
                self.count(1, &mark)?;
                self.end(Node { mark, value }, anchor)
            }
            Event::SequenceStart(anchor, tag) => {
                self.open(Collection::List(Vec::new()), anchor, tag.as_deref(), mark)
            }
            Event::MappingStart(anchor, tag) => {
                let (entries, keys, merged) = (Vec::new(), HashSet::new(), Vec::new());
                let mapping = Collection::Mapping { entries, keys, key: None, merged };
                self.open(mapping, anchor, tag.as_deref(), mark)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.stack.pop() else { return Ok(()) };
                let value = match open.collection {
                    Collection::List(items) => Value::List(items),
                    Collection::Mapping { mut entries, mut keys, merged, .. } => {
                        for node in merged {
                            merge(node, &mut entries, &mut keys)?;
                        }
                        Value::Object(entries)
                    }
                };
                self.end(Node { mark: open.mark, value }, open.anchor)
            }
        }
    }

    fn count(&mut self, nodes: usize, mark: &Mark) -> Result<(), Problem> {
        self.nodes = self.nodes.saturating_add(nodes);
        let most = self.max_nodes;
        if self.nodes <= most {
            return Ok(());
        }
        let message = format!(
            "The file has more than {most} values, aliases expanded. Split it into several."
        );
        Err(at(mark.clone(), message))
    }

    /// True if the next scalar is a key.
    fn takes_key(&self) -> bool {
        let open = self.stack.last().map(|open| &open.collection);
        matches!(open, Some(Collection::Mapping { key: None, .. }))
    }

    fn key(&mut self, text: String, style: ScalarStyle, mark: Mark) -> Result<(), Problem> {
        self.count(1, &mark)?;
        let Some(Open { collection: Collection::Mapping { keys, key, .. }, .. }) =
            self.stack.last_mut()
        else {
            return Ok(());
        };
        let is_merge = style == ScalarStyle::Plain && text == "<<";
        if !is_merge && !keys.insert(text.clone()) {
            let message = format!("The key {text:?} occurs twice. Remove one of them.");
            return Err(at(mark, message));
        }
        *key = Some(Key { text, mark, is_merge });
        Ok(())
    }

    fn open(
        &mut self,
        collection: Collection,
        anchor: usize,
        tag: Option<&Tag>,
        mark: Mark,
    ) -> Result<(), Problem> {
        if self.takes_key() {
            return Err(at(mark, "A key is a text, not a list or mapping.".into()));
        }
        if let Some(tag) = tag
            && !tag.is_yaml_core_schema()
        {
            return Err(unknown_tag(tag, mark));
        }
        if self.stack.len() >= MAX_NESTING {
            return Err(at(mark, format!("Values are nested deeper than {MAX_NESTING} levels.")));
        }
        self.count(1, &mark)?;
        self.stack.push(Open { mark, anchor, collection });
        Ok(())
    }

    /// Takes a complete node.
    fn end(&mut self, node: Node, anchor: usize) -> Result<(), Problem> {
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        self.add(node)
    }

    fn add(&mut self, node: Node) -> Result<(), Problem> {
        let Some(open) = self.stack.last_mut() else {
            self.document = Some(node);
            return Ok(());
        };
        match &mut open.collection {
            Collection::List(items) => items.push(node),
            Collection::Mapping { entries, key, merged, .. } => match key.take() {
                Some(Key { is_merge: true, .. }) => merged.push(node),
                Some(Key { text, mark, .. }) => entries.push(Entry { key: text, mark, node }),
                // An alias in the place of a key.
                None => return Err(at(node.mark, "A key is a text, not an alias.".into())),
            },
        }
        Ok(())
    }
}

/// Adds the entries of a merged mapping, or of a list of mappings, whose keys are absent.
/// <https://yaml.org/type/merge.html>
fn merge(node: Node, entries: &mut Vec<Entry>, keys: &mut HashSet<String>) -> Result<(), Problem> {
    match node.value {
        Value::Object(others) => {
            for other in others {
                if keys.insert(other.key.clone()) {
                    entries.push(other);
                }
            }
            Ok(())
        }
        Value::List(items) => items.into_iter().try_for_each(|item| merge(item, entries, keys)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Deferred(_) => {
            Err(at(
                node.mark,
                "The key `<<` merges a mapping, or a list of mappings, as in `<<: *name`.".into(),
            ))
        }
    }
}

fn scalar(
    text: &str,
    style: ScalarStyle,
    tag: Option<&Cow<'_, Tag>>,
    mark: &Mark,
) -> Result<Value, Problem> {
    if let Some(tag) = tag {
        // An older way to write `'!include file'`.
        if tag.handle == "!" && tag.suffix == "include" {
            return Ok(Value::String(format!("!include {text}")));
        }
        if !tag.is_yaml_core_schema() {
            return Err(unknown_tag(tag, mark.clone()));
        }
    } else if style == ScalarStyle::Plain
        && let Ok(number) = serde_json::from_str::<Number>(text)
    {
        // Integers beyond 64 bits with a sign, which saphyr would round.
        return Ok(Value::Number(number));
    }
    let wrong = || at(mark.clone(), format!("{text:?} does not have the type of its tag."));
    let scalar = Scalar::parse_from_cow_and_metadata(Cow::Borrowed(text), style, tag);
    Ok(match scalar.ok_or_else(wrong)? {
        Scalar::Null => Value::Null,
        Scalar::Boolean(value) => Value::Bool(value),
        Scalar::Integer(value) => Value::Number(value.into()),
        Scalar::FloatingPoint(value) => match Number::from_f64(value.into_inner()) {
            Some(number) => Value::Number(number),
            None => {
                let message = format!("{text} is no number of JSON. Write a text in quotes.");
                return Err(at(mark.clone(), message));
            }
        },
        Scalar::String(text) => Value::String(text.into_owned()),
    })
}

fn unknown_tag(tag: &Tag, mark: Mark) -> Problem {
    at(mark, format!("The tag {tag} is unknown. Only `!include` and YAML's own tags are read."))
}

fn at(mark: Mark, message: String) -> Problem {
    Problem { kind: ProblemKind::Syntax, place: Location { mark, path: Path::default() }, message }
}

/// The number of values and keys.
fn size(node: &Node) -> usize {
    match &node.value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Deferred(_) => {
            1
        }
        Value::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(entries) => {
            1 + entries.iter().map(|entry| 1 + size(&entry.node)).sum::<usize>()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        let read = read(&"a.yaml".into(), text);
        let read = read.map(|node| node.to_json().compact()).map_err(|problem| problem.to_string());
        assert_eq!(read.as_deref().map_err(String::as_str), expected, "{text}");
    }

    #[test]
    fn scalars_have_the_types_of_the_core_schema() {
        check("", Ok("null"));
        check("\u{FEFF}a: 1\n", Ok(r#"{"a":1}"#));
        check(
            "[~, true, no, 1, 1.50, 0x10, '1', 12345678901234567890, 2020-01-01, !!str 1]",
            Ok(r#"[null,true,"no",1,1.5,16,"1",12345678901234567890,"2020-01-01","1"]"#),
        );
        check("a: |\n  x\n  y\n", Ok(r#"{"a":"x\ny\n"}"#));
        check("a: .inf", Err("a.yaml:1:4: .inf is no number of JSON. Write a text in quotes."));
        check("a: !!int x", Err("a.yaml:1:4: \"x\" does not have the type of its tag."));
    }

    #[test]
    fn includes_are_texts_or_tags() {
        check(
            "- '!include a.yaml'\n- !include b.yaml\n",
            Ok(r#"["!include a.yaml","!include b.yaml"]"#),
        );
        check(
            "a: !other b",
            Err(
                "a.yaml:1:4: The tag !other is unknown. Only `!include` and YAML's own tags are read.",
            ),
        );
    }

    #[test]
    fn aliases_are_copies_and_merges_add_absent_keys() {
        check("a: &x [1]\nb: *x\n", Ok(r#"{"a":[1],"b":[1]}"#));
        check(
            "a: &x {k: 1, l: 2}\nb: {<<: *x, k: 3}\n",
            Ok(r#"{"a":{"k":1,"l":2},"b":{"k":3,"l":2}}"#),
        );
        check(
            "a: {<<: 1}",
            Err(
                "a.yaml:1:9: The key `<<` merges a mapping, or a list of mappings, as in `<<: *name`.",
            ),
        );
        let mut laughs = String::from("a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n");
        for level in 1..12 {
            let inner = level - 1;
            laughs +=
                &format!("a{level}: &a{level} [{}]\n", vec![format!("*a{inner}"); 10].join(","));
        }
        let problem = read_within(&"a.yaml".into(), &laughs, 1000).unwrap_err().to_string();
        assert_eq!(
            problem,
            "a.yaml:3:38: The file has more than 1000 values, aliases expanded. Split it into several."
        );
    }

    #[test]
    fn problems_have_a_line_and_a_column() {
        check("a: 1\na: 2\n", Err("a.yaml:2:1: The key \"a\" occurs twice. Remove one of them."));
        check(
            "a: 1\n---\nb: 1\n",
            Err("a.yaml:2:1: The file has several documents. Write one document in each file."),
        );
        check(
            "ü: [",
            Err(
                "a.yaml:2:1: The text is no YAML: while parsing a node, did not find expected node content.",
            ),
        );
        check("? [a]\n: 1", Err("a.yaml:1:3: A key is a text, not a list or mapping."));
        check(&"- ".repeat(500), Err("a.yaml:1:201: Values are nested deeper than 100 levels."));
    }
}
