//! Tables of groups: the keys of all members' rows, for foreign keys and for values that are unique
//! across the members.

use super::Planner;
use super::relation::{Holder, holder};
use crate::model::{EndOf, Group, GroupIndex};
use crate::tables::{Column, ColumnType, Membership, Stored, StoredValue, Table, Unique};

impl Planner<'_> {
    /// Adds the table of each group that something refers to, or that has unique fields.
    pub(super) fn groups(&mut self) {
        for (index, group) in self.model.groups.iter().enumerate() {
            let is_needed = !group.unique.is_empty() || self.is_referred_to(GroupIndex(index));
            let table = is_needed.then(|| self.group(group));
            self.places.groups.push(table.as_ref().map(|table| table.name.clone()));
            self.tables.extend(table);
        }
    }

    fn is_referred_to(&self, index: GroupIndex) -> bool {
        let of = EndOf::Group(index);
        self.model.relations.iter().any(|relation| match holder(relation) {
            Holder::Near => relation.far.of == of,
            Holder::Far => relation.near.of == of,
            Holder::Pairs => relation.near.of == of || relation.far.of == of,
        })
    }

    fn group(&mut self, group: &Group) -> Table {
        let stores = Stored::Group(group.name.clone());
        let name = self.table_name(&stores, &group.name);
        let key = self.column_name(&name, &StoredValue::MemberKey, "id");
        let member = self.column_name(&name, &StoredValue::MemberTable, "type");
        let column = |name: &str, stores, r#type, is_required| Column {
            name: name.into(),
            stores,
            r#type,
            is_list: false,
            is_required,
            fill: None,
        };
        let mut columns = vec![
            column(&key, StoredValue::MemberKey, ColumnType::Int64, true),
            column(&member, StoredValue::MemberTable, ColumnType::Text, true),
        ];
        let mut unique = Vec::new();
        let mut copied = Vec::new();
        for field in &group.unique {
            let stores = StoredValue::Field(field.clone());
            let called = self.column_name(&name, &stores, field);
            let of_members = group.members.iter().filter_map(|member| {
                let columns = &self.tables.get(member.0)?.columns;
                columns.iter().find(|own| own.stores == stores)
            });
            let of_members: Vec<&Column> = of_members.collect();
            let is_required = of_members.iter().all(|own| own.is_required);
            let Some(first) = of_members.first() else { continue };
            columns.push(column(&called, stores, first.r#type.clone(), is_required));
            unique.push(Unique { name: "".into(), columns: vec![called.clone()] });
            copied.push((field, called));
        }
        for member in &group.members {
            let Some(table) = self.tables.get_mut(member.0) else { continue };
            let copies = copied.iter().filter_map(|(field, called)| {
                let stores = StoredValue::Field((*field).clone());
                let own = table.columns.iter().find(|own| own.stores == stores)?;
                Some((own.name.clone(), called.clone()))
            });
            let copies = copies.collect();
            table.groups.push(Membership { table: name.clone(), copies });
        }
        Table {
            name,
            stores,
            columns,
            primary_key: vec![key],
            unique,
            references: Vec::new(),
            indexes: Vec::new(),
            groups: Vec::new(),
            requires: None,
            singles: None,
        }
    }
}
