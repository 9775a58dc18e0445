//! Payloads of a response in several parts: the initial one, then one for each set of deferred
//! fragments whose fetches are complete.
//!
//! * [`IncrementalFormat::Fragments`]: each fragment is sent with all its fields:
//!   <https://specs.apollo.dev/incremental/v0.1/>
//! * [`IncrementalFormat::Fields`]: each field is sent once, to the objects that the client has:
//!   <https://specs.apollo.dev/incremental/v0.2/>,
//!   <https://github.com/graphql/graphql-spec/pull/1110>

use response::Sink;
use response::sink::Full;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json_bytes::Value as Json;

use super::arena::{Arena, Cell, ObjectId};
use super::errors::{Errors, ExecutionError};
use super::run::Executed;
use super::write::{FoundFragment, Halt, Literals, PathElement, Recording, Writer};
use crate::outline::{DeferredFragment, PartId, Parts, PositionId};
use crate::plan::{Plan, ResponseMember, ResponseValue};
use supergraph::Supergraph;

/// Format of the payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncrementalFormat {
    /// `deferSpec=20220824`: payloads have the paths and labels of fragments.
    Fragments,
    /// `incrementalSpec=v0.2`: payloads have the ids of fragments that were announced.
    Fields,
}

/// Inputs of the payloads of one response.
#[derive(Clone, Copy)]
pub struct PayloadInputs<'p> {
    pub supergraph: &'p Supergraph,
    pub plan: &'p Plan,
    pub literals: &'p Literals,
    pub format: IncrementalFormat,
    pub write_errors: &'p ErrorWriter<'p>,
}

/// Writes a list of errors as JSON.
pub type ErrorWriter<'e> = dyn Fn(Vec<ExecutionError>, &mut Vec<u8>) + 'e;

/// Writer of the payloads of one response.
#[derive(Debug)]
pub struct PayloadWriter<'p> {
    inputs: PayloadInputs<'p>,
    pending: Vec<Pending>,
    /// Number of announced fragments.
    announced: usize,
    /// Parts that were written.
    written: Parts,
    /// Parts whose fields the client has: those that were written without a failure.
    delivered: Parts,
    nulled: FxHashSet<Vec<PathElement>>,
}

/// A deferred fragment on an object that is to be written.
#[derive(Debug)]
struct Pending {
    found: FoundFragment,
    /// Its id, if the client knows of it.
    id: Option<usize>,
}

/// Lists of a payload.
#[derive(Default)]
struct Lists {
    /// Whether there is an item in `incremental`, which is written first.
    has_results: bool,
    completed: Vec<u8>,
    found: Vec<FoundFragment>,
}

impl std::fmt::Debug for PayloadInputs<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PayloadInputs").field("format", &self.format).finish_non_exhaustive()
    }
}

impl<'p> PayloadWriter<'p> {
    #[must_use]
    pub fn new(inputs: PayloadInputs<'p>) -> Self {
        let initial = Parts::only(PartId::INITIAL);
        Self {
            inputs,
            pending: Vec::new(),
            announced: 0,
            written: initial,
            delivered: initial,
            nulled: FxHashSet::default(),
        }
    }

