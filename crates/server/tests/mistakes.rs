//! Mistakes of a newcomer, each with the whole answer: it says what is wrong, and what to do.

use std::fs;
use std::net::TcpListener;

use expect_test::{Expect, expect};

use crate::databases::Database;
use crate::program::{Folder, Server, outcome, thalweg};

/// The text of the error stream for each command line, in a folder with the sample.
struct Desk {
    folder: Folder,
    /// The names of what differs in each run, with what stands for them.
    names: Vec<(String, &'static str)>,
    told: String,
}

impl Desk {
    fn new() -> Self {
        let folder = Folder::new();
        drop(Server::demo(&folder.file("shop.db")));
        Self { folder, names: Vec::new(), told: String::new() }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.file(name), text).unwrap();
    }

    /// Adds a mistake: its name, and the words of the command line.
    fn run(&mut self, mistake: &str, words: &str) {
        let arguments: Vec<&str> = words.split_whitespace().collect();
        let mut command = thalweg(&arguments);
        let output = command.current_dir(&self.folder.0).output().unwrap();
        let (code, _, error) = outcome(&output);
        assert!(matches!(code, Some(1 | 2)), "{mistake}: {code:?} {error}");
        // The usage and the way to the help follow each error of the command line.
        let lines = error.lines().filter(|line| {
            !line.is_empty() && !line.starts_with("Usage:") && !line.starts_with("For more")
        });
        self.tell(mistake, &lines.collect::<Vec<_>>().join("\n"));
    }

    fn tell(&mut self, mistake: &str, text: &str) {
        let mut text = text.trim_end().to_owned();
        for (name, instead) in &self.names {
            text = text.replace(name, instead);
        }
        self.told.push_str(&format!("# {mistake}\n{text}\n"));
    }

    fn check(&self, expected: &Expect) {
        expected.assert_eq(&self.told);
    }
}

#[test]
fn mistakes_of_the_command_line() {
    let mut desk = Desk::new();
    desk.run("a command that is misspelt", "serv shop.db");
    desk.run("no source", "serve");
    desk.run("two sources", "serve shop.db other.db");
    desk.run("an option that is misspelt", "serve shop.db --agregates");
    desk.run("an option of another server", "serve shop.db --port 8080");
    desk.run("a value that is none of the words", "serve shop.db --dialect hasra");
    desk.run("a flag that is neither true nor false", "serve shop.db --aggregates=ja");
    desk.run("a size without a unit that is known", "serve shop.db --max-body-size 1mega");
    desk.run("a time without a unit that is known", "serve shop.db --request-timeout 30sek");
    desk.run("an address that is a port", "serve shop.db --listen 8080");
    desk.run("an option of another dialect", "serve shop.db --default-limit 10");
    desk.run("an option without the one that it needs", "serve shop.db --max-batch 10");
    desk.run("options that exclude each other", "serve shop.db --nested-mutations --disable-default-mutations");
    desk.run("a preset that is misspelt", "serve shop.db --preset modren");
    desk.check(&expect![[""]]);
}

#[test]
fn mistakes_of_addresses_and_files() {
    let mut desk = Desk::new();
    fs::create_dir(desk.folder.file("folder")).unwrap();
    desk.write("text.db", "This is a text, and no database, but long enough to be read as one.");
    desk.run("an address without its scheme", "serve localhost:5432/shop");
    desk.run("the same with a user", "serve ann:hunter2@localhost/shop");
    desk.run("a database that is not supported", "serve mysql://localhost/shop");
    desk.run("a scheme that is misspelt", "serve postgrs://localhost/shop");
    desk.run("a file that is not there", "serve shopp.db");
    desk.run("a folder", "serve folder");
    desk.run("a file that is no database", "serve text.db");
    desk.run("a graph in another dialect", "serve neo4j://127.0.0.1:1 --dialect hasura");
    desk.run("no graph database there", "serve neo4j://127.0.0.1:1");
    desk.run("type definitions that are not there", "serve neo4j://127.0.0.1:1 --types none.graphql");
    desk.run("a supergraph for a server", "serve supergraph.graphql");
    desk.run("a database for a gateway", "gateway shop.db");
    desk.run("a supergraph that is not there", "gateway supergraph.graphql");
    desk.write("subgraphs.yaml", "subgraphs:\n  a:\n    routing_ul: http://localhost:1\n");
    desk.run("a key of YAML that is misspelt", "gateway subgraphs.yaml");
    desk.write("definitions.graphql", "type Person {\n  name: Strin\n}\n");
    desk.run("a type that is misspelt", "serve definitions.graphql --data d.db");
    desk.write("definitions.graphql", "type Person {\n  name: String @serch\n}\n");
    desk.run("a directive that is misspelt", "serve definitions.graphql --data d.db");
    desk.write("definitions.graphql", "type Person {\n  name String\n}\n");
    desk.run("type definitions with a syntax error", "serve definitions.graphql --data d.db");
    desk.run("a dialect without its database", "serve shop.db --dialect dgraph");
    desk.run("metadata that is not there", "serve shop.db --dialect hasura --metadata none");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    desk.names.push((address.clone(), "ADDRESS"));
    desk.run("an address that another program uses", &format!("serve shop.db --listen {address}"));
    desk.check(&expect![[""]]);
}

