//! The bytes of shapes of answers.

use std::sync::Arc;

use dialects::{Echoed, StatedPattern};
use response::{
    Branch, ColumnRef, Item, Layout, Leaf, LevelId, Member, Node, NodeId, NotRead, OutputId, Piece,
    Sealed, Shape, ShapeField,
};

use crate::passwords::PreparedPassword;

use super::{MemorySize, of_shared, plain, sum};

plain!(Branch, Item, LevelId, NodeId, OutputId, ColumnRef);

impl MemorySize for Shape {
    fn memory_size(&self) -> usize {
        let Self { nodes, fields, root: _, events, .. } = self;
        let events = events.as_ref().map_or(0, |events| size_of::<Self>() + events.memory_size());
        // A flag for each node.
        nodes.capacity() + sum!(nodes, fields) + events
    }
}

impl MemorySize for ShapeField {
    fn memory_size(&self) -> usize {
        let Self { name, node: _, nullable: _, location: _, .. } = self;
        // With the comma, the quotes and the colon around the key.
        sum!(name) + self.key().len() + 1
    }
}

impl MemorySize for Node {
    fn memory_size(&self) -> usize {
        match self {
            Self::IfAny { output: _, some, none } => sum!(some, none),
            Self::Variants { variant: _, nodes } => sum!(nodes),
            Self::Leaf { output: _, leaf } => sum!(leaf),
            Self::LeafOr { output: _, leaf, absent } => sum!(leaf, absent),
            Self::Literal(text) => sum!(text),
            Self::Representations { echo: _, branches } => sum!(branches),
            Self::Leaves(leaves) => sum!(leaves),
            Self::Each(items) => sum!(items),
            Self::TooDeep(message) | Self::Refused(message) => sum!(message),
            Self::NotRead(why) => of_shared(why),
            Self::Base64(pieces) => sum!(pieces),
            Self::Object(_)
            | Self::Joined { present: _, fields: _ }
            | Self::Present { present: _, node: _ }
            | Self::List { rows: _, item: _ }
            | Self::Single { rows: _, node: _ }
            | Self::Edge { rows: _, last: _, node: _ }
            | Self::Echo(_)
            | Self::Aggregate { output: _, fields: _ }
            | Self::Groups { output: _, item: _ }
            | Self::Only(_)
            | Self::Count { output: _ }
            | Self::Length { rows: _ }
            | Self::Affected { output: _ }
            | Self::HasMore { rows: _ }
            | Self::NoMore { rows: _ }
            | Self::HasOutside { rows: _, beyond_cursor: _ } => 0,
        }
    }
}

impl MemorySize for NotRead {
    fn memory_size(&self) -> usize {
        match self {
            Self::NotAuthorized { message, field } => sum!(message, field),
            Self::MissingClaim { message } => sum!(message),
            Self::Undone => 0,
        }
    }
}

impl MemorySize for Piece {
    fn memory_size(&self) -> usize {
        match self {
            Self::Literal(text) => sum!(text),
            Self::Leaf { output: _, leaf } | Self::Text { output: _, leaf } => sum!(leaf),
            Self::RowNumber | Self::RowOffset => 0,
        }
    }
}

/// Names of enums belong to the API.
impl MemorySize for Leaf {
    fn memory_size(&self) -> usize {
        match self {
            Self::List(leaf) => sum!(leaf),
            Self::Composite(members)
            | Self::Row(members)
            | Self::Range(members)
            | Self::Bound(members)
            | Self::Interval(members)
            | Self::Point(members)
            | Self::Geometry(members)
            | Self::Figure(_, members) => sum!(members),
            Self::Sealed(sealed) => sum!(sealed),
            Self::JsonPart(path) => {
                path.iter().map(|item| size_of::<Box<str>>() + item.len()).sum()
            }
            Self::Literal(text) => sum!(text),
            Self::Int
            | Self::BigInt
            | Self::LongNumber
            | Self::HexadecimalId
            | Self::Float
            | Self::Decimal { scale: _ }
            | Self::Number { scale: _ }
            | Self::Digits
            | Self::FloatText
            | Self::KeyNumber
            | Self::KeyInteger
            | Self::Boolean
            | Self::Text
            | Self::Uuid
            | Self::Bytes
            | Self::Date
            | Self::Time
            | Self::TimeWithZone
            | Self::Timestamp
            | Self::TimestampWithZone
            | Self::UtcTimestamp
            | Self::UtcMilliseconds(_)
            | Self::Epoch(_)
            | Self::Enum(_)
            | Self::Json(_)
            | Self::KeyValue
            | Self::Any
            | Self::Graph(_) => 0,
        }
    }
}

impl MemorySize for Member {
    fn memory_size(&self) -> usize {
        let Self { key, part: _, leaf, nullable: _ } = self;
        sum!(key, leaf)
    }
}

impl MemorySize for Sealed {
    fn memory_size(&self) -> usize {
        let Self { members, seal: _ } = self;
        sum!(members)
    }
}

impl MemorySize for Layout {
    fn memory_size(&self) -> usize {
        let Self { outputs, rows, affected } = self;
        sum!(outputs, rows, affected)
    }
}

impl MemorySize for Echoed {
    fn memory_size(&self) -> usize {
        match self {
            Self::Json(operand) => sum!(operand),
            Self::Sorted { list, types } => {
                super::COUNTERS + size_of_val::<[Arc<_>]>(types) + sum!(list)
            }
        }
    }
}

impl MemorySize for PreparedPassword {
    fn memory_size(&self) -> usize {
        let read =
            self.stored.as_ref().map_or(0, |plan| plan.memory_size() + plan.shape().memory_size());
        read + sum!(&self.given)
    }
}

impl MemorySize for StatedPattern {
    fn memory_size(&self) -> usize {
        let Self { argument, r#match: _, operand, location: _ } = self;
        sum!(argument, operand)
    }
}
