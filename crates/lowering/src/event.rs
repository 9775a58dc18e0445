//! Events: subscriptions that are executed once for each notification of a channel.
//!
//! The opaque id of the row that an event is about is the value of one more variable, after those of
//! the operation: [`event_slot`].

use graphql::CollectedField;
use graphql::opaque::OpaqueKind;
use graphql::operation::Operation;
use graphql::schema::TypeId;
use graphql::value::Slot;
use graphql::variables::Path;
use ir::{Operand, Rows};
use response::Node;

use super::arguments::Opaque;
use super::input::Input;
use super::selection::misplaced;
use super::{Context, Echoed, LowerError};
use api::binding::{ArgumentRole, InputRole, ListenBinding};

/// The events of a subscription.
#[derive(Clone, Debug, PartialEq)]
pub struct Listened {
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
        self.listened = Some(Listened { binding: binding.clone(), topic, begins });
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
        let place = u16::try_from(self.echoes.len()).unwrap_or(u16::MAX);
        self.echoes.push(Echoed::Json(operand));
        Node::Echo(place)
    }

    fn event_input(&self) -> Input<'static> {
        Input::Variable(event_slot(self.operation), Path::default())
    }
}