#[test]
fn mistakes_of_the_configuration_file() {
    let mut desk = Desk::new();
    for (mistake, text) in [
        ("an option that is misspelt", "agregates = true"),
        ("an underscore", "max_depth = 3"),
        ("an option of another server", "port = 4000"),
        ("a text for a number", "max-depth = 'deep'"),
        ("a text for a flag", "aggregates = 'yes'"),
        ("a word that is misspelt", "dialect = 'postgraphil'"),
        ("a string without quotes", "listen = 127.0.0.1:4000"),
        ("a table", "[server]\nlisten = '127.0.0.1:4000'"),
        ("a variable that is not set", "source = '${MISSING_ADDRESS}'"),
        ("options that exclude each other", "nested-mutations = true\ndisable-default-mutations = true"),
        ("two values", "max-depth = 3\nmax-depth = 4"),
    ] {
        desk.write("thalweg.toml", text);
        desk.run(mistake, "schema shop.db");
    }
    fs::remove_file(desk.folder.file("thalweg.toml")).unwrap();
    desk.run("a file that is not there", "schema shop.db --config none.toml");
    desk.check(&expect![[""]]);
}

#[test]
fn mistakes_of_policies() {
    let mut desk = Desk::new();
    let rule = |body: &str| format!("[rules.a]\n{body}\n[roles.reader]\nrules = ['a']\n");
    let reading = |read: &str| rule(&format!("entity = 'artist'\nread = {read}"));
    for (mistake, text) in [
        ("a table that is misspelt", rule("entity = 'artists'\nread = { columns = '*' }")),
        ("a column that is misspelt", reading("{ columns = ['nme'] }")),
        ("a column of a condition", reading("{ columns = '*', rows = { nme = { eq = 1 } } }")),
        ("an operator", reading("{ columns = '*', rows = { id = { equals = 1 } } }")),
        ("a claim", reading("{ columns = '*', rows = { id = { eq = { clam = 'x' } } } }")),
        ("the key of the table", rule("table = 'artist'\nread = { columns = '*' }")),
        ("a word of SQL", rule("entity = 'artist'\nselect = { columns = '*' }")),
        ("the key of rules", reading("{ columns = '*' }").replace("[rules.", "[rule.")),
        ("a rule that is not there", reading("{ columns = '*' }").replace("['a']", "['b']")),
        ("a role that is misspelt", format!("default_role = 'readr'\n{}", reading("{ columns = '*' }"))),
        ("a role to inherit from", format!("{}inherits = ['readr']", reading("{ columns = '*' }"))),
    ] {
        desk.write("policies.toml", &text);
        desk.run(mistake, "schema shop.db --policies policies.toml");
    }
    desk.check(&expect![[""]]);
}

#[test]
fn mistakes_of_tls_and_tokens() {
    let mut desk = Desk::new();
    desk.run("a certificate without its key", "serve shop.db --tls-certificate a.pem");
    desk.run("a certificate that is not there", "serve shop.db --tls-certificate a.pem --tls-key a.pem");
    desk.write("a.pem", "no certificate\n");
    desk.run("a file that is no certificate", "serve shop.db --tls-certificate a.pem --tls-key a.pem");
    let certificate = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let other = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    desk.write("a.pem", &certificate.cert.pem());
    desk.write("b.pem", &other.signing_key.serialize_pem());
    desk.run("the key of another certificate", "serve shop.db --tls-certificate a.pem --tls-key b.pem");
    desk.run("tokens without policies", "serve shop.db --jwt-secret secret");
    let graph = "serve neo4j://127.0.0.1:1";
    desk.run("an algorithm", &format!("{graph} --jwt-secret x --jwt-verify-algorithms HS255"));
    desk.run("keys over HTTP", &format!("{graph} --jwt-jwks http://issuer.example/keys"));
    desk.run("public keys of many clients", &format!("{graph} --jwt-public-key a.pem"));
    desk.check(&expect![[""]]);
}

