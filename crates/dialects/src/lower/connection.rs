//! Connections: several fields that show the same rows.

use graphql::operation::{FieldRef, SelectionSetId};
use graphql::schema::TypeId;
use response::{Fields, Item, Node, RowsId};

use super::order::ListOrder;
use super::selection::misplaced;
use super::{Context, LowerError, Outputs};
use crate::binding::FieldBinding;

/// What a connection's page is like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paging {
    pub(super) rows: RowsId,
    pub(super) limited: bool,
    pub(super) offset: bool,
}

/// A lowered connection.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) fields: Fields,
    /// Whether it asks if rows follow the page.
    pub(super) look_ahead: bool,
    /// Whether it shows rows, not only their number.
    pub(super) shown: bool,
}

impl Context<'_> {
    pub(super) fn connection(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
        paging: Paging,
        order: &ListOrder,
        outputs: &mut Outputs,
    ) -> Result<Connection, LowerError> {
        let rows = paging.rows;
        let mut fields = Vec::new();
        let (mut look_ahead, mut shown) = (false, false);
        for field in &self.collect(object, sets)? {
            let node = match field.field {
                FieldRef::Typename => Node::Literal(self.typename(object)),
                FieldRef::Introspection => return Err(misplaced("introspection")),
                FieldRef::Field(id) => {
                    let api = self.api;
                    let r#type = api.schema[id].r#type;
                    let nullable = r#type.item().is_some_and(|item| !item.is_non_null());
                    match api.field(id) {
                        FieldBinding::Nodes => {
                            shown = true;
                            let sets = &field.selection_sets;
                            let fields = self.row_fields(r#type.base, sets, &[], outputs)?;
                            let node = self.shape.add(Node::Object(fields));
                            Node::List { rows, item: Item { node, nullable } }
                        }
                        FieldBinding::Edges => {
                            shown = true;
                            let sets = &field.selection_sets;
                            let fields = self.edge(r#type.base, sets, order, outputs)?;
                            let node = self.shape.add(Node::Object(fields));
                            Node::List { rows, item: Item { node, nullable } }
                        }
                        FieldBinding::TotalCount => {
                            Node::Count { output: outputs.count(self) }
                        }
                        FieldBinding::PageInfo => {
                            let sets = &field.selection_sets;
                            let info =
                                self.page_info(r#type.base, sets, paging, order, outputs)?;
                            look_ahead |= info.look_ahead;
                            shown |= info.shown;
                            Node::Object(info.fields)
                        }
                        FieldBinding::Same
                        | FieldBinding::Literal(_)
                        | FieldBinding::Column(_)
                        | FieldBinding::Rows(_)
                        | FieldBinding::NodeId { .. }
                        | FieldBinding::Cursor
                        | FieldBinding::Node
                        | FieldBinding::HasNextPage
                        | FieldBinding::HasPreviousPage
                        | FieldBinding::StartCursor
                        | FieldBinding::EndCursor
                        | FieldBinding::Part { .. } => return Err(misplaced("connection")),
                    }
                }
            };
            fields.push(self.shape_field(field, node));
        }
        Ok(Connection { fields: self.shape.add_fields(fields), look_ahead, shown })
    }

    fn edge(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
        order: &ListOrder,
        outputs: &mut Outputs,
    ) -> Result<Fields, LowerError> {
        let mut fields = Vec::new();
        for field in &self.collect(object, sets)? {
            let node = match field.field {
                FieldRef::Typename => Node::Literal(self.typename(object)),
                FieldRef::Introspection => return Err(misplaced("introspection")),
                FieldRef::Field(id) => match self.api.field(id) {
                    FieldBinding::Cursor => Node::Base64(self.cursor_pieces(order, outputs)),
                    FieldBinding::Node => {
                        let object = self.api.schema[id].r#type.base;
                        let sets = &field.selection_sets;
                        Node::Object(self.row_fields(object, sets, &[], outputs)?)
                    }
                    FieldBinding::Same
                    | FieldBinding::Literal(_)
                    | FieldBinding::Column(_)
                    | FieldBinding::Rows(_)
                    | FieldBinding::NodeId { .. }
                    | FieldBinding::Nodes
                    | FieldBinding::Edges
                    | FieldBinding::TotalCount
                    | FieldBinding::PageInfo
                    | FieldBinding::HasNextPage
                    | FieldBinding::HasPreviousPage
                    | FieldBinding::StartCursor
                    | FieldBinding::EndCursor
                    | FieldBinding::Part { .. } => return Err(misplaced("edge")),
                },
            };
            fields.push(self.shape_field(field, node));
        }
        Ok(self.shape.add_fields(fields))
    }

    fn page_info(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
        paging: Paging,
        order: &ListOrder,
        outputs: &mut Outputs,
    ) -> Result<Connection, LowerError> {
        let rows = paging.rows;
        let mut fields = Vec::new();
        let (mut look_ahead, mut shown) = (false, false);
        for field in &self.collect(object, sets)? {
            let binding = match field.field {
                FieldRef::Typename => {
                    let node = Node::Literal(self.typename(object));
                    fields.push(self.shape_field(field, node));
                    continue;
                }
                FieldRef::Introspection => return Err(misplaced("introspection")),
                FieldRef::Field(id) => self.api.field(id),
            };
            let node = match binding {
                // Without a limit no row follows, without an offset none comes before.
                FieldBinding::HasNextPage if !paging.limited => falsehood(),
                FieldBinding::HasPreviousPage if !paging.offset => falsehood(),
                FieldBinding::HasNextPage => {
                    (look_ahead, shown) = (true, true);
                    Node::HasNext { rows }
                }
                FieldBinding::HasPreviousPage => {
                    shown = true;
                    Node::HasPrevious { rows }
                }
                FieldBinding::StartCursor | FieldBinding::EndCursor => {
                    shown = true;
                    let pieces = self.cursor_pieces(order, outputs);
                    let node = self.shape.add(Node::Base64(pieces));
                    Node::Edge { rows, last: *binding == FieldBinding::EndCursor, node }
                }
                FieldBinding::Same
                | FieldBinding::Literal(_)
                | FieldBinding::Column(_)
                | FieldBinding::Rows(_)
                | FieldBinding::NodeId { .. }
                | FieldBinding::Nodes
                | FieldBinding::Edges
                | FieldBinding::TotalCount
                | FieldBinding::PageInfo
                | FieldBinding::Cursor
                | FieldBinding::Node
                | FieldBinding::Part { .. } => return Err(misplaced("page information")),
            };
            fields.push(self.shape_field(field, node));
        }
        Ok(Connection { fields: self.shape.add_fields(fields), look_ahead, shown })
    }
}

fn falsehood() -> Node {
    Node::Literal(b"false"[..].into())
}
