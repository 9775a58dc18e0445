//! Results of changes of objects: the changed objects, and their number.

use std::sync::Arc;

use catalog::{EntityId, FieldId};
use graphql::CollectedField;
use graphql::operation::FieldRef;
use ir::{Filter, FindPurpose, From, ObjectChange, Operand, Rows, RowsId, StepKind, Variant};
use response::Node;

use super::super::required_fields::RequiredFields;
use super::super::selection::misplaced;
use super::super::{Context, LowerError, Outputs};
use super::listed;
use api::binding::{FieldBinding, ObjectBinding, PayloadField, RowsFrom};

/// The objects that a change has changed.
#[derive(Debug)]
pub(super) struct ChangedObjects {
    /// The condition of the objects of each entity.
    pub(super) filters: Vec<(EntityId, Filter)>,
    pub(super) counted: Counted,
}

/// Objects that are counted.
#[derive(Clone, Debug)]
pub(super) enum Counted {
    /// Keys that are not null, values of the field.
    List(FieldId, Operand),
    /// All rows.
    Rows,
}

impl ChangedObjects {
    /// Objects that were found, by the lists of their keys.
    pub(super) fn found(found: Vec<(Arc<ObjectBinding>, Operand)>) -> Self {
        let counted = match found.as_slice() {
            [(binding, keys)] => Counted::List(binding.key, keys.clone()),
            _ => Counted::Rows,
        };
        let filters = found.into_iter();
        let filters = filters.map(|(own, keys)| (own.entity, listed(own.key, keys))).collect();
        Self { filters, counted }
    }

    fn filter(&self, entity: EntityId) -> Filter {
        let own = self.filters.iter().find(|(own, _)| *own == entity);
        own.map_or_else(Filter::none, |(_, filter)| filter.clone())
    }

    /// Restricts rows to the changed objects.
    fn restrict(&self, rows: &mut Rows, entity: EntityId) {
        let restricted = |filter: &mut Filter, entity| {
            let own = std::mem::replace(filter, Filter::all());
            *filter = Filter::and(vec![self.filter(entity), own]);
        };
        match &mut rows.from {
            From::Variants(variants) => {
                for variant in variants {
                    restricted(&mut variant.filter, variant.entity);
                }
            }
            _ => restricted(&mut rows.filter, entity),
        }
    }
}

impl<'a> Context<'a> {
    /// The payload of a change; adds the reads of it.
    pub(super) fn payload_of_objects(
        &mut self,
        field: &CollectedField<'a>,
        changed: &ChangedObjects,
    ) -> Result<Node, LowerError> {
        let cascade = self.cascade(field)?;
        let is_cascading = RequiredFields::reach_below(cascade.as_ref());
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
                    FieldBinding::Rows(binding)
                        if matches!(
                            binding.from,
                            RowsFrom::Changed | RowsFrom::Variants { .. }
                        ) =>
                    {
                        match self.rows(binding, field)? {
                            Some((node, mut rows)) => {
                                changed.restrict(&mut rows, binding.entity);
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
            let from = match changed.counted.clone() {
                Counted::List(like, list) => From::List { like, list },
                Counted::Rows => {
                    let filters = changed.filters.iter().cloned();
                    let variant = |(entity, filter)| Variant {
                        entity,
                        hop: None,
                        through: None,
                        filter,
                        common: Vec::new(),
                        outputs: Vec::new(),
                    };
                    From::Variants(filters.map(variant).collect())
                }
            };
            let rows = Rows {
                shown: false,
                ..Rows::unordered(id, from, Filter::all(), outputs.into_list())
            };
            let purpose = FindPurpose::Count;
            self.add_step(StepKind::Objects(ObjectChange::Find { rows, purpose }));
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