const JSON: &str = "Content-Type: application/json\r\n";

#[test]
fn mistakes_of_first_requests() {
    let mut desk = Desk::new();
    let server = Server::sample();
    let mut ask = |mistake: &str, headers: &str, body: &str| {
        let answer = server.post(headers, body);
        let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        let message = body["errors"][0]["message"].as_str().unwrap_or_else(|| panic!("{body}"));
        desk.tell(mistake, &format!("{} {message}", answer.status));
    };
    let query = |text: &str| serde_json::json!({ "query": text }).to_string();
    for (mistake, text) in [
        ("a field that is misspelt", "{ allArtist { nodes { id } } }"),
        ("no selection", "{ allArtists }"),
        ("a selection of a value", "{ allArtists { nodes { id { x } } } }"),
        ("an argument of another API", "{ allArtists(limit: 3) { nodes { id } } }"),
        ("a text for a number", "{ allArtists(first: \"3\") { nodes { id } } }"),
        ("a variable that is not declared", "{ allArtists(first: $n) { nodes { id } } }"),
        ("a variable without a value", "query($n: Int!) { allArtists(first: $n) { nodes { id } } }"),
        ("a value of an enum", "{ allArtists(orderBy: NAME_ASCENDING) { nodes { id } } }"),
        ("a brace that is not closed", "{ allArtists { nodes { id } }"),
        ("a parenthesis that is not closed", "{ allArtists(first: 3 { nodes { id } } }"),
        ("an empty document", ""),
        ("a type that is misspelt", "{ allArtists { nodes { ...F } } } fragment F on Artst { id }"),
        ("two operations without a name", "query A { __typename } query B { __typename }"),
        ("a column that is misspelt", "mutation { createArtist(input: {artist: {nme: 1}}) { query { __typename } } }"),
        ("a key that is there", "mutation { createArtist(input: {artist: {id: 1}}) { query { __typename } } }"),
        ("a subscription that is off", "subscription { allArtists { nodes { id } } }"),
    ] {
        ask(mistake, JSON, &query(text));
    }
    ask("no query", JSON, r#"{"qery":"{ __typename }"}"#);
    ask("a body that is no JSON", JSON, "{ allArtists { nodes { id } } }");
    ask("no Content-Type", "", &query("{ __typename }"));
    ask("a batch", JSON, &format!("[{}]", query("{ __typename }")));
    let mut get = |mistake: &str, target: &str| {
        let answer = server.get(target, "Accept: application/json\r\n");
        let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        let message = body["errors"][0]["message"].as_str().unwrap();
        desk.tell(mistake, &format!("{} {message}", answer.status));
    };
    let mutation = "mutation%20%7BdeleteArtistById(input:%7Bid:1%7D)%7BclientMutationId%7D%7D";
    get("a mutation by GET", &format!("/graphql?query={mutation}"));
    get("GET without a query", "/graphql");
    get("a path that is misspelt", "/grapql");
    desk.check(&expect![[""]]);
}

#[test]
fn mistakes_with_postgres() {
    let Some(database) = Database::on_one("CREATE TABLE song (id int PRIMARY KEY)") else { return };
    let mut desk = Desk::new();
    let url = database.url();
    let port = database.port().to_string();
    desk.names.push((format!(":{port}"), ":PORT"));
    let (before, _) = url.rsplit_once('/').unwrap();
    desk.run("a server that is not there", "schema postgres://127.0.0.1:1/shop");
    desk.run("a host that is misspelt", "schema postgres://host.invalid/shop");
    desk.run("a database that is misspelt", &format!("schema {before}/missing"));
    let user = before.split("//").nth(1).and_then(|rest| rest.split(['@', ':']).next()).unwrap();
    desk.run("a user that is misspelt", &format!("schema {}", url.replacen(user, "nobody", 1)));
    desk.run("a schema that is misspelt", &format!("schema {url} --schema pulic"));
    desk.check(&expect![[""]]);
}
