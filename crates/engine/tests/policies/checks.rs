//! What rows have to be once they are written: what they may not be is taken back, with all that was
//! written beside it.

use serde_json_bytes::json;

use crate::policies::writes::World;
use crate::policies::{DIALECTS, answer, session};

const BEYOND: &str = "postgraphile simple-collections=both bulk-mutations=10 upsert-mutations";
const TOGETHER: &str =
    "postgraphile simple-collections=both bulk-mutations=10 mutation-transactions=request";

/// Players of the own team are made and changed, and stay in it unless they are good; games are made by whom they have a
/// score of; teams are renamed to what they like, and by their own alone.
const CHECKED: &str = r#"
[rules.players]
entity = "player"
read = { columns = "*" }
insert = { columns = "*", check = { team_id = { eq = { claim = "team" } }, any = [{ rating = { is_null = true } }, { rating = { le = 10 } }] } }
update = { rows = { team_id = { eq = { claim = "team" } } }, columns = ["name", "rating", "team_id"] }
[rules.free_agents]
entity = "player"
update = { rows = { team_id = { is_null = true } }, columns = ["rating", "team_id"], check = { rating = { ge = 5 } } }
[rules.teams]
entity = "team"
read = { columns = "*" }
update = { rows = { id = { eq = { claim = "team" } } }, columns = ["name", "city"], check = {} }
[rules.games]
entity = "game"
read = { columns = "*" }
insert = { columns = "*", check = { some = { score = { some = { player = { team_id = { eq = { claim = "team" } } } } } } } }
[rules.scores]
entity = "score"
read = { columns = "*" }
insert = { columns = ["id", "player_id", "game_id", "points"] }
[roles.member]
rules = ["players", "free_agents", "teams", "games", "scores"]
"#;

fn create(player: &str) -> String {
    format!(
        "mutation {{ createPlayer(input: {{player: {{{player}}}}}) {{ player {{ id teamId }} }} }}"
    )
}

fn update(id: i32, patch: &str) -> String {
    format!(
        "mutation {{ updatePlayerById(input: {{id: {id}, playerPatch: {{{patch}}}}}) {{ player {{ id rating teamId }} }} }}"
    )
}

