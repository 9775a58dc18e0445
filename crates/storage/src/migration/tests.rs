use expect_test::{Expect, expect};

use super::{Finding, plan};
use crate::database::{Database, ExtensionSupport};
use crate::model::{Field, FieldType, Index, Model};
use crate::samples::{bare, blog, entity, field, group, many, of, of_group, one, relation};
use crate::tables::Tables;

/// The steps, with the checks as comments.
fn steps(old: &Model, new: &Model, database: &Database) -> String {
    let old = crate::plan(old, database, &Tables::default()).tables;
    let new = crate::plan(new, database, &old).tables;
    let migration = plan(&old, &new, database).unwrap();
    let mut lines = Vec::new();
    for step in &migration.steps {
        lines.push(format!("-- {}", step.change));
        for check in &step.checks {
            let finding = match &check.finding {
                Finding::Loss(loss) => format!("loss: {loss}"),
                Finding::Obstacle(obstacle) => format!("obstacle: {obstacle}"),
            };
            lines.push(format!("--   {finding}\n--   {}", check.query));
        }
        lines.extend(step.statements.iter().map(|statement| format!("{statement};")));
    }
    lines.join("\n")
}

fn check(old: &Model, new: &Model, postgres: &Expect, sqlite: &Expect) {
    postgres.assert_eq(&steps(
        old,
        new,
        &Database::postgres("public", ExtensionSupport::Available, ExtensionSupport::Missing),
    ));
    sqlite.assert_eq(&steps(old, new, &Database::sqlite()));
}

fn fields(fields: Vec<Field>) -> Model {
    Model { entities: vec![entity("Post", fields)], ..Model::default() }
}

