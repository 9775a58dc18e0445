//! The endpoints and errors of the dialect hasura, as clients of Hasura send their requests.

use std::fs;
use std::io::BufRead;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::program::{Answer, Folder, Server, outcome, run};
use crate::subscriptions::site::{Client, LEGACY, TRANSPORT};

const SCHEMA: &str = "
    CREATE TABLE artist (id integer NOT NULL PRIMARY KEY, name text NOT NULL UNIQUE);
    CREATE TABLE album (
        id integer NOT NULL PRIMARY KEY,
        title text NOT NULL,
        artist_id integer NOT NULL REFERENCES artist
    );
    INSERT INTO artist VALUES (1, 'Ella'), (2, 'Nina');
    INSERT INTO album VALUES (1, 'Blue', 1), (2, 'Red', 1), (3, 'Green', 2);
";

/// Artists and albums in a file, with what else is in the folder.
fn folder() -> (Folder, String) {
    let folder = Folder::new();
    let file = folder.file("music.db");
    Connection::open(&file).unwrap().execute_batch(SCHEMA).unwrap();
    let file = file.to_str().unwrap().to_owned();
    (folder, file)
}

fn start(options: &[&str]) -> (Folder, Server) {
    let (folder, file) = folder();
    let serve = ["serve", &file, "--dialect", "hasura", "--listen", "127.0.0.1:0"];
    let server = Server::start(&[serve.as_slice(), options].concat());
    (folder, server)
}

/// A server with metadata: its collections, endpoints and the rest of it.
fn with_metadata(members: &Value, options: &[&str]) -> (Folder, Server) {
    let (folder, file) = folder();
    let path = metadata(&folder, members);
    let serve = ["serve", &file, "--dialect", "hasura", "--metadata", &path];
    let listen = ["--listen", "127.0.0.1:0"];
    let server = Server::start(&[&serve[..], &listen, options].concat());
    (folder, server)
}

