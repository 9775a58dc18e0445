//! Short reads of many requests on one connection of PostgreSQL: each has the answer that it has
//! alone, and none waits for a long one.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use engine::PoolLimits;
use serde_json::{Value, json};
use testkit::random::Random;
use tokio::task::{JoinHandle, spawn_local, yield_now};

use crate::shop::{Answering, Shop, block_on, happens};

const ARTIST: &str = "query ($id: Int!) { artistById(id: $id) { id name } }";
const ALBUMS: &str = "query ($id: Int!) {
    artistById(id: $id) { name albumsByArtistIdList { id title artistByArtistId { name } } }
}";
const PAGE: &str =
    "query ($id: Int!) { allAlbumsList(first: $id, orderBy: ID_DESC) { id artistId } }";
/// A root field of two fails for one of the ids, in the middle of a transaction.
const FAULTS: &str = "query ($id: Int!) {
    allFaultsList(condition: {id: $id}) { id share }
    artistById(id: $id) { albumsByArtistIdList { id } }
}";
const GATE: &str = "query ($id: Int!) { allGatesList(condition: {id: $id}) { id opened } }";

/// The locks of two gates, for as long as the session lives.
const CLOSE_GATE: &str = "SELECT pg_advisory_lock(2)";
const CLOSE_OTHER_GATE: &str = "SELECT pg_advisory_lock(3)";

fn artist(id: usize) -> Value {
    let name = (!id.is_multiple_of(5)).then(|| format!("artist {id}"));
    json!({ "data": { "artistById": { "id": id, "name": name } } })
}

fn spawn(answering: &Answering, query: &'static str, id: usize) -> JoinHandle<Value> {
    let answering = answering.clone();
    spawn_local(async move { answering.ask(query, &json!({ "id": id })).await })
}

/// Holds the lock of a gate until it is dropped.
async fn close_gate(shop: &Shop, close: &str) -> tokio_postgres::Client {
    let (client, connection) =
        tokio_postgres::connect(&shop.url(), tokio_postgres::NoTls).await.unwrap();
    spawn_local(connection);
    client.batch_execute(close).await.unwrap();
    client
}

#[test]
fn each_request_has_the_answer_that_it_has_alone() {
    for shop in Shop::on_each() {
        block_on(async {
            let alone = shop.answering(&shop.url(), PoolLimits::unshared(1)).await;
            let sharing = shop.sharing().await;
            let queries = [ARTIST, ALBUMS, PAGE, FAULTS];
            for query in queries {
                sharing.prove_short(query).await;
            }
            let mut random = Random::new(1);
            let (mut failed, mut left) = (0, 0);
            for _ in 0..40 {
                let mut asked = Vec::new();
                for _ in 0..25 {
                    let query = *random.one_of(&queries);
                    let id = random.below(60);
                    asked.push((query, id, spawn(&sharing, query, id)));
                }
                for _ in 0..random.below(4) {
                    yield_now().await;
                }
                for (query, id, answer) in asked {
                    // Some clients do not wait.
                    if random.below(8) == 0 {
                        answer.abort();
                        left += 1;
                        continue;
                    }
                    let expected = alone.ask(query, &json!({ "id": id })).await;
                    failed += usize::from(!expected["errors"].is_null());
                    assert_eq!(answer.await.unwrap(), expected, "{query} {id}");
                }
            }
            assert!(failed > 3 && left > 50, "{failed} failed and {left} left");
        });
    }
}

#[test]
fn many_requests_need_few_connections() {
    let Some(shop) = Shop::on_one() else { return };
    block_on(async {
        let sharing = shop.sharing().await;
        sharing.prove_short(ARTIST).await;
        for _ in 0..20 {
            let asked: Vec<_> = (1..=50).map(|id| (id, spawn(&sharing, ARTIST, id))).collect();
            for (id, answer) in asked {
                assert_eq!(answer.await.unwrap(), artist(id));
            }
        }
        // The shared one rests for a moment before it goes back.
        happens(|| sharing.totals().used == 0).await;
        let totals = sharing.totals();
        assert_eq!((totals.used, totals.waiting, totals.refused), (0, 0, 0), "{totals:?}");
        // One is that of who came first, and is shared when it comes back before the other is made.
        assert!((1..=2).contains(&totals.opened), "{totals:?}");
        assert_eq!(totals.acquired, 1_020, "{totals:?}");

        let apart = shop.answering(&shop.url(), PoolLimits::unshared(8)).await;
        let gate = close_gate(&shop, CLOSE_GATE).await;
        let asked: Vec<_> = (0..50).map(|_| spawn(&apart, GATE, 2)).collect();
        happens(|| shop.sessions("state = 'active'") == 8).await;
        drop(gate);
        for answer in asked {
            assert_eq!(answer.await.unwrap()["errors"], Value::Null);
        }
        assert_eq!(apart.totals().opened, 8);
    });
}

