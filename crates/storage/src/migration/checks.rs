//! Checks of columns and constraints of tables that stay.

use sql::tree::definition::{Condition, TableRows, Term};

use super::difference::KeptTable;
use super::relation::leaf_tables;
use super::value::{Conversion, conversion, fill, stopgap};
use super::{Check, Finding, Loss, Obstacle, Planner};
use crate::definition::{identifier, table_name};
use crate::tables::{Column, ColumnType, Reference, Stored, Table, Unique};

impl<'m> Planner<'m> {
    fn count(&self, table: &Table, condition: Option<Condition>, finding: Finding) -> Check {
        let rows = TableRows::count(table_name(&table.name, self.database), condition);
        self.check(&rows, finding)
    }

    /// The checks of a column whose type or nullability changes.
    pub(super) fn checks_of_changed(
        &self,
        kept: KeptTable<'_>,
        old: &Column,
        new: &Column,
    ) -> Vec<Check> {
        let place = || (kept.old.name.clone(), new.name.clone());
        let own = || Term::Column(identifier(&old.name));
        let mut checks = Vec::new();
        let no_value = || {
            let (table, column) = place();
            // Rows with a label that is removed are left to their owner.
            let labels = (&old.r#type, &new.r#type);
            let are_labels = matches!(labels, (ColumnType::Enum(_), ColumnType::Enum(_)));
            match (new.is_required, stopgap(kept.new, new).filter(|_| !are_labels)) {
                (true, None) => Finding::Obstacle(Obstacle::Values { table, column }),
                (true, Some(value)) => {
                    Finding::Loss(Loss::Replaced { table, column, by: value.into() })
                }
                (false, _) => Finding::Loss(Loss::Values { table, column }),
            }
        };
        if let (ColumnType::Enum(labels), true, true) = (&new.r#type, old.is_list, new.is_list)
            && old.r#type != new.r#type
            && matches!(conversion(old, new), Conversion::None)
        {
            let (table, column) = place();
            let labels = Condition::ElementsOneOf(identifier(&old.name), labels.clone());
            let others = Condition::Not(Box::new(labels));
            let obstacle = Finding::Obstacle(Obstacle::Labels { table, column });
            checks.push(self.count(kept.old, Some(others), obstacle));
        }
        match conversion(old, new) {
            Conversion::None | Conversion::Every(_) => {}
            Conversion::Some { lost, loses_elements: true, .. } => {
                let (table, column) = place();
                let loss = Finding::Loss(Loss::Elements { table, column });
                checks.push(self.count(kept.old, Some(lost), loss));
            }
            Conversion::Some { lost, loses_elements: false, .. } => {
                checks.push(self.count(kept.old, Some(lost), no_value()));
            }
            Conversion::Nothing => {
                let condition = (!new.is_required).then(|| Condition::IsNotNull(own()));
                checks.push(self.count(kept.old, condition, no_value()));
                return checks;
            }
        }
        if new.is_required && !old.is_required {
            let (table, column) = place();
            let finding = match (fill(kept.new, new), stopgap(kept.new, new)) {
                (None, _) => Some(Finding::Obstacle(Obstacle::Null { table, column })),
                (Some(_), Some(value)) => {
                    Some(Finding::Loss(Loss::Stopgap { table, column, value: value.into() }))
                }
                (Some(_), None) => None,
            };
            let is_null = || Some(Condition::IsNull(own()));
            checks.extend(finding.map(|finding| self.count(kept.old, is_null(), finding)));
        }
        checks
    }

    /// The checks of a new column: a required one needs values, and a reference may take them from
    /// the old place of its relation.
    pub(super) fn checks_of_added(&self, kept: KeptTable<'_>, column: &Column) -> Vec<Check> {
        // Triggers of the members write it.
        if let Stored::Group(_) = kept.new.stores {
            return Vec::new();
        }
        if let Some(reference) = kept.new.find_reference(&column.name) {
            return self.checks_of_new(kept.new, reference);
        }
        if !column.is_required {
            return Vec::new();
        }
        let (table, name) = (kept.old.name.clone(), column.name.clone());
        let finding = match (fill(kept.new, column), stopgap(kept.new, column)) {
            (None, _) => Finding::Obstacle(Obstacle::NoValue { table, column: name }),
            (Some(_), Some(value)) => {
                Finding::Loss(Loss::Stopgap { table, column: name, value: value.into() })
            }
            (Some(_), None) => return Vec::new(),
        };
        vec![self.count(kept.old, None, finding)]
    }

    /// The check of a column that is dropped, unless its relation is stored elsewhere.
    pub(super) fn checks_of_dropped(&self, kept: KeptTable<'_>, column: &Column) -> Vec<Check> {
        if let Stored::Group(_) = kept.new.stores {
            return Vec::new();
        }
        let reference = kept.old.find_reference(&column.name);
        if reference.is_some_and(|reference| self.is_moved(kept.old, &reference.relation)) {
            return Vec::new();
        }
        let (table, name) = (kept.old.name.clone(), column.name.clone());
        let loss = Finding::Loss(Loss::Column { table, column: name });
        let is_there = Condition::IsNotNull(Term::Column(identifier(&column.name)));
        vec![self.count(kept.old, Some(is_there), loss)]
    }

    /// The check of a table that is dropped, unless others store the same.
    pub(super) fn checks_of_dropped_table(&self, table: &Table) -> Vec<Check> {
        let is_kept = match &table.stores {
            Stored::Entity(_) | Stored::List { .. } => false,
            Stored::Group(_) => true,
            Stored::Relation(relation) => self.is_moved(table, relation),
        };
        match is_kept {
            true => Vec::new(),
            false => vec![self.count(table, None, Finding::Loss(Loss::Table(table.name.clone())))],
        }
    }

    /// The check of a new unique constraint over a column that stays.
    pub(super) fn checks_of_unique(&self, kept: KeptTable<'_>, unique: &Unique) -> Vec<Check> {
        let [column] = &*unique.columns else { return Vec::new() };
        let is_new = !kept.old.unique.iter().any(|old| old.columns == unique.columns);
        if !is_new || kept.old.find_column(column).is_none() {
            return Vec::new();
        }
        let (table, name) = (kept.old.name.clone(), column.clone());
        let rows = TableRows {
            distinct: false,
            terms: vec![Term::Surplus(identifier(column))],
            from: table_name(&kept.old.name, self.database),
            filter: None,
        };
        let obstacle = Finding::Obstacle(Obstacle::Duplicate { table, column: name });
        vec![self.check(&rows, obstacle)]
    }

    /// References of columns that stay which lead to other tables than before: the tables where
    /// their values may be.
    pub(super) fn redirected(&self, kept: KeptTable<'m>) -> Vec<(&'m Column, &'m Reference)> {
        let added = kept.added_references();
        let redirected = added.filter_map(|reference| {
            let [column] = &*reference.columns else { return None };
            let old = kept.old.find_column(column)?;
            // Another type has no values.
            if matches!(conversion(old, kept.new.find_column(column)?), Conversion::Nothing) {
                return None;
            }
            let now = leaf_tables(self.new, &reference.to);
            let before = kept.old.find_reference(column);
            let before = before.map(|own| leaf_tables(self.old, &own.to));
            let stay = before.is_some_and(|before| before.iter().all(|own| now.contains(own)));
            (!stay).then_some((old, reference))
        });
        redirected.collect()
    }

    /// The check of a reference that leads to other tables than before.
    pub(super) fn check_of_redirected(
        &self,
        kept: KeptTable<'m>,
        column: &Column,
        reference: &Reference,
    ) -> Check {
        let own = || Term::Column(identifier(&column.name));
        let mut conditions = vec![Condition::IsNotNull(own())];
        for target in leaf_tables(self.new, &reference.to) {
            let Some(old) = self.old.find(target) else { continue };
            let Some(key) = old.primary_key.first() else { continue };
            let keys = TableRows::of(
                Term::Column(identifier(key)),
                table_name(&old.name, self.database),
                None,
            );
            conditions.push(Condition::NotAmong(own(), Box::new(keys)));
        }
        let (table, name) = (kept.old.name.clone(), column.name.clone());
        let is_required =
            kept.new.find_column(&column.name).is_some_and(|column| column.is_required);
        // A pair without one of its rows is deleted.
        let is_obstacle = is_required && !matches!(kept.new.stores, Stored::Relation(_));
        let finding = match is_obstacle {
            true => Finding::Obstacle(Obstacle::Values { table, column: name }),
            false => Finding::Loss(Loss::References { table, column: name }),
        };
        self.count(kept.old, Some(Condition::All(conditions)), finding)
    }

    /// A condition on rows whose reference leads to no row of its new table.
    pub(super) fn leads_nowhere(&self, column: &Column, reference: &Reference) -> Condition {
        let own = || Term::Column(identifier(&column.name));
        let mut conditions = vec![Condition::IsNotNull(own())];
        let keys = self.target_keys(reference);
        conditions.extend(keys.map(|keys| Condition::NotAmong(own(), Box::new(keys))));
        Condition::All(conditions)
    }

    /// The keys to which a new reference may lead.
    pub(super) fn target_keys(&self, reference: &Reference) -> Option<TableRows> {
        let key = Term::Column(identifier(reference.target_columns.first()?));
        Some(TableRows::of(key, table_name(&reference.to, self.database), None))
    }
}
