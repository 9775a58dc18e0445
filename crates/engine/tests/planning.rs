//! Pages on PostgreSQL: few texts whatever is asked for, general plans for them, and plans for
//! the values where these decide how rows are found.

use dialects::{Dialect, postgraphile};
use engine::{
    Allowed, CostLimits, Engine, OpenOptions, Options, PoolLimits, SourceAddress, Worker,
};
use graphql::Request;
use serde_json::{Value, json};
use testkit::postgres::{required_installations, shared};

/// Of the kinds of `entry` nearly all are alike. A session's own statements are a view.
const TABLES: &str = "
    CREATE TABLE entry (id int PRIMARY KEY, kind int NOT NULL, title text);
    CREATE TABLE note (id int PRIMARY KEY, entry_id int NOT NULL REFERENCES entry);
    CREATE INDEX ON entry (kind);
    CREATE INDEX ON note (entry_id);
    INSERT INTO entry SELECT id, CASE WHEN id % 1000 = 0 THEN id ELSE 0 END, 'title ' || id
        FROM generate_series(1, 12000) AS id;
    INSERT INTO note SELECT id, 1 + (id - 1) / 3 FROM generate_series(1, 36000) AS id;
    CREATE VIEW prepared AS
        SELECT statement, generic_plans, custom_plans FROM pg_prepared_statements;
    ANALYZE;";

const PAGE: &str = "query ($first: Int, $offset: Int) {
    allEntriesList(first: $first, offset: $offset) { id }
}";

const NESTED: &str = "query ($first: Int, $offset: Int, $notes: Int) {
    allEntriesList(first: $first, offset: $offset) {
        id notesByEntryIdList(first: $notes, orderBy: ID_DESC) { id }
    }
}";

const AFTER: &str = "query ($first: Int, $after: Cursor) {
    allEntries(first: $first, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } }
}";

const LAST: &str = "query ($last: Int) {
    allEntries(last: $last) { nodes { id } pageInfo { hasPreviousPage } }
}";

const KIND: &str = "query ($first: Int, $kind: Int) {
    allEntriesList(first: $first, condition: {kind: $kind}) { id }
}";

struct Entries {
    worker: Worker,
}

impl Entries {
    /// One connection to a database of its own, on a PostgreSQL that counts plans.
    async fn open(name: &str) -> Option<Self> {
        let installation = required_installations().unwrap().into_iter().next_back()?;
        let server = shared(&installation).unwrap_or_else(|error| panic!("{error}"));
        server.create_database(name).unwrap();
        server.execute(name, TABLES).unwrap();
        let dialect = Dialect::PostGraphile(postgraphile::Options {
            simple_collections: postgraphile::SimpleCollections::Both,
            ..postgraphile::Options::default()
        });
        let options = Options {
            source: OpenOptions { namespaces: vec!["public".into()], ..OpenOptions::default() },
            limits: engine::Limits {
                cost: CostLimits { most: u64::MAX, ..CostLimits::default() },
                ..engine::Limits::default()
            },
            ..Options::new(dialect, PoolLimits::unshared(1))
        };
        let address = SourceAddress::Postgres(server.socket_url(name));
        let worker = Worker::new(Engine::open(&address, &options).await.unwrap());
        Some(Self { worker })
    }

    async fn ask(&self, query: &str, variables: Value) -> Value {
        let Value::Object(variables) = variables else { panic!("{variables}") };
        let variables = serde_json::from_value(Value::Object(variables)).unwrap();
        let request = Request { query: query.to_owned(), variables, ..Request::default() };
        let answered = self.worker.execute(&request, Allowed::Queries).await;
        let answer: Value = serde_json::from_slice(&answered.body).unwrap();
        assert_eq!(answer["errors"], Value::Null, "{answer}");
        answer["data"].clone()
    }

    /// The statements that read entries or notes, with the numbers of general plans and of others.
    async fn prepared(&self) -> Vec<(String, u64, u64)> {
        let query = "{ allPreparedsList { statement genericPlans customPlans } }";
        let answer = self.ask(query, json!({})).await;
        let rows = answer["allPreparedsList"].as_array().unwrap();
        let number = |value: &Value| value.as_str().unwrap().parse().unwrap();
        let rows = rows.iter().map(|row| {
            let text = row["statement"].as_str().unwrap().to_owned();
            (text, number(&row["genericPlans"]), number(&row["customPlans"]))
        });
        rows.filter(|(text, ..)| text.contains("\"entry\"")).collect()
    }
}

fn block_on(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, test);
}

fn ids(rows: &Value) -> Vec<u64> {
    rows.as_array().unwrap().iter().map(|row| row["id"].as_u64().unwrap()).collect()
}

