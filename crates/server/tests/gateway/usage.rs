//! Counts of the parts of the schema that clients use, and `thalweg check` with them.

use std::fs;
use std::io::{BufReader, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::gateway::site::{PRODUCTS, QUERY, Site};
use crate::program::{Answer, PATIENCE, outcome, read_answer, run};

/// Where the counts are.
fn address(site: &Site) -> String {
    let rest = site.server.said.split("metrics at http://").nth(1).unwrap();
    rest.split('/').next().unwrap().to_owned()
}

fn ask(address: &str, method: &str, path: &str) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(format!("{method} {path} HTTP/1.1\r\nHost: test\r\n\r\n").as_bytes()).unwrap();
    read_answer(&mut BufReader::new(stream), true)
}

fn counts(site: &Site) -> Value {
    let answer = ask(&address(site), "GET", "/usage");
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    serde_json::from_str(&answer.body).unwrap()
}

/// Each entry of a list as `name requests clients`.
fn entries(counts: &Value, list: &str, name: &str) -> Vec<String> {
    let entries = counts[list].as_array().unwrap().iter();
    let texts = entries.map(|entry| {
        assert!(entry["first"].as_str().unwrap() <= entry["last"].as_str().unwrap(), "{entry}");
        let clients = entry["clients"].as_array().unwrap().iter();
        let clients: Vec<_> = clients.map(|client| client.as_str().unwrap()).collect();
        let name = entry[name].as_str().unwrap_or("-");
        format!("{name} {} {}", entry["requests"], clients.join(","))
    });
    texts.collect()
}

#[test]
fn used_parts_are_counted_with_their_clients() {
    // The log of requests is not needed for the names of clients.
    let options = ["--metrics-listen", "127.0.0.1:0", "--batching", "--log-requests", "none"];
    let site = Site::start(&options);
    let empty = counts(&site);
    assert_eq!(empty["operations"], serde_json::json!([]));
    let web = "graphql-client-name: web\r\ngraphql-client-version: 2\r\n";
    assert_eq!(site.server.query(web, QUERY).body, PRODUCTS);
    assert_eq!(site.query(QUERY), PRODUCTS);
    // Requests of a batch count one by one; invalid documents do not.
    let batch = r#"[
        {"query": "query One($id: ID!) { product(upc: $id) { name } }", "variables": {"id": "1"}},
        {"query": "mutation Two { rename(upc: 1, name: \"x\") { upc } }"},
        {"query": "{ nothing }"}
    ]"#;
    let ios = "apollographql-client-name: ios\r\n";
    assert_eq!(site.server.post(ios, batch).status, 200);
    let counts = counts(&site);
    assert_eq!(counts["format"], "thalweg-usage");
    assert_eq!(
        entries(&counts, "operations", "name"),
        ["- 2 web,(unnamed)", "One 1 ios", "Two 1 ios"]
    );
    assert_eq!(
        entries(&counts, "coordinates", "coordinate"),
        [
            "Boolean 2 web,(unnamed)",
            "ID 4 web,ios,(unnamed)",
            "Mutation 1 ios",
            "Mutation.rename 1 ios",
            "Mutation.rename(name:) 1 ios",
            "Mutation.rename(upc:) 1 ios",
            "Product 4 web,ios,(unnamed)",
            "Product.inStock 2 web,(unnamed)",
            "Product.name 3 web,ios,(unnamed)",
            "Product.upc 3 web,ios,(unnamed)",
            "Query 3 web,ios,(unnamed)",
            "Query.product 1 ios",
            "Query.product(upc:) 1 ios",
            "Query.products 2 web,(unnamed)",
            "String 4 web,ios,(unnamed)",
        ]
    );
    let address = address(&site);
    assert_eq!(ask(&address, "POST", "/usage").status, 405);
    assert_eq!(ask(&address, "GET", "/usages").status, 404);
}

#[test]
fn counts_outlive_a_reload() {
    let mut site = Site::start(&["--metrics-listen", "127.0.0.1:0"]);
    assert_eq!(site.query(QUERY), PRODUCTS);
    site.replace("stores: Int", "shops: Int");
    site.server.signal("HUP");
    site.wait_for("reloaded");
    assert_eq!(site.query(QUERY), PRODUCTS);
    let coordinates = entries(&counts(&site), "coordinates", "coordinate");
    assert!(coordinates.contains(&"Product.name 2 (unnamed)".to_owned()), "{coordinates:?}");
}

#[test]
fn unused_parts_may_be_removed_by_the_counts_of_a_server() {
    let site = Site::start(&["--metrics-listen", "127.0.0.1:0"]);
    site.query("{ products { upc name } }");
    let old = site.supergraph();
    let new = site.folder.file("new.graphql");
    let changed = fs::read_to_string(&old).unwrap();
    fs::write(&new, changed.replace("  stores: Int @join__field(graph: STOCK)\n", "")).unwrap();
    let check = |new: &str, usage: &str, options: &[&str]| {
        let arguments = ["check", old.to_str().unwrap(), new, "--usage", usage];
        outcome(&run(&[&arguments, options].concat()))
    };
    let new = new.to_str().unwrap();
    let url = format!("http://{}/usage", address(&site));
    let (code, output, error) = check(new, &url, &[]);
    assert_eq!((code, &*error), (Some(0), ""), "{output}");
    assert!(output.contains("Changes: 0 breaking, 1 dangerous, 0 safe."), "{output}");
    // The same as a file, after a client has used the field.
    site.query("{ stores }");
    let file = site.folder.file("counts.json");
    fs::write(&file, ask(&address(&site), "GET", "/usage").body).unwrap();
    let file = file.to_str().unwrap();
    let (code, output, _) = check(new, file, &[]);
    assert_eq!(code, Some(1), "{output}");
    assert!(output.contains("the field `Query.stores` was removed"), "{output}");
    assert_eq!(check(new, file, &["--usage-minimum", "2"]).0, Some(0));
    assert_eq!(check(new, file, &["--usage-period", "1h"]).0, Some(1));
    // An hour has passed in the file.
    let text = fs::read_to_string(file).unwrap();
    let year = text.split("\"last\": \"").nth(1).unwrap()[..4].to_owned();
    fs::write(file, text.replace(&format!("\"last\": \"{year}"), "\"last\": \"2020")).unwrap();
    assert_eq!(check(new, file, &["--usage-period", "1h"]).0, Some(0));
    let (code, _, error) = check(new, "http://127.0.0.1:1/usage", &[]);
    assert_eq!(code, Some(2));
    assert!(error.starts_with("error: the usage in http://127.0.0.1:1/usage: "), "{error}");
}
