//! Steps where ALTER TABLE changes types and constraints. New parts come before old ones go, so that
//! values can move between them.

use sql::tree::definition::{Action, Condition, Constraint, Definition, Term};

use super::difference::KeptTable;
use super::value::{Conversion, conversion, fill, or_stopgap};
use super::{Change, Check, Planner};
use crate::definition::{
    add_column, check, create_index, create_table, data_type, drop_index, identifier, identifiers,
    reference, table_name,
};
use crate::tables::{Column, Index, Reference, Stored, Table, Unique};

impl<'m> Planner<'m> {
    pub(super) fn in_place(&mut self) {
        let kept = self.difference.kept.clone();
        let created = self.difference.created.clone();
        let dropped = self.difference.dropped.clone();
        self.drop_triggers();
        for table in &dropped {
            self.drop_references(table, table.references.iter());
        }
        for table in &kept {
            self.drop_references(table.old, table.dropped_references());
        }
        for table in &kept {
            self.drop_constraints(*table);
        }
        for table in &created {
            self.create_table(table);
        }
        for table in &kept {
            self.add_columns(*table);
            self.alter_columns(*table);
        }
        for table in &created {
            self.fill_group(table);
        }
        for table in &kept {
            self.change_members(*table);
            self.copy_to_group(*table);
        }
        for table in &created {
            self.fill_pairs(table);
        }
        for table in &kept {
            self.fill_references(*table);
        }
        for table in &kept {
            self.drop_columns(*table);
        }
        for table in &dropped {
            let statement = Definition::DropTable(table_name(&table.name, self.database));
            let checks = self.checks_of_dropped_table(table);
            self.step(Change::DropTable(table.name.clone()), &[statement], checks);
        }
        for table in &kept {
            self.require_columns(*table);
            self.add_constraints(*table);
        }
        for table in &created {
            self.create_indexes(table, table.indexes.iter());
        }
        for table in &created {
            self.add_references(table, table.references.iter());
        }
        for table in &kept {
            self.add_references(table.new, table.added_references());
        }
        self.create_triggers(|_| false);
    }

    pub(super) fn create_table(&mut self, table: &Table) {
        let create = create_table(table, &table.name, self.new, self.database);
        let statement = Definition::CreateTable(create);
        self.step(Change::CreateTable(table.name.clone()), &[statement], Vec::new());
    }

