//! Writer of the response, in the order of the operation.
//! <https://spec.graphql.org/draft/#sec-Response-Format>

use std::collections::HashMap;

use graphql::operation::Location;
use graphql::schema::TypeId;
use response::sink::Full;
use response::{Mark, Sink};
use rustc_hash::FxHashSet;

use super::arena::{Arena, Cell, ObjectId};
use super::cause::CauseId;
use super::errors::{ErrorKind, Errors, ExecutionError, Path, Step};
use super::map_errors::{document_location, typename_at};
use super::repeated::{Repeated, WrittenRanges};
use super::run::Executed;
use crate::outline::{ItemId, ItemKind, PartId, Parts, Tree};
use crate::plan::{Nesting, Plan, ResponseMember, ResponseValue};
use supergraph::{Supergraph, TypeSet};

/// Responses to introspection, by response name.
pub type Literals = HashMap<Box<str>, Vec<u8>>;

/// Capacity for larger leaves is reserved before they are written.
const SMALL_LEAF: usize = 256;

/// Reason why a value was not written.
pub(super) enum Halt {
    /// Null propagation: a non-null value is null; the error is recorded.
    Null,
    Full(Full),
}

/// A segment of the path to the current value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum PathElement {
    Item(ItemId),
    Element(usize),
}

/// Deferred fragments and nulls that are found while a part of the response is written.
#[derive(Debug)]
pub(super) struct Recording {
    pub(super) part: PartId,
    /// Deferred fragments of the part on objects that were written.
    pub(super) found: Vec<FoundFragment>,
    /// Paths of objects and lists that null propagation replaced by null.
    pub(super) nulled: FxHashSet<Vec<PathElement>>,
}

/// A deferred fragment on an object.
#[derive(Debug)]
pub(super) struct FoundFragment {
    /// End of the text before the object.
    mark: Mark,
    pub(super) part: PartId,
    pub(super) object: ObjectId,
    pub(super) path: Vec<PathElement>,
}

impl Recording {
    /// Removes the fragments on objects behind a mark, which were rolled back.
    pub(super) fn roll_back(&mut self, mark: Mark) {
        while self.found.pop_if(|found| found.mark >= mark).is_some() {}
    }
}

/// Writes `data`. A null in a non-null place adds an error to `executed`, unless another one
/// explains it. If the sink is full, writing can be retried.
pub fn write(
    supergraph: &Supergraph,
    plan: &Plan,
    executed: &mut Executed,
    literals: &Literals,
    sink: Sink,
) -> Result<Sink, Full> {
    let errors = executed.errors.mark();
    let written = write_data(supergraph, plan, executed, literals, sink);
    if written.is_err() {
        executed.errors.roll_back(errors);
    }
    written
}

fn write_data(
    supergraph: &Supergraph,
    plan: &Plan,
    executed: &mut Executed,
    literals: &Literals,
    sink: Sink,
) -> Result<Sink, Full> {
    let Executed { arena, errors, .. } = executed;
    let mut writer = Writer::new((supergraph, plan, literals), (arena, errors), sink);
    writer.data()?;
    let Writer { sink, .. } = writer;
    errors.finish(supergraph, plan, arena, Parts::ALL);
    Ok(sink)
}

pub(super) struct Writer<'w> {
    supergraph: &'w Supergraph,
    plan: &'w Plan,
    arena: &'w Arena,
    pub(super) errors: &'w mut Errors,
    literals: &'w Literals,
    pub(super) sink: Sink,
    pub(super) path: Vec<PathElement>,
    /// Parts of the response whose members are written.
    pub(super) parts: Parts,
    /// For a response in several parts.
    pub(super) recording: Option<Recording>,
    /// Ranges of the response that may be repeated.
    written: WrittenRanges,
    /// Unauthorized items that were reported.
    denied: FxHashSet<ItemId>,
}

