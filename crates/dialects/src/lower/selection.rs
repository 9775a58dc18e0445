//! Fields of objects: the root's, and those of rows.

use graphql::operation::{FieldRef, SelectionSetId};
use graphql::schema::{FieldId, TypeId, TypeKind};
use graphql::{CollectedField, collect_fields};
use ir::{Filter, Hop, Page, Rows};
use response::{Fields, Item, Node, NodeId, ShapeField};

use super::{Context, LowerError, Outputs};
use crate::binding::{FieldBinding, RowsBinding, RowsForm, RowsFrom};

impl<'a> Context<'a> {
    /// The merged fields that the selection sets select of an object type.
    pub(super) fn collect(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
    ) -> Result<Vec<CollectedField<'a>>, LowerError> {
        let schema = &self.api.schema;
        let budget = &mut self.budget;
        let mut collected =
            collect_fields(self.operation, schema, object, sets, self.steering, budget)?;
        for field in &mut collected {
            if let FieldRef::Field(id) = &mut field.field {
                *id = self.own_field(object, *id);
            }
        }
        Ok(collected)
    }

    /// The object's own field for one that a fragment on an interface names: only objects' fields
    /// have bindings.
    fn own_field(&self, object: TypeId, field: FieldId) -> FieldId {
        let schema = &self.api.schema;
        match &schema[object].kind {
            TypeKind::Object { fields, interfaces }
                if !interfaces.is_empty() && !fields.contains(&field) =>
            {
                schema.find_field(object, &schema[field].name).unwrap_or(field)
            }
            _ => field,
        }
    }

    /// The fields of the root object. At the top each is a root field of its own.
    pub(super) fn root_fields(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
        top: bool,
    ) -> Result<Fields, LowerError> {
        let mut fields = Vec::new();
        for (place, field) in self.collect(object, sets)?.iter().enumerate() {
            if top {
                self.root = u32::try_from(place).unwrap_or(u32::MAX);
            }
            let node = match field.field {
                FieldRef::Typename => Node::Literal(self.typename(object)),
                FieldRef::Introspection if !top => {
                    return Err(LowerError::Refused {
                        message: "__schema and __type stand at the top of a query only.".into(),
                        location: field.location,
                    });
                }
                FieldRef::Introspection => {
                    let answer = self.introspection.get(field.response_name);
                    Node::Literal(answer.map_or_else(|| b"null"[..].into(), Clone::clone))
                }
                FieldRef::Field(id) => match self.api.field(id) {
                    FieldBinding::Same => {
                        Node::Object(self.root_fields(object, &field.selection_sets, false)?)
                    }
                    FieldBinding::Literal(text) => Node::Literal(text.clone()),
                    FieldBinding::Rows(binding) => {
                        let (node, rows) = self.rows(binding, field)?;
                        let id = ir::StepId(u32::try_from(self.steps.len()).unwrap_or(u32::MAX));
                        let kind = ir::StepKind::Read(rows);
                        self.steps.push(ir::Step { id, root: self.root, kind });
                        node
                    }
                    FieldBinding::Column(_)
                    | FieldBinding::NodeId { .. }
                    | FieldBinding::Connection(_)
                    | FieldBinding::Edge(_)
                    | FieldBinding::PageInfo(_)
                    | FieldBinding::Part { .. } => return Err(misplaced("root")),
                },
            };
            fields.push(self.shape_field(field, node));
        }
        Ok(self.shape.add_fields(fields))
    }

    /// The fields of a row, or of the row at the end of a path of to-one hops.
    pub(super) fn row_fields(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
        path: &[Hop],
        outputs: &mut Outputs,
    ) -> Result<Fields, LowerError> {
        let mut fields = Vec::new();
        for field in &self.collect(object, sets)? {
            let node = match field.field {
                FieldRef::Typename => Node::Literal(self.typename(object)),
                FieldRef::Introspection => return Err(misplaced("introspection")),
                FieldRef::Field(id) => self.row_field(id, field, path, outputs)?,
            };
            fields.push(self.shape_field(field, node));
        }
        Ok(self.shape.add_fields(fields))
    }

    fn row_field(
        &mut self,
        id: graphql::schema::FieldId,
        field: &CollectedField<'a>,
        path: &[Hop],
        outputs: &mut Outputs,
    ) -> Result<Node, LowerError> {
        let api = self.api;
        match api.field(id) {
            FieldBinding::Literal(text) => Ok(Node::Literal(text.clone())),
            FieldBinding::Column(column) => {
                let Some(binding) = api.find_column(*column) else {
                    return Err(misplaced("column"));
                };
                let leaf = self.leaf(&binding.value, api.schema[id].r#type.base, field)?;
                let output = outputs.field(self, path, *column, binding.form);
                Ok(Node::Leaf { output, leaf })
            }
            FieldBinding::NodeId { prefix, key } => {
                let pieces = self.node_id_pieces(path, prefix, key, outputs);
                Ok(Node::Base64(pieces))
            }
            FieldBinding::Rows(binding) => match (binding.form, binding.from) {
                (RowsForm::Single, RowsFrom::Relation(hop)) => {
                    let mut path = path.to_vec();
                    path.push(hop);
                    let present = outputs.present(self, &path);
                    let object = api.schema[id].r#type.base;
                    let fields = self.row_fields(object, &field.selection_sets, &path, outputs)?;
                    Ok(Node::Joined { present, fields })
                }
                (RowsForm::Single | RowsForm::List | RowsForm::Connection, _) => {
                    let (node, rows) = self.rows(binding, field)?;
                    outputs.related(self, path, rows);
                    Ok(node)
                }
            },
            FieldBinding::Same
            | FieldBinding::Connection(_)
            | FieldBinding::Edge(_)
            | FieldBinding::PageInfo(_)
            | FieldBinding::Part { .. } => Err(misplaced("row")),
        }
    }

    /// The rows that a field gives, and the node that shows them.
    fn rows(
        &mut self,
        binding: &RowsBinding,
        field: &CollectedField<'a>,
    ) -> Result<(Node, Rows), LowerError> {
        let FieldRef::Field(id) = field.field else { return Err(misplaced("rows")) };
        let r#type = self.api.schema[id].r#type;
        let rows_id = self.rows_id();
        let shape_rows = response::RowsId(rows_id.0);
        let arguments = self.arguments(field)?;
        let order = self.list_order(binding.entity, &arguments.orders);
        let limit = arguments.limit.or_else(|| {
            let limit = i64::try_from(binding.default_limit?).ok()?;
            Some(ir::Operand::Constant(ir::Value::Integer(limit)))
        });
        let mut outputs = Outputs::default();
        let sets = &field.selection_sets;
        let mut look_ahead = false;
        let mut shown = true;
        let node = match binding.form {
            RowsForm::List => {
                let fields = self.row_fields(r#type.base, sets, &[], &mut outputs)?;
                let nullable = r#type.item().is_some_and(|item| !item.is_non_null());
                let item = Item { node: self.shape.add(Node::Object(fields)), nullable };
                Node::List { rows: shape_rows, item }
            }
            RowsForm::Single => {
                let fields = self.row_fields(r#type.base, sets, &[], &mut outputs)?;
                Node::Single { rows: shape_rows, node: self.shape.add(Node::Object(fields)) }
            }
            RowsForm::Connection => {
                let paging = super::connection::Paging {
                    rows: shape_rows,
                    limited: limit.is_some(),
                    offset: arguments.offset.is_some(),
                };
                let connection =
                    self.connection(r#type.base, sets, paging, &order, &mut outputs)?;
                look_ahead = connection.look_ahead;
                shown = connection.shown;
                Node::Object(connection.fields)
            }
        };
        let single = binding.form == RowsForm::Single;
        let page = match (limit, arguments.offset) {
            (None, None) => Page::All,
            (limit, offset) => Page::Offset { limit, offset, look_ahead },
        };
        let rows = Rows {
            id: rows_id,
            from: match binding.from {
                RowsFrom::Entity => ir::From::Entity(binding.entity),
                RowsFrom::Relation(hop) => ir::From::Relation(hop),
            },
            filter: Filter::and(arguments.filters),
            order: if single { Vec::new() } else { order.terms },
            page,
            distinct: Vec::new(),
            single,
            shown,
            outputs: outputs.into_list(),
        };
        Ok((node, rows))
    }

    /// A field of the shape, nullable as the schema says.
    pub(super) fn shape_field(&mut self, field: &CollectedField<'_>, node: Node) -> ShapeField {
        let nullable = match field.field {
            FieldRef::Field(id) => !self.api.schema[id].r#type.is_non_null(),
            FieldRef::Typename => false,
            FieldRef::Introspection => true,
        };
        let node: NodeId = self.shape.add(node);
        let location = field.location;
        ShapeField::new(field.response_name, node, nullable).at(location.line, location.column)
    }
}

/// A binding at a place where the dialect must not put it.
pub(super) fn misplaced(what: &'static str) -> LowerError {
    LowerError::Misplaced { what }
}