    /// Whether fragments are still to be written.
    #[must_use]
    pub fn has_next(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Writes the initial payload, with `extensions` as the JSON of its extensions. Without deferred
    /// fragments it is a whole response.
    pub fn initial(
        &mut self,
        executed: &mut Executed,
        mut sink: Sink,
        extensions: Option<&str>,
    ) -> Result<Sink, Full> {
        let PayloadInputs { supergraph, plan, write_errors, .. } = self.inputs;
        let Executed { arena, errors, .. } = executed;
        sink.bytes().extend_from_slice(b"{\"data\":");
        let mut writer = self.writer(arena, errors, sink, PartId::INITIAL);
        writer.data()?;
        let Writer { mut sink, recording, .. } = writer;
        errors.finish(supergraph, plan, arena, self.delivered);
        let errors = errors.take_list();
        let bytes = sink.bytes();
        if !errors.is_empty() {
            bytes.extend_from_slice(b",\"errors\":");
            write_errors(errors, bytes);
        }
        if let Some(extensions) = extensions {
            bytes.extend_from_slice(b",\"extensions\":");
            bytes.extend_from_slice(extensions.as_bytes());
        }
        let found = self.keep(recording);
        self.announce(found, bytes);
        if self.has_next() {
            bytes.extend_from_slice(b",\"hasNext\":true");
        }
        bytes.push(b'}');
        sink.check_budget(false)?;
        Ok(sink)
    }

    /// Writes the fragments whose parts are complete; `None` if there are none yet. Fragments inside of
    /// them have another payload, so this is to be called until it returns `None`.
    pub fn next(
        &mut self,
        executed: &mut Executed,
        complete: Parts,
        mut sink: Sink,
    ) -> Result<Option<Sink>, Full> {
        let mut lists = Lists::default();
        let mut announced = Vec::new();
        sink.bytes().extend_from_slice(b"{\"incremental\":[");
        let start = sink.mark();
        loop {
            let before = self.written;
            // A part comes after the one around it, which is written in an earlier payload.
            for (place, fragment) in self.inputs.plan.tree.deferred.iter().enumerate() {
                let part = PartId::new(place + 1);
                let is_open = !before.contains(part) && before.contains(fragment.parent);
                if is_open && complete.contains(part) {
                    sink = self.part(executed, part, fragment, sink, &mut lists)?;
                }
            }
            let found = std::mem::take(&mut lists.found);
            self.announce(found, &mut announced);
            let is_empty = !lists.has_results && lists.completed.is_empty() && announced.is_empty();
            match (is_empty && self.has_next(), self.written == before) {
                (true, true) => return Ok(None),
                // The client has all fields of the fragments, but perhaps not of those inside.
                (true, false) => {}
                (false, _) if is_empty && self.written == before => return Ok(None),
                (false, _) => break,
            }
        }
        if lists.has_results {
            sink.bytes().push(b']');
        } else {
            // Nothing is sent before a payload is complete.
            let _ = sink.roll_back(start);
            let bytes = sink.bytes();
            bytes.truncate(bytes.len() - b"\"incremental\":[".len());
        }
        let bytes = sink.bytes();
        if !lists.completed.is_empty() {
            bytes.extend_from_slice(b",\"completed\":[");
            bytes.extend_from_slice(&lists.completed);
            bytes.push(b']');
        }
        bytes.extend_from_slice(&announced);
        bytes.extend_from_slice(b",\"hasNext\":");
        bytes.extend_from_slice(if self.has_next() { b"true}" } else { b"false}" });
        // A payload without results begins with the separator of the next member.
        if !lists.has_results && bytes.get(1) == Some(&b',') {
            bytes.remove(1);
        }
        sink.check_budget(false)?;
        Ok(Some(sink))
    }

    /// Returns the last payload of a response that cannot be completed, for the JSON list of an
    /// error.
    #[must_use]
    pub fn fail(&mut self, errors: &[u8]) -> Vec<u8> {
        let is_of_fields = self.inputs.format == IncrementalFormat::Fields;
        let begin: &[u8] = if is_of_fields { b"{\"completed\":[" } else { b"{\"incremental\":[" };
        let mut payload = begin.to_vec();
        let mut is_first = true;
        for Pending { found, id } in std::mem::take(&mut self.pending) {
            if is_of_fields && id.is_none() {
                continue;
            }
            if !std::mem::take(&mut is_first) {
                payload.push(b',');
            }
            match id {
                Some(id) if is_of_fields => {
                    payload.extend_from_slice(format!("{{\"id\":\"{id}\"").as_bytes());
                }
                Some(_) | None => {
                    payload.extend_from_slice(b"{\"data\":null");
                    self.place(&found, &mut payload);
                }
            }
            payload.extend_from_slice(b",\"errors\":");
            payload.extend_from_slice(errors);
            payload.push(b'}');
        }
        payload.extend_from_slice(b"],\"hasNext\":false}");
        payload
    }

    /// Writes the fragments of a part.
    fn part(
        &mut self,
        executed: &mut Executed,
        part: PartId,
        fragment: &DeferredFragment,
        sink: Sink,
        lists: &mut Lists,
    ) -> Result<Sink, Full> {
        let (own, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.pending).into_iter().partition(|one| one.found.part == part);
        self.pending = others;
        self.written = self.written.with(Parts::only(part));
        let Executed { arena, errors, .. } = executed;
        let (delivered, nulled) = (self.delivered, std::mem::take(&mut self.nulled));
        let mut writer = self.writer(arena, errors, sink, part);
        writer.parts = Parts::only(part);
        let mut payload = Fragments {
            inputs: self.inputs,
            arena,
            writer,
            lists,
            delivered,
            nulled,
            is_open: false,
        };
        let mut is_whole = self.delivered.contains(fragment.parent);
        let written = delivered.with(Parts::only(part));
        let last = own.len().saturating_sub(1);
        for (place, pending) in own.iter().enumerate() {
            let finished = (place == last).then_some(written);
            is_whole &= payload.fragment(pending, fragment, finished)?;
        }
        let Fragments { writer: Writer { sink, recording, .. }, nulled, .. } = payload;
        self.nulled = nulled;
        if is_whole {
            self.delivered = written;
        }
        lists.found.extend(self.keep(recording));
        Ok(sink)
    }

    fn writer<'w>(
        &self,
        arena: &'w Arena,
        errors: &'w mut Errors,
        sink: Sink,
        part: PartId,
    ) -> Writer<'w>
    where
        'p: 'w,
    {
        let PayloadInputs { supergraph, plan, literals, .. } = self.inputs;
        let mut writer = Writer::new((supergraph, plan, literals), (arena, errors), sink);
        writer.parts = Parts::only(part);
        writer.recording =
            Some(Recording { part, found: Vec::new(), nulled: FxHashSet::default() });
        writer
    }

