//! REST services as subgraphs, by connectors, in the built program.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::http::{HttpServer, Received, Reply};

use crate::gateway::watched::scrape;
use crate::program::{Folder, Server, outcome, run};

/// A subgraph of connectors, whose API is at `SERVER`.
const REST: &str = r#"
extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.12", import: ["@key"])
  @link(url: "https://specs.apollo.dev/connect/v0.2", import: ["@source", "@connect"])
  @source(name: "api", http: {
    baseURL: "http://SERVER/v1"
    headers: [{ name: "x-token", from: "authorization" }, { name: "x-key", value: "{$config.key}" }]
  })

type Query {
  users(limit: Int): [User]
    @connect(source: "api", http: { GET: "/users?limit={$args.limit}" }, selection: "id name address { street: road }")
  user(id: ID!): User
    @connect(source: "api", http: { GET: "/users/{$args.id}" }, selection: "id name email address { street: road }", entity: true)
  broken: String @connect(source: "api", http: { GET: "/broken" }, selection: "$")
  slow: String @connect(source: "api", http: { GET: "/slow" }, selection: "$")
  huge: String @connect(source: "api", http: { GET: "/huge" }, selection: "$")
  wrong: Wrong @connect(source: "api", http: { GET: "/wrong" }, selection: "number text missing")
}

type Mutation {
  rename(id: ID!, name: String!): User
    @connect(source: "api", http: { PATCH: "/users/{$args.id}", body: "name: $args.name" }, selection: "id name")
  remove(id: ID!): Int
    @connect(source: "api", http: { DELETE: "/users/{$args.id}" }, selection: "$status")
}

type Wrong {
  number: Int
  text: String
  missing: String
}

type User @key(fields: "id") {
  id: ID!
  name: String
  email: String
  address: Address
  posts(first: Int): [Post]
    @connect(source: "api", http: { GET: "/users/{$this.id}/posts?first={$args.first}" }, selection: "id")
}

type Address {
  street: String
}

type Post
  @connect(source: "api", http: { POST: "/posts", body: "ids: $batch.id" }, selection: "$.posts { id title }", batch: { maxSize: 2 })
  @key(fields: "id")
{
  id: ID!
  title: String
}
"#;

const FILE: &str = "subgraphs:
  rest:
    schema: { file: rest.graphql }
    timeout: 2s
    max-answer: 64KiB
    connectors:
      hosts: ['127.0.0.1']
      networks: ['127.0.0.0/8']
      config: { key: secret }
  reviews:
    routing_url: http://REVIEWS/graphql
    schema: { file: reviews.graphql }
";

const REVIEWS: &str = r#"
extend schema @link(url: "https://specs.apollo.dev/federation/v2.12", import: ["@key"])
type Query { reviews: [Review] }
type Review { stars: Int author: User }
type User @key(fields: "id", resolvable: false) { id: ID! }
"#;

fn api(received: &Received) -> Reply {
    match (&*received.method, &*received.target) {
        ("GET", target) if target.starts_with("/v1/users?") => Reply::Json(json!([
            { "id": 1, "name": "Ann", "address": { "road": "High Street" } },
            { "id": 2, "name": "Bob", "address": null },
        ])),
        ("GET", "/v1/users/1") => {
            Reply::Json(json!({ "id": 1, "name": "Ann", "email": "ann@example.com" }))
        }
        ("GET", "/v1/users/2") => {
            Reply::Json(json!({ "id": 2, "name": "Bob", "email": "bob@example.com" }))
        }
        ("GET", target) if target.starts_with("/v1/users/1/posts") => {
            Reply::Json(json!([{ "id": "a" }, { "id": "b" }, { "id": "c" }]))
        }
        ("GET", target) if target.starts_with("/v1/users/2/posts") => Reply::Json(json!([])),
        ("GET", "/v1/broken") => {
            Reply::Status(200, "content-type: application/json\r\n", "{".to_owned())
        }
        ("GET", "/v1/slow") => Reply::Sleep(Duration::from_secs(30)),
        ("GET", "/v1/huge") => Reply::Json("x".repeat(100_000).into()),
        ("GET", "/v1/wrong") => Reply::Json(json!({ "number": "one", "text": "t" })),
        ("PATCH", "/v1/users/1") => {
            let body: Value = serde_json::from_str(&received.body).unwrap();
            Reply::Json(json!({ "id": 1, "name": body["name"] }))
        }
        ("DELETE", "/v1/users/1") => Reply::Status(204, "", String::new()),
        ("POST", "/v1/posts") => {
            let body: Value = serde_json::from_str(&received.body).unwrap();
            let ids = body["ids"].as_array().unwrap().iter().rev();
            // In another order, and without one of them.
            let posts = ids
                .filter(|id| **id != "c")
                .map(|id| json!({ "id": id, "title": format!("Post {}", id.as_str().unwrap()) }));
            Reply::Json(json!({ "posts": posts.collect::<Vec<_>>() }))
        }
        _ => Reply::Status(404, "content-type: application/json\r\n", "{}".to_owned()),
    }
}

