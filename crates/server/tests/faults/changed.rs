//! Tables that change after they were introspected.

use serde_json::{Value, json};

use crate::databases::{Database, File};
use crate::served::Served;

const TABLES: &str = "
    CREATE TABLE artist (id integer PRIMARY KEY, name text, rank int, extra text);
    INSERT INTO artist VALUES (1, 'first', 5, 'x');
    CREATE TABLE genre (id integer PRIMARY KEY, artist_id integer REFERENCES artist);
    CREATE INDEX genre_artist ON genre (artist_id);
    INSERT INTO genre VALUES (3, 1);";

const QUERY: &str = "{
    allArtists { nodes { name rank genresByArtistId { nodes { id } } } }
    artistById(id: 1) { extra }
    allGenres { totalCount }
}";

/// Runs statements on whichever database it is.
type Execute<'d> = &'d dyn Fn(&str);

fn expected(artists: &Value, artist: &Value) -> Value {
    json!({ "allArtists": artists, "artistById": artist, "allGenres": { "totalCount": 1 } })
}

fn artists() -> Value {
    json!({ "nodes": [{ "name": "first", "rank": 5, "genresByArtistId": { "nodes": [{ "id": 3 }] } }] })
}

fn check_changes(served: &mut Served, execute: Execute<'_>, names: [&str; 2]) {
    let whole = expected(&artists(), &json!({ "extra": "x" }));
    let failed = "The data source failed.";
    for _ in 0..2 {
        assert_eq!(served.ask(QUERY), json!({ "data": whole }));
    }

    execute("ALTER TABLE artist ADD COLUMN further int");
    assert_eq!(served.ask(QUERY), json!({ "data": whole }), "a column more");

    execute("ALTER TABLE artist DROP COLUMN extra");
    for _ in 0..2 {
        let answer = served.ask(QUERY);
        assert_eq!(answer["data"], expected(&artists(), &Value::Null));
        assert_eq!(answer["errors"][0]["path"], json!(["artistById"]));
        served.assert_masked(&answer, "SOURCE_ERROR", failed, names[0]);
    }
    execute("ALTER TABLE artist ADD COLUMN extra text DEFAULT 'x'");
    assert_eq!(served.ask(QUERY), json!({ "data": whole }), "the column is back");

    execute("ALTER TABLE artist RENAME COLUMN name TO title");
    let answer = served.ask(QUERY);
    assert_eq!(answer["data"], expected(&Value::Null, &json!({ "extra": "x" })));
    served.assert_masked(&answer, "SOURCE_ERROR", failed, "name");
    execute("ALTER TABLE artist RENAME COLUMN title TO name");
    assert_eq!(served.ask(QUERY), json!({ "data": whole }), "the name is back");

    execute("ALTER TABLE genre RENAME TO style");
    let answer = served.ask("{ allGenres { totalCount } artistById(id: 1) { extra } }");
    assert_eq!(answer["data"], json!({ "allGenres": null, "artistById": { "extra": "x" } }));
    served.assert_masked(&answer, "SOURCE_ERROR", failed, names[1]);
    execute("DROP TABLE style");
    let answer = served.ask("{ allGenres { totalCount } artistById(id: 1) { extra } }");
    assert_eq!(answer["data"], json!({ "allGenres": null, "artistById": { "extra": "x" } }));
    served.assert_lives();
}

#[test]
fn changed_tables_of_postgresql_fail_alone() {
    for database in Database::on_each(TABLES) {
        let mut served = Served::start(&database.url(), &["--threads", "1"]);
        let names = ["column t0.extra does not exist", "relation \\\"public.genre\\\""];
        check_changes(&mut served, &|sql| database.execute(sql), names);
    }
}

#[test]
fn changed_tables_of_sqlite_fail_alone() {
    let file = File::new(TABLES);
    let mut served = Served::start(file.source(), &["--threads", "1"]);
    let connection = file.connect();
    let execute = |sql: &str| connection.execute_batch(sql).unwrap();
    check_changes(&mut served, &execute, ["no such column: t0.extra", "no such table: genre"]);
}

#[test]
fn a_column_of_another_type_is_read_as_far_as_its_values_fit() {
    for database in Database::on_each(TABLES) {
        let served = Served::start(&database.url(), &["--threads", "1"]);
        let query = "{ allArtists { nodes { id rank } } }";
        let row = |rank: Value| json!({ "allArtists": { "nodes": [{ "id": 1, "rank": rank }] } });
        assert_eq!(served.ask(query), json!({ "data": row(json!(5)) }));
        database.execute("ALTER TABLE artist ALTER rank TYPE bigint");
        assert_eq!(served.ask(query), json!({ "data": row(json!(5)) }));
        database.execute("ALTER TABLE artist ALTER rank TYPE text; UPDATE artist SET rank = '5x'");
        let answer = served.ask(query);
        assert_eq!(answer["data"], row(Value::Null));
        assert_eq!(answer["errors"][0]["extensions"]["code"], "INVALID_VALUE");
    }
}

#[test]
fn a_key_of_another_type_is_compared_as_what_it_is_now() {
    for database in Database::on_each(TABLES) {
        let served = Served::start(&database.url(), &["--threads", "1"]);
        let query = "{ allArtists(condition: { rank: 5 }) { nodes { extra } } }";
        let expected = json!({ "data": { "allArtists": { "nodes": [{ "extra": "x" }] } } });
        assert_eq!(served.ask(query), expected);
        database.execute("ALTER TABLE artist ALTER rank TYPE text");
        assert_eq!(served.ask(query), expected);
    }
}

#[test]
fn rows_that_were_dropped_and_made_again_are_read() {
    for database in Database::on_each(TABLES) {
        let served = Served::start(&database.url(), &["--threads", "1"]);
        let query = "{ artistById(id: 1) { name } }";
        for name in ["first", "second"] {
            let expected = json!({ "data": { "artistById": { "name": name } } });
            assert_eq!(served.ask(query), expected);
            database.execute(
                "DROP TABLE artist CASCADE;
                 CREATE TABLE artist (name varchar(9), id bigint PRIMARY KEY);
                 INSERT INTO artist VALUES ('second', 1);",
            );
        }
    }
}
