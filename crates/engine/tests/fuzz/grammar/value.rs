//! Values for the types of a schema, mostly such that they are accepted.

use graphql::schema::{Schema, TypeId, TypeKind, TypeRef};

use super::{Literal, Typed};
use testkit::fuzz::Choices;

/// Beyond it, objects and lists are left empty where they may be.
const DEEPEST: usize = 7;

const INTEGERS: [&str; 12] =
    ["1", "0", "2", "3", "5", "8", "100", "-1", "7", "2147483647", "-2147483648", "4"];
const WRONG_INTEGERS: [&str; 4] =
    ["2147483648", "-9223372036854775809", "123456789012345678901234567890", "1.5"];
const BIG_INTEGERS: [&str; 7] = [
    "1",
    "0",
    "-1",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
];
const FLOATS: [&str; 8] = ["1.5", "0", "-0.0", "1e3", "0.99", "-2.5E-3", "1e300", "1e-300"];
const DATES: [&str; 8] = [
    "2024-02-29",
    "2020-02-29T12:00:00",
    "2009-01-01 00:00:00",
    "0001-01-01",
    "infinity",
    "2024-02-30",
    "9999-12-31T23:59:59.999999Z",
    "yesterday",
];
const UUIDS: [&str; 4] = [
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "A0EEBC999C0B4EF8BB6D6BB9BD380A12",
    "{11111111-1111-1111-1111-111111111111}",
    "6ba7b810",
];
const TEXTS: [&str; 24] = [
    "a",
    "",
    "Ann",
    "it's",
    "\"quoted\"",
    "back\\slash",
    "%",
    "a%_",
    "\\",
    "*?[a-z]",
    "é街😀",
    "\u{0}",
    "a\u{0}b",
    "\u{7f}\u{1}\u{1f}",
    "\u{2028}\u{feff}",
    "'; DROP TABLE artist; --",
    "$1",
    "?1",
    "{a,b}",
    "NULL",
    "\r\n\t",
    "1",
    "true",
    "\u{10ffff}\u{fffe}",
];

/// What values are made of, and whether all of them fit their types.
#[derive(Debug)]
pub(crate) struct Values<'s> {
    pub(crate) schema: &'s Schema,
    pub(crate) fit: bool,
}

impl Values<'_> {
    pub(crate) fn value(&mut self, r#type: TypeRef, choices: &mut Choices<'_>) -> Typed {
        self.at_depth(r#type, choices, 0)
    }

    fn at_depth(&mut self, r#type: TypeRef, choices: &mut Choices<'_>, depth: usize) -> Typed {
        if !r#type.is_non_null() && choices.chance(8) {
            return Typed { r#type, literal: Literal::Null };
        }
        let literal = match r#type.item() {
            Some(item) => {
                let most = if depth > DEEPEST { 1 } else { 4 };
                let length = match choices.below(40) {
                    39 if depth < 3 => 30,
                    length => length % most,
                };
                if length == 1 && choices.chance(30) && !item.is_list() {
                    // A single value stands for a list of one.
                    let single = self.at_depth(item.non_null(), choices, depth + 1);
                    return Typed { r#type, literal: single.literal };
                }
                let items = (0..length).map(|_| self.at_depth(item, choices, depth + 1));
                Literal::List(items.collect())
            }
            None => self.named(r#type.base, choices, depth),
        };
        Typed { r#type, literal }
    }

    fn named(&mut self, base: TypeId, choices: &mut Choices<'_>, depth: usize) -> Literal {
        let schema = self.schema;
        match &schema[base].kind {
            TypeKind::Enum { values } => match choices.pick(values) {
                Some(value) => Literal::Enum(schema[*value].name.to_string()),
                None => Literal::Null,
            },
            TypeKind::InputObject { fields } => {
                let mut entries: Vec<(String, Typed)> = Vec::new();
                for field in fields {
                    let definition = &schema[*field];
                    if definition.r#type.is_non_null() && definition.default.is_none() {
                        let value = self.at_depth(definition.r#type, choices, depth + 1);
                        entries.push((definition.name.to_string(), value));
                    }
                }
                let more = if depth > DEEPEST { 0 } else { choices.below(4) };
                for _ in 0..more {
                    let Some(field) = choices.pick(fields) else { break };
                    let definition = &schema[*field];
                    if entries.iter().all(|(name, _)| **name != *definition.name) {
                        let value = self.at_depth(definition.r#type, choices, depth + 1);
                        entries.push((definition.name.to_string(), value));
                    }
                }
                Literal::Object(entries)
            }
            TypeKind::Scalar
            | TypeKind::Object { .. }
            | TypeKind::Interface { .. }
            | TypeKind::Union { .. } => self.scalar(&schema[base].name, choices),
        }
    }

    fn scalar(&mut self, name: &str, choices: &mut Choices<'_>) -> Literal {
        if choices.chance(3) {
            self.fit = false;
            return self.anything(choices);
        }
        match name {
            "Boolean" => Literal::Boolean(choices.below(2) == 1),
            "Int" => {
                if choices.chance(3) {
                    self.fit = false;
                    return number(&WRONG_INTEGERS, choices);
                }
                number(&INTEGERS, choices)
            }
            "Float" if choices.chance(50) => number(&FLOATS, choices),
            "Float" => number(&INTEGERS, choices),
            "BigInt" => match choices.below(3) {
                0 => Literal::Text(pick(&BIG_INTEGERS, choices)),
                1 => number(&INTEGERS, choices),
                _ => {
                    // As a JSON number it would lose digits.
                    self.fit = false;
                    number(&BIG_INTEGERS, choices)
                }
            },
            "BigFloat" => match choices.below(2) {
                0 => Literal::Text(pick(&FLOATS, choices)),
                _ => number(&INTEGERS, choices),
            },
            "Date" | "Datetime" | "Time" => Literal::Text(pick(&DATES, choices)),
            "UUID" => Literal::Text(pick(&UUIDS, choices)),
            _ => self.text(choices),
        }
    }

    fn text(&self, choices: &mut Choices<'_>) -> Literal {
        Literal::Text(match choices.below(30) {
            29 => pick(&TEXTS, choices).repeat(2_000),
            28 => pick(&DATES, choices),
            27 => pick(&UUIDS, choices),
            _ => pick(&TEXTS, choices),
        })
    }

    fn anything(&self, choices: &mut Choices<'_>) -> Literal {
        match choices.below(6) {
            0 => number(&WRONG_INTEGERS, choices),
            1 => number(&FLOATS, choices),
            2 => Literal::Boolean(true),
            3 => Literal::Enum("anything".into()),
            4 => Literal::Object(Vec::new()),
            _ => self.text(choices),
        }
    }
}

fn pick(items: &[&str], choices: &mut Choices<'_>) -> String {
    choices.pick(items).map_or_else(String::new, |item| (*item).to_owned())
}

fn number(items: &[&str], choices: &mut Choices<'_>) -> Literal {
    Literal::Number(pick(items, choices))
}
