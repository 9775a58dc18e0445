//! Clients of other projects, against the built program: what `docs/clients.md` promises.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use testkit::postgres::{required_installations, shared};

use crate::program::{Folder, Server, outcome, run};

const FREE: [&str; 2] = ["--listen", "127.0.0.1:0"];

/// Everything that changes the schema of the dialect `postgraphile`, of whatever source.
const ALL_OPTIONS: [&str; 10] = [
    "--simple-collections",
    "both",
    "--aggregates",
    "--many-to-many",
    "--dynamic-json",
    "--simplified-names",
    "--connection-filter",
    "--connection-filter-relations",
    "--connection-filter-allow-null-input",
    "--connection-filter-allow-empty-object-input",
];

/// Those that only PostgreSQL has use for.
const OPTIONS_OF_POSTGRES: [&str; 2] = ["--geometric-types", "--network-scalars"];

fn url(server: &Server) -> String {
    format!("http://{}/graphql", server.address)
}

/// The API's schema as a file.
fn sdl(folder: &Folder, source: &str, options: &[&str]) -> PathBuf {
    let (code, text, error) = outcome(&run(&[&["schema", source], options].concat()));
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let file = folder.file("schema.graphql");
    fs::write(&file, text).unwrap();
    file
}

/// The sample, written, and a server of it with the options.
fn sample(options: &[&str]) -> (Folder, String, Server) {
    let folder = Folder::new();
    let file = folder.file("shop.db");
    // The demo makes the file.
    drop(Server::demo(&file));
    let file = file.to_str().unwrap().to_owned();
    let server = Server::start(&[&["serve", &file], &FREE[..], options].concat());
    (folder, file, server)
}

#[test]
fn every_check_of_the_audit_is_passed() {
    let check = |options: &[&str]| {
        let folder = Folder::new();
        let file = folder.file("shop.db");
        let demo = ["demo", "--file", file.to_str().unwrap()];
        let server = Server::start(&[&demo, options].concat());
        if let Some(printed) = crate::script::run("audit.mjs", &[&url(&server)]) {
            assert_eq!(printed, "61 of 61 ok\n", "{options:?}");
        }
    };
    check(&FREE);
    check(&["--listen", "0.0.0.0:0", "--dev"]);
    // Some of the checks ask for a type of the schema.
    check(&["--listen", "0.0.0.0:0", "--introspection", "on"]);
}

/// A supergraph whose subgraphs nobody has started: what is asked of the gateway itself needs none.
fn supergraph() -> (Folder, String) {
    let folder = Folder::new();
    let file = folder.file("supergraph.graphql");
    let text = include_str!("faults/supergraph.graphql");
    let nowhere = |text: String, name| text.replace(name, "http://127.0.0.1:1/graphql");
    let text = ["BOOKS_URL", "REVIEWS_URL", "MOODS_URL"].into_iter().fold(text.to_owned(), nowhere);
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap().to_owned();
    (folder, file)
}

#[test]
fn every_check_of_the_audit_is_passed_by_a_gateway() {
    let (_folder, file) = supergraph();
    let check = |options: &[&str]| {
        let server = Server::start(&[&["gateway", &file], options].concat());
        if let Some(printed) = crate::script::run("audit.mjs", &[&url(&server)]) {
            assert_eq!(printed, "61 of 61 ok\n", "{options:?}");
        }
    };
    check(&FREE);
    check(&["--listen", "0.0.0.0:0", "--introspection", "on"]);
}

#[test]
fn graphql_js_reads_the_schema_of_a_gateway() {
    let (folder, supergraph) = supergraph();
    let file = sdl(&folder, &supergraph, &[]);
    let server = Server::start(&[&["gateway", &supergraph], &FREE[..]].concat());
    let arguments = [&url(&server), file.to_str().unwrap()];
    let Some(printed) = crate::script::run("introspection.mjs", &arguments) else { return };
    // `Query`, `Mutation` and `Book`, the scalars `ID`, `Int`, `String` and `Boolean`, and eight types
    // of introspection.
    assert_eq!(printed, "15 types\n");
}

