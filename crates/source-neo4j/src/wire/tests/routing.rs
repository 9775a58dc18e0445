//! Tests of routing with documented answers of a cluster.

use std::sync::Arc;

use super::super::Cluster;
use super::*;

const NOT_A_LEADER: &str = "Neo.ClientError.Cluster.NotALeader";

/// An answer to ROUTE.
fn table(readers: &[&Port], writers: &[&Port], routers: &[&Port]) -> String {
    let addresses = |ports: &[&Port]| {
        let ports = ports.iter().map(|port| format!("{:?}", port.endpoint.to_string()));
        ports.collect::<Vec<_>>().join(", ")
    };
    let role = |role: &str, ports| format!("{{addresses: [{}], role: {role:?}}}", addresses(ports));
    let roles = [role("READ", readers), role("WRITE", writers), role("ROUTE", routers)].join(", ");
    format!("SUCCESS({{rt: {{ttl: 300, db: \"neo4j\", servers: [{roles}]}}}})")
}

/// Answers one request for a table.
async fn answer_route(port: &Port, answer: &str) {
    let mut peer = port.serve().await;
    let context = format!("{{address: {:?}}}", port.endpoint.to_string());
    let route = peer.receive().await;
    assert!(route.starts_with(&format!("ROUTE({context}, [")), "{route}");
    peer.send(&[answer]).await;
    if answer.starts_with("FAILURE") {
        peer.expect(&["RESET()"]).await;
        peer.send(&["SUCCESS({})"]).await;
    }
    peer.expect(&["GOODBYE()"]).await;
}

fn failure(code: &str) -> WireError {
    let error = super::super::DatabaseError {
        code: code.to_owned(),
        ..super::super::DatabaseError::default()
    };
    WireError::Database { error: Box::new(error), result: None }
}

async fn chosen(cluster: &Cluster, access: Access) -> String {
    cluster.choose(access).await.unwrap().to_string()
}

#[tokio::test]
async fn reads_and_writes_go_to_the_servers_of_the_table() {
    let (seed, leader, follower) = tokio::join!(Port::open(), Port::open(), Port::open());
    let cluster = Cluster::new(seed.config("neo4j"));
    let answer = table(&[&follower, &seed], &[&leader], &[&seed]);
    let (read, ()) = tokio::join!(chosen(&cluster, Access::Read), answer_route(&seed, &answer));
    assert_eq!(read, follower.endpoint.to_string());
    // The table is known now.
    assert_eq!(chosen(&cluster, Access::Write).await, leader.endpoint.to_string());
    let reads = [chosen(&cluster, Access::Read).await, chosen(&cluster, Access::Read).await];
    assert!(reads.contains(&seed.endpoint.to_string()));
    let endpoint = cluster.choose(Access::Write).await.unwrap();
    let (connection, _) = tokio::join!(cluster.connect(&endpoint), leader.serve());
    assert_eq!(connection.unwrap().endpoint(), &endpoint);
}

#[tokio::test]
async fn the_table_is_asked_for_again_when_the_leader_has_changed() {
    let (seed, old, new) = tokio::join!(Port::open(), Port::open(), Port::open());
    let cluster = Cluster::new(seed.config("neo4j"));
    let answer = table(&[&seed], &[&old], &[&seed]);
    tokio::join!(chosen(&cluster, Access::Read), answer_route(&seed, &answer));
    let writer = cluster.choose(Access::Write).await.unwrap();
    cluster.note(&writer, &failure("Neo.ClientError.Statement.SyntaxError"));
    assert_eq!(cluster.choose(Access::Write).await.unwrap(), writer);
    cluster.note(&writer, &failure(NOT_A_LEADER));
    // Reads are not concerned.
    assert_eq!(chosen(&cluster, Access::Read).await, seed.endpoint.to_string());
    let electing = table(&[&seed], &[], &[&seed]);
    let (none, ()) = tokio::join!(cluster.choose(Access::Write), answer_route(&seed, &electing));
    assert!(matches!(none, Err(WireError::NoServer(Access::Write))), "{none:?}");
    let elected = table(&[&seed], &[&new], &[&seed]);
    let (writer, ()) = tokio::join!(chosen(&cluster, Access::Write), answer_route(&seed, &elected));
    assert_eq!(writer, new.endpoint.to_string());
}

#[tokio::test]
async fn those_who_wait_for_a_table_ask_once() {
    let (seed, leader) = tokio::join!(Port::open(), Port::open());
    let cluster = Cluster::new(seed.config("neo4j"));
    let answer = table(&[&seed], &[&leader], &[&seed]);
    let (first, second, ()) = tokio::join!(
        chosen(&cluster, Access::Write),
        chosen(&cluster, Access::Write),
        answer_route(&seed, &answer)
    );
    assert_eq!((first, second), (leader.endpoint.to_string(), leader.endpoint.to_string()));
}

#[tokio::test]
async fn a_server_that_is_gone_is_not_chosen_again() {
    let (seed, gone) = tokio::join!(Port::open(), Port::open());
    let cluster = Cluster::new(seed.config("neo4j"));
    let answer = table(&[&gone, &seed], &[&seed], &[&gone]);
    tokio::join!(chosen(&cluster, Access::Read), answer_route(&seed, &answer));
    let endpoint = Arc::clone(&gone.endpoint);
    drop(gone);
    assert!(cluster.connect(&endpoint).await.unwrap_err().is_of_connection());
    for _ in 0..3 {
        assert_eq!(chosen(&cluster, Access::Read).await, seed.endpoint.to_string());
    }
}

#[tokio::test]
async fn a_server_that_cannot_route_is_used_itself() {
    let seed = Port::open().await;
    let cluster = Cluster::new(seed.config("neo4j"));
    let answer = r#"FAILURE({code: "Neo.ClientError.Procedure.ProcedureNotFound"})"#;
    let (writer, ()) = tokio::join!(chosen(&cluster, Access::Write), answer_route(&seed, answer));
    assert_eq!(writer, seed.endpoint.to_string());
}

#[tokio::test]
async fn a_bolt_address_is_its_server_and_remembers_nothing() {
    let seed = Port::open().await;
    let cluster = Cluster::new(seed.config("bolt"));
    assert_eq!(chosen(&cluster, Access::Write).await, seed.endpoint.to_string());
    cluster.note(&seed.endpoint, &failure(NOT_A_LEADER));
    cluster.bookmark(&cluster.bookmarks(), "FB:1");
    assert!(cluster.bookmarks().is_empty());
    let cluster = Cluster::new(seed.config("neo4j"));
    cluster.bookmark(&cluster.bookmarks(), "FB:1");
    assert_eq!(cluster.bookmarks().iter().collect::<Vec<_>>(), ["FB:1"]);
}
