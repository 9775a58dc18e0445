//! The console: its data over HTTP, and its page in Chromium, against the built program.
//!
//! The pictures that the browser takes are in `target/browser`.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use rusqlite::Connection;
use serde_json::{Value, json};
use testkit::tokens::Issuer;

use crate::browser::FederatedShop;
use crate::program::{Answer, Folder, Server};

const SECRET: &str = "a secret of more than thirty-two bytes";

const MUSIC: &str = "
    CREATE TABLE artist (id integer NOT NULL PRIMARY KEY, name text NOT NULL UNIQUE);
    CREATE TABLE album (
        id bigint NOT NULL PRIMARY KEY,
        title text NOT NULL,
        artist_id integer NOT NULL REFERENCES artist
    );
    INSERT INTO artist VALUES (1, 'Ella'), (2, 'Nina');
    INSERT INTO album VALUES (1, 'Blue', 1), (2, 'Red', 1), (3, 'Green', 2);
";

/// Values that a browser changes by itself, and a row that no key finds.
const NOTES: &str = "
    CREATE TABLE note (code text UNIQUE, body text NOT NULL, document json, extra text);
    INSERT INTO note VALUES
        ('a', 'one' || char(13, 10) || 'two', '{\"a\": 9007199254740993}', 'x'),
        (NULL, 'without a key', NULL, NULL);
";

/// Types whose tables the dialect dgraph creates.
const BLOG: &str = "
    type Author { id: ID! name: String! @id born: DateTime @search posts: [Post] @hasInverse(field: author) }
    type Post { id: ID! title: String! @search(by: [exact]) score: Int @search draft: Boolean tags: [Tag] author: Author! }
    type Tag { name: String! @id }
";

