//! Relations that are stored elsewhere than before: between columns of either end and pairs.

use sql::tree::definition::{Action, Condition, Definition, InsertedRows, TableRows, Term};

use super::{Change, Check, Finding, Loss, Obstacle, Planner};
use crate::definition::{identifier, table_name};
use crate::tables::{Reference, Relation, Side, Stored, Table, Tables};

/// A table that has pairs of keys of a relation: a table of pairs, or a table with a reference.
#[derive(Clone, Copy)]
pub(super) struct Pairs<'m> {
    pub(super) table: &'m Table,
    near: &'m str,
    far: &'m str,
}

impl<'m> Pairs<'m> {
    fn column(&self, side: Side) -> &'m str {
        match side {
            Side::Near => self.near,
            Side::Far => self.far,
        }
    }
}

/// The tables that have the pairs of a relation, with its ends as the relation names them. References
/// of several columns are left aside.
fn pairs<'m>(tables: &'m Tables, relation: &Relation) -> Vec<Pairs<'m>> {
    let mut found = Vec::new();
    for table in &tables.tables {
        if let Stored::Relation(own) = &table.stores {
            if own.is_same(relation)
                && let Some(pairs) = of_pairs(table)
            {
                found.push(turned(pairs, own, relation));
            }
            continue;
        }
        for reference in &table.references {
            if reference.relation.is_same(relation)
                && let Some(pairs) = of_reference(table, reference)
            {
                found.push(turned(pairs, &reference.relation, relation));
            }
        }
    }
    found
}

fn of_pairs(table: &Table) -> Option<Pairs<'_>> {
    let column = |side| {
        let mut references = table.references.iter();
        let reference = references.find(|reference| reference.side == side)?;
        single(&reference.columns)
    };
    Some(Pairs { table, near: column(Side::Near)?, far: column(Side::Far)? })
}

fn of_reference<'m>(table: &'m Table, reference: &'m Reference) -> Option<Pairs<'m>> {
    let (key, column) = (single(&table.primary_key)?, single(&reference.columns)?);
    Some(match reference.side {
        Side::Near => Pairs { table, near: column, far: key },
        Side::Far => Pairs { table, near: key, far: column },
    })
}

fn single(columns: &[Box<str>]) -> Option<&str> {
    match columns {
        [column] => Some(column),
        _ => None,
    }
}

/// The pairs with their ends exchanged, if the relation was read from the other end.
fn turned<'m>(pairs: Pairs<'m>, from: &Relation, to: &Relation) -> Pairs<'m> {
    let is_turned = (from.near.field.is_some() && from.near == to.far)
        || (from.far.field.is_some() && from.far == to.near);
    // A relation of an end with itself is as it was.
    match is_turned && from.near != to.near {
        true => Pairs { near: pairs.far, far: pairs.near, ..pairs },
        false => pairs,
    }
}

impl<'m> Planner<'m> {
    /// Whether all pairs of a relation in an old table move to another place.
    pub(super) fn is_moved(&self, old: &Table, relation: &Relation) -> bool {
        let fills_pairs = self.difference.created.iter().any(|table| {
            matches!(&table.stores, Stored::Relation(own) if own.is_same(relation))
                && of_pairs(table).is_some()
        });
        let fills_column = self.difference.kept.iter().any(|kept| {
            kept.new.references.iter().any(|reference| {
                reference.relation.is_same(relation)
                    && kept.added().any(|column| reference.columns.contains(&column.name))
                    && self
                        .moved(kept.new, reference)
                        .is_some_and(|pairs| pairs.table.name == old.name)
            })
        });
        fills_pairs || fills_column
    }

