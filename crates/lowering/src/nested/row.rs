//! New rows, and their inputs.

use catalog::{EntityId, FieldId};
use graphql::schema::InputId;
use ir::{Filter, Operand, ValueRef};

use super::super::input::{Input, Presence};
use super::super::selection::misplaced;
use super::super::stored::{Changed, Part};
use super::super::{Context, LowerError};
use super::{NestedBinding, NestedReference, NestedVerb, Nesting, Row, steps};
use api::Api;
use api::binding::{InputRole, WriteRole};

/// Limit of rows inserted by one statement, so that it has not too many parameters.
const TOGETHER: usize = 100;

/// The inputs of a row, once the rows exist that it refers to.
pub(super) struct RowInput<'a> {
    /// Its values, in the order of the fields.
    pub(super) stored: Vec<(FieldId, Operand)>,
    /// Steps after it exists.
    pub(super) later: Vec<ConnectedRows<'a>>,
}

/// Nested writes along one relationship of a row.
pub(super) struct ConnectedRows<'a> {
    /// The relationship's name in the API.
    pub(super) name: &'a str,
    pub(super) binding: &'a NestedBinding,
    /// In order of execution.
    pub(super) done: Vec<(NestedVerb, InputId, Input<'a>)>,
}

impl RowInput<'_> {
    /// The fields that later steps refer to, and others.
    pub(super) fn wanted(&self, others: &[FieldId]) -> Vec<FieldId> {
        let mut wanted = others.to_vec();
        for along in &self.later {
            let own: &[(FieldId, FieldId)] = match &along.binding.reference {
                NestedReference::Forward { .. } => &[],
                NestedReference::Backward { fields, .. } => fields,
                NestedReference::Joined { near, .. } => near,
            };
            wanted.extend(own.iter().map(|(own, _)| *own));
        }
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }
}

