//! What a subgraph is sent.

use std::ops::Range;

use serde_json_bytes::serde_json;

use super::Inputs;
use super::arena::ObjectId;
use super::represent::{Owner, Representations};
use crate::plan::Fetch;

/// What a request of the plan is asked with.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) lists: Vec<Representations>,
    /// The root objects that share its answer.
    pub(super) roots: Vec<ObjectId>,
}

/// What is sent at once: of each list, a range of the texts that are left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Part(Vec<Range<usize>>);

impl Part {
    /// The objects that an element of the answer is for.
    pub(super) fn owners<'a>(
        &self,
        asked: &'a Asked,
        list: usize,
        index: usize,
    ) -> Option<&'a [Owner]> {
        let range = self.0.get(list)?;
        let place = range.start.checked_add(index).filter(|place| *place < range.end)?;
        let list = asked.lists.get(list)?;
        Some(list.owners(*list.left.get(place)?))
    }

    /// The objects of a list.
    pub(super) fn all_owners<'a>(
        &self,
        asked: &'a Asked,
        list: usize,
    ) -> impl Iterator<Item = &'a Owner> + use<'a> {
        let range = self.0.get(list).cloned().unwrap_or_default();
        let list = asked.lists.get(list);
        let left = list.and_then(|list| list.left.get(range)).unwrap_or_default();
        left.iter().flat_map(move |text| list.map_or(&[][..], |list| list.owners(*text)))
    }

    /// How many elements the answer has.
    pub(super) fn len(&self, list: usize) -> usize {
        self.0.get(list).map_or(0, ExactSizeIterator::len)
    }
}

impl Asked {
    /// The parts of it, none with more representations than `most`.
    pub(super) fn parts(&self, most: usize) -> Vec<Part> {
        let none = || Part(vec![0..0; self.lists.len()]);
        let (mut parts, mut part, mut room) = (Vec::new(), none(), most.max(1));
        for (place, list) in self.lists.iter().enumerate() {
            let mut next = 0;
            while next < list.left.len() {
                if room == 0 {
                    parts.push(std::mem::replace(&mut part, none()));
                    room = most.max(1);
                }
                let end = list.left.len().min(next + room);
                part.0[place] = next..end;
                room -= end - next;
                next = end;
            }
        }
        parts.push(part);
        parts
    }
}

/// The body of a request: the document, and the variables that it says.
pub(super) fn body(inputs: Inputs<'_>, fetch: &Fetch, asked: &Asked, part: &Part) -> Vec<u8> {
    let texts = asked.lists.iter().zip(&part.0).map(|(list, range)| {
        list.left.get(range.clone()).unwrap_or_default().iter().map(|text| list.texts.text(*text))
    });
    let length: usize = texts.clone().flatten().map(|text| text.len() + 1).sum();
    let mut body =
        Vec::with_capacity(fetch.document.head.len() + length + fetch.entities.len() * 32 + 16);
    body.extend_from_slice(&fetch.document.head);
    for (place, texts) in texts.enumerate() {
        name(&mut body, &crate::plan::representations_variable(place));
        body.push(b'[');
        for (place, text) in texts.enumerate() {
            if place > 0 {
                body.push(b',');
            }
            body.extend_from_slice(text);
        }
        body.push(b']');
    }
    for slot in &fetch.document.variables {
        let value = inputs.variables.values.get(usize::from(slot.0)).and_then(Option::as_ref);
        // One that is not given is not sent: the subgraph has the same defaults.
        let Some(value) = value else { continue };
        name(&mut body, &inputs.operation.variable(*slot).name);
        // Writing to memory cannot fail, and a value has no keys but texts.
        let _ = serde_json::to_writer(&mut body, value);
    }
    body.extend_from_slice(b"}}");
    body
}

/// The name of a variable, which has nothing that JSON would escape.
fn name(body: &mut Vec<u8>, name: &str) {
    if !body.ends_with(b"{") {
        body.push(b',');
    }
    body.push(b'"');
    body.extend_from_slice(name.as_bytes());
    body.extend_from_slice(b"\":");
}