/// Nodes with and without a property that finds them.
const LIBRARY: &str = "
    type Author @node { name: String! books: [Book!]! @relationship(type: \"WROTE\", direction: OUT) }
    type Book @node { id: ID! @id title: String! pages: Int }
";

const POLICIES: &str = r#"
claim_role = "app.role"
default_role = "anonymous"
[rules.artists]
entity = "artist"
read = { columns = ["id", "name"] }
[rules.own_data]
entity = "customer"
read = { rows = { customer_id = { eq = { claim = "app.customer" } } }, columns = "*" }
[rules.own_invoices]
entity = "invoice"
read = { rows = { some = { customer = { customer_id = { eq = { claim = "app.customer" } } } } }, columns = "*" }
[roles.anonymous]
rules = ["artists"]
[roles.customer]
inherits = ["anonymous"]
rules = ["own_data", "own_invoices"]
[roles.manager]
all = true
"#;

fn music(folder: &Folder) -> String {
    database(folder, "music.db", MUSIC)
}

fn database(folder: &Folder, name: &str, statements: &str) -> String {
    let file = folder.file(name);
    Connection::open(&file).unwrap().execute_batch(statements).unwrap();
    file.to_str().unwrap().to_owned()
}

/// The shop with policies, by tokens.
fn with_policies(options: &[&str]) -> Server {
    with_policies_of(POLICIES, options)
}

fn with_policies_of(policies: &str, options: &[&str]) -> Server {
    let folder = Folder::new();
    let (file, shop) = (folder.file("policies.toml"), folder.file("shop.db"));
    fs::write(&file, policies).unwrap();
    drop(Server::demo(&shop));
    let source = ["serve", shop.to_str().unwrap(), "--listen", "127.0.0.1:0"];
    let access = ["--policies", file.to_str().unwrap(), "--jwt-secret", SECRET];
    let mut server = Server::start(&[&source[..], &access, options].concat());
    server.folder = Some(folder);
    server
}

fn token(role: &str) -> String {
    let claims = format!(r#"{{"aud":"postgraphile","app":{{"role":"{role}","customer":7}}}}"#);
    format!("Bearer {}", Issuer::secret(SECRET).token(&claims))
}

fn authorization(role: &str) -> String {
    format!("Authorization: {}\r\n", token(role))
}

fn get(server: &Server, name: &str, headers: &str) -> Answer {
    server.get(&format!("/console/api/{name}"), headers)
}

fn ask_role(server: &Server, headers: &str, body: &str) -> Answer {
    let length = body.len();
    let head = format!(
        "POST /console/api/role HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n{headers}\r\n{body}"
    );
    server.send(head.as_bytes())
}

fn as_json(answer: &Answer) -> Value {
    serde_json::from_str(&answer.body).unwrap_or_else(|_| json!(answer.body))
}

fn message(answer: &Answer) -> (u16, String) {
    (answer.status, as_json(answer)["errors"][0]["message"].as_str().unwrap_or("").to_owned())
}

fn names(tables: &Value) -> Vec<&str> {
    tables.as_array().unwrap().iter().map(|table| table["name"].as_str().unwrap()).collect()
}

#[test]
fn the_files_are_small_and_load_nothing_from_elsewhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("console");
    let server = Server::sample();
    let mut size = 0;
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let served = server.get(&format!("/console/{name}"), "");
        assert!((served.status, &served.body) == (200, &text), "{name}: {}", served.status);
        // The namespace of SVG is no address.
        let text = text.replace("http://www.w3.org/2000/svg", "");
        assert!(!text.contains("://"), "{name}");
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        size += encoder.finish().unwrap().len();
        count += 1;
    }
    assert!(count > 10, "{count}");
    assert!(size < 400 * 1024, "{size} bytes");
}

#[test]
fn its_data_exist_where_requests_are_explained() {
    let documents = Folder::new();
    let manifest = documents.file("manifest.json");
    let empty =
        json!({ "format": "apollo-persisted-query-manifest", "version": 1, "operations": [] });
    fs::write(&manifest, empty.to_string()).unwrap();
    let manifest = manifest.to_str().unwrap();
    for (options, is_there) in [
        (&[][..], true),
        (&["--graphiql", "off"], false),
        (&["--explain", "off"], false),
        (&["--introspection", "off"], false),
        (&["--trusted-documents", manifest, "--only-trusted"], false),
        (&["--listen", "0.0.0.0:0"], false),
        (&["--listen", "0.0.0.0:0", "--graphiql", "on"], false),
        (&["--listen", "0.0.0.0:0", "--dev"], true),
    ] {
        let folder = Folder::new();
        let file = folder.file("shop.db");
        let mut demo = vec!["demo", "--file", file.to_str().unwrap()];
        if !options.contains(&"--listen") {
            demo.extend(["--listen", "127.0.0.1:0"]);
        }
        let server = Server::start(&[&demo[..], options].concat());
        let host = "Host: localhost\r\n";
        let request = format!("GET /console/api/catalog HTTP/1.1\r\n{host}\r\n");
        let answer = server.send(request.as_bytes());
        assert_eq!(answer.status, if is_there { 200 } else { 404 }, "{options:?}");
        let page = server.send(format!("GET / HTTP/1.1\r\n{host}\r\n").as_bytes()).body;
        assert_eq!(page.contains(r#""console":{"#), is_there, "{options:?}");
        // Everybody is a superuser without policies, which this endpoint needs.
        let role = "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
        let role =
            server.send(format!("POST /console/api/role HTTP/1.1\r\n{host}{role}").as_bytes());
        let expected = if is_there { 400 } else { 404 };
        assert_eq!(role.status, expected, "{options:?}: {}", role.body);
    }
}

#[test]
fn other_methods_paths_and_origins_are_refused() {
    let server = Server::sample();
    let catalog = get(&server, "catalog", "");
    assert_eq!((catalog.status, catalog.header("cache-control")), (200, Some("no-store")));
    let foreign = get(&server, "catalog", "Sec-Fetch-Site: cross-site\r\n");
    assert_eq!(foreign.status, 403, "{}", foreign.body);
    let post = b"POST /console/api/catalog HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n";
    let post = server.send(post);
    assert_eq!((post.status, post.header("allow")), (405, Some("GET")));
    let role = get(&server, "role", "");
    assert_eq!((role.status, role.header("allow")), (405, Some("POST")));
    assert_eq!(get(&server, "nothing", "").status, 404);
    let operations = message(&get(&server, "operations", ""));
    let (status, message) = message(&get(&server, "metrics", ""));
    assert_eq!(operations, (status, message.clone()));
    assert_eq!(status, 400);
    assert_eq!(message, "there are no metrics: start the server with --metrics-listen");
}

#[test]
fn the_catalog_has_tables_keys_relationships_and_root_fields() {
    let folder = Folder::new();
    let file = music(&folder);
    let server = Server::start(&["serve", &file, "--listen", "127.0.0.1:0"]);
    let catalog = as_json(&get(&server, "catalog", ""));
    assert_eq!(names(&catalog["tables"]), ["album", "artist"]);
    assert_eq!(catalog["dialect"], "postgraphile");
    let artist = &catalog["tables"][1];
    let column = |name: &str, r#type: &str, generated: bool| {
        json!({
            "name": name, "field": name, "type": r#type, "description": null, "nullable": false,
            "hasDefault": generated, "generated": generated,
        })
    };
    let columns = json!([column("id", "Int!", true), column("name", "String!", false)]);
    assert_eq!(artist["columns"], columns);
    let keys = json!([
        { "primary": true, "columns": ["id"] },
        { "primary": false, "columns": ["name"] },
    ]);
    assert_eq!(artist["keys"], keys);
    let kinds = artist["operations"].as_array().unwrap().iter().map(|one| &one["kind"]);
    let kinds: Vec<&str> = kinds.map(|kind| kind.as_str().unwrap()).collect();
    for kind in ["connection", "single", "insert", "update", "delete"] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    let relationship = json!([{
        "name": "album_artist_id_fkey", "from": 0, "to": 1, "fromColumns": ["artist_id"], "toColumns": ["id"],
        "oneToOne": false, "enforced": true,
        "forward": "artistByArtistId", "backward": "albumsByArtistId",
    }]);
    assert_eq!(catalog["relationships"], relationship);
    let checks = as_json(&get(&server, "checks", ""));
    let notes = checks["notes"].as_array().unwrap();
    assert_eq!(notes.len(), 1, "{checks}");
    assert_eq!(notes[0]["kind"], "unindexed foreign key");
    assert!(notes[0]["remedy"].as_str().unwrap().starts_with("CREATE INDEX"), "{checks}");
}

/// The role of a token, or of Hasura's headers, sees the part of the schema that is its own.
#[test]
fn the_catalog_has_what_the_role_of_the_caller_sees() {
    let folder = Folder::new();
    let file = music(&folder);
    let permission =
        |role: &str| json!({ "role": role, "permission": { "columns": ["id"], "filter": {} } });
    let metadata = json!({
        "version": 3,
        "sources": [{
            "name": "default",
            "kind": "postgres",
            "tables": [
                { "table": { "schema": "public", "name": "album" } },
                {
                    "table": { "schema": "public", "name": "artist" },
                    "select_permissions": [permission("guest"), permission("blind")],
                },
            ],
            "configuration": { "connection_info": { "database_url": "postgres://localhost/music" } },
        }],
        "graphql_schema_introspection": { "disabled_for_roles": ["blind"] },
    });
    let path = folder.file("metadata.json");
    fs::write(&path, metadata.to_string()).unwrap();
    let serve = ["serve", &file, "--dialect", "hasura", "--metadata", path.to_str().unwrap()];
    let options =
        ["--listen", "127.0.0.1:0", "--admin-secret", "top", "--unauthorized-role", "guest"];
    let server = Server::start(&[&serve[..], &options].concat());
    let guest = as_json(&get(&server, "catalog", ""));
    assert_eq!(names(&guest["tables"]), ["artist"]);
    assert_eq!(guest["tables"][0]["columns"].as_array().unwrap().len(), 1, "{guest}");
    assert_eq!(guest["relationships"], json!([]));
    assert!(!guest.to_string().contains("album"), "{guest}");
    let admin = "X-Hasura-Admin-Secret: top\r\n";
    let all = as_json(&get(&server, "catalog", admin));
    assert_eq!(names(&all["tables"]), ["album", "artist"]);
    // A role whose introspection is off.
    let blind = get(&server, "catalog", &format!("{admin}X-Hasura-Role: blind\r\n"));
    assert!(blind.body.contains("introspection is disabled"), "{}", blind.body);
    assert!(!blind.body.contains("artist"), "{}", blind.body);
    // What is not of the role's own schema needs the secret.
    for name in ["checks", "metrics", "operations"] {
        let (status, message) = message(&get(&server, name, ""));
        assert_eq!(status, 403, "{name}");
        assert!(message.starts_with("only a superuser sees this"), "{message}");
    }
    assert_eq!(get(&server, "checks", admin).status, 200);
    assert_eq!(ask_role(&server, "", "{}").status, 403);
    let role = ask_role(&server, admin, r#"{"role":"guest"}"#);
    let seen = as_json(&role);
    assert_eq!(names(&seen["catalog"]["tables"]), ["artist"], "{}", role.body);
    assert!(!role.body.contains("top"), "{}", role.body);
    let wrong = get(&server, "catalog", "X-Hasura-Admin-Secret: other\r\n");
    assert!(wrong.body.contains("errors") && !wrong.body.contains("artist"), "{}", wrong.body);
}

#[test]
fn a_server_that_requires_tokens_shows_nothing_without_one() {
    let server = with_policies(&["--require-token"]);
    for name in ["catalog", "checks", "metrics", "operations"] {
        let answer = get(&server, name, "");
        assert_eq!(answer.status, 401, "{name}: {}", answer.body);
    }
    assert_eq!(ask_role(&server, "", "{}").status, 401);
    // A token of a role is not one of a superuser.
    let customer = authorization("customer");
    assert_eq!(get(&server, "catalog", &customer).status, 200);
    assert_eq!(get(&server, "checks", &customer).status, 403);
    assert_eq!(ask_role(&server, &customer, "{}").status, 403);
    let manager = authorization("manager");
    for answer in [
        get(&server, "catalog", &manager),
        get(&server, "checks", &manager),
        ask_role(&server, &manager, r#"{"role":"customer","claims":{"app":{"customer":7}}}"#),
    ] {
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert!(!answer.body.contains(SECRET), "{}", answer.body);
    }
}

/// Whom the policies refuse, `/graphql` shows no schema; the console neither.
#[test]
fn the_catalog_is_refused_as_introspection_is() {
    let policies = POLICIES.replace("default_role = \"anonymous\"\n", "");
    let server = with_policies_of(&policies, &[]);
    for headers in [String::new(), authorization("nobody")] {
        let catalog = get(&server, "catalog", &headers);
        let introspected = server.query(&headers, "{ __schema { queryType { name } } }");
        let (_, expected) = message(&introspected);
        assert!(!expected.is_empty(), "{}", introspected.body);
        assert_eq!(message(&catalog).1, expected);
        assert!(!catalog.body.contains("artist"), "{}", catalog.body);
    }
    assert_eq!(
        names(&as_json(&get(&server, "catalog", &authorization("manager")))["tables"]).len(),
        11
    );
    // A person can still choose one of the roles.
    let refused = as_json(&ask_role(&server, "", "{}"));
    assert_eq!(refused["roles"], json!(["anonymous", "customer", "manager"]), "{refused}");
    assert!(refused["errors"][0]["message"].is_string(), "{refused}");
}

/// Clients of a proxy are elsewhere, although its requests come from this machine.
#[test]
fn nobody_is_trusted_for_the_address_behind_a_proxy() {
    for options in [["--trusted-proxies", "127.0.0.1"], ["--allowed-hosts", "shop.example"]] {
        let server = with_policies(&options);
        assert_eq!(get(&server, "catalog", "").status, 200, "{options:?}");
        assert_eq!(get(&server, "checks", "").status, 403, "{options:?}");
        assert_eq!(get(&server, "checks", &authorization("manager")).status, 200, "{options:?}");
    }
}

#[test]
fn a_role_is_explained_and_rows_only_to_superusers() {
    let server = with_policies(&[]);
    let body = r#"{"role":"customer","claims":{"app":{"customer":7}}}"#;
    let explained = as_json(&ask_role(&server, "", body));
    assert_eq!(explained["roles"], json!(["anonymous", "customer", "manager"]));
    let access = explained["access"].as_array().unwrap();
    let table = |name: &str| access.iter().find(|table| table["name"] == name).unwrap();
    let customer = &table("customer")["privileges"];
    assert_eq!(
        customer[0]["rules"],
        json!(["rows with customer_id = claim app.customer, by own_data"])
    );
    assert_eq!(customer[0]["refused"], false);
    assert_eq!(customer[1]["privilege"], "insert");
    assert_eq!(customer[1]["refused"], true);
    assert_eq!(customer[1]["rules"], json!(["refused, no rule lets it"]));
    let artist = &table("artist")["privileges"][0];
    let shown = json!([{ "name": "id", "masked": null }, { "name": "name", "masked": null }]);
    assert_eq!(artist["columns"], shown);
    assert!(table("employee")["privileges"][0]["refused"].as_bool().unwrap());

    let row =
        r#"{"role":"customer","claims":{"app":{"customer":7}},"row":"customer:customer_id=8"}"#;
    let (status, refused) = message(&ask_role(&server, "", row));
    assert_eq!(status, 403);
    assert!(refused.contains("thalweg explain --policies FILE --row ROW"), "{refused}");
    let explained = as_json(&ask_role(&server, &authorization("manager"), row));
    let text = explained["row"].as_str().unwrap();
    assert!(text.contains("own_data"), "{text}");

    for (body, expected) in [
        ("[]", "The body has to be an object."),
        (r#"{"role":1}"#, "`role` has to be a text."),
        (r#"{"claims":1}"#, "`claims` has to be an object."),
        (r#"{"rolle":"a"}"#, "`rolle` is unknown: the body has `role`, `claims` and `row`."),
    ] {
        let answer = ask_role(&server, "", body);
        assert_eq!(message(&answer), (400, expected.to_owned()), "{body}");
    }
    let (_, unknown) = message(&ask_role(&server, "", r#"{"role":"nobody"}"#));
    assert!(unknown.contains("role"), "{unknown}");
    let plain = Server::sample();
    let (status, none) = message(&ask_role(&plain, "", "{}"));
    assert_eq!(
        (status, none.as_str()),
        (400, "there are no policies, so every role may do the same")
    );
}

#[test]
fn the_subgraphs_of_a_gateway_are_shown_without_secrets() {
    let folder = Folder::new();
    let file = folder.file("supergraph.graphql");
    let supergraph = "schema @link(url: \"https://specs.apollo.dev/link/v1.0\") \
        @link(url: \"https://specs.apollo.dev/join/v0.3\", for: EXECUTION) { query: Query } \
        directive @link(url: String, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA \
        directive @join__graph(name: String!, url: String!) on ENUM_VALUE \
        directive @join__type(graph: join__Graph!, key: String) repeatable on OBJECT | INTERFACE | UNION | ENUM | INPUT_OBJECT | SCALAR \
        enum link__Purpose { SECURITY EXECUTION } scalar link__Import \
        enum join__Graph { A @join__graph(name: \"a\", url: \"http://127.0.0.1:1/?key=hidden\") } \
        type Query @join__type(graph: A) { a: Int }";
    fs::write(&file, supergraph).unwrap();
    let subgraphs = folder.file("subgraphs.toml");
    let moved = "[subgraphs.a]\nurl = \"http://127.0.0.1:2/moved?key=hidden\"\n";
    fs::write(&subgraphs, moved).unwrap();
    let gateway = ["gateway", file.to_str().unwrap(), "--listen", "127.0.0.1:0"];
    let subgraphs = ["--subgraphs", subgraphs.to_str().unwrap()];
    let server = Server::start(&[&gateway[..], &subgraphs].concat());
    let answer = get(&server, "catalog", "");
    assert!(!answer.body.contains("hidden"), "{}", answer.body);
    let catalog = as_json(&answer);
    assert_eq!(catalog["subgraphs"][0]["name"], "a");
    // The address to which requests go.
    let url = catalog["subgraphs"][0]["url"].as_str().unwrap();
    assert!(url.starts_with("http://127.0.0.1:2/moved"), "{url}");
    let field = json!([{ "name": "a", "type": "Int", "subgraphs": [0] }]);
    assert_eq!(catalog["types"][0]["fields"], field);
    assert_eq!(get(&server, "checks", "").status, 400);
}

#[test]
fn a_person_uses_each_view_in_a_browser() {
    let Some(chromium) = testkit::script::chromium().unwrap() else { return };
    let folder = Folder::new();
    let file = music(&folder);
    let serve =
        |dialect| Server::start(&["serve", &file, "--dialect", dialect, "--listen", "127.0.0.1:0"]);
    let shop = Server::start_sample(&["--metrics-listen", "127.0.0.1:0"]);
    let (hasura, phrag, prisma) = (serve("hasura"), serve("phrag"), serve("prisma"));
    let (blog, data) = (folder.file("blog.graphql"), folder.file("blog.db"));
    fs::write(&blog, BLOG).unwrap();
    let of_types = ["serve", blog.to_str().unwrap(), "--data", data.to_str().unwrap()];
    let dgraph = Server::start(&[&of_types[..], &["--listen", "127.0.0.1:0"]].concat());
    let notes = database(&folder, "notes.db", NOTES);
    let notes = Server::start(&["serve", &notes, "--listen", "127.0.0.1:0"]);
    let roles = with_policies(&["--require-token"]);
    let gateway = FederatedShop::start();
    let address = |server: &Server| format!("http://{}/", server.address);
    let servers = json!({
        "shop": address(&shop),
        "hasura": address(&hasura),
        "phrag": address(&phrag),
        "prisma": address(&prisma),
        "dgraph": address(&dgraph),
        "notes": address(&notes),
        "roles": { "url": address(&roles), "token": token("manager") },
        "gateway": gateway.address,
    });
    look(&chromium, &servers);
}

fn look(chromium: &Path, servers: &Value) {
    let pictures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/browser");
    let servers = servers.to_string();
    let arguments = [chromium.to_str().unwrap(), pictures.to_str().unwrap(), &servers];
    if let Some(printed) = crate::script::run("console.mjs", &arguments) {
        assert_eq!(printed, "seen\n");
    }
}

#[test]
fn a_person_changes_nodes_in_a_browser() {
    let Some(chromium) = testkit::script::chromium().unwrap() else { return };
    let Some(graph) = testkit::neo4j::take().unwrap() else { return };
    graph
        .run(
            "CREATE (:Book {id: 'b1', title: 'Persuasion', pages: 249}), \
             (:Book {id: 'b2', title: 'Emma'}), (:Author {name: 'Jane'})",
        )
        .unwrap();
    let folder = Folder::new();
    let types = folder.file("types.graphql");
    fs::write(&types, LIBRARY).unwrap();
    let address = graph.address("bolt");
    let serve = |version| {
        let types = ["--types", types.to_str().unwrap(), "--neo4j-api", version];
        Server::start(&[&["serve", &address, "--listen", "127.0.0.1:0"][..], &types].concat())
    };
    let (seventh, third) = (serve("7"), serve("3"));
    let address = |server: &Server| format!("http://{}/", server.address);
    look(&chromium, &json!({ "graph": { "7": address(&seventh), "3": address(&third) } }));
}

#[test]
fn values_of_forms_keep_their_digits_and_types() {
    let values = Path::new(env!("CARGO_MANIFEST_DIR")).join("console/values.js");
    if let Some(printed) = crate::script::run("console-values.mjs", &[values.to_str().unwrap()]) {
        assert_eq!(printed, "kept\n");
    }
}
