//! Functions that are called for what they do.

use catalog::{FieldId, FunctionResult};
use expect_test::expect;
use ir::{HopDirection, OutputKind};

use super::world::{BLOG, Steps, World, along, integer, own, text, world};

/// The field of a function's value.
fn value_of(world: &World, function: &str) -> FieldId {
    match world.catalog[world.function(function)].result {
        FunctionResult::Value(field) | FunctionResult::Values(field) => field,
        ref other => panic!("{other:?}"),
    }
}

const FUNCTIONS: &str = "
    create table called (number int);
    create function bump(n int) returns int language sql as
        'insert into called values (n); select n + 1';
    create function note(n int) returns void language sql as 'insert into called values (n)';
    create function numbers(n int) returns setof int language sql as
        'insert into called values (n); values (n), (null), (n + 1)';
    create function register(name text) returns person language sql as
        'insert into person (full_name) values (name) returning *';
    create function nobody() returns person language sql as 'select null::person';
    create function write_posts(author int, n int) returns setof post language sql as
        'insert into post (author_id, headline)
         select author, ''post '' || i from generate_series(1, n) as i returning *';
    create function people_array() returns person[] language sql as
        'select array_agg(person order by id desc) from person';
    create function pair(n int, out a int, out b text) language sql volatile as
        'insert into called values (n); select n, ''b''';";

#[tokio::test]
async fn a_function_runs_once_whatever_is_read_of_it() {
    let Some(world) = world(&[BLOG, FUNCTIONS].concat()).await else { return };
    let mut steps = Steps::default();
    let step = steps.call(0, world.function("bump"), vec![integer(1)]);
    steps.returned(0, step, vec![own(value_of(&world, "bump"))]);
    steps.returned(0, step, vec![own(value_of(&world, "bump"))]);
    steps.call(1, world.function("bump"), vec![integer(2)]);
    steps.call(2, world.function("note"), vec![integer(3)]);
    let step = steps.call(3, world.function("numbers"), vec![integer(4)]);
    steps.returned(3, step, vec![own(value_of(&world, "numbers"))]);
    expect![[r#"
        0: SELECT CAST(t0."bump" AS text) FROM "public"."bump"($1) AS t0("bump")
        0: SELECT 1 FROM "public"."bump"($1) AS t0("bump")
        0: SELECT "public"."note"($1)
        0: SELECT CAST(t0."numbers" AS text) FROM "public"."numbers"($1) AS t0("numbers")
    "#]]
    .assert_eq(&world.statements(&steps.request()));
    expect![[r#"{"r0":{"s1":[{"bump":"2"}],"s2":[{"bump":"2"}]},"r1":{},"r2":{},"r3":{"s6":[{"numbers":"4"},{"numbers":null},{"numbers":"5"}]}}"#]].assert_eq(&world.run(&steps.request()).await);
    assert_eq!(world.query("select number from called"), "1 2 3 4");
}

#[tokio::test]
async fn rows_of_a_function_are_read_after_what_it_did() {
    let Some(world) = world(&[BLOG, FUNCTIONS].concat()).await else { return };
    let mut steps = Steps::default();
    let step = steps.call(0, world.function("register"), vec![text("Cleo")]);
    let present = OutputKind::Present { path: Vec::new() };
    steps.returned(0, step, vec![present.clone(), own(world.field("person.full_name"))]);
    let step = steps.call(1, world.function("nobody"), Vec::new());
    steps.returned(1, step, vec![present, own(world.field("person.full_name"))]);
    let step = steps.call(2, world.function("write_posts"), vec![integer(1), integer(2)]);
    let author = world.hop("post.author_id", HopDirection::Forward);
    let outputs =
        vec![own(world.field("post.headline")), along(&[author], world.field("person.full_name"))];
    steps.returned(2, step, outputs);
    let step = steps.call(3, world.function("people_array"), Vec::new());
    steps.returned(3, step, vec![own(world.field("person.id"))]);
    expect![[r#"
        0: SELECT CASE WHEN NOT (t0.* IS NULL) THEN TRUE END, CAST(t0."full_name" AS text) FROM "public"."register"($1) AS t0
        0: SELECT CASE WHEN NOT (t0.* IS NULL) THEN TRUE END, CAST(t0."full_name" AS text) FROM "public"."nobody"() AS t0
        0: SELECT CAST(t0.* AS text) FROM "public"."write_posts"($1, $2) AS t0
        1: SELECT CAST(t0."headline" AS text), CAST(t1."full_name" AS text) FROM unnest($1) AS t0 LEFT JOIN LATERAL (SELECT t1.* FROM "public"."person" AS t1 WHERE t1."id" = t0."author_id" OFFSET 0) AS t1 ON TRUE
        0: SELECT CAST(t0."id" AS text) FROM unnest("public"."people_array"()) AS t0
    "#]].assert_eq(&world.statements(&steps.request()));
    expect![[r#"{"r0":{"s1":[{"present":true,"full_name":"Cleo"}]},"r1":{"s3":[{"present":null,"full_name":null}]},"r2":{"s5":[{"headline":"post 1","full_name":"Ada"},{"headline":"post 2","full_name":"Ada"}]},"r3":{"s7":[{"id":"3"},{"id":"2"},{"id":"1"}]}}"#]].assert_eq(&world.run(&steps.request()).await);
}
