//! Deferred fragments of databases, over HTTP and WebSockets.

use serde_json::{Value, json};

use crate::databases::{Database, File};
use crate::program::{Folder, Server, outcome, post, run};
use crate::subscriptions::site::{Client, TRANSPORT, complete, next, subscribe};
use crate::subscriptions::stream::Stream;

const TABLES: &str = "
    CREATE TABLE product (upc TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, in_stock BOOLEAN);
    INSERT INTO product VALUES ('1', 'Product 1', 1), ('2', 'Product 2', 0);
";

const QUERY: &str =
    "{ product: productByUpc(upc: \"1\") { upc ... @defer(label: \"stock\") { inStock } } }";
const WHOLE: &str = r#"{"data":{"product":{"upc":"1","inStock":true}}}"#;

const OF_FRAGMENTS: [&str; 2] = [
    r#"{"data":{"product":{"upc":"1"}},"hasNext":true}"#,
    r#"{"incremental":[{"data":{"inStock":true},"path":["product"],"label":"stock"}],"hasNext":false}"#,
];
const OF_FIELDS: [&str; 2] = [
    r#"{"data":{"product":{"upc":"1"}},"pending":[{"id":"0","path":["product"],"label":"stock"}],"hasNext":true}"#,
    r#"{"incremental":[{"id":"0","data":{"inStock":true}}],"completed":[{"id":"0"}],"hasNext":false}"#,
];

fn serve(file: &File, options: &[&str]) -> Server {
    let usual = ["serve", file.source(), "--listen", "127.0.0.1:0"];
    Server::start(&[&usual, options].concat())
}

/// The whole body of a response.
fn body(server: &Server, headers: &str) -> String {
    let request = json!({ "query": QUERY }).to_string();
    let mut stream = Stream::open(server, &post("application/json", headers, &request));
    let mut body = String::new();
    loop {
        let chunk = stream.chunk();
        if chunk.is_empty() {
            return body;
        }
        body.push_str(&chunk);
    }
}

#[test]
fn payloads_have_the_form_that_the_client_accepts() {
    let file = File::new(TABLES);
    let server = serve(&file, &["--defer-directive"]);
    let part = |payload: &str| {
        format!("\r\ncontent-type: application/json; charset=utf-8\r\n\r\n{payload}\r\n---")
    };
    let fragments = "Accept: multipart/mixed;deferSpec=20220824, application/json\r\n";
    let fields = "Accept: multipart/mixed;incrementalSpec=v0.2, application/json\r\n";
    for (headers, [initial, rest]) in [(fragments, OF_FRAGMENTS), (fields, OF_FIELDS)] {
        let expected = ["\r\n---", &*part(initial), &*part(rest), "--\r\n"].concat();
        assert_eq!(body(&server, headers), expected);
    }
    let event = |payload: &str| format!("event: next\ndata: {payload}\n\n");
    let events = OF_FIELDS.map(event).concat();
    let expected = [":\n\n", &*events, "event: complete\ndata:\n\n"].concat();
    assert_eq!(body(&server, "Accept: text/event-stream\r\n"), expected);

    let mut client = Client::connect(&server, TRANSPORT, &json!({}));
    client.send(&subscribe("1", QUERY));
    for payload in OF_FIELDS {
        let payload: Value = serde_json::from_str(payload).unwrap();
        assert_eq!(client.receive(), next("1", &payload));
    }
    assert_eq!(client.receive(), complete("1"));
    client.close();
}

#[test]
fn other_clients_receive_one_response() {
    let file = File::new(TABLES);
    let server = serve(&file, &["--defer-directive", "--batching"]);
    for headers in ["", "Accept: */*\r\n"] {
        let answer = server.query(headers, QUERY);
        assert_eq!(answer.parts(), (200, "application/json; charset=utf-8", WHOLE), "{headers}");
    }
    let fragments = "Accept: multipart/mixed;deferSpec=20220824, application/json\r\n";
    let batch = format!("[{}]", json!({ "query": QUERY }));
    assert_eq!(server.post(fragments, &batch).body, format!("[{WHOLE}]"));
    // The rules of the directive are those of a gateway.
    let twice =
        "{ ... @defer(label: \"a\") { __typename } ... @defer(label: \"a\") { __typename } }";
    let answer = server.query("", twice).body;
    assert!(answer.contains("GRAPHQL_VALIDATION_FAILED"), "{answer}");
}

#[test]
fn the_directive_is_there_by_option() {
    let file = File::new(TABLES);
    let server = serve(&file, &[]);
    let answer = server.query("", QUERY).body;
    assert!(answer.contains("Unknown directive \\\"@defer\\\"."), "{answer}");
    let schema = |options: &[&str]| {
        let (code, schema, _) = outcome(&run(&[&["schema", file.source()], options].concat()));
        assert_eq!(code, Some(0));
        schema
    };
    let directive = "directive @defer(";
    assert!(!schema(&[]).contains(directive));
    let schema = schema(&["--defer-directive"]);
    assert!(schema.contains(directive), "{schema}");
    let folder = Folder::new();
    let document = folder.file("query.graphql");
    std::fs::write(&document, QUERY).unwrap();
    let document = document.to_str().unwrap();
    let (_, explained, _) =
        outcome(&run(&["explain", file.source(), document, "--defer-directive"]));
    assert!(explained.contains("deferred fragment \"stock\" at 1:"), "{explained}");
}

#[test]
fn a_long_response_without_deferred_fragments_is_complete() {
    let file = File::new("CREATE TABLE long (id INTEGER PRIMARY KEY, text TEXT);");
    let rows = "WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 3000)
        INSERT INTO long SELECT id, printf('%.*c', 1000, 'x') FROM n";
    file.connect().execute_batch(rows).unwrap();
    let server = serve(&file, &["--defer-directive", "--simple-collections", "only"]);
    let query = "{ allLongsList { id text } }";
    let whole = server.query("", query).body;
    assert!(whole.len() > 3_000_000);
    let answer = server.query("Accept: multipart/mixed;deferSpec=20220824\r\n", query);
    assert!(answer.body.contains(&whole), "{}", answer.body.len());
    let later = "{ allLongsList { id ... @defer { text } } }";
    let answer = server.query("Accept: multipart/mixed;deferSpec=20220824\r\n", later);
    assert_eq!(answer.body.matches("xxx\"").count(), 3_000);
    assert!(answer.body.ends_with("\"hasNext\":false}\r\n-----\r\n"));
}

#[test]
fn clients_of_other_projects_receive_deferred_fragments() {
    let tables = "
        CREATE TABLE product (upc text PRIMARY KEY, name text NOT NULL);
        INSERT INTO product VALUES ('1', 'Product 1');
        CREATE FUNCTION product_in_stock(product) RETURNS boolean LANGUAGE sql STABLE
            AS 'SELECT true FROM pg_sleep(0.2)';
    ";
    let Some(database) = Database::on_one(tables) else { return };
    let url = database.url();
    let server = Server::start(&["serve", &url, "--listen", "127.0.0.1:0", "--defer-directive"]);
    let address = server.address.to_string();
    let field = "product: productByUpc(upc: \"1\")";
    if let Some(printed) = crate::script::run("deferred.mjs", &[&address, field]) {
        let clients = [
            "Apollo Client, 20220824",
            "Apollo Client, v0.2",
            "urql",
            "graphql-ws",
            "graphql-sse",
            "graphql-sse, single connection",
        ];
        assert_eq!(printed.lines().collect::<Vec<_>>(), clients);
    }
}
