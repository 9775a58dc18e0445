//! How sessions begin: versions, passwords, databases, and the routing table of a server that is
//! alone.

use super::*;

#[test]
fn a_session_knows_its_server() {
    with_graph(|graph| async move {
        let mut connection = connect(&graph).await;
        assert!(connection.server_agent().starts_with("Neo4j/"));
        assert!(connection.server_version().major >= 5);
        assert!(connection.protocol() >= (5, 0));
        assert!(connection.is_open());
        connection.reset().await.unwrap();
        connection.close().await;
    });
}

#[test]
fn a_server_that_is_alone_routes_to_itself() {
    with_graph(|graph| async move {
        let cluster = Cluster::new(config(&graph, "neo4j"));
        for access in [Access::Read, Access::Write] {
            let endpoint = cluster.choose(access).await.unwrap();
            assert_eq!(&endpoint, cluster.config().endpoint());
        }
        let endpoint = cluster.choose(Access::Write).await.unwrap();
        let mut connection = cluster.connect(&endpoint).await.unwrap();
        let sent = cluster.bookmarks();
        run(&mut connection, "CREATE ()").await.unwrap();
        cluster.bookmark(&sent, &connection.take_bookmark().unwrap());
        let bookmarks = cluster.bookmarks();
        assert_eq!(bookmarks.iter().len(), 1);
        // The server understands what it gave.
        let mut results = Vec::new();
        let mut batch = connection.batch();
        let scope = Scope::Alone(&Transaction::new(Access::Read, &bookmarks));
        let text = "MATCH (n) RETURN count(n)";
        batch.run(scope, text, 0, |_| Ok::<_, WireError>(())).unwrap();
        batch.exchange(&mut results).await.unwrap();
        assert_eq!(integer(&results[0]), 1);
    });
}

#[test]
fn a_database_that_is_not_there_is_named() {
    with_graph(|graph| async move {
        let address = [graph.address("bolt").as_str(), "?database=nowhere"].concat();
        let config = Config::resolve(&address, |_| None).unwrap();
        let mut connection = Connection::connect(&config, config.endpoint()).await.unwrap();
        let error = run(&mut connection, "RETURN 1").await.unwrap_err();
        let WireError::Database { error, result: Some(0) } = error else { panic!("{error:?}") };
        assert_eq!(error.code, "Neo.ClientError.Database.DatabaseNotFound");
        assert!(error.message.contains("nowhere"), "{error}");
    });
}

#[test]
fn a_password_is_asked_for_and_a_wrong_one_refused() {
    let Some(graph) = testkit::neo4j::take_with_password().unwrap() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let password = graph.password().unwrap();
        let connect = async |password: &str| {
            let variables = [("NEO4J_USERNAME", "neo4j"), ("NEO4J_PASSWORD", password)];
            let config = Config::resolve(&graph.address("bolt"), |name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            });
            let config = config.unwrap();
            Connection::connect(&config, config.endpoint()).await
        };
        let mut connection = connect(password).await.unwrap();
        assert_eq!(integer(&run(&mut connection, "RETURN 1").await.unwrap()), 1);
        let error = connect("wrong").await.unwrap_err();
        let WireError::Authentication(error) = error else { panic!("{error:?}") };
        assert_eq!(error.code, "Neo.ClientError.Security.Unauthorized");
    });
}
