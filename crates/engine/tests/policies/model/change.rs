//! What becomes of the rows by a change, and what its answer shows of them.

use serde_json::Value as Json;

use super::rules::Writing;
use super::written::not_null;
use super::{Claims, Row, Rules, Table, World};

/// Values of some columns.
pub(crate) type Values = Vec<(&'static str, Option<i64>)>;

#[derive(Clone, Debug)]
pub(crate) enum Which {
    Key(&'static str, i64),
    /// Rows that have this value, so many at most.
    All(&'static str, Option<i64>, usize),
}

#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// Several by one field, or one.
    Create(Vec<Values>, bool),
    Update(Which, Values),
    Delete(Which),
    Upsert(&'static str, Values),
}

/// What the payload shows.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) columns: Vec<&'static str>,
    /// Of the house of a guest.
    pub(crate) house: Option<Vec<&'static str>>,
    /// Of all rows of a table, after the change.
    pub(crate) query: Option<(Table, Vec<&'static str>)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    Done(Json),
    /// Refused before anything is done.
    Denied,
    /// Undone, for what was written.
    Refused,
    /// Undone or not done, with this code.
    Failed(&'static str),
    /// The model does not say: rules that agree by chance may count as one.
    Unclear,
}

/// The rules that let a write, all with the same presets.
pub(super) type Let<'r> = Vec<&'r Writing>;

/// Who does it by which rules.
pub(crate) struct Actor<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) claims: &'a Claims,
    pub(crate) table: Table,
}

impl Actor<'_> {
    /// What is answered. The rows become what they are then.
    pub(crate) fn act(&self, change: &Change, shown: &Shown, world: &mut World) -> Outcome {
        let mut after = world.clone();
        match self.try_act(change, shown, world, &mut after) {
            Ok(outcome) => {
                *world = after;
                outcome
            }
            Err(outcome) => outcome,
        }
    }

    fn try_act(
        &self,
        change: &Change,
        shown: &Shown,
        before: &World,
        after: &mut World,
    ) -> Result<Outcome, Outcome> {
        let lets = self.judged(change, shown)?;
        let (inserts, updates) = (lets.0.unwrap_or_default(), lets.1.unwrap_or_default());
        let (touched, is_gone) = match change {
            Change::Create(rows, _) => {
                let rows = rows.iter().map(|values| self.inserted(values, &inserts)).collect();
                (self.insert(rows, after)?, false)
            }
            Change::Update(which, values) => {
                let ids = self.found(which, &updates, before);
                if ids.is_empty() && matches!(which, Which::Key(..)) {
                    return Err(Outcome::Failed("NOT_FOUND"));
                }
                let values = self.with_presets(values, &updates);
                let touched = self.update(&ids, &values, after)?;
                guard(which, touched.len())?;
                (touched, false)
            }
            Change::Delete(which) => {
                let ids = self.deleted(which, before);
                if ids.is_empty() && matches!(which, Which::Key(..)) {
                    return Err(Outcome::Failed("NOT_FOUND"));
                }
                self.delete(&ids, after)?;
                guard(which, ids.len())?;
                (ids, true)
            }
            Change::Upsert(key, values) => {
                let row = self.inserted(values, &inserts);
                not_null(&row)?;
                let there = before.rows(self.table).iter();
                let mut there = there.filter(|own| row[key].is_some() && own[key] == row[key]);
                match there.next() {
                    None => (self.insert(vec![row], after)?, false),
                    Some(own) if !self.may_update(own, &updates, before) => {
                        return Err(Outcome::Refused);
                    }
                    Some(own) => {
                        let assigned = assigned(key, values);
                        let values = self.with_presets(&assigned, &updates);
                        (self.update(&[id(own)], &values, after)?, false)
                    }
                }
            }
        };
        let writes_both = matches!(change, Change::Upsert(..));
        for id in touched.iter().filter(|_| !is_gone) {
            let row = find(after.rows(self.table), *id);
            let checked = |lets: &Let<'_>, said: &[&str]| self.checked(lets, said, row, after);
            let is_right = match change {
                Change::Create(..) => checked(&inserts, &[]),
                Change::Update(_, values) => checked(&updates, &names(values)),
                Change::Upsert(key, values) => {
                    checked(&inserts, &[]) && checked(&updates, &names(&assigned(key, values)))
                }
                Change::Delete(_) => true,
            };
            if !is_right {
                return Err(Outcome::Refused);
            }
        }
        let is_bulk = !writes_both && is_bulk(change);
        Ok(Outcome::Done(self.payload(&touched, (is_gone, is_bulk), shown, before, after)))
    }

    fn with_presets(&self, values: &Values, lets: &Let<'_>) -> Values {
        let presets = lets.first().map(|writing| writing.presets.as_slice()).unwrap_or_default();
        let presets = presets.iter().map(|(column, said)| (*column, said.value(self.claims)));
        values.iter().copied().chain(presets).collect()
    }

    /// A new row, with the defaults of what nobody says.
    fn inserted(&self, values: &Values, lets: &Let<'_>) -> Row {
        let default = |column: &&'static str| (*column, (*column == "age").then_some(1));
        let mut row: Row = self.table.columns().iter().map(default).collect();
        row.extend(self.with_presets(values, lets));
        row
    }

    fn may_update(&self, row: &Row, lets: &Let<'_>, world: &World) -> bool {
        let passes = |writing: &&Writing| writing.rows.passes(self.table, row, world, self.claims);
        lets.iter().any(passes) && self.rules.is_seen(self.table, row, world, self.claims)
    }

    fn is_meant(&self, which: &Which, row: &Row, world: &World) -> bool {
        let seen = |column| self.rules.value(self.table, row, column, (world, self.claims));
        match which {
            Which::Key(column, value) => seen(column) == Some(*value),
            Which::All(column, value, _) => seen(column) == *value,
        }
    }

    fn found(&self, which: &Which, lets: &Let<'_>, world: &World) -> Vec<i64> {
        let rows = world.rows(self.table).iter();
        rows.filter(|row| self.is_meant(which, row, world) && self.may_update(row, lets, world))
            .map(id)
            .collect()
    }

    fn deleted(&self, which: &Which, world: &World) -> Vec<i64> {
        let may = |row: &Row| {
            let mut rules = self.rules.of(self.table).filter_map(|rule| rule.delete.as_ref());
            rules.any(|rows| rows.passes(self.table, row, world, self.claims))
                && self.rules.is_seen(self.table, row, world, self.claims)
        };
        let rows = world.rows(self.table).iter();
        rows.filter(|row| self.is_meant(which, row, world) && may(row)).map(id).collect()
    }

    /// Whether what was written passes. Rows that could be updated still can where nothing was
    /// written that decides on it.
    fn checked(&self, lets: &Let<'_>, said: &[&str], row: &Row, world: &World) -> bool {
        let stays = |writing: &&Writing| {
            let presets = writing.presets.iter().map(|(column, _)| *column);
            let mut written = said.iter().copied().chain(presets);
            let table = self.table;
            writing.check.is_none()
                && !written.any(|column| writing.rows.looks_at(table, (table, column)))
        };
        let passes = |writing: &&Writing| {
            let check = writing.check.as_ref().unwrap_or(&writing.rows);
            check.passes(self.table, row, world, self.claims)
        };
        lets.iter().all(stays) || lets.iter().any(passes)
    }
}

pub(crate) fn is_bulk(change: &Change) -> bool {
    match change {
        Change::Create(_, is_bulk) => *is_bulk,
        Change::Update(which, _) | Change::Delete(which) => matches!(which, Which::All(..)),
        Change::Upsert(..) => false,
    }
}

pub(super) fn id(row: &Row) -> i64 {
    row["id"].unwrap()
}

pub(super) fn find(rows: &[Row], own: i64) -> &Row {
    rows.iter().find(|row| id(row) == own).unwrap()
}

pub(super) fn names(values: &Values) -> Vec<&'static str> {
    values.iter().map(|(column, _)| *column).collect()
}

/// What an upsert sets in a row that is there.
pub(super) fn assigned(key: &'static str, values: &Values) -> Values {
    let others: Values = values.iter().copied().filter(|(column, _)| *column != key).collect();
    match others.is_empty() {
        true => values.clone(),
        false => others,
    }
}

fn guard(which: &Which, rows: usize) -> Result<(), Outcome> {
    match which {
        Which::All(_, _, at_most) if rows > *at_most => Err(Outcome::Failed("TOO_MANY_ROWS")),
        Which::All(..) | Which::Key(..) => Ok(()),
    }
}
