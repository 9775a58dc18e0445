//! The walk over a shape: reads rows and writes them to an output.
//!
//! Null propagation follows the specification's [Handling Execution Errors]: a position that cannot
//! be written becomes null, or, where it must not be null, the nearest nullable position around it
//! does, and what had been written of it is rolled back.
//!
//! [Handling Execution Errors]: https://spec.graphql.org/draft/#sec-Handling-Execution-Errors

mod counts;
mod errors;
mod plain;
mod reported;
mod representations;
mod unquoted;

use std::sync::Arc;

use crate::cursor::{ColumnRef, Cursor, Layout, LevelId, NoRow, Value};
use crate::escape::escaped_length;
use crate::leaf::{Leaf, LeafError};
use crate::memory::MemoryReservation;
use crate::outlet::Refused;
use crate::output::Output;
use crate::repeated_lists::RepeatedLists;
use crate::shape::{
    Fields, Item, Node, NodeId, NotRead, OutputId, Piece, RowsId, Shape, ShapeField,
};
use crate::sink::{Full, Sink, TooLarge};
use reported::ReportedNodes;
pub use representations::{Element, Sorted};
use unquoted::write_unquoted;

/// Writes responses of one shape.
#[derive(Debug)]
pub struct Writer<'p, E, O: Output = Sink> {
    shape: &'p Shape,
    layout: &'p Layout,
    output: O,
    path: Vec<PathItem>,
    errors: Vec<WriteError<E>>,
    /// Root fields that failed before there were rows: their errors are known.
    failed: Vec<(usize, E)>,
    /// Values of the request.
    echoes: &'p [Echo],
    scratch: Vec<u8>,
    reported: ReportedNodes,
    repeated_lists: RepeatedLists<O::Mark>,
    /// True within an element of a list, or within a value that may be replaced as a whole.
    is_within: bool,
    /// The memory of the errors, counted once there are some.
    errors_held: Option<MemoryReservation>,
    /// The size of the errors in bytes.
    errors_bytes: u64,
    /// Classifier of source failures that end the whole response, not one position.
    ends_all: Option<fn(&E) -> bool>,
    /// The reason for stopping.
    stopped: Option<Stopped<E>>,
}

/// The outcome of writing with a work limit.
#[derive(Debug)]
pub enum Attempt<E, O: Output> {
    Written(Written<E, O::Data>),
    /// The limit was exceeded; this is the output as it was before.
    TooLong(O),
}

/// A part of the response that is copied from the request, by its index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Echo {
    /// For [`Node::Echo`].
    Json(Box<[u8]>),
    /// For [`Node::Representations`].
    Sorted(Sorted),
}

/// A segment of the path to a position in the response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathItem {
    /// By its index in the shape's fields.
    Field(u32),
    Index(u64),
}

/// An error with the position it belongs to.
#[derive(Debug)]
pub struct WriteError<E> {
    /// As response names and indexes.
    pub path: Vec<Segment>,
    /// Line and column of the field in the document.
    pub location: Option<(u32, u32)>,
    pub failure: Failure<E>,
}

/// A segment of a response path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    Name(Box<str>),
    Index(u64),
}

#[derive(Debug)]
pub enum Failure<E> {
    /// A stored value that the API's type cannot represent.
    Leaf(LeafError),
    /// Null at a non-nullable position.
    Null,
    Source(E),
    /// The operation exceeds the depth limit of the API.
    TooDeep(Box<str>),
    /// The API rejects a value of the operation.
    Refused(Box<str>),
    /// The data was not read.
    NotRead(Arc<NotRead>),
}

/// A complete response.
#[derive(Debug)]
pub struct Written<E, D = Vec<u8>> {
    /// The bytes of `data`, or another output.
    pub data: D,
    /// The reservation of their memory, for their lifetime.
    pub held: MemoryReservation,
    pub errors: Vec<WriteError<E>>,
}

/// Reasons for an incomplete response.
#[derive(Debug)]
pub enum Stopped<E> {
    TooLarge(TooLarge),
    /// The output refused bytes.
    Refused(Refused),
    /// A failure of the source that ends the whole response.
    Ended(E),
    /// A part that the error invalidates was sent already.
    Broken(Option<WriteError<E>>),
}

/// Larger texts reserve their room before they are written.
const SMALL_TEXT: usize = 256;

