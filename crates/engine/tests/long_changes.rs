//! Changes that give many rows: PostgreSQL has not committed them before it is known that their
//! answer can be made.

use engine::{Allowed, Limits, PoolLimits};
use graphql::Request;
use serde_json::{Value, json};

use crate::shop::{Answering, Shop, block_on};

const BUDGET: u64 = 64 << 10;

/// Notes, and a function that makes as many as it is told, with so many characters each.
const TABLES: &str = "
    CREATE TABLE note (id serial PRIMARY KEY, body text);
    CREATE TABLE essay (id serial PRIMARY KEY, body text DEFAULT repeat('z', 70000));
    CREATE FUNCTION make_notes(count int, length int) RETURNS SETOF note LANGUAGE sql VOLATILE AS $$
        INSERT INTO note (body) SELECT repeat('x', length) FROM generate_series(1, count)
        RETURNING * $$;";

const NO_ANSWER: &str = "The answer would have more than";

async fn on_each() -> Vec<(Shop, Answering)> {
    let mut all = Vec::new();
    for shop in Shop::on_each() {
        shop.execute(TABLES);
        let limits = Limits { response_bytes: BUDGET, ..Limits::default() };
        let answering = shop.answering_within(&shop.url(), PoolLimits::unshared(2), limits).await;
        all.push((shop, answering));
    }
    all
}

async fn change(answering: &Answering, query: &str) -> Value {
    let request = Request { query: query.to_owned(), ..Request::default() };
    let answered = answering.worker.execute(&request, Allowed::All).await;
    assert!(answered.body.len() < BUDGET as usize + 1_000);
    serde_json::from_slice(&answered.body).unwrap()
}

/// How many notes there are.
fn count(shop: &Shop) -> String {
    shop.value("SELECT count(*) FROM note")
}

fn check_refused(answer: &Value, field: &str, with: &str) {
    let error = &answer["errors"][0];
    assert_eq!(error["extensions"]["code"], "RESPONSE_TOO_LARGE", "{answer}");
    assert_eq!(error["path"], json!([field]));
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with(NO_ANSWER) && message.contains(with), "{message}");
    assert!(message.ends_with("nothing was changed."), "{message}");
    assert_eq!(answer["data"][field], Value::Null);
}

#[test]
fn a_change_that_gives_more_rows_than_may_be_read_is_not_made() {
    block_on(async {
        for (shop, answering) in on_each().await {
            // Two megabytes, of which 128 KiB may be read.
            let many = "mutation {
                makeNotes(input: { count: 10000, length: 200 }) { notes { id body } }
            }";
            for _ in 0..2 {
                check_refused(&change(&answering, many).await, "makeNotes", "131072 bytes");
                assert_eq!(count(&shop), "0");
            }
            let few = "mutation {
                makeNotes(input: { count: 100, length: 200 }) { notes { id body } }
            }";
            let answer = change(&answering, few).await;
            assert_eq!(answer["data"]["makeNotes"]["notes"].as_array().map(Vec::len), Some(100));
            assert_eq!(count(&shop), "100");
        }
    });
}

#[test]
fn a_change_whose_answer_would_be_too_long_is_not_made() {
    block_on(async {
        for (shop, answering) in on_each().await {
            // The rows come to 16 kB, and what is written of them to 80 kB.
            let names = "mutation { makeNotes(input: { count: 1000, length: 1 }) { notes {
                the_number_that_the_note_was_given_when_it_was_made: id
                what_stands_in_it: body
            } } }";
            check_refused(&change(&answering, names).await, "makeNotes", "65536 bytes");
            assert_eq!(count(&shop), "0");
            // What comes before and behind it is made, and answered.
            let three = "mutation {
                a: makeNotes(input: { count: 2, length: 1 }) { notes { body } }
                b: makeNotes(input: { count: 500, length: 200 }) { notes { body } }
                c: makeNotes(input: { count: 3, length: 1 }) { notes { body } }
            }";
            let answer = change(&answering, three).await;
            check_refused(&answer, "b", "");
            let x = json!({ "body": "x" });
            assert_eq!(answer["data"]["a"], json!({ "notes": [x, x] }));
            assert_eq!(answer["data"]["c"], json!({ "notes": [x, x, x] }));
            assert_eq!(count(&shop), "5");
        }
    });
}

