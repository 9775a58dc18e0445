//! What is recorded of rows, and the bodies that webhooks receive.

use serde_json::{Value, json};

use crate::databases::{ALL, Database, block_on, definitions, each, postgres, sqlite, trigger};
use crate::webhooks::{body, deliver, wait_until_done, webhooks};

/// The recorded changes in the order of their ids in the table, as operation and data.
fn recorded(database: &Database) -> Vec<(Value, Value)> {
    let sql = match database.is_postgres() {
        true => "select payload::text from log.event_log order by created_at, ctid",
        false => "select payload from log.event_log order by rowid",
    };
    let rows = database.query(sql).into_iter();
    let payloads = rows.map(|mut row| serde_json::from_str(&row.remove(0).unwrap()).unwrap());
    payloads.map(|payload: Value| (payload["op"].clone(), payload["data"].clone())).collect()
}

fn install(database: &Database, definition: &str) {
    let triggers = format!("[{}]", trigger("a", "http://a/b", definition, ""));
    block_on(database.install(&definitions(&triggers, "[]")));
}

#[test]
fn changes_are_recorded_with_both_rows() {
    for database in each("") {
        install(&database, ALL);
        database.execute(
            "insert into album (id, title, sales) values (1, 'a', 10);
             update album set sales = null;
             update album set sales = null;
             delete from album;",
        );
        let old = json!({ "id": 1, "title": "a", "sales": 10 });
        let new = json!({ "id": 1, "title": "a", "sales": null });
        let expected = [
            (json!("INSERT"), json!({ "old": null, "new": old })),
            (json!("UPDATE"), json!({ "old": old, "new": new })),
            (json!("DELETE"), json!({ "old": new, "new": null })),
        ];
        assert_eq!(recorded(&database), expected);
    }
}

#[test]
fn updates_of_listed_columns_are_recorded() {
    for database in each("") {
        install(&database, "{ update: { columns: [title, sales], payload: [title] } }");
        database.execute(
            "insert into album (id, title, sales) values (1, 'a', 10);
             update album set id = 2;
             update album set title = 'a', sales = 10;
             update album set sales = 11;
             update album set title = null;
             delete from album;",
        );
        let titles = |old: &str, new: Option<&str>| {
            (json!("UPDATE"), json!({ "old": { "title": old }, "new": { "title": new } }))
        };
        assert_eq!(recorded(&database), [titles("a", Some("a")), titles("a", None)]);
    }
}

#[test]
fn a_list_without_columns_means_none() {
    for database in each("") {
        let listed = "{ insert: { columns: '*', payload: [] }, update: { columns: [] } }";
        install(&database, listed);
        database.execute("insert into album (id) values (1); update album set title = 'b'");
        assert_eq!(recorded(&database), [(json!("INSERT"), json!({ "old": null, "new": {} }))]);
    }
}

#[test]
fn a_change_that_is_rolled_back_is_no_event() {
    for database in each("") {
        install(&database, ALL);
        database.execute("begin; insert into album (id) values (1); rollback;");
        assert_eq!(recorded(&database), []);
    }
}

#[test]
fn names_with_quotes_are_names() {
    let tables = r#"create table "a ""b'" ("c ""d'%s" integer, "new" text)"#;
    for database in each(tables) {
        let definition = r#"{ insert: { columns: '*' },
            update: { columns: ["c \"d'%s"], payload: ["c \"d'%s", new] } }"#;
        let triggers = definitions(
            &format!("[{}]", trigger("\"e \\\"f'%s\"", "http://a/b", definition, "")),
            "[]",
        );
        let mut triggers = triggers.row_triggers().to_vec();
        triggers[0].table = "a \"b'".into();
        block_on(async {
            let log = database.log();
            let plan = log.plan(&triggers).await.unwrap();
            assert_eq!(plan.problems, Vec::<String>::new());
            log.install(&plan).await.unwrap();
            assert!(log.plan(&triggers).await.unwrap().statements.is_empty());
        });
        database
            .execute(r#"insert into "a ""b'" values (1, 'x'); update "a ""b'" set "c ""d'%s" = 2"#);
        let row = |number: u32| json!({ "c \"d'%s": number, "new": "x" });
        let expected = [
            (json!("INSERT"), json!({ "old": null, "new": row(1) })),
            (json!("UPDATE"), json!({ "old": row(1), "new": row(2) })),
        ];
        assert_eq!(recorded(&database), expected);
        assert_eq!(database.value("select min(trigger_name) from log.event_log"), "e \"f'%s");
    }
}

