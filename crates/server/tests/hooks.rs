//! Webhooks before and after an operation, against the built program and a real server of hooks.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::tokens::Issuer;

use crate::program::{Folder, Server, outcome, run};
use crate::subscriptions::site::{Client, next, subscribe};

const SECRET: &str = "a secret of more than thirty-two bytes";
const QUERY: &str = "{ artistById(id: 127) { id } }";
const ANSWER: &str = r#"{"data":{"artistById":{"id":127}}}"#;

const POLICIES: &str = r#"
claim_role = "role"
default_role = "anonymous"
[rules.artists]
entity = "artist"
read = { columns = ["id"] }
[roles.anonymous]
rules = ["artists"]
[roles.owner]
all = true
"#;

/// What a hook does with a question.
#[derive(Clone, Debug)]
enum Does {
    Answers(Value),
    /// A status with a body.
    Says(u16, String),
    Redirects,
    /// It reads the question and is silent.
    Hangs,
    /// It closes the connection.
    Leaves,
}

/// A server of hooks.
struct Hook {
    address: SocketAddr,
    does: Arc<Mutex<Does>>,
    questions: Arc<Mutex<Vec<Value>>>,
}

impl Hook {
    fn start(does: Does) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (does, questions) = (Arc::new(Mutex::new(does)), Arc::new(Mutex::new(Vec::new())));
        let hook = Self { address, does: Arc::clone(&does), questions: Arc::clone(&questions) };
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (does, questions) = (Arc::clone(&does), Arc::clone(&questions));
                thread::spawn(move || while serve(&stream, &does, &questions).is_some() {});
            }
        });
        hook
    }

    fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    fn does(&self, does: Does) {
        *self.does.lock().unwrap() = does;
    }

    fn answers(&self, answer: Value) {
        self.does(Does::Answers(answer));
    }

    /// The questions since the last call.
    fn asked(&self) -> Vec<Value> {
        std::mem::take(&mut *self.questions.lock().unwrap())
    }
}

/// Serves one request of a connection; `None` at its end.
fn serve(stream: &TcpStream, does: &Mutex<Does>, questions: &Mutex<Vec<Value>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    loop {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    questions.lock().unwrap().push(serde_json::from_slice(&body).unwrap());
    let does = does.lock().unwrap().clone();
    let (status, more, body) = match does {
        Does::Answers(answer) => (200, "", answer.to_string()),
        Does::Says(status, body) => (status, "", body),
        Does::Redirects => (302, "Location: http://127.0.0.1:1/\r\n", String::new()),
        Does::Hangs => {
            thread::sleep(Duration::from_secs(5));
            return None;
        }
        Does::Leaves => return None,
    };
    let head = format!("HTTP/1.1 {status} x\r\n{more}Content-Length: {}\r\n\r\n", body.len());
    let mut stream = stream;
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body.as_bytes()).ok()
}

