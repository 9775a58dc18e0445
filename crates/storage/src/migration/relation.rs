//! Relations that are stored elsewhere than before: between columns of either end and pairs.

use sql::tree::definition::{
    Action, Condition, DataType, Definition, InsertedRows, TableRows, Term,
};

use super::{Change, Check, Finding, Loss, Obstacle, Planner};
use crate::definition::{identifier, table_name};
use crate::tables::{ColumnType, Reference, Relation, RelationOfRows, Side, Stored, Table, Tables};

/// A table that has pairs of keys of a relation: a table of pairs, or a table with a reference.
#[derive(Clone, Copy)]
pub(super) struct Pairs<'m> {
    pub(super) table: &'m Table,
    near: Keys<'m>,
    far: Keys<'m>,
}

/// The keys of the rows at one end.
#[derive(Clone, Copy)]
struct Keys<'m> {
    column: &'m str,
    /// The table of the rows.
    of: &'m str,
}

impl<'m> Pairs<'m> {
    fn keys(&self, side: Side) -> Keys<'m> {
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
    let keys = |side| {
        let mut references = table.references.iter();
        let reference = references.find(|reference| reference.side == side)?;
        Some(Keys { column: single(&reference.columns)?, of: &reference.to })
    };
    Some(Pairs { table, near: keys(Side::Near)?, far: keys(Side::Far)? })
}

fn of_reference<'m>(table: &'m Table, reference: &'m Reference) -> Option<Pairs<'m>> {
    let own = Keys { column: single(&table.primary_key)?, of: &table.name };
    let other = Keys { column: single(&reference.columns)?, of: &reference.to };
    Some(match reference.side {
        Side::Near => Pairs { table, near: other, far: own },
        Side::Far => Pairs { table, near: own, far: other },
    })
}

/// The least key in a column. UUIDs have an order, and PostgreSQL before version 18 no least one.
fn least(table: &Table, column: &str) -> Term {
    let own = Box::new(Term::Column(identifier(column)));
    let is_uuid = table.find_column(column).is_some_and(|own| own.r#type == ColumnType::Uuid);
    match is_uuid {
        true => {
            let text = Term::Cast(own, DataType::Text);
            Term::Cast(Box::new(Term::Minimum(Box::new(text))), DataType::Uuid)
        }
        false => Term::Minimum(own),
    }
}

/// The relations of a table's rows that were not there before.
fn new_relations<'r>(
    before: &'r [RelationOfRows],
    after: &'r [RelationOfRows],
) -> impl Iterator<Item = &'r RelationOfRows> {
    after.iter().filter(|own| {
        !before.iter().any(|old| old.side == own.side && old.relation.is_same(&own.relation))
    })
}

fn single(columns: &[Box<str>]) -> Option<&str> {
    match columns {
        [column] => Some(column),
        _ => None,
    }
}