    pub(super) fn create_indexes<'i>(
        &mut self,
        table: &Table,
        indexes: impl Iterator<Item = &'i Index>,
    ) {
        for index in indexes {
            let statements = create_index(table, index, self.database);
            self.step(Change::CreateIndex(index.name.clone()), &statements, Vec::new());
        }
    }

    fn drop_references<'r>(
        &mut self,
        table: &Table,
        references: impl Iterator<Item = &'r Reference>,
    ) {
        for reference in references {
            self.drop_constraint(table, &reference.name);
        }
    }

    pub(super) fn drop_constraint(&mut self, table: &Table, name: &str) {
        let statement = Definition::DropConstraint {
            table: table_name(&table.name, self.database),
            name: identifier(name),
        };
        let change = Change::DropConstraint { table: table.name.clone(), name: name.into() };
        self.step(change, &[statement], Vec::new());
    }

    fn add_constraint(
        &mut self,
        table: &Table,
        name: &str,
        constraint: Constraint,
        checks: Vec<Check>,
    ) {
        let statement =
            Definition::AddConstraint { table: table_name(&table.name, self.database), constraint };
        let change = Change::AddConstraint { table: table.name.clone(), name: name.into() };
        self.step(change, &[statement], checks);
    }

    fn add_references<'r>(
        &mut self,
        table: &Table,
        references: impl Iterator<Item = &'r Reference>,
    ) {
        for own in references {
            if let Some(to) = self.new.find(&own.to) {
                self.add_constraint(
                    table,
                    &own.name,
                    reference(own, to, self.database),
                    Vec::new(),
                );
            }
        }
    }

    /// Drops unique constraints, indexes and checks that the new table does not have.
    fn drop_constraints(&mut self, kept: KeptTable<'m>) {
        for unique in kept.old.unique.iter().filter(|own| !kept.new.unique.contains(own)) {
            self.drop_constraint(kept.old, &unique.name);
        }
        for index in kept.old.indexes.iter().filter(|own| !kept.new.indexes.contains(own)) {
            let statement = drop_index(index, self.database);
            self.step(Change::DropIndex(index.name.clone()), &[statement], Vec::new());
        }
        for (old, new) in kept.columns() {
            let before = check(kept.old, old, self.database);
            if before != check(kept.new, new, self.database)
                && let Some(Constraint::Check { name, .. }) = before
            {
                self.drop_constraint(kept.old, &name.0);
            }
        }
    }

    fn add_columns(&mut self, kept: KeptTable<'m>) {
        for column in kept.added() {
            let statement = add_column(kept.new, column, self.new, self.database);
            let checks = self.checks_of_added(kept, column);
            let (table, name) = (kept.new.name.clone(), column.name.clone());
            self.step(Change::AddColumn { table, column: name }, &[statement], checks);
        }
    }

    fn alter_columns(&mut self, kept: KeptTable<'m>) {
        for (old, new) in kept.columns() {
            let table = table_name(&kept.new.name, self.database);
            let name = identifier(&new.name);
            let mut statements = Vec::new();
            if old.is_required && !new.is_required {
                let (table, column) = (table.clone(), name.clone());
                statements.push(Definition::AlterNull { table, column, is_required: false });
            }
            let altered = |using| Definition::AlterType {
                table: table.clone(),
                column: name.clone(),
                data_type: data_type(new),
                using,
            };
            let is_other_type = data_type(old) != data_type(new);
            match conversion(old, new) {
                Conversion::None if is_other_type => {
                    statements.push(altered(Term::Column(name.clone())));
                }
                Conversion::None => {}
                Conversion::Every(term) => statements.push(altered(term)),
                Conversion::Some { term, .. } if is_other_type => {
                    statements.push(altered(or_stopgap(kept.new, new, term)));
                }
                Conversion::Some { term: Term::When(..), lost, .. } => {
                    let none = or_stopgap(kept.new, new, Term::Null(data_type(new)));
                    let sets = vec![(name.clone(), none)];
                    let table = table.clone();
                    let filter = Some(lost);
                    statements.push(Definition::Action(Action::Update { table, sets, filter }));
                }
                Conversion::Some { term, .. } => statements.push(altered(term)),
                Conversion::Nothing => {
                    let none = Term::Null(data_type(new));
                    statements.push(altered(or_stopgap(kept.new, new, none)));
                }
            }
            let checks = self.checks_of_changed(kept, old, new);
            let (table, column) = (kept.new.name.clone(), new.name.clone());
            self.step(Change::AlterColumn { table, column }, &statements, checks);
        }
    }

    /// Fills new references from the old places of their relations, and empties those that lead to
    /// rows of another table.
    pub(super) fn fill_references(&mut self, kept: KeptTable<'m>) {
        let table = table_name(&kept.new.name, self.database);
        let mut filled: Vec<(&Column, Definition, Vec<Check>)> = Vec::new();
        for column in kept.added() {
            let reference = kept.new.find_reference(&column.name);
            let term = reference.and_then(|own| self.looked_up(kept.new, own));
            if let Some(term) = term {
                let sets = vec![(identifier(&column.name), term)];
                let update = Action::Update { table: table.clone(), sets, filter: None };
                filled.push((column, Definition::Action(update), Vec::new()));
            }
        }
        for (column, reference) in self.redirected(kept) {
            let filter = Some(self.leads_nowhere(column, reference));
            let update = match kept.new.stores {
                Stored::Relation(_) => Action::Delete { from: table.clone(), filter },
                Stored::Entity(_) | Stored::Group(_) | Stored::List { .. } => {
                    let sets = vec![(identifier(&column.name), Term::Null(data_type(column)))];
                    Action::Update { table: table.clone(), sets, filter }
                }
            };
            let check = self.check_of_redirected(kept, column, reference);
            filled.push((column, Definition::Action(update), vec![check]));
        }
        for (column, statement, checks) in filled {
            let (table, column) = (kept.new.name.clone(), column.name.clone());
            self.step(Change::FillColumn { table, column }, &[statement], checks);
        }
    }

    fn drop_columns(&mut self, kept: KeptTable<'m>) {
        for column in kept.dropped() {
            let statement = Definition::DropColumn {
                table: table_name(&kept.old.name, self.database),
                column: identifier(&column.name),
            };
            let checks = self.checks_of_dropped(kept, column);
            let (table, name) = (kept.old.name.clone(), column.name.clone());
            self.step(Change::DropColumn { table, column: name }, &[statement], checks);
        }
    }

    fn require_columns(&mut self, kept: KeptTable<'m>) {
        for column in &kept.new.columns {
            let was_required =
                kept.old.find_column(&column.name).is_some_and(|column| column.is_required);
            if !column.is_required || was_required {
                continue;
            }
            let table = table_name(&kept.new.name, self.database);
            let own = identifier(&column.name);
            let mut statements = Vec::new();
            if let Some(value) = fill(kept.new, column) {
                statements.push(Definition::Action(Action::Update {
                    table: table.clone(),
                    sets: vec![(own.clone(), value)],
                    filter: Some(Condition::IsNull(Term::Column(own.clone()))),
                }));
            }
            statements.push(Definition::AlterNull { table, column: own, is_required: true });
            let (table, name) = (kept.new.name.clone(), column.name.clone());
            self.step(Change::AlterColumn { table, column: name }, &statements, Vec::new());
        }
    }

    /// Adds unique constraints, checks and indexes that the old table did not have.
    fn add_constraints(&mut self, kept: KeptTable<'m>) {
        let added = kept.new.unique.iter().filter(|own| !kept.old.unique.contains(own));
        for unique in added {
            let Unique { name, columns } = unique;
            let constraint =
                Constraint::Unique { name: identifier(name), columns: identifiers(columns) };
            let checks = self.checks_of_unique(kept, unique);
            self.add_constraint(kept.new, name, constraint, checks);
        }
        for (old, new) in kept.columns() {
            let after = check(kept.new, new, self.database);
            if after != check(kept.old, old, self.database)
                && let Some(constraint) = after
                && let Constraint::Check { name, .. } = &constraint
            {
                let name = name.0.clone();
                self.add_constraint(kept.new, &name, constraint, Vec::new());
            }
        }
        let added = kept.new.indexes.iter().filter(|own| !kept.old.indexes.contains(own));
        self.create_indexes(kept.new, added);
    }
}
