//! Conditions of rules: as a policy file says them, and whether a row passes.

use super::{Claims, Row, Table, World};
use crate::choices::Choices;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Said {
    Value(i64),
    Claim(&'static str),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Condition {
    Compare(&'static str, &'static str, Said),
    In(&'static str),
    IsNull(&'static str, bool),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    /// `some`, `none` or `every` row of the other table.
    Related(&'static str, Box<Condition>),
}

impl Said {
    pub(crate) fn made(choices: &mut Choices<'_>) -> Self {
        match choices.percent(30) {
            true => Self::Claim(choices.pick(&["one", "two", "missing"])),
            false => Self::Value(choices.below(4).try_into().unwrap()),
        }
    }

    pub(crate) fn value(&self, claims: &Claims) -> Option<i64> {
        match self {
            Self::Value(value) => Some(*value),
            Self::Claim(name) => claims.numbers.get(name).copied(),
        }
    }

    pub(crate) fn text(&self) -> String {
        match self {
            Self::Value(value) => value.to_string(),
            Self::Claim(name) => format!("{{ claim = \"{name}\" }}"),
        }
    }
}

impl Condition {
    pub(crate) fn made(table: Table, depth: usize, choices: &mut Choices<'_>) -> Self {
        let below = |choices: &mut Choices<'_>| Self::made(table, depth - 1, choices);
        match choices.below(if depth == 0 { 4 } else { 9 }) {
            0 | 1 | 4 => {
                let operators = ["eq", "ne", "lt", "le", "gt", "ge"];
                let (column, operator) = (choices.pick(table.columns()), choices.pick(&operators));
                Self::Compare(column, operator, Said::made(choices))
            }
            2 => Self::In(choices.pick(table.columns())),
            3 => Self::IsNull(choices.pick(table.columns()), choices.percent(50)),
            5 => Self::All(vec![below(choices), below(choices)]),
            6 => Self::Any(vec![below(choices), below(choices)]),
            7 => Self::Not(Box::new(below(choices))),
            _ => {
                let quantifier = choices.pick(&["some", "none", "every"]);
                Self::Related(quantifier, Box::new(Self::made(table.other(), 0, choices)))
            }
        }
    }

    pub(crate) fn everything() -> Self {
        Self::All(Vec::new())
    }

    pub(crate) fn is_everything(&self) -> bool {
        matches!(self, Self::All(all) if all.is_empty())
    }

    /// As a table of the file, about rows of this table.
    pub(crate) fn text(&self, table: Table) -> String {
        let list = |conditions: &[Self]| {
            let texts: Vec<String> = conditions.iter().map(|one| one.text(table)).collect();
            format!("[{}]", texts.join(", "))
        };
        match self {
            Self::Compare(column, operator, said) => {
                format!("{{ {column} = {{ {operator} = {} }} }}", said.text())
            }
            Self::In(column) => format!("{{ {column} = {{ in = {{ claim = \"list\" }} }} }}"),
            Self::IsNull(column, is) => format!("{{ {column} = {{ is_null = {is} }} }}"),
            Self::All(conditions) => format!("{{ all = {} }}", list(conditions)),
            Self::Any(conditions) => format!("{{ any = {} }}", list(conditions)),
            Self::Not(condition) => format!("{{ not = {} }}", condition.text(table)),
            Self::Related(quantifier, condition) => {
                let other = table.other();
                format!("{{ {quantifier} = {{ {} = {} }} }}", other.name(), condition.text(other))
            }
        }
    }

    pub(crate) fn passes(&self, table: Table, row: &Row, world: &World, claims: &Claims) -> bool {
        self.is(table, row, (world, claims), true) == Some(true)
    }

    /// Whether it is true; `None`: that is unknown. What is compared with a missing claim lets
    /// nothing: it counts as false where that keeps the row out, and as true where that does.
    fn is(
        &self,
        table: Table,
        row: &Row,
        around: (&World, &Claims),
        keeps_out: bool,
    ) -> Option<bool> {
        let (world, claims) = around;
        match self {
            Self::Compare(column, operator, said) => {
                let Some(value) = said.value(claims) else { return Some(!keeps_out) };
                row[column].map(|own| match *operator {
                    "eq" => own == value,
                    "ne" => own != value,
                    "lt" => own < value,
                    "le" => own <= value,
                    "gt" => own > value,
                    _ => own >= value,
                })
            }
            Self::In(column) => row[column].map(|own| claims.list.contains(&own)),
            Self::IsNull(column, is) => Some(row[column].is_none() == *is),
            Self::All(conditions) => {
                let all = conditions.iter().map(|one| one.is(table, row, around, keeps_out));
                let all: Vec<_> = all.collect();
                match all.contains(&Some(false)) {
                    true => Some(false),
                    false => all.into_iter().collect::<Option<Vec<_>>>().map(|_| true),
                }
            }
            Self::Any(conditions) => {
                let any = conditions.iter().map(|one| one.is(table, row, around, keeps_out));
                let any: Vec<_> = any.collect();
                match any.contains(&Some(true)) {
                    true => Some(true),
                    false => any.into_iter().collect::<Option<Vec<_>>>().map(|_| false),
                }
            }
            Self::Not(condition) => condition.is(table, row, around, !keeps_out).map(|is| !is),
            Self::Related(quantifier, condition) => {
                let passes = |keeps_out: bool| {
                    move |other: &&Row| {
                        condition.is(table.other(), other, around, keeps_out) == Some(true)
                    }
                };
                let related = world.related(table, row);
                Some(match *quantifier {
                    "some" => related.iter().any(passes(keeps_out)),
                    "none" => !related.iter().any(passes(!keeps_out)),
                    _ => related.iter().all(passes(keeps_out)),
                })
            }
        }
    }

    /// Whether it looks at rows of the other table.
    pub(crate) fn leads(&self) -> bool {
        match self {
            Self::Compare(..) | Self::In(_) | Self::IsNull(..) => false,
            Self::All(conditions) | Self::Any(conditions) => conditions.iter().any(Self::leads),
            Self::Not(condition) => condition.leads(),
            Self::Related(..) => true,
        }
    }

    /// Whether it names a claim that nobody has.
    pub(crate) fn lacks(&self, claims: &Claims) -> bool {
        match self {
            Self::Compare(_, _, said) => said.value(claims).is_none(),
            Self::In(_) | Self::IsNull(..) => false,
            Self::All(conditions) | Self::Any(conditions) => {
                conditions.iter().any(|condition| condition.lacks(claims))
            }
            Self::Not(condition) | Self::Related(_, condition) => condition.lacks(claims),
        }
    }

    /// Whether it looks at a column of one of the two tables.
    pub(crate) fn looks_at(&self, table: Table, at: (Table, &str)) -> bool {
        match self {
            Self::Compare(column, ..) | Self::In(column) | Self::IsNull(column, _) => {
                (table, *column) == at
            }
            Self::All(conditions) | Self::Any(conditions) => {
                conditions.iter().any(|condition| condition.looks_at(table, at))
            }
            Self::Not(condition) => condition.looks_at(table, at),
            Self::Related(_, condition) => {
                let (near, far) = table.link();
                (table, near) == at
                    || (table.other(), far) == at
                    || condition.looks_at(table.other(), at)
            }
        }
    }
}
