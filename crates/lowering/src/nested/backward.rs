//! Connecting an existing row with rows that refer to it.

use catalog::FieldId;
use graphql::schema::InputId;
use ir::{Filter, Operand};

use super::super::input::Input;
use super::super::selection::misplaced;
use super::super::{Context, LowerError};
use super::row::{ConnectedRows, missing};
use super::{NestedReference, NestedVerb, Nesting, Row, steps};

/// The fields by which other rows refer to a row.
pub(super) struct Reference<'r> {
    /// The field of the row, and that of the others.
    fields: &'r [(FieldId, FieldId)],
    /// Those of the others that are set to null to disconnect them.
    cleared: &'r [FieldId],
}

impl<'a> Context<'a> {
    /// Connects a row with all given rows. A new one has no connections yet.
    pub(super) fn connect(
        &mut self,
        row: &Row,
        is_new: bool,
        later: &[ConnectedRows<'a>],
        nesting: &mut Nesting,
    ) -> Result<(), LowerError> {
        for along in later {
            for (verb, id, input) in &along.done {
                let rows = match (*verb, along.binding.is_single) {
                    (NestedVerb::Disconnect, true) if !self.is_true(input) => continue,
                    (_, true) => vec![input.clone()],
                    (_, false) => self.items(input)?,
                };
                let said = (*verb, *id, &rows[..]);
                match &along.binding.reference {
                    NestedReference::Forward { .. } => return Err(misplaced("a row referred to")),
                    NestedReference::Backward { fields, cleared } => {
                        let reference = Reference { fields, cleared };
                        self.backward(row, along, &reference, said, nesting)?;
                    }
                    NestedReference::Joined { .. } => {
                        self.join(row, is_new, along, said, nesting)?
                    }
                }
            }
        }
        Ok(())
    }

    fn backward(
        &mut self,
        row: &Row,
        along: &ConnectedRows<'a>,
        reference: &Reference<'_>,
        (verb, id, rows): (NestedVerb, InputId, &[Input<'a>]),
        nesting: &mut Nesting,
    ) -> Result<(), LowerError> {
        let Reference { fields, cleared } = *reference;
        let entity = along.binding.entity;
        let (refers, values) = (row.equal(fields.iter().copied())?, row.values(fields)?);
        match verb {
            NestedVerb::Create => self.make_all(along, (id, rows), &values, nesting),
            NestedVerb::Connect => {
                for one in rows {
                    let filter = self.meant(along, (id, one), nesting)?;
                    self.refer(along, filter, &values);
                }
                Ok(())
            }
            NestedVerb::Disconnect if along.binding.is_single => {
                let step = self.set_all(entity, refers, steps::nulls(cleared), None);
                self.require_rows(step, &missing(along, "disconnected"));
                Ok(())
            }
            NestedVerb::Disconnect => {
                for one in rows {
                    let filter = self.meant(along, (id, one), nesting)?;
                    let filter = Filter::and(vec![filter, refers.clone()]);
                    let step = self.set_all(entity, filter, steps::nulls(cleared), None);
                    self.require_rows(step, &missing(along, "disconnected"));
                }
                Ok(())
            }
            NestedVerb::Set => {
                let kept = rows.iter().map(|one| self.meant(along, (id, one), nesting));
                let kept: Vec<Filter> = kept.collect::<Result<_, LowerError>>()?;
                let others = Filter::and(vec![refers, none_of(kept.clone())]);
                self.set_all(entity, others, steps::nulls(cleared), Some(nesting.most));
                for filter in kept {
                    self.refer(along, filter, &values);
                }
                Ok(())
            }
        }
    }

    /// Makes a row at the other end refer to the row with the values.
    fn refer(&mut self, along: &ConnectedRows<'a>, filter: Filter, values: &[(FieldId, Operand)]) {
        let step = self.set_all(along.binding.entity, filter, values.to_vec(), None);
        self.require_rows(step, &missing(along, "connected"));
    }
}

/// The rows that none of the conditions finds: those for which one is unknown, too.
pub(super) fn none_of(filters: Vec<Filter>) -> Filter {
    match filters.is_empty() {
        true => Filter::all(),
        false => Filter::Except(Box::new(Filter::Or(filters))),
    }
}
