//! Relations: columns of references, or tables of pairs.

use super::{Planner, RelationPlace};
use crate::model::{self, EndOf};
use crate::tables::{
    Column, ColumnType, End, Index, IndexMethod, OnDelete, Reference, Relation, Side, Stored,
    StoredValue, Table, Unique,
};

/// The place where a relation is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// Columns of the rows at the near end.
    Near,
    /// Columns of the rows at the far end.
    Far,
    Pairs,
}

/// The key of a table to which references refer.
struct Target {
    table: Box<str>,
    columns: Vec<(Box<str>, ColumnType)>,
}

/// Whether rows at the end have a field that holds one row of the other end.
fn is_single(end: &model::End) -> bool {
    end.field.is_some() && !end.is_list
}

/// The place of a relation: one row per row is a column, on the side that requires it if there are
/// two; several rows per row on both sides are pairs.
pub(super) fn holder(relation: &model::Relation) -> Holder {
    match (is_single(&relation.near), is_single(&relation.far)) {
        (true, true) if relation.far.is_required && !relation.near.is_required => Holder::Far,
        (true, _) => Holder::Near,
        (false, true) => Holder::Far,
        (false, false) => Holder::Pairs,
    }
}

impl Planner<'_> {
    /// Adds the columns and tables of all relations.
    pub(super) fn relations(&mut self) {
        for relation in &self.model.relations {
            let place = match holder(relation) {
                Holder::Near => self.columns(relation, Side::Near),
                Holder::Far => self.columns(relation, Side::Far),
                Holder::Pairs => self.pairs(relation),
            };
            self.places.relations.push(place);
        }
    }

    /// Adds columns to the table at one end, or to the table of each member of its group.
    fn columns(&mut self, relation: &model::Relation, side: Side) -> RelationPlace {
        let (own, other) = match side {
            Side::Near => (&relation.near, &relation.far),
            Side::Far => (&relation.far, &relation.near),
        };
        let target = self.target(other.of);
        let is_unique = is_single(own) && is_single(other);
        let field = own.field.clone().unwrap_or_default();
        let named = self.named(relation);
        let mut tables = Vec::new();
        for table in self.holders(own.of) {
            let mut columns = Vec::with_capacity(target.columns.len());
            for (index, (key, r#type)) in target.columns.iter().enumerate() {
                let wanted = match target.columns.len() {
                    1 => field.to_string(),
                    _ => format!("{field}_{key}"),
                };
                let stores = StoredValue::Reference(field.clone(), index);
                let name = self.column_name(&table, &stores, &wanted);
                let is_required = own.is_required && own.on_delete != model::OnDelete::SetNull;
                let r#type = r#type.clone();
                let (is_list, fill) = (false, None);
                columns.push(Column { name, stores, r#type, is_list, is_required, fill });
            }
            let names: Vec<Box<str>> = columns.iter().map(|column| column.name.clone()).collect();
            let reference = Reference {
                name: "".into(),
                columns: names.clone(),
                to: target.table.clone(),
                target_columns: target.columns.iter().map(|(key, _)| key.clone()).collect(),
                on_delete: match own.on_delete {
                    model::OnDelete::SetNull => OnDelete::SetNull,
                    model::OnDelete::Cascade => OnDelete::Cascade,
                    model::OnDelete::Restrict => OnDelete::Restrict,
                },
                relation: named.clone(),
                side: side.other(),
            };
            if let Some(holder) = self.find_table_mut(&table) {
                holder.columns.extend(columns);
                holder.references.push(reference);
                match is_unique {
                    true => holder.unique.push(Unique { name: "".into(), columns: names.clone() }),
                    false => holder.indexes.push(Index {
                        name: "".into(),
                        columns: names.clone(),
                        method: IndexMethod::Tree,
                    }),
                }
            }
            tables.push((table, names));
        }
        RelationPlace::Columns { side, tables, to: target.table }
    }

    /// Adds a table of pairs of keys.
    fn pairs(&mut self, relation: &model::Relation) -> RelationPlace {
        let named = self.named(relation);
        let stores = Stored::Relation(named.clone());
        let field = relation.near.field.clone().unwrap_or_default();
        let wanted = format!("{}_{field}", named.near.of);
        // Its other end may have got a field, or lost it.
        let mut recorded = self.recorded.tables.iter();
        let recorded = recorded.find(|table| match &table.stores {
            Stored::Relation(recorded) => recorded.near == named.near,
            Stored::Entity(_) | Stored::Group(_) | Stored::List { .. } => false,
        });
        let name = match recorded {
            Some(table) => table.name.clone(),
            None => self.table_name(&stores, &wanted),
        };
        let mut table = Table {
            name,
            stores,
            columns: Vec::new(),
            primary_key: Vec::new(),
            unique: Vec::new(),
            references: Vec::new(),
            indexes: Vec::new(),
            groups: Vec::new(),
            requires: None,
            singles: None,
        };
        let near = self.pair_side(&mut table, relation, Side::Near, &lower_camel(&named.near.of));
        let far = self.pair_side(&mut table, relation, Side::Far, &field);
        table.primary_key = [&*near, &*far].concat();
        let columns = [&*far, &*near].concat();
        table.indexes.push(Index { name: "".into(), columns, method: IndexMethod::Tree });
        let place = RelationPlace::Pairs { table: table.name.clone(), near, far };
        self.tables.push(table);
        place
    }

    /// Adds the columns that refer to the rows at one end.
    fn pair_side(
        &mut self,
        table: &mut Table,
        relation: &model::Relation,
        side: Side,
        wanted: &str,
    ) -> Vec<Box<str>> {
        let (own, other) = match side {
            Side::Near => (&relation.near, &relation.far),
            Side::Far => (&relation.far, &relation.near),
        };
        let target = self.target(own.of);
        let mut names = Vec::with_capacity(target.columns.len());
        for (index, (key, r#type)) in target.columns.iter().enumerate() {
            let wanted = match target.columns.len() {
                1 => wanted.to_owned(),
                _ => format!("{wanted}_{key}"),
            };
            let stores = StoredValue::Pair(side, index);
            let name = self.column_name(&table.name, &stores, &wanted);
            names.push(name.clone());
            let r#type = r#type.clone();
            let (is_list, is_required, fill) = (false, true, None);
            table.columns.push(Column { name, stores, r#type, is_list, is_required, fill });
        }
        table.references.push(Reference {
            name: "".into(),
            columns: names.clone(),
            to: target.table,
            target_columns: target.columns.into_iter().map(|(key, _)| key).collect(),
            // A pair is not a row of its own: it goes with either of its rows.
            on_delete: match other.on_delete {
                model::OnDelete::SetNull | model::OnDelete::Cascade => OnDelete::Cascade,
                model::OnDelete::Restrict => OnDelete::Restrict,
            },
            relation: self.named(relation),
            side,
        });
        names
    }

    /// The key of the rows at an end.
    fn target(&self, of: EndOf) -> Target {
        let name = match of {
            EndOf::Entity(index) => {
                self.places.entities.get(index.0).map(|place| place.table.clone())
            }
            EndOf::Group(index) => self.places.groups.get(index.0).cloned().flatten(),
        };
        let table = self.tables.iter().find(|table| Some(&table.name) == name.as_ref());
        let columns = table.map(|table| {
            let key = table.primary_key.iter().filter_map(|key| table.find_column(key));
            key.map(|column| (column.name.clone(), column.r#type.clone())).collect()
        });
        Target { table: name.unwrap_or_default(), columns: columns.unwrap_or_default() }
    }

    /// The tables whose rows are at an end.
    fn holders(&self, of: EndOf) -> Vec<Box<str>> {
        let table = |index: &model::EntityIndex| {
            self.places.entities.get(index.0).map(|place| place.table.clone())
        };
        match of {
            EndOf::Entity(index) => table(&index).into_iter().collect(),
            EndOf::Group(index) => {
                let group = self.model.groups.get(index.0);
                group.iter().flat_map(|group| &group.members).filter_map(table).collect()
            }
        }
    }

    fn named(&self, relation: &model::Relation) -> Relation {
        let end = |end: &model::End| {
            let of = match end.of {
                EndOf::Entity(index) => {
                    self.model.entities.get(index.0).map(|entity| entity.name.clone())
                }
                EndOf::Group(index) => {
                    self.model.groups.get(index.0).map(|group| group.name.clone())
                }
            };
            End { of: of.unwrap_or_default(), field: end.field.clone() }
        };
        Relation { near: end(&relation.near), far: end(&relation.far) }
    }
}

/// The name with its first letter in lower case.
fn lower_camel(name: &str) -> String {
    let mut letters = name.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => String::new(),
    }
}
