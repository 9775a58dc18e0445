//! Composition by `thalweg compose`, `thalweg gateway` and `thalweg dev`, of the built program.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::program::{Folder, PATIENCE, Server, outcome, run};

const LINK: &str = "extend schema @link(url: \"https://specs.apollo.dev/federation/v2.3\", \
                    import: [\"@key\", \"@shareable\"])\n";

/// Two subgraphs with SDL in files, of an entity.
fn files(folder: &Folder) {
    let products =
        "type Query { top: Product }\ntype Product @key(fields: \"id\") { id: ID! name: String }\n";
    let reviews = "type Query { reviews: [String] }\ntype Product @key(fields: \"id\") { id: ID! stars: Int }\n";
    write(folder, "products.graphql", &[LINK, products].concat());
    write(folder, "reviews.graphql", &[LINK, reviews].concat());
    let file = "federation_version: =2.9.0
subgraphs:
  products:
    routing_url: http://127.0.0.1:1/graphql
    schema:
      file: ./products.graphql
  reviews:
    routing_url: http://${HOST_OF_REVIEWS:-127.0.0.1}:1/graphql
    schema: { file: reviews.graphql }
";
    write(folder, "supergraph.yaml", file);
}

fn write(folder: &Folder, name: &str, text: &str) {
    fs::write(folder.file(name), text).unwrap();
}

fn path(folder: &Folder, name: &str) -> String {
    folder.file(name).to_str().unwrap().to_owned()
}

/// Databases with tables of one name.
fn databases(folder: &Folder) {
    for name in ["a", "b"] {
        let connection = Connection::open(folder.file(&format!("{name}.db"))).unwrap();
        let row = ["INSERT INTO product VALUES (1, '", name, "')"].concat();
        let table = "CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT NOT NULL);";
        connection.execute_batch(&[table, &row].concat()).unwrap();
    }
}

fn sources(folder: &Folder, of_second: &str) -> String {
    let source = |name: &str| path(folder, &format!("{name}.db"));
    format!(
        "subgraphs:\n  a: {{ source: '{}', dialect: phrag }}\n  b: {{ source: '{}', dialect: phrag{of_second} }}\n",
        source("a"),
        source("b")
    )
}

#[test]
fn files_are_composed_to_the_output_and_errors_have_their_places() {
    let folder = Folder::new();
    files(&folder);
    let file = path(&folder, "supergraph.yaml");
    let (code, sdl, told) = outcome(&run(&["compose", &file]));
    assert_eq!((code, &*told), (Some(0), ""), "{sdl}");
    assert!(
        sdl.contains(
            "REVIEWS @join__graph(name: \"reviews\", url: \"http://127.0.0.1:1/graphql\")"
        )
    );
    let output = path(&folder, "supergraph.graphql");
    let composed = outcome(&run(&["compose", &file, "--output", &output]));
    assert_eq!(composed, (Some(0), String::new(), String::new()));
    assert_eq!(fs::read_to_string(&output).unwrap(), sdl);

    let wrong = "type Query { reviews: [String] }\ntype Product @key(fields: \"id\") { id: ID! name: String }\n";
    write(&folder, "reviews.graphql", &[LINK, wrong].concat());
    let (code, sdl, told) = outcome(&run(&["compose", &file]));
    assert_eq!((code, &*sdl), (Some(1), ""));
    let place = |name: &str| path(&folder, name);
    assert!(told.starts_with("error: INVALID_FIELD_SHARING: "), "{told}");
    assert!(
        told.contains(&format!("\n  at {}:3:43 (reviews)\n", place("reviews.graphql"))),
        "{told}"
    );
    assert!(told.contains("\n  remedy: "), "{told}");
    let (code, report, _) = outcome(&run(&["compose", &file, "--report", "json"]));
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!((code, &report["supergraph"]), (Some(1), &Value::Null));
    assert_eq!(report["errors"][0]["code"], "INVALID_FIELD_SHARING");
    assert_eq!(report["errors"][0]["coordinates"], json!(["Product.name"]));
    assert_eq!(report["errors"][0]["locations"][1]["line"], 3);
    let (_, _, annotations) = outcome(&run(&["compose", &file, "--report", "github"]));
    assert!(annotations.starts_with("::error file="), "{annotations}");
    assert!(annotations.contains(",line=3,col=43,title=INVALID_FIELD_SHARING::"), "{annotations}");
    // The output stays where nothing was composed.
    let before = fs::read_to_string(&output).unwrap();
    assert_eq!(outcome(&run(&["compose", &file, "--output", &output])).0, Some(1));
    assert_eq!(fs::read_to_string(&output).unwrap(), before);
}

