use expect_test::{Expect, expect};

use super::{Plan, plan};
use crate::database::{Database, ExtensionSupport, VectorLength};
use crate::migration;
use crate::model::{FieldType, Index, Metric, Model, OnDelete};
use crate::samples::{bare, blog, characters, entity, field, of, one, relation};
use crate::tables::Tables;

fn databases() -> [Database; 2] {
    [
        Database::postgres("public", ExtensionSupport::Creatable, ExtensionSupport::Missing),
        Database::sqlite(),
    ]
}

/// The statements that create the tables of a model in an empty database.
fn created(model: &Model, database: &Database) -> String {
    let Plan { tables, omitted, .. } = plan(model, database, &Tables::default());
    let migration = migration::plan(&Tables::default(), &tables, database).unwrap();
    assert!(migration.is_harmless());
    let mut lines: Vec<String> =
        migration.statements().map(|statement| format!("{statement};")).collect();
    lines.extend(
        omitted.iter().map(|own| format!("-- {}.{}: {}", own.table, own.column, own.reason)),
    );
    lines.join("\n")
}

fn check(model: &Model, postgres: &Expect, sqlite: &Expect) {
    let [on_postgres, on_sqlite] = databases();
    postgres.assert_eq(&created(model, &on_postgres));
    sqlite.assert_eq(&created(model, &on_sqlite));
}