#[test]
fn pages_at_the_edges_of_bounds_have_their_rows_in_order() {
    block_on(async {
        let Some(entries) = Entries::open("planning_edges").await else { return };
        for (first, offset) in [
            (0_usize, 0_u64),
            (15, 0),
            (16, 0),
            (17, 0),
            (10, 6),
            (10, 7),
            (0, 1_024),
            (1, 1_023),
            (1, 1_024),
            (3, 11_998),
            (2_147_483_647, 11_990),
            (2_147_483_647, 2_147_483_647),
        ] {
            let answer = entries.ask(PAGE, json!({ "first": first, "offset": offset })).await;
            let expected = (offset + 1..=12_000).take(first);
            let expected: Vec<u64> = expected.collect();
            assert_eq!(ids(&answer["allEntriesList"]), expected, "{first} from {offset}");
        }
        let answer = entries.ask(PAGE, json!({ "offset": 11_997 })).await;
        assert_eq!(ids(&answer["allEntriesList"]), [11_998, 11_999, 12_000]);

        for notes in [0_u64, 1, 2, 3, 20] {
            let asked = json!({ "first": 16, "offset": 48, "notes": notes });
            let answer = entries.ask(NESTED, asked).await;
            for (row, id) in answer["allEntriesList"].as_array().unwrap().iter().zip(49..) {
                let expected = (0..notes.min(3)).map(|back| 3 * id - back);
                let expected: Vec<u64> = expected.collect();
                assert_eq!(row["id"].as_u64(), Some(id));
                assert_eq!(ids(&row["notesByEntryIdList"]), expected, "{notes} of {id}");
            }
        }
    });
}

#[test]
fn a_page_knows_what_is_behind_it_at_the_edges_of_bounds() {
    block_on(async {
        let Some(entries) = Entries::open("planning_behind").await else { return };
        for first in [15, 16, 17, 64, 1_023, 1_024] {
            let mut after = Value::Null;
            for page in 0..3_u64 {
                let answer = entries.ask(AFTER, json!({ "first": first, "after": after })).await;
                let entries = &answer["allEntries"];
                let begin = page * first + 1;
                let expected: Vec<u64> = (begin..=12_000).take(first as usize).collect();
                assert_eq!(ids(&entries["nodes"]), expected, "page {page} of {first}");
                let has_next = (page + 1) * first < 12_000;
                assert_eq!(entries["pageInfo"]["hasNextPage"], has_next, "{page} of {first}");
                after = entries["pageInfo"]["endCursor"].clone();
            }
            let answer = entries.ask(LAST, json!({ "last": first })).await;
            let expected: Vec<u64> = (12_001 - first..=12_000).collect();
            assert_eq!(ids(&answer["allEntries"]["nodes"]), expected, "last {first}");
            assert_eq!(answer["allEntries"]["pageInfo"]["hasPreviousPage"], true);
        }
    });
}

#[test]
fn many_pages_are_few_texts() {
    block_on(async {
        let Some(entries) = Entries::open("planning_texts").await else { return };
        for offset in (0..10_000).step_by(50) {
            for first in [10, 50] {
                let answer = entries.ask(PAGE, json!({ "first": first, "offset": offset })).await;
                assert_eq!(ids(&answer["allEntriesList"]).len(), first);
            }
        }
        let prepared = entries.prepared().await;
        // Four with bounds, and the one without.
        assert_eq!(prepared.len(), 5, "{prepared:#?}");
        for (text, general, for_values) in &prepared {
            match text.contains(" AS page ") {
                true => assert!(*for_values <= 5, "{text}: {general} and {for_values}"),
                false => assert!(text.ends_with("LIMIT $1 OFFSET $2"), "{text}"),
            }
        }
        assert!(prepared.iter().any(|(_, general, _)| *general > 10), "{prepared:#?}");
    });
}

#[test]
fn pages_are_planned_once_and_skewed_values_each_time() {
    block_on(async {
        let Some(entries) = Entries::open("planning_plans").await else { return };
        for round in 0..20 {
            entries.ask(NESTED, json!({ "first": 5, "offset": round, "notes": 2 })).await;
            entries.ask(AFTER, json!({ "first": 5 + round })).await;
            // A plan for one of these kinds is the worst for the other.
            let kind = if round % 2 == 0 { 0 } else { 7_000 };
            let answer = entries.ask(KIND, json!({ "first": 5, "kind": kind })).await;
            assert_eq!(ids(&answer["allEntriesList"]).len(), if kind == 0 { 5 } else { 1 });
        }
        let prepared = entries.prepared().await;
        let by_kind = |text: &str| text.contains(r#""kind" = "#);
        let (skewed, others): (Vec<_>, Vec<_>) =
            prepared.into_iter().partition(|(text, ..)| by_kind(text));
        let [(text, general, for_values)] = &*skewed else { panic!("{skewed:#?}") };
        assert_eq!((*general, *for_values), (0, 20), "{text}");
        for (text, general, for_values) in &others {
            assert!(text.contains(" AS page "), "{text}");
            assert!(*for_values <= 5, "{text}: {general} and {for_values}");
        }
        let lateral = others.iter().find(|(text, ..)| text.contains("LATERAL"));
        let (text, general, _) = lateral.unwrap();
        assert_eq!(text.matches(" AS page ").count(), 2, "{text}");
        assert!(*general > 0, "{text}: {general}");
    });
}
