//! What is offered where the rights of roles decide.

use std::fmt::Write;

use catalog::{Catalog, FieldAccess, WriteAccess};
use expect_test::{Expect, expect};
use source_postgres::introspect::introspect;
use source_postgres::{Extensions, Rights};

use super::{Database, each_database, owned};

const TABLES: &str = include_str!("rights.sql");

/// What a role is offered, and what everybody is where rights are ignored.
fn offered(database: &Database, role: &str, rights: Rights) -> String {
    let namespaces = owned(&["rights"]);
    let found = database.connected(async |client| {
        client.batch_execute(&format!("set role {role}")).await.expect("the role");
        introspect(client, &namespaces, Extensions::LeftOut, rights).await
    });
    text(&found.expect("a catalog").catalog)
}

/// A line for each table with its columns, and for each function. `r` reads, `i` inserts, `u` updates
/// and `d` deletes.
fn text(catalog: &Catalog) -> String {
    let mut text = String::new();
    for entity in catalog.entities().filter(|entity| entity.kind.is_stored()) {
        let WriteAccess { insert, update, delete } = entity.access;
        let changes = letters(&[(insert, 'i'), (update, 'u'), (delete, 'd')]);
        let columns = catalog.fields_of(entity.id).map(|field| {
            let FieldAccess { read, insert, update } = field.access;
            let uses = letters(&[(read, 'r'), (insert, 'i'), (update, 'u')]);
            format!("{} {uses}", field.name)
        });
        let columns: Vec<String> = columns.collect();
        writeln!(text, "{} {changes}: {}", entity.name, columns.join(", ")).expect("a text");
    }
    let called = catalog.functions().filter(|function| function.callable);
    let called: Vec<&str> = called.map(|function| &*function.name).collect();
    writeln!(text, "{}", called.join(", ")).expect("a text");
    text
}

fn letters(uses: &[(bool, char)]) -> String {
    let letters: String = uses.iter().filter_map(|(may, letter)| may.then_some(*letter)).collect();
    if letters.is_empty() { "-".into() } else { letters }
}

#[test]
fn what_no_role_may_that_can_be_reached_is_not_offered() {
    let server = expect![[r#"
        bodies -: id -, body -
        letter i: id i, sender_id i, text i
        open_book -: id r, line r
        owned iud: id riu, value riu
        person iu: id ri, name riu, mail r, secret i, pin u
        post iud: id r, author_id ri, title riu, body r, hidden_note r
        titles -: id r, title r
        two_keys ud: a u, b ru, c ru
        vault -: id -, owner_id -, gold -
        do_it, from_vault, person_shout, told
    "#]];
    let other = expect![[r#"
        bodies -: id -, body -
        letter -: id -, sender_id -, text -
        open_book -: id r, line r
        owned -: id -, value -
        person -: id -, name -, mail -, secret -, pin -
        post -: id -, author_id -, title -, body -, hidden_note -
        titles -: id -, title -
        two_keys -: a -, b -, c -
        vault iud: id riu, owner_id riu, gold riu
        not_it, person_shout, person_whisper, told, untold
    "#]];
    each_database("rights", |database| {
        database.execute(TABLES);
        let check = |role: &str, expected: &Expect| {
            expected.assert_eq(&offered(database, role, Rights::Respected));
        };
        check("rights_server", &server);
        check("rights_other", &other);
        let everything = offered(database, "rights_server", Rights::Ignored);
        assert_eq!(offered(database, "postgres", Rights::Respected), everything);
        assert_ne!(offered(database, "rights_server", Rights::Respected), everything);
    });
}

#[test]
fn rights_that_are_listed_nowhere_count() {
    each_database("rights_unlisted", |database| {
        database.execute(
            "create schema rights; create table rights.item (id int); create view rights.items as
             select id from rights.item where id > 0 group by id; create role unlisted",
        );
        let check = |sql: &str, expected: &str| {
            database.execute(sql);
            let found = offered(database, "unlisted", Rights::Respected);
            assert_eq!(found.lines().next(), Some(expected), "{sql}");
        };
        check("select", "item -: id -");
        // Predefined since version 14.
        if database.major() >= 14 {
            check("grant pg_read_all_data to unlisted", "item -: id r");
            check("grant pg_write_all_data to unlisted", "item iud: id riu");
            check("revoke pg_read_all_data, pg_write_all_data from unlisted", "item -: id -");
            check("grant select on rights.item to pg_database_owner", "item -: id -");
            check("alter database rights_unlisted owner to unlisted", "item -: id r");
        }
        check("create role great superuser; grant great to unlisted", "item iud: id riu");
        check(
            "revoke great from unlisted; grant insert on rights.item to public",
            if database.major() >= 14 { "item i: id ri" } else { "item i: id i" },
        );
    });
}
