//! Datamodels of Prisma: the tables that `thalweg migrate` makes of them, and those that
//! `thalweg types` makes of tables.

use std::fs;
use std::path::Path;

use expect_test::{Expect, expect};
use testkit::postgres::{Server, required_installations, shared};

use crate::program::{self, Folder, outcome, run};

const FIRST: &str = "
    type User @db(name: \"users\") {
      id: ID! @id
      email: String! @unique
      score: Float
      posts: [Post!]! @relation(name: \"Written\")
      liked: [Post!]! @relation(name: \"Liked\")
    }
    type Post {
      id: Int! @id
      title: String!
      state: State! @default(value: DRAFT)
      tags: [String!]! @scalarList(strategy: RELATION)
      writer: User @relation(name: \"Written\")
      likedBy: [User!]! @relation(name: \"Liked\")
      createdAt: DateTime! @createdAt
    }
    enum State { DRAFT PUBLIC }
";

/// Names that Prisma would have renamed, a new field, and a relation in a table.
const SECOND: &str = "
    type Account @db(name: \"users\") @rename(oldName: \"User\") {
      id: ID! @id
      email: String! @unique
      score: Float
      posts: [Article!]! @relation(name: \"Written\", link: TABLE)
      liked: [Article!]! @relation(name: \"Liked\")
      age: Int! @default(value: 18)
    }
    type Article @rename(oldName: \"Post\") {
      id: Int! @id
      name: String! @rename(oldName: \"title\")
      state: State! @default(value: DRAFT)
      words: [String!]! @rename(oldName: \"tags\") @scalarList(strategy: RELATION)
      writer: Account @relation(name: \"Written\")
      likedBy: [Account!]! @relation(name: \"Liked\")
      createdAt: DateTime! @createdAt
      updatedAt: DateTime! @updatedAt
    }
    enum State { DRAFT PUBLIC SECRET }
";

/// Without the table of tags and the column of scores.
const THIRD: &str = "
    type Account @db(name: \"users\") {
      id: ID! @id
      email: String! @unique
      posts: [Article!]! @relation(name: \"Written\", link: TABLE)
      liked: [Article!]! @relation(name: \"Liked\")
      age: Int! @default(value: 18)
    }
    type Article {
      id: Int! @id
      name: String!
      state: State! @default(value: DRAFT)
      writer: Account @relation(name: \"Written\")
      likedBy: [Account!]! @relation(name: \"Liked\")
      createdAt: DateTime! @createdAt
      updatedAt: DateTime! @updatedAt
    }
    enum State { DRAFT PUBLIC SECRET }
";

const ROWS: &str = "
    INSERT INTO users (id, email, score) VALUES ('c1', 'ann@x.org', 1.5), ('c2', 'bob@x.org', NULL);
    INSERT INTO \"Post\" (title, state, writer, \"createdAt\")
      VALUES ('One', 'PUBLIC', 'c1', '2020-02-29 12:00:00.000'), ('Two', 'DRAFT', 'c1', '2020-03-01 12:00:00.000');
    INSERT INTO \"Post_tags\" VALUES (1, 1000, 'a'), (1, 2000, 'b');
    INSERT INTO \"_Liked\" (\"A\", \"B\") VALUES (1, 'c2'), (2, 'c1');
";

/// The rows after the second migration.
const READ: &str = "
    SELECT 'pairs of likes: ' || \"A\" || ' ' || \"B\" FROM \"_Liked\"
    UNION ALL SELECT 'pairs of writers: ' || \"A\" || ' ' || \"B\" FROM \"_Written\"
    UNION ALL SELECT 'users: ' || id || ' ' || email || ' ' || age FROM users
    UNION ALL SELECT 'articles: ' || id || ' ' || name || ' ' || state || ' '
      || CASE WHEN \"updatedAt\" IS NOT NULL THEN 'updated' END FROM \"Article\"
    UNION ALL SELECT 'words: ' || \"nodeId\" || ' ' || position || ' ' || value FROM \"Article_words\"
    ORDER BY 1
";

fn datamodel(folder: &Folder, text: &str) -> String {
    let file = folder.file("datamodel.prisma");
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

/// Migrates, and expects that it succeeds.
#[track_caller]
fn migrate(datamodel: &str, data: &[&str], ending: &str) -> String {
    let arguments = [&["migrate", datamodel, "--data"], data].concat();
    let (code, output, error) = outcome(&run(&arguments));
    assert_eq!((code, &*error), (Some(0), ""), "{output}");
    assert!(output.ends_with(ending), "{output}");
    output
}

/// Refuses to lose values, and loses them if it is told to.
#[track_caller]
fn lose(datamodel: &str, data: &[&str]) {
    let arguments = [&["migrate", datamodel, "--data"], data].concat();
    let (code, output, error) = outcome(&run(&arguments));
    assert_eq!(code, Some(1), "{output}");
    assert_eq!(error, LOST);
    let (code, output, _) = outcome(&run(&[&arguments[..], &["--allow-loss"]].concat()));
    assert_eq!(code, Some(0), "{output}");
    assert!(output.ends_with("Migration 3 was applied.\n"), "{output}");
}

/// What the third datamodel loses.
const LOST: &str = "error: the column users.score is dropped: 1 row.
error: the table Article_words is dropped: 2 rows.
  Remedy: keep what is needed elsewhere, and migrate with `--allow-loss`.
";

/// The datamodel of the tables after the third migration.
const TYPES: &str = r#"type Article {
  id: Int! @id
  createdAt: DateTime! @createdAt
  name: String!
  state: String!
  updatedAt: DateTime! @updatedAt
  users: [User] @relation(name: "Liked")
  users2: [User] @relation(name: "Written")
}

type Liked @db(name: "_Liked") @relationTable {
  a: User! @db(name: "A")
  b: Article! @db(name: "B")
}

type User @db(name: "users") {
  id: ID! @id
  age: Int!
  article: [Article] @relation(name: "Liked")
  article2: [Article] @relation(name: "Written")
  email: String! @unique
}

type Written @db(name: "_Written") @relationTable {
  a: User! @db(name: "A")
  b: Article! @db(name: "B")
}
"#;

const ROWS_AFTER: &str = "articles: 1 One PUBLIC updated
articles: 2 Two DRAFT updated
pairs of likes: c1 2
pairs of likes: c2 1
pairs of writers: c1 1
pairs of writers: c1 2
users: c1 ann@x.org 18
users: c2 bob@x.org 18
words: 1 1000 a
words: 1 2000 b
";

fn sqlite_rows(file: &Path) -> String {
    let connection = rusqlite::Connection::open(file).unwrap();
    let mut statement = connection.prepare(READ).unwrap();
    let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    rows.map(|row| row.unwrap() + "\n").collect()
}

#[test]
fn a_file_follows_a_datamodel() {
    let folder = Folder::new();
    let file = folder.file("shop.db");
    let data = [file.to_str().unwrap()];
    let first = datamodel(&folder, FIRST);
    migrate(&first, &data, "Migration 1 was applied.\n");
    migrate(&first, &data, "The database has the tables of the type definitions.\n");
    let execute = |sql| rusqlite::Connection::open(&file).unwrap().execute_batch(sql).unwrap();
    execute(ROWS);
    let second = datamodel(&folder, SECOND);
    migrate(&second, &data, "Migration 2 was applied.\n");
    migrate(&second, &data, "The database has the tables of the type definitions.\n");
    assert_eq!(sqlite_rows(&file), ROWS_AFTER);
    let third = datamodel(&folder, THIRD);
    lose(&third, &data);
    let (code, types, error) = outcome(&run(&["types", data[0]]));
    assert_eq!((code, &*error), (Some(0), ""));
    assert_eq!(types, TYPES);
}

#[test]
fn references_of_a_file_follow_a_renamed_type() {
    const BEFORE: &str = "
        type Post { id: ID! @id writer: User @relation(link: INLINE) }
        type User { id: ID! @id post: Post }";
    let folder = Folder::new();
    let file = folder.file("shop.db");
    let data = [file.to_str().unwrap()];
    let open = || rusqlite::Connection::open(&file).unwrap();
    let first = datamodel(&folder, BEFORE);
    migrate(&first, &data, "Migration 1 was applied.\n");
    let rows =
        "INSERT INTO \"User\" VALUES ('u'); INSERT INTO \"Post\" (id, writer) VALUES ('p', 'u');";
    open().execute_batch(rows).unwrap();
    let after = BEFORE.replace("writer: User", "writer: Account");
    let after = after.replace("type User", "type Account @rename(oldName: \"User\")");
    let second = datamodel(&folder, &after);
    migrate(&second, &data, "Migration 2 was applied.\n");
    let read = |sql: &str| open().query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(read("SELECT \"table\" FROM pragma_foreign_key_list('Post')"), "Account");
    assert_eq!(read("SELECT writer FROM \"Post\""), "u");
    let server =
        program::Server::start(&["serve", &second, "--data", data[0], "--listen", "127.0.0.1:0"]);
    let answer = server.query("", "{ accounts { post { writer { id } } } }");
    assert_eq!(answer.body, "{\"data\":{\"accounts\":[{\"post\":{\"writer\":{\"id\":\"u\"}}}]}}");
}

#[test]
fn a_database_of_postgresql_follows_a_datamodel() {
    let folder = Folder::new();
    for installation in required_installations().unwrap() {
        let server = shared(&installation).unwrap();
        server.create_database("datamodels").unwrap();
        let url = server.url("datamodels");
        let data = [&*url, "--schema", "default$default"];
        let first = datamodel(&folder, FIRST);
        migrate(&first, &data, "Migration 1 was applied.\n");
        migrate(&first, &data, "The database has the tables of the type definitions.\n");
        execute(server, ROWS);
        let second = datamodel(&folder, SECOND);
        migrate(&second, &data, "Migration 2 was applied.\n");
        migrate(&second, &data, "The database has the tables of the type definitions.\n");
        assert_eq!(postgres_rows(server), ROWS_AFTER);
        let third = datamodel(&folder, THIRD);
        lose(&third, &data);
        let arguments = ["types", &url, "--dialect", "prisma", "--schema", "default$default"];
        let (code, types, error) = outcome(&run(&arguments));
        assert_eq!((code, &*error), (Some(0), ""));
        assert_eq!(types, TYPES);
    }
}

fn execute(server: &Server, sql: &str) {
    let sql = format!("SET search_path TO \"default$default\"; {sql}");
    server.execute("datamodels", &sql).unwrap();
}

fn postgres_rows(server: &Server) -> String {
    execute(server, "ALTER DATABASE datamodels SET search_path TO \"default$default\"");
    let rows = server.query("datamodels", READ).unwrap();
    rows.into_iter().map(|row| row[0].clone().unwrap() + "\n").collect()
}

/// The tables of the first datamodel as Prisma made them.
const OF_PRISMA: &str = r#"
    CREATE TABLE users (id varchar(25) NOT NULL, email text NOT NULL, score Decimal(65,30), PRIMARY KEY (id));
    CREATE UNIQUE INDEX "default$default.users.email._UNIQUE" ON users (email ASC);
    CREATE TABLE "Post" (id SERIAL NOT NULL, title text NOT NULL, state text NOT NULL,
      "createdAt" timestamp(3) NOT NULL, PRIMARY KEY (id));
    ALTER TABLE "Post" ADD COLUMN writer varchar(25) REFERENCES users (id) ON DELETE SET NULL;
    CREATE TABLE "Post_tags" ("nodeId" int NOT NULL REFERENCES "Post" (id), position int NOT NULL, value text NOT NULL,
      PRIMARY KEY ("nodeId", position));
    CREATE TABLE "_Liked" ("A" int NOT NULL REFERENCES "Post" (id) ON DELETE CASCADE,
      "B" varchar(25) NOT NULL REFERENCES users (id) ON DELETE CASCADE);
    CREATE UNIQUE INDEX "_Liked_AB_unique" ON "_Liked" ("A" ASC, "B" ASC);
    CREATE INDEX "_Liked_B" ON "_Liked" ("B" ASC);
"#;

#[test]
fn a_database_of_prisma_is_adopted() {
    let folder = Folder::new();
    for installation in required_installations().unwrap() {
        let server = shared(&installation).unwrap();
        server.create_database("adopted").unwrap();
        let execute = |sql: &str| {
            let sql = format!("SET search_path TO \"default$default\"; {sql}");
            server.execute("adopted", &sql).unwrap();
        };
        server.execute("adopted", "CREATE SCHEMA \"default$default\"").unwrap();
        execute(OF_PRISMA);
        execute(ROWS);
        let url = server.url("adopted");
        let first = datamodel(&folder, FIRST);
        let arguments = ["migrate", &*first, "--data", &url, "--schema", "default$default"];
        let (code, _, error) = outcome(&run(&arguments));
        assert_eq!(code, Some(1));
        expect![[r#"
            error: the database was changed without a migration: there is a table users which no migration created.
            error: the database was changed without a migration: there is a table Post which no migration created.
            error: the database was changed without a migration: there is a table Post_tags which no migration created.
            error: the database was changed without a migration: there is a table _Liked which no migration created.
              Remedy: if Prisma made the tables, record their datamodel with `--adopt`.
              Remedy: undo the changes, or make them in the type definitions after undoing them.
        "#]].assert_eq(&error);
        let adopt = [&arguments[..], &["--adopt"]].concat();
        let other = datamodel(&folder, &FIRST.replace("score: Float", "score: Int  rank: Int"));
        let (code, output, error) = outcome(&run(&adopt));
        assert_eq!((code, &*output), (Some(1), "Nothing was recorded.\n"));
        expect![[r#"
            error: the tables are not those of the datamodel: the column users.score has another type.
            error: the tables are not those of the datamodel: the column users.rank is not there.
              Remedy: correct the datamodel, or the tables, and adopt them again.
        "#]].assert_eq(&error);
        let first = datamodel(&folder, FIRST);
        assert_eq!(first, other);
        let (code, output, error) = outcome(&run(&adopt));
        assert_eq!((code, &*error), (Some(0), ""));
        assert_eq!(
            output,
            "The tables are those of the datamodel: it was recorded as migration 1.\n"
        );
        let (code, _, error) = outcome(&run(&adopt));
        assert_eq!(code, Some(1));
        expect![[r#"
            error: the database has a history of migrations already: leave `--adopt` out
        "#]]
        .assert_eq(&error);
        let data = [&*url, "--schema", "default$default"];
        migrate(&first, &data, "The database has the tables of the type definitions.\n");
        let second =
            datamodel(&folder, &FIRST.replace("title: String!", "title: String!  rank: Int"));
        migrate(&second, &data, "Migration 2 was applied.\n");
    }
}

#[test]
fn only_tables_of_prisma_are_adopted() {
    let folder = Folder::new();
    let file = datamodel(&folder, FIRST);
    let refuse = |arguments: &[&str], expected: &Expect| {
        let (code, output, error) = outcome(&run(arguments));
        assert_eq!((code, &*output), (Some(2), ""));
        expected.assert_eq(&error);
    };
    let adopt = ["migrate", &file, "--data", "a.db", "--adopt"];
    refuse(
        &[&adopt[..], &["--check"]].concat(),
        &expect![[r#"
        error: `--adopt` changes no table: leave `--check` out; `--help-all` lists the options
    "#]],
    );
    refuse(
        &[&adopt[..], &["--dialect", "dgraph"]].concat(),
        &expect![[r#"
        error: `--adopt` is for databases that Prisma made: Dgraph has no tables to adopt; `--help-all` lists the options
    "#]],
    );
    refuse(
        &["migrate", "neo4j://127.0.0.1:1", "--types", &file, "--adopt"],
        &expect![[r#"
        error: `--adopt` needs `--data`; `--help-all` lists the options
    "#]],
    );
}

#[test]
fn mistakes_are_told_with_their_places() {
    let folder = Folder::new();
    let file = datamodel(&folder, "type User {\n  id: ID!\n  name: Strng @db(name: \"n\")\n}");
    let (code, output, error) = outcome(&run(&["migrate", &file, "--data", "a.db"]));
    assert_eq!((code, &*output), (Some(2), ""));
    let error = error.replace(&file, "datamodel.prisma");
    expect![[r#"
        error: datamodel.prisma, line 3, column 3: User.name: there is no type or enum `Strng`: did you mean String?
    "#]].assert_eq(&error);
    // The same file as definitions of Dgraph.
    let arguments = ["migrate", &file, "--dialect", "dgraph", "--data", "a.db"];
    let (code, _, error) = outcome(&run(&arguments));
    assert_eq!(code, Some(2));
    assert!(error.contains("`@db` is unknown"), "{error}");
}

#[test]
fn options_of_types_fit_the_database() {
    let refuse = |arguments: &[&str], expected: &Expect| {
        let (code, output, error) = outcome(&run(arguments));
        assert_eq!((code, &*output), (Some(2), ""));
        expected.assert_eq(&error);
    };
    let graph = "neo4j://127.0.0.1:1";
    refuse(
        &["types", graph, "--dialect", "prisma"],
        &expect![[r#"
        error: `--dialect prisma` reads tables, and the source is a graph: leave it out; `--help-all` lists the options
    "#]],
    );
    refuse(
        &["types", graph, "--schema", "a"],
        &expect![[r#"
        error: `--schema` is for PostgreSQL: leave it out; `--help-all` lists the options
    "#]],
    );
    let folder = Folder::new();
    let names = folder.file("schema.prisma");
    fs::write(
        &names,
        "datasource db {\n provider = \"postgresql\"\n schemas = [\"a\", \"b\"]\n}\n",
    )
    .unwrap();
    let names = names.to_str().unwrap();
    refuse(
        &["types", graph, "--prisma", names],
        &expect![[r#"
        error: `--prisma` names tables, and the source is a graph: leave it out; `--help-all` lists the options
    "#]],
    );
    refuse(
        &["types", "postgres://127.0.0.1:1/a", "--prisma", names],
        &expect![[r#"
        error: a datamodel has the tables of one schema, and the datasource of `--prisma` names several: choose one by `--schema`; `--help-all` lists the options
    "#]],
    );
    refuse(
        &["types", "a.db", "--dialect", "neo4j"],
        &expect![[r#"
        error: `--dialect neo4j` reads a graph: give an address such as neo4j://localhost:7687; `--help-all` lists the options
    "#]],
    );
    refuse(
        &["types", "a.db", "--neo4j-api", "3"],
        &expect![[r#"
        error: `--neo4j-api` is for graphs: leave it out; `--help-all` lists the options
    "#]],
    );
    refuse(
        &["types", "a.db", "--schema", "a"],
        &expect![[r#"
        error: `--schema` is for PostgreSQL: leave it out; `--help-all` lists the options
    "#]],
    );
}

/// One response, after which the stream ends: it is no live query of an error.
#[test]
fn a_subscription_is_refused_once() {
    let folder = Folder::new();
    let (file, data) = (datamodel(&folder, FIRST), folder.file("shop.db"));
    let data = data.to_str().unwrap();
    let server =
        program::Server::start(&["serve", &file, "--data", data, "--listen", "127.0.0.1:0"]);
    let events = "Accept: text/event-stream\r\n";
    let query = "subscription { user(where: { node: { posts_some: null } }) { mutation } }";
    let body = server.query(events, query).body;
    assert_eq!(body.matches("\"code\":3033").count(), 1, "{body}");
    assert_eq!(body.matches("event: complete").count(), 1, "{body}");
}

/// A datamodel over tables that Prisma did not make: its defaults are those of new rows, whatever the
/// columns have.
#[test]
fn defaults_of_a_datamodel_are_those_of_new_rows() {
    let folder = Folder::new();
    let database = folder.file("shop.db");
    let connection = rusqlite::Connection::open(&database).unwrap();
    let tables = "CREATE TABLE posts (id INTEGER PRIMARY KEY, title TEXT NOT NULL, rank INT DEFAULT 1,
        rate REAL NOT NULL, ok BOOLEAN NOT NULL DEFAULT 0, at TIMESTAMP NOT NULL, data TEXT, state TEXT);";
    connection.execute_batch(tables).unwrap();
    let file = datamodel(
        &folder,
        "type Post @db(name: \"posts\") {
           id: Int! @id
           title: String! @default(value: \"none\")
           rank: Int @default(value: 7)
           rate: Float! @default(value: 0.5)
           ok: Boolean! @default(value: true)
           at: DateTime! @default(value: \"2018-01-31T12:00:00.000Z\")
           data: Json @default(value: \"{\\\"a\\\": 1}\")
           state: State @default(value: DRAFT)
         }
         enum State { DRAFT PUBLIC }",
    );
    let database = database.to_str().unwrap();
    let listen = ["--listen", "127.0.0.1:0"];
    let arguments = ["serve", database, "--dialect", "prisma", "--types", &file];
    let server = program::Server::start(&[&arguments[..], &listen].concat());
    let fields = "{ id title rank rate ok at data state }";
    let body = server.query("", &format!("mutation {{ createPost(data: {{}}) {fields} }}")).body;
    let expected = r#"{"data":{"createPost":{"id":1,"title":"none","rank":7,"rate":0.5,"ok":true,"at":"2018-01-31T12:00:00.000Z","data":{"a":1},"state":"DRAFT"}}}"#;
    assert_eq!(body, expected);
    let create = "mutation { createPost(data: { rank: null, data: null, state: PUBLIC }) { rank data state } }";
    let expected = r#"{"data":{"createPost":{"rank":null,"data":null,"state":"PUBLIC"}}}"#;
    assert_eq!(server.query("", create).body, expected);
}
