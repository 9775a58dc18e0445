//! Inputs of a change: the filter of its rows, and the stored values.

use catalog::FieldId;
use graphql::CollectedField;
use graphql::opaque::OpaqueKind;
use graphql::operation::Location;
use graphql::schema::{InputId, TypeId};
use graphql::value::Value;
use ir::{Assignment, Comparison, Filter, Operand, ValueRef};
use response::Node;

use super::arguments::Opaque;
use super::call::GivenArgument;
use super::filter::FilterContext;
use super::graph::assignment;
use super::input::Input;
use super::selection::misplaced;
use super::{Context, Echoed, LowerError};
use api::binding::{ArgumentRole, FilterRole, InputRole, WriteRole};

/// The inputs of a change.
#[derive(Debug, Default)]
pub(super) struct Changed<'o> {
    /// The parts that it has, be it without effect.
    parts: Vec<Part>,
    /// Stored values by field, in the order of the fields.
    pub(super) stored: Vec<(FieldId, Operand)>,
    /// New values that depend on the stored ones, and others, by field.
    pub(super) assigned: Vec<(FieldId, Assignment)>,
    /// Conditions that find the rows.
    pub(super) keys: Vec<Filter>,
    /// An opaque id; `Some(None)` if it is invalid in this API.
    pub(super) node_id: Option<Option<Opaque>>,
    /// The limit of rows.
    pub(super) at_most: Option<i64>,
    /// The values of each of several rows.
    pub(super) rows: Vec<Vec<(FieldId, Operand)>>,
    /// The inputs of nested writes.
    pub(super) nested: Vec<(InputId, Input<'o>)>,
    /// Arguments of the called function.
    pub(super) given: Vec<GivenArgument>,
    /// The client's own text, as JSON or as a parameter.
    pub(super) client_mutation_id: Option<ClientText>,
}

/// A text that is returned to the client.
#[derive(Debug)]
pub(super) enum ClientText {
    Literal(Box<[u8]>),
    Operand(Operand),
}

/// A part of a [`Changed`] that not every change reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Stored,
    Assigned,
    Keys,
    NodeId,
    AtMost,
    Rows,
    Nested,
    Arguments,
    ClientText,
}

impl Part {
    fn of(role: &InputRole) -> Option<Self> {
        Some(match role {
            InputRole::Write(WriteRole::Stored(_)) => Self::Stored,
            InputRole::Write(WriteRole::Assign { .. }) => Self::Assigned,
            InputRole::Write(WriteRole::Rows) => Self::Rows,
            InputRole::Write(WriteRole::Nested(_)) => Self::Nested,
            InputRole::Write(WriteRole::AtMost) => Self::AtMost,
            InputRole::Write(WriteRole::ClientMutationId) => Self::ClientText,
            InputRole::Filter(_) => Self::Keys,
            InputRole::Argument(ArgumentRole::NodeId) => Self::NodeId,
            InputRole::Argument(_) => Self::Arguments,
            _ => return None,
        })
    }
}

impl Changed<'_> {
    /// Refuses parts other than these: nothing that a request says is dropped.
    pub(super) fn require_only(&self, read: &[Part]) -> Result<(), LowerError> {
        match self.parts.iter().all(|part| read.contains(part)) {
            true => Ok(()),
            false => Err(misplaced("an input of another change")),
        }
    }
}

