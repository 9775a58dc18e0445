//! Type definitions whose tables are in schemas of one PostgreSQL database.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::databases::Database;
use crate::program::{Folder, Server, outcome, run};

const SHOP: &str = r#"
    interface Named { name: String! @id @search(by: [term, fulltext]) }
    type Item implements Named { id: ID!  price: Int  place: Point @search  tags: [Tag] }
    type Tag implements Named { id: ID!  items: [Item] @hasInverse(field: tags) }
"#;

/// Types with the names of [`SHOP`], and other fields.
const LAB: &str = r#"
    interface Named { name: String! @search(by: [term])  code: Int @search }
    type Item implements Named { id: ID!  weight: Float  vector: [Float!] @embedding @search(by: ["hnsw(metric: euclidean, exponent: 4)"]) }
"#;

/// The folder of the definitions, and the address of the database.
struct Definitions {
    folder: Folder,
    url: String,
}

impl Definitions {
    fn text(&self, name: &str) -> String {
        self.folder.file(name).to_str().unwrap().to_owned()
    }

    fn run(&self, words: &[&str]) -> (Option<i32>, String, String) {
        outcome(&run(words))
    }

    /// Runs a command for the tables of a schema, which has to succeed; returns its output.
    fn done(&self, words: &[&str], schema: &str) -> String {
        let own = ["--data", &self.url, "--schema", schema];
        let (code, output, error) = self.run(&[words, &own].concat());
        assert_eq!(code, Some(0), "{words:?} {schema}: {output}{error}");
        output
    }

    fn serve(&self, types: &str, schema: &str) -> Server {
        let types = self.text(types);
        let words = ["serve", &types, "--data", &self.url, "--schema", schema];
        Server::start(&[&words[..], &["--listen", "127.0.0.1:0"]].concat())
    }
}

fn data(server: &Server, query: &str) -> Value {
    let answer: Value = serde_json::from_str(&server.query("", query).body).unwrap();
    assert_eq!(answer.get("errors"), None, "{query}: {answer}");
    answer["data"].clone()
}