#[test]
fn a_wrong_file_is_refused_with_all_its_problems() {
    let folder = Folder::new();
    let file = "federation_version: 3
subgraphs:
  a:
    routing_url: http://127.0.0.1:1/
    schema: { graphref: a@b }
  b: { schema: { file: b.graphql, sdl: x } }
  c: { routing_url: http://127.0.0.1:1/ }
  d: { schema: { introspection_headers: { x: y } } }
  e: { schema: { file: e.graphql }, timeot: 5s }
  f: { source: f.db, schema: { file: f.graphql } }
others: 1
";
    write(&folder, "s.yaml", file);
    let (code, output, told) = outcome(&run(&["compose", &path(&folder, "s.yaml")]));
    assert_eq!((code, &*output), (Some(1), ""));
    for (place, text) in [
        ("1:21", "`federation_version`: `3` is not composed here"),
        ("5:15", "`graphref`: schemas are not fetched from a registry"),
        ("6:35", "`schema`: one of `file`, `sdl` and `subgraph_url` is wanted"),
        ("7:6", "the subgraph `c` has neither `schema` nor `source`"),
        ("8:41", "`introspection_headers` needs `subgraph_url`"),
        ("9:37", "a subgraph has no `timeot`; `timeout` is one"),
        ("10:30", "`schema` has no place beside `source`"),
        ("11:1", "the file has no `others`"),
    ] {
        let line = told.lines().find(|line| line.contains(&format!("s.yaml:{place}:")));
        assert!(line.is_some_and(|line| line.contains(text)), "{place} {text}: {told}");
    }
    write(
        &folder,
        "t.yaml",
        "subgraphs: { a: { schema: { file: none.graphql } }, b: { schema: { file: no.graphql } } }",
    );
    let (code, _, told) = outcome(&run(&["compose", &path(&folder, "t.yaml")]));
    assert_eq!((code, told.lines().count()), (Some(1), 2), "{told}");
    assert!(told.starts_with("error: the schema of `a`: cannot read "), "{told}");
}

#[test]
fn databases_with_tables_of_one_name_are_composed_by_a_prefix() {
    let folder = Folder::new();
    databases(&folder);
    write(&folder, "s.yaml", &sources(&folder, ""));
    let (code, _, told) = outcome(&run(&["compose", &path(&folder, "s.yaml")]));
    assert_eq!((code, told.matches("error: ").count()), (Some(1), 1), "{told}");
    assert!(
        told.contains("remedy: Give one of them a prefix, such as `federation-prefix: b_`"),
        "{told}"
    );
    write(&folder, "s.yaml", &sources(&folder, ", federation-prefix: b_"));
    let server = Server::start(&["gateway", &path(&folder, "s.yaml"), "--listen", "127.0.0.1:0"]);
    let answer = server.query("", "{ products { name } b_products { name } }");
    let expected =
        json!({ "data": { "products": [{ "name": "a" }], "b_products": [{ "name": "b" }] } });
    assert_eq!(serde_json::from_str::<Value>(&answer.body).unwrap(), expected);
    for command in ["schema", "check"] {
        let (code, _, told) = outcome(&run(&[command, &path(&folder, "s.yaml")]));
        assert_eq!((code, &*told), (Some(0), ""), "{command}");
    }
}

#[test]
fn a_running_subgraph_gives_its_schema_and_is_polled() {
    let folder = Folder::new();
    databases(&folder);
    let subgraph = Server::start(&[
        "serve",
        &path(&folder, "a.db"),
        "--federation",
        "--dialect",
        "phrag",
        "--listen",
        "127.0.0.1:0",
        "--watch",
    ]);
    let file = format!(
        "subgraphs:\n  a:\n    schema:\n      subgraph_url: http://{}/graphql\n      introspection_headers: {{ x-key: '${{KEY:-none}}' }}\n",
        subgraph.address
    );
    write(&folder, "s.yaml", &file);
    let mut gateway = Server::start(&[
        "gateway",
        &path(&folder, "s.yaml"),
        "--listen",
        "127.0.0.1:0",
        "--supergraph-poll",
        "100ms",
    ]);
    let query = "{ products { name } }";
    let expected = json!({ "data": { "products": [{ "name": "a" }] } });
    let answer = gateway.query("", query);
    assert_eq!(serde_json::from_str::<Value>(&answer.body).unwrap(), expected);
    let connection = Connection::open(folder.file("a.db")).unwrap();
    connection.execute_batch("ALTER TABLE product ADD COLUMN price INTEGER").unwrap();
    wait_until(|| gateway.query("", "{ products { price } }").status == 200);
    drop(subgraph);
    // The supergraph stays where the subgraph is away.
    sleep(Duration::from_millis(300));
    assert_eq!(gateway.query("", "{ __typename }").status, 200);
    gateway.signal("TERM");
    assert!(gateway.rest_of_log().contains("schemas cannot be read; the supergraph is as it was"));
}

#[test]
fn dev_waits_for_schemas_that_compose_and_keeps_the_last_good_ones() {
    let folder = Folder::new();
    files(&folder);
    let server =
        Server::start(&["dev", &path(&folder, "supergraph.yaml"), "--listen", "127.0.0.1:0"]);
    let reloads = || {
        let answer = server.get("/graphiql/reloads", "");
        serde_json::from_str::<Value>(&answer.body).unwrap()
    };
    assert_eq!(reloads(), json!({ "reloads": 0, "error": null }));
    let has = |field: &str| {
        let answer = server.query("", "{ __type(name: \"Product\") { fields { name } } }");
        answer.body.contains(field)
    };
    assert!(has("\"stars\""));
    let wrong = "type Query { reviews: [String] }\ntype Product @key(fields: \"id\") { id: ID! name: String }\n";
    write(&folder, "reviews.graphql", &[LINK, wrong].concat());
    wait_until(|| reloads()["error"].as_str().is_some_and(|error| error.contains("Product.name")));
    assert!(has("\"stars\""), "the last supergraph stays");
    let right = "type Query { reviews: [String] }\ntype Product @key(fields: \"id\") { id: ID! votes: Int }\n";
    write(&folder, "reviews.graphql", &[LINK, right].concat());
    wait_until(|| reloads()["error"].is_null());
    assert!(has("\"votes\""));
}

fn wait_until(mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < PATIENCE, "it never came");
        sleep(Duration::from_millis(50));
    }
}