/// Answers every query with reviews.
fn reviews(_: &Received) -> Reply {
    let author = |id: &str| json!({ "__typename": "User", "id": id });
    Reply::Json(json!({ "data": { "reviews": [
        { "stars": 5, "author": author("1") },
        { "stars": 1, "author": author("3") },
    ] } }))
}

/// The API, the subgraph of reviews, and the folder with the files of the gateway.
struct Site {
    api: HttpServer,
    _reviews: HttpServer,
    folder: Folder,
}

impl Site {
    fn new() -> Self {
        let site = Self {
            api: HttpServer::start(api),
            _reviews: HttpServer::start(reviews),
            folder: Folder::new(),
        };
        let of_api = site.api.address.to_string();
        let of_reviews = site._reviews.address.to_string();
        site.write("rest.graphql", &REST.replace("SERVER", &of_api));
        site.write("reviews.graphql", REVIEWS);
        site.write("supergraph.yaml", &FILE.replace("REVIEWS", &of_reviews));
        site
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.file(name), text).unwrap();
    }

    fn path(&self, name: &str) -> String {
        self.folder.file(name).to_str().unwrap().to_owned()
    }

    fn start(&self) -> Server {
        let file = self.path("supergraph.yaml");
        let listen = [
            "--listen",
            "127.0.0.1:0",
            "--subgraph-errors",
            "shown",
            "--metrics-listen",
            "127.0.0.1:0",
        ];
        Server::start(&[&["gateway", &*file][..], &listen].concat())
    }

    /// The methods and targets of requests, sorted.
    fn received(&self) -> Vec<String> {
        let received = self.api.received();
        let mut all: Vec<String> =
            received.iter().map(|one| [&*one.method, " ", &one.target].concat()).collect();
        all.sort();
        all
    }
}

fn data(server: &Server, headers: &str, query: &str) -> (Value, Vec<Value>) {
    let answer = server.query(headers, query);
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    let errors = body["errors"].as_array().cloned().unwrap_or_default();
    (body["data"].clone(), errors)
}

/// The number of requests of `Query.users` with an outcome.
fn calls<'m>(metrics: &'m str, outcome: &str) -> Option<&'m str> {
    let of_calls = metrics.lines().filter(|line| line.starts_with("thalweg_custom_requests_total"));
    let mut own = of_calls.filter(|line| {
        line.contains(r#"field="Query.users""#) && line.contains(&format!(r#"outcome="{outcome}""#))
    });
    own.next()?.rsplit(' ').next()
}

#[test]
fn root_fields_are_mapped_with_headers_arguments_and_configuration() {
    let site = Site::new();
    let server = site.start();
    let headers = "authorization: Bearer mine\r\nx-key: forged\r\n";
    let query = "{ all: users(limit: 2) { __typename key: id name address { street } } }";
    let (data, errors) = data(&server, headers, query);
    assert_eq!(
        data,
        json!({ "all": [
            { "__typename": "User", "key": "1", "name": "Ann", "address": { "street": "High Street" } },
            { "__typename": "User", "key": "2", "name": "Bob", "address": null },
        ] })
    );
    assert!(errors.is_empty(), "{errors:?}");
    let received = site.api.received();
    assert_eq!(received.len(), 1);
    assert_eq!(received[0].target, "/v1/users?limit=2");
    let header = |name: &str| received[0].headers.get(name).map(String::as_str);
    assert_eq!(header("x-token"), Some("Bearer mine"));
    assert_eq!(header("x-key"), Some("secret"));
    assert_eq!(header("authorization"), None);
    // Metrics of the fetch, and of the request.
    let metrics = scrape(&server);
    let fetch = r#"thalweg_subgraph_requests_total{subgraph="rest",outcome="answered"} 1"#;
    assert!(metrics.contains(fetch), "{metrics}");
    assert_eq!(calls(&metrics, "answered"), Some("1"), "{metrics}");
}

