//! Reading and writing of texts, numbers, lists and maps.

use std::collections::BTreeMap;

use serde_json::Number;

use crate::json::Json;
use crate::location::Segment;
use crate::node::json_text;
use crate::node::{Node, Value};
use crate::reader::{Description, Read, Reader};
use crate::shares::in_shares;

/// A type that is written as JSON, in Hasura's order.
pub(crate) trait Write {
    fn write(&self) -> Json;
}

impl Read for String {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::String(text) => Some(text.clone()),
            _ => reader.expected(node, "a text"),
        }
    }
}

impl Write for String {
    fn write(&self) -> Json {
        Json::String(self.clone())
    }
}

impl Read for bool {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::Bool(value) => Some(*value),
            _ => reader.expected(node, "true or false"),
        }
    }
}

impl Write for bool {
    fn write(&self) -> Json {
        Json::Bool(*self)
    }
}

impl Read for u64 {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let wanted = "a whole number from 0";
        let Value::Number(number) = &node.value else { return reader.expected(node, wanted) };
        match number.as_u64() {
            Some(value) => Some(value),
            None => reader.wrong(node, format!("{number} is not {wanted}.")),
        }
    }
}

impl Write for u64 {
    fn write(&self) -> Json {
        Json::Number((*self).into())
    }
}

impl Read for Number {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::Number(number) => Some(number.clone()),
            _ => reader.expected(node, "a number"),
        }
    }
}

impl Write for Number {
    fn write(&self) -> Json {
        Json::Number(self.clone())
    }
}

impl Read for Json {
    fn read(node: &Node, _: &mut Reader) -> Option<Self> {
        Some(node.to_json())
    }
}

impl Write for Json {
    fn write(&self) -> Json {
        self.clone()
    }
}

/// The length of lists from which all processors read them: thousands of tables.
const SHARED_LENGTH: usize = 256;

/// Reads all items, so that the problems of all are reported.
impl<T: Read> Read for Vec<T> {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::List(nodes) = &node.value else { return reader.expected(node, "a list") };
        if nodes.len() < SHARED_LENGTH {
            return read_items(0, nodes, reader);
        }
        let begun = &*reader;
        let shares = in_shares(nodes, |first, nodes| {
            let mut reader = begun.fork();
            (read_items(first, nodes, &mut reader), reader)
        });
        let mut items = Some(Vec::with_capacity(nodes.len()));
        for (share, read) in shares {
            reader.join(read);
            items = items.zip(share).map(|(mut items, share)| {
                items.extend(share);
                items
            });
        }
        items
    }

    fn describe(description: &mut Description) {
        T::describe(description);
    }
}

/// Reads the items of a list from the one of an index on; `None` if one has a problem.
fn read_items<T: Read>(first: usize, nodes: &[Node], reader: &mut Reader) -> Option<Vec<T>> {
    let mut items = Some(Vec::with_capacity(nodes.len()));
    for (index, node) in (first..).zip(nodes) {
        let item = reader.at(Segment::Index(index), |reader| read_item(node, reader));
        match (&mut items, item) {
            (Some(items), Some(item)) => items.push(item),
            (_, None) => items = None,
            (None, Some(_)) => {}
        }
    }
    items
}

/// Reads an item of a list, whose node lives no longer than that if it is deferred.
fn read_item<T: Read>(node: &Node, reader: &mut Reader) -> Option<T> {
    let Value::Deferred(deferred) = &node.value else { return T::read(node, reader) };
    match json_text::read_deferred(&node.mark.file, deferred) {
        Ok(node) => T::read(&node, reader),
        Err(problem) => {
            reader.problems.push(problem);
            None
        }
    }
}

impl<T: Write> Write for Vec<T> {
    fn write(&self) -> Json {
        Json::Array(self.iter().map(T::write).collect())
    }
}

/// A map by keys that the user chose. It is sorted, as Hasura writes such maps.
impl<T: Read> Read for BTreeMap<String, T> {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Object(entries) = &node.value else { return reader.expected(node, "an object") };
        let mut map = Some(Self::new());
        for entry in entries {
            let segment = Segment::Name(reader.name(&entry.key));
            let value = reader.at(segment, |reader| T::read(&entry.node, reader));
            match (&mut map, value) {
                (Some(map), Some(value)) => {
                    map.insert(entry.key.clone(), value);
                }
                (_, None) => map = None,
                (None, Some(_)) => {}
            }
        }
        map
    }

    fn describe(description: &mut Description) {
        T::describe(description);
    }
}

impl<T: Write> Write for BTreeMap<String, T> {
    fn write(&self) -> Json {
        Json::Object(self.iter().map(|(key, value)| (key.clone(), value.write())).collect())
    }
}

impl<T: Read> Read for Box<T> {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        T::read(node, reader).map(Box::new)
    }

    fn describe(description: &mut Description) {
        T::describe(description);
    }
}

impl<T: Write> Write for Box<T> {
    fn write(&self) -> Json {
        (**self).write()
    }
}
