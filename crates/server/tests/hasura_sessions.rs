//! Sessions of the dialect hasura over HTTP: what they may see follows from the role and the variables
//! of the admin secret, of tokens and of a webhook.

mod hook;
mod sockets;
mod stub;
mod tokens;

use std::fs;

use serde_json::{Value, json};
use testkit::tokens::Issuer;

use crate::program::{Answer, Folder, Server, outcome, run};

const SECRET: &str = "a secret of more than thirty-two bytes";

/// Users see their own notes, everybody else those without an owner.
const POLICIES: &str = r#"
claim_role = "x-hasura-role"
[rules.own]
entity = "note"
read = { rows = { owner = { eq = { claim = "x-hasura-user-id" } } }, columns = "*" }
[rules.public]
entity = "note"
read = { rows = { owner = { is_null = true } }, columns = "*" }
[roles.admin]
all = true
[roles.user]
rules = ["own"]
[roles.anonymous]
rules = ["public"]
"#;

const NOTES: &str = "{ note(order_by: {id: asc}) { id } }";

/// A server of notes: the first is Ann's, the second Bea's, the third nobody's.
struct Site {
    server: Server,
    _folder: Folder,
}

/// The words of a server of notes.
fn words(folder: &Folder, options: &[&str]) -> Vec<String> {
    let (file, policies) = (folder.file("notes.db"), folder.file("policies.toml"));
    let database = rusqlite::Connection::open(&file).unwrap();
    database
        .execute_batch(
            "CREATE TABLE note (id INTEGER PRIMARY KEY, owner TEXT);
             INSERT INTO note VALUES (1, 'ann'), (2, 'bea'), (3, NULL);",
        )
        .unwrap();
    fs::write(&policies, POLICIES).unwrap();
    let words = ["serve", file.to_str().unwrap(), "--dialect", "hasura", "--policies"];
    let words = [&words[..], &[policies.to_str().unwrap(), "--listen", "127.0.0.1:0"], options];
    words.concat().into_iter().map(str::to_owned).collect()
}

impl Site {
    fn start(options: &[&str]) -> Self {
        Self::start_in(&[], options)
    }

    fn start_in(environment: &[(&str, &str)], options: &[&str]) -> Self {
        let folder = Folder::new();
        let words = words(&folder, options);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Self { server: Server::start_in(environment, &words), _folder: folder }
    }

    /// Checks the notes that a request with these headers sees.
    #[track_caller]
    fn check(&self, headers: &str, ids: &[u32]) {
        assert_eq!(seen(&self.server.query(headers, NOTES)), Ok(ids.to_vec()), "{headers}");
    }

    /// Checks the code and the message of a refused request.
    #[track_caller]
    fn check_refused(&self, headers: &str, code: &str, message: &str) {
        let answer = self.server.query(headers, NOTES);
        let extensions = json!({ "path": "$", "code": code });
        let error = json!({ "message": message, "extensions": extensions });
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(body, json!({ "errors": [error] }), "{headers}");
        // As in Hasura.
        assert_eq!(answer.status, 200, "{headers}");
    }
}

/// The ids of the notes in an answer, or its text.
fn seen(answer: &Answer) -> Result<Vec<u32>, String> {
    let body: Value = serde_json::from_str(&answer.body).map_err(|error| error.to_string())?;
    ids(&body).ok_or_else(|| answer.body.clone())
}