#[test]
fn entities_relations_and_indexes() {
    check(
        &blog(),
        &expect![[r#"
            CREATE EXTENSION IF NOT EXISTS "pg_trgm";
            CREATE TABLE "public"."Author" (
              "id" BIGINT DEFAULT nextval('thalweg.id') PRIMARY KEY,
              "name" TEXT NOT NULL,
              "born" TIMESTAMPTZ,
              CONSTRAINT "Author_name_key" UNIQUE ("name")
            );
            CREATE TABLE "public"."Post" (
              "id" BIGINT DEFAULT nextval('thalweg.id') PRIMARY KEY,
              "title" TEXT NOT NULL,
              "body" TEXT,
              "score" INTEGER,
              "state" TEXT NOT NULL,
              "links" TEXT[],
              "author" BIGINT,
              CONSTRAINT "Post_state_check" CHECK ("state" IN ('DRAFT', 'PUBLISHED'))
            );
            CREATE TABLE "public"."Tag" (
              "id" BIGINT DEFAULT nextval('thalweg.id') PRIMARY KEY,
              "name" TEXT
            );
            CREATE TABLE "public"."Post_tags" (
              "post" BIGINT NOT NULL,
              "tags" BIGINT NOT NULL,
              PRIMARY KEY ("post", "tags")
            );
            CREATE INDEX "Author_born_idx" ON "public"."Author" ("born");
            CREATE INDEX "Post_title_idx" ON "public"."Post" USING hash ("title");
            CREATE INDEX "Post_title_words" ON "public"."Post" USING gin (thalweg.terms("title"));
            CREATE INDEX "Post_title_trigrams" ON "public"."Post" USING gin ("title" gin_trgm_ops);
            CREATE INDEX "Post_body_stems" ON "public"."Post" USING gin (thalweg.stems("body"));
            CREATE INDEX "Post_score_idx" ON "public"."Post" ("score");
            CREATE INDEX "Post_links_elements" ON "public"."Post" USING gin ("links");
            CREATE INDEX "Post_author_idx" ON "public"."Post" ("author");
            CREATE INDEX "Post_tags_tags_post_idx" ON "public"."Post_tags" ("tags", "post");
            ALTER TABLE "public"."Post" ADD CONSTRAINT "Post_author_fkey" FOREIGN KEY ("author") REFERENCES "public"."Author" ("id") ON DELETE SET NULL;
            ALTER TABLE "public"."Post_tags" ADD CONSTRAINT "Post_tags_post_fkey" FOREIGN KEY ("post") REFERENCES "public"."Post" ("id") ON DELETE CASCADE;
            ALTER TABLE "public"."Post_tags" ADD CONSTRAINT "Post_tags_tags_fkey" FOREIGN KEY ("tags") REFERENCES "public"."Tag" ("id") ON DELETE CASCADE;"#]],
        &expect![[r#"
            CREATE TABLE "Author" (
              "id" INTEGER PRIMARY KEY,
              "name" TEXT NOT NULL,
              "born" TIMESTAMPTZ,
              CONSTRAINT "Author_name_key" UNIQUE ("name")
            );
            CREATE TABLE "Post" (
              "id" INTEGER PRIMARY KEY,
              "title" TEXT NOT NULL,
              "body" TEXT,
              "score" INTEGER,
              "state" TEXT NOT NULL,
              "links" JSON,
              "author" BIGINT,
              CONSTRAINT "Post_state_check" CHECK ("state" IN ('DRAFT', 'PUBLISHED')),
              CONSTRAINT "Post_links_check" CHECK (json_valid("links") AND json_type("links") = 'array'),
              CONSTRAINT "Post_author_fkey" FOREIGN KEY ("author") REFERENCES "Author" ("id") ON DELETE SET NULL
            );
            CREATE TABLE "Tag" (
              "id" INTEGER PRIMARY KEY,
              "name" TEXT
            );
            CREATE TABLE "Post_tags" (
              "post" BIGINT NOT NULL,
              "tags" BIGINT NOT NULL,
              PRIMARY KEY ("post", "tags"),
              CONSTRAINT "Post_tags_post_fkey" FOREIGN KEY ("post") REFERENCES "Post" ("id") ON DELETE CASCADE,
              CONSTRAINT "Post_tags_tags_fkey" FOREIGN KEY ("tags") REFERENCES "Tag" ("id") ON DELETE CASCADE
            ) WITHOUT ROWID;
            CREATE INDEX "Author_born_idx" ON "Author" ("born");
            CREATE INDEX "Post_title_idx" ON "Post" ("title");
            CREATE VIRTUAL TABLE "thalweg_Post_title_words" USING fts5("title", content='Post', content_rowid='id', tokenize='unicode61');
            INSERT INTO "thalweg_Post_title_words"("thalweg_Post_title_words") VALUES ('rebuild');
            CREATE VIRTUAL TABLE "thalweg_Post_title_trigrams" USING fts5("title", content='Post', content_rowid='id', tokenize='trigram');
            INSERT INTO "thalweg_Post_title_trigrams"("thalweg_Post_title_trigrams") VALUES ('rebuild');
            CREATE VIRTUAL TABLE "thalweg_Post_body_stems" USING fts5("body", content='Post', content_rowid='id', tokenize='porter unicode61');
            INSERT INTO "thalweg_Post_body_stems"("thalweg_Post_body_stems") VALUES ('rebuild');
            CREATE INDEX "Post_score_idx" ON "Post" ("score");
            CREATE INDEX "Post_author_idx" ON "Post" ("author");
            CREATE INDEX "Post_tags_tags_post_idx" ON "Post_tags" ("tags", "post");
            CREATE TRIGGER "thalweg_Author_key" BEFORE INSERT ON "Author" BEGIN
              SELECT RAISE(ABORT, 'give the row a new id: ids are unique in the whole database; UPDATE thalweg_sequence SET last = last + 1 RETURNING last takes the next one') WHERE NEW."id" <= 0;
              UPDATE "thalweg_sequence" SET "last" = NEW."id" WHERE NEW."id" > "last";
            END;
            CREATE TRIGGER "thalweg_Post_key" BEFORE INSERT ON "Post" BEGIN
              SELECT RAISE(ABORT, 'give the row a new id: ids are unique in the whole database; UPDATE thalweg_sequence SET last = last + 1 RETURNING last takes the next one') WHERE NEW."id" <= 0;
              UPDATE "thalweg_sequence" SET "last" = NEW."id" WHERE NEW."id" > "last";
            END;
            CREATE TRIGGER "thalweg_Post_insert" AFTER INSERT ON "Post" BEGIN
              INSERT INTO "thalweg_Post_title_words" ("rowid", "title") VALUES (NEW."id", NEW."title");
              INSERT INTO "thalweg_Post_title_trigrams" ("rowid", "title") VALUES (NEW."id", NEW."title");
              INSERT INTO "thalweg_Post_body_stems" ("rowid", "body") VALUES (NEW."id", NEW."body");
            END;
            CREATE TRIGGER "thalweg_Post_delete" AFTER DELETE ON "Post" BEGIN
              INSERT INTO "thalweg_Post_title_words" ("thalweg_Post_title_words", "rowid", "title") VALUES ('delete', OLD."id", OLD."title");
              INSERT INTO "thalweg_Post_title_trigrams" ("thalweg_Post_title_trigrams", "rowid", "title") VALUES ('delete', OLD."id", OLD."title");
              INSERT INTO "thalweg_Post_body_stems" ("thalweg_Post_body_stems", "rowid", "body") VALUES ('delete', OLD."id", OLD."body");
            END;
            CREATE TRIGGER "thalweg_Post_title_words_update" AFTER UPDATE OF "id", "title" ON "Post" BEGIN
              INSERT INTO "thalweg_Post_title_words" ("thalweg_Post_title_words", "rowid", "title") VALUES ('delete', OLD."id", OLD."title");
              INSERT INTO "thalweg_Post_title_words" ("rowid", "title") VALUES (NEW."id", NEW."title");
            END;
            CREATE TRIGGER "thalweg_Post_title_trigrams_update" AFTER UPDATE OF "id", "title" ON "Post" BEGIN
              INSERT INTO "thalweg_Post_title_trigrams" ("thalweg_Post_title_trigrams", "rowid", "title") VALUES ('delete', OLD."id", OLD."title");
              INSERT INTO "thalweg_Post_title_trigrams" ("rowid", "title") VALUES (NEW."id", NEW."title");
            END;
            CREATE TRIGGER "thalweg_Post_body_stems_update" AFTER UPDATE OF "id", "body" ON "Post" BEGIN
              INSERT INTO "thalweg_Post_body_stems" ("thalweg_Post_body_stems", "rowid", "body") VALUES ('delete', OLD."id", OLD."body");
              INSERT INTO "thalweg_Post_body_stems" ("rowid", "body") VALUES (NEW."id", NEW."body");
            END;
            CREATE TRIGGER "thalweg_Tag_key" BEFORE INSERT ON "Tag" BEGIN
              SELECT RAISE(ABORT, 'give the row a new id: ids are unique in the whole database; UPDATE thalweg_sequence SET last = last + 1 RETURNING last takes the next one') WHERE NEW."id" <= 0;
              UPDATE "thalweg_sequence" SET "last" = NEW."id" WHERE NEW."id" > "last";
            END;
            -- Post.links: elements of lists have no index in this database"#]],
    );
}

#[test]
fn objects_of_another_schema_are_in_it() {
    let database =
        Database::postgres("shop", ExtensionSupport::Available, ExtensionSupport::Missing);
    for model in [blog(), characters()] {
        let text = created(&model, &database);
        assert!(!text.contains("thalweg.") && !text.contains(r#""thalweg""#), "{text}");
        assert!(!text.contains("public"), "{text}");
        let own = [
            r#""id" BIGINT DEFAULT nextval('"shop"."thalweg_id"') PRIMARY KEY"#,
            r#"CREATE TABLE "shop"."#,
            r#"ON DELETE"#,
        ];
        assert!(own.iter().all(|part| text.contains(part)), "{text}");
    }
    let blog = created(&blog(), &database);
    assert!(blog.contains(r#"USING gin ("shop"."thalweg_terms"("title"))"#), "{blog}");
    let characters = created(&characters(), &database);
    let call = r#"FOR EACH ROW EXECUTE FUNCTION "shop"."thalweg_Human_insert"()"#;
    assert!(characters.contains(call), "{characters}");
}

#[test]
fn groups_have_the_keys_of_their_members() {
    check(
        &characters(),
        &expect![[r#"
            CREATE TABLE "public"."Human" (
              "id" BIGINT DEFAULT nextval('thalweg.id') PRIMARY KEY,
              "name" TEXT NOT NULL,
              "height" DOUBLE PRECISION,
              "home" BIGINT
            );
            CREATE TABLE "public"."Droid" (
              "id" BIGINT DEFAULT nextval('thalweg.id') PRIMARY KEY,
              "name" TEXT NOT NULL,
              "function" TEXT,
              "home" BIGINT
            );
            CREATE TABLE "public"."Ship" (
              "id" BIGINT DEFAULT nextval('thalweg.id') PRIMARY KEY,
              "length" DOUBLE PRECISION,
              "captain" BIGINT
            );
            CREATE TABLE "public"."Character" (
              "id" BIGINT PRIMARY KEY,
              "type" TEXT NOT NULL,
              "name" TEXT NOT NULL,
              CONSTRAINT "Character_name_key" UNIQUE ("name")
            );
            CREATE TABLE "public"."Character_friends" (
              "character" BIGINT NOT NULL,
              "friends" BIGINT NOT NULL,
              PRIMARY KEY ("character", "friends")
            );
            CREATE INDEX "Human_home_idx" ON "public"."Human" ("home");
            CREATE INDEX "Droid_home_idx" ON "public"."Droid" ("home");
            CREATE INDEX "Ship_captain_idx" ON "public"."Ship" ("captain");
            CREATE INDEX "Character_friends_friends_character_idx" ON "public"."Character_friends" ("friends", "character");
            ALTER TABLE "public"."Human" ADD CONSTRAINT "Human_home_fkey" FOREIGN KEY ("home") REFERENCES "public"."Ship" ("id") ON DELETE SET NULL;
            ALTER TABLE "public"."Droid" ADD CONSTRAINT "Droid_home_fkey" FOREIGN KEY ("home") REFERENCES "public"."Ship" ("id") ON DELETE SET NULL;
            ALTER TABLE "public"."Ship" ADD CONSTRAINT "Ship_captain_fkey" FOREIGN KEY ("captain") REFERENCES "public"."Character" ("id") ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED;
            ALTER TABLE "public"."Character_friends" ADD CONSTRAINT "Character_friends_character_fkey" FOREIGN KEY ("character") REFERENCES "public"."Character" ("id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
            ALTER TABLE "public"."Character_friends" ADD CONSTRAINT "Character_friends_friends_fkey" FOREIGN KEY ("friends") REFERENCES "public"."Character" ("id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
            CREATE FUNCTION "thalweg"."Human_insert"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $thalweg$
            BEGIN
              INSERT INTO "public"."Character" ("id", "type", "name") VALUES (NEW."id", 'Human', NEW."name");
              RETURN NULL;
            END
            $thalweg$;
            CREATE TRIGGER "thalweg_Human_insert" AFTER INSERT ON "public"."Human" FOR EACH ROW EXECUTE FUNCTION "thalweg"."Human_insert"();
            CREATE FUNCTION "thalweg"."Human_update"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $thalweg$
            BEGIN
              UPDATE "public"."Character" SET "id" = NEW."id", "name" = NEW."name" WHERE "id" = OLD."id";
              RETURN NULL;
            END
            $thalweg$;
            CREATE TRIGGER "thalweg_Human_update" AFTER UPDATE OF "id", "name" ON "public"."Human" FOR EACH ROW EXECUTE FUNCTION "thalweg"."Human_update"();
            CREATE FUNCTION "thalweg"."Human_delete"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $thalweg$
            BEGIN
              DELETE FROM "public"."Character" WHERE "id" = OLD."id";
              RETURN NULL;
            END
            $thalweg$;
            CREATE TRIGGER "thalweg_Human_delete" AFTER DELETE ON "public"."Human" FOR EACH ROW EXECUTE FUNCTION "thalweg"."Human_delete"();
            CREATE FUNCTION "thalweg"."Droid_insert"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $thalweg$
            BEGIN
              INSERT INTO "public"."Character" ("id", "type", "name") VALUES (NEW."id", 'Droid', NEW."name");
              RETURN NULL;
            END
            $thalweg$;
            CREATE TRIGGER "thalweg_Droid_insert" AFTER INSERT ON "public"."Droid" FOR EACH ROW EXECUTE FUNCTION "thalweg"."Droid_insert"();
            CREATE FUNCTION "thalweg"."Droid_update"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $thalweg$
            BEGIN
              UPDATE "public"."Character" SET "id" = NEW."id", "name" = NEW."name" WHERE "id" = OLD."id";
              RETURN NULL;
            END
            $thalweg$;
            CREATE TRIGGER "thalweg_Droid_update" AFTER UPDATE OF "id", "name" ON "public"."Droid" FOR EACH ROW EXECUTE FUNCTION "thalweg"."Droid_update"();
            CREATE FUNCTION "thalweg"."Droid_delete"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $thalweg$
            BEGIN
              DELETE FROM "public"."Character" WHERE "id" = OLD."id";
              RETURN NULL;
            END
            $thalweg$;
            CREATE TRIGGER "thalweg_Droid_delete" AFTER DELETE ON "public"."Droid" FOR EACH ROW EXECUTE FUNCTION "thalweg"."Droid_delete"();"#]],
        &expect![[r#"
            CREATE TABLE "Human" (
              "id" INTEGER PRIMARY KEY,
              "name" TEXT NOT NULL,
              "height" DOUBLE PRECISION,
              "home" BIGINT,
              CONSTRAINT "Human_home_fkey" FOREIGN KEY ("home") REFERENCES "Ship" ("id") ON DELETE SET NULL
            );
            CREATE TABLE "Droid" (
              "id" INTEGER PRIMARY KEY,
              "name" TEXT NOT NULL,
              "function" TEXT,
              "home" BIGINT,
              CONSTRAINT "Droid_home_fkey" FOREIGN KEY ("home") REFERENCES "Ship" ("id") ON DELETE SET NULL
            );
            CREATE TABLE "Ship" (
              "id" INTEGER PRIMARY KEY,
              "length" DOUBLE PRECISION,
              "captain" BIGINT,
              CONSTRAINT "Ship_captain_fkey" FOREIGN KEY ("captain") REFERENCES "Character" ("id") ON DELETE SET NULL
            );
            CREATE TABLE "Character" (
              "id" INTEGER PRIMARY KEY,
              "type" TEXT NOT NULL,
              "name" TEXT NOT NULL,
              CONSTRAINT "Character_name_key" UNIQUE ("name")
            );
            CREATE TABLE "Character_friends" (
              "character" BIGINT NOT NULL,
              "friends" BIGINT NOT NULL,
              PRIMARY KEY ("character", "friends"),
              CONSTRAINT "Character_friends_character_fkey" FOREIGN KEY ("character") REFERENCES "Character" ("id") ON DELETE CASCADE,
              CONSTRAINT "Character_friends_friends_fkey" FOREIGN KEY ("friends") REFERENCES "Character" ("id") ON DELETE CASCADE
            ) WITHOUT ROWID;
            CREATE INDEX "Human_home_idx" ON "Human" ("home");
            CREATE INDEX "Droid_home_idx" ON "Droid" ("home");
            CREATE INDEX "Ship_captain_idx" ON "Ship" ("captain");
            CREATE INDEX "Character_friends_friends_character_idx" ON "Character_friends" ("friends", "character");
            CREATE TRIGGER "thalweg_Human_key" BEFORE INSERT ON "Human" BEGIN
              SELECT RAISE(ABORT, 'give the row a new id: ids are unique in the whole database; UPDATE thalweg_sequence SET last = last + 1 RETURNING last takes the next one') WHERE NEW."id" <= 0;
              UPDATE "thalweg_sequence" SET "last" = NEW."id" WHERE NEW."id" > "last";
            END;
            CREATE TRIGGER "thalweg_Human_insert" AFTER INSERT ON "Human" BEGIN
              INSERT INTO "Character" ("id", "type", "name") VALUES (NEW."id", 'Human', NEW."name");
            END;
            CREATE TRIGGER "thalweg_Human_update" AFTER UPDATE OF "id", "name" ON "Human" BEGIN
              UPDATE "Character" SET "id" = NEW."id", "name" = NEW."name" WHERE "id" = OLD."id";
            END;
            CREATE TRIGGER "thalweg_Human_delete" AFTER DELETE ON "Human" BEGIN
              DELETE FROM "Character" WHERE "id" = OLD."id";
            END;
            CREATE TRIGGER "thalweg_Droid_key" BEFORE INSERT ON "Droid" BEGIN
              SELECT RAISE(ABORT, 'give the row a new id: ids are unique in the whole database; UPDATE thalweg_sequence SET last = last + 1 RETURNING last takes the next one') WHERE NEW."id" <= 0;
              UPDATE "thalweg_sequence" SET "last" = NEW."id" WHERE NEW."id" > "last";
            END;
            CREATE TRIGGER "thalweg_Droid_insert" AFTER INSERT ON "Droid" BEGIN
              INSERT INTO "Character" ("id", "type", "name") VALUES (NEW."id", 'Droid', NEW."name");
            END;
            CREATE TRIGGER "thalweg_Droid_update" AFTER UPDATE OF "id", "name" ON "Droid" BEGIN
              UPDATE "Character" SET "id" = NEW."id", "name" = NEW."name" WHERE "id" = OLD."id";
            END;
            CREATE TRIGGER "thalweg_Droid_delete" AFTER DELETE ON "Droid" BEGIN
              DELETE FROM "Character" WHERE "id" = OLD."id";
            END;
            CREATE TRIGGER "thalweg_Ship_key" BEFORE INSERT ON "Ship" BEGIN
              SELECT RAISE(ABORT, 'give the row a new id: ids are unique in the whole database; UPDATE thalweg_sequence SET last = last + 1 RETURNING last takes the next one') WHERE NEW."id" <= 0;
              UPDATE "thalweg_sequence" SET "last" = NEW."id" WHERE NEW."id" > "last";
            END;"#]],
    );
}

#[test]
fn two_single_ends_are_a_unique_column_on_the_side_that_requires_it() {
    let model = Model {
        entities: vec![entity("Restaurant", Vec::new()), entity("Address", Vec::new())],
        relations: vec![
            relation(one(of(0), "address"), one(of(1), "restaurant").required()),
            relation(one(of(0), "old").required().on_delete(OnDelete::Restrict), bare(of(1))),
        ],
        ..Model::default()
    };
    check(
        &model,
        &expect![[r#"
            CREATE TABLE "public"."Restaurant" (
              "id" BIGINT DEFAULT nextval('thalweg.id') PRIMARY KEY,
              "old" BIGINT NOT NULL
            );
            CREATE TABLE "public"."Address" (
              "id" BIGINT DEFAULT nextval('thalweg.id') PRIMARY KEY,
              "restaurant" BIGINT,
              CONSTRAINT "Address_restaurant_key" UNIQUE ("restaurant")
            );
            CREATE INDEX "Restaurant_old_idx" ON "public"."Restaurant" ("old");
            ALTER TABLE "public"."Restaurant" ADD CONSTRAINT "Restaurant_old_fkey" FOREIGN KEY ("old") REFERENCES "public"."Address" ("id") ON DELETE RESTRICT;
            ALTER TABLE "public"."Address" ADD CONSTRAINT "Address_restaurant_fkey" FOREIGN KEY ("restaurant") REFERENCES "public"."Restaurant" ("id") ON DELETE SET NULL;"#]],
        &expect![[r#"
            CREATE TABLE "Restaurant" (
              "id" INTEGER PRIMARY KEY,
              "old" BIGINT NOT NULL,
              CONSTRAINT "Restaurant_old_fkey" FOREIGN KEY ("old") REFERENCES "Address" ("id") ON DELETE RESTRICT
            );
            CREATE TABLE "Address" (
              "id" INTEGER PRIMARY KEY,
              "restaurant" BIGINT,
              CONSTRAINT "Address_restaurant_key" UNIQUE ("restaurant"),
              CONSTRAINT "Address_restaurant_fkey" FOREIGN KEY ("restaurant") REFERENCES "Restaurant" ("id") ON DELETE SET NULL
            );
            CREATE INDEX "Restaurant_old_idx" ON "Restaurant" ("old");
            CREATE TRIGGER "thalweg_Restaurant_key" BEFORE INSERT ON "Restaurant" BEGIN
              SELECT RAISE(ABORT, 'give the row a new id: ids are unique in the whole database; UPDATE thalweg_sequence SET last = last + 1 RETURNING last takes the next one') WHERE NEW."id" <= 0;
              UPDATE "thalweg_sequence" SET "last" = NEW."id" WHERE NEW."id" > "last";
            END;
            CREATE TRIGGER "thalweg_Address_key" BEFORE INSERT ON "Address" BEGIN
              SELECT RAISE(ABORT, 'give the row a new id: ids are unique in the whole database; UPDATE thalweg_sequence SET last = last + 1 RETURNING last takes the next one') WHERE NEW."id" <= 0;
              UPDATE "thalweg_sequence" SET "last" = NEW."id" WHERE NEW."id" > "last";
            END;"#]],
    );
}

#[test]
fn names_that_differ_in_case_only_are_kept_when_others_come() {
    let database = Database::sqlite();
    let with = |names: &[&str]| Model {
        entities: names
            .iter()
            .map(|name| entity(name, vec![field(name, FieldType::Text)]))
            .collect(),
        ..Model::default()
    };
    let names = |plan: &Plan| -> Vec<String> {
        plan.tables.tables.iter().map(|table| table.name.to_string()).collect()
    };
    let first = plan(&with(&["post", "Tag"]), &database, &Tables::default());
    assert_eq!(names(&first), ["post", "Tag"]);
    let second = plan(&with(&["Post", "post", "Tag"]), &database, &first.tables);
    assert_eq!(names(&second), ["Post_2", "post", "Tag"]);
    let third = plan(&with(&["Tag", "post", "Post"]), &database, &second.tables);
    assert_eq!(names(&third), ["Tag", "post", "Post_2"]);
}

#[test]
fn recorded_tables_are_read_back_equal() {
    for database in databases() {
        for model in [blog(), characters()] {
            let tables = plan(&model, &database, &Tables::default()).tables;
            assert_eq!(Tables::read(&tables.written()).unwrap(), tables);
            let again = plan(&model, &database, &tables).tables;
            assert_eq!(again, tables);
            assert!(migration::plan(&tables, &again, &database).unwrap().is_empty());
        }
    }
}

#[test]
fn vectors_have_an_index_once_their_length_is_known() {
    let with = |metric, candidates| {
        let index = Index::Vector { metric, candidates };
        let mood = field("mood", FieldType::Vector).indexed(&[index]);
        Model { entities: vec![entity("Song", vec![mood])], ..Model::default() }
    };
    let song = |metric| with(metric, None);
    let mut database =
        Database::postgres("public", ExtensionSupport::Missing, ExtensionSupport::Missing);
    let omitted = |database: &Database, recorded: &Tables| {
        let omitted = plan(&song(Metric::Cosine), database, recorded).omitted;
        omitted.first().map(|own| own.reason.to_string()).unwrap_or_default()
    };
    let none = Tables::default();
    expect!["only the extension pgvector of PostgreSQL has an index of vectors"]
        .assert_eq(&omitted(&database, &none));
    database.vectors.support = ExtensionSupport::Creatable;
    expect!["an index of vectors is created by `thalweg migrate` once there are some"]
        .assert_eq(&omitted(&database, &none));
    let old = plan(&song(Metric::Cosine), &database, &none).tables;
    let length = VectorLength { table: "Song".into(), column: "mood".into(), length: 3 };
    database.vectors.lengths.push(length);
    let steps = |old: &Tables, new: &Tables, database: &Database| {
        let migration = migration::plan(old, new, database).unwrap();
        migration.statements().map(|one| format!("{one};")).collect::<Vec<_>>().join("\n")
    };
    let new = plan(&song(Metric::Cosine), &database, &old).tables;
    expect![[r#"
        CREATE EXTENSION IF NOT EXISTS "vector";
        CREATE INDEX "Song_mood_vectors" ON "public"."Song" USING hnsw (("mood"::vector(3)) vector_cosine_ops) WHERE cardinality("mood") = 3;"#]].assert_eq(&steps(&old, &new, &database));
    // The recorded index keeps its length.
    database.vectors.lengths.clear();
    assert_eq!(plan(&song(Metric::Cosine), &database, &new).tables, new);
    let other = plan(&song(Metric::Euclidean), &database, &new).tables;
    expect![[r#"
        DROP INDEX "public"."Song_mood_vectors";
        CREATE INDEX "Song_mood_vectors" ON "public"."Song" USING hnsw (("mood"::vector(3)) vector_l2_ops) WHERE cardinality("mood") = 3;"#]].assert_eq(&steps(&new, &other, &database));
    // Another number of candidates makes another index; one that is not said is not recorded.
    let more = plan(&with(Metric::Euclidean, Some(200)), &database, &other).tables;
    expect![[r#"
        DROP INDEX "public"."Song_mood_vectors";
        CREATE INDEX "Song_mood_vectors" ON "public"."Song" USING hnsw (("mood"::vector(3)) vector_l2_ops) WITH (ef_construction = 200) WHERE cardinality("mood") = 3;"#]].assert_eq(&steps(&other, &more, &database));
    assert!(more.written().contains("candidates") && !other.written().contains("candidates"));
    assert_eq!(Tables::read(&more.written()).unwrap(), more);
}
