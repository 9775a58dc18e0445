//! Checks look at rows as the database has them, whatever it makes of what was said: triggers,
//! generated columns, views, collations.

use crate::policies::places::Place;
use crate::policies::writes::World;

const DIALECT: &str = "postgraphile simple-collections=both bulk-mutations=10 upsert-mutations";

/// A trigger moves whoever gets the rating 99 to the other team.
fn tables(place: &Place) -> &'static str {
    match place {
        Place::Sqlite => {
            "CREATE TABLE tied (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER GENERATED ALWAYS AS (a * 2) STORED);
             CREATE TABLE nick (id INTEGER PRIMARY KEY, word TEXT COLLATE NOCASE);
             CREATE TABLE loose (id TEXT, n INTEGER);
             CREATE TABLE bare (n INTEGER);
             CREATE VIEW short AS SELECT id, name, team_id FROM player;
             CREATE TRIGGER short_insert INSTEAD OF INSERT ON short BEGIN
                INSERT INTO player (id, name, team_id) VALUES (NEW.id, NEW.name, NEW.team_id); END;
             INSERT INTO tied (id, a) VALUES (1, 1);
             CREATE TABLE part (id INTEGER, n INTEGER, owner INTEGER, word TEXT, PRIMARY KEY (id, n));
             INSERT INTO part VALUES (1, 1, 1, 'a');
             CREATE TRIGGER gives BEFORE UPDATE OF word ON part WHEN NEW.word = 'b' BEGIN
                UPDATE part SET owner = 2 WHERE id = NEW.id; END;
             CREATE TRIGGER moves AFTER UPDATE OF rating ON player WHEN NEW.rating = 99 BEGIN
                UPDATE player SET team_id = 2 WHERE id = NEW.id; END;"
        }
        Place::Postgres(_) => {
            "CREATE TABLE tied (id int PRIMARY KEY, a int, b int GENERATED ALWAYS AS (a * 2) STORED);
             CREATE TABLE nick (id int PRIMARY KEY, word text);
             CREATE TABLE loose (id text, n int);
             CREATE TABLE bare (n int);
             CREATE VIEW short AS SELECT id, name, team_id FROM player;
             INSERT INTO tied (id, a) VALUES (1, 1);
             CREATE TABLE part (id int, n int, owner int, word text, PRIMARY KEY (id, n)) PARTITION BY LIST (n);
             CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (1);
             INSERT INTO part VALUES (1, 1, 1, 'a');
             CREATE FUNCTION give() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN NEW.owner := 2; RETURN NEW; END $$;
             CREATE TRIGGER gives BEFORE UPDATE ON part_1 FOR EACH ROW
                WHEN (NEW.word = 'b') EXECUTE FUNCTION give();
             CREATE FUNCTION move() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN NEW.team_id := 2; RETURN NEW; END $$;
             CREATE TRIGGER moves BEFORE UPDATE ON player FOR EACH ROW
                WHEN (NEW.rating = 99) EXECUTE FUNCTION move();"
        }
    }
}

const RULES: &str = r#"
[rules.players]
entity = "player"
read = { columns = "*" }
update = { rows = { team_id = { eq = { claim = "team" } } }, columns = ["name", "rating"], check = { team_id = { eq = { claim = "team" } } } }
[rules.tied]
entity = "tied"
read = { columns = "*" }
update = { rows = { b = { lt = 10 } }, columns = ["a"] }
[rules.nick]
entity = "nick"
read = { columns = "*" }
insert = { columns = "*", check = { not = { word = { eq = "root" } } } }
[rules.loose]
entity = "loose"
read = { columns = "*" }
insert = { columns = "*", check = { n = { eq = 1 } } }
[rules.bare]
entity = "bare"
read = { columns = "*" }
insert = { columns = "*", check = { n = { eq = 1 } } }
[rules.short]
entity = "short"
read = { columns = "*" }
insert = { columns = "*", check = { team_id = { eq = { claim = "team" } } } }
[roles.member]
rules = ["players", "tied", "nick", "loose", "bare", "short"]
"#;

