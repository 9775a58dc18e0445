//! Steps where tables are rebuilt: <https://www.sqlite.org/lang_altertable.html#otheralter>.
//!
//! A column that accepts null is added in place. For all other changes the table is created anew
//! under another name, takes the rows, and then the old one's place. All tables are copied before the
//! first one goes, since values may move between them.

use sql::own::OWN_PREFIX;
use sql::tree::definition::{
    Action, Condition, CreateTable, Definition, InsertedRows, TableRows, Term,
};

use super::difference::KeptTable;
use super::value::{Conversion, conversion, fill, stopgap};
use super::{Change, Check, Planner};
use crate::definition::{
    add_column, check, create_table, data_type, drop_index, identifier, is_virtual, table_name,
};
use crate::tables::{Column, Index, Stored, Table};

impl<'m> Planner<'m> {
    pub(super) fn rebuilding(&mut self) {
        let created = self.difference.created.clone();
        let dropped = self.difference.dropped.clone();
        let (rebuilt, altered): (Vec<KeptTable<'m>>, Vec<KeptTable<'m>>) =
            self.difference.kept.iter().partition(|table| self.is_rebuilt(**table));
        self.moves_rows = !rebuilt.is_empty() || !dropped.is_empty();
        let database = self.database;
        self.drop_triggers();
        for table in &created {
            self.create_table(table);
            self.fill_group(table);
        }
        for table in rebuilt.iter().chain(&altered) {
            self.change_members(*table);
        }
        for table in &created {
            self.fill_pairs(table);
        }
        for table in &dropped {
            self.drop_indexes(table.indexes.iter().filter(|own| is_virtual(own, database)));
        }
        for table in &rebuilt {
            let old = table.old.indexes.iter();
            let gone = |own: &&Index| is_virtual(own, database) && !has_same_words(*table, own);
            self.drop_indexes(old.filter(gone));
        }
        for table in &altered {
            let old = table.old.indexes.iter();
            self.drop_indexes(old.filter(|index| !table.new.indexes.contains(index)));
        }
        for table in &altered {
            self.add_in_place(*table);
        }
        for table in &rebuilt {
            self.copy(*table);
        }
        for table in &rebuilt {
            self.replace(*table);
        }
        for table in dropped {
            let statement = Definition::DropTable(table_name(&table.name, self.database));
            let checks = self.checks_of_dropped_table(table);
            self.step(Change::DropTable(table.name.clone()), &[statement], checks);
        }
        for table in &created {
            self.create_indexes(table, table.indexes.iter());
        }
        for table in &altered {
            let new = table.new.indexes.iter();
            let added = new.filter(|index| !table.old.indexes.contains(index));
            self.create_indexes(table.new, added);
        }
        for table in &rebuilt {
            let new = table.new.indexes.iter();
            let lost = |own: &&Index| !is_virtual(own, database) || !has_same_words(*table, own);
            self.create_indexes(table.new, new.filter(lost));
        }
        self.create_triggers(|table| rebuilt.iter().any(|own| own.new.name == table.name));
    }

    /// Whether a table changes in a way for which there is no ALTER TABLE.
    fn is_rebuilt(&self, kept: KeptTable<'_>) -> bool {
        let changes = |(old, new): (&Column, &Column)| {
            data_type(old) != data_type(new)
                || old.is_required != new.is_required
                || old.is_list != new.is_list
                || check(kept.old, old, self.database) != check(kept.new, new, self.database)
                || !matches!(conversion(old, new), Conversion::None)
        };
        let is_added_in_place = |column: &Column| {
            let is_unique = kept.new.unique.iter().any(|own| own.columns.contains(&column.name));
            let reference =
                kept.new.references.iter().find(|own| own.columns.contains(&column.name));
            !column.is_required
                && !is_unique
                && reference.is_none_or(|reference| reference.columns.len() == 1)
                && !matches!(kept.new.stores, Stored::Group(_))
        };
        let of_kept_columns = |columns: &[Box<str>]| {
            columns.iter().all(|column| kept.old.find_column(column).is_some())
        };
        kept.dropped().next().is_some()
            || kept.columns().any(changes)
            || !kept.added().all(is_added_in_place)
            || kept.dropped_references().next().is_some()
            || kept.added_references().any(|own| of_kept_columns(&own.columns))
            || kept.old.unique != kept.new.unique
    }

