//! Rows of which it is not known for sure under which key they are found again: another change of
//! the same transaction gives them another one, they are gone, or their key may be null.

use crate::policies::answer;
use crate::policies::places::Place;
use crate::policies::writes::World;

const TOGETHER: &str =
    "postgraphile simple-collections=both nested-mutations=20 mutation-transactions=request";

/// Players are made in the own team, with skills below 10, and get other keys as one likes.
const RULES: &str = r#"
[rules.players]
entity = "player"
read = { columns = "*" }
insert = { columns = "*", check = { team_id = { eq = { claim = "team" } } } }
update = { columns = ["id", "name"], check = {} }
[rules.teams]
entity = "team"
read = { columns = "*" }
[rules.skills]
entity = "player_skill"
read = { columns = "*" }
insert = { columns = "*", check = { level = { lt = 10 } } }
update = { columns = ["player_id"], check = {} }
[rules.memos]
entity = "memo"
read = { rows = { kind = { ne = "secret" } }, columns = "*" }
insert = { columns = "*", check = { kind = { ne = "secret" } } }
delete = {}
[rules.ids]
entity = "memo"
read = { columns = ["id"] }
[rules.prices]
entity = "price"
read = { rows = { amount = { ne = 12.5 } }, columns = "*" }
delete = {}
[rules.amounts]
entity = "price"
read = { columns = ["id"] }
[roles.member]
rules = ["players", "teams", "skills", "memos", "ids", "prices", "amounts"]
"#;

/// Of SQLite the key of `memo` may be null, and its kinds are compared without case.
fn tables(place: &Place) -> &'static str {
    match place {
        Place::Sqlite => {
            "CREATE TABLE memo (id TEXT PRIMARY KEY DEFAULT (nullif(1, 1)), kind TEXT COLLATE NOCASE, body TEXT);
             CREATE TABLE price (id INTEGER PRIMARY KEY, amount NUMERIC(8,2), body TEXT);
             INSERT INTO memo VALUES ('a', 'Secret', 'hidden'), ('b', 'Plain', 'shown');
             INSERT INTO price VALUES (1, '12.50', 'hidden'), (2, '13.00', 'shown');"
        }
        Place::Postgres(_) => {
            "CREATE TABLE memo (id text PRIMARY KEY, kind text, body text);
             CREATE TABLE price (id int PRIMARY KEY, amount numeric(8,2), body text);
             INSERT INTO memo VALUES ('a', 'secret', 'hidden'), ('b', 'Plain', 'shown');
             INSERT INTO price VALUES (1, 12.50, 'hidden'), (2, 13.00, 'shown');"
        }
    }
}

/// The same where SQLite has to read rows again that triggers change.
fn with_triggers(place: &Place) -> &'static str {
    match place {
        Place::Sqlite => {
            "CREATE TABLE memo (id TEXT PRIMARY KEY DEFAULT (nullif(1, 1)), kind TEXT COLLATE NOCASE, body TEXT);
             CREATE TABLE price (id INTEGER PRIMARY KEY, amount NUMERIC(8,2), body TEXT);
             CREATE TRIGGER memo_made AFTER INSERT ON memo BEGIN SELECT 1; END;
             CREATE TRIGGER player_made AFTER INSERT ON player BEGIN SELECT 1; END;
             CREATE TRIGGER skill_made AFTER INSERT ON player_skill BEGIN SELECT 1; END;
             INSERT INTO memo VALUES ('a', 'Secret', 'hidden'), ('b', 'Plain', 'shown');
             INSERT INTO price VALUES (1, '12.50', 'hidden'), (2, '13.00', 'shown');"
        }
        Place::Postgres(_) => tables(place),
    }
}

async fn worlds() -> Vec<World> {
    let mut all = World::on_each(TOGETHER, RULES, tables).await;
    all.extend(World::on_each(TOGETHER, RULES, with_triggers).await);
    all
}

async fn skills(world: &World) -> String {
    let who = engine::Session::default();
    answer(&world.administrator, &who, "{ allPlayerSkillsList { playerId skillId level } }").await
}

