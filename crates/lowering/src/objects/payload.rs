//! Results of changes of objects: the changed objects, and their number.

use catalog::FieldId;
use graphql::CollectedField;
use graphql::operation::FieldRef;
use ir::{Filter, From, Operand, Page, Rows, RowsId, StepKind};
use response::Node;

use super::super::selection::misplaced;
use super::super::{Context, LowerError, Outputs};
use api::binding::{FieldBinding, PayloadField, RowsFrom};

/// The objects that a change has changed.
#[derive(Debug)]
pub(super) struct ChangedObjects {
    pub(super) filter: Filter,
    /// Keys that are counted where they are not null, values of the field.
    pub(super) counted: (FieldId, Operand),
}

impl<'a> Context<'a> {
    /// The payload of a change; adds the reads of it.
    pub(super) fn payload_of_objects(
        &mut self,
        field: &CollectedField<'a>,
        changed: &ChangedObjects,
    ) -> Result<Node, LowerError> {
        let is_cascading = self.has_cascade(field);
        let around = std::mem::replace(&mut self.is_cascading, is_cascading);
        let node = self.fields_of_payload(field, changed);
        self.is_cascading = around;
        node
    }

    fn fields_of_payload(
        &mut self,
        field: &CollectedField<'a>,
        changed: &ChangedObjects,
    ) -> Result<Node, LowerError> {
        let FieldRef::Field(id) = field.field else { return Err(misplaced("a change")) };
        let object = self.api.schema[id].r#type.base;
        let api = self.api;
        let mut fields = Vec::new();
        let mut counted: Option<(RowsId, Outputs)> = None;
        for field in &self.collect(object, &field.selection_sets)? {
            let node = match field.field {
                FieldRef::Typename => Node::Literal(self.typename(object)),
                FieldRef::Introspection => return Err(misplaced("introspection")),
                FieldRef::Field(id) => match api.field(id) {
                    FieldBinding::Literal(text) => Node::Literal(text.clone()),
                    FieldBinding::Refused(text) => Node::Refused(text.clone()),
                    FieldBinding::Rows(rows) if rows.from == RowsFrom::Changed => {
                        match self.rows(rows, field)? {
                            Some((node, mut rows)) => {
                                let own = std::mem::replace(&mut rows.filter, Filter::all());
                                rows.filter = Filter::and(vec![changed.filter.clone(), own]);
                                self.add_read(rows);
                                node
                            }
                            None => Node::Literal(b"null".as_slice().into()),
                        }
                    }
                    FieldBinding::Payload(PayloadField::Objects) => {
                        let output = self.counted_objects(&mut counted);
                        Node::Count { output }
                    }
                    FieldBinding::Payload(PayloadField::Message { some, none }) => {
                        let output = self.counted_objects(&mut counted);
                        let json = |text: &str| {
                            let mut json = Vec::new();
                            response::escape::write_string(text, &mut json);
                            json.into()
                        };
                        Node::IfAny { output, some: json(some), none: json(none) }
                    }
                    _ => return Err(misplaced("a payload of objects")),
                },
            };
            fields.push(self.shape_field(field, node));
        }
        if let Some((id, outputs)) = counted {
            let (like, list) = changed.counted.clone();
            let rows = Rows {
                id,
                from: From::List { like, list },
                filter: Filter::all(),
                order: Vec::new(),
                page: Page::All,
                distinct: Vec::new(),
                single: false,
                once: false,
                shown: false,
                outputs: outputs.into_list(),
            };
            self.add_step(StepKind::Read(rows));
        }
        Ok(Node::Object(self.shape.add_fields(fields)))
    }

    fn counted_objects(&mut self, counted: &mut Option<(RowsId, Outputs)>) -> response::OutputId {
        let id = match counted {
            Some((id, _)) => *id,
            None => self.rows_id(),
        };
        let (_, outputs) = counted.get_or_insert_with(|| (id, Outputs::default()));
        outputs.count(self)
    }
}