#[test]
fn two_schemas_of_one_database_do_not_disturb_each_other() {
    let Some(database) = Database::on_one("SELECT 1") else { return };
    let definitions = Definitions { folder: Folder::new(), url: database.url() };
    fs::write(definitions.folder.file("shop.graphql"), SHOP).unwrap();
    fs::write(definitions.folder.file("lab.graphql"), LAB).unwrap();
    let (shop, lab) = (definitions.text("shop.graphql"), definitions.text("lab.graphql"));
    let script = definitions.done(&["migrate", &shop, "--dry-run"], "shop");
    assert!(script.contains(r#"DEFAULT nextval('"shop"."thalweg_id"')"#), "{script}");
    assert!(!script.contains("public") && !script.contains("thalweg."), "{script}");
    definitions.done(&["migrate", &shop], "shop");
    // A start creates the schema, too.
    let lab_server = definitions.serve("lab.graphql", "lab");
    let shop_server = definitions.serve("shop.graphql", "shop");
    for (types, schema) in [(&shop, "shop"), (&lab, "lab")] {
        definitions.done(&["migrate", types, "--check"], schema);
    }
    let others = "SELECT count(*) FROM pg_class AS own JOIN pg_namespace AS namespace
        ON namespace.oid = own.relnamespace WHERE nspname IN ('public', 'thalweg')";
    assert_eq!(database.count(others), 0);

    // Both sequences begin with 1, and both interfaces have triggers of the same names.
    let added = data(
        &shop_server,
        r#"mutation { addItem(input: [{name: "red tea", price: 3,
            place: {longitude: 1, latitude: 2}, tags: [{name: "hot"}]}]) { item { id tags { id } } } }"#,
    );
    assert_eq!(added["addItem"]["item"].to_string(), r#"[{"id":"0x1","tags":[{"id":"0x2"}]}]"#);
    let added = data(
        &lab_server,
        r#"mutation { addItem(input: [{name: "tea", code: 7, vector: [1, 2]}]) { item { id } } }"#,
    );
    assert_eq!(added["addItem"]["item"].to_string(), r#"[{"id":"0x1"}]"#);
    let found = data(
        &shop_server,
        r#"{ words: queryNamed(filter: {name: {anyofterms: "tea"}}) { name }
            stems: queryItem(filter: {name: {alloftext: "teas"}}) { price }
            near: queryItem(filter: {place: {near: {distance: 9, coordinate: {longitude: 1, latitude: 2}}}}) { name }
            getTag(name: "hot") { items { name } } }"#,
    );
    assert_eq!(
        found.to_string(),
        r#"{"words":[{"name":"red tea"}],"stems":[{"price":3}],"near":[{"name":"red tea"}],"getTag":{"items":[{"name":"red tea"}]}}"#
    );
    let found = data(
        &lab_server,
        r#"{ queryNamed(filter: {name: {anyofterms: "tea"}}) { code }
            querySimilarItemByEmbedding(by: vector, topK: 1, vector: [1, 2]) { name vector_distance } }"#,
    );
    assert_eq!(
        found.to_string(),
        r#"{"queryNamed":[{"code":7}],"querySimilarItemByEmbedding":[{"name":"tea","vector_distance":0}]}"#
    );

    // Commands that read the definitions.
    definitions.done(&["check", &shop], "shop");
    let query = definitions.folder.file("query.graphql");
    fs::write(&query, r#"{ queryItem(filter: {name: {alloftext: "teas"}}) { price } }"#).unwrap();
    let query = definitions.text("query.graphql");
    let explained = definitions.done(&["explain", &shop, &query], "shop");
    assert!(explained.contains(r#""shop"."thalweg_stems"("#), "{explained}");
    assert!(!explained.contains(r#""thalweg""#), "{explained}");

    // Import and export.
    fs::write(definitions.folder.file("Item.csv"), "id,name,price\n,blue tea,4\n").unwrap();
    let file = definitions.text("Item.csv");
    let work = definitions.text("work");
    definitions.done(&["import", &file, "--types", &shop, "--work", &work], "shop");
    let exported = definitions.done(&["export", "--types", &shop], "shop");
    assert!(exported.contains("red tea") && exported.contains("blue tea"), "{exported}");
    let exported = definitions.done(&["export", "--types", &lab], "lab");
    assert_eq!(exported.lines().count(), 1, "{exported}");
    let moved = ["import", "--from", &definitions.url, "--from-schema", "shop"];
    let moved = definitions.done(&moved, "copy");
    assert!(moved.ends_with("Both databases have the same rows.\n"), "{moved}");
    assert_eq!(database.count(r#"SELECT count(*) FROM copy."Item""#), 2);

    // A change of one, and the end of the other.
    fs::write(definitions.folder.file("lab.graphql"), LAB.replace("weight", "mass")).unwrap();
    definitions.done(&["migrate", &lab, "--allow-loss"], "lab");
    definitions.done(&["migrate", &shop, "--check"], "shop");
    drop(shop_server);
    database.execute("DROP SCHEMA shop CASCADE");
    definitions.done(&["migrate", &lab, "--check"], "lab");
    definitions.done(&["migrate", &shop, "--check"], "copy");
    let left = data(&lab_server, r#"{ queryItem(filter: {name: {allofterms: "tea"}}) { id } }"#);
    assert_eq!(left.to_string(), r#"{"queryItem":[{"id":"0x1"}]}"#);

    // Other dialects do not show the objects beside the tables.
    let (code, sdl, error) = definitions.run(&["schema", &definitions.url, "--schema", "copy"]);
    assert_eq!(code, Some(0), "{error}");
    assert!(sdl.contains("type Item") && !sdl.to_lowercase().contains("thalweg"), "{sdl}");
}

#[test]
fn a_schema_of_type_definitions_has_a_plain_name() {
    let Some(database) = Database::on_one("SELECT 1") else { return };
    let definitions = Definitions { folder: Folder::new(), url: database.url() };
    let types = definitions.folder.file("shop.graphql");
    fs::write(&types, SHOP).unwrap();
    let check = |command: &[&str], types: &Path, data: &str, schema: &str, expected: &str| {
        let types = types.to_str().unwrap();
        let own = [types, "--data", data, "--schema", schema];
        let (code, output, error) = definitions.run(&[command, &own].concat());
        assert_ne!(code, Some(0), "{output}");
        assert!(error.contains(expected), "{error}");
    };
    let url = &definitions.url;
    check(&["migrate"], &types, url, "a\"b", "the schema `a\"b` cannot have the tables");
    check(&["serve"], &types, url, "thalweg", "the schema `thalweg` cannot have the tables");
    check(&["schema"], &types, url, "a,b", "`--schema` names one schema");
    let file = definitions.text("shop.db");
    check(&["migrate"], &types, &file, "a", "`--schema` is for PostgreSQL");
}
