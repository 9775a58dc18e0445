//! Objects of nothing but values of one row: most of what an answer consists of.
//!
//! They are written straight on. Only where something turns out that has to be told, or that makes
//! more null than itself, all is taken back, and written again with every position known.

use crate::append::append;
use crate::cursor::{Cursor, Layout, Place, Value};
use crate::leaf::Leaf;
use crate::shape::{Fields, Node, NodeId, OutputId, Shape, ShapeField};

use super::Writer;

/// What a position is written of.
struct Row<'a, C> {
    shape: &'a Shape,
    layout: &'a Layout,
    cursor: &'a C,
}

impl<E> Writer<'_, E> {
    /// Writes a position of values of the current row. `false` if nothing is written, because it is
    /// more than that or there is something to say about it.
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
        let out = self.sink.bytes();
        let start = out.len();
        let is_written = row.write(node, nullable, out);
        if !is_written {
            out.truncate(start);
        }
        is_written
    }
}

impl<C: Cursor> Row<'_, C> {
    /// After `false` a part of it may be written.
    fn write(&self, node: NodeId, nullable: bool, out: &mut Vec<u8>) -> bool {
        match self.shape.node(node) {
            Node::Leaf { output, leaf } => self.write_leaf(*output, leaf, nullable, out),
            Node::Object(fields) => self.write_object(*fields, out),
            Node::Joined { present, fields } => match self.layout.place(*present) {
                Place::Column(column) if !self.cursor.is_null(column) => {
                    self.write_object(*fields, out)
                }
                Place::Column(_) | Place::Level(_) | Place::Unused => write_null(nullable, out),
            },
            Node::Literal(text) => {
                out.extend_from_slice(text);
                nullable || text.as_ref() != b"null"
            }
            _ => false,
        }
    }

    fn write_object(&self, fields: Fields, out: &mut Vec<u8>) -> bool {
        let mut fields = self.shape.fields(fields).iter();
        out.push(b'{');
        let Some(first) = fields.next() else {
            out.push(b'}');
            return true;
        };
        append(first.key(), out);
        if !self.write(first.node, first.nullable, out) {
            return false;
        }
        for field in fields {
            let ShapeField { node, nullable, .. } = field;
            append(field.next_key(), out);
            if !self.write(*node, *nullable, out) {
                return false;
            }
        }
        out.push(b'}');
        true
    }

    fn write_leaf(&self, output: OutputId, leaf: &Leaf, nullable: bool, out: &mut Vec<u8>) -> bool {
        let value = match self.layout.place(output) {
            Place::Column(column) => self.cursor.value(column),
            Place::Level(_) | Place::Unused => Value::Null,
        };
        if let Value::Null = value {
            return write_null(nullable, out);
        }
        if leaf.write_usual(value, out) {
            return true;
        }
        let start = out.len();
        // A stored value may mean null: JSON has one of its own.
        leaf.write(value, out).is_ok() && (nullable || out.get(start..) != Some(b"null"))
    }
}

fn write_null(nullable: bool, out: &mut Vec<u8>) -> bool {
    if nullable {
        out.extend_from_slice(b"null");
    }
    nullable
}
