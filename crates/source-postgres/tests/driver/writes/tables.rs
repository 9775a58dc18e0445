//! What is not a plain table, and what its owner lets.

use catalog::WriteAccess;
use expect_test::expect;
use ir::HopDirection;

use super::world::{BLOG, Steps, along, integer, own, text, world};

#[tokio::test]
async fn views_are_changed_as_the_database_lets() {
    let sql = "
        create view simple as select id, full_name as name from person;
        create view joined as
            select post.id, headline, full_name from post join person on person.id = author_id;
        create function write_joined() returns trigger language plpgsql as $$
        begin
            if tg_op = 'DELETE' then
                delete from post where id = old.id;
                return old;
            end if;
            insert into post (author_id, headline) values (1, new.headline) returning id into new.id;
            return new;
        end $$;
        create trigger write_joined instead of insert or delete on joined
            for each row execute function write_joined();";
    let Some(world) = world(&[BLOG, sql].concat()).await else { return };
    let mut steps = Steps::default();
    let step = steps.insert(&world, 0, "simple", &[("name", text("Cleo"))]);
    steps.returned(0, step, vec![own(world.field("simple.id")), own(world.field("simple.name"))]);
    let step = steps.update(&world, 1, ("simple", 1), &[("name", text("Ada II"))]);
    steps.returned(1, step, vec![own(world.field("simple.name"))]);
    let shown = || vec![own(world.field("joined.id")), own(world.field("joined.headline"))];
    let step = steps.insert(&world, 2, "joined", &[("headline", text("New"))]);
    steps.returned(2, step, shown());
    let step = steps.delete(&world, 3, "joined", 1);
    steps.returned(3, step, shown());
    steps.require(3, step, "No post.");
    let step = steps.update(&world, 4, ("joined", 2), &[("headline", text("x"))]);
    steps.returned(4, step, shown());
    expect![[r#"
        {"r0":{"s1":[{"id":"3","name":"Cleo"}]},"r1":{"s3":[{"name":"Ada II"}]},"r2":{"s5":[{"id":"4","headline":"New"}]},"r3":{"s7":[{"id":"1","headline":"First"}]},"r4":null}
        Name("r4"): Internal: cannot update view "joined""#]].assert_eq(&world.run(&steps.request()).await);
    let posts = "select id, headline from post order by id";
    assert_eq!(world.query(posts), "2,Second 3,Third 4,New");
}

#[tokio::test]
async fn rows_of_partitions_are_shown_as_rows_of_their_table() {
    let sql = "
        create table event (id int, day date, author_id int references person, primary key (id, day))
            partition by range (day);
        create table later (day date not null, extra int, id int not null, author_id int);
        alter table later drop column extra;
        alter table event attach partition later for values from ('2021-01-01') to ('2030-01-01');
        create table earlier partition of event
            for values from ('2000-01-01') to ('2021-01-01');";
    let Some(world) = world(&[BLOG, sql].concat()).await else { return };
    let mut steps = Steps::default();
    let author = world.hop("event.author_id", HopDirection::Forward);
    let shown =
        || vec![own(world.field("event.day")), along(&[author], world.field("person.full_name"))];
    let values = [("id", integer(1)), ("day", text("2022-02-02")), ("author_id", integer(2))];
    let step = steps.insert(&world, 0, "event", &values);
    steps.returned(0, step, shown());
    let values = [("day", text("2001-01-01")), ("author_id", integer(1))];
    let step = steps.update(&world, 1, ("event", 1), &values);
    steps.returned(1, step, shown());
    expect![[r#"{"r0":{"s1":[{"day":"2022-02-02","full_name":"Ben"}]},"r1":{"s3":[{"day":"2001-01-01","full_name":"Ada"}]}}"#]].assert_eq(&world.run(&steps.request()).await);
    assert_eq!(world.query("select count(*) from earlier"), "1");
}

#[tokio::test]
async fn rules_and_row_security_decide() {
    let sql = "
        create table silent (id serial primary key, name text);
        create rule silent as on insert to silent do instead nothing;
        create table closed (id serial primary key, name text, mine boolean default false);
        alter table closed enable row level security;
        alter table closed force row level security;
        create policy inserts on closed for insert with check (name <> 'x');
        create policy reads on closed for select using (mine);
        create role writer_of_closed;
        grant all on all tables in schema public to writer_of_closed;
        grant all on all sequences in schema public to writer_of_closed;
        create function as_writer() returns void language sql as
            $$ select set_config('role', 'writer_of_closed', true) $$;";
    let Some(world) = world(&[BLOG, sql].concat()).await else { return };
    let mut steps = Steps::default();
    let step = steps.insert(&world, 0, "silent", &[("name", text("x"))]);
    steps.returned(0, step, vec![own(world.field("silent.id"))]);
    let as_writer = |steps: &mut Steps, root| {
        steps.call(root, world.function("as_writer"), Vec::new());
    };
    let shown = || vec![own(world.field("closed.id"))];
    as_writer(&mut steps, 1);
    // What is not shown need not be seen.
    steps.insert(&world, 1, "closed", &[("name", text("a"))]);
    as_writer(&mut steps, 2);
    let step = steps.insert(&world, 2, "closed", &[("name", text("b"))]);
    steps.returned(2, step, shown());
    as_writer(&mut steps, 3);
    steps.insert(&world, 3, "closed", &[("name", text("x"))]);
    as_writer(&mut steps, 4);
    let step = steps.update(&world, 4, ("closed", 1), &[("name", text("c"))]);
    steps.require(4, step, "Nothing.");
    expect![[r#"
        {"r0":null,"r1":{},"r2":null,"r3":null,"r4":null}
        Name("r0"): Internal: cannot perform INSERT RETURNING on relation "silent"
        Name("r2"): PermissionDenied: new row violates row-level security policy for table "closed"
        Name("r3"): PermissionDenied: new row violates row-level security policy for table "closed"
        Name("r4"): Missing: Nothing."#]]
    .assert_eq(&world.run(&steps.request()).await);
    assert_eq!(world.query("select name from closed"), "a");
}

#[tokio::test]
async fn what_stands_on_a_table_out_of_reach_is_not_changed() {
    let sql = "
        create foreign data wrapper nowhere;
        create server nowhere foreign data wrapper nowhere;
        create foreign table remote (id int not null, name text) server nowhere;
        create view over_remote as select id, name from remote;
        create view twice_over_remote as select id, name from over_remote;
        create view over_post as select id, headline from post;
        create view counted as select author_id, count(*) as posts from post group by 1;";
    let Some(world) = world(&[BLOG, sql].concat()).await else { return };
    let offered = |name: &str| world.catalog[world.entity(name)].access;
    for name in ["remote", "over_remote", "twice_over_remote", "counted"] {
        assert_eq!(offered(name), WriteAccess::NONE, "{name}");
    }
    for name in ["post", "over_post"] {
        assert_eq!(offered(name), WriteAccess::ALL, "{name}");
    }
}
