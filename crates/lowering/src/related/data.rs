//! The inputs of a row with those of its relations.

use catalog::FieldId;
use graphql::schema::InputId;
use ir::{Assignment, Filter, Operand, StepId};

use super::super::graph::assignment;
use super::super::input::{Input, Presence};
use super::super::selection::misplaced;
use super::super::{Context, LowerError};
use super::{Known, Place, equal, missing};
use api::Api;
use api::binding::{
    AssignVerb, ElementRows, FilterRole, InputRole, Meaning, RelatedRole, RelatedRows,
    RelationVerb, RelationWrites, WriteRole,
};

const SET_TWICE: &str = "A field is set and changed by a number at once: give one of both.";

/// An input with its definition.
pub(super) type InputEntry<'a> = (InputId, Input<'a>);

/// The inputs of a change of one row.
#[derive(Default)]
pub(super) struct RowInputs<'a> {
    key: Option<InputEntry<'a>>,
    pub(super) data: Option<InputEntry<'a>>,
    update: Option<InputEntry<'a>>,
    create: Option<InputEntry<'a>>,
    pub(super) conditions: Vec<Filter>,
}

/// The values of a row, and the changes of its relations.
#[derive(Debug, Default)]
pub(super) struct RowData<'a> {
    pub(super) stored: Vec<(FieldId, Operand)>,
    /// Values that are made of the stored ones.
    pub(super) assigned: Vec<(FieldId, Assignment)>,
    /// Rows to which a new row refers.
    pub(super) references: Vec<(&'a RelationWrites, InputEntry<'a>)>,
    /// Lists of values.
    pub(super) elements: Vec<(&'a ElementRows, Vec<Operand>)>,
    /// In the order in which they are made.
    pub(super) verbs: Vec<Verb<'a>>,
}

/// The rows of which an object has the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataOf {
    /// A new row.
    New,
    /// One of many new rows.
    EachNew,
    /// A row that exists.
    Existing,
    /// All rows that pass conditions.
    All,
}

impl DataOf {
    /// True if such rows can have the value.
    fn has(self, role: &WriteRole) -> bool {
        match role {
            WriteRole::Stored(_)
            | WriteRole::Related(RelatedRole::Limited(_) | RelatedRole::Elements(_)) => true,
            WriteRole::Assign { .. } => matches!(self, Self::Existing | Self::All),
            WriteRole::Related(RelatedRole::Reference(_)) => self == Self::EachNew,
            WriteRole::Related(RelatedRole::Relation(_)) => {
                matches!(self, Self::New | Self::Existing)
            }
            _ => false,
        }
    }
}

/// Changes of one kind along a relation.
#[derive(Debug)]
pub(super) struct Verb<'a> {
    pub(super) verb: RelationVerb,
    pub(super) writes: &'a RelationWrites,
    pub(super) id: InputId,
    pub(super) input: Input<'a>,
}

/// The only row that a key finds.
#[derive(Clone, Debug)]
pub(super) struct Selector<'a> {
    pub(super) filter: Filter,
    /// The name of the field of the key.
    pub(super) name: &'a str,
    pub(super) value: Operand,
}

impl RowData<'_> {
    /// True if no value of the row itself is set.
    pub(super) fn sets_nothing(&self) -> bool {
        self.stored.is_empty() && self.assigned.is_empty()
    }

    /// True if only values of the row itself are set.
    pub(super) fn is_plain(&self) -> bool {
        self.elements.is_empty() && self.verbs.is_empty()
    }
}

impl<'a> RowInputs<'a> {
    pub(super) fn set(
        &mut self,
        role: &RelatedRole,
        given: InputEntry<'a>,
    ) -> Result<(), LowerError> {
        let place = match role {
            RelatedRole::Where => &mut self.key,
            RelatedRole::Data => &mut self.data,
            RelatedRole::Update => &mut self.update,
            RelatedRole::Create => &mut self.create,
            RelatedRole::Elements(_)
            | RelatedRole::Limited(_)
            | RelatedRole::SetElements
            | RelatedRole::Reference(_)
            | RelatedRole::Relation(_)
            | RelatedRole::Verb(_) => return Err(misplaced("a part of a row")),
        };
        *place = Some(given);
        Ok(())
    }

    pub(super) fn key(&self) -> Result<InputEntry<'a>, LowerError> {
        self.key.clone().ok_or_else(|| misplaced("a change without the key of its row"))
    }

    pub(super) fn data(&self) -> Result<InputEntry<'a>, LowerError> {
        self.data.clone().ok_or_else(|| misplaced("a change without values"))
    }

    pub(super) fn update(&self) -> Result<InputEntry<'a>, LowerError> {
        self.update.clone().ok_or_else(|| misplaced("an upsert without an update"))
    }

    pub(super) fn create(&self) -> Result<InputEntry<'a>, LowerError> {
        self.create.clone().ok_or_else(|| misplaced("an upsert without a new row"))
    }
}