    fn drop_indexes<'i>(&mut self, indexes: impl Iterator<Item = &'i Index>) {
        for index in indexes {
            let statement = drop_index(index, self.database);
            self.step(Change::DropIndex(index.name.clone()), &[statement], Vec::new());
        }
    }

    fn add_in_place(&mut self, kept: KeptTable<'m>) {
        for column in kept.added() {
            let statement = add_column(kept.new, column, self.new, self.database);
            let checks = self.checks_of_added(kept, column);
            let (table, name) = (kept.new.name.clone(), column.name.clone());
            self.step(Change::AddColumn { table, column: name }, &[statement], checks);
        }
        self.fill_references(kept);
    }

    /// Creates the new table, and copies the rows.
    fn copy(&mut self, kept: KeptTable<'m>) {
        let name = rebuilt_name(kept.new);
        let into = table_name(&name, self.database);
        let create: CreateTable = create_table(kept.new, &name, self.new, self.database);
        let mut statements = vec![Definition::CreateTable(create)];
        let mut checks = Vec::new();
        match kept.new.stores {
            // Its rows are those of the members.
            Stored::Group(_) => statements.extend(self.insert_members(kept.new, &into, |_| true)),
            Stored::Entity(_) | Stored::Relation(_) | Stored::List { .. } => {
                let from = table_name(&kept.old.name, self.database);
                let mut columns = Vec::new();
                let mut terms = Vec::new();
                for column in &kept.new.columns {
                    let term = self.value(kept, column, &mut checks);
                    let was_required =
                        kept.old.find_column(&column.name).is_some_and(|old| old.is_required);
                    let is_replaced = stopgap(kept.new, column).is_some();
                    let fill = fill(kept.new, column).filter(|_| !was_required || is_replaced);
                    let term = match (term, fill) {
                        (Some(term), Some(fill)) => {
                            Some(Term::OrElse(Box::new(term), Box::new(fill)))
                        }
                        (term, fill) => term.or(fill),
                    };
                    if let Some(term) = term {
                        columns.push(identifier(&column.name));
                        terms.push(term);
                    }
                }
                let filter = self.pairs_that_stay(kept);
                // Where no column has a value, there are no rows, or an obstacle.
                if !columns.is_empty() {
                    let rows = InsertedRows::Of(TableRows { distinct: false, terms, from, filter });
                    statements.push(Definition::Action(Action::Insert { into, columns, rows }));
                }
            }
        }
        for column in kept.dropped() {
            checks.extend(self.checks_of_dropped(kept, column));
        }
        for unique in &kept.new.unique {
            checks.extend(self.checks_of_unique(kept, unique));
        }
        self.step(Change::RebuildTable(kept.new.name.clone()), &statements, checks);
    }

    /// The value of a column of the new table, made of a row of the old one; `None` for null.
    fn value(
        &self,
        kept: KeptTable<'m>,
        column: &'m Column,
        checks: &mut Vec<Check>,
    ) -> Option<Term> {
        let Some(old) = kept.old.find_column(&column.name) else {
            checks.extend(self.checks_of_added(kept, column));
            let reference = kept.new.find_reference(&column.name)?;
            return self.looked_up(kept.new, reference);
        };
        checks.extend(self.checks_of_changed(kept, old, column));
        let redirected = self.redirected(kept);
        if let Some((_, reference)) = redirected.iter().find(|(own, _)| own.name == column.name) {
            checks.push(self.check_of_redirected(kept, column, reference));
            let own = || Term::Column(identifier(&column.name));
            let leads = Condition::Among(own(), Box::new(self.target_keys(reference)?));
            return Some(Term::When(Box::new(leads), Box::new(own())));
        }
        match conversion(old, column) {
            Conversion::None => Some(Term::Column(identifier(&column.name))),
            Conversion::Every(term) | Conversion::Some { term, .. } => Some(term),
            Conversion::Nothing => None,
        }
    }

    /// A condition on pairs of which both references still lead to rows.
    fn pairs_that_stay(&self, kept: KeptTable<'m>) -> Option<Condition> {
        let Stored::Relation(_) = kept.new.stores else { return None };
        let redirected = self.redirected(kept);
        let conditions: Vec<Condition> = redirected
            .iter()
            .filter_map(|(column, reference)| {
                let own = Term::Column(identifier(&column.name));
                Some(Condition::Among(own, Box::new(self.target_keys(reference)?)))
            })
            .collect();
        (!conditions.is_empty()).then_some(Condition::All(conditions))
    }

    /// Puts the new table into the place of the old one.
    fn replace(&mut self, kept: KeptTable<'m>) {
        let statements = [
            Definition::DropTable(table_name(&kept.old.name, self.database)),
            Definition::RenameTable {
                table: table_name(&rebuilt_name(kept.new), self.database),
                to: identifier(&kept.new.name),
            },
        ];
        self.step(Change::RebuildTable(kept.new.name.clone()), &statements, Vec::new());
    }
}

/// The name of a table until it takes the place of the old one.
fn rebuilt_name(table: &Table) -> String {
    [OWN_PREFIX, "new_", &table.name].concat()
}

/// Whether a virtual table of words stays, since neither it nor the texts change.
fn has_same_words(kept: KeptTable<'_>, index: &Index) -> bool {
    let is_same = |column: &str| {
        let columns = (kept.old.find_column(column), kept.new.find_column(column));
        matches!(columns, (Some(old), Some(new))
            if matches!(conversion(old, new), Conversion::None))
    };
    kept.old.indexes.contains(index)
        && kept.new.indexes.contains(index)
        && index.columns.iter().all(|column| is_same(column))
}
