//! `thalweg init`, and a server with what it has written.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::process::Stdio;

use crate::databases::Database;
use crate::program::{Folder, Server, outcome, thalweg};

/// Runs the command in a folder with these answers, and returns the code, the output and the errors.
fn init(folder: &Folder, words: &[&str], answers: &str) -> (Option<i32>, String, String) {
    let mut command = thalweg(&[&["init"], words].concat());
    command.current_dir(&folder.0).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(answers.as_bytes()).unwrap();
    outcome(&child.wait_with_output().unwrap())
}

/// A server of the folder's file.
fn serve(folder: &Folder) -> Server {
    let file = folder.file("thalweg.toml");
    let text = fs::read_to_string(&file).unwrap();
    // Paths of the file are relative to where the server starts.
    let text = text.replace("\"policies.toml\"", &format!("{:?}", folder.file("policies.toml")));
    let text = text.replace("\"shop.db\"", &format!("{:?}", folder.file("shop.db")));
    fs::write(&file, text).unwrap();
    Server::start(&["serve", "--config", file.to_str().unwrap(), "--listen", "127.0.0.1:0"])
}

fn folder_with_sample() -> Folder {
    let folder = Folder::new();
    drop(Server::demo(&folder.file("shop.db")));
    folder
}

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.file(name)).unwrap()
}

const QUERY: &str = "{ artists(first: 1) { nodes { name } } }";
const CHANGE: &str = "mutation { deleteArtist(input: {id: 275}) { clientMutationId } }";

