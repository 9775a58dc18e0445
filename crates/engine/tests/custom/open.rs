//! Checks before an API is served: allowed hosts and networks, schemas of GraphQL servers.

use clients::egress::EgressSettings;
use engine::ResolverOptions;
use serde_json::{Value, json};
use testkit::http::{HttpServer, Received, Reply};

use super::{Database, ask, block_on, local, open};

fn refused(definitions: &str, options: ResolverOptions) -> String {
    let database = Database::new();
    let opened = block_on(open(&database, definitions, options));
    opened.map_or_else(|error| error.to_string(), |_| "served".to_owned())
}

const TYPES: &str = r#"
    type A { id: ID! name: String }
    type Query { a: String @custom(http: {url: "http://HOST/a", method: GET}) }
"#;

#[test]
fn hosts_are_allowed_by_name() {
    let check = |hosts: &[&str], expected: &str| {
        let hosts = hosts.iter().map(|host| host.parse().unwrap()).collect();
        let egress = EgressSettings { hosts, ..EgressSettings::default() };
        let options = ResolverOptions { egress, ..ResolverOptions::default() };
        assert_eq!(refused(&TYPES.replace("HOST", "api.example:8080"), options), expected);
    };
    let message = "`Query.a` sends requests to the host `api.example`, which is not allowed; \
                   `--custom-hosts api.example` allows them";
    check(&[], message);
    check(&["b.example", ".api.example.com"], message);
    check(&["api.example"], "served");
    check(&[".example"], "served");
    check(&["*"], "served");
}

#[test]
fn private_addresses_are_refused_after_names_are_resolved() {
    let server = HttpServer::start(|_| Reply::Json(json!("secret")));
    let port = server.address.port();
    let check = |host: &str, networks: &[&str], expected: &str| {
        let egress = EgressSettings {
            hosts: vec!["*".parse().unwrap()],
            networks: networks.iter().map(|network| network.parse().unwrap()).collect(),
            ..local().egress
        };
        let options = ResolverOptions { egress, ..ResolverOptions::default() };
        let definitions = TYPES.replace("HOST", &format!("{host}:{port}"));
        let database = Database::new();
        let answer = block_on(async {
            let worker = open(&database, &definitions, options).await.unwrap();
            ask(&worker, "{ a }", "{}", &[]).await
        });
        assert!(answer.contains(expected), "{host}: {answer}");
        let is_sent = !server.received().is_empty();
        assert_eq!(is_sent, expected.contains("secret"), "{host}");
    };
    // `localhost`, and a number that resolvers read as an address, have private addresses.
    for host in ["127.0.0.1", "localhost", "2130706433", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]"] {
        check(host, &[], "its address is not allowed");
        check(host, &["10.0.0.0/8"], "its address is not allowed");
    }
    check("127.0.0.1", &["127.0.0.0/8"], "secret");
    check("localhost", &["127.0.0.1"], "secret");
}

const GRAPHQL: &str = r#"
    type Country @remote { code: String! name: String }
    type A { id: ID! name: String }
    type Query { country(code: ID!): Country @custom(http: {
        url: "http://SERVER/graphql", method: POST, introspectionHeaders: ["X-Key:key"],
        graphql: "query($code: ID!) { country(code: $code) }"
    }) }
    # Dgraph.Secret key "word"
"#;

fn named(kind: &str, name: &str) -> Value {
    json!({ "kind": kind, "name": name })
}

fn required(r#type: &Value) -> Value {
    json!({ "kind": "NON_NULL", "ofType": r#type })
}

fn schema(country: &Value, argument: &Value, code: &Value) -> Reply {
    let argument = json!({ "name": "code", "type": argument, "defaultValue": null });
    let fields = json!([{ "name": "country", "args": [argument], "type": country }]);
    let own = json!([
        { "name": "code", "args": [], "type": code },
        { "name": "name", "args": [], "type": named("SCALAR", "String") },
    ]);
    Reply::Json(json!({ "data": { "__schema": {
        "queryType": { "name": "Root" },
        "mutationType": null,
        "types": [
            { "kind": "OBJECT", "name": "Root", "fields": fields },
            { "kind": "OBJECT", "name": "Country", "fields": own },
        ],
    } } }))
}

#[test]
fn schemas_of_graphql_servers_are_compared() {
    let check = |reply: fn(&Received) -> Reply, expected: &str| {
        let server = HttpServer::start(reply);
        let definitions = GRAPHQL.replace("SERVER", &server.address.to_string());
        assert_eq!(refused(&definitions, local()), expected);
        let received = server.received();
        assert_eq!(received.len(), 1);
        assert_eq!(received[0].headers.get("x-key").map(String::as_str), Some("word"));
        let unchecked =
            definitions.replace("method: POST,", "method: POST, skipIntrospection: true,");
        assert_eq!(refused(&unchecked, local()), "served");
        assert!(server.received().is_empty());
    };
    check(
        |_| {
            schema(
                &named("OBJECT", "Country"),
                &required(&named("SCALAR", "ID")),
                &required(&named("SCALAR", "String")),
            )
        },
        "served",
    );
    check(
        |_| {
            schema(
                &required(&named("OBJECT", "Country")),
                &named("SCALAR", "ID"),
                &required(&named("SCALAR", "String")),
            )
        },
        "`Query.country` does not fit its GraphQL server: `country` has the type `Country!`, not `Country`",
    );
    check(
        |_| {
            schema(
                &named("OBJECT", "Country"),
                &named("SCALAR", "String"),
                &required(&named("SCALAR", "String")),
            )
        },
        "`Query.country` does not fit its GraphQL server: `country.code` has the type `String`, not `ID!`",
    );
    check(
        |_| schema(&named("OBJECT", "Country"), &named("SCALAR", "ID"), &named("SCALAR", "String")),
        "`Query.country` does not fit its GraphQL server: `Country.code` has the type `String`, not `String!`",
    );
    check(
        |_| Reply::Status(500, "", String::new()),
        "`Query.country`: the schema of its GraphQL server cannot be read: it responded with status 500; \
         `skipIntrospection: true` leaves out the check",
    );
    check(
        |_| Reply::Json(json!({ "data": null })),
        "`Query.country` does not fit its GraphQL server: its answer to introspection is not the JSON that is expected: it has no `data`",
    );
}