    /// Keeps the nulls of a part, and returns its fragments.
    fn keep(&mut self, recording: Option<Recording>) -> Vec<FoundFragment> {
        let Some(Recording { found, nulled, .. }) = recording else { return Vec::new() };
        self.nulled.extend(nulled);
        found
    }

    /// Adds fragments that are to be written, and writes them as a list `pending`.
    fn announce(&mut self, found: Vec<FoundFragment>, bytes: &mut Vec<u8>) {
        let PayloadInputs { plan, format, .. } = self.inputs;
        let mut known: FxHashMap<(PartId, PositionId), bool> = FxHashMap::default();
        let mut is_first = true;
        for found in found {
            let part = found.part;
            let is_announced = format == IncrementalFormat::Fields
                && fragment_of(plan, part).is_some_and(|fragment| {
                    has_new(plan, (part, fragment.position), self.delivered, &mut known)
                });
            let is_around = plan.tree.deferred.iter().any(|fragment| fragment.parent == part);
            if format == IncrementalFormat::Fields && !is_announced && !is_around {
                // The client has all its fields.
                continue;
            }
            let id = is_announced.then_some(self.announced);
            if let Some(id) = id {
                self.announced += 1;
                let begin: &[u8] =
                    if std::mem::take(&mut is_first) { b",\"pending\":[" } else { b"," };
                bytes.extend_from_slice(begin);
                bytes.extend_from_slice(format!("{{\"id\":\"{id}\"").as_bytes());
                self.place(&found, bytes);
                bytes.push(b'}');
            }
            self.pending.push(Pending { found, id });
        }
        if !is_first {
            bytes.push(b']');
        }
    }

    /// Writes the place of a fragment.
    fn place(&self, found: &FoundFragment, bytes: &mut Vec<u8>) {
        let plan = self.inputs.plan;
        if let Some(fragment) = fragment_of(plan, found.part) {
            write_place(plan, found, fragment, bytes);
        }
    }
}

/// Writer of the fragments of one part.
struct Fragments<'f, 'w> {
    inputs: PayloadInputs<'f>,
    arena: &'w Arena,
    writer: Writer<'w>,
    lists: &'f mut Lists,
    delivered: Parts,
    nulled: FxHashSet<Vec<PathElement>>,
    /// Whether a result is still to be ended.
    is_open: bool,
}

