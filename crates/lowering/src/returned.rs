//! Results of changes: fields over the returned row, and beside it.

use graphql::CollectedField;
use graphql::operation::{FieldRef, SelectionSetId};
use graphql::schema::{TypeId, TypeRef};
use ir::{Counter, RowsId, StepId};
use response::{Item, Leaf, Node};

use super::call::RowForm;
use super::selection::misplaced;
use super::stored::ClientText;
use super::{Context, LowerError, Outputs};
use api::binding::{
    ArgumentRole, Change, FieldBinding, MutationBinding, MutationForm, PayloadField,
};

/// The node of a mutation's field, and its reads of the returned rows.
#[derive(Debug)]
pub(super) struct Payload {
    pub(super) node: Node,
    /// `None` if no output of the rows is selected.
    pub(super) read: Option<(RowsId, Outputs)>,
    /// The selected counters.
    pub(super) counted: Option<(RowsId, Outputs)>,
    /// True if at most one row is returned.
    pub(super) single: bool,
}

/// The returned rows, while their outputs are collected.
#[derive(Debug)]
struct Returned {
    id: RowsId,
    form: RowForm,
    outputs: Outputs,
    single: bool,
    is_read: bool,
    /// The step that changes them.
    step: Option<StepId>,
    counted: Option<(RowsId, Outputs)>,
}

impl Returned {
    fn rows(&mut self) -> response::RowsId {
        self.is_read = true;
        response::RowsId(self.id.0)
    }
}

impl<'a> Context<'a> {
    pub(super) fn payload(
        &mut self,
        binding: &'a MutationBinding,
        field: &CollectedField<'a>,
        client_text: Option<&ClientText>,
        step: Option<StepId>,
    ) -> Result<Payload, LowerError> {
        let FieldRef::Field(id) = field.field else { return Err(misplaced("a change")) };
        let object = self.api.schema[id].r#type.base;
        let mut returned = Returned {
            id: self.rows_id(),
            form: self.returned_form(binding),
            outputs: Outputs::default(),
            single: true,
            is_read: false,
            step,
            counted: None,
        };
        let node = match binding.form {
            MutationForm::Row => {
                let node = self.row_node(returned.form, object, field, &mut returned.outputs)?;
                self.over_row(node, &mut returned)
            }
            MutationForm::Payload => {
                let sets = &field.selection_sets;
                self.payload_fields(object, sets, binding, client_text, &mut returned)?
            }
        };
        let Returned { id, outputs, single, is_read, counted, .. } = returned;
        Ok(Payload { node, read: is_read.then_some((id, outputs)), counted, single })
    }

    /// The form of the returned rows.
    fn returned_form(&self, binding: &MutationBinding) -> RowForm {
        match (&binding.change, binding.returned) {
            (Change::Call(_), Some(entity)) => {
                let entity = self.api.find_entity(entity);
                match entity.and_then(|entity| entity.value) {
                    Some(field) => RowForm::Value(field),
                    None => RowForm::Nullable,
                }
            }
            _ => RowForm::Object,
        }
    }

