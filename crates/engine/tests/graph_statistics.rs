//! Costs of lists without pagination in a graph, by the numbers of nodes and relationships that
//! Neo4j keeps.

use std::sync::Arc;

use dialects::neo4j::model::ApiVersion;
use dialects::{Dialect, neo4j as dialect};
use engine::{Allowed, CostLimits, Engine, Limits, Options, PoolLimits, SourceAddress, Worker};
use graphql::Request;
use testkit::neo4j::{self, Graph};

/// 700 tracks of 5 genres and 70 albums, and 50 people, each with 60 relationships to friends. Half of
/// them like 200 tracks and all albums.
const GRAPH: &str = "
    UNWIND range(1, 5) AS number CREATE (:Genre {name: toString(number)});
    UNWIND range(1, 70) AS number CREATE (:Album {name: toString(number)});
    UNWIND range(0, 699) AS number
    MATCH (genre:Genre {name: toString(number % 5 + 1)})
    MATCH (album:Album {name: toString(number % 70 + 1)})
    CREATE (track:Track {name: toString(number)})-[:OF]->(genre), (track)-[:ON]->(album);
    UNWIND range(1, 50) AS number CREATE (:Person {name: toString(number)});
    UNWIND range(1, 60) AS number
    MATCH (one:Person), (other:Person {name: toString((toInteger(one.name) + number) % 50 + 1)})
    CREATE (one)-[:KNOWS]->(other);
    MATCH (one:Person) WHERE toInteger(one.name) <= 25
    MATCH (track:Track) WHERE toInteger(track.name) < 200
    CREATE (one)-[:LIKES]->(track);
    MATCH (one:Person) WHERE toInteger(one.name) <= 25
    MATCH (album:Album)
    CREATE (one)-[:LIKES]->(album)";

const TYPES: &str = r#"
    type Genre @node {
      name: String!
      tracks: [Track!]! @relationship(type: "OF", direction: IN)
    }
    type Album @node {
      name: String!
      tracks: [Track!]! @relationship(type: "ON", direction: IN)
      fans: [Person!]! @relationship(type: "LIKES", direction: IN)
    }
    type Track @node RULES {
      name: String!
      genres: [Genre!]! @relationship(type: "OF", direction: OUT)
      albums: [Album!]! @relationship(type: "ON", direction: OUT)
      fans: [Person!]! @relationship(type: "LIKES", direction: IN)
    }
    type Person @node {
      name: String!
      friends: [Person!]! @relationship(type: "KNOWS", direction: OUT, queryDirection: BOTH)
      liked: [Liked!]! @relationship(type: "LIKES", direction: OUT)
    }
    union Liked = Track | Album"#;

/// For each version of the API: a rule that hides most tracks, and the direction of relationships
/// that are followed both ways.
const FORMS: [(ApiVersion, &str, &str); 2] = [
    (ApiVersion::V3, r#"@auth(rules: [{ where: { name: "1" } }])"#, "UNDIRECTED_ONLY"),
    (
        ApiVersion::V7,
        r#"@authorization(filter: [{ where: { node: { name: { startsWith: "1" } } } }])"#,
        "UNDIRECTED",
    ),
];

async fn worker(graph: &Graph, version: ApiVersion, types: &str) -> Worker {
    let model = dialect::definitions::read(types, version).unwrap();
    let neo4j = dialect::Options { model: Arc::new(model), version, ..Default::default() };
    let options = Options {
        // Each cost is too high, and in the error.
        limits: Limits {
            cost: CostLimits { most: 0, ..CostLimits::default() },
            ..Limits::default()
        },
        ..Options::new(Dialect::Neo4j(neo4j), PoolLimits::unshared(2))
    };
    let address = SourceAddress::Neo4j(graph.address("bolt"));
    Worker::new(Engine::open(&address, &options).await.unwrap())
}

async fn cost(worker: &Worker, query: &str) -> u64 {
    let request = Request { query: query.to_owned(), ..Request::default() };
    let response = worker.execute(&request, Allowed::Queries).await;
    let text = String::from_utf8(response.body.into()).unwrap();
    let cost = text.split("is estimated to cost ").nth(1).and_then(|rest| rest.split(';').next());
    cost.and_then(|cost| cost.parse().ok()).unwrap_or_else(|| panic!("{query}\n{text}"))
}

/// The cost of lists within each other with these numbers of rows.
fn lists(sizes: &[u64]) -> u64 {
    let (mut parents, mut cost) = (1, 0);
    for size in sizes {
        cost += parents + parents * size;
        parents *= size;
    }
    cost
}

#[tokio::test]
async fn lists_of_repeated_nodes_cost_what_the_server_counts() {
    // A missing Neo4j is reported.
    let Some(graph) = neo4j::take().unwrap() else { return };
    graph.clear().unwrap();
    for statement in GRAPH.split(';') {
        graph.run(statement).unwrap();
    }
    let local = tokio::task::LocalSet::new();
    local.run_until(check(&graph)).await;
}

async fn check(graph: &Graph) {
    for (version, rules, both) in FORMS {
        let types = |rules: &str| TYPES.replace("RULES", rules).replace("BOTH", both);
        let open = worker(graph, version, &types("")).await;
        let ruled = worker(graph, version, &types(rules)).await;
        // A genre has 140 tracks on average, and an album ten.
        let repeated = "{ tracks { genres { tracks { albums { tracks { name } } } } } }";
        assert_eq!(cost(&open, repeated).await, lists(&[10, 10, 100, 10, 10]), "{version:?}");
        // Each genre, track and album once.
        let once = "{ genres { tracks { albums { name } } } }";
        assert_eq!(cost(&open, once).await, lists(&[10, 10, 10]));
        // Edges of connections are lists, too.
        let edges = "{ tracks { genres { tracksConnection { edges { node { name } } } } } }";
        assert_eq!(cost(&open, edges).await, lists(&[10, 10, 100]));
        // A page has its own size, and a condition passes a tenth.
        let (paged, condition) = match version {
            ApiVersion::V3 => ("(options: { limit: 3 })", "(where: { name_CONTAINS: \"1\" })"),
            ApiVersion::V7 => ("(limit: 3)", "(where: { name: { contains: \"1\" } })"),
        };
        let with = |text: &str| format!("{{ tracks {{ genres {{ tracks{text} {{ name }} }} }} }}");
        assert_eq!(cost(&open, &with(paged)).await, lists(&[10, 10, 3]));
        assert_eq!(cost(&open, &with(condition)).await, lists(&[10, 10, 10]));
        // Relationships that are followed in both directions count twice: 120 a person.
        let friends = "{ people { friends { friends { name } } } }";
        assert_eq!(cost(&open, friends).await, lists(&[10, 10, 100]));
        // A person likes 100 tracks and 35 albums on average.
        let liked = "{ tracks { fans { liked { ... on Track { name } ... on Album { name } } } } }";
        assert_eq!(cost(&open, liked).await, lists(&[10, 10, 100]));
        let fans = "{ people { liked { ... on Track { fans { name } } } } }";
        assert_eq!(cost(&open, fans).await, lists(&[10, 10, 10]));
        // A cost does not reveal the number of hidden nodes: neither by the sizes of lists nor by
        // the question of whether several tracks have the same fans.
        assert_eq!(cost(&ruled, repeated).await, lists(&[10; 5]));
        let friends = "{ tracks { fans { friends { name } } } }";
        assert_eq!(cost(&open, friends).await, lists(&[10, 10, 100]));
        assert_eq!(cost(&ruled, friends).await, lists(&[10, 10, 10]));
    }
}
