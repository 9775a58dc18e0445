//! The events of changed rows, while a mutation is lowered: the shape of an object with all of them,
//! which has the outputs of the mutation's own steps.

use catalog::EntityId;
use ir::RowsId;
use ir::event::{ENTITY, VALUE};
use response::{Item, Node, NodeId, Shape, ShapeField};

/// The events of a mutation, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct RowEvents {
    shape: Shape,
    events: Vec<NodeId>,
}

/// The place of an event that is added later than others that follow it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EventPlace(usize);

impl RowEvents {
    /// The place of the next event.
    pub(super) fn end(&self) -> EventPlace {
        EventPlace(self.events.len())
    }

    /// Leaves out the events from a place on.
    pub(super) fn truncate(&mut self, EventPlace(place): EventPlace) {
        self.events.truncate(place);
    }

    /// Adds an event of the only row of a read, which has not happened without a row, or one of each of
    /// its rows.
    pub(super) fn insert(
        &mut self,
        EventPlace(place): EventPlace,
        (entity, rows, single): (EntityId, RowsId, bool),
        value: Node,
    ) {
        let entity = entity.index().to_string().into_bytes();
        let event = self.object([(ENTITY, Node::Literal(entity.into())), (VALUE, value)]);
        let node = self.shape.add(event);
        let rows = response::RowsId(rows.0);
        let event = match single {
            true => Node::Single { rows, node },
            false => Node::List { rows, item: Item { node, nullable: false } },
        };
        let event = self.shape.add(event);
        self.events.insert(place, event);
    }

    /// An object with nullable members.
    pub(super) fn object<'n>(
        &mut self,
        members: impl IntoIterator<Item = (&'n str, Node)>,
    ) -> Node {
        let mut fields = Vec::new();
        for (name, node) in members {
            let node = self.shape.add(node);
            fields.push(ShapeField::new(name, node, true));
        }
        Node::Object(self.shape.add_fields(fields))
    }

    /// A list of values of rows.
    pub(super) fn list(&mut self, rows: RowsId, value: Node) -> Node {
        let item = Item { node: self.shape.add(value), nullable: false };
        Node::List { rows: response::RowsId(rows.0), item }
    }

    /// The shape of an object with an event, a list of events, or null, at each index.
    pub(super) fn finish(self) -> Shape {
        let Self { mut shape, events } = self;
        let field =
            |(index, node): (usize, NodeId)| ShapeField::new(&index.to_string(), node, true);
        let fields = events.into_iter().enumerate().map(field);
        shape.root = Some(shape.add_fields(fields));
        shape
    }
}
