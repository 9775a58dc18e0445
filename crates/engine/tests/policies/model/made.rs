//! Changes that are made up, and their documents.

use super::change::{Values, is_bulk};
use super::payload::{list, name};
use super::rules::Writing;
use super::{Change, Rules, Shown, Table, Which};
use crate::choices::Choices;

/// A change that the rules let more often than not.
pub(crate) fn change(rules: &Rules, table: Table, choices: &mut Choices<'_>) -> Change {
    match choices.below(8) {
        0 | 1 => {
            let columns = said(rules, table, (false, None), choices);
            let is_bulk = choices.percent(40);
            let count = if is_bulk { 1 + choices.below(2) } else { 1 };
            let row = |_| {
                let mut row = values(table, &columns, choices);
                row.retain(|(column, _)| *column == "id" || !choices.percent(20));
                row
            };
            let rows = (0..count).map(row).collect();
            Change::Create(rows, is_bulk)
        }
        2..=4 => {
            let columns = said(rules, table, (true, None), choices);
            Change::Update(which(table, choices), values(table, &columns, choices))
        }
        5 => Change::Delete(which(table, choices)),
        _ => {
            let key = choices.pick(table.keys());
            let columns = said(rules, table, (false, Some(key)), choices);
            Change::Upsert(key, values(table, &columns, choices))
        }
    }
}

/// Columns that one rule lets be said, or others.
fn said(
    rules: &Rules,
    table: Table,
    (is_update, key): (bool, Option<&'static str>),
    choices: &mut Choices<'_>,
) -> Vec<&'static str> {
    let writings = rules.of(table).filter_map(|rule| match is_update {
        true => rule.update.as_ref(),
        false => rule.insert.as_ref(),
    });
    let writings: Vec<&Writing> = writings.collect();
    let any = choices.percent(10) || writings.is_empty();
    let writing = writings.get(choices.below(writings.len()));
    let may = |column: &&str| any || writing.is_some_and(|writing| writing.lets(&[column]));
    let mut columns: Vec<&str> =
        table.columns().iter().copied().filter(may).filter(|_| choices.percent(55)).collect();
    // The id has no default.
    let wanted = (!is_update).then_some("id").into_iter().chain(key);
    for column in wanted {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    if columns.is_empty() {
        columns.push(choices.pick(table.columns()));
    }
    columns
}

fn values(table: Table, columns: &[&'static str], choices: &mut Choices<'_>) -> Values {
    columns.iter().map(|column| (*column, value(table, column, choices))).collect()
}

fn value(table: Table, column: &str, choices: &mut Choices<'_>) -> Option<i64> {
    let below = match (table, column) {
        (Table::House, "id") => 12,
        (_, "house_id") => 5,
        (_, "id") => 30,
        (_, "mark") => 10,
        _ => 4,
    };
    let value = i64::try_from(choices.below(below)).unwrap();
    // What is not there, rather than null, where the API takes no null.
    (column == "id" || !choices.percent(12)).then_some(value)
}

fn which(table: Table, choices: &mut Choices<'_>) -> Which {
    match choices.percent(55) {
        true => {
            let key = choices.pick(table.keys());
            let below = if table == Table::House { 6 } else { 12 };
            Which::Key(key, choices.below(below).try_into().unwrap())
        }
        false => {
            let column = choices.pick(table.columns());
            Which::All(column, value(table, column, choices), choices.below(5))
        }
    }
}

/// What is asked of the payload, readable more often than not.
pub(crate) fn shown(rules: &Rules, table: Table, choices: &mut Choices<'_>) -> Shown {
    let mut columns = |table: Table| {
        let may = |column: &str| {
            rules.of(table).any(|rule| {
                rule.read.as_ref().is_some_and(|(_, columns)| columns.contains(&column))
            })
        };
        let any = choices.percent(6);
        let columns = table.columns().iter().copied();
        columns
            .filter(|column| *column == "id" || choices.percent(50) && (any || may(column)))
            .collect::<Vec<_>>()
    };
    let (own, house, other) = (columns(table), columns(Table::House), columns(table.other()));
    let same = columns(table);
    let asks_house = table == Table::Guest && choices.percent(25);
    let query = match choices.below(4) {
        0 => Some((table, same)),
        1 => Some((table.other(), other)),
        _ => None,
    };
    Shown { columns: own, house: asks_house.then_some(house), query }
}

impl Change {
    /// The request.
    pub(crate) fn document(&self, table: Table, shown: &Shown) -> String {
        let (row, upper) = match table {
            Table::House => ("house", "House"),
            Table::Guest => ("guest", "Guest"),
        };
        let key = |key: &str| upper_first(name(key));
        let which = |which: &Which| match which {
            Which::Key(key, value) => format!("{}: {value}", name(key)),
            Which::All(column, value, at_most) => {
                format!("condition: {{{}: {}}}, atMost: {at_most}", name(column), number(*value))
            }
        };
        let field_by = |verb: &str, of: &Which| match of {
            Which::Key(by, _) => format!("{verb}{upper}By{}", key(by)),
            Which::All(..) => format!("{verb}{upper}s"),
        };
        let (field, input) = match self {
            Self::Create(rows, true) => {
                let rows: Vec<String> = rows.iter().map(object).collect();
                (format!("create{upper}s"), format!("{row}s: [{}]", rows.join(", ")))
            }
            Self::Create(rows, false) => {
                (format!("create{upper}"), format!("{row}: {}", object(&rows[0])))
            }
            Self::Update(of, values) => {
                let input = format!("{}, {row}Patch: {}", which(of), object(values));
                (field_by("update", of), input)
            }
            Self::Delete(of) => (field_by("delete", of), which(of)),
            Self::Upsert(by, values) => {
                (format!("upsert{upper}By{}", key(by)), format!("{row}: {}", object(values)))
            }
        };
        let selected = |columns: &[&str]| {
            columns.iter().map(|column| name(column)).collect::<Vec<_>>().join(" ")
        };
        let mut own = selected(&shown.columns);
        if let Some(columns) = &shown.house {
            own = format!("{own} houseByHouseId {{ {} }}", selected(columns));
        }
        let mut payload = match is_bulk(self) {
            true => format!("affectedCount {row}s {{ {own} }}"),
            false => format!("{row} {{ {own} }}"),
        };
        if let Some((table, columns)) = &shown.query {
            let (list, columns) = (list(*table), selected(columns));
            payload = format!("{payload} query {{ {list}(orderBy: ID_ASC) {{ {columns} }} }}");
        }
        format!("mutation {{ it: {field}(input: {{{input}}}) {{ {payload} }} }}")
    }
}

fn object(values: &Values) -> String {
    let values: Vec<String> = values
        .iter()
        .map(|(column, value)| format!("{}: {}", name(column), number(*value)))
        .collect();
    format!("{{{}}}", values.join(", "))
}

fn number(value: Option<i64>) -> String {
    value.map_or("null".to_owned(), |value| value.to_string())
}

fn upper_first(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