#[test]
fn an_optional_field_and_its_index_are_added_in_place() {
    let old = fields(vec![field("title", FieldType::Text)]);
    let score = field("score", FieldType::Int32).indexed(&[Index::Order]);
    let new = fields(vec![field("title", FieldType::Text), score]);
    check(
        &old,
        &new,
        &expect![[r#"
        -- add the column Post.score
        ALTER TABLE "public"."Post" ADD COLUMN "score" INTEGER;
        -- create the index Post_score_idx
        CREATE INDEX "Post_score_idx" ON "public"."Post" ("score");"#]],
        &expect![[r#"
        -- add the column Post.score
        ALTER TABLE "Post" ADD COLUMN "score" INTEGER;
        -- create the index Post_score_idx
        CREATE INDEX "Post_score_idx" ON "Post" ("score");"#]],
    );
}

#[test]
fn an_index_of_places_is_added_and_dropped() {
    let without = fields(vec![field("at", FieldType::Point)]);
    let with = fields(vec![field("at", FieldType::Point).indexed(&[Index::Geo])]);
    check(
        &without,
        &with,
        &expect![[r#"
        -- create the index Post_at_places
        CREATE INDEX "Post_at_places" ON "public"."Post" USING gist (thalweg.geo_box("at"));"#]],
        &expect![[r#"
        -- create the index thalweg_Post_at_places
        CREATE VIRTUAL TABLE "thalweg_Post_at_places" USING rtree(id, west, east, south, north);
        INSERT INTO "thalweg_Post_at_places" (id, west, east, south, north)
            SELECT id, CASE WHEN is_around THEN -180 ELSE west END, CASE WHEN is_around THEN 180 ELSE east END, south, north FROM (
              SELECT *, west <= -180 OR east >= 180 OR east - west > 180 OR south <= -90 OR north >= 90 AS is_around FROM (
                SELECT id, west - 1e-6 AS west, east + 1e-6 AS east, CASE WHEN is_known THEN max(south - bulge, -90) ELSE -90 END AS south, CASE WHEN is_known THEN min(north + bulge, 90) ELSE 90 END AS north FROM (
                  SELECT *, (east - west) * (east - west) / 360 + 1e-6 AS bulge, south >= -90 AND north <= 90 AS is_known FROM (
                    SELECT place."id" AS id, min(CASE part.key WHEN 0 THEN part.atom END) AS west, max(CASE part.key WHEN 0 THEN part.atom END) AS east, min(CASE part.key WHEN 1 THEN part.atom END) AS south, max(CASE part.key WHEN 1 THEN part.atom END) AS north FROM "Post" AS place, json_tree(CASE WHEN json_valid(place."at") THEN place."at" END, '$.coordinates') AS part WHERE part.type IN ('integer', 'real') GROUP BY place."id"
            )))) WHERE west <= east AND south <= north;
        -- create triggers of the table Post
        CREATE TRIGGER "thalweg_Post_insert" AFTER INSERT ON "Post" BEGIN
          INSERT INTO "thalweg_Post_at_places" (id, west, east, south, north)
            SELECT id, CASE WHEN is_around THEN -180 ELSE west END, CASE WHEN is_around THEN 180 ELSE east END, south, north FROM (
              SELECT *, west <= -180 OR east >= 180 OR east - west > 180 OR south <= -90 OR north >= 90 AS is_around FROM (
                SELECT id, west - 1e-6 AS west, east + 1e-6 AS east, CASE WHEN is_known THEN max(south - bulge, -90) ELSE -90 END AS south, CASE WHEN is_known THEN min(north + bulge, 90) ELSE 90 END AS north FROM (
                  SELECT *, (east - west) * (east - west) / 360 + 1e-6 AS bulge, south >= -90 AND north <= 90 AS is_known FROM (
                    SELECT place."id" AS id, min(CASE part.key WHEN 0 THEN part.atom END) AS west, max(CASE part.key WHEN 0 THEN part.atom END) AS east, min(CASE part.key WHEN 1 THEN part.atom END) AS south, max(CASE part.key WHEN 1 THEN part.atom END) AS north FROM "Post" AS place, json_tree(CASE WHEN json_valid(place."at") THEN place."at" END, '$.coordinates') AS part WHERE place."id" = NEW."id" AND part.type IN ('integer', 'real') GROUP BY place."id"
            )))) WHERE west <= east AND south <= north;
        END;
        CREATE TRIGGER "thalweg_Post_delete" AFTER DELETE ON "Post" BEGIN
          DELETE FROM "thalweg_Post_at_places" WHERE "id" = OLD."id";
        END;
        CREATE TRIGGER "thalweg_Post_at_places_update" AFTER UPDATE OF "id", "at" ON "Post" BEGIN
          DELETE FROM "thalweg_Post_at_places" WHERE "id" = OLD."id";
          INSERT INTO "thalweg_Post_at_places" (id, west, east, south, north)
            SELECT id, CASE WHEN is_around THEN -180 ELSE west END, CASE WHEN is_around THEN 180 ELSE east END, south, north FROM (
              SELECT *, west <= -180 OR east >= 180 OR east - west > 180 OR south <= -90 OR north >= 90 AS is_around FROM (
                SELECT id, west - 1e-6 AS west, east + 1e-6 AS east, CASE WHEN is_known THEN max(south - bulge, -90) ELSE -90 END AS south, CASE WHEN is_known THEN min(north + bulge, 90) ELSE 90 END AS north FROM (
                  SELECT *, (east - west) * (east - west) / 360 + 1e-6 AS bulge, south >= -90 AND north <= 90 AS is_known FROM (
                    SELECT place."id" AS id, min(CASE part.key WHEN 0 THEN part.atom END) AS west, max(CASE part.key WHEN 0 THEN part.atom END) AS east, min(CASE part.key WHEN 1 THEN part.atom END) AS south, max(CASE part.key WHEN 1 THEN part.atom END) AS north FROM "Post" AS place, json_tree(CASE WHEN json_valid(place."at") THEN place."at" END, '$.coordinates') AS part WHERE place."id" = NEW."id" AND part.type IN ('integer', 'real') GROUP BY place."id"
            )))) WHERE west <= east AND south <= north;
        END;"#]],
    );
    check(
        &with,
        &without,
        &expect![[r#"
        -- drop the index Post_at_places
        DROP INDEX "public"."Post_at_places";"#]],
        &expect![[r#"
        -- drop triggers of the table Post
        DROP TRIGGER "thalweg_Post_insert";
        DROP TRIGGER "thalweg_Post_delete";
        DROP TRIGGER "thalweg_Post_at_places_update";
        -- drop the index thalweg_Post_at_places
        DROP TABLE "thalweg_Post_at_places";"#]],
    );
    // The table is rebuilt; its rows keep their numbers, so that the index stays.
    let rebuilt = fields(vec![
        field("at", FieldType::Point).indexed(&[Index::Geo]),
        field("code", FieldType::Text).unique(),
    ]);
    expect![[r#"
        -- rebuild the table Post
        CREATE TABLE "thalweg_new_Post" (
          "id" INTEGER PRIMARY KEY,
          "at" JSON,
          "code" TEXT,
          CONSTRAINT "Post_code_key" UNIQUE ("code")
        );
        INSERT INTO "thalweg_new_Post" ("id", "at") SELECT "id", "at" FROM "Post";
        -- rebuild the table Post
        DROP TABLE "Post";
        ALTER TABLE "thalweg_new_Post" RENAME TO "Post";
        -- create triggers of the table Post
        CREATE TRIGGER "thalweg_Post_key" BEFORE INSERT ON "Post" BEGIN
          SELECT RAISE(ABORT, 'give the row a new id: ids are unique in the whole database; UPDATE thalweg_sequence SET last = last + 1 RETURNING last takes the next one') WHERE NEW."id" <= 0;
          UPDATE "thalweg_sequence" SET "last" = NEW."id" WHERE NEW."id" > "last";
        END;
        CREATE TRIGGER "thalweg_Post_insert" AFTER INSERT ON "Post" BEGIN
          INSERT INTO "thalweg_Post_at_places" (id, west, east, south, north)
            SELECT id, CASE WHEN is_around THEN -180 ELSE west END, CASE WHEN is_around THEN 180 ELSE east END, south, north FROM (
              SELECT *, west <= -180 OR east >= 180 OR east - west > 180 OR south <= -90 OR north >= 90 AS is_around FROM (
                SELECT id, west - 1e-6 AS west, east + 1e-6 AS east, CASE WHEN is_known THEN max(south - bulge, -90) ELSE -90 END AS south, CASE WHEN is_known THEN min(north + bulge, 90) ELSE 90 END AS north FROM (
                  SELECT *, (east - west) * (east - west) / 360 + 1e-6 AS bulge, south >= -90 AND north <= 90 AS is_known FROM (
                    SELECT place."id" AS id, min(CASE part.key WHEN 0 THEN part.atom END) AS west, max(CASE part.key WHEN 0 THEN part.atom END) AS east, min(CASE part.key WHEN 1 THEN part.atom END) AS south, max(CASE part.key WHEN 1 THEN part.atom END) AS north FROM "Post" AS place, json_tree(CASE WHEN json_valid(place."at") THEN place."at" END, '$.coordinates') AS part WHERE place."id" = NEW."id" AND part.type IN ('integer', 'real') GROUP BY place."id"
            )))) WHERE west <= east AND south <= north;
        END;
        CREATE TRIGGER "thalweg_Post_delete" AFTER DELETE ON "Post" BEGIN
          DELETE FROM "thalweg_Post_at_places" WHERE "id" = OLD."id";
        END;
        CREATE TRIGGER "thalweg_Post_at_places_update" AFTER UPDATE OF "id", "at" ON "Post" BEGIN
          DELETE FROM "thalweg_Post_at_places" WHERE "id" = OLD."id";
          INSERT INTO "thalweg_Post_at_places" (id, west, east, south, north)
            SELECT id, CASE WHEN is_around THEN -180 ELSE west END, CASE WHEN is_around THEN 180 ELSE east END, south, north FROM (
              SELECT *, west <= -180 OR east >= 180 OR east - west > 180 OR south <= -90 OR north >= 90 AS is_around FROM (
                SELECT id, west - 1e-6 AS west, east + 1e-6 AS east, CASE WHEN is_known THEN max(south - bulge, -90) ELSE -90 END AS south, CASE WHEN is_known THEN min(north + bulge, 90) ELSE 90 END AS north FROM (
                  SELECT *, (east - west) * (east - west) / 360 + 1e-6 AS bulge, south >= -90 AND north <= 90 AS is_known FROM (
                    SELECT place."id" AS id, min(CASE part.key WHEN 0 THEN part.atom END) AS west, max(CASE part.key WHEN 0 THEN part.atom END) AS east, min(CASE part.key WHEN 1 THEN part.atom END) AS south, max(CASE part.key WHEN 1 THEN part.atom END) AS north FROM "Post" AS place, json_tree(CASE WHEN json_valid(place."at") THEN place."at" END, '$.coordinates') AS part WHERE place."id" = NEW."id" AND part.type IN ('integer', 'real') GROUP BY place."id"
            )))) WHERE west <= east AND south <= north;
        END;"#]].assert_eq(&steps(&with, &rebuilt, &Database::sqlite()));
}

#[test]
fn types_change_and_required_fields_need_values() {
    let old = fields(vec![
        field("a", FieldType::Int64),
        field("b", FieldType::Text).list(),
        field("c", FieldType::Boolean),
    ]);
    let new = fields(vec![
        field("a", FieldType::Int32).required(),
        field("b", FieldType::Text).unique(),
        field("d", FieldType::DateTime).required(),
    ]);
    check(
        &old,
        &new,
        &expect![[r#"
            -- add the column Post.d
            --   obstacle: Post.d is new and required, and rows of the table have no value for it
            --   SELECT count(*) FROM "public"."Post"
            ALTER TABLE "public"."Post" ADD COLUMN "d" TIMESTAMPTZ;
            -- change the column Post.a
            --   obstacle: Post.a is required, and rows have values that its new type has not
            --   SELECT count(*) FROM "public"."Post" WHERE "a" NOT BETWEEN -2147483648 AND 2147483647
            --   obstacle: Post.a becomes required, and rows have no value of it
            --   SELECT count(*) FROM "public"."Post" WHERE "a" IS NULL
            ALTER TABLE "public"."Post" ALTER COLUMN "a" TYPE INTEGER USING CASE WHEN "a" BETWEEN -2147483648 AND 2147483647 THEN CAST("a" AS INTEGER) END;
            -- change the column Post.b
            --   loss: lists of Post.b keep their first element only
            --   SELECT count(*) FROM "public"."Post" WHERE cardinality("b") > 1
            ALTER TABLE "public"."Post" ALTER COLUMN "b" TYPE TEXT USING ("b")[1];
            -- drop the column Post.c
            --   loss: the column Post.c is dropped
            --   SELECT count(*) FROM "public"."Post" WHERE "c" IS NOT NULL
            ALTER TABLE "public"."Post" DROP COLUMN "c";
            -- change the column Post.a
            ALTER TABLE "public"."Post" ALTER COLUMN "a" SET NOT NULL;
            -- change the column Post.d
            ALTER TABLE "public"."Post" ALTER COLUMN "d" SET NOT NULL;
            -- add the constraint Post_b_key of the table Post
            --   obstacle: Post.b becomes unique, and rows have values that others have, too
            --   SELECT count("b") - count(DISTINCT "b") FROM "public"."Post"
            ALTER TABLE "public"."Post" ADD CONSTRAINT "Post_b_key" UNIQUE ("b");"#]],
        &expect![[r#"
            -- rebuild the table Post
            --   obstacle: Post.a is required, and rows have values that its new type has not
            --   SELECT count(*) FROM "Post" WHERE "a" NOT BETWEEN -2147483648 AND 2147483647
            --   obstacle: Post.a becomes required, and rows have no value of it
            --   SELECT count(*) FROM "Post" WHERE "a" IS NULL
            --   loss: lists of Post.b keep their first element only
            --   SELECT count(*) FROM "Post" WHERE json_array_length("b") > 1
            --   obstacle: Post.d is new and required, and rows of the table have no value for it
            --   SELECT count(*) FROM "Post"
            --   loss: the column Post.c is dropped
            --   SELECT count(*) FROM "Post" WHERE "c" IS NOT NULL
            --   obstacle: Post.b becomes unique, and rows have values that others have, too
            --   SELECT count("b") - count(DISTINCT "b") FROM "Post"
            CREATE TABLE "thalweg_new_Post" (
              "id" INTEGER PRIMARY KEY,
              "a" INTEGER NOT NULL,
              "b" TEXT,
              "d" TIMESTAMPTZ NOT NULL,
              CONSTRAINT "Post_b_key" UNIQUE ("b")
            );
            INSERT INTO "thalweg_new_Post" ("id", "a", "b") SELECT "id", CASE WHEN "a" BETWEEN -2147483648 AND 2147483647 THEN CAST("a" AS INTEGER) END, json_extract("b", '$[0]') FROM "Post";
            -- rebuild the table Post
            DROP TABLE "Post";
            ALTER TABLE "thalweg_new_Post" RENAME TO "Post";
            -- create triggers of the table Post
            CREATE TRIGGER "thalweg_Post_key" BEFORE INSERT ON "Post" BEGIN
              SELECT RAISE(ABORT, 'give the row a new id: ids are unique in the whole database; UPDATE thalweg_sequence SET last = last + 1 RETURNING last takes the next one') WHERE NEW."id" <= 0;
              UPDATE "thalweg_sequence" SET "last" = NEW."id" WHERE NEW."id" > "last";
            END;"#]],
    );
}

#[test]
fn pairs_become_a_column() {
    let mut new = blog();
    new.relations[1] = relation(many(of(1), "tags"), one(of(2), "post"));
    check(
        &blog(),
        &new,
        &expect![[r#"
        -- drop the constraint Post_tags_post_fkey of the table Post_tags
        ALTER TABLE "public"."Post_tags" DROP CONSTRAINT "Post_tags_post_fkey";
        -- drop the constraint Post_tags_tags_fkey of the table Post_tags
        ALTER TABLE "public"."Post_tags" DROP CONSTRAINT "Post_tags_tags_fkey";
        -- add the column Tag.post
        --   loss: rows of Tag.post keep one related row only
        --   SELECT count("tags") - count(DISTINCT "tags") FROM "public"."Post_tags"
        ALTER TABLE "public"."Tag" ADD COLUMN "post" BIGINT;
        -- fill the column Tag.post
        UPDATE "public"."Tag" SET "post" = (SELECT min("post") FROM "public"."Post_tags" WHERE "tags" = "public"."Tag"."id");
        -- drop the table Post_tags
        DROP TABLE "public"."Post_tags";
        -- create the index Tag_post_idx
        CREATE INDEX "Tag_post_idx" ON "public"."Tag" ("post");
        -- add the constraint Tag_post_fkey of the table Tag
        ALTER TABLE "public"."Tag" ADD CONSTRAINT "Tag_post_fkey" FOREIGN KEY ("post") REFERENCES "public"."Post" ("id") ON DELETE SET NULL;"#]],
        &expect![[r#"
            -- add the column Tag.post
            --   loss: rows of Tag.post keep one related row only
            --   SELECT count("tags") - count(DISTINCT "tags") FROM "Post_tags"
            ALTER TABLE "Tag" ADD COLUMN "post" BIGINT CONSTRAINT "Tag_post_fkey" REFERENCES "Post" ("id") ON DELETE SET NULL;
            -- fill the column Tag.post
            UPDATE "Tag" SET "post" = (SELECT min("post") FROM "Post_tags" WHERE "tags" = "Tag"."id");
            -- drop the table Post_tags
            DROP TABLE "Post_tags";
            -- create the index Tag_post_idx
            CREATE INDEX "Tag_post_idx" ON "Tag" ("post");"#]],
    );
}

#[test]
fn a_column_becomes_pairs() {
    let model = |relation| Model {
        entities: vec![entity("A", Vec::new()), entity("B", Vec::new())],
        relations: vec![relation],
        ..Model::default()
    };
    let old = model(relation(one(of(0), "b"), bare(of(1))));
    let new = model(relation(many(of(0), "b"), bare(of(1))));
    check(
        &old,
        &new,
        &expect![[r#"
        -- drop the constraint A_b_fkey of the table A
        ALTER TABLE "public"."A" DROP CONSTRAINT "A_b_fkey";
        -- drop the index A_b_idx
        DROP INDEX "public"."A_b_idx";
        -- create the table A_b
        CREATE TABLE "public"."A_b" (
          "a" BIGINT NOT NULL,
          "b" BIGINT NOT NULL,
          PRIMARY KEY ("a", "b")
        );
        -- fill the table A_b
        INSERT INTO "public"."A_b" ("a", "b") SELECT "id", "b" FROM "public"."A" WHERE "b" IS NOT NULL;
        -- drop the column A.b
        ALTER TABLE "public"."A" DROP COLUMN "b";
        -- create the index A_b_b_a_idx
        CREATE INDEX "A_b_b_a_idx" ON "public"."A_b" ("b", "a");
        -- add the constraint A_b_a_fkey of the table A_b
        ALTER TABLE "public"."A_b" ADD CONSTRAINT "A_b_a_fkey" FOREIGN KEY ("a") REFERENCES "public"."A" ("id") ON DELETE CASCADE;
        -- add the constraint A_b_b_fkey of the table A_b
        ALTER TABLE "public"."A_b" ADD CONSTRAINT "A_b_b_fkey" FOREIGN KEY ("b") REFERENCES "public"."B" ("id") ON DELETE CASCADE;"#]],
        &expect![[r#"
            -- create the table A_b
            CREATE TABLE "A_b" (
              "a" BIGINT NOT NULL,
              "b" BIGINT NOT NULL,
              PRIMARY KEY ("a", "b"),
              CONSTRAINT "A_b_a_fkey" FOREIGN KEY ("a") REFERENCES "A" ("id") ON DELETE CASCADE,
              CONSTRAINT "A_b_b_fkey" FOREIGN KEY ("b") REFERENCES "B" ("id") ON DELETE CASCADE
            ) WITHOUT ROWID;
            -- fill the table A_b
            INSERT INTO "A_b" ("a", "b") SELECT "id", "b" FROM "A" WHERE "b" IS NOT NULL;
            -- rebuild the table A
            CREATE TABLE "thalweg_new_A" (
              "id" INTEGER PRIMARY KEY
            );
            INSERT INTO "thalweg_new_A" ("id") SELECT "id" FROM "A";
            -- rebuild the table A
            DROP TABLE "A";
            ALTER TABLE "thalweg_new_A" RENAME TO "A";
            -- create the index A_b_b_a_idx
            CREATE INDEX "A_b_b_a_idx" ON "A_b" ("b", "a");
            -- create triggers of the table A
            CREATE TRIGGER "thalweg_A_key" BEFORE INSERT ON "A" BEGIN
              SELECT RAISE(ABORT, 'give the row a new id: ids are unique in the whole database; UPDATE thalweg_sequence SET last = last + 1 RETURNING last takes the next one') WHERE NEW."id" <= 0;
              UPDATE "thalweg_sequence" SET "last" = NEW."id" WHERE NEW."id" > "last";
            END;"#]],
    );
}

#[test]
fn a_reference_may_lead_to_an_interface() {
    let model = |groups, to| Model {
        entities: vec![entity("A", Vec::new()), entity("B", Vec::new())],
        groups,
        relations: vec![relation(one(of(0), "b"), bare(to))],
        ..Model::default()
    };
    let old = model(Vec::new(), of(1));
    let new = model(vec![group("Any", &[0, 1], &[])], of_group(0));
    check(
        &old,
        &new,
        &expect![[r#"
        -- drop the constraint A_b_fkey of the table A
        ALTER TABLE "public"."A" DROP CONSTRAINT "A_b_fkey";
        -- create the table Any
        CREATE TABLE "public"."Any" (
          "id" BIGINT PRIMARY KEY,
          "type" TEXT NOT NULL
        );
        -- fill the table Any
        INSERT INTO "public"."Any" ("id", "type") SELECT "id", 'A' FROM "public"."A";
        INSERT INTO "public"."Any" ("id", "type") SELECT "id", 'B' FROM "public"."B";
        -- add the constraint A_b_fkey of the table A
        ALTER TABLE "public"."A" ADD CONSTRAINT "A_b_fkey" FOREIGN KEY ("b") REFERENCES "public"."Any" ("id") ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED;
        -- create triggers of the table A
        CREATE FUNCTION "thalweg"."A_insert"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $thalweg$
        BEGIN
          INSERT INTO "public"."Any" ("id", "type") VALUES (NEW."id", 'A');
          RETURN NULL;
        END
        $thalweg$;
        CREATE TRIGGER "thalweg_A_insert" AFTER INSERT ON "public"."A" FOR EACH ROW EXECUTE FUNCTION "thalweg"."A_insert"();
        CREATE FUNCTION "thalweg"."A_update"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $thalweg$
        BEGIN
          UPDATE "public"."Any" SET "id" = NEW."id" WHERE "id" = OLD."id";
          RETURN NULL;
        END
        $thalweg$;
        CREATE TRIGGER "thalweg_A_update" AFTER UPDATE OF "id" ON "public"."A" FOR EACH ROW EXECUTE FUNCTION "thalweg"."A_update"();
        CREATE FUNCTION "thalweg"."A_delete"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $thalweg$
        BEGIN
          DELETE FROM "public"."Any" WHERE "id" = OLD."id";
          RETURN NULL;
        END
        $thalweg$;
        CREATE TRIGGER "thalweg_A_delete" AFTER DELETE ON "public"."A" FOR EACH ROW EXECUTE FUNCTION "thalweg"."A_delete"();
        -- create triggers of the table B
        CREATE FUNCTION "thalweg"."B_insert"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $thalweg$
        BEGIN
          INSERT INTO "public"."Any" ("id", "type") VALUES (NEW."id", 'B');
          RETURN NULL;
        END
        $thalweg$;
        CREATE TRIGGER "thalweg_B_insert" AFTER INSERT ON "public"."B" FOR EACH ROW EXECUTE FUNCTION "thalweg"."B_insert"();
        CREATE FUNCTION "thalweg"."B_update"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $thalweg$
        BEGIN
          UPDATE "public"."Any" SET "id" = NEW."id" WHERE "id" = OLD."id";
          RETURN NULL;
        END
        $thalweg$;
        CREATE TRIGGER "thalweg_B_update" AFTER UPDATE OF "id" ON "public"."B" FOR EACH ROW EXECUTE FUNCTION "thalweg"."B_update"();
        CREATE FUNCTION "thalweg"."B_delete"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $thalweg$
        BEGIN
          DELETE FROM "public"."Any" WHERE "id" = OLD."id";
          RETURN NULL;
        END
        $thalweg$;
        CREATE TRIGGER "thalweg_B_delete" AFTER DELETE ON "public"."B" FOR EACH ROW EXECUTE FUNCTION "thalweg"."B_delete"();"#]],
        &expect![[r#"
            -- create the table Any
            CREATE TABLE "Any" (
              "id" INTEGER PRIMARY KEY,
              "type" TEXT NOT NULL
            );
            -- fill the table Any
            INSERT INTO "Any" ("id", "type") SELECT "id", 'A' FROM "A";
            INSERT INTO "Any" ("id", "type") SELECT "id", 'B' FROM "B";
            -- rebuild the table A
            CREATE TABLE "thalweg_new_A" (
              "id" INTEGER PRIMARY KEY,
              "b" BIGINT,
              CONSTRAINT "A_b_fkey" FOREIGN KEY ("b") REFERENCES "Any" ("id") ON DELETE SET NULL
            );
            INSERT INTO "thalweg_new_A" ("id", "b") SELECT "id", "b" FROM "A";
            -- rebuild the table A
            DROP TABLE "A";
            ALTER TABLE "thalweg_new_A" RENAME TO "A";
            -- create the index A_b_idx
            CREATE INDEX "A_b_idx" ON "A" ("b");
            -- create triggers of the table A
            CREATE TRIGGER "thalweg_A_key" BEFORE INSERT ON "A" BEGIN
              SELECT RAISE(ABORT, 'give the row a new id: ids are unique in the whole database; UPDATE thalweg_sequence SET last = last + 1 RETURNING last takes the next one') WHERE NEW."id" <= 0;
              UPDATE "thalweg_sequence" SET "last" = NEW."id" WHERE NEW."id" > "last";
            END;
            CREATE TRIGGER "thalweg_A_insert" AFTER INSERT ON "A" BEGIN
              INSERT INTO "Any" ("id", "type") VALUES (NEW."id", 'A');
            END;
            CREATE TRIGGER "thalweg_A_update" AFTER UPDATE OF "id" ON "A" BEGIN
              UPDATE "Any" SET "id" = NEW."id" WHERE "id" = OLD."id";
            END;
            CREATE TRIGGER "thalweg_A_delete" AFTER DELETE ON "A" BEGIN
              DELETE FROM "Any" WHERE "id" = OLD."id";
            END;
            -- create triggers of the table B
            CREATE TRIGGER "thalweg_B_insert" AFTER INSERT ON "B" BEGIN
              INSERT INTO "Any" ("id", "type") VALUES (NEW."id", 'B');
            END;
            CREATE TRIGGER "thalweg_B_update" AFTER UPDATE OF "id" ON "B" BEGIN
              UPDATE "Any" SET "id" = NEW."id" WHERE "id" = OLD."id";
            END;
            CREATE TRIGGER "thalweg_B_delete" AFTER DELETE ON "B" BEGIN
              DELETE FROM "Any" WHERE "id" = OLD."id";
            END;"#]],
    );
    check(
        &new,
        &old,
        &expect![[r#"
        -- drop triggers of the table A
        DROP TRIGGER "thalweg_A_insert" ON "public"."A";
        DROP FUNCTION "thalweg"."A_insert"();
        DROP TRIGGER "thalweg_A_update" ON "public"."A";
        DROP FUNCTION "thalweg"."A_update"();
        DROP TRIGGER "thalweg_A_delete" ON "public"."A";
        DROP FUNCTION "thalweg"."A_delete"();
        -- drop triggers of the table B
        DROP TRIGGER "thalweg_B_insert" ON "public"."B";
        DROP FUNCTION "thalweg"."B_insert"();
        DROP TRIGGER "thalweg_B_update" ON "public"."B";
        DROP FUNCTION "thalweg"."B_update"();
        DROP TRIGGER "thalweg_B_delete" ON "public"."B";
        DROP FUNCTION "thalweg"."B_delete"();
        -- drop the constraint A_b_fkey of the table A
        ALTER TABLE "public"."A" DROP CONSTRAINT "A_b_fkey";
        -- fill the column A.b
        --   loss: references of A.b lead to rows of another type
        --   SELECT count(*) FROM "public"."A" WHERE "b" IS NOT NULL AND "b" NOT IN (SELECT "id" FROM "public"."B")
        UPDATE "public"."A" SET "b" = CAST(NULL AS BIGINT) WHERE "b" IS NOT NULL AND "b" NOT IN (SELECT "id" FROM "public"."B");
        -- drop the table Any
        DROP TABLE "public"."Any";
        -- add the constraint A_b_fkey of the table A
        ALTER TABLE "public"."A" ADD CONSTRAINT "A_b_fkey" FOREIGN KEY ("b") REFERENCES "public"."B" ("id") ON DELETE SET NULL;"#]],
        &expect![[r#"
            -- drop triggers of the table A
            DROP TRIGGER "thalweg_A_insert";
            DROP TRIGGER "thalweg_A_update";
            DROP TRIGGER "thalweg_A_delete";
            -- drop triggers of the table B
            DROP TRIGGER "thalweg_B_insert";
            DROP TRIGGER "thalweg_B_update";
            DROP TRIGGER "thalweg_B_delete";
            -- rebuild the table A
            --   loss: references of A.b lead to rows of another type
            --   SELECT count(*) FROM "A" WHERE "b" IS NOT NULL AND "b" NOT IN (SELECT "id" FROM "B")
            CREATE TABLE "thalweg_new_A" (
              "id" INTEGER PRIMARY KEY,
              "b" BIGINT,
              CONSTRAINT "A_b_fkey" FOREIGN KEY ("b") REFERENCES "B" ("id") ON DELETE SET NULL
            );
            INSERT INTO "thalweg_new_A" ("id", "b") SELECT "id", CASE WHEN "b" IN (SELECT "id" FROM "B") THEN "b" END FROM "A";
            -- rebuild the table A
            DROP TABLE "A";
            ALTER TABLE "thalweg_new_A" RENAME TO "A";
            -- drop the table Any
            DROP TABLE "Any";
            -- create the index A_b_idx
            CREATE INDEX "A_b_idx" ON "A" ("b");
            -- create triggers of the table A
            CREATE TRIGGER "thalweg_A_key" BEFORE INSERT ON "A" BEGIN
              SELECT RAISE(ABORT, 'give the row a new id: ids are unique in the whole database; UPDATE thalweg_sequence SET last = last + 1 RETURNING last takes the next one') WHERE NEW."id" <= 0;
              UPDATE "thalweg_sequence" SET "last" = NEW."id" WHERE NEW."id" > "last";
            END;"#]],
    );
}

#[test]
fn a_key_does_not_change() {
    let mut new = blog();
    new.entities[0].key = crate::model::Key::Fields(vec![0]);
    let database = Database::sqlite();
    let old = crate::plan(&blog(), &database, &Tables::default()).tables;
    let new = crate::plan(&new, &database, &old).tables;
    let error = plan(&old, &new, &database).unwrap_err();
    assert_eq!(&*error.table, "Author");
}