impl Fragments<'_, '_> {
    /// Writes a fragment on an object; returns false if it has failed. For the last one of its part,
    /// `finished` are the parts that are written then.
    fn fragment(
        &mut self,
        pending: &Pending,
        fragment: &DeferredFragment,
        finished: Option<Parts>,
    ) -> Result<bool, Full> {
        let Pending { found, id } = pending;
        let has_results = self.lists.has_results;
        let mark = self.writer.sink.mark();
        let recorded = self.writer.recording.as_ref().map_or(0, |recording| recording.found.len());
        self.writer.path.clone_from(&found.path);
        let written = match self.inputs.format {
            IncrementalFormat::Fragments => self.whole(found, fragment, finished),
            IncrementalFormat::Fields => self.fields(found, *id, finished),
        };
        let is_whole = match written {
            Ok(()) => true,
            Err(Halt::Full(full)) => return Err(full),
            Err(Halt::Null) => {
                // Nothing is sent before a payload is complete.
                let _ = self.writer.sink.roll_back(mark);
                self.lists.has_results = has_results;
                self.is_open = false;
                if let Some(recording) = &mut self.writer.recording {
                    recording.found.truncate(recorded);
                }
                false
            }
        };
        let errors = if is_whole { Vec::new() } else { self.writer.errors.take_list() };
        match (self.inputs.format, id) {
            (IncrementalFormat::Fragments, _) if !is_whole => {
                self.begin();
                self.writer.sink.bytes().extend_from_slice(b"{\"data\":null");
                self.end(found, fragment, errors);
            }
            (IncrementalFormat::Fields, Some(id)) => {
                let completed = &mut self.lists.completed;
                if !completed.is_empty() {
                    completed.push(b',');
                }
                completed.extend_from_slice(format!("{{\"id\":\"{id}\"").as_bytes());
                if !is_whole {
                    completed.extend_from_slice(b",\"errors\":");
                    (self.inputs.write_errors)(errors, completed);
                }
                completed.push(b'}');
            }
            (IncrementalFormat::Fragments | IncrementalFormat::Fields, _) => {}
        }
        self.writer.sink.check_budget(false)?;
        Ok(is_whole)
    }

    /// Writes a fragment with all its fields.
    fn whole(
        &mut self,
        found: &FoundFragment,
        fragment: &DeferredFragment,
        finished: Option<Parts>,
    ) -> Result<(), Halt> {
        self.begin();
        self.writer.sink.bytes().extend_from_slice(b"{\"data\":");
        self.writer.record_fragments(found.object);
        self.writer.members(found.object, Parts::NONE)?;
        let errors = self.errors(finished);
        self.end(found, fragment, errors);
        Ok(())
    }

    /// Writes the fields of a fragment that the client does not have, by the objects that it has.
    fn fields(
        &mut self,
        found: &FoundFragment,
        id: Option<usize>,
        finished: Option<Parts>,
    ) -> Result<(), Halt> {
        self.object(found.object, (id, found.path.len()))?;
        self.close(finished);
        Ok(())
    }

