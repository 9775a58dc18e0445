//! Lists that PostgreSQL reads with the rows above them, by one statement: when that is done, and
//! what is done instead where it does not pay.

use engine::PoolLimits;
use graphql::Request;
use serde_json::{Value, json};

use crate::shop::{Answering, Shop, block_on};

/// Writers whose names are short, whose `bio` may be long, and whose `facts` are never joined to
/// anything, each with so many books as its number says; and two who are `same` in a table that
/// another one inherits from.
const TABLES: &str = "
    CREATE TABLE writer (id int PRIMARY KEY, name varchar(40), bio text, note varchar(900),
        facts json);
    CREATE TABLE book (id int PRIMARY KEY, writer_id int REFERENCES writer, title text);
    CREATE INDEX ON book (writer_id);
    INSERT INTO writer SELECT id, 'writer ' || id, 'bio ' || id, repeat('note ', 100)
        FROM generate_series(0, 20) AS id;
    INSERT INTO writer VALUES (300, 'of many books', '', ''), (30, 'of long books', '', ''),
        (40, 'of a long note', '', repeat('note ', 150)), (50, 'of a long life', repeat('long ', 900), '');
    INSERT INTO book SELECT 1000 * writer.id + n, writer.id,
        CASE WHEN n % 3 > 0 AND writer.id <> 30 THEN 'book ' || n
            WHEN writer.id = 30 THEN repeat('long ', 4000) END
        FROM writer, generate_series(1, writer.id) AS n;
    CREATE TABLE base (id int PRIMARY KEY, name varchar(40));
    CREATE TABLE heir () INHERITS (base);
    CREATE TABLE part (id int PRIMARY KEY, base_id int REFERENCES base);
    CREATE INDEX ON part (base_id);
    INSERT INTO base VALUES (1, 'same');
    INSERT INTO heir VALUES (1, 'same');
    INSERT INTO part VALUES (1, 1), (2, 1);
    ANALYZE;";

const NAMES: &str = "query ($id: Int!) {
    writerById(id: $id) { name booksByWriterIdList { id title } }
}";
const BIOS: &str = "query ($id: Int!) {
    writerById(id: $id) { bio booksByWriterIdList { id title } }
}";
const FACTS: &str = "query ($id: Int!) {
    writerById(id: $id) { facts booksByWriterIdList { id title } }
}";
const NOTES: &str = "query ($id: Int!) {
    writerById(id: $id) { note booksByWriterIdList { id title } }
}";

fn request(query: &str, variables: &Value) -> Request {
    let variables = serde_json::from_value(variables.clone()).unwrap();
    Request { query: query.to_owned(), variables, ..Request::default() }
}

/// How many statements the next request will send.
fn statements(answering: &Answering, query: &str, variables: &Value) -> usize {
    answering.worker.prepare(&request(query, variables)).unwrap().statements.len()
}

async fn on_each(tables: &str) -> Vec<(Shop, Answering)> {
    let mut all = Vec::new();
    for shop in Shop::on_each() {
        shop.execute(tables);
        let answering = shop.answering(&shop.url(), PoolLimits::unshared(2)).await;
        all.push((shop, answering));
    }
    all
}

/// The answer must be what it is where nothing is joined.
async fn check(answering: &Answering, query: &str, id: usize) {
    let variables = json!({ "id": id });
    let answer = answering.ask(query, &variables).await;
    let apart = answering.ask(FACTS, &variables).await;
    let books = |answer: &Value| answer["data"]["writerById"]["booksByWriterIdList"].clone();
    assert_eq!(answer["errors"], Value::Null, "{answer}");
    assert_eq!(books(&answer), books(&apart));
    assert_eq!(books(&answer).as_array().unwrap().len(), id);
}

#[test]
fn a_list_is_read_with_the_row_above_it_where_that_is_short() {
    block_on(async {
        for (_shop, answering) in on_each(TABLES).await {
            let variables = json!({ "id": 7 });
            assert_eq!(statements(&answering, NAMES, &variables), 1);
            assert_eq!(statements(&answering, FACTS, &variables), 2);
            for id in 0..=20 {
                check(&answering, NAMES, id).await;
            }
            let missing = answering.ask(NAMES, &json!({ "id": 1_000 })).await;
            assert_eq!(missing, json!({ "data": { "writerById": null } }));
            assert_eq!(statements(&answering, NAMES, &variables), 1);
        }
    });
}