/// A writer moves albums among three artists all the time: together these have the same albums in
/// each state of the database.
#[test]
fn each_answer_shows_one_state_of_the_database() {
    const MOVES: &str = "UPDATE album SET artist_id = 1 + artist_id % 3
        WHERE artist_id <= 3 AND id % 7 = floor(random() * 7)";
    const STATE: &str = "query ($id: Int!) {
        first: artistById(id: 1) { albumsByArtistIdList { id } }
        second: artistById(id: 2) { albumsByArtistIdList { id } }
        third: artistById(id: $id) { albumsByArtistIdList { id } }
    }";
    for shop in Shop::on_each() {
        block_on(async {
            let sharing = shop.sharing().await;
            sharing.prove_short(STATE).await;
            let albums = |answer: &Value| {
                let artists = ["first", "second", "third"].map(|name| &answer["data"][name]);
                let lists =
                    artists.map(|artist| artist["albumsByArtistIdList"].as_array().unwrap());
                let albums = lists.into_iter().flatten();
                let mut ids: Vec<_> = albums.map(|album| album["id"].as_u64().unwrap()).collect();
                ids.sort_unstable();
                ids
            };
            let expected = albums(&sharing.ask(STATE, &json!({ "id": 3 })).await);
            assert!(expected.len() > 10, "{expected:?}");
            let (writer, connection) =
                tokio_postgres::connect(&shop.url(), tokio_postgres::NoTls).await.unwrap();
            spawn_local(connection);
            let writer = spawn_local(async move {
                loop {
                    writer.batch_execute(MOVES).await.unwrap();
                }
            });
            let mut states = std::collections::HashSet::new();
            for _ in 0..60 {
                let asked: Vec<_> = (0..20).map(|_| spawn(&sharing, STATE, 3)).collect();
                for answer in asked {
                    let answer = answer.await.unwrap();
                    assert_eq!(albums(&answer), expected, "{answer}");
                    states.insert(answer.to_string());
                }
            }
            writer.abort();
            assert!(states.len() > 5, "only {} states were seen", states.len());
        });
    }
}

#[test]
fn nobody_waits_behind_a_statement_that_turns_out_long() {
    for shop in Shop::on_each() {
        block_on(async {
            let sharing = shop.answering(&shop.url(), PoolLimits::sharing(8, 1)).await;
            sharing.prove_short(GATE).await;
            sharing.prove_short(ARTIST).await;
            let gate = close_gate(&shop, CLOSE_GATE).await;
            for _ in 0..3 {
                // Somebody has a connection, so that the long one shares the next.
                let first = spawn(&sharing, ARTIST, 1);
                let long = spawn(&sharing, GATE, 2);
                let short: Vec<_> = (1..=40).map(|id| (id, spawn(&sharing, ARTIST, id))).collect();
                for (id, answer) in short {
                    assert_eq!(answer.await.unwrap(), artist(id));
                }
                assert_eq!(first.await.unwrap(), artist(1));
                assert!(!long.is_finished());
                long.abort();
                // It is stopped in the database, too.
                happens(|| shop.sessions("state = 'active'") == 0).await;
            }
            let long = spawn(&sharing, GATE, 2);
            happens(|| shop.sessions("state = 'active'") == 1).await;
            drop(gate);
            let expected = json!({ "data": { "allGatesList": [{ "id": 2, "opened": "" }] } });
            assert_eq!(long.await.unwrap(), expected);
        });
    }
}

#[test]
fn short_requests_have_a_connection_while_long_ones_have_all_others() {
    let Some(shop) = Shop::on_one() else { return };
    block_on(async {
        let sharing = shop.sharing().await;
        sharing.prove_short(ARTIST).await;
        let gate = close_gate(&shop, CLOSE_GATE).await;
        // What is not known to be short runs apart.
        let long: Vec<_> = (0..20).map(|_| spawn(&sharing, GATE, 2)).collect();
        happens(|| shop.sessions("state = 'active'") == 7).await;
        for id in 1..=50 {
            assert_eq!(spawn(&sharing, ARTIST, id).await.unwrap(), artist(id));
        }
        assert!(!long.iter().any(JoinHandle::is_finished));
        drop(gate);
        for answer in long {
            assert_eq!(answer.await.unwrap()["errors"], Value::Null);
        }
    });
}

