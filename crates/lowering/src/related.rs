//! Changes of rows with those of their relations, at any depth.
//!
//! A change is a sequence of steps in one transaction. Each row is found or inserted by a step that
//! reads its key, to which later steps refer. What a relation requires is a step that ends the
//! transaction with an error. An upsert has the steps of both of its branches, each with the condition
//! under which it runs.
//!
//! * [`data`]: the inputs of a row, and the keys of rows
//! * [`row`](self::row): rows that are inserted and updated
//! * [`verbs`]: changes along a relation
//! * [`link`]: relating rows, and requirements of relations
//! * [`events`]: events of changed rows
//! * [`delete`]: deleted rows, with those that are deleted because of them

mod data;
mod delete;
mod events;
mod link;
mod row;
mod verbs;

use catalog::{EntityId, FieldId};
use graphql::CollectedField;
use graphql::operation::Location;
use ir::{
    Authority, Comparison, Filter, Operand, Otherwise, OtherwiseKind, StepCondition, StepId,
    ValueRef,
};
use response::Node;

use super::mutation::ResultRows;
use super::nested::steps::equal;
use super::selection::misplaced;
use super::{Context, LowerError};
use api::Api;
use api::binding::{
    FilterRole, InputRole, MutationBinding, RelatedChange, RelatedChangeKind, RelatedRole,
    RelatedRows, RelatedRowsId, WriteRole,
};
use data::{DataOf, RowInputs};

/// Limit of nested changes.
const DEPTH: usize = 20;

/// A row whose key is known when its step has run.
#[derive(Clone, Debug)]
struct Known<'a> {
    rows: &'a RelatedRows,
    key: Operand,
    /// The step that reads the key.
    read: StepId,
}

/// The place of a change in a request.
#[derive(Clone, Copy, Debug)]
struct Place {
    location: Location,
    depth: usize,
}

impl Place {
    fn below(self) -> Result<Self, LowerError> {
        let depth = self.depth + 1;
        match depth > DEPTH {
            true => {
                let message = format!("Changes can be nested {DEPTH} levels deep at most.");
                Err(LowerError::refused(&message, self.location))
            }
            false => Ok(Self { depth, ..self }),
        }
    }
}

impl Known<'_> {
    /// The condition that a row is this one.
    fn is_it(&self) -> Filter {
        equal(self.rows.key, self.key.clone())
    }
}

fn among(field: FieldId, operand: Operand) -> Filter {
    Filter::Compare { place: ValueRef::field(field), comparison: Comparison::In, operand }
}

/// The error of a row that does not exist, with the value of its key.
fn missing(rows: &RelatedRows, name: &str, key: &Operand) -> Otherwise {
    let message = format!(
        "No Node for the model {} with value {} for {name} found.",
        rows.name,
        Otherwise::GAP
    );
    Otherwise { gaps: vec![key.clone()], ..Otherwise::new(OtherwiseKind::Missing, message) }
}

/// True if a change reads an argument of this role.
fn is_read(kind: RelatedChangeKind, role: &RelatedRole) -> bool {
    use RelatedChangeKind as Kind;
    match role {
        RelatedRole::Where => matches!(kind, Kind::Update | Kind::Upsert | Kind::Delete),
        RelatedRole::Data => {
            matches!(kind, Kind::Create | Kind::CreateMany | Kind::Update | Kind::UpdateMany)
        }
        RelatedRole::Update | RelatedRole::Create => kind == Kind::Upsert,
        RelatedRole::Elements(_)
        | RelatedRole::Limited(_)
        | RelatedRole::SetElements
        | RelatedRole::Reference(_)
        | RelatedRole::Relation(_)
        | RelatedRole::Verb(_) => false,
    }
}

/// True for changes of all rows that pass conditions.
fn is_of_many(kind: RelatedChangeKind) -> bool {
    match kind {
        RelatedChangeKind::UpdateMany | RelatedChangeKind::DeleteMany => true,
        RelatedChangeKind::Create
        | RelatedChangeKind::CreateMany
        | RelatedChangeKind::Update
        | RelatedChangeKind::Upsert
        | RelatedChangeKind::Delete => false,
    }
}

