//! Nested writes of rows.
//!
//! Each becomes a sequence of steps in one transaction: first the rows that the row refers to, then
//! the row itself, with their keys, then those that refer to it, with its own. A key is the result
//! of the step that returned it, so that a step depends only on the rows before it.
//!
//! * [`row`](self::row): new rows, and their inputs
//! * [`backward`], [`joined`]: connecting an existing row with others
//! * [`steps`]: single steps

mod backward;
mod joined;
mod row;
pub(super) mod steps;

use catalog::FieldId;
use graphql::operation::Location;
use ir::{Assignment, Filter, Operand, OutputId, StepId, Update, WriteKind};

use super::mutation::ResultRows;
use super::selection::misplaced;
use super::stored::Changed;
use super::{Context, LowerError};
use api::binding::{MutationBinding, NestedBinding, NestedChange, NestedReference, NestedVerb};

/// Limit of nested levels of rows.
const DEPTH: usize = 10;

/// Limits of the rows in a field.
#[derive(Debug)]
struct Nesting {
    most: u32,
    left: u32,
    /// The depth of the current rows.
    depth: usize,
    location: Location,
}

/// A row whose fields later steps refer to.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The step that returns them.
    pub(super) step: StepId,
    pub(super) outputs: Vec<(FieldId, OutputId)>,
}

impl Nesting {
    fn refused(&self, message: &str) -> LowerError {
        LowerError::refused(message, self.location)
    }

    /// Counts rows against the limit.
    fn spend(&mut self, rows: usize) -> Result<(), LowerError> {
        let left = u32::try_from(rows).ok().and_then(|rows| self.left.checked_sub(rows));
        let most = self.most;
        self.left = left.ok_or_else(|| {
            let message =
                format!("At most {most} rows can be made or connected at once (--max-bulk-rows).");
            self.refused(&message)
        })?;
        Ok(())
    }

    /// Enters a row.
    fn enter(&mut self) -> Result<(), LowerError> {
        self.depth += 1;
        match self.depth > DEPTH {
            true => {
                let message = format!("Rows can be nested {DEPTH} levels deep at most.");
                Err(self.refused(&message))
            }
            false => Ok(()),
        }
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }
}

impl Row {
    /// The value of one of its fields.
    fn value(&self, field: FieldId) -> Result<Operand, LowerError> {
        let found = self.outputs.iter().find(|(own, _)| *own == field);
        let (_, output) = found.ok_or_else(|| misplaced("a field of a row"))?;
        Ok(Operand::Result { step: self.step, output: *output })
    }

    /// The filter that fields of other rows equal those of this one, in pairs.
    fn equal(
        &self,
        fields: impl IntoIterator<Item = (FieldId, FieldId)>,
    ) -> Result<Filter, LowerError> {
        let equal = |(own, other)| Ok(steps::equal(other, self.value(own)?));
        Ok(Filter::and(fields.into_iter().map(equal).collect::<Result<_, LowerError>>()?))
    }

    /// The values of other rows' fields from those of this one, in pairs.
    fn values(&self, fields: &[(FieldId, FieldId)]) -> Result<Vec<(FieldId, Operand)>, LowerError> {
        fields.iter().map(|(own, other)| Ok((*other, self.value(*own)?))).collect()
    }
}

impl<'a> Context<'a> {
    /// Adds the steps of a change; `None` where nothing is selected, or no row can match.
    pub(super) fn nested(
        &mut self,
        binding: &MutationBinding,
        change: &NestedChange,
        changed: Changed<'a>,
        location: Location,
    ) -> Result<Option<ResultRows>, LowerError> {
        let NestedChange { entity, ref key, is_new, most } = *change;
        let mut nesting = Nesting { most, left: most, depth: 0, location };
        nesting.spend(1)?;
        let filter = match is_new {
            true => None,
            false => match self.found_by(entity, &changed) {
                Some(filter) => Some(filter),
                None => return Ok(None),
            },
        };
        let said = self.said_ahead(changed, &[], &mut nesting)?;
        let wanted = match said.later.is_empty() {
            true => Vec::new(),
            false => said.wanted(key),
        };
        let missing = binding.missing.as_deref();
        let (step, row) = match filter {
            None => {
                let step = self.insert(entity, vec![said.stored]);
                (step, self.result(step, &wanted))
            }
            Some(_) if said.stored.is_empty() && said.later.is_empty() => return Ok(None),
            Some(filter) if said.stored.is_empty() => {
                let row = self.find(entity, filter, &wanted);
                self.require_rows(row.step, missing.unwrap_or_default());
                (row.step, row)
            }
            Some(filter) => {
                let set = |(field, operand)| (field, Assignment::Set(operand));
                let assignments = said.stored.into_iter().map(set).collect();
                let update = Update { filter, assignments, at_most: None };
                let step = self.add_write(entity, WriteKind::Update(update));
                self.require_rows(step, missing.unwrap_or_default());
                (step, self.result(step, &wanted))
            }
        };
        if said.later.is_empty() {
            return Ok(Some(ResultRows::Changed(step)));
        }
        self.connect(&row, is_new, &said.later, &mut nesting)?;
        // Later steps may have changed the row.
        let filter = row.equal(key.iter().map(|field| (*field, *field)))?;
        Ok(Some(ResultRows::Found(entity, filter)))
    }
}
