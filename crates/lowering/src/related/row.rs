//! Rows that are inserted and updated with those of their relations.

use catalog::FieldId;
use ir::{
    Assignment, Authority, Comparison, Filter, Insert, InsertedRows, Operand, Otherwise,
    OtherwiseKind, StepId, Update, Value, ValueRef, WriteKind,
};
use response::Leaf;

use super::super::bulk::{NO_ROW, stated};
use super::super::mutation::ResultRows;
use super::super::new_rows::rows_to_insert;
use super::super::{Context, LowerError};
use super::data::{DataOf, InputEntry, RowData, Selector, Verb};
use super::{Known, Place, among, equal, missing};
use api::binding::{ElementRows, RelatedRows, RelationLink};

/// The distance of the positions of two values of a list.
const POSITIONS: i64 = 1_000;

const BEYOND: &str = "A number would be beyond the 32 bits of Int: nothing is changed.";

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

    /// Inserts rows by one step, after the rows are found to which they refer; the step has their
    /// number. Rows of which one has a list of values are inserted one by one, for each needs its own
    /// key.
    pub(super) fn create_rows(
        &mut self,
        rows: &'a RelatedRows,
        (id, input): InputEntry<'a>,
        place: Place,
    ) -> Result<StepId, LowerError> {
        let mut created = Vec::new();
        for item in self.items(&input)? {
            let mut data = self.row_data((id, item), DataOf::EachNew, place)?;
            for (writes, given) in std::mem::take(&mut data.references) {
                data.stored.push(self.connected(rows, writes, given, place)?);
            }
            created.push(data);
        }
        if created.is_empty() {
            return Err(LowerError::refused(NO_ROW, place.location));
        }
        if created.iter().any(|data| data.elements.iter().any(|(_, values)| !values.is_empty())) {
            return self.create_each(rows, created, place);
        }
        let stored = created.into_iter().map(|data| self.with_made(rows, data.stored, true));
        let insert = rows_to_insert(stored.collect());
        let event = self.event_place();
        let step = self.add_write(rows.entity, WriteKind::Insert(insert));
        self.add_all_created(rows, step, event)?;
        Ok(step)
    }

    /// Inserts rows one by one; the step has their number.
    fn create_each(
        &mut self,
        rows: &'a RelatedRows,
        created: Vec<RowData<'a>>,
        place: Place,
    ) -> Result<StepId, LowerError> {
        let mut keys = Vec::with_capacity(created.len());
        for data in created {
            let (made, _) = self.insert_alone(rows, data, Vec::new(), place)?;
            keys.push(made.is_it());
        }
        // Rows count that the session may not read, too.
        let all = Filter::Or(keys);
        Ok(self.by(Authority::Model, |own| own.find_keys(rows, all)).0)
    }

    /// Updates a row, which is the result of a change.
    pub(super) fn change_row(
        &mut self,
        rows: &'a RelatedRows,
        selected: &Selector<'_>,
        data: RowData<'a>,
        place: Place,
    ) -> Result<ResultRows, LowerError> {
        if data.is_plain() && !data.sets_nothing() {
            self.add_updated(rows, selected.filter.clone(), &data)?;
            let values = self.changed_values(rows, data.stored, data.assigned);
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
        let (made, verbs) = self.insert_alone(rows, data, given, place)?;
        self.change_relations(&made, verbs, place)?;
        Ok(made)
    }

    /// Changes the rows of the relations of a new row.
    pub(super) fn change_relations(
        &mut self,
        made: &Known<'a>,
        verbs: Vec<Verb<'a>>,
        place: Place,
    ) -> Result<(), LowerError> {
        verbs.into_iter().try_for_each(|verb| self.along_relation(made, true, verb, place))
    }

    /// Inserts a row with the rows to which it refers; returns the changes that remain.
    pub(super) fn insert_alone(
        &mut self,
        rows: &'a RelatedRows,
        data: RowData<'a>,
        given: Vec<(FieldId, Operand)>,
        place: Place,
    ) -> Result<(Known<'a>, Vec<Verb<'a>>), LowerError> {
        let event = self.event_place();
        let RowData { mut stored, assigned: _, references: _, elements, verbs } = data;
        stored.extend(given);
        // Rows to which the new one refers exist before it.
        let (before, after): (Vec<_>, Vec<_>) = verbs
            .into_iter()
            .partition(|verb| matches!(verb.writes.link, RelationLink::Forward { .. }));
        for verb in before {
            let (field, key) = self.referred(rows, verb, place)?;
            // Of a row that is inserted and one that is connected, the last one counts.
            stored.retain(|(own, _)| *own != field);
            stored.push((field, key));
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
        Ok((made, after))
    }

    /// Updates a row, and changes the rows of its relations.
    pub(super) fn update_row(
        &mut self,
        found: &Known<'a>,
        data: RowData<'a>,
        place: Place,
    ) -> Result<(), LowerError> {
        self.add_updated(found.rows, found.is_it(), &data)?;
        let changes_row = !data.sets_nothing() || !data.elements.is_empty();
        let RowData { stored, assigned, references: _, elements, verbs } = data;
        if changes_row {
            let values = self.changed_values(found.rows, stored, assigned);
            if !values.is_empty() {
                self.by(Authority::SessionOfAll, |own| {
                    own.set_row_values(found.rows, found.is_it(), values)
                });
            }
        }
        for (list, values) in elements {
            let former = equal(list.owner, found.key.clone());
            self.by(Authority::SessionOfAll, |own| own.delete(list.entity, former, None));
            self.insert_elements(list, &found.key, values);
        }
        for verb in verbs {
            self.along_relation(found, false, verb, place)?;
        }
        Ok(())
    }

    /// Updates all rows that pass a condition; the step has their number.
    pub(super) fn update_all(
        &mut self,
        rows: &RelatedRows,
        filter: Filter,
        data: RowData<'a>,
    ) -> StepId {
        let sets_something = !data.sets_nothing() || !data.elements.is_empty();
        let RowData { stored, assigned, references: _, elements, verbs: _ } = data;
        let values = match sets_something {
            true => self.changed_values(rows, stored, assigned),
            false => Vec::new(),
        };
        if elements.is_empty() && !values.is_empty() {
            return self.set_row_values(rows, stated(vec![filter]), values);
        }
        // The values may be such that the rows no longer pass.
        let (found, keys) = self.find_keys(rows, filter);
        // All found rows get the lists: none of them may keep its other values.
        self.by(Authority::SessionOfAll, |own| {
            if !values.is_empty() {
                own.set_row_values(rows, among(rows.key, keys.clone()), values);
            }
            for (list, values) in elements {
                own.delete(list.entity, among(list.owner, keys.clone()), None);
                own.insert_elements_of_all(list, &keys, values);
            }
        });
        found
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
        mut assignments: Vec<(FieldId, Assignment)>,
    ) -> StepId {
        assignments.sort_by_key(|(field, _)| *field);
        let beyond: Vec<Filter> =
            assignments.iter().filter_map(|assigned| self.beyond(assigned)).collect();
        let update = Update { filter, assignments, at_most: None };
        let step = self.add_write(rows.entity, WriteKind::Update(update));
        if !beyond.is_empty() {
            let otherwise = Otherwise::new(OtherwiseKind::Invalid, BEYOND);
            self.forbid_changed(step, Filter::Or(beyond), otherwise);
        }
        step
    }

    /// The condition that a computed value is beyond 32 bits, where the API has no such values: not
    /// every database refuses them.
    fn beyond(&self, (field, assignment): &(FieldId, Assignment)) -> Option<Filter> {
        let is_computed = !matches!(assignment, Assignment::Set(_));
        let is_int = || self.api.find_column(*field).is_some_and(|column| column.json == Leaf::Int);
        (is_computed && is_int()).then(|| {
            let compare = |comparison, most: i32| Filter::Compare {
                place: ValueRef::field(*field),
                comparison,
                operand: Operand::Constant(Value::Integer(most.into())),
            };
            let greater = compare(Comparison::Greater, i32::MAX);
            Filter::Or(vec![greater, compare(Comparison::Less, i32::MIN)])
        })
    }

    /// The values of a row that exists, with those that it gets without being given.
    fn changed_values(
        &self,
        rows: &RelatedRows,
        stored: Vec<(FieldId, Operand)>,
        mut assigned: Vec<(FieldId, Assignment)>,
    ) -> Vec<(FieldId, Assignment)> {
        let set = |(field, operand)| (field, Assignment::Set(operand));
        assigned.extend(self.with_made(rows, stored, false).into_iter().map(set));
        assigned
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
        let rows =
            positions().zip(values).map(|(position, value)| vec![owner.clone(), position, value]);
        let fields = vec![list.owner, list.position, list.value];
        let insert = Insert { fields, rows: InsertedRows::each(rows.collect()) };
        self.add_write(list.entity, WriteKind::Insert(insert));
    }

    /// Inserts the same values for each of several rows.
    fn insert_elements_of_all(
        &mut self,
        list: &ElementRows,
        owners: &Operand,
        values: Vec<Operand>,
    ) {
        if values.is_empty() {
            return;
        }
        let positions = positions().take(values.len()).collect();
        let columns = vec![Operand::List(positions), Operand::List(values)];
        let fields = vec![list.owner, list.position, list.value];
        let rows = InsertedRows::ForEach { list: owners.clone(), columns };
        self.add_write(list.entity, WriteKind::Insert(Insert { fields, rows }));
    }
}

/// The positions of the values of a list.
fn positions() -> impl Iterator<Item = Operand> {
    (1..).map(|number: i64| Operand::Constant(Value::Integer(number * POSITIONS)))
}
