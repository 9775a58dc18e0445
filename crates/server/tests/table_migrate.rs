//! Tables that type definitions require, by `thalweg migrate --data`.

use std::fs;
use std::path::Path;

use expect_test::{Expect, expect};
use testkit::postgres::{required_installations, shared};

use crate::program::{Folder, outcome, run};

const FIRST: &str = "
    type Author { id: ID! name: String! @id posts: [Post] @hasInverse(field: author) }
    type Post { id: ID! title: String! @search(by: [term]) score: Int author: Author! }
";

const SECOND: &str = "
    type Author { id: ID! name: String! @id posts: [Post] @hasInverse(field: author) }
    type Post { id: ID! title: String! @search(by: [term]) text: String author: Author! }
";

fn check(arguments: &[&str], expected_code: i32, output: &Expect, error: &Expect) {
    let (code, found, told) = outcome(&run(arguments));
    output.assert_eq(&found);
    error.assert_eq(&told);
    assert_eq!(code, Some(expected_code), "{arguments:?}");
}

fn definitions(folder: &Folder, text: &str) -> String {
    let file = folder.file("schema.graphql");
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

fn execute(file: &Path, sql: &str) {
    rusqlite::Connection::open(file).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn commands_that_only_read_change_no_database() {
    let folder = Folder::new();
    let types = definitions(&folder, FIRST);
    let query = folder.file("query.graphql");
    fs::write(&query, "{ queryPost { title } }").unwrap();
    let query = query.to_str().unwrap();
    let commands = |data: &str| {
        [
            outcome(&run(&["schema", &types, "--data", data])),
            outcome(&run(&["explain", &types, query, "--data", data])),
            outcome(&run(&["check", &types, "--data", data])),
        ]
    };
    let file = folder.file("blog.db");
    for ((code, output, error), expected) in commands(file.to_str().unwrap()).into_iter().zip([
        "queryPost(filter: PostFilter",
        "FROM \"Post\"",
        "Nothing found.",
    ]) {
        assert_eq!((code, &*error), (Some(0), ""));
        assert!(output.contains(expected), "{output}");
    }
    assert_eq!(fs::read_dir(folder.file("")).unwrap().count(), 2);
    let is_refused = |data: &str| {
        for (code, _, error) in commands(data) {
            assert_eq!(code, Some(1), "{error}");
            let expected = "the database is behind its type definitions: create the table Author;";
            assert!(error.contains(expected) && error.contains("`thalweg migrate`"), "{error}");
        }
    };
    execute(&file, "CREATE TABLE other (id INTEGER PRIMARY KEY)");
    let before = fs::read(&file).unwrap();
    is_refused(file.to_str().unwrap());
    assert_eq!(fs::read(&file).unwrap(), before);
    let installations = required_installations().unwrap();
    let Some(installation) = installations.first() else { return };
    let server = shared(installation).unwrap();
    server.create_database("migrate_read").unwrap();
    let data = server.url("migrate_read");
    is_refused(&data);
    let (code, output, _) = outcome(&run(&["migrate", &types, "--data", &data, "--check"]));
    assert_eq!(code, Some(1));
    assert!(output.starts_with("missing: create the table Author\n"), "{output}");
}

#[test]
fn a_file_gets_the_tables_of_type_definitions() {
    let folder = Folder::new();
    let data = folder.file("blog.db");
    let types = definitions(&folder, FIRST);
    let migrate = ["migrate", &types, "--data", data.to_str().unwrap()];
    let with = |option| [&migrate[..], &[option]].concat();
    check(
        &with("--check"),
        1,
        &expect![[r#"
        missing: create the table Author
        missing: create the table Post
        missing: create the index thalweg_Post_title_words
        missing: create the index Post_author_idx
        missing: create triggers of the table Author
        missing: create triggers of the table Post
    "#]],
        &expect![],
    );
    check(
        &with("--dry-run"),
        0,
        &expect![[r#"
        -- create the table Author
        CREATE TABLE "Author" (
          "id" INTEGER PRIMARY KEY,
          "name" TEXT NOT NULL,
          CONSTRAINT "Author_name_key" UNIQUE ("name")
        );
        -- create the table Post
        CREATE TABLE "Post" (
          "id" INTEGER PRIMARY KEY,
          "title" TEXT NOT NULL,
          "score" INTEGER,
          "author" BIGINT,
          CONSTRAINT "Post_author_fkey" FOREIGN KEY ("author") REFERENCES "Author" ("id") ON DELETE SET NULL
        );
        -- create the index thalweg_Post_title_words
        CREATE VIRTUAL TABLE "thalweg_Post_title_words" USING fts5("title", content='Post', content_rowid='id', tokenize='unicode61');
        INSERT INTO "thalweg_Post_title_words"("thalweg_Post_title_words") VALUES ('rebuild');
        -- create the index Post_author_idx
        CREATE INDEX "Post_author_idx" ON "Post" ("author");
        -- create triggers of the table Author
        CREATE TRIGGER "thalweg_Author_key" BEFORE INSERT ON "Author" BEGIN
          SELECT RAISE(ABORT, 'give the row a new id: ids are unique in the whole database; UPDATE thalweg_sequence SET last = last + 1 RETURNING last takes the next one') WHERE NEW."id" <= 0;
          UPDATE "thalweg_sequence" SET "last" = NEW."id" WHERE NEW."id" > "last";
        END;
        -- create triggers of the table Post
        CREATE TRIGGER "thalweg_Post_key" BEFORE INSERT ON "Post" BEGIN
          SELECT RAISE(ABORT, 'give the row a new id: ids are unique in the whole database; UPDATE thalweg_sequence SET last = last + 1 RETURNING last takes the next one') WHERE NEW."id" <= 0;
          UPDATE "thalweg_sequence" SET "last" = NEW."id" WHERE NEW."id" > "last";
        END;
        CREATE TRIGGER "thalweg_Post_insert" AFTER INSERT ON "Post" BEGIN
          INSERT INTO "thalweg_Post_title_words" ("rowid", "title") VALUES (NEW."id", NEW."title");
        END;
        CREATE TRIGGER "thalweg_Post_delete" AFTER DELETE ON "Post" BEGIN
          INSERT INTO "thalweg_Post_title_words" ("thalweg_Post_title_words", "rowid", "title") VALUES ('delete', OLD."id", OLD."title");
        END;
        CREATE TRIGGER "thalweg_Post_title_words_update" AFTER UPDATE OF "id", "title" ON "Post" BEGIN
          INSERT INTO "thalweg_Post_title_words" ("thalweg_Post_title_words", "rowid", "title") VALUES ('delete', OLD."id", OLD."title");
          INSERT INTO "thalweg_Post_title_words" ("rowid", "title") VALUES (NEW."id", NEW."title");
        END;
    "#]],
        &expect![],
    );
    assert!(!data.exists());
    let (code, applied, error) = outcome(&run(&migrate));
    assert_eq!((code, &*error), (Some(0), ""));
    assert!(applied.ends_with("Migration 1 was applied.\n"), "{applied}");
    check(
        &migrate,
        0,
        &expect![[r#"
        The database has the tables of the type definitions.
    "#]],
        &expect![],
    );
    check(
        &with("--check"),
        0,
        &expect![[r#"
        The database has the tables of the type definitions.
    "#]],
        &expect![],
    );
    execute(
        &data,
        "INSERT INTO Author (id, name) VALUES (1, 'Ann');
         INSERT INTO Post (id, title, score, author) VALUES (2, 'One', 5, 1), (3, 'Two', 6, 1);",
    );
    // Another dialect serves the same tables, without Thalweg's own.
    let (code, schema, _) = outcome(&run(&["schema", data.to_str().unwrap()]));
    assert_eq!(code, Some(0));
    assert!(schema.contains("authorByAuthor: Author"), "{schema}");
    assert!(!schema.to_lowercase().contains("thalweg"), "{schema}");
    // A loss.
    definitions(&folder, SECOND);
    let (code, missing, _) = outcome(&run(&with("--check")));
    assert_eq!(
        (code, missing.matches("rebuild the table Post").count()),
        (Some(1), 1),
        "{missing}"
    );
    check(
        &with("--dry-run"),
        1,
        &expect![[r#"
            -- rebuild the table Post
            CREATE TABLE "thalweg_new_Post" (
              "id" INTEGER PRIMARY KEY,
              "title" TEXT NOT NULL,
              "text" TEXT,
              "author" BIGINT,
              CONSTRAINT "Post_author_fkey" FOREIGN KEY ("author") REFERENCES "Author" ("id") ON DELETE SET NULL
            );
            INSERT INTO "thalweg_new_Post" ("id", "title", "author") SELECT "id", "title", "author" FROM "Post";
            -- rebuild the table Post
            DROP TABLE "Post";
            ALTER TABLE "thalweg_new_Post" RENAME TO "Post";
            -- create the index Post_author_idx
            CREATE INDEX "Post_author_idx" ON "Post" ("author");
            -- create triggers of the table Post
            CREATE TRIGGER "thalweg_Post_key" BEFORE INSERT ON "Post" BEGIN
              SELECT RAISE(ABORT, 'give the row a new id: ids are unique in the whole database; UPDATE thalweg_sequence SET last = last + 1 RETURNING last takes the next one') WHERE NEW."id" <= 0;
              UPDATE "thalweg_sequence" SET "last" = NEW."id" WHERE NEW."id" > "last";
            END;
            CREATE TRIGGER "thalweg_Post_insert" AFTER INSERT ON "Post" BEGIN
              INSERT INTO "thalweg_Post_title_words" ("rowid", "title") VALUES (NEW."id", NEW."title");
            END;
            CREATE TRIGGER "thalweg_Post_delete" AFTER DELETE ON "Post" BEGIN
              INSERT INTO "thalweg_Post_title_words" ("thalweg_Post_title_words", "rowid", "title") VALUES ('delete', OLD."id", OLD."title");
            END;
            CREATE TRIGGER "thalweg_Post_title_words_update" AFTER UPDATE OF "id", "title" ON "Post" BEGIN
              INSERT INTO "thalweg_Post_title_words" ("thalweg_Post_title_words", "rowid", "title") VALUES ('delete', OLD."id", OLD."title");
              INSERT INTO "thalweg_Post_title_words" ("rowid", "title") VALUES (NEW."id", NEW."title");
            END;
        "#]],
        &expect![[r#"
        error: the column Post.score is dropped: 2 rows.
          Remedy: keep what is needed elsewhere, and migrate with `--allow-loss`.
    "#]],
    );
    let (code, refused, _) = outcome(&run(&migrate));
    assert_eq!(code, Some(1));
    assert!(refused.ends_with("Nothing was changed.\n"), "{refused}");
    let (code, applied, error) = outcome(&run(&with("--allow-loss")));
    assert_eq!((code, &*error), (Some(0), "warning: the column Post.score is dropped: 2 rows.\n"));
    assert!(applied.ends_with("Migration 2 was applied.\n"), "{applied}");
    // A change by hand.
    execute(&data, "ALTER TABLE Author ADD COLUMN shoe TEXT");
    check(
        &migrate,
        1,
        &expect![[r#"
        Nothing was changed.
    "#]],
        &expect![[r#"
        error: the database was changed without a migration: no migration added the column Author.shoe.
          Remedy: undo the changes, or make them in the type definitions after undoing them.
    "#]],
    );
}

#[test]
fn a_database_of_postgresql_gets_the_same() {
    let folder = Folder::new();
    let types = definitions(&folder, FIRST);
    for installation in required_installations().unwrap() {
        let server = shared(&installation).unwrap();
        server.create_database("table_migrate").unwrap();
        let data = server.url("table_migrate");
        let migrate = ["migrate", &types, "--data", &data];
        let with = |option| [&migrate[..], &[option]].concat();
        check(
            &with("--dry-run"),
            0,
            &expect![[r#"
            -- create the table Author
            CREATE TABLE "public"."Author" (
              "id" BIGINT DEFAULT nextval('thalweg.id') PRIMARY KEY,
              "name" TEXT NOT NULL,
              CONSTRAINT "Author_name_key" UNIQUE ("name")
            );
            -- create the table Post
            CREATE TABLE "public"."Post" (
              "id" BIGINT DEFAULT nextval('thalweg.id') PRIMARY KEY,
              "title" TEXT NOT NULL,
              "score" INTEGER,
              "author" BIGINT
            );
            -- create the index Post_title_words
            CREATE INDEX "Post_title_words" ON "public"."Post" USING gin (thalweg.terms("title"));
            -- create the index Post_author_idx
            CREATE INDEX "Post_author_idx" ON "public"."Post" ("author");
            -- add the constraint Post_author_fkey of the table Post
            ALTER TABLE "public"."Post" ADD CONSTRAINT "Post_author_fkey" FOREIGN KEY ("author") REFERENCES "public"."Author" ("id") ON DELETE SET NULL;
        "#]],
            &expect![],
        );
        let (code, applied, error) = outcome(&run(&migrate));
        assert_eq!((code, &*error), (Some(0), ""));
        assert!(applied.ends_with("Migration 1 was applied.\n"), "{applied}");
        check(
            &with("--check"),
            0,
            &expect![[r#"
            The database has the tables of the type definitions.
        "#]],
            &expect![],
        );
        let (_, schema, _) = outcome(&run(&["schema", &data]));
        assert!(!schema.to_lowercase().contains("thalweg"), "{schema}");
    }
}

#[test]
fn options_of_tables_and_of_graphs_are_apart() {
    let folder = Folder::new();
    let types = definitions(&folder, "type A { a: Nowhere }");
    let refuse = |arguments: &[&str], error: &Expect| check(arguments, 2, &expect![""], error);
    refuse(
        &["migrate", "neo4j://127.0.0.1:1", "--types", &types, "--check"],
        &expect![[r#"
        error: `--check` needs `--data`; `--help-all` lists the options
    "#]],
    );
    refuse(
        &["migrate", "a.graphql", "--data", "a.db", "--types", &types],
        &expect![[r#"
        error: `--types` is for graphs: with `--data` the file of type definitions is the argument; `--help-all` lists the options
    "#]],
    );
    refuse(
        &["migrate", "a.graphql", "--data", "a.db", "--check", "--dry-run"],
        &expect![[r#"
        error: `--check` and `--dry-run` are two questions: give one of them; `--help-all` lists the options
    "#]],
    );
    let (code, _, error) = outcome(&run(&["migrate", &types, "--data", "a.db"]));
    assert_eq!(code, Some(2));
    assert!(error.contains("line 1, column"), "{error}");
    check(
        &["migrate", "/nowhere/schema.graphql", "--data", "postgres://u:secret@127.0.0.1:1/a"],
        2,
        &expect![""],
        &expect![[r#"
            error: cannot read the type definitions in /nowhere/schema.graphql: No such file or directory (os error 2)
        "#]],
    );
    fs::write(folder.file("schema.graphql"), FIRST).unwrap();
    check(
        &["migrate", &types, "--data", "neo4j://127.0.0.1:1"],
        1,
        &expect![""],
        &expect![[r#"
        error: Neo4j has no tables: give a path, `sqlite:…` or `postgres://…`
    "#]],
    );
}