impl<'a> Context<'a> {
    /// The inputs of an object of them.
    pub(super) fn row_inputs(
        &self,
        (id, input): (InputId, &Input<'a>),
        place: Place,
    ) -> Result<RowInputs<'a>, LowerError> {
        let api: &'a Api = self.api;
        let mut inputs = RowInputs::default();
        for (id, input) in self.members_given(input, api.schema[id].r#type.base, place.location)? {
            match &api.input(id).role {
                InputRole::Write(WriteRole::Related(role)) => inputs.set(role, (id, input))?,
                InputRole::Filter(FilterRole::Conditions) => {
                    let around = super::super::filter::FilterContext::default();
                    inputs.conditions.extend(self.condition(id, &input, around, place.location)?);
                }
                InputRole::Refused(text) => return Err(LowerError::refused(text, place.location)),
                _ => return Err(misplaced("an input of a row")),
            }
        }
        Ok(inputs)
    }

    /// The values of a row, and the changes of its relations.
    pub(super) fn row_data(
        &self,
        (id, input): InputEntry<'a>,
        of: DataOf,
        place: Place,
    ) -> Result<RowData<'a>, LowerError> {
        let api: &'a Api = self.api;
        let mut data = RowData::default();
        let mut members = self.members_given(&input, api.schema[id].r#type.base, place.location)?;
        // The order of fields in a request is irrelevant.
        members.sort_by_key(|(id, _)| id.index());
        for (id, input) in members {
            let r#type = api.schema[id].r#type;
            match &api.input(id).role {
                InputRole::Write(role) if !of.has(role) => {
                    return Err(misplaced("a value of other rows"));
                }
                InputRole::Write(WriteRole::Stored(field)) => {
                    self.refuse_null((id, &input), place)?;
                    data.stored.push((*field, self.operand(&input, r#type)));
                }
                InputRole::Write(WriteRole::Related(RelatedRole::Limited(text))) => {
                    self.refuse_null((id, &input), place)?;
                    if self.is_longer(&input, text.most) {
                        return Err(LowerError::refused(&text.otherwise, place.location));
                    }
                    data.stored.push((text.field, self.operand(&input, r#type)));
                }
                InputRole::Write(WriteRole::Assign { field, verb }) => {
                    self.refuse_null((id, &input), place)?;
                    if *verb == AssignVerb::Divide && self.is_zero(&input) {
                        let message = format!("{} must not be zero.", api.schema[id].name);
                        return Err(LowerError::refused(&message, place.location));
                    }
                    let value = assignment(*verb, self.operand(&input, r#type));
                    data.assigned.push((*field, value));
                }
                InputRole::Write(WriteRole::Related(RelatedRole::Reference(writes))) => {
                    match self.presence(&input) {
                        Presence::Present => data.references.push((writes, (id, input))),
                        Presence::Null | Presence::Absent => {}
                    }
                }
                InputRole::Write(WriteRole::Related(RelatedRole::Elements(rows))) => {
                    if let Some(values) = self.elements((id, &input), place)? {
                        data.elements.push((rows, values));
                    }
                }
                InputRole::Write(WriteRole::Related(RelatedRole::Relation(writes))) => {
                    self.add_verbs((id, &input), writes, place, &mut data)?;
                    if of == DataOf::New {
                        require_verb(writes, place, &data)?;
                    }
                }
                InputRole::Refused(text) => return Err(LowerError::refused(text, place.location)),
                _ => return Err(misplaced("a value of a row")),
            }
        }
        data.verbs.sort_by_key(|verb| verb.verb);
        require_once(&data, place)?;
        Ok(data)
    }

    /// Refuses a null that the field cannot have.
    fn refuse_null(
        &self,
        (id, input): (InputId, &Input<'a>),
        place: Place,
    ) -> Result<(), LowerError> {
        match self.api.input(id).null() {
            Meaning::Refuse(text) if self.presence(input) == Presence::Null => {
                Err(LowerError::refused(text, place.location))
            }
            _ => Ok(()),
        }
    }

    /// All values of a list; `None` if they are not set.
    fn elements(
        &self,
        (id, input): (InputId, &Input<'a>),
        place: Place,
    ) -> Result<Option<Vec<Operand>>, LowerError> {
        if self.presence(input) != Presence::Present {
            return Ok(None);
        }
        let api: &'a Api = self.api;
        let object = api.schema[id].r#type.base;
        let mut values = None;
        for (id, input) in self.members_given(input, object, place.location)? {
            match &api.input(id).role {
                InputRole::Write(WriteRole::Related(RelatedRole::SetElements)) => {}
                InputRole::Refused(text) => return Err(LowerError::refused(text, place.location)),
                _ => return Err(misplaced("the values of a list")),
            }
            let r#type = api.schema[id].r#type;
            let element = r#type.item().unwrap_or(r#type);
            let items = match self.presence(&input) {
                Presence::Present => self.stored_items(&input)?,
                // Null is the empty list.
                Presence::Null | Presence::Absent => Vec::new(),
            };
            values = Some(items.iter().map(|item| self.operand(item, element)).collect());
        }
        Ok(values)
    }

    fn add_verbs(
        &self,
        (id, input): (InputId, &Input<'a>),
        writes: &'a RelationWrites,
        place: Place,
        data: &mut RowData<'a>,
    ) -> Result<(), LowerError> {
        if self.presence(input) != Presence::Present {
            return Ok(());
        }
        let api: &'a Api = self.api;
        let object = api.schema[id].r#type.base;
        for (id, input) in self.members_given(input, object, place.location)? {
            let verb = match &api.input(id).role {
                InputRole::Write(WriteRole::Related(RelatedRole::Verb(verb))) => *verb,
                InputRole::Refused(text) => return Err(LowerError::refused(text, place.location)),
                _ => return Err(misplaced("a change along a relation")),
            };
            if self.presence(&input) == Presence::Present {
                data.verbs.push(Verb { verb, writes, id, input });
            }
        }
        Ok(())
    }

    /// The key of a row: exactly one of its unique fields.
    pub(super) fn selector(
        &self,
        rows: &RelatedRows,
        (id, input): InputEntry<'a>,
        place: Place,
    ) -> Result<Selector<'a>, LowerError> {
        let api: &'a Api = self.api;
        let object = api.schema[id].r#type.base;
        let members = self.members_present(&input, object, place.location)?;
        let [(id, input)] = &members[..] else {
            let message = match members.is_empty() {
                true => &rows.selector.none,
                false => &rows.selector.several,
            };
            return Err(LowerError::refused(message, place.location));
        };
        let field = match &api.input(*id).role {
            InputRole::Filter(FilterRole::Equal(field)) => *field,
            InputRole::Refused(text) => return Err(LowerError::refused(text, place.location)),
            _ => return Err(misplaced("a key of a row")),
        };
        let definition = &api.schema[*id];
        let value = self.operand(input, definition.r#type);
        Ok(Selector { filter: equal(field, value.clone()), name: &definition.name, value })
    }

    /// The conditions of an object of them.
    pub(super) fn conditions_of(
        &self,
        (id, input): (InputId, &Input<'a>),
        place: Place,
    ) -> Result<Vec<Filter>, LowerError> {
        let around = super::super::filter::FilterContext::default();
        let mut filters = Vec::new();
        for (id, input) in self.entries(input, self.api.schema[id].r#type.base)? {
            filters.extend(self.condition(id, &input, around, place.location)?);
        }
        Ok(filters)
    }

    /// The row that a condition finds, if there is one.
    pub(super) fn find_key(&mut self, rows: &'a RelatedRows, filter: Filter) -> Known<'a> {
        let (read, key) = self.key_of(rows.entity, filter, rows.key);
        Known { rows, key, read }
    }

    /// The step that finds all rows that pass a condition, and the list of their keys.
    pub(super) fn find_keys(&mut self, rows: &RelatedRows, filter: Filter) -> (StepId, Operand) {
        let row = self.find_each(rows.entity, filter, &[rows.key]);
        let output = row.outputs.first().map_or(ir::OutputId(0), |(_, output)| *output);
        (row.step, Operand::Results { step: row.step, output })
    }

    /// The row of a key, which must exist.
    pub(super) fn find_row(&mut self, rows: &'a RelatedRows, selected: &Selector<'_>) -> Known<'a> {
        let found = self.find_key(rows, selected.filter.clone());
        self.require_row(&found, missing(rows, selected.name, &selected.value));
        found
    }
}

/// Refuses two values of one field.
fn require_once(data: &RowData<'_>, place: Place) -> Result<(), LowerError> {
    let set = data.stored.iter().map(|(field, _)| *field);
    let all: Vec<FieldId> = set.chain(data.assigned.iter().map(|(field, _)| *field)).collect();
    let is_twice =
        |(index, field): (usize, &FieldId)| all.iter().take(index).any(|own| own == field);
    match all.iter().enumerate().any(is_twice) {
        true => Err(LowerError::refused(SET_TWICE, place.location)),
        false => Ok(()),
    }
}

/// Refuses a new row without a row that it must have.
fn require_verb(
    writes: &RelationWrites,
    place: Place,
    data: &RowData<'_>,
) -> Result<(), LowerError> {
    let is_required = writes.near.is_required && !writes.near.is_list;
    match is_required && !data.verbs.iter().any(|verb| std::ptr::eq(verb.writes, writes)) {
        true => Err(LowerError::refused(&writes.missing, place.location)),
        false => Ok(()),
    }
}