fn create(name: &str, team: i32) -> String {
    format!(
        "createPlayer(input: {{player: {{id: 50, name: \"{name}\", teamId: {team}}}}}) {{ player {{ id }} }}"
    )
}

#[tokio::test]
async fn a_check_holds_whatever_key_the_row_gets_later() {
    const MOVE: &str = "updatePlayerById(input: {id: 50, playerPatch: {id: 51}}) { player { id } }";
    for world in worlds().await {
        // Another row gets the key that the first one had.
        let moved = |team: i32| {
            format!("mutation {{ a: {} b: {MOVE} c: {} }}", create("Zoe", team), create("Yan", 1))
        };
        let refused = world.refused(&moved(2), "PERMISSION_DENIED").await;
        assert!(refused.contains(r#""path":["a"]"#), "{refused}");
        let own = world.of_team(1, &moved(1)).await;
        assert!(own.contains(r#""b":{"player":{"id":51}}"#), "{own}");
    }
}

#[tokio::test]
async fn a_check_holds_whatever_a_new_row_is_connected_with() {
    for world in worlds().await {
        let nested = |level: i32| {
            format!(
                "mutation {{ updateTeamByIdNested(input: {{id: 1, teamPatch: {{playersByTeamId: {{create: [
                    {{id: 50, name: \"Zoe\", playerSkillsByPlayerId: {{create: [{{skillId: 3, level: {level}}}]}}}},
                    {{id: 51, name: \"Yan\", playerSkillsByPlayerId: {{connect: [{{playerId: 50, skillId: 3}}]}}}}
                ]}}}}}}) {{ team {{ id }} }} }}"
            )
        };
        let before = skills(&world).await;
        let refused = world.refused(&nested(99), "PERMISSION_DENIED").await;
        assert!(refused.contains("You may not insert rows of `"), "{refused}");
        assert_eq!(skills(&world).await, before);
        let own = world.of_team(1, &nested(9)).await;
        assert!(!own.contains("errors"), "{own}");
        let moved = r#"{"playerId":51,"skillId":3,"level":9}"#;
        assert!(skills(&world).await.contains(moved), "{own}");
    }
}

#[tokio::test]
async fn conditions_on_rows_that_are_gone_are_those_on_the_table() {
    for world in worlds().await {
        for (delete, id, other) in
            [("deleteMemoById", "\"a\"", "\"b\""), ("deletePriceById", "1", "2")]
        {
            let payload = if delete.contains("Memo") { "memo" } else { "price" };
            let of = |id: &str| {
                format!(
                    "mutation {{ {delete}(input: {{id: {id}}}) {{ {payload} {{ id body }} }} }}"
                )
            };
            let hidden = world.of_team(1, &of(id)).await;
            assert!(hidden.contains(r#""body":null"#) && !hidden.contains("errors"), "{hidden}");
            let shown = world.of_team(1, &of(other)).await;
            assert!(shown.contains(r#""body":"shown""#), "{shown}");
        }
    }
}

#[tokio::test]
async fn rows_whose_key_may_be_null_are_checked_as_others() {
    let memo = |id: &str, kind: &str| {
        format!(
            "mutation {{ createMemo(input: {{memo: {{{id}kind: \"{kind}\"}}}}) {{ memo {{ kind }} }} }}"
        )
    };
    for (number, world) in worlds().await.into_iter().enumerate() {
        let own = world.of_team(1, &memo("id: \"d\", ", "plain")).await;
        assert!(own.contains(r#"{"kind":"plain"}"#), "{own}");
        let is_sqlite = number % 2 == 0;
        for id in ["id: \"c\", ", ""] {
            for kind in ["SECRET", "secret"] {
                // A key is asked for, or the word is another one.
                if !is_sqlite && (id.is_empty() || kind == "SECRET") {
                    continue;
                }
                let refused = world.of_team(1, &memo(id, kind)).await;
                assert!(refused.contains("You may not insert rows of `"), "{refused}");
            }
        }
    }
}
