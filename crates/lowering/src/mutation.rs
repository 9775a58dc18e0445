//! Root fields of mutations: each a write or a call, and the reads of its result.

use catalog::{EntityId, FieldId};
use graphql::CollectedField;
use graphql::operation::OperationKind;
use ir::{
    Assignment, Conflict, Filter, From, Insert, InsertedRows, Isolation, Operand, Otherwise,
    OtherwiseKind, Require, Rows, RowsId, State, Step, StepId, StepKind, Transaction, Update,
    Write, WriteKind,
};
use response::Node;

use super::bulk::{NOTHING_SET, bounded, inserted, stated, updated_all};
use super::row_events::RowEvents;
use super::selection::misplaced;
use super::stored::{Changed, ClientText, Part};
use super::{Context, LowerError, Outputs};
use api::Transactions;
use api::binding::{Change, MutationBinding, NestedChange};

impl<'a> Context<'a> {
    /// The node of a mutation's root field; adds its steps. An error of the field alone makes it
    /// null, and nothing of it is executed.
    pub(super) fn mutation(
        &mut self,
        binding: &'a MutationBinding,
        field: &CollectedField<'a>,
    ) -> Result<Node, LowerError> {
        let before = self.steps.len();
        let events = self.events.as_ref().map(RowEvents::end);
        let lowered = self.changed(binding, field);
        lowered.or_else(|error| {
            self.steps.truncate(before);
            if let (Some(own), Some(end)) = (&mut self.events, events) {
                own.truncate(end);
            }
            match self.api.transactions {
                Transactions::Each => self.failed(error),
                // If one field fails, nothing of the request is executed.
                Transactions::Request => Err(error),
            }
        })
    }

    fn changed(
        &mut self,
        binding: &'a MutationBinding,
        field: &CollectedField<'a>,
    ) -> Result<Node, LowerError> {
        if let Change::CreateNodes(_) | Change::UpdateNodes(_) | Change::DeleteNodes(_) =
            &binding.change
        {
            let write = self.change_nodes(&binding.change, field)?;
            return self.shown(binding, field, None, ResultRows::Changed(write));
        }
        if let Change::AddObjects(_) | Change::UpdateObjects(_) | Change::DeleteObjects(_) =
            &binding.change
        {
            return self.change_objects(binding, field);
        }
        if let Change::Related(change) = binding.change {
            return self.change_related(binding, change, field);
        }
        if let Change::InsertTree(entity) = binding.change {
            return self.insert_tree(binding, entity, field);
        }
        if let Change::UpdateEach(entity) = binding.change {
            return self.update_each(binding, entity, field);
        }
        let mut changed = self.changed_by(field)?;
        changed.require_only(parts(&binding.change))?;
        let client_text = changed.client_mutation_id.take();
        if let Change::Nested(change) = &binding.change {
            let shown = self.nested(binding, change, changed, field.location)?;
            let Some(shown) = shown else { return Ok(nothing()) };
            return self.shown(binding, field, client_text.as_ref(), shown);
        }
        let Some(kind) = self.step_of(binding, changed, field)? else {
            return Ok(nothing());
        };
        let write = self.add_step(kind);
        if let Some(message) = &binding.missing {
            self.require_rows(write, message);
        }
        self.shown(binding, field, client_text.as_ref(), ResultRows::Changed(write))
    }

    /// Ends the transaction with an error if a step returned no row.
    pub(super) fn require_rows(&mut self, step: StepId, message: &str) {
        let of_step = ResultRows::Changed(step);
        let rows = of_step.rows(self.rows_id(), true, Outputs::default());
        let otherwise = Otherwise::new(OtherwiseKind::Missing, message);
        let filter = Filter::all();
        self.add_step(StepKind::Require(Require { rows, filter, exists: true, otherwise }));
    }

    /// The node of a change's result, with the step that reads its rows.
    pub(super) fn shown(
        &mut self,
        binding: &'a MutationBinding,
        field: &CollectedField<'a>,
        client_text: Option<&ClientText>,
        shown: ResultRows,
    ) -> Result<Node, LowerError> {
        let place = self.steps.len();
        let changed_by = match &shown {
            ResultRows::Changed(step) => Some(*step),
            ResultRows::Found(..) => None,
        };
        let payload = self.payload(binding, field, client_text, changed_by)?;
        if let Some((id, outputs)) = payload.counted {
            self.add_step(StepKind::Read(counted(id, outputs)));
        }
        if let Some((id, outputs)) = payload.read {
            let rows = shown.rows(id, payload.single, outputs);
            let step = Step::new(StepId(0), self.root, StepKind::Read(rows));
            // Before the payload's reads beside the row, which nothing refers to by index.
            self.steps.insert(place, step);
            for (place, step) in self.steps.iter_mut().enumerate().skip(place) {
                step.id = step_id(place);
            }
        }
        Ok(payload.node)
    }

