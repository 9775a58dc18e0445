//! Events of changed rows: reads of what a subscription shows of a change, whose values a second shape
//! has beside that of the answer.

use ir::event::{ENTITY, VALUE};
use ir::{EventKind, Rows};
use response::{Item, Node, NodeId, Shape, ShapeField};

use super::super::event::{FORMER, KIND, ROW, SET, SET_FIELDS};
use super::super::mutation::ResultRows;
use super::super::selection::misplaced;
use super::super::{Context, LowerError, Outputs};
use super::data::RowData;
use api::binding::{NamedValue, RelatedRows, ValuePlace, event_label};
use catalog::FieldId;

/// The events of a mutation, in their order.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct RowEvents {
    shape: Shape,
    events: Vec<NodeId>,
}

/// The place of an event that is added later than others that follow it.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventPlace(usize);

impl RowEvents {
    pub(in super::super) fn len(&self) -> usize {
        self.events.len()
    }

    /// Leaves out the last events, so that this number stays.
    pub(in super::super) fn truncate(&mut self, number: usize) {
        self.events.truncate(number);
    }

    /// The shape of an object with an event, or null, at each index.
    pub(in super::super) fn finish(self) -> Shape {
        let Self { mut shape, events } = self;
        let field =
            |(index, node): (usize, NodeId)| ShapeField::new(&index.to_string(), node, true);
        let fields = events.into_iter().enumerate().map(field);
        shape.root = Some(shape.add_fields(fields));
        shape
    }
}

