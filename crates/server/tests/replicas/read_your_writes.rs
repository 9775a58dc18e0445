//! Queries see the changes of their client, whatever server answers them.

use serde_json::json;
use testkit::postgres::Stop;

use super::{ARTISTS, Cluster, PLACE, await_place, create, place, request};
use crate::program::Answer;
use crate::program::PATIENCE;
use crate::served::{Served, happens_within};

const HEADER: &str = "thalweg-position";

/// The header of a request after the change of a response.
fn after(changed: &Answer) -> String {
    let token = changed.header(HEADER).unwrap_or_else(|| panic!("no position: {}", changed.body));
    format!("Thalweg-Position: {token}\r\n")
}

fn data(answer: &Answer) -> serde_json::Value {
    let answer: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    assert!(answer["errors"].is_null(), "{answer}");
    answer["data"].clone()
}

fn place_after(served: &Served, headers: &str) -> String {
    data(&request(served, headers, PLACE))["placeById"]["port"].as_str().unwrap().to_owned()
}

fn artists(served: &Served, headers: &str) -> usize {
    data(&request(served, headers, ARTISTS))["allArtists"]["nodes"].as_array().unwrap().len()
}

#[test]
fn a_query_sees_the_change_of_its_client_while_the_replica_lags() {
    let Some(cluster) = Cluster::start(1) else { return };
    let served = cluster.serve("max-lag=1h", &[]);
    // Another server of the same database understands the token as well.
    let other = cluster.serve("max-lag=1h", &["--read-your-writes", "both"]);
    for server in [&served, &other] {
        await_place(server, &cluster.standby_port());
    }
    cluster.standbys[0].query("SELECT pg_wal_replay_pause()").unwrap();
    let changed = request(&served, "", &create(2));
    assert_eq!(data(&changed)["createArtist"]["artist"]["id"], 2);
    let headers = after(&changed);
    for server in [&served, &other] {
        assert_eq!(artists(server, &headers), 2);
        assert_eq!(place_after(server, &headers), cluster.primary_port());
        // Who has changed nothing may see an older state.
        assert_eq!(artists(server, ""), 1);
        await_place(server, &cluster.standby_port());
    }
    cluster.standbys[0].query("SELECT pg_wal_replay_resume()").unwrap();
    for server in [&served, &other] {
        let is_back = || place_after(server, &headers) == cluster.standby_port();
        assert!(happens_within(PATIENCE, is_back));
        assert_eq!(artists(server, &headers), 2);
    }
}

#[test]
fn each_change_is_seen_by_the_next_query() {
    let Some(cluster) = Cluster::start(2) else { return };
    let served = cluster.serve("", &[]);
    let mut on_replicas = 0;
    for id in 2..102 {
        let changed = request(&served, "", &create(id));
        let headers = after(&changed);
        assert_eq!(artists(&served, &headers), id);
        on_replicas += usize::from(place_after(&served, &headers) != cluster.primary_port());
    }
    // It is worth to wait for a replica.
    assert!(on_replicas > 50, "{on_replicas}");
}

#[test]
fn a_cookie_carries_the_position_for_browsers() {
    let Some(cluster) = Cluster::start(1) else { return };
    let served = cluster.serve("max-lag=1h", &["--read-your-writes", "cookie"]);
    await_place(&served, &cluster.standby_port());
    cluster.standbys[0].query("SELECT pg_wal_replay_pause()").unwrap();
    let changed = request(&served, "", &create(2));
    assert_eq!(changed.header(HEADER), None);
    let cookie = changed.header("set-cookie").unwrap();
    let (pair, attributes) = cookie.split_once(';').unwrap();
    assert_eq!(attributes, " Path=/; Max-Age=600; HttpOnly; SameSite=Lax");
    assert_eq!(artists(&served, &format!("Cookie: a=b; {pair}\r\n")), 2);
    assert_eq!(artists(&served, ""), 1);
    // A query changes nothing, and neither does a mutation that is refused.
    assert_eq!(request(&served, "", ARTISTS).header("set-cookie"), None);
    assert_eq!(request(&served, "", &create(2)).header("set-cookie"), None);
}

