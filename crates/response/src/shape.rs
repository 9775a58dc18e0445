//! What an answer looks like: a tree of objects, lists and leaves over the request's outputs.
//!
//! The ids are those of the IR, carried over as numbers: this crate knows no IR.

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

/// The answer to one operation.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    pub nodes: Vec<Node>,
    /// Whether a node is made of nothing but values of one row, by the place of the node.
    plain: Vec<bool>,
    pub fields: Vec<ShapeField>,
    /// The fields of `data`.
    pub root: Option<Fields>,
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
    /// A node over the current row, by the number that `variant` is.
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
    /// JSON text that is the same in every answer.
    Literal(Box<[u8]>),
    /// JSON text that the request brings, by its place among those.
    Echo(u16),
    /// A list with an element for each federation representation that the request brings, which
    /// stand sorted among what it echoes. One of a key that no branch has is an empty object.
    Representations { echo: u16, branches: Box<[Branch]> },
    /// An object over what is made of all rows of a set. Without rows every value is null.
    Aggregate { output: OutputId, fields: Fields },
    /// The groups of the rows of a set, as a list.
    Groups { output: OutputId, item: Item },
    /// A list of one element, which stands over the current row.
    Only(Item),
    /// Values of the current row as a list.
    Leaves(Vec<(OutputId, Leaf)>),
    /// Nothing was read, because the operation asks for more levels than the API allows: an error
    /// with this text.
    TooDeep(Box<str>),
    /// Nothing was read, because the API refuses a value that the operation gives: an error with
    /// this text.
    Refused(Box<str>),
    /// Nothing was read, for a reason that is told once, at the first place where it stands.
    NotRead(Arc<NotRead>),
    /// A text made of pieces, in base64: node ids, cursors.
    Base64(Vec<Piece>),
    /// How many rows there are, the page left aside.
    Count { output: OutputId },
    /// How many rows are shown.
    Length { rows: RowsId },
    /// Whether there are rows beyond the page, in the direction in which it was cut off.
    HasMore { rows: RowsId },
    /// Whether rows stand outside the page, on a side where it is bounded by a cursor, which has
    /// a row of its own, or by its offset. Outside an empty page stands nothing.
    HasOutside { rows: RowsId, beyond_cursor: bool },
}

/// The elements of a [`Node::Representations`] that are found by one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The number of the key.
    pub key: u16,
    /// What they are read from; `None`: nothing is read of them.
    pub rows: Option<BranchRows>,
    pub node: NodeId,
}

/// Rows that are found by the values of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchRows {
    pub rows: RowsId,
    /// The place of the value that found the row, from 1.
    pub ordinal: OutputId,
}

/// Why something was not read although the operation asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotRead {
    /// Whoever asks may not see or do it.
    NotLet {
        message: Box<str>,
        /// The field that is the reason, by its name in the source.
        field: Option<Box<str>>,
    },
    /// It was not done, because something else of the same transaction was not.
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
    /// A value as a text, without the marks and escapes that JSON has for it. Where it is null the
    /// whole is null.
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

    /// Whether a node is made of nothing but values of one row.
    #[inline]
    pub(crate) fn is_plain(&self, id: NodeId) -> bool {
        self.plain.get(id.0 as usize).copied().unwrap_or(false)
    }

    fn is_made_plainly(&self, node: &Node) -> bool {
        match node {
            Node::Leaf { .. } | Node::Literal(_) => true,
            Node::Object(fields) | Node::Joined { fields, .. } => {
                self.fields(*fields).iter().all(|field| self.is_plain(field.node))
            }
            Node::Present { .. }
            | Node::Variants { .. }
            | Node::List { .. }
            | Node::Single { .. }
            | Node::Edge { .. }
            | Node::LeafOr { .. }
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
            | Node::Length { .. }
            | Node::HasMore { .. }
            | Node::HasOutside { .. } => false,
        }
    }

    /// Says of a root field, by its place, that it was not read.
    pub fn leave_out_root(&mut self, place: u32, why: &Arc<NotRead>) {
        let node = self.add(Node::NotRead(Arc::clone(why)));
        let Some(Fields { start, end }) = self.root else { return };
        let root = self.fields.get_mut(start as usize..end as usize);
        if let Some(field) = root.and_then(|root| root.get_mut(place as usize)) {
            field.node = node;
        }
    }

    /// Says of representations that the rows of some were not read, and why.
    pub fn leave_out_branches<'n>(&mut self, why: impl Fn(RowsId) -> Option<&'n Arc<NotRead>>) {
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

    /// Says of some nodes that they were not read, and why.
    pub fn leave_out<'n>(&mut self, why: impl Fn(&Node) -> Option<&'n Arc<NotRead>>) {
        for node in &mut self.nodes {
            if let Some(why) = why(node) {
                *node = Node::NotRead(Arc::clone(why));
            }
        }
        // What a node is made of stands before it.
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

    /// The same with its place in the document.
    #[must_use]
    pub fn at(self, line: u32, column: u32) -> Self {
        Self { location: Some((line, column)), ..self }
    }
}