impl Context<'_> {
    /// The place of the next event.
    pub(super) fn event_place(&self) -> EventPlace {
        EventPlace(self.events.as_ref().map_or(0, RowEvents::len))
    }

    /// Adds the event of a new row, which a step has inserted.
    pub(super) fn add_created(
        &mut self,
        rows: &RelatedRows,
        step: ir::StepId,
        place: EventPlace,
    ) -> Result<(), LowerError> {
        self.add_event(rows, ResultRows::Changed(step), (EventKind::Created, &[]), place)
    }

    /// Adds the event of a row that the next step updates.
    pub(super) fn add_updated(
        &mut self,
        rows: &RelatedRows,
        found: ir::Filter,
        data: &RowData<'_>,
    ) -> Result<(), LowerError> {
        let set = match self.events {
            Some(_) => self.names_set(rows, data),
            None => Vec::new(),
        };
        let (place, found) = (self.event_place(), ResultRows::Found(rows.entity, found));
        self.add_event(rows, found, (EventKind::Updated, &set), place)
    }

    /// Adds the event of a row that the next steps delete.
    pub(super) fn add_deleted(
        &mut self,
        rows: &RelatedRows,
        found: ir::Filter,
    ) -> Result<(), LowerError> {
        let (place, found) = (self.event_place(), ResultRows::Found(rows.entity, found));
        self.add_event(rows, found, (EventKind::Deleted, &[]), place)
    }

    /// The names of the values that an update sets: those of single values, of the values that it sets
    /// by itself, and of lists, each in the order of the row's values.
    fn names_set(&self, rows: &RelatedRows, data: &RowData<'_>) -> Vec<Box<str>> {
        if data.stored.is_empty() && data.elements.is_empty() {
            return Vec::new();
        }
        let has = |set: &[(FieldId, ir::Operand)], field| set.iter().any(|(own, _)| *own == field);
        let all = self.with_made(rows, data.stored.clone(), false);
        let parts: [&dyn Fn(&ValuePlace) -> bool; 3] = [
            &|place| matches!(*place, ValuePlace::Field(field) if has(&data.stored, field)),
            &|place| {
                matches!(*place, ValuePlace::Field(field)
                    if has(&all, field) && !has(&data.stored, field))
            },
            &|place| match place {
                ValuePlace::Field(_) => false,
                ValuePlace::Elements { rows, .. } => {
                    data.elements.iter().any(|(list, _)| *list == rows)
                }
            },
        ];
        let names = |is_set: &dyn Fn(&ValuePlace) -> bool| {
            let set = rows.values.iter().filter(|value| is_set(&value.place));
            set.map(|value| value.name.clone()).collect::<Vec<_>>()
        };
        parts.into_iter().flat_map(names).collect()
    }

    fn add_event(
        &mut self,
        rows: &RelatedRows,
        found: ResultRows,
        (kind, set): (EventKind, &[Box<str>]),
        EventPlace(place): EventPlace,
    ) -> Result<(), LowerError> {
        if !self.changed.contains(&rows.entity) {
            self.changed.push(rows.entity);
        }
        if self.events.is_none() {
            return Ok(());
        }
        let mut outputs = Outputs::default();
        let key = self.event_value(rows.key, &mut outputs)?;
        let former = match kind {
            EventKind::Created => null(),
            EventKind::Updated | EventKind::Deleted => {
                self.former_values(&rows.values, &mut outputs)?
            }
        };
        let (set, set_fields) = match kind {
            EventKind::Updated => (array(set), object(set)),
            EventKind::Created | EventKind::Deleted => (null(), null()),
        };
        let row = match kind {
            EventKind::Created | EventKind::Updated => key,
            EventKind::Deleted => null(),
        };
        let label = Node::Literal(quoted(event_label(kind)));
        let members =
            [(KIND, label), (ROW, row), (SET, set), (SET_FIELDS, set_fields), (FORMER, former)];
        let id = self.rows_id();
        let entity = rows.entity.index().to_string().into_bytes();
        let read = found.rows(id, true, outputs);
        self.add_step(ir::StepKind::Read(read));
        let Some(events) = &mut self.events else { return Ok(()) };
        let value = events.shape.object(members);
        let event = events.shape.object([(ENTITY, Node::Literal(entity.into())), (VALUE, value)]);
        let node = events.shape.add(event);
        let event = Node::Single { rows: response::RowsId(id.0), node };
        let event = events.shape.add(event);
        events.events.insert(place, event);
        Ok(())
    }

    /// The values of a row as they are now.
    fn former_values(
        &mut self,
        values: &[NamedValue],
        outputs: &mut Outputs,
    ) -> Result<Node, LowerError> {
        let mut members = Vec::with_capacity(values.len());
        for NamedValue { name, place } in values {
            let node = match place {
                ValuePlace::Field(field) => self.event_value(*field, outputs)?,
                ValuePlace::Elements { hop, rows } => {
                    let mut own = Outputs::default();
                    let value = self.event_value(rows.value, &mut own)?;
                    let id = self.rows_id();
                    let from = ir::From::Relation(*hop);
                    let order = self.list_order(rows.entity, &[]).terms;
                    let list = Rows {
                        order,
                        ..Rows::unordered(id, from, ir::Filter::all(), own.into_list())
                    };
                    outputs.related(self, &[], list);
                    let Some(events) = &mut self.events else { return Ok(null()) };
                    let item = Item { node: events.shape.add(value), nullable: false };
                    Node::List { rows: response::RowsId(id.0), item }
                }
            };
            members.push((&**name, node));
        }
        let Some(events) = &mut self.events else { return Ok(null()) };
        Ok(events.shape.object(members))
    }

    fn event_value(&mut self, field: FieldId, outputs: &mut Outputs) -> Result<Node, LowerError> {
        let api = self.api;
        let column = api.find_column(field).ok_or_else(|| misplaced("a value of an event"))?;
        let api::binding::ValueShape::Leaf(leaf) = &column.value else {
            return Err(misplaced("a value of an event with parts"));
        };
        let output = outputs.field(self, &[], field, column.form);
        Ok(Node::Leaf { output, leaf: leaf.clone() })
    }
}

/// Adds an object with nullable members.
trait Objects {
    fn object<'n>(&mut self, members: impl IntoIterator<Item = (&'n str, Node)>) -> Node;
}

impl Objects for Shape {
    fn object<'n>(&mut self, members: impl IntoIterator<Item = (&'n str, Node)>) -> Node {
        let mut fields = Vec::new();
        for (name, node) in members {
            let node = self.add(node);
            fields.push(ShapeField::new(name, node, true));
        }
        Node::Object(self.add_fields(fields))
    }
}

fn null() -> Node {
    Node::Literal(b"null"[..].into())
}

fn quoted(text: &str) -> Box<[u8]> {
    let mut out = Vec::new();
    response::escape::write_string(text, &mut out);
    out.into()
}

/// A list of texts.
fn array(texts: &[Box<str>]) -> Node {
    let texts: Vec<Box<[u8]>> = texts.iter().map(|text| quoted(text)).collect();
    Node::Literal([b"[", &*texts.join(&b','), b"]"].concat().into())
}

/// An object in which each of the texts is true.
fn object(texts: &[Box<str>]) -> Node {
    let members: Vec<Vec<u8>> =
        texts.iter().map(|text| [&*quoted(text), b":true"].concat()).collect();
    Node::Literal([b"{", &*members.join(&b','), b"}"].concat().into())
}
