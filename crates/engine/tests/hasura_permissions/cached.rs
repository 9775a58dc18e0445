//! Cached answers: with random permissions, no session gets the answer of another one that has other
//! rights.

use std::time::Duration;

use dialects::hasura::permissions::ROLE;
use serde_json::{Value as Json, json};
use testkit::random::Random;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::sleep;

use super::made::{RandomRoles, SESSION, TABLES, WORDS};
use super::world::World;
use crate::policies::places::{Place, places};

const ROLES: usize = 16;

/// Sessions that send each request, in turn and twice.
const SESSIONS: usize = 4;

#[tokio::test]
async fn no_claim_is_forgotten_in_a_key() {
    for place in places() {
        LocalSet::new().run_until(check(place)).await;
    }
}

async fn check(place: Place) {
    let mut random = Random::new(13);
    let made = RandomRoles::new(&mut random, ROLES);
    let world = World::cached(&place, &made).await;
    follow_changes(&world, made.roles[0].name()).await;
    let (mut hits, mut differing) = (0, 0);
    for _ in 0..3 {
        for table in 0..TABLES.len() {
            for role in &made.roles {
                let Some(question) = made.question(&mut random, role, table) else { continue };
                let claims: Vec<Json> =
                    (0..SESSIONS).map(|_| claims(&mut random, role.name())).collect();
                let mut answers = Vec::new();
                for turn in 0..2 {
                    for (session, claims) in claims.iter().enumerate() {
                        // Another role asks the same in between.
                        let other = random.one_of(&made.roles).name();
                        let mut of_other = claims.clone();
                        of_other[ROLE] = json!(other);
                        for claims in [claims, &of_other] {
                            let expected =
                                world.answer_with(claims.clone(), &question.request).await;
                            let (answer, is_hit) =
                                world.cached_answer(claims.clone(), &question.request).await;
                            assert_eq!(answer, expected, "{place} {claims} {question:#?}");
                            hits += usize::from(is_hit);
                            if turn == 1 && claims == &of_other {
                                continue;
                            }
                            if session > 0 && turn == 0 && answers.first() != Some(&answer) {
                                differing += 1;
                            }
                            answers.push(answer);
                        }
                    }
                }
            }
        }
    }
    assert!(hits > 200 && differing > 100, "{place}: {hits} {differing}");
}

/// Random session variables, among few, so that sessions have some in common.
fn claims(random: &mut Random, role: &str) -> Json {
    let [owner, level, ids] = SESSION.map(|(name, _, _)| name.to_ascii_lowercase());
    let some = ["{1,3,5}", "{2}", "{1,2,3,4,5,6,7,8}"];
    json!({
        ROLE: role,
        owner: WORDS[random.below(WORDS.len())],
        level: (random.below(3) * 3).to_string(),
        ids: some[random.below(some.len())],
    })
}

/// Begins the feed, without which nothing is cached.
async fn follow_changes(world: &World, role: &str) {
    let request = "{ __typename team { __typename } }";
    let engine = world.cached.as_ref().unwrap().engine();
    let mut random = Random::new(1);
    let claims = claims(&mut random, role);
    for number in 0.. {
        let (_, is_hit) = world.cached_answer(claims.clone(), request).await;
        if let Some(feed) = engine.cache_feeds().next() {
            spawn_local(feed.run());
        }
        // A role that may not read the table gets an error, which is not cached.
        let is_followed = is_hit || engine.live_counts().feed.is_some();
        if is_followed && number > 20 {
            return;
        }
        sleep(Duration::from_millis(20)).await;
    }
}
