//! The configuration file, read by the built program.

use std::fs;
use std::process::Command;

use crate::program::{Folder, Server, outcome, run, thalweg};

/// A folder with the sample shop and a configuration.
struct Configured {
    folder: Folder,
}

impl Configured {
    fn new(text: &str) -> Self {
        let folder = Folder::new();
        drop(Server::demo(&folder.file("shop.db")));
        let configured = Self { folder };
        configured.write(text);
        configured
    }

    fn write(&self, text: &str) {
        fs::write(self.folder.file("thalweg.toml"), text).unwrap();
    }

    /// The program in the folder.
    fn thalweg(&self, arguments: &[&str]) -> Command {
        let mut command = thalweg(arguments);
        command.current_dir(&self.folder.0);
        command
    }

    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        outcome(&self.thalweg(arguments).output().unwrap())
    }

    /// Whether the schema that the program prints has a field.
    fn has(&self, command: &mut Command, field: &str) -> bool {
        let (code, schema, error) = outcome(&command.output().unwrap());
        assert_eq!((code, error.as_str()), (Some(0), ""));
        schema.contains(&["\n  ", field, "("].concat())
    }
}

#[test]
fn a_file_in_the_folder_is_read_and_one_that_is_named_instead_of_it() {
    let configured = Configured::new("source = 'shop.db'\nsimple-collections = 'only'\n");
    assert!(configured.has(&mut configured.thalweg(&["schema"]), "allAlbumsList"));
    fs::write(configured.folder.file("other.toml"), "source = 'shop.db'").unwrap();
    let other = ["schema", "--config", "other.toml"];
    assert!(!configured.has(&mut configured.thalweg(&other), "allAlbumsList"));
    let mut other = configured.thalweg(&["schema"]);
    assert!(!configured.has(other.env("THALWEG_CONFIG", "other.toml"), "allAlbumsList"));
    let none = ["--config", "/dev/null", "schema", "shop.db"];
    assert!(!configured.has(&mut configured.thalweg(&none), "allAlbumsList"));
    let missing = configured.run(&["schema", "--config", "missing.toml"]);
    let message = "error: cannot read the configuration file missing.toml: \
                   No such file or directory (os error 2)\n";
    assert_eq!(missing, (Some(2), String::new(), message.to_owned()));
}

#[test]
fn the_command_line_wins_over_the_environment_and_this_over_the_file() {
    let configured = Configured::new("source = 'missing.db'\nsimple-collections = 'both'\n");
    let list = |command: &mut Command| {
        let command = command.env("THALWEG_SOURCE", "shop.db");
        configured.has(command, "allAlbumsList")
    };
    let connection = |command: &mut Command| {
        let command = command.env("THALWEG_SOURCE", "shop.db");
        configured.has(command, "allAlbums")
    };
    assert!(list(&mut configured.thalweg(&["schema"])));
    assert!(connection(&mut configured.thalweg(&["schema"])));
    let environment = |arguments: &[&str]| {
        let mut command = configured.thalweg(arguments);
        command.env("THALWEG_SIMPLE_COLLECTIONS", "only");
        command
    };
    assert!(!connection(&mut environment(&["schema"])));
    let line = ["schema", "shop.db", "--simple-collections", "omit"];
    assert!(connection(&mut environment(&line)));
    assert!(!list(&mut environment(&line)));
    assert!(!list(&mut configured.thalweg(&line)));
}

