//! What is told of one row: which rules let it, and which part of the others' conditions does not.

use engine::{RowError, RowName};
use serde_json_bytes::{Value as Json, json};

use crate::policies::places::places;
use crate::policies::{DIALECTS, session};

const POLICIES: &str = r#"
[rules.names]
entity = "player"
read = { rows = { any = [{ rating = { ge = 5 } }, { not = { born = { is_null = true } } }] }, columns = ["id", "name"] }
[rules.team]
entity = "player"
read = { rows = { team_id = { eq = { claim = "team" } } }, columns = ["id", "name", "rating"] }
update = { rows = { team_id = { eq = { claim = "team" } }, some = { score = { points = { gt = 5 } } } }, columns = ["name"], presets = { rating = { claim = "rating" } } }
[rules.games]
entity = "game"
read = { columns = "*" }
[roles.member]
rules = ["names", "team", "games"]
[roles.owner]
all = true
"#;

fn name(entity: &str, columns: &[(&str, Json)]) -> RowName {
    let columns = columns.iter().map(|(name, value)| ((*name).into(), value.clone()));
    RowName { entity: entity.into(), columns: columns.collect() }
}

#[tokio::test]
async fn it_is_told_which_part_of_which_rule_refuses_a_row() {
    for place in places() {
        let league = place.database("rows", "");
        let worker = league.worker(DIALECTS[0], Some(POLICIES)).await;
        let check = async |claims: Json, row: RowName, expected: &str| {
            let told = worker.explain_row(&row, &session(claims)).await.unwrap();
            let expected: Vec<&str> = expected.lines().map(|line| &line[12..]).collect();
            let told = told.replace("public.", "");
            assert_eq!(told.lines().collect::<Vec<_>>(), expected, "{place}");
        };
        check(
            json!({ "role": "member", "team": 1, "rating": 3 }),
            name("player", &[("id", json!("1"))]),
            "            row of player with id = \"1\"
            role member, with the rules names, team about it
            claim team is 1
            claim rating is 3
            read: seen
              names lets it
                true: any of
                  true: rating >= 5 (rating is 7)
                  true: the contrary of
                    false: born is null (born is 1990-02-28)
              team lets it
                true: team_id = claim team (team_id is 1)
            columns
              id: seen, by names, team
              team_id: refused, no rule names it to read
              name: seen, by names, team
              born: refused, no rule names it to read
              rating: seen, by team
            update: let
              team lets it, in name; it writes rating by itself
                true: some <-score[player_id] (points > 5)
                true: team_id = claim team (team_id is 1)
            delete: refused
              no rule lets it",
        )
        .await;
        check(
            json!({ "role": "member", "team": null }),
            name("player", &[("name", json!("Cy")), ("born", Json::Null)]),
            "            row of player with name = \"Cy\", born = null
            role member, with the rules names, team about it
            claim team is missing
            claim rating is missing
            read: not seen
              names does not let it
                false: any of
                  false: rating >= 5 (rating is 3)
                  false: the contrary of
                    true: born is null (born is null)
              team does not let it
                unknown: team_id = claim team (claim team is missing)
            columns
              team_id: refused, no rule names it to read
              born: refused, no rule names it to read
            update: refused
              team does not let it
                true: some <-score[player_id] (points > 5)
                unknown: team_id = claim team (claim team is missing)
                unknown: what it writes into rating (claim rating is missing)
            delete: refused
              no rule lets it",
        )
        .await;
        check(
            json!({ "role": "member", "team": 2 }),
            name("player", &[("id", json!(2))]),
            "            row of player with id = 2
            role member, with the rules names, team about it
            claim team is 2
            claim rating is missing
            read: seen
              names lets it
                true: any of
                  unknown: rating >= 5 (rating is null)
                  true: the contrary of
                    false: born is null (born is 1991-05-01)
              team does not let it
                false: team_id = claim team (team_id is 1)
            columns
              id: seen, by names
              team_id: refused, no rule names it to read
              name: seen, by names
              born: refused, no rule names it to read
              rating: null, not let in this row by team
            update: refused
              team does not let it
                true: some <-score[player_id] (points > 5)
                false: team_id = claim team (team_id is 1)
                unknown: what it writes into rating (claim rating is missing)
            delete: refused
              no rule lets it",
        )
        .await;
        check(
            json!({ "role": "owner" }),
            name("player", &[("id", json!(2))]),
            "            row of player with id = 2
            role owner, without rules about it
            everything is allowed",
        )
        .await;
    }
}

#[tokio::test]
async fn what_is_said_of_a_row_is_what_a_request_gets() {
    for place in places() {
        let league = place.database("rows_asked", "");
        let worker = league.worker(DIALECTS[0], Some(POLICIES)).await;
        for team in [json!(1), json!(2), json!(3), Json::Null] {
            let session = session(json!({ "role": "member", "team": team.clone() }));
            let seen =
                crate::policies::answer(&worker, &session, "{ allPlayersList { id } }").await;
            for id in 1..=7 {
                let row = name("player", &[("id", json!(id))]);
                let told = worker.explain_row(&row, &session).await.unwrap();
                let is_told = told.contains("read: seen");
                assert_eq!(is_told, seen.contains(&format!("{{\"id\":{id}}}")), "{place}\n{told}");
            }
        }
    }
}

#[tokio::test]
async fn nothing_is_said_of_a_row_that_is_not_found() {
    for place in places() {
        let league = place.database("rows_missing", "");
        let worker = league.worker(DIALECTS[0], Some(POLICIES)).await;
        let member = session(json!({ "role": "member" }));
        let check = async |row: RowName, expected: &str| {
            let error = worker.explain_row(&row, &member).await.unwrap_err().to_string();
            assert!(error.contains(expected), "{place}: {error}");
        };
        check(name("player", &[("id", json!(99))]), "no such row").await;
        check(name("player", &[("team_id", json!(1))]), "several such rows").await;
        check(name("players", &[("id", json!(1))]), "no table or view `players`").await;
        check(name("player", &[("nick", json!(1))]), "no column `nick`").await;
        check(name("player", &[("born", Json::Null)]), "a column with a value").await;
        check(name("player", &[("id", json!([1]))]), "a list or an object").await;
        let without = league.worker(DIALECTS[0], None).await;
        let row = name("player", &[("id", json!(1))]);
        let error = without.explain_row(&row, &member).await.unwrap_err();
        assert!(matches!(error, RowError::NoPolicies), "{error}");
    }
}