/// A file of metadata that tracks both tables.
fn metadata(folder: &Folder, members: &Value) -> String {
    let table = |name: &str| json!({ "table": { "schema": "public", "name": name } });
    let source = json!({
        "name": "default",
        "kind": "postgres",
        "tables": [table("album"), table("artist")],
        "configuration": { "connection_info": { "database_url": "postgres://localhost/music" } },
    });
    let mut all = json!({ "version": 3, "sources": [source] });
    for (key, value) in members.as_object().unwrap() {
        all[key] = value.clone();
    }
    let path = folder.file("metadata.json");
    fs::write(&path, all.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The status and the body of a request.
fn send(server: &Server, method: &str, target: &str, headers: &str, body: &str) -> (u16, Value) {
    let answer = raw(server, method, target, headers, body);
    let value = serde_json::from_str(&answer.body).unwrap_or_else(|_| json!(answer.body));
    (answer.status, value)
}

fn raw(server: &Server, method: &str, target: &str, headers: &str, body: &str) -> Answer {
    let length = body.len();
    let request = format!(
        "{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    );
    server.send(request.as_bytes())
}

fn query(text: &str) -> String {
    json!({ "query": text }).to_string()
}

fn error(message: &str, code: &str, path: &str) -> Value {
    json!({ "errors": [{ "message": message, "extensions": { "code": code, "path": path } }] })
}

#[test]
fn queries_are_answered_at_the_paths_of_hasura() {
    let (_folder, server) = start(&[]);
    let body = query("{ artist_by_pk(id: 1) { name } }");
    let expected = json!({ "data": { "artist_by_pk": { "name": "Ella" } } });
    for path in ["/v1/graphql", "/v1alpha1/graphql", "/graphql"] {
        assert_eq!(send(&server, "POST", path, "", &body), (200, expected.clone()), "{path}");
    }
    let target = "/v1/graphql?query=%7Bartist_by_pk(id:1)%7Bname%7D%7D";
    assert_eq!(send(&server, "GET", target, "", ""), (200, expected));
}

#[test]
fn the_relay_api_is_served_beside_the_other_one() {
    let (_folder, mut server) = start(&[]);
    let ask =
        |server: &Server, text: &str| send(server, "POST", "/v1beta1/relay", "", &query(text));
    // [1, "public", "artist", 1]
    let id = "WzEsICJwdWJsaWMiLCAiYXJ0aXN0IiwgMV0=";
    // {"id" : 1}
    let cursor = "eyJpZCIgOiAxfQ==";
    let page =
        "{ artist_connection(first: 1) { pageInfo { hasNextPage } edges { cursor node { id } } } }";
    let expected = json!({ "data": { "artist_connection": {
        "pageInfo": { "hasNextPage": true },
        "edges": [{ "cursor": cursor, "node": { "id": id } }],
    } } });
    assert_eq!(ask(&server, page), (200, expected.clone()));
    let target = "/v1beta1/relay?query=%7Bartist_connection(first:1)%7Bedges%7Bcursor%7D%7D%7D";
    let (status, found) = send(&server, "GET", target, "", "");
    assert_eq!(
        (status, &found["data"]["artist_connection"]["edges"][0]["cursor"]),
        (200, &json!(cursor))
    );
    let found =
        ask(&server, &format!("{{ node(id: \"{id}\") {{ id ... on artist {{ name }} }} }}"));
    assert_eq!(found, (200, json!({ "data": { "node": { "id": id, "name": "Ella" } } })));
    // Each schema has its own fields.
    let missing = |field: &str| {
        let message = format!("field '{field}' not found in type: 'query_root'");
        error(&message, "validation-failed", &format!("$.selectionSet.{field}"))
    };
    assert_eq!(ask(&server, "{ artist { id } }"), (200, missing("artist")));
    let other = send(&server, "POST", "/v1/graphql", "", &query(page));
    assert_eq!(other, (200, missing("artist_connection")));
    let mutation =
        "mutation { update_artist_by_pk(pk_columns: {id: 1}, _set: {name: \"E\"}) { id name } }";
    let expected_change = json!({ "data": { "update_artist_by_pk": { "id": id, "name": "E" } } });
    assert_eq!(ask(&server, mutation), (200, expected_change));
    // A socket of the path has the same schema, also for subscriptions.
    let headers = [("sec-websocket-protocol", TRANSPORT)];
    let mut client = Client::open_at(&server, "/v1beta1/relay", &headers).unwrap();
    client.send(&json!({ "type": "connection_init", "payload": {} }));
    assert_eq!(client.receive()["type"], "connection_ack");
    let subscription = page.replacen('{', "subscription {", 1);
    client.send(&json!({ "type": "subscribe", "id": "1", "payload": { "query": subscription } }));
    let message = client.receive();
    assert_eq!((&message["type"], &message["payload"]), (&json!("next"), &expected));
    // After a reload the subscription goes on with the next schema.
    server.signal("HUP");
    let mut line = String::new();
    while !line.contains("reloaded; ") {
        line.clear();
        assert!(server.log.read_line(&mut line).unwrap() > 0, "the log ends");
    }
    let mutation = "mutation { insert_artist_one(object: {id: 0, name: \"Zoe\"}) { name } }";
    assert_eq!(ask(&server, mutation).0, 200);
    let message = client.receive();
    let edges = &message["payload"]["data"]["artist_connection"]["edges"];
    assert_eq!(edges[0]["cursor"], json!("eyJpZCIgOiAwfQ=="), "{message}");
}

#[test]
fn errors_have_hasuras_form_and_the_status_200() {
    let (_folder, server) = start(&[]);
    let check = |body: &str, expected: Value| {
        assert_eq!(send(&server, "POST", "/v1/graphql", "", body), (200, expected.clone()));
        // Before version 1 the status told of errors.
        let old = send(&server, "POST", "/v1alpha1/graphql", "", body);
        assert_eq!(old, (400, expected));
    };
    check(
        &query("{ nothing }"),
        error(
            "field 'nothing' not found in type: 'query_root'",
            "validation-failed",
            "$.selectionSet.nothing",
        ),
    );
    check(
        &query(r#"mutation { a: insert_artist_one(object: {id: 9, name: "Ella"}) { id } }"#),
        error(
            "Uniqueness violation. duplicate key value violates unique constraint \
             \"artist_name_key\"",
            "constraint-violation",
            "$.selectionSet.insert_artist_one.args.object",
        ),
    );
    check(
        &query("mutation { delete_artist(where: {}) { affected_rows } }"),
        error(
            "Foreign key violation. a row violates a foreign key constraint",
            "constraint-violation",
            "$",
        ),
    );
    check("{}", error("Must provide \"query\".", "parse-failed", "$"));
    let (status, body) = send(&server, "POST", "/v1/graphql", "", "{");
    let code = &body["errors"][0]["extensions"]["code"];
    assert_eq!((status, code), (200, &json!("invalid-json")), "{body}");
}

#[test]
fn errors_have_json_whatever_the_client_prefers() {
    let (_folder, server) = start(&[]);
    let accept = "Accept: application/graphql-response+json, application/json;q=0.9\r\n";
    let answer = raw(&server, "POST", "/v1/graphql", accept, &query("{ nothing }"));
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/json; charset=utf-8"));
    let only = "Accept: application/graphql-response+json\r\n";
    let answer = raw(&server, "POST", "/v1/graphql", only, &query("{ nothing }"));
    assert_eq!(answer.status, 400);
}

#[test]
fn batches_need_no_option_and_have_errors_for_each_request() {
    let (_folder, server) = start(&[]);
    let good = query("{ artist_by_pk(id: 1) { name } }");
    let body = format!("[{good},{},7]", query("{ nothing }"));
    let (status, answer) = send(&server, "POST", "/v1/graphql", "", &body);
    assert_eq!(status, 200);
    assert_eq!(answer[0], json!({ "data": { "artist_by_pk": { "name": "Ella" } } }));
    assert_eq!(answer[1]["errors"][0]["extensions"]["path"], "$.selectionSet.nothing");
    assert_eq!(answer[2]["errors"][0]["extensions"]["code"], "parse-failed");
    let (status, answer) = send(&server, "POST", "/v1/graphql", "", "[]");
    assert_eq!((status, &answer["errors"][0]["extensions"]["path"]), (200, &json!("$")));
}

#[test]
fn parts_of_the_metadata_that_are_left_out_are_told() {
    let table = |name: &str| json!({ "table": { "schema": "public", "name": name } });
    let source = json!({
        "name": "default",
        "kind": "postgres",
        "tables": [table("album"), table("missing")],
        "configuration": { "connection_info": { "database_url": "postgres://localhost/music" } },
    });
    let options = ["--inconsistent-metadata", "leave-out"];
    let (_folder, server) = with_metadata(&json!({ "sources": [source] }), &options);
    let warning = json!("WARN: inconsistent objects in schema");
    assert_eq!(send(&server, "GET", "/healthz", "", ""), (200, warning));
    let error = json!("ERROR: inconsistent objects in schema");
    assert_eq!(send(&server, "GET", "/healthz?strict=true", "", ""), (500, error));
    let body = json!({ "type": "get_inconsistent_metadata", "args": {} }).to_string();
    let (status, found) = send(&server, "POST", "/v1/metadata", "", &body);
    assert_eq!((status, &found["is_consistent"]), (200, &json!(false)));
    let objects = found["inconsistent_objects"].as_array().unwrap();
    assert_eq!(objects.len(), 1);
    assert!(objects[0]["reason"].as_str().unwrap().contains("`missing`"), "{found}");
}

#[test]
fn permissions_that_a_role_does_not_inherit_are_told() {
    let of =
        |role: &str, filter: Value| json!({ "role": role, "permission": { "filter": filter } });
    let changed =
        |role: &str| json!({ "role": role, "permission": { "columns": ["title"], "filter": {} } });
    let source = json!({
        "name": "default",
        "kind": "postgres",
        "tables": [{
            "table": { "schema": "public", "name": "album" },
            "update_permissions": [changed("one"), changed("two")],
            "delete_permissions": [of("one", json!({})), of("two", json!({ "id": { "_gt": 1 } }))],
        }],
        "configuration": { "connection_info": { "database_url": "postgres://localhost/music" } },
    });
    let role = |name: &str, parents: Value| json!({ "role_name": name, "role_set": parents });
    let inherited = json!([
        role("both", json!(["two", "one"])),
        role("heir", json!(["both"])),
        role("single", json!(["one"])),
    ]);
    let metadata = json!({ "sources": [source], "inherited_roles": inherited });
    let (_folder, server) = with_metadata(&metadata, &[]);
    let body = json!({ "type": "get_inconsistent_metadata", "args": {} }).to_string();
    let (_, found) = send(&server, "POST", "/v1/metadata", "", &body);
    let expected = json!({ "is_consistent": false, "inconsistent_objects": [{
        "reason": "Could not inherit permission for the role 'both' for the entity: 'delete \
                   permission, table: album, source: 'default''",
        "name": "both",
        "type": "inherited role permission inconsistency",
        "entity": { "table": "album", "source": "default", "permission_type": "delete" },
    }] });
    assert_eq!(found, expected);
    assert!(server.said.contains("permission not inherited: "), "{}", server.said);
    let warning = json!("WARN: inconsistent objects in schema");
    assert_eq!(send(&server, "GET", "/healthz", "", ""), (200, warning));
    let fields = |role: &str| {
        let query = json!({ "query": "{ __type(name: \"mutation_root\") { fields { name } } }" });
        let header = format!("X-Hasura-Role: {role}\r\n");
        let (_, answer) = send(&server, "POST", "/v1/graphql", &header, &query.to_string());
        let fields = answer["data"]["__type"]["fields"].as_array().cloned().unwrap_or_default();
        fields.iter().filter_map(|field| field["name"].as_str()).collect::<Vec<_>>().join(" ")
    };
    for role in ["both", "heir"] {
        assert_eq!(fields(role), "update_album update_album_many", "{role}");
    }
    assert_eq!(fields("single"), "delete_album update_album update_album_many");
}

#[test]
fn the_server_tells_its_version_and_health() {
    let (_folder, server) = start(&[]);
    let version = json!({ "version": "v2.43.0", "server_type": "ce" });
    assert_eq!(send(&server, "GET", "/v1/version", "", ""), (200, version));
    assert_eq!(send(&server, "GET", "/healthz", "", ""), (200, json!("OK")));
    assert_eq!(send(&server, "GET", "/healthz?strict=true", "", ""), (200, json!("OK")));
    let (status, body) = send(&server, "GET", "/v1alpha1/config", "", "");
    assert_eq!((status, &body["version"]), (200, &json!("v2.43.0")));
    assert_eq!(body["is_allow_list_enabled"], json!(false));
    let missing = json!({
        "path": "$", "error": "resource does not exist", "code": "not-found",
    });
    for (method, target) in
        [("GET", "/v1/nothing"), ("GET", "/v1/metadata"), ("PUT", "/v1/version")]
    {
        assert_eq!(send(&server, method, target, "", ""), (404, missing.clone()), "{target}");
    }
}

#[test]
fn other_dialects_have_no_endpoints_of_hasura() {
    let (_folder, file) = folder();
    let server = Server::start(&["serve", &file, "--listen", "127.0.0.1:0"]);
    for target in
        ["/v1/graphql", "/v1beta1/relay", "/v1/version", "/healthz", "/v1/metadata", "/api/rest/a"]
    {
        let (status, body) = send(&server, "POST", target, "", "{}");
        assert_ne!(status, 200, "{target} {body}");
        assert!(body["path"].is_null(), "{target} {body}");
    }
}

#[test]
fn an_operation_is_explained_by_its_root_fields() {
    let (_folder, server) = start(&[]);
    let body = json!({ "query": { "query": "{ artist { name } }" } }).to_string();
    let (status, answer) = send(&server, "POST", "/v1/graphql/explain", "", &body);
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer.as_array().unwrap().len(), 1, "{answer}");
    assert!(answer[0]["sql"].as_str().unwrap().contains("artist"), "{answer}");
    assert!(answer[0]["plan"].is_array(), "{answer}");
    assert_eq!(answer[0]["field"], "artist", "{answer}");
    let two = "{ first: artist { albums { title } } second: album { title } }";
    let body = json!({ "query": { "query": two } }).to_string();
    let (_, answer) = send(&server, "POST", "/v1/graphql/explain", "", &body);
    let fields = answer.as_array().unwrap().iter().map(|one| one["field"].as_str().unwrap());
    assert_eq!(fields.collect::<Vec<_>>(), ["first", "first", "second"], "{answer}");
    let body = json!({ "query": { "query": "subscription { artist { name } }" } }).to_string();
    let (_, answer) = send(&server, "POST", "/v1/graphql/explain", "", &body);
    assert!(answer["sql"].as_str().unwrap().contains("artist"), "{answer}");
    let body = json!({ "query": { "query": "{ nothing }" } }).to_string();
    let expected = json!({
        "path": "$.selectionSet.nothing",
        "error": "field 'nothing' not found in type: 'query_root'",
        "code": "validation-failed",
    });
    assert_eq!(send(&server, "POST", "/v1/graphql/explain", "", &body), (400, expected));
    for (body, code) in
        [("{", "invalid-json"), ("{}", "parse-failed"), (r#"{"query":{}}"#, "parse-failed")]
    {
        let (status, answer) = send(&server, "POST", "/v1/graphql/explain", "", body);
        assert_eq!((status, &answer["code"]), (400, &json!(code)), "{body}");
    }
}

#[test]
fn metadata_is_exported_and_not_changed() {
    let collections = json!([{
        "name": "all",
        "definition": { "queries": [{ "name": "names", "query": "{ artist { name } }" }] },
    }]);
    let (_folder, server) = with_metadata(&json!({ "query_collections": collections }), &[]);
    let ask = |body: Value| send(&server, "POST", "/v1/metadata", "", &body.to_string());
    let (status, exported) = ask(json!({ "type": "export_metadata", "args": {} }));
    assert_eq!(status, 200);
    assert_eq!(exported["version"], 3);
    assert_eq!(exported["query_collections"], collections);
    assert_eq!(exported["sources"][0]["name"], "default");
    let (_, second) = ask(json!({ "type": "export_metadata", "version": 2, "args": {} }));
    assert_eq!(second["metadata"], exported);
    assert!(second["resource_version"].is_number());
    let consistent = json!({ "is_consistent": true, "inconsistent_objects": [] });
    let bulk = json!({ "type": "bulk", "args": [
        { "type": "get_inconsistent_metadata", "args": {} },
        { "type": "export_metadata", "args": {} },
    ]});
    assert_eq!(ask(bulk), (200, json!([consistent, exported])));
    let (_, tables) =
        ask(json!({ "type": "pg_get_source_tables", "args": { "source": "default" } }));
    let names: Vec<_> = tables.as_array().unwrap().iter().map(|table| &table["name"]).collect();
    assert_eq!(names, ["album", "artist"]);
    let (status, refused) = ask(json!({ "type": "bulk", "args": [
        { "type": "export_metadata", "args": {} },
        { "type": "pg_track_table", "args": { "source": "default", "table": "album" } },
    ]}));
    assert_eq!((status, &refused["code"]), (400, &json!("not-supported")));
    assert_eq!(refused["path"], "$.args[1]");
    let (status, refused) = ask(json!({ "args": {} }));
    assert_eq!((status, &refused["code"]), (400, &json!("parse-failed")));
    for target in ["/v2/query", "/v1/query"] {
        let body = json!({ "type": "run_sql", "args": { "sql": "DROP TABLE album" } }).to_string();
        let (status, refused) = send(&server, "POST", target, "", &body);
        assert_eq!((status, &refused["code"]), (400, &json!("not-supported")));
    }
}

/// Metadata with REST endpoints.
fn endpoints() -> Value {
    let query = |name: &str, text: &str| json!({ "name": name, "query": text });
    let endpoint = |name: &str, url: &str, methods: &[&str]| {
        let reference = json!({ "collection_name": "rest", "query_name": name });
        json!({ "name": name, "url": url, "methods": methods, "definition": { "query": reference } })
    };
    json!({
        "query_collections": [{ "name": "rest", "definition": { "queries": [
            query("one", "query ($id: Int!) { artist_by_pk(id: $id) { name } }"),
            query("named", "query ($name: String) { artist(where: {name: {_eq: $name}}, order_by: {id: asc}) { id } }"),
            query("add", "mutation ($id: Int!, $name: String!) { insert_artist_one(object: {id: $id, name: $name}) { id } }"),
        ] } }],
        "rest_endpoints": [
            endpoint("one", "artists/:id", &["GET"]),
            endpoint("named", "artists", &["GET"]),
            endpoint("add", "artists", &["POST", "PUT"]),
        ],
    })
}

#[test]
fn stored_operations_have_addresses() {
    let (_folder, server) = with_metadata(&endpoints(), &[]);
    let get = |target: &str| send(&server, "GET", target, "", "");
    assert_eq!(get("/api/rest/artists/1"), (200, json!({ "artist_by_pk": { "name": "Ella" } })));
    assert_eq!(get("/api/rest/artists?name=Nina"), (200, json!({ "artist": [{ "id": 2 }] })));
    let all = json!({ "artist": [{ "id": 1 }, { "id": 2 }] });
    assert_eq!(get("/api/rest/artists"), (200, all));
    let body = json!({ "id": 3, "name": "Amy" }).to_string();
    let added = json!({ "insert_artist_one": { "id": 3 } });
    assert_eq!(send(&server, "POST", "/api/rest/artists", "", &body), (200, added));
    // Values of a body are passed on; the address decides over the body.
    let both = json!({ "name": "Zed" }).to_string();
    let added = json!({ "insert_artist_one": { "id": 4 } });
    assert_eq!(send(&server, "PUT", "/api/rest/artists?id=4", "", &both), (200, added));
}

#[test]
fn errors_of_stored_operations_have_a_status() {
    let (_folder, server) = with_metadata(&endpoints(), &[]);
    let check = |method: &str, target: &str, body: &str, status: u16, expected: [&str; 3]| {
        let [path, error, code] = expected;
        let expected = json!({ "path": path, "error": error, "code": code });
        assert_eq!(send(&server, method, target, "", body), (status, expected), "{target}");
    };
    check("GET", "/api/rest/nothing", "", 404, ["$", "Endpoint not found", "not-found"]);
    check(
        "DELETE",
        "/api/rest/artists/1",
        "",
        405,
        ["$", "Allowed methods: GET", "method-not-allowed"],
    );
    check(
        "GET",
        "/api/rest/artists?other=1",
        "",
        400,
        ["$", "Unexpected variable other", "bad-request"],
    );
    check(
        "GET",
        "/api/rest/artists/x",
        "",
        400,
        [
            "$.selectionSet.artist_by_pk.args.id",
            "expected a 32-bit integer for type 'Int', but found a string",
            "validation-failed",
        ],
    );
    check(
        "POST",
        "/api/rest/artists",
        r#"{"id":1,"name":"x"}"#,
        400,
        [
            "$.selectionSet.insert_artist_one.args.object",
            "Uniqueness violation. duplicate key value violates unique constraint \"artist_pkey\"",
            "constraint-violation",
        ],
    );
    check(
        "POST",
        "/api/rest/artists",
        "[]",
        400,
        ["$", "Body should either be a JSON object or empty", "bad-request"],
    );
}

#[test]
fn endpoints_and_lists_that_cannot_be_served_end_the_start() {
    let (folder, file) = folder();
    let check = |members: &Value, options: &[&str], told: &str| {
        let path = metadata(&folder, members);
        let serve = ["serve", &file, "--dialect", "hasura", "--metadata", &path];
        let output = run(&[&serve[..], &["--listen", "127.0.0.1:0"], options].concat());
        let (code, _, error) = outcome(&output);
        assert_eq!(code, Some(2), "{error}");
        assert!(error.contains(told), "{error}");
    };
    let mut members = endpoints();
    members["rest_endpoints"][0]["url"] = json!("artists/");
    check(&members, &[], "the REST endpoint `one` cannot be served: Empty segments");
    let mut members = endpoints();
    members["allowlist"] = json!([{ "collection": "rest", "scope": { "global": true } }]);
    members["query_collections"][0]["definition"]["queries"][0]["query"] = json!("{");
    check(
        &members,
        &["--allow-list"],
        "the operation `one` of the collection `rest` is no GraphQL",
    );
    let serve = ["serve", &file, "--dialect", "hasura", "--allow-list"];
    let (code, _, error) = outcome(&run(&[&serve[..], &["--listen", "127.0.0.1:0"]].concat()));
    assert_eq!(code, Some(2));
    assert!(error.contains("`--allow-list` needs `--metadata`"), "{error}");
}

/// Metadata with a role that reads artists, and an allow list.
fn restricted() -> Value {
    let query = |name: &str, text: &str| json!({ "name": name, "query": text });
    let permission = json!({ "columns": ["id", "name"], "filter": {} });
    let artist = json!({
        "table": { "schema": "public", "name": "artist" },
        "select_permissions": [
            { "role": "reader", "permission": permission },
            { "role": "other", "permission": permission },
        ],
    });
    json!({
        "sources": [{
            "name": "default",
            "kind": "postgres",
            "tables": [artist],
            "configuration": { "connection_info": { "database_url": "postgres://localhost/music" } },
        }],
        "query_collections": [
            { "name": "all", "definition": { "queries": [
                query("names", "query Names { artist(order_by: {id: asc}) { name } }"),
            ] } },
            { "name": "own", "definition": { "queries": [query("ids", "{ artist { id } }")] } },
        ],
        "allowlist": [
            { "collection": "all", "scope": { "global": true } },
            { "collection": "own", "scope": { "global": false, "roles": ["reader"] } },
        ],
        "graphql_schema_introspection": { "disabled_for_roles": ["other"] },
    })
}

#[test]
fn other_roles_execute_what_the_allow_list_has() {
    let (_folder, server) = with_metadata(&restricted(), &["--allow-list"]);
    let ask = |role: &str, text: &str| {
        let headers = format!("X-Hasura-Role: {role}\r\n");
        send(&server, "POST", "/v1/graphql", &headers, &query(text)).1
    };
    let names = json!({ "data": { "artist": [{ "name": "Ella" }, { "name": "Nina" }] } });
    let with_type = "query Names {\n  artist(order_by: {id: asc}) { name __typename }\n}";
    let ids = json!({ "data": { "artist": [{ "id": 1 }, { "id": 2 }] } });
    let refused = error("query is not allowed", "validation-failed", "$");
    for role in ["reader", "other"] {
        assert_eq!(ask(role, "query Names { artist(order_by: {id: asc}) { name } }"), names);
        let typed = ask(role, with_type);
        assert_eq!(typed["data"]["artist"][0]["__typename"], "artist", "{typed}");
        assert_eq!(ask(role, "{ artist { name } }"), refused);
    }
    assert_eq!(ask("reader", "{ artist { id } }"), ids);
    assert_eq!(ask("other", "{ artist { id } }"), refused);
    assert_eq!(ask("admin", "{ artist { id } }"), ids);
    // The same holds for the members of batches.
    let body = format!("[{}]", query("{ artist { name } }"));
    let role = "X-Hasura-Role: reader\r\n";
    assert_eq!(send(&server, "POST", "/v1/graphql", role, &body), (200, json!([refused])));
    let (_, config) = send(&server, "GET", "/v1alpha1/config", "", "");
    assert_eq!(config["is_allow_list_enabled"], json!(true));
}

#[test]
fn roles_without_introspection_do_not_see_it() {
    let (_folder, server) = with_metadata(&restricted(), &[]);
    let ask = |role: &str, text: &str| {
        let headers = format!("X-Hasura-Role: {role}\r\n");
        send(&server, "POST", "/v1/graphql", &headers, &query(text)).1
    };
    let schema = "{ __schema { queryType { name } } }";
    let seen = json!({ "data": { "__schema": { "queryType": { "name": "query_root" } } } });
    let refused = error("introspection is disabled for role: \"other\"", "not-supported", "$");
    assert_eq!(ask("reader", schema), seen);
    assert_eq!(ask("admin", schema), seen);
    assert_eq!(ask("other", schema), refused);
    let fragment = "{ ...F } fragment F on query_root { __schema { queryType { name } } }";
    assert_eq!(ask("other", fragment), refused);
    let names = json!({ "data": { "artist": [{ "__typename": "artist" }] } });
    assert_eq!(ask("other", "{ artist(limit: 1) { __typename } }"), names);
}

#[test]
fn only_the_admin_reads_metadata_and_plans() {
    let (_folder, server) = with_metadata(&restricted(), &[]);
    let role = "X-Hasura-Role: reader\r\n";
    let denied = json!({
        "path": "$", "error": "restricted access : admin only", "code": "access-denied",
    });
    let export = json!({ "type": "export_metadata", "args": {} }).to_string();
    let explain = json!({ "query": { "query": "{ artist { id } }" } }).to_string();
    for (target, body) in [
        ("/v1/metadata", export.as_str()),
        ("/v2/query", "{}"),
        ("/v1/graphql/explain", explain.as_str()),
    ] {
        assert_eq!(send(&server, "POST", target, role, body), (400, denied.clone()), "{target}");
    }
    assert_eq!(send(&server, "GET", "/v1alpha1/config", role, ""), (400, denied));
    // The admin explains an operation of another role.
    let body = json!({
        "query": { "query": "mutation { delete_artist(where: {}) { affected_rows } }" },
        "user": { "X-Hasura-Role": "reader" },
    });
    let (status, answer) = send(&server, "POST", "/v1/graphql/explain", "", &body.to_string());
    assert_eq!((status, &answer["error"]), (400, &json!("no mutations exist")));
}

#[test]
fn pages_of_other_origins_do_not_reach_the_endpoints() {
    let (_folder, server) = start(&[]);
    let headers = "Origin: https://evil.example\r\n";
    for target in ["/v1/metadata", "/v1/graphql/explain", "/v1/graphql", "/api/rest/a"] {
        let (status, _) = send(&server, "POST", target, headers, "{}");
        assert_eq!(status, 403, "{target}");
    }
}

#[test]
fn sockets_have_the_same_errors_by_both_protocols() {
    let (_folder, server) = start(&[]);
    let add = r#"mutation { insert_artist_one(object: {id: 1, name: "x"}) { id } }"#;
    let unknown = error(
        "field 'nothing' not found in type: 'query_root'",
        "validation-failed",
        "$.selectionSet.nothing",
    );
    let violated = error(
        "Uniqueness violation. duplicate key value violates unique constraint \"artist_pkey\"",
        "constraint-violation",
        "$.selectionSet.insert_artist_one.args.object",
    );
    for path in ["/v1/graphql", "/v1alpha1/graphql"] {
        for protocol in [TRANSPORT, LEGACY] {
            let headers = [("sec-websocket-protocol", protocol)];
            let mut client = Client::open_at(&server, path, &headers).unwrap();
            client.send(&json!({ "type": "connection_init", "payload": {} }));
            let (begin, next) = match protocol == LEGACY {
                true => ("start", "data"),
                false => ("subscribe", "next"),
            };
            let mut ask = |id: &str, text: &str| {
                client.send(&json!({ "type": begin, "id": id, "payload": { "query": text } }));
                loop {
                    let message = client.receive();
                    if message["id"] == id {
                        return message;
                    }
                }
            };
            let message = ask("1", "{ nothing }");
            let payload = match protocol == LEGACY {
                true => &message["payload"],
                false => &message["payload"][0],
            };
            assert_eq!((&message["type"], payload), (&json!("error"), &unknown["errors"][0]));
            let message = ask("2", "subscription { artist { nothing } }");
            assert_eq!(message["type"], "error", "{message}");
            let message = ask("3", add);
            assert_eq!((&message["type"], &message["payload"]), (&json!(next), &violated));
            let message = ask("4", "subscription { artist_by_pk(id: 1) { name } }");
            let name = json!({ "data": { "artist_by_pk": { "name": "Ella" } } });
            assert_eq!((&message["type"], &message["payload"]), (&json!(next), &name));
        }
    }
}
