//! Events of changed rows: reads of what a subscription shows of a change, whose values a second shape
//! has beside that of the answer.

use catalog::FieldId;
use ir::{EventKind, Rows};
use response::Node;

use super::super::event::{FORMER, KIND, ROW, SET, SET_FIELDS};
use super::super::mutation::ResultRows;
use super::super::row_events::{EventPlace, RowEvents};
use super::super::selection::{misplaced, null};
use super::super::{Context, LowerError, Outputs};
use super::data::RowData;
use api::binding::{NamedValue, RelatedRows, ValuePlace, event_label};

impl Context<'_> {
    /// The place of the next event.
    pub(super) fn event_place(&self) -> EventPlace {
        self.events.as_ref().map(RowEvents::end).unwrap_or_default()
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

    /// Adds the events of all new rows, which a step has inserted.
    pub(super) fn add_all_created(
        &mut self,
        rows: &RelatedRows,
        step: ir::StepId,
        place: EventPlace,
    ) -> Result<(), LowerError> {
        self.add_events(rows, (ResultRows::Changed(step), false), (EventKind::Created, &[]), place)
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
        if data.sets_nothing() && data.elements.is_empty() {
            return Vec::new();
        }
        let is_given = |field| {
            let mut given = data.stored.iter().map(|(own, _)| own);
            let mut computed = data.assigned.iter().map(|(own, _)| own);
            given.any(|own| *own == field) || computed.any(|own| *own == field)
        };
        let all = self.with_made(rows, data.stored.clone(), false);
        let is_set = |field| all.iter().any(|(own, _)| *own == field);
        let parts: [&dyn Fn(&ValuePlace) -> bool; 3] = [
            &|place| matches!(*place, ValuePlace::Field(field) if is_given(field)),
            &|place| matches!(*place, ValuePlace::Field(field) if is_set(field) && !is_given(field)),
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
        change: (EventKind, &[Box<str>]),
        place: EventPlace,
    ) -> Result<(), LowerError> {
        self.add_events(rows, (found, true), change, place)
    }

    /// Adds the events of the rows of a change, or of its only one.
    fn add_events(
        &mut self,
        rows: &RelatedRows,
        (found, single): (ResultRows, bool),
        (kind, set): (EventKind, &[Box<str>]),
        place: EventPlace,
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
        // No response of this request shows it: whoever changes the row, its event is whole.
        let read = ir::StepKind::Read(found.rows(id, single, outputs));
        self.by(ir::Authority::Model, |own| own.add_step(read));
        if let Some(events) = &mut self.events {
            let value = events.object(members);
            events.insert(place, (rows.entity, id, single), value);
        }
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
                    self.events.as_mut().map_or_else(null, |events| events.list(id, value))
                }
            };
            members.push((&**name, node));
        }
        Ok(self.events.as_mut().map_or_else(null, |events| events.object(members)))
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