    /// The step of the source; `None` where the field is null without an error.
    fn step_of(
        &self,
        binding: &MutationBinding,
        changed: Changed<'_>,
        field: &CollectedField<'_>,
    ) -> Result<Option<StepKind>, LowerError> {
        let write = |entity, kind| {
            StepKind::Write(Write { entity, kind, children: Vec::new(), check: Filter::all() })
        };
        Ok(Some(match binding.change {
            Change::Upsert { entity, ref key, ref kept } => {
                write(entity, upserted(changed.stored, key, kept))
            }
            Change::Create(entity) => {
                let (fields, row) = changed.stored.into_iter().unzip();
                let insert = Insert { fields, rows: InsertedRows::each(vec![row]) };
                write(entity, WriteKind::Insert(insert))
            }
            Change::Update(entity) => {
                let Some(filter) = self.found_by(entity, &changed) else { return Ok(None) };
                if changed.stored.is_empty() {
                    return match &binding.unchanged {
                        Some(message) => Err(LowerError::refused(message, field.location)),
                        None => Ok(None),
                    };
                }
                let assignment = |(field, operand)| (field, Assignment::Set(operand));
                let assignments = changed.stored.into_iter().map(assignment).collect();
                write(entity, WriteKind::Update(Update { filter, assignments, at_most: None }))
            }
            Change::Delete(entity) => {
                let Some(filter) = self.found_by(entity, &changed) else { return Ok(None) };
                write(entity, WriteKind::Delete { filter, at_most: None })
            }
            Change::CreateMany { entity, most } => {
                let insert = inserted(changed.rows, most, field.location)?;
                write(entity, WriteKind::Insert(insert))
            }
            Change::UpdateMany { entity, most } => {
                let (filter, at_most) = bounded(&changed, most, field.location)?;
                if changed.stored.is_empty() {
                    return Err(LowerError::refused(NOTHING_SET, field.location));
                }
                let assignment = |(field, operand)| (field, Assignment::Set(operand));
                let assignments = changed.stored.into_iter().map(assignment).collect();
                let at_most = Some(at_most);
                write(entity, WriteKind::Update(Update { filter, assignments, at_most }))
            }
            Change::DeleteMany { entity, most } => {
                let (filter, at_most) = bounded(&changed, most, field.location)?;
                write(entity, WriteKind::Delete { filter, at_most: Some(at_most) })
            }
            Change::UpdateAll(entity) => {
                let update = updated_all(binding, changed, field.location)?;
                write(entity, WriteKind::Update(update))
            }
            Change::DeleteAll(entity) => {
                let filter = stated(changed.keys);
                write(entity, WriteKind::Delete { filter, at_most: None })
            }
            Change::InsertTree(_) | Change::UpdateEach(_) => {
                return Err(misplaced("several changes"));
            }
            Change::Call(function) => {
                StepKind::Call(self.call(function, None, changed.given, field.location)?)
            }
            Change::Nested(_) => return Err(misplaced("rows with others")),
            Change::CreateNodes(_) | Change::UpdateNodes(_) | Change::DeleteNodes(_) => {
                return Err(misplaced("nodes"));
            }
            Change::AddObjects(_) | Change::UpdateObjects(_) | Change::DeleteObjects(_) => {
                return Err(misplaced("objects"));
            }
            Change::Related(_) => return Err(misplaced("rows with those of their relations")),
        }))
    }

    /// The filter of the changed rows; `None` if the opaque id is not one of the entity.
    pub(super) fn found_by(&self, entity: EntityId, changed: &Changed<'_>) -> Option<Filter> {
        let mut filters = changed.keys.clone();
        if let Some(id) = &changed.node_id {
            let binding = self.api.find_entity(entity)?.node_id.as_ref()?;
            filters.push(id.as_ref()?.filter(binding)?);
        }
        // Without a key all rows would be changed.
        (!filters.is_empty()).then(|| Filter::and(filters))
    }

    pub(super) fn add_step(&mut self, kind: StepKind) -> StepId {
        let id = step_id(self.steps.len());
        let (when, authority) = (self.when.clone(), self.authority);
        self.steps.push(Step { when, authority, ..Step::new(id, self.root, kind) });
        id
    }
}

