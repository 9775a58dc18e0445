//! A graph as a subgraph: how many statements it is sent for representations.

use std::sync::Arc;

use dialects::Dialect;
use dialects::federation::Options as Federation;
use dialects::neo4j as dialect;
use dialects::neo4j::model::ApiVersion;
use engine::{Engine, Options, SourceAddress, Worker};
use serde_json::{Value, json};
use testkit::neo4j;

use super::{ask, block_on, options};

const GRAPH: &str = "
    UNWIND range(1, 1000) AS n
    CREATE (:Maker {id: toString(n), name: 'maker ' + n})-[:MADE]->(:Product {code: 'c' + n})";

const DEFINITIONS: &str = "
    type Maker @node @key(fields: \"id\") @key(fields: \"name\") {
      id: ID!
      name: String!
      products: [Product!]! @relationship(type: \"MADE\", direction: OUT)
    }
    type Product @node @key(fields: \"code\") { code: String! }";

const QUERY: &str = "query ($r: [_Any!]!) { _entities(representations: $r) {
    ... on Maker { id products { code } } ... on Product { code } } }";

#[test]
fn a_graph_is_sent_one_statement_for_all_representations_of_a_key() {
    let Some(graph) = neo4j::take().unwrap() else { return };
    graph.run(GRAPH).unwrap();
    block_on(async {
        let model = dialect::definitions::read(DEFINITIONS, ApiVersion::V7).unwrap();
        let graph_options =
            dialect::Options { model: Arc::new(model), ..dialect::Options::default() };
        let options: Options = options(Dialect::Neo4j(graph_options), Federation::default());
        let address = SourceAddress::Neo4j(graph.address("bolt"));
        let worker = Worker::new(Engine::open(&address, &options).await.unwrap());
        let by_id = |id: usize| json!({ "__typename": "Maker", "id": id.to_string() });
        let (answer, rounds) = ask(&worker, QUERY, (1..=1_000).rev().map(by_id).collect()).await;
        assert_eq!(rounds, [1], "no other key is given, and what is below comes with it");
        let makers: Vec<Value> = (1..=1_000_usize)
            .rev()
            .map(|id| json!({ "id": id.to_string(), "products": [{ "code": format!("c{id}") }] }))
            .collect();
        assert_eq!(answer, json!({ "data": { "_entities": makers } }));
        let product = json!({ "__typename": "Product", "code": "c7" });
        let (answer, rounds) = ask(&worker, QUERY, json!([product, by_id(8)])).await;
        assert_eq!(rounds, [2]);
        let maker = json!({ "id": "8", "products": [{ "code": "c8" }] });
        assert_eq!(answer, json!({ "data": { "_entities": [{ "code": "c7" }, maker] } }));
        let (answer, rounds) = ask(&worker, QUERY, json!([])).await;
        assert_eq!((answer, rounds), (json!({ "data": { "_entities": [] } }), vec![]));
    });
}