impl<'w> Writer<'w> {
    /// Creates a writer of all parts of a response.
    pub(super) fn new(
        (supergraph, plan, literals): (&'w Supergraph, &'w Plan, &'w Literals),
        (arena, errors): (&'w Arena, &'w mut Errors),
        sink: Sink,
    ) -> Self {
        Self {
            supergraph,
            plan,
            arena,
            errors,
            literals,
            sink,
            path: Vec::new(),
            parts: Parts::ALL,
            recording: None,
            written: WrittenRanges::default(),
            denied: FxHashSet::default(),
        }
    }

    /// Writes the object of the root.
    pub(super) fn data(&mut self) -> Result<(), Full> {
        let writer = self;
        let (mark, before) = (writer.sink.mark(), writer.sink.bytes().len());
        let root = writer.arena.objects_at(Tree::ROOT).first().copied();
        match root.map_or(Err(Halt::Null), |root| writer.object(root)) {
            Ok(()) => {}
            Err(Halt::Null) => writer.null(mark)?,
            Err(Halt::Full(full)) => return Err(full),
        }
        writer.sink.check_budget(false)?;
        let length = writer.sink.bytes().len();
        writer.arena.record_written(length.saturating_sub(before));
        Ok(())
    }

    /// Recursion is bounded by the depth of the operation.
    fn object(&mut self, id: ObjectId) -> Result<(), Halt> {
        if self.recording.is_some() {
            self.record_fragments(id);
        }
        self.members(id, Parts::NONE)
    }

    /// Records the deferred fragments on an object.
    pub(super) fn record_fragments(&mut self, id: ObjectId) {
        let object = *self.arena.object(id);
        let Some(projection) = self.plan.projections.get(object.position.index()) else { return };
        let Some(recording) = &mut self.recording else { return };
        let possible = &self.plan.tree.position(object.position).possible;
        let is_of = |types: &TypeSet| match object.r#type {
            Some(own) => self.supergraph.contains(types, own),
            None => possible.is_subset(types),
        };
        for (part, types) in &projection.deferred {
            let fragment = part.fragment().and_then(|place| self.plan.tree.deferred.get(place));
            let is_of_part = fragment.is_some_and(|fragment| fragment.parent == recording.part);
            if is_of_part && is_of(types) {
                let (mark, path) = (self.sink.mark(), self.path.clone());
                recording.found.push(FoundFragment { mark, part: *part, object: id, path });
            }
        }
    }

    /// Writes the members of an object, without those of parts that the client has.
    pub(super) fn members(&mut self, id: ObjectId, known: Parts) -> Result<(), Halt> {
        let object = *self.arena.object(id);
        let plan = self.plan;
        let Some(projection) = plan.projections.get(object.position.index()) else {
            return Err(Halt::Null);
        };
        let arena = self.arena;
        let cells = arena.cells_of(&object);
        let mut is_first = true;
        for out in projection.members_of(self.supergraph, object.r#type) {
            if !out.parts.intersects(self.parts) || out.parts.intersects(known) {
                continue;
            }
            match (&out.types, object.r#type) {
                (None, _) => {}
                (Some(types), Some(own)) if self.supergraph.contains(types, own) => {}
                (Some(_), Some(_)) => continue,
                (Some(_), None) => return Err(self.untyped(id)),
            }
            let bytes = self.sink.bytes();
            let begin = bytes.len();
            out.prefix.append_to(bytes);
            if std::mem::take(&mut is_first) {
                // The first member has no separator before it.
                bytes.get_mut(begin).into_iter().for_each(|separator| *separator = b'{');
            }
            match &out.value {
                ResponseValue::Introspection => {
                    let text = self.literals.get(&plan.tree.item(out.item).key);
                    bytes.extend_from_slice(text.map_or(b"null", Vec::as_slice));
                }
                ResponseValue::Typename => match object.r#type {
                    Some(own) => self.typename(own),
                    None => return Err(self.untyped(id)),
                },
                ResponseValue::Denied
                | ResponseValue::Leaf
                | ResponseValue::Id
                | ResponseValue::Enum(_)
                | ResponseValue::Objects => {
                    let cell = cells.get(out.slot as usize).copied().unwrap_or(Cell::Absent);
                    // The most frequent case, which cannot fail.
                    if let (
                        ResponseValue::Leaf | ResponseValue::Id,
                        Cell::Leaf { buffer, start, end },
                    ) = (&out.value, cell)
                    {
                        let length = (end - start) as usize;
                        if length > SMALL_LEAF {
                            self.sink.reserve(length + 2).map_err(Halt::Full)?;
                        }
                        let bytes = self.sink.bytes();
                        let begin = bytes.len();
                        arena.append_leaf(bytes, buffer, start, end);
                        // An ID is a string, whatever the subgraph returns.
                        if matches!(out.value, ResponseValue::Id) && bytes.get(begin) != Some(&b'"')
                        {
                            bytes.insert(begin, b'"');
                            bytes.push(b'"');
                        }
                        continue;
                    }
                    let own = out.own.iter().find(|(of, _)| Some(*of) == object.r#type);
                    let nesting = own.map_or(out.nesting, |(_, own)| *own);
                    // Objects with shared values have equal text, unless one of them declares a
                    // stricter type.
                    let common = match cell {
                        Cell::List { start, end } if own.is_none() && start < end => {
                            Some(Repeated::List(start))
                        }
                        Cell::Object(below) if own.is_none() => Some(Repeated::Object(below)),
                        _ => None,
                    };
                    self.path.push(PathElement::Item(out.item));
                    let is_shared = object.shares_children && self.recording.is_none();
                    match common.filter(|_| is_shared) {
                        Some(common) => {
                            self.write_once(common, |writer| writer.value(out, nesting, 0, cell))?;
                        }
                        None => self.value(out, nesting, 0, cell)?,
                    }
                    self.path.pop();
                }
            }
        }
        let bytes = self.sink.bytes();
        bytes.extend_from_slice(if is_first { b"{}" } else { b"}" });
        self.sink.check_budget(false).map_err(Halt::Full)
    }

