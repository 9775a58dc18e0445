//! What a change tells beside the rows that it changes: no way shows more than a query would.

use crate::policies::answer;
use crate::policies::writes::World;

const BEYOND: &str = "postgraphile simple-collections=both bulk-mutations=10 upsert-mutations \
    nested-mutations=20 connection-filter connection-filter-relations";

/// Everything of the own team and some of the others' is seen, and their ratings are not; players of
/// any team may be inserted.
const RULES: &str = r#"
[rules.own]
entity = "player"
read = { rows = { team_id = { eq = { claim = "team" } } }, columns = "*" }
update = { rows = { team_id = { eq = { claim = "team" } } }, columns = ["name", "rating"] }
delete = { rows = { team_id = { eq = { claim = "team" } } } }
[rules.others]
entity = "player"
read = { rows = { id = { lt = 4 } }, columns = ["id", "name", "team_id", "born"] }
update = { rows = { id = { lt = 4 } }, columns = ["born"] }
[rules.new]
entity = "player"
insert = { columns = "*" }
[rules.teams]
entity = "team"
read = { rows = { id = { eq = { claim = "team" } } }, columns = ["id", "name"] }
[rules.scores]
entity = "score"
read = { rows = { id = { gt = 2 } }, columns = ["id", "player_id", "points"] }
insert = { columns = ["id", "player_id", "points"], check = { some = { player = { team_id = { eq = { claim = "team" } } } } } }
[roles.member]
rules = ["own", "others", "new", "teams", "scores"]
"#;

fn update(id: i32, patch: &str, payload: &str) -> String {
    format!(
        "mutation {{ updatePlayerById(input: {{id: {id}, playerPatch: {{{patch}}}}}) {{ {payload} }} }}"
    )
}

