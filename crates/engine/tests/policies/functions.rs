//! Functions under policies: whoever may call one sees what it shows of rows that may be seen.

use serde_json_bytes::json;

use crate::policies::places::{Place, places};
use crate::policies::{DIALECTS, answer, session};

const FUNCTIONS: &str = "
    CREATE FUNCTION best(lowest int) RETURNS SETOF player LANGUAGE sql STABLE AS
        $$ SELECT * FROM player WHERE rating >= lowest ORDER BY rating DESC, id $$;
    CREATE FUNCTION one() RETURNS player LANGUAGE sql STABLE AS
        $$ SELECT * FROM player WHERE id = 3 $$;
    CREATE FUNCTION player_shout(player player) RETURNS text LANGUAGE sql STABLE AS
        $$ SELECT upper(player.name) $$;
    CREATE FUNCTION rename_all() RETURNS SETOF player LANGUAGE sql VOLATILE AS
        $$ UPDATE player SET name = name || '!' RETURNING * $$;
    CREATE FUNCTION player_rival(player player) RETURNS player LANGUAGE sql STABLE AS
        $$ SELECT other FROM player AS other WHERE id = 4 - player.id $$;
    CREATE FUNCTION player_rivals(player player) RETURNS SETOF player LANGUAGE sql STABLE AS
        $$ SELECT * FROM player AS other WHERE id <> player.id $$;
    CREATE TYPE pair AS (first player, second player);
    CREATE FUNCTION team_pair(team team) RETURNS pair LANGUAGE sql STABLE AS
        $$ SELECT (one, one)::pair FROM player AS one WHERE id = 3 $$;
    CREATE TYPE seat AS (player_id int);
    COMMENT ON TYPE seat IS '@foreignKey (player_id) references player (id)';
    CREATE TABLE held (id int PRIMARY KEY, player player, players player[], seat seat);
    INSERT INTO held SELECT 1, player, ARRAY[player], ROW(3)::seat FROM player WHERE id = 3;
    INSERT INTO held SELECT 2, player, ARRAY[player], ROW(1)::seat FROM player WHERE id = 1;";

const RULES: &str = r#"
[rules.players]
entity = "player"
read = { rows = { team_id = { eq = { claim = "team" } } }, columns = ["id", "name", "team_id"] }
[rules.teams]
entity = "team"
read = { columns = "*" }
[rules.held]
entity = "held"
read = { columns = "*" }
[rules.open]
entity = "player"
read = { columns = "*" }
[roles.open]
rules = ["open", "held", "teams"]
functions = "*"
[roles.plain]
rules = ["players", "held", "teams"]
[roles.caller]
inherits = ["plain"]
functions = ["best", "public.player_shout", "rename_all", "one"]
[roles.any]
inherits = ["plain"]
functions = "*"
"#;

#[tokio::test]
async fn functions_are_called_that_a_role_names_and_give_rows_that_may_be_seen() {
    for place in places() {
        if matches!(place, Place::Sqlite) {
            continue;
        }
        let league = place.database("functions", FUNCTIONS);
        let worker = league.worker(DIALECTS[0], Some(RULES)).await;
        for (role, may) in [("plain", false), ("caller", true), ("any", true)] {
            let who = session(json!({ "role": role, "team": 1 }));
            let calls = [
                ("{ bestList(lowest: 0) { name } }", r#"{"bestList":[{"name":"Ada"}]}"#),
                (
                    "{ best(lowest: 0) { totalCount nodes { id } } }",
                    r#"{"best":{"totalCount":1,"nodes":[{"id":1}]}}"#,
                ),
                ("{ one { name } }", r#"{"one":null}"#),
                (
                    "{ allPlayersList(first: 1) { shout } }",
                    r#"{"allPlayersList":[{"shout":"ADA"}]}"#,
                ),
            ];
            for (query, expected) in calls {
                let answer = answer(&worker, &who, query).await;
                match may {
                    true => assert_eq!(answer, format!("{{\"data\":{expected}}}"), "{query}"),
                    false => assert!(answer.contains("You may not call"), "{answer}"),
                }
            }
            // What the function gives has columns that the role may not read.
            let rating = answer(&worker, &who, "{ bestList(lowest: 0) { rating } }").await;
            let reason = match may {
                true => "You may not read `public.player.rating`.",
                false => "You may not call `public.best`.",
            };
            assert!(rating.contains(reason), "{rating}");
        }
        let plain = session(json!({ "role": "plain", "team": 1 }));
        let rename = "mutation { renameAll(input: {}) { players { name } } }";
        assert!(answer(&worker, &plain, rename).await.contains("PERMISSION_DENIED"));
        let names = answer(&worker, &plain, "{ allPlayersList { name } }").await;
        assert!(!names.contains('!'), "{names}");
        let caller = session(json!({ "role": "caller", "team": 1 }));
        let renamed = answer(&worker, &caller, rename).await;
        assert!(renamed.contains("Ada!") && !renamed.contains("Cy"), "{renamed}");
        // Rows that stand in a field are rows like others; lists of them are let where everything
        // of them is.
        let one = "{ allHeldsList(orderBy: ID_ASC) { player { name } } }";
        let held = answer(&worker, &plain, one).await;
        assert!(held.contains(r#"[{"player":null},{"player":{"name":"Ada"}}]"#), "{held}");
        // What a value refers to is not seen by that.
        let seats =
            "{ allHeldsList(orderBy: ID_ASC) { seat { playerId playerByPlayerId { name } } } }";
        let seats = answer(&worker, &plain, seats).await;
        assert!(seats.contains(r#"[{"seat":{"playerId":3,"playerByPlayerId":null}},{"#), "{seats}");
        assert!(seats.contains(r#"{"playerId":1,"playerByPlayerId":{"name":"Ada!"}}"#), "{seats}");
        let list = "{ allHeldsList(orderBy: ID_ASC) { players { name } } }";
        let refused = answer(&worker, &plain, list).await;
        assert!(refused.contains("PERMISSION_DENIED"), "{refused}");
        let any = session(json!({ "role": "any", "team": 1 }));
        let rivals =
            "{ allPlayersList(first: 1, orderBy: ID_ASC) { rival { name } rivalsList { name } } }";
        let found = r#"{"data":{"allPlayersList":[{"rival":null,"rivalsList":[{"name":"Bo!"}]}]}}"#;
        assert_eq!(answer(&worker, &any, rivals).await, found);
        // So is a value of a function that holds some.
        let pair = "{ allTeamsList(first: 1) { pair { first } } }";
        let refused = answer(&worker, &any, pair).await;
        assert!(refused.contains("PERMISSION_DENIED"), "{refused}");
        let open = answer(&worker, &session(json!({ "role": "open" })), pair).await;
        assert!(open.contains("Cy"), "{open}");
        for query in [one, list] {
            let open = answer(&worker, &session(json!({ "role": "open" })), query).await;
            assert!(open.contains("Ada") && open.contains("Cy"), "{open}");
        }
    }
}