    fn typename(&mut self, own: TypeId) {
        let name = &self.supergraph.schema[own].name;
        let bytes = self.sink.bytes();
        bytes.push(b'"');
        bytes.extend_from_slice(name.as_bytes());
        bytes.push(b'"');
    }

    /// The selection depends on the runtime type, which is unknown: the object is null.
    #[cold]
    fn untyped(&mut self, id: ObjectId) -> Halt {
        let position = self.arena.object(id).position;
        let typename = typename_at(&self.plan.tree, position);
        match typename.map(|item| self.arena.cell_of(id, item)) {
            Some(Cell::Failed(cause)) => self.explain(cause),
            _ => {
                let parent = self.plan.tree.position(position).r#type;
                self.push_error(ErrorKind::Null { parent, field: "__typename".into() });
            }
        }
        Halt::Null
    }

    /// Recursion is bounded by list nesting.
    #[inline]
    fn value(
        &mut self,
        out: &ResponseMember,
        nesting: Nesting,
        level: u8,
        cell: Cell,
    ) -> Result<(), Halt> {
        let mark = self.sink.mark();
        match self.inner(out, nesting, level, cell) {
            Ok(()) => Ok(()),
            Err(Halt::Null) if !nesting.is_non_null(level) => {
                // The path still has the segments of the value that failed.
                let steps = self
                    .path
                    .iter()
                    .rposition(|path| matches!(path, PathElement::Item(item) if *item == out.item));
                self.path.truncate(steps.map_or(0, |steps| steps + 1 + usize::from(level)));
                if let (Some(recording), Cell::Object(_) | Cell::List { .. }) =
                    (&mut self.recording, cell)
                {
                    recording.nulled.insert(self.path.clone());
                }
                self.null(mark).map_err(Halt::Full)
            }
            Err(halt) => Err(halt),
        }
    }

    /// Replaces the text behind a mark by null.
    fn null(&mut self, mark: Mark) -> Result<(), Full> {
        // Nothing is sent while it may be rolled back.
        let _ = self.sink.roll_back(mark);
        self.written.roll_back(mark);
        if let Some(recording) = &mut self.recording {
            recording.roll_back(mark);
        }
        self.sink.bytes().extend_from_slice(b"null");
        Ok(())
    }

    #[inline]
    fn inner(
        &mut self,
        out: &ResponseMember,
        nesting: Nesting,
        level: u8,
        cell: Cell,
    ) -> Result<(), Halt> {
        match cell {
            _ if matches!(out.value, ResponseValue::Denied) => self.deny(out),
            Cell::Leaf { buffer, start, end } => {
                let (arena, bytes) = (self.arena, self.sink.bytes());
                let text = arena.leaf(buffer, start, end);
                match &out.value {
                    // An ID is a string, whatever the subgraph returns.
                    ResponseValue::Id if !text.starts_with(b"\"") => {
                        bytes.push(b'"');
                        bytes.extend_from_slice(text);
                        bytes.push(b'"');
                    }
                    ResponseValue::Enum(values) if !is_one_of(text, values) => {
                        let field = self.plan.tree.item(out.item).key.clone();
                        self.push_error(ErrorKind::Value { field });
                        return Err(Halt::Null);
                    }
                    ResponseValue::Leaf
                    | ResponseValue::Id
                    | ResponseValue::Enum(_)
                    | ResponseValue::Objects
                    | ResponseValue::Denied
                    | ResponseValue::Typename
                    | ResponseValue::Introspection => bytes.extend_from_slice(text),
                }
                Ok(())
            }
            Cell::Object(below) if self.is_visible(below) => {
                if self.arena.object(below).is_repeated && self.recording.is_none() {
                    self.write_once(Repeated::Object(below), |writer| writer.object(below))
                } else {
                    self.object(below)
                }
            }
            Cell::Failed(cause) => {
                self.explain(cause);
                Err(Halt::Null)
            }
            // The value belongs to an object that no subgraph returned, without an error.
            Cell::Absent => {
                let item = self.plan.tree.item(out.item);
                let parent = self.plan.tree.parent_of(self.supergraph, item);
                self.push_error(ErrorKind::Missing { parent, field: item.key.clone() });
                Err(Halt::Null)
            }
            // Objects of types that the API hides are null.
            Cell::Null | Cell::Unknown | Cell::Object(_) => {
                if nesting.is_non_null(level) {
                    let item = self.plan.tree.item(out.item);
                    let parent = self.plan.tree.parent_of(self.supergraph, item);
                    self.push_error(ErrorKind::Null { parent, field: item.key.clone() });
                }
                Err(Halt::Null)
            }
            Cell::List { start, end } => self.list(out, nesting, level, (start, end)),
        }
    }

