//! Tests of fetches from connectors.

use expect_test::expect;
use http::HeaderMap;
use serde_json::{Value, json};
use supergraph::{SubgraphSchema, Supergraph, compose, read};

use crate::plan::print;
use crate::planner::Labels;
use crate::test_supergraph::planned_over;

use super::{Call, CallError, ClientValues, ConnectorSchema, FetchCalls, HttpResponse};

const SDL: &str = r#"
extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.12", import: ["@key"])
  @link(url: "https://specs.apollo.dev/connect/v0.2", import: ["@source", "@connect"])
  @source(name: "api", http: { baseURL: "https://api.example/v1" })

type Query {
  user(id: ID!, deep: Boolean = false): User
    @connect(source: "api", http: { GET: "/users/{$args.id}?deep={$args.deep}" }, selection: "id name friends { id }")
}

type User @connect(source: "api", http: { POST: "/names", body: "ids: $batch.id" }, selection: "id nick", batch: { maxSize: 2 }) {
  id: ID!
  name: String
  nick: String
  friends: [Friend]
  posts(first: Int): [Post]
    @connect(source: "api", http: { GET: "/users/{$this.id}/posts?first={$args.first}" }, selection: "id")
}

type Friend { id: ID! }

type Post { id: ID! }
"#;

fn supergraph() -> Supergraph {
    let (name, url) = ("rest".to_owned(), String::new());
    let composition = compose(&[SubgraphSchema { name, url, sdl: SDL.to_owned() }]);
    assert!(composition.errors.is_empty(), "{:?}", composition.errors);
    read(&composition.supergraph.unwrap()).unwrap()
}

/// The calls of a document to the part of the subgraph with this name, and the response for results.
fn check(
    part: &str,
    document: &str,
    variables: &Value,
    answer: impl Fn(&Call) -> Result<Value, CallError>,
) -> (Vec<Call>, Value) {
    let supergraph = supergraph();
    let schema = ConnectorSchema::new(&supergraph).unwrap();
    let names: Vec<&str> = supergraph.subgraphs.iter().map(|one| &*one.name).collect();
    let id = supergraph.subgraph_ids().find(|id| &*supergraph.subgraph(*id).name == part);
    let id = id.unwrap_or_else(|| panic!("{part} is not among {names:?}"));
    let (connector, entry) = supergraph.connector(id).unwrap();
    let fetch = schema.fetch(document).unwrap();
    let body = json!({ "query": document, "variables": variables }).to_string();
    let calls = FetchCalls::new(&schema, &fetch, (connector, entry), body.as_bytes()).unwrap();
    let results: Vec<_> = calls.calls.iter().map(answer).collect();
    let response = calls.response(&supergraph, connector, &results);
    (calls.calls, serde_json::from_slice(&response).unwrap())
}

#[test]
fn root_fields_are_calls_and_null_stands_for_what_a_mapping_lacks() {
    let document = "query($v:ID!){a:user(id:$v){__typename n:name friends{id}} user(id:\"2\",deep:true){id name}}";
    let (calls, response) =
        check("rest:Query.user@connect[0]", document, &json!({ "v": 1 }), |call| {
            match call.arguments["id"] == "2" {
                true => Ok(json!({ "id": 2 })),
                false => Ok(json!({ "name": "Ann", "friends": [{ "id": 5 }, null, 7] })),
            }
        });
    assert_eq!(calls[0].arguments, json!({ "id": 1, "deep": false }));
    assert_eq!(calls[1].arguments, json!({ "id": "2", "deep": true }));
    assert_eq!(
        response,
        json!({ "data": {
            "a": { "__typename": "User", "n": "Ann", "friends": [{ "id": "5" }, null, 7] },
            "user": { "id": "2", "name": null },
        } })
    );
}

#[test]
fn objects_of_a_batch_are_found_by_their_keys() {
    let document = "query($representations0:[_Any!]!){_entities(representations:$representations0){...on User{nick id}}}";
    let user = |id: Value| json!({ "__typename": "User", "id": id });
    let all = [user(json!("1")), user(json!(2)), user(json!("3"))];
    let variables = json!({ "representations0": all });
    let (calls, response) = check("rest:User@connect[0]", document, &variables, |call| {
        match call.batch.as_ref().unwrap()[0]["id"] == "3" {
            true => Err(CallError::timeout()),
            false => Ok(json!([{ "id": "2", "nick": "b" }, { "id": 7 }, { "id": 1, "nick": "a" }])),
        }
    });
    // Two at most.
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0].batch, Some(json!([{ "id": "1" }, { "id": 2 }])));
    let found = [json!({ "nick": "a", "id": "1" }), json!({ "nick": "b", "id": "2" }), Value::Null];
    assert_eq!(response["data"], json!({ "_entities": found }));
    let error = json!({
        "message": "The request timed out",
        "path": ["_entities", 2],
        "extensions": {
            "connector": { "coordinate": "rest:User@connect[0]" },
            "code": "GATEWAY_TIMEOUT",
            "service": "rest",
        },
    });
    assert_eq!(response["errors"], json!([error]));
}

