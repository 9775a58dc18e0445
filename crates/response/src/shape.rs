//! The structure of a response: a tree of objects, lists and leaves over the request's outputs.
//!
//! The ids are those of the IR, as plain numbers: this crate does not depend on the IR.

use std::sync::Arc;

pub use crate::ids::{OutputId, RowsId};
use crate::leaf::Leaf;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(pub u32);

/// A range of a shape's fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    pub start: u32,
    pub end: u32,
}

/// The structure of the response to one operation.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    pub nodes: Vec<Node>,
    /// For each node: true if it consists of values of one row only.
    plain: Vec<bool>,
    pub fields: Vec<ShapeField>,
    /// The fields of `data`.
    pub root: Option<Fields>,
    /// The events of the changes, an object over the same rows; none where nobody wants them.
    pub events: Option<Arc<Shape>>,
}

/// One field of an object.
#[derive(Clone, Debug)]
pub struct ShapeField {
    /// The response name, for paths.
    pub name: Box<str>,
    /// `,"name":`, escaped.
    key: Box<[u8]>,
    pub node: NodeId,
    pub nullable: bool,
    /// Line and column of the field in the document, from 1; errors point there.
    pub location: Option<(u32, u32)>,
}

/// The elements of a list.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub node: NodeId,
    pub nullable: bool,
}

#[derive(Clone, Debug)]
pub enum Node {
    /// An object over the current row.
    Object(Fields),
    /// An object over the current row, or null where `present` is null: a joined to-one.
    Joined { present: OutputId, fields: Fields },
    /// A node over the current row, or null where `present` is null.
    Present { present: OutputId, node: NodeId },
    /// One of several nodes over the current row, by the number in `variant`.
    Variants { variant: OutputId, nodes: Box<[NodeId]> },
    /// All rows as a list.
    List { rows: RowsId, item: Item },
    /// The only row, or null.
    Single { rows: RowsId, node: NodeId },
    /// A value of the first or the last row of a page, or null.
    Edge { rows: RowsId, last: bool, node: NodeId },
    /// A value of the current row.
    Leaf { output: OutputId, leaf: Leaf },
    /// A value of the current row; where it is null, the JSON text `absent`.
    LeafOr { output: OutputId, leaf: Leaf, absent: Box<[u8]> },
    /// Constant JSON text.
    Literal(Box<[u8]>),
    /// JSON text from the request, by its index.
    Echo(u16),
    /// A list with an element for each federation representation of the request, which the echo at
    /// this index holds sorted. A representation of a key without a branch is an empty object.
    Representations { echo: u16, branches: Box<[Branch]> },
    /// An object over aggregates of all rows of a set. Without rows every value is null.
    Aggregate { output: OutputId, fields: Fields },
    /// The groups of the rows of a set, as a list.
    Groups { output: OutputId, item: Item },
    /// A list of one element over the current row.
    Only(Item),
    /// Values of the current row as a list.
    Leaves(Vec<(OutputId, Leaf)>),
    /// Not read: the operation exceeds the depth limit of the API. An error with this text.
    TooDeep(Box<str>),
    /// Not read: the API rejects a value of the operation. An error with this text.
    Refused(Box<str>),
    /// Not read, for a reason that is reported once, at its first position.
    NotRead(Arc<NotRead>),
    /// A text made of pieces, in base64: node ids, cursors.
    Base64(Vec<Piece>),
    /// The number of rows without pagination.
    Count { output: OutputId },
    /// A constant JSON text by whether that number is zero.
    IfAny { output: OutputId, some: Box<[u8]>, none: Box<[u8]> },
    /// The number of rows in the list.
    Length { rows: RowsId },
    /// The number of rows that a change touched, by [`Layout::affected`](crate::Layout::affected).
    Affected { output: OutputId },
    /// Several nodes over the current row as a list.
    Each(Box<[Item]>),
    /// True if there are rows beyond the page, in the direction of the limit.
    HasMore { rows: RowsId },
    /// False, since the list has no limit; an access rule may set one: [`Shape::limit`].
    NoMore { rows: RowsId },
    /// True if rows precede the page, on a side where it is bounded by a cursor, which has a row of
    /// its own, or by its offset. An empty page has no rows outside.
    HasOutside { rows: RowsId, beyond_cursor: bool },
}

/// The elements of a [`Node::Representations`] that are found by one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The number of the key.
    pub key: u16,
    /// The rows of the elements; `None`: nothing is read of them.
    pub rows: Option<BranchRows>,
    pub node: NodeId,
}

/// Rows that are found by the values of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchRows {
    pub rows: RowsId,
    /// The position of the value that found the row, from 1.
    pub ordinal: OutputId,
}

/// Reasons why requested data was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotRead {
    /// Not authorized.
    NotAuthorized {
        message: Box<str>,
        /// The field that caused it, by its name in the source.
        field: Option<Box<str>>,
    },
    /// The session lacks a claim that its permissions need.
    MissingClaim { message: Box<str> },
    /// Rolled back, because another part of the transaction failed.
    Undone,
}

/// A part of a [`Node::Base64`] text.
#[derive(Clone, Debug)]
pub enum Piece {
    Literal(Box<[u8]>),
    /// A value as JSON; null is `null`.
    Leaf {
        output: OutputId,
        leaf: Leaf,
    },
    /// A value as a text without JSON's quotes and escapes. Null makes the whole null.
    Text {
        output: OutputId,
        leaf: Leaf,
    },
    /// The number of the current row, counted from the first row of all pages as 1.
    RowNumber,
    /// The same counted from 0.
    RowOffset,
}

