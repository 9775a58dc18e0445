//! What policies let be changed: what is refused changes nothing, and tells nothing of rows that
//! may not be seen.

use engine::{Session, Worker};
use serde_json_bytes::json;

use crate::policies::places::{Database, Place, places};
use crate::policies::{DIALECTS, answer, session};

const MEMBERS: &str = r#"
[rules.players]
entity = "player"
read = { rows = { team_id = { eq = { claim = "team" } } }, columns = "*" }
insert = { columns = ["id", "name", "rating"], presets = { team_id = { claim = "team" } } }
update = { rows = { team_id = { eq = { claim = "team" } } }, columns = ["name", "rating"] }
delete = { rows = { team_id = { eq = { claim = "team" } }, none = { score = {} } } }
[rules.teams]
entity = "team"
read = { columns = ["id", "name"] }
[rules.games]
entity = "game"
read = { rows = { id = { lt = 10 } }, columns = "*" }
insert = { columns = "*" }
[roles.member]
rules = ["players", "teams", "games"]
[roles.reader]
rules = ["teams"]
"#;

pub(crate) struct World {
    pub(crate) member: Worker,
    pub(crate) administrator: Worker,
    // Removed last.
    _database: Database,
}

impl World {
    /// Databases of those sources that take changes.
    async fn all() -> Vec<Self> {
        Self::under(DIALECTS[0], MEMBERS, "").await
    }

    pub(crate) async fn under(dialect: &str, policies: &str, sql: &'static str) -> Vec<Self> {
        Self::on_each(dialect, policies, |_| sql).await
    }

    /// The same after some SQL, which each source has its own of.
    pub(crate) async fn on_each(
        dialect: &str,
        policies: &str,
        sql: impl Fn(&Place) -> &'static str,
    ) -> Vec<Self> {
        let mut all = Vec::new();
        for place in places() {
            let database = place.database("written", sql(&place));
            let member = database.worker(dialect, Some(policies)).await;
            let administrator = database.worker(dialect, None).await;
            if member.engine().schema().mutation.is_some() {
                all.push(Self { member, administrator, _database: database });
            }
        }
        assert!(!all.is_empty(), "no source takes changes");
        all
    }

    pub(crate) async fn of_team(&self, team: i32, query: &str) -> String {
        let claims = json!({ "role": "member", "team": team });
        answer(&self.member, &session(claims), query).await
    }

    pub(crate) async fn players(&self) -> String {
        let query = "{ allPlayersList(orderBy: ID_ASC) { id name teamId rating } }";
        answer(&self.administrator, &Session::default(), query).await
    }

    /// A change that is refused, or finds nothing, changes nothing.
    pub(crate) async fn refused(&self, query: &str, code: &str) -> String {
        let before = self.players().await;
        let answer = self.of_team(1, query).await;
        assert!(answer.contains(&format!("\"code\":\"{code}\"")), "{query}\n{answer}");
        assert_eq!(self.players().await, before, "{query}\n{answer}");
        answer
    }
}

fn update(id: i32, patch: &str) -> String {
    format!(
        "mutation {{ updatePlayerById(input: {{id: {id}, playerPatch: {{{patch}}}}}) {{
            player {{ name rating teamByTeamId {{ name }} }} }} }}"
    )
}

fn delete(id: i32) -> String {
    format!("mutation {{ deletePlayerById(input: {{id: {id}}}) {{ player {{ name }} }} }}")
}

fn create(player: &str) -> String {
    format!(
        "mutation {{ createPlayer(input: {{player: {{{player}}}}}) {{ player {{ id name teamId }} }} }}"
    )
}