#[test]
fn fields_of_objects_are_calls_with_their_keys() {
    let document = "query($representations0:[_Any!]!){_entities(representations:$representations0){...on User{id posts(first:2){id} more:posts(first:3){id}}}}";
    let representation = json!({ "__typename": "User", "id": "1" });
    let variables = json!({ "representations0": [representation, { "__typename": "Other" }] });
    let (calls, response) = check("rest:User.posts@connect[0]", document, &variables, |call| {
        Ok(json!([{ "id": call.arguments["first"] }]))
    });
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0].this, Some(json!({ "id": "1" })));
    let posts = |id: &str| json!([{ "id": id }]);
    let user = json!({ "id": "1", "posts": posts("2"), "more": posts("3") });
    assert_eq!(response, json!({ "data": { "_entities": [user, null] } }));
}

#[test]
fn a_response_is_mapped_by_its_status() {
    let supergraph = supergraph();
    let definition = &supergraph.connectors[0].definition;
    let (headers, nothing) = (HeaderMap::new(), json!({}));
    let values = ClientValues {
        headers: &headers,
        request: &nothing,
        config: &nothing,
        environment: &nothing,
        limits: &connectors::Limits::default(),
    };
    let call = Call { arguments: json!({ "id": "a/b", "deep": true }), ..Call::default() };
    let request = call.request(definition, values).unwrap();
    assert_eq!(request.uri, "https://api.example/v1/users/a%2Fb?deep=true");
    let result = |status: u16, body: &str| {
        let response = HttpResponse { status, headers: &headers, body: body.as_bytes() };
        call.result(definition, values, response).0
    };
    assert_eq!(result(200, r#"{"id":1,"name":"a"}"#), Ok(json!({ "id": 1, "name": "a" })));
    assert_eq!(result(200, "null"), Ok(Value::Null));
    assert_eq!(result(404, "{}").unwrap_err().message, "Request failed");
    assert!(result(200, "{").unwrap_err().message.contains("is no JSON"));
    assert_eq!(result(500, "<html>").unwrap_err().message, "Request failed");
}

/// The plan of an operation over connectors.
fn plan(sdl: &str, operation: &str) -> String {
    let link = r#"extend schema
        @link(url: "https://specs.apollo.dev/federation/v2.12", import: ["@key"])
        @link(url: "https://specs.apollo.dev/connect/v0.4", import: ["@source", "@connect"])
        @source(name: "api", http: { baseURL: "https://api.example" })
        "#;
    let (name, url) = ("rest".to_owned(), String::new());
    let composition = compose(&[SubgraphSchema { name, url, sdl: [link, sdl].concat() }]);
    assert!(composition.errors.is_empty(), "{:?}", composition.errors);
    let supergraph = read(&composition.supergraph.unwrap()).unwrap();
    let planned = planned_over(supergraph, operation, "{}", &Labels::default());
    let planned = planned.unwrap_or_else(|error| panic!("{error}"));
    print(&planned.supergraph, &planned.plan)
}

#[test]
fn what_a_mapping_lacks_at_its_position_is_fetched_by_a_key() {
    let sdl = r#"
        type Query {
          team: Team @connect(source: "api", http: { GET: "/team" }, selection: "lead { id name } members { id }")
        }
        type Team { lead: Person members: [Person] }
        type Person @connect(source: "api", http: { GET: "/people/{$this.id}" }, selection: "name") {
          id: ID!
          name: String
          quote: String @connect(source: "api", http: { GET: "/quote" }, selection: "$.text")
        }"#;
    expect![[r#"
        1. rest:Query.team@connect[0]: {team{lead{id name}members{id}}}
           GET https://api.example/team
    "#]]
    .assert_eq(&plan(sdl, "{ team { lead { id name } members { id } } }"));
    expect![[r#"
        1. rest:Query.team@connect[0]: {team{lead{__typename}members{id}}}
           GET https://api.example/team
        2. rest:Person@connect[0] after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Person{name}}}
           GET https://api.example/people/{$this.id}
           Person { id } at team.members[]
        3. rest:Person.quote@connect[0] after 1: query($representations0:[_Any!]!){_entities(representations:$representations0){...on Person{quote}}}
           GET https://api.example/quote
           Person { __typename } at team.lead
    "#]].assert_eq(&plan(sdl, "{ team { lead { quote } members { name } } }"));
}

#[test]
fn objects_of_an_interface_have_the_fields_of_their_types() {
    let sdl = r#"
        type Query {
          products: [Product] @connect(source: "api", http: { GET: "/products" }, selection: """
            id
            ... kind->match(
              ["book", { __typename: "Book", title: $.title }],
              ["film", { __typename: "Film", director: $.director }]
            )
          """)
        }
        interface Product { id: ID! }
        type Book implements Product { id: ID! title: String }
        type Film implements Product { id: ID! director: String }"#;
    let operation = "{ products { id ... on Book { title } ... on Film { director } } }";
    expect![[r#"
        1. rest:Query.products@connect[0]: {products{__typename...on Book{id title}...on Film{id director}}}
           GET https://api.example/products
    "#]].assert_eq(&plan(sdl, operation));
}