impl Shape {
    /// Adds a node.
    pub fn add(&mut self, node: Node) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.plain.push(self.is_made_plainly(&node));
        self.nodes.push(node);
        id
    }

    /// Adds the fields of one object, in their order.
    pub fn add_fields(&mut self, fields: impl IntoIterator<Item = ShapeField>) -> Fields {
        let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let start = count(self.fields.len());
        self.fields.extend(fields);
        Fields { start, end: count(self.fields.len()) }
    }

    #[must_use]
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// True if a node consists of values of one row only.
    #[inline]
    pub(crate) fn is_plain(&self, id: NodeId) -> bool {
        self.plain.get(id.0 as usize).copied().unwrap_or(false)
    }

    fn is_made_plainly(&self, node: &Node) -> bool {
        match node {
            Node::Leaf { .. } | Node::LeafOr { .. } | Node::Literal(_) => true,
            Node::Object(fields) | Node::Joined { fields, .. } => {
                self.fields(*fields).iter().all(|field| self.is_plain(field.node))
            }
            Node::Present { .. }
            | Node::Variants { .. }
            | Node::List { .. }
            | Node::Single { .. }
            | Node::Edge { .. }
            | Node::Aggregate { .. }
            | Node::Groups { .. }
            | Node::Echo(_)
            | Node::Representations { .. }
            | Node::Only(_)
            | Node::Leaves(_)
            | Node::TooDeep(_)
            | Node::Refused(_)
            | Node::NotRead(_)
            | Node::Base64(_)
            | Node::Count { .. }
            | Node::IfAny { .. }
            | Node::Length { .. }
            | Node::Affected { .. }
            | Node::Each(_)
            | Node::HasMore { .. }
            | Node::NoMore { .. }
            | Node::HasOutside { .. } => false,
        }
    }

    /// The response name of a root field, by its index.
    #[must_use]
    pub fn root_name(&self, place: u32) -> Option<&str> {
        let Fields { start, end } = self.root?;
        let root = self.fields.get(start as usize..end as usize)?;
        root.get(place as usize).map(|field| &*field.name)
    }

    /// Marks a root field, by its index, as not read.
    pub fn mark_root_not_read(&mut self, place: u32, why: &Arc<NotRead>) {
        let node = self.add(Node::NotRead(Arc::clone(why)));
        let Some(Fields { start, end }) = self.root else { return };
        let root = self.fields.get_mut(start as usize..end as usize);
        if let Some(field) = root.and_then(|root| root.get_mut(place as usize)) {
            field.node = node;
        }
    }

    /// Marks branches of representations whose rows were not read, with the reason.
    pub fn mark_branches_not_read<'n>(&mut self, why: impl Fn(RowsId) -> Option<&'n Arc<NotRead>>) {
        let refused = |branch: &Branch| why(branch.rows?.rows).map(|why| (branch.node, why));
        let of_node = |node: &Node| match node {
            Node::Representations { branches, .. } => branches.iter().filter_map(refused).collect(),
            _ => Vec::new(),
        };
        let all: Vec<_> = self.nodes.iter().flat_map(of_node).collect();
        for (node, why) in all {
            self.nodes[node.0 as usize] = Node::NotRead(Arc::clone(why));
        }
    }

    /// Gives lists that had no limit one: there may be more rows than they have.
    pub fn limit(&mut self, is_limited: impl Fn(RowsId) -> bool) {
        for node in &mut self.nodes {
            if let Node::NoMore { rows } = *node
                && is_limited(rows)
            {
                *node = Node::HasMore { rows };
            }
        }
    }

    /// Marks nodes that were not read, with the reason.
    pub fn mark_not_read<'n>(&mut self, why: impl Fn(&Node) -> Option<&'n Arc<NotRead>>) {
        for node in &mut self.nodes {
            if let Some(why) = why(node) {
                *node = Node::NotRead(Arc::clone(why));
            }
        }
        // Children precede their parents.
        for place in 0..self.nodes.len() {
            self.plain[place] = self.is_made_plainly(&self.nodes[place]);
        }
    }

    #[must_use]
    #[inline]
    pub fn fields(&self, fields: Fields) -> &[ShapeField] {
        &self.fields[fields.start as usize..fields.end as usize]
    }
}

impl ShapeField {
    /// A field with its key escaped.
    #[must_use]
    pub fn new(name: &str, node: NodeId, nullable: bool) -> Self {
        let mut key = Vec::with_capacity(name.len() + 4);
        key.push(b',');
        crate::escape::write_string(name, &mut key);
        key.push(b':');
        Self { name: name.into(), key: key.into(), node, nullable, location: None }
    }

    /// `"name":`, escaped.
    #[must_use]
    #[inline]
    pub fn key(&self) -> &[u8] {
        self.key.get(1..).unwrap_or_default()
    }

    /// The same after the comma that ends the field before.
    #[inline]
    pub(crate) fn next_key(&self) -> &[u8] {
        &self.key
    }

    /// The same with its location in the document.
    #[must_use]
    pub fn at(self, line: u32, column: u32) -> Self {
        Self { location: Some((line, column)), ..self }
    }
}
