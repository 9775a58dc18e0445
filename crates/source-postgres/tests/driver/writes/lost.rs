//! Connections that are lost on the way.

use expect_test::expect;
use ir::{Form, OutputKind};

use super::world::{BLOG, Steps, World, integer, own, text, world};

const KILL: &str = "
    create function kill() returns trigger language plpgsql as $$
    begin
        if new.full_name like 'kill%' then
            perform pg_terminate_backend(pg_backend_pid());
            perform pg_sleep(10);
        end if;
        return new;
    end $$;";

/// Three root fields, of which the second ends its own connection.
fn three(world: &World) -> Steps {
    let mut steps = Steps::default();
    for (root, name) in [(0, "Cleo"), (1, "kill me"), (2, "Dora")] {
        let step = steps.insert(world, root, "person", &[("full_name", text(name))]);
        steps.returned(root, step, vec![own(world.field("person.id"))]);
    }
    steps
}

#[tokio::test]
async fn a_connection_lost_within_a_change_has_changed_nothing() {
    let trigger =
        "create trigger kill before insert on person for each row execute function kill();";
    let Some(world) = world(&[BLOG, KILL, trigger].concat()).await else { return };
    expect![[r#"
        {"r0":{"s1":[{"id":"3"}]},"r1":null,"r2":{"s5":[{"id":"5"}]}}
        Name("r1"): Unavailable: the connection is closed: terminating connection due to administrator command"#]].assert_eq(&world.run(&three(&world).request()).await);
    assert_eq!(world.query("select full_name from person where id > 2 order by id"), "Cleo Dora");
    expect![[r#"
        {"r0":null,"r1":null,"r2":null}
        Name("r0"): Unavailable: the connection is closed: terminating connection due to administrator command
        Name("r1"): Unavailable: the connection is closed: terminating connection due to administrator command
        Name("r2"): Unavailable: the connection is closed: terminating connection due to administrator command"#]].assert_eq(&world.run(&three(&world).together()).await);
    assert_eq!(world.query("select count(*) from person"), "4");
}

#[tokio::test]
async fn a_connection_lost_at_the_end_leaves_the_outcome_open() {
    let trigger = "create constraint trigger kill after insert on person
        deferrable initially deferred for each row execute function kill();";
    let Some(world) = world(&[BLOG, KILL, trigger].concat()).await else { return };
    expect![[r#"
        {"r0":{"s1":[{"id":"3"}]},"r1":null,"r2":{"s5":[{"id":"5"}]}}
        Name("r1"): OutcomeUnknown: The connection was lost before the change was acknowledged: it may have been made."#]].assert_eq(&world.run(&three(&world).request()).await);
    assert_eq!(world.query("select full_name from person where id > 2 order by id"), "Cleo Dora");
}

#[tokio::test]
async fn a_connection_that_was_closed_before_is_not_used() {
    let Some(world) = world(BLOG).await else { return };
    for name in ["Cleo", "Dora"] {
        let mut steps = Steps::default();
        let step = steps.insert(&world, 0, "person", &[("full_name", text(name))]);
        steps.returned(0, step, vec![own(world.field("person.full_name"))]);
        let answer = world.run(&steps.request()).await;
        assert_eq!(answer, format!(r#"{{"r0":{{"s1":[{{"full_name":"{name}"}}]}}}}"#));
        world.query(
            "select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and application_name = 'thalweg'",
        );
        let left = "select count(*) from pg_stat_activity
            where datname = current_database() and application_name = 'thalweg'";
        while world.query(left) != "0" {}
    }
    assert_eq!(world.query("select count(*) from person"), "4");
}

#[tokio::test]
async fn a_table_that_has_changed_is_changed_once() {
    let Some(world) = world(BLOG).await else { return };
    let mut steps = Steps::default();
    let step = steps.insert(&world, 0, "post", &[("author_id", integer(1))]);
    let field = world.field("post.score");
    let stored = OutputKind::Field { path: Vec::new(), field, form: Form::Stored };
    steps.returned(0, step, vec![own(world.field("post.id")), stored]);
    expect![[r#"{"r0":{"s1":[{"id":"4","score":"7"}]}}"#]]
        .assert_eq(&world.run(&steps.request()).await);
    world.execute("alter table post alter column score type bigint");
    expect![[r#"{"r0":{"s1":[{"id":"5","score":"7"}]}}"#]]
        .assert_eq(&world.run(&steps.request()).await);
    assert_eq!(world.query("select count(*) from post"), "5");
}