/// Whether a request without the right credentials is refused.
fn is_denied(answer: &Answer) -> bool {
    answer.body.contains(r#""code":"access-denied""#) && !answer.body.contains("data")
}

fn ids(body: &Value) -> Option<Vec<u32>> {
    let notes = body["data"]["note"].as_array()?.iter();
    notes.map(|note| note["id"].as_u64().and_then(|id| u32::try_from(id).ok())).collect()
}

/// A token of the secret with these claims in the usual namespace, and further ones beside it.
fn token(claims: &Value, further: &Value) -> String {
    let mut all = json!({ "https://hasura.io/jwt/claims": claims });
    all.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
    Issuer::secret(SECRET).token(&all.to_string())
}

/// The claims of a user.
fn user(id: &str) -> Value {
    json!({
        "x-hasura-default-role": "user",
        "x-hasura-allowed-roles": ["user", "anonymous"],
        "x-hasura-user-id": id,
    })
}

fn settings() -> String {
    json!({ "type": "HS256", "key": SECRET }).to_string()
}

const ADMIN: &str = "X-Hasura-Admin-Secret: open sesame\r\n";
const ADMIN_SECRET: [&str; 2] = ["--admin-secret", "open sesame"];

#[test]
fn the_admin_secret_gives_every_role() {
    let site = Site::start(&ADMIN_SECRET);
    site.check(ADMIN, &[1, 2, 3]);
    site.check("x-hasura-access-key: open sesame\r\n", &[1, 2, 3]);
    site.check(&format!("{ADMIN}X-Hasura-Role: anonymous\r\n"), &[3]);
    let user = |id: &str| format!("{ADMIN}X-Hasura-Role: user\r\nX-Hasura-User-Id: {id}\r\n");
    site.check(&user("ann"), &[1]);
    site.check(&user("bea"), &[2]);
    let missing = "x-hasura-admin-secret/x-hasura-access-key required, but not found";
    site.check_refused("", "access-denied", missing);
    site.check_refused("X-Hasura-Role: anonymous\r\n", "access-denied", missing);
    let wrong = "invalid \"x-hasura-admin-secret\"/\"x-hasura-access-key\"";
    site.check_refused("X-Hasura-Admin-Secret: sesame\r\n", "access-denied", wrong);
    let backend = format!("{ADMIN}X-Hasura-Use-Backend-Only-Permissions: 1\r\n");
    let answer = site.server.query(&backend, NOTES);
    assert!(answer.body.contains("Not a valid boolean text"), "{}", answer.body);
    // The same by all other ways.
    let target = "/graphql?query=%7Bnote%7Bid%7D%7D";
    assert_eq!(seen(&site.server.get(target, ADMIN)), Ok(vec![1, 2, 3]));
    assert!(is_denied(&site.server.get(target, "")));
    let events = "Accept: text/event-stream\r\n";
    let stream = site.server.query(&format!("{ADMIN}{events}"), NOTES);
    assert!(stream.body.contains(r#""note":[{"id":1}"#), "{}", stream.body);
    assert!(is_denied(&site.server.query(events, NOTES)));
}

#[test]
fn without_a_secret_requests_have_the_role_that_they_name() {
    let site = Site::start(&[]);
    site.check("", &[1, 2, 3]);
    site.check("X-Hasura-Role: user\r\nX-Hasura-User-Id: ann\r\n", &[1]);
    // Only this machine reaches the server.
    assert!(!site.server.said.contains("WARN"), "{}", site.server.said);
    let open = Site::start(&["--listen", "0.0.0.0:0"]);
    let warning = "everybody who reaches this address may read and change all that the API exposes; \
                   --admin-secret requires authentication";
    assert!(open.server.said.contains(warning), "{}", open.server.said);
}

#[test]
fn requests_without_credentials_may_have_a_role() {
    let site = Site::start(&[&ADMIN_SECRET[..], &["--unauthorized-role", "anonymous"]].concat());
    site.check("", &[3]);
    site.check("X-Hasura-Role: admin\r\n", &[3]);
    site.check(ADMIN, &[1, 2, 3]);
}

#[test]
fn roles_without_permissions_see_nothing() {
    let site = Site::start(&[]);
    let unknown = site.server.query("X-Hasura-Role: stranger\r\n", NOTES);
    assert!(seen(&unknown).is_err() && !unknown.body.contains("\"id\""), "{}", unknown.body);
    let folder = Folder::new();
    let words = words(&folder, &[]);
    let words = words.iter().map(String::as_str);
    let without: Vec<&str> =
        words.filter(|word| *word != "--policies" && !word.ends_with("policies.toml")).collect();
    let server = Server::start(&without);
    assert_eq!(seen(&server.query("", NOTES)), Ok(vec![1, 2, 3]));
    let refused = server.query("X-Hasura-Role: user\r\n", NOTES);
    assert!(is_denied(&refused), "{}", refused.body);
}

#[test]
fn variables_of_hasura_are_read_or_told() {
    let secret = settings();
    let environment = [
        ("HASURA_GRAPHQL_ADMIN_SECRET", "open sesame"),
        ("HASURA_GRAPHQL_JWT_SECRET", secret.as_str()),
        ("HASURA_GRAPHQL_UNAUTHORIZED_ROLE", "user"),
        ("HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS", "NO"),
        ("HASURA_GRAPHQL_SERVER_PORT", "8080"),
    ];
    let mut site = Site::start_in(&environment, &["--unauthorized-role", "anonymous"]);
    site.check(ADMIN, &[1, 2, 3]);
    site.check("", &[3]);
    let bearer = format!("Authorization: Bearer {}\r\n", token(&user("bea"), &json!({})));
    site.check(&bearer, &[2]);
    site.server.signal("TERM");
    let log = [site.server.said.clone(), site.server.rest_of_log()].concat();
    for line in [
        "the variable HASURA_GRAPHQL_ADMIN_SECRET is read, as the value of `--admin-secret`",
        "the variable HASURA_GRAPHQL_JWT_SECRET is read, as the value of `--jwt-config`",
        "the variable HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS is read, as the value of \
         `--infer-function-permissions`",
        "the variable HASURA_GRAPHQL_UNAUTHORIZED_ROLE is not read: `--unauthorized-role` is given",
        "these variables of Hasura are set, and no option takes their values: HASURA_GRAPHQL_SERVER_PORT",
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
    assert!(!log.contains("sesame") && !log.contains(SECRET), "{log}");
}

#[test]
fn other_dialects_read_no_variables_of_hasura() {
    let folder = Folder::new();
    let file = folder.file("shop.db");
    let words = ["demo", "--listen", "127.0.0.1:0", "--file", file.to_str().unwrap()];
    let server = Server::start_in(&[("HASURA_GRAPHQL_ADMIN_SECRET", "s")], &words);
    assert_eq!(server.query("", "{ __typename }").status, 200);
    assert!(!server.said.contains("HASURA"), "{}", server.said);
}

#[test]
fn settings_that_mean_nothing_are_refused_at_the_start() {
    let folder = Folder::new();
    let check = |options: &[&str], problem: &str| {
        fs::remove_file(folder.file("notes.db")).ok();
        let words = words(&folder, options);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (code, _, error) = outcome(&run(&words));
        assert_eq!(code, Some(2), "{error}");
        assert!(error.contains(problem), "{error}");
        assert!(!error.contains(SECRET), "{error}");
    };
    check(&["--jwt-config", &settings()], "`--jwt-config` needs `--admin-secret`");
    let wrong = json!({ "type": "HS256", "key": SECRET, "audiance": "a" }).to_string();
    let words = [&ADMIN_SECRET[..], &["--jwt-config", &wrong]].concat();
    check(&words, "`--jwt-config`: `audiance` is no setting of tokens");
    check(
        &["--jwt-secret", SECRET],
        "`--jwt-secret` is not for `--dialect hasura`: `--jwt-config` has the settings of tokens",
    );
    check(&["--require-token"], "`--admin-secret` makes credentials necessary");
    let shop = ["serve", "shop.db", "--admin-secret", SECRET];
    let (code, _, error) = outcome(&run(&shop));
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("`--admin-secret` needs `--dialect hasura`"), "{error}");
}

#[test]
fn a_reload_reads_the_variables_again() {
    let site = Site::start(&ADMIN_SECRET);
    site.check(ADMIN, &[1, 2, 3]);
    site.server.signal("HUP");
    site.check(ADMIN, &[1, 2, 3]);
    assert!(is_denied(&site.server.query("", NOTES)));
}

#[test]
fn other_paths_of_hasura_have_the_same_sessions() {
    let site = Site::start(&ADMIN_SECRET);
    let ask = |path: &str, headers: &str, body: &Value| {
        let body = body.to_string();
        let head = format!("POST {path} HTTP/1.1\r\nHost: test\r\nContent-Length: {}", body.len());
        let request = format!("{head}\r\nContent-Type: application/json\r\n{headers}\r\n{body}");
        site.server.send(request.as_bytes())
    };
    let query = json!({ "query": NOTES });
    assert_eq!(seen(&ask("/v1/graphql", ADMIN, &query)), Ok(vec![1, 2, 3]));
    assert!(is_denied(&ask("/v1/graphql", "", &query)));
    assert_eq!(ask("/v1alpha1/graphql", "", &query).status, 400);
    let metadata = json!({ "type": "export_metadata", "args": {} });
    assert_eq!(ask("/v1/metadata", ADMIN, &metadata).status, 200);
    let user = format!("{ADMIN}X-Hasura-Role: user\r\n");
    for headers in ["", user.as_str()] {
        let answer = ask("/v1/metadata", headers, &metadata);
        assert!(answer.body.contains("access-denied"), "{}", answer.body);
    }
    let explain = json!({ "query": query });
    assert_eq!(ask("/v1/graphql/explain", ADMIN, &explain).status, 200);
    let variables = json!({ "X-Hasura-Role": "user", "x-hasura-user-id": "ann" });
    let of_user = json!({ "query": query, "user": variables });
    let explained = ask("/v1/graphql/explain", ADMIN, &of_user);
    assert!(explained.body.contains("owner"), "{}", explained.body);
    assert!(ask("/v1/graphql/explain", "", &explain).body.contains("access-denied"));
    let config = site.server.get("/v1alpha1/config", ADMIN);
    let config: Value = serde_json::from_str(&config.body).unwrap();
    let set = ["is_admin_secret_set", "is_jwt_set", "is_auth_hook_set"].map(|name| &config[name]);
    assert_eq!(set, [&json!(true), &json!(false), &json!(false)]);
}
