//! A filter as the tests have it: made of choices, written as JSON, evaluated.

use std::cmp::Ordering;

use serde_json::{Value as Json, json};

use super::model::{COLUMNS, Column, Data, ENTITIES, Entity, Kind, Letters, Relation};
use super::object;
use super::text::{fold, is_like};
use crate::choices::Choices;

/// A condition on a row.
#[derive(Debug)]
pub(super) enum Test {
    Column { column: Column, operator: &'static str, operand: Json },
    And(Vec<Test>),
    Or(Vec<Test>),
    Not(Box<Test>),
    One { relation: &'static Relation, test: Box<Test> },
    Many { relation: &'static Relation, quantifier: &'static str, test: Box<Test> },
    Exists { relation: &'static Relation, name: &'static str, exists: bool },
}

const COMPARISONS: [&str; 11] = [
    "isNull",
    "equalTo",
    "notEqualTo",
    "distinctFrom",
    "notDistinctFrom",
    "in",
    "notIn",
    "lessThan",
    "lessThanOrEqualTo",
    "greaterThan",
    "greaterThanOrEqualTo",
];

const TEXT_OPERATORS: [&str; 37] = [
    "isNull",
    "equalTo",
    "notEqualTo",
    "distinctFrom",
    "notDistinctFrom",
    "in",
    "notIn",
    "lessThan",
    "lessThanOrEqualTo",
    "greaterThan",
    "greaterThanOrEqualTo",
    "includes",
    "notIncludes",
    "includesInsensitive",
    "notIncludesInsensitive",
    "startsWith",
    "notStartsWith",
    "startsWithInsensitive",
    "notStartsWithInsensitive",
    "endsWith",
    "notEndsWith",
    "endsWithInsensitive",
    "notEndsWithInsensitive",
    "like",
    "notLike",
    "likeInsensitive",
    "notLikeInsensitive",
    "equalToInsensitive",
    "notEqualToInsensitive",
    "distinctFromInsensitive",
    "notDistinctFromInsensitive",
    "inInsensitive",
    "notInInsensitive",
    "lessThanInsensitive",
    "lessThanOrEqualToInsensitive",
    "greaterThanInsensitive",
    "greaterThanOrEqualToInsensitive",
];

impl Kind {
    pub(super) fn operators(self) -> &'static [&'static str] {
        match self {
            Self::Text => &TEXT_OPERATORS,
            Self::Integer | Self::Float | Self::Decimal | Self::Boolean | Self::Ordered => {
                &COMPARISONS
            }
        }
    }
}

/// The columns of an entity that have operators here.
fn columns(entity: Entity) -> Vec<Column> {
    if entity == ENTITIES[0] {
        return COLUMNS.to_vec();
    }
    let kind = |name: &str| match name {
        "name" | "body" => Kind::Text,
        _ => Kind::Integer,
    };
    let others = |kind| if kind == Kind::Text { COLUMNS[0].others } else { &["1", "4"][..] };
    let column =
        |name: &&'static str| Column { name, kind: kind(name), others: others(kind(name)) };
    entity.columns.iter().map(column).collect()
}

impl Test {
    /// An operator on a column of the first entity.
    pub(super) fn of(
        column: Column,
        operator: &'static str,
        data: &Data,
        choices: &mut Choices<'_>,
    ) -> Self {
        Self::on(ENTITIES[0], column, operator, data, choices)
    }

    fn on(
        entity: Entity,
        column: Column,
        operator: &'static str,
        data: &Data,
        choices: &mut Choices<'_>,
    ) -> Self {
        let Column { name, kind, others } = column;
        let mut pool: Vec<Json> = others.iter().map(|text| kind.json(name, text)).collect();
        let own = data.rows(entity).iter().map(|row| row[name].clone());
        pool.extend(own.filter(|value| !value.is_null()));
        let mut one = || {
            let value = pool[choices.below(pool.len())].clone();
            // A pattern that ends in an escape is an error of its own.
            let is_pattern = operator.to_ascii_lowercase().contains("like");
            let escapes = value.as_str().is_some_and(|text| {
                let end = text.len() - text.trim_end_matches('\\').len();
                end % 2 == 1
            });
            if is_pattern && escapes { json!("a%") } else { value }
        };
        let operand = match operator {
            "isNull" => json!(one().to_string().len() % 2 == 0),
            "in" | "notIn" | "inInsensitive" | "notInInsensitive" => {
                let first = one();
                let length = first.to_string().len() % 4;
                let rest = (0..length).map(|_| one());
                if length == 3 { json!([]) } else { rest.chain([first]).collect() }
            }
            _ => one(),
        };
        Self::Column { column, operator, operand }
    }

