//! What policies let: the answer under a role is the answer of an administrator over a database
//! that holds only the rows and values which that role may see.
//!
//! The policies, the rows and the operations are made up, the same in each run; `THALWEG_CASES=500`
//! makes so many operations for each policy, and others each time.

mod barrier;
mod changes;
mod checks;
mod functions;
mod keys;
mod leaks;
mod made;
mod model;
pub(crate) mod places;
mod rewritten;
mod rows;
mod writes;

use std::future::poll_fn;
use std::sync::Arc;

use crate::choices::Choices;
use crate::operation::query;
use engine::{Allowed, Claims, Delivery, Report, Session, Sizes, Worker};
use graphql::Request;
use made::Made;
use places::places;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json_bytes::{Value as Json, json};

const DIALECTS: [&str; 3] = [
    "postgraphile simple-collections=both connection-filter connection-filter-relations \
     connection-filter-allow-null-input connection-filter-allow-empty-object-input",
    "postgraphile simple-collections=both aggregates many-to-many connection-filter \
     connection-filter-relations",
    "phrag default-limit=4",
];

/// How many policies are tried in each dialect, and how many operations with each.
const POLICIES: usize = 6;
const OPERATIONS: u32 = 30;

/// What operations that are made up seldom ask for: conditions and orders by related rows, rows
/// that a table joins, groups.
const WRITTEN: [&str; 12] = [
    "{ allTeamsList(filter: {playersByTeamId: {some: {rating: {greaterThan: 0}}}}) { id } }",
    "{ allTeamsList(filter: {playersByTeamId: {none: {rating: {greaterThan: 0}}}}) { id } }",
    "{ allTeamsList(filter: {playersByTeamId: {every: {rating: {greaterThan: 0}}}}) { id } }",
    "{ allTeamsList(filter: {not: {playersByTeamId: {every: {born: {isNull: false}}}}}) { id } }",
    "{ allScoresList(filter: {playerByPlayerId: {teamByTeamId: {city: {equalTo: \"Ulm\"}}}}) { id } }",
    "{ allPlayersList(orderBy: [SCORES_BY_PLAYER_ID_COUNT_DESC, ID_ASC]) { id } }",
    "{ allPlayersList(orderBy: [SCORES_BY_PLAYER_ID_SUM_POINTS_ASC, ID_ASC]) { id } }",
    "{ allPlayersList(filter: {scoresByPlayerId: {aggregates: {sum: {points: {greaterThan: \"5\"}}}}}) { id } }",
    "{ allPlayers(filter: {rating: {isNull: true}}, orderBy: [RATING_ASC, ID_ASC], first: 2) {
        totalCount pageInfo { hasNextPage endCursor } edges { cursor node { name rating } } } }",
    "{ allPlayersList { name skillsByPlayerSkillPlayerIdAndSkillId { totalCount edges { level node { name } } } } }",
    "{ allPlayersList { id
        a: playersByPlayerFollowFollowerIdAndFollowedId { edges { node { id name } } }
        b: playersByPlayerFollowFollowedIdAndFollowerId { totalCount nodes { rating } } } }",
    "{ allScores { groupedAggregates(groupBy: [PLAYER_ID]) { keys sum { points } distinctCount { note } } } }",
];

/// Enough choices for the largest operation, and for a policy.
const CHOICES: usize = 300;