    /// Writes a value, or copies it if the response contains it already.
    fn write_once(
        &mut self,
        value: Repeated,
        write: impl FnOnce(&mut Self) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        if self.written.find(value).is_some_and(|range| self.sink.repeat(range)) {
            return self.sink.check_budget(false).map_err(Halt::Full);
        }
        let (start, errors) = (self.sink.mark(), self.errors.len());
        write(self)?;
        // Values with errors are not copied: each occurrence reports its errors.
        if self.errors.len() == errors {
            self.written.remember(value, (start, self.sink.mark()));
        }
        Ok(())
    }

    fn list(
        &mut self,
        out: &ResponseMember,
        nesting: Nesting,
        level: u8,
        (start, end): (u32, u32),
    ) -> Result<(), Halt> {
        let arena = self.arena;
        self.sink.bytes().push(b'[');
        for (response_path, cell) in arena.list(start, end).iter().enumerate() {
            if response_path > 0 {
                self.sink.bytes().push(b',');
            }
            self.path.push(PathElement::Element(response_path));
            self.value(out, nesting, level + 1, *cell)?;
            self.path.pop();
        }
        self.sink.bytes().push(b']');
        self.sink.check_budget(false).map_err(Halt::Full)
    }

    /// Handles a field that the client is not authorized to read: one error, at its first place.
    fn deny(&mut self, out: &ResponseMember) -> Result<(), Halt> {
        if self.denied.insert(out.item) {
            let item = self.plan.tree.item(out.item);
            if let ItemKind::Field { name, .. } = &item.kind {
                let parent = self.plan.tree.parent_of(self.supergraph, item);
                self.push_error(ErrorKind::Denied { parent, field: (&**name).into() });
            }
        }
        Err(Halt::Null)
    }

    pub(super) fn is_visible(&self, id: ObjectId) -> bool {
        let object = self.arena.object(id);
        let projection = self.plan.projections.get(object.position.index());
        let hidden_types = projection.and_then(|projection| projection.hidden_types.as_ref());
        match (hidden_types, object.r#type) {
            (Some(hidden_types), Some(own)) => !self.supergraph.contains(hidden_types, own),
            (Some(_), None) | (None, _) => true,
        }
    }

    #[cold]
    fn push_error(&mut self, kind: ErrorKind) {
        let (path, location) = response_path(&self.plan.tree, &self.path);
        self.errors.push(ExecutionError { kind, path, location });
    }

    /// Reports the cause of a null at the current path.
    #[cold]
    fn explain(&mut self, cause: CauseId) {
        let (tree, path) = (&self.plan.tree, &*self.path);
        let field = last_item(path).map_or("", |item| &*tree.item(item).key);
        self.errors.explain(cause, field, || response_path(tree, path));
    }
}

/// Returns the response path of a value, and the location of its field.
fn response_path(tree: &Tree, path: &[PathElement]) -> (Path, Option<Location>) {
    let step = |path: &PathElement| match path {
        PathElement::Item(item) => Step::Key(tree.item(*item).key.clone()),
        PathElement::Element(response_path) => Step::Index(*response_path),
    };
    let location = last_item(path).and_then(|item| document_location(tree.item(item).location));
    (path.iter().map(step).collect(), location)
}

fn last_item(path: &[PathElement]) -> Option<ItemId> {
    path.iter().rev().find_map(|path| match path {
        PathElement::Item(item) => Some(*item),
        PathElement::Element(_) => None,
    })
}

/// Whether a quoted text is one of the values.
fn is_one_of(text: &[u8], values: &[std::sync::Arc<str>]) -> bool {
    let name = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    values.binary_search_by(|value| value.as_bytes().cmp(name)).is_ok()
}
