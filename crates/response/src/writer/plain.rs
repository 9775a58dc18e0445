//! Fast path for objects of values of one row only: most of a response.
//!
//! They are written without positions. If there is an error to report, or a null that propagates,
//! all is rolled back, and written again with every position tracked.

use crate::cursor::{ColumnRef, Cursor, Layout, Value};
use crate::leaf::Leaf;
use crate::output::Output;
use crate::shape::{Fields, Node, NodeId, OutputId, Shape};

use super::{SMALL_TEXT, Writer};

/// The size from which the escaped length of a text is computed exactly.
const LARGE_TEXT: usize = 64 << 10;

/// The data of a position.
struct Row<'a, C> {
    shape: &'a Shape,
    layout: &'a Layout,
    cursor: &'a C,
}

impl<E, O: Output> Writer<'_, E, O> {
    /// Writes a position of values of the current row. `false` if nothing is written, because it
    /// has other nodes or an error to report.
    pub(super) fn write_plainly<C: Cursor<Error = E>>(
        &mut self,
        node: NodeId,
        nullable: bool,
        cursor: &C,
    ) -> bool {
        if !self.shape.is_plain(node) {
            return false;
        }
        let row = Row { shape: self.shape, layout: self.layout, cursor };
        let start = self.output.mark();
        let is_written = row.write(node, nullable, &mut self.output);
        if !is_written {
            // Elements are not sent before they end.
            let _ = self.output.roll_back(start);
        }
        is_written
    }
}

impl<C: Cursor> Row<'_, C> {
    /// After `false` a part of it may be written.
    fn write<O: Output>(&self, node: NodeId, nullable: bool, output: &mut O) -> bool {
        match self.shape.node(node) {
            Node::Leaf { output: id, leaf } => self.write_leaf(*id, leaf, nullable, output),
            Node::LeafOr { output: id, leaf, absent } => match self.value(*id) {
                Value::Null => {
                    write_text(absent, output);
                    true
                }
                _ => self.write_leaf(*id, leaf, false, output),
            },
            Node::Object(fields) => self.write_object(*fields, output),
            Node::Joined { present, fields } => match self.layout.place(*present) {
                ColumnRef::Column(column) if !self.cursor.is_null(column) => {
                    self.write_object(*fields, output)
                }
                ColumnRef::Column(_) | ColumnRef::Level(_) | ColumnRef::Unused => {
                    write_null(nullable, output)
                }
            },
            Node::Literal(text) => {
                write_text(text, output);
                nullable || text.as_ref() != b"null"
            }
            _ => false,
        }
    }

    fn write_object<O: Output>(&self, fields: Fields, output: &mut O) -> bool {
        let mut all = self.shape.fields(fields).iter().zip(fields.start..);
        output.begin_object();
        if let Some((first, number)) = all.next() {
            output.first_key(first, number);
            if !self.write(first.node, first.nullable, output) {
                return false;
            }
        }
        for (field, number) in all {
            output.next_key(field, number);
            if !self.write(field.node, field.nullable, output) {
                return false;
            }
        }
        output.end_object();
        true
    }

    fn value(&self, id: OutputId) -> Value<'_> {
        match self.layout.place(id) {
            ColumnRef::Column(column) => self.cursor.value(column),
            ColumnRef::Level(_) | ColumnRef::Unused => Value::Null,
        }
    }

    fn write_leaf<O: Output>(
        &self,
        id: OutputId,
        leaf: &Leaf,
        nullable: bool,
        output: &mut O,
    ) -> bool {
        let value = self.value(id);
        if let Value::Null = value {
            return write_null(nullable, output);
        }
        if let Value::Text(text) | Value::Blob(text) = value
            && text.len() > SMALL_TEXT
            && !(text.len() < LARGE_TEXT && output.has_room(text.len() + text.len() / 8))
        {
            return false;
        }
        let out = output.text();
        let start = out.len();
        if leaf.write_usual(value, out) {
            output.end_text(start);
            return true;
        }
        // A stored value may convert to null: JSON has one of its own.
        let is_written =
            leaf.write(value, out).is_ok() && (nullable || out.get(start..) != Some(b"null"));
        output.end_text(start);
        is_written
    }
}

fn write_text<O: Output>(text: &[u8], output: &mut O) {
    let out = output.text();
    let start = out.len();
    out.extend_from_slice(text);
    output.end_text(start);
}

fn write_null<O: Output>(nullable: bool, output: &mut O) -> bool {
    if nullable {
        output.null();
    }
    nullable
}