/// The parts of the inputs that a change reads.
fn parts(change: &Change) -> &'static [Part] {
    use Part::{Arguments, Assigned, AtMost, ClientText, Keys, Nested, NodeId, Rows, Stored};
    match change {
        Change::Create(_) | Change::Upsert { .. } => &[ClientText, Stored],
        Change::Update(_) => &[ClientText, Stored, Keys, NodeId],
        Change::Delete(_) => &[ClientText, Keys, NodeId],
        Change::CreateMany { .. } => &[ClientText, Rows],
        Change::UpdateMany { .. } => &[ClientText, Stored, Keys, AtMost],
        Change::DeleteMany { .. } => &[ClientText, Keys, AtMost],
        Change::UpdateAll(_) => &[Assigned, Keys],
        Change::DeleteAll(_) => &[Keys],
        Change::Call(_) => &[ClientText, Arguments],
        Change::Nested(NestedChange { is_new: true, .. }) => &[ClientText, Stored, Nested],
        Change::Nested(NestedChange { is_new: false, .. }) => {
            &[ClientText, Stored, Nested, Keys, NodeId]
        }
        Change::InsertTree(_)
        | Change::UpdateEach(_)
        | Change::CreateNodes(_)
        | Change::UpdateNodes(_)
        | Change::DeleteNodes(_)
        | Change::AddObjects(_)
        | Change::UpdateObjects(_)
        | Change::DeleteObjects(_)
        | Change::Related(_) => &[],
    }
}

/// Upsert: a row that is inserted, or updates the row with the same key.
fn upserted(stored: Vec<(FieldId, Operand)>, key: &[FieldId], kept: &[FieldId]) -> WriteKind {
    let (fields, row): (Vec<FieldId>, Vec<Operand>) = stored.into_iter().unzip();
    let is_set = |field: &FieldId| !key.contains(field) && !kept.contains(field);
    let others = fields.iter().copied().filter(is_set);
    let inserted = |field| (field, Assignment::Inserted);
    let mut assignments: Vec<_> = others.map(inserted).collect();
    if assignments.is_empty() {
        // A row that is not updated would not be returned.
        assignments = key.iter().copied().map(inserted).collect();
    }
    let conflict = Conflict { key: key.to_vec(), assignments, filter: Filter::all() };
    let insert = Insert { fields, rows: InsertedRows::each(vec![row]) };
    WriteKind::Upsert { insert, conflict }
}

/// The rows of a change's result.
#[derive(Debug)]
pub(super) enum ResultRows {
    /// The rows that a step touched.
    Changed(StepId),
    /// The rows that the filter finds at the end.
    Found(EntityId, Filter),
}

impl ResultRows {
    pub(super) fn rows(self, id: RowsId, single: bool, outputs: Outputs) -> Rows {
        let (from, filter) = match self {
            Self::Changed(step) => (From::Returned { step, state: State::After }, Filter::all()),
            Self::Found(entity, filter) => (From::Entity(entity), filter),
        };
        Rows { single, ..Rows::unordered(id, from, filter, outputs.into_list()) }
    }
}

/// The counters of a change: one row.
fn counted(id: RowsId, outputs: Outputs) -> Rows {
    Rows { single: true, ..Rows::unordered(id, From::Once, Filter::all(), outputs.into_list()) }
}

/// The node of a field that executes nothing.
fn nothing() -> Node {
    Node::Literal(b"null".as_slice().into())
}

fn step_id(place: usize) -> StepId {
    StepId(u32::try_from(place).unwrap_or(u32::MAX))
}

/// Groups the steps of an operation into transactions.
pub(super) fn transactions(
    kind: OperationKind,
    together: Transactions,
    steps: Vec<Step>,
) -> Vec<Transaction> {
    let isolation = match kind {
        OperationKind::Query | OperationKind::Subscription => Isolation::Snapshot,
        OperationKind::Mutation => Isolation::ReadCommitted,
    };
    if isolation == Isolation::Snapshot || together == Transactions::Request {
        return vec![Transaction { isolation, steps }];
    }
    let mut transactions: Vec<Transaction> = Vec::new();
    for step in steps {
        match transactions.last_mut() {
            Some(last) if last.steps.last().is_some_and(|before| before.root == step.root) => {
                last.steps.push(step);
            }
            Some(_) | None => transactions.push(Transaction { isolation, steps: vec![step] }),
        }
    }
    transactions
}
