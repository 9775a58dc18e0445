//! Who asks a graph: tokens that are taken and others, and what becomes of labels that claims say.

use std::fs;

use serde_json::{Value, json};
use testkit::neo4j;
use testkit::tokens::Issuer;

use crate::program::{Answer, Folder, Server, outcome, run};

const SECRET: &str = "a secret of more than thirty-two bytes";

const TYPES: &str = "
    type Post @node(labels: [\"Post\", \"$jwt.realm.tenant\"]) @authorization(
        filter: [{ where: { node: { by: { eq: \"$jwt.sub\" } } } }]
    ) {
        title: String!
        by: String
    }
    type Note @node @authentication { text: String! }
    type Query { who: String @cypher(statement: \"RETURN $jwt.sub AS s\", columnName: \"s\") }";

const GRAPH: &str = "
    CREATE (:Post:Red {title: 'red a', by: 'a'}), (:Post:Red {title: 'red b', by: 'b'}),
      (:Post:Blue {title: 'blue a', by: 'a'}), (:Note {text: 'note'})";

fn token(claims: &str) -> String {
    Issuer::secret(SECRET).token(claims)
}

fn ask(server: &Server, token: &str, query: &str) -> Answer {
    server.query(&format!("Authorization: Bearer {token}\r\n"), query)
}

fn data(answer: &Answer) -> Value {
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!((answer.status, &body["errors"]), (200, &Value::Null), "{}", answer.body);
    body["data"].clone()
}

#[test]
fn a_graph_is_asked_with_tokens_for_anybody() {
    let Some(graph) = neo4j::take().unwrap() else { return };
    graph.run(GRAPH).unwrap();
    let folder = Folder::new();
    let types = folder.file("types.graphql");
    fs::write(&types, TYPES).unwrap();
    let address = graph.address("bolt");
    let types = ["--types", types.to_str().unwrap()];
    let server = Server::start(&["serve", &address, types[0], types[1], "--jwt-secret", SECRET]);

    // A role may be anything, and an audience need not be said.
    let a = token(r#"{"sub":"a","role":["x"],"realm":{"tenant":"Red"}}"#);
    let query = "{ posts { title } notes { text } who }";
    let expected = json!({
        "posts": [{ "title": "red a" }], "notes": [{ "text": "note" }], "who": "a",
    });
    assert_eq!(data(&ask(&server, &a, query)), expected);
    let blue = token(r#"{"sub":"a","realm":{"tenant":"Blue"}}"#);
    let posts = |token: &str| data(&ask(&server, token, "{ posts { title } }"))["posts"].clone();
    assert_eq!(posts(&blue), json!([{ "title": "blue a" }]));
    assert_eq!(posts(&a), json!([{ "title": "red a" }]));
    let hostile = token(r#"{"sub":"a","realm":{"tenant":"Red`) DETACH DELETE (n:`Post\\u0060"}}"#);
    assert_eq!(posts(&hostile), json!([]));
    assert_eq!(posts(&a), json!([{ "title": "red a" }]));
    check_refusals(&server);
    check_explanation(&folder, &address, &types);
}

fn check_refusals(server: &Server) {
    let refused = |answer: Answer| {
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        let error = &body["errors"][0];
        let expected = (json!("Unauthenticated"), json!("UNAUTHENTICATED"));
        let found = (error["message"].clone(), error["extensions"]["code"].clone());
        assert_eq!((answer.status, found), (401, expected));
        let challenge = r#"Bearer error="invalid_token""#;
        assert_eq!(answer.header("www-authenticate"), Some(challenge));
    };
    refused(ask(server, "not a token", "{ who }"));
    refused(ask(server, "a.b.c", "{ who }"));
    refused(ask(server, &token(r#"{"exp":1}"#), "{ who }"));
    refused(ask(server, &Issuer::secret("another").token("{}"), "{ who }"));
    refused(server.query("Authorization: Basic YTpi\r\n", "{ who }"));

    let error = |answer: Answer| {
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        (answer.status, body["errors"][0]["message"].as_str().unwrap().to_owned())
    };
    let none = server.query("", "{ notes { text } }");
    assert_eq!(error(none), (200, "Unauthenticated".to_owned()));
    let expected = "Nodes are labelled with the claim `realm.tenant`, which is missing or no text.";
    for claims in ["{}", r#"{"realm":{"tenant":""}}"#, r#"{"realm":{"tenant":["Red"]}}"#] {
        let answer = ask(server, &token(claims), "{ posts { title } }");
        assert_eq!(error(answer).1, expected, "{claims}");
    }
    assert_eq!(error(server.query("", "{ posts { title } }")).1, expected);
    assert_eq!(data(&server.query("", "{ who }")), json!({ "who": null }));
}

fn check_explanation(folder: &Folder, address: &str, types: &[&str]) {
    let query = folder.file("query.graphql");
    fs::write(&query, "{ posts { title } notes { text } }").unwrap();
    let command = ["explain", address, query.to_str().unwrap()];
    let explain = |more: &[&str]| outcome(&run(&[&command, types, more].concat()));
    let claims = r#"{"sub":"a","realm":{"tenant":"Red"}}"#;
    let (code, output, error) = explain(&["--claims", claims]);
    assert_eq!((code, &*error), (Some(0), ""));
    assert!(output.starts_with("-- rules\nsomebody who is known\n\n"), "{output}");
    for part in ["name \"Red\" of claim realm.tenant", "filter by = claim sub", "`Post`:`Red`"] {
        assert!(output.contains(part), "{part}: {output}");
    }
    fs::write(&query, "{ notes { text } }").unwrap();
    let (code, output, error) = explain(&[]);
    assert_eq!((code, &*error), (Some(0), ""));
    let expected = "-- rules\nnobody who is known\nrefused: Unauthenticated\n\n";
    assert!(output.starts_with(expected), "{output}");
    let (code, _, error) = explain(&["--role", "a"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("`--role` is not for a graph: rules"), "{error}");
}
