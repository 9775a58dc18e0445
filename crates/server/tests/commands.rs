//! The commands, run as a user runs them.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::process::Stdio;

use testkit::postgres::{required_installations, shared};

use crate::program::{Folder, Server, outcome, run, thalweg};

/// The sample in a file, made by a demo that has ended.
fn sample(folder: &Folder) -> String {
    let file = folder.file("shop.db");
    drop(Server::demo(&file));
    file.to_str().unwrap().to_owned()
}

fn check_failure(arguments: &[&str], code: i32, message: &str) {
    let expected = (Some(code), String::new(), message.to_owned());
    assert_eq!(outcome(&run(arguments)), expected, "{arguments:?}");
}

/// The commands with options, those within `events` too.
const COMMANDS: &[&str] = &[
    "serve",
    "gateway",
    "dev",
    "compose",
    "schema",
    "explain",
    "check",
    "demo",
    "migrate",
    "backup",
    "restore",
    "import",
    "export",
    "triggers",
    "events install",
    "events list",
    "events redeliver",
    "events invoke",
    "events schedule",
    "contract",
    "diff",
    "import-metadata",
    "top",
    "token",
];

/// The words that print the whole help of a command.
fn words(command: &str) -> Vec<&str> {
    command.split(' ').chain(["--help-all"]).collect()
}

