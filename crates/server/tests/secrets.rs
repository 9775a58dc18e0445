//! Passwords of addresses, wherever somebody wrote them by mistake or on purpose: no message, no help,
//! no log, no page and no metric has them.

use std::fs;
use std::io::{BufReader, Write};
use std::net::TcpStream;

use testkit::postgres::{required_installations, shared};

use crate::program::{Folder, Server, outcome, read_answer, run, thalweg};

/// Addresses in places where they do not belong, and malformed ones.
const ADDRESSES: [&str; 6] = [
    "postgres://u:Zx7Qw9@h:x/d",
    "postgres//u:Zx7Qw9@h/d",
    "u:Zx7Qw9@h/d",
    "postgres://u:Zx7@Qw9@h/d",
    "https://u:Zx7Qw9@127.0.0.1:1/",
    "neo4j://u:Zx7Qw9@h:x",
];

fn has_secret(text: &str) -> bool {
    text.contains("Zx7") || text.contains("Qw9")
}

/// The options of a command that take a value, as its help lists them.
fn options(command: &str) -> Vec<String> {
    let (_, help, _) = outcome(&run(&[command, "--help-all"]));
    let lines = help.lines().filter_map(|line| {
        // After a short name or not.
        let long = &line[line.find("--")?..];
        let is_option = line.trim_start().starts_with('-') && line.contains('<');
        is_option.then(|| long.split([' ', '[', '=']).next().unwrap().to_owned())
    });
    lines.collect()
}

#[test]
fn no_option_that_is_given_an_address_shows_its_password() {
    let mut shown = Vec::new();
    let mut count = 0;
    for command in ["serve", "gateway", "explain", "demo", "migrate", "health"] {
        let options = options(command);
        assert!(options.len() > 3 || command == "health", "{command}: {options:?}");
        for option in options {
            // Each option has one of them.
            let address = ADDRESSES[count % 3];
            let source = "/nowhere/none.db";
            let words: &[&str] = match command {
                "demo" => &[command, &option, address, "--file", "/nowhere/shop.db"],
                "health" => &[command, &option, address],
                "explain" => &[command, source, "/nowhere/query.graphql", &option, address],
                _ => &[command, source, &option, address],
            };
            let (_, out, error) = outcome(&run(words));
            count += 1;
            if has_secret(&[out, error.clone()].concat()) {
                shown.push(format!("{words:?}: {error}"));
            }
        }
    }
    assert!(count > 250, "{count}");
    assert!(shown.is_empty(), "{}", shown.join("\n"));
}

#[test]
fn no_word_that_stands_in_the_wrong_place_shows_a_password() {
    for address in ADDRESSES {
        let option = ["--", address].concat();
        let listen = ["--listen=127.0.0.1:0,", address].concat();
        for words in [
            &[address][..],
            &["serve", "a.db", address],
            &["serve", "a.db", &option],
            &["serve", "/nowhere/a.db", &listen],
            &["health", address],
            &["config", address],
            &["completions", address],
            &["explain", "/nowhere/a.db", address],
            &["demo", "--into", address],
            &["demo", "--file", address, "--listen", "127.0.0.1:0"],
            &["check", "--config", address],
            &["migrate", address],
            &["types", address],
            &["man", address, address],
        ] {
            let (code, out, error) = outcome(&run(words));
            assert!(code != Some(0), "{words:?}: {out}");
            assert!(!has_secret(&out) && !has_secret(&error), "{words:?}: {out}{error}");
        }
    }
}

#[test]
fn neither_the_environment_nor_a_file_is_repeated_with_its_passwords() {
    let folder = Folder::new();
    let file = folder.file("thalweg.toml");
    let path = file.to_str().unwrap();
    let names = [
        "listen",
        "threads",
        "dialect",
        "stored-as",
        "error-message",
        "metrics-listen",
        "allowed-hosts",
        "cors-origins",
        "policies",
        "tags-file",
        "log",
        "max-cost",
        "jwt-jwks",
        "otlp-endpoint",
        "source",
    ];
    let mut helped = thalweg(&["serve", "--help"]);
    for (place, name) in names.into_iter().enumerate() {
        let address = ADDRESSES[place % ADDRESSES.len()];
        let variable = ["THALWEG_", &name.to_uppercase().replace('-', "_")].concat();
        let serve: &[&str] = match name {
            "source" => &["serve"],
            _ => &["serve", "/nowhere/a.db"],
        };
        let output = thalweg(serve).env(&variable, address).output().unwrap();
        let (_, out, error) = outcome(&output);
        assert!(!has_secret(&[out, error].concat()), "{variable}={address}");
        helped.env(&variable, address);
        fs::write(&file, format!("{name} = \"{address}\"\n")).unwrap();
        for command in ["serve", "check"] {
            let (_, out, error) = outcome(&run(&[command, "--config", path]));
            let told = [out, error].concat();
            assert!(!has_secret(&told), "{name} = {address}: {told}");
        }
    }
    let (code, help, _) = outcome(&helped.output().unwrap());
    assert_eq!(code, Some(0));
    assert!(!has_secret(&help), "{help}");
}

/// What a server that is asked tells at its most talkative.
#[test]
fn a_server_that_uses_passwords_tells_them_nowhere() {
    let Some(installation) = required_installations().unwrap().into_iter().next() else { return };
    let database = shared(&installation).unwrap();
    database.create_database("secrets").unwrap();
    database.execute("secrets", "CREATE TABLE t (id int PRIMARY KEY)").unwrap();
    // It trusts everybody, and so takes any password.
    let url = database.url("secrets").replacen("postgres@", "postgres:Zx7%40%2FQw9@", 1);
    assert!(url.contains("Zx7%40%2FQw9@"), "{url}");
    let folder = Folder::new();
    let config = folder.file("thalweg.toml");
    fs::write(&config, "max-depth = 20\n").unwrap();
    let mut server = Server::start(&[
        "serve",
        &url,
        "--listen",
        "127.0.0.1:0",
        "--log",
        "trace",
        "--log-requests",
        "all",
        "--metrics-listen",
        "127.0.0.1:0",
        "--watch",
        "--slow-query",
        "1ns",
        "--otlp-endpoint",
        "http://u:Zx7Qw9@127.0.0.1:1",
        "--config",
        config.to_str().unwrap(),
    ]);
    let rows = server.query("", "{ allTs { nodes { id } } }").body;
    assert_eq!(rows, r#"{"data":{"allTs":{"nodes":[]}}}"#);
    let metrics = server.said.split("metrics at http://").nth(1).unwrap();
    let mut stream = TcpStream::connect(metrics.split('/').next().unwrap()).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let metrics = read_answer(&mut BufReader::new(stream), true).body;
    assert!(metrics.contains("thalweg_"), "{metrics}");
    let page = server.get("/", "Accept: text/html\r\n").body;
    let failed = server.query("", "{ allTs { nodes { nothing } } }").body;
    // A reload that is refused repeats what the file says.
    fs::write(&config, "listen = \"postgres://u:Zx7Qw9@h:x\"\n").unwrap();
    server.signal("HUP");
    let mut log = server.said.clone();
    while !log.contains("not reloaded") {
        let mut line = String::new();
        assert!(std::io::BufRead::read_line(&mut server.log, &mut line).unwrap() > 0, "{log}");
        log.push_str(&line);
    }
    server.signal("TERM");
    log.push_str(&server.rest_of_log());
    for text in [metrics, page, failed, log] {
        assert!(!has_secret(&text), "{text}");
    }
}
