//! Cohorts by the rows that they read.

use std::collections::BTreeSet;
use std::sync::Arc;

use ahash::{AHashMap, AHashSet};
use catalog::{EntityId, FieldId};
use source::changes::{Cell, ChangedRows, RowChange};

use crate::cohort::Cohort;
use crate::cohort_set::CohortSet;
use crate::dependencies::{Dependencies, ReadRows};
use crate::value::FieldValue;

/// The cohorts that read rows of each entity.
#[derive(Debug, Default)]
pub(crate) struct Index {
    entities: AHashMap<EntityId, Readers>,
}

/// The cohorts that read rows of an entity.
#[derive(Debug, Default)]
struct Readers {
    /// Those that read any row.
    all: CohortSet,
    /// Those that read rows with a value of a field.
    by_value: AHashMap<FieldValue, CohortSet>,
    /// The fields of these values, each with the number of entries.
    fields: AHashMap<FieldId, usize>,
}

/// A changed table, with the fields of its columns.
#[derive(Debug)]
pub(crate) struct Changed<'c> {
    pub(crate) entity: EntityId,
    /// By column; `None` for columns that the catalog does not have.
    pub(crate) fields: &'c [Option<FieldId>],
    /// By column: whether it decides who may read a row.
    pub(crate) row_security: &'c [bool],
    pub(crate) rows: &'c ChangedRows,
}

impl Index {
    pub(crate) fn add(&mut self, cohort: &Arc<Cohort>) {
        for (entity, rows) in &cohort.dependencies.entities {
            let readers = self.entities.entry(*entity).or_default();
            match rows {
                ReadRows::All => readers.all.add(cohort),
                ReadRows::Where(values) => {
                    for value in values {
                        let entry = readers.by_value.entry(value.clone()).or_default();
                        entry.add(cohort);
                        *readers.fields.entry(value.field).or_default() += 1;
                    }
                }
            }
        }
    }

    pub(crate) fn remove(&mut self, cohort: &Arc<Cohort>) {
        for (entity, rows) in &cohort.dependencies.entities {
            let Some(readers) = self.entities.get_mut(entity) else { continue };
            match rows {
                ReadRows::All => readers.all.remove(cohort),
                ReadRows::Where(values) => {
                    for value in values {
                        readers.remove(value, cohort);
                    }
                }
            }
            if readers.all.is_empty() && readers.by_value.is_empty() {
                self.entities.remove(entity);
            }
        }
    }

    /// Marks the cohorts as dirty that a change may concern.
    pub(crate) fn mark(&self, changed: &Changed<'_>) {
        let Some(readers) = self.entities.get(&changed.entity) else { return };
        match changed.rows {
            ChangedRows::Any => readers.mark_each(),
            ChangedRows::Rows(rows) => {
                for row in rows {
                    readers.mark(row, changed);
                }
            }
        }
    }

    /// Marks the cohorts as dirty that read rows of an entity.
    pub(crate) fn mark_readers(&self, entity: EntityId) {
        if let Some(readers) = self.entities.get(&entity) {
            readers.mark_each();
        }
    }

    /// Invalidates the cached answers that read rows of an entity.
    pub(crate) fn invalidate_readers(&self, entity: EntityId) {
        let readers = self.entities.get(&entity).into_iter().flat_map(Readers::each);
        readers.filter(|cohort| cohort.is_watched()).for_each(|cohort| cohort.mark());
    }
}

impl Readers {
    fn remove(&mut self, value: &FieldValue, cohort: &Arc<Cohort>) {
        if let Some(entry) = self.by_value.get_mut(value) {
            entry.remove(cohort);
            if entry.is_empty() {
                self.by_value.remove(value);
            }
        }
        if let Some(count) = self.fields.get_mut(&value.field) {
            *count -= 1;
            if *count == 0 {
                self.fields.remove(&value.field);
            }
        }
    }

    fn each(&self) -> impl Iterator<Item = &Arc<Cohort>> {
        self.all.iter().chain(self.by_value.values().flat_map(CohortSet::iter))
    }

    fn mark_each(&self) {
        self.each().for_each(|cohort| cohort.mark());
    }