/// The tables of the rows whose keys a table has: those of the members of a group, or its own.
pub(super) fn leaf_tables<'m>(tables: &'m Tables, name: &str) -> Vec<&'m str> {
    let Some(table) = tables.find(name) else { return Vec::new() };
    match table.stores {
        Stored::Group(_) => tables.members(&table.name).map(|member| &*member.name).collect(),
        Stored::Entity(_) | Stored::Relation(_) | Stored::List { .. } => vec![&*table.name],
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
        let own = pairs.keys(reference.side.other());
        let other = pairs.keys(reference.side);
        let of_row = Term::Of(table_name(&table.name, self.database), identifier(key));
        let mut conditions = vec![Condition::Equal(Term::Column(identifier(own.column)), of_row)];
        conditions.extend(self.leads_to(other, &reference.to));
        let rows = TableRows::of(
            least(pairs.table, other.column),
            table_name(&pairs.table.name, self.database),
            Some(Condition::All(conditions)),
        );
        Some(Term::Query(Box::new(rows)))
    }

    /// A condition on keys that lead to rows of a new table, unless all do.
    fn leads_to(&self, keys: Keys<'_>, to: &str) -> Option<Condition> {
        if self.all_lead_to(keys, to) {
            return None;
        }
        let key = single(&self.new.find(to)?.primary_key)?;
        let targets =
            TableRows::of(Term::Column(identifier(key)), table_name(to, self.database), None);
        let own = Term::Column(identifier(keys.column));
        Some(Condition::Among(own, Box::new(targets)))
    }

    fn all_lead_to(&self, keys: Keys<'_>, to: &str) -> bool {
        let now = leaf_tables(self.new, to);
        leaf_tables(self.old, keys.of).iter().all(|before| now.contains(before))
    }

    /// The check of pairs that do not lead to rows of a new table.
    fn check_of_lost(&self, pairs: &Pairs<'_>, side: Side, to: &str, loss: Loss) -> Option<Check> {
        let keys = pairs.keys(side);
        if self.all_lead_to(keys, to) {
            return None;
        }
        let own = || Term::Column(identifier(keys.column));
        let mut conditions: Vec<Condition> = self.is_pair(pairs).into_iter().collect();
        for target in leaf_tables(self.new, to) {
            let key = self.old.find(target).and_then(|old| single(&old.primary_key));
            let Some(key) = key else { continue };
            let name = table_name(target, self.database);
            let targets = TableRows::of(Term::Column(identifier(key)), name, None);
            conditions.push(Condition::NotAmong(own(), Box::new(targets)));
        }
        let from = table_name(&pairs.table.name, self.database);
        let filter = (!conditions.is_empty()).then_some(Condition::All(conditions));
        Some(self.check(&TableRows::count(from, filter), Finding::Loss(loss)))
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
                terms: vec![Term::Surplus(identifier(pairs.keys(side).column))],
                from: table_name(&pairs.table.name, self.database),
                filter: self.is_pair(&pairs),
            };
            let (of, to) = (table.name.clone(), column.name.clone());
            let loss = Loss::References { table: of, column: to };
            checks.extend(self.check_of_lost(&pairs, reference.side, &reference.to, loss));
            let was_single = pairs.keys(reference.side.other()).column;
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
                    Term::Column(identifier(pairs.keys(reference.side.other()).column)),
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

    /// Tests that rows have others which they had not to have before.
    pub(super) fn require_relations(&mut self) {
        for kept in self.difference.kept.clone() {
            let (Some(before), Some(after)) = (&kept.old.requires, &kept.new.requires) else {
                continue;
            };
            for RelationOfRows { relation, side } in new_relations(before, after) {
                let Some(key) = single(&kept.old.primary_key) else { continue };
                let have_one = pairs(self.old, relation).into_iter().map(|pairs| {
                    let rows = TableRows::of(
                        Term::Column(identifier(pairs.keys(*side).column)),
                        table_name(&pairs.table.name, self.database),
                        self.is_pair(&pairs),
                    );
                    Condition::NotAmong(Term::Column(identifier(key)), Box::new(rows))
                });
                let conditions: Vec<Condition> = have_one.collect();
                let filter = (!conditions.is_empty()).then_some(Condition::All(conditions));
                let table = kept.new.name.clone();
                let field = relation.end(*side).field.clone().unwrap_or_default();
                let place = (table.clone(), field.clone());
                let finding = Finding::Obstacle(Obstacle::Unrelated { table, field });
                let name = table_name(&kept.old.name, self.database);
                let check = self.check(&TableRows::count(name, filter), finding);
                let (table, field) = place;
                self.step(Change::RequireRelation { table, field }, &[], vec![check]);
            }
        }
    }

    /// Tests that rows have one related row at most where they could have several before. Of pairs that
    /// move to a column of these rows one stays, whose check is that of the column.
    pub(super) fn single_relations(&mut self) {
        for kept in self.difference.kept.clone() {
            let (Some(before), Some(after)) = (&kept.old.singles, &kept.new.singles) else {
                continue;
            };
            for RelationOfRows { relation, side } in new_relations(before, after) {
                let moves = kept.new.references.iter().any(|reference| {
                    reference.relation.is_same(relation)
                        && reference.side == side.other()
                        && self.moved(kept.new, reference).is_some()
                });
                if moves {
                    continue;
                }
                let table = kept.new.name.clone();
                let field = relation.end(*side).field.clone().unwrap_or_default();
                let mut checks = Vec::new();
                for pairs in pairs(self.old, relation) {
                    let column = pairs.keys(*side).column;
                    if single(&pairs.table.primary_key) == Some(column) {
                        continue;
                    }
                    let surplus = TableRows {
                        distinct: false,
                        terms: vec![Term::Surplus(identifier(column))],
                        from: table_name(&pairs.table.name, self.database),
                        filter: self.is_pair(&pairs),
                    };
                    let (table, field) = (table.clone(), field.clone());
                    let obstacle = Finding::Obstacle(Obstacle::Several { table, field });
                    checks.push(self.check(&surplus, obstacle));
                }
                self.step(Change::LimitRelation { table, field }, &[], checks);
            }
        }
    }

    /// Fills a new table of pairs from the old place of the relation.
    pub(super) fn fill_pairs(&mut self, table: &Table) {
        let Stored::Relation(relation) = &table.stores else { return };
        let Some(new) = of_pairs(table) else { return };
        let mut statements = Vec::new();
        let mut checks = Vec::new();
        for old in pairs(self.old, relation) {
            let mut conditions: Vec<Condition> = self.is_pair(&old).into_iter().collect();
            for side in [Side::Near, Side::Far] {
                let (keys, to) = (old.keys(side), new.keys(side));
                conditions.extend(self.leads_to(keys, to.of));
                let (of, column) = (table.name.clone(), to.column.into());
                let loss = Loss::References { table: of, column };
                checks.extend(self.check_of_lost(&old, side, to.of, loss));
            }
            let terms = [Side::Near, Side::Far].map(|side| identifier(old.keys(side).column));
            statements.push(Definition::Action(Action::Insert {
                into: table_name(&table.name, self.database),
                columns: vec![identifier(new.near.column), identifier(new.far.column)],
                rows: InsertedRows::Of(TableRows {
                    distinct: false,
                    terms: terms.map(Term::Column).into(),
                    from: table_name(&old.table.name, self.database),
                    filter: (!conditions.is_empty()).then_some(Condition::All(conditions)),
                }),
            }));
        }
        self.step(Change::FillTable(table.name.clone()), &statements, checks);
    }

    /// A condition on rows that have both keys, where a reference may be null.
    fn is_pair(&self, pairs: &Pairs<'_>) -> Option<Condition> {
        let nullable = [pairs.near.column, pairs.far.column]
            .into_iter()
            .find(|name| pairs.table.find_column(name).is_some_and(|column| !column.is_required));
        nullable.map(|name| Condition::IsNotNull(Term::Column(identifier(name))))
    }
}
