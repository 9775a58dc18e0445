//! To-one rows that PostgreSQL reads by statements of their own, since many rows refer to few of
//! them: when that is done, that the answer is the same, and what is done instead where it does not
//! pay.

use std::future::poll_fn;
use std::rc::Rc;

use engine::{Allowed, Delivery, PoolLimits, Report, Session, Sizes, Worker};
use graphql::Request;
use serde_json::{Value, json};
use source::ReadForm;

use crate::shop::{Answering, Shop, block_on};

/// Songs of few genres and moods, some of none, each with the one after it, of which there are many.
const TABLES: &str = r#"
    CREATE TABLE genre (id int PRIMARY KEY, name text, parent_id int REFERENCES genre);
    CREATE TABLE mood (tone int, word text, label text, PRIMARY KEY (tone, word));
    CREATE TABLE record (id int PRIMARY KEY, title text);
    CREATE TABLE song (id int PRIMARY KEY, record_id int REFERENCES record,
        genre_id int REFERENCES genre, next_id int REFERENCES song, tone int, word text,
        FOREIGN KEY (tone, word) REFERENCES mood);
    CREATE INDEX ON song (record_id);
    CREATE INDEX ON song (genre_id);
    INSERT INTO genre SELECT id, CASE WHEN id <> 4 THEN 'genre ' || id END,
        CASE WHEN id % 3 > 0 THEN 1 END FROM generate_series(1, 20) AS id;
    INSERT INTO mood SELECT id, word, word || ' ' || id
        FROM generate_series(1, 3) AS id, unnest(array['a "b", \c', '', '{NULL}']) AS word;
    INSERT INTO record SELECT id, 'record ' || id FROM generate_series(1, 100) AS id;
    INSERT INTO song SELECT id, CASE WHEN id % 11 > 0 THEN 1 + id % 99 END,
        CASE WHEN id % 7 > 0 THEN 1 + id % 20 END, CASE WHEN id > 1 THEN id - 1 END,
        CASE WHEN id % 5 > 0 THEN 1 + id % 3 END,
        (array['a "b", \c', '', '{NULL}'])[1 + id / 2 % 3]
        FROM generate_series(1, 1000) AS id;
    ANALYZE;"#;

const SONGS: &str = "query ($first: Int, $genre: Int) {
    allSongsList(first: $first, condition: { genreId: $genre }) { id genreByGenreId { name } }
}";

fn request(query: &str, variables: &Value) -> Request {
    let variables = serde_json::from_value(variables.clone()).unwrap();
    Request { query: query.to_owned(), variables, ..Request::default() }
}

/// The statements that the next request will send.
fn statements(answering: &Answering, query: &str, variables: &Value) -> Vec<String> {
    let explained = answering.worker.prepare(&request(query, variables)).unwrap();
    explained.statements.into_iter().map(|statement| statement.text).collect()
}

async fn on_each() -> Vec<(Shop, Answering)> {
    let mut all = Vec::new();
    for shop in Shop::on_each() {
        shop.execute(TABLES);
        let answering = shop.answering(&shop.url(), PoolLimits::unshared(2)).await;
        all.push((shop, answering));
    }
    all
}

/// Asks three times, the first time with joins, and gives the statements of the last.
async fn check_same(answering: &Answering, query: &str, variables: &Value) -> Vec<String> {
    let joined = answering.ask(query, variables).await;
    assert_eq!(joined["errors"], Value::Null, "{joined}");
    for _ in 0..2 {
        assert_eq!(answering.ask(query, variables).await, joined);
    }
    statements(answering, query, variables)
}

#[test]
fn few_rows_that_many_refer_to_are_read_once_each() {
    block_on(async {
        for (_shop, answering) in on_each().await {
            let all = json!({});
            assert_eq!(statements(&answering, SONGS, &all).len(), 1);
            let after = check_same(&answering, SONGS, &all).await;
            assert_eq!(after.len(), 2, "{after:?}");
            assert!(!after[0].contains("genre\" AS"), "{}", after[0]);
            assert!(after[1].contains("unnest"), "{}", after[1]);
            let plans = answering
                .worker
                .plans(
                    &request(SONGS, &all),
                    &engine::Session::default(),
                    engine::PlanFigures::Measured,
                )
                .await
                .unwrap();
            // Twenty genres, and not one for each song.
            assert!(plans[1].contains("rows=20"), "{}", plans[1]);
        }
    });
}

#[test]
fn an_answer_does_not_show_how_it_was_read() {
    const ALL: &str = "{
        first: allSongsList(orderBy: [GENRE_ID_DESC, ID_ASC]) {
            g: genreByGenreId { n: name id parent: genreByParentId { name } }
            genreByGenreId { name }
            moodByToneAndWord { label word }
            songByNextId { id genreByGenreId { name } }
        }
        allRecordsList { title songsByRecordIdList { id genreByGenreId { id } } }
        allGenresList { id genreByParentId { name } }
    }";
    const PAGES: &str = "{ allRecordsList {
        songsByRecordIdList(first: 8, offset: 1) { id genreByGenreId { name } }
    } }";
    block_on(async {
        for (_shop, answering) in on_each().await {
            // The songs with their genres and moods, the next ones joined; the records, their songs
            // and the genres of these; and the genres, with those above joined.
            let after = check_same(&answering, ALL, &json!({})).await;
            assert_eq!(after.len(), 7, "{after:#?}");
            assert_eq!(check_same(&answering, PAGES, &json!({})).await.len(), 3);
        }
    });
}