impl Context<'_> {
    /// The arguments of a mutation's field.
    pub(super) fn changed_by<'o>(
        &self,
        field: &CollectedField<'o>,
    ) -> Result<Changed<'o>, LowerError> {
        let mut changed = Changed::default();
        for (id, value) in field.arguments {
            if self.is_given(*id, value, field.location)? {
                self.say(*id, &Input::new(value), field.location, &mut changed)?;
            }
        }
        // The order of fields in a request is irrelevant.
        changed.stored.sort_by_key(|(field, _)| *field);
        Ok(changed)
    }

    /// The inputs of an object for a field.
    pub(super) fn said_by<'o>(
        &self,
        input: &Input<'o>,
        object: TypeId,
        location: Location,
    ) -> Result<Changed<'o>, LowerError> {
        let mut changed = Changed::default();
        for (id, input) in self.members_given(input, object, location)? {
            self.say(id, &input, location, &mut changed)?;
        }
        Ok(changed)
    }

    /// Adds one input. Objects of inputs nest as deep as in the schema.
    fn say<'o>(
        &self,
        id: InputId,
        input: &Input<'o>,
        location: Location,
        changed: &mut Changed<'o>,
    ) -> Result<(), LowerError> {
        let r#type = self.api.schema[id].r#type;
        let role = &self.api.input(id).role;
        changed.parts.extend(Part::of(role));
        match role {
            InputRole::Write(WriteRole::Inputs) => {
                for (id, input) in self.members_given(input, r#type.base, location)? {
                    self.say(id, &input, location, changed)?;
                }
            }
            InputRole::Write(WriteRole::Stored(column)) => {
                changed.stored.push((*column, self.operand(input, r#type)));
            }
            InputRole::Write(WriteRole::Assign { field, verb }) => {
                if changed.assigned.iter().any(|(known, _)| known == field) {
                    let name = &self.api.schema[id].name;
                    let message = format!("Column found in multiple operators: \"{name}\".");
                    return Err(LowerError::Refused { message: message.into(), location });
                }
                let operand = self.operand(input, r#type);
                changed.assigned.push((*field, assignment(*verb, operand)));
            }
            InputRole::Write(WriteRole::Rows) => {
                for row in self.items(input)? {
                    let row = self.said_by(&row, r#type.base, location)?;
                    row.require_only(&[Part::Stored])?;
                    changed.rows.push(row.stored);
                }
            }
            InputRole::Write(WriteRole::Nested(_)) => changed.nested.push((id, input.clone())),
            InputRole::Write(WriteRole::AtMost) => changed.at_most = self.integer(input),
            InputRole::Write(WriteRole::ClientMutationId) => {
                changed.client_mutation_id = Some(match input {
                    Input::Literal(value) => ClientText::Literal(text(value)),
                    Input::Variable(..) => ClientText::Operand(self.plain_operand(input)),
                });
            }
            // Null is a value of a key, which no row has.
            InputRole::Filter(FilterRole::Equal(column)) => changed.keys.push(Filter::Compare {
                place: ValueRef::field(*column),
                comparison: Comparison::Equal,
                operand: self.operand(input, r#type),
            }),
            InputRole::Filter(FilterRole::Conditions) => {
                let stated = self.condition(id, input, FilterContext::default(), location)?;
                changed.keys.extend(stated);
            }
            InputRole::Argument(ArgumentRole::NodeId) => {
                let shape = self.opaque(input, OpaqueKind::NodeId);
                let operand = self.operand(input, r#type);
                changed.node_id =
                    Some(shape.map(|shape| Opaque { kind: OpaqueKind::NodeId, shape, operand }));
            }
            InputRole::Argument(ArgumentRole::Call(argument)) => {
                changed.given.extend(self.given(*argument, input, r#type));
            }
            _ => return Err(misplaced("an input of a change")),
        }
        Ok(())
    }

    /// The node that returns the client's own text.
    pub(super) fn echo(&mut self, text: Option<&ClientText>) -> Node {
        match text {
            None => Node::Literal(b"null".as_slice().into()),
            Some(ClientText::Literal(text)) => Node::Literal(text.clone()),
            Some(ClientText::Operand(operand)) => {
                let place = u16::try_from(self.echoes.len()).unwrap_or(u16::MAX);
                self.echoes.push(Echoed::Json(operand.clone()));
                Node::Echo(place)
            }
        }
    }
}

/// A text of the document as JSON.
fn text(value: &Value) -> Box<[u8]> {
    let mut json = Vec::new();
    match value {
        Value::String(text) => response::escape::write_string(text, &mut json),
        _ => json.extend_from_slice(b"null"),
    }
    json.into()
}
