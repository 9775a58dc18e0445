//! Payloads of a response in parts, in both formats:
//!
//! * [`IncrementalFormat::Fragments`]: each fragment with all its fields:
//!   <https://specs.apollo.dev/incremental/v0.1/>
//! * [`IncrementalFormat::Fields`]: each field once, to the objects that the client has:
//!   <https://specs.apollo.dev/incremental/v0.2/>,
//!   <https://github.com/graphql/graphql-spec/pull/1110>

use ::gateway::execute::IncrementalFormat;
use graphql::{ErrorCode, GraphQLError};
use response::MemoryReservation;
use rustc_hash::FxHashSet;

use super::tree::{DeferredObject, Member, Names, Part, Path, Step, Value};
use crate::respond::write_errors;

/// The values that the client has, and the fragments that are to be sent.
#[derive(Debug)]
pub(super) struct PayloadWriter {
    format: IncrementalFormat,
    pub(super) names: Names,
    labels: Vec<Option<Box<str>>>,
    /// The data of the client; leaves are not read again.
    data: Value,
    pending: Vec<Pending>,
    /// The number of announced fragments.
    announced: usize,
    /// The memory of the data.
    held: MemoryReservation,
}

/// A fragment on an object that the client has.
#[derive(Debug)]
struct Pending {
    found: DeferredObject,
    id: usize,
}

/// The lists of a payload.
#[derive(Debug, Default)]
struct Lists {
    incremental: Vec<u8>,
    completed: Vec<u8>,
    found: Vec<DeferredObject>,
}

/// Receives the new members of an object, with the path to it.
type WriteMembers<'w> = &'w mut dyn FnMut(&[Step], &[Member]);

/// The reason why a fragment has no data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Missing {
    /// A null stands on the path to the fragment, or in place of an object that the client has.
    Null,
    /// A list differs from the client's.
    Disagreement,
}

impl PayloadWriter {
    /// A writer for fragments with these labels.
    pub(super) fn new(format: IncrementalFormat, labels: Vec<Option<Box<str>>>) -> Self {
        let (names, data) = (Names::default(), Value::Null);
        let held = MemoryReservation::default();
        Self { format, names, labels, data, pending: Vec::new(), announced: 0, held }
    }