/// With the default check, although nothing that is said decides on it.
const DEFAULT: &str = r#"
[rules.players]
entity = "player"
read = { columns = "*" }
update = { rows = { team_id = { eq = { claim = "team" } } }, columns = ["name", "rating"] }
[rules.parts]
entity = "part"
read = { columns = "*" }
update = { rows = { owner = { eq = { claim = "team" } } }, columns = ["word"] }
[roles.member]
rules = ["players", "parts"]
"#;

fn rate(rating: i32) -> String {
    format!(
        "mutation {{ updatePlayerById(input: {{id: 1, playerPatch: {{rating: {rating}}}}}) {{ player {{ rating }} }} }}"
    )
}

#[tokio::test]
async fn what_triggers_write_is_checked() {
    for world in World::on_each(DIALECT, RULES, tables).await {
        world.refused(&rate(99), "PERMISSION_DENIED").await;
        let own = world.of_team(1, &rate(98)).await;
        assert!(own.contains(r#"{"rating":98}"#), "{own}");
    }
    for world in World::on_each(DIALECT, DEFAULT, tables).await {
        world.refused(&rate(99), "PERMISSION_DENIED").await;
    }
}

#[tokio::test]
async fn what_triggers_of_partitions_and_before_updates_write_is_checked() {
    for world in World::on_each(DIALECT, DEFAULT, tables).await {
        let update = |word: &str| {
            format!(
                "mutation {{ updatePartByIdAndN(input: {{id: 1, n: 1, partPatch: {{word: \"{word}\"}}}}) {{ part {{ owner word }} }} }}"
            )
        };
        let refused = world.of_team(1, &update("b")).await;
        assert!(refused.contains("You may not update rows of `"), "{refused}");
        let own = world.of_team(1, &update("c")).await;
        assert!(own.contains(r#"{"owner":1,"word":"c"}"#), "{own}");
    }
}

#[tokio::test]
async fn columns_that_are_generated_are_checked() {
    for world in World::on_each(DIALECT, RULES, tables).await {
        let update = |a: i32| {
            format!(
                "mutation {{ updateTiedById(input: {{id: 1, tiedPatch: {{a: {a}}}}}) {{ tied {{ b }} }} }}"
            )
        };
        let refused = world.of_team(1, &update(5)).await;
        assert!(refused.contains("You may not update rows of `"), "{refused}");
        let own = world.of_team(1, &update(4)).await;
        assert!(own.contains(r#"{"b":8}"#), "{own}");
    }
}

#[tokio::test]
async fn rows_of_views_and_without_keys_are_checked() {
    for world in World::on_each(DIALECT, RULES, tables).await {
        let short = |id: i32, team: i32| {
            format!(
                "mutation {{ createShort(input: {{short: {{id: {id}, name: \"n{id}\", teamId: {team}}}}}) {{ short {{ id }} }} }}"
            )
        };
        world.refused(&short(70, 2), "PERMISSION_DENIED").await;
        let own = world.of_team(1, &short(71, 1)).await;
        assert!(own.contains(r#"{"id":71}"#), "{own}");
        for (field, input) in [("createLoose", "loose"), ("createBare", "bare")] {
            let of = |n: i32| {
                format!(
                    "mutation {{ {field}(input: {{{input}: {{n: {n}}}}}) {{ {input} {{ n }} }} }}"
                )
            };
            let refused = world.of_team(1, &of(2)).await;
            assert!(refused.contains("You may not insert rows of `"), "{refused}");
            let own = world.of_team(1, &of(1)).await;
            assert!(own.contains(r#"{"n":1}"#), "{own}");
        }
    }
}

#[tokio::test]
async fn conditions_on_what_was_written_are_those_on_the_table() {
    for (number, world) in World::on_each(DIALECT, RULES, tables).await.into_iter().enumerate() {
        let nick = |id: i32, word: &str| {
            format!(
                "mutation {{ createNick(input: {{nick: {{id: {id}, word: \"{word}\"}}}}) {{ nick {{ word }} }} }}"
            )
        };
        let refused = world.of_team(1, &nick(1, "root")).await;
        assert!(refused.contains("PERMISSION_DENIED"), "{refused}");
        // The column of SQLite compares without case.
        let upper = world.of_team(1, &nick(1, "ROOT")).await;
        assert_eq!(upper.contains("PERMISSION_DENIED"), number == 0, "{upper}");
    }
}
