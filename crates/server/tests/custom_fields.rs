//! Custom fields of Dgraph's dialect, by the built program: options, headers of clients, secrets.

use std::fs;

use serde_json::json;
use testkit::http::{HttpServer, Reply};

use crate::program::{Folder, Server, outcome, run};

const TYPES: &str = r#"
type Film @remote { name: String! }
type Person {
  id: ID!
  name: String! @id
  films: [Film] @custom(http: {
    url: "http://SERVER/films", method: POST, mode: BATCH, body: "{ name: $name }",
    forwardHeaders: ["Authorization:X-Token"], secretHeaders: ["X-Key:films"]
  })
}
type Query {
  slow: String @custom(http: { url: "http://SERVER/slow", method: GET })
}
# Dgraph.Secret films "a secret word"
"#;

/// The definitions and the database, as arguments.
fn arguments(folder: &Folder, server: &str) -> [String; 3] {
    let types = folder.file("schema.graphql");
    fs::write(&types, TYPES.replace("SERVER", server)).unwrap();
    let text = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    [text(&types), "--data".to_owned(), text(&folder.file("shop.db"))]
}

#[test]
fn a_host_that_is_not_allowed_is_an_error_at_the_start() {
    let folder = Folder::new();
    let [types, data, file] = arguments(&folder, "films.example");
    let (code, _, error) =
        outcome(&run(&["serve", &types, &data, &file, "--custom-hosts", "a.example"]));
    assert_eq!(code, Some(1), "{error}");
    let message = "`Person.films` sends requests to the host `films.example`, which is not allowed; \
                   `--custom-hosts` allows them";
    assert!(error.contains(message), "{error}");
    let (code, _, error) =
        outcome(&run(&["serve", &types, &data, &file, "--custom-networks", "10.0.0.0/40"]));
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("a range of addresses is wanted"), "{error}");
    let (code, _, error) = outcome(&run(&["serve", &file, "--custom-hosts", "a.example"]));
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("`--custom-hosts` needs `--dialect dgraph`"), "{error}");
}

#[test]
fn headers_of_the_client_reach_the_other_server_and_secrets_stay() {
    let other = HttpServer::start(|received| match received.target.as_str() {
        "/slow" => Reply::Sleep(std::time::Duration::from_secs(5)),
        _ => Reply::Json(json!([[{ "name": "one" }]])),
    });
    let folder = Folder::new();
    let [types, data, file] = arguments(&folder, &other.address.to_string());
    let mut server = Server::start(&[
        "serve",
        &types,
        &data,
        &file,
        "--listen",
        "127.0.0.1:0",
        "--custom-hosts",
        "127.0.0.1",
        "--custom-networks",
        "127.0.0.0/8",
        "--custom-timeout",
        "200ms",
        "--log",
        "debug",
    ]);
    let headers = "X-Token: mine\r\nX-Key: forged\r\n";
    let add =
        r#"mutation { addPerson(input: [{name: "ann"}]) { person { name films { name } } } }"#;
    let answer = server.query(headers, add);
    assert_eq!(
        answer.body,
        r#"{"data":{"addPerson":{"person":[{"name":"ann","films":[{"name":"one"}]}]}}}"#
    );
    let received = other.received();
    assert_eq!(received.len(), 1);
    let header = |name: &str| received[0].headers.get(name).map(String::as_str);
    assert_eq!(header("authorization"), Some("mine"));
    assert_eq!(header("x-key"), Some("a secret word"));
    let answer = server.query(headers, "{ slow queryPerson { name } }");
    assert!(answer.body.contains("RESOLVER_TIMEOUT"), "{answer:?}");
    assert!(answer.body.contains(r#""queryPerson":[{"name":"ann"}]"#), "{answer:?}");
    server.signal("TERM");
    let log = server.rest_of_log();
    assert!(log.contains("a request of a custom field failed"), "{log}");
    assert!(!log.contains("secret word") && !log.contains("mine"), "{log}");
    let database = fs::read(folder.file("shop.db")).unwrap();
    let holds = |text: &str| database.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(holds("Dgraph.Secret films") && !holds("secret word"));
}