#[test]
fn entities_fields_and_batches_are_joined_with_other_subgraphs() {
    let site = Site::new();
    let server = site.start();
    let (found, errors) = data(&server, "", "{ reviews { stars author { id email } } }");
    let missing = json!({ "stars": 1, "author": { "id": "3", "email": null } });
    assert_eq!(
        found,
        json!({ "reviews": [
            { "stars": 5, "author": { "id": "1", "email": "ann@example.com" } },
            missing,
        ] })
    );
    // The entity that the API does not have.
    assert_eq!(errors.len(), 1, "{errors:?}");
    let error = &errors[0];
    assert_eq!(error["path"], json!(["reviews", 1, "author", "email"]), "{error}");
    assert_eq!(error["extensions"]["code"], "CONNECTOR_FETCH");
    assert_eq!(error["extensions"]["http"]["status"], 404);
    assert_eq!(error["extensions"]["service"], "rest");
    let coordinate = "rest:Query.user@connect[0]";
    assert_eq!(error["extensions"]["connector"]["coordinate"], coordinate);
    assert_eq!(site.received(), ["GET /v1/users/1", "GET /v1/users/3"]);

    // A list, a field of each of its objects, and their posts in batches of two.
    let query = "{ users { id email posts(first: 3) { id title } } }";
    let (found, errors) = data(&server, "", query);
    assert_eq!(
        found,
        json!({ "users": [
            { "id": "1", "email": "ann@example.com", "posts": [
                { "id": "a", "title": "Post a" },
                { "id": "b", "title": "Post b" },
                { "id": "c", "title": null },
            ] },
            { "id": "2", "email": "bob@example.com", "posts": [] },
        ] })
    );
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(
        site.received(),
        [
            "GET /v1/users/1",
            "GET /v1/users/1/posts?first=3",
            "GET /v1/users/2",
            "GET /v1/users/2/posts?first=3",
            "GET /v1/users?limit=",
            "POST /v1/posts",
            "POST /v1/posts",
        ]
    );
    // One request for equal fields.
    let (found, _) = data(&server, "", r#"{ a: user(id: 1) { name } b: user(id: "1") { email } }"#);
    assert_eq!(found, json!({ "a": { "name": "Ann" }, "b": { "email": "ann@example.com" } }));
    assert_eq!(site.received(), ["GET /v1/users/1"]);
}

#[test]
fn mutations_run_one_after_the_other() {
    let site = Site::new();
    let server = site.start();
    let query = r#"mutation {
        one: rename(id: 1, name: "A \"B\"") { id name email }
        two: rename(id: 1, name: "C") { name }
        remove(id: 1)
    }"#;
    let (found, errors) = data(&server, "", query);
    assert_eq!(
        found,
        json!({
            "one": { "id": "1", "name": "A \"B\"", "email": "ann@example.com" },
            "two": { "name": "C" },
            "remove": 204,
        }),
        "{errors:?}"
    );
    let received = site.api.received();
    let changes = received.iter().filter(|one| one.method != "GET");
    let changes: Vec<_> = changes.map(|one| (&*one.method, &*one.body)).collect();
    assert_eq!(
        changes,
        [("PATCH", "{\"name\":\"A \\\"B\\\"\"}"), ("PATCH", "{\"name\":\"C\"}"), ("DELETE", "")]
    );
    let content = received[0].headers.get("content-type").map(String::as_str);
    assert_eq!(content, Some("application/json"));
}

#[test]
fn failures_are_errors_of_their_fields_only() {
    let site = Site::new();
    let server = site.start();
    let began = Instant::now();
    let query = "{ broken slow huge wrong { number text missing } users { name } }";
    let (found, errors) = data(&server, "", query);
    assert!(began.elapsed() < Duration::from_secs(20));
    assert_eq!(
        found,
        json!({
            "broken": null,
            "slow": null,
            "huge": null,
            "wrong": { "number": null, "text": "t", "missing": null },
            "users": [{ "name": "Ann" }, { "name": "Bob" }],
        })
    );
    let code = |path: Value| {
        let error = errors.iter().find(|error| error["path"] == path);
        error.map(|error| error["extensions"]["code"].clone()).unwrap_or_default()
    };
    assert_eq!(code(json!(["broken"])), "CONNECTOR_RESPONSE_INVALID", "{errors:?}");
    assert_eq!(code(json!(["slow"])), "GATEWAY_TIMEOUT", "{errors:?}");
    assert_eq!(code(json!(["huge"])), "CONNECTOR_FETCH", "{errors:?}");
    assert_eq!(code(json!(["wrong", "number"])), "INVALID_VALUE", "{errors:?}");
    assert_eq!(errors.len(), 4, "{errors:?}");
    drop(server);

    // Without the API. A GET request is sent again.
    let Site { api, folder, _reviews } = site;
    let address = api.address;
    drop(api);
    let file = folder.file("supergraph.yaml");
    let listen = ["--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0"];
    let server = Server::start(&[&["gateway", file.to_str().unwrap()][..], &listen].concat());
    let (found, errors) = data(&server, "", "{ users { name } }");
    assert_eq!(found, json!({ "users": null }));
    assert_eq!(errors.len(), 1);
    // By default, clients see no details.
    let text = errors[0].to_string();
    assert!(!text.contains(&address.to_string()) && !text.contains("CONNECTOR"), "{text}");
    let metrics = scrape(&server);
    assert_eq!(calls(&metrics, "unavailable"), Some("2"), "{metrics}");
}

