//! Statistics from a scripted server, which may fail or not answer.

use std::time::Instant;

use catalog::{End, EntityKind, RelationshipId};

use super::*;
use crate::wire::script::{Peer, Port};

/// Tracks, each with one of some genres.
fn catalog() -> (Catalog, RelationshipId) {
    let mut builder = Builder::new(Capabilities::default());
    let mut node = |label: &str| {
        let node = builder.entity(None, label.into(), EntityKind::Node, None);
        builder.label(node, vec![label.into()]);
        node
    };
    let (track, genre) = (node("Track"), node("Genre"));
    let of = builder.graph_relationship("OF".into(), track, genre, None, false);
    (builder.finish(), of)
}

fn source(port: &Port) -> Neo4jSource {
    Neo4jSource {
        cluster: Cluster::new(port.config("bolt")),
        version: ServerVersion { major: 5, minor: 26, patch: 1 },
        timeouts: Timeouts::default(),
    }
}

/// Serves one connection; returns the average number of tracks of a genre, if it is known then.
async fn tracks_of_a_genre(limit: Duration, serve: impl AsyncFnOnce(Peer) -> Peer) -> Option<u64> {
    let port = Port::open().await;
    let (mut catalog, of) = catalog();
    let source = source(&port);
    let serve = async { serve(port.serve().await).await };
    let ((), _peer) = tokio::join!(source.add_counts_within(&mut catalog, limit), serve);
    catalog.estimated_related(of, End::To)
}

async fn receive(peer: &mut Peer) {
    for _ in 0..5 {
        let statement = peer.receive().await;
        assert!(
            statement.ends_with("RETURN count(*) AS c0\", {}, {mode: \"r\", tx_timeout: 5000})")
        );
        peer.expect(&["PULL({n: -1})"]).await;
    }
}

#[tokio::test]
async fn numbers_of_a_server_are_in_the_order_of_its_answers() {
    let known = tracks_of_a_genre(Duration::from_secs(60), async |mut peer| {
        receive(&mut peer).await;
        for count in [700, 690, 5, 700, 700] {
            let count = format!("RECORD([{count}])");
            peer.send(&["SUCCESS({fields: []})", &count, "SUCCESS({})"]).await;
        }
        peer.expect(&["GOODBYE()"]).await;
        peer
    });
    assert_eq!(known.await, Some(140));
}

#[tokio::test]
async fn a_server_that_gives_no_numbers_is_served_without() {
    let known = tracks_of_a_genre(Duration::from_secs(60), async |mut peer| {
        receive(&mut peer).await;
        let failure = r#"FAILURE({code: "Neo.ClientError.Security.Forbidden", message: "m"})"#;
        peer.send(&[failure]).await;
        peer.send(&["IGNORED()"; 9]).await;
        peer.expect(&["RESET()"]).await;
        peer.send(&["SUCCESS({})"]).await;
        peer
    });
    assert_eq!(known.await, None);
}

#[tokio::test]
async fn a_server_that_does_not_answer_delays_a_start_for_a_limited_time() {
    let started = Instant::now();
    let known = tracks_of_a_genre(Duration::from_millis(200), async |mut peer| {
        receive(&mut peer).await;
        // The connection is given up.
        assert_eq!(peer.receive().await, "");
        peer
    });
    assert_eq!(known.await, None);
    assert!(started.elapsed() < Duration::from_secs(60));
}
