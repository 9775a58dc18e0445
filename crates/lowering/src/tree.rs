//! New rows with those that are related to them, and updates and deletes of all rows that pass a
//! condition.

use std::collections::BTreeSet;
use std::sync::Arc;

use catalog::{EntityId, FieldId};
use graphql::CollectedField;
use graphql::operation::Location;
use graphql::schema::{InputId, TypeId};
use ir::{
    Assignment, ChildWrite, Conflict, Filter, HopDirection, Insert, InsertedRows, Operand,
    StepKind, Write, WriteKind,
};
use response::{Item, Node};

use super::bulk::updated_all;
use super::filter::FilterContext;
use super::input::{Input, Presence};
use super::mutation::ResultRows;
use super::selection::misplaced;
use super::stored::Part;
use super::{Context, LowerError};
use api::binding::{
    FilterRole, InputRole, MutationBinding, TreeRelation, TreeRole, ValueBinding, WriteRole,
};

/// Limit of nested levels of rows.
const DEPTH: usize = 32;

/// The error of rows with others where some may be left as they are: their places are not known.
const MAY_BE_LEFT: &str = "Several rows with related rows cannot be inserted together where \
     `on_conflict` may leave some of them as they are, without `update_columns` or with `where`: \
     insert them one by one.";

/// A row at a place of an insert.
struct NewRow<'o> {
    values: Vec<(FieldId, Operand)>,
    related: Vec<Related<'o>>,
}

/// New rows that are related to others.
struct Related<'o> {
    relation: Arc<TreeRelation>,
    /// The type of the objects.
    object: TypeId,
    conflict: Option<Conflict>,
    /// For each row the place of the row that it is related to.
    parents: Vec<u32>,
    rows: Vec<Input<'o>>,
}

impl<'a> Context<'a> {
    /// The node of an insert; adds its steps.
    pub(super) fn insert_tree(
        &mut self,
        binding: &'a MutationBinding,
        entity: EntityId,
        field: &CollectedField<'a>,
    ) -> Result<Node, LowerError> {
        let (mut rows, mut conflict) = (None, None);
        for (id, value) in field.arguments {
            if !self.is_given(*id, value, field.location)? {
                continue;
            }
            let input = Input::new(value);
            let object = self.api.schema[*id].r#type.base;
            match &self.api.input(*id).role {
                InputRole::Write(WriteRole::Tree(TreeRole::Rows)) => {
                    rows = Some((object, self.stored_items(&input)?));
                }
                InputRole::Write(WriteRole::Tree(TreeRole::OnConflict)) => {
                    conflict = self.row_conflict((*id, &input), field.location)?;
                }
                _ => return Err(misplaced("an input of new rows")),
            }
        }
        let shown = match rows {
            Some((object, rows)) if !rows.is_empty() => {
                let of = (entity, object);
                let write = self.tree(of, &rows, conflict, (&[], DEPTH), field.location)?;
                ResultRows::Changed(self.add_step(StepKind::Write(write)))
            }
            _ => ResultRows::Found(entity, Filter::none()),
        };
        self.shown(binding, field, None, shown)
    }

