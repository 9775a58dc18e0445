//! Two tables as plain lists, with rules that are made up, and what they mean said once more as
//! simply as can be: nothing here knows of SQL, or of how the engine goes about it.

mod change;
mod condition;
mod judged;
mod made;
mod payload;
mod rules;
mod written;

use std::collections::BTreeMap;

pub(crate) use change::{Actor, Change, Outcome, Shown, Which};
pub(crate) use condition::{Condition, Said};
pub(crate) use made::{change, shown};
pub(crate) use rules::Rules;

/// A row: its values by the names of their columns.
pub(crate) type Row = BTreeMap<&'static str, Option<i64>>;

/// Who asks: what a claim is, and those that are lists.
#[derive(Clone, Debug)]
pub(crate) struct Claims {
    pub(crate) numbers: BTreeMap<&'static str, i64>,
    pub(crate) list: Vec<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    House,
    Guest,
}

/// The rows that there are, in the order of their ids.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct World {
    pub(crate) houses: Vec<Row>,
    pub(crate) guests: Vec<Row>,
}

/// How the tables are made.
pub(crate) const SQL: &str = "
    CREATE TABLE house (id INTEGER PRIMARY KEY, owner INTEGER, size INTEGER);
    CREATE TABLE guest (
        id INTEGER PRIMARY KEY, house_id INTEGER REFERENCES house (id), points INTEGER,
        mark INTEGER UNIQUE, age INTEGER NOT NULL DEFAULT 1
    );
    INSERT INTO house (id, owner, size) VALUES (1, 1, 3), (2, 2, 1), (3, 1, NULL), (4, NULL, 2);
    INSERT INTO guest (id, house_id, points, mark, age) VALUES
        (1, 1, 1, 1, 1), (2, 1, 2, NULL, 2), (3, 2, NULL, 3, 1), (4, 2, 4, 4, 3), (5, 3, 1, 5, 2),
        (6, NULL, 3, NULL, 1), (7, 3, NULL, 7, 4);";

impl Table {
    pub(crate) const ALL: [Self; 2] = [Self::House, Self::Guest];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::House => "house",
            Self::Guest => "guest",
        }
    }

    pub(crate) fn columns(self) -> &'static [&'static str] {
        match self {
            Self::House => &["id", "owner", "size"],
            Self::Guest => &["id", "house_id", "points", "mark", "age"],
        }
    }

    /// What the API promises never to be null, so that no rule hides it.
    pub(crate) fn promised(self) -> &'static [&'static str] {
        match self {
            Self::House => &["id"],
            Self::Guest => &["id", "age"],
        }
    }

    /// The columns of its keys.
    pub(crate) fn keys(self) -> &'static [&'static str] {
        match self {
            Self::House => &["id"],
            Self::Guest => &["id", "mark"],
        }
    }

    /// The columns of the relationship to the other table, here and there.
    pub(crate) fn link(self) -> (&'static str, &'static str) {
        match self {
            Self::House => ("id", "house_id"),
            Self::Guest => ("house_id", "id"),
        }
    }

    pub(crate) fn other(self) -> Self {
        match self {
            Self::House => Self::Guest,
            Self::Guest => Self::House,
        }
    }
}

impl World {
    pub(crate) fn rows(&self, table: Table) -> &[Row] {
        match table {
            Table::House => &self.houses,
            Table::Guest => &self.guests,
        }
    }

    pub(crate) fn rows_mut(&mut self, table: Table) -> &mut Vec<Row> {
        match table {
            Table::House => &mut self.houses,
            Table::Guest => &mut self.guests,
        }
    }

    /// The rows of the other table that belong to a row.
    pub(crate) fn related(&self, table: Table, row: &Row) -> Vec<&Row> {
        let (near, far) = table.link();
        let value = row[near];
        let rows = self.rows(table.other()).iter();
        rows.filter(|other| value.is_some() && other[far] == value).collect()
    }
}
