//! `--prisma`: the schema of Prisma ORM as a source of names, from a file, a folder, the environment
//! and the configuration file.

use std::fs;
use std::path::Path;

use rusqlite::Connection;

use crate::program::{Folder, Server, outcome, run, thalweg};
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

#[test]
fn a_datamodel_has_the_names() {
    let folder = Folder::new();
    let database = database(&folder);
    let schema = file(&folder, "schema.prisma", &[USER, POST].concat());
    let types = printed(&["types", &database, "--prisma", &schema]);
    let expected = "type Post @db(name: \"posts\") {
  id: Int! @id
  author: User! @db(name: \"author_id\")
  title: String!
}

type User @db(name: \"users\") {
  id: Int! @id
  email: String! @db(name: \"email_address\") @unique
  posts: [Post]
}
";
    assert_eq!(types, expected);
    let named = printed(&["schema", &database, "--dialect", "prisma", "--prisma", &schema]);
    let datamodel = file(&folder, "datamodel.prisma", &types);
    let read = printed(&["schema", &database, "--dialect", "prisma", "--types", &datamodel]);
    assert_eq!(read, named);
    // The endpoints of the service have them, too.
    let options = ["--dialect", "prisma", "--prisma", &schema, "--listen", "127.0.0.1:0"];
    let server = Server::start(&[&["serve", &*database], &options[..]].concat());
    let request = "POST /_datamodel HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    let answer = server.send(request.as_bytes());
    assert_eq!(answer.body, serde_json::Value::from(expected).to_string());
}

/// Values of enums that a datamodel cannot name stand as a comment.
#[test]
fn renamed_values_of_an_enum_are_no_part_of_a_datamodel() {
    let folder = Folder::new();
    let path = folder.file("roles.db");
    let tables = "CREATE TABLE users (id INTEGER PRIMARY KEY, role TEXT, state TEXT);";
    Connection::open(&path).unwrap().execute_batch(tables).unwrap();
    let schema = "model User {\n id Int @id\n role Role?\n state State?\n @@map(\"users\")\n}\n\
        enum Role {\n READER @map(\"reader\")\n}\nenum State {\n OPEN\n}\n";
    let schema = file(&folder, "schema.prisma", schema);
    let expected = "enum State {
  OPEN
}

type User @db(name: \"users\") {
  id: Int! @id
  # Values of Role have other names in the database
  # role: Role
  state: State
}
";
    assert_eq!(printed(&["types", &text(&path), "--prisma", &schema]), expected);
}

#[test]
fn a_default_that_the_column_has_not_is_told() {
    let folder = Folder::new();
    let path = folder.file("ranks.db");
    let tables = "CREATE TABLE users (id INTEGER PRIMARY KEY, rank INT NOT NULL DEFAULT 4);";
    Connection::open(&path).unwrap().execute_batch(tables).unwrap();
    let schema = "model User {\n id Int @id\n rank Int @default(5)\n @@map(\"users\")\n}\n";
    let schema = file(&folder, "schema.prisma", schema);
    let (_, output, error) = outcome(&run(&["check", &text(&path), "--prisma", &schema]));
    assert!(output.contains("the column has the default 4, which holds."), "{output}{error}");
    for dialect in ["postgraphile", "phrag", "hasura", "prisma"] {
        let checked = ["check", &text(&path), "--dialect", dialect, "--prisma", &schema];
        let (_, output, error) = outcome(&run(&checked));
        assert!(output.contains("the column has the default 4"), "{dialect}: {output}{error}");
    }
}

#[test]
fn the_dialect_prisma_sets_moments_of_change_whatever_their_columns_are_called() {
    let folder = Folder::new();
    let path = folder.file("notes.db");
    let tables =
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT, touched DATETIME NOT NULL);
        INSERT INTO notes VALUES (1, 'a', '2001-01-01 00:00:00.000');";
    Connection::open(&path).unwrap().execute_batch(tables).unwrap();
    let schema = "model Note {\n id Int @id @default(autoincrement())\n body String?\n \
                  changedAt DateTime @updatedAt @map(\"touched\")\n @@map(\"notes\")\n}";
    let schema = file(&folder, "schema.prisma", schema);
    let options = ["--dialect", "prisma", "--prisma", &schema];
    let served = Served::start(&text(&path), &options);
    let changed = served.ask(
        r#"mutation { updateNote(where: { id: 1 }, data: { body: "b" }) { body changedAt } }"#,
    );
    let note = &changed["data"]["updateNote"];
    assert_eq!(note["body"], "b", "{changed}");
    assert!(note["changedAt"].as_str().unwrap() > "2020", "{changed}");
    let created = served.ask(r#"mutation { createNote(data: { body: "c" }) { changedAt } }"#);
    let moment = created["data"]["createNote"]["changedAt"].as_str();
    assert!(moment.is_some_and(|moment| moment > "2020"), "{created}");
}

#[test]
fn remedies_of_taken_names_are_names_in_the_schema() {
    let folder = Folder::new();
    let path = folder.file("shop.db");
    let tables = "CREATE TABLE accounts (id INTEGER PRIMARY KEY, created_at INTEGER,
            \"createdAt\" TEXT NOT NULL);
        CREATE TABLE filters (id INTEGER PRIMARY KEY);
        CREATE TABLE filter_conditions (id INTEGER PRIMARY KEY);";
    Connection::open(&path).unwrap().execute_batch(tables).unwrap();
    let database = text(&path);
    let models = "model Account {
  id         Int    @id
  created_at Int?
  createdAt  String
  @@map(\"accounts\")
}
model Filter {
  id Int @id
  @@map(\"filters\")
}
model FilterCondition {
  id Int @id
  @@map(\"filter_conditions\")
}
";
    let schema = file(&folder, "schema.prisma", models);
    let check = || {
        let (code, output, error) = outcome(&run(&["check", &database, "--prisma", &schema]));
        (code, output + &error)
    };
    let (code, told) = check();
    assert_eq!(code, Some(1), "{told}");
    let field = "name its field otherwise in the schema of Prisma: new_name … @map(\"createdAt\").";
    let model = "name its model otherwise in the schema of Prisma: model new_name { … \
                 @@map(\"filters\") }.";
    assert!(told.contains(field) && told.contains(model), "{told}");
    assert!(!told.contains("@name"), "{told}");
    // The remedies are followed.
    let models = models
        .replace("createdAt  String", "made String @map(\"createdAt\")")
        .replace("model Filter {", "model Segment {");
    fs::write(&schema, models).unwrap();
    let (code, told) = check();
    assert!(code == Some(0) && !told.contains("claim one name"), "{told}");
}
