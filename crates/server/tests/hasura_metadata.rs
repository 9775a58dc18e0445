//! Hasura's metadata for the commands and the server: a folder, a file, the row in the database.

use std::fs;
use std::io::BufRead;
use std::path::Path;

use testkit::postgres::{required_installations, shared};

use crate::databases::File;
use crate::program::{Folder, Server, outcome, run};

const TABLES: &str = "CREATE TABLE author (id integer PRIMARY KEY, full_name text NOT NULL); \
    CREATE TABLE post (id integer PRIMARY KEY, author_id integer NOT NULL REFERENCES author (id)); \
    CREATE TABLE secret (id integer PRIMARY KEY); \
    INSERT INTO author VALUES (1, 'Ada'); INSERT INTO post VALUES (1, 1), (2, 1);";

/// Writes a folder as Hasura exports it, whose tables are these.
fn export(folder: &Folder, tables: &str) -> String {
    let root = folder.file("metadata");
    fs::create_dir_all(root.join("databases/main/tables")).unwrap();
    let write = |name: &str, text: &str| fs::write(root.join(name), text).unwrap();
    write("version.yaml", "version: 3\n");
    write(
        "databases/databases.yaml",
        "- name: main\n  kind: postgres\n  configuration:\n    connection_info:\n      \
         database_url:\n        from_env: URL\n  tables: \"!include main/tables/tables.yaml\"\n",
    );
    write("databases/main/tables/tables.yaml", tables);
    root.to_str().unwrap().to_owned()
}

const AUTHORS: &str = "\
- table: {schema: public, name: author}
  configuration:
    custom_name: writer
    column_config: {full_name: {custom_name: name}}
  array_relationships:
    - name: posts
      using: {foreign_key_constraint_on: {column: author_id, table: {schema: public, name: post}}}
- table: {schema: public, name: post}
";

/// The JSON of the same metadata, with the name of a table's fields.
fn json(custom_name: &str) -> String {
    format!(
        r#"{{"version": 3, "sources": [{{"name": "main", "kind": "postgres",
            "configuration": {{"connection_info": {{"database_url": {{"from_env": "URL"}}}}}},
            "tables": [
                {{"table": {{"schema": "app", "name": "author"}},
                  "configuration": {{"custom_name": "{custom_name}"}}}},
                {{"table": {{"schema": "public", "name": "note"}}}}
            ]}}]}}"#
    )
}

#[test]
fn a_folder_says_what_is_served() {
    let (database, folder) = (File::new(TABLES), Folder::new());
    let metadata = export(&folder, AUTHORS);
    let arguments = ["--dialect", "hasura", "--metadata", &metadata];
    let command = |name| run(&[&[name, database.source()], &arguments[..]].concat());
    let (code, schema, error) = outcome(&command("schema"));
    assert_eq!((code, error.as_str()), (Some(0), ""));
    for part in ["type writer {", "  name: String!", "  posts(", "type post {"] {
        assert!(schema.contains(&format!("\n{part}")), "{part} is missing in {schema}");
    }
    assert!(!schema.contains("secret") && !schema.contains("full_name"), "{schema}");
    let (code, report, error) = outcome(&command("check"));
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let expected = "Configured, and without effect (1)\n  Source.configuration: it has no effect: \
        not served: SOURCE of the command and `--further-source` are the databases \
        (databases/databases.yaml:3:3 (sources[0].configuration)).\n";
    assert!(report.contains(expected), "{report}");

    let serve = ["serve", database.source(), "--listen", "127.0.0.1:0"];
    let server = Server::start(&[&serve, &arguments[..]].concat());
    let warned = "part without effect: Source.configuration: it has no effect";
    assert!(server.said.contains(warned), "{}", server.said);
    let answer = server.query("", "{ writer { name posts(order_by: {id: desc}) { id } } }");
    let expected = r#"{"data":{"writer":[{"name":"Ada","posts":[{"id":2},{"id":1}]}]}}"#;
    assert_eq!(answer.body, expected);
}