#[tokio::test]
async fn rows_are_inserted_that_pass_the_check() {
    for world in World::under(BEYOND, CHECKED, "").await {
        let made = world.of_team(2, &create("id: 50, name: \"Zoe\", teamId: 2")).await;
        assert_eq!(made, r#"{"data":{"createPlayer":{"player":{"id":50,"teamId":2}}}}"#);
        for player in [
            "id: 51, name: \"Yan\", teamId: 2",
            "id: 51, name: \"Yan\", teamId: null",
            "id: 51, name: \"Yan\"",
            "id: 51, name: \"Yan\", teamId: 1, rating: 11",
        ] {
            let refused = world.refused(&create(player), "PERMISSION_DENIED").await;
            assert!(refused.contains(r#"{"data":{"createPlayer":null}"#), "{refused}");
            assert!(refused.contains(r#""path":["createPlayer"]"#), "{refused}");
            assert!(refused.contains("You may not insert rows of `"), "{refused}");
        }
        let made = world.of_team(1, &create("id: 51, name: \"Yan\", teamId: 1, rating: 10")).await;
        assert!(made.contains(r#""player":{"id":51"#), "{made}");
    }
}

#[tokio::test]
async fn phrags_rows_are_checked_likewise() {
    for world in World::under(DIALECTS[2], CHECKED, "").await {
        let who = session(json!({ "role": "member", "team": 1 }));
        let all = "{ players(sort: {id: asc}, limit: 100) { id name team_id rating } }";
        let nobody = engine::Session::default();
        let players = || answer(&world.administrator, &nobody, all);
        let before = players().await;
        for refused in [
            "mutation { createPlayer(id: 51, name: \"Yan\", team_id: 2) { id } }",
            "mutation { updatePlayer(pk_columns: {id: 2}, team_id: 2) { result } }",
        ] {
            let answer = answer(&world.member, &who, refused).await;
            assert!(answer.contains("PERMISSION_DENIED"), "{answer}");
            assert_eq!(players().await, before);
        }
        let own =
            "mutation { updatePlayer(pk_columns: {id: 2}, team_id: 1, rating: 5) { result } }";
        let own = answer(&world.member, &who, own).await;
        assert!(!own.contains("errors"), "{own}");
        assert_ne!(players().await, before);
    }
}

#[tokio::test]
async fn rows_that_may_be_updated_stay_such_rows_unless_a_check_says_else() {
    for world in World::under(BEYOND, CHECKED, "").await {
        let refused = world.refused(&update(2, "teamId: 2"), "PERMISSION_DENIED").await;
        assert!(refused.contains("You may not update rows of `"), "{refused}");
        assert!(refused.contains(r#""path":["updatePlayerById"]"#), "{refused}");
        world.refused(&update(2, "rating: 3, teamId: null"), "PERMISSION_DENIED").await;
        let own = world.of_team(1, &update(1, "teamId: 1, rating: 4")).await;
        assert!(own.contains(r#"{"id":1,"rating":4,"teamId":1}"#), "{own}");
        // The check of one rule is enough, whichever let the row be updated.
        let free = world.of_team(1, &update(6, "teamId: 1, rating: 1")).await;
        assert!(free.contains(r#"{"id":6,"rating":1,"teamId":1}"#), "{free}");
        let moved = world.of_team(1, &update(1, "teamId: 3, rating: 5")).await;
        assert!(moved.contains(r#"{"id":1,"rating":5,"teamId":3}"#), "{moved}");
        world.refused(&update(1, "teamId: 1"), "NOT_FOUND").await;
        let renamed = "mutation { updateTeamById(input: {id: 1, teamPatch: {name: \"x\"}}) { team { name } } }";
        let renamed = world.of_team(1, renamed).await;
        assert!(renamed.contains(r#"{"name":"x"}"#), "{renamed}");
        // Without the claim there is no row that may be written.
        let claims = session(json!({ "role": "member" }));
        let none = answer(&world.member, &claims, &create("id: 60, name: \"N\", teamId: 1")).await;
        assert!(none.contains("PERMISSION_DENIED"), "{none}");
    }
}

#[tokio::test]
async fn one_row_of_many_that_fails_takes_all_back() {
    for world in World::under(BEYOND, CHECKED, "").await {
        let both = |team: &str| {
            format!(
                "mutation {{ createPlayers(input: {{players: [{{id: 50, name: \"Zoe\", teamId: 1}}, {{id: 51, name: \"Yan\", teamId: {team}}}]}}) {{ affectedCount players {{ id }} }} }}"
            )
        };
        world.refused(&both("2"), "PERMISSION_DENIED").await;
        world.refused(&both("null"), "PERMISSION_DENIED").await;
        // Those of other columns, too, whichever comes first.
        for players in [
            "{id: 50, name: \"Zoe\", teamId: 1}, {id: 51, name: \"Yan\", teamId: 2, rating: 1}",
            "{id: 50, name: \"Zoe\", teamId: 2}, {id: 51, name: \"Yan\", teamId: 1, rating: 1}",
            "{id: 50, name: \"Zoe\", teamId: 1}, {id: 51, name: \"Yan\"}",
        ] {
            let query = format!(
                "mutation {{ createPlayers(input: {{players: [{players}]}}) {{ affectedCount }} }}"
            );
            world.refused(&query, "PERMISSION_DENIED").await;
        }
        let made = world.of_team(1, &both("1")).await;
        assert!(made.contains(r#"{"affectedCount":2,"players":[{"id":50},{"id":51}]}"#), "{made}");
        let change = |patch: &str| {
            format!(
                "mutation {{ updatePlayers(input: {{condition: {{name: \"Zoe\"}}, playerPatch: {{{patch}}}, atMost: 3}}) {{ affectedCount }} }}"
            )
        };
        world.refused(&change("teamId: 2"), "PERMISSION_DENIED").await;
        let changed = world.of_team(1, &change("teamId: 2, rating: 7")).await;
        assert!(changed.contains(r#"{"affectedCount":1}"#), "{changed}");
        let none = world.of_team(1, &change("teamId: 2")).await;
        assert!(none.contains(r#"{"affectedCount":0}"#), "{none}");
    }
}

#[tokio::test]
async fn what_one_write_leaves_wrong_another_may_make_right() {
    const GAME: &str =
        "a: createGame(input: {game: {id: 9, playedAt: \"2024-01-01T00:00:00\"}}) { game { id } }";
    let score = |player: i32| {
        format!(
            "b: createScore(input: {{score: {{id: \"90\", playerId: {player}, gameId: 9}}}}) {{ score {{ id }} }}"
        )
    };
    for world in World::under(TOGETHER, CHECKED, "").await {
        let games = || async {
            answer(
                &world.administrator,
                &engine::Session::default(),
                "{ allGamesList { id } allScoresList { id } }",
            )
            .await
        };
        let before = games().await;
        for query in
            [format!("mutation {{ {GAME} }}"), format!("mutation {{ {GAME} {} }}", score(3))]
        {
            let refused = world.of_team(1, &query).await;
            assert!(
                refused.contains("PERMISSION_DENIED") && refused.contains(r#""path":["a"]"#),
                "{refused}"
            );
            assert_eq!(games().await, before);
        }
        let right = world.of_team(1, &format!("mutation {{ {GAME} {} }}", score(1))).await;
        assert_eq!(right, r#"{"data":{"a":{"game":{"id":9}},"b":{"score":{"id":"90"}}}}"#);
    }
    for world in World::under(BEYOND, CHECKED, "").await {
        let apart = world.of_team(1, &format!("mutation {{ {GAME} {} }}", score(1))).await;
        assert!(apart.contains(r#""a":null,"b":null"#) && apart.contains("FOREIGN_KEY"), "{apart}");
    }
}

/// Rows are made and changed; those of others cannot be seen, and some can be seen and not changed.
const UPSERTED: &str = r#"
[rules.players]
entity = "player"
read = { rows = { any = [{ team_id = { eq = { claim = "team" } } }, { team_id = { is_null = true } }] }, columns = "*" }
insert = { columns = ["id", "name", "rating"], presets = { team_id = { claim = "team" } }, check = { any = [{ rating = { is_null = true } }, { rating = { le = 10 } }] } }
update = { rows = { team_id = { eq = { claim = "team" } } }, columns = ["id", "name", "rating"], presets = { born = "2000-01-01" } }
[rules.games]
entity = "game"
read = { columns = "*" }
insert = { columns = "*" }
[roles.member]
rules = ["players", "games"]
"#;

fn upsert(key: &str, player: &str) -> String {
    format!(
        "mutation {{ upsertPlayerBy{key}(input: {{player: {{{player}}}}}) {{ player {{ id name teamId born rating }} query {{ allPlayersList {{ name }} }} }} }}"
    )
}

#[tokio::test]
async fn rows_are_upserted_that_may_be_inserted_and_updated() {
    for world in World::under(BEYOND, UPSERTED, "").await {
        let made = world.of_team(1, &upsert("Id", "id: 50, name: \"Zoe\"")).await;
        let row = r#"{"id":50,"name":"Zoe","teamId":1,"born":null,"rating":null}"#;
        assert!(made.contains(row), "{made}");
        let changed = world.of_team(1, &upsert("Name", "id: 50, name: \"Zoe\", rating: 4")).await;
        let row = r#"{"id":50,"name":"Zoe","teamId":1,"born":"2000-01-01","rating":4}"#;
        assert!(changed.contains(row), "{changed}");
        // Another team's, and one that may be seen and not changed.
        for player in ["id: 3, name: \"x\"", "id: 6, name: \"x\""] {
            let refused = world.refused(&upsert("Id", player), "PERMISSION_DENIED").await;
            assert!(refused.contains("that has this key") && !refused.contains("Cy"), "{refused}");
            assert!(refused.contains(r#""path":["upsertPlayerById"]"#), "{refused}");
        }
        let by_name = upsert("Name", "id: 70, name: \"Cy\", rating: 1");
        world.refused(&by_name, "PERMISSION_DENIED").await;
        // Both checks hold for what is inserted and for what is updated.
        world
            .refused(&upsert("Id", "id: 51, name: \"Yan\", rating: 11"), "PERMISSION_DENIED")
            .await;
        world
            .refused(&upsert("Id", "id: 50, name: \"Zoe\", rating: 11"), "PERMISSION_DENIED")
            .await;
        // What is preset cannot be said, neither to be inserted nor to be updated.
        for said in ["teamId: 1", "teamId: 2", "born: \"1999-01-01\""] {
            let query = upsert("Id", &format!("id: 50, name: \"Zoe\", {said}"));
            world.refused(&query, "PERMISSION_DENIED").await;
        }
        let game = "mutation { upsertGameById(input: {game: {id: 1, playedAt: \"2024-01-01T00:00:00\"}}) { game { id } } }";
        let game = world.refused(game, "PERMISSION_DENIED").await;
        assert!(game.contains("You may not update rows of `"), "{game}");
    }
}
