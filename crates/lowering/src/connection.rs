//! Connections: several fields over the same rows.

use graphql::CollectedField;
use graphql::operation::{FieldRef, SelectionSetId};
use graphql::schema::{TypeId, TypeRef};
use ir::Form;
use response::{Fields, Item, Leaf, Node};

use super::call::RowForm;
use super::order::ListOrder;
use super::paging::Paging;
use super::selection::misplaced;
use super::{Context, LowerError, Outputs};
use api::binding::{ConnectionField, EdgeField, FieldBinding, PageInfoField};

/// A lowered connection.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) fields: Fields,
    /// True if the page information needs to know whether rows follow the page.
    pub(super) look_ahead: bool,
    /// True if rows are output, not only their number.
    pub(super) shown: bool,
}

impl<'a> Context<'a> {
    pub(super) fn connection(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
        paging: Paging,
        order: &ListOrder,
        row: RowForm,
        outputs: &mut Outputs,
    ) -> Result<Connection, LowerError> {
        let rows = paging.rows;
        let mut fields = Vec::new();
        let (mut look_ahead, mut shown) = (false, false);
        for field in &self.collect(object, sets)? {
            let Some((binding, r#type)) = self.binding(field)? else {
                let node = Node::Literal(self.typename(object));
                fields.push(self.shape_field(field, node));
                continue;
            };
            let binding = match binding {
                FieldBinding::Connection(binding) => binding,
                FieldBinding::Refused(text) => {
                    fields.push(self.shape_field(field, Node::Refused(text.clone())));
                    continue;
                }
                _ => return Err(misplaced("connection")),
            };
            let nullable = r#type.item().is_some_and(|item| !item.is_non_null());
            let sets = &field.selection_sets;
            let node = match binding {
                ConnectionField::Nodes => {
                    shown = true;
                    let node = self.row_node(row, r#type.base, field, outputs)?;
                    let node = self.shape.add(node);
                    Node::List { rows, item: Item { node, nullable } }
                }
                ConnectionField::Edges => {
                    shown = true;
                    let fields = self.edge(r#type.base, sets, order, row, outputs)?;
                    let node = self.shape.add(Node::Object(fields));
                    Node::List { rows, item: Item { node, nullable } }
                }
                ConnectionField::TotalCount => Node::Count { output: outputs.count(self) },
                ConnectionField::Aggregates => {
                    let whole = self.whole(r#type.base, sets)?;
                    let output = outputs.aggregate(self, whole.aggregate);
                    Node::Aggregate { output, fields: whole.fields }
                }
                ConnectionField::PageAggregates => {
                    let mut whole = self.whole(r#type.base, sets)?;
                    whole.aggregate.paged = true;
                    let output = outputs.aggregate(self, whole.aggregate);
                    Node::Aggregate { output, fields: whole.fields }
                }
                ConnectionField::Groups => self.groups(field, outputs)?,
                ConnectionField::RowGroups => self.row_groups(field, order, row, outputs)?,
                ConnectionField::PageInfo => {
                    let info = self.page_info(r#type.base, sets, paging, order, outputs)?;
                    look_ahead |= info.look_ahead;
                    shown |= info.shown;
                    Node::Object(info.fields)
                }
            };
            fields.push(self.shape_field(field, node));
        }
        Ok(Connection { fields: self.shape.add_fields(fields), look_ahead, shown })
    }

    /// The fields of an edge, over its row.
    pub(super) fn edge(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
        order: &ListOrder,
        row: RowForm,
        outputs: &mut Outputs,
    ) -> Result<Fields, LowerError> {
        let mut fields = Vec::new();
        for field in &self.collect(object, sets)? {
            let node = match self.binding(field)? {
                None => Node::Literal(self.typename(object)),
                Some((FieldBinding::Refused(text), _)) => Node::Refused(text.clone()),
                Some((FieldBinding::Edge(EdgeField::Cursor), _)) if !order.has_cursor() => {
                    Node::Literal(b"null".as_slice().into())
                }
                Some((FieldBinding::Edge(EdgeField::Cursor), _)) => {
                    self.cursor_node(order, outputs)
                }
                Some((FieldBinding::Edge(EdgeField::Column(column)), r#type)) => {
                    self.edge_column(*column, r#type.base, field, outputs)?
                }
                Some((FieldBinding::Edge(EdgeField::Properties), r#type)) => {
                    let sets = &field.selection_sets;
                    match row {
                        RowForm::Variants(variants) => {
                            self.properties_by_variant(variants, sets, outputs)?
                        }
                        _ => Node::Object(self.edge(r#type.base, sets, order, row, outputs)?),
                    }
                }
                Some((FieldBinding::Rows(binding), _)) => {
                    self.enter_level()?;
                    let rows = self.rows(binding, field)?;
                    self.level -= 1;
                    match rows {
                        Some((node, rows)) => {
                            outputs.related(self, &[], rows);
                            node
                        }
                        None => Node::Literal(b"null".as_slice().into()),
                    }
                }
                Some((FieldBinding::Edge(EdgeField::Node), r#type)) => {
                    self.row_node(row, r#type.base, field, outputs)?
                }
                Some(_) => return Err(misplaced("edge")),
            };
            fields.push(self.shape_field(field, node));
        }
        Ok(self.shape.add_fields(fields))
    }

    /// A field of the join row between this row and the outer row.
    pub(super) fn edge_column(
        &mut self,
        column: catalog::FieldId,
        r#type: TypeId,
        field: &CollectedField<'a>,
        outputs: &mut Outputs,
    ) -> Result<Node, LowerError> {
        let Some(binding) = self.api.find_column(column) else {
            return Err(misplaced("a field of an edge"));
        };
        let (value, form) = (binding.value.clone(), binding.form);
        let leaf = self.leaf(&value, r#type, field)?;
        let output = outputs.edge(self, column, form);
        Ok(self.or_absent(column, output, leaf))
    }

    /// The cursor of the current row.
    fn cursor_node(&mut self, order: &ListOrder, outputs: &mut Outputs) -> Node {
        match order.key() {
            Some(field) => {
                let output = outputs.field(self, &[], field, Form::Stored);
                Node::Leaf { output, leaf: Leaf::Any }
            }
            None => Node::Base64(self.cursor_pieces(order, outputs)),
        }
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
            let Some((binding, _)) = self.binding(field)? else {
                let node = Node::Literal(self.typename(object));
                fields.push(self.shape_field(field, node));
                continue;
            };
            let binding = match binding {
                FieldBinding::PageInfo(binding) => binding,
                FieldBinding::Refused(text) => {
                    fields.push(self.shape_field(field, Node::Refused(text.clone())));
                    continue;
                }
                _ => return Err(misplaced("page information")),
            };
            let node = match binding {
                // Rows beyond a cursor include the cursor's own row, those before an offset the
                // skipped ones; a limit is checked by reading one row more (look-ahead). Cursors
                // that hold numbers are offsets and limits.
                PageInfoField::HasNextPage if paging.before && !paging.by_number => {
                    shown = true;
                    Node::HasOutside { rows, beyond_cursor: true }
                }
                PageInfoField::HasPreviousPage if paging.begins_by_offset() => {
                    shown = true;
                    let beyond_cursor = paging.after && !paging.by_number;
                    Node::HasOutside { rows, beyond_cursor }
                }
                PageInfoField::HasNextPage if paging.first || paging.before => {
                    (look_ahead, shown) = (true, true);
                    Node::HasMore { rows }
                }
                PageInfoField::HasPreviousPage if paging.last => {
                    (look_ahead, shown) = (true, true);
                    Node::HasMore { rows }
                }
                PageInfoField::HasNextPage if !paging.last && !paging.by_key => {
                    Node::NoMore { rows }
                }
                PageInfoField::HasNextPage | PageInfoField::HasPreviousPage => {
                    Node::Literal(b"false"[..].into())
                }
                PageInfoField::StartCursor | PageInfoField::EndCursor => {
                    shown = true;
                    let cursor = self.cursor_node(order, outputs);
                    let node = self.shape.add(cursor);
                    Node::Edge { rows, last: *binding == PageInfoField::EndCursor, node }
                }
            };
            fields.push(self.shape_field(field, node));
        }
        Ok(Connection { fields: self.shape.add_fields(fields), look_ahead, shown })
    }
}

impl<'a> Context<'a> {
    /// The binding of a field, and its type; `None` for `__typename`.
    pub(super) fn binding(
        &self,
        field: &CollectedField<'_>,
    ) -> Result<Option<(&'a FieldBinding, TypeRef)>, LowerError> {
        match field.field {
            FieldRef::Typename => Ok(None),
            FieldRef::Introspection => Err(misplaced("introspection")),
            FieldRef::Field(id) => Ok(Some((self.api.field(id), self.api.schema[id].r#type))),
        }
    }
}