    fn payload_fields(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
        binding: &MutationBinding,
        client_text: Option<&ClientText>,
        returned: &mut Returned,
    ) -> Result<Node, LowerError> {
        let mut fields = Vec::new();
        for field in &self.collect(object, sets)? {
            let node = match field.field {
                FieldRef::Typename => Node::Literal(self.typename(object)),
                FieldRef::Introspection => return Err(misplaced("introspection")),
                FieldRef::Field(id) => {
                    let r#type = self.api.schema[id].r#type;
                    match self.api.field(id) {
                        FieldBinding::Literal(text) => Node::Literal(text.clone()),
                        FieldBinding::Refused(text) => Node::Refused(text.clone()),
                        FieldBinding::Payload(PayloadField::ClientMutationId) => {
                            self.echo(client_text)
                        }
                        FieldBinding::Payload(payload) => {
                            self.payload_field(*payload, r#type, field, binding, returned)?
                        }
                        FieldBinding::Rows(_) | FieldBinding::NodeId { .. } => {
                            let node = self.row_field(id, field, &[], &mut returned.outputs)?;
                            let node = self.if_present(node, returned);
                            self.over_row(node, returned)
                        }
                        _ => return Err(misplaced("a payload")),
                    }
                }
            };
            fields.push(self.shape_field(field, node));
        }
        Ok(Node::Object(self.shape.add_fields(fields)))
    }

    fn payload_field(
        &mut self,
        payload: PayloadField,
        r#type: TypeRef,
        field: &CollectedField<'a>,
        binding: &MutationBinding,
        returned: &mut Returned,
    ) -> Result<Node, LowerError> {
        let sets = &field.selection_sets;
        Ok(match payload {
            PayloadField::ClientMutationId => return Err(misplaced("a text of the client")),
            PayloadField::Objects | PayloadField::Message { .. } => {
                return Err(misplaced("a number of objects"));
            }
            PayloadField::Counters => {
                self.payload_fields(r#type.base, sets, binding, None, returned)?
            }
            PayloadField::Counter(counter) => self.counter(counter, returned)?,
            PayloadField::Query => Node::Object(self.root_fields(r#type.base, sets, false)?),
            PayloadField::Row => {
                let node =
                    self.row_node(returned.form, r#type.base, field, &mut returned.outputs)?;
                self.over_row(node, returned)
            }
            PayloadField::Rows => {
                let node =
                    self.row_node(returned.form, r#type.base, field, &mut returned.outputs)?;
                let nullable = r#type.item().is_some_and(|item| !item.is_non_null());
                let item = Item { node: self.shape.add(node), nullable };
                returned.single = false;
                Node::List { rows: returned.rows(), item }
            }
            PayloadField::Length => {
                returned.single = false;
                Node::Length { rows: returned.rows() }
            }
            PayloadField::AffectedRows => {
                // Without a step, nothing was to be changed.
                match returned.step {
                    Some(step) => self.affected_rows(step, returned),
                    None => Node::Literal(b"0".as_slice().into()),
                }
            }
            PayloadField::Edge => {
                let Some(entity) = binding.returned else { return Err(misplaced("an edge")) };
                self.require_arguments(field, |role| matches!(role, ArgumentRole::OrderBy))?;
                let arguments = self.arguments(field)?;
                let order = self.list_order(entity, &arguments.orders).of_one_row();
                let outputs = &mut returned.outputs;
                let fields = self.edge(r#type.base, sets, &order, RowForm::Object, outputs)?;
                let node = self.if_present(Node::Object(fields), returned);
                self.over_row(node, returned)
            }
        })
    }

    /// A counter of the change.
    fn counter(&mut self, counter: Counter, returned: &mut Returned) -> Result<Node, LowerError> {
        let step = returned.step.ok_or_else(|| misplaced("a counter"))?;
        if returned.counted.is_none() {
            returned.counted = Some((self.rows_id(), Outputs::default()));
        }
        let Some((id, outputs)) = &mut returned.counted else { return Err(misplaced("a counter")) };
        let rows = response::RowsId(id.0);
        let output = outputs.counter(self, step, counter);
        let leaf = match counter {
            Counter::Bookmark => Leaf::Text,
            Counter::RowsInserted
            | Counter::RowsUpdated
            | Counter::RowsDeleted
            | Counter::LinksCreated
            | Counter::LinksDeleted
            | Counter::RowsAffected => Leaf::Int,
        };
        let node = self.shape.add(Node::Leaf { output, leaf });
        Ok(Node::Single { rows, node })
    }

    fn affected_rows(&mut self, step: StepId, returned: &mut Returned) -> Node {
        let (id, mut outputs) = match returned.counted.take() {
            Some(counted) => counted,
            None => (self.rows_id(), Outputs::default()),
        };
        let output = outputs.counter(self, step, Counter::RowsAffected);
        returned.counted = Some((id, outputs));
        Node::Affected { output }
    }

    /// A node over the returned row, or null without one.
    fn over_row(&mut self, node: Node, returned: &mut Returned) -> Node {
        Node::Single { rows: returned.rows(), node: self.shape.add(node) }
    }

    /// The same node; null where a function returned no row.
    fn if_present(&mut self, node: Node, returned: &mut Returned) -> Node {
        match returned.form {
            RowForm::Nullable => {
                let present = returned.outputs.present(self, &[]);
                Node::Present { present, node: self.shape.add(node) }
            }
            RowForm::Object | RowForm::Value(_) | RowForm::Variants(_) => node,
        }
    }
}
