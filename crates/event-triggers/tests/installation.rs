//! The log and the triggers of a database, which follow metadata.

use sources::event_log::InstallPlan;

use crate::databases::{ALL, Database, block_on, definitions, each, postgres, trigger};

fn reasons(plan: &InstallPlan) -> Vec<&str> {
    plan.statements.iter().map(|statement| &*statement.reason).collect()
}

fn pending(database: &Database) -> String {
    database.value("select count(*) from log.event_log where not archived")
}

fn insert(database: &Database, id: u32) {
    database.execute(&format!("insert into album (id, title) values ({id}, 'a')"));
}

#[test]
fn what_is_missing_is_created_and_what_is_there_stays() {
    for database in each("") {
        let all = definitions(&format!("[{}]", trigger("a", "http://a/b", ALL, "")), "[]");
        block_on(async {
            let log = database.log();
            assert!(!log.is_complete().await.unwrap());
            let plan = database.install(&all).await;
            assert_eq!(
                reasons(&plan)[0],
                "the log of events is missing, or is of an older version"
            );
            assert!(log.is_complete().await.unwrap());
            assert_eq!(log.plan(all.row_triggers()).await.unwrap(), InstallPlan::default());
        });
        insert(&database, 1);
        assert_eq!(pending(&database), "1");
    }
}

#[test]
fn triggers_follow_metadata() {
    for database in each("") {
        let all = definitions(&format!("[{}]", trigger("a", "http://a/b", ALL, "")), "[]");
        let changed = "{ update: { columns: [title], payload: [id] } }";
        let changed = definitions(&format!("[{}]", trigger("a", "http://a/b", changed, "")), "[]");
        block_on(async {
            database.install(&all).await;
            database.install(&changed).await;
            let plan = database.log().plan(changed.row_triggers()).await.unwrap();
            assert_eq!(plan, InstallPlan::default());
        });
        insert(&database, 1);
        assert_eq!(pending(&database), "0", "inserts are not recorded any more");
        database.execute("update album set sales = 1; update album set title = 'b'");
        assert_eq!(pending(&database), "1", "only the title is compared");
        let none = definitions("[]", "[]");
        block_on(database.install(&none));
        assert_eq!(pending(&database), "0", "events without a trigger are archived");
        database.execute("update album set title = 'c'");
        assert_eq!(pending(&database), "0");
    }
}

#[test]
fn triggers_that_cannot_be_created_are_told() {
    for database in each("create view latest as select * from album") {
        let read = |table: &str, definition: &str| {
            let definitions =
                definitions(&format!("[{}]", trigger("a", "http://a/b", definition, "")), "[]");
            let mut triggers = definitions.row_triggers().to_vec();
            triggers[0].table = table.into();
            block_on(database.log().plan(&triggers)).unwrap().problems
        };
        let check = |table, definition, expected: &str| {
            let problems = read(table, definition);
            assert_eq!(problems.len(), 1, "{problems:?}");
            assert_eq!(problems[0].replace("\"public\".", ""), expected);
        };
        check("none", ALL, r#"the event trigger "a": there is no table "none""#);
        let expected = r#"the event trigger "a": "latest" is no table, and only changes of the rows of tables are events"#;
        check("latest", ALL, expected);
        let listed = "{ update: { columns: [titel] } }";
        let expected = r#"the event trigger "a": the table "album" has no column "titel""#;
        check("album", listed, expected);
        check("album", "{ insert: { columns: '*', payload: [titel] } }", expected);
    }
}

#[test]
fn a_trigger_moves_with_its_table() {
    for database in each("") {
        let all = definitions(&format!("[{}]", trigger("a", "http://a/b", ALL, "")), "[]");
        let mut moved = all.row_triggers().to_vec();
        moved[0].table = "track".into();
        block_on(async {
            database.install(&all).await;
            let plan = database.log().plan(&moved).await.unwrap();
            database.log().install(&plan).await.unwrap();
            assert_eq!(database.log().plan(&moved).await.unwrap(), InstallPlan::default());
        });
        insert(&database, 1);
        assert_eq!(pending(&database), "0");
        database.execute("insert into track (id) values (1)");
        assert_eq!(pending(&database), "1");
    }
}

/// A database with the log and the triggers of another server, of an older version.
#[test]
fn the_log_of_another_server_goes_on() {
    let earlier = "create schema hdb_catalog;
        create function hdb_catalog.gen_hasura_uuid() returns uuid language sql
            as 'select gen_random_uuid()';
        create table hdb_catalog.event_log (
            id text default hdb_catalog.gen_hasura_uuid() primary key,
            schema_name text not null, table_name text not null, trigger_name text not null,
            payload jsonb not null, delivered boolean not null default false,
            error boolean not null default false, tries integer not null default 0,
            created_at timestamp default now(), locked timestamptz, next_retry_at timestamp,
            archived boolean not null default false
        );
        create table hdb_catalog.event_invocation_logs (
            id text default hdb_catalog.gen_hasura_uuid() primary key,
            event_id text references hdb_catalog.event_log (id), status integer, request json,
            response json, created_at timestamp default now()
        );
        create function hdb_catalog.insert_event_log(text, text, text, text, json) returns text
            language sql as $$
                insert into hdb_catalog.event_log (schema_name, table_name, trigger_name, payload)
                values ($1, $2, $3, jsonb_build_object('op', $4, 'data', $5)) returning id
            $$;
        create function hdb_catalog.\"notify_hasura_a_INSERT\"() returns trigger language plpgsql
            as $$ begin perform hdb_catalog.insert_event_log('public', 'album', 'a', 'INSERT', '{}');
            return null; end $$;
        create trigger \"notify_hasura_a_INSERT\" after insert on album
            for each row execute procedure hdb_catalog.\"notify_hasura_a_INSERT\"();
        insert into album (id) values (1);";
    for database in postgres(earlier) {
        let all = definitions(&format!("[{}]", trigger("a", "http://a/b", ALL, "")), "[]");
        block_on(database.install(&all));
        assert_eq!(pending(&database), "1");
        insert(&database, 2);
        let sql = "select payload #>> '{data,new,id}' from log.event_log order by 1";
        let rows = database.query(sql);
        // One event, not two.
        assert_eq!(rows, [vec![Some("2".to_owned())], vec![None]]);
    }
}
