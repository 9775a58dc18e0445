//! `thalweg diff SOURCE --against URL`: the differences to the schema of another server.

use std::fs;

use expect_test::{Expect, expect};

use crate::databases::File;
use crate::program::{Folder, outcome, run};
use crate::served::Served;

const TABLES: &str = "
    CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE album (id INTEGER PRIMARY KEY, artist_id INTEGER NOT NULL REFERENCES artist);";

/// Runs the command for a file with other tables.
fn diff(file: &File, against: &str, options: &[&str]) -> (Option<i32>, String, String) {
    let words = ["diff", file.source(), "--dialect", "hasura", "--against", against];
    let (code, output, error) = outcome(&run(&[&words[..], options].concat()));
    (code, output.replace(against, "OTHER"), error.replace(against, "OTHER"))
}

fn check(found: (Option<i32>, String, String), expected: &Expect) {
    let (code, output, error) = found;
    expected.assert_eq(&format!("{}\n{output}{error}", code.unwrap()));
}

#[test]
fn a_server_with_the_same_api_has_no_differences() {
    let file = File::new(TABLES);
    let served = Served::start(file.source(), &["--dialect", "hasura"]);
    let address = format!("http://{}/graphql", served.address);
    check(
        diff(&file, &address, &[]),
        &expect![[r#"
            0
            No changes.
        "#]],
    );
}

#[test]
fn what_clients_of_the_other_server_would_miss_is_breaking() {
    let other = File::new(&[TABLES, "ALTER TABLE artist ADD COLUMN born INTEGER;"].concat());
    let file = File::new(&[TABLES, "ALTER TABLE album ADD COLUMN title TEXT;"].concat());
    let served = Served::start(other.source(), &["--dialect", "hasura"]);
    let address = format!("http://{}/graphql", served.address);
    let (code, output, _) = diff(&file, &address, &[]);
    assert_eq!(code, Some(1));
    let lines: Vec<_> = output.lines().map(str::trim).collect();
    let has = |text: &str| lines.iter().any(|line| line.contains(text));
    assert!(has("the field `artist.born` was removed [FIELD_REMOVED]"), "{output}");
    assert!(has("the field `album.title` was added [FIELD_ADDED]"), "{output}");

    let (code, _, _) = diff(&file, &address, &["--fail-on", "never"]);
    assert_eq!(code, Some(0));
    let (_, json, _) = diff(&file, &address, &["--report", "json", "--role", "admin"]);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let one = &report["roles"]["admin"];
    assert!(one["counts"]["breaking"].as_u64().unwrap() > 0, "{json}");
    check(
        diff(&file, &address, &["--role", "editor"]),
        &expect![[r#"
            2
            error: the API has no role `editor`
        "#]],
    );
}

#[test]
fn the_other_api_can_be_a_file() {
    let (file, folder) = (File::new(TABLES), Folder::new());
    let response = r#"{"data":{"__schema":{"queryType":{"name":"query_root"},"types":[
        {"kind":"OBJECT","name":"query_root","fields":[
            {"name":"artists","args":[],"type":{"kind":"SCALAR","name":"Int"}}]}]}}}"#;
    let sdl = "schema { query: query_root } type query_root { artists: Int }";
    for (name, text) in [("other.json", response), ("other.graphql", sdl)] {
        let path = folder.file(name);
        fs::write(&path, text).unwrap();
        let (code, output, _) = diff(&file, path.to_str().unwrap(), &["--role", "admin"]);
        assert_eq!(code, Some(1));
        assert!(output.starts_with("Role admin\nBreaking (1)\n  OTHER:"), "{output}");
        assert!(output.contains("the field `query_root.artists` was removed"), "{output}");
    }
}

#[test]
fn what_cannot_be_compared_is_an_error() {
    let (file, folder) = (File::new(TABLES), Folder::new());
    let path = folder.file("other.json");
    fs::write(&path, r#"{"errors":[{"message":"no introspection"}]}"#).unwrap();
    check(
        diff(&file, path.to_str().unwrap(), &[]),
        &expect![[r#"
            1
            error: the schema of OTHER cannot be read: the response to introspection has the error "no introspection"
        "#]],
    );
    check(
        diff(&file, "missing.graphql", &["--role", "admin,editor"]),
        &expect![[r#"
            2
            error: a file has the schema of one role: `--role` names one; `--help-all` lists the options
        "#]],
    );
    let (code, _, error) = diff(&file, "http://127.0.0.1:1/graphql", &[]);
    assert_eq!(code, Some(1));
    assert!(error.starts_with("error: the schema of OTHER cannot be read: "), "{error}");
    let served = Served::start(file.source(), &["--dialect", "hasura"]);
    let address = format!("http://{}/graph", served.address);
    let (code, _, error) = diff(&file, &address, &[]);
    let remedy = "the server says 404 Not Found; the address needs the path of the endpoint, such as \
                  `/v1/graphql`\n";
    assert_eq!((code, error.ends_with(remedy)), (Some(1), true), "{error}");
}

#[test]
fn headers_are_sent_and_secrets_never_printed() {
    let file = File::new(TABLES);
    let options = ["--dialect", "hasura", "--log-requests", "all", "--admin-secret", "0123456789"];
    let served = Served::start(file.source(), &options);
    let address = format!("http://{}/graphql", served.address);
    let (code, _, error) = diff(&file, &address, &[]);
    let remedy = "required, but not found\"; `--against-header` sends credentials, such as \
                  `x-hasura-admin-secret=env:HASURA_GRAPHQL_ADMIN_SECRET`\n";
    assert_eq!((code, error.ends_with(remedy)), (Some(1), true), "{error}");
    let wrong = ["--against-header", "x-hasura-admin-secret=s3cret"];
    let (code, output, error) = diff(&file, &address, &wrong);
    assert_eq!(code, Some(1));
    assert!(error.contains("cannot be read"), "{error}");
    assert!(![output, error, served.log()].concat().contains("s3cret"));
    let right = ["--against-header", "x-hasura-admin-secret=0123456789"];
    assert_eq!(diff(&file, &address, &right).1, "No changes.\n");
}