    /// Writes the new fields of an object that the client has, and of those below. Recursion is
    /// bounded by the depth of the operation.
    fn object(&mut self, id: ObjectId, fragment: (Option<usize>, usize)) -> Result<(), Halt> {
        let supergraph = self.inputs.supergraph;
        let object = *self.arena.object(id);
        let Some(projection) = self.inputs.plan.projections.get(object.position.index()) else {
            return Ok(());
        };
        self.writer.record_fragments(id);
        let parts = self.writer.parts;
        let is_of = |member: &&ResponseMember| {
            let types = member.types.as_ref().zip(object.r#type);
            member.parts.intersects(parts)
                && types.is_none_or(|(types, own)| supergraph.contains(types, own))
        };
        let members = projection.members_of(supergraph, object.r#type);
        let is_new = |member: &ResponseMember| !member.parts.intersects(self.delivered);
        if members.iter().filter(is_of).any(is_new) {
            self.result(id, fragment)?;
        }
        let cells = self.arena.cells_of(&object);
        for member in members.iter().filter(is_of) {
            if member.parts.intersects(self.delivered) && member.value == ResponseValue::Objects {
                let cell = cells.get(member.slot as usize).copied().unwrap_or(Cell::Absent);
                self.writer.path.push(PathElement::Item(member.item));
                self.value(cell, fragment)?;
                self.writer.path.pop();
            }
        }
        Ok(())
    }

    /// Visits a value that the client has. Recursion is bounded by list nesting.
    fn value(&mut self, cell: Cell, fragment: (Option<usize>, usize)) -> Result<(), Halt> {
        if !self.nulled.is_empty() && self.nulled.contains(&self.writer.path) {
            return Ok(());
        }
        match cell {
            Cell::Object(below) if self.writer.is_visible(below) => self.object(below, fragment),
            Cell::List { start, end } => {
                for (place, element) in self.arena.list(start, end).iter().enumerate() {
                    self.writer.path.push(PathElement::Element(place));
                    self.value(*element, fragment)?;
                    self.writer.path.pop();
                }
                Ok(())
            }
            Cell::Object(_)
            | Cell::Absent
            | Cell::Null
            | Cell::Unknown
            | Cell::Failed(_)
            | Cell::Leaf { .. } => Ok(()),
        }
    }

    /// Begins a result with the new fields of an object.
    fn result(&mut self, id: ObjectId, fragment: (Option<usize>, usize)) -> Result<(), Halt> {
        self.close(None);
        self.begin();
        let (number, above) = fragment;
        let (plan, path) = (self.inputs.plan, self.writer.path.clone());
        let bytes = self.writer.sink.bytes();
        // A fragment with new fields was announced, since no others are delivered before it.
        let number = number.unwrap_or_default();
        bytes.extend_from_slice(format!("{{\"id\":\"{number}\"").as_bytes());
        if let Some(below @ [_, ..]) = path.get(above..) {
            bytes.extend_from_slice(b",\"subPath\":");
            write_path(plan, below, bytes);
        }
        bytes.extend_from_slice(b",\"data\":");
        self.is_open = true;
        self.writer.members(id, self.delivered)?;
        self.writer.path.clone_from(&path);
        Ok(())
    }

    /// Ends a result of [`Self::result`], with the errors since its beginning.
    fn close(&mut self, finished: Option<Parts>) {
        if !std::mem::take(&mut self.is_open) {
            return;
        }
        let errors = self.errors(finished);
        let bytes = self.writer.sink.bytes();
        if !errors.is_empty() {
            bytes.extend_from_slice(b",\"errors\":");
            (self.inputs.write_errors)(errors, bytes);
        }
        bytes.push(b'}');
    }

    /// Begins an item of `incremental`.
    fn begin(&mut self) {
        if std::mem::replace(&mut self.lists.has_results, true) {
            self.writer.sink.bytes().push(b',');
        }
    }

    /// Ends the result of a whole fragment.
    fn end(
        &mut self,
        found: &FoundFragment,
        fragment: &DeferredFragment,
        errors: Vec<ExecutionError>,
    ) {
        let bytes = self.writer.sink.bytes();
        write_place(self.inputs.plan, found, fragment, bytes);
        if !errors.is_empty() {
            bytes.extend_from_slice(b",\"errors\":");
            (self.inputs.write_errors)(errors, bytes);
        }
        bytes.push(b'}');
    }

    /// Takes the errors so far; at the end of a part, with those that caused no null.
    fn errors(&mut self, finished: Option<Parts>) -> Vec<ExecutionError> {
        if let Some(written) = finished {
            let PayloadInputs { supergraph, plan, .. } = self.inputs;
            self.writer.errors.finish(supergraph, plan, self.arena, written);
        }
        self.writer.errors.take_list()
    }
}

fn fragment_of(plan: &Plan, part: PartId) -> Option<&DeferredFragment> {
    plan.tree.deferred.get(part.fragment()?)
}

/// Writes the members `path` and `label` of a fragment.
fn write_place(
    plan: &Plan,
    found: &FoundFragment,
    fragment: &DeferredFragment,
    bytes: &mut Vec<u8>,
) {
    bytes.extend_from_slice(b",\"path\":");
    write_path(plan, &found.path, bytes);
    if let Some(label) = &fragment.label {
        bytes.extend_from_slice(b",\"label\":");
        bytes.extend_from_slice(Json::from(&**label).to_string().as_bytes());
    }
}

fn write_path(plan: &Plan, path: &[PathElement], bytes: &mut Vec<u8>) {
    bytes.push(b'[');
    for (place, step) in path.iter().enumerate() {
        if place > 0 {
            bytes.push(b',');
        }
        match step {
            // Names need no escapes.
            PathElement::Item(item) => {
                bytes.push(b'"');
                bytes.extend_from_slice(plan.tree.item(*item).key.as_bytes());
                bytes.push(b'"');
            }
            PathElement::Element(place) => bytes.extend_from_slice(place.to_string().as_bytes()),
        }
    }
    bytes.push(b']');
}

/// Whether a part has fields at a position, or below, that the client does not have. Recursion is
/// bounded by the depth of the operation.
fn has_new(
    plan: &Plan,
    (part, position): (PartId, PositionId),
    delivered: Parts,
    known: &mut FxHashMap<(PartId, PositionId), bool>,
) -> bool {
    if let Some(has_new) = known.get(&(part, position)) {
        return *has_new;
    }
    let items = plan.tree.position(position).items.iter().map(|item| plan.tree.item(*item));
    let mut own = items.filter(|item| item.parts.contains(part));
    let has_new = own.any(|item| {
        let below = item.child.filter(|_| !item.is_denied);
        !item.parts.intersects(delivered)
            || below.is_some_and(|below| has_new(plan, (part, below), delivered, known))
    });
    known.insert((part, position), has_new);
    has_new
}
