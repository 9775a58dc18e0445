//! Steps that take values of those before them.

use expect_test::expect;
use ir::{From, Operand, OutputId, StepId, WriteKind};

use super::world::{BLOG, Steps, World, own, text, world};

const POSTS: &str = "select author_id, headline from post where id > 3 order by id";

/// The value of the output of a step.
fn result(step: u32, output: u32) -> Operand {
    Operand::Result { step: StepId(step), output: OutputId(output) }
}

/// A person, a post of theirs, and the posts that they have then.
fn person_with_post(world: &World, headline: &str) -> Steps {
    let mut steps = Steps::default();
    let person = steps.insert(world, 0, "person", &[("full_name", text("Cy"))]);
    let id = own(world.field("person.id"));
    steps.returned(0, person, vec![id, own(world.field("person.mail"))]);
    let values = [("author_id", result(1, 0)), ("headline", text(headline))];
    steps.insert(world, 0, "post", &values);
    let outputs = vec![own(world.field("post.headline"))];
    let mut posts = steps.rows(From::Entity(world.entity("post")), outputs);
    posts.filter = world.equal("post.author_id", result(1, 0));
    steps.read(0, posts);
    steps
}

#[tokio::test]
async fn a_key_that_was_given_is_stored_and_compared() {
    let Some(world) = world(BLOG).await else { return };
    let request = person_with_post(&world, "Fourth").request();
    expect![[r#"
        0: INSERT INTO "public"."person" AS t0 ("full_name") VALUES ($1) RETURNING CAST(t0."id" AS text), CAST(t0."mail" AS text)
        1: INSERT INTO "public"."post" AS t0 ("author_id", "headline") VALUES ($1, $2)
        1: SELECT CAST(t0."headline" AS text) FROM "public"."post" AS t0 WHERE t0."author_id" = $1
    "#]].assert_eq(&world.statements(&request));
    expect![[r#"
        Top: INSERT INTO "public"."person" AS t0 ("full_name") VALUES (?1) RETURNING "id", "mail" -- 'Cy'
        Top: INSERT INTO "public"."post" AS t0 ("author_id", "headline") VALUES (?1, ?2) -- result 0 of 0, 'Fourth'
        Top: SELECT t0."headline" FROM "public"."post" AS t0 WHERE t0."author_id" = ?1 -- result 0 of 0
    "#]].assert_eq(&world.nested_statements(&request));
    expect![[r#"{"r0":{"s1":[{"id":"3","mail":null}],"s3":[{"headline":"Fourth"}]}}"#]]
        .assert_eq(&world.run(&request).await);
    assert_eq!(world.query(POSTS), "3,Fourth");
    assert_eq!(world.explain(&request, false).await.len(), 3);
}

#[tokio::test]
async fn what_fails_later_takes_back_what_was_given() {
    let sql = "alter table post add constraint named check (headline <> 'Bad');";
    let Some(world) = world(&[BLOG, sql].concat()).await else { return };
    let answer = world.run(&person_with_post(&world, "Bad").request()).await;
    assert!(answer.contains("CheckViolation"), "{answer}");
    assert_eq!(world.query("select count(*) from person"), "2");
}

#[tokio::test]
async fn without_a_row_nothing_is_done() {
    let sql =
        "create function ignored() returns trigger language plpgsql as 'begin return null; end';
        create trigger ignored before insert on person for each row execute function ignored();";
    let Some(world) = world(&[BLOG, sql].concat()).await else { return };
    let mut steps = Steps::default();
    steps.insert(&world, 0, "post", &[("author_id", super::world::integer(1))]);
    let person = steps.insert(&world, 0, "person", &[("full_name", text("Cy"))]);
    steps.returned(0, person, vec![own(world.field("person.id"))]);
    steps.insert(&world, 0, "post", &[("author_id", result(2, 0))]);
    expect![[r#"
        {"r0":null}
        Name("r0"): Missing: A row that others are to be connected with is not there, or has no key."#]].assert_eq(&world.run(&steps.request()).await);
    assert_eq!(world.query(POSTS), "");
}

/// A null would say something else: here that a post has no author, or that all rows are meant.
#[tokio::test]
async fn of_a_null_nothing_is_done() {
    let Some(world) = world(BLOG).await else { return };
    let mut steps = Steps::default();
    let person = steps.insert(&world, 0, "person", &[("full_name", text("Cy"))]);
    steps.returned(0, person, vec![own(world.field("person.mail"))]);
    let values = [("author_id", super::world::integer(1)), ("headline", result(1, 0))];
    steps.insert(&world, 0, "post", &values);
    expect![[r#"
        {"r0":null}
        Name("r0"): Missing: A row that others are to be connected with is not there, or has no key."#]].assert_eq(&world.run(&steps.request()).await);
    assert_eq!(world.query(POSTS), "");
    assert_eq!(world.query("select count(*) from person"), "2");
}

#[tokio::test]
async fn what_is_read_may_be_required() {
    let Some(world) = world(BLOG).await else { return };
    for (name, id) in [("Ada", 1), ("Zoe", 0)] {
        let mut steps = Steps::default();
        let outputs = vec![own(world.field("person.id"))];
        let mut person = steps.rows(From::Entity(world.entity("person")), outputs);
        person.filter = world.equal("person.full_name", text(name));
        steps.read(0, person);
        steps.require(0, StepId(0), "No person.");
        let filter = world.equal("post.author_id", result(0, 0));
        let kind = WriteKind::Delete { filter, at_most: None };
        steps.write(0, world.entity("post"), kind);
        let answer = world.run(&steps.request()).await;
        match id {
            0 => expect![[r#"
                {"r0":null}
                Name("r0"): Missing: No person."#]]
            .assert_eq(&answer),
            _ => expect![[r#"{"r0":{"s0":[{"id":"1"}]}}"#]].assert_eq(&answer),
        }
        assert_eq!(world.query("select id from post order by id"), "3");
    }
}
