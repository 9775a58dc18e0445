//! What is committed together, and what becomes of the rest.

use std::time::Duration;

use expect_test::expect;
use ir::{Operand, Value};

use super::world::{BLOG, Steps, World, integer, own, text, world};

const NAMES: &str = "select full_name from person order by id";

/// Three root fields that rename, of which the second takes a mail that is taken.
fn three(world: &World) -> Steps {
    let mut steps = Steps::default();
    for (root, values) in [
        (0, [("full_name", text("Ada II")), ("mail", text("ii@x"))]),
        (1, [("full_name", text("Ben II")), ("mail", text("ii@x"))]),
        (2, [("full_name", text("Ada III")), ("mail", text("iii@x"))]),
    ] {
        let id = if root == 1 { 2 } else { 1 };
        let step = steps.update(world, root, ("person", id), &values);
        steps.returned(root, step, vec![own(world.field("person.full_name"))]);
    }
    steps
}

#[tokio::test]
async fn a_root_field_that_fails_leaves_the_others_done() {
    let Some(world) = world(BLOG).await else { return };
    expect![[r#"
        {"r0":{"s1":[{"full_name":"Ada II"}]},"r1":null,"r2":{"s5":[{"full_name":"Ada III"}]}}
        Name("r1"): UniqueViolation: duplicate key value violates unique constraint "person_mail_key""#]].assert_eq(&world.run(&three(&world).request()).await);
    assert_eq!(world.query(NAMES), "Ada III Ben");
}

#[tokio::test]
async fn in_one_transaction_nothing_is_done_if_one_fails() {
    let Some(world) = world(BLOG).await else { return };
    expect![[r#"
        {"r0":null,"r1":null,"r2":null}
        Name("r0"): Aborted: The mutation was rolled back because another of the same request failed.
        Name("r1"): UniqueViolation: duplicate key value violates unique constraint "person_mail_key"
        Name("r2"): Aborted: The mutation was rolled back because another of the same request failed."#]].assert_eq(&world.run(&three(&world).together()).await);
    assert_eq!(world.query(NAMES), "Ada Ben");
}

#[tokio::test]
async fn what_is_required_is_tested_before_the_end() {
    let Some(world) = world(BLOG).await else { return };
    let mut steps = Steps::default();
    let step = steps.update(&world, 0, ("person", 1), &[("full_name", text("Ada II"))]);
    steps.returned(0, step, vec![own(world.field("person.full_name"))]);
    let step = steps.update(&world, 1, ("person", 9), &[("full_name", text("Nobody"))]);
    steps.require(1, step, "No person.");
    expect![[r#"
        {"r0":null,"r1":null}
        Name("r0"): Aborted: The mutation was rolled back because another of the same request failed.
        Name("r1"): Missing: No person."#]].assert_eq(&world.run(&steps.together()).await);
    assert_eq!(world.query(NAMES), "Ada Ben");
    expect![[r#"
        {"r0":{"s1":[{"full_name":"Ada II"}]},"r1":null}
        Name("r1"): Missing: No person."#]]
    .assert_eq(&world.run(&steps.request()).await);
    assert_eq!(world.query(NAMES), "Ada II Ben");
}

#[tokio::test]
async fn what_is_checked_at_the_end_belongs_to_its_root_field() {
    let sql = "alter table post drop constraint post_author_id_fkey;
        alter table post add constraint later foreign key (author_id) references person
        deferrable initially deferred;";
    let Some(world) = world(&[BLOG, sql].concat()).await else { return };
    let mut steps = Steps::default();
    for (root, author) in [(0, 1), (1, 99), (2, 2)] {
        let values = [("author_id", integer(author)), ("headline", text("New"))];
        let step = steps.insert(&world, root, "post", &values);
        steps.returned(root, step, vec![own(world.field("post.id"))]);
    }
    expect![[r#"
        {"r0":{"s1":[{"id":"4"}]},"r1":null,"r2":{"s5":[{"id":"6"}]}}
        Name("r1"): ForeignKeyViolation: insert or update on table "post" violates foreign key constraint "later""#]].assert_eq(&world.run(&steps.request()).await);
    assert_eq!(world.query("select author_id from post where id > 3 order by id"), "1 2");
}

#[tokio::test]
async fn every_change_is_read_committed_and_writes_only_where_that_is_allowed() {
    let sql = "create function isolation() returns text language sql volatile as
        $$ select current_setting('transaction_isolation') $$;
        do $$ begin execute format(
            'alter database %I set default_transaction_isolation = ''serializable''',
            current_database()); end $$;";
    let Some(world) = world(&[BLOG, sql].concat()).await else { return };
    let mut steps = Steps::default();
    let function = world.function("isolation");
    let catalog::FunctionResult::Value(field) = world.catalog[function].result else {
        panic!("a value");
    };
    for root in 0..2 {
        let step = steps.call(root, function, Vec::new());
        steps.returned(root, step, vec![own(field)]);
    }
    expect![[r#"{"r0":{"s1":[{"isolation":"read committed"}]},"r1":{"s3":[{"isolation":"read committed"}]}}"#]].assert_eq(&world.run(&steps.request()).await);
    world.execute(
        "do $$ begin execute format('alter database %I set default_transaction_read_only = on',
        current_database()); end $$;",
    );
    let world = world.again().await;
    let mut steps = Steps::default();
    steps.update(&world, 0, ("person", 1), &[("full_name", text("x"))]);
    expect![[r#"
        {"r0":null}
        Name("r0"): ReadOnly: cannot execute UPDATE in a read-only transaction"#]]
    .assert_eq(&world.run(&steps.request()).await);
}

#[tokio::test]
async fn a_value_that_cannot_be_sent_stops_its_root_field_only() {
    let Some(world) = world(BLOG).await else { return };
    let list = Operand::Constant(Value::List(vec![Value::Text("x".into())]));
    let mut steps = Steps::default();
    let step = steps.insert(&world, 0, "person", &[("full_name", list)]);
    steps.returned(0, step, vec![own(world.field("person.id"))]);
    let step = steps.insert(&world, 1, "person", &[("full_name", text("Cleo"))]);
    steps.returned(1, step, vec![own(world.field("person.id"))]);
    expect![[r#"
        {"r0":null,"r1":{"s3":[{"id":"3"}]}}
        Name("r0"): Input: a list is no value of type text"#]]
    .assert_eq(&world.run(&steps.request()).await);
    expect![[r#"
        {"r0":null,"r1":null}
        Name("r0"): Input: a list is no value of type text
        Name("r1"): Aborted: The mutation was rolled back because another of the same request failed."#]].assert_eq(&world.run(&steps.together()).await);
    assert_eq!(world.query(NAMES), "Ada Ben Cleo");
}

#[tokio::test]
async fn who_comes_second_finds_what_the_first_left() {
    let third = "insert into person (full_name) values ('Cleo');";
    let Some(world) = world(&[BLOG, third].concat()).await else { return };
    let first = client(&world).await;
    first.batch_execute("begin; update person set id = 7 where id = 3").await.unwrap();
    let mut steps = Steps::default();
    let step = steps.update(&world, 0, ("person", 3), &[("full_name", text("Cleo II"))]);
    steps.returned(0, step, vec![own(world.field("person.full_name"))]);
    steps.require(0, step, "No person.");
    let request = steps.request();
    let end = async {
        until_waiting(&world, "1").await;
        first.batch_execute("commit").await.unwrap();
    };
    let (answer, ()) = tokio::join!(world.run(&request), end);
    expect![[r#"
        {"r0":null}
        Name("r0"): Missing: No person."#]]
    .assert_eq(&answer);
}

#[tokio::test]
async fn a_statement_that_is_cancelled_is_rolled_back_alone() {
    let sql = "create function slow() returns int language plpgsql as $$
        begin
            perform pg_cancel_backend(pg_backend_pid());
            perform pg_sleep(60);
            return 1;
        end $$;";
    let Some(world) = world(&[BLOG, sql].concat()).await else { return };
    let mut steps = Steps::default();
    steps.update(&world, 0, ("person", 1), &[("full_name", text("Ada II"))]);
    steps.call(1, world.function("slow"), Vec::new());
    steps.update(&world, 2, ("person", 2), &[("full_name", text("Ben II"))]);
    expect![[r#"
        {"r0":{},"r1":null,"r2":{}}
        Name("r1"): Timeout: canceling statement due to user request"#]]
    .assert_eq(&world.run(&steps.request()).await);
    assert_eq!(world.query(NAMES), "Ada II Ben II");
}

#[tokio::test]
async fn a_request_that_goes_away_is_not_done() {
    let sql = "create function slow_name(name text) returns int language plpgsql as $$
        begin
            update person set full_name = name where id = 1;
            perform pg_sleep(60);
            return 1;
        end $$;";
    let Some(world) = world(&[BLOG, sql].concat()).await else { return };
    let mut steps = Steps::default();
    steps.call(0, world.function("slow_name"), vec![text("Ada II")]);
    let request = steps.request();
    let sleeps = "select count(*) from pg_stat_activity
        where datname = current_database() and wait_event = 'PgSleep'";
    let begun = async {
        while world.query(sleeps) == "0" {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        answer = world.run(&request) => panic!("{answer}"),
        () = begun => {}
    }
    while world.query(sleeps) != "0" {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(world.query(NAMES), "Ada Ben");
}

async fn client(world: &World) -> tokio_postgres::Client {
    let (client, connection) =
        tokio_postgres::connect(&world.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Waits until so many wait for a lock.
async fn until_waiting(world: &World, count: &str) {
    let waiting = "select count(*) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'";
    while world.query(waiting) != count {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn who_closes_a_circle_of_waiting_is_told_of_the_conflict() {
    let sql = "create function rename_both() returns void language sql as $$
            update person set full_name = 'x' where id = 1;
            select pg_advisory_lock(7);
            update person set full_name = 'x' where id = 2;
        $$;";
    let Some(world) = world(&[BLOG, sql].concat()).await else { return };
    let (other, holder) = (client(&world).await, client(&world).await);
    holder.batch_execute("select pg_advisory_lock(7)").await.unwrap();
    // It never looks for circles itself.
    let begin = "set deadlock_timeout = '1h'; begin; update person set mail = 'b@x' where id = 2";
    other.batch_execute(begin).await.unwrap();
    let mut steps = Steps::default();
    steps.call(0, world.function("rename_both"), Vec::new());
    let step = steps.update(&world, 1, ("person", 1), &[("full_name", text("Ada II"))]);
    steps.returned(1, step, vec![own(world.field("person.full_name"))]);
    let request = steps.request();
    let others = async {
        until_waiting(&world, "1").await;
        let update = other.batch_execute("update person set mail = 'a@x' where id = 1; commit");
        let release = async {
            until_waiting(&world, "2").await;
            holder.batch_execute("select pg_advisory_unlock(7)").await.unwrap();
        };
        let (updated, ()) = tokio::join!(update, release);
        updated.unwrap();
    };
    let (answer, ()) = tokio::join!(world.run(&request), others);
    expect![[r#"
        {"r0":null,"r1":{"s2":[{"full_name":"Ada II"}]}}
        Name("r0"): Conflict: deadlock detected"#]]
    .assert_eq(&answer);
    let people = "select full_name, mail from person order by id";
    assert_eq!(world.query(people), "Ada II,a@x Ben,b@x");
}
