//! Events: subscriptions that are executed once for each notification of a channel, or for each
//! change of a node or of a row.
//!
//! One more variable, after those of the operation, has the value of an event: [`event_slot`]. Of a
//! notification it is the opaque id of a row, of a change an object with these members. The members of
//! the notification are an object, the variable after it.

use catalog::EntityId;
use graphql::CollectedField;
use graphql::opaque::{OpaqueKind, OpaqueShape};
use graphql::operation::{FieldRef, Operation, SelectionSetId};
use graphql::schema::{TypeId, TypeKind};
use graphql::value::Slot;
use graphql::variables::Path;
use ir::{Comparison, EventKind, EventNode, Filter, Operand, Rows, State, ValueRef};
use response::{Fields, Node};

use super::arguments::Opaque;
use super::event_condition::{Passes, RowState};
use super::input::{Input, Presence};
use super::selection::{misplaced, null};
use super::{Context, Echoed, LowerError, Outputs};
use api::Api;
use api::binding::{
    ArgumentRole, EventPart, FieldBinding, InputRole, ListenBinding, RelatedRowsId, TopicPart,
};

/// The members of the value of a change.
pub const TIME: &str = "timestamp";
pub const BEFORE: &str = "before";
pub const AFTER: &str = "after";
pub const LABELS: &str = "labels";

/// The members of the value of a row's change: the name of its kind, the key of the row unless it was
/// deleted, the names of the values that it has set as a list and as members of an object, and the
/// former values.
pub(super) const KIND: &str = "kind";
pub(super) const ROW: &str = "row";
pub(super) const SET: &str = "set";
pub(super) const SET_FIELDS: &str = "isSet";
pub(super) const FORMER: &str = "former";

/// The events of a subscription.
#[derive(Clone, Debug, PartialEq)]
pub enum Listened {
    Channel(ListenedChannel),
    /// The changes of nodes of an entity. The response of the root field is null if no condition of
    /// the request permits the event.
    Changes {
        entity: EntityId,
        kind: EventKind,
        response_name: Box<str>,
    },
    /// The changes of rows of an entity, in the same way.
    RowChanges {
        entity: EntityId,
        response_name: Box<str>,
    },
    /// The rows beyond a position, in batches. The variable's value is the position.
    Rows(Stream),
}

/// A stream of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// The position at which it begins.
    pub start: Operand,
    pub response_name: Box<str>,
}

/// The notifications of a channel.
#[derive(Clone, Debug, PartialEq)]
pub struct ListenedChannel {
    pub binding: ListenBinding,
    /// The end of the channel's name, in parts.
    pub topic: Vec<ListenedPart>,
    /// True if the subscription begins with an event.
    pub begins: bool,
}

/// A part of a topic.
#[derive(Clone, Debug, PartialEq)]
pub enum ListenedPart {
    Text(Box<str>),
    /// A value with its name.
    Value(Box<str>, Operand),
}

/// The variable whose value is that of an event.
#[must_use]
pub fn event_slot(operation: &Operation) -> Slot {
    Slot(u16::try_from(operation.variables.len()).unwrap_or(u16::MAX))
}