#[test]
fn four_answers_make_a_server_that_everyone_may_use() {
    let folder = folder_with_sample();
    let answers = "shop.db\nmodren\n\n\n127.0.0.1:4567\n";
    let (code, output, questions) = init(&folder, &[], answers);
    assert_eq!(code, Some(0), "{questions}");
    assert!(questions.contains("`modren` is none of them."), "{questions}");
    assert!(output.starts_with("Wrote thalweg.toml for 11 tables and views.\n"), "{output}");
    let settings = read(&folder, "thalweg.toml");
    for line in ["source = \"shop.db\"", "preset = \"modern\"", "listen = \"127.0.0.1:4567\""] {
        assert!(settings.contains(&format!("\n{line}\n")), "{line}: {settings}");
    }
    assert!(!folder.file("policies.toml").exists());
    let server = serve(&folder);
    let answer = server.query("", QUERY);
    assert!(answer.body.starts_with(r#"{"data":{"artists":{"nodes":[{"name":"#), "{}", answer.body);
}

#[test]
fn tokens_read_what_the_first_policies_allow() {
    let folder = folder_with_sample();
    let words = ["shop.db", "--access", "tokens", "--yes"];
    let (code, output, error) = init(&folder, &words, "");
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let token = output.lines().find(|line| line.starts_with("eyJ")).unwrap();
    let server = serve(&folder);
    let bearer = format!("Authorization: Bearer {token}\r\n");
    let answer = server.query(&bearer, QUERY);
    assert!(answer.body.starts_with(r#"{"data":{"artists":{"nodes":[{"name":"#), "{}", answer.body);
    let answer = server.query(&bearer, CHANGE);
    assert!(
        answer.body.contains("PERMISSION_DENIED") || answer.body.contains("Cannot query field"),
        "{}",
        answer.body
    );
    let answer = server.query("", QUERY);
    assert!(answer.body.contains("\"errors\""), "{}", answer.body);
}

#[test]
fn nothing_is_overwritten_and_nothing_is_written_without_a_database() {
    let folder = folder_with_sample();
    let (code, _, error) = init(&folder, &["shopp.db", "--yes"], "");
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("there is no file shopp.db"), "{error}");
    assert!(!folder.file("thalweg.toml").exists());
    let (code, _, error) = init(&folder, &["--yes"], "");
    assert_eq!(code, Some(2));
    assert!(error.contains("with `--yes` the database is an argument, such as"), "{error}");
    let (code, _, error) = init(&folder, &["shop.db", "--yes", "--api", "neo4j"], "");
    assert_eq!(code, Some(2));
    assert!(error.contains("`--api neo4j` is for graphs"), "{error}");
    for file in ["policies.toml", "thalweg.toml"] {
        fs::write(folder.file(file), "# mine\n").unwrap();
        let (code, _, error) = init(&folder, &["shop.db", "--yes"], "");
        let expected = format!(
            "error: there is a file {file} already: delete it, or run `thalweg init` in another folder\n"
        );
        assert_eq!((code, error), (Some(1), expected));
        assert_eq!(read(&folder, file), "# mine\n");
        fs::remove_file(folder.file(file)).unwrap();
    }
}

#[test]
fn an_address_that_others_reach_is_warned_of() {
    for (access, warns) in [("everyone", true), ("tokens", false)] {
        let folder = folder_with_sample();
        let words = ["shop.db", "--yes", "--listen", "0.0.0.0:4567", "--access", access];
        let (code, output, error) = init(&folder, &words, "");
        assert_eq!((code, error.as_str()), (Some(0), ""));
        let warning = "Everyone who reaches 0.0.0.0:4567 may read and change everything";
        assert_eq!(output.contains(warning), warns, "{output}");
    }
}

#[test]
fn a_failure_leaves_no_file() {
    let folder = folder_with_sample();
    // No file is there, and none can be created in its place.
    symlink("nowhere/thalweg.toml", folder.file("thalweg.toml")).unwrap();
    let (code, _, error) = init(&folder, &["shop.db", "--access", "tokens", "--yes"], "");
    assert_eq!(code, Some(1), "{error}");
    assert!(!folder.file("policies.toml").exists());
}

#[test]
fn the_database_is_opened_before_the_other_questions() {
    let folder = folder_with_sample();
    let (code, _, questions) = init(&folder, &[], "shopp.db\n");
    assert_eq!(code, Some(1), "{questions}");
    assert!(!questions.contains("Which API?"), "{questions}");
}

#[test]
fn schemas_of_the_environment_are_read_and_written() {
    let sql = "CREATE SCHEMA shop CREATE TABLE song (id int PRIMARY KEY)";
    let Some(database) = Database::on_one(sql) else { return };
    let folder = Folder::new();
    let mut command = thalweg(&["init", &database.url(), "--yes"]);
    command.current_dir(&folder.0).env("THALWEG_SCHEMA", "shop");
    let (code, output, error) = outcome(&command.output().unwrap());
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert!(output.starts_with("Wrote thalweg.toml for 1 tables and views.\n"), "{output}");
    let settings = read(&folder, "thalweg.toml");
    assert!(settings.contains("\nschema = \"shop\"\n"), "{settings}");
}

#[test]
fn tokens_work_on_postgres_without_roles_of_the_database() {
    let sql =
        "CREATE TABLE song (id int PRIMARY KEY, title text); INSERT INTO song VALUES (1, 'One')";
    for database in Database::on_each(sql) {
        for api in ["modern", "postgraphile", "postgraphile5", "phrag"] {
            let folder = Folder::new();
            let words = [&database.url(), "--access", "tokens", "--api", api, "--yes"];
            let (code, output, error) = init(&folder, &words, "");
            assert_eq!((code, error.as_str()), (Some(0), ""), "{api}");
            let token = output.lines().find(|line| line.starts_with("eyJ")).unwrap();
            let server = serve(&folder);
            let field = match api {
                "modern" => "songs { nodes { title } }",
                "phrag" => "songs { title }",
                _ => "allSongs { nodes { title } }",
            };
            let query = format!("{{ {field} }}");
            let answer = server.query(&format!("Authorization: Bearer {token}\r\n"), &query);
            assert!(answer.body.contains(r#"{"title":"One"}"#), "{api}: {}", answer.body);
            assert!(!server.query("", &query).body.contains("One"), "{api}");
        }
    }
}
