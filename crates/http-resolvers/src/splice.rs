//! Places in a response where values of resolvers are missing.
//!
//! A response is written with a placeholder for the value of each resolver: an object that has the
//! number of the selection and the inputs of the resolver, such as `{"$":0,"$id":"0x1"}`. These keys
//! are no names of GraphQL. Placeholders are looked for only where the operation selects a field
//! with a resolver, so no stored value is taken for one.

mod scan;

use std::collections::BTreeMap;
use std::ops::Range;

use graphql::PathSegment;
use graphql::schema::TypeRef;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::inputs::Inputs;
use scan::Scanner;

/// The key of a placeholder's number, and the first byte of the keys of its inputs.
pub const MARK: &str = "$";

/// A field of the response on the way to placeholders.
#[derive(Clone, Debug, PartialEq)]
pub struct Position {
    pub response_name: Box<str>,
    pub r#type: TypeRef,
    /// True if its value may be a placeholder.
    pub is_resolved: bool,
    /// Fields of its objects.
    pub children: Vec<Position>,
}

/// A placeholder in a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// The number of the selection.
    pub selection: usize,
    /// Its bytes in the response.
    pub bytes: Range<usize>,
    node: u32,
}

/// The placeholders of a response.
#[derive(Debug)]
pub struct Placeholders<'p> {
    /// Values on the ways to placeholders; parents come first.
    nodes: Vec<Node<'p>>,
    pub list: Vec<Placeholder>,
}

/// A value of the response that is a placeholder or contains one.
#[derive(Debug)]
struct Node<'p> {
    parent: Option<u32>,
    step: Step<'p>,
    start: usize,
    end: usize,
    is_nullable: bool,
}

#[derive(Clone, Copy, Debug)]
enum Step<'p> {
    Root,
    Field(&'p str),
    Item(usize),
}

/// The value of a placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fill {
    /// JSON, as its place in a buffer.
    Bytes(Range<usize>),
    /// Null, or the null of the nearest value around it that may be null.
    Null,
}

/// The response is not the JSON that its operation describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a response is not the JSON that its operation describes")]
pub struct Unreadable;

impl<'p> Placeholders<'p> {
    /// Finds the placeholders in `data`, the object of the root fields.
    pub fn find(data: &[u8], positions: &'p [Position]) -> Result<Self, Unreadable> {
        let mut found = Self { nodes: Vec::new(), list: Vec::new() };
        let mut scanner = Scanner::new(data);
        let node = found.begin(None, Step::Root, 0, true);
        if scanner.peek() == Some(b'{') {
            found.object(&mut scanner, positions, node)?;
        }
        found.end(node, scanner.place());
        Ok(found)
    }

    /// Bytes of memory that they take.
    #[must_use]
    pub fn memory_size(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<'_>>()
            + self.list.capacity() * size_of::<Placeholder>()
    }

    /// The response path of a placeholder.
    #[must_use]
    pub fn path(&self, placeholder: &Placeholder) -> Vec<PathSegment> {
        let mut path = Vec::new();
        let mut next = Some(placeholder.node);
        while let Some(node) = next.and_then(|id| self.nodes.get(id as usize)) {
            match node.step {
                Step::Root => {}
                Step::Field(name) => path.push(PathSegment::Field(name.into())),
                Step::Item(idx) => path.push(PathSegment::Index(idx)),
            }
            next = node.parent;
        }
        path.reverse();
        path
    }

    /// Appends the response to the output, with the values of all placeholders, in their order.
    pub fn fill(&self, data: &[u8], fills: &[Fill], values: &[u8], output: &mut Vec<u8>) {
        let mut edits: Vec<(Range<usize>, &[u8])> = Vec::with_capacity(fills.len());
        for (placeholder, fill) in self.list.iter().zip(fills) {
            match fill {
                Fill::Bytes(range) => {
                    let bytes = values.get(range.clone()).unwrap_or(b"null");
                    edits.push((placeholder.bytes.clone(), bytes));
                }
                Fill::Null => edits.push((self.nulled(placeholder), b"null")),
            }
        }
        // Of two places, the outer one comes first.
        edits.sort_by(|(one, _), (other, _)| {
            one.start.cmp(&other.start).then(other.end.cmp(&one.end))
        });
        let mut done = 0;
        for (place, bytes) in edits {
            if place.start < done {
                continue;
            }
            output.extend_from_slice(data.get(done..place.start).unwrap_or_default());
            output.extend_from_slice(bytes);
            done = place.end;
        }
        output.extend_from_slice(data.get(done..).unwrap_or_default());
    }

