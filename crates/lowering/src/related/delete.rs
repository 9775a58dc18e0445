//! Deleted rows, with those that are deleted because of them.

use ir::{Authority, Filter, Operand, Otherwise, OtherwiseKind, StepId, WriteKind};

use super::super::bulk::stated;
use super::super::{Context, LowerError};
use super::link::related;
use super::{Known, Place, among, equal};
use api::binding::{RelatedRows, RelationPlace};

/// Limit of cascades along one relation of a type with itself.
const CASCADES: usize = 8;

/// Deleted rows: a condition on the rows, and the keys by which lists of their values are found.
#[derive(Clone, Debug)]
pub(super) struct Deleted {
    pub(super) filter: Filter,
    keys: DeletedKeys,
}

#[derive(Clone, Debug)]
enum DeletedKeys {
    One(Operand),
    Several(Operand),
}

/// The relations that have led to the deleted rows, from the first to the last.
type Cascades<'c> = Option<&'c [RelationPlace]>;

impl Known<'_> {
    /// The row as one to delete.
    pub(super) fn key_is(&self) -> Deleted {
        Deleted { filter: self.is_it(), keys: DeletedKeys::One(self.key.clone()) }
    }
}

impl<'a> Context<'a> {
    /// Deletes all rows that pass a condition; the step has their number.
    pub(super) fn delete_all(
        &mut self,
        rows: &'a RelatedRows,
        filter: Filter,
        place: Place,
    ) -> Result<StepId, LowerError> {
        if rows.requirements.is_empty() && rows.cascades.is_empty() && rows.elements.is_empty() {
            return Ok(self.delete(rows.entity, stated(vec![filter]), None));
        }
        let found = self.find_all(rows, filter);
        self.delete_found(rows, &found, None, place)
    }

    /// Deletes rows.
    pub(super) fn delete_rows(
        &mut self,
        rows: &'a RelatedRows,
        deleted: &Deleted,
        path: Cascades<'_>,
        place: Place,
    ) -> Result<(), LowerError> {
        self.delete_found(rows, deleted, path, place)?;
        Ok(())
    }

    fn delete_found(
        &mut self,
        rows: &'a RelatedRows,
        deleted: &Deleted,
        path: Cascades<'_>,
        place: Place,
    ) -> Result<StepId, LowerError> {
        let last = path.and_then(|path| path.last());
        for cascade in &rows.cascades {
            let target = self.rows_with_relations(cascade.target)?;
            let back = opposite(cascade.place);
            // The rows at the other end are those that are being deleted.
            if last == Some(&back) {
                continue;
            }
            let filter = related(cascade.back, deleted.filter.clone());
            let times = path.unwrap_or_default().iter().filter(|own| **own == cascade.place);
            if times.count() >= CASCADES {
                let message = format!(
                    "Rows of {} would be deleted over more than {CASCADES} levels.",
                    target.name
                );
                self.forbid_with(target, filter, Otherwise::new(OtherwiseKind::Invalid, message));
                continue;
            }
            let mut along = path.unwrap_or_default().to_vec();
            along.push(cascade.place);
            self.by(Authority::Model, |own| {
                let children = own.find_all(target, filter);
                own.delete_rows(target, &children, Some(&along), place)
            })?;
        }
        for requirement in &rows.requirements {
            if last == Some(&opposite(requirement.place)) {
                continue;
            }
            let is_needed = related(requirement.path, Filter::all());
            let filter = Filter::and(vec![deleted.filter.clone(), is_needed]);
            self.forbid(rows, filter, &requirement.violated);
        }
        for list in &rows.elements {
            let filter = match &deleted.keys {
                DeletedKeys::One(key) => equal(list.owner, key.clone()),
                DeletedKeys::Several(keys) => among(list.owner, keys.clone()),
            };
            self.by(Authority::Model, |own| own.delete(list.entity, filter, None));
        }
        let filter = deleted.filter.clone();
        // Others are deleted because of these rows: none of them may be left.
        let authority = match path {
            None => Authority::SessionOfAll,
            Some(_) => Authority::Model,
        };
        let delete = WriteKind::Delete { filter, at_most: None };
        Ok(self.by(authority, |own| own.add_write(rows.entity, delete)))
    }

    /// All rows that pass, by their keys.
    fn find_all(&mut self, rows: &RelatedRows, filter: Filter) -> Deleted {
        let (_, keys) = self.find_keys(rows, filter);
        Deleted { filter: among(rows.key, keys.clone()), keys: DeletedKeys::Several(keys) }
    }
}

fn opposite(place: RelationPlace) -> RelationPlace {
    RelationPlace { is_b: !place.is_b, ..place }
}
