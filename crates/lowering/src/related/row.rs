//! Rows that are inserted and updated with those of their relations.

use catalog::FieldId;
use ir::{Assignment, Filter, Insert, InsertedRows, Operand, StepId, Update, Value, WriteKind};

use super::super::bulk::stated;
use super::super::mutation::ResultRows;
use super::super::{Context, LowerError};
use super::data::{RowData, Selector};
use super::{Known, Place, equal, missing};
use api::binding::{ElementRows, RelatedRows, RelationLink};

/// The distance of the positions of two values of a list.
const POSITIONS: i64 = 1_000;

const NOTHING_SET: &str = "Nothing is set: give at least one value.";

const LISTS_OF_ALL: &str = "Lists of values cannot be set for all rows that pass a condition: set them \
     for each row.";

impl<'a> Context<'a> {
    /// Inserts a row, which is the result of a change.
    pub(super) fn create_row(
        &mut self,
        rows: &'a RelatedRows,
        data: RowData<'a>,
        place: Place,
    ) -> Result<ResultRows, LowerError> {
        if data.is_plain() {
            let place = self.event_place();
            let step = self.insert_values(rows, data.stored);
            self.add_created(rows, step, place)?;
            return Ok(ResultRows::Changed(step));
        }
        let made = self.insert_row(rows, data, Vec::new(), place)?;
        Ok(ResultRows::Found(rows.entity, made.is_it()))
    }

    /// Updates a row, which is the result of a change.
    pub(super) fn change_row(
        &mut self,
        rows: &'a RelatedRows,
        selected: &Selector<'_>,
        data: RowData<'a>,
        place: Place,
    ) -> Result<ResultRows, LowerError> {
        if data.is_plain() && !data.stored.is_empty() {
            self.add_updated(rows, selected.filter.clone(), &data)?;
            let values = self.with_made(rows, data.stored, false);
            let step = self.set_row_values(rows, selected.filter.clone(), values);
            self.require_step(step, missing(rows, selected.name, &selected.value));
            return Ok(ResultRows::Changed(step));
        }
        let found = self.find_row(rows, selected);
        self.update_row(&found, data, place)?;
        Ok(ResultRows::Found(rows.entity, found.is_it()))
    }

    /// Inserts a row with some given values, and changes the rows of its relations.
    pub(super) fn insert_row(
        &mut self,
        rows: &'a RelatedRows,
        data: RowData<'a>,
        given: Vec<(FieldId, Operand)>,
        place: Place,
    ) -> Result<Known<'a>, LowerError> {
        let event = self.event_place();
        let RowData { mut stored, elements, verbs } = data;
        stored.extend(given);
        // Rows to which the new one refers exist before it.
        let (before, after): (Vec<_>, Vec<_>) = verbs
            .into_iter()
            .partition(|verb| matches!(verb.writes.link, RelationLink::Forward { .. }));
        for verb in before {
            stored.push(self.referred(rows, verb, place)?);
        }
        let step = self.insert_values(rows, stored);
        self.add_created(rows, step, event)?;
        let row = self.result(step, &[rows.key]);
        let output = row.outputs.first().map_or(ir::OutputId(0), |(_, output)| *output);
        let key = Operand::Result { step: row.step, output };
        let made = Known { rows, key, read: row.step };
        for (list, values) in elements {
            self.insert_elements(list, &made.key, values);
        }
        for verb in after {
            self.along_relation(&made, true, verb, place)?;
        }
        Ok(made)
    }

    /// Updates a row, and changes the rows of its relations.
    pub(super) fn update_row(
        &mut self,
        found: &Known<'a>,
        data: RowData<'a>,
        place: Place,
    ) -> Result<(), LowerError> {
        self.add_updated(found.rows, found.is_it(), &data)?;
        let RowData { stored, elements, verbs } = data;
        if !stored.is_empty() || !elements.is_empty() {
            let values = self.with_made(found.rows, stored, false);
            if !values.is_empty() {
                self.set_row_values(found.rows, found.is_it(), values);
            }
        }
        for (list, values) in elements {
            self.delete(list.entity, equal(list.owner, found.key.clone()), None);
            self.insert_elements(list, &found.key, values);
        }
        for verb in verbs {
            self.along_relation(found, false, verb, place)?;
        }
        Ok(())
    }

    /// Updates all rows that pass a condition.
    pub(super) fn update_all(
        &mut self,
        rows: &RelatedRows,
        filter: Filter,
        data: RowData<'a>,
        place: Place,
    ) -> Result<StepId, LowerError> {
        if !data.elements.is_empty() {
            return Err(LowerError::refused(LISTS_OF_ALL, place.location));
        }
        if data.stored.is_empty() {
            return Err(LowerError::refused(NOTHING_SET, place.location));
        }
        let values = self.with_made(rows, data.stored, false);
        Ok(self.set_row_values(rows, stated(vec![filter]), values))
    }

    /// Inserts the values of a row, with those that it gets without being given.
    fn insert_values(&mut self, rows: &RelatedRows, stored: Vec<(FieldId, Operand)>) -> StepId {
        let stored = self.with_made(rows, stored, true);
        let (fields, row) = stored.into_iter().unzip();
        let insert = Insert { fields, rows: InsertedRows::each(vec![row]) };
        self.add_write(rows.entity, WriteKind::Insert(insert))
    }

    /// Sets values of rows.
    fn set_row_values(
        &mut self,
        rows: &RelatedRows,
        filter: Filter,
        mut stored: Vec<(FieldId, Operand)>,
    ) -> StepId {
        stored.sort_by_key(|(field, _)| *field);
        let set = |(field, operand)| (field, Assignment::Set(operand));
        let assignments = stored.into_iter().map(set).collect();
        let update = Update { filter, assignments, at_most: None };
        self.add_write(rows.entity, WriteKind::Update(update))
    }

    /// The values of a row, with those that it gets without being given.
    pub(super) fn with_made(
        &self,
        rows: &RelatedRows,
        mut stored: Vec<(FieldId, Operand)>,
        is_new: bool,
    ) -> Vec<(FieldId, Operand)> {
        let binding = self.api.find_entity(rows.entity);
        let made = binding.map(|binding| match is_new {
            true => &binding.made_on_create,
            false => &binding.made_on_update,
        });
        for (field, operand) in made.into_iter().flatten() {
            if stored.iter().all(|(own, _)| own != field) {
                stored.push((*field, operand.clone()));
            }
        }
        stored
    }

    fn insert_elements(&mut self, list: &ElementRows, owner: &Operand, values: Vec<Operand>) {
        if values.is_empty() {
            return;
        }
        let rows = (1..).zip(values).map(|(number, value)| {
            let position = Operand::Constant(Value::Integer(number * POSITIONS));
            vec![owner.clone(), position, value]
        });
        let fields = vec![list.owner, list.position, list.value];
        let insert = Insert { fields, rows: InsertedRows::each(rows.collect()) };
        self.add_write(list.entity, WriteKind::Insert(insert));
    }
}
