//! Events: subscriptions that are executed once for each notification of a channel, or for each
//! change of a node.
//!
//! One more variable, after those of the operation, has the value of an event: [`event_slot`]. Of a
//! notification it is the opaque id of a row, of a change an object with these members.

use catalog::EntityId;
use graphql::CollectedField;
use graphql::opaque::OpaqueKind;
use graphql::operation::Operation;
use graphql::schema::TypeId;
use graphql::value::Slot;
use graphql::variables::Path;
use ir::{EventKind, EventNode, Operand, Rows, State};
use response::Node;

use super::arguments::Opaque;
use super::input::Input;
use super::selection::misplaced;
use super::{Context, Echoed, LowerError};
use api::binding::{ArgumentRole, InputRole, ListenBinding};

/// The members of the value of a change.
pub const TIME: &str = "timestamp";
pub const BEFORE: &str = "before";
pub const AFTER: &str = "after";
pub const LABELS: &str = "labels";

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
}

/// The notifications of a channel.
#[derive(Clone, Debug, PartialEq)]
pub struct ListenedChannel {
    pub binding: ListenBinding,
    /// The end of the channel's name.
    pub topic: Operand,
    /// True if the subscription begins with an event.
    pub begins: bool,
}

/// The variable whose value is the id of the row that an event is about, or null.
#[must_use]
pub fn event_slot(operation: &Operation) -> Slot {
    Slot(u16::try_from(operation.variables.len()).unwrap_or(u16::MAX))
}

impl Context<'_> {
    /// The field whose value is an event.
    pub(super) fn listened(
        &mut self,
        binding: &ListenBinding,
        (object, field): (TypeId, &CollectedField<'_>),
    ) -> Result<Node, LowerError> {
        let mut topic = None;
        let mut begins = false;
        for (id, value) in field.arguments {
            let input = Input::new(value);
            match self.api.input(*id).role {
                InputRole::Argument(ArgumentRole::Topic) => {
                    topic = Some(self.operand(&input, self.api.schema[*id].r#type));
                }
                InputRole::Argument(ArgumentRole::Begins) => begins = self.is_true(&input),
                _ => return Err(misplaced("an argument of events")),
            }
        }
        let Some(topic) = topic else { return Err(misplaced("events without a topic")) };
        let channel = ListenedChannel { binding: binding.clone(), topic, begins };
        self.listened = Some(Listened::Channel(channel));
        Ok(Node::Object(self.root_fields(object, &field.selection_sets, false)?))
    }

    /// The row that an event is about.
    pub(super) fn related_node(
        &mut self,
        field: &CollectedField<'_>,
    ) -> Result<Option<(Node, Rows)>, LowerError> {
        let input = self.event_input();
        let shape = self.opaque(&input, OpaqueKind::NodeId);
        let operand = self.plain_operand(&input);
        match shape {
            Some(shape) => self.looked_up(&Opaque { shape, operand }, field),
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
        let properties = self.event_member(match state {
            State::Before => BEFORE,
            State::After => AFTER,
        });
        EventNode { entity, kind: None, properties, names: self.event_member(LABELS) }
    }

    /// The time of an event.
    pub(super) fn event_time(&mut self) -> Node {
        let time = self.event_member(TIME);
        self.echo_json(time)
    }

    fn event_member(&self, name: &str) -> Operand {
        let path = vec![ir::PathItem::Key(name.into())];
        Operand::Variable { slot: ir::Slot(event_slot(self.operation).0), path }
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