impl<'a> Context<'a> {
    /// The field whose value is an event.
    pub(super) fn listened(
        &mut self,
        binding: &ListenBinding,
        (object, field): (TypeId, &CollectedField<'a>),
    ) -> Result<Node, LowerError> {
        let mut given = Vec::new();
        let mut begins = false;
        for (id, value) in field.arguments {
            let input = Input::new(value);
            match self.api.input(*id).role {
                InputRole::Argument(ArgumentRole::Topic) => {
                    let definition = &self.api.schema[*id];
                    given.push((&*definition.name, self.operand(&input, definition.r#type)));
                }
                InputRole::Argument(ArgumentRole::Begins) => begins = self.is_true(&input),
                _ => return Err(misplaced("an argument of events")),
            }
        }
        let topic = match &binding.topic {
            None => match given.pop() {
                Some((name, operand)) => vec![ListenedPart::Value(name.into(), operand)],
                None => return Err(misplaced("events without a topic")),
            },
            Some(parts) => parts.iter().map(|part| listened_part(part, &given)).collect(),
        };
        let channel = ListenedChannel { binding: binding.clone(), topic, begins };
        self.listened = Some(Listened::Channel(channel));
        Ok(Node::Object(self.root_fields(object, &field.selection_sets, false)?))
    }

    /// The row that an event is about.
    pub(super) fn related_node(
        &mut self,
        field: &CollectedField<'a>,
    ) -> Result<Option<(Node, Rows)>, LowerError> {
        let input = self.event_input();
        let shape = self.opaque(&input, OpaqueKind::NodeId);
        let operand = self.plain_operand(&input);
        // A field may show rows of one type only.
        let shape = shape.filter(|shape| self.may_be_of(shape, field));
        match shape {
            Some(shape) => {
                self.looked_up(&Opaque { kind: OpaqueKind::NodeId, shape, operand }, field)
            }
            None => Ok(None),
        }
    }

    /// The id of the row that an event is about.
    pub(super) fn related_node_id(&mut self) -> Node {
        let operand = self.plain_operand(&self.event_input());
        self.echo_json(operand)
    }

    /// The node of an event in the state that its conditions are about: after its creation, before
    /// any other change.
    pub(super) fn event_node(
        &mut self,
        (entity, kind): (EntityId, EventKind),
        field: &CollectedField<'_>,
    ) -> EventNode {
        let state = match kind {
            EventKind::Created => State::After,
            EventKind::Updated | EventKind::Deleted => State::Before,
        };
        let response_name = field.response_name.into();
        self.listened = Some(Listened::Changes { entity, kind, response_name });
        EventNode { kind: Some(kind), ..self.event_state(entity, state) }
    }

    /// A state of the node of an event.
    pub(super) fn event_state(&self, entity: EntityId, state: State) -> EventNode {
        let properties = self.change_member(match state {
            State::Before => BEFORE,
            State::After => AFTER,
        });
        EventNode { entity, kind: None, properties, names: self.change_member(LABELS) }
    }

    /// The time of an event.
    pub(super) fn event_time(&mut self) -> Node {
        let time = self.change_member(TIME);
        self.echo_json(time)
    }

    /// A member of the value of a change.
    fn change_member(&self, name: &str) -> Operand {
        let path = vec![ir::PathItem::Key(name.into())];
        Operand::Variable { slot: ir::Slot(event_slot(self.operation).0), path }
    }

    /// The change of a row, or null if it does not pass the conditions. A changed row that is not there
    /// any more has no event.
    pub(super) fn row_event(
        &mut self,
        id: RelatedRowsId,
        (object, field): (TypeId, &CollectedField<'a>),
    ) -> Result<Node, LowerError> {
        let rows = self.rows_with_relations(id)?;
        let response_name = field.response_name.into();
        self.listened = Some(Listened::RowChanges { entity: rows.entity, response_name });
        let state = match (self.event_kind(), self.has_event_member(ROW)) {
            // Nothing has happened when the subscription begins: it is checked as for a new row.
            (None, _) | (Some(_), true) => RowState::There,
            (Some(_), false) => RowState::Deleted,
        };
        let mut passes = Passes::Always;
        for (id, value) in field.arguments {
            let condition = self.event_condition(*id, &Input::new(value), state, field.location)?;
            passes = passes.and(condition.unwrap_or(Passes::Always));
        }
        let filter = match passes {
            // The read of a subscription that begins shows who may subscribe.
            Passes::Never if self.event_kind().is_none() => Filter::Or(Vec::new()),
            Passes::Never => return Ok(null()),
            Passes::Always => Filter::all(),
            Passes::If(filter) => filter,
        };
        let sets = &field.selection_sets;
        if state == RowState::Deleted {
            let fields = self.event_parts(object, sets, None)?;
            return Ok(Node::Object(fields));
        }
        let id = self.rows_id();
        let mut outputs = Outputs::default();
        let fields = self.event_parts(object, sets, Some(&mut outputs))?;
        let key = Filter::Compare {
            place: ValueRef::field(rows.key),
            comparison: Comparison::Equal,
            operand: self.change_member(ROW),
        };
        let filter = Filter::and(vec![key, filter]);
        let from = ir::From::Entity(rows.entity);
        let found = Rows::unordered(id, from, filter, outputs.into_list());
        self.add_read(Rows { single: true, ..found });
        let node = self.shape.add(Node::Object(fields));
        Ok(Node::Single { rows: response::RowsId(id.0), node })
    }

    /// The selected parts of a row's change; without outputs the row was deleted.
    fn event_parts(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
        mut outputs: Option<&mut Outputs>,
    ) -> Result<Fields, LowerError> {
        let mut fields = Vec::new();
        let api: &'a Api = self.api;
        for field in &self.collect(object, sets)? {
            let node = match field.field {
                FieldRef::Typename => Node::Literal(self.typename(object)),
                FieldRef::Introspection => return Err(misplaced("introspection")),
                FieldRef::Field(id) => match (api.field(id), &mut outputs) {
                    (FieldBinding::EventPart(EventPart::Kind), _) => self.event_echo(&[KIND]),
                    (FieldBinding::EventPart(EventPart::UpdatedFields), _) => {
                        self.event_echo(&[SET])
                    }
                    (FieldBinding::EventPart(EventPart::Row), Some(outputs)) => {
                        let object = api.schema[id].r#type.base;
                        let sets = &field.selection_sets;
                        self.enter_level()?;
                        let fields = self.row_fields(object, sets, &[], outputs)?;
                        self.level -= 1;
                        Node::Object(fields)
                    }
                    (FieldBinding::EventPart(EventPart::Row), None) => null(),
                    (FieldBinding::EventPart(EventPart::FormerValues), _) => {
                        match self.has_event_member(FORMER) {
                            true => {
                                let object = api.schema[id].r#type.base;
                                Node::Object(self.former(object, &field.selection_sets)?)
                            }
                            false => null(),
                        }
                    }
                    (FieldBinding::Refused(text), _) => Node::Refused(text.clone()),
                    _ => return Err(misplaced("an event of a row")),
                },
            };
            fields.push(self.shape_field(field, node));
        }
        Ok(self.shape.add_fields(fields))
    }

    /// The selected values of a row before its change.
    fn former(&mut self, object: TypeId, sets: &[SelectionSetId]) -> Result<Fields, LowerError> {
        let mut fields = Vec::new();
        let api: &'a Api = self.api;
        for field in &self.collect(object, sets)? {
            let node = match field.field {
                FieldRef::Typename => Node::Literal(self.typename(object)),
                FieldRef::Introspection => return Err(misplaced("introspection")),
                FieldRef::Field(id) => match api.field(id) {
                    FieldBinding::EventPart(EventPart::FormerValue(name)) => {
                        self.event_echo(&[FORMER, name])
                    }
                    FieldBinding::Refused(text) => Node::Refused(text.clone()),
                    _ => return Err(misplaced("a former value")),
                },
            };
            fields.push(self.shape_field(field, node));
        }
        Ok(self.shape.add_fields(fields))
    }

    /// The name of the kind of a row's change. It steers.
    pub(super) fn event_kind(&self) -> Option<&str> {
        let Slot(slot) = event_slot(self.operation);
        match self.steering.value(Slot(slot), &Path::default().key(KIND)) {
            Some(serde_json_bytes::Value::String(kind)) => Some(kind.as_str()),
            _ => None,
        }
    }

    /// Whether a row's change has set a value. It steers.
    pub(super) fn event_sets(&self, name: &str) -> bool {
        let path = Path::default().key(SET_FIELDS).key(name);
        self.is_true(&Input::Variable(event_slot(self.operation), path))
    }

    /// Whether a member of a row's change is not null. It steers.
    fn has_event_member(&self, name: &str) -> bool {
        let member = Input::Variable(event_slot(self.operation), Path::default().key(name));
        self.presence(&member) == Presence::Present
    }

    /// A part of a row's change.
    fn event_echo(&mut self, path: &[&str]) -> Node {
        let path = path.iter().map(|name| ir::PathItem::Key((*name).into())).collect();
        let slot = ir::Slot(event_slot(self.operation).0);
        self.echo_json(Operand::Variable { slot, path })
    }

    /// Returns true if a field can show the row of an opaque id.
    fn may_be_of(&self, shape: &OpaqueShape, field: &CollectedField<'_>) -> bool {
        let FieldRef::Field(id) = field.field else { return false };
        let prefix = shape.tags.first().map_or("", |tag| &**tag);
        let entity = self.api.find_entity_by_prefix(prefix);
        let binding = entity.and_then(|entity| self.api.find_entity(entity));
        let node_id = binding.and_then(|binding| binding.node_id.as_ref());
        let base = self.api.schema[id].r#type.base;
        let is_object = matches!(self.api.schema[base].kind, TypeKind::Object { .. });
        !is_object || node_id.is_some_and(|node_id| node_id.r#type == base)
    }

    /// A member of the notification.
    pub(super) fn event_member(&mut self, name: &str) -> Node {
        let Slot(node) = event_slot(self.operation);
        let slot = ir::Slot(node.saturating_add(1));
        let operand = Operand::Variable { slot, path: vec![ir::PathItem::Key(name.into())] };
        self.echo_json(operand)
    }

    fn event_input(&self) -> Input<'static> {
        Input::Variable(event_slot(self.operation), Path::default())
    }

    fn echo_json(&mut self, operand: Operand) -> Node {
        let place = u16::try_from(self.echoes.len()).unwrap_or(u16::MAX);
        self.echoes.push(Echoed::Json(operand));
        Node::Echo(place)
    }
}

/// A part of a topic with its operand.
fn listened_part(part: &TopicPart, given: &[(&str, Operand)]) -> ListenedPart {
    match part {
        TopicPart::Text(text) => ListenedPart::Text(text.clone()),
        TopicPart::Claim(name) => ListenedPart::Value(name.clone(), Operand::Claim(name.clone())),
        TopicPart::Argument(name) => {
            let found = given.iter().find(|(known, _)| **known == **name);
            let absent = || Operand::Constant(ir::Value::Null);
            let operand = found.map_or_else(absent, |(_, operand)| operand.clone());
            ListenedPart::Value(name.clone(), operand)
        }
    }
}