#[test]
fn metadata_that_cannot_be_served_is_an_error_with_places() {
    let (database, folder) = (File::new(TABLES), Folder::new());
    let check = |further: &[&str], code: i32, expected: &str| {
        let usual = ["schema", database.source(), "--dialect", "hasura"];
        let (found, output, error) = outcome(&run(&[&usual, further].concat()));
        assert_eq!((found, output.as_str()), (Some(code), ""), "{error}");
        assert!(error.contains(expected), "{expected:?} is missing in {error}");
    };
    let missing = folder.file("none");
    let missing = missing.to_str().unwrap();
    check(&["--metadata", missing], 2, &format!("cannot read the metadata in {missing}: "));
    check(&["--metadata", "database"], 2, "`--metadata database` reads the metadata of a running");
    let one = export(&folder, "- table: {schema: public, name: authors}\n  is_enums: true\n");
    let place = "databases/main/tables/tables.yaml:2:3 (sources[0].tables[0]): The key `is_enums` \
        of Table is unknown. Did you mean `is_enum`?";
    check(&["--metadata", &one], 2, place);
    let two = "- table: {schema: public, name: authors}\n- table: {schema: app, name: post}\n";
    let two = export(&folder, two);
    for expected in [
        "--inconsistent-metadata leave-out",
        "tables.yaml:1:10 (sources[0].tables[0].table): The table `authors` does not exist. Did \
         you mean `author`?",
        "tables.yaml:2:10 (sources[0].tables[1].table): The table `app.post` does not exist. Did \
         you mean `post`?",
    ] {
        check(&["--metadata", &two], 1, expected);
    }
    let named = ["--metadata", &two, "--metadata-source", "other"];
    check(&named, 2, "the metadata has no source `other`; its sources are: main");
    let several = folder.file("several.json");
    let source = |name: &str, kind: &str| {
        format!(
            r#"{{"name": "{name}", "kind": "{kind}", "tables": [], "configuration": {{
                "connection_info": {{"{}": {{"from_env": "URL"}}}}}}}}"#,
            if kind == "mssql" { "connection_string" } else { "database_url" }
        )
    };
    let sources = [source("a", "postgres"), source("b", "mssql")].join(", ");
    fs::write(&several, format!(r#"{{"version": 3, "sources": [{sources}]}}"#)).unwrap();
    let several = several.to_str().unwrap();
    check(&["--metadata", several], 2, "the metadata has several sources: a, b; name the one");
    let named = ["--metadata", several, "--metadata-source", "b"];
    check(&named, 2, "the source `b` of the metadata is of the kind mssql");
    check(&["--metadata-source", "a"], 2, "--metadata <PATH>");
}

#[test]
fn a_configuration_file_and_a_gateway_take_metadata() {
    let (database, folder) = (File::new(TABLES), Folder::new());
    let metadata = export(&folder, AUTHORS);
    let entries =
        format!("source = '{}'\ndialect = 'hasura'\nmetadata = '{metadata}'\n", database.source());
    let write = |name: &str, text: String| {
        let file = folder.file(name);
        fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let file = write("thalweg.toml", format!("{entries}listen = '127.0.0.1:0'\n"));
    let server = Server::start(&["serve", "--config", &file]);
    let expected = r#"{"data":{"writer":[{"name":"Ada"}]}}"#;
    assert_eq!(server.query("", "{ writer { name } }").body, expected);
    let subgraphs = write("subgraphs.toml", format!("[subgraphs.writers]\n{entries}"));
    let supergraph = folder.file("supergraph.graphql");
    let composed =
        outcome(&run(&["compose", &subgraphs, "--output", supergraph.to_str().unwrap()]));
    assert_eq!(composed.0, Some(0), "{composed:?}");
    let gateway = Server::start(&[
        "gateway",
        supergraph.to_str().unwrap(),
        "--subgraphs",
        &subgraphs,
        "--listen",
        "127.0.0.1:0",
    ]);
    assert_eq!(gateway.query("", "{ writer { name } }").body, expected);
}

#[test]
fn the_row_of_a_running_hasura_is_read_at_the_start_and_at_each_reload() {
    for installation in required_installations().unwrap() {
        let postgres = shared(&installation).unwrap();
        let name = "hasura_metadata";
        postgres.create_database(name).unwrap();
        let execute = |sql: &str| postgres.execute(name, sql).unwrap();
        let url = postgres.url(name);
        let arguments = ["--dialect", "hasura", "--metadata", "database"];
        let schema = || outcome(&run(&[&["schema", &url], &arguments[..]].concat()));
        execute("CREATE TABLE note (id int PRIMARY KEY)");
        let (code, _, error) = schema();
        assert_eq!(code, Some(1));
        let missing =
            "the database has no metadata of a running Hasura in hdb_catalog.hdb_metadata";
        assert!(error.contains(missing), "{error}");

        execute(
            "CREATE SCHEMA app; CREATE TABLE app.author (id int PRIMARY KEY, name text); \
             INSERT INTO app.author VALUES (1, 'Ada'); CREATE SCHEMA hdb_catalog; \
             CREATE TABLE hdb_catalog.hdb_metadata (id integer PRIMARY KEY, metadata json NOT NULL, \
             resource_version integer NOT NULL DEFAULT 1)",
        );
        let (code, _, error) = schema();
        assert_eq!(code, Some(1));
        assert!(error.contains(missing), "{error}");
        let insert =
            format!("INSERT INTO hdb_catalog.hdb_metadata VALUES (1, '{}')", json("writer"));
        execute(&insert);
        let (code, sdl, error) = schema();
        assert_eq!((code, error.as_str()), (Some(0), ""));
        assert!(sdl.contains("\ntype writer {") && sdl.contains("\ntype note {"), "{sdl}");
        assert!(!sdl.contains("hdb"), "{sdl}");

        let serve = ["serve", &url, "--listen", "127.0.0.1:0"];
        let mut server = Server::start(&[&serve, &arguments[..]].concat());
        let ask = |server: &Server, field: &str| {
            server.query("", &format!("{{ {field} {{ name }} }}")).body
        };
        assert_eq!(ask(&server, "writer"), r#"{"data":{"writer":[{"name":"Ada"}]}}"#);
        let update = |name: &str| {
            execute(&format!("UPDATE hdb_catalog.hdb_metadata SET metadata = '{}'", json(name)));
        };
        update("person");
        reload(&mut server, "reloaded; ");
        assert_eq!(ask(&server, "person"), r#"{"data":{"person":[{"name":"Ada"}]}}"#);
        // A broken one changes nothing.
        update("no name");
        let line = reload(&mut server, "not reloaded; everything is as it was");
        assert!(line.contains("is no name of GraphQL"), "{line}");
        assert_eq!(ask(&server, "person"), r#"{"data":{"person":[{"name":"Ada"}]}}"#);
        update("writer");
        execute("ALTER TABLE app.author RENAME TO authors");
        let line = reload(&mut server, "not reloaded; everything is as it was");
        assert!(line.contains("The table `app.author` does not exist"), "{line}");
        execute("ALTER TABLE app.authors RENAME TO author");
        reload(&mut server, "reloaded; ");
        assert_eq!(ask(&server, "writer"), r#"{"data":{"writer":[{"name":"Ada"}]}}"#);
    }
}

/// Reloads, and returns the line of the log that says the text.
fn reload(server: &mut Server, text: &str) -> String {
    server.signal("HUP");
    loop {
        let mut line = String::new();
        assert!(server.log.read_line(&mut line).unwrap() > 0, "no {text} in the log");
        if line.contains(text) {
            return line;
        }
    }
}

#[test]
fn schemas_that_only_the_metadata_names_may_be_missing() {
    for installation in required_installations().unwrap() {
        let postgres = shared(&installation).unwrap();
        let name = "hasura_schemas";
        postgres.create_database(name).unwrap();
        postgres.execute(name, "CREATE TABLE note (id int PRIMARY KEY)").unwrap();
        let folder = Folder::new();
        let file = folder.file("metadata.json");
        fs::write(&file, json("writer")).unwrap();
        let run = |file: &Path, further: &[&str]| {
            let (url, file) = (postgres.url(name), file.to_str().unwrap());
            let usual = ["schema", &url, "--dialect", "hasura", "--metadata", file];
            outcome(&run(&[&usual, further].concat()))
        };
        let (code, _, error) = run(&file, &[]);
        assert_eq!(code, Some(1));
        let place =
            "metadata.json (sources[0].tables[0].table): The table `app.author` does not exist.";
        assert!(error.contains(place), "{error}");
        let (code, sdl, error) = run(&file, &["--inconsistent-metadata", "leave-out"]);
        assert_eq!((code, error.as_str()), (Some(0), ""));
        assert!(sdl.contains("\ntype note {") && !sdl.contains("writer"), "{sdl}");
    }
}

#[test]
fn a_report_says_what_is_served() {
    let folder = Folder::new();
    let metadata = export(&folder, AUTHORS);
    let (code, output, _) = outcome(&run(&["import-metadata", &metadata]));
    assert_eq!(code, Some(0));
    let counts = format!("Metadata in {metadata}: 1 source, 2 tables.\n");
    assert!(output.starts_with(&counts), "{output}");
    assert!(output.contains("Source.configuration: not served: "), "{output}");
    assert!(output.contains("\nEverything else is served.\n"), "{output}");

    let (_, json, _) = outcome(&run(&["import-metadata", &metadata, "--print-metadata"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["sources"][0]["tables"][0]["configuration"]["custom_name"], "writer");

    let wrong =
        export(&folder, "- table: {schema: public, name: author}\n  is_enums: true\n  notes: {}\n");
    for options in [&[][..], &["--print-metadata"]] {
        let words = [&["import-metadata", &wrong], options].concat();
        let (code, output, _) = outcome(&run(&words));
        assert_eq!(code, Some(1));
        assert!(output.contains("Wrong (1)\n  databases/main/tables/tables.yaml:2:3 "), "{output}");
        assert!(output.contains("The key `is_enums` of Table is unknown."), "{output}");
    }
    let known = "- table: {schema: public, name: author}\n  notes: {}\n  event_triggers:\n  - name: a\n    \
                 definition: {enable_manual: true}\n    retry_conf: {num_retries: 0, interval_sec: 1, \
                 timeout_sec: 1}\n    webhook: '{{NO_SUCH_HOOK}}/{{PATH}}'\n";
    let (code, output, _) = outcome(&run(&["import-metadata", &export(&folder, known)]));
    assert_eq!(code, Some(0));
    let told = "To know (1)\n  databases/main/tables/tables.yaml:2:3 (sources[0].tables[0]): The key \
                `notes` of Table is unknown, and has no effect, as in Hasura.\n\nEnvironment variables \
                (2)\n  NO_SUCH_HOOK: not set here; the server needs it\n  PATH: set here\n";
    assert!(output.contains(told), "{output}");
    let (code, _, error) = outcome(&run(&["import-metadata", "nowhere.json"]));
    assert_eq!(code, Some(2));
    assert!(error.starts_with("error: cannot read the metadata in nowhere.json: "), "{error}");
}

#[test]
fn a_check_lists_the_variables_of_event_triggers_that_are_not_set() {
    let (database, folder) = (File::new(TABLES), Folder::new());
    let metadata = export(
        &folder,
        "- table: {schema: public, name: author}\n  event_triggers:\n  - name: a\n    definition: \
         {enable_manual: true}\n    retry_conf: {num_retries: 0, interval_sec: 1, timeout_sec: 1}\n    \
         webhook_from_env: NO_SUCH_HOOK\n",
    );
    let options = ["--dialect", "hasura", "--metadata", &metadata];
    let (code, report, error) =
        outcome(&run(&[&["check", database.source()], &options[..]].concat()));
    assert_eq!(code, Some(2));
    assert!(report.contains("Source.configuration: it has no effect"), "{report}");
    let told = "error: databases/main/tables/tables.yaml:3:5 \
                (sources[0].tables[0].event_triggers[0]): the event trigger \"a\": the environment \
                variable NO_SUCH_HOOK is not set";
    assert!(error.starts_with(told), "{error}");
}