/// All connections have long statements, the shared one a statement that was taken for short. Who
/// shared it before must not wait for the others when it is free again.
#[test]
fn who_waits_for_a_connection_shares_one_as_soon_as_there_is_one() {
    const LONG: &str = "query ($id: Int!) { allGatesList(condition: {id: $id}) { opened } }";
    let Some(shop) = Shop::on_one() else { return };
    block_on(async {
        // Longer than short statements take on a busy machine: they would run apart from then on.
        let patience = Duration::from_secs(1);
        let most = PoolLimits { patience, ..PoolLimits::sharing(8, 1) };
        let sharing = shop.answering(&shop.url(), most).await;
        sharing.prove_short(ARTIST).await;
        sharing.prove_short(GATE).await;
        let gate = close_gate(&shop, CLOSE_GATE).await;
        let other_gate = close_gate(&shop, CLOSE_OTHER_GATE).await;
        let long: Vec<_> = (0..10).map(|_| spawn(&sharing, LONG, 3)).collect();
        happens(|| shop.sessions("state = 'active'") == 7).await;
        let stuck = spawn(&sharing, GATE, 2);
        happens(|| shop.sessions("state = 'active'") == 8).await;
        let short: Vec<_> = (1..=40).map(|id| (id, spawn(&sharing, ARTIST, id))).collect();
        happens(|| sharing.totals().waiting >= 40).await;
        drop(gate);
        for (id, answer) in short {
            assert_eq!(answer.await.unwrap(), artist(id));
        }
        assert_eq!(stuck.await.unwrap()["errors"], Value::Null);
        assert!(!long.iter().any(JoinHandle::is_finished));
        drop(other_gate);
        for answer in long {
            assert_eq!(answer.await.unwrap()["errors"], Value::Null);
        }
    });
}

/// Of each shape there is a statement or two, in a transaction where there are two.
fn shapes() -> Vec<String> {
    let one =
        |number| format!("query ($id: Int!) {{ a{number}: artistById(id: $id) {{ id name }} }}");
    let two = |number| {
        format!(
            "query ($id: Int!) {{
                a{number}: artistById(id: $id) {{ id albumsByArtistIdList {{ title }} }}
                b{number}: allAlbumsList(first: $id) {{ id }}
            }}"
        )
    };
    (0..50).flat_map(|number| [one(number), two(number)]).collect()
}

/// Whatever is asked, and by however many, a connection is lost only where a statement is stopped.
#[test]
fn requests_of_many_shapes_keep_their_connections() {
    for shop in Shop::on_each() {
        block_on(async {
            let sharing = shop.sharing().await;
            let shapes: Rc<[String]> = shapes().into();
            let ask = |shape: usize, id: usize| {
                let (answering, shapes) = (sharing.clone(), Rc::clone(&shapes));
                spawn_local(
                    async move { answering.ask(&shapes[shape], &json!({ "id": id })).await },
                )
            };
            // What nothing is known of runs apart, on as many connections as there may be.
            for round in 0..3 {
                for shape in 0..shapes.len() {
                    assert_eq!(ask(shape, round).await.unwrap()["errors"], Value::Null);
                }
            }
            let mut random = Random::new(7);
            for _ in 0..40 {
                let asked: Vec<_> =
                    (0..25).map(|_| ask(random.below(shapes.len()), random.below(60))).collect();
                for answer in asked {
                    assert_eq!(answer.await.unwrap()["errors"], Value::Null);
                }
            }
            // One that is shared, and those of requests that came when it was not there yet.
            let totals = sharing.totals();
            assert!(totals.opened <= 8, "{totals:?}");
            assert_eq!(totals.refused, 0, "{totals:?}");
        });
    }
}

