//! Body of a subgraph request.

use std::ops::Range;

use serde_json_bytes::serde_json;

use super::Inputs;
use super::arena::ObjectId;
use super::contexts::{PrintedDocuments, Values};
use super::represent::{Owner, Representations};
use crate::plan::{self, Document, Entities, Fetch, FetchId};

/// Inputs of a fetch: representations and root objects.
#[derive(Debug, Default)]
pub(super) struct FetchInputs {
    pub(super) lists: Vec<EntityList>,
    /// Root objects that share the response.
    pub(super) roots: Vec<ObjectId>,
}

/// A list of entities in the request; one for each distinct set of context arguments.
#[derive(Debug)]
pub(super) struct EntityList {
    pub(super) of: ListSelection,
    /// Values of the context arguments, as JSON.
    pub(super) context_values: Values,
    pub(super) all: Representations,
}

/// Selection of a list of entities.
#[derive(Debug)]
pub(super) enum ListSelection {
    /// The planned selection, by its index in the fetch.
    Planned(usize),
    /// A selection without the fields whose inputs failed.
    Reduced(Box<Entities>),
}

/// One batch of a fetch: a range of the remaining representations of each list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Batch {
    ranges: Vec<Range<usize>>,
    /// Lists in its document; `None` if it is the planned document.
    printed: Option<Vec<usize>>,
}

impl EntityList {
    fn entities<'a>(&'a self, fetch: &'a Fetch) -> Option<&'a Entities> {
        match &self.of {
            ListSelection::Planned(planned) => fetch.entities.get(*planned),
            ListSelection::Reduced(entities) => Some(entities),
        }
    }
}

/// Maximum number of entity lists in one document, where context arguments differ.
const MAX_LISTS: usize = 64;

impl Batch {
    /// Number of lists in its document.
    pub(super) fn lists(&self) -> usize {
        self.printed.as_ref().map_or(self.ranges.len(), Vec::len)
    }

    /// Index of the list at this position of its document.
    pub(super) fn list(&self, place: usize) -> usize {
        let printed = self.printed.as_ref();
        printed.map_or(place, |printed| printed.get(place).copied().unwrap_or(usize::MAX))
    }

    /// Objects that an element of the response is for.
    pub(super) fn owners<'a>(
        &self,
        fetch_inputs: &'a FetchInputs,
        list: usize,
        index: usize,
    ) -> Option<&'a [Owner]> {
        let range = self.ranges.get(list)?;
        let place = range.start.checked_add(index).filter(|place| *place < range.end)?;
        let list = &fetch_inputs.lists.get(list)?.all;
        Some(list.owners(*list.left.get(place)?))
    }

    /// All objects of a list.
    pub(super) fn all_owners<'a>(
        &self,
        fetch_inputs: &'a FetchInputs,
        list: usize,
    ) -> impl Iterator<Item = &'a Owner> + use<'a> {
        let range = self.ranges.get(list).cloned().unwrap_or_default();
        let list = fetch_inputs.lists.get(list).map(|list| &list.all);
        let left = list.and_then(|list| list.left.get(range)).unwrap_or_default();
        left.iter().flat_map(move |text| list.map_or(&[][..], |list| list.owners(*text)))
    }

    /// Number of elements in the response.
    pub(super) fn len(&self, list: usize) -> usize {
        self.ranges.get(list).map_or(0, ExactSizeIterator::len)
    }
}

impl FetchInputs {
    /// Splits the fetch into batches with at most `most` representations each.
    pub(super) fn batches(&self, fetch: &Fetch, most: usize) -> Vec<Batch> {
        let planned = self.lists.iter().map(|list| match list.of {
            ListSelection::Planned(planned) => Some(planned),
            ListSelection::Reduced(_) => None,
        });
        let is_planned = planned.eq((0..fetch.entities.len()).map(Some));
        let none = || Batch {
            ranges: vec![0..0; self.lists.len()],
            printed: (!is_planned).then(Vec::new),
        };
        let (mut batches, mut batch, mut room) = (Vec::new(), none(), most.max(1));
        for (place, list) in self.lists.iter().enumerate() {
            let mut next = 0;
            while next < list.all.left.len() {
                let is_full = batch.printed.as_ref().is_some_and(|lists| lists.len() == MAX_LISTS);
                if room == 0 || is_full {
                    batches.push(std::mem::replace(&mut batch, none()));
                    room = most.max(1);
                }
                let end = list.all.left.len().min(next + room);
                batch.ranges[place] = next..end;
                if let Some(printed) = &mut batch.printed {
                    printed.push(place);
                }
                room -= end - next;
                next = end;
            }
        }
        batches.push(batch);
        batches
    }