#[test]
fn a_list_is_read_with_rows_that_an_answer_showed_to_be_short() {
    block_on(async {
        let variables = json!({ "id": 7 });
        for (_shop, answering) in on_each(TABLES).await {
            // There is no such writer, who shows nothing.
            answering.ask(BIOS, &json!({ "id": 1_000 })).await;
            assert_eq!(statements(&answering, BIOS, &variables), 2);
            for id in 0..=20 {
                check(&answering, BIOS, id).await;
                assert_eq!(statements(&answering, BIOS, &variables), 1);
            }
            check(&answering, BIOS, 50).await;
            assert_eq!(statements(&answering, BIOS, &variables), 2);
            check(&answering, BIOS, 7).await;
            assert_eq!(statements(&answering, BIOS, &variables), 2);
        }
        for (_shop, answering) in on_each(TABLES).await {
            for id in [50, 7] {
                check(&answering, BIOS, id).await;
                assert_eq!(statements(&answering, BIOS, &variables), 2);
            }
        }
    });
}

#[test]
fn levels_have_statements_of_their_own_after_an_answer_of_many_rows() {
    block_on(async {
        for (_shop, answering) in on_each(TABLES).await {
            for _ in 0..2 {
                check(&answering, NAMES, 300).await;
                assert_eq!(statements(&answering, NAMES, &json!({ "id": 7 })), 2);
            }
            check(&answering, NAMES, 7).await;
        }
    });
}

#[test]
fn levels_have_statements_of_their_own_after_an_answer_of_many_bytes() {
    block_on(async {
        for (_shop, answering) in on_each(TABLES).await {
            assert_eq!(statements(&answering, NAMES, &json!({ "id": 7 })), 1);
            check(&answering, NAMES, 30).await;
            assert_eq!(statements(&answering, NAMES, &json!({ "id": 7 })), 2);
            check(&answering, NAMES, 30).await;
        }
    });
}

#[test]
fn levels_have_statements_of_their_own_after_an_answer_that_repeats_much() {
    block_on(async {
        for (_shop, answering) in on_each(TABLES).await {
            for id in [1, 2, 20] {
                check(&answering, NOTES, id).await;
                assert_eq!(statements(&answering, NOTES, &json!({ "id": 7 })), 1);
            }
            check(&answering, NAMES, 40).await;
            check(&answering, NOTES, 40).await;
            assert_eq!(statements(&answering, NAMES, &json!({ "id": 7 })), 1);
            assert_eq!(statements(&answering, NOTES, &json!({ "id": 7 })), 2);
        }
    });
}

#[test]
fn rows_that_only_look_like_one_are_not_joined() {
    const PARTS: &str = "{ allBasesList(condition: { id: 1 }) { name partsByBaseIdList { id } } }";
    block_on(async {
        for (_shop, answering) in on_each(TABLES).await {
            assert_eq!(statements(&answering, PARTS, &json!({})), 2);
            let answer = answering.ask(PARTS, &json!({})).await;
            let base = json!({ "name": "same", "partsByBaseIdList": [{ "id": 1 }, { "id": 2 }] });
            assert_eq!(answer, json!({ "data": { "allBasesList": [base, base] } }));
        }
    });
}

/// Books are there for those only who read them without a transaction of their own.
#[test]
fn one_statement_for_all_levels_needs_no_transaction() {
    const POLICY: &str = "
        DO $$ BEGIN CREATE ROLE joining LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
        GRANT SELECT ON ALL TABLES IN SCHEMA public TO joining;
        ALTER TABLE book ENABLE ROW LEVEL SECURITY;
        CREATE POLICY outside ON book
            USING (current_setting('transaction_isolation') = 'read committed');";
    block_on(async {
        for (shop, _) in on_each(TABLES).await {
            shop.execute(POLICY);
            let url = shop.url().replace("postgres@", "joining@");
            let url = url.replace("user=postgres", "user=joining");
            assert!(url.contains("joining"), "{url}");
            let answering = shop.answering(&url, PoolLimits::unshared(2)).await;
            let mut counts = Vec::new();
            for query in [NAMES, FACTS] {
                let answer = answering.ask(query, &json!({ "id": 3 })).await;
                let books = answer["data"]["writerById"]["booksByWriterIdList"].as_array();
                counts.push(books.map(Vec::len));
            }
            assert_eq!(counts, [Some(3), Some(0)]);
        }
    });
}