#[tokio::test]
async fn payloads_and_cursors_show_what_a_query_shows() {
    for world in World::under(BEYOND, RULES, "").await {
        // Cy has the rating 3, which only the team 2 sees.
        let edge = "player { id rating teamByTeamId { name } scoresByPlayerId { totalCount } }
            playerEdge(orderBy: [RATING_ASC, ID_ASC]) { cursor node { rating } }";
        let hidden = world.of_team(1, &update(3, "born: \"2000-02-02\"", edge)).await;
        assert!(hidden.contains(r#""id":3,"rating":null,"teamByTeamId":null"#), "{hidden}");
        assert!(hidden.contains(r#""node":{"rating":null}"#), "{hidden}");
        let seen = world.of_team(2, &update(3, "born: \"2000-02-02\"", edge)).await;
        assert!(seen.contains(r#""id":3,"rating":3,"teamByTeamId":{"name":"Blues"}"#), "{seen}");
        let cursor = |answer: &str| {
            let answer: serde_json::Value = serde_json::from_str(answer).unwrap();
            answer["data"]["updatePlayerById"]["playerEdge"]["cursor"].as_str().unwrap().to_owned()
        };
        assert_ne!(cursor(&hidden), cursor(&seen));
        let query = "{ allPlayers(orderBy: [RATING_ASC, ID_ASC], condition: {id: 3}) { edges { cursor } } }";
        let asked = world.of_team(1, query).await;
        assert!(asked.contains(&cursor(&hidden)), "{asked}");
        // Scores 1 and 2 of three are hidden.
        let own = "player { scoresByPlayerId { totalCount nodes { id } } }";
        let own = world.of_team(1, &update(1, "rating: 1", own)).await;
        assert!(own.contains(r#"{"totalCount":1,"nodes":[{"id":"3"}]}"#), "{own}");
    }
}

#[tokio::test]
async fn rows_that_may_not_be_seen_are_as_if_they_were_not_there() {
    for world in World::under(BEYOND, RULES, "").await {
        let by_node = |id: &str| {
            format!(
                "mutation {{ updatePlayer(input: {{nodeId: \"{id}\", playerPatch: {{rating: 1}}}}) {{ player {{ id }} }} }}"
            )
        };
        // ["players",4] and ["players",99]
        let hidden = world.refused(&by_node("WyJwbGF5ZXJzIiw0XQ=="), "NOT_FOUND").await;
        let missing = world.refused(&by_node("WyJwbGF5ZXJzIiw5OV0="), "NOT_FOUND").await;
        assert_eq!(hidden, missing);
        let many = |filter: &str| {
            format!(
                "mutation {{ updatePlayers(input: {{filter: {{{filter}}}, playerPatch: {{born: null}}, atMost: 9}}) {{ affectedCount players {{ id }} }} }}"
            )
        };
        // The ratings of others, and rows related to them, decide nothing.
        for filter in [
            "rating: {equalTo: 3}",
            "teamByTeamId: {name: {equalTo: \"Blues\"}}",
            "scoresByPlayerId: {some: {id: {lessThan: \"3\"}}}",
        ] {
            let none = world.of_team(1, &many(filter)).await;
            assert!(none.contains(r#"{"affectedCount":0,"players":[]}"#), "{filter}: {none}");
        }
        let denied = many("teamByTeamId: {city: {equalTo: \"Ulm\"}}");
        world.refused(&denied, "PERMISSION_DENIED").await;
        let delete = |id: i32| {
            format!(
                "mutation {{ deletePlayerById(input: {{id: {id}}}) {{ deletedPlayerId player {{ name }} }} }}"
            )
        };
        let hidden = world.refused(&delete(4), "NOT_FOUND").await;
        assert_eq!(hidden, world.refused(&delete(99), "NOT_FOUND").await);
    }
}

#[tokio::test]
async fn errors_tell_no_values_of_other_rows() {
    for world in World::under(BEYOND, RULES, "").await {
        let taken =
            "mutation { createPlayer(input: {player: {id: 50, name: \"Di\"}}) { player { id } } }";
        let taken = world.refused(taken, "UNIQUE_VIOLATION").await;
        assert!(!taken.contains("Di") && !taken.contains("name"), "{taken}");
        // What was inserted for another team is not seen, nor is that team.
        let made = "mutation { createPlayer(input: {player: {id: 50, name: \"Zoe\", teamId: 2, rating: 9}}) {
            player { id rating } teamByTeamId { name } playerEdge { cursor } query { playerById(id: 50) { id } } } }";
        let made = world.of_team(1, made).await;
        let expected = r#"{"createPlayer":{"player":null,"teamByTeamId":null,"playerEdge":null,"query":{"playerById":null}}}"#;
        assert!(made.contains(expected), "{made}");
        let upsert = "mutation { upsertPlayerByName(input: {player: {id: 60, name: \"Di\", rating: 1}}) { player { id } } }";
        world.refused(upsert, "PERMISSION_DENIED").await;
    }
}

#[tokio::test]
async fn each_row_of_a_nested_mutation_is_asked_for() {
    let nested = |player: i32, score: &str| {
        format!("mutation {{ updatePlayerByIdNested(input: {{id: {player}, playerPatch: {{{score}}}}}) {{
            player {{ name scoresByPlayerId {{ nodes {{ id }} }} }} }} }}")
    };
    let create = "scoresByPlayerId: {create: [{id: \"90\", points: 1}]}";
    for world in World::under(BEYOND, RULES, "").await {
        let scores = || async {
            let who = engine::Session::default();
            answer(&world.administrator, &who, "{ allScoresList { id playerId } }").await
        };
        let before = scores().await;
        // Bo is of the team; Cy is seen, and the check of his scores fails; Di is not seen.
        let refused = world.of_team(1, &nested(3, create)).await;
        assert!(
            refused.contains("PERMISSION_DENIED")
                && refused.contains("You may not insert rows of `"),
            "{refused}"
        );
        let missing = world.of_team(1, &nested(4, create)).await;
        assert!(missing.contains("NOT_FOUND"), "{missing}");
        let denied = world
            .of_team(1, &nested(2, "scoresByPlayerId: {create: [{id: \"90\", won: true}]}"))
            .await;
        assert!(denied.contains("PERMISSION_DENIED"), "{denied}");
        let denied =
            world.of_team(1, &nested(2, "scoresByPlayerId: {connect: [{id: \"3\"}]}")).await;
        assert!(denied.contains("PERMISSION_DENIED"), "{denied}");
        assert_eq!(scores().await, before);
        let own = world.of_team(1, &nested(2, create)).await;
        assert!(own.contains(r#"{"id":"90"}"#), "{own}");
        // A new row that may not be seen cannot be referred to.
        let hidden = "mutation { createPlayerNested(input: {player: {id: 51, name: \"Yan\", teamId: 2, scoresByPlayerId: {create: [{id: \"91\"}]}}}) { player { id } } }";
        world.refused(hidden, "NOT_FOUND").await;
    }
}