    /// The nearest value that may be null, from a placeholder outwards.
    fn nulled(&self, placeholder: &Placeholder) -> Range<usize> {
        let mut id = placeholder.node;
        loop {
            match self.nodes.get(id as usize) {
                Some(Node { is_nullable: false, parent: Some(parent), .. }) => id = *parent,
                Some(node) => return node.start..node.end,
                None => return placeholder.bytes.clone(),
            }
        }
    }

    fn begin(
        &mut self,
        parent: Option<u32>,
        step: Step<'p>,
        start: usize,
        is_nullable: bool,
    ) -> u32 {
        let id = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes.push(Node { parent, step, start, end: start, is_nullable });
        id
    }

    fn end(&mut self, node: u32, end: usize) {
        if let Some(node) = self.nodes.get_mut(node as usize) {
            node.end = end;
        }
    }

    /// Recursion is bounded by the depth of the operation and of types.
    fn value(
        &mut self,
        scanner: &mut Scanner<'_>,
        position: &'p Position,
        r#type: TypeRef,
        parent: u32,
        step: Step<'p>,
    ) -> Result<(), Unreadable> {
        let (first_node, first) = (self.nodes.len(), self.list.len());
        let start = scanner.place();
        let node = self.begin(Some(parent), step, start, !r#type.is_non_null());
        match scanner.peek() {
            Some(b'{') => match position.is_resolved.then(|| scanner.placeholder()).flatten() {
                Some(selection) => {
                    scanner.skip_value()?;
                    self.list.push(Placeholder { selection, bytes: start..scanner.place(), node });
                }
                None => self.object(scanner, &position.children, node)?,
            },
            Some(b'[') => self.items(scanner, position, r#type.item().unwrap_or(r#type), node)?,
            Some(_) | None => scanner.skip_value()?,
        }
        match self.list.len() == first {
            true => self.nodes.truncate(first_node),
            false => self.end(node, scanner.place()),
        }
        Ok(())
    }

    fn object(
        &mut self,
        scanner: &mut Scanner<'_>,
        positions: &'p [Position],
        node: u32,
    ) -> Result<(), Unreadable> {
        scanner.open(b'{')?;
        while let Some(key) = scanner.next_key()? {
            let mut known = positions.iter();
            match known.find(|position| position.response_name.as_bytes() == key) {
                Some(position) => {
                    let step = Step::Field(&position.response_name);
                    self.value(scanner, position, position.r#type, node, step)?;
                }
                None => scanner.skip_value()?,
            }
        }
        Ok(())
    }

    fn items(
        &mut self,
        scanner: &mut Scanner<'_>,
        position: &'p Position,
        item: TypeRef,
        node: u32,
    ) -> Result<(), Unreadable> {
        scanner.open(b'[')?;
        let mut idx = 0;
        while scanner.next_item()? {
            self.value(scanner, position, item, node, Step::Item(idx))?;
            idx += 1;
        }
        Ok(())
    }
}

impl Inputs {
    /// The inputs of a placeholder.
    #[must_use]
    pub fn of_placeholder(bytes: &[u8]) -> Self {
        let members: Map<String, Value> = serde_json::from_slice(bytes).unwrap_or_default();
        let inputs = members.into_iter().filter_map(|(key, value)| {
            let name = key.strip_prefix(MARK).filter(|name| !name.is_empty())?;
            Some((name.to_owned(), value))
        });
        Self::of(Value::Object(inputs.collect()))
    }

    /// The same for a source of this process, which gets numbers as they are written.
    #[must_use]
    pub fn of_exact_placeholder(bytes: &[u8]) -> Self {
        let members: BTreeMap<String, &RawValue> =
            serde_json::from_slice(bytes).unwrap_or_default();
        let inputs = members.into_iter().filter_map(|(key, value)| {
            let name = key.strip_prefix(MARK).filter(|name| !name.is_empty())?;
            Some((name.to_owned(), exact(value)))
        });
        Self::of(Value::Object(inputs.collect()))
    }
}

/// A value of a key. A number that would be another one here is a text: databases read both alike.
pub(crate) fn exact(raw: &RawValue) -> Value {
    let text = raw.get();
    let is_number = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    match serde_json::from_str(text) {
        Ok(Value::Number(number)) if number.to_string() == text => Value::Number(number),
        _ if is_number => Value::String(text.to_owned()),
        read => read.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use graphql::schema::{Schema, TypeDefinition, TypeKind};

    use super::*;

    /// `{ a: [{ b, c }], d }`, where `b` and `d` have resolvers; `required` are non-null.
    fn positions(required: &str) -> Vec<Position> {
        let mut schema = Schema::default();
        let definition =
            TypeDefinition { name: "T".into(), description: None, kind: TypeKind::Scalar };
        let named = TypeRef::named(schema.add_type(definition).unwrap());
        let position = |name: &str, r#type: TypeRef, is_resolved, children| Position {
            response_name: name.into(),
            r#type: r#type.non_null_if(required.contains(name)),
            is_resolved,
            children,
        };
        let item = named.non_null_if(required.contains('i'));
        let b = position("b", named, true, vec![]);
        vec![position("a", item.list(), false, vec![b]), position("d", named, true, vec![])]
    }

    const DATA: &str = r#"{"x":{"$":9},"a":[{"c":"\"}","b":{"$":0,"$id":"0x1"}},null,{"b":{"$":0,"$id":"0x2"}}],"d":{"$":1}}"#;

    fn check(required: &str, values: [Option<&str>; 3], expected: &str) {
        let positions = positions(required);
        let found = Placeholders::find(DATA.as_bytes(), &positions).unwrap();
        let mut buffer = Vec::new();
        let fills = values.map(|value| match value {
            Some(value) => {
                let start = buffer.len();
                buffer.extend_from_slice(value.as_bytes());
                Fill::Bytes(start..buffer.len())
            }
            None => Fill::Null,
        });
        let mut output = Vec::new();
        found.fill(DATA.as_bytes(), &fills, &buffer, &mut output);
        assert_eq!(String::from_utf8(output).unwrap(), expected, "{required}");
    }

    #[test]
    fn placeholders_have_paths_and_inputs() {
        let positions = positions("");
        let found = Placeholders::find(DATA.as_bytes(), &positions).unwrap();
        let shown: Vec<_> = found
            .list
            .iter()
            .map(|one| {
                let inputs = Inputs::of_placeholder(&DATA.as_bytes()[one.bytes.clone()]);
                format!("{} {:?} {}", one.selection, found.path(one), inputs.to_json())
            })
            .collect();
        assert_eq!(
            shown,
            [
                r#"0 [Field("a"), Index(0), Field("b")] {"id":"0x1"}"#,
                r#"0 [Field("a"), Index(2), Field("b")] {"id":"0x2"}"#,
                r#"1 [Field("d")] {}"#,
            ]
        );
    }

    #[test]
    fn a_source_gets_numbers_as_they_are_written() {
        let placeholder = br#"{"$":0,"$a":12345678901234567890123.1,"$b":-7,"$c":1e999,"$d":"1","$e":null,"$f":1.5}"#;
        let inputs = Inputs::of_exact_placeholder(placeholder).to_json().to_string();
        let expected =
            r#"{"a":"12345678901234567890123.1","b":-7,"c":"1e999","d":"1","e":null,"f":1.5}"#;
        assert_eq!(inputs, expected);
    }

    #[test]
    fn values_take_the_places_of_placeholders() {
        check(
            "",
            [Some("[1]"), Some("2"), Some("\"d\"")],
            r#"{"x":{"$":9},"a":[{"c":"\"}","b":[1]},null,{"b":2}],"d":"d"}"#,
        );
        check(
            "",
            [None, Some("2"), None],
            r#"{"x":{"$":9},"a":[{"c":"\"}","b":null},null,{"b":2}],"d":null}"#,
        );
    }

    #[test]
    fn a_null_that_is_not_allowed_goes_outwards() {
        check("b", [None, Some("2"), Some("3")], r#"{"x":{"$":9},"a":[null,null,{"b":2}],"d":3}"#);
        check("bi", [Some("1"), None, Some("3")], r#"{"x":{"$":9},"a":null,"d":3}"#);
        check("bi", [None, None, Some("3")], r#"{"x":{"$":9},"a":null,"d":3}"#);
        check("bia", [None, Some("2"), Some("3")], "null");
        check("d", [Some("1"), Some("2"), None], "null");
    }

    #[test]
    fn other_json_is_unreadable() {
        let positions = positions("");
        for text in ["", "{", "{\"a\":", "{\"a\":[", "{\"a\":[{\"b\":1]"] {
            let found = Placeholders::find(text.as_bytes(), &positions);
            assert!(text.is_empty() || found.is_err(), "{text}");
        }
    }
}