#[test]
fn help_names_every_command_and_the_version_is_printed() {
    let (code, help, _) = outcome(&run(&["--help"]));
    assert_eq!(code, Some(0));
    for command in COMMANDS {
        let name = command.split(' ').next().unwrap();
        assert!(help.contains(&format!("\n  {name} ")), "{name} is missing in {help}");
    }
    let version = format!("thalweg {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(outcome(&run(&["--version"])), (Some(0), version, String::new()));
}

#[test]
fn every_option_can_be_given_in_the_environment() {
    for command in COMMANDS {
        let (_, help, _) = outcome(&run(&words(command)));
        // `-h` and `-V` have a short name too, and so do not begin with two dashes.
        let options = help.lines().filter_map(|line| line.trim().strip_prefix("--"));
        for option in options.filter(|option| !option.starts_with("help-all")) {
            let name = option.split([' ', '[']).next().unwrap().to_uppercase().replace('-', "_");
            let variable = ["[env: THALWEG_", &name].concat();
            assert!(help.contains(&variable), "{command}: {option} has no {variable}: {help}");
        }
    }
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    check_failure(
        &["schema", "shop.db", "--default-limit", "10"],
        2,
        "error: `--default-limit` needs `--dialect phrag`; `--help-all` lists the options\n",
    );
    check_failure(
        &["schema", "shop.db", "--dialect", "phrag", "--simple-collections", "only"],
        2,
        "error: `--simple-collections` needs `--dialect postgraphile`; `--help-all` lists the options\n",
    );
    check_failure(
        &["schema", "shop.db", "--federation-extend", "subgraph.graphql"],
        2,
        "error: `--federation-extend` needs `--federation`; `--help-all` lists the options\n",
    );
    let (code, _, error) = outcome(&run(&["serve", "shop.db", "--listen", "localhost"]));
    assert_eq!(code, Some(2));
    assert!(error.contains("write it as HOST:PORT, such as 127.0.0.1:4000"), "{error}");
}

#[test]
fn options_that_decide_nothing_on_a_source_are_refused_with_the_remedy() {
    let secret = "0123456789abcdef0123456789abcdef";
    let check = |words: &[&str], messages: &[&str]| {
        let (code, _, error) = outcome(&run(words));
        assert_eq!(code, Some(2), "{words:?}: {error}");
        for message in messages {
            assert!(error.contains(message), "{words:?}: {message} is missing in {error}");
        }
    };
    check(
        &["serve", "shop.db", "--jwt-secret", secret, "--default-role", "visitor"],
        &[
            "`--jwt-secret` has no effect on SQLite by itself: `--policies` defines",
            "`--default-role` is for PostgreSQL, and the source is an SQLite file: unauthenticated requests",
        ],
    );
    check(&["demo", "--pg-setting", "app.a=b"], &["`--pg-setting` is for PostgreSQL"]);
    check(&["schema", "shop.db", "--schema", "app"], &["`--schema` is for PostgreSQL"]);
    check(&["serve", "shop.db", "--no-ignore-rbac"], &["`--no-ignore-rbac` is for PostgreSQL"]);
    check(&["serve", "shop.db", "--max-batch", "3"], &["`--max-batch` needs `--batching`"]);
}

#[test]
fn options_of_postgraphile_are_refused_for_phrag() {
    let options: [&[&str]; 12] = [
        &["--classic-ids"],
        &["--dynamic-json"],
        &["--geometric-types"],
        &["--include-extension-resources"],
        &["--legacy-relations", "omit"],
        &["--network-scalars"],
        &["--no-ignore-indexes"],
        &["--no-node-ids"],
        &["--no-setof-functions-contain-nulls"],
        &["--simplified-names"],
        &["--tags-file", "tags.json5"],
        &["--view-unique-key", "id"],
    ];
    for option in options {
        let arguments = [&["schema", "shop.db", "--dialect", "phrag"], option].concat();
        let message = "needs `--dialect postgraphile`; `--help-all` lists the options";
        check_failure(&arguments, 2, &format!("error: `{}` {message}\n", option[0]));
    }
    let (code, _, error) = outcome(&run(&["schema", "shop.db", "--omit-list-suffix"]));
    assert_eq!(code, Some(2));
    assert!(error.contains("--simplified-names"), "{error}");
}

#[test]
fn a_tags_file_gives_names_and_what_is_wrong_with_one_is_said() {
    let folder = Folder::new();
    let database = sample(&folder);
    let check = |text: &str, expected: &str| {
        let file = folder.file("tags.json5");
        fs::write(&file, text).unwrap();
        let arguments = ["schema", &database, "--tags-file", file.to_str().unwrap()];
        let (code, _, error) = outcome(&run(&arguments));
        assert_eq!(code, Some(2), "{text}");
        assert!(error.contains(expected), "{text}: {error}");
    };
    check("{ version: 1, config: { class: ", "tags.json5");
    check("{ version: 3, config: {} }", "the version is 3; only version 1 is known");
    check("{ version: 1, config: { classes: {} } }", "unknown field `classes`");
    let file = folder.file("tags.json5");
    fs::write(&file, "{ version: 1, config: { class: { artist: { tags: { name: 'band' } } } } }")
        .unwrap();
    let arguments = ["schema", &database, "--tags-file", file.to_str().unwrap()];
    let (code, schema, error) = outcome(&run(&arguments));
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert!(schema.contains("allBands("), "{schema}");
    let (code, _, error) =
        outcome(&run(&["schema", &database, "--tags-file", "no-such-file.json5"]));
    assert_eq!(code, Some(2));
    assert!(error.contains("the tags file no-such-file.json5: "), "{error}");
}

#[test]
fn a_source_of_an_unknown_kind_is_one_sentence() {
    check_failure(
        &["schema", "mysql://localhost/shop"],
        1,
        "error: `mysql://` is no known source; use a path, `sqlite:…`, `postgres://…` or \
         `neo4j://…`\n",
    );
}

#[test]
fn a_source_that_is_not_there_is_one_sentence() {
    let folder = Folder::new();
    let missing = folder.file("missing.db");
    for source in [missing.to_str().unwrap(), "postgres://nobody@127.0.0.1:1/nothing"] {
        for command in ["schema", "check"] {
            let (code, output, error) = outcome(&run(&[command, source]));
            assert_eq!((code, output.as_str()), (Some(1), ""), "{error}");
            assert!(error.starts_with("error: ") && error.lines().count() == 1, "{error}");
            assert!(!error.contains("Error {") && !error.contains("panicked"), "{error}");
        }
    }
    assert!(!missing.exists(), "looking for a database must not make one");
}

#[test]
fn the_demo_makes_its_file_and_uses_it_again() {
    let folder = Folder::new();
    let file = folder.file("shop.db");
    let server = Server::demo(&file);
    let made = format!("Writing the sample shop into {} ... 15607 rows in 11 ", file.display());
    assert!(server.welcome.starts_with(&made), "{}", server.welcome);
    let url = format!("GraphQL is at http://{}/graphql;", server.address);
    assert!(server.welcome.contains(&url), "{}", server.welcome);
    let page = format!(" Open http://{}/ in a browser to query it.", server.address);
    assert!(server.welcome.contains(&page), "{}", server.welcome);
    drop(server);
    let written = fs::metadata(&file).unwrap().modified().unwrap();
    let server = Server::demo(&file);
    let used = format!("Using the sample shop in {}.\n", file.display());
    assert!(server.welcome.starts_with(&used), "{}", server.welcome);
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), written);
    drop(server);
    let names: Vec<_> =
        fs::read_dir(&folder.0).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| !name.to_string_lossy().contains("partial")), "{names:?}");
}

