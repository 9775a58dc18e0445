//! Filters, compared with an evaluation of their own: every operator on every column several
//! times, and random trees of logic and related rows. The rows are read through the API; which of
//! them pass is decided here, in SQL's three values.

mod model;
mod test;
mod text;

use engine::Worker;
use libtest_mimic::Failed;
use serde_json::{Map, Value as Json, json};

use crate::choices::Choices;
use crate::sources::{Sources, TestSource};
use model::{COLUMNS, Data, ENTITIES, Entity, Letters};
use test::Test;

const DATABASE: &str = "filters";
const DIALECT: &str =
    "postgraphile simple-collections=both connection-filter connection-filter-relations";

/// How often each operator is asked on each column.
const TIMES: usize = 4;

/// How many trees are made for each entity.
const TREES: usize = 150;

pub(crate) fn compare_filters(sources: &Sources) -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for source in sources.all().take(2) {
        let worker = Worker::new(sources.engine(&source, DATABASE, DIALECT)?);
        let data = runtime.block_on(read(&worker))?;
        // The servers of the tests have the C locale.
        let letters = match source {
            TestSource::Sqlite => Letters::OfUnicode,
            TestSource::Postgres(_) | TestSource::Pooled(..) | TestSource::Disguised(..) => {
                Letters::OfAscii
            }
        };
        let numbers = numbers();
        let mut choices = Choices::new(&numbers);
        let mut passed = 0;
        let mut asked = 0;
        let mut check = |entity: Entity, test: &Test| -> Result<(), Failed> {
            let expected = data.passing(entity, test, letters);
            passed += usize::from(!expected.is_empty());
            asked += 1;
            for answer in runtime.block_on(ask(&worker, entity, &test.json()))? {
                let what = format!("{source}: {} {}", entity.list, test.json());
                assert_eq!(answer, expected, "{what}");
            }
            Ok(())
        };
        for column in COLUMNS {
            for operator in column.kind.operators() {
                for _ in 0..TIMES {
                    check(ENTITIES[0], &Test::of(column, operator, &data, &mut choices))?;
                }
            }
        }
        for entity in ENTITIES {
            for _ in 0..TREES {
                check(entity, &Test::tree(entity, &data, &mut choices, 4))?;
            }
        }
        // Filters that nothing passes would prove little.
        assert!(passed * 2 > asked, "{passed} of {asked} filters gave rows");
    }
    Ok(())
}

/// Numbers without a pattern, the same in each run.
fn numbers() -> Vec<u16> {
    let mut state = 0x2545_f491_u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as u16
    };
    (0..500_000).map(|_| next()).collect()
}

async fn read(worker: &Worker) -> Result<Data, Failed> {
    let mut data = Data::default();
    for entity in ENTITIES {
        let query = format!("{{ {} {{ {} }} }}", entity.list, entity.columns.join(" "));
        let answer: Json =
            serde_json::from_str(&crate::differential::answer(worker, &query, "{}").await?)?;
        let rows = answer["data"][entity.list].as_array().cloned().unwrap_or_default();
        assert!(!rows.is_empty(), "{answer}");
        data.add(entity, rows);
    }
    Ok(data)
}

/// The keys of the rows that pass, the filter once in the document and once in a variable.
async fn ask(worker: &Worker, entity: Entity, filter: &Json) -> Result<[Vec<Json>; 2], Failed> {
    let Entity { list, filter: r#type, key, .. } = entity;
    let selected = key.join(" ");
    let literal = format!("{{ rows: {list}(filter: {}) {{ {selected} }} }}", literal(filter));
    let variable = format!("query ($f: {type}) {{ rows: {list}(filter: $f) {{ {selected} }} }}", type = r#type);
    let variables = json!({ "f": filter }).to_string();
    let literal = crate::differential::answer(worker, &literal, "{}").await?;
    let variable = crate::differential::answer(worker, &variable, &variables).await?;
    let rows = |answer: &str| -> Result<Vec<Json>, Failed> {
        let answer: Json = serde_json::from_str(answer)?;
        let rows = answer["data"]["rows"].as_array().cloned();
        rows.ok_or_else(|| format!("{filter}: {answer}").into())
    };
    Ok([rows(&literal)?, rows(&variable)?])
}

/// A value as it stands in a document.
fn literal(value: &Json) -> String {
    match value {
        Json::Object(members) => {
            let member = |(name, value): (&String, &Json)| format!("{name}: {}", literal(value));
            ["{", &members.iter().map(member).collect::<Vec<_>>().join(", "), "}"].concat()
        }
        Json::Array(items) => {
            ["[", &items.iter().map(literal).collect::<Vec<_>>().join(", "), "]"].concat()
        }
        other => other.to_string(),
    }
}

/// An object with one member.
fn object(name: &str, value: Json) -> Json {
    Json::Object(Map::from_iter([(name.to_owned(), value)]))
}