/// There is no process of the server more than connections that there may be, even where a statement
/// goes on for nobody.
#[test]
fn a_statement_that_cannot_be_cancelled_keeps_its_place() {
    const STUBBORN: &str = "query ($id: Int!) { allStubbornsList(first: $id) { done } }";
    const CLOSE_STUBBORN: &str = "SELECT pg_advisory_lock(7)";
    const WAITS: &str = "wait_event = 'advisory'";
    let Some(shop) = Shop::on_one() else { return };
    block_on(async {
        for most in [PoolLimits::unshared(3), PoolLimits::sharing(3, 1)] {
            let answering = shop.answering(&shop.url(), most).await;
            let gate = close_gate(&shop, CLOSE_STUBBORN).await;
            for left in 1..=2 {
                let stubborn = spawn(&answering, STUBBORN, 5);
                // Before it waits for the lock, it can be cancelled.
                happens(|| shop.sessions(WAITS) == left).await;
                stubborn.abort();
            }
            let abandoned = shop.value(
                "SELECT string_agg(pid::text, ', ') FROM pg_stat_activity
                 WHERE datname = current_database() AND application_name = 'thalweg'
                 AND state = 'active'",
            );
            // The third serves everybody meanwhile.
            let asked: Vec<_> = (1..=40).map(|id| (id, spawn(&answering, ARTIST, id))).collect();
            for (id, answer) in asked {
                assert_eq!(answer.await.unwrap(), artist(id));
                assert!(shop.sessions("true") <= 3);
            }
            let more: Vec<_> = (0..3).map(|_| spawn(&answering, STUBBORN, 5)).collect();
            happens(|| shop.sessions(WAITS) == 3).await;
            // Long enough for a cancel request that comes again.
            tokio::time::sleep(Duration::from_millis(1_200)).await;
            assert_eq!(shop.sessions("true"), 3);
            drop(gate);
            for answer in more {
                assert_eq!(answer.await.unwrap()["errors"], Value::Null);
            }
            // Those that nobody waited for are gone. The other requests may have opened new ones.
            let is_abandoned = format!("pid IN ({abandoned})");
            happens(|| answering.totals().used == 0 && shop.sessions(&is_abandoned) == 0).await;
            assert!(answering.totals().open <= 3, "{:?}", answering.totals());
            let asked: Vec<_> = (1..=40).map(|id| (id, spawn(&answering, ARTIST, id))).collect();
            for (id, answer) in asked {
                assert_eq!(answer.await.unwrap(), artist(id));
            }
            assert!(shop.sessions("true") <= 3);
            drop(answering);
            happens(|| shop.sessions("true") == 0).await;
        }
    });
}

#[test]
fn sessions_that_end_are_replaced_under_load() {
    let Some(shop) = Shop::on_one() else { return };
    block_on(async {
        let sharing = shop.sharing().await;
        sharing.prove_short(ARTIST).await;
        sharing.prove_short(ALBUMS).await;
        let alone = shop.answering(&shop.url(), PoolLimits::unshared(1)).await;
        let albums = alone.ask(ALBUMS, &json!({ "id": 3 })).await;
        drop(alone);
        for _ in 0..10 {
            let asked: Vec<_> = (1..=50)
                .map(|id| (id, spawn(&sharing, ARTIST, id), spawn(&sharing, ALBUMS, 3)))
                .collect();
            yield_now().await;
            shop.end_sessions();
            for (id, one, other) in asked {
                assert_eq!(one.await.unwrap(), artist(id));
                assert_eq!(other.await.unwrap(), albums);
            }
        }
    });
}

#[test]
fn who_needs_a_connection_gets_the_shared_one_where_the_server_gives_no_other() {
    let Some(shop) = Shop::on_one() else { return };
    shop.execute(
        "DO $$ BEGIN CREATE ROLE few LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
         GRANT SELECT ON ALL TABLES IN SCHEMA public TO few;
         DO $$ BEGIN EXECUTE format('ALTER DATABASE %I CONNECTION LIMIT 2', current_database());
         END $$;",
    );
    shop.settle();
    block_on(async {
        let url = shop.url().replace("postgres@", "few@").replace("user=postgres", "user=few");
        assert!(url.contains("few"), "{url}");
        let sharing = shop.answering(&url, PoolLimits::sharing(8, 2)).await;
        sharing.prove_short(ARTIST).await;
        let stop = Rc::new(Cell::new(false));
        let load: Vec<_> = (1..=30)
            .map(|id| {
                let (answering, stop) = (sharing.clone(), Rc::clone(&stop));
                spawn_local(async move {
                    while !stop.get() {
                        assert_eq!(answering.ask(ARTIST, &json!({ "id": id })).await, artist(id));
                    }
                })
            })
            .collect();
        for round in 0..10 {
            // Each is a document that nothing is known of.
            let query = format!("query ($id: Int!) {{ a{round}: artistById(id: $id) {{ id }} }}");
            let answer = sharing.ask(&query, &json!({ "id": 4 })).await;
            assert_eq!(answer["data"][format!("a{round}")]["id"], 4, "{answer}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.set(true);
        for answered in load {
            answered.await.unwrap();
        }
        assert_eq!(sharing.totals().refused, 0);
    });
}