#[tokio::test]
async fn answers_are_those_of_the_rows_that_may_be_seen() {
    let (operations, rng_seed) = match std::env::var("THALWEG_CASES") {
        Ok(cases) => (cases.parse().unwrap(), RngSeed::Random),
        Err(_) => (OPERATIONS, RngSeed::Fixed(1)),
    };
    let mut runner = TestRunner::new(Config { rng_seed, ..Config::default() });
    let mut numbers = || vec(any::<u16>(), CHOICES).new_tree(&mut runner).unwrap().current();
    for place in places() {
        let (mut asked, mut refused, mut compared) = (0, 0, 0);
        for number in 0..POLICIES {
            let made = Made::new(&mut Choices::new(&numbers()));
            let restricted = place.database(&format!("restricted_{number}"), &made.sql());
            let whole = place.database("whole", "");
            for dialect in DIALECTS {
                let mut role = whole.worker(dialect, Some(&made.policies())).await;
                let administrator = restricted.worker(dialect, None).await;
                let session = session(made.claims());
                let mut made_up =
                    || query(role.engine().schema(), &mut Choices::new(&numbers())).literals;
                let written = WRITTEN.iter().filter(|_| dialect == DIALECTS[1]);
                let queries: Vec<String> = (0..operations)
                    .map(|_| made_up())
                    .chain(written.map(|query| (*query).to_owned()))
                    .collect();
                for query in &queries {
                    let own = answer(&role, &session, query).await;
                    asked += 1;
                    if own.contains("PERMISSION_DENIED") {
                        refused += 1;
                        continue;
                    }
                    // A value that no row is compared with may not be looked at.
                    let is_input = |answer: &String| answer.contains("BAD_USER_INPUT");
                    let streamed = streamed(&mut role, &session, query).await;
                    if let Some(streamed) = streamed.filter(|_| !is_input(&own)) {
                        assert_eq!(streamed, own, "{place}, {dialect}, in portions\n{query}");
                    }
                    let expected = answer(&administrator, &Session::default(), query).await;
                    let is_whole = !expected.contains("\"errors\"");
                    assert!(is_whole || !WRITTEN.contains(&query.as_str()), "{query}\n{expected}");
                    if own != expected && (is_input(&own) || is_input(&expected)) {
                        continue;
                    }
                    compared += 1;
                    assert_eq!(own, expected, "{place}, {dialect}\n{query}\n{}", made.policies());
                }
            }
        }
        // Otherwise little was compared.
        assert!(compared * 4 > asked * 3, "{place}: {compared} of {asked}, {refused} are refused");
    }
}

fn session(claims: Json) -> Session {
    Session { claims: Some(Arc::new(Claims::new(claims))), ..Session::default() }
}

async fn answer(worker: &Worker, session: &Session, query: &str) -> String {
    let request = Request { query: query.to_owned(), ..Request::default() };
    let (allowed, delivery) = (Allowed::All, Delivery::Whole);
    let response =
        worker.deliver_reported(&request, session, allowed, delivery, &mut Report::default()).await;
    String::from_utf8(response.body.into()).unwrap()
}

/// The same answer while it is made, in portions of few rows; none where an error comes too late.
async fn streamed(worker: &mut Worker, session: &Session, query: &str) -> Option<String> {
    worker.set_sizes(Sizes { whole: 0, rows: 2 });
    let request = Request { query: query.to_owned(), ..Request::default() };
    let (allowed, delivery) = (Allowed::All, Delivery::Streamed);
    let report = &mut Report::default();
    let response = worker.deliver_reported(&request, session, allowed, delivery, report).await;
    let engine::Response { body, rest, .. } = response;
    let mut body = Vec::from(body);
    if let Some(mut rest) = rest {
        let mut codes = Vec::new();
        while let Some(part) = poll_fn(|context| rest.poll_next(context, &mut codes)).await {
            body.extend(part.ok()?.bytes);
        }
    }
    Some(String::from_utf8(body).unwrap())
}

const PLAYERS: &str = r#"
[rules.players]
entity = "player"
read = { rows = { team_id = { eq = { claim = "team" } } }, columns = "*" }
[rules.teams]
entity = "team"
read = { columns = ["id", "name"] }
[roles.member]
rules = ["players", "teams"]
"#;