#[test]
fn a_token_that_says_nothing_is_answered_by_the_primary_without_an_error() {
    let Some(cluster) = Cluster::start(1) else { return };
    let served = cluster.serve("", &[]);
    let changed = request(&served, "", &create(2));
    let token = changed.header(HEADER).unwrap().to_owned();
    let parts: Vec<&str> = token.split('-').collect();
    let is_back = || place_after(&served, &after(&changed)) == cluster.standby_port();
    assert!(happens_within(PATIENCE, is_back));
    let far = format!("{}-{}-ffffffffffff", parts[0], parts[1]);
    let newer = format!("{}-ff-{}", parts[0], parts[2]);
    let foreign = format!("1-{}-{}", parts[1], parts[2]);
    for wrong in ["nonsense", "unknown", "", &far, &newer, &foreign] {
        let headers = format!("Thalweg-Position: {wrong}\r\n");
        assert_eq!(place_after(&served, &headers), cluster.primary_port(), "{wrong}");
    }
}

#[test]
fn a_token_from_before_a_promotion_is_no_obstacle() {
    let Some(mut cluster) = Cluster::start(2) else { return };
    let first = cluster.standbys[0].port;
    let url = format!(
        "postgres://postgres@127.0.0.1:{},127.0.0.1:{first}/postgres?target_session_attrs=read-write",
        cluster.primary.server.port()
    );
    let served = Served::start(&url, &["--threads", "1", "--read-url", &cluster.standbys[1].url()]);
    let changed = request(&served, "", &create(2));
    let token = changed.header(HEADER).unwrap().to_owned();
    let parts: Vec<&str> = token.split('-').collect();
    // As if the former primary had written more than the new one has.
    let lost = format!("Thalweg-Position: {}-{}-ffffffffff\r\n", parts[0], parts[1]);
    let has_all = |place: usize| {
        cluster.standbys[place].query("SELECT 1 FROM artist WHERE id = 2").unwrap().len() == 1
    };
    assert!(happens_within(PATIENCE, || has_all(0) && has_all(1)));
    cluster.primary.stop_by(Stop::Kill).unwrap();
    cluster.standbys[0].promote().unwrap();
    let follow =
        format!("ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port={first} user=postgres'");
    cluster.standbys[1].query(&follow).unwrap();
    cluster.standbys[1].query("SELECT pg_reload_conf()").unwrap();
    assert!(happens_within(PATIENCE, || {
        let answer = request(&served, "", &create(3));
        let answer: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        answer["errors"].is_null()
    }));
    let is_back = || place(&served) == cluster.standbys[1].port.to_string();
    assert!(happens_within(PATIENCE, is_back), "{}", served.log());
    for headers in [after(&changed), lost] {
        let is_back = || place_after(&served, &headers) == cluster.standbys[1].port.to_string();
        assert!(happens_within(PATIENCE, is_back), "{headers} {}", served.log());
        // The token is older than the last row, which the standby may still have to replay.
        let has_all = || artists(&served, &headers) == 3;
        assert!(happens_within(PATIENCE, has_all), "{headers} {}", served.log());
    }
}

#[test]
fn queries_of_a_batch_see_the_mutations_before_them() {
    let Some(cluster) = Cluster::start(1) else { return };
    let served = cluster.serve("max-lag=1h", &["--batching"]);
    await_place(&served, &cluster.standby_port());
    cluster.standbys[0].query("SELECT pg_wal_replay_pause()").unwrap();
    let post = |body: &serde_json::Value| {
        use std::io::Write as _;
        let mut stream = std::net::TcpStream::connect(served.address).unwrap();
        let text = crate::program::post("application/json", "", &body.to_string());
        stream.write_all(text.as_bytes()).unwrap();
        crate::program::read_answer(&mut std::io::BufReader::new(stream), true)
    };
    let reads = json!([{ "query": PLACE }, { "query": PLACE }]);
    let answer: serde_json::Value = serde_json::from_str(&post(&reads).body).unwrap();
    assert_eq!(answer[1]["data"]["placeById"]["port"], cluster.standby_port());
    let changed = post(&json!([{ "query": create(2) }, { "query": PLACE }]));
    let answer: serde_json::Value = serde_json::from_str(&changed.body).unwrap();
    assert_eq!(answer[1]["data"]["placeById"]["port"], cluster.primary_port());
    assert_eq!(artists(&served, &after(&changed)), 2);
}