    /// The old pairs of the relation of a new reference, if they are in one other table.
    fn moved(&self, table: &Table, reference: &Reference) -> Option<Pairs<'m>> {
        match pairs(self.old, &reference.relation)[..] {
            [pairs] if pairs.table.name != table.name && reference.columns.len() == 1 => {
                Some(pairs)
            }
            _ => None,
        }
    }

    /// The value of a new reference, looked up in the old pairs.
    pub(super) fn looked_up(&self, table: &Table, reference: &Reference) -> Option<Term> {
        let pairs = self.moved(table, reference)?;
        let key = single(&table.primary_key)?;
        let own = pairs.column(reference.side.other());
        let other = pairs.column(reference.side);
        let of_row = Term::Of(table_name(&table.name, self.database), identifier(key));
        let rows = TableRows::of(
            Term::Minimum(Box::new(Term::Column(identifier(other)))),
            table_name(&pairs.table.name, self.database),
            Some(Condition::Equal(Term::Column(identifier(own)), of_row)),
        );
        Some(Term::Query(Box::new(rows)))
    }

    /// The checks of a new reference that takes its values from old pairs, or has none.
    pub(super) fn checks_of_new(&self, table: &Table, reference: &Reference) -> Vec<Check> {
        let Some(column) = reference.columns.first().and_then(|own| table.find_column(own)) else {
            return Vec::new();
        };
        let place = || (table.name.clone(), column.name.clone());
        let name = table_name(&table.name, self.database);
        let mut checks = Vec::new();
        let pairs = self.moved(table, reference);
        if let Some(pairs) = pairs {
            let surplus = |side| TableRows {
                distinct: false,
                terms: vec![Term::Surplus(identifier(pairs.column(side)))],
                from: table_name(&pairs.table.name, self.database),
                filter: self.is_pair(&pairs),
            };
            let was_single = pairs.column(reference.side.other());
            if *pairs.table.primary_key != [was_single.into()] {
                let (table, column) = place();
                let loss = Finding::Loss(Loss::Related { table, column });
                checks.push(self.check(&surplus(reference.side.other()), loss));
            }
            if table.unique.iter().any(|unique| unique.columns == reference.columns) {
                let (table, column) = place();
                let obstacle = Finding::Obstacle(Obstacle::Duplicate { table, column });
                checks.push(self.check(&surplus(reference.side), obstacle));
            }
        }
        if column.is_required {
            let without = pairs.and_then(|pairs| {
                let rows = TableRows::of(
                    Term::Column(identifier(pairs.column(reference.side.other()))),
                    table_name(&pairs.table.name, self.database),
                    self.is_pair(&pairs),
                );
                let key = Term::Column(identifier(single(&table.primary_key)?));
                Some(Condition::NotAmong(key, Box::new(rows)))
            });
            let (table, column) = place();
            let obstacle = Finding::Obstacle(Obstacle::NoValue { table, column });
            checks.push(self.check(&TableRows::count(name, without), obstacle));
        }
        checks
    }

    /// Fills a new table of pairs from the old place of the relation.
    pub(super) fn fill_pairs(&mut self, table: &Table) {
        let Stored::Relation(relation) = &table.stores else { return };
        let Some(new) = of_pairs(table) else { return };
        let old = pairs(self.old, relation);
        let statements: Vec<Definition> = old
            .iter()
            .map(|old| {
                Definition::Action(Action::Insert {
                    into: table_name(&table.name, self.database),
                    columns: vec![identifier(new.near), identifier(new.far)],
                    rows: InsertedRows::Of(TableRows {
                        distinct: false,
                        terms: vec![
                            Term::Column(identifier(old.near)),
                            Term::Column(identifier(old.far)),
                        ],
                        from: table_name(&old.table.name, self.database),
                        filter: self.is_pair(old),
                    }),
                })
            })
            .collect();
        self.step(Change::FillTable(table.name.clone()), &statements, Vec::new());
    }

    /// A condition on rows that have both keys, where a reference may be null.
    fn is_pair(&self, pairs: &Pairs<'_>) -> Option<Condition> {
        let nullable = [pairs.near, pairs.far]
            .into_iter()
            .find(|name| pairs.table.find_column(name).is_some_and(|column| !column.is_required));
        nullable.map(|name| Condition::IsNotNull(Term::Column(identifier(name))))
    }
}
