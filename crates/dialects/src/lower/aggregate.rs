//! What is made of all rows of a set: sums, averages and the like.

use graphql::operation::{FieldRef, SelectionSetId};
use graphql::schema::TypeId;
use ir::{Aggregate, AggregateFunction, AggregateTerm, Place};
use response::{Fields, Node};

use super::selection::misplaced;
use super::{Context, LowerError};
use crate::binding::{AggregateField, AggregateValue, FieldBinding};

/// An aggregate with the object that shows it.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) aggregate: Aggregate,
    pub(super) fields: Fields,
}

impl Context<'_> {
    /// What an object shows of all rows of a set.
    pub(super) fn whole(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
    ) -> Result<Whole, LowerError> {
        let mut terms = Vec::new();
        let fields = self.aggregate_fields(object, sets, None, &mut terms)?;
        let aggregate = Aggregate { paged: false, group_by: Vec::new(), having: None, terms };
        Ok(Whole { aggregate, fields })
    }

    /// The fields of an object over all rows of a set, or of one function's values.
    fn aggregate_fields(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
        function: Option<AggregateFunction>,
        terms: &mut Vec<AggregateTerm>,
    ) -> Result<Fields, LowerError> {
        let mut fields = Vec::new();
        for field in &self.collect(object, sets)? {
            let api = self.api;
            let node = match field.field {
                FieldRef::Typename => Node::Literal(self.typename(object)),
                FieldRef::Introspection => return Err(misplaced("introspection")),
                FieldRef::Field(id) => match api.field(id) {
                    FieldBinding::Aggregate(AggregateField::Function(function)) => {
                        let object = api.schema[id].r#type.base;
                        let sets = &field.selection_sets;
                        let fields = self.aggregate_fields(object, sets, Some(*function), terms)?;
                        Node::Object(fields)
                    }
                    FieldBinding::Aggregate(AggregateField::Value(values)) => {
                        let asked = |value: &&AggregateValue| match function {
                            Some(function) => value.function == function,
                            None => true,
                        };
                        match values.iter().find(asked) {
                            Some(value) => self.aggregate_value(value, terms),
                            None => {
                                let message = format!(
                                    "`{}` has no such value: the function does not take values of \
                                     its type.",
                                    api.schema[id].name
                                );
                                return Err(LowerError::refused(&message, field.location));
                            }
                        }
                    }
                    _ => return Err(misplaced("aggregate")),
                },
            };
            fields.push(self.shape_field(field, node));
        }
        Ok(self.shape.add_fields(fields))
    }

    /// A value, which is asked for once however often it is shown.
    fn aggregate_value(&mut self, value: &AggregateValue, terms: &mut Vec<AggregateTerm>) -> Node {
        let AggregateValue { function, field, leaf, form, absent } = value;
        let place = field.map(Place::field);
        let known = terms
            .iter()
            .find(|term| term.function == *function && term.place == place && term.form == *form);
        let id = match known {
            Some(term) => term.id,
            None => {
                let id = self.output_id();
                terms.push(AggregateTerm { id, function: *function, place, form: *form });
                id
            }
        };
        let (output, leaf) = (response::OutputId(id.0), leaf.clone());
        match absent {
            Some(absent) => Node::LeafOr { output, leaf, absent: absent.clone() },
            None => Node::Leaf { output, leaf },
        }
    }
}
