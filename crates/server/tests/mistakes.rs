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
    desk.run("a value apart from its flag", "schema shop.db --preset modern --aggregates false");
    desk.run("an option that is misspelt", "serve shop.db --agregates");
    desk.run("an option of another server", "serve shop.db --port 8080");
    desk.run("a value that is none of the words", "serve shop.db --dialect hasra");
    desk.run("a flag that is neither true nor false", "serve shop.db --aggregates=ja");
    desk.run("a size without a unit that is known", "serve shop.db --max-body-size 1mega");
    desk.run("a time without a unit that is known", "serve shop.db --request-timeout 30sek");
    desk.run("an address that is a port", "serve shop.db --listen 8080");
    desk.run("an option of another dialect", "serve shop.db --default-limit 10");
    desk.run("an option without the one that it needs", "serve shop.db --max-batch 10");
    desk.run(
        "options that exclude each other",
        "serve shop.db --nested-mutations --disable-default-mutations",
    );
    desk.run("a preset that is misspelt", "serve shop.db --preset modren");
    desk.check(&expect![[r#"
        # a command that is misspelt
        error: unrecognized subcommand 'serv'
          tip: some similar subcommands exist: 'dev', 'serve'
        # no source
        error: the following required arguments were not provided:
          <SOURCE>
          tip: SOURCE is the database, such as 'shop.db' or 'postgres://localhost/shop'; 'thalweg demo' serves a sample, and 'thalweg init' writes a configuration file
        # two sources
        error: unexpected argument 'other.db' found
          tip: one server has one SOURCE; 'thalweg gateway' joins several databases and servers
        # a value apart from its flag
        error: unexpected argument 'false' found
          tip: write '--aggregates=false'
        # an option that is misspelt
        error: unexpected argument '--agregates' found
          tip: a similar argument exists: '--aggregates'
        # an option of another server
        error: unexpected argument '--port' found
          tip: the address to listen on is '--listen HOST:PORT', such as '--listen 127.0.0.1:8080'
        # a value that is none of the words
        error: invalid value 'hasra' for '--dialect <DIALECT>'
          [possible values: postgraphile, phrag, neo4j, dgraph, hasura, prisma]
          tip: a similar value exists: 'hasura'
        # a flag that is neither true nor false
        error: invalid value 'ja' for '--aggregates[=<BOOL>]': `true` or `false` is wanted
        # a size without a unit that is known
        error: invalid value '1mega' for '--max-body-size <SIZE>': a size is wanted, such as `1MiB`, `64KiB` or `4096`
        # a time without a unit that is known
        error: invalid value '30sek' for '--request-timeout <TIME>': a time is wanted, such as `30s`, `250ms` or `5m`
        # an address that is a port
        error: invalid value '8080' for '--listen <ADDRESSES>': invalid socket address; write it as HOST:PORT, such as 127.0.0.1:4000, or as unix:PATH
        # an option of another dialect
        error: `--default-limit` needs `--dialect phrag`; `--help-all` lists the options
        # an option without the one that it needs
        error: `--max-batch` needs `--batching`; `--help-all` lists the options
        # options that exclude each other
        error: the argument '--nested-mutations[=<BOOL>]' cannot be used with '--disable-default-mutations[=<BOOL>]'
        # a preset that is misspelt
        error: invalid value 'modren' for '--preset <NAME>'
          [possible values: modern, postgraphile5]
          tip: a similar value exists: 'modern'
    "#]]);
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
    desk.run(
        "type definitions that are not there",
        "serve neo4j://127.0.0.1:1 --types none.graphql",
    );
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
    desk.check(&expect![[r#"
        # an address without its scheme
        error: there is no file localhost:5432/shop; the address of a PostgreSQL database is `postgres://localhost:5432/shop`
        # the same with a user
        error: there is no file ann:…@localhost/shop; the address of a PostgreSQL database is `postgres://…@localhost/shop`
        # a database that is not supported
        error: `mysql://` is no known source; use a path, `sqlite:…`, `postgres://…` or `neo4j://…`
        # a scheme that is misspelt
        error: `postgrs://` is no known source; did you mean `postgres://…`?
        # a file that is not there
        error: there is no file shopp.db; give the path of a SQLite file, or a postgres:// or neo4j:// address
        # a folder
        error: folder is a folder; give the path of a SQLite file in it, or a postgres:// or neo4j:// address
        # a file that is no database
        error: cannot open text.db: file is not a database; give the path of a SQLite file
        # a graph in another dialect
        error: a graph is served with `--dialect neo4j` only; `--help-all` lists the options
        # no graph database there
        error: cannot connect to Neo4j: 127.0.0.1:1: Connection refused (os error 111); start Neo4j there, or correct the address, the user and the password
        # type definitions that are not there
        error: the type definitions none.graphql: No such file or directory (os error 2); `thalweg types` generates them from the graph
        # a supergraph for a server
        error: `supergraph.graphql` names a supergraph, which `thalweg gateway` serves
        # a database for a gateway
        error: the supergraph shop.db is not UTF-8; `thalweg serve` serves a database
        # a supergraph that is not there
        error: cannot read the supergraph supergraph.graphql: No such file or directory (os error 2)
        # a key of YAML that is misspelt
        error: subgraphs.yaml:3:5: a subgraph has no `routing_ul`; `routing_url` is one
        error: subgraphs.yaml:3:5: the subgraph `a` has neither `schema` nor `source`
        # a type that is misspelt
        error: definitions.graphql, line 2, column 3: Person.name: the type `Strin` is not defined: did you mean String?
        # a directive that is misspelt
        error: definitions.graphql, line 2, column 17: Person.name: `@serch` is unknown: did you mean search or secret?
        # type definitions with a syntax error
        error: definitions.graphql, line 2, column 8: definitions: syntax error: expected a type: correct the syntax
        error: definitions.graphql, line 3, column 1: definitions: syntax error: expected a type: correct the syntax
        # a dialect without its database
        error: `--dialect dgraph` needs a file of type definitions as SOURCE, and `--data` with the database; `--help-all` lists the options
        # metadata that is not there
        error: cannot read the metadata in none: No such file or directory (os error 2)
        # an address that another program uses
        error: another program uses ADDRESS already; choose another address with --listen
    "#]]);
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
        (
            "options that exclude each other",
            "nested-mutations = true\ndisable-default-mutations = true",
        ),
        ("two values", "max-depth = 3\nmax-depth = 4"),
    ] {
        desk.write("thalweg.toml", text);
        desk.run(mistake, "schema shop.db");
    }
    fs::remove_file(desk.folder.file("thalweg.toml")).unwrap();
    desk.run("a file that is not there", "schema shop.db --config none.toml");
    desk.check(&expect![[r##"
        # an option that is misspelt
        error: thalweg.toml:1:1: there is no option `agregates`; `aggregates` is one
        # an underscore
        error: thalweg.toml:1:1: there is no option `max_depth`; `max-depth` is one
        # an option of another server
        error: thalweg.toml:1:1: there is no option `port`; the address to listen on is `listen`, such as `listen = "127.0.0.1:4000"`
        # a text for a number
        error: thalweg.toml:1:13: `max-depth`: a whole number is wanted, without quotes
        # a text for a flag
        error: thalweg.toml:1:14: `aggregates`: `true` or `false` is wanted, without quotes
        # a word that is misspelt
        error: thalweg.toml:1:11: `dialect`: `postgraphil` cannot be used: "postgraphile", "phrag", "neo4j", "dgraph", "hasura" or "prisma" is wanted
        # a string without quotes
        error: thalweg.toml:1:15: `listen`: strings need quotes, as in `listen = "..."`
        # a table
        error: thalweg.toml:1:2: there is no option `server`; options are not in tables
        # a variable that is not set
        error: thalweg.toml:1:10: `source`: the environment variable `MISSING_ADDRESS` is not set; `${MISSING_ADDRESS:-…}` gives a default
        # options that exclude each other
        error: the argument '--disable-default-mutations[=<BOOL>]' cannot be used with '--nested-mutations[=<BOOL>]'
        note: `disable-default-mutations` stands in thalweg.toml:2
        note: `nested-mutations` stands in thalweg.toml:1
        # two values
        error: thalweg.toml:2:1: duplicate key
        # a file that is not there
        error: cannot read the configuration file none.toml: No such file or directory (os error 2)
    "##]]);
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
        (
            "a role that is misspelt",
            format!("default_role = 'readr'\n{}", reading("{ columns = '*' }")),
        ),
        ("a role to inherit from", format!("{}inherits = ['readr']", reading("{ columns = '*' }"))),
    ] {
        desk.write("policies.toml", &text);
        desk.run(mistake, "schema shop.db --policies policies.toml");
    }
    desk.check(&expect![[r##"
        # a table that is misspelt
        error: the policies do not fit the source: line 1: the source has no table or view `artists` (did you mean `artist`?)
        # a column that is misspelt
        error: the policies do not fit the source: line 3: `artist` has no column `nme` (did you mean `name`?)
        # a column of a condition
        error: the policies do not fit the source: line 3: `artist` has no column `nme` (did you mean `name`?)
        # an operator
        error: the policy file policies.toml: line 3: a condition on a column has no `equals`; did you mean `eq`?
        # a claim
        error: the policy file policies.toml: line 3: a value is wanted, or `{ claim = "name" }`
        # the key of the table
        error: the policy file policies.toml: line 1: a rule names its `entity`: a table or a view of the source
        error: the policy file policies.toml: line 2: a rule has no `table`; did you mean `entity`?
        # a word of SQL
        error: the policy file policies.toml: line 3: a rule has no `select`; did you mean `read`?
        # the key of rules
        error: the policy file policies.toml: line 1: the file has no `rule`; did you mean `rules`?
        # a rule that is not there
        error: the policies do not fit the source: line 4: there is no rule `b` (did you mean `a`?)
        # a role that is misspelt
        error: the policies do not fit the source: line 1: `default_role`: there is no role `readr` (did you mean `reader`?)
        # a role to inherit from
        error: the policies do not fit the source: line 4: there is no role `readr` to inherit from (did you mean `reader`?)
    "##]]);
}

#[test]
fn mistakes_of_tls_and_tokens() {
    let mut desk = Desk::new();
    desk.run("a certificate without its key", "serve shop.db --tls-certificate a.pem");
    desk.run(
        "a certificate that is not there",
        "serve shop.db --tls-certificate a.pem --tls-key a.pem",
    );
    desk.write("a.pem", "no certificate\n");
    desk.run(
        "a file that is no certificate",
        "serve shop.db --tls-certificate a.pem --tls-key a.pem",
    );
    let certificate = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let other = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    desk.write("a.pem", &certificate.cert.pem());
    desk.write("b.pem", &other.signing_key.serialize_pem());
    desk.run(
        "the key of another certificate",
        "serve shop.db --tls-certificate a.pem --tls-key b.pem",
    );
    desk.run("tokens without policies", "serve shop.db --jwt-secret secret");
    let graph = "serve neo4j://127.0.0.1:1";
    desk.run("an algorithm", &format!("{graph} --jwt-secret x --jwt-verify-algorithms HS255"));
    desk.run("keys over HTTP", &format!("{graph} --jwt-jwks http://issuer.example/keys"));
    desk.run("public keys of many clients", &format!("{graph} --jwt-public-key a.pem"));
    desk.check(&expect![[r#"
        # a certificate without its key
        error: the following required arguments were not provided:
          --tls-key <FILE>
        # a certificate that is not there
        error: cannot read a.pem: No such file or directory (os error 2)
        # a file that is no certificate
        error: there is no certificate in a.pem; `-----BEGIN CERTIFICATE-----` begins one
        # the key of another certificate
        error: the private key in b.pem is not that of the certificate in a.pem; `--tls-key` is the key with which it was requested
        # tokens without policies
        error: `--jwt-secret` has no effect on SQLite by itself: `--policies` defines the permissions of roles, and `--require-token` refuses unauthenticated requests; `--help-all` lists the options
        # an algorithm
        error: invalid value 'HS255' for '--jwt-verify-algorithms <ALGORITHMS>': one of HS256, HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA is wanted
        # keys over HTTP
        error: invalid value 'http://issuer.example/keys' for '--jwt-jwks <URL>': `http://` is only for addresses of this machine; what comes over it can be changed on the way: use `https://`
        # public keys of many clients
        error: `--jwt-verify-audience` is required with public keys: the issuer has other clients, whose tokens must be refused; `--jwt-verify-audience '*'` accepts those of all; `--help-all` lists the options
    "#]]);
}

#[test]
fn mistakes_of_first_requests() {
    let mut desk = Desk::new();
    let server = Server::sample();
    let mut ask = |mistake: &str, content_type: &str, body: &str| {
        let head = format!("POST /graphql HTTP/1.1\r\nHost: test\r\n{content_type}");
        let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
        let answer = server.send(request.as_bytes());
        let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        let message = body["errors"][0]["message"].as_str().unwrap_or_else(|| panic!("{body}"));
        desk.tell(mistake, &format!("{} {message}", answer.status));
    };
    const JSON: &str = "Content-Type: application/json\r\n";
    let query = |text: &str| serde_json::json!({ "query": text }).to_string();
    for (mistake, text) in [
        ("a field that is misspelt", "{ allArtist { nodes { id } } }"),
        ("no selection", "{ allArtists }"),
        ("a selection of a value", "{ allArtists { nodes { id { x } } } }"),
        ("an argument of another API", "{ allArtists(limit: 3) { nodes { id } } }"),
        ("a text for a number", "{ allArtists(first: \"3\") { nodes { id } } }"),
        ("a variable that is not declared", "{ allArtists(first: $n) { nodes { id } } }"),
        (
            "a variable without a value",
            "query($n: Int!) { allArtists(first: $n) { nodes { id } } }",
        ),
        ("a value of an enum", "{ allArtists(orderBy: NAME_ASCENDING) { nodes { id } } }"),
        ("a brace that is not closed", "{ allArtists { nodes { id } }"),
        ("a parenthesis that is not closed", "{ allArtists(first: 3 { nodes { id } } }"),
        ("an empty document", ""),
        ("a type that is misspelt", "{ allArtists { nodes { ...F } } } fragment F on Artst { id }"),
        ("two operations without a name", "query A { __typename } query B { __typename }"),
        (
            "a column that is misspelt",
            "mutation { createArtist(input: {artist: {nme: 1}}) { query { __typename } } }",
        ),
        (
            "a key that is there",
            "mutation { createArtist(input: {artist: {id: 1}}) { query { __typename } } }",
        ),
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
    desk.check(&expect![[r##"
        # a field that is misspelt
        200 Cannot query field "allArtist" on type "Query". Did you mean "allArtists", "artist", or "playlist"?
        # no selection
        200 Field "allArtists" of type "Query" must have a selection of subfields. Did you mean "allArtists { ... }"?
        # a selection of a value
        200 Field "id" must not have a selection since type "Int" has no subfields
        # an argument of another API
        200 Unknown argument "limit" on field "Query.allArtists". Did you mean "first" or "last"?
        # a text for a number
        200 Int cannot represent value: "3"
        # a variable that is not declared
        200 Variable "$n" is not defined.
        # a variable without a value
        200 Variable "$n" of required type "Int!" was not provided.
        # a value of an enum
        200 Value "NAME_ASCENDING" does not exist in "ArtistsOrderBy" enum. Did you mean the enum value "NAME_ASC"?
        # a brace that is not closed
        200 syntax error: expected `}`, got the end of the document
        # a parenthesis that is not closed
        200 syntax error: expected `)`, got {
        # an empty document
        200 syntax error: Unexpected <EOF>.
        # a type that is misspelt
        200 Unknown type "Artst". Did you mean "Artist"?
        # two operations without a name
        200 Must provide operation name if query contains multiple operations.
        # a column that is misspelt
        200 Field "nme" is not defined by type "ArtistInput". Did you mean "name"?
        # a key that is there
        200 There is a row already that has the same value of a unique key.
        # a subscription that is off
        200 The schema has no "subscription" root type defined
        # no query
        400 Must provide "query".
        # a body that is no JSON
        400 The request body is not valid JSON: key must be a string at line 1 column 3.
        # no Content-Type
        415 The "Content-Type" of the request must be "application/json", in UTF-8.
        # a batch
        400 Batches of requests are not supported (--batching).
        # a mutation by GET
        405 Only queries can be sent by GET; send a mutation by POST.
        # GET without a query
        400 Must provide "query".
        # a path that is misspelt
        404 There is nothing at this path; the API is at /graphql.
    "##]]);
}

#[test]
fn mistakes_with_postgres() {
    let Some(database) = Database::on_one("CREATE TABLE song (id int PRIMARY KEY)") else { return };
    let mut desk = Desk::new();
    let url = database.url_by(database.port());
    let port = database.port().to_string();
    desk.names.push((format!(":{port}"), ":PORT"));
    for reason in ["Name or service not known", "Temporary failure in name resolution"] {
        desk.names.push((reason.to_owned(), "REASON"));
    }
    let (before, _) = url.rsplit_once('/').unwrap();
    let (_, host) = url.rsplit_once('@').unwrap();
    desk.run("a server that is not there", "schema postgres://127.0.0.1:1/shop");
    desk.run("a host that is misspelt", "schema postgres://postgres@host.invalid/shop");
    desk.run("a database that is misspelt", &format!("schema {before}/missing"));
    desk.run("a user that is misspelt", &format!("schema postgres://nobody@{host}"));
    desk.run("a schema that is misspelt", &format!("schema {url} --schema pulic"));
    desk.check(&expect![[r##"
        # a server that is not there
        error: cannot connect to PostgreSQL: 127.0.0.1:1: Connection refused (os error 111); start PostgreSQL there, or correct the host and the port of the address
        # a host that is misspelt
        error: cannot connect to PostgreSQL: host.invalid:5432: failed to lookup address information: REASON; start PostgreSQL there, or correct the host and the port of the address
        # a database that is misspelt
        error: cannot connect to PostgreSQL: database "missing" does not exist (3D000); correct the database of the address, or create it with `createdb`
        # a user that is misspelt
        error: cannot connect to PostgreSQL: role "nobody" does not exist (28000); correct the user of the address, postgres://…@HOST/DATABASE, or pg_hba.conf
        # a schema that is misspelt
        error: cannot read the schema of the database: there is no schema pulic; this database has the schemas public
    "##]]);
}