    /// A tree of at most so many levels.
    pub(super) fn tree(
        entity: Entity,
        data: &Data,
        choices: &mut Choices<'_>,
        depth: usize,
    ) -> Self {
        let leaf = |choices: &mut Choices<'_>| {
            let column = choices.pick(&columns(entity));
            let operator = choices.pick(column.kind.operators());
            Self::on(entity, column, operator, data, choices)
        };
        if depth == 0 {
            return leaf(choices);
        }
        let within = |choices: &mut Choices<'_>| Self::tree(entity, data, choices, depth - 1);
        match choices.below(8) {
            0 => Self::And((0..=choices.below(3)).map(|_| within(choices)).collect()),
            1 => Self::Or((0..=choices.below(3)).map(|_| within(choices)).collect()),
            2 => Self::Not(Box::new(within(choices))),
            3..=5 => {
                let relation = &entity.relations[choices.below(entity.relations.len())];
                if let (Some(name), true) = (relation.exists, choices.percent(20)) {
                    return Self::Exists { relation, name, exists: choices.percent(50) };
                }
                let test = Self::tree(ENTITIES[relation.to], data, choices, depth - 1);
                let test = Box::new(test);
                match relation.many {
                    false => Self::One { relation, test },
                    true => {
                        let quantifier = choices.pick(&["some", "every", "none"]);
                        Self::Many { relation, quantifier, test }
                    }
                }
            }
            _ => leaf(choices),
        }
    }

    /// The filter as the API has it.
    pub(super) fn json(&self) -> Json {
        let list = |tests: &[Self]| tests.iter().map(Self::json).collect::<Json>();
        match self {
            Self::Column { column, operator, operand } => {
                object(column.name, object(operator, operand.clone()))
            }
            Self::And(tests) => object("and", list(tests)),
            Self::Or(tests) => object("or", list(tests)),
            Self::Not(test) => object("not", test.json()),
            Self::One { relation, test } => object(relation.name, test.json()),
            Self::Many { relation, quantifier, test } => {
                object(relation.name, object(quantifier, test.json()))
            }
            Self::Exists { name, exists, .. } => object(name, json!(exists)),
        }
    }

    /// Whether a row passes; `None` where that is unknown.
    pub(super) fn value(&self, row: &Json, data: &Data, letters: Letters) -> Option<bool> {
        let all = |tests: &[Self]| -> Vec<Option<bool>> {
            tests.iter().map(|test| test.value(row, data, letters)).collect()
        };
        match self {
            Self::Column { column, operator, operand } => {
                operated(column.kind, operator, &row[column.name], operand, letters)
            }
            Self::And(tests) => {
                let values = all(tests);
                match (values.contains(&Some(false)), values.contains(&None)) {
                    (true, _) => Some(false),
                    (false, true) => None,
                    (false, false) => Some(true),
                }
            }
            Self::Or(tests) => {
                let values = all(tests);
                match (values.contains(&Some(true)), values.contains(&None)) {
                    (true, _) => Some(true),
                    (false, true) => None,
                    (false, false) => Some(false),
                }
            }
            Self::Not(test) => test.value(row, data, letters).map(|value| !value),
            Self::One { relation, test } => {
                let mut related = data.related(relation, row);
                Some(related.any(|far| test.value(far, data, letters) == Some(true)))
            }
            Self::Many { relation, quantifier, test } => {
                let mut values =
                    data.related(relation, row).map(|far| test.value(far, data, letters));
                Some(match *quantifier {
                    "some" => values.any(|value| value == Some(true)),
                    "none" => values.all(|value| value != Some(true)),
                    // Unknown is held against nobody.
                    _ => values.all(|value| value != Some(false)),
                })
            }
            Self::Exists { relation, exists, .. } => {
                Some(data.related(relation, row).next().is_some() == *exists)
            }
        }
    }
}

fn operated(
    kind: Kind,
    operator: &str,
    value: &Json,
    operand: &Json,
    letters: Letters,
) -> Option<bool> {
    if operator == "isNull" {
        return Some(Json::Bool(value.is_null()) == *operand);
    }
    if let Some(plain) = operator.strip_suffix("Insensitive") {
        let folded = |value: &Json| match value {
            Json::String(text) => json!(fold(text, letters)),
            Json::Array(items) => {
                let text = |item: &Json| fold(item.as_str().unwrap_or_default(), letters);
                items.iter().map(text).collect()
            }
            other => other.clone(),
        };
        return operated(kind, plain, &folded(value), &folded(operand), letters);
    }
    let order = || (!value.is_null()).then(|| kind.order(value, operand));
    let within = || {
        let items = operand.as_array().expect("a list");
        match items.is_empty() {
            true => Some(false),
            false if value.is_null() => None,
            false => Some(items.iter().any(|item| kind.order(value, item) == Ordering::Equal)),
        }
    };
    match operator {
        "equalTo" => order().map(Ordering::is_eq),
        "notEqualTo" => order().map(Ordering::is_ne),
        "distinctFrom" => Some(order() != Some(Ordering::Equal)),
        "notDistinctFrom" => Some(order() == Some(Ordering::Equal)),
        "in" => within(),
        "notIn" => within().map(|within| !within),
        "lessThan" => order().map(Ordering::is_lt),
        "lessThanOrEqualTo" => order().map(Ordering::is_le),
        "greaterThan" => order().map(Ordering::is_gt),
        "greaterThanOrEqualTo" => order().map(Ordering::is_ge),
        matched => {
            let (text, part) = (value.as_str()?, operand.as_str()?);
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            let like = || is_like(&letters(text), &letters(part));
            Some(match matched {
                "includes" => text.contains(part),
                "notIncludes" => !text.contains(part),
                "startsWith" => text.starts_with(part),
                "notStartsWith" => !text.starts_with(part),
                "endsWith" => text.ends_with(part),
                "notEndsWith" => !text.ends_with(part),
                "like" => like(),
                "notLike" => !like(),
                other => panic!("no such operator: {other}"),
            })
        }
    }
}