impl<'a> Context<'a> {
    /// Inserts and finds the rows that a row refers to, and collects its inputs. Its values in
    /// `given` come from the outer row.
    pub(super) fn said_ahead(
        &mut self,
        changed: Changed<'a>,
        given: &[(FieldId, Operand)],
        nesting: &mut Nesting,
    ) -> Result<RowInput<'a>, LowerError> {
        let Changed { mut stored, nested, .. } = changed;
        let mut later = Vec::new();
        for (field, operand) in given {
            if stored.iter().any(|(own, _)| own == field) {
                return Err(nesting.refused(
                    "A row that is made within another cannot say itself what connects the two.",
                ));
            }
            stored.push((*field, operand.clone()));
        }
        for (id, input) in nested {
            let Some(along) = self.along(id, &input, nesting)? else { continue };
            match &along.binding.reference {
                NestedReference::Forward { fields, cleared } => {
                    for value in self.forward(&along, fields, cleared, nesting)? {
                        if stored.iter().any(|(own, _)| *own == value.0) {
                            let name = along.name;
                            let message =
                                format!("{name} sets a column that something else sets, too.");
                            return Err(nesting.refused(&message));
                        }
                        stored.push(value);
                    }
                }
                NestedReference::Backward { .. } | NestedReference::Joined { .. } => {
                    later.push(along)
                }
            }
        }
        // The order of fields in a request is irrelevant.
        stored.sort_by_key(|(field, _)| *field);
        Ok(RowInput { stored, later })
    }

    /// The inputs of a relationship; null has none.
    fn along(
        &self,
        id: InputId,
        input: &Input<'a>,
        nesting: &Nesting,
    ) -> Result<Option<ConnectedRows<'a>>, LowerError> {
        if self.presence(input) != Presence::Present {
            return Ok(None);
        }
        let api: &'a Api = self.api;
        let InputRole::Write(WriteRole::Nested(binding)) = &api.input(id).role else {
            return Err(misplaced("a relationship of a change"));
        };
        let mut done = Vec::new();
        let object = api.schema[id].r#type.base;
        for (id, input) in self.members_given(input, object, nesting.location)? {
            let InputRole::Write(WriteRole::NestedIn(verb)) = api.input(id).role else {
                return Err(misplaced("what is done along a relationship"));
            };
            if self.presence(&input) == Presence::Present {
                done.push((verb, id, input));
            }
        }
        done.sort_by_key(|(verb, _, _)| *verb);
        Ok(Some(ConnectedRows { name: &api.schema[id].name, binding, done }))
    }

    /// The values of a row from the one that it refers to.
    fn forward(
        &mut self,
        along: &ConnectedRows<'a>,
        fields: &[(FieldId, FieldId)],
        cleared: &[FieldId],
        nesting: &mut Nesting,
    ) -> Result<Vec<(FieldId, Operand)>, LowerError> {
        let wanted: Vec<FieldId> = fields.iter().map(|(_, other)| *other).collect();
        let row = match &along.done[..] {
            [] => return Ok(Vec::new()),
            [(NestedVerb::Create, id, input)] => {
                self.make(along, (*id, input), &[], &wanted, nesting)?
            }
            [(NestedVerb::Connect, id, input)] => {
                self.found(along, (*id, input), &wanted, nesting)?
            }
            [(NestedVerb::Disconnect, _, input)] => {
                return Ok(if self.is_true(input) { steps::nulls(cleared) } else { Vec::new() });
            }
            _ => {
                let message = format!("{} can be given one of its fields only.", along.name);
                return Err(nesting.refused(&message));
            }
        };
        fields.iter().map(|(own, other)| Ok((*own, row.value(*other)?))).collect()
    }

    /// Inserts a row at the other end, with all of its connections.
    pub(super) fn make(
        &mut self,
        along: &ConnectedRows<'a>,
        (id, input): (InputId, &Input<'a>),
        given: &[(FieldId, Operand)],
        wanted: &[FieldId],
        nesting: &mut Nesting,
    ) -> Result<Row, LowerError> {
        nesting.spend(1)?;
        nesting.enter()?;
        let object = self.api.schema[id].r#type.base;
        let changed = self.said_by(input, object, nesting.location)?;
        changed.require_only(&[Part::Stored, Part::Nested])?;
        let said = self.said_ahead(changed, given, nesting)?;
        let row = self.add_row(along.binding.entity, said, wanted, nesting)?;
        nesting.leave();
        Ok(row)
    }

    fn add_row(
        &mut self,
        entity: EntityId,
        said: RowInput<'a>,
        wanted: &[FieldId],
        nesting: &mut Nesting,
    ) -> Result<Row, LowerError> {
        let wanted = said.wanted(wanted);
        let step = self.insert(entity, vec![said.stored]);
        let row = self.result(step, &wanted);
        self.connect(&row, true, &said.later, nesting)?;
        Ok(row)
    }

    /// Inserts rows at the other end that nothing refers to. Adjacent ones that set the same
    /// fields, and have no connections in turn, are inserted by one step.
    pub(super) fn make_all(
        &mut self,
        along: &ConnectedRows<'a>,
        (id, rows): (InputId, &[Input<'a>]),
        given: &[(FieldId, Operand)],
        nesting: &mut Nesting,
    ) -> Result<(), LowerError> {
        nesting.spend(rows.len())?;
        nesting.enter()?;
        let entity = along.binding.entity;
        let object = self.api.schema[id].r#type.base;
        let mut alike: Vec<Vec<(FieldId, Operand)>> = Vec::new();
        for row in rows {
            let changed = self.said_by(row, object, nesting.location)?;
            changed.require_only(&[Part::Stored, Part::Nested])?;
            if !changed.nested.is_empty() {
                // It may be connected with an earlier one.
                self.insert_alike(entity, &mut alike);
            }
            let said = self.said_ahead(changed, given, nesting)?;
            if !said.later.is_empty() {
                self.add_row(entity, said, &[], nesting)?;
                continue;
            }
            let differs = |first: &Vec<_>| !says_the_same(first, &said.stored);
            if alike.len() >= TOGETHER || alike.first().is_some_and(differs) {
                self.insert_alike(entity, &mut alike);
            }
            alike.push(said.stored);
        }
        self.insert_alike(entity, &mut alike);
        nesting.leave();
        Ok(())
    }

    fn insert_alike(&mut self, entity: EntityId, alike: &mut Vec<Vec<(FieldId, Operand)>>) {
        if !alike.is_empty() {
            self.insert(entity, std::mem::take(alike));
        }
    }

    /// An existing row at the other end.
    pub(super) fn found(
        &mut self,
        along: &ConnectedRows<'a>,
        (id, input): (InputId, &Input<'a>),
        wanted: &[FieldId],
        nesting: &mut Nesting,
    ) -> Result<Row, LowerError> {
        let filter = self.meant(along, (id, input), nesting)?;
        let row = self.find(along.binding.entity, filter, wanted);
        self.require_rows(row.step, &missing(along, "connected"));
        Ok(row)
    }

    /// The filter of the row at the other end.
    pub(super) fn meant(
        &self,
        along: &ConnectedRows<'a>,
        (id, input): (InputId, &Input<'a>),
        nesting: &mut Nesting,
    ) -> Result<Filter, LowerError> {
        nesting.spend(1)?;
        let NestedBinding { entity, keys, .. } = along.binding;
        let object = self.api.schema[id].r#type.base;
        let changed = self.said_by(input, object, nesting.location)?;
        changed.require_only(&[Part::Keys, Part::NodeId])?;
        let said: Vec<FieldId> = changed.keys.iter().filter_map(field_of).collect();
        let is_key = |key: &[FieldId]| {
            key.len() == said.len() && key.iter().all(|field| said.contains(field))
        };
        let is_clear = match changed.node_id {
            Some(_) => said.is_empty(),
            None => keys.iter().any(|key| is_key(key)),
        };
        let name = along.name;
        if !is_clear {
            let has_id = self.api.find_entity(*entity).is_some_and(|one| one.node_id.is_some());
            let by_id = if has_id { "its global id, or by " } else { "" };
            let message =
                format!("{name}: a row is said by {by_id}all columns of one of its keys.");
            return Err(nesting.refused(&message));
        }
        self.found_by(*entity, &changed).ok_or_else(|| {
            let message = format!("{name}: the global id is none of a row that could be meant.");
            nesting.refused(&message)
        })
    }
}

/// The error of a missing row.
pub(super) fn missing(along: &ConnectedRows<'_>, done: &str) -> String {
    format!("{}: there is no such row to be {done}.", along.name)
}

fn says_the_same(one: &[(FieldId, Operand)], other: &[(FieldId, Operand)]) -> bool {
    one.iter().map(|(field, _)| field).eq(other.iter().map(|(field, _)| field))
}

/// The field of the row in a condition.
fn field_of(filter: &Filter) -> Option<FieldId> {
    match filter {
        Filter::Compare { place: ValueRef::Field { path, field }, .. } if path.is_empty() => {
            Some(*field)
        }
        _ => None,
    }
}
