//! Single steps of a change, and references to their results.

use catalog::{EntityId, FieldId};
use ir::{
    Assignment, Comparison, Filter, Form, Insert, InsertedRows, Operand, StepId, StepKind, Update,
    Value, ValueRef, Write, WriteKind,
};

use super::super::mutation::ResultRows;
use super::super::{Context, Outputs};
use super::Row;

impl Context<'_> {
    pub(in super::super) fn add_write(&mut self, entity: EntityId, kind: WriteKind) -> StepId {
        self.add_step(StepKind::Write(Write {
            entity,
            kind,
            children: Vec::new(),
            check: Filter::all(),
        }))
    }

    /// Inserts rows with the same fields in the same order.
    pub(in super::super) fn insert(
        &mut self,
        entity: EntityId,
        rows: Vec<Vec<(FieldId, Operand)>>,
    ) -> StepId {
        self.add_write(entity, WriteKind::Insert(inserted(rows)))
    }

    /// Sets fields of the found rows, of which there may be any number up to a limit.
    pub(in super::super) fn set_all(
        &mut self,
        entity: EntityId,
        filter: Filter,
        values: Vec<(FieldId, Operand)>,
        most: Option<u32>,
    ) -> StepId {
        let set = |(field, operand)| (field, Assignment::Set(operand));
        let assignments = values.into_iter().map(set).collect();
        let update = Update { filter, assignments, at_most: most.map(number) };
        self.add_write(entity, WriteKind::Update(update))
    }

    /// Deletes rows.
    pub(in super::super) fn delete(
        &mut self,
        entity: EntityId,
        filter: Filter,
        most: Option<u32>,
    ) -> StepId {
        self.add_write(entity, WriteKind::Delete { filter, at_most: most.map(number) })
    }

    /// Fields of the one row that a step touched. Nothing is read if no fields are needed.
    pub(in super::super) fn result(&mut self, step: StepId, wanted: &[FieldId]) -> Row {
        match wanted {
            [] => Row { step, outputs: Vec::new() },
            _ => self.read_row(ResultRows::Changed(step), wanted),
        }
    }

    /// Fields of the one row that is found.
    pub(in super::super) fn find(
        &mut self,
        entity: EntityId,
        filter: Filter,
        wanted: &[FieldId],
    ) -> Row {
        self.read_row(ResultRows::Found(entity, filter), wanted)
    }

    /// Fields of all rows that are found.
    pub(in super::super) fn find_each(
        &mut self,
        entity: EntityId,
        filter: Filter,
        wanted: &[FieldId],
    ) -> Row {
        self.read_rows(ResultRows::Found(entity, filter), false, wanted)
    }

    fn read_row(&mut self, shown: ResultRows, wanted: &[FieldId]) -> Row {
        self.read_rows(shown, true, wanted)
    }

    fn read_rows(&mut self, shown: ResultRows, single: bool, wanted: &[FieldId]) -> Row {
        let mut list = Outputs::default();
        let mut outputs = Vec::with_capacity(wanted.len());
        for field in wanted {
            let output = list.field(self, &[], *field, Form::Stored);
            outputs.push((*field, ir::OutputId(output.0)));
        }
        let rows = shown.rows(self.rows_id(), single, list);
        let step = self.add_step(StepKind::Read(rows));
        Row { step, outputs }
    }
}

/// Rows in the form of an insert.
pub(in super::super) fn inserted(rows: Vec<Vec<(FieldId, Operand)>>) -> Insert {
    let fields = rows.first().into_iter().flatten().map(|(field, _)| *field).collect();
    let values = |row: Vec<(FieldId, Operand)>| row.into_iter().map(|(_, value)| value).collect();
    Insert { fields, rows: InsertedRows::each(rows.into_iter().map(values).collect()) }
}

pub(in super::super) fn equal(field: FieldId, operand: Operand) -> Filter {
    Filter::Compare { place: ValueRef::field(field), comparison: Comparison::Equal, operand }
}

pub(in super::super) fn nulls(fields: &[FieldId]) -> Vec<(FieldId, Operand)> {
    fields.iter().map(|field| (*field, Operand::Constant(Value::Null))).collect()
}

fn number(most: u32) -> Operand {
    Operand::Constant(Value::Integer(most.into()))
}
