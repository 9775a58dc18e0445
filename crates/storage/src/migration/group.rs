//! Tables of groups: members come and go, and so do the fields that are unique across them.

use sql::tree::definition::{Action, Condition, Definition, InsertedRows, TableRows, Term};
use sql::{Identifier, TableName};

use super::difference::KeptTable;
use super::{Change, Check, Finding, Loss, Planner};
use crate::definition::{identifier, table_name};
use crate::tables::{Reference, Stored, StoredValue, Table};

impl<'m> Planner<'m> {
    /// Inserts the rows of members into the table of a group.
    pub(super) fn insert_members(
        &self,
        group: &Table,
        into: &TableName,
        is_inserted: impl Fn(&Table) -> bool,
    ) -> Vec<Definition> {
        let members = self.new.members(&group.name).filter(|member| is_inserted(member));
        // A table that is created has no rows.
        let members = members.filter_map(|member| Some((member, self.old.find(&member.name)?)));
        let statements = members.filter_map(|(member, old)| {
            let key = member.number_key()?;
            let own = member.groups.iter().find(|own| own.table == group.name)?;
            let stores =
                |wanted: &StoredValue| group.columns.iter().find(|column| column.stores == *wanted);
            let mut columns = vec![
                identifier(&stores(&StoredValue::MemberKey)?.name),
                identifier(&stores(&StoredValue::MemberTable)?.name),
            ];
            let mut terms =
                vec![Term::Column(identifier(&key.name)), Term::Text(member.name.clone())];
            for (of_member, of_group) in &own.copies {
                if old.find_column(of_member).is_some() {
                    columns.push(identifier(of_group));
                    terms.push(Term::Column(identifier(of_member)));
                }
            }
            let from = table_name(&member.name, self.database);
            let rows = InsertedRows::Of(TableRows { distinct: false, terms, from, filter: None });
            Some(Definition::Action(Action::Insert { into: into.clone(), columns, rows }))
        });
        statements.collect()
    }

    /// Fills the table of a new group.
    pub(super) fn fill_group(&mut self, group: &Table) {
        let Stored::Group(_) = group.stores else { return };
        let into = table_name(&group.name, self.database);
        let statements = self.insert_members(group, &into, |_| true);
        self.step(Change::FillTable(group.name.clone()), &statements, Vec::new());
    }

    /// Inserts the rows of new members of a group, and deletes those of members that left it.
    pub(super) fn change_members(&mut self, group: KeptTable<'m>) {
        let Stored::Group(_) = group.new.stores else { return };
        let into = table_name(&group.new.name, self.database);
        let is_member = |table: Option<&Table>| {
            table.is_some_and(|own| own.groups.iter().any(|own| own.table == group.new.name))
        };
        let mut statements =
            self.insert_members(group.new, &into, |member| !is_member(self.old.find(&member.name)));
        let mut checks = Vec::new();
        let old_members: Vec<&Table> = self.old.members(&group.new.name).collect();
        for member in old_members {
            if !is_member(self.new.find(&member.name)) {
                self.moves_rows = true;
                self.delete_member(group, &member.name, &mut statements, &mut checks);
            }
        }
        self.step(Change::FillTable(group.new.name.clone()), &statements, checks);
    }

    /// Deletes the rows of a member from the table of a group, and the references to them.
    fn delete_member(
        &self,
        group: KeptTable<'_>,
        member: &str,
        statements: &mut Vec<Definition>,
        checks: &mut Vec<Check>,
    ) {
        let Some((key, r#type)) = keys(group.old) else { return };
        let name = table_name(&group.old.name, self.database);
        let is_member =
            || Condition::Equal(Term::Column(r#type.clone()), Term::Text(member.into()));
        let gone = TableRows::of(Term::Column(key), name.clone(), Some(is_member()));
        for (table, reference) in self.references_to(&group.old.name) {
            let Some(column) = reference.columns.first().and_then(|own| table.find_column(own))
            else {
                continue;
            };
            let from = table_name(&table.name, self.database);
            let own = identifier(&column.name);
            let refers = Condition::Among(Term::Column(own.clone()), Box::new(gone.clone()));
            let loss = Loss::References { table: table.name.clone(), column: column.name.clone() };
            let count = TableRows::count(from.clone(), Some(refers.clone()));
            checks.push(self.check(&count, Finding::Loss(loss)));
            statements.push(Definition::Action(match column.is_required {
                true => Action::Delete { from, filter: Some(refers) },
                false => Action::Update {
                    table: from,
                    sets: vec![(own, Term::Null(sql::tree::definition::DataType::BigInteger))],
                    filter: Some(refers),
                },
            }));
        }
        statements
            .push(Definition::Action(Action::Delete { from: name, filter: Some(is_member()) }));
    }

    /// References to a table that old and new tables have.
    fn references_to(&self, name: &str) -> Vec<(&'m Table, &'m Reference)> {
        let mut found = Vec::new();
        for kept in &self.difference.kept {
            for reference in &kept.old.references {
                let stays = kept.new.references.iter().any(|new| new.columns == reference.columns);
                if &*reference.to == name && stays {
                    found.push((kept.old, reference));
                }
            }
        }
        found
    }

    /// Copies the unique fields of all members into new columns of the table of a group.
    pub(super) fn copy_to_group(&mut self, group: KeptTable<'m>) {
        let Stored::Group(_) = group.new.stores else { return };
        let Some((key, _)) = keys(group.new) else { return };
        let name = table_name(&group.new.name, self.database);
        let mut statements = Vec::new();
        for column in group.added() {
            for member in self.new.members(&group.new.name) {
                let own = member.groups.iter().find(|own| own.table == group.new.name);
                let copies = own.iter().flat_map(|own| &own.copies);
                let mut copied = copies.filter(|(_, of_group)| *of_group == column.name);
                let (Some((own, _)), Some(of_member), Some(old)) =
                    (copied.next(), member.number_key(), self.old.find(&member.name))
                else {
                    continue;
                };
                if old.find_column(own).is_none() {
                    continue;
                }
                let from = table_name(&member.name, self.database);
                let of_row = Term::Of(name.clone(), key.clone());
                let member_key = || Term::Column(identifier(&of_member.name));
                let value = TableRows::of(
                    Term::Column(identifier(own)),
                    from.clone(),
                    Some(Condition::Equal(member_key(), of_row)),
                );
                let all = TableRows::of(member_key(), from, None);
                statements.push(Definition::Action(Action::Update {
                    table: name.clone(),
                    sets: vec![(identifier(&column.name), Term::Query(Box::new(value)))],
                    filter: Some(Condition::Among(Term::Column(key.clone()), Box::new(all))),
                }));
            }
        }
        self.step(Change::FillTable(group.new.name.clone()), &statements, Vec::new());
    }
}

/// The columns of the key and of the member's table.
fn keys(group: &Table) -> Option<(Identifier, Identifier)> {
    let column = |wanted: &StoredValue| {
        let found = group.columns.iter().find(|column| column.stores == *wanted)?;
        Some(identifier(&found.name))
    };
    Some((column(&StoredValue::MemberKey)?, column(&StoredValue::MemberTable)?))
}
