//! What policies let be changed: the rows after a mutation, and its answer, are those of a plain
//! model, which evaluates the rules row by row.
//!
//! The policies, claims and mutations are made up, the same in each run; `THALWEG_CASES=500` makes
//! so many mutations for each policy, and others each time.

use std::collections::{BTreeMap, HashMap};

use engine::{Session, Worker};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::Value as Json;

use crate::choices::Choices;
use crate::policies::model::{self, Actor, Change, Claims, Outcome, Row, Rules, Table, World};
use crate::policies::places::places;
use crate::policies::{answer, session};

const DIALECT: &str = "postgraphile simple-collections=both bulk-mutations=10 upsert-mutations";

/// How many policies are tried, and how many mutations with each.
const POLICIES: usize = 12;
const CHANGES: usize = 40;

const CHOICES: usize = 400;

#[tokio::test]
async fn changes_are_those_of_a_plain_model() {
    let (changes, rng_seed) = match std::env::var("THALWEG_CASES") {
        Ok(cases) => (cases.parse().unwrap(), RngSeed::Random),
        Err(_) => (CHANGES, RngSeed::Fixed(1)),
    };
    let mut runner = TestRunner::new(Config { rng_seed, ..Config::default() });
    let mut numbers = || vec(any::<u16>(), CHOICES).new_tree(&mut runner).unwrap().current();
    for place in places() {
        let mut seen: HashMap<String, usize> = HashMap::new();
        for _ in 0..POLICIES {
            let rules = Rules::made(&mut Choices::new(&numbers()));
            let policies = rules.text();
            let database = place.database("changed", model::SQL);
            let role = database.worker(DIALECT, Some(&policies)).await;
            let administrator = database.worker(DIALECT, None).await;
            let mut world = world(&administrator).await;
            for number in 0..changes {
                let claims = claims(number);
                let numbers = numbers();
                let choices = &mut Choices::new(&numbers);
                let table = choices.pick(&Table::ALL);
                let change = model::change(&rules, table, choices);
                let shown = model::shown(&rules, table, choices);
                let document = change.document(table, &shown);
                let actor = Actor { rules: &rules, claims: &claims, table };
                let before = world.clone();
                let expected = actor.act(&change, &shown, &mut world);
                let who = session(json(&claims));
                let own = answer(&role, &who, &document).await;
                let after = self::world(&administrator).await;
                if expected == Outcome::Unclear {
                    world = after;
                    continue;
                }
                let told = || {
                    format!(
                        "{place}\n{document}\n{claims:?}\n{policies}\n{before:#?}\n{own}\nexpected: {expected:?}"
                    )
                };
                assert_eq!(after, world, "{}", told());
                assert!(is_answer(&expected, &own), "{}", told());
                *seen.entry(kind(&change, &expected)).or_default() += 1;
            }
        }
        // Otherwise little was tried.
        for kind in KINDS {
            assert!(seen.contains_key(kind), "{place}: {kind} is not among {seen:?}");
        }
    }
}

/// What has to come up, with the mutations of each run.
const KINDS: [&str; 12] = [
    "create done",
    "create denied",
    "create refused",
    "update done",
    "update denied",
    "update refused",
    "update NOT_FOUND",
    "delete done",
    "delete NOT_FOUND",
    "upsert done",
    "upsert denied",
    "upsert refused",
];

fn kind(change: &Change, outcome: &Outcome) -> String {
    let verb = match change {
        Change::Create(..) => "create",
        Change::Update(..) => "update",
        Change::Delete(_) => "delete",
        Change::Upsert(..) => "upsert",
    };
    let outcome = match outcome {
        Outcome::Done(_) => "done",
        Outcome::Denied => "denied",
        Outcome::Refused => "refused",
        Outcome::Failed(code) => code,
        Outcome::Unclear => "unclear",
    };
    format!("{verb} {outcome}")
}

fn claims(number: usize) -> Claims {
    let (one, two) = if number.is_multiple_of(2) { (1, 2) } else { (2, 3) };
    Claims { numbers: BTreeMap::from([("one", one), ("two", two)]), list: vec![one, 3] }
}

fn json(claims: &Claims) -> serde_json_bytes::Value {
    let mut json = serde_json_bytes::json!({ "role": "made", "list": claims.list.clone() });
    for (name, value) in &claims.numbers {
        json[*name] = (*value).into();
    }
    json
}

/// The rows as an administrator sees them.
async fn world(administrator: &Worker) -> World {
    let query = "{ allHousesList(orderBy: ID_ASC) { id owner size }
        allGuestsList(orderBy: ID_ASC) { id house_id: houseId points mark age } }";
    let answer = answer(administrator, &Session::default(), query).await;
    let answer: Json = serde_json::from_str(&answer).unwrap();
    let rows = |field: &str, table: Table| {
        let rows = answer["data"][field].as_array().unwrap().iter();
        let row = |row: &Json| -> Row {
            table.columns().iter().map(|column| (*column, row[*column].as_i64())).collect()
        };
        rows.map(row).collect()
    };
    World {
        houses: rows("allHousesList", Table::House),
        guests: rows("allGuestsList", Table::Guest),
    }
}

fn is_answer(expected: &Outcome, own: &str) -> bool {
    let mut own: Json = serde_json::from_str(own).unwrap();
    let code = own["errors"][0]["extensions"]["code"].as_str();
    match expected {
        Outcome::Done(payload) => {
            let mut payload = payload.clone();
            // No order was asked for.
            for rows in ["houses", "guests"] {
                sort(&mut payload[rows]);
                sort(&mut own["data"]["it"][rows]);
            }
            own["errors"].is_null() && own["data"]["it"] == payload
        }
        Outcome::Denied | Outcome::Refused => code == Some("PERMISSION_DENIED"),
        // Of several constraints that are broken, the database tells the one that it looks at first.
        Outcome::Failed(wanted) if wanted.ends_with("_VIOLATION") => {
            code.is_some_and(|code| code.ends_with("_VIOLATION"))
        }
        Outcome::Failed(wanted) => code == Some(wanted),
        Outcome::Unclear => true,
    }
}

fn sort(rows: &mut Json) {
    if let Some(rows) = rows.as_array_mut() {
        rows.sort_by_key(|row| row["id"].as_i64());
    }
}