    /// Whether fragments are still to be sent.
    pub(super) fn has_next(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Whether a fragment is to be sent to any object.
    pub(super) fn is_pending(&self, fragment: usize) -> bool {
        self.pending.iter().any(|pending| pending.found.fragment == fragment)
    }

    /// The initial payload, with the JSON list of its errors. Without fragments it is a whole
    /// response.
    pub(super) fn initial(&mut self, part: Part, errors: &[u8]) -> Vec<u8> {
        let mut body = Vec::with_capacity(part.texts.len() * 2);
        body.extend_from_slice(b"{\"data\":");
        self.names.write(&part.data, &part.texts, &mut body);
        if !errors.is_empty() {
            body.extend_from_slice(b",\"errors\":");
            body.extend_from_slice(errors);
        }
        let mut found = Vec::new();
        self.names.find(&part.data, &mut Path::new(), &mut found);
        self.data = part.data;
        self.held.join(part.held);
        self.announce(found, &mut body);
        if self.has_next() {
            body.extend_from_slice(b",\"hasNext\":true");
        }
        body.push(b'}');
        body
    }

    /// The payload of a fragment that was executed.
    pub(super) fn fragment(
        &mut self,
        fragment: usize,
        mut part: Part,
        errors: &[GraphQLError],
    ) -> Vec<u8> {
        let mut lists = Lists::default();
        for pending in self.take_pending(fragment) {
            let path = &pending.found.path;
            let object = match part.data.at(path).map(std::mem::take) {
                Some(Value::Object(members)) if self.has_marker(&members, fragment) => Ok(members),
                Some(Value::Null) | None => Err(Missing::Null),
                Some(_) => Err(Missing::Disagreement),
            };
            let sent = object
                .and_then(|members| self.send(&pending, members, &part.texts, &mut lists, errors));
            if let Err(missing) = sent {
                let agrees = |error: &&GraphQLError| self.names.agrees(&error.path, path);
                let mut own: Vec<_> = errors.iter().filter(agrees).cloned().collect();
                if own.is_empty() {
                    own.push(missing.error());
                }
                self.refuse(&pending, &own, &mut lists);
            }
        }
        self.held.join(part.held);
        self.finish(lists)
    }

    /// The payload of a fragment that could not be executed.
    pub(super) fn failed(&mut self, fragment: usize, error: &GraphQLError) -> Vec<u8> {
        let mut lists = Lists::default();
        for pending in self.take_pending(fragment) {
            self.refuse(&pending, std::slice::from_ref(error), &mut lists);
        }
        self.finish(lists)
    }

    /// The last payload of a response that cannot be completed.
    pub(super) fn all_failed(&mut self, error: &GraphQLError) -> Vec<u8> {
        let mut lists = Lists::default();
        for pending in std::mem::take(&mut self.pending) {
            self.refuse(&pending, std::slice::from_ref(error), &mut lists);
        }
        self.finish(lists)
    }

    fn take_pending(&mut self, fragment: usize) -> Vec<Pending> {
        let all = std::mem::take(&mut self.pending).into_iter();
        let (own, others) = all.partition(|pending| pending.found.fragment == fragment);
        self.pending = others;
        own
    }

    fn has_marker(&self, members: &[Member], fragment: usize) -> bool {
        members.iter().any(|(id, _)| self.names.marked(*id) == Some(fragment))
    }

    /// Sends a fragment's object, and adds its fields to the data of the client.
    fn send(
        &mut self,
        pending: &Pending,
        members: Vec<Member>,
        texts: &[u8],
        lists: &mut Lists,
        errors: &[GraphQLError],
    ) -> Result<(), Missing> {
        let path = &pending.found.path;
        let Some(known) = self.data.at(path) else { return Err(Missing::Disagreement) };
        let object = Value::Object(members);
        agree(known, &object)?;
        let is_own = |error: &&GraphQLError| self.names.is_below(&error.path, path);
        let mut errors: Vec<GraphQLError> = errors.iter().filter(is_own).cloned().collect();
        let mut found = Vec::new();
        self.names.find(&object, &mut path.clone(), &mut found);
        found.retain(|found| found.fragment != pending.found.fragment);
        let mut known = std::mem::take(known);
        let out = &mut lists.incremental;
        match self.format {
            IncrementalFormat::Fragments => {
                separate(out);
                out.extend_from_slice(b"{\"data\":");
                self.names.write(&object, texts, out);
                self.place(&pending.found, out);
                end_item(&errors, out);
                self.merge(&mut known, object, &mut |_, _| {}, &mut Path::new());
            }
            IncrementalFormat::Fields => {
                let id = pending.id;
                let names = &self.names;
                let mut write = |path: &[Step], new: &[Member]| {
                    separate(out);
                    out.extend_from_slice(format!("{{\"id\":\"{id}\"").as_bytes());
                    if !path.is_empty() {
                        out.extend_from_slice(b",\"subPath\":");
                        names.write_path(path, out);
                    }
                    out.extend_from_slice(b",\"data\":");
                    names.write_object(new, texts, out);
                    end_item(&std::mem::take(&mut errors), out);
                };
                self.merge(&mut known, object, &mut write, &mut Path::new());
                separate(&mut lists.completed);
                lists.completed.extend_from_slice(format!("{{\"id\":\"{id}\"}}").as_bytes());
            }
        }
        if let Some(place) = self.data.at(path) {
            *place = known;
        }
        // Nothing is sent below a null that the client has.
        found.retain(|found| matches!(self.data.at(&found.path), Some(Value::Object(_))));
        lists.found.extend(found);
        Ok(())
    }

    /// Adds the values of a part to those that the client has, and passes on the new members of each
    /// object. Recursion is bounded by the depth of the operation.
    fn merge(&self, known: &mut Value, value: Value, write: WriteMembers<'_>, path: &mut Path) {
        match (known, value) {
            (Value::Object(known), Value::Object(members)) => {
                let (new, common): (Vec<_>, Vec<_>) = members
                    .into_iter()
                    .partition(|(id, _)| !known.iter().any(|(own, _)| own == id));
                if new.iter().any(|(id, _)| self.names.marked(*id).is_none()) {
                    write(path, &new);
                }
                for (id, member) in common {
                    let Some((_, own)) = known.iter_mut().find(|(own, _)| *own == id) else {
                        continue;
                    };
                    path.push(Step::Name(id));
                    self.merge(own, member, write, path);
                    path.pop();
                }
                known.extend(new);
            }
            (Value::List(known), Value::List(elements)) => {
                for (index, (own, element)) in known.iter_mut().zip(elements).enumerate() {
                    path.push(Step::Index(index));
                    self.merge(own, element, write, path);
                    path.pop();
                }
            }
            // The client has the value. Nothing is sent below a null.
            (Value::Null | Value::Leaf { .. } | Value::Object(_) | Value::List(_), _) => {}
        }
    }

    /// Sends the errors of a fragment without data.
    fn refuse(&self, pending: &Pending, errors: &[GraphQLError], lists: &mut Lists) {
        match self.format {
            IncrementalFormat::Fragments => {
                let out = &mut lists.incremental;
                separate(out);
                out.extend_from_slice(b"{\"data\":null");
                self.place(&pending.found, out);
                end_item(errors, out);
            }
            IncrementalFormat::Fields => {
                let out = &mut lists.completed;
                separate(out);
                out.extend_from_slice(format!("{{\"id\":\"{}\"", pending.id).as_bytes());
                end_item(errors, out);
            }
        }
    }

    /// Adds fragments that are to be sent; with a list `pending` where the format has one.
    fn announce(&mut self, found: Vec<DeferredObject>, out: &mut Vec<u8>) {
        let mut is_first = true;
        let fragments: FxHashSet<usize> = found.iter().map(|found| found.fragment).collect();
        let known = self.pending.iter().map(|pending| &pending.found);
        let known = known.filter(|known| fragments.contains(&known.fragment));
        let mut known: FxHashSet<DeferredObject> = known.cloned().collect();
        for found in found {
            // Two fragments may contain the same one.
            if !known.insert(found.clone()) {
                continue;
            }
            let id = self.announced;
            self.announced += 1;
            if self.format == IncrementalFormat::Fields {
                let begin: &[u8] =
                    if std::mem::take(&mut is_first) { b",\"pending\":[" } else { b"," };
                out.extend_from_slice(begin);
                out.extend_from_slice(format!("{{\"id\":\"{id}\"").as_bytes());
                self.place(&found, out);
                out.push(b'}');
            }
            self.pending.push(Pending { found, id });
        }
        if !is_first {
            out.push(b']');
        }
    }

    /// Writes the members `path` and `label` of a fragment.
    fn place(&self, found: &DeferredObject, out: &mut Vec<u8>) {
        out.extend_from_slice(b",\"path\":");
        self.names.write_path(&found.path, out);
        if let Some(Some(label)) = self.labels.get(found.fragment) {
            out.extend_from_slice(b",\"label\":");
            response::escape::write_string(label, out);
        }
    }

    fn finish(&mut self, lists: Lists) -> Vec<u8> {
        let Lists { incremental, completed, found } = lists;
        let mut body = Vec::with_capacity(incremental.len() + completed.len() + 64);
        body.push(b'{');
        for (name, list) in [("incremental", incremental), ("completed", completed)] {
            if !list.is_empty() {
                body.extend_from_slice(format!("\"{name}\":[").as_bytes());
                body.extend_from_slice(&list);
                body.extend_from_slice(b"],");
            }
        }
        let mut announced = Vec::new();
        self.announce(found, &mut announced);
        if let Some((b',', pending)) = announced.split_first().map(|(first, rest)| (*first, rest)) {
            body.extend_from_slice(pending);
            body.push(b',');
        }
        body.extend_from_slice(if self.has_next() {
            b"\"hasNext\":true}"
        } else {
            b"\"hasNext\":false}"
        });
        body
    }
}

impl Missing {
    fn error(self) -> GraphQLError {
        match self {
            Self::Null => GraphQLError::new(
                ErrorCode::NotFound,
                "The object of this fragment is not there any more.",
            ),
            Self::Disagreement => crate::respond::our_bug("parts of a response disagree"),
        }
    }
}

/// Checks that a part has no null in place of an object or a list that the client has, and no list
/// of another length. Recursion is bounded by the depth of the operation.
fn agree(known: &Value, value: &Value) -> Result<(), Missing> {
    match (known, value) {
        (Value::Object(known), Value::Object(members)) => {
            for (id, member) in members {
                if let Some((_, own)) = known.iter().find(|(own, _)| own == id) {
                    agree(own, member)?;
                }
            }
            Ok(())
        }
        (Value::List(known), Value::List(elements)) if known.len() == elements.len() => {
            known.iter().zip(elements).try_for_each(|(own, element)| agree(own, element))
        }
        (Value::List(_), Value::List(_)) => Err(Missing::Disagreement),
        (Value::Object(_) | Value::List(_), Value::Null) => Err(Missing::Null),
        (Value::Null | Value::Leaf { .. } | Value::Object(_) | Value::List(_), _) => Ok(()),
    }
}

fn separate(list: &mut Vec<u8>) {
    if !list.is_empty() {
        list.push(b',');
    }
}

/// Ends an item, with its errors.
fn end_item(errors: &[GraphQLError], out: &mut Vec<u8>) {
    if !errors.is_empty() {
        out.extend_from_slice(b",\"errors\":");
        write_errors(errors, out);
    }
    out.push(b'}');
}