/// graphql-js reads the schema, and it is the one that `thalweg schema` prints.
fn check_introspection(source: &str, options: &[&str], least_types: usize) {
    let folder = Folder::new();
    let file = sdl(&folder, source, options);
    let server = Server::start(&[&["serve", source], &FREE[..], options].concat());
    let arguments = [&url(&server), file.to_str().unwrap()];
    let Some(printed) = crate::script::run("introspection.mjs", &arguments) else { return };
    let types: usize = printed.trim_end().strip_suffix(" types").unwrap().parse().unwrap();
    assert!(types >= least_types, "{types} types with {options:?}");
}

#[test]
fn graphql_js_reads_the_schema_of_the_sample() {
    let (_folder, file, server) = sample(&[]);
    drop(server);
    check_introspection(&file, &[], 60);
    check_introspection(&file, &ALL_OPTIONS, 300);
    check_introspection(&file, &["--dialect", "phrag"], 30);
}

#[test]
fn graphql_js_reads_the_schema_of_every_kind_of_column_and_relation() {
    let kitchen = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/compare/kitchen.sql");
    let kitchen = fs::read_to_string(kitchen).unwrap();
    let Some(installation) = required_installations().unwrap().pop() else { return };
    let server = shared(&installation).unwrap();
    server.create_database("clients").unwrap();
    server.execute("clients", &kitchen).unwrap();
    let url = server.url("clients");
    let check = |options: &[&str], least_types| {
        check_introspection(&url, &[&["--schema", "depot"], options].concat(), least_types);
    };
    check(&[&ALL_OPTIONS[..], &OPTIONS_OF_POSTGRES].concat(), 300);
    check(&["--classic-ids", "--legacy-relations", "only"], 100);
    check(&["--dialect", "phrag"], 100);
}

#[test]
fn graphql_codegen_makes_types_that_fit() {
    let (folder, file, server) = sample(&[]);
    drop(server);
    let file = sdl(&folder, &file, &[]);
    let made = folder.file("made");
    let arguments = [file.to_str().unwrap(), made.to_str().unwrap()];
    if let Some(printed) = crate::script::run("codegen.mjs", &arguments) {
        assert_eq!(printed, "compiled\n");
    }
}

#[test]
fn apollo_and_urql_keep_rows_by_their_ids_and_pages_by_their_cursors() {
    let (_folder, _file, server) = sample(&[]);
    for name in ["apollo.mjs", "urql.mjs"] {
        if let Some(printed) = crate::script::run(name, &[&url(&server)]) {
            assert_eq!(printed, "answered\n", "{name}");
        }
    }
}

#[test]
fn apollo_names_documents_by_their_hashes_and_sends_several_requests_at_once() {
    let (_folder, _file, server) = sample(&["--batching"]);
    let (_other_folder, _other_file, without) = sample(&["--apq", "false"]);
    if let Some(printed) = crate::script::run("persisted.mjs", &[&url(&server), &url(&without)]) {
        assert_eq!(printed, "answered\n");
    }
}

#[test]
fn relay_compiles_connections_and_rows_that_are_fetched_again() {
    for (options, id) in [(&[][..], "nodeId"), (&["--classic-ids"][..], "id")] {
        let (folder, source, server) = sample(options);
        let file = sdl(&folder, &source, options);
        let made = folder.file("relay");
        let arguments = [&url(&server), file.to_str().unwrap(), made.to_str().unwrap(), id];
        if let Some(printed) = crate::script::run("relay.mjs", &arguments) {
            assert_eq!(printed, "compiled and answered\n", "{id}");
            let persisted = made.join("persisted.json");
            check_trusted(&source, options, persisted.to_str().unwrap());
        }
    }
}