fn code(body: &str) -> String {
    let body: Value = serde_json::from_str(body).unwrap();
    body["errors"][0]["extensions"]["code"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_hook_before_an_operation_sees_it() {
    let hook = Hook::start(Does::Answers(json!({})));
    let server = Server::start_sample(&["--hook-request", &hook.url()]);
    let body = r#"{"query":"query One($id: Int!) { artistById(id: $id) { id } }","variables":{"id":127},"operationName":"One"}"#;
    let answer = server.post("X-Request-Id: abc-1\r\nX-Tenant: a\r\nX-Tenant: b\r\n", body);
    assert_eq!((answer.status, answer.body.as_str()), (200, ANSWER));
    let asked = hook.asked();
    assert_eq!(asked.len(), 1);
    let question = &asked[0];
    assert_eq!(question["headers"]["x-tenant"], "a, b");
    let expected = [
        ("version", json!(1)),
        ("stage", json!("request")),
        ("id", json!("abc-1")),
        ("method", json!("POST")),
        ("path", json!("/graphql")),
        ("claims", Value::Null),
        ("operationName", json!("One")),
        ("document", json!("query One($id: Int!) { artistById(id: $id) { id } }")),
        ("variables", json!({ "id": 127 })),
        ("context", Value::Null),
    ];
    for (name, value) in expected {
        assert_eq!(question[name], value, "{name}");
    }
    // An empty answer goes on, too.
    hook.does(Does::Says(204, String::new()));
    assert_eq!(server.query("", QUERY).body, ANSWER);
    let get = server.get("/graphql?query={artistById(id:127){id}}", "");
    assert_eq!(get.body, ANSWER);
    let methods: Vec<_> = hook.asked().iter().map(|asked| asked["method"].clone()).collect();
    assert_eq!(methods, [json!("POST"), json!("GET")]);
}

#[test]
fn hooks_receive_the_parts_that_the_option_names() {
    let hook = Hook::start(Does::Answers(json!({})));
    let url = hook.url();
    let options = ["--hook-request", &url, "--hook-response", &url, "--hook-send", "variables"];
    let server = Server::start_sample(&options);
    assert_eq!(server.query("", QUERY).body, ANSWER);
    for question in hook.asked() {
        for name in ["headers", "claims", "document", "response"] {
            assert!(question.get(name).is_none(), "{question}");
        }
        assert_eq!(question["variables"], json!({}));
    }
}

#[test]
fn a_hook_refuses_or_answers() {
    let hook = Hook::start(Does::Answers(json!({ "refuse": {} })));
    let server = Server::start_sample(&["--hook-request", &hook.url()]);
    let refused = server.query("", QUERY);
    assert_eq!((refused.status, code(&refused.body).as_str()), (403, "HOOK_REFUSED"));
    hook.answers(json!({ "refuse": { "status": 402, "message": "Pay first.", "code": "UNPAID" } }));
    let refused = server.query("", QUERY);
    let body = r#"{"errors":[{"message":"Pay first.","extensions":{"code":"UNPAID"}}]}"#;
    assert_eq!((refused.status, refused.body.as_str()), (402, body));
    hook.answers(json!({ "response": { "data": { "artistById": { "id": 1 } } } }));
    let answered = server.query("", QUERY);
    let body = r#"{"data":{"artistById":{"id":1}}}"#;
    assert_eq!((answered.status, answered.body.as_str()), (200, body));
}

/// The text of an operation is checked by the role of the token, and again by that of a hook.
#[test]
fn rules_of_metadata_hold_for_the_role_that_a_hook_gives() {
    let folder = Folder::new();
    let (file, metadata) = (folder.file("shop.db"), folder.file("metadata.json"));
    let permission = json!({ "role": "user", "permission": { "columns": ["id"], "filter": {} } });
    let table = json!({ "table": { "schema": "public", "name": "artist" }, "select_permissions": [permission] });
    let source = json!({
        "name": "default",
        "kind": "postgres",
        "configuration": { "connection_info": { "database_url": "" } },
        "tables": [table],
    });
    let rules = json!({ "disabled_for_roles": ["user"] });
    let text = json!({ "version": 3, "sources": [source], "graphql_schema_introspection": rules });
    fs::write(&metadata, text.to_string()).unwrap();
    drop(Server::demo(&file));
    let hook = Hook::start(Does::Answers(json!({})));
    let url = hook.url();
    let serve = ["serve", file.to_str().unwrap(), "--listen", "127.0.0.1:0"];
    let dialect = ["--dialect", "hasura", "--metadata", metadata.to_str().unwrap()];
    let server = Server::start(
        &[&serve[..], &dialect, &["--admin-secret", "top", "--hook-request", &url]].concat(),
    );
    let admin = "X-Hasura-Admin-Secret: top\r\n";
    let query = "{ __schema { queryType { name } } artist(limit: 1) { __typename } }";
    assert!(server.query(admin, query).body.contains("query_root"));
    hook.answers(json!({ "claims": { "x-hasura-role": "user" } }));
    let refused = server.query(admin, query).body;
    assert!(refused.contains("introspection is disabled for role"), "{refused}");
    assert!(server.query(admin, "{ artist(limit: 1) { id } }").body.contains("\"id\":"));
}

#[test]
fn claims_of_a_hook_decide_what_an_operation_may() {
    let folder = Folder::new();
    let (file, policies) = (folder.file("shop.db"), folder.file("policies.toml"));
    fs::write(&policies, POLICIES).unwrap();
    drop(Server::demo(&file));
    let hook = Hook::start(Does::Answers(json!({})));
    let url = hook.url();
    let options = [
        "serve",
        file.to_str().unwrap(),
        "--listen",
        "127.0.0.1:0",
        "--policies",
        policies.to_str().unwrap(),
        "--jwt-secret",
        SECRET,
        "--hook-request",
        &url,
    ];
    let server = Server::start(&options);
    let query = "{ artistById(id: 127) { name } }";
    assert_eq!(code(&server.query("", query).body), "PERMISSION_DENIED");
    let token = Issuer::secret(SECRET).token(r#"{"aud":"postgraphile","role":"owner"}"#);
    let token = format!("Authorization: Bearer {token}\r\n");
    hook.asked();
    assert!(server.query(&token, query).body.contains("\"name\":"));
    assert_eq!(hook.asked()[0]["claims"]["role"], "owner");
    // The hook gives and takes rights.
    hook.answers(json!({ "claims": { "role": "owner" } }));
    assert!(server.query("", query).body.contains("\"name\":"));
    hook.answers(json!({ "claims": { "role": "anonymous" } }));
    assert_eq!(code(&server.query(&token, query).body), "PERMISSION_DENIED");
    // Other requests have the claims of their own tokens again.
    hook.answers(json!({}));
    assert!(server.query(&token, query).body.contains("\"name\":"));
    hook.answers(json!({ "claims": { "role": ["owner"] } }));
    let refused = server.query(&token, query);
    assert!(!refused.body.contains("\"name\":"), "{}", refused.body);
    // Over a socket each operation has the claims of its hook.
    hook.answers(json!({ "claims": { "role": "owner" } }));
    let mut client = Client::connect(&server, "graphql-transport-ws", &json!({}));
    client.send(&subscribe("1", query));
    assert!(client.receive()["payload"]["data"]["artistById"]["name"].is_string());
}

/// The role that a hook gives decides about a mutation through the Model Context Protocol, too.
#[test]
fn a_tool_changes_only_what_the_role_of_a_hook_may() {
    let folder = Folder::new();
    let (file, policies) = (folder.file("shop.db"), folder.file("policies.toml"));
    fs::write(&policies, POLICIES).unwrap();
    drop(Server::demo(&file));
    let hook = Hook::start(Does::Answers(json!({})));
    let url = hook.url();
    let serve = ["serve", file.to_str().unwrap(), "--listen", "127.0.0.1:0"];
    let rules = ["--policies", policies.to_str().unwrap(), "--jwt-secret", SECRET];
    let tools = ["--mcp", "--mcp-tools", "schema", "--mcp-mutations", "--hook-request", &url];
    let server = Server::start(&[&serve[..], &rules, &tools].concat());
    let token = Issuer::secret(SECRET).token(r#"{"aud":"postgraphile","role":"owner"}"#);
    let rename = |headers: &str, name: &str| {
        let query = format!(
            "mutation {{ updateArtistById(input: {{ id: 1, artistPatch: {{ name: \"{name}\" }} }}) \
             {{ artist {{ id }} }} }}"
        );
        let params = json!({ "name": "execute_operation", "arguments": { "query": query } });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let body = call.to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        server.send(request.as_bytes()).body
    };
    let stored = || -> String {
        let database = rusqlite::Connection::open(&file).unwrap();
        let query = "SELECT name FROM artist WHERE id = 1";
        database.query_row(query, [], |row| row.get(0)).unwrap()
    };
    let owner = format!("Authorization: Bearer {token}\r\n");
    let before = stored();
    assert!(rename("", "nobody's").contains("PERMISSION_DENIED"));
    assert_eq!(stored(), before);
    assert!(!rename(&owner, "the owner's").contains("PERMISSION_DENIED"));
    assert_eq!(stored(), "the owner's");
    hook.answers(json!({ "claims": { "role": "anonymous" } }));
    assert!(rename(&owner, "a lost right").contains("PERMISSION_DENIED"));
    assert_eq!(stored(), "the owner's");
    hook.answers(json!({ "claims": { "role": "owner" } }));
    assert!(!rename("", "the hook's").contains("PERMISSION_DENIED"));
    assert_eq!(stored(), "the hook's");
}

#[test]
fn a_hook_after_an_operation_sees_and_replaces_the_response() {
    let before = Hook::start(Does::Answers(json!({ "context": { "since": 7 } })));
    let after = Hook::start(Does::Answers(json!({})));
    let options = ["--hook-request", &before.url(), "--hook-response", &after.url()];
    let server = Server::start_sample(&options);
    assert_eq!(server.query("", QUERY).body, ANSWER);
    let asked = &after.asked()[0];
    let response: Value = serde_json::from_str(ANSWER).unwrap();
    assert_eq!((&asked["stage"], &asked["response"]), (&json!("response"), &response));
    assert_eq!(asked["context"], json!({ "since": 7 }));
    after.answers(json!({ "response": { "data": null, "errors": [{ "message": "no" }] } }));
    let replaced = server.query("", QUERY);
    assert_eq!(
        (replaced.status, replaced.body.as_str()),
        (200, r#"{"data":null,"errors":[{"message":"no"}]}"#)
    );
    after.answers(json!({ "refuse": { "status": 451 } }));
    assert_eq!(server.query("", QUERY).status, 451);
    // An answer of the hook before is a response, too.
    before.answers(json!({ "response": { "data": {} } }));
    after.answers(json!({}));
    after.asked();
    assert_eq!(server.query("", QUERY).body, r#"{"data":{}}"#);
    assert_eq!(after.asked()[0]["response"], json!({ "data": {} }));
}

/// A hook may answer each client differently: no other cache may keep the answer, and its tag is not that
/// of the response.
#[test]
fn responses_have_no_headers_of_the_cache() {
    let after = Hook::start(Does::Answers(json!({ "response": { "data": { "of": "hook" } } })));
    let options = ["--hook-response", &after.url(), "--cache", "*=1h", "--cache-http", "max-age"];
    let server = Server::start_sample(&options);
    // Long enough for the cache to follow changes and to answer.
    for _ in 0..30 {
        let answer = server.query("", QUERY);
        assert_eq!(answer.body, r#"{"data":{"of":"hook"}}"#);
        for name in ["etag", "age"] {
            assert_eq!(answer.header(name), None, "{name}");
        }
        let control = answer.header("cache-control");
        assert!(control.is_none_or(|control| control == "no-store"), "{control:?}");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn batches_and_sockets_pass_through_hooks() {
    let hook = Hook::start(Does::Answers(json!({ "refuse": { "message": "Not now." } })));
    let server = Server::start_sample(&["--hook-request", &hook.url(), "--batching"]);
    let answer = server.post("", &json!(vec![json!({ "query": QUERY }); 2]).to_string());
    assert_eq!(answer.body.matches("Not now.").count(), 2);
    assert_eq!(hook.asked().len(), 2);
    let mut client = Client::connect(&server, "graphql-transport-ws", &json!({}));
    client.send(&subscribe("1", QUERY));
    let refused = client.receive();
    assert_eq!(
        (&refused["type"], &refused["payload"][0]["message"]),
        (&json!("error"), &json!("Not now."))
    );
    hook.answers(json!({}));
    client.send(&subscribe("2", QUERY));
    let data: Value = serde_json::from_str(ANSWER).unwrap();
    assert_eq!(client.receive(), next("2", &data));
    assert_eq!(client.receive(), json!({ "type": "complete", "id": "2" }));
    // An invalid document is answered as without hooks.
    client.send(&subscribe("3", "{ nothing }"));
    assert_eq!(client.receive()["payload"][0]["extensions"]["code"], "GRAPHQL_VALIDATION_FAILED");
}

#[test]
fn subscriptions_are_refused_where_there_are_hooks() {
    let folder = Folder::new();
    let file = folder.file("shop.db");
    drop(Server::demo(&file));
    let hook = Hook::start(Does::Answers(json!({})));
    let url = hook.url();
    let source = ["serve", file.to_str().unwrap(), "--listen", "127.0.0.1:0", "--live"];
    let server = Server::start(&[&source[..], &["--hook-request", &url]].concat());
    let query = format!("subscription {QUERY}");
    let mut client = Client::connect(&server, "graphql-transport-ws", &json!({}));
    client.send(&subscribe("1", &query));
    let refused = client.receive();
    let error = &refused["payload"][0];
    assert_eq!(error["extensions"]["code"], "NOT_SUPPORTED", "{refused}");
    assert!(error["message"].as_str().unwrap().contains("--hook-request"));
    let streamed = server.query("Accept: text/event-stream\r\n", &query);
    assert!(streamed.body.contains("NOT_SUPPORTED"), "{}", streamed.body);
    assert!(hook.asked().is_empty());
}

#[test]
fn a_hook_that_fails_refuses_or_is_left_out_as_the_option_says() {
    let hook = Hook::start(Does::Leaves);
    let url = hook.url();
    let options = ["--hook-request", &url, "--hook-timeout", "300ms"];
    let strict = Server::start_sample(&options);
    let lenient = Server::start_sample(&[&options[..], &["--hook-failure", "continue"]].concat());
    let faults = [
        Does::Leaves,
        Does::Hangs,
        Does::Redirects,
        Does::Says(500, "{}".into()),
        Does::Says(200, "{".into()),
        Does::Says(200, "[]".into()),
        Does::Says(200, r#"{"claim":{}}"#.into()),
        Does::Says(200, format!(r#"{{"context":"{}"}}"#, "x".repeat(9 << 20))),
    ];
    for fault in faults {
        hook.does(fault.clone());
        let refused = strict.query("", QUERY);
        assert_eq!((refused.status, code(&refused.body).as_str()), (502, "HOOK_FAILED"));
        assert!(!refused.body.contains(&url), "{}", refused.body);
        let short = format!("{fault:?}").chars().take(60).collect::<String>();
        assert_eq!(lenient.query("", QUERY).body, ANSWER, "{short}");
    }
    hook.answers(json!({}));
    assert_eq!(strict.query("", QUERY).body, ANSWER);
}

#[test]
fn options_of_hooks_are_checked() {
    let check = |options: &[&str], wanted: &str| {
        let (code, _, error) =
            outcome(&run(&[&["demo", "--listen", "127.0.0.1:0"], options].concat()));
        assert_eq!(code, Some(2), "{error}");
        assert!(error.contains(wanted), "{error}");
    };
    check(
        &["--hook-timeout", "2s"],
        "`--hook-timeout` needs `--hook-request` or `--hook-response`",
    );
    check(&["--hook-request", "localhost:80"], "a URL without a user is wanted");
    check(&["--hook-request", "http://a:b@localhost/"], "a URL without a user is wanted");
    check(
        &["--hook-request", "http://localhost/", "--hook-failure", "ignore"],
        "[possible values: fail, continue]",
    );
}