#[tokio::test]
async fn claims_decide_which_rows_are_seen_with_one_plan_for_all() {
    for place in places() {
        let league = place.database("whole", "");
        let worker = league.worker(DIALECTS[0], Some(PLAYERS)).await;
        let query = "{ allPlayersList { name teamByTeamId { name } } }";
        let of = |team| session(json!({ "role": "member", "team": team }));
        let names = |answer: &str| {
            let answer: serde_json::Value = serde_json::from_str(answer).unwrap();
            let players = answer["data"]["allPlayersList"].as_array().unwrap().clone();
            players
                .iter()
                .map(|player| player["name"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&answer(&worker, &of(1), query).await), ["Ada", "Bo"]);
        assert_eq!(names(&answer(&worker, &of(2), query).await), ["Cy", "Di"]);
        let without = session(json!({ "role": "member" }));
        assert_eq!(names(&answer(&worker, &without, query).await), [""; 0]);
        let null = session(json!({ "role": "member", "team": null }));
        assert_eq!(names(&answer(&worker, &null, query).await), [""; 0]);
        for hostile in
            [json!("1 OR 1=1"), json!([1, 2]), json!({ "a": 1 }), json!(true), json!(1e300)]
        {
            let claims = json!({ "role": "member", "team": hostile.clone() });
            let answer = answer(&worker, &session(claims), query).await;
            assert!(!answer.contains("Ada") && !answer.contains("Cy"), "{hostile}: {answer}");
        }
        for session in [Session::default(), session(json!({ "role": "owner", "team": 1 }))] {
            let answer = answer(&worker, &session, query).await;
            assert!(answer.contains("PERMISSION_DENIED") && !answer.contains("Ada"), "{answer}");
        }
        let city = answer(&worker, &of(1), "{ allTeamsList { city } }").await;
        assert!(city.contains(r#""field":"#) && city.contains("PERMISSION_DENIED"), "{city}");
        // One document, one plan for every team.
        assert_eq!(worker.engine().cached().documents, 2);
    }
}

/// The ids of all, and the names of a team.
const NAMES: &str = r#"
[rules.ids]
entity = "player"
read = { columns = ["id"] }
[rules.names]
entity = "player"
read = { rows = { team_id = { eq = { claim = "team" } } }, columns = ["id", "name"] }
[roles.member]
rules = ["ids", "names"]
"#;

#[tokio::test]
async fn a_hidden_value_that_the_schema_promises_is_denied() {
    for place in places() {
        let league = place.database("promised", "");
        let worker = league.worker(DIALECTS[0], Some(NAMES)).await;
        let session = session(json!({ "role": "member", "team": 1 }));
        let own = answer(&worker, &session, "{ playerById(id: 1) { id name } }").await;
        assert_eq!(own, r#"{"data":{"playerById":{"id":1,"name":"Ada"}}}"#);
        let hidden = answer(&worker, &session, "{ playerById(id: 3) { id name } }").await;
        assert!(hidden.starts_with(r#"{"data":{"playerById":null},"errors":"#), "{hidden}");
        assert!(hidden.contains("PERMISSION_DENIED") && !hidden.contains("Cy"), "{hidden}");
    }
}

#[tokio::test]
async fn it_is_told_what_is_let_by_which_rule() {
    let place = places().remove(0);
    let league = place.database("whole", "");
    let worker = league.worker(DIALECTS[0], Some(PLAYERS)).await;
    let request = |query: &str| Request { query: query.to_owned(), ..Request::default() };
    let member = session(json!({ "role": "member", "team": 1 }));
    let query = request("{ allPlayersList { name teamByTeamId { name city } } }");
    let text = worker.explain_policies(&query, &member).unwrap().unwrap();
    let expected = [
        "role member, with the rules players, teams",
        "read team: all rows, by teams",
        "  city: refused, no rule names it to read",
        "read player: rows with team_id = claim team, by players",
        "refused: You may not read `team.city`.",
    ];
    for line in expected {
        assert!(text.lines().any(|own| own == line), "{line}\n---\n{text}");
    }
    let nobody = worker.explain_policies(&query, &Session::default()).unwrap().unwrap();
    assert!(nobody.contains("has no role"), "{nobody}");
}