#[test]
fn flags_lists_and_booleans_come_from_the_file() {
    let configured = Configured::new(
        "source = 'shop.db'\nconnection-filter = true\nclassic-ids = false\n\
         connection-filter-allowed-operators = ['equalTo', 'in']\n\
         connection-filter-logical-operators = false\n",
    );
    let (code, schema, error) = configured.run(&["schema"]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let filter = "\ninput StringFilter {\n";
    let (_, filter) = schema.split_once(filter).unwrap();
    let filter = filter.split_once('}').unwrap().0;
    let fields = filter.lines().filter(|line| line.contains(':')).count();
    assert_eq!(fields, 2, "{filter}");
    assert!(!schema.contains("\n  and: ["), "{schema}");
}

#[test]
fn what_the_file_turns_on_the_environment_and_the_command_line_turn_off() {
    let configured = Configured::new("source = 'shop.db'\nsimplified-names = true\n");
    let is_off = |arguments: &[&str], environment: Option<&str>| {
        let mut command = configured.thalweg(arguments);
        if let Some(value) = environment {
            command.env("THALWEG_SIMPLIFIED_NAMES", value);
        }
        configured.has(&mut command, "allAlbums")
    };
    assert!(!is_off(&["schema"], None));
    for no in ["false", "0", "no", "off"] {
        assert!(is_off(&["schema"], Some(no)), "{no}");
    }
    assert!(is_off(&["schema", "--simplified-names=false"], None));
    assert!(is_off(&["schema", "--simplified-names=false"], Some("true")));
    assert!(!is_off(&["schema", "--simplified-names"], Some("false")));
    assert!(!is_off(&["schema", "--simplified-names=true"], Some("false")));
    // What follows is no value.
    assert!(!is_off(&["schema", "--simplified-names", "shop.db"], None));
    let (code, _, error) = configured.run(&["schema", "--simplified-names=perhaps"]);
    assert!(code == Some(2) && error.contains("`true` or `false` is wanted"), "{error}");
    // What is off needs nothing else.
    configured.write("source = 'shop.db'\nno-short-pk = false\n");
    assert!(is_off(&["schema"], None));
}

#[test]
fn what_holds_between_options_holds_wherever_they_come_from() {
    let configured = Configured::new("source = 'shop.db'\nno-short-pk = true\n");
    let (code, _, error) = configured.run(&["schema"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("--simplified-names"), "{error}");
    assert!(error.ends_with("\nnote: `no-short-pk` stands in thalweg.toml:2\n"), "{error}");
    assert_eq!(configured.run(&["schema", "--simplified-names"]).0, Some(0));
    configured.write("source = 'shop.db'\nsimplified-names = true\n");
    assert_eq!(configured.run(&["schema", "--no-short-pk"]).0, Some(0));
    configured.write("source = 'shop.db'\nfile = 'shop.db'\n");
    let (code, _, error) = configured.run(&["demo", "--into", "postgres://127.0.0.1:1/x"]);
    assert_eq!(code, Some(2));
    assert!(error.ends_with("\nnote: `file` stands in thalweg.toml:2\n"), "{error}");
    // Options of other commands are not for this one.
    assert_eq!(configured.run(&["schema"]).0, Some(0));
}

#[test]
fn a_wrong_file_is_named_with_its_lines_and_nothing_starts() {
    let configured = Configured::new(
        "source = 'shop.db'\nmax-boddy-size = '1MiB'\nanalyze = true\n\n  max-depth = 'deep'\n",
    );
    let expected = "error: thalweg.toml:2:1: there is no option `max-boddy-size`; \
                    `max-body-size` is one\n\
                    error: thalweg.toml:5:15: `max-depth`: a whole number is wanted, \
                    without quotes\n";
    for command in ["serve", "schema", "demo"] {
        assert_eq!(configured.run(&[command]), (Some(2), String::new(), expected.to_owned()));
    }
    // Neither help nor completions need a file.
    assert_eq!(configured.run(&["completions", "bash"]).0, Some(0));
    assert_eq!(configured.run(&["serve", "--help"]).0, Some(0));
    assert_eq!(configured.run(&["help", "serve"]).0, Some(0));
    assert_eq!(configured.run(&["--version"]).0, Some(0));
}

#[test]
fn a_source_in_the_file_leaves_the_document_to_the_command_line() {
    let configured = Configured::new("source = 'shop.db'\nvariables = '{\"id\": 127}'\n");
    let text = "query ($id: Int!) { artistById(id: $id) { name } }";
    fs::write(configured.folder.file("artist.graphql"), text).unwrap();
    let check = |command: &mut Command| {
        let (code, explanation, error) = outcome(&command.output().unwrap());
        assert_eq!((code, error.as_str()), (Some(0), ""));
        assert!(explanation.contains("parameter 1: $id = 127"), "{explanation}");
    };
    check(&mut configured.thalweg(&["explain", "artist.graphql"]));
    check(&mut configured.thalweg(&["explain", "shop.db", "artist.graphql"]));
    check(&mut configured.thalweg(&["explain", "--", "artist.graphql"]));
    configured.write("variables = '{\"id\": 127}'\n");
    let mut command = configured.thalweg(&["explain", "artist.graphql"]);
    check(command.env("THALWEG_SOURCE", "shop.db"));
    let (code, _, error) = configured.run(&["explain", "shop.db"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("<FILE>"), "{error}");
}

#[test]
fn a_server_is_configured_by_its_file() {
    let configured =
        Configured::new("source = 'shop.db'\nlisten = '127.0.0.1:0'\nmax-body-size = 30\n");
    let file = configured.folder.file("thalweg.toml");
    let absolute = configured.folder.file("shop.db");
    let server =
        Server::start(&["serve", absolute.to_str().unwrap(), "--config", file.to_str().unwrap()]);
    assert_eq!(server.post("", r#"{"query":"{__typename}"}"#).status, 200);
    assert_eq!(server.post("", r#"{"query":"{__typename __typename}"}"#).status, 413);
    assert_eq!(run(&["--config", file.to_str().unwrap(), "--version"]).status.code(), Some(0));
}

#[test]
fn the_schema_and_an_example_are_printed_wherever_one_is() {
    let configured = Configured::new("max-boddy-size = 1");
    let (code, schema, error) = configured.run(&["config", "schema"]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(schema["properties"]["max-depth"]["default"], 64);
    let (code, example, error) = configured.run(&["config", "example"]);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    // As it is it says nothing, and so nothing wrong.
    configured.write(&example);
    assert_eq!(configured.run(&["schema", "shop.db"]).0, Some(0));
}

#[test]
fn a_file_is_checked_as_a_whole_and_nothing_starts() {
    let configured = Configured::new("listen = '192.0.2.1:1'\nthreads = 2\n");
    let check = |arguments: &[&str], code: i32, output: &str, errors: &[&str]| {
        let (found, printed, error) = configured.run(&[&["check"], arguments].concat());
        assert_eq!((found, printed.as_str()), (Some(code), output), "{error}");
        assert_eq!(error.lines().count(), errors.len(), "{error}");
        for (line, expected) in error.lines().zip(errors) {
            assert!(line.starts_with(expected), "{error}");
        }
    };
    let fine = "Nothing wrong in thalweg.toml.\n";
    let without = "It names no source, and neither does the command, so no database was read.\n";
    check(&[], 0, &[fine, without].concat(), &[]);
    check(&["shop.db"], 0, &[fine, "Nothing found.\n"].concat(), &[]);
    check(&["--config", "/dev/null"], 0, &["Nothing wrong in /dev/null.\n", without].concat(), &[]);
    check(&["missing.db"], 1, fine, &["error: "]);
    check(&["--config", "missing.toml"], 1, "", &["error: cannot read the configuration file"]);

    configured.write("source = 'shop.db'\n");
    check(&[], 0, &[fine, "Nothing found.\n"].concat(), &[]);

    // What the command line has wrong is no finding.
    assert_eq!(configured.run(&["check", "--max-depth", "3"]).0, Some(2));

    configured.write("max-boddy-size = 1\nmax-depth = 'x'\nsource = '${NO_SUCH_VARIABLE}'\n");
    let errors =
        ["error: thalweg.toml:1:1: ", "error: thalweg.toml:2:13: ", "error: thalweg.toml:3:10: "];
    check(&["shop.db"], 1, "", &errors);
    configured.write("max-depth = \n[");
    check(&[], 1, "", &["error: thalweg.toml:1:13: ", "error: thalweg.toml:2:2: "]);

    // Options of the server, and what holds between them.
    configured
        .write("tags-file = 'missing.json5'\nonly-trusted = true\n\ntrusted-documents = 'documents.json'\n");
    let errors = [
        "error: thalweg.toml:1:1: `tags-file`: cannot read missing.json5: No such file",
        "error: thalweg.toml:4:1: `trusted-documents`: cannot read documents.json: No such file",
    ];
    check(&[], 1, "", &errors);
    std::fs::write(configured.folder.file("tags.json5"), "{ version: 3, config: {} }").unwrap();
    configured.write("max-depth = 3\n\n  tags-file = 'tags.json5'\n");
    check(&[], 1, "", &["error: thalweg.toml:3:3: the tags file tags.json5: the version is 3"]);
    configured.write("dialect = 'phrag'\nsimple-collections = 'both'\n");
    check(
        &[],
        1,
        "",
        &["error: thalweg.toml:2:1: `--simple-collections` needs `--dialect postgra"],
    );
    configured.write("source = 'mysql://localhost/shop'\n");
    check(&[], 1, "", &["error: thalweg.toml:1:1: `mysql://` is no known source"]);
    configured.write("source = 'shop.db'\nno-short-pk = true\n");
    let (code, _, error) = configured.run(&["check"]);
    assert_eq!(code, Some(1));
    assert!(error.ends_with("\nnote: `no-short-pk` stands in thalweg.toml:2\n"), "{error}");

    std::fs::remove_file(configured.folder.file("thalweg.toml")).unwrap();
    check(&[], 2, "", &["error: there is no SOURCE, and no configuration file"]);
}

#[test]
fn the_published_schemas_and_example_are_those_of_the_program() {
    let (_, schema, _) = outcome(&run(&["config", "schema"]));
    expect_test::expect_file!["../../../docs/thalweg.schema.json"].assert_eq(&schema);
    let (_, policies, _) = outcome(&run(&["config", "policies"]));
    expect_test::expect_file!["../../../docs/policies.schema.json"].assert_eq(&policies);
    let (_, subgraphs, _) = outcome(&run(&["config", "subgraphs"]));
    expect_test::expect_file!["../../../docs/subgraphs.schema.json"].assert_eq(&subgraphs);
    let (_, example, _) = outcome(&run(&["config", "example"]));
    expect_test::expect_file!["../../../docs/thalweg.example.toml"].assert_eq(&example);
}

#[test]
fn the_options_in_use_are_shown_with_their_origins_and_without_secrets() {
    let text = "source = 'postgres://u:PASSWORD@localhost/shop'\n\
                # How deep.\nmax-depth = 20\njwt-secret = 'SECRET of more than thirty-two bytes'\n\
                cache-store = 'redis://:PASSWORD@localhost'\nschema = ['a', 'b']\n";
    let configured = Configured::new(text);
    let show = |arguments: &[&str], variables: &[(&str, &str)]| {
        let words = [&["config", "show"], arguments].concat();
        let mut command = configured.thalweg(&words);
        command.envs(variables.iter().copied());
        let (code, shown, error) = outcome(&command.output().unwrap());
        assert_eq!((code, &*error), (Some(0), ""), "{arguments:?}");
        assert!(!shown.contains("SECRET") && !shown.contains("PASSWORD"), "{shown}");
        shown
    };
    let given = |shown: &str| shown.split_once("\n\n").unwrap().0.to_owned();
    let head = "# The options of `thalweg serve`, with the file thalweg.toml";
    let shown = show(&[], &[]);
    let lines = [
        head,
        "source = \"postgres://…@localhost/shop\"  # file, line 1",
        "schema = [\"a\", \"b\"]  # file, line 6",
        "cache-store = \"redis://…@localhost\"  # file, line 5",
        "max-depth = 20  # file, line 3",
        "jwt-secret = \"…\"  # file, line 4, hidden",
    ];
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(sorted(&given(&shown)), sorted(&lines.join("\n")));
    assert!(
        shown.contains("\n# Defaults\n") && shown.contains("\naggregates = false\n"),
        "{shown}"
    );
    // What is shown is a file, in which only hidden values are wrong.
    let read: toml::Table = shown.parse().unwrap();
    assert_eq!(read["max-depth"].as_integer(), Some(20));

    // The command line wins over the environment, that over the file, that over a preset.
    let words = ["serve", "--preset", "modern", "--aggregates=false", "--listen", "127.0.0.1:0"];
    let variables = [("THALWEG_MAX_DEPTH", "30"), ("THALWEG_LISTEN", "127.0.0.1:1")];
    let shown = given(&show(&words, &variables));
    for line in [
        "max-depth = 30  # THALWEG_MAX_DEPTH",
        "listen = [\"127.0.0.1:0\"]  # command line",
        "aggregates = false  # command line",
        "simple-collections = \"both\"  # preset",
        "many-to-many = true  # preset",
        "schema = [\"a\", \"b\"]  # file, line 6",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }

    // The file of a gateway, another file, and what is wrong.
    fs::write(configured.folder.file("gateway.toml"), "supergraph = 'a.graphql'\n").unwrap();
    let shown = outcome(
        &configured.thalweg(&["--config", "gateway.toml", "config", "show"]).output().unwrap(),
    );
    assert!(
        shown.1.starts_with("# The options of `thalweg gateway`, with the file gateway.toml\n"),
        "{}",
        shown.1
    );
    let wrong = configured.run(&["config", "show", "serve", "--max-dept", "4"]);
    assert_eq!(wrong.0, Some(2));
    assert!(wrong.2.starts_with("error: unexpected argument '--max-dept'"), "{}", wrong.2);
    let others = configured.run(&["config", "schema", "serve"]);
    let message = "error: only `thalweg config show` shows the options of a command";
    assert!(others.0 == Some(2) && others.2.starts_with(message), "{}", others.2);
}

#[test]
fn parts_of_values_that_may_be_secrets_are_not_shown() {
    let text = "source = 'postgres://u:PASSWORD@localhost/shop'\n\
                pg-setting = ['app.key=SECRET', 'app.tenant=SECRET=SECRET']\n\
                hook-request = 'https://hooks.example:8443/services/SECRET?token=SECRET'\n\
                auth-hook = 'http://u:PASSWORD@auth.example/SECRET'\n";
    let configured = Configured::new(text);
    let mut command = configured.thalweg(&["config", "show"]);
    command.env("THALWEG_HOOK_RESPONSE", "http://hooks.example/SECRET");
    let (code, shown, error) = outcome(&command.output().unwrap());
    assert_eq!((code, &*error), (Some(0), ""));
    assert!(!shown.contains("SECRET") && !shown.contains("PASSWORD"), "{shown}");
    for line in [
        "pg-setting = [\"app.key=…\", \"app.tenant=…\"]  # file, line 2, hidden",
        "hook-request = \"https://hooks.example:8443/…\"  # file, line 3, hidden",
        "hook-response = \"http://hooks.example/…\"  # THALWEG_HOOK_RESPONSE, hidden",
        "auth-hook = \"…\"  # file, line 4, hidden",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }
    // Nor does a help text have what the environment has.
    let mut help = configured.thalweg(&["serve", "--help-all"]);
    help.env("THALWEG_HOOK_RESPONSE", "http://hooks.example/Zx7");
    help.env("THALWEG_PG_SETTING", "app.key=Zx7");
    let (_, help, _) = outcome(&help.output().unwrap());
    assert!(help.contains("THALWEG_PG_SETTING") && !help.contains("Zx7"), "{help}");
}

#[test]
fn variables_of_other_tools_are_origins_where_they_are_read() {
    let configured = Configured::new("");
    let show = |words: &[&str], variables: &[(&str, &str)]| {
        let mut command = configured.thalweg(&[&["config", "show"], words].concat());
        command.envs(variables.iter().copied());
        let (code, shown, error) = outcome(&command.output().unwrap());
        assert_eq!((code, &*error), (Some(0), ""), "{words:?}");
        assert!(!shown.contains("Zx7"), "{shown}");
        shown
    };
    let has = |shown: &str, line: &str| {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    };
    let variables = [
        ("HASURA_GRAPHQL_ACCESS_KEY", "Zx7-1"),
        ("HASURA_GRAPHQL_JWT_SECRETS", "[\"Zx7\"]"),
        ("HASURA_GRAPHQL_JWT_SECRET", "{}"),
        ("HASURA_GRAPHQL_UNAUTHORIZED_ROLE", "nobody"),
        ("HASURA_GRAPHQL_AUTH_HOOK", "http://auth.example/Zx7"),
        ("HASURA_GRAPHQL_AUTH_HOOK_MODE", "POST"),
        ("HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS", "false"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector.example:4318"),
        ("OTEL_METRIC_EXPORT_INTERVAL", "5000"),
        ("APOLLO_KEY", "Zx7-2"),
        ("APOLLO_UPLINK_ENDPOINTS", "https://a.example/,https://b.example/"),
        ("HIVE_CDN_KEY", "Zx7-3"),
    ];
    let hasura = ["serve", "shop.db", "--dialect", "hasura"];
    let shown = show(&hasura, &variables);
    has(&shown, "admin-secret = \"…\"  # HASURA_GRAPHQL_ACCESS_KEY, hidden");
    has(&shown, "jwt-config = \"…\"  # HASURA_GRAPHQL_JWT_SECRETS, hidden");
    has(&shown, "unauthorized-role = \"nobody\"  # HASURA_GRAPHQL_UNAUTHORIZED_ROLE");
    has(&shown, "auth-hook = \"http://auth.example/…\"  # HASURA_GRAPHQL_AUTH_HOOK, hidden");
    has(&shown, "auth-hook-mode = \"POST\"  # HASURA_GRAPHQL_AUTH_HOOK_MODE");
    let inferred = "infer-function-permissions = false";
    has(&shown, &format!("{inferred}  # HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS"));
    let collector = "otlp-endpoint = \"http://collector.example:4318\"";
    has(&shown, &format!("{collector}  # OTEL_EXPORTER_OTLP_ENDPOINT"));
    has(&shown, "otlp-metrics-interval = \"5000ms\"  # OTEL_METRIC_EXPORT_INTERVAL");
    // An option wins, and another dialect does not read them.
    let words = [&hasura[..], &["--unauthorized-role", "anonymous"]].concat();
    has(&show(&words, &variables), "unauthorized-role = \"anonymous\"  # command line");
    assert!(!show(&["serve", "shop.db"], &variables).contains("HASURA_"));

    let shown = show(&["gateway", "uplink:shop@current"], &variables);
    has(&shown, "uplink-key = \"…\"  # APOLLO_KEY, hidden");
    let endpoints = "uplink-endpoints = [\"https://a.example/\", \"https://b.example/\"]";
    has(&shown, &format!("{endpoints}  # APOLLO_UPLINK_ENDPOINTS"));
    assert!(!shown.contains("HIVE_"), "{shown}");
    let shown = show(&["gateway", "hive:target"], &variables);
    has(&shown, "hive-key = \"…\"  # HIVE_CDN_KEY, hidden");
    assert!(!show(&["gateway", "a.graphql"], &variables).contains("APOLLO_"));
}

#[test]
fn the_options_of_all_commands_may_precede_config_show() {
    let configured = Configured::new("source = 'shop.db'\n");
    let check = |words: &[&str]| {
        let (code, shown, error) = configured.run(words);
        assert_eq!((code, &*error), (Some(0), ""), "{words:?}");
        for line in ["log = \"debug\"  # command line", "log-format = \"json\"  # command line"] {
            assert!(shown.lines().any(|shown| shown == line), "{words:?}: {line}\n{shown}");
        }
        assert!(shown.starts_with("# The options of `thalweg serve`"), "{shown}");
    };
    let log = ["--log", "debug", "--log-format", "json"];
    check(&[&log[..], &["config", "show"]].concat());
    check(&[&log[..], &["config", "show", "serve", "--max-depth", "4"]].concat());
    check(&[&["config"], &log[..], &["show"]].concat());
    check(&[&["config", "show"], &log[..]].concat());
}

#[test]
fn a_token_for_development_is_accepted_by_the_server_of_the_same_file() {
    let secret = "a secret of more than thirty-two bytes";
    let configured = Configured::new("");
    let path = |name: &str| configured.folder.file(name).to_str().unwrap().to_owned();
    let (source, policies, file) = (path("shop.db"), path("policies.toml"), path("thalweg.toml"));
    configured.write(&format!(
        "source = '{source}'\npolicies = '{policies}'\nlisten = '127.0.0.1:0'\njwt-secret = '{secret}'\n\
         jwt-verify-issuer = ['us', 'them']\njwt-verify-subject = 'me'\njwt-verify-algorithms = ['HS512', 'HS256']\n\
         require-token = true\n"
    ));
    let rules = "claim_role = \"role\"\n[rules.artists]\nentity = \"artist\"\n\
                    read = { columns = \"*\" }\n[roles.visitor]\nrules = [\"artists\"]\n";
    fs::write(policies, rules).unwrap();
    let server = Server::start(&["serve", "--config", &file]);
    let token = |arguments: &[&str]| {
        let (code, token, error) = configured.run(&[&["token"], arguments].concat());
        assert_eq!((code, &*error), (Some(0), ""), "{arguments:?}");
        token.trim_end().to_owned()
    };
    let ask = |token: &str| {
        let header = format!("Authorization: Bearer {token}\r\n");
        let answer = server.query(&header, "{ allArtists(first: 1) { nodes { name } } }");
        (answer.status, answer.body)
    };
    let (status, body) = ask(&token(&["--claims", r#"{"role": "visitor"}"#]));
    assert!(status == 200 && body.contains("\"nodes\":[{"), "{body}");
    // The validity, and claims that contradict the options, are kept as they are given.
    assert_eq!(ask(&token(&["--claims", r#"{"role": "visitor", "exp": 1}"#])).0, 401);
    assert_eq!(ask(&token(&["--claims", r#"{"role": "visitor", "sub": "you"}"#])).0, 401);
    let (_, denied) = ask(&token(&["--claims", r#"{"role": "nobody"}"#]));
    assert!(denied.contains("errors"), "{denied}");

    let refused = |arguments: &[&str], expected: &str| {
        let folder = Folder::new();
        let mut command = thalweg(&[&["token"], arguments].concat());
        let (code, output, error) = outcome(&command.current_dir(&folder.0).output().unwrap());
        assert_eq!((code, &*output), (Some(2), ""), "{error}");
        assert!(error.starts_with(expected), "{error}");
    };
    refused(&[], "error: `thalweg token` needs the shared secret of the server");
    refused(&["--jwt-secret", ""], "error: `thalweg token` needs the shared secret of the server");
    let (secret, algorithms) = (["--jwt-secret", secret], ["--jwt-verify-algorithms", "RS256"]);
    refused(
        &[&secret[..], &algorithms].concat(),
        "error: `--jwt-verify-algorithms` accepts no token of a shared secret",
    );
    let claims = ["--jwt-require-claims", "tenant"];
    refused(
        &[&secret[..], &claims].concat(),
        "error: `--jwt-require-claims` requires the claim `tenant`",
    );
    refused(
        &[&secret[..], &["--claims", "[]"]].concat(),
        "error: invalid value '[]' for '--claims <JSON>'",
    );
}