#[test]
fn rows_are_joined_where_they_are_many_or_few_refer_to_them() {
    const NEXT: &str = "{ allSongsList { songByNextId { id } } }";
    const BELOW: &str =
        "{ allSongsList { genreByGenreId { id songsByGenreIdList(first: 1) { id } } } }";
    block_on(async {
        for (_shop, answering) in on_each().await {
            assert_eq!(check_same(&answering, NEXT, &json!({})).await.len(), 1);
            assert_eq!(check_same(&answering, SONGS, &json!({ "first": 100 })).await.len(), 1);
            // Songs of a genre are found by the row of the genre.
            assert_eq!(check_same(&answering, BELOW, &json!({})).await.len(), 2);
        }
    });
}

#[test]
fn rows_are_joined_again_after_an_answer_of_few_rows() {
    block_on(async {
        for (_shop, answering) in on_each().await {
            for first in [1_000, 900, 300] {
                let variables = json!({ "first": first });
                assert_eq!(check_same(&answering, SONGS, &variables).await.len(), 2);
            }
            let few = answering.ask(SONGS, &json!({ "first": 3 })).await;
            let songs = json!([
                { "id": 1, "genreByGenreId": { "name": "genre 2" } },
                { "id": 2, "genreByGenreId": { "name": "genre 3" } },
                { "id": 3, "genreByGenreId": { "name": null } },
            ]);
            assert_eq!(few, json!({ "data": { "allSongsList": songs } }));
            assert_eq!(check_same(&answering, SONGS, &json!({ "first": 1_000 })).await.len(), 1);
        }
    });
}

/// What is read apart is read under the same snapshot: genres are there for those only who read
/// them in one.
#[test]
fn rows_are_read_apart_in_the_same_snapshot() {
    const POLICY: &str = "
        DO $$ BEGIN CREATE ROLE reading LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
        GRANT SELECT ON ALL TABLES IN SCHEMA public TO reading;
        ALTER TABLE genre ENABLE ROW LEVEL SECURITY;
        CREATE POLICY inside ON genre
            USING (current_setting('transaction_isolation') = 'repeatable read');";
    block_on(async {
        for (shop, _) in on_each().await {
            shop.execute(POLICY);
            let url = shop.url().replace("postgres@", "reading@");
            let url = url.replace("user=postgres", "user=reading");
            assert!(url.contains("reading"), "{url}");
            let answering = shop.answering(&url, PoolLimits::unshared(2)).await;
            let mut genres = Vec::new();
            for _ in 0..2 {
                let answer = answering.ask(SONGS, &json!({})).await;
                genres.push(answer["data"]["allSongsList"][0]["genreByGenreId"].clone());
            }
            // The only statement of the first answer was in no transaction of its own.
            assert_eq!(genres, [Value::Null, json!({ "name": "genre 2" })]);
        }
    });
}

/// The bytes of a streamed answer, and the form in which its rows were read.
async fn streamed(worker: &Worker, request: &Request) -> (ReadForm, Vec<u8>) {
    let (allowed, session, mut report) = (Allowed::Queries, Session::default(), Report::default());
    let delivery = Delivery::Streamed;
    let response = worker.deliver_reported(request, &session, allowed, delivery, &mut report).await;
    let (mut bytes, mut codes) = (Vec::from(response.body), Vec::new());
    let mut rest = response.rest.unwrap();
    while let Some(part) = poll_fn(|context| rest.poll_next(context, &mut codes)).await {
        bytes.extend(part.unwrap().bytes);
    }
    (report.observed.form, bytes)
}

/// The rows below a parent come in any order and are sorted by their key: songs were changed, so that
/// PostgreSQL finds them in another order.
#[test]
fn portions_are_read_with_joins_until_many_rows_refer_to_few() {
    const BELOW: &str = "{ allRecordsList(orderBy: [TITLE_DESC]) {
        title songsByRecordIdList { id genreByGenreId { name parent: genreByParentId { id } } }
    } }";
    block_on(async {
        for (shop, mut answering) in on_each().await {
            shop.execute(
                "UPDATE song SET tone = tone WHERE id % 4 = 0; INSERT INTO song (id, \
                record_id, genre_id) SELECT -id, 1 + id % 99, id % 20 FROM \
                generate_series(1, 3000) AS id WHERE id % 20 > 0",
            );
            for (query, portions) in [(SONGS, 600), (BELOW, 600), (SONGS, 7), (BELOW, 7)] {
                let request = request(query, &json!({}));
                let whole = answering.ask(query, &json!({})).await;
                assert_eq!(whole["errors"], Value::Null, "{whole}");
                let worker = Rc::get_mut(&mut answering.worker).unwrap();
                worker.set_sizes(Sizes { whole: 0, rows: portions });
                let mut forms = Vec::new();
                for _ in 0..3 {
                    let (form, bytes) = streamed(worker, &request).await;
                    assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), whole);
                    forms.push(form);
                }
                let split = ReadForm::SplitPortions;
                let first = if portions == 600 { ReadForm::Portions } else { split };
                assert_eq!(forms, [first, split, split], "{query}");
            }
        }
    });
}
