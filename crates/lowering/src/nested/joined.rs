//! Connecting an existing row with others by join rows.

use catalog::{EntityId, FieldId};
use graphql::schema::InputId;
use ir::{Conflict, Filter, Operand, WriteKind};

use super::super::input::Input;
use super::super::selection::misplaced;
use super::super::{Context, LowerError};
use super::backward::none_of;
use super::row::{ConnectedRows, missing};
use super::{NestedReference, NestedVerb, Nesting, Row, steps};

/// The join rows between a row and others.
struct Joining<'r> {
    entity: EntityId,
    key: &'r [FieldId],
    /// The values of their reference to the row.
    own: Vec<(FieldId, Operand)>,
    /// The filter of existing ones.
    there: Filter,
    /// The field of theirs that refers to the other row, and that row's.
    far: &'r [(FieldId, FieldId)],
}

impl Joining<'_> {
    fn of(&self, other: &Row) -> Result<Vec<(FieldId, Operand)>, LowerError> {
        let mut row = self.own.clone();
        for (field, of_other) in self.far {
            row.push((*field, other.value(*of_other)?));
        }
        row.sort_by_key(|(field, _)| *field);
        Ok(row)
    }

    /// The filter of those that refer to the other row.
    fn refers(&self, other: &Row) -> Result<Filter, LowerError> {
        other.equal(self.far.iter().map(|(field, of_other)| (*of_other, *field)))
    }
}

impl<'a> Context<'a> {
    pub(super) fn join(
        &mut self,
        row: &Row,
        is_new: bool,
        along: &ConnectedRows<'a>,
        (verb, id, rows): (NestedVerb, InputId, &[Input<'a>]),
        nesting: &mut Nesting,
    ) -> Result<(), LowerError> {
        let NestedReference::Joined { joining, key, near, far } = &along.binding.reference else {
            return Err(misplaced("rows that are not joined"));
        };
        let joining = Joining {
            entity: *joining,
            key,
            own: row.values(near)?,
            there: row.equal(near.iter().copied())?,
            far,
        };
        let wanted: Vec<FieldId> = far.iter().map(|(_, of_other)| *of_other).collect();
        let mut others = Vec::with_capacity(rows.len());
        for one in rows {
            others.push(match verb {
                NestedVerb::Create => self.make(along, (id, one), &[], &wanted, nesting)?,
                NestedVerb::Connect | NestedVerb::Disconnect | NestedVerb::Set => {
                    self.found(along, (id, one), &wanted, nesting)?
                }
            });
        }
        match verb {
            NestedVerb::Create => self.add_joining(&joining, &others, true),
            NestedVerb::Connect => self.add_joining(&joining, &others, is_new),
            NestedVerb::Disconnect => {
                for other in &others {
                    let filter = Filter::and(vec![joining.there.clone(), joining.refers(other)?]);
                    let step = self.delete(joining.entity, filter, None);
                    self.require_rows(step, &missing(along, "disconnected"));
                }
                Ok(())
            }
            NestedVerb::Set => {
                let kept = others.iter().map(|other| joining.refers(other));
                let kept = kept.collect::<Result<_, LowerError>>()?;
                let filter = Filter::and(vec![joining.there.clone(), none_of(kept)]);
                self.delete(joining.entity, filter, Some(nesting.most));
                self.add_joining(&joining, &others, is_new)
            }
        }
    }

    /// Joins a row with others; with those that may be joined already, only if they are not.
    fn add_joining(
        &mut self,
        joining: &Joining<'_>,
        others: &[Row],
        is_new: bool,
    ) -> Result<(), LowerError> {
        if others.is_empty() {
            return Ok(());
        }
        let rows = others.iter().map(|other| joining.of(other));
        let insert = steps::inserted(rows.collect::<Result<_, LowerError>>()?);
        let kind = match is_new {
            true => WriteKind::Insert(insert),
            false => {
                let key = joining.key.to_vec();
                let conflict = Conflict { key, assignments: Vec::new(), filter: Filter::all() };
                WriteKind::Upsert { insert, conflict }
            }
        };
        self.add_write(joining.entity, kind);
        Ok(())
    }
}