#[tokio::test]
async fn rows_are_updated_that_may_be_updated_and_no_others() {
    for world in World::all().await {
        let own = world.of_team(1, &update(1, "rating: 9")).await;
        let expected = r#"{"player":{"name":"Ada","rating":9,"teamByTeamId":{"name":"Reds"}}}"#;
        assert!(own.contains(expected), "{own}");
        assert!(world.players().await.contains(r#""name":"Ada","teamId":1,"rating":9"#));
        // One that may not be seen, and one that is not there, are told alike.
        let hidden = world.refused(&update(3, "rating: 9"), "NOT_FOUND").await;
        let missing = world.refused(&update(999, "rating: 9"), "NOT_FOUND").await;
        assert_eq!(hidden, missing);
        let denied = world.refused(&update(1, "teamId: 2"), "PERMISSION_DENIED").await;
        assert!(denied.contains("player.team_id"), "{denied}");
        world.refused(&update(1, "rating: 1, born: \"2000-01-01\""), "PERMISSION_DENIED").await;
        let own = world.of_team(2, &update(3, "name: \"Cyd\"")).await;
        assert!(own.contains("Cyd") && own.contains("Blues"), "{own}");
    }
}

#[tokio::test]
async fn presets_are_written_and_cannot_be_said() {
    for world in World::all().await {
        let made = world.of_team(2, &create("id: 50, name: \"Zoe\"")).await;
        assert!(made.contains(r#"{"player":{"id":50,"name":"Zoe","teamId":2}}"#), "{made}");
        world.refused(&create("id: 51, name: \"Yan\", teamId: 2"), "PERMISSION_DENIED").await;
        world.refused(&create("id: 51, name: \"Yan\", teamId: 1"), "PERMISSION_DENIED").await;
        world.refused(&create("id: 51, name: \"Yan\", teamId: null"), "PERMISSION_DENIED").await;
        let before = world.players().await;
        for claims in [
            json!({ "role": "member" }),
            json!({ "role": "member", "team": null }),
            json!({ "role": "reader", "team": 1 }),
        ] {
            let query = create("id: 51, name: \"Yan\"");
            let answer = answer(&world.member, &session(claims), &query).await;
            assert!(answer.contains("PERMISSION_DENIED"), "{answer}");
        }
        assert_eq!(world.players().await, before);
    }
}

#[tokio::test]
async fn rows_are_deleted_that_may_be_deleted_and_no_others() {
    for world in World::all().await {
        world.of_team(2, &create("id: 50, name: \"Zoe\"")).await;
        world.refused(&delete(50), "NOT_FOUND").await;
        // It has scores.
        world.refused(&delete(1), "NOT_FOUND").await;
        let gone = world.of_team(2, &delete(50)).await;
        assert!(gone.contains(r#"{"player":{"name":"Zoe"}}"#), "{gone}");
        assert!(!world.players().await.contains("Zoe"));
    }
}

#[tokio::test]
async fn what_no_rule_lets_be_changed_stays_as_it_is() {
    for world in World::all().await {
        let team =
            "mutation { createTeam(input: {team: {id: 9, name: \"Reds\"}}) { team { id } } }";
        world.refused(team, "PERMISSION_DENIED").await;
        let patch = "mutation { updateTeamById(input: {id: 1, teamPatch: {name: \"x\"}}) { clientMutationId } }";
        world.refused(patch, "PERMISSION_DENIED").await;
        let gone = "mutation { deleteScoreById(input: {id: \"1\"}) { clientMutationId } }";
        world.refused(gone, "PERMISSION_DENIED").await;
        // Of a request only that is done which is let.
        let both = "mutation { a: updatePlayerById(input: {id: 1, playerPatch: {rating: 1}}) { clientMutationId }
            b: deleteTeamById(input: {id: 1}) { clientMutationId } }";
        let both = world.of_team(1, both).await;
        assert!(both.starts_with(r#"{"data":{"a":{"clientMutationId":null},"b":null}"#), "{both}");
        assert!(both.contains(r#""path":["b"]"#) && both.contains("PERMISSION_DENIED"), "{both}");
        assert!(world.players().await.contains(r#""name":"Ada","teamId":1,"rating":1"#));
    }
}

#[tokio::test]
async fn payloads_show_what_may_be_seen() {
    for world in World::all().await {
        let create = |id: i32| {
            format!("mutation {{ createGame(input: {{game: {{id: {id}, playedAt: \"2024-01-01T00:00:00\"}}}})
                {{ game {{ id }} query {{ allGamesList(orderBy: ID_DESC, first: 1) {{ id }} }} }} }}")
        };
        let seen = world.of_team(1, &create(8)).await;
        assert!(
            seen.contains(r#"{"game":{"id":8},"query":{"allGamesList":[{"id":8}]}}"#),
            "{seen}"
        );
        let hidden = world.of_team(1, &create(12)).await;
        assert!(
            hidden.contains(r#"{"game":null,"query":{"allGamesList":[{"id":8}]}}"#),
            "{hidden}"
        );
        let city = "mutation { updatePlayerById(input: {id: 1, playerPatch: {rating: 1}}) {
            player { teamByTeamId { city } } } }";
        world.refused(city, "PERMISSION_DENIED").await;
        let others = "mutation { updatePlayerById(input: {id: 1, playerPatch: {rating: 1}}) {
            player { id } query { allPlayersList { name } } } }";
        let others = world.of_team(1, others).await;
        assert!(others.contains("Bo") && !others.contains("Cy"), "{others}");
    }
}

#[tokio::test]
async fn phrags_mutations_are_let_likewise() {
    let mut tried = 0;
    for place in places() {
        let database = place.database("phrag", "");
        let member = database.worker(DIALECTS[2], Some(MEMBERS)).await;
        if member.engine().schema().mutation.is_none() {
            continue;
        }
        tried += 1;
        let administrator = database.worker(DIALECTS[2], None).await;
        let all = "{ players(sort: {id: asc}, limit: 100) { id name team_id rating } }";
        let of_team = session(json!({ "role": "member", "team": 2 }));
        let made = "mutation { createPlayer(id: 50, name: \"Zoe\") { id } }";
        let made = answer(&member, &of_team, made).await;
        assert_eq!(made, r#"{"data":{"createPlayer":{"id":50}}}"#);
        let before = answer(&administrator, &Session::default(), all).await;
        assert!(before.contains(r#"{"id":50,"name":"Zoe","team_id":2,"rating":null}"#), "{before}");
        // Of another team: as if it were not there, which Phrag does not tell.
        for nothing in [
            "mutation { updatePlayer(pk_columns: {id: 1}, rating: 3) { result } }",
            "mutation { deletePlayer(pk_columns: {id: 1}) { result } }",
        ] {
            let answer = answer(&member, &of_team, nothing).await;
            assert!(!answer.contains("errors"), "{answer}");
        }
        for refused in [
            "mutation { createPlayer(id: 51, name: \"Yan\", team_id: 1) { id } }",
            "mutation { updatePlayer(pk_columns: {id: 50}, team_id: 1) { result } }",
            "mutation { createTeam(id: 51, name: \"Yan\") { id } }",
        ] {
            let answer = answer(&member, &of_team, refused).await;
            assert!(answer.contains("PERMISSION_DENIED"), "{answer}");
        }
        assert_eq!(answer(&administrator, &Session::default(), all).await, before);
    }
    assert!(tried > 0, "no source takes changes");
}
