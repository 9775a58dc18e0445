//! What is sent.

use expect_test::expect;
use ir::{From, HopDirection, Rows};

use super::world::{BLOG, Steps, along, ascending, integer, null, own, related, text, world};

#[tokio::test]
async fn own_fields_come_with_the_change() {
    let Some(world) = world(BLOG).await else { return };
    let mut steps = Steps::default();
    let values = [("author_id", integer(1)), ("headline", text("New"))];
    let step = steps.insert(&world, 0, "post", &values);
    steps.returned(0, step, vec![own(world.field("post.id")), own(world.field("post.score"))]);
    expect![[r#"
        0: INSERT INTO "public"."post" AS t0 ("author_id", "headline") VALUES ($1, $2) RETURNING CAST(t0."id" AS text), CAST(t0."score" AS text)
    "#]]
    .assert_eq(&world.statements(&steps.request()));
    let answer = world.run(&steps.request()).await;
    expect![[r#"{"r0":{"s1":[{"id":"4","score":"7"}]}}"#]].assert_eq(&answer);
}

#[tokio::test]
async fn what_is_read_by_nobody_is_not_returned() {
    let Some(world) = world(BLOG).await else { return };
    let mut steps = Steps::default();
    let step = steps.update(&world, 0, ("post", 1), &[("headline", null())]);
    steps.require(0, step, "No post.");
    expect![[r#"
        0: UPDATE "public"."post" AS t0 SET "headline" = $1 WHERE t0."id" = $2
    "#]]
    .assert_eq(&world.statements(&steps.request()));
    expect![[r#"{"r0":{}}"#]].assert_eq(&world.run(&steps.request()).await);
    let mut steps = Steps::default();
    let step = steps.update(&world, 0, ("post", 99), &[("headline", null())]);
    steps.require(0, step, "No post.");
    expect![[r#"
        {"r0":null}
        Name("r0"): Missing: No post."#]]
    .assert_eq(&world.run(&steps.request()).await);
    let headlines = "select headline from post order by id";
    assert_eq!(world.query(headlines), "null Second Third");
}

#[tokio::test]
async fn relations_are_read_after_the_change_of_the_row_that_it_gave() {
    let Some(world) = world(BLOG).await else { return };
    let mut steps = Steps::default();
    let step = steps.update(&world, 0, ("post", 3), &[("author_id", integer(1))]);
    let author = world.hop("post.author_id", HopDirection::Forward);
    let outputs =
        vec![own(world.field("post.id")), along(&[author], world.field("person.full_name"))];
    steps.returned(0, step, outputs);
    let back = world.hop("post.author_id", HopDirection::Backward);
    let posts = steps.rows(From::Relation(back), vec![own(world.field("post.headline"))]);
    let posts = Rows { order: vec![ascending(world.field("post.id"))], ..posts };
    let step = steps.update(&world, 1, ("person", 1), &[("full_name", text("Ada L."))]);
    steps.returned(1, step, vec![own(world.field("person.full_name")), related(posts)]);
    let people = steps
        .rows(From::Entity(world.entity("person")), vec![own(world.field("person.full_name"))]);
    steps.read(1, Rows { order: vec![ascending(world.field("person.id"))], ..people });
    expect![[r#"
        0: UPDATE "public"."post" AS t0 SET "author_id" = $1 WHERE t0."id" = $2 RETURNING CAST(t0.* AS text)
        1: SELECT CAST(t0."id" AS text), CAST(t1."full_name" AS text) FROM unnest($1) AS t0 LEFT JOIN LATERAL (SELECT t1.* FROM "public"."person" AS t1 WHERE t1."id" = t0."author_id" OFFSET 0) AS t1 ON TRUE
        0: UPDATE "public"."person" AS t0 SET "full_name" = $1 WHERE t0."id" = $2 RETURNING CAST(t0."full_name" AS text), t0."id"
        1: SELECT CAST(t1."headline" AS text), t0.c0 FROM unnest($1) AS t0(c0) JOIN "public"."post" AS t1 ON t1."author_id" = t0.c0 ORDER BY t1."id"
        0: SELECT CAST(t0."full_name" AS text) FROM "public"."person" AS t0 ORDER BY t0."id"
    "#]].assert_eq(&world.statements(&steps.request()));
    expect![[r#"{"r0":{"s1":[{"id":"3","full_name":"Ada"}]},"r1":{"s3":[{"full_name":"Ada L.","rows1":[{"headline":"First"},{"headline":"Second"},{"headline":"Third"}]}],"s4":[{"full_name":"Ada L."},{"full_name":"Ben"}]}}"#]].assert_eq(&world.run(&steps.request()).await);
}

#[tokio::test]
async fn without_types_of_rows_a_change_gives_every_field() {
    let Some(world) = world(BLOG).await else { return };
    let mut steps = Steps::default();
    let step = steps.delete(&world, 0, "post", 3);
    let author = world.hop("post.author_id", HopDirection::Forward);
    let outputs =
        vec![own(world.field("post.id")), along(&[author], world.field("person.full_name"))];
    steps.returned(0, step, outputs);
    let step = steps.insert(&world, 1, "person", &[("full_name", text("Cleo"))]);
    steps.returned(1, step, vec![own(world.field("person.id"))]);
    let back = world.hop("post.author_id", HopDirection::Backward);
    let posts = steps.rows(From::Relation(back), vec![own(world.field("post.headline"))]);
    let step = steps.update(&world, 2, ("person", 1), &[("mail", null())]);
    steps.returned(2, step, vec![related(posts)]);
    expect![[r#"
        Top: DELETE FROM "public"."post" WHERE "post"."id" = ?1 RETURNING "id", "author_id", "headline", "score" -- 3
        Returned { write: LevelId(0) }: SELECT t0."id", t1."full_name" FROM (SELECT "id", "author_id", "headline", "score" FROM "public"."post" WHERE FALSE UNION ALL SELECT (SELECT ?1 UNION ALL SELECT "id" FROM "public"."post" WHERE FALSE), (SELECT ?2 UNION ALL SELECT "author_id" FROM "public"."post" WHERE FALSE), (SELECT ?3 UNION ALL SELECT "headline" FROM "public"."post" WHERE FALSE), (SELECT ?4 UNION ALL SELECT "score" FROM "public"."post" WHERE FALSE)) AS t0 LEFT JOIN "public"."person" AS t1 ON t1."id" = t0."author_id" -- column 0 of 0, column 1 of 0, column 2 of 0, column 3 of 0
        Top: INSERT INTO "public"."person" AS t0 ("full_name") VALUES (?1) RETURNING "id" -- 'Cleo'
        Top: UPDATE "public"."person" SET "mail" = ?1 WHERE "person"."id" = ?2 RETURNING "id", "full_name", "mail" -- Constant(Null), 1
        Returned { write: LevelId(3) }: SELECT t0."id" FROM (SELECT "id", "full_name", "mail" FROM "public"."person" WHERE FALSE UNION ALL SELECT (SELECT ?1 UNION ALL SELECT "id" FROM "public"."person" WHERE FALSE), (SELECT ?2 UNION ALL SELECT "full_name" FROM "public"."person" WHERE FALSE), (SELECT ?3 UNION ALL SELECT "mail" FROM "public"."person" WHERE FALSE)) AS t0 -- column 0 of 3, column 1 of 3, column 2 of 3
        Bound: SELECT t0."headline" FROM "public"."post" AS t0 WHERE t0."author_id" = ?1 -- column 0 above
    "#]].assert_eq(&world.nested_statements(&steps.request()));
}

#[tokio::test]
async fn what_changes_something_is_explained_and_not_run() {
    let Some(world) = world(BLOG).await else { return };
    let mut steps = Steps::default();
    let step = steps.delete(&world, 0, "post", 3);
    let author = world.hop("post.author_id", HopDirection::Forward);
    steps.returned(0, step, vec![along(&[author], world.field("person.full_name"))]);
    for analyze in [false, true] {
        let plans = world.explain(&steps.request(), analyze).await;
        assert_eq!(plans.len(), 2);
        assert!(plans[0].starts_with("Delete on post"), "{plans:?}");
        assert!(!plans[0].contains("actual"), "{plans:?}");
    }
    assert_eq!(world.query("select count(*) from post"), "3");
}
