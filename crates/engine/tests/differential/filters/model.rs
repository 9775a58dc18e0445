//! The rows that are filtered, and what filters make of them.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde_json::Value as Json;

use super::test::Test;

/// A list of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entity {
    pub(super) list: &'static str,
    pub(super) filter: &'static str,
    pub(super) key: &'static [&'static str],
    pub(super) columns: &'static [&'static str],
    pub(super) relations: &'static [Relation],
}

/// A way from rows of one entity to rows of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Relation {
    pub(super) name: &'static str,
    /// What asks whether there is a row, if anything does.
    pub(super) exists: Option<&'static str>,
    pub(super) many: bool,
    /// The other entity's place among [`ENTITIES`].
    pub(super) to: usize,
    pub(super) near: &'static [&'static str],
    pub(super) far: &'static [&'static str],
}

/// A column with operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Values beside those of the rows.
    pub(super) others: &'static [&'static str],
}

/// How values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Float,
    Decimal,
    Boolean,
    /// Texts whose order is that of what they mean.
    Ordered,
    Text,
}

/// Which letters have a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Letters {
    OfAscii,
    OfUnicode,
}

const fn one(
    name: &'static str,
    exists: Option<&'static str>,
    to: usize,
    near: &'static [&'static str],
    far: &'static [&'static str],
) -> Relation {
    Relation { name, exists, many: false, to, near, far }
}

const fn many(
    name: &'static str,
    exists: &'static str,
    to: usize,
    near: &'static [&'static str],
    far: &'static [&'static str],
) -> Relation {
    Relation { name, exists: Some(exists), many: true, to, near, far }
}

/// The first is the one whose [`COLUMNS`] have operators of every kind.
pub(super) const ENTITIES: [Entity; 4] = [
    Entity {
        list: "allThingsList",
        filter: "ThingFilter",
        key: &["id"],
        columns: &[
            "id", "makerId", "helperId", "label", "code", "count", "small", "total", "price",
            "ratio", "done", "token", "day", "moment", "hour",
        ],
        relations: &[
            one("makerByMakerId", None, 1, &["makerId"], &["id"]),
            one("makerByHelperId", Some("makerByHelperIdExists"), 1, &["helperId"], &["id"]),
            many("partsByThingId", "partsByThingIdExist", 2, &["id"], &["thingId"]),
        ],
    },
    Entity {
        list: "allMakersList",
        filter: "MakerFilter",
        key: &["id"],
        columns: &["id", "name", "chiefId"],
        relations: &[
            one("makerByChiefId", Some("makerByChiefIdExists"), 1, &["chiefId"], &["id"]),
            many("makersByChiefId", "makersByChiefIdExist", 1, &["id"], &["chiefId"]),
            many("thingsByMakerId", "thingsByMakerIdExist", 0, &["id"], &["makerId"]),
            many("thingsByHelperId", "thingsByHelperIdExist", 0, &["id"], &["helperId"]),
        ],
    },
    Entity {
        list: "allPartsList",
        filter: "PartFilter",
        key: &["thingId", "number"],
        columns: &["thingId", "number", "name", "weight"],
        relations: &[
            one("thingByThingId", None, 0, &["thingId"], &["id"]),
            many(
                "remarksByThingIdAndNumber",
                "remarksByThingIdAndNumberExist",
                3,
                &["thingId", "number"],
                &["thingId", "number"],
            ),
        ],
    },
    Entity {
        list: "allRemarksList",
        filter: "RemarkFilter",
        key: &["id"],
        columns: &["id", "thingId", "number", "body"],
        relations: &[one(
            "partByThingIdAndNumber",
            Some("partByThingIdAndNumberExists"),
            2,
            &["thingId", "number"],
            &["thingId", "number"],
        )],
    },
];

