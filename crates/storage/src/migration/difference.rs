//! Tables and columns that come, go, change or stay.

use super::KeyChanged;
use crate::tables::{Column, Reference, Table, Tables};

/// The difference between old and new tables.
#[derive(Default)]
pub(super) struct Difference<'m> {
    pub(super) created: Vec<&'m Table>,
    pub(super) dropped: Vec<&'m Table>,
    pub(super) kept: Vec<KeptTable<'m>>,
}

/// A table that stays.
#[derive(Clone, Copy)]
pub(super) struct KeptTable<'m> {
    pub(super) old: &'m Table,
    pub(super) new: &'m Table,
}

impl<'m> Difference<'m> {
    pub(super) fn of(old: &'m Tables, new: &'m Tables) -> Result<Self, KeyChanged> {
        let mut kept = Vec::new();
        let mut created = Vec::new();
        for table in &new.tables {
            match old.find(&table.name) {
                Some(old) => kept.push(KeptTable { old, new: table }),
                None => created.push(table),
            }
        }
        let dropped = old.tables.iter().filter(|table| new.find(&table.name).is_none()).collect();
        for table in &kept {
            if has_other_key(table.old, table.new) {
                return Err(KeyChanged { table: table.new.name.clone() });
            }
        }
        Ok(Self { created, dropped, kept })
    }
}

impl<'m> KeptTable<'m> {
    pub(super) fn added(&self) -> impl Iterator<Item = &'m Column> {
        let old = self.old;
        self.new.columns.iter().filter(move |column| old.find_column(&column.name).is_none())
    }

    pub(super) fn dropped(&self) -> impl Iterator<Item = &'m Column> {
        let new = self.new;
        self.old.columns.iter().filter(move |column| new.find_column(&column.name).is_none())
    }

    /// Columns that stay, old and new.
    pub(super) fn columns(&self) -> impl Iterator<Item = (&'m Column, &'m Column)> {
        let old = self.old;
        self.new
            .columns
            .iter()
            .filter_map(move |column| Some((old.find_column(&column.name)?, column)))
    }

    /// Foreign keys that the new table does not have like this.
    pub(super) fn dropped_references(&self) -> impl Iterator<Item = &'m Reference> {
        let new = self.new;
        let is_kept = move |own: &&Reference| new.references.iter().any(|new| is_equal(own, new));
        self.old.references.iter().filter(move |own| !is_kept(own))
    }

    /// Foreign keys that the old table did not have like this.
    pub(super) fn added_references(&self) -> impl Iterator<Item = &'m Reference> {
        let old = self.old;
        let is_kept = move |own: &&Reference| old.references.iter().any(|old| is_equal(own, old));
        self.new.references.iter().filter(move |own| !is_kept(own))
    }
}

/// Whether the key of a table has other columns, or is made in another way.
pub(super) fn has_other_key(old: &Table, new: &Table) -> bool {
    let number = |table: &Table| table.number_key().map(|key| key.stores.clone());
    let serial = |table: &Table| table.serial_key().is_some();
    old.primary_key != new.primary_key || number(old) != number(new) || serial(old) != serial(new)
}

/// Whether two foreign keys are the same for the database.
fn is_equal(left: &Reference, right: &Reference) -> bool {
    left.name == right.name
        && left.columns == right.columns
        && left.to == right.to
        && left.target_columns == right.target_columns
        && left.on_delete == right.on_delete
}
