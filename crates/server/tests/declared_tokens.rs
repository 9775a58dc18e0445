//! Tokens of servers whose type definitions declare their verification: `# Dgraph.Authorization`.

use std::fs;

use serde_json::{Value, json};
use testkit::tokens::Issuer;

use crate::program::{Answer, Folder, Server, outcome, run};

const SECRET: &str = "a secret of more than thirty-two bytes";

const TYPES: &str = r#"
type Todo @auth(
  query: { or: [
    { rule: "{$ROLE: {eq: \"ADMIN\"}}" }
    { rule: "query ($USER: String!) { queryTodo(filter: { owner: { eq: $USER } }) { id } }" }
  ] }
  add: { rule: "query ($USER: String!) { queryTodo(filter: { owner: { eq: $USER } }) { id } }" }
) {
  id: ID!
  text: String!
  owner: String @search(by: [hash])
}
"#;

/// The definitions with a comment line.
fn types(folder: &Folder, comments: &str) -> [String; 2] {
    let file = folder.file("schema.graphql");
    fs::write(&file, [TYPES, comments].concat()).unwrap();
    [file.to_str().unwrap().to_owned(), folder.file("todo.db").to_str().unwrap().to_owned()]
}

fn start([types, data]: &[String; 2], options: &[&str]) -> Server {
    let words = ["serve", types, "--data", data, "--listen", "127.0.0.1:0"];
    Server::start(&[&words[..], options].concat())
}

/// The status, and the data or the code of the first error.
fn answer(answer: &Answer) -> (u16, Value) {
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    let error = body["errors"][0]["extensions"]["code"].clone();
    (answer.status, if error.is_null() { body["data"].clone() } else { error })
}

#[test]
fn claims_are_those_of_the_namespace_and_those_beside_it() {
    let folder = Folder::new();
    let comment = format!(
        "# Dgraph.Authorization {{\"VerificationKey\":\"{SECRET}\",\"Header\":\"X-My-Auth\",\
         \"Namespace\":\"https://example.org/claims\",\"Algo\":\"HS256\",\"Audience\":[\"app\"]}}\n\
         # Dgraph.Allow-Origin \"https://app.example\"\n"
    );
    let server = start(&types(&folder, &comment), &[]);
    let issuer = Issuer::secret(SECRET);
    let ask = |token: &str, query: &str| answer(&server.query(token, query));
    let header = |claims: &str| format!("X-My-Auth: {}\r\n", issuer.token(claims));
    let ann = header(r#"{"aud":"app","USER":"bea","https://example.org/claims":{"USER":"ann"}}"#);
    let add = |owner: &str| {
        format!(
            "mutation {{ addTodo(input: [{{text: \"a\", owner: \"{owner}\"}}]) {{ numUids }} }}"
        )
    };
    assert_eq!(ask(&ann, &add("ann")), (200, json!({ "addTodo": { "numUids": 1 } })));
    assert_eq!(ask(&ann, &add("bea")), (200, json!("PERMISSION_DENIED")));
    let query = "{ queryTodo { owner } }";
    let seen = json!({ "queryTodo": [{ "owner": "ann" }] });
    let none = json!({ "queryTodo": [] });
    assert_eq!(ask(&ann, query), (200, seen.clone()));
    // The scheme may be there, the namespace may be a text, and claims may stand beside it.
    let scheme = header(r#"{"aud":["x","app"],"https://example.org/claims":"{\"USER\":\"ann\"}"}"#);
    assert_eq!(ask(&scheme.replace(": ", ": Bearer "), query), (200, seen.clone()));
    assert_eq!(ask(&header(r#"{"aud":"app","ROLE":["x","ADMIN"]}"#), query), (200, seen));
    assert_eq!(ask(&header(r#"{"aud":"app","USER":"cid"}"#), query), (200, none.clone()));
    assert_eq!(ask("", query), (200, none.clone()));
    // The usual header is another one.
    let usual = ann.replace("X-My-Auth: ", "Authorization: Bearer ");
    assert_eq!(ask(&usual, query), (200, none));
    let refused = (401, json!("UNAUTHENTICATED"));
    assert_eq!(ask(&header(r#"{"aud":"other","USER":"ann"}"#), query), refused);
    let text = header(r#"{"aud":"app","https://example.org/claims":"no JSON"}"#);
    assert_eq!(ask(&text, query), refused);
    let foreign = format!("X-My-Auth: {}\r\n", Issuer::secret("another").token(r#"{"aud":"app"}"#));
    assert_eq!(ask(&foreign, query), refused);
    assert_eq!(ask(&[&*ann, &*ann].concat(), query), (400, json!("BAD_USER_INPUT")));
    // Shared caches keep answers without a token only, and for requests without one.
    let cached = "query @cacheControl(maxAge: 5) { __typename }";
    let public = server.query("", cached);
    assert_eq!(public.header("cache-control"), Some("public,max-age=5"));
    let varies = ("vary".to_owned(), "x-my-auth".to_owned());
    assert!(public.headers.contains(&varies), "{:?}", public.headers);
    assert_eq!(server.query(&ann, cached).header("cache-control"), Some("private,max-age=5"));
    let page = server.query("Origin: https://app.example\r\n", "{ __typename }");
    assert_eq!(page.header("access-control-allow-origin"), Some("https://app.example"));
    let page = server.query("Origin: https://other.example\r\n", "{ __typename }");
    assert_eq!(page.header("access-control-allow-origin"), None);
}

#[test]
fn a_closed_server_wants_a_token() {
    let folder = Folder::new();
    let issuer = Issuer::rsa();
    let pem = issuer.pem().replace('\n', "\\\\n");
    let comment = format!(
        "# Dgraph.Authorization {{\"VerificationKey\":\"{pem}\",\"Header\":\"Authorization\",\
         \"Namespace\":\"c\",\"Algo\":\"RS256\",\"ClosedByDefault\":true}}\n"
    );
    let server = start(&types(&folder, &comment), &[]);
    let ask = |token: &str| answer(&server.query(token, "{ queryTodo { id } }"));
    assert_eq!(ask(""), (401, json!("UNAUTHENTICATED")));
    let token = issuer.token(r#"{"c":{"USER":"ann"}}"#);
    assert_eq!(ask(&format!("Authorization: {token}\r\n")), (200, json!({ "queryTodo": [] })));
    // Without accepted audiences a token must have none.
    let token = issuer.token(r#"{"aud":"app"}"#);
    assert_eq!(ask(&format!("Authorization: {token}\r\n")), (401, json!("UNAUTHENTICATED")));
    // The public key is no secret of the other algorithms.
    let token = Issuer::secret(&issuer.pem()).token("{}");
    assert_eq!(ask(&format!("Authorization: {token}\r\n")), (401, json!("UNAUTHENTICATED")));
}

#[test]
fn keys_are_set_once() {
    let folder = Folder::new();
    let comment = format!(
        "# Dgraph.Authorization {{\"VerificationKey\":\"{SECRET}\",\"Header\":\"X\",\
         \"Namespace\":\"c\",\"Algo\":\"HS256\"}}\n"
    );
    let [file, data] = types(&folder, &comment);
    let words = ["serve", &file, "--data", &data];
    let (code, _, error) = outcome(&run(&[&words[..], &["--jwt-secret", SECRET]].concat()));
    let expected = "line 13: `# Dgraph.Authorization`: keys are set by options, too: remove the \
                    comment line, or `--jwt-secret`, `--jwt-public-key` and `--jwt-jwks`";
    assert!(error.contains(expected), "{error}");
    assert!(!error.contains(SECRET));
    assert_eq!(code, Some(2));
}
