//! Migrations on real databases, each on PostgreSQL and on SQLite.

#![allow(
    clippy::unwrap_used,
    reason = "the lints' exception for tests does not reach their helping functions"
)]

mod changes;
mod database;
mod faults;
mod model;
mod random;

use self::database::{TestDatabase, databases, run};
use self::model::{bare, blog, characters, entity, group, of, of_group, one, relation};
use storage::model::Model;

#[test]
fn an_empty_database_gets_the_tables_and_takes_rows() {
    for database in databases("empty") {
        run(database.migrate(&blog()));
        database.execute(
            "INSERT INTO \"Author\" (id, name) VALUES (1, 'Ann');
             INSERT INTO \"Post\" (id, title, body, state, author)
             VALUES (2, 'On rivers', 'Rivers run', 'DRAFT', 1);
             INSERT INTO \"Tag\" (id, name) VALUES (3, 'water');
             INSERT INTO \"Post_tags\" (post, tags) VALUES (2, 3);",
        );
        assert_eq!(
            database.query(
                "SELECT p.title, a.name, t.name FROM \"Post\" p JOIN \"Author\" a ON a.id = p.author
                 JOIN \"Post_tags\" pt ON pt.post = p.id JOIN \"Tag\" t ON t.id = pt.tags"
            ),
            ["On rivers|Ann|water"]
        );
        // Nothing is left to do.
        assert!(run(database.plan(&blog())).is_current());
        database.execute("DELETE FROM \"Author\"; DELETE FROM \"Tag\"");
        assert_eq!(database.query("SELECT count(*), count(author) FROM \"Post\""), ["1|0"]);
        assert_eq!(database.query("SELECT count(*) FROM \"Post_tags\""), ["0"]);
    }
}

#[test]
fn triggers_keep_the_table_of_a_group() {
    for database in databases("group") {
        run(database.migrate(&characters()));
        database.execute(
            "INSERT INTO \"Human\" (id, name) VALUES (1, 'Luke'), (2, 'Leia');
             INSERT INTO \"Droid\" (id, name) VALUES (3, 'R2-D2');
             INSERT INTO \"Ship\" (id, captain) VALUES (4, 2);
             INSERT INTO \"Character_friends\" (character, friends) VALUES (1, 3), (3, 1);
             UPDATE \"Human\" SET name = 'Luke Skywalker' WHERE id = 1;",
        );
        let rows = "SELECT id, type, name FROM \"Character\" ORDER BY id";
        assert_eq!(
            database.query(rows),
            ["1|Human|Luke Skywalker", "2|Human|Leia", "3|Droid|R2-D2"]
        );
        assert!(database.fails("INSERT INTO \"Droid\" (id, name) VALUES (9, 'Leia')"));
        database.execute("DELETE FROM \"Human\"");
        assert_eq!(database.query(rows), ["3|Droid|R2-D2"]);
        assert_eq!(database.query("SELECT count(captain) FROM \"Ship\""), ["0"]);
        assert_eq!(database.query("SELECT count(*) FROM \"Character_friends\""), ["0"]);
    }
}

#[test]
fn ids_are_unique_in_the_whole_database() {
    for database in databases("ids") {
        run(database.migrate(&blog()));
        match &database {
            TestDatabase::Postgres { .. } => {
                database.execute("INSERT INTO \"Tag\" (name) VALUES ('a')");
                database.execute("INSERT INTO \"Author\" (name) VALUES ('b')");
            }
            TestDatabase::Sqlite { .. } => {
                assert!(database.fails("INSERT INTO \"Tag\" (name) VALUES ('a')"));
                let next = "UPDATE thalweg_sequence SET last = last + 1 RETURNING last";
                assert_eq!(database.query(next), ["1"]);
                database.execute("INSERT INTO \"Tag\" (id, name) VALUES (1, 'a')");
                // One that was not taken from the sequence, which goes on behind it.
                database.execute("INSERT INTO \"Author\" (id, name) VALUES (2, 'b')");
                assert_eq!(database.query(next), ["3"]);
            }
        }
        assert_eq!(database.query("SELECT id FROM \"Tag\""), ["1"]);
        assert_eq!(database.query("SELECT id FROM \"Author\""), ["2"]);
    }
}

#[test]
fn rows_of_one_statement_refer_to_each_other_by_a_group() {
    for database in databases("one_statement") {
        let model = Model {
            entities: vec![entity("A", Vec::new())],
            groups: vec![group("G", &[0], &[])],
            relations: vec![relation(one(of(0), "next"), bare(of_group(0)))],
            ..Model::default()
        };
        run(database.migrate(&model));
        database.execute("INSERT INTO \"A\" (id, next) VALUES (1, 2), (2, 1), (3, 3)");
        assert!(database.fails("INSERT INTO \"A\" (id, next) VALUES (4, 5)"));
        assert_eq!(database.query("SELECT count(*) FROM \"G\""), ["3"]);
    }
}