#[test]
fn a_change_whose_answer_is_long_by_its_aliases_is_not_made() {
    block_on(async {
        for (shop, answering) in on_each().await {
            // The rows come to less than a kilobyte, and what is written of them to 75.
            let aliases: Vec<String> = (0..100).map(|number| format!("b{number}: body")).collect();
            let aliases = aliases.join(" ");
            let many = format!(
                "mutation {{ makeNotes(input: {{ count: 3, length: 250 }}) {{ notes {{ {aliases} }} }} }}"
            );
            check_refused(&change(&answering, &many).await, "makeNotes", "65536 bytes");
            assert_eq!(count(&shop), "0");
            let fewer = many.replace("count: 3", "count: 2");
            let answer = change(&answering, &fewer).await;
            assert_eq!(answer["data"]["makeNotes"]["notes"].as_array().map(Vec::len), Some(2));
            assert_eq!(count(&shop), "2");
        }
    });
}

#[test]
fn a_change_of_one_row_is_not_made_where_what_is_read_with_it_is_too_long() {
    block_on(async {
        for (shop, answering) in on_each().await {
            shop.execute(
                "INSERT INTO note (body) SELECT repeat('y', 100)
                FROM generate_series(1, 1000)",
            );
            let with_all = "mutation { createNote(input: { note: { body: \"new\" } }) {
                note { body } query { allNotesList { body } }
            } }";
            check_refused(&change(&answering, with_all).await, "createNote", "");
            assert_eq!(count(&shop), "1000");
        }
    });
}

/// One row is committed with its statement: no round trip more is spent on what nobody does.
#[test]
fn who_cannot_be_shown_a_change_is_told_that_it_was_made() {
    block_on(async {
        for (shop, answering) in on_each().await {
            let one = "mutation { createEssay(input: { essay: {} }) { essay { body } } }";
            let answer = change(&answering, one).await;
            assert_eq!(answer["data"], Value::Null);
            let error = &answer["errors"][0];
            assert_eq!(error["extensions"]["code"], "RESPONSE_TOO_LARGE");
            let message = error["message"].as_str().unwrap();
            assert!(message.starts_with("The changes were made"), "{message}");
            assert_eq!(shop.value("SELECT count(*) FROM essay"), "1");
        }
    });
}

/// What was not done is not told as done, however long the answer is.
#[test]
fn who_changed_nothing_is_not_told_of_changes() {
    block_on(async {
        for (shop, answering) in on_each().await {
            let long = "n".repeat(720);
            let names = (0..95).map(|number| format!("{long}{number}: __typename"));
            let names = names.collect::<Vec<_>>().join(" ");
            let create = |id: &str| {
                format!("createNote(input: {{ note: {{ id: {id} }} }}) {{ clientMutationId }}")
            };
            shop.execute("INSERT INTO note (id) VALUES (1)");
            for (fields, has_changed) in [
                (String::new(), false),
                (create("1"), false),
                (format!("one: {} two: {}", create("1"), create("20")), true),
            ] {
                let query = format!("mutation {{ {names} {fields} }}");
                let answer = change(&answering, &query).await;
                let error = &answer["errors"][0];
                assert_eq!(error["extensions"]["code"], "RESPONSE_TOO_LARGE", "{answer}");
                let message = error["message"].as_str().unwrap();
                assert_eq!(message.contains("changes were made"), has_changed, "{message}");
            }
            assert_eq!(count(&shop), "2");
        }
    });
}