/// The columns of the first entity.
pub(super) const COLUMNS: [Column; 12] = [
    column("label", Kind::Text, TEXTS),
    column("code", Kind::Text, TEXTS),
    column("count", Kind::Integer, &["3", "-2147483648", "2147483647"]),
    column("small", Kind::Integer, &["-1", "32767"]),
    column("total", Kind::Integer, &["9223372036854775806", "-9223372036854775808", "2"]),
    column("price", Kind::Decimal, &["0.1", "1", "-0.10", "99999999.98", "7.25"]),
    column("ratio", Kind::Float, &["0.1", "-1e300", "1", "5e-324"]),
    column("done", Kind::Boolean, &["true", "false"]),
    column("token", Kind::Ordered, &["b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]),
    column("day", Kind::Ordered, &["2020-02-28", "1999-12-31"]),
    column("moment", Kind::Ordered, &["2020-01-02T03:04:05.123457", "2020-01-02T03:04:04"]),
    column("hour", Kind::Ordered, &["12:34:56.05", "23:59:59"]),
];

const TEXTS: &[&str] = &[
    "", "a", "A", "B", "%", "_", "\\", "a%", "%b", "a_b", "_b", "\\%", "É", "é", "日", "it's",
    "\"", "[x]", "*", "?", " ", "ab", "AB", "null", "\n", "aB ", "%a%b%", "__", "a\\\\b",
];

const fn column(name: &'static str, kind: Kind, others: &'static [&'static str]) -> Column {
    Column { name, kind, others }
}

/// The rows of all entities.
#[derive(Debug, Default)]
pub(super) struct Data {
    rows: HashMap<&'static str, Vec<Json>>,
}

impl Data {
    pub(super) fn add(&mut self, entity: Entity, rows: Vec<Json>) {
        self.rows.insert(entity.list, rows);
    }

    pub(super) fn rows(&self, entity: Entity) -> &[Json] {
        self.rows.get(entity.list).map_or(&[], Vec::as_slice)
    }

    /// The keys of the rows that pass.
    pub(super) fn passing(&self, entity: Entity, test: &Test, letters: Letters) -> Vec<Json> {
        let passes = |row: &&Json| test.value(row, self, letters) == Some(true);
        let key = |row: &Json| {
            let member = |name: &&'static str| ((*name).to_owned(), row[*name].clone());
            Json::Object(entity.key.iter().map(member).collect())
        };
        self.rows(entity).iter().filter(passes).map(key).collect()
    }

    /// The rows that a row is related to.
    pub(super) fn related<'d>(
        &'d self,
        relation: &'static Relation,
        row: &'d Json,
    ) -> impl Iterator<Item = &'d Json> {
        self.rows(ENTITIES[relation.to]).iter().filter(move |far| {
            let mut pairs = relation.near.iter().zip(relation.far);
            pairs.all(|(near, other)| !row[*near].is_null() && row[*near] == far[*other])
        })
    }
}

impl Kind {
    /// The order of two values, none of them null.
    pub(super) fn order(self, left: &Json, right: &Json) -> Ordering {
        match self {
            Self::Integer => integer(left).cmp(&integer(right)),
            Self::Float => {
                let number = |value: &Json| value.as_f64().expect("a number");
                number(left).partial_cmp(&number(right)).expect("finite numbers")
            }
            Self::Decimal => hundredths(left).cmp(&hundredths(right)),
            Self::Boolean => left.as_bool().cmp(&right.as_bool()),
            Self::Ordered | Self::Text => left.as_str().cmp(&right.as_str()),
        }
    }

    /// A value as the API has it, of the text that the tests have.
    pub(super) fn json(self, name: &str, text: &str) -> Json {
        match self {
            Self::Integer if name != "total" => Json::from(text.parse::<i64>().expect("a number")),
            Self::Float => Json::from(text.parse::<f64>().expect("a number")),
            Self::Boolean => Json::from(text == "true"),
            Self::Integer | Self::Decimal | Self::Ordered | Self::Text => Json::from(text),
        }
    }
}

fn integer(value: &Json) -> i64 {
    match value {
        Json::String(text) => text.parse().expect("a whole number"),
        other => other.as_i64().expect("a whole number"),
    }
}

fn hundredths(value: &Json) -> i64 {
    let text = value.as_str().expect("a decimal");
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{fraction:0<2}").parse().expect("two digits behind the point")
}