    /// The write of new rows, with those of the rows related to them. `given` are the fields that the
    /// relationship to the rows above sets.
    fn tree(
        &self,
        (entity, object): (EntityId, TypeId),
        rows: &[Input<'a>],
        conflict: Option<Conflict>,
        (given, depth): (&[FieldId], usize),
        location: Location,
    ) -> Result<Write, LowerError> {
        let Some(depth) = depth.checked_sub(1) else {
            let message = format!("Rows can be nested {DEPTH} levels deep at most.");
            return Err(LowerError::Refused { message: message.into(), location });
        };
        let mut values = Vec::with_capacity(rows.len());
        let mut related: Vec<Related<'a>> = Vec::new();
        for (place, row) in (0..).zip(rows) {
            let row = self.new_row(row, object, given, place, location)?;
            values.push(row.values);
            for one in row.related {
                let same = related
                    .iter_mut()
                    .find(|known| known.relation == one.relation && known.conflict == one.conflict);
                match same {
                    Some(known) => {
                        known.parents.extend(one.parents);
                        known.rows.extend(one.rows);
                    }
                    None => related.push(one),
                }
            }
        }
        let may_be_left =
            conflict.as_ref().is_some_and(|own| own.assignments.is_empty() || !own.filter.is_all());
        if may_be_left && rows.len() > 1 && !related.is_empty() {
            return Err(LowerError::refused(MAY_BE_LEFT, location));
        }
        let mut children = Vec::with_capacity(related.len());
        for Related { relation, object, conflict, parents, rows } in related {
            let given: &[FieldId] = match relation.hop.direction {
                HopDirection::Forward => &[],
                HopDirection::Backward => &relation.fields,
            };
            let of = (relation.entity, object);
            let write = self.tree(of, &rows, conflict, (given, depth), location)?;
            children.push(ChildWrite { hop: relation.hop, parents, write, edge: Vec::new() });
        }
        let insert = inserted(values);
        let kind = match conflict {
            None => WriteKind::Insert(insert),
            Some(conflict) => WriteKind::Upsert { insert, conflict },
        };
        Ok(Write { entity, kind, children, check: Filter::all() })
    }

    /// The values of a new row, and the rows that are related to it.
    fn new_row(
        &self,
        row: &Input<'a>,
        object: TypeId,
        given: &[FieldId],
        place: u32,
        location: Location,
    ) -> Result<NewRow<'a>, LowerError> {
        let mut new = NewRow { values: Vec::new(), related: Vec::new() };
        let mut named: Vec<(FieldId, InputId)> = Vec::new();
        for (id, input) in self.members_given(row, object, location)? {
            match &self.api.input(id).role {
                InputRole::Write(WriteRole::Stored(field)) => {
                    let operand = self.operand(&input, self.api.schema[id].r#type);
                    new.values.push((*field, operand));
                    named.push((*field, id));
                }
                InputRole::Write(WriteRole::Tree(TreeRole::Related(relation))) => {
                    if self.presence(&input) == Presence::Present {
                        new.related.extend(self.related_rows(
                            relation,
                            (id, &input),
                            place,
                            location,
                        )?);
                    }
                }
                _ => return Err(misplaced("a member of a new row")),
            }
        }
        let is_forward = |one: &&Related<'_>| one.relation.hop.direction == HopDirection::Forward;
        let forward = new.related.iter().filter(is_forward);
        let mut set: Vec<FieldId> = given.to_vec();
        for field in forward.flat_map(|one| one.relation.fields.iter()) {
            if set.contains(field) {
                let message = "A column is determined by two of the rows to be inserted.";
                return Err(LowerError::refused(message, location));
            }
            set.push(*field);
        }
        if let Some((_, id)) = named.iter().find(|(field, _)| set.contains(field)) {
            let name = &self.api.schema[*id].name;
            let message = format!(
                "cannot insert {name} columns as their values are already being determined by \
                 parent insert"
            );
            return Err(LowerError::Refused { message: message.into(), location });
        }
        Ok(new)
    }

    /// The new rows of a relationship; `None` if there are none.
    fn related_rows(
        &self,
        relation: &Arc<TreeRelation>,
        (id, input): (InputId, &Input<'a>),
        place: u32,
        location: Location,
    ) -> Result<Option<Related<'a>>, LowerError> {
        let (mut data, mut conflict) = (None, None);
        for (id, input) in self.members_given(input, self.api.schema[id].r#type.base, location)? {
            match &self.api.input(id).role {
                InputRole::Write(WriteRole::Tree(TreeRole::Data)) => {
                    data = Some((self.api.schema[id].r#type.base, self.stored_items(&input)?));
                }
                InputRole::Write(WriteRole::Tree(TreeRole::OnConflict)) => {
                    conflict = self.row_conflict((id, &input), location)?;
                }
                _ => return Err(misplaced("a member of related rows")),
            }
        }
        let Some((object, rows)) = data.filter(|(_, rows)| !rows.is_empty()) else {
            return Ok(None);
        };
        let (relation, parents) = (relation.clone(), vec![place; rows.len()]);
        Ok(Some(Related { relation, object, conflict, parents, rows }))
    }

    /// The handling of conflicts; `None` without any.
    fn row_conflict(
        &self,
        (id, input): (InputId, &Input<'_>),
        location: Location,
    ) -> Result<Option<Conflict>, LowerError> {
        if self.presence(input) != Presence::Present {
            return Ok(None);
        }
        let (mut key, mut columns, mut filters) = (Vec::new(), Vec::new(), Vec::new());
        for (id, input) in self.entries(input, self.api.schema[id].r#type.base)? {
            let r#type = self.api.schema[id].r#type;
            match &self.api.input(id).role {
                InputRole::Write(WriteRole::Tree(TreeRole::ConflictKey)) => {
                    match self.enum_value(&input, r#type.base, location)? {
                        Some(ValueBinding::Key(fields)) => key = fields.to_vec(),
                        Some(_) => return Err(misplaced("a key")),
                        None => {}
                    }
                }
                InputRole::Write(WriteRole::Tree(TreeRole::ConflictColumns)) => {
                    columns = self.columns(&input, r#type, location)?;
                }
                InputRole::Filter(FilterRole::Conditions) => {
                    let around = FilterContext::default();
                    filters.extend(self.condition(id, &input, around, location)?);
                }
                _ => return Err(misplaced("a member of conflicts")),
            }
        }
        if key.is_empty() {
            return Err(misplaced("conflicts of no key"));
        }
        let inserted = |field| (field, Assignment::Inserted);
        let assignments = columns.into_iter().map(inserted).collect();
        Ok(Some(Conflict { key, assignments, filter: Filter::and(filters) }))
    }

    /// The node of several updates, one after the other; adds their steps.
    pub(super) fn update_each(
        &mut self,
        binding: &'a MutationBinding,
        entity: EntityId,
        field: &CollectedField<'a>,
    ) -> Result<Node, LowerError> {
        let mut items = Vec::new();
        for (id, value) in field.arguments {
            if self.api.input(*id).role != InputRole::Write(WriteRole::Updates) {
                return Err(misplaced("an input of updates"));
            }
            if !self.is_given(*id, value, field.location)? {
                continue;
            }
            let object = self.api.schema[*id].r#type.base;
            for item in self.stored_items(&Input::new(value))? {
                let changed = self.said_by(&item, object, field.location)?;
                changed.require_only(&[Part::Assigned, Part::Keys])?;
                let update = updated_all(binding, changed, field.location)?;
                let (kind, children, check) =
                    (WriteKind::Update(update), Vec::new(), Filter::all());
                let step = self.add_step(StepKind::Write(Write { entity, kind, children, check }));
                let node = self.shown(binding, field, None, ResultRows::Changed(step))?;
                items.push(Item { node: self.shape.add(node), nullable: true });
            }
        }
        Ok(Node::Each(items.into()))
    }
}

/// New rows, each with its own values.
fn inserted(rows: Vec<Vec<(FieldId, Operand)>>) -> Insert {
    let fields: BTreeSet<FieldId> = rows.iter().flatten().map(|(field, _)| *field).collect();
    let fields: Vec<FieldId> = fields.into_iter().collect();
    let cells = |mut row: Vec<(FieldId, Operand)>| {
        let mut cell = |field: &FieldId| {
            let place = row.iter().position(|(own, _)| own == field)?;
            Some(row.swap_remove(place).1)
        };
        fields.iter().map(&mut cell).collect()
    };
    let rows = rows.into_iter().map(cells).collect();
    Insert { fields, rows: InsertedRows::Each(rows) }
}