    fn mark(&self, row: &RowChange, changed: &Changed<'_>) {
        let written = written(row, changed);
        let concerned = |cohort: &&Arc<Cohort>| match &written {
            Some(written) => !written.is_disjoint(&cohort.dependencies.fields),
            None => true,
        };
        self.all.iter().filter(concerned).for_each(|cohort| cohort.mark());
        for field in self.fields.keys() {
            match RowValues::of(*field, row, changed) {
                RowValues::Any => self.mark_field(*field, concerned),
                RowValues::Known(cells) => {
                    cells.into_iter().flatten().for_each(|cell| {
                        self.mark_value(*field, cell, concerned);
                    });
                }
            }
        }
    }

    /// Marks the readers of rows with a value.
    fn mark_value(&self, field: FieldId, cell: Cell, concerned: impl Fn(&&Arc<Cohort>) -> bool) {
        let Cell::Text(text) = cell else { return };
        let value = FieldValue { field, text: text.as_ref().into() };
        let readers = self.by_value.get(&value).into_iter().flat_map(CohortSet::iter);
        readers.filter(concerned).for_each(|cohort| cohort.mark());
    }

    /// Marks the readers of rows with any value of a field.
    fn mark_field(&self, field: FieldId, concerned: impl Fn(&&Arc<Cohort>) -> bool) {
        let readers = self.by_value.iter().filter(|(value, _)| value.field == field);
        let readers = readers.flat_map(|(_, readers)| readers.iter());
        readers.filter(concerned).for_each(|cohort| cohort.mark());
    }
}

/// The values of a field that a changed row has or had: the change concerns those who read rows with
/// one of them.
#[derive(Debug)]
pub(crate) enum RowValues {
    /// The feed does not tell them all.
    Any,
    Known([Option<Cell>; 2]),
}

impl RowValues {
    pub(crate) fn of(field: FieldId, row: &RowChange, changed: &Changed<'_>) -> Self {
        let column = changed.fields.iter().position(|own| *own == Some(field));
        let cell = |cells: &Option<Vec<Cell>>| match cells {
            None => Cell::Null,
            Some(cells) => {
                let cell = column.and_then(|column| cells.get(column));
                cell.cloned().unwrap_or(Cell::Unknown)
            }
        };
        let is_update = row.before.is_some() && row.after.is_some();
        match (cell(&row.before), cell(&row.after)) {
            // Of an update the value after it may be left out, where it is the same.
            (Cell::Unknown, _) | (_, Cell::Changed) => Self::Any,
            (before, Cell::Unknown) if is_update => Self::Known([Some(before), None]),
            (_, Cell::Unknown) => Self::Any,
            (before, after) => Self::Known([Some(before).filter(|one| *one != after), Some(after)]),
        }
    }
}

/// The fields that an update has written with other values, or may have; `None` for a row that is new
/// or deleted, or has other readers, which concerns everybody who reads it.
pub(crate) fn written(
    RowChange { before, after }: &RowChange,
    changed: &Changed<'_>,
) -> Option<BTreeSet<FieldId>> {
    let (before, after) = (before.as_ref()?, after.as_ref()?);
    let mut fields = BTreeSet::new();
    let columns = changed.fields.iter().zip(changed.row_security);
    for ((before, after), (field, row_security)) in before.iter().zip(after).zip(columns) {
        if before.may_become(after) {
            if *row_security {
                return None;
            }
            fields.extend(*field);
        }
    }
    Some(fields)
}

/// Entities whose rows, as any session reads them, differ only after changes that the feed reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Exact {
    #[default]
    None,
    Only(AHashSet<EntityId>),
}

impl Exact {
    /// Returns true if the feed reports each change that concerns a cohort.
    pub(crate) fn covers(&self, cohort: &Cohort) -> bool {
        self.covers_dependencies(&cohort.dependencies)
    }

    pub(crate) fn covers_dependencies(&self, dependencies: &Dependencies) -> bool {
        !dependencies.is_timed && dependencies.entities.keys().all(|entity| self.contains(*entity))
    }

    /// Returns true if the response of a cohort may change without a change of rows that the source
    /// reports.
    pub(crate) fn is_timed(&self, cohort: &Cohort) -> bool {
        let dependencies = &cohort.dependencies;
        dependencies.is_timed || !dependencies.views.iter().all(|view| self.contains(*view))
    }

    fn contains(&self, entity: EntityId) -> bool {
        match self {
            Self::None => false,
            Self::Only(entities) => entities.contains(&entity),
        }
    }
}
