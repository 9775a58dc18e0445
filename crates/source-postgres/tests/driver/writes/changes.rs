//! What becomes of rows, and what is shown of them.

use expect_test::expect;
use ir::{
    Assignment, Call, Conflict, Filter, Form, From, HopDirection, Insert, InsertedRows, Operand,
    OutputKind, Update, Value, WriteKind,
};

use super::world::{BLOG, Steps, along, integer, own, related, text, world};

const PEOPLE: &str = "select id, full_name, mail from person order by id";

#[tokio::test]
async fn a_deleted_row_is_shown_as_it_was_and_its_relations_as_they_are() {
    let Some(world) = world(BLOG).await else { return };
    let mut steps = Steps::default();
    let step = steps.delete(&world, 0, "person", 1);
    let back = world.hop("post.author_id", HopDirection::Backward);
    let posts = steps.rows(From::Relation(back), vec![own(world.field("post.headline"))]);
    steps.returned(0, step, vec![own(world.field("person.full_name")), related(posts)]);
    let step = steps.delete(&world, 1, "post", 3);
    let author = world.hop("post.author_id", HopDirection::Forward);
    let outputs =
        vec![own(world.field("post.headline")), along(&[author], world.field("person.full_name"))];
    steps.returned(1, step, outputs);
    let answer = world.run(&steps.request()).await;
    expect![[r#"{"r0":{"s1":[{"full_name":"Ada","rows0":[]}]},"r1":{"s3":[{"headline":"Third","full_name":"Ben"}]}}"#]].assert_eq(&answer);
    assert_eq!(world.query("select count(*) from post"), "0");
}

#[tokio::test]
async fn functions_of_the_row_see_the_state_after_the_change() {
    let sql = "create function post_others(post post) returns bigint stable language sql as
        'select count(*) from post as other where other.author_id = post.author_id';
        create function post_headline_twice(post post) returns text immutable language sql as
        'select post.headline || post.headline';";
    let Some(world) = world(&[BLOG, sql].concat()).await else { return };
    let mut steps = Steps::default();
    let values = [("author_id", integer(1)), ("headline", text("x"))];
    let step = steps.insert(&world, 0, "post", &values);
    let computed = |name| {
        let call = Call {
            function: world.function(name),
            of_row: Some(Vec::new()),
            arguments: Vec::new(),
        };
        OutputKind::Computed { call, form: Form::Text }
    };
    steps.returned(0, step, vec![computed("post_others")]);
    let step = steps.delete(&world, 1, "post", 3);
    steps.returned(1, step, vec![computed("post_headline_twice")]);
    steps.returned(1, step, vec![computed("post_others")]);
    expect![[r#"{"r0":{"s1":[{"computed":"3"}]},"r1":{"s3":[{"computed":"ThirdThird"}],"s4":[{"computed":"0"}]}}"#]].assert_eq(&world.run(&steps.request()).await);
}

#[tokio::test]
async fn triggers_decide_what_a_row_is_and_whether_it_is_there() {
    let sql = "
        create function tell() returns trigger language plpgsql as $$
        begin
            if new.full_name = 'nobody' then return null; end if;
            new.full_name := upper(new.full_name);
            return new;
        end $$;
        create trigger tell before insert or update on person for each row execute function tell();";
    let Some(world) = world(&[BLOG, sql].concat()).await else { return };
    let name = || vec![own(world.field("person.full_name"))];
    let mut steps = Steps::default();
    let step = steps.insert(&world, 0, "person", &[("full_name", text("cleo"))]);
    steps.returned(0, step, name());
    let step = steps.insert(&world, 1, "person", &[("full_name", text("nobody"))]);
    steps.returned(1, step, name());
    let step = steps.update(&world, 2, ("person", 1), &[("full_name", text("nobody"))]);
    steps.returned(2, step, name());
    steps.require(2, step, "No person.");
    expect![[r#"
        {"r0":{"s1":[{"full_name":"CLEO"}]},"r1":{"s3":[]},"r2":null}
        Name("r2"): Missing: No person."#]]
    .assert_eq(&world.run(&steps.request()).await);
}

#[tokio::test]
async fn several_rows_are_inserted_in_their_order_with_what_they_say() {
    let Some(world) = world(BLOG).await else { return };
    let fields = vec![
        world.field("post.author_id"),
        world.field("post.headline"),
        world.field("post.score"),
    ];
    let row = |headline: &str, score: Option<i64>| {
        vec![Some(integer(2)), Some(text(headline)), score.map(integer)]
    };
    let rows = InsertedRows::Each(vec![row("a", Some(1)), row("b", None), row("c", Some(3))]);
    let mut steps = Steps::default();
    let insert = WriteKind::Insert(Insert { fields: fields.clone(), rows });
    let step = steps.write(0, world.entity("post"), insert);
    let author = world.hop("post.author_id", HopDirection::Forward);
    let outputs = vec![
        own(world.field("post.headline")),
        own(world.field("post.score")),
        along(&[author], world.field("person.full_name")),
    ];
    steps.returned(0, step, outputs);
    let list = |values: &[Value]| Operand::Constant(Value::List(values.to_vec()));
    let columns = vec![
        list(&[Value::Integer(1), Value::Integer(2)]),
        list(&[Value::Text("d".into()), Value::Null]),
        list(&[Value::Integer(-1), Value::Integer(0)]),
    ];
    let insert = Insert { fields, rows: InsertedRows::Columns(columns) };
    let step = steps.write(1, world.entity("post"), WriteKind::Insert(insert));
    steps.returned(1, step, vec![own(world.field("post.headline")), own(world.field("post.id"))]);
    let nothing = Insert { fields: Vec::new(), rows: InsertedRows::Each(vec![Vec::new()]) };
    let nothing = steps.write(2, world.entity("post"), WriteKind::Insert(nothing));
    steps.returned(2, nothing, vec![own(world.field("post.id"))]);
    expect![[r#"
        0: INSERT INTO "public"."post" AS t0 ("author_id", "headline", "score") VALUES ($1, $2, $3), ($1, $4, DEFAULT), ($1, $5, $6) RETURNING CAST(t0.* AS text)
        1: SELECT CAST(t0."headline" AS text), CAST(t0."score" AS text), CAST(t1."full_name" AS text) FROM unnest($1) AS t0 LEFT JOIN LATERAL (SELECT t1.* FROM "public"."person" AS t1 WHERE t1."id" = t0."author_id" OFFSET 0) AS t1 ON TRUE
        0: INSERT INTO "public"."post" AS t0 ("author_id", "headline", "score") SELECT t1.c0, t1.c1, t1.c2 FROM unnest($1, $2, $3) AS t1(c0, c1, c2) RETURNING CAST(t0."headline" AS text), CAST(t0."id" AS text)
        0: INSERT INTO "public"."post" AS t0 DEFAULT VALUES RETURNING CAST(t0."id" AS text)
    "#]].assert_eq(&world.statements(&steps.request()));
    expect![[r#"
        {"r0":{"s1":[{"headline":"a","score":"1","full_name":"Ben"},{"headline":"b","score":"7","full_name":"Ben"},{"headline":"c","score":"3","full_name":"Ben"}]},"r1":{"s3":[{"headline":"d","id":"7"},{"headline":null,"id":"8"}]},"r2":null}
        Name("r2"): NotNullViolation: null value in column "author_id" of relation "post" violates not-null constraint"#]].assert_eq(&world.run(&steps.request()).await);
}

#[tokio::test]
async fn the_row_of_a_key_is_inserted_or_updated() {
    let Some(world) = world(BLOG).await else { return };
    let upsert = |name: &str, mail: &str, assignments| WriteKind::Upsert {
        insert: Insert {
            fields: vec![world.field("person.full_name"), world.field("person.mail")],
            rows: InsertedRows::each(vec![vec![text(name), text(mail)]]),
        },
        conflict: Conflict {
            key: vec![world.field("person.mail")],
            assignments,
            filter: Filter::all(),
        },
    };
    let inserted = || vec![(world.field("person.full_name"), Assignment::Inserted)];
    let shown = || vec![own(world.field("person.id")), own(world.field("person.full_name"))];
    let mut steps = Steps::default();
    for (root, kind) in [
        upsert("Ada II", "ada@x", inserted()),
        upsert("Cleo", "cleo@x", inserted()),
        upsert("Ada III", "ada@x", Vec::new()),
    ]
    .into_iter()
    .enumerate()
    {
        let root = u32::try_from(root).unwrap();
        let step = steps.write(root, world.entity("person"), kind);
        steps.returned(root, step, shown());
    }
    expect![[r#"{"r0":{"s1":[{"id":"1","full_name":"Ada II"}]},"r1":{"s3":[{"id":"4","full_name":"Cleo"}]},"r2":{"s5":[]}}"#]].assert_eq(&world.run(&steps.request()).await);
    expect!["1,Ada II,ada@x 2,Ben,null 4,Cleo,cleo@x"].assert_eq(&world.query(PEOPLE));
}

#[tokio::test]
async fn more_rows_than_allowed_are_not_changed() {
    let Some(world) = world(BLOG).await else { return };
    let update = |most| {
        WriteKind::Update(Update {
            filter: Filter::all(),
            assignments: vec![(world.field("post.score"), Assignment::Add(integer(1)))],
            at_most: Some(integer(most)),
        })
    };
    let mut steps = Steps::default();
    steps.write(0, world.entity("post"), update(2));
    let step = steps.write(1, world.entity("post"), update(3));
    steps.returned(1, step, vec![own(world.field("post.score"))]);
    expect![[r#"
        {"r0":null,"r1":{"s2":[{"score":"8"},{"score":"8"},{"score":"8"}]}}
        Name("r0"): TooMany: More rows would be changed than the request allows."#]]
    .assert_eq(&world.run(&steps.request()).await);
    assert_eq!(world.query("select score from post"), "8 8 8");
}
