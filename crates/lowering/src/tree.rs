//! New rows with those that are related to them, and updates and deletes of all rows that pass a
//! condition.

use std::sync::Arc;

use catalog::{EntityId, FieldId};
use graphql::CollectedField;
use graphql::operation::Location;
use graphql::problem::Step;
use graphql::schema::{InputId, TypeId};
use ir::{
    Assignment, ChildWrite, Conflict, Filter, HopDirection, Operand, StepKind, Write, WriteKind,
};
use response::{Item, Node};

use super::bulk::updated_all;
use super::filter::FilterContext;
use super::input::{Input, Presence};
use super::mutation::ResultRows;
use super::new_rows::rows_to_insert;
use super::selection::misplaced;
use super::stored::Part;
use super::{Context, LowerError};
use api::Api;
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
    /// The member of that row.
    id: InputId,
}

impl Related<'_> {
    /// The way from the rows that these are related to, to a row of these.
    fn steps(&self, api: &Api, row: usize) -> Vec<Step> {
        let parent = self.parents.get(row).copied().unwrap_or_default();
        let before = self.parents.iter().take(row).filter(|other| **other == parent).count();
        let name = Step::Key((&*api.schema[self.id].name).into());
        let mut steps = vec![Step::Index(parent as usize), name, Step::Key("data".into())];
        if self.relation.hop.direction == HopDirection::Backward {
            steps.push(Step::Index(before));
        }
        steps
    }
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
            let argument = || Step::Key((&*self.api.schema[*id].name).into());
            match &self.api.input(*id).role {
                InputRole::Write(WriteRole::Tree(TreeRole::Rows)) => {
                    rows = Some((*id, object, self.stored_items(&input)?));
                }
                InputRole::Write(WriteRole::Tree(TreeRole::OnConflict)) => {
                    let refused = |error: LowerError| error.within([argument()]);
                    conflict = self.row_conflict((*id, &input), field.location).map_err(refused)?;
                }
                _ => return Err(misplaced("an input of new rows")),
            }
        }
        let shown = match rows {
            Some((id, object, rows)) if !rows.is_empty() => {
                let of = (entity, object);
                let definition = &self.api.schema[id];
                let refused = |error: LowerError| {
                    let name = Step::Key((&*definition.name).into());
                    match definition.r#type.is_list() {
                        true => error.within([name]),
                        false => error.without_index().within([name]),
                    }
                };
                let write = self.tree(of, &rows, conflict, (&[], DEPTH), field.location);
                let write = write.map_err(refused)?;
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
            let row = self.new_row(row, object, given, place, location);
            let row = row.map_err(|error| error.within([Step::Index(place as usize)]))?;
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
        for one in related {
            let Related { relation, object, conflict, rows, .. } = &one;
            let given: &[FieldId] = match relation.hop.direction {
                HopDirection::Forward => &[],
                HopDirection::Backward => &relation.fields,
            };
            let of = (relation.entity, *object);
            let write = self.tree(of, rows, conflict.clone(), (given, depth), location);
            let write = write.map_err(|error| match error.index() {
                Some(row) => error.without_index().within(one.steps(self.api, row)),
                None => error,
            })?;
            let (hop, parents) = (relation.hop, one.parents);
            children.push(ChildWrite { hop, parents, write, edge: Vec::new() });
        }
        let insert = rows_to_insert(values);
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
        let quoted = |names: &[&str]| {
            names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
        };
        let name = |id: InputId| &*self.api.schema[id].name;
        let determined = |fields: &[FieldId]| {
            let named = named.iter().filter(|(field, _)| fields.contains(field));
            named.map(|(_, id)| name(*id)).collect::<Vec<&str>>()
        };
        let refused = |message: String, place: Vec<Step>| {
            Err(LowerError::RefusedWithin { message: message.into(), location, place })
        };
        let is_forward = |one: &&Related<'_>| one.relation.hop.direction == HopDirection::Forward;
        let forward = new.related.iter().filter(is_forward);
        let mut set: Vec<FieldId> = given.to_vec();
        for one in forward {
            let relationship = name(one.id);
            let place = || vec![Step::Key(relationship.into())];
            let columns = determined(&one.relation.fields);
            if !columns.is_empty() {
                let message = format!(
                    "cannot insert object relationship \"{relationship}\" as {} column values are \
                     already determined",
                    quoted(&columns)
                );
                return refused(message, place());
            }
            if one.relation.fields.iter().any(|field| set.contains(field)) {
                let message = "A column is determined by two of the rows to be inserted.";
                return refused(message.into(), place());
            }
            set.extend(&*one.relation.fields);
        }
        let columns = determined(given);
        if !columns.is_empty() {
            let message = format!(
                "cannot insert {} columns as their values are already being determined by parent \
                 insert",
                quoted(&columns)
            );
            return refused(message, Vec::new());
        }
        Ok(new)
    }

    /// The new rows of a relationship; `None` if there are none.
    fn related_rows(
        &self,
        relation: &Arc<TreeRelation>,
        (member, input): (InputId, &Input<'a>),
        place: u32,
        location: Location,
    ) -> Result<Option<Related<'a>>, LowerError> {
        let (mut data, mut conflict) = (None, None);
        let object = self.api.schema[member].r#type.base;
        for (id, input) in self.members_given(input, object, location)? {
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
        Ok(Some(Related { relation, object, conflict, parents, rows, id: member }))
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
                    let chosen = self.columns(&input, r#type, location);
                    columns = chosen.map_err(LowerError::with_place)?;
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