#[test]
fn hosts_and_private_networks_need_a_permission() {
    let site = Site::new();
    let file = fs::read_to_string(site.folder.file("supergraph.yaml")).unwrap();
    site.write("supergraph.yaml", &file.replace("'127.0.0.1'", "api.example"));
    let (code, _, error) = outcome(&run(&["gateway", &site.path("supergraph.yaml")]));
    assert_eq!(code, Some(2), "{error}");
    let message = "the connectors of the subgraph `rest` send requests to hosts that are not allowed: \
                   `127.0.0.1`";
    assert!(error.contains(message), "{error}");

    site.write("supergraph.yaml", &file.replace("      networks: ['127.0.0.0/8']\n", ""));
    let server = site.start();
    let (found, errors) = data(&server, "", "{ users { name } }");
    assert_eq!(found, json!({ "users": null }));
    let message = errors[0]["message"].as_str().unwrap();
    assert!(message.contains("private address"), "{message}");
    assert!(site.received().is_empty());
}

#[test]
fn the_file_names_its_problems() {
    let site = Site::new();
    let file = fs::read_to_string(site.folder.file("supergraph.yaml")).unwrap();
    let check = |from: &str, to: &str, message: &str| {
        assert!(file.contains(from), "{from}");
        site.write("supergraph.yaml", &file.replace(from, to));
        let (code, _, error) = outcome(&run(&["gateway", &site.path("supergraph.yaml")]));
        assert_ne!(code, Some(0), "{error}");
        assert!(error.contains(message), "{message}: {error}");
    };
    let config = "config: { key: secret }";
    check(config, "config: { key: secret, token: x }", "no connector uses `$config.token`");
    check(config, "sources: { apj: {} }", "has the source `apj`");
    check(config, "confg: {}", "`connectors` has no `confg`; `config` is one");
    check("    timeout: 2s\n", "    url: 'http://a'\n", "`url` has no place beside `connectors`");
    check("hosts: ['127.0.0.1']", "hosts: ['a b']", "a host is wanted");
    check(
        "    schema: { file: reviews.graphql }\n",
        "    schema: { file: reviews.graphql }\n    connectors: {}\n",
        "has no connectors",
    );
}

#[test]
fn a_composed_file_is_served_with_another_address() {
    let site = Site::new();
    let output = site.path("supergraph.graphql");
    let yaml = site.path("supergraph.yaml");
    let (code, _, error) = outcome(&run(&["compose", &yaml, "--output", &output]));
    assert_eq!(code, Some(0), "{error}");
    let other = HttpServer::start(api);
    let settings = format!(
        "[subgraphs.rest.connectors]\nhosts = [\"localhost\"]\nnetworks = [\"127.0.0.0/8\", \"::1\"]\n\
         [subgraphs.rest.connectors.sources.api]\nurl = \"http://localhost:{}/v1/\"\n\
         config = {{ key = \"other\" }}\nheaders = {{ x-extra = \"yes\" }}\n",
        other.address.port()
    );
    site.write("subgraphs.toml", &settings);
    let subgraphs = site.path("subgraphs.toml");
    let arguments = ["gateway", &*output, "--subgraphs", &subgraphs, "--listen", "127.0.0.1:0"];
    let server = Server::start(&arguments);
    let (found, errors) = data(&server, "", "{ users { name } }");
    assert_eq!(found, json!({ "users": [{ "name": "Ann" }, { "name": "Bob" }] }), "{errors:?}");
    assert!(site.api.received().is_empty());
    let received = other.received();
    assert_eq!(received[0].headers.get("x-key").map(String::as_str), Some("other"));
    assert_eq!(received[0].headers.get("x-extra").map(String::as_str), Some("yes"));

    site.write("query.graphql", "{ users { email posts { title } } }");
    let explain = ["explain", &*output, &site.path("query.graphql"), "--subgraphs", &subgraphs];
    let (code, plan, error) = outcome(&run(&explain));
    assert_eq!(code, Some(0), "{error}");
    let first = "1. rest:Query.users@connect[0]: {users{id}}\n   GET http://";
    assert!(plan.contains(first), "{plan}");
    assert!(plan.contains("rest:User.posts@connect[0] after 1: "), "{plan}");
    assert!(plan.contains("/v1/users/{$this.id}/posts?first={$args.first}\n"), "{plan}");
    let (code, text, error) = outcome(&run(&["check", &output, "--subgraphs", &subgraphs]));
    assert_eq!(code, Some(0), "{error}");
    assert!(text.contains("Its subgraphs: rest, reviews"), "{text}");
}
