//! The rows of a connection in groups.

use graphql::CollectedField;
use graphql::operation::FieldRef;
use ir::{Groups, ValueRef};
use response::{Item, Node, RowsId};

use super::call::RowForm;
use super::order::ListOrder;
use super::selection::misplaced;
use super::{Context, LowerError, Outputs};
use crate::input::Input;
use api::binding::{ArgumentRole, ConnectionField, FieldBinding, InputRole};

impl<'a> Context<'a> {
    /// All rows without pagination, by the group keys of the field's arguments.
    pub(super) fn row_groups(
        &mut self,
        field: &CollectedField<'a>,
        order: &ListOrder,
        row: RowForm,
        outputs: &mut Outputs,
    ) -> Result<Node, LowerError> {
        let FieldRef::Field(id) = field.field else { return Err(misplaced("groups of rows")) };
        let object = self.api.schema[id].r#type.base;
        let by = self.grouped_by(field)?;
        let rows = self.rows_id();
        let mut own = Outputs::default();
        let mut fields = Vec::new();
        for field in &self.collect(object, &field.selection_sets)? {
            let node = match self.binding(field)? {
                None => Node::Literal(self.typename(object)),
                Some((FieldBinding::Refused(text), _)) => Node::Refused(text.clone()),
                Some((FieldBinding::Connection(ConnectionField::Edges), r#type)) => {
                    let sets = &field.selection_sets;
                    let fields = self.edge(r#type.base, sets, order, row, &mut own)?;
                    let node = self.shape.add(Node::Object(fields));
                    Node::List { rows: RowsId(rows.0), item: Item { node, nullable: false } }
                }
                Some(_) => return Err(misplaced("a group of rows")),
            };
            fields.push(self.shape_field(field, node));
        }
        let fields = self.shape.add_fields(fields);
        let node = self.shape.add(Node::Object(fields));
        let output = outputs.groups(self, Groups { by, rows, outputs: own.into_list() });
        Ok(Node::Groups { output, item: Item { node, nullable: false } })
    }

    /// The group keys: the fields whose argument is true.
    fn grouped_by(&self, field: &CollectedField<'_>) -> Result<Vec<ValueRef>, LowerError> {
        let mut by = Vec::new();
        for (id, value) in field.arguments {
            if self.api.input(*id).role != InputRole::Argument(ArgumentRole::GroupFields) {
                return Err(misplaced("an argument of groups of rows"));
            }
            let r#type = self.api.schema[*id].r#type.base;
            for (id, input) in self.entries(&Input::new(value), r#type)? {
                match &self.api.input(id).role {
                    InputRole::Argument(ArgumentRole::GroupField(place)) => {
                        if self.is_true(&input) {
                            by.push((**place).clone());
                        }
                    }
                    InputRole::Refused(text) => {
                        if self.is_true(&input) {
                            return Err(LowerError::refused(text, field.location));
                        }
                    }
                    _ => return Err(misplaced("a field of groups")),
                }
            }
        }
        Ok(by)
    }
}