impl<'a> Context<'a> {
    /// Adds the steps of a change.
    pub(super) fn change_related(
        &mut self,
        binding: &'a MutationBinding,
        change: RelatedChange,
        field: &CollectedField<'a>,
    ) -> Result<Node, LowerError> {
        let rows = self.rows_with_relations(change.rows)?;
        let place = Place { location: field.location, depth: 0 };
        let mut inputs = RowInputs::default();
        let api: &'a Api = self.api;
        for (id, value) in field.arguments {
            let input = super::input::Input::new(value);
            match &api.input(*id).role {
                InputRole::Write(WriteRole::Related(role)) if is_read(change.kind, role) => {
                    inputs.set(role, (*id, input))?;
                }
                InputRole::Filter(FilterRole::Conditions) if is_of_many(change.kind) => {
                    let around = super::filter::FilterContext::default();
                    inputs.conditions.extend(self.condition(
                        *id,
                        &input,
                        around,
                        place.location,
                    )?);
                }
                InputRole::Refused(text) => return Err(LowerError::refused(text, place.location)),
                _ => return Err(misplaced("an input of a change")),
            }
        }
        let shown = match change.kind {
            RelatedChangeKind::Create => {
                let data = match inputs.data {
                    Some(data) => self.row_data(data, DataOf::New, place)?,
                    // A type whose rows have no values of their clients.
                    None => data::RowData::default(),
                };
                self.create_row(rows, data, place)?
            }
            RelatedChangeKind::CreateMany => {
                ResultRows::Changed(self.create_rows(rows, inputs.data()?, place)?)
            }
            RelatedChangeKind::Update => {
                let data = self.row_data(inputs.data()?, DataOf::Existing, place)?;
                let selected = self.selector(rows, inputs.key()?, place)?;
                self.change_row(rows, &selected, data, place)?
            }
            RelatedChangeKind::Upsert => {
                let selected = self.selector(rows, inputs.key()?, place)?;
                let [update, create] = [inputs.update()?, inputs.create()?];
                let found = self.find_key(rows, selected.filter);
                let data = self.row_data(update, DataOf::Existing, place)?;
                self.only_if(&found, true, |context| context.update_row(&found, data, place))?;
                let data = self.row_data(create, DataOf::New, place)?;
                let made = self.only_if(&found, false, |context| {
                    context.insert_row(rows, data, Vec::new(), place)
                })?;
                let either = [found.read_keys(), made.read_keys()];
                let either = either.map(|keys| among(rows.key, keys));
                ResultRows::Found(rows.entity, Filter::Or(either.into()))
            }
            RelatedChangeKind::Delete => {
                let selected = self.selector(rows, inputs.key()?, place)?;
                let found = self.find_row(rows, &selected);
                self.add_deleted(rows, found.is_it())?;
                // The row as it was, before it and others are deleted.
                let shown = ResultRows::Found(rows.entity, found.is_it());
                let node = self.shown(binding, field, None, shown)?;
                self.delete_rows(rows, &found.key_is(), None, place)?;
                return Ok(node);
            }
            RelatedChangeKind::UpdateMany => {
                let data = self.row_data(inputs.data()?, DataOf::All, place)?;
                let filter = Filter::and(inputs.conditions);
                let step = self.update_all(rows, filter, data);
                ResultRows::Changed(step)
            }
            RelatedChangeKind::DeleteMany => {
                let filter = Filter::and(inputs.conditions);
                let step = self.delete_all(rows, filter, place)?;
                ResultRows::Changed(step)
            }
        };
        self.shown(binding, field, None, shown)
    }

    pub(super) fn rows_with_relations(
        &self,
        id: RelatedRowsId,
    ) -> Result<&'a RelatedRows, LowerError> {
        let api: &'a Api = self.api;
        api.related_rows(id).ok_or_else(|| misplaced("rows of a change"))
    }

    /// Adds steps that run only if a row was found, or was not.
    fn only_if<T>(
        &mut self,
        found: &Known<'_>,
        exists: bool,
        add: impl FnOnce(&mut Self) -> Result<T, LowerError>,
    ) -> Result<T, LowerError> {
        self.when.push(StepCondition { step: found.read, exists });
        let added = add(self);
        self.when.pop();
        added
    }

    /// Adds steps by other permissions.
    fn by<T>(&mut self, authority: Authority, add: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.authority, authority);
        let added = add(self);
        self.authority = before;
        added
    }

    /// The entity, and the fields that a change of one row returns.
    fn key_of(&mut self, entity: EntityId, filter: Filter, key: FieldId) -> (StepId, Operand) {
        let row = self.find(entity, filter, &[key]);
        let output = row.outputs.first().map_or(ir::OutputId(0), |(_, output)| *output);
        (row.step, Operand::Result { step: row.step, output })
    }
}
