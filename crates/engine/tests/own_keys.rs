//! Conditions on the key of a row that is referred to: asked of the row that refers to it where that
//! is the same, and the answers are equal to those of a database where it is not.

use engine::PoolLimits;
use graphql::Request;
use serde_json::{Value, json};

use crate::shop::{Answering, Shop, block_on};

/// An artist's manager may be unknown, and so may the artist of an album.
const TABLES: &str = "
    ALTER TABLE artist ADD COLUMN manager_id int REFERENCES artist;
    UPDATE artist SET manager_id = 1 + id % 7 WHERE id % 3 > 0;";

/// The foreign keys say nothing of the rows that were there before.
const UNSURE: &str = "
    ALTER TABLE album DROP CONSTRAINT album_artist_id_fkey;
    ALTER TABLE album ADD CONSTRAINT album_artist_id_fkey
        FOREIGN KEY (artist_id) REFERENCES artist NOT VALID;
    ALTER TABLE artist DROP CONSTRAINT artist_manager_id_fkey;
    ALTER TABLE artist ADD CONSTRAINT artist_manager_id_fkey
        FOREIGN KEY (manager_id) REFERENCES artist NOT VALID;";

/// Conditions on artists, which become conditions on albums.
const ON_KEYS: &[&str] = &[
    "{ id: { equalTo: 3 } }",
    "{ id: { in: [3, 4, 99] } }",
    "{ id: { in: [] } }",
    "{ id: { greaterThan: 30, lessThanOrEqualTo: 33 } }",
    "{ id: { notEqualTo: 3 } }",
    "{ and: [{ id: { greaterThan: 3 } }, { id: { lessThan: 6 } }] }",
    "{ or: [{ id: { equalTo: 3 } }, { id: { equalTo: 5 } }] }",
];

/// Others, for which the artists are asked.
const ON_ROWS: &[&str] = &[
    "{ name: { equalTo: \"artist 3\" } }",
    "{ id: { notIn: [] } }",
    "{ id: { notIn: [3] } }",
    "{ id: { distinctFrom: 3 } }",
    "{ id: { isNull: false } }",
    "{ not: { id: { equalTo: 3 } } }",
    "{ id: { equalTo: 3 }, name: { isNull: false } }",
    "{ albumsByArtistIdList: { some: { id: { equalTo: 3 } } } }",
];

fn of_artist(condition: &str) -> String {
    format!("{{ artistByArtistId: {condition} }}")
}

fn albums(filter: &str) -> String {
    format!(
        "{{ allAlbumsList(filter: {filter}) {{ id artistByArtistId {{ id \
         albumsByArtistIdList(filter: {filter}) {{ id }} }} }} }}"
    )
}

fn is_asked_of_artists(answering: &Answering, query: &str) -> bool {
    let request = Request { query: query.to_owned(), ..Request::default() };
    let explained = answering.worker.prepare(&request).unwrap();
    explained.statements.iter().any(|statement| statement.text.contains("EXISTS"))
}

async fn answering(shop: &Shop, sql: &str) -> Answering {
    shop.execute(TABLES);
    shop.execute(sql);
    shop.answering(&shop.url(), PoolLimits::unshared(1)).await
}

#[test]
fn conditions_on_keys_are_asked_of_the_row_itself() {
    block_on(async {
        for (sure, unsure) in Shop::on_each().iter().zip(&Shop::on_each()) {
            let own = answering(sure, "").await;
            let asked = answering(unsure, UNSURE).await;
            let check = async |filter: &str, is_own: bool| {
                let query = albums(filter);
                assert_eq!(is_asked_of_artists(&own, &query), !is_own, "{filter}");
                assert!(is_asked_of_artists(&asked, &query), "{filter}");
                let answer = own.ask(&query, &json!({})).await;
                assert_eq!(answer["errors"], Value::Null, "{filter}: {answer}");
                assert_eq!(answer, asked.ask(&query, &json!({})).await, "{filter}");
            };
            for condition in ON_KEYS {
                let own_key = of_artist(condition);
                check(&own_key, true).await;
                check(&format!("{{ or: [{own_key}, {{ id: {{ lessThan: 20 }} }}] }}"), true).await;
                // Where the album has no artist, a negation tells unknown from false.
                check(&format!("{{ not: {own_key} }}"), false).await;
                let of_manager = format!("{{ artistByManagerId: {condition} }}");
                check(&of_artist(&of_manager), false).await;
                let none = format!("{{ albumsByArtistIdList: {{ none: {own_key} }} }}");
                check(&of_artist(&none), false).await;
                let every = format!("{{ albumsByArtistIdList: {{ every: {own_key} }} }}");
                check(&of_artist(&every), false).await;
            }
            for condition in ON_ROWS {
                check(&of_artist(condition), false).await;
            }
            check("{ artistByArtistIdExists: true }", true).await;
            check("{ artistByArtistIdExists: false }", false).await;
        }
    });
}

#[test]
fn rows_that_may_be_hidden_or_not_there_are_asked() {
    let cases = [
        "ALTER TABLE artist ENABLE ROW LEVEL SECURITY",
        "CREATE TABLE single () INHERITS (album)",
        "ALTER TABLE album DROP CONSTRAINT album_artist_id_fkey; \
         ALTER TABLE album ALTER COLUMN artist_id TYPE bigint; \
         ALTER TABLE album ADD CONSTRAINT album_artist_id_fkey \
             FOREIGN KEY (artist_id) REFERENCES artist",
        UNSURE,
    ];
    let query = albums(&of_artist(ON_KEYS[0]));
    block_on(async {
        for sql in cases {
            for shop in Shop::on_each() {
                let answering = answering(&shop, sql).await;
                assert!(is_asked_of_artists(&answering, &query), "{sql}");
            }
        }
    });
}

#[test]
fn a_row_that_a_policy_of_the_database_hides_passes_no_condition() {
    const RULES: &str = "
        CREATE ROLE listener LOGIN;
        GRANT SELECT ON artist, album TO listener;
        ALTER TABLE artist ENABLE ROW LEVEL SECURITY;
        CREATE POLICY few ON artist TO listener USING (id < 3);";
    let Some(shop) = Shop::on_one() else { return };
    block_on(async {
        shop.execute(RULES);
        let url = shop.url().replace("user=postgres", "user=listener");
        let answering = shop.answering(&url, PoolLimits::unshared(1)).await;
        let seen = async |condition: &str| {
            let filter = of_artist(condition);
            let query = format!("{{ allAlbumsList(filter: {filter}, first: 1) {{ id }} }}");
            answering.ask(&query, &json!({})).await
        };
        assert_eq!(seen("{ id: { equalTo: 2 } }").await["data"]["allAlbumsList"][0]["id"], 1);
        assert_eq!(seen("{ id: { equalTo: 3 } }").await["data"]["allAlbumsList"], json!([]));
    });
    shop.settle();
    shop.execute("DROP OWNED BY listener; DROP ROLE listener");
}