/// Reasons why a position was not written.
enum Halt {
    /// The error is recorded; the nearest nullable position becomes null.
    Propagate,
    /// The writer has the reason.
    Stop,
}

impl<'p, E, O: Output> Writer<'p, E, O> {
    /// A writer that appends to the output.
    #[must_use]
    pub fn new(shape: &'p Shape, layout: &'p Layout, output: O) -> Self {
        let (path, errors, failed, scratch) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (is_within, stopped) = (false, None);
        let (reported, repeated_lists) = (ReportedNodes::default(), RepeatedLists::default());
        Self {
            shape,
            layout,
            output,
            path,
            errors,
            failed,
            echoes: &[],
            scratch,
            reported,
            repeated_lists,
            is_within,
            errors_held: None,
            errors_bytes: 0,
            ends_all: None,
            stopped,
        }
    }

    /// The same, with a classifier of source failures that end the whole response.
    #[must_use]
    pub fn ended_by(self, ends_all: fn(&E) -> bool) -> Self {
        Self { ends_all: Some(ends_all), ..self }
    }

    /// The same, with values of the request.
    #[must_use]
    pub fn echoing(self, echoes: &'p [Echo]) -> Self {
        Self { echoes, ..self }
    }

    /// The shape of the response.
    #[must_use]
    pub fn shape(&self) -> &'p Shape {
        self.shape
    }

    /// A new reservation of the memory budget, for what is read before it is written.
    #[must_use]
    pub fn another_held(&self) -> MemoryReservation {
        self.output.another_held()
    }

    /// Marks a root field, by its index, as failed before rows were read.
    pub fn fail_root(&mut self, field: usize, error: E) {
        self.failed.push((field, error));
    }

    /// Writes the whole of `data`.
    pub fn write<C: Cursor<Error = E>>(
        mut self,
        top: &mut C,
    ) -> Result<Written<E, O::Data>, Stopped<E>> {
        self.write_data(self.shape.root, top)?;
        Ok(self.finish())
    }

    /// Writes only these fields of `data`.
    pub fn write_part<C: Cursor<Error = E>>(
        mut self,
        fields: Fields,
        top: &mut C,
    ) -> Result<Written<E, O::Data>, Stopped<E>> {
        self.write_data(Some(fields), top)?;
        Ok(self.finish())
    }

    /// The same, unless the response exceeds so many bytes.
    pub fn write_at_most<C: Cursor<Error = E>>(
        mut self,
        top: &mut C,
        bytes: u64,
    ) -> Result<Attempt<E, O>, Stopped<E>> {
        let start = self.output.mark();
        self.output.limit_work(Some(bytes));
        match self.write_data(self.shape.root, top) {
            Ok(()) => Ok(Attempt::Written(self.finish())),
            Err(Stopped::Refused(Refused::TooLongHere)) => {
                self.take_back(start).map_err(|_| Stopped::Refused(Refused::TooLongHere))?;
                self.output.limit_work(None);
                Ok(Attempt::TooLong(self.output))
            }
            Err(stopped) => Err(stopped),
        }
    }

    fn write_data<C: Cursor<Error = E>>(
        &mut self,
        root: Option<Fields>,
        top: &mut C,
    ) -> Result<(), Stopped<E>> {
        let shape = self.shape;
        let fields = root.map(|fields| shape.fields(fields)).unwrap_or_default();
        let start = self.output.mark();
        let first = root.map_or(0, |fields| fields.start);
        let mut written = self.write_object(fields, first, top);
        if let Err(Halt::Propagate) = written {
            written = self.take_back(start);
            self.output.null();
        }
        if written.is_ok() {
            written = self.check_budget(false);
        }
        match (written, self.stopped.take()) {
            (Err(_), Some(stopped)) => Err(stopped),
            (Ok(()), _) | (Err(_), None) => Ok(()),
        }
    }

    fn finish(self) -> Written<E, O::Data> {
        let (data, mut held) = self.output.into_parts();
        if let Some(errors) = self.errors_held {
            held.join(errors);
        }
        Written { data, held, errors: self.errors }
    }

    fn write_fields<C: Cursor<Error = E>>(
        &mut self,
        fields: Fields,
        cursor: &mut C,
    ) -> Result<(), Halt> {
        let shape = self.shape;
        self.write_object(shape.fields(fields), fields.start, cursor)
    }

    fn write_object<C: Cursor<Error = E>>(
        &mut self,
        fields: &[ShapeField],
        first: u32,
        cursor: &mut C,
    ) -> Result<(), Halt> {
        let at_root = self.path.is_empty();
        self.output.begin_object();
        for (place, (field, id)) in fields.iter().zip(first..).enumerate() {
            match place {
                0 => self.output.first_key(field, id),
                _ => self.output.next_key(field, id),
            }
            if !at_root && self.write_plainly(field.node, field.nullable, cursor) {
                continue;
            }
            self.path.push(PathItem::Field(id));
            let start = self.output.mark();
            let failed = if at_root { self.take_failed(place) } else { None };
            let written = match failed {
                Some(error) => Err(self.fail(Failure::Source(error))),
                None => self.write_node(field.node, cursor),
            };
            self.settle(written, start, field.nullable)?;
            self.path.pop();
        }
        self.output.end_object();
        Ok(())
    }

    /// Rolls back a failed position and makes it null, if it is nullable.
    fn settle(
        &mut self,
        written: Result<bool, Halt>,
        start: O::Mark,
        nullable: bool,
    ) -> Result<(), Halt> {
        match written {
            Ok(true) => return Ok(()),
            Ok(false) if nullable => {}
            Ok(false) => {
                let halt = self.fail(Failure::Null);
                self.path.pop();
                return Err(halt);
            }
            Err(Halt::Propagate) if nullable => {}
            Err(halt) => {
                self.path.pop();
                return Err(halt);
            }
        }
        if let Err(halt) = self.take_back(start) {
            self.path.pop();
            return Err(halt);
        }
        self.output.null();
        Ok(())
    }

    /// Rolls back everything from the mark on, if it was not sent.
    fn take_back(&mut self, start: O::Mark) -> Result<(), Halt> {
        self.repeated_lists.roll_back(start);
        match self.output.roll_back(start) {
            Ok(()) => Ok(()),
            Err(_) => {
                let cause = self.errors.pop();
                Err(self.stop(Stopped::Broken(cause)))
            }
        }
    }

    fn check_budget(&mut self, is_final: bool) -> Result<(), Halt> {
        self.output.check_budget(is_final).map_err(|full| self.full(full))
    }

    fn reserve(&mut self, bytes: usize) -> Result<(), Halt> {
        self.output.reserve(bytes).map_err(|full| self.full(full))
    }

    #[cold]
    fn full(&mut self, full: Full) -> Halt {
        self.stop(match full {
            Full::TooLarge(error) => Stopped::TooLarge(error),
            Full::Refused(refused) => Stopped::Refused(refused),
        })
    }

    #[cold]
    fn stop(&mut self, why: Stopped<E>) -> Halt {
        self.stopped.get_or_insert(why);
        Halt::Stop
    }

    /// Writes a position; `false` if it is null, and nothing was written.
    fn write_node<C: Cursor<Error = E>>(
        &mut self,
        node: NodeId,
        cursor: &mut C,
    ) -> Result<bool, Halt> {
        let shape = self.shape;
        match shape.node(node) {
            Node::Leaf { output, leaf } => self.write_leaf(*output, leaf, cursor),
            Node::LeafOr { output, leaf, absent } => {
                let start = self.output.mark();
                let written = self.write_leaf(*output, leaf, cursor)?;
                if !written {
                    // A stored value may convert to a null that is written.
                    self.take_back(start)?;
                    self.write_text(absent);
                }
                Ok(true)
            }
            Node::Aggregate { output, fields } => self.write_aggregate(*output, *fields, cursor),
            Node::Groups { output, item } => match self.layout.place(*output) {
                ColumnRef::Level(level) => self.write_level(level, *item, cursor),
                ColumnRef::Column(_) | ColumnRef::Unused => Ok(false),
            },
            Node::Only(item) => self.write_only(*item, cursor),
            Node::Leaves(leaves) => self.write_leaves(leaves, cursor),
            Node::TooDeep(message) => Err(self.fail(Failure::TooDeep(message.clone()))),
            Node::Refused(message) => Err(self.fail(Failure::Refused(message.clone()))),
            Node::NotRead(why) => Err(self.fail_once(node, why)),
            Node::Object(fields) => self.write_fields(*fields, cursor).map(|()| true),
            Node::Joined { present, fields } => {
                let ColumnRef::Column(column) = self.layout.place(*present) else {
                    return Ok(false);
                };
                if cursor.value(column) == Value::Null {
                    return Ok(false);
                }
                self.write_fields(*fields, cursor).map(|()| true)
            }
            Node::Present { present, node } => {
                let ColumnRef::Column(column) = self.layout.place(*present) else {
                    return Ok(false);
                };
                match cursor.value(column) {
                    Value::Null => Ok(false),
                    _ => self.write_node(*node, cursor),
                }
            }
            Node::Variants { variant, nodes } => {
                let ColumnRef::Column(column) = self.layout.place(*variant) else {
                    return Ok(false);
                };
                let number = match cursor.value(column) {
                    Value::Integer(number) => usize::try_from(number).ok(),
                    Value::Text(digits) => {
                        std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok())
                    }
                    _ => None,
                };
                let node = number.and_then(|number: usize| nodes.get(number));
                match node {
                    Some(node) => self.write_node(*node, cursor),
                    None => Ok(false),
                }
            }
            Node::List { rows, item } => self.write_list(*rows, *item, cursor),
            Node::Single { rows, node } => {
                let Some(level) = self.layout.level(*rows) else { return Ok(false) };
                let mut child =
                    cursor.open(level).map_err(|error| self.fail(Failure::Source(error)))?;
                match child.next() {
                    Ok(true) => self.write_node(*node, &mut child),
                    Ok(false) => Ok(false),
                    Err(error) => Err(self.fail(Failure::Source(error))),
                }
            }
            Node::Edge { rows, last, node } => self.write_edge(*rows, *last, *node, cursor),
            Node::Literal(text) => {
                self.write_text(text);
                Ok(text.as_ref() != b"null")
            }
            Node::Echo(place) => {
                let Some(Echo::Json(text)) = self.echoes.get(usize::from(*place)) else {
                    return Ok(false);
                };
                self.write_text(text);
                Ok(text.as_ref() != b"null")
            }
            Node::Representations { echo, branches } => {
                let Some(Echo::Sorted(sorted)) = self.echoes.get(usize::from(*echo)) else {
                    return Ok(false);
                };
                self.write_representations(sorted, branches, cursor)
            }
            Node::Base64(pieces) => self.write_base64(pieces, cursor),
            Node::Count { output } => self.write_count(self.layout.place(*output), cursor),
            Node::IfAny { output, some, none } => {
                self.write_if_any(self.layout.place(*output), (some, none), cursor)
            }
            Node::Length { rows } => self.write_length(*rows, cursor),
            Node::NoMore { .. } => self.write_boolean(false),
            Node::Affected { output } => self.write_affected(*output, cursor),
            Node::Each(items) => self.write_each(items, cursor),
            Node::HasMore { rows } => self.write_has_more(*rows, cursor),
            Node::HasOutside { rows, beyond_cursor } => {
                self.write_has_outside(*rows, *beyond_cursor, cursor)
            }
        }
    }

    /// Constant JSON.
    pub(super) fn write_text(&mut self, text: &[u8]) {
        let out = self.output.text();
        let start = out.len();
        out.extend_from_slice(text);
        self.output.end_text(start);
    }

    fn write_leaf<C: Cursor<Error = E>>(
        &mut self,
        output: OutputId,
        leaf: &Leaf,
        cursor: &C,
    ) -> Result<bool, Halt> {
        let ColumnRef::Column(column) = self.layout.place(output) else { return Ok(false) };
        let value = cursor.value(column);
        if value == Value::Null {
            return Ok(false);
        }
        if let Value::Text(text) | Value::Blob(text) = value
            && text.len() > SMALL_TEXT
        {
            let length = escaped_length(text);
            self.reserve(length)?;
        }
        let out = self.output.text();
        let start = out.len();
        let written = leaf.write(value, out);
        // A stored value may convert to null: JSON has one of its own.
        let is_null = out.get(start..) == Some(b"null");
        let length = out.len() - start;
        self.output.end_text(start);
        if length > SMALL_TEXT {
            self.check_budget(false)?;
        }
        match written {
            Ok(()) => Ok(!is_null),
            Err(error) => match error.element {
                None => Err(self.fail(Failure::Leaf(error))),
                Some(element) => {
                    let fails_list = error.fails_list;
                    self.path.push(PathItem::Index(element));
                    let halt = self.fail(Failure::Leaf(error));
                    self.path.pop();
                    if fails_list { Err(halt) } else { Ok(true) }
                }
            },
        }
    }

    fn write_aggregate<C: Cursor<Error = E>>(
        &mut self,
        output: OutputId,
        fields: Fields,
        cursor: &mut C,
    ) -> Result<bool, Halt> {
        let ColumnRef::Level(level) = self.layout.place(output) else { return Ok(false) };
        let mut child = cursor.open(level).map_err(|error| self.fail(Failure::Source(error)))?;
        match child.next() {
            Ok(true) => self.write_fields(fields, &mut child)?,
            // Where one statement serves all parents, a parent without rows has none here.
            Ok(false) => self.write_fields(fields, &mut NoRow::default())?,
            Err(error) => return Err(self.fail(Failure::Source(error))),
        }
        Ok(true)
    }

    fn write_only<C: Cursor<Error = E>>(
        &mut self,
        item: Item,
        cursor: &mut C,
    ) -> Result<bool, Halt> {
        self.output.begin_list();
        self.path.push(PathItem::Index(0));
        let start = self.output.mark();
        let written = self.write_node(item.node, cursor);
        self.settle(written, start, item.nullable)?;
        self.path.pop();
        self.output.end_list();
        Ok(true)
    }

    fn write_each<C: Cursor<Error = E>>(
        &mut self,
        items: &[Item],
        cursor: &mut C,
    ) -> Result<bool, Halt> {
        self.output.begin_list();
        for (index, item) in (0..).zip(items) {
            if index > 0 {
                self.output.next_element();
            }
            self.path.push(PathItem::Index(index));
            let start = self.output.mark();
            let written = self.write_node(item.node, cursor);
            self.settle(written, start, item.nullable)?;
            self.path.pop();
        }
        self.output.end_list();
        Ok(true)
    }

    fn write_leaves<C: Cursor<Error = E>>(
        &mut self,
        leaves: &[(OutputId, Leaf)],
        cursor: &C,
    ) -> Result<bool, Halt> {
        self.output.begin_list();
        for (index, (output, leaf)) in (0..).zip(leaves) {
            if index > 0 {
                self.output.next_element();
            }
            self.path.push(PathItem::Index(index));
            let start = self.output.mark();
            let written = self.write_leaf(*output, leaf, cursor);
            self.settle(written, start, false)?;
            self.path.pop();
        }
        self.output.end_list();
        Ok(true)
    }

    fn write_list<C: Cursor<Error = E>>(
        &mut self,
        rows: RowsId,
        item: Item,
        cursor: &mut C,
    ) -> Result<bool, Halt> {
        match self.layout.level(rows) {
            Some(level) => self.write_level(level, item, cursor),
            None => Ok(false),
        }
    }

    /// All rows of a level as a list.
    fn write_level<C: Cursor<Error = E>>(
        &mut self,
        level: LevelId,
        item: Item,
        cursor: &mut C,
    ) -> Result<bool, Halt> {
        let is_within = std::mem::replace(&mut self.is_within, true);
        let written = self.write_rows(level, item, cursor, !is_within);
        self.is_within = is_within;
        written
    }

    /// The elements of a list; if they are final, they may be sent one after the other.
    fn write_rows<C: Cursor<Error = E>>(
        &mut self,
        level: LevelId,
        item: Item,
        cursor: &mut C,
        are_final: bool,
    ) -> Result<bool, Halt> {
        let mut child = cursor.open(level).map_err(|error| self.fail(Failure::Source(error)))?;
        let parent = child.parent();
        let before = parent.and_then(|parent| self.repeated_lists.find(level, parent, item.node));
        if before.is_some_and(|list| self.output.repeat(list)) {
            self.check_budget(false)?;
            return Ok(true);
        }
        let (list, known_errors) = (self.output.mark(), self.errors.len());
        self.output.begin_list();
        let mut index = 0;
        loop {
            match child.next() {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return Err(self.fail(Failure::Source(error))),
            }
            if index > 0 {
                self.output.next_element();
            }
            if !self.write_plainly(item.node, item.nullable, &child) {
                self.path.push(PathItem::Index(index));
                let start = self.output.mark();
                let written = self.write_node(item.node, &mut child);
                self.settle(written, start, item.nullable)?;
                self.path.pop();
            }
            self.check_budget(are_final)?;
            index += 1;
        }
        self.output.end_list();
        if let Some(parent) = parent
            && self.errors.len() == known_errors
        {
            let list = (list, self.output.mark());
            self.repeated_lists.remember(level, parent, item.node, list);
        }
        Ok(true)
    }

    fn write_edge<C: Cursor<Error = E>>(
        &mut self,
        rows: RowsId,
        last: bool,
        node: NodeId,
        cursor: &mut C,
    ) -> Result<bool, Halt> {
        let Some(level) = self.layout.level(rows) else { return Ok(false) };
        let is_within = std::mem::replace(&mut self.is_within, true);
        let written = self.write_one_of(level, last, node, cursor);
        self.is_within = is_within;
        written
    }

    /// The first or the last of a level's rows.
    fn write_one_of<C: Cursor<Error = E>>(
        &mut self,
        level: LevelId,
        last: bool,
        node: NodeId,
        cursor: &mut C,
    ) -> Result<bool, Halt> {
        let mut child = cursor.open(level).map_err(|error| self.fail(Failure::Source(error)))?;
        let start = self.output.mark();
        let (known_errors, known_reported) = (self.errors.len(), self.reported.len());
        let mut written = Ok(false);
        loop {
            let next = child.next();
            if let Ok(false) = next {
                break;
            }
            // Earlier rows and their errors are discarded.
            self.take_back(start)?;
            if self.errors.len() > known_errors {
                self.errors.truncate(known_errors);
                // Reports after the mark are discarded.
                self.reported.truncate(known_reported);
            }
            if let Err(error) = next {
                return Err(self.fail(Failure::Source(error)));
            }
            written = self.write_node(node, &mut child);
            if !last || matches!(written, Err(Halt::Stop)) {
                break;
            }
        }
        written
    }

    fn write_base64<C: Cursor<Error = E>>(
        &mut self,
        pieces: &[Piece],
        cursor: &mut C,
    ) -> Result<bool, Halt> {
        use base64::Engine as _;
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        let mut failure = None;
        let mut is_null = false;
        for piece in pieces {
            match piece {
                Piece::Literal(literal) => text.extend_from_slice(literal),
                Piece::Text { output, leaf } => {
                    let value = match self.layout.place(*output) {
                        ColumnRef::Column(column) => cursor.value(column),
                        ColumnRef::Level(_) | ColumnRef::Unused => Value::Null,
                    };
                    if value == Value::Null {
                        is_null = true;
                        break;
                    }
                    if let Err(error) = write_unquoted(value, leaf, &mut text) {
                        failure = Some(error);
                        break;
                    }
                }
                Piece::RowNumber | Piece::RowOffset => {
                    let number = cursor.row_number();
                    let number = match piece {
                        Piece::RowOffset => number.saturating_sub(1),
                        _ => number,
                    };
                    text.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
                }
                Piece::Leaf { output, leaf } => {
                    let value = match self.layout.place(*output) {
                        ColumnRef::Column(column) => cursor.value(column),
                        ColumnRef::Level(_) | ColumnRef::Unused => Value::Null,
                    };
                    if value == Value::Null {
                        text.extend_from_slice(b"null");
                    } else if let Err(error) = leaf.write(value, &mut text) {
                        failure = Some(error);
                        break;
                    }
                }
            }
        }
        let written = match failure {
            Some(error) => Err(self.fail(Failure::Leaf(error))),
            None if is_null => Ok(false),
            None => {
                let out = self.output.text();
                let begin = out.len();
                out.push(b'"');
                let start = out.len();
                let encoded = text.len().div_ceil(3) * 4;
                out.resize(start + encoded, 0);
                let engine = base64::engine::general_purpose::STANDARD;
                // The slice has exactly the length of the encoding.
                let length = engine.encode_slice(&text, &mut out[start..]).unwrap_or(0);
                out.truncate(start + length);
                out.push(b'"');
                self.output.end_text(begin);
                Ok(true)
            }
        };
        self.scratch = text;
        written
    }
}