#[test]
fn the_queries_of_the_demo_answer_without_errors() {
    let folder = Folder::new();
    let server = Server::demo(&folder.file("shop.db"));
    let lines: Vec<&str> =
        server.welcome.lines().filter(|line| line.starts_with("curl ")).collect();
    assert_eq!(lines.len(), 3);
    for line in lines {
        let body = line.split_once(" -d '").unwrap().1.strip_suffix('\'').unwrap();
        let answer = server.post("", body);
        assert_eq!(answer.status, 200);
        assert!(answer.body.starts_with(r#"{"data":{""#), "{}", answer.body);
        assert!(
            !answer.body.contains(r#""errors""#) && !answer.body.contains(":null"),
            "{}",
            answer.body
        );
    }
}

#[test]
fn the_demo_leaves_foreign_files_as_they_are() {
    let folder = Folder::new();
    let text = folder.file("letter.txt");
    fs::write(&text, "Dear Ada, this is no database, and it is long enough to be sure.").unwrap();
    let empty = folder.file("empty.db");
    fs::write(&empty, "").unwrap();
    for file in [&text, &empty, &folder.0] {
        let before = fs::metadata(file).unwrap().len();
        let shown = file.to_str().unwrap();
        check_failure(
            &["demo", "--listen", "127.0.0.1:0", "--file", shown],
            1,
            &format!(
                "error: {shown} exists and is not the sample shop; name another file with --file\n"
            ),
        );
        assert_eq!(fs::metadata(file).unwrap().len(), before);
    }
    let nowhere = folder.file("no/folder/shop.db");
    let (code, _, error) =
        outcome(&run(&["demo", "--listen", "127.0.0.1:0", "--file", nowhere.to_str().unwrap()]));
    assert_eq!(code, Some(1));
    assert!(error.ends_with("name another file with --file\n"), "{error}");
}

#[test]
fn a_port_in_use_is_named_and_no_file_is_made() {
    let folder = Folder::new();
    let server = Server::demo(&folder.file("first.db"));
    let address = server.address.to_string();
    let second = folder.file("second.db");
    check_failure(
        &["demo", "--listen", &address, "--file", second.to_str().unwrap()],
        1,
        &format!(
            "error: another program uses {address} already; choose another address with --listen\n"
        ),
    );
    assert!(!second.exists());
}

#[test]
fn the_log_can_be_json() {
    let folder = Folder::new();
    let file = sample(&folder);
    let mut server =
        Server::start(&["demo", "--file", &file, "--listen", "127.0.0.1:0", "--log", "info"]);
    server.signal("TERM");
    assert!(server.child.wait().unwrap().success());
    let mut child = thalweg(&["demo", "--file", &file, "--listen", "127.0.0.1:0"])
        .env("THALWEG_LOG_FORMAT", "json")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut log = std::io::BufReader::new(child.stderr.take().unwrap());
    std::io::BufRead::read_line(&mut log, &mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.starts_with("{\"timestamp\":") && line.ends_with("}\n"), "{line}");
}

#[test]
fn the_schema_is_printed() {
    let folder = Folder::new();
    let file = sample(&folder);
    let (code, schema, error) = outcome(&run(&["schema", &file]));
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert!(schema.contains("\ntype Artist implements Node {\n"), "{schema}");
    assert!(schema.contains("\n  allAlbums("), "{schema}");
    assert!(!schema.contains("\n  allAlbumsList("), "lists are an option: {schema}");
    let (_, both, _) = outcome(&run(&["schema", &file, "--simple-collections", "both"]));
    assert!(both.contains("\n  allAlbumsList("), "{both}");
    let (_, phrag, _) = outcome(&run(&["schema", &file, "--dialect", "phrag"]));
    assert_ne!(phrag, schema);
}

#[test]
fn the_manuals_extension_of_a_subgraph_is_printed_with_the_schema() {
    let folder = Folder::new();
    let file = sample(&folder);
    let manual = include_str!("../../../docs/federation-subgraph.md");
    let extension = manual.split("```graphql\n").find(|block| block.starts_with("extend type"));
    let extension = extension.and_then(|block| block.split("```").next()).unwrap();
    let path = folder.0.join("subgraph.graphql");
    std::fs::write(&path, extension).unwrap();
    let path = path.to_str().unwrap();
    let options = ["schema", &file, "--federation", "--federation-extend", path];
    let (code, schema, error) = outcome(&run(&options));
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert!(schema.starts_with("extend schema @link("), "{schema}");
    let customer = "\ntype Customer implements Node @key(fields: \"customerId\") \
                    @key(fields: \"nodeId\") @tag(name: \"public\") {\n";
    assert!(schema.contains(customer), "{schema}");
    assert!(schema.contains("\n  email: String! @shareable\n"), "{schema}");
    assert!(!schema.contains("_entities"), "{schema}");
    std::fs::write(path, "extend type Customer {\n  shoe: Int @shareable\n}").unwrap();
    let (code, _, error) = outcome(&run(&options));
    assert_eq!(code, Some(1));
    assert!(error.contains("line 2: The API has no field `shoe` of `Customer`."), "{error}");
}

#[test]
fn the_sample_gives_no_cause_for_complaint() {
    let folder = Folder::new();
    let file = sample(&folder);
    let expected = (Some(0), "Nothing found.\n".to_owned(), String::new());
    assert_eq!(outcome(&run(&["check", &file])), expected);
}

#[test]
fn a_source_that_cannot_be_served_says_why() {
    let folder = Folder::new();
    let empty = folder.file("empty.db");
    fs::write(&empty, "").unwrap();
    let empty = empty.to_str().unwrap();
    let reason = format!("here is nothing to serve: {empty} has no table and no view");
    for command in ["serve", "schema"] {
        let (code, _, error) = outcome(&run(&[command, empty]));
        assert_eq!(code, Some(1));
        assert!(error.starts_with(&format!("error: t{reason}")), "{error}");
    }
    let (code, found, error) = outcome(&run(&["check", empty]));
    assert_eq!((code, error.as_str()), (Some(1), ""));
    assert!(found.starts_with(&format!("T{reason}")), "{found}");

    let omitted = folder.file("omitted.db");
    let connection = rusqlite::Connection::open(&omitted).unwrap();
    connection.execute_batch("CREATE TABLE t (id integer PRIMARY KEY)").unwrap();
    let tags = folder.file("tags.json5");
    fs::write(&tags, r#"{version: 1, config: {class: {t: {tags: {omit: true}}}}}"#).unwrap();
    let tags = ["--tags-file", tags.to_str().unwrap()];
    for command in ["serve", "check"] {
        let words = [&[command, omitted.to_str().unwrap()], &tags[..]].concat();
        let (code, found, error) = outcome(&run(&words));
        assert_eq!(code, Some(1));
        let said = [found, error].concat();
        assert!(said.contains("the source has 1 table"), "{said}");
    }

    let path = folder.0.to_str().unwrap();
    for command in ["serve", "check", "schema"] {
        let (code, _, error) = outcome(&run(&[command, path]));
        assert_eq!(code, Some(1));
        let expected = format!("error: {path} is a folder; give the path of a SQLite file in it");
        assert!(error.starts_with(&expected), "{error}");
    }
}

/// Names that need quotes, foreign keys without an index, and what claims one name.
const HOSTILE: &str = r#"
    CREATE SCHEMA "order";
    CREATE SCHEMA "My ""App";
    CREATE TYPE "My ""App".person AS ENUM ('a');
    CREATE TABLE "order"."user" (id int PRIMARY KEY, "end" int, "select" int, a_b int, "aB" int);
    CREATE TABLE "order".person (id int PRIMARY KEY, kind "My ""App".person);
    CREATE TABLE "order"."group" (id int PRIMARY KEY,
        "user" int CONSTRAINT "end" REFERENCES "order"."user",
        x_y int CONSTRAINT "desc" REFERENCES "order"."user",
        "xY" int CONSTRAINT "it's ""here""" REFERENCES "order"."user");
    CREATE TABLE "My ""App"."group" (id int PRIMARY KEY,
        "from" int NOT NULL REFERENCES "order"."group");
    COMMENT ON TABLE "My ""App"."group" IS E'It\'s one.\nC:\\dir';
    CREATE TABLE "order".part (id int, "to" int) PARTITION BY LIST (id);
    CREATE TABLE "order".part1 PARTITION OF "order".part FOR VALUES IN (1);
    CREATE TABLE "order".part2 PARTITION OF "order".part FOR VALUES IN (2);
    ALTER TABLE "order".part1 ADD FOREIGN KEY ("to") REFERENCES "order"."user";
    CREATE FUNCTION "order".user_end("order"."user") RETURNS int LANGUAGE sql STABLE AS 'SELECT 1';
    CREATE FUNCTION "order"."allGroups"() RETURNS int LANGUAGE sql STABLE AS 'SELECT 1';
"#;

/// The statements among what a check of a database prints: those of a line, and those of a remedy.
fn statements(told: &str) -> Vec<&str> {
    let lines = told.lines().map(|line| line.trim_start());
    let lines = lines.map(|line| line.strip_prefix("Remedy: ").unwrap_or(line));
    let is_statement = |line: &&str| {
        ["CREATE ", "ALTER ", "comment on "].iter().any(|begin| line.starts_with(begin))
    };
    lines.filter(is_statement).collect()
}

#[test]
fn the_statements_that_a_check_prints_can_be_run() {
    for installation in required_installations().unwrap() {
        let postgres = shared(&installation).unwrap();
        let name = "check_statements";
        postgres.create_database(name).unwrap();
        postgres.execute(name, HOSTILE).unwrap();
        let url = postgres.url(name);
        let schemas = "order,My \"App";
        let check = || outcome(&run(&["check", &url, "--schema", schemas]));
        let mut kinds = BTreeSet::new();
        let (mut number, mut rounds) = (0, 0);
        let told = loop {
            let (code, told, error) = check();
            let found = statements(&told);
            if code == Some(0) && found.is_empty() {
                break told;
            }
            assert!(!found.is_empty() && rounds < 9, "{told}\n{error}");
            for statement in found {
                number += 1;
                let words: Vec<_> = statement.split(' ').take(3).collect();
                kinds.insert(words.join(" "));
                let statement = statement.replace("new_name", &format!("new_name_{number}"));
                if let Err(error) = postgres.execute(name, &statement) {
                    panic!("{statement}\n{error:?}");
                }
            }
            rounds += 1;
        };
        assert!(!told.contains("Two things claim one name"), "{told}");
        let kinds: Vec<_> = kinds.iter().map(String::as_str).collect();
        let expected = [
            "ALTER TABLE \"order\".\"part\"",
            "CREATE INDEX CONCURRENTLY",
            "CREATE INDEX ON",
            "comment on column",
            "comment on constraint",
            "comment on function",
            "comment on table",
            "comment on type",
        ];
        assert_eq!(kinds, expected);
    }
}

#[test]
fn an_operation_is_explained_from_a_file_and_from_the_standard_input() {
    let folder = Folder::new();
    let file = sample(&folder);
    let document = folder.file("artist.graphql");
    let text = "query ($id: Int!) { artistById(id: $id) { name } }";
    fs::write(&document, text).unwrap();
    let arguments = ["explain", &file, document.to_str().unwrap(), "--variables", "{\"id\": 127}"];
    let (code, explanation, error) = outcome(&run(&arguments));
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let expect = r#"-- request
transaction, snapshot
  step 0 of root 0: read rows 0: entity artist, single, filter id = $0
    #0 field name

-- cost
2, of 1000000 that are allowed

-- statement 1 (rows of artist, round 1): a root field
SELECT t0."name" FROM "artist" AS t0 WHERE t0."id" = ?1
--   parameter 1: $id = 127
-- plan
--   SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)
"#;
    assert_eq!(explanation, expect);

    let mut child = thalweg(&["explain", &file, "-", "--variables", "{\"id\": 127}"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), explanation);
}

fn written(folder: &Folder, name: &str, text: &str) -> String {
    let file = folder.file(name);
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

/// The parts of the manual in a language, in their order.
fn examples(page: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let parts = page.split(&fence).skip(1);
    parts.map(|part| part.split("```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_manuals_policies_let_what_the_manual_says() {
    let folder = Folder::new();
    let file = sample(&folder);
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/policies.md"));
    let page = page.unwrap();
    let policies = written(&folder, "policies.toml", &examples(&page, "toml")[0]);
    let policies = ["--policies", &policies];
    let both = "{ allCustomers { nodes { email supportRepId } } allEmployees { nodes { city } } }";
    let own = "{ allCustomers { nodes { email supportRepId } } }";
    assert!(page.contains(both));
    let both = written(&folder, "both.graphql", both);
    let own = written(&folder, "own.graphql", own);
    let who = ["--role", "customer", "--claims", "{\"customer\": 5}"];
    let explain = |document: &str, more: &[&str]| {
        outcome(&run(&[&["explain", &file, document], more].concat()))
    };
    let (code, output, error) = explain(&both, &[policies.as_slice(), &who].concat());
    assert_eq!((code, &*error), (Some(0), ""));
    // The page leaves the rest out.
    let shown = examples(&page, "text")[0].trim_end().trim_end_matches('…').to_owned();
    assert!(output.starts_with(&shown), "{output}");
    // Only what is let is asked for.
    assert!(!output.contains("FROM \"employee\""), "{output}");
    let (code, output, error) = explain(&own, &[policies.as_slice(), &who].concat());
    assert_eq!((code, &*error), (Some(0), ""));
    assert!(output.contains("WHERE t0.\"customer_id\" = ?1"), "{output}");
    let row = ["--row", "customer:customer_id=6"];
    let told = |more: &[&str]| outcome(&run(&[&["explain", &file], more].concat()));
    let (code, output, error) = told(&[policies.as_slice(), &who, &row].concat());
    assert_eq!((code, &*error), (Some(0), ""));
    assert_eq!(output.trim_end(), examples(&page, "text")[1].trim_end());
    let (code, _, error) =
        told(&[policies.as_slice(), &["--row", "customer:customer_id=x"]].concat());
    assert_eq!(code, Some(1));
    assert!(error.starts_with("error: `--row`: "), "{error}");
    let (code, _, error) = told(&row);
    assert_eq!(code, Some(2));
    assert!(error.contains("`--row` needs `--policies`"), "{error}");
    // Without a role that may, and without policies that know of one.
    let (code, output, error) = explain(&own, &policies);
    assert_eq!((code, &*error), (Some(0), ""));
    assert!(output.contains("refused: You may not read rows of `customer`."), "{output}");
    assert!(!output.contains("FROM \"customer\""), "{output}");
    let (code, _, error) = explain(&own, &who);
    assert_eq!(code, Some(2));
    assert!(error.contains("`--role` needs `--policies`"), "{error}");
    let wrong = written(&folder, "wrong.toml", "[rules.r]\nentity = \"customers\"\n");
    let (code, _, error) = outcome(&run(&["check", &file, "--policies", &wrong]));
    assert_ne!(code, Some(0));
    assert!(error.contains("line 1: the source has no table or view `customers`"), "{error}");
}

#[test]
fn an_operation_that_cannot_be_explained_is_named_by_file_and_line() {
    let folder = Folder::new();
    let file = sample(&folder);
    let document = folder.file("wrong.graphql");
    fs::write(&document, "{\n  noSuchField\n}").unwrap();
    let shown = document.to_str().unwrap();
    let (code, output, error) = outcome(&run(&["explain", &file, shown]));
    assert_eq!((code, output.as_str()), (Some(1), ""));
    assert!(error.starts_with(&format!("error: {shown}:2:3: ")), "{error}");

    let missing = folder.file("missing.graphql");
    let shown = missing.to_str().unwrap();
    check_failure(
        &["explain", &file, shown],
        1,
        &format!("error: cannot read {shown}: No such file or directory (os error 2)\n"),
    );
    let (code, _, error) = outcome(&run(&["explain", &file, shown, "--variables", "[]"]));
    assert_eq!(code, Some(2));
    assert!(error.contains("a JSON object is wanted"), "{error}");
}

#[test]
fn the_sample_is_written_into_postgres_once_and_served_from_there() {
    for installation in required_installations().unwrap() {
        let server = shared(&installation).unwrap();
        server.create_database("demo").unwrap();
        let url = server.url("demo");
        let (code, output, error) = outcome(&run(&["demo", "--into", &url]));
        assert_eq!((code, error.as_str()), (Some(0), ""));
        assert!(
            output.starts_with("Writing the sample shop into PostgreSQL ... 15607 rows in 11 ")
        );
        let serve = format!("\n\nServe it:\n\n  thalweg serve --simple-collections both '{url}'\n");
        assert!(output.ends_with(&serve), "{output}");
        let counts = "SELECT (SELECT count(*) FROM artist), (SELECT count(*) FROM track), \
            (SELECT sum(total) FROM invoice) = (SELECT sum(unit_price * quantity) FROM invoice_line)";
        let counts = server.query("demo", counts).unwrap();
        let row = [Some("275".to_owned()), Some("3503".to_owned()), Some("t".to_owned())];
        assert_eq!(counts, [row]);
        let api = Server::start(&["serve", &url, "--listen", "127.0.0.1:0"]);
        let answer =
            api.query("", "{ artistById(id: 127) { id albumsByArtistId { totalCount } } }");
        let expected = r#"{"data":{"artistById":{"id":127,"albumsByArtistId":{"totalCount":3}}}}"#;
        assert_eq!((answer.status, answer.body.as_str()), (200, expected));

        let (code, output, error) = outcome(&run(&["demo", "--into", &url]));
        assert_eq!(code, Some(1));
        assert_eq!(output, "Writing the sample shop into PostgreSQL ... failed.\n");
        let expected = "error: the schema `public` already has tables `album`, `artist`, \
            `customer`, `employee`, `genre`, `invoice`, `invoice_line`, `media_type`, `playlist`, \
            `playlist_track`, `track`; name an empty database with --into\n";
        assert_eq!(error, expected);
    }
}

const MANUAL: [&str; 2] =
    [include_str!("../../../docs/errors.md"), include_str!("../../../docs/options.md")];

#[test]
fn the_manual_has_every_error_code_and_every_option() {
    let rows: Vec<&str> = MANUAL
        .iter()
        .flat_map(|page| page.lines())
        .filter_map(|line| line.strip_prefix("| `"))
        .collect();
    let names: Vec<&str> = rows.iter().filter_map(|row| row.split('`').next()).collect();
    let codes: Vec<&str> = graphql::ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    let is_code = |name: &str| name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let documented: Vec<&str> = names.iter().copied().filter(|name| is_code(name)).collect();
    assert_eq!(documented, codes);

    let mut options = BTreeSet::new();
    for command in COMMANDS {
        let (_, help, _) = outcome(&run(&words(command)));
        // One letter may stand before the name.
        let lines = help.lines().map(|line| line.trim().trim_start_matches("-w, "));
        let lines = lines.filter_map(|line| line.split([' ', '[']).next());
        options.extend(lines.filter(|word| word.starts_with("--")).map(str::to_owned));
    }
    let documented = names.iter().filter(|name| name.starts_with("--"));
    let documented: BTreeSet<String> = documented.map(|&name| name.to_owned()).collect();
    assert_eq!(documented, options);
}