#[test]
fn values_of_sqlite_have_the_json_of_their_types() {
    let database = sqlite(
        "drop table album;
         create table album (id integer primary key, flag boolean, doc json, bytes blob, x real);",
    );
    install(&database, ALL);
    database.execute(
        r#"insert into album values (9007199254740993, 1, '{"a": [1]}', x'00ff', 1.5);
           insert into album values (2, 7, 'no json', null, null);
           insert into album values (3, x'01', x'ff', 'text', 2);"#,
    );
    let new: Vec<Value> =
        recorded(&database).into_iter().map(|(_, data)| data["new"].clone()).collect();
    let expected = [
        json!({ "id": 9_007_199_254_740_993_i64, "flag": true, "doc": { "a": [1] },
            "bytes": "\\x00ff", "x": 1.5 }),
        json!({ "id": 2, "flag": 7, "doc": "no json", "bytes": null, "x": null }),
        json!({ "id": 3, "flag": "\\x01", "doc": "\\xff", "bytes": "text", "x": 2.0 }),
    ];
    assert_eq!(new, expected);
}

/// Such as JSON, which has no equality.
#[test]
fn all_types_of_postgres_can_be_compared() {
    let tables = "drop table album; create table album (id integer primary key, doc json,
        docs json[], place point, data bytea, total integer generated always as (id * 2) stored)";
    for database in postgres(tables) {
        install(&database, "{ update: { columns: [doc, docs, place, data, total] } }");
        database.execute(
            r#"insert into album (id, doc, place) values (1, '{"a":1}', '(1,2)');
               update album set doc = doc, place = place;
               update album set doc = '{"a":2}', data = '\x0f';
               update album set docs = array['1'::json];
               update album set id = 2;"#,
        );
        let totals = recorded(&database).into_iter();
        let totals: Vec<Value> = totals.map(|(_, data)| data["new"]["total"].clone()).collect();
        assert_eq!(totals, [2, 2, 4]);
    }
}

/// Roles that may write the table need no rights in the log.
#[test]
fn changes_of_all_roles_of_postgres_are_recorded_with_session_variables() {
    for database in postgres("") {
        install(&database, ALL);
        let Database::Postgres { name, .. } = &database else { continue };
        let role = format!("writer_{name}");
        database.execute(&format!(
            "create role {role}; grant insert on album to {role}; set role {role};
             select set_config('hasura.user', '{{\"x-hasura-role\": \"writer\"}}', true);
             insert into album (id) values (1);
             reset role; select set_config('hasura.user', '', true);
             insert into album (id) values (2);
             drop owned by {role}; drop role {role}",
        ));
        let sql = "select payload ->> 'session_variables' from log.event_log order by payload #> '{data,new,id}'";
        let variables = Some(r#"{"x-hasura-role": "writer"}"#.to_owned());
        assert_eq!(database.query(sql), [vec![variables], vec![None]]);
    }
}

#[test]
fn webhooks_receive_the_body_that_hasura_sends() {
    for database in each("") {
        let webhooks = webhooks();
        let address = format!("http://{}/ok", webhooks.address);
        let keys = ", headers: [{ name: X-Secret, value_from_env: SECRET }, { name: x, value: y }]";
        let triggers = definitions(&format!("[{}]", trigger("a", &address, ALL, keys)), "[]");
        block_on(database.install(&triggers));
        database.execute("insert into album (id, title) values (9007199254740993 / 3000000000000000, 'ä\u{2}\"')");
        let (delivery, _) = deliver(&database, &triggers);
        wait_until_done(&database);
        delivery.stop();
        let received = webhooks.received();
        let [received] = received.as_slice() else { panic!("{received:?}") };
        assert_eq!(received.method, "POST");
        for (name, value) in
            [("content-type", "application/json"), ("x-secret", "s3cret"), ("x", "y")]
        {
            assert_eq!(received.headers[name], value);
        }
        let mut body = body(received);
        let id = database.value("select id from log.event_log");
        assert_eq!(id.len(), 36);
        let created_at = body["created_at"].take();
        let created_at = created_at.as_str().unwrap();
        assert!(created_at.ends_with('Z') && created_at.contains('T'), "{created_at}");
        let expected = json!({
            "created_at": null,
            "delivery_info": { "current_retry": 0, "max_retries": 2 },
            "event": {
                "op": "INSERT",
                "data": { "old": null, "new": { "id": 3, "title": "ä\u{2}\"", "sales": null } },
                "session_variables": null,
                "trace_context": null,
            },
            "id": id,
            "table": { "name": "album", "schema": "public" },
            "trigger": { "name": "a" },
        });
        assert_eq!(body, expected);
        let log = database.query(
            "select event_id, trigger_name, status, request, response from log.event_invocation_logs",
        );
        let [log] = log.as_slice() else { panic!("{log:?}") };
        let text = |idx: usize| log[idx].clone().unwrap();
        assert_eq!((text(0), text(1), text(2)), (id, "a".into(), "200".into()));
        let request: Value = serde_json::from_str(&text(3)).unwrap();
        let headers = json!([
            { "name": "content-type", "value": "application/json" },
            { "name": "x-secret", "value": "SECRET" },
            { "name": "x", "value": "y" },
        ]);
        assert_eq!(request["headers"], headers);
        assert_eq!(request["payload"]["event"], expected["event"]);
        let response: Value = serde_json::from_str(&text(4)).unwrap();
        assert_eq!(response["type"], "webhook_response");
        assert_eq!(response["data"]["body"], r#"{"ok":true}"#);
    }
}