/// The server answers what the compiler persisted, by its ids, and nothing else.
fn check_trusted(source: &str, options: &[&str], persisted: &str) {
    let trusted = ["--trusted-documents", persisted, "--only-trusted"];
    let server = Server::start(&[&["serve", source], &FREE[..], options, &trusted].concat());
    if let Some(printed) = crate::script::run("trusted.mjs", &[&url(&server), persisted]) {
        assert_eq!(printed, "3 documents\n");
    }
}

/// Articles of two authors.
const ARTICLES: &str = "
    CREATE TABLE author (id integer PRIMARY KEY, name text NOT NULL);
    CREATE TABLE article (
        id integer PRIMARY KEY,
        title text NOT NULL,
        rating integer,
        author_id integer NOT NULL REFERENCES author (id)
    );
    CREATE INDEX article_author ON article (author_id);
    INSERT INTO author VALUES (1, 'Ada'), (2, 'Bo');
    INSERT INTO article VALUES (1, 'a', 3, 1), (2, 'b', 1, 1), (3, 'c', 2, 1), (4, 'd', NULL, 2);
";

/// Metadata with a role that reads authors, and has the articles of one of them.
fn metadata_of_articles() -> Value {
    let own = json!({ "author_id": { "_eq": "X-Hasura-User-Id" } });
    let permission = |permission: Value| json!([{ "role": "editor", "permission": permission }]);
    let table = |name: &str| json!({ "schema": "public", "name": name });
    let author = json!({
        "table": table("author"),
        "array_relationships": [{ "name": "articles", "using": {
            "foreign_key_constraint_on": { "column": "author_id", "table": table("article") },
        } }],
        "select_permissions":
            permission(json!({ "columns": "*", "filter": {}, "allow_aggregations": true })),
    });
    let article = json!({
        "table": table("article"),
        "object_relationships":
            [{ "name": "author", "using": { "foreign_key_constraint_on": "author_id" } }],
        "insert_permissions": permission(json!({
            "columns": ["id", "title", "rating"],
            "check": {},
            "set": { "author_id": "X-Hasura-User-Id" },
        })),
        "select_permissions":
            permission(json!({ "columns": "*", "filter": own, "allow_aggregations": true })),
        "update_permissions":
            permission(json!({ "columns": ["title", "rating"], "filter": own, "check": {} })),
        "delete_permissions": permission(json!({ "filter": own })),
    });
    json!({ "version": 3, "sources": [{
        "name": "default",
        "kind": "postgres",
        "configuration": { "connection_info": { "database_url": "postgres://localhost/shop" } },
        "tables": [author, article],
    }] })
}

#[test]
fn clients_of_hasura_read_write_and_subscribe_as_a_role() {
    let folder = Folder::new();
    let metadata = folder.file("metadata.json");
    fs::write(&metadata, metadata_of_articles().to_string()).unwrap();
    let metadata = metadata.to_str().unwrap();
    let check = |source: &str| {
        let serve = ["serve", source, "--dialect", "hasura", "--metadata", metadata];
        // Browsers and generators read the schema of a public server, too.
        let options = ["--admin-secret", "secret", "--listen", "0.0.0.0:0"];
        let server = Server::start(&[&serve[..], &options].concat());
        let address = server.address.to_string();
        if let Some(printed) = crate::script::run("hasura.mjs", &[&address, "secret"]) {
            let clients = [
                "graphql-request",
                "graphql-ws",
                "subscriptions-transport-ws",
                "Apollo Client",
                "Apollo Client, subscriptions-transport-ws",
                "urql",
                "GraphQL Code Generator",
                "ra-data-hasura",
            ];
            assert_eq!(printed.lines().collect::<Vec<_>>(), clients, "{source}");
        }
    };
    let file = folder.file("articles.db");
    rusqlite::Connection::open(&file).unwrap().execute_batch(ARTICLES).unwrap();
    check(file.to_str().unwrap());
    let Some(installation) = required_installations().unwrap().pop() else { return };
    let server = shared(&installation).unwrap();
    server.create_database("articles").unwrap();
    server.execute("articles", ARTICLES).unwrap();
    check(&server.url("articles"));
}
