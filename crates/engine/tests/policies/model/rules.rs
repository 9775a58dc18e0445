//! Rules that are made up, and what they let of a row.

use std::fmt::Write;

use super::{Claims, Condition, Row, Said, Table, World};
use crate::choices::Choices;

/// What one rule lets; the texts of it are those of the policy file.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) table: Table,
    pub(crate) read: Option<(Condition, Vec<&'static str>)>,
    pub(crate) insert: Option<Writing>,
    pub(crate) update: Option<Writing>,
    pub(crate) delete: Option<Condition>,
}

/// Which rows may be written, and how.
#[derive(Clone, Debug)]
pub(crate) struct Writing {
    pub(crate) rows: Condition,
    pub(crate) columns: Vec<&'static str>,
    pub(crate) presets: Vec<(&'static str, Said)>,
    pub(crate) check: Option<Condition>,
}

#[derive(Clone, Debug)]
pub(crate) struct Rules(pub(crate) Vec<Rule>);

/// What may be seen of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    Plain,
    /// In some rows only, or in all by several rules.
    Some,
    Denied,
}

impl Rule {
    fn made(table: Table, choices: &mut Choices<'_>) -> Self {
        let read = choices.percent(85).then(|| {
            let rows = rows(table, choices);
            let seen = |column: &&str, choices: &mut Choices<'_>| {
                table.promised().contains(column) || choices.percent(80)
            };
            let columns = table.columns().iter().copied();
            (rows, columns.filter(|column| seen(column, choices)).collect())
        });
        let insert = choices.percent(70).then(|| Writing::made(table, false, choices));
        let update = choices.percent(70).then(|| Writing::made(table, true, choices));
        let delete = choices.percent(60).then(|| rows(table, choices));
        Self { table, read, insert, update, delete }
    }

    fn text(&self) -> String {
        let quoted = |columns: &[&str]| format!("[\"{}\"]", columns.join("\", \""));
        let mut text = format!("entity = \"{}\"\n", self.table.name());
        if let Some((rows, columns)) = &self.read {
            let (rows, columns) = (rows.text(self.table), quoted(columns));
            let _ = writeln!(text, "read = {{ rows = {rows}, columns = {columns} }}");
        }
        for (verb, writing) in [("insert", &self.insert), ("update", &self.update)] {
            let Some(writing) = writing else { continue };
            let columns = match writing.columns.is_empty() {
                true => "[]".to_owned(),
                false => quoted(&writing.columns),
            };
            let _ = write!(text, "{verb} = {{ columns = {columns}");
            if verb == "update" {
                let _ = write!(text, ", rows = {}", writing.rows.text(self.table));
            }
            let presets = writing.presets.iter();
            let presets: Vec<_> =
                presets.map(|(column, said)| format!("{column} = {}", said.text())).collect();
            let _ = write!(text, ", presets = {{ {} }}", presets.join(", "));
            if let Some(check) = &writing.check {
                let _ = write!(text, ", check = {}", check.text(self.table));
            }
            text.push_str(" }\n");
        }
        if let Some(rows) = &self.delete {
            let _ = writeln!(text, "delete = {{ rows = {} }}", rows.text(self.table));
        }
        text
    }
}

fn rows(table: Table, choices: &mut Choices<'_>) -> Condition {
    match choices.percent(40) {
        true => Condition::everything(),
        false => Condition::made(table, 2, choices),
    }
}

impl Writing {
    fn made(table: Table, is_update: bool, choices: &mut Choices<'_>) -> Self {
        let columns: Vec<&str> = table
            .columns()
            .iter()
            .copied()
            .filter(|column| choices.percent(if *column == "id" && is_update { 30 } else { 85 }))
            .collect();
        let presets = table.columns().iter().copied().filter(|column| *column != "id");
        let presets = presets.filter_map(|column| match choices.percent(8) {
            true => Some((column, Said::made(choices))),
            false => None,
        });
        let presets = presets.collect();
        let check = choices.percent(40).then(|| rows(table, choices));
        let rows = if is_update { rows(table, choices) } else { Condition::everything() };
        Self { rows, columns, presets, check }
    }

    /// Whether the request may say all of these columns.
    pub(crate) fn lets(&self, said: &[&str]) -> bool {
        let is_preset = |column: &str| self.presets.iter().any(|(preset, _)| *preset == column);
        said.iter().all(|column| self.columns.contains(column) && !is_preset(column))
    }
}

impl Rules {
    pub(crate) fn made(choices: &mut Choices<'_>) -> Self {
        let mut rules = Vec::new();
        for table in Table::ALL {
            for _ in 0..=choices.below(3) {
                rules.push(Rule::made(table, choices));
            }
        }
        Self(rules)
    }

    /// The policy file.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (number, rule) in self.0.iter().enumerate() {
            let _ = writeln!(text, "[rules.r{number}]\n{}", rule.text());
        }
        let names: Vec<String> = (0..self.0.len()).map(|number| format!("\"r{number}\"")).collect();
        let _ = writeln!(text, "[roles.made]\nrules = [{}]", names.join(", "));
        text
    }

    pub(crate) fn of(&self, table: Table) -> impl Iterator<Item = &Rule> {
        self.0.iter().filter(move |rule| rule.table == table)
    }

    pub(crate) fn may_read(&self, table: Table) -> bool {
        self.of(table).any(|rule| rule.read.is_some())
    }

    pub(crate) fn is_seen(&self, table: Table, row: &Row, world: &World, claims: &Claims) -> bool {
        let mut reads = self.of(table).filter_map(|rule| rule.read.as_ref());
        reads.any(|(rows, _)| rows.passes(table, row, world, claims))
    }

    pub(crate) fn sight(&self, table: Table, column: &str) -> Sight {
        let reads: Vec<_> = self.of(table).filter_map(|rule| rule.read.as_ref()).collect();
        let with = reads.iter().filter(|(_, columns)| columns.contains(&column)).count();
        match with {
            0 => Sight::Denied,
            with if with == reads.len() => Sight::Plain,
            _ => Sight::Some,
        }
    }

    /// A value as the role sees it.
    pub(crate) fn value(
        &self,
        table: Table,
        row: &Row,
        column: &str,
        (world, claims): (&World, &Claims),
    ) -> Option<i64> {
        let mut reads = self.of(table).filter_map(|rule| rule.read.as_ref());
        let shows = reads.any(|(rows, columns)| {
            columns.contains(&column) && rows.passes(table, row, world, claims)
        });
        if shows { row[column] } else { None }
    }
}
