//! `--prisma`: the schema of Prisma ORM as a source of names, from a file, a folder, the environment
//! and the configuration file.

use std::fs;
use std::path::Path;

use rusqlite::Connection;

use crate::program::{Folder, outcome, run, thalweg};
use crate::served::Served;

const USER: &str = "
model User {
  id    Int    @id
  email String @unique @map(\"email_address\")
  posts Post[]
  @@map(\"users\")
}
";

const POST: &str = "
model Post {
  id       Int    @id
  title    String
  secret   String? @ignore
  authorId Int    @map(\"author_id\")
  author   User   @relation(fields: [authorId], references: [id])
  @@map(\"posts\")
}
";

/// A file with two tables, and without a foreign key.
fn database(folder: &Folder) -> String {
    let path = folder.file("shop.db");
    let connection = Connection::open(&path).unwrap();
    let tables = "CREATE TABLE users (id INTEGER PRIMARY KEY, email_address TEXT NOT NULL UNIQUE);
        CREATE TABLE posts (id INTEGER PRIMARY KEY, title TEXT NOT NULL, secret TEXT,
            author_id INTEGER NOT NULL);
        INSERT INTO users VALUES (1, 'ada@example.com');
        INSERT INTO posts VALUES (1, 'Rivers', 'hidden', 1);";
    connection.execute_batch(tables).unwrap();
    text(&path)
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn file(folder: &Folder, name: &str, schema: &str) -> String {
    let path = folder.file(name);
    fs::write(&path, schema).unwrap();
    text(&path)
}

/// The standard output of a command that succeeds.
#[track_caller]
fn printed(arguments: &[&str]) -> String {
    let (code, output, error) = outcome(&run(arguments));
    assert_eq!(code, Some(0), "{error}");
    output
}

/// The error of a command.
#[track_caller]
fn refused(arguments: &[&str]) -> String {
    let (code, output, error) = outcome(&run(arguments));
    assert_ne!(code, Some(0), "{output}");
    error
}

#[test]
fn a_file_a_folder_and_the_environment_give_the_same_names() {
    let folder = Folder::new();
    let database = database(&folder);
    let schema = file(&folder, "schema.prisma", &[USER, POST].concat());
    let inner = folder.file("models").join("inner");
    fs::create_dir_all(&inner).unwrap();
    fs::write(folder.file("models").join("user.prisma"), USER).unwrap();
    fs::write(inner.join("post.prisma"), POST).unwrap();
    // Other files are no part of it.
    fs::write(inner.join("notes.txt"), "model").unwrap();
    let models = text(&folder.file("models"));
    for dialect in ["postgraphile", "phrag", "hasura", "prisma"] {
        let whole = printed(&["schema", &database, "--dialect", dialect, "--prisma", &schema]);
        assert!(whole.contains("type User ") && whole.contains("type Post "), "{whole}");
        assert!(whole.contains("  email: String") && whole.contains("  author: User"), "{whole}");
        assert!(!whole.contains("secret") && !whole.contains("author_id"), "{whole}");
        let parts = printed(&["schema", &database, "--dialect", dialect, "--prisma", &models]);
        assert_eq!(parts, whole);
        let mut program = thalweg(&["schema", &database, "--dialect", dialect]);
        let (code, given, error) =
            outcome(&program.env("THALWEG_PRISMA", &schema).output().unwrap());
        assert_eq!((code, given), (Some(0), whole), "{error}");
    }
}

#[test]
fn requests_use_the_names_and_declared_relations() {
    let folder = Folder::new();
    let database = database(&folder);
    let schema = file(&folder, "schema.prisma", &[USER, POST].concat());
    let served = Served::start(&database, &["--dialect", "phrag", "--prisma", &schema]);
    let answer = served.ask("{ users { email posts { title author { email } } } }");
    let expected = serde_json::json!({ "data": { "users": [
        { "email": "ada@example.com",
          "posts": [{ "title": "Rivers", "author": { "email": "ada@example.com" } }] }
    ] } });
    assert_eq!(answer, expected);
}

#[test]
fn mistakes_are_told_at_the_start_with_their_places() {
    let folder = Folder::new();
    let database = database(&folder);
    let schema = file(
        &folder,
        "schema.prisma",
        &[USER, &POST.replace("title    String", "titel String\n  x Strng")].concat(),
    );
    let error = refused(&["check", &database, "--prisma", &schema]);
    let expected = format!(
        "error: {schema}, line 12, column 5: Post.x: there is no model, enum or scalar `Strng`: did \
         you mean String?"
    );
    assert!(error.contains(&expected), "{error}");
    // What the database lacks is told once the schema can be read.
    fs::write(&schema, [USER, &POST.replace("title    String", "titel String")].concat()).unwrap();
    let error = refused(&["schema", &database, "--prisma", &schema]);
    let expected = format!(
        "{schema}, line 11, column 3: Post.titel: posts has no column \"titel\": did you mean \
         @map(\"title\")?"
    );
    assert!(error.contains(&expected), "{error}");
    fs::write(&schema, "datasource db {\n  provider = \"postgresql\"\n}\n").unwrap();
    let error = refused(&["schema", &database, "--prisma", &schema]);
    assert!(error.contains("line 1, column 12: the schema is for another database."), "{error}");
    let missing = text(&folder.file("none.prisma"));
    assert!(refused(&["schema", &database, "--prisma", &missing]).contains("cannot be read"));
    let empty = folder.file("empty");
    fs::create_dir(&empty).unwrap();
    let error = refused(&["schema", &database, "--prisma", &text(&empty)]);
    assert!(error.contains("the folder has no file `*.prisma`"), "{error}");
}

#[test]
fn what_else_names_the_tables_excludes_it() {
    let folder = Folder::new();
    let database = database(&folder);
    let schema = file(&folder, "schema.prisma", &[USER, POST].concat());
    let datamodel = file(&folder, "datamodel.prisma", "type User { id: Int! @id }");
    for (arguments, expected) in [
        (
            ["schema", &database, "--dialect", "hasura", "--metadata", "m.yaml"].as_slice(),
            "`--prisma` and `--metadata` exclude each other",
        ),
        (
            &["schema", &database, "--dialect", "prisma", "--types", &datamodel],
            "`--prisma` and `--types` exclude each other",
        ),
        (
            &["schema", &datamodel, "--data", &database],
            "`--prisma` and `--data` exclude each other",
        ),
        (&["schema", "neo4j://localhost:1"], "prisma"),
    ] {
        let error = refused(&[arguments, &["--prisma", &schema]].concat());
        assert!(error.contains(expected), "{error}");
    }
}