    /// Selection of a list.
    pub(super) fn entities<'a>(&'a self, fetch: &'a Fetch, list: usize) -> Option<&'a Entities> {
        self.lists.get(list)?.entities(fetch)
    }

    /// Returns the list of a planned selection, unless it has context arguments.
    pub(super) fn without_contexts(&self, planned: usize) -> Option<&Representations> {
        let is_of = |list: &&EntityList| matches!(list.of, ListSelection::Planned(place) if place == planned);
        let mut of = self.lists.iter().filter(is_of);
        of.find(|list| list.context_values.is_empty()).map(|list| &list.all)
    }
}

/// Returns the document of a batch.
pub(super) fn document<'r>(
    inputs: Inputs<'r>,
    (number, fetch): (FetchId, &'r Fetch),
    fetch_inputs: &FetchInputs,
    batch: &Batch,
    kept: &'r PrintedDocuments,
) -> &'r Document {
    let Some(lists) = &batch.printed else { return &fetch.document };
    let lists = lists.iter().filter_map(|list| fetch_inputs.entities(fetch, *list));
    let lists: Vec<&Entities> = lists.collect();
    let Inputs { supergraph, operation, plan, .. } = inputs;
    let of = plan::DocumentPart { number, fetch, lists: &lists };
    kept.keep(plan::document(supergraph, operation, &plan.tree, &plan.contexts, of))
}

/// Returns the request body: the document and its variables.
pub(super) fn body(
    inputs: Inputs<'_>,
    fetch: &Fetch,
    document: &Document,
    fetch_inputs: &FetchInputs,
    batch: &Batch,
) -> Vec<u8> {
    let lists = (0..batch.lists()).map(|place| batch.list(place));
    let lists =
        lists.filter_map(|list| Some((fetch_inputs.lists.get(list)?, batch.ranges.get(list)?)));
    let texts = lists.clone().map(|(EntityList { all, .. }, range)| {
        all.left.get(range.clone()).unwrap_or_default().iter().map(|text| all.texts.text(*text))
    });
    let length: usize = texts.clone().flatten().map(|text| text.len() + 1).sum();
    let mut body = Vec::with_capacity(document.head.len() + length + batch.lists() * 32 + 16);
    body.extend_from_slice(&document.head);
    for (place, ((list, _), texts)) in lists.zip(texts).enumerate() {
        name(&mut body, &plan::representations_variable(place));
        body.push(b'[');
        for (place, text) in texts.enumerate() {
            if place > 0 {
                body.push(b',');
            }
            body.extend_from_slice(text);
        }
        body.push(b']');
        let context_values = list.entities(fetch).map_or(&[][..], |entities| &entities.contexts);
        for (context, value) in context_values.iter().zip(&list.context_values) {
            name(&mut body, &plan::context_variable(place, *context));
            body.extend_from_slice(value);
        }
    }
    for slot in &document.variables {
        let value = inputs.variables.values.get(usize::from(slot.0)).and_then(Option::as_ref);
        // Omitted variables are not sent: the subgraph has the same default values.
        let Some(value) = value else { continue };
        name(&mut body, &inputs.operation.variable(*slot).name);
        // Writing to memory cannot fail, and all keys are strings.
        let _ = serde_json::to_writer(&mut body, value);
    }
    body.extend_from_slice(b"}}");
    body
}

/// Writes the name of a variable, which needs no escaping.
fn name(body: &mut Vec<u8>, name: &str) {
    if !body.ends_with(b"{") {
        body.push(b',');
    }
    body.push(b'"');
    body.extend_from_slice(name.as_bytes());
    body.extend_from_slice(b"\":");
}
